"""The meaning of a touch: the dialog after it, and the events for the table's inbox.

Pure: the instant of the touch is passed in, and nothing is drawn.
"""

from __future__ import annotations

from dataclasses import replace

from flagfall.othello.game import Awaits, Game, IncidentType, State
from flagfall.othello.inputs import (
    AcceptEnd,
    DefaultChoice,
    DefaultOption,
    Late,
    Ready,
    Resign,
    Rule,
    Ruling,
    Sign,
    Signal,
    Start,
    Stop,
    StopSelfPlay,
)
from flagfall.othello.judging.flags.claimed import players_claim
from flagfall.othello.side import Side
from table_app.events import ScreenRequest
from table_app.judge_pin import Pins
from table_app.local_game import between_games
from table_app.screen.dialog import (
    PIN_SHEET_FOR_NS,
    RESIGNING_FOR_NS,
    Dialog,
    Finger,
    Resigning,
    Sheet,
    Step,
    ask_twice,
    faded,
    has_table,
    open_finding,
    to_record,
    to_referee,
    with_sheet,
)
from table_app.screen.judge.page import OfReason
from table_app.screen.judge.panel import DialogPage, Panel
from table_app.screen.kit.face_buttons import Button, Choose, Tap
from table_app.screen.kit.scene import Close, Meaning
from table_app.screen.scenes.board_setup import SetUp
from table_app.screen.sheets.event_page import EventPage
from table_app.screen.sheets.first_pin import FirstPin, takes_first_pin
from table_app.screen.sheets.hidden_disc import HiddenDisc
from table_app.screen.sheets.named_error import NamedError
from table_app.screen.sheets.named_flag import NamedFlag
from table_app.screen.sheets.new_game import proposed_game
from table_app.screen.sheets.pin_news import NoPin, PinNews
from table_app.screen.sheets.pin_pad import PinPad
from table_app.screen.sheets.stated_score import StatedScore
from table_app.screen.sheets.transcript import Transcript
from table_app.table_view import TableView

# The reason on record for clocks that stand while the judge types it.
PIN_REASON = "PIN"


def touched(dialog: Dialog, tap: Meaning, view: TableView, at_ns: int, pins: Pins) -> Step:
    """Return the dialog after a touch, and the events for the inbox."""
    dialog = replace(faded(dialog, at_ns), touched_ns=at_ns)
    keeps = isinstance(tap, OfReason) or (isinstance(tap, Tap) and tap.button is Button.DROP)
    if dialog.armed is not None and dialog.armed != tap and not keeps:
        dialog = replace(dialog, armed=None)
    if dialog.judge is not None and not has_table(dialog, view):
        # Another game: its judge must enter the PIN again.
        dialog = replace(dialog, judge=None)
        if isinstance(dialog.sheet, Panel):
            return with_sheet(dialog, None), ()
    if isinstance(tap, SetUp):
        return with_sheet(dialog, None), (ScreenRequest(at_ns, "board_setup", tap.step.value),)
    sheet = dialog.sheet
    if sheet is not None:
        finger = Finger(tap, view, at_ns, pins)
        return sheet.closed(dialog, finger) if tap == Close() else sheet.touched(dialog, finger)
    if isinstance(tap, Choose):
        return ask_twice(dialog, tap, ScreenRequest(at_ns, "choose", tap.taken))
    return _face_touched(dialog, tap, view, at_ns, pins) if isinstance(tap, Tap) else (dialog, ())


def _face_touched(dialog: Dialog, tap: Tap, view: TableView, at_ns: int, pins: Pins) -> Step:
    """Return the dialog after a touch of a button of the players' face."""
    if tap.button is Button.EVENT_PAGE:
        return with_sheet(dialog, EventPage()), ()
    if tap.button is Button.TRANSCRIPT:
        return with_sheet(dialog, Transcript()), ()
    if tap.button is Button.DRAW_COLOURS:
        return with_sheet(dialog, HiddenDisc()), ()
    if tap.button is Button.SWAP_SIDES:
        return ask_twice(dialog, tap, ScreenRequest(at_ns, "swap_sides", "players"))
    if tap.button is Button.NEW_GAME:
        return with_sheet(
            dialog, proposed_game(view.game, view.swapped) if between_games(view.game) else None
        ), ()
    if tap.button in (Button.JUDGE, Button.TROUBLE, Button.FINDING):
        settings_first = view.game is None or (between_games(view.game) and not view.tournament)
        first = {
            Button.JUDGE: DialogPage.SETTINGS if settings_first else DialogPage.JUDGE,
            Button.TROUBLE: DialogPage.TABLE,
        }
        comes = _judge_comes(dialog, first.get(tap.button, DialogPage.JUDGE), view, pins)
        return _stopped_for_pin(comes, view.game, at_ns)
    if tap.button in (Button.RESIGN, Button.RESIGN_UNDO) and tap.side is not None:
        return _resign_touched(dialog, tap.button, tap.side, view, at_ns)
    return _player_touched(dialog, tap, view.game, at_ns)


def asked_to_hold(dialog: Dialog, tap: Meaning, at_ns: int) -> Dialog:
    """Return the dialog while a finger is on a button that must be held: the screen says what that will do."""
    held = isinstance(tap, Tap) and tap.button in (Button.RESIGN, Button.ACCEPT)
    return replace(dialog, armed=tap, touched_ns=at_ns) if held else dialog


def _resign_touched(dialog: Dialog, button: Button, side: Side, view: TableView, at_ns: int) -> Step:
    """Return the dialog after a resignation, which waits with its clock running while both players can take
    it back. The record notes both."""
    if button is Button.RESIGN and dialog.resigning is None and view.game is not None and not view.game.over:
        return replace(dialog, armed=None, resigning=Resigning(side, at_ns, view.game_id)), to_record(
            at_ns, "resigning", side.value
        )
    if button is Button.RESIGN_UNDO and dialog.resigning is not None:
        return replace(dialog, resigning=None), to_record(at_ns, "resignation_taken_back", side.value)
    return dialog, ()


def settle_resigning(dialog: Dialog, view: TableView, now_ns: int) -> Step:
    """Tell the referee of a resignation that was not taken back; it is dropped if the game is over or another one."""
    waits = dialog.resigning
    if waits is None:
        return dialog, ()
    if view.game is None or view.game.over or view.game_id != waits.game_id:
        return replace(dialog, resigning=None), ()
    if now_ns - waits.at_ns < RESIGNING_FOR_NS:
        return dialog, ()
    return replace(dialog, resigning=None), to_referee(Resign(now_ns, waits.side))


def _judge_comes(dialog: Dialog, page: DialogPage, view: TableView, pins: Pins) -> Dialog:
    """Return the dialog after a touch of the judge's corner. Without any PIN the corner is closed; a table
    without a hub chooses its first PIN there."""
    sheet: Sheet = PinPad(page)
    if has_table(dialog, view):
        sheet = Panel(page)
    elif not (pins.judge or pins.director):
        sheet = PinNews(NoPin.NONE)
        if pins.alone:
            sheet = FirstPin() if takes_first_pin(view.game) else PinNews(NoPin.LATER)
    return with_sheet(dialog, sheet)


def _stopped_for_pin(dialog: Dialog, game: Game | None, at_ns: int) -> Step:
    """Stop the clocks while the PIN is typed, where an error waits for the judge: until it is upheld, the clock of the
    player who made none would run. Only where the judge corrects, and so may stop the clocks (woc-2019 IV.2, IV.5.1;
    usoa 5.10 leaves it to the director), and once a turn, so that nobody thinks for nothing."""
    if not isinstance(dialog.sheet, PinPad) or game is None or game.state is not State.RUNNING:
        return dialog, ()
    judges = game.header.judged and game.rules.corrected_by == "judge"
    if not judges or not open_finding(game) or _stopped_this_turn(game):
        return dialog, ()
    stop = Ruling(at_ns, Rule.STOP, reason=PIN_REASON, who="judge")
    return replace(dialog, stopped_ns=at_ns), to_referee(stop)


def _stopped_this_turn(game: Game) -> bool:
    pressed_ns = 0 if game.last_press is None else game.last_press.at_ns
    for incident in reversed(game.incidents):
        if incident.at_ns < pressed_ns:
            return False
        if incident.type is IncidentType.RULING and incident.rule is Rule.STOP:
            return True
    return False


def settle_stopped(dialog: Dialog, view: TableView, now_ns: int) -> Step:
    """Let the clocks run again that stood for a PIN, if none came in time; with the PIN the judge decides."""
    if dialog.stopped_ns is None:
        return dialog, ()
    waited_ns = now_ns - dialog.stopped_ns
    if has_table(dialog, view) or view.game is None or view.game.over:
        # What the loop shows may be older than the touch.
        stands = view.game is not None and view.game.state is State.STOPPED
        settled = waited_ns >= PIN_SHEET_FOR_NS and not stands
        return (replace(dialog, stopped_ns=None) if settled else dialog), ()
    if isinstance(dialog.sheet, PinPad) and waited_ns < PIN_SHEET_FOR_NS:
        return dialog, ()
    again = Ruling(now_ns, Rule.RESUME, reason=PIN_REASON, who="judge")
    return replace(dialog, stopped_ns=None), to_referee(again)


def _player_touched(dialog: Dialog, tap: Tap, game: Game | None, at_ns: int) -> Step:
    """Return the dialog after a touch of a player's button, and its events."""
    if tap.button is Button.START:
        return dialog, to_referee(Start(at_ns))
    if tap.button is Button.SPEAK and tap.side is not None:
        return dialog, (ScreenRequest(at_ns, "speak", tap.side.value),)
    if game is None or tap.side is None:
        return dialog, ()
    side = tap.side
    match tap.button:
        case Button.ERROR if game.rules.demand_names_error or not game.reads_board:
            return with_sheet(dialog, NamedError(side)), ()
        case Button.ERROR:
            return dialog, to_referee(Signal(at_ns, side))
        case Button.FLAG if players_claim(game.rules):
            return with_sheet(dialog, NamedFlag(side)), ()
        case Button.FLAG:
            return dialog, to_referee(Signal(at_ns, side, "flag"))
        case Button.ACCEPT:
            return replace(dialog, armed=None), to_referee(AcceptEnd(at_ns, side))
        case Button.LATE:
            # On the card of the player who is late, touched by the one who is there.
            return ask_twice(dialog, tap, *to_referee(Late(at_ns, side.other)))
        case Button.WALKOVER:
            return ask_twice(dialog, tap, *to_referee(Resign(at_ns, side)))
        case Button.TWO_DISCS | Button.SELF_PLAY:
            choice = DefaultChoice(at_ns, side, DefaultOption(tap.button))
            return ask_twice(dialog, tap, *to_referee(choice))
        case Button.STOP_ALONE:
            return ask_twice(dialog, tap, *to_referee(StopSelfPlay(at_ns, side)))
        case Button.STOP if game.awaits is Awaits.ACCEPT_END and side is not game.last_mover:
            # It accepts the end (jof J9).
            return ask_twice(dialog, tap, *to_referee(Stop(at_ns, side)))
        case Button.STOP:
            return dialog, to_referee(Stop(at_ns, side))
        case Button.READY:
            return dialog, to_referee(Ready(at_ns, side))
        case Button.DIRECTOR:
            return dialog, (ScreenRequest(at_ns, "call_director", side.value),)
        case Button.SIGN:
            again = dialog.signing.of(side) is not None
            signing = dialog.signing.with_(side, None if again else at_ns)
            return replace(dialog, signing=signing), to_referee(Sign(at_ns, side)) if again else ()
        case Button.SCORE:
            return with_sheet(dialog, StatedScore(side)), ()
        case Button.DROP if dialog.armed == Tap(Button.DROP, side.other):
            return replace(dialog, armed=None), (ScreenRequest(at_ns, "drop_game", "both"),)
        case Button.DROP:
            return replace(dialog, armed=tap), ()
    return dialog, ()
