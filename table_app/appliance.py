"""The loop of the table: takes stamped events out of the one inbox, and is the only one that asks the
referee.

Every turn of it goes the same way: take the events in; give those inputs to the referee whose turn has come;
write down what happened; say it to the hub once it is durable; show it. It waits for nothing but the inbox.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from link.identity import Identity
from link.messages import Assignment, Call, Health, Ruling
from link.messages import Receipt as ReceiptMessage
from othello.game import Game, Header, State
from othello.gamefile import GameFileError
from othello.inputs import BoardState, Input, Press, Shown, Start, Tick
from othello.side import Side
from table_app.board_port import BoardPort
from table_app.board_watch import KNOWN_TO_NS, BoardWatch
from table_app.bulletin import Bulletin, Facts
from table_app.buttons import Presses
from table_app.courier import Courier, LetterSent, OutboxTrouble
from table_app.events import (
    BoardFault,
    BoardPresence,
    BoardShown,
    BoardStream,
    BoardTouched,
    ButtonEdge,
    Event,
    LinkMessage,
    LinkState,
    ScreenInput,
    ScreenRequest,
)
from table_app.instants import Instants
from table_app.journal import Entry, Journal, Receipt, heard_object, receipt_object
from table_app.local_games import next_local_game
from table_app.log import Log
from table_app.orders import Assigned, NotForUsError, assigned, read_order, ruling_input
from table_app.play import Play, with_presses
from table_app.recorder import Recorder
from table_app.screen_port import ScreenPort
from table_app.sequencer import Sequencer
from table_app.state_dir import Kept, StateDirectory
from table_app.view import Phase, TableView

FLAG_LAG_NS = 20_000_000
"""A press in the last instant is in the inbox by then."""
HEARTBEAT_NS = 700_000_000
IDLE_S = 1.0


@dataclass(frozen=True, slots=True)
class Answered:
    """What was decided on a ruling is durable: the hub may know."""

    ruling_id: str
    answer: str


@dataclass(frozen=True, slots=True)
class DiskTrouble:
    """Why the disk fails; "" when it works again."""

    why: str


@dataclass(frozen=True, slots=True)
class Close:
    """The program ends."""


Inbox = SimpleQueue[Event | Answered | DiskTrouble | LetterSent | OutboxTrouble | Close]
AnyEvent = Event | Answered | DiskTrouble | LetterSent | OutboxTrouble | Close


class Appliance:
    """One table. `run` is its thread; `turn` is one round, for given events at a given instant."""

    def __init__(
        self,
        *,
        inbox: Inbox,
        instants: Instants,
        identity: Identity,
        state: StateDirectory,
        recorder: Recorder,
        courier: Courier,
        board: BoardPort,
        screen: ScreenPort,
        log: Log,
        version: str = "",
        swapped: bool = False,
        local_header: Header | None = None,
    ) -> None:
        """`local_header` is that of games that no hub assigns; None where a hub does."""
        self._inbox = inbox
        self._instants = instants
        self._identity = identity
        self._state = state
        self._recorder = recorder
        self._board = board
        self._screen = screen
        self._log = log
        self._courier = courier
        self._bulletin = Bulletin(courier, recorder, version)
        self._watch = BoardWatch()
        self._presses = Presses()
        self._sequencer: Sequencer[str] = Sequencer()
        self._assigned = Assigned(-1)
        self._play: Play | None = None
        self._usually_swapped = swapped
        self._local_header = local_header
        self._swapped = swapped
        self._call = Call(wanted=False)
        self._answers: dict[str, str] = {}
        self._connected = False
        self._disk_trouble = ""
        self._outbox_trouble = ""
        self._damage: tuple[str, ...] = ()
        self._pressed_too_early = False
        self._tick_for_ns: int | None = None
        self._heartbeat_ns = 0
        self._shown: tuple[Game, tuple[Press, ...], Game] | None = None
        self._troubles: tuple[str, ...] = ()
        self._closing = False
        self.view = TableView(swapped=swapped)

    # -- the thread

    def restore(self, kept: Kept) -> None:
        """Goes on where the record ends; to be called before anything else."""
        self._damage = kept.damage
        if kept.swapped is not None:
            self._swapped = kept.swapped
        if kept.assigned is not None:
            self._assigned = kept.assigned
            self._take_on(kept.assigned, self._instants.now_ns())
        if self._play is None:
            self._begin_local_game(self._instants.now_ns())
        for why in self._damage:
            self._log.error("state damaged", what=why)

    def held_from_the_start(self, side: Side) -> None:
        self._presses.down_from_the_start(side, self._instants.now_ns())

    def run(self) -> None:
        """Turns until it is told to close."""
        self.turn([], self._instants.now_ns())
        while not self._closing:
            events = self._wait()
            # The instant is taken before the inbox is emptied: whatever was put in by then is in `events`.
            now_ns = self._instants.now_ns()
            events += self._taken()
            self.turn(events, now_ns)

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
        times = [now_ns + round(IDLE_S * 1e9), self._sequencer.next_ns(now_ns), self._flag_ns()]
        if self._play is not None and self._play.timed:
            times += [self._heartbeat_ns + HEARTBEAT_NS, self._bulletin.next_ns(self._play)]
        return min(time for time in times if time is not None)

    # -- one turn

    def turn(self, events: Sequence[AnyEvent], now_ns: int) -> None:
        for event in events:
            self._take(event, now_ns)
        self._notice_flag(now_ns)
        for held in self._sequencer.take(now_ns):
            self._judge(held.input, held.tag, now_ns)
        self._beat(now_ns)
        self._tell(now_ns)

    def _take(self, event: AnyEvent, now_ns: int) -> None:
        match event:
            case BoardStream():
                self._sequencer.board_settled(event.settled_to_ns - KNOWN_TO_NS, now_ns)
            case ButtonEdge():
                self._pressed(event, now_ns)
            case BoardTouched():
                self._from_board(self._watch.touched(event), now_ns)
            case BoardShown():
                self._from_board(self._watch.shown(event), now_ns)
            case BoardPresence():
                if event.ok:
                    self._log.info("board there", identity=event.identity)
                else:
                    self._log.warning("board gone", why=event.why)
                self._from_board(self._watch.came_or_went(event), now_ns)
                self._heed_board(now_ns)
            case BoardFault():
                self._log.warning("board fault", what=event.what, count=event.count)
            case ScreenInput():
                self._sequencer.add(event.input, "", now_ns)
            case ScreenRequest():
                self._requested(event)
            case LinkMessage():
                self._ordered(event, now_ns)
            case LinkState():
                self._log.info("link", connected=event.connected)
                self._connected = event.connected
                if event.connected:
                    self._bulletin.say_again()
                    self._courier.connected()
            case Answered():
                self._answers[event.ruling_id] = event.answer
            case DiskTrouble():
                self._disk_trouble = event.why
                self._log_trouble("disk", event.why)
            case OutboxTrouble():
                self._outbox_trouble = event.why
                self._log_trouble("outbox", event.why)
            case LetterSent():
                if self._play is not None:
                    self._play.sent.add(event.id)
            case Close():
                self._closing = True

    def _log_trouble(self, what: str, why: str) -> None:
        if why:
            self._log.error(f"{what} fails", why=why)
        else:
            self._log.info(f"{what} works")

    def _pressed(self, edge: ButtonEdge, now_ns: int) -> None:
        press = self._presses.edge(edge)
        if press is not None:
            side = press.by.other if self._swapped else press.by
            self._hear(Press(press.at_ns, side), now_ns)

    def _hear(self, press: Press, now_ns: int) -> None:
        """A press moves the clock on the screen at once, so it is recorded at once: the verdict takes its
        time.
        """
        self._sequencer.add(press, "", now_ns)
        play = self._play
        if play is not None and not play.game.over:
            path = self._state.journal_path(play.game_id)
            self._recorder.append(path, [heard_object(press)], play.game.at_ns)

    @property
    def _reads_board(self) -> bool:
        return self._play is not None and self._play.header.sensors

    def _heed_board(self, now_ns: int) -> None:
        """Verdicts wait for the board only while a game is played on it."""
        if self._watch.present and self._reads_board:
            if not self._sequencer.board:
                self._sequencer.board_came(now_ns)
        else:
            self._sequencer.board_went()

    def _from_board(self, news: Sequence[Input], now_ns: int) -> None:
        if self._reads_board:
            for one in news:
                self._sequencer.add(one, "", now_ns)

    def _requested(self, request: ScreenRequest) -> None:
        match request.what:
            case "call_director":
                game_id = self._play.game_id if self._play else None
                self._call = Call(
                    wanted=True, why=request.detail[:1000] or "called at the table", game=game_id
                )
            case "answer_call":
                self._call = Call(wanted=False)
            case "swap_sides":
                if self._play is None or self._play.game.state in (State.WAITING, State.STOPPED):
                    self._swapped = not self._swapped
                    self._keep_assignment()
            case "new_game":
                self._begin_local_game(request.at_ns)
            case "quit":
                self._closing = True
            case _:
                self._log.warning("unknown request of the screen", what=request.what)

    # -- orders of the hub

    def _ordered(self, message: LinkMessage, now_ns: int) -> None:
        try:
            order = read_order(message.topic, message.payload, self._identity)
            match order:
                case Assignment():
                    self._reassign(assigned(order), now_ns)
                case ReceiptMessage():
                    self._receipt(Receipt(order.id, order.accepted, order.head, order.why), now_ns)
                case Ruling():
                    self._rule(order, now_ns)
        except NotForUsError as dropped:
            self._log.warning("dropped", why=dropped)

    def _reassign(self, new: Assigned, now_ns: int) -> None:
        if new.seq <= self._assigned.seq:
            return
        self._assigned = new
        self._log.info("assigned", seq=new.seq, game=new.game_id or "-", seat=new.seat)
        if self._play is not None and new.header is not None and new.game_id == self._play.game_id:
            if self._play.touched or new.header == self._play.header:
                self._keep_assignment()
                return
        else:
            self._swapped = self._usually_swapped
            self._call = Call(wanted=False)
        self._keep_assignment()
        self._take_on(new, now_ns)

    def _take_on(self, new: Assigned, now_ns: int) -> None:
        """The game of an assignment begins to be this table's (or goes on, if it has a journal), or none
        does.
        """
        self._sequencer.forget()
        self._play = None
        self._answers = {}
        self._pressed_too_early = False
        if new.header is None:
            return
        path = self._state.journal_path(new.game_id)
        journal, damage = self._state.journal(new.game_id)
        if damage:
            self._damage = (*self._damage, damage)
        play = Play.restored(journal) if journal is not None else None
        if journal is not None and play is not None and (play.touched or play.header == new.header):
            self._play = play
            self._answers = dict(play.answers)
            self._recorder.resume(path, journal.good_bytes)
            self._resume(play, journal, now_ns)
            self._sequencer.last_ns = max(self._sequencer.last_ns, journal.last_ns)
        else:
            self._play = play = Play.new(new.game_id, new.tournament, new.header)
            self._recorder.begin(path, play.header_line(), now_ns)
        self._board.turn(play.header.board_turned)
        # Under the names that squares have from now on.
        self._watch.position = None
        self._board.ask_snapshot()
        self._heed_board(now_ns)
        self._from_board(self._watch.taken_on(play.game, now_ns), now_ns)

    def _resume(self, play: Play, journal: Journal, now_ns: int) -> None:
        """The game stands still where its record ends."""
        for press in journal.unjudged:
            # What the board showed at that instant is not on record: its move is owed until the board is read
            # again.
            if play.game.reads_board:
                self._judge(BoardState(max(press.at_ns, play.game.at_ns), False), "", now_ns)
            self._judge(press, "", now_ns)
        power = play.power_back(journal.last_ns)
        if power is not None:
            self._log.warning("game resumed", game=play.game_id, uncertain_ns=power.uncertain_ns)
            self._judge(power, "", now_ns)

    def _begin_local_game(self, now_ns: int) -> None:
        """The next game where no hub assigns any; with no director to wait for, White's press starts it."""
        if self._local_header is None:
            return
        self._reassign(next_local_game(self._assigned, self._local_header), now_ns)
        self._sequencer.add(Start(now_ns), "", now_ns)

    def _keep_assignment(self) -> None:
        content = self._state.assignment_bytes(self._assigned, self._swapped)
        self._recorder.replace(self._state.assignment_path, content)

    def _receipt(self, receipt: Receipt, now_ns: int) -> None:
        self._courier.receipt(receipt.id)
        if not receipt.accepted:
            self._log.error("result not accepted by the hub", id=receipt.id, why=receipt.why)
        play = self._play
        if play is not None and play.outcome is not None and receipt.id not in play.receipts:
            if receipt.id.rpartition(".")[0] != play.game_id:
                return
            play.receipts[receipt.id] = receipt
            path = self._state.journal_path(play.game_id)
            self._recorder.append(path, [receipt_object(receipt)], play.game.at_ns)

    def _rule(self, ruling: Ruling, now_ns: int) -> None:
        """Gives the ruling to the referee, once; the answer goes out with the status."""
        play = self._play
        if ruling.id in self._answers or ruling.id in self._sequencer.tags:
            return
        if play is None or ruling.game != play.game_id:
            self._answers[ruling.id] = "refused: this game is not at this table"
            return
        if ruling.id in play.answers:
            return
        try:
            self._sequencer.add(ruling_input(ruling, now_ns), ruling.id, now_ns)
        except GameFileError as error:
            self._answers[ruling.id] = f"refused: {error}"[:1000]

    # -- what follows

    def _judge(self, one: Input, ruling_id: str, now_ns: int) -> None:
        play = self._play
        if play is None or not play.wants(one):
            return
        before = play.game
        play.judge(one, ruling_id)
        path = self._state.journal_path(play.game_id)
        self._recorder.append(path, [play.line(Entry(one, ruling_id))], one.at_ns)
        if ruling_id:
            answered = Answered(ruling_id, play.answers[ruling_id])
            self._recorder.after_durable(lambda: self._inbox.put(answered))
        if isinstance(one, Press):
            self._after_press(play, one, before, now_ns)
        if play.game.armed:
            self._pressed_too_early = False
        if before.over and not play.game.over:
            # Nothing was told of the board since the end.
            self._from_board(self._watch.taken_on(play.game, now_ns), now_ns)

    def _after_press(self, play: Play, press: Press, before: Game, now_ns: int) -> None:
        if before.state is State.WAITING and not before.armed:
            self._pressed_too_early = self._pressed_too_early or press.by is Side.WHITE
        if play.game.owed > 0 and play.game.reads_board:
            # What lies there now may tell which moves were made while nobody read the board.
            self._judge(Shown(play.game.at_ns, play.game.shown), "", now_ns)

    def _flag_ns(self) -> int | None:
        """When to look whether a flag has fallen, once for each time that it may."""
        empty_at_ns = self._play.game.clock.empty_at_ns() if self._play and self._play.timed else None
        if empty_at_ns is None or empty_at_ns == self._tick_for_ns:
            return None
        return empty_at_ns + FLAG_LAG_NS

    def _notice_flag(self, now_ns: int) -> None:
        flag_ns = self._flag_ns()
        if flag_ns is not None and now_ns >= flag_ns:
            self._tick_for_ns = flag_ns - FLAG_LAG_NS
            self._sequencer.add(Tick(now_ns), "", now_ns)

    def _beat(self, now_ns: int) -> None:
        """So that little play is uncertain after a power cut."""
        play = self._play
        if play is not None and play.timed and now_ns - self._heartbeat_ns >= HEARTBEAT_NS:
            self._heartbeat_ns = now_ns
            up_to_ns = max(play.game.at_ns, self._sequencer.horizon_ns(now_ns))
            self._recorder.append(self._state.journal_path(play.game_id), [], up_to_ns)

    def _tell(self, now_ns: int) -> None:
        view = self._viewed(now_ns)
        facts = Facts(
            tournament=self._assigned.tournament,
            seat=self._assigned.seat,
            health=self._health(view),
            fit=view.storage_ok and (view.board_present or not self._reads_board),
            answers=tuple(self._answers.items()),
        )
        self._bulletin.tell(self._play, facts, self._call, now_ns)
        if view != self.view:
            self.view = view
            self._screen.show(view)

    def _health(self, view: TableView) -> Health:
        return Health(
            board="ok" if view.board_present else "no board",
            clock=", ".join(self._troubles) or "ok",
            storage=self._disk_trouble or self._outbox_trouble or "ok",
        )

    def _viewed(self, now_ns: int) -> TableView:
        play = self._play
        self._troubles = self._presses.troubles(now_ns)
        storage = self._disk_trouble or self._outbox_trouble
        receipt = play.receipt if play else None
        outcome = play.outcome if play else None
        sent = outcome is not None and outcome.id in play.sent if play else False
        return TableView(
            phase=_phase(play, sent=sent),
            game=self._shown_game(),
            game_id=play.game_id if play else "",
            tournament=self._assigned.tournament,
            seat=self._assigned.seat,
            board_present=bool(self._watch.present),
            board_identity=self._watch.identity,
            wrong_start_squares=self._watch.wrong_start_squares(play.game if play else None),
            link_connected=self._connected,
            result_sent=sent,
            result_received=receipt is not None and receipt.accepted,
            refused_by_hub=receipt.why if receipt is not None and not receipt.accepted else "",
            storage_ok=not storage,
            call_wanted=self._call.wanted,
            messages=(*self._damage, *self._troubles, *([storage] if storage else [])),
            swapped=self._swapped,
            uncertain_ns=play.uncertain_ns if play else 0,
            pressed_too_early=self._pressed_too_early,
        )

    def _shown_game(self) -> Game | None:
        """The game with its clock turned by presses that wait for their verdict."""
        if self._play is None:
            return None
        game, waiting = self._play.game, self._sequencer.waiting
        presses = tuple(one for one in waiting if isinstance(one, Press))
        if self._shown is None or self._shown[0] is not game or self._shown[1] != presses:
            self._shown = (game, presses, with_presses(game, presses) if presses else game)
        return self._shown[2]


def _phase(play: Play | None, *, sent: bool) -> Phase:
    if play is None:
        return Phase.IDLE
    if not play.game.over:
        return Phase.ASSIGNED if play.game.state is State.WAITING else Phase.PLAYING
    if play.receipt is not None:
        return Phase.RECEIVED if play.receipt.accepted else Phase.SENT
    return Phase.SENT if sent else Phase.FINISHED
