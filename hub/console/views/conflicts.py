"""The texts about games with two scores."""

from __future__ import annotations

from typing import TypeAlias

from flagfall.othello.message import Message
from hub.model.games import Game

Score: TypeAlias = tuple[int, int]


def conflict_text(game: Game) -> Message:
    """Return who says what of a game with two scores."""
    table, claim = game.score_from_table, game.claim
    desk = score_text(game.entered) if game.entered is not None else ""
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
            score=score_text(table),
            desk=desk,
        )
    black, white = (table, claim.other) if claim.by[0] else (claim.other, table)
    return Message.of(
        "{black} reports {first}, {white} {second}. Which score counts?",
        black=game.black,
        first=score_text(black),
        white=game.white,
        second=score_text(white),
    )


def score_text(score: Score) -> str:
    return f"{score[0]}–{score[1]}"
