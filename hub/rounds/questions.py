"""Questions that precede a write: answered on the tournament as it is under the writing lock, never before.

A command asks again inside the write what its page has asked before: of two operators at one moment one is recorded,
and the other gets the question.
"""

from __future__ import annotations

from collections.abc import Callable

from flagfall.othello.message import Message
from hub.model.games import Game
from hub.record.events import ResultEntered
from hub.record.state import TournamentState
from hub.text import Refused

# A function that raises Refused where the tournament is no longer as the operator saw it.
Ask = Callable[[TournamentState], None]
# A function that returns whether the operator has agreed to replace the recorded score.
Replaces = Callable[[Game], bool]


class Stale(Refused):
    """The shown state has changed: by somebody else, or by a result."""


class AlreadyDone(Refused):
    """A refusal because somebody has done the same: nothing is left to be recorded."""


class Asks(Refused):
    """A question to the operator. When the command is given again with `instead`, the named score is replaced by
    `score`."""

    def __init__(self, question: Message, instead: str, score: tuple[int, int]) -> None:
        super().__init__(question)
        self.instead = instead
        self.score = score


def nothing_asked(state: TournamentState) -> None:
    """Ask nothing."""


def typed_score(game: Game) -> tuple[int, int] | None:
    """Return the score that a person has recorded, None without one. A score that only the table reported is never
    replaced."""
    return game.score if game.decided else game.entered


def replaced_score_key(game: Game) -> str:
    """Return what `Asks.instead` says of the game's recorded score."""
    return f"{game.id} {_score_text(typed_score(game) or (0, 0))} {game.reason}"


def expect_no_other_score(game: Game, typed: ResultEntered, replaces: Replaces) -> None:
    """Raise Asks where a person has recorded another score, unless that one is to be replaced."""
    before = typed_score(game)
    same = before == typed.score and (game.reported is not None or game.reason == typed.reason)
    if before is not None and not same and not replaces(game):
        raise Asks(
            Message.of(
                "table {table}: {before} is on record ({black} against {white}). Does {score} stand instead?",
                table=game.table,
                before=_score_text(before),
                black=game.black,
                white=game.white,
                score=_score_text(typed.score),
            ),
            replaced_score_key(game),
            typed.score,
        )


def expect_open_conflict(game: Game, score: tuple[int, int], reason: str, replaces: Replaces) -> None:
    """Raise Asks where somebody has decided for another score, AlreadyDone where for the same."""
    if game.conflict or not game.decided:
        return
    if (game.score, game.reason) == (score, reason):
        raise AlreadyDone("expected one in conflict, got {game!r}", field="game", game=game.id)
    if not replaces(game):
        raise Asks(
            Message.of(
                "{where}: {before} has been decided ({black} against {white}). Does {score} stand instead?",
                where=game.where,
                before=_score_text(typed_score(game) or (0, 0)),
                black=game.black,
                white=game.white,
                score=_score_text(score),
            ),
            replaced_score_key(game),
            score,
        )


def same_claims(game: Game) -> str:
    """Return what table and operator claim of the game, for a field of the form that decides between them."""
    reported = game.reported
    claims = (reported.revision, *reported.score) if reported is not None else ()
    return " ".join(map(str, (*claims, "-", *(typed_score(game) or ()))))


def _score_text(score: tuple[int, int]) -> str:
    return f"{score[0]}–{score[1]}"
