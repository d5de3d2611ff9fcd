"""Rulings and events that change the course of a game: start, stop, resumption, time, board, power."""

from __future__ import annotations

from flagfall.othello.game import SECOND_NS, Awaits, ErrorState, Game, Incident, IncidentType, State, Turn
from flagfall.othello.inputs import BoardState, Input, Late, Power, Ready, Ruling, Start, Stop
from flagfall.othello.judging.ending import player_of
from flagfall.othello.judging.reading import see_disc
from flagfall.othello.judging.record import as_it_lies, close_errors, note, with_error
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both, Side
from flagfall.othello.value import replace


def start(game: Game, entry: Start) -> Game:
    """Record the director's signal; nothing runs before White's press (usoa 5.6)."""
    if game.armed:
        raise RefusedError("start_given")
    return replace(game, start_ns=game.at_ns)


def rule_start_clock(game: Game, ruling: Ruling) -> Game:
    """Start the clock of an absent player; an absent White's press will start Black's. The first press ends this."""
    return _start_clock(game, player_of(ruling))


def late(game: Game, entry: Late) -> Game:
    """Start the clock of a late player for the other, who is there (jof J11)."""
    if game.rules.late_clock == "director":
        raise RefusedError("director_starts_clock", rulebook=game.rules.id)
    return _start_clock(game, entry.by.other)


def may_still_begin(game: Game) -> bool:
    """Tell whether a game that a late player's empty clock has stopped waits for its start (jof J12)."""
    return game.state is State.STOPPED and game.absent is not None and game.rules.late_clock == "opponent"


def _start_clock(game: Game, side: Side) -> Game:
    if not game.armed:
        raise RefusedError("start_not_given")
    if game.state is State.STOPPED and not may_still_begin(game):
        raise RefusedError("not_in_state", state=game.phase)
    if game.state is State.RUNNING and game.absent is None:
        raise RefusedError("has_begun")
    return replace(game, state=State.RUNNING, clock=game.clock_running(side), absent=side, late=side)


def stop(game: Game, entry: Stop) -> Game:
    """Stop the clocks for a player who summons the director (woc-2019 IV.2) where no judge sits, or the judge who does
    (jof J6, J10), as the text allows it."""
    if game.header.judged and not game.rules.players_call:
        raise RefusedError("judge_stops")
    if not game.rules.players_stop and game.reads_board:
        # A clock game has ended when its players say so: they stop the clocks to count (usoa 4.1).
        raise RefusedError("director_stops")
    return rule_stop(game, entry)


def rule_stop(game: Game, entry: Input) -> Game:
    """Stop the clocks. A late player who comes in time begins with what is left of theirs (jof J12)."""
    absent = game.absent
    if (
        absent is not None
        and game.rules.late_clock == "opponent"
        and game.clock.left_ns(absent, game.at_ns) > 0
    ):
        return replace(game, state=State.WAITING, clock=game.clock_running(None), absent=None)
    return replace(game, state=State.STOPPED, clock=game.clock_running(None), ready=Both(False, False))


def ready(game: Game, entry: Ready) -> Game:
    """Start a stopped clock again when both players agree to go on, where no judge sits and the text allows it."""
    if game.header.judged:
        raise RefusedError("judge_starts_again")
    if not game.rules.players_stop:
        raise RefusedError("director_starts_again")
    game = replace(game, ready=game.ready.with_(entry.by, True))
    return rule_resume(game, entry) if all(game.ready) else game


def rule_resume(game: Game, entry: Input) -> Game:
    """Start the clock of the player to move; in a correction the offender's."""
    game = replace(game, ready=Both(False, False))
    if game.correction is not None:
        return replace(game, state=State.CORRECTING, clock=game.clock_running(game.correction.offender))
    game = see_disc(as_it_lies(game))
    side = game.absent if game.absent is not None else game.to_move
    return replace(game, state=State.RUNNING, clock=game.clock_running(side))


def rule_adjust_time(game: Game, ruling: Ruling) -> Game:
    """Give or take time (woc-2019 V.2.a, usoa 9.3, 9.4); more than the text allows is refused."""
    side = ruling.player
    if side is None or ruling.seconds is None:
        raise RefusedError("needs_time")
    change_ns = round(ruling.seconds * SECOND_NS)
    left_ns = game.clock.left_ns(side, game.at_ns)
    most_ns = left_ns * game.rules.most_time_removed
    if -change_ns > most_ns:
        why = "half_of_time_left" if game.rules.most_time_removed < 1 else "all_of_time_left"
        tenths = int(most_ns * 10 // SECOND_NS)
        raise RefusedError(why, left=f"{tenths // 600}:{tenths % 600 / 10:04.1f}")
    last = game.last_press
    if last is not None:
        # A game that turns out to have ended at its last press, or by a flag, keeps the penalties given since.
        last = replace(last, clock=last.clock.give(side, change_ns, last.at_ns))
    at_flag = Both(
        *(was and replace(was, clock=was.clock.give(side, change_ns, was.at_ns)) for was in game.at_flag)
    )
    annulled = game.annulled.with_(side, game.annulled.of(side) and change_ns <= 0)
    unclaimed = game.unclaimed.with_(side, None) if change_ns > 0 else game.unclaimed
    return replace(
        game,
        clock=game.clock.give(side, change_ns, game.at_ns),
        last_press=last,
        at_flag=at_flag,
        annulled=annulled,
        unclaimed=unclaimed,
        in_byoyomi=game.in_byoyomi.with_(side, game.in_byoyomi.of(side) and change_ns <= 0),
    )


def rule_set_position(game: Game, ruling: Ruling) -> Game:
    """Set the position for the judge, from the transcript or by ruling (woc-2019 IV.5.3)."""
    if ruling.position is None or ruling.to_move is None:
        raise RefusedError("needs_position")
    if ruling.position.unknown:
        raise RefusedError("squares_unknown")
    if game.correction is not None:
        game = with_error(game, game.correction.incident, ErrorState.CORRECTED)
    game = close_errors(game, ErrorState.CORRECTED)
    runs = game.clock.running is not None
    return replace(
        game,
        state=State.RUNNING if runs else State.STOPPED,
        clock=game.clock_running(ruling.to_move if runs else None),
        board=ruling.position,
        shown=ruling.position,
        before=ruling.position,
        to_move=ruling.to_move,
        correction=None,
        awaits=None if game.awaits is Awaits.ACCEPT_END else game.awaits,
        last=None,
        turn=Turn(),
        owed=0,
        absent=None,
        astray=0,
    )


def rule_discs_moved(game: Game, ruling: Ruling) -> Game:
    """Record discs handed across to a player who has run out (woc-2019 IV.2, usoa 1.4)."""
    side, moved = ruling.player, ruling.count
    if side is None or moved is None:
        raise RefusedError("needs_discs_moved")
    if moved > game.trays.of(side.other):
        raise RefusedError("discs_left", player=side.other, count=max(0, game.trays.of(side.other)))
    trays = game.trays.with_(side, game.trays.of(side) + moved)
    return replace(game, trays=trays.with_(side.other, trays.of(side.other) - moved))


def board_changed(game: Game, entry: BoardState) -> Game:
    """Record that the sensor board came or went; the clock never depends on it."""
    if not game.header.sensors:
        raise RefusedError("no_board")
    if entry.ok:
        unseen = game.turn.unseen or not game.board_ok
        return see_disc(replace(game, board_ok=True, turn=replace(game.turn, unseen=unseen)))
    if not game.board_ok:
        return game
    return note(replace(game, board_ok=False), Incident(game.at_ns, IncidentType.BOARD_LOST))


def power_back(game: Game, entry: Power) -> Game:
    """Stop the game of a device that restarted at its last durable instant, time up to it charged."""
    lost = Incident(game.at_ns, IncidentType.POWER_LOST, fields=(("uncertain_ns", entry.uncertain_ns),))
    game = note(game, lost)
    return rule_stop(game, entry) if game.clock.running is not None else game
