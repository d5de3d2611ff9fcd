"""The loop of the table: takes stamped events out of the one inbox, and is the only one that asks the
referee.

Every turn of it goes the same way: take the events in; give those inputs to the referee whose turn has come;
write down what happened; say it to the hub once it is durable; show it. It waits for nothing but the inbox.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from queue import Empty

from link.identity import Identity
from link.messages import Assignment, Call, Health, Ruling, Update
from link.messages import Receipt as ReceiptMessage
from othello.game import Game, Header, State
from othello.gamefile import GameFileError
from othello.inputs import Note, Press, Start, Tick
from othello.side import Side
from table_app import letters
from table_app.board_places import BoardPlaces
from table_app.board_port import BoardPort
from table_app.board_setup import BoardSetup
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
    LinkMessage,
    LinkState,
    ScreenInput,
    ScreenRequest,
)
from table_app.inbox import Answered, AnyEvent, Close, DiskTrouble, Inbox, ScreenTrouble, UpdateFetched
from table_app.instants import Instants
from table_app.journal import Receipt
from table_app.local_games import next_local_game
from table_app.log import Log
from table_app.orders import Assigned, NotForUsError, assigned, read_order, ruling_input
from table_app.recorder import Recorder
from table_app.screen_port import Shows
from table_app.state_dir import Kept, StateDirectory
from table_app.table_game import TableGame
from table_app.troubles import DISK, OUTBOX, SCREEN, Troubles, line
from table_app.updating import NoUpdates, UpdatesPort
from table_app.view import TableView
from table_app.viewing import viewed

IDLE_S = 1.0


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
        shows: Sequence[Shows],
        log: Log,
        version: str = "",
        swapped: bool = False,
        local_header: Header | None = None,
        board_places: BoardPlaces | None = None,
        turned: Callable[[], None] = lambda: None,
        spoken: Callable[[Side, Game | None, int], None] = lambda side, game, now_ns: None,
        updates: UpdatesPort | None = None,
    ) -> None:
        """`local_header` is that of games that no hub assigns; None where a hub does. `turned` is called at
        each turn of the loop, at least once a second; `spoken` when a player wants to hear how the clocks stand.
        `board_places` keeps how boards lie.
        """
        self._inbox = inbox
        self._instants = instants
        self._identity = identity
        self._state = state
        self._recorder = recorder
        self._shows = tuple(shows)
        self._log = log
        self._courier = courier
        self._bulletin = Bulletin(courier, recorder, version)
        self._presses = Presses()
        self._troubles = Troubles(log)
        self._turned = turned
        self._spoken = spoken
        self._updates = updates or NoUpdates()
        self._board_setup = BoardSetup(board, board_places or BoardPlaces({}))
        self._table_game = TableGame(
            state=state,
            recorder=recorder,
            board=board,
            answered=lambda ruling_id, answer: inbox.put(Answered(ruling_id, answer)),
        )
        self._assigned = Assigned(-1)
        self._local_header = local_header
        self._usually_swapped = self._swapped = swapped
        self._call = Call(wanted=False)
        self._answers: dict[str, str] = {}
        self._connected = False
        self._closing = False
        self.view = TableView(swapped=swapped)

    # -- the thread

    def restore(self, kept: Kept) -> None:
        """Goes on where the record ends; to be called before anything else."""
        for why in kept.damage:
            self._troubles.damaged(why)
        if kept.swapped is not None:
            self._swapped = kept.swapped
        if kept.assigned is not None:
            self._assigned = kept.assigned
            self._take_on(kept.assigned, self._instants.now_ns())
        if self._table_game.play is None:
            self._begin_local_game(self._instants.now_ns())

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
            self._updates.turned(self._at_rest, self._fit, now_ns)
            self._turned()

    @property
    def _at_rest(self) -> bool:
        """Nothing is played here, nor about to be."""
        play = self._table_game.play
        return self._assigned.game_id == "" or (play is not None and play.settled)

    @property
    def _fit(self) -> bool:
        board = self._board_setup.health == "ok" or not self._table_game.reads_board
        return board and not self._troubles.storage

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
        times = [now_ns + round(IDLE_S * 1e9), self._table_game.next_ns(now_ns), self._bulletin.next_ns(play)]
        return min(time for time in times if time is not None)

    # -- one turn

    def turn(self, events: Sequence[AnyEvent], now_ns: int) -> None:
        for event in events:
            self._take(event, now_ns)
        held = {place: self._presses.down_since_ns(place) for place in Side}
        for place, since_ns in held.items():
            if since_ns is not None:
                self._table_game.held(place.other if self._swapped else place, since_ns, now_ns)
        since_both_ns = [since_ns for since_ns in held.values() if since_ns is not None]
        if len(since_both_ns) == len(held):
            self._table_game.both_held(max(since_both_ns), now_ns)
        self._table_game.advance(now_ns)
        play = self._table_game.play
        self._board_setup.passed(now_ns, playing=play is not None and play.timed)
        self._tell(now_ns)

    def _take(self, event: AnyEvent, now_ns: int) -> None:
        match event:
            case BoardStream() | BoardTouched() | BoardShown() | BoardPresence():
                if isinstance(event, BoardPresence):
                    self._log_presence(event)
                    self._board_setup.presence(event)
                elif isinstance(event, BoardTouched):
                    self._board_setup.touched(event)
                self._table_game.from_board(event, now_ns)
            case ButtonEdge():
                self._pressed(event, now_ns)
            case BoardFault():
                self._log.warning("board fault", what=event.what, count=event.count)
                self._board_setup.fault(event, now_ns)
            case ScreenInput():
                self._table_game.add(event.input, now_ns)
            case ScreenRequest():
                self._requested(event, now_ns)
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
                self._note(now_ns, now_ns, self._troubles.found(DISK, event.why))
            case ScreenTrouble():
                self._note(now_ns, now_ns, self._troubles.found(SCREEN, event.why))
            case OutboxTrouble():
                self._note(now_ns, now_ns, self._troubles.found(OUTBOX, event.why))
            case LetterSent():
                if self._table_game.play is not None:
                    self._table_game.play.sent.add(event.id)
            case UpdateFetched():
                self._updates.fetched(event, now_ns)
            case Close():
                self._closing = True

    def _log_presence(self, event: BoardPresence) -> None:
        if event.ok:
            self._log.info("board there", identity=event.identity)
        else:
            self._log.warning("board gone", why=event.why)

    def _pressed(self, edge: ButtonEdge, now_ns: int) -> None:
        press = self._presses.edge(edge)
        if press is not None:
            side = press.by.other if self._swapped else press.by
            self._table_game.press(Press(press.at_ns, side), now_ns)

    def _note(self, at_ns: int, now_ns: int, note: Note | None) -> None:
        """Puts something on the game's record that the law does not weigh."""
        if note is not None and self._table_game.play is not None:
            self._table_game.add(Tick(at_ns, note), now_ns)

    def _requested(self, request: ScreenRequest, now_ns: int) -> None:
        play = self._table_game.play
        match request.what:
            case "call_director":
                self._note(request.at_ns, now_ns, Note("director_called", detail=line(request.detail)))
                game_id = play.game_id if play else None
                self._call = Call(
                    wanted=True, why=request.detail[:1000] or "called at the table", game=game_id
                )
            case "answer_call":
                self._note(request.at_ns, now_ns, Note("call_answered", detail=line(request.detail)))
                self._call = Call(wanted=False)
            case "swap_sides":
                if play is None or play.game.state in (State.WAITING, State.STOPPED):
                    self._swapped = not self._swapped
                    self._note(request.at_ns, now_ns, Note("sides_swapped"))
                    self._keep_assignment()
            case "choose":
                self._choose(request.detail, request.at_ns)
            case "speak":
                self._speak(request.detail, now_ns)
            case "board_setup":
                self._board_setup.requested(request.detail, now_ns)
            case "new_game":
                self._begin_local_game(request.at_ns)
            case "quit":
                self._closing = True
            case _:
                self._log.warning("unknown request of the screen", what=request.what)

    def _choose(self, word: str, now_ns: int) -> None:
        """A word of the player who chooses colour or draw-win; the game begins to be this table's with the last."""
        before = self._assigned
        if before.choice is None:
            return
        self._assigned = before.said(word)
        self._keep_assignment()
        if self._assigned.choice is None:
            self._take_on(self._assigned, now_ns)
            self._note(now_ns, now_ns, self._assigned.note(before))

    def _speak(self, side: str, now_ns: int) -> None:
        """For the player who asks; a button that stands for nobody speaks for him who cannot see the clock."""
        game = self._table_game.shown
        if side not in tuple(Side) and game is not None:
            blind = [one for one in Side if not game.header.hands_commit.of(one)]
            side = blind[0] if blind else game.clock.running or game.to_move
        self._spoken(Side(side) if side in tuple(Side) else Side.BLACK, game, now_ns)

    # -- orders of the hub

    def _ordered(self, message: LinkMessage, now_ns: int) -> None:
        try:
            order = read_order(message.topic, message.payload, self._identity)
            match order:
                case Assignment():
                    self._reassign(assigned(order), now_ns)
                case ReceiptMessage() if order.again:
                    self._log.warning("the hub asks again", id=order.id, why=order.why)
                    self._courier.again(order.id)
                case ReceiptMessage():
                    self._receipt(Receipt(order.id, order.accepted, order.head, order.why))
                case Ruling():
                    self._rule(order, now_ns)
                case Update():
                    self._updates.ordered(order)
        except NotForUsError as dropped:
            self._log.warning("dropped", why=dropped)

    def _reassign(self, new: Assigned, now_ns: int) -> None:
        if new.seq <= self._assigned.seq:
            return
        self._assigned = new = self._assigned.again(new)
        self._log.info("assigned", seq=new.seq, game=new.game_id or "-", seat=new.seat)
        play = self._table_game.play
        if play is not None and new.header is not None and new.game_id == play.game_id:
            if play.touched or new.header == play.header:
                self._keep_assignment()
                return
        else:
            self._swapped = self._usually_swapped
            self._call = Call(wanted=False)
        self._keep_assignment()
        self._take_on(new, now_ns)

    def _take_on(self, new: Assigned, now_ns: int) -> None:
        # There is no game before its colours are chosen.
        header = new.header if new.choice is None else None
        new = replace(new, header=None if header is None else self._board_setup.as_it_lies(header))
        damage = self._table_game.take_on(new, now_ns)
        if damage:
            self._troubles.damaged(damage)
        play = self._table_game.play
        self._answers = dict(play.answers) if play is not None else {}
        if play is not None and play.uncertain_ns:
            self._log.warning("game resumed", game=play.game_id, uncertain_ns=play.uncertain_ns)

    def _begin_local_game(self, now_ns: int) -> None:
        """The next game where no hub assigns any; with no director to wait for, White's press starts it."""
        if self._local_header is None:
            return
        self._reassign(next_local_game(self._assigned, self._local_header), now_ns)
        self._table_game.add(Start(now_ns), now_ns)

    def _keep_assignment(self) -> None:
        content = self._state.assignment_bytes(self._assigned, self._swapped)
        self._recorder.replace(self._state.assignment_path, content)

    def _receipt(self, receipt: Receipt) -> None:
        self._courier.receipt(receipt.id, receipt.head if receipt.accepted else "")
        if not receipt.accepted:
            self._log.error("result not accepted by the hub", id=receipt.id, why=receipt.why)
        self._table_game.receipt(receipt)

    def _rule(self, ruling: Ruling, now_ns: int) -> None:
        """Gives the ruling to the referee, once; the answer goes out with the status."""
        play = self._table_game.play
        if ruling.id in self._answers or self._table_game.knows_ruling(ruling.id):
            return
        if self._assigned.choice is not None and ruling.game == self._assigned.game_id:
            return  # the hub says it again until it is answered
        if play is None or ruling.game != play.game_id:
            self._answers[ruling.id] = "refused: this game is not at this table"
            return
        try:
            self._table_game.add(ruling_input(ruling, now_ns), now_ns, ruling.id)
        except GameFileError as error:
            self._answers[ruling.id] = f"refused: {error}"[:1000]

    # -- what is told

    def _tell(self, now_ns: int) -> None:
        for note in self._troubles.look(now_ns):
            self._note(now_ns, now_ns, note)
        troubles = self._presses.troubles(now_ns) + self._troubles.others
        storage = self._troubles.storage
        facts = Facts(
            tournament=self._assigned.tournament,
            seat=self._assigned.seat,
            health=Health(
                board=self._board_setup.health,
                clock=", ".join(troubles) or "ok",
                storage=storage or "ok",
            ),
            fit=self._fit,
            answers=tuple(self._answers.items()),
            game=self._assigned.game_id or None,
            choice=letters.colours(self._assigned),
            update=self._updates.said,
        )
        self._bulletin.tell(self._table_game.play, facts, self._call, now_ns)
        view = viewed(
            self._table_game,
            self._assigned,
            self._board_setup,
            connected=self._connected,
            storage_ok=not storage,
            call_wanted=self._call.wanted,
            messages=(*self._troubles.damage, *troubles, *([storage] if storage else [])),
            swapped=self._swapped,
        )
        if view != self.view:
            self.view = view
            for one in self._shows:
                one.show(view)
