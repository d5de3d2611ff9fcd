"""Which score of a game counts, when table and operator have their say.

Of a table's revisions the highest counts and replaces the one before visibly. A score that the operator has typed
in is confirmed by the same from the table; a different one is a conflict, and the first stands until he decides.
"""

from __future__ import annotations

from typing import TypeVar

from hub.model.games import FinalGame, Game
from hub.record.events import ConflictResolved, ResultEntered, ResultJudged, ResultReceived
from hub.record.state import GameRecord, Reported, TournamentState
from hub.text import Refused
from othello.message import Message
from othello.value import replace


def reported(old: GameRecord, result: ResultReceived, at: str) -> GameRecord:
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
        error_stands=result.error_stands,
    )
    new = replace(old, revisions=kept, reported=latest)
    if old.entered is not None and old.entered != result.score:
        # A decision stands against the same claim made again (a signature is a new revision), not a new one.
        again = old.reported is not None and old.reported.score == result.score
        return replace(new, conflict=not (old.decided and again))
    return _counts(new, result.score, result.reason)


def judged(old: GameRecord, judgement: ResultJudged) -> GameRecord:
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


def entered(old: GameRecord, typed: ResultEntered) -> GameRecord:
    """The game after the operator has typed a score in."""
    if old.reported is None:
        return replace(old, entered=typed.score, score=typed.score, reason=typed.reason)
    if old.reported.score != typed.score:
        return replace(old, entered=typed.score, conflict=True, decided=False)
    return replace(old, entered=typed.score, score=typed.score, reason=old.reported.reason, conflict=False)


def resolved(old: GameRecord, decision: ConflictResolved) -> GameRecord:
    """The game after the operator has decided a conflict, or replaced a decision by another one."""
    if not (old.conflict or old.decided):
        raise Refused("expected one in conflict, got {game!r}", field="game", game=decision.game)
    return corrected(old, decision.score, decision.reason)


def corrected(old: GameRecord, score: tuple[int, int], reason: str) -> GameRecord:
    """The game after the director has corrected its result; a correction counts like a decided conflict."""
    return replace(_counts(old, score, reason), entered=score, decided=True)


def _counts(old: GameRecord, score: tuple[int, int], reason: str) -> GameRecord:
    """The game with this score in place of the one that counted."""
    replaced = old.replaced if old.score in (None, score) else (*old.replaced, old.score)
    return replace(old, score=score, reason=reason, conflict=False, replaced=replaced)


def game_scored(state: TournamentState, record: GameRecord) -> TournamentState:
    """The tournament after a game has a new record: its round, or the finals, say of it what the record says."""
    before, tournament = state.games[record.game], state.tournament
    if record.final is not None:
        number = record.final.number
        tournament = tournament.with_final(number, _with_report(tournament.finals[number], record, before))
    else:
        for at, game in enumerate(tournament.rounds[record.round - 1].games):
            if game.black == record.black and game.white == record.white:
                scored = _with_no_show(_with_report(game, record, before), record)
                tournament = (
                    tournament if scored == game else tournament.with_games(record.round, {at: scored})
                )
                break
    return replace(state.with_record(record, record.score != before.score), tournament=tournament)


_AGame = TypeVar("_AGame", Game, FinalGame)


def _with_report(game: _AGame, record: GameRecord, before: GameRecord) -> _AGame:
    """The tournament's game with what table and operator have told of it."""
    transcript = record.transcript or ("" if before.transcript else game.transcript)
    error_stands = game.error_stands if record.reported is None else record.reported.error_stands
    return replace(
        game, score=record.score, reason=record.reason, transcript=transcript, error_stands=error_stands
    )


def _with_no_show(game: Game, record: GameRecord) -> Game:
    """The game of a round with what its table says of nobody having moved, where no moves are on record."""
    report = record.reported
    if record.transcript or report is None or report.no_show is None:
        return game
    return replace(game, no_show=report.no_show)
