"""The loop of the table: takes stamped events out of the one inbox, and is the only caller of the referee.

Each turn does the same: take the events; judge the inputs that are due; record them; send what is durable; show the new
view (`table_app.loop.telling`). It waits for nothing but the inbox.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import Empty

from flagfall.link.identity import Identity
from flagfall.link.messages import BadMessage, Update
from flagfall.link.topics import Arrival
from flagfall.othello.game import Game
from flagfall.othello.inputs import Press, Sign
from flagfall.othello.side import Side
from table_app.board.setup import BoardSetup
from table_app.events import (
    Answered,
    AnyEvent,
    BoardFault,
    BoardPresence,
    BoardShown,
    BoardStream,
    BoardTouched,
    ButtonDown,
    ButtonEdge,
    Close,
    CornersPlaced,
    GameChosen,
    Inbox,
    LetterSent,
    LinkState,
    PartTrouble,
    PinChosen,
    Place,
    ScreenFound,
    ScreenInput,
    ScreenRequest,
    SettingsChosen,
    UpdateFetched,
    player_at,
)
from table_app.game.table_game import BoardEvent, TableGame
from table_app.health.watch import LOOK_NS, HealthWatch
from table_app.hub_link.incoming import ForeignHub, read_order
from table_app.log import Log, Seldom
from table_app.loop.assignment import AssignmentKeeper
from table_app.loop.telling import Telling
from table_app.pins.buttons import ButtonPress, Presses
from table_app.pins.speech import who_listens
from table_app.record.state_dir import KeptTable
from table_app.settings import Settings
from table_app.table_view import TableView
from table_app.timebase import Timebase

IDLE_S = 1.0


@dataclass(slots=True)
class Appliance:
    """One table. `run` is its thread; `turn` is one round, for given events at a given instant.

    `turned` receives the device's state in one line at each turn, at least once a second; `spoken` is called when a
    player asks to hear the clocks.
    """

    inbox: Inbox
    instants: Timebase
    identity: Identity
    log: Log
    health: HealthWatch
    board_setup: BoardSetup
    table_game: TableGame
    assignment: AssignmentKeeper
    telling: Telling
    turned: Callable[[str], None]
    spoken: Callable[[Side, Game | None, int], None]
    keep_settings: Callable[[Settings], None]
    keep_pin: Callable[[str], None]
    _presses: Presses = field(default_factory=Presses)
    _seldom: Seldom = field(default_factory=Seldom)
    _look_ns: int = 0
    _closing: bool = False

    @property
    def view(self) -> TableView:
        return self.telling.view

    # -- the thread

    def restore(self, kept: KeptTable) -> None:
        """Resume at the end of the record, and show it; to be called before anything else."""
        self.assignment.restore(kept, self.instants.now_ns())
        self.turn([], self.instants.now_ns())

    def run(self) -> None:
        """Handle events, turn after turn, until `Close` arrives."""
        while not self._closing:
            events = self._wait()
            # The instant is taken before the inbox is emptied, so that everything put in by then is in `events`.
            now_ns = self.instants.now_ns()
            events += self._taken()
            self.turn(events, now_ns)
            self.telling.updates.pass_time(self._at_rest, self.telling.fit, now_ns)
            self.turned(self.telling.status_line)

    @property
    def _at_rest(self) -> bool:
        """Return True while nothing is played here and no game is assigned."""
        play = self.table_game.play
        return self.assignment.assigned.game_id == "" or (play is not None and play.settled)

    def _wait(self) -> list[AnyEvent]:
        timeout_s = max(0.0, (self._wake_ns() - self.instants.now_ns()) / 1e9)
        try:
            return [self.inbox.get(timeout=timeout_s)]
        except Empty:
            return []

    def _taken(self) -> list[AnyEvent]:
        taken: list[AnyEvent] = []
        while not self.inbox.empty():
            taken.append(self.inbox.get())
        return taken

    def _wake_ns(self) -> int:
        now_ns = self.instants.now_ns()
        play = self.table_game.play
        times = [
            now_ns + round(IDLE_S * 1e9),
            self.table_game.next_ns(now_ns),
            self._presses.next_ns(),
            self.telling.publisher.next_ns(play),
        ]
        return min(time for time in times if time is not None)

    # -- one turn

    def turn(self, events: Sequence[AnyEvent], now_ns: int) -> None:
        for event in events:
            self._take(event, now_ns)
        for press in self._presses.settled(now_ns):
            self._pressed(press, now_ns)
        self._hear_held(now_ns)
        self.table_game.advance(now_ns)
        play = self.table_game.play
        self.board_setup.pass_time(now_ns, playing=play is not None and play.timed)
        if now_ns >= self._look_ns:
            self._look_ns = now_ns + LOOK_NS
            for note in self.health.look():
                self.table_game.note(note, now_ns, now_ns)
        self.telling.publish(self._presses.troubles(now_ns, self.assignment.swapped), now_ns)

    def _take(self, event: AnyEvent, now_ns: int) -> None:
        match event:
            case ButtonEdge():
                self._hear_held(event.at_ns)
                self._pressed(self._presses.edge(event), now_ns)
            case ButtonDown():
                self.log.warning("button down at the start", place=event.place)
                self._presses.down_from_the_start(event.place, event.at_ns)
            case BoardPresence() | BoardTouched() | BoardStream() | BoardShown():
                self._from_board(event, now_ns)
            case BoardFault():
                if self._seldom.lets(event.text, now_ns):
                    self.log.warning("board fault", what=event.text, count=event.count)
                self.board_setup.fault(event, now_ns)
            case ScreenInput(Sign()) if not self.assignment.may_sign:
                self.log.warning("signature refused", why=self.assignment.twin)
            case ScreenInput():
                self.table_game.add(event.input, now_ns)
            case ScreenRequest():
                self._requested(event, now_ns)
            case GameChosen():
                self.assignment.begin_local_game(event.at_ns, event.setup)
            case CornersPlaced(corners):
                self.board_setup.place_corners(corners)
            case SettingsChosen():
                self.keep_settings(event.settings)
            case PinChosen():
                self.keep_pin(event.pin)
                self.log.info("the judge's PIN was chosen on the screen")
            case Arrival():
                self._ordered(event, now_ns)
            case LetterSent():
                if self.table_game.play is not None:
                    self.table_game.play.sent.add(event.id)
            case _:
                self._of_the_device(event, now_ns)

    def _from_board(self, event: BoardEvent, now_ns: int) -> None:
        if isinstance(event, BoardTouched):
            self.board_setup.touched(event)
        elif isinstance(event, BoardPresence):
            self.board_setup.presence(event)
            if event.ok:
                self.log.info("board there", identity=event.identity)
            elif self.board_setup.missing:
                self.log.warning("board gone", why=event.why)
            else:
                self.log.info("no board", why=event.why)
        self.table_game.from_board(event, now_ns)

    def _of_the_device(self, event: AnyEvent, now_ns: int) -> None:
        """Handle an event about the device itself."""
        match event:
            case LinkState():
                if not event.foreign_at:
                    self.log.info("link", connected=event.connected)
                self._foreign_hub(event.foreign_at)
                self.telling.connected = event.connected
                self.telling.hub_at = event.address
                if event.connected:
                    self.telling.publisher.connected()
            case PartTrouble(part, why):
                self.table_game.note(self.health.report(part, why), now_ns, now_ns)
            case ScreenFound():
                self.log.info("screen", drawn=event.drawn_by)
            case Answered():
                self.assignment.answers[event.ruling_id] = event.answer
            case UpdateFetched():
                self.telling.updates.take_fetched(event, now_ns)
            case Close():
                self._closing = True

    def _foreign_hub(self, where: str) -> None:
        """Record the address of another hub, "" if there is none any more."""
        if where != self.telling.foreign_at:
            self.telling.foreign_at = where
            if where:
                self.log.warning("another hub", at=where)

    def _hear_held(self, until_ns: int) -> None:
        """Hear of buttons that were down until then: up to a press or a release, however late this turn comes, or up
        to now."""
        held = {place: self._presses.down_since_ns(place) for place in Place}
        for place, since_ns in held.items():
            if since_ns is not None:
                self.table_game.take_hold(player_at(place, self.assignment.swapped), since_ns, until_ns)
        since_both_ns = [since_ns for since_ns in held.values() if since_ns is not None]
        if len(since_both_ns) == len(held):
            self.table_game.take_double_hold(max(since_both_ns), until_ns)

    def _pressed(self, press: ButtonPress | None, now_ns: int) -> None:
        if press is not None:
            side = player_at(press.place, self.assignment.swapped)
            self.table_game.press(Press(press.at_ns, side), now_ns)

    def _requested(self, request: ScreenRequest, now_ns: int) -> None:
        match request.name:
            case "call_director":
                self.assignment.call_director(request.detail, request.at_ns, now_ns)
            case "answer_call":
                self.assignment.answer_call(request.detail, request.at_ns, now_ns)
            case "swap_sides":
                self.assignment.swap_sides(request.at_ns, now_ns)
            case "choose":
                self.assignment.choose(request.detail, request.at_ns)
            case "speak":
                game = self.table_game.shown
                self.spoken(who_listens(request.detail, game), game, now_ns)
            case "board_setup":
                self.board_setup.apply_request(request.detail, now_ns)
            case "drop_game":
                self.assignment.drop_local_game(request.detail, request.at_ns, now_ns)
            case "quit":
                self._closing = True
            case _:
                self.log.warning("unknown request of the screen", what=request.name)

    def _ordered(self, message: Arrival, now_ns: int) -> None:
        try:
            order = read_order(message.topic, message.payload, self.identity)
            if isinstance(order, Update):
                self.telling.updates.take_order(order)
            elif order is not None:
                self.assignment.take_order(order, now_ns)
            if order is not None:
                self._foreign_hub("")
        except BadMessage as dropped:
            if isinstance(dropped, ForeignHub):
                self._foreign_hub(self.telling.hub_at)
                self.assignment.leave_foreign_hub()
            if self._seldom.lets(str(dropped), now_ns):
                self.log.warning("dropped", why=dropped)
