"""Which score of a game counts, when table and operator have their say.

Of a table's revisions the highest counts and replaces the one before visibly. A score that the operator has typed
in is confirmed by the same from the table; a different one is a conflict, and the first stands until he decides.
"""

from __future__ import annotations

from hub.model.games import Game, Reported
from hub.record.corrections import corrected, counting
from hub.record.events import ConflictResolved, ResultEntered, ResultJudged, ResultReceived
from hub.record.state import TournamentState
from hub.text import Refused
from othello.message import Message
from othello.value import replace


def reported(old: Game, result: ResultReceived, at: str) -> Game:
    """The game after a table's result (`at`: the label of its entry). A lower revision that comes late is only kept."""
    if result.revision in old.revisions:
        raise Refused(
            "{game}.{revision} has come already", field="revision", game=result.game, revision=result.revision
        )
    kept = {**old.revisions, result.revision: result.signature}
    if old.reported is not None and old.reported.revision > result.revision:
        return replace(old, revisions=kept)
    latest = Reported(
        result.device,
        result.revision,
        result.score,
        reason=result.reason,
        winner=result.winner,
        transcript=result.transcript,
        signed=result.signed,
        differences=tuple(map(Message, result.differences)),
        at=at,
        closed=result.closed,
        no_show=result.no_show,
    )
    new = replace(old, revisions=kept, reported=latest, error_stands=result.error_stands)
    if old.entered is not None and old.entered != result.score:
        # A decision stands against the same claim made again (a signature is a new revision), not a new one.
        again = old.reported is not None and old.reported.score == result.score
        return replace(new, conflict=not (old.decided and again))
    return counting(new, result.score, result.reason)


def judged(old: Game, judgement: ResultJudged) -> Game:
    """The game after the hub's referee has found differences; in a revision that was replaced they change nothing."""
    if judgement.revision not in old.revisions:
        raise Refused(
            "expected one that has come, got {game}.{revision}",
            field="revision",
            game=judgement.game,
            revision=judgement.revision,
        )
    if old.reported is None or old.reported.revision != judgement.revision:
        return old
    return replace(old, reported=replace(old.reported, differences=judgement.differences))


def entered(old: Game, typed: ResultEntered) -> Game:
    """The game after the operator has typed a score in."""
    if old.reported is None:
        return replace(old, entered=typed.score, score=typed.score, reason=typed.reason)
    if old.reported.score != typed.score:
        return replace(old, entered=typed.score, conflict=True, decided=False)
    return replace(old, entered=typed.score, score=typed.score, reason=old.reported.reason, conflict=False)


def resolved(old: Game, decision: ConflictResolved) -> Game:
    """The game after the operator has decided a conflict, or replaced a decision by another one."""
    if not (old.conflict or old.decided):
        raise Refused("expected one in conflict, got {game!r}", field="game", game=decision.game)
    return corrected(old, decision.score, decision.reason)


def game_scored(state: TournamentState, game: Game) -> TournamentState:
    """The tournament after table or operator have had their say of a game."""
    before = state.games[game.id]
    return state.with_game(_with_moves_told(game, before), rescored=game.score != before.score)


def _with_moves_told(game: Game, before: Game) -> Game:
    """Return the game with the moves that were told of it, or with the report that nobody has moved."""
    moves = game.told_moves or ("" if before.told_moves else game.transcript)
    is_of_round = game.final is None
    if (
        is_of_round
        and not game.told_moves
        and game.reported is not None
        and game.reported.no_show is not None
    ):
        return replace(game, transcript=moves, no_show=game.reported.no_show)
    return replace(game, transcript=moves)
