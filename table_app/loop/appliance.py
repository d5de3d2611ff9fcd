"""The loop of the table: takes stamped events out of the one inbox, and is the only caller of the referee.

Each turn does the same: take the events; judge the inputs that are due; record them; send what is durable; show the new
view (`table_app.loop.telling`). It waits for nothing but the inbox.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import Empty

from link.identity import Identity
from link.messages import Update
from link.topics import Arrival
from othello.game import Game, Header
from othello.inputs import Press
from othello.side import Side
from table_app.board.orientation import Orientations
from table_app.board.port import BoardPort
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
    ScreenFound,
    ScreenInput,
    ScreenRequest,
    SettingsChosen,
    UpdateFetched,
)
from table_app.game.table_game import TableGame
from table_app.health.watch import LOOK_NS, HealthWatch
from table_app.hub_link.incoming import NotForUsError, read_order
from table_app.hub_link.publisher import Publisher
from table_app.hub_link.sender import Sender
from table_app.log import Log, Seldom
from table_app.loop.assignment import AssignmentKeeper
from table_app.loop.telling import Telling
from table_app.loop.view import Shows, TableView
from table_app.pins.buttons import Presses, player_at
from table_app.pins.speech import who_listens
from table_app.record.judge_pin import FILE_NAME as JUDGE_PIN
from table_app.record.state_dir import KeptTable, StateDirectory
from table_app.record.writer import JournalWriter
from table_app.settings import Settings
from table_app.timebase import Timebase
from table_app.update.fetch import NoUpdates

IDLE_S = 1.0


class Appliance:
    """One table. `run` is its thread; `turn` is one round, for given events at a given instant."""

    def __init__(
        self,
        *,
        inbox: Inbox,
        instants: Timebase,
        identity: Identity,
        state: StateDirectory,
        recorder: JournalWriter,
        sender: Sender,
        board: BoardPort,
        shows: Sequence[Shows],
        log: Log,
        version: str = "",
        swapped: bool = False,
        local_header: Header | None = None,
        orientations: Orientations | None = None,
        board_expected: bool = False,
        turned: Callable[[str], None] = lambda told: None,
        spoken: Callable[[Side, Game | None, int], None] = lambda side, game, now_ns: None,
        updates: NoUpdates | None = None,
        keep_settings: Callable[[Settings], None] = lambda settings: None,
    ) -> None:
        """`local_header` is that of games that no hub assigns; None at a hub's table. `turned` receives the device's
        state in one line at each turn, at least once a second; `spoken` is called when a player asks to hear the
        clocks. `orientations` keeps the orientations of boards; `board_expected`: the table's settings name a board;
        `keep_settings` keeps the settings chosen on the screen."""
        self._inbox = inbox
        self._instants = instants
        self._identity = identity
        self._log = log
        self._seldom = Seldom()
        self._sender = sender
        self._presses = Presses()
        self._troubles = HealthWatch(log)
        self._turned = turned
        self._spoken = spoken
        self._recorder = recorder
        self._judge_pin_path = state.path / JUDGE_PIN
        self._keep_settings = keep_settings
        self._updates = updates or NoUpdates()
        self._board_setup = BoardSetup(board, orientations or Orientations({}), board_expected)
        self._table_game = TableGame(
            state=state,
            recorder=recorder,
            board=board,
            answered=lambda ruling_id, answer: inbox.put(Answered(ruling_id, answer)),
        )
        self._assignment = AssignmentKeeper(
            state=state,
            recorder=recorder,
            sender=sender,
            table_game=self._table_game,
            board_setup=self._board_setup,
            log=log,
            damaged=self._troubles.damaged,
            swapped=swapped,
            local_header=local_header,
        )
        self._telling = Telling(
            self._table_game,
            self._assignment,
            self._board_setup,
            health=self._troubles,
            updates=self._updates,
            publisher=Publisher(identity, sender, recorder),
            shows=tuple(shows),
            version=version,
            view=TableView(swapped=swapped),
        )
        self._look_ns = 0
        self._closing = False

    @property
    def view(self) -> TableView:
        return self._telling.view

    # -- the thread

    def restore(self, kept: KeptTable) -> None:
        """Resumes at the end of the record, and shows it; to be called before anything else."""
        self._assignment.restore(kept, self._instants.now_ns())
        self.turn([], self._instants.now_ns())

    def run(self) -> None:
        """Handles events, turn after turn, until `Close` arrives."""
        while not self._closing:
            events = self._wait()
            # The instant is taken before the inbox is emptied, so that everything put in by then is in `events`.
            now_ns = self._instants.now_ns()
            events += self._taken()
            self.turn(events, now_ns)
            self._updates.turned(self._at_rest, self._telling.fit, now_ns)
            self._turned(self._telling.told)

    @property
    def _at_rest(self) -> bool:
        """Nothing is played here, and no game is assigned."""
        play = self._table_game.play
        return self._assignment.assigned.game_id == "" or (play is not None and play.settled)

    def _wait(self) -> list[AnyEvent]:
        timeout_s = max(0.0, (self._wake_ns() - self._instants.now_ns()) / 1e9)
        try:
            return [self._inbox.get(timeout=timeout_s)]
        except Empty:
            return []

    def _taken(self) -> list[AnyEvent]:
        taken: list[AnyEvent] = []
        while not self._inbox.empty():
            taken.append(self._inbox.get())
        return taken

    def _wake_ns(self) -> int:
        now_ns = self._instants.now_ns()
        play = self._table_game.play
        times = [
            now_ns + round(IDLE_S * 1e9),
            self._table_game.next_ns(now_ns),
            self._presses.next_ns(),
            self._telling.publisher.next_ns(play),
        ]
        return min(time for time in times if time is not None)

    # -- one turn

    def turn(self, events: Sequence[AnyEvent], now_ns: int) -> None:
        for event in events:
            self._take(event, now_ns)
        for press in self._presses.settled(now_ns):
            self._pressed(press, now_ns)
        self._hear_held(now_ns)
        self._table_game.advance(now_ns)
        play = self._table_game.play
        self._board_setup.passed(now_ns, playing=play is not None and play.timed)
        if now_ns >= self._look_ns:
            self._look_ns = now_ns + LOOK_NS
            for note in self._troubles.look():
                self._table_game.note(note, now_ns, now_ns)
        self._telling.tell(self._presses.troubles(now_ns), now_ns)

    def _take(self, event: AnyEvent, now_ns: int) -> None:
        match event:
            case ButtonEdge():
                self._hear_held(event.at_ns)
                self._pressed(self._presses.edge(event), now_ns)
            case ButtonDown():
                self._log.warning("button down at the start", side=event.side)
                self._presses.down_from_the_start(event.side, event.at_ns)
            case BoardPresence():
                self._board_setup.presence(event)
                if event.ok:
                    self._log.info("board there", identity=event.identity)
                elif self._board_setup.missing:
                    self._log.warning("board gone", why=event.why)
                else:
                    self._log.info("no board", why=event.why)
                self._table_game.from_board(event, now_ns)
            case BoardTouched():
                self._board_setup.touched(event)
                self._table_game.from_board(event, now_ns)
            case BoardStream() | BoardShown():
                self._table_game.from_board(event, now_ns)
            case BoardFault():
                if self._seldom.lets(event.what, now_ns):
                    self._log.warning("board fault", what=event.what, count=event.count)
                self._board_setup.fault(event, now_ns)
            case ScreenInput():
                self._table_game.add(event.input, now_ns)
            case ScreenRequest():
                self._requested(event, now_ns)
            case GameChosen():
                self._assignment.begin_local_game(event.at_ns, event.setup)
            case CornersPlaced(corners):
                self._board_setup.placed(corners)
            case SettingsChosen():
                self._keep_settings(event.settings)
            case PinChosen():
                self._recorder.replace(self._judge_pin_path, event.pin.encode() + b"\n")
                self._log.info("the judge's PIN was chosen on the screen")
            case Arrival():
                self._ordered(event, now_ns)
            case LetterSent():
                if self._table_game.play is not None:
                    self._table_game.play.sent.add(event.id)
            case _:
                self._of_the_device(event, now_ns)

    def _of_the_device(self, event: AnyEvent, now_ns: int) -> None:
        """What the parts of the device say of themselves."""
        match event:
            case LinkState():
                self._log.info("link", connected=event.connected)
                self._telling.connected = event.connected
                if event.connected:
                    self._telling.publisher.say_again()
                    self._sender.connected()
            case PartTrouble(part, why):
                self._table_game.note(self._troubles.found(part, why), now_ns, now_ns)
            case ScreenFound():
                self._log.info("screen", drawn=event.what)
            case Answered():
                self._assignment.answers[event.ruling_id] = event.answer
            case UpdateFetched():
                self._updates.fetched(event, now_ns)
            case Close():
                self._closing = True

    def _hear_held(self, until_ns: int) -> None:
        """Buttons that were down until then: up to a press or a release, however late this turn comes, or up to now."""
        held = {place: self._presses.down_since_ns(place) for place in Side}
        for place, since_ns in held.items():
            if since_ns is not None:
                self._table_game.held(player_at(place, self._assignment.swapped), since_ns, until_ns)
        since_both_ns = [since_ns for since_ns in held.values() if since_ns is not None]
        if len(since_both_ns) == len(held):
            self._table_game.both_held(max(since_both_ns), until_ns)

    def _pressed(self, press: Press | None, now_ns: int) -> None:
        if press is not None:
            side = player_at(press.by, self._assignment.swapped)
            self._table_game.press(Press(press.at_ns, side), now_ns)

    def _requested(self, request: ScreenRequest, now_ns: int) -> None:
        match request.what:
            case "call_director":
                self._assignment.call_director(request.detail, request.at_ns, now_ns)
            case "answer_call":
                self._assignment.answer_call(request.detail, request.at_ns, now_ns)
            case "swap_sides":
                self._assignment.swap_sides(request.at_ns, now_ns)
            case "choose":
                self._assignment.choose(request.detail, request.at_ns)
            case "speak":
                game = self._table_game.shown
                self._spoken(who_listens(request.detail, game), game, now_ns)
            case "board_setup":
                self._board_setup.requested(request.detail, now_ns)
            case "drop_game":
                self._assignment.drop_local_game(request.detail, request.at_ns, now_ns)
            case "quit":
                self._closing = True
            case _:
                self._log.warning("unknown request of the screen", what=request.what)

    def _ordered(self, message: Arrival, now_ns: int) -> None:
        try:
            order = read_order(message.topic, message.payload, self._identity)
            if isinstance(order, Update):
                self._updates.ordered(order)
            elif order is not None:
                self._assignment.ordered(order, now_ns)
        except NotForUsError as dropped:
            if self._seldom.lets(str(dropped), now_ns):
                self._log.warning("dropped", why=dropped)
