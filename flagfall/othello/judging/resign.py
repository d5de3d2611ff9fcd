"""Resigning, and a resignation taken back (woc-2019 IV.8, jof J17)."""

from __future__ import annotations

from flagfall.base.value import Growing, replace
from flagfall.othello.game import SECOND_NS, Game, IncidentType
from flagfall.othello.inputs import Resign, Ruling, Shown, Unresign
from flagfall.othello.judging.board import shown
from flagfall.othello.judging.director import player_of
from flagfall.othello.judging.end import finish, lose
from flagfall.othello.judging.score import against
from flagfall.othello.judging.walkover import begun
from flagfall.othello.reason import Reason
from flagfall.othello.refusals import RefusedError, warning
from flagfall.othello.side import Both, Side

# How long a resignation can be taken back, in nanoseconds.
TAKEN_BACK_WITHIN_NS = 10 * SECOND_NS


def resign(game: Game, loser: Side) -> Game:
    """End the game 64-0; a player who has already won by default keeps their guarantee (rulebooks.md, reading 16;
    woc-2019 IV.8, jof J17)."""
    if game.self_play is loser.other:
        raise RefusedError("has_lost", player=loser)
    if game.in_default is loser.other:
        score = against(loser.other, game.rules.flag.guarantee)
        return replace(
            finish(game, Reason.RESIGNED, score),
            warnings=(*game.warnings, warning("resigned_after_default", player=loser)),
        )
    rule = game.rules.score
    if rule.resigned == "as in a default" or (rule.walkover is not None and not begun(game)):
        return lose(game, loser, Reason.RESIGNED)
    return finish(game, Reason.RESIGNED, against(loser, (64, 0)))


def resigned(game: Game, entry: Resign) -> Game:
    ended = resign(game, entry.by)
    return replace(ended, resigned_from=game, taken_back=Both(False, False))


def unresigned(game: Game, entry: Unresign) -> Game:
    """Take a resignation back when both players ask for it within ten seconds. The game goes on as before; the clock
    that ran then runs from now on. Events in between stay on record."""
    was = game.resigned_from
    if was is None:
        raise RefusedError("not_resigned")
    since = game.incidents[len(was.incidents) :]
    late = game.at_ns - was.at_ns > TAKEN_BACK_WITHIN_NS
    if late or any(entry.type is IncidentType.RULING for entry in since):
        raise RefusedError("resignation_stands")
    if game.taken_back.of(entry.by):
        raise RefusedError("taken_back_already", player=entry.by)
    game = replace(game, taken_back=game.taken_back.with_(entry.by, True))
    if not all(game.taken_back):
        return game
    goes_on = replace(
        was,
        clock=was.clock.run(None, was.at_ns).run(was.clock.running, game.at_ns),
        at_ns=game.at_ns,
        board_ok=game.board_ok,
        incidents=Growing.of((*was.incidents, *since)),
        notes=game.notes,
    )
    return goes_on if game.board == was.board else shown(goes_on, Shown(game.at_ns, game.board))


def rule_resign(game: Game, ruling: Ruling) -> Game:
    """Record a resignation on the judge's word (woc-2019 IV.8, jof J17)."""
    return resign(game, player_of(ruling))
