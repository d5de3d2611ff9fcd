"""The meaning of a touch: the dialog after it, and the events for the table's inbox.

Pure: the instant of the touch is passed in, and nothing is drawn.
"""

from __future__ import annotations

from dataclasses import replace

from link.pin import LONGEST as PIN_LONGEST
from link.pin import is_pin
from othello.game import Game
from othello.inputs import Agree, ErrorKind, Ready, Resign, Sign, Signal, Start, Stop
from othello.side import Side
from table_app.events import PinChosen, ScreenRequest
from table_app.local_game import between_games
from table_app.loop.view import TableView
from table_app.screen.judge.actions import panel_touched
from table_app.screen.kit.scene import Tap
from table_app.screen.state.dialog import (
    LOCKED_FOR_NS,
    RESIGNING_FOR_NS,
    WRONG_PINS_ALLOWED,
    Dialog,
    DialogPage,
    Pins,
    Resigning,
    Sheet,
    Step,
    ask_twice,
    closed,
    faded,
    given,
    has_table,
    noted,
    opened,
    typed_figures,
)
from table_app.screen.state.new_game import NewGame, new_game_touched, proposed


def touched(dialog: Dialog, tap: Tap, view: TableView, at_ns: int, pins: Pins) -> Step:
    """The dialog after a touch, and the events for the inbox."""
    dialog = replace(faded(dialog, at_ns), touched_ns=at_ns)
    if dialog.armed is not None and dialog.armed != tap and not tap.what.startswith("reason"):
        dialog = replace(dialog, armed=None)
    if dialog.taken is not None and dialog.taken != view.game_id:
        # Another game: its judge must enter the PIN again.
        dialog = replace(dialog, taken=None, director=False, who="", given=None, counter=None)
        if dialog.sheet is Sheet.PANEL:
            return closed(dialog), ()
    if tap.what == "board_setup":
        return closed(dialog), (ScreenRequest(at_ns, "board_setup", tap.value),)
    if dialog.sheet is Sheet.PANEL:
        return panel_touched(dialog, tap, view, at_ns)
    if dialog.sheet is Sheet.PIN:
        return _pin(dialog, tap, view, at_ns, pins)
    if dialog.sheet is Sheet.CHOOSE_PIN:
        return _choosing(dialog, tap, view, at_ns)
    if dialog.sheet in (Sheet.PIN_CHOSEN, Sheet.PIN_LATER, Sheet.NO_PIN):
        return (closed(dialog) if tap.what == "close" else dialog), ()
    if tap.what == "transcript":
        return replace(closed(dialog), sheet=Sheet.TRANSCRIPT), ()
    if dialog.sheet is Sheet.TRANSCRIPT:
        return closed(dialog), ()
    if tap.what == "new_game":
        one = proposed(view.game, view.swapped) if between_games(view.game) else None
        return (dialog if one is None else _new_game(dialog, one)), ()
    if dialog.sheet is Sheet.NEW_GAME and dialog.new_game is not None:
        chosen, events = new_game_touched(dialog.new_game, tap, view.names, at_ns)
        return (closed(dialog) if chosen is None else _new_game(dialog, chosen)), events
    if tap.what in ("judge", "trouble", "finding"):
        stepped, events = _judge_comes(dialog, view, at_ns, pins)
        own = view.game is None or (between_games(view.game) and not view.tournament)
        first = {"judge": DialogPage.SETTINGS if own else stepped.page, "trouble": DialogPage.TABLE}
        return replace(stepped, page=first.get(tap.what, stepped.page)), events
    if dialog.sheet is Sheet.NAME_ERROR:
        return _naming(dialog, tap, at_ns)
    if dialog.sheet is Sheet.STATE_SCORE:
        return _stating(dialog, tap, at_ns)
    if tap.what in ("resign", "resign_undo") and tap.side is not None:
        return _resigning(dialog, tap.what, tap.side, view, at_ns)
    return _player(dialog, tap, view.game, at_ns)


def _new_game(dialog: Dialog, one: NewGame) -> Dialog:
    return replace(closed(dialog), sheet=Sheet.NEW_GAME, new_game=one)


def asked_to_hold(dialog: Dialog, tap: Tap, at_ns: int) -> Dialog:
    """A finger is on a button that must be held: the screen says what that will do."""
    return replace(dialog, armed=tap, touched_ns=at_ns) if tap.what == "resign" else dialog


def _resigning(dialog: Dialog, what: str, side: Side, view: TableView, at_ns: int) -> Step:
    """A resignation waits, with its clock running, while both players can take it back; the record notes both."""
    if what == "resign" and dialog.resigning is None and view.game is not None and not view.game.over:
        return replace(dialog, armed=None, resigning=Resigning(side, at_ns, view.game_id)), noted(
            at_ns, "resigning", side.value
        )
    if what == "resign_undo" and dialog.resigning is not None:
        return replace(dialog, resigning=None), noted(at_ns, "resignation_taken_back", side.value)
    return dialog, ()


def settle_resigning(dialog: Dialog, view: TableView, now_ns: int) -> Step:
    """Tells the referee of a resignation that was not taken back; it is dropped if the game is over or another one."""
    waits = dialog.resigning
    if waits is None:
        return dialog, ()
    if view.game is None or view.game.over or view.game_id != waits.game_id:
        return replace(dialog, resigning=None), ()
    if now_ns - waits.at_ns < RESIGNING_FOR_NS:
        return dialog, ()
    return replace(dialog, resigning=None), given(Resign(now_ns, waits.side))


def _judge_comes(dialog: Dialog, view: TableView, at_ns: int, pins: Pins) -> Step:
    """The judge's corner was touched. Without any PIN it is closed; a table without a hub chooses its first PIN
    there."""
    if has_table(dialog, view):
        return opened(dialog, DialogPage.JUDGE), ()
    sheet = Sheet.PIN
    if not (pins.judge or pins.director):
        sheet = Sheet.NO_PIN
        if pins.alone:
            sheet = Sheet.CHOOSE_PIN if between_games(view.game) else Sheet.PIN_LATER
    return replace(closed(dialog), sheet=sheet, touched_ns=at_ns), ()


def _choosing(dialog: Dialog, tap: Tap, view: TableView, at_ns: int) -> Step:
    """The first PIN of a table without a hub: the same digits twice. `wrong_pins`: the second ones differed."""
    if tap.what == "close":
        return closed(replace(dialog, wrong_pins=0)), ()
    if not between_games(view.game):
        return replace(closed(replace(dialog, wrong_pins=0)), sheet=Sheet.PIN_LATER, touched_ns=at_ns), ()
    match tap.what:
        case "erase":
            return replace(dialog, typed=dialog.typed[:-1]), ()
        case "key":
            return replace(dialog, typed=(dialog.typed + tap.value)[:PIN_LONGEST], wrong_pins=0), ()
        case "enter" if is_pin(dialog.typed) and not dialog.first_pin:
            return replace(dialog, typed="", first_pin=dialog.typed), ()
        case "enter" if is_pin(dialog.typed) and dialog.typed != dialog.first_pin:
            return replace(dialog, typed="", first_pin="", wrong_pins=1), ()
        case "enter" if is_pin(dialog.typed):
            chosen = replace(closed(dialog), sheet=Sheet.PIN_CHOSEN, touched_ns=at_ns)
            return chosen, (PinChosen(at_ns, dialog.typed),)
    return dialog, ()


def _pin(dialog: Dialog, tap: Tap, view: TableView, at_ns: int, pins: Pins) -> Step:
    if tap.what == "close":
        return closed(dialog), ()
    if tap.what == "erase":
        return replace(dialog, typed=dialog.typed[:-1]), ()
    if tap.what == "key" and at_ns >= dialog.locked_until_ns:
        return replace(dialog, typed=(dialog.typed + tap.value)[:PIN_LONGEST]), ()
    if tap.what != "enter" or at_ns < dialog.locked_until_ns or not dialog.typed:
        return dialog, ()
    director = bool(pins.director) and dialog.typed == pins.director
    if director or (pins.judge and dialog.typed == pins.judge):
        who = "director" if director else "judge"
        may = director or (pins.alone and not pins.director)
        taken = replace(dialog, taken=view.game_id, director=may, who=who, wrong_pins=0)
        return opened(taken, dialog.page), noted(at_ns, "judge_takes", who)
    wrong = dialog.wrong_pins + 1
    if wrong < WRONG_PINS_ALLOWED:
        return replace(dialog, typed="", wrong_pins=wrong), ()
    locked = replace(dialog, typed="", wrong_pins=0, locked_until_ns=at_ns + LOCKED_FOR_NS)
    return locked, noted(at_ns, "wrong_pins", detail=str(wrong))


def _player(dialog: Dialog, tap: Tap, game: Game | None, at_ns: int) -> Step:
    """The players' own buttons."""
    if tap.what == "start":
        return dialog, given(Start(at_ns))
    if tap.what == "choose":
        return ask_twice(dialog, tap, ScreenRequest(at_ns, "choose", tap.value))
    if tap.what == "speak" and tap.side is not None:
        return dialog, (ScreenRequest(at_ns, "speak", tap.side.value),)
    if game is None or tap.side is None:
        return dialog, ()
    side = tap.side
    match tap.what:
        case "error" if game.rules.demand_names_error or not game.reads_board:
            return replace(closed(dialog), sheet=Sheet.NAME_ERROR, by=side), ()
        case "error":
            return dialog, given(Signal(at_ns, side))
        case "flag":
            return dialog, given(Signal(at_ns, side, "flag"))
        case "stop":
            return dialog, given(Stop(at_ns, side))
        case "ready":
            return dialog, given(Ready(at_ns, side))
        case "director":
            return dialog, (ScreenRequest(at_ns, "call_director", side.value),)
        case "sign":
            again = dialog.signing.of(side) is not None
            signing = dialog.signing.with_(side, None if again else at_ns)
            return replace(dialog, signing=signing), given(Sign(at_ns, side)) if again else ()
        case "score":
            return replace(closed(dialog), sheet=Sheet.STATE_SCORE, by=side), ()
    return dialog, ()


def _naming(dialog: Dialog, tap: Tap, at_ns: int) -> Step:
    """A demand names the error; for an illegal pass it names a legal move (usoa 7.5)."""
    if tap.what == "close" or dialog.by is None:
        return closed(dialog), ()
    if tap.what == "kind":
        kind = ErrorKind(tap.value)
        if kind is ErrorKind.ILLEGAL_PASS:
            return replace(dialog, error=kind), ()
        return closed(dialog), given(Signal(at_ns, dialog.by, kind.value))
    if tap.what == "square" and dialog.error is not None:
        return closed(dialog), given(Signal(at_ns, dialog.by, dialog.error.value, tap.square))
    return dialog, ()


def _stating(dialog: Dialog, tap: Tap, at_ns: int) -> Step:
    """A player states the discs counted at the end of a game without sensors."""
    if tap.what == "close" or dialog.by is None:
        return closed(dialog), ()
    if tap.what == "enter":
        score = dialog.figures.score()
        if score is None:
            return dialog, ()
        return closed(dialog), given(Agree(at_ns, dialog.by, *score))
    return replace(dialog, figures=typed_figures(dialog.figures, tap)), ()
