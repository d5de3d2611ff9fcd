"""The face of the table for its players: a projection of the game without anything that could help or warn
them.

Before the end it contains no position, disc count, legal move, flip, open error or incident (docs/decisions, "Only
after the end are disc counts shown"); a test holds that.
"""

from __future__ import annotations

from enum import StrEnum
from functools import partial

from msgspec import Struct

from flagfall.base.message import Message
from flagfall.othello.board import Position
from flagfall.othello.colour_choice import ColourChoice
from flagfall.othello.game import SECOND_NS, Game, Header, IncidentType, State
from flagfall.othello.game import Phase as GamePhase
from flagfall.othello.judging.flags.claimed import players_claim
from flagfall.othello.judging.flags.pointed_out import players_point_out
from flagfall.othello.judging.score import differences, discs_of
from flagfall.othello.reason import Reason
from flagfall.othello.side import Both, Side
from table_app.screen.kit.face_buttons import Button
from table_app.table_view import Phase, TableView
from table_app.texts import TEXTS

_NO_DISCS = Position(0, 0)
TOLD_FOR_NS = 6 * SECOND_NS
_TENTH_NS = SECOND_NS // 10
TENTHS_BELOW_S = 20


class FaceKind(StrEnum):
    """The kind of a screen."""

    IDLE = "idle"
    CHOICE = "choice"
    ASSIGNED = "assigned"
    PLAY = "play"
    RESULT = "result"


class PlayerFace(Struct, frozen=True):
    """One player's half. Texts are keys of the catalogue, "" for none."""

    side: Side
    black_discs: bool | None  # the player plays the black discs now; None until the colours are drawn
    name: str
    time: str
    running: bool
    flags: int = 0  # how many have fallen
    fell_first: bool = False  # the lasting mark of the first flag
    on_extension: bool = False  # the running time was given after a flag
    period_s: float = 0  # the seconds for each move of a player whose time is up, 0 before
    lost_by: str = ""  # the reason for which this player has lost, while the winner chooses or plays alone
    given_s: int = 0  # given because the other's flag fell
    ask: str = ""
    notice: str = ""  # for a while, why the last press or touch had no effect
    ready: bool = False
    signed: bool = False
    stated: tuple[int, int] | None = None
    buttons: tuple[Button, ...] = ()
    low: bool = False  # less than a minute is left


_NOBODY = Both(*(PlayerFace(side, side is Side.BLACK, "", "", False) for side in Side))


class FaceResult(Struct, frozen=True):
    """The end: `score` of the game (black, white); the final position and its discs, None if unknown; the squares in
    the order of the moves, once both have signed."""

    score: tuple[int, int]
    winner: Side | None
    reason: Reason
    discs: tuple[int, int] | None
    position: Position | None
    moves: tuple[int, ...] = ()
    # Of each player, where the loser records another one than the winner.
    uneven: Both[int] | None = None


class Face(Struct, frozen=True):
    """The face of the table for its players. Texts are keys of the catalogue, "" for none."""

    kind: FaceKind
    players: Both[PlayerFace] = _NOBODY  # the players of the game, by side
    row: tuple[
        Button, ...
    ] = ()  # all buttons that a player of this game may ever have, each with a fixed place
    state: State | None = None
    headline: str = ""
    uncertain_s: int = 0
    seat: int = 0
    linked: bool = False
    foreign_hub_at: str = ""
    swapped: bool = False  # their places
    header: Header | None = None  # the assigned game's rules and times
    wrong_start_squares: int = 0
    lying: Position = _NO_DISCS  # before the game, the board if the start position is not on it
    board_trouble: Message | None = None  # the trouble of the board before the game
    board_asks: bool = False  # the board's orientation is unknown
    director_called: bool = False
    plays_alone: Side | None = None  # plays both colours after the opponent's default
    default_score: tuple[int, int] = (0, 0)  # the score of a default, for the winner to take
    result: FaceResult | None = None
    of_tournament: bool = False
    phase: Phase = Phase.IDLE  # how far the result has come, unless the hub has `refused` it
    refused: bool = False
    closed: bool = False
    colours_open: bool = False  # to be drawn by a hidden disc
    colours_drawn: bool = False
    late: Side | None = None  # came after their clock had been started
    hides: Side | None = None  # proposed to hide it
    page: str = ""  # the address of the event's page for phones
    record_head: tuple[int, str] | None = None  # entries and root of the tournament's record
    table_key: str = ""  # the fingerprint of the key with which this table signs
    choice: ColourChoice | None = None
    choice_left_s: int | None = None

    @property
    def left_to_right(self) -> tuple[Side, Side]:
        """The players as they sit; Black is left unless the sides are swapped."""
        return (Side.WHITE, Side.BLACK) if self.swapped else (Side.BLACK, Side.WHITE)


def face_of(view: TableView, now_ns: int, tenths_below_s: int = TENTHS_BELOW_S) -> Face:
    """Return the players' face of the table at `now_ns` (the table's count)."""
    game = view.game
    of_view = partial(
        Face,
        seat=view.seat,
        linked=view.link_connected,
        foreign_hub_at=view.foreign_hub_at,
        swapped=view.swapped,
        of_tournament=view.tournament != "",
        page=view.page,
        table_key=view.table_key,
        record_head=None if view.record is None else (view.record.entries, view.record.root),
    )
    if game is None and view.choice is not None and view.choosing is not None:
        return of_view(
            FaceKind.CHOICE,
            header=view.choosing,
            choice=view.choice,
            choice_left_s=_left_s(view.choice_until_ns, now_ns),
        )
    if game is None:
        return of_view(FaceKind.IDLE, board_trouble=_board_lacks(view), board_asks=view.board_asks)
    header = game.header
    kind = FaceKind.RESULT if game.over else FaceKind.PLAY
    if game.state is State.WAITING and game.clock.running is None:
        kind = FaceKind.ASSIGNED
    # A result typed at the hub: nothing need be set up for this game any more.
    awaits_start = kind is FaceKind.ASSIGNED and not view.scored
    trouble = _board_lacks(view) or (Message(TEXTS["no_board"]) if view.board_missing else None)
    wrong_squares = view.wrong_start_squares if awaits_start and not view.board_uncalibrated else 0
    return of_view(
        kind,
        players=Both(*(_player(side, game, view, now_ns, tenths_below_s) for side in Side)),
        row=_row(game, view),
        state=game.state,
        headline=_headline(game, view),
        uncertain_s=-(-view.uncertain_ns // SECOND_NS),
        header=header,
        wrong_start_squares=wrong_squares,
        lying=game.board if wrong_squares else _NO_DISCS,
        board_trouble=trouble if awaits_start and header.sensors else None,
        board_asks=view.board_asks and kind is FaceKind.ASSIGNED,
        director_called=view.call_wanted,
        plays_alone=game.self_play,
        colours_open=colours_open(game),
        colours_drawn=game.colour_draw is not None,
        late=game.late,
        hides=view.hides,
        default_score=game.rules.flag.first_score,
        result=_result(game),
        phase=view.phase,
        refused=bool(view.refused_by_hub),
        closed=view.closed_unsigned,
    )


def colours_open(game: Game) -> bool:
    """Return True while the colours can still be drawn by a hidden disc."""
    waits = game.state is State.WAITING and game.clock.running is None
    return waits and game.rules.hidden_disc != "no" and game.colour_draw is None


def _colours_unknown(game: Game) -> bool:
    """Return True while two named players have no colours yet; from the start signal on those of the header count."""
    named = all(game.header.player(side).name for side in Side)
    return named and colours_open(game) and not game.armed


def _left_s(until_ns: int | None, now_ns: int) -> int | None:
    return None if until_ns is None else max(0, -((now_ns - until_ns) // SECOND_NS))


def _board_lacks(view: TableView) -> Message | None:
    if view.board_blind is not None:
        return view.board_blind
    return Message(TEXTS["not_calibrated"]) if view.board_uncalibrated else None


def _player(side: Side, game: Game, view: TableView, now_ns: int, tenths_below_s: int) -> PlayerFace:
    player = game.header.player(side)
    rule = game.rules.flag
    given_s, goes_on = 0, rule.first == "extension"
    if game.defaulter is side.other and rule.extension_for == "both" and goes_on:
        given_s = rule.extension_s
    return PlayerFace(
        side,
        black_discs=None if _colours_unknown(game) else game.plays_black(side),
        name=player.name or player.id,
        time=clock_text(game.clock.left_ns(side, now_ns), tenths_below_s),
        low=game.clock.is_low(side, now_ns) and not game.over,
        running=game.clock.running is side,
        flags=game.falls.of(side),
        fell_first=goes_on and game.falls.of(side) > 0 and game.defaulter in (side, None),
        on_extension=goes_on and game.falls.of(side) > 0 and not game.flags.of(side).waits,
        period_s=game.header.byoyomi_s if game.flags.of(side).counts_down else 0,
        lost_by=f"reason_{game.lost_by}" if game.lost_by and game.defaulter is side else "",
        given_s=given_s,
        ask=_ask(side, game),
        notice=_why_no_effect(side, game, now_ns),
        ready=game.ready.of(side),
        signed=game.signed.of(side),
        stated=game.stated.of(side),
        buttons=_buttons(game, view, side),
    )


def _scores_differ(game: Game) -> bool:
    """Return True if both have stated scores, which differ: the same score from both would have ended the game."""
    return None not in game.stated and not game.over


def _ask(side: Side, game: Game) -> str:
    """Return the key of the action that this player is expected to do now."""
    running = game.clock.running is side
    if game.absent is not None and game.state is State.RUNNING:
        arrives = game.rules.late_clock == "opponent"
        return "absent_clock_runs" if running else "stop_on_arrival" if arrives else ""
    if game.state is State.WAITING:
        if not game.armed:
            return ""
        return "press_to_start" if side is Side.WHITE else "white_presses_first"
    if game.phase is GamePhase.CHOOSING:
        return "choose_score" if side is not game.defaulter else ""
    if game.phase is GamePhase.ACCEPTING:
        return "check_last_move" if side is not game.last_mover else ""
    if game.phase is GamePhase.ALONE:
        return ""
    if game.state is State.RUNNING:
        return "your_move" if running and not _scores_differ(game) else ""
    if game.state is State.CORRECTING and running:
        return (
            "judge_corrects"
            if game.header.judged and game.rules.corrected_by == "judge"
            else "correct_and_press"
        )
    return ""


def _why_no_effect(side: Side, game: Game, now_ns: int) -> str:
    """Return the reason for which this player's last press or touch had no effect; it is about the clock,
    never about the board."""
    pressed_ns = 0 if game.last_press is None else game.last_press.at_ns
    for incident in reversed(game.incidents):
        if incident.at_ns <= now_ns - TOLD_FOR_NS or incident.at_ns < pressed_ns:
            return ""
        if incident.by is not side:
            continue
        if incident.type is IncidentType.PRESS_OUT_OF_TURN:
            return _why_no_press(game, side)
        if incident.type is IncidentType.REFUSED:
            return _TOLD.get(incident.input or "", "told_not_now")
    return ""


_TOLD = {
    "signal": "told_nothing_found",
    "claim_flag": "told_no_flag_counts",
    "admit_flag": "told_no_flag_counts",
}


def _why_no_press(game: Game, side: Side) -> str:
    if game.state is State.STOPPED:
        if game.header.judged:
            return "told_judge_restarts"
        return "told_both_go_on" if game.rules.players_stop else "told_director_restarts"
    if game.state is State.CORRECTING:
        return "told_being_corrected"
    if game.state is State.WAITING and game.armed and side is Side.BLACK:
        return "white_presses_first"
    return "told_not_your_clock" if game.state is State.RUNNING and game.clock.running is not side else ""


def _headline(game: Game, view: TableView) -> str:
    if game.state is State.WAITING:
        if view.scored and game.clock.running is None:
            return "result_known"
        if view.pressed_too_early and not game.armed:
            return "not_started"
        if view.wrong_start_squares and not view.board_uncalibrated:
            return "set_up_start"
        return "ready_to_start" if game.armed else "wait_for_start"
    if any(flag.waits for flag in game.flags):
        return "flag_awaits_director" if game.awaits_confirmation else ""
    if game.claimed is not None:
        return "flag_claimed"
    if game.state is State.CORRECTING:
        return "correction"
    if game.phase is GamePhase.CHOOSING:
        return "winner_chooses"
    if game.phase is GamePhase.ALONE:
        return "plays_alone"
    if game.phase is GamePhase.ACCEPTING:
        return "end_to_accept" if game.state is State.RUNNING else "clocks_stopped"
    if game.state is State.STOPPED and view.uncertain_ns:
        return "power_was_lost"
    if _scores_differ(game):
        return "scores_differ"
    return "clocks_stopped" if game.state is State.STOPPED else ""


def _buttons(game: Game, view: TableView, side: Side) -> tuple[Button, ...]:
    """Return the actions that a player has on the screen; at a judged table only those that nobody else may take for
    them, since the rest is the judge's."""
    if game.state is State.FINISHED:
        signs = not (game.signed.of(side) or view.closed_unsigned or view.twin is not None)
        return (*((Button.SIGN,) if signs else ()), *((Button.FLAG,) if flag_may_be_claimed(game) else ()))
    if game.over:
        return ()
    players_own = _players_own(game, side)
    if game.state is State.WAITING and game.armed and game.rules.late_clock == "opponent" and not view.scored:
        players_own = (Button.WALKOVER if game.late is side else Button.LATE, *players_own)
    if game.header.judged:
        calls = game.rules.players_call and game.clock.running is not None
        return (*players_own, Button.STOP) if calls else players_own
    # A game without a hub has no director to call.
    director = () if view.call_wanted or not view.tournament else (Button.DIRECTOR,)
    if game.state is State.WAITING:
        return (*players_own, *director)
    return (*players_own, *_without_judge(game, view, side, director))


def flag_may_be_claimed(game: Game) -> bool:
    """Return True while players may speak of a flag: whether one has fallen or not, so that nothing tells of it."""
    if not players_claim(game.rules) or game.state in (State.WAITING, State.SIGNED):
        return False
    if game.over:
        agreed = all(game.signed.of(side) or game.end_accepted.of(side) for side in Side)
        return game.ended_by(Reason.BOARD) and not agreed
    return game.phase not in (GamePhase.CHOOSING, GamePhase.ALONE) and game.self_play is None


def _players_own(game: Game, side: Side) -> tuple[Button, ...]:
    """Return the actions of a player in which no judge takes their place."""
    if game.phase is GamePhase.CHOOSING:
        return (Button.TWO_DISCS, Button.SELF_PLAY) if side is not game.defaulter else ()
    if game.phase is GamePhase.ALONE:
        two_discs = (Button.TWO_DISCS,) if game.rules.flag.two_discs_until == "signed" else ()
        return (Button.STOP_ALONE, *two_discs) if side is game.self_play else ()
    if game.self_play is side and game.state is State.STOPPED and game.reads_board and not game.correction:
        return (Button.STOP_ALONE,)
    flag = (Button.FLAG,) if flag_may_be_claimed(game) else ()
    accepts = game.phase is GamePhase.ACCEPTING and side is not game.last_mover
    return (*flag, *((Button.ACCEPT,) if accepts else ()))


def _without_judge(
    game: Game, view: TableView, side: Side, director: tuple[Button, ...]
) -> tuple[Button, ...]:
    """Return the actions that players have beside these, at a table without a judge."""
    clock_game = not game.header.sensors or not game.board_ok
    stop = (Button.STOP,) if game.rules.players_stop else ()
    if game.phase is GamePhase.CHOOSING:
        return director
    if game.phase is GamePhase.ALONE:
        return (*((Button.ERROR,) if side is game.defaulter else ()), *stop, *director)
    if game.state is State.CORRECTING:
        return (*stop, *director, Button.RESIGN)
    buttons: tuple[Button, ...] = (Button.SCORE,) if clock_game else ()
    if game.state is State.STOPPED:
        go_on = (Button.READY,) if game.rules.players_stop and not game.ready.of(side) else ()
        return (*go_on, *buttons, *(director if view.tournament else (Button.DROP,)), Button.RESIGN)
    if game.phase is GamePhase.ACCEPTING:
        return (*((Button.ERROR,) if side is not game.last_mover else ()), *stop, *director)
    flag = (Button.FLAG,) if players_point_out(game.rules) else ()
    return (*flag, Button.ERROR, *stop, *buttons, *director, Button.RESIGN)


def _row(game: Game, view: TableView) -> tuple[Button, ...]:
    """No two buttons of a game share a place; an empty place keeps *Resign* apart. A flag to be claimed stands beside
    the player's name."""
    flag = (Button.FLAG,) if players_point_out(game.rules) else ()
    stop = (Button.STOP,) if game.rules.players_stop else ()
    director = (Button.DIRECTOR,) if view.tournament else (Button.DROP,)
    return (*flag, Button.ERROR, *stop, *director, Button.SCORE, Button.RESIGN)


def _result(game: Game) -> FaceResult | None:
    if not game.over or game.outcome is None:
        return None
    outcome = game.outcome
    known = game.counted is None and (game.reads_board or (game.owed == 0 and game.has_moved))
    discs = discs_of(game) if known or game.counted is not None else None
    moves = game.moves if known and game.state is State.SIGNED else ()
    position = game.shown if known else None
    each = differences(outcome.reason, outcome.winner, outcome.score, game.rules)
    uneven = each if each.black != -each.white else None
    return FaceResult(
        outcome.score, outcome.winner, outcome.reason, discs, position, moves=moves, uneven=uneven
    )


def clock_text(left_ns: int, tenths_below_s: int = TENTHS_BELOW_S) -> str:
    """Return minutes and seconds, rounded up; tenths below so many seconds. Zero is shown only when nothing is left."""
    if left_ns < tenths_below_s * SECOND_NS:
        tenths = min(10 * tenths_below_s - 1, -(-left_ns // _TENTH_NS))
        return f"{tenths // 10}.{tenths % 10}"
    seconds = -(-left_ns // SECOND_NS)
    minutes, seconds = divmod(seconds, 60)
    if minutes >= 100:
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return f"{minutes}:{seconds:02}"


def unchanged_for_ns(game: Game | None, now_ns: int, tenths_below_s: int = TENTHS_BELOW_S) -> int | None:
    """Return the time for which the figures of the running clock stay the same; None while no clock runs."""
    if game is None or game.clock.running is None:
        return None
    left_ns = game.clock.left_ns(game.clock.running, now_ns)
    if left_ns <= 0:
        return None
    below_ns = tenths_below_s * SECOND_NS
    if left_ns == below_ns:
        return 1  # the last instant without tenths
    step_ns = SECOND_NS if left_ns > below_ns else _TENTH_NS
    return left_ns % step_ns or step_ns
