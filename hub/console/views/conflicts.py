"""The texts about games with two scores."""

from __future__ import annotations

from typing import TypeAlias

from flagfall.base.message import Message
from hub.model.games import Claim, Game, Said, players_results

Score: TypeAlias = tuple[int, int]


def conflict_text(game: Game) -> Message:
    """Return who says what of a game with two scores."""
    table, claim = game.score_from_table, game.claim
    desk = said_text(Said(game.entered, game.entered_black)) if game.entered is not None else ""
    if table is None:
        return Message.of(
            "The players have been exchanged, and their reports are gone. The console says {desk}. Which score counts?",
            desk=desk,
        )
    if game.reported is not None or claim is None:
        return Message.of(
            "The table says {table}, the console {desk}. Which score counts?",
            table=score_text(table),
            desk=desk,
        )
    if claim.other is None:
        return Message.of(
            "The players report {score}, the console says {desk}. Which score counts?",
            score=said_text(claim),
            desk=desk,
        )
    reports = players_results(game)
    return Message.of(
        "{black} reports {first}, {white} {second}. Which score counts?",
        black=game.black,
        first=said_text(reports[game.black]),
        white=game.white,
        second=said_text(reports[game.white]),
    )


def said_text(said: Said | Claim) -> Message | str:
    """Return a result as its people say it, with who had Black where the colours were drawn at the table."""
    score = score_text(said.score)
    if not said.black:
        return score
    return Message.of("{score} (Black: {player})", score=score, player=said.black)


def score_text(score: Score) -> str:
    return f"{score[0]}–{score[1]}"
