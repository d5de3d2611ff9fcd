"""The loop of the table: takes stamped events out of the one inbox, and is the only caller of the referee.

Each turn does the same: take the events; judge the inputs that are due; record them; send what is durable; show the new
view (`Telling`). It waits for nothing but the inbox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty

from flagfall.base.message import Message
from flagfall.base.trouble import trouble
from flagfall.link.identity import Identity
from flagfall.link.messages import BadMessage, Health, Status, Update
from flagfall.link.topics import Arrival
from flagfall.othello.game import Game, State
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
    Part,
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
from table_app.game.table_game import BoardEvent, GameSession, TableGame
from table_app.health.watch import LOOK_NS, HealthWatch
from table_app.hub_link.incoming import ForeignHub, read_order
from table_app.hub_link.sender import Publisher, colours, in_one_line
from table_app.log import Log, Seldom
from table_app.loop.assignment import AssignmentKeeper
from table_app.pins.buttons import ButtonPress, Presses
from table_app.pins.speech import who_listens
from table_app.record.state_dir import KeptTable
from table_app.settings import Settings
from table_app.table_view import Phase, Shows, TableView
from table_app.timebase import Timebase
from table_app.update.fetch import NoUpdates

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
            events: list[AnyEvent] = []
            with suppress(Empty):
                timeout_s = (self._wake_ns() - self.instants.now_ns()) / 1e9
                events.append(self.inbox.get(timeout=max(0.0, timeout_s)))
            # The instant is taken before the inbox is emptied, so that everything put in by then is in `events`.
            now_ns = self.instants.now_ns()
            while not self.inbox.empty():
                events.append(self.inbox.get())
            self.turn(events, now_ns)
            self.telling.updates.pass_time(self._at_rest, self.telling.fit, now_ns)
            self.turned(self.telling.status_line)

    @property
    def _at_rest(self) -> bool:
        """Return True while nothing is played here and no game is assigned."""
        play = self.table_game.play
        return self.assignment.assigned.game_id == "" or (play is not None and play.settled)

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
        if self.table_game.take_exchange():
            self.assignment.colours_exchanged()
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


@dataclass(slots=True)
class Telling:
    """The table as screen and hub see it: the view and the status, from the parts that know it."""

    table_game: TableGame
    assignment: AssignmentKeeper
    board_setup: BoardSetup
    health: HealthWatch
    updates: NoUpdates
    publisher: Publisher
    shows: Sequence[Shows]
    version: str
    view: TableView
    table_key: str  # the fingerprint of the key with which the table signs, "" without a hub
    connected: bool = False  # the hub's broker is reached
    status_line: str = ""  # the device's state, for the person who looks after it
    foreign_at: str = ""  # the address at which another hub is
    hub_at: str = ""  # the address at which the hub should be

    @property
    def fit(self) -> bool:
        """Return True if this table can be played at."""
        board, why = self.board_setup.trouble is None or not self.table_game.has_board, self.health.why
        return board and not (self.health.storage or why.get(Part.BUTTONS) or why.get(Part.SCREEN))

    def publish(self, buttons: tuple[Message, ...], now_ns: int) -> None:
        """Send and show the changes. `buttons` are the troubles of the buttons."""
        troubles = buttons + self.health.others
        status = self._status(troubles)
        self.status_line = in_one_line(status, self.connected)
        tournament, call = self.assignment.assigned.tournament, self.assignment.call
        self.publisher.publish(self.table_game.play, tournament, status, call, now_ns)
        view = self._viewed(troubles)
        if view != self.view:
            self.view = view
            for screen in self.shows:
                screen.show(view)

    def _status(self, troubles: tuple[Message, ...]) -> Status:
        """Return the status with the `troubles` of buttons, clock and screen."""
        assigned, answers = self.assignment.assigned, self.assignment.answers
        board = self.board_setup.trouble or self.table_game.unread
        storage, update = self.health.storage, self.updates.state
        parts = {"board": (board,), "clock": troubles, "storage": (storage,), "version": (update,)}
        return Status(
            online=True,
            version=self.version,
            health=Health(
                board=str(board or "ok"),
                clock=", ".join(map(str, troubles)) or "ok",
                storage=str(storage or "ok"),
                board_kind=self.board_setup.kind,
                power=self.health.power,
            ),
            fit=self.fit,
            answers={
                ruling: f"refused: {reply}" if isinstance(reply, Message) else reply
                for ruling, reply in answers.items()
            },
            refusals={
                ruling: reply.as_object() for ruling, reply in answers.items() if isinstance(reply, Message)
            },
            game=assigned.game_id or None,
            seat=assigned.seat,
            choice=colours(assigned),
            update=str(update or ""),
            start=self.assignment.start,
            disputed=self.assignment.disputed,
            troubles={
                name: [*map(Message.as_object, _single_troubles(part))]
                for name, part in parts.items()
                if any(part)
            },
        )

    def _viewed(self, troubles: tuple[Message, ...]) -> TableView:
        table_game, assignment, board_setup = self.table_game, self.assignment, self.board_setup
        play, watch, assigned = table_game.play, table_game.watch, assignment.assigned
        receipt = play.receipt if play is not None else None
        storage = self.health.storage
        return TableView(
            phase=Phase.ASSIGNED if assigned.choice is not None else phase_of(play),
            game=table_game.shown,
            game_id=play.game_id if play else "",
            tournament=assigned.tournament,
            seat=assigned.seat,
            board_present=bool(watch.present),
            # The director of a tournament says whether its games have boards.
            board_missing=not watch.present and (assigned.tournament != "" or board_setup.missing),
            board_asks=board_setup.asks,
            board_uncalibrated=board_setup.uncalibrated,
            board_blind=board_setup.blind,
            board_kind=board_setup.kind,
            board_setup=board_setup.view,
            wrong_start_squares=watch.wrong_start_squares(play.game if play else None),
            link_connected=self.connected,
            foreign_hub_at=self.foreign_at,
            refused_by_hub=receipt.why if receipt is not None and not receipt.accepted else "",
            storage_ok=not storage,
            power_known=self.health.power_known,
            call_wanted=assignment.call.wanted,
            messages=(
                *self.health.damage,
                *troubles,
                *filter(None, (storage, board_setup.blind, board_setup.flooded, table_game.unread)),
                *((trouble("foreign_hub", at=self.foreign_at),) if self.foreign_at else ()),
            ),
            no_buttons=self.health.why.get(Part.BUTTONS),
            twin=assignment.twin,
            swapped=assignment.swapped,
            uncertain_ns=play.uncertain_ns if play else 0,
            pressed_too_early=table_game.pressed_too_early,
            closed_unsigned=play is not None and play.closed,
            scored=assigned.scored and play is not None and play.game_id == assigned.game_id,
            choice=assigned.choice,
            choice_until_ns=assignment.choice_until_ns if assigned.choice is not None else None,
            record=assignment.record_shown,
            table_key=self.table_key,
            page=assigned.page,
            names=assignment.names,
            hides=assigned.hides,
            choosing=assigned.header if assigned.choice is not None else None,
        )


def _single_troubles(troubles: Iterable[Message | None]) -> Iterator[Message]:
    """Yield each trouble; of one that is made of several, those."""
    for message in filter(None, troubles):
        several = [value for value in message.values.values() if isinstance(value, tuple)]
        yield from (part for part in several[0] if isinstance(part, Message)) if several else (message,)


def phase_of(play: GameSession | None) -> Phase:
    """Return the phase of the table with this game."""
    if play is None:
        return Phase.IDLE
    if not play.game.over:
        return Phase.ASSIGNED if play.game.state is State.WAITING else Phase.PLAYING
    if play.receipt is not None:
        return Phase.RECEIVED if play.receipt.accepted else Phase.SENT
    return Phase.SENT if play.outcome is not None and play.outcome.id in play.sent else Phase.FINISHED
