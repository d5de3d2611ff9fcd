"""The game at this table, from its assignment to the hub's receipt: the referee's value, and its journal.

Only the loop calls it. Every judged input is given to the journal's writer at once; nothing waits for the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from flagfall.base.message import Message
from flagfall.base.trouble import trouble
from flagfall.link.messages import Receipt
from flagfall.othello.colour_choice import colours_after
from flagfall.othello.game import Awaits, Game, Header, State
from flagfall.othello.game import Outcome as GameOutcome
from flagfall.othello.gamefile import header_object
from flagfall.othello.inputs import (
    AcceptEnd,
    BoardState,
    Input,
    Note,
    Power,
    Press,
    Ready,
    Shown,
    Sign,
    Start,
    Tick,
    Touch,
)
from flagfall.othello.judging.clocks import turned
from flagfall.othello.judging.errors.after_the_end import can_be_mended
from flagfall.othello.judging.flags.falling import advance, falls_after_ns
from flagfall.othello.referee import judge, new_game
from flagfall.othello.side import Side
from table_app.board.port import BoardPort
from table_app.events import CLOSED_UNSIGNED, BoardPresence, BoardShown, BoardStream, BoardTouched
from table_app.game.board_view import BoardWatch
from table_app.game.sequencer import UNSETTLED_NS, Sequencer
from table_app.record.journal import Damage, Journal, JournalWriter, heard_object, input_line, receipt_object
from table_app.record.state_dir import StateDirectory
from table_app.table_assignment import TableAssignment

# A press of the last instant is in the inbox by then.
FLAG_LAG_NS = 20_000_000
HEARTBEAT_NS = 700_000_000
HELD_SAYS_YES_NS = 2_000_000_000
# Longer than the interval of heartbeats: a power cut loses at most this much play.
UNCERTAIN_NS = 1_000_000_000

BoardEvent = BoardStream | BoardTouched | BoardShown | BoardPresence


class TableGame:
    """The game that is assigned to this table, from its first input to its result."""

    def __init__(
        self,
        *,
        state: StateDirectory,
        recorder: JournalWriter,
        board: BoardPort,
        # called from another thread with a ruling's id and its answer, once that is durable
        answered: Callable[[str, Message | str], None],
    ) -> None:
        self._state = state
        self._recorder = recorder
        self._board = board
        self._answered = answered
        self._sequencer = Sequencer()
        self._journal = Path()
        self._tick_for_ns: int | None = None
        self._heartbeat_ns = 0
        self.watch = BoardWatch()
        self.play: GameSession | None = None
        self.pressed_too_early = False
        self._exchanged = False

    # -- from one game to the next

    def take_on(self, new: TableAssignment, now_ns: int) -> Message | None:
        """Begin the assigned game, or resume it from its journal; without a header there is no game.

        Returns what was damaged in the journal, None if nothing was.
        """
        self._sequencer.forget()
        self.play = None
        self.pressed_too_early = False
        if new.header is None:
            self._heed_board(now_ns)
            return None
        self._journal = self._state.journal_path(new.game_id)
        journal, damage = self._state.journal(new.game_id)
        play = GameSession.restored(journal) if journal is not None else None
        if journal is not None and play is not None and (play.has_begun or play.game.header == new.header):
            self.play = play
            self._recorder.resume(self._journal, journal.good_bytes, journal.unwritten, journal.last_ns)
            self._resume(play, journal, now_ns)
            self._sequencer.last_ns = max(self._sequencer.last_ns, journal.last_ns)
        else:
            self.play = play = GameSession.new(new.game_id, new.tournament, new.header)
            self._recorder.begin(self._journal, play.header_line(), now_ns)
        self._board.turn(play.game.header.board_turned)
        # The board names its squares by the new orientation.
        self.watch.position = None
        self._board.ask_snapshot()
        self._heed_board(now_ns)
        self._add(self.watch.inform(play.game, now_ns), now_ns)
        return damage

    def _resume(self, play: GameSession, journal: Journal, now_ns: int) -> None:
        """Resume a game, stopped at the end of its record."""
        for press in journal.unjudged:
            if play.game.reads_board:
                # The position at that instant is not on record: the move is owed until the board is read again.
                self._judge(BoardState(max(press.at_ns, play.game.at_ns), False), "", now_ns)
            self._judge(press, "", now_ns)
        for input in play.power_back(journal.last_ns, journal.damage, self._state.alive.at_ns()):
            self._judge(input, "", now_ns)

    def receipt(self, receipt: Receipt) -> None:
        """Keep the hub's receipt for a result of this game."""
        play = self.play
        if play is None or receipt.id in play.receipts or receipt.id.rpartition(".")[0] != play.game_id:
            return
        play.receipts[receipt.id] = receipt
        self._recorder.append(self._journal, [receipt_object(receipt)], play.game.at_ns)

    # -- what happens in it

    def add(self, input: Input, now_ns: int, tag: str = "") -> None:
        """Add an input; it is judged when no earlier one can arrive any more."""
        self._sequencer.add(input, now_ns, tag)

    @property
    def has_board(self) -> bool:
        """A game is played here on a sensor board, which may be lost at present."""
        return self.play is not None and self.play.game.header.sensors

    @property
    def unread(self) -> Message | None:
        """Moves that a board which is read again does not explain, so that they must be entered; a slow board is three
        presses late at most."""
        game = self.play.game if self.play is not None else None
        if game is None or game.over or not game.reads_board or not self.watch.present:
            return None
        ended = game.owed > 0 and not game.shown.empty and not game.shown.unknown
        return trouble("moves_unread") if game.owed > 3 or ended else None

    def note(self, note: Note | None, at_ns: int, now_ns: int) -> None:
        """Put a note into the game's record; the law does not weigh it."""
        if note is not None and self.play is not None:
            self.add(Tick(at_ns, note), now_ns)

    def knows_ruling(self, ruling_id: str) -> bool:
        return ruling_id in self._sequencer.tags or (self.play is not None and ruling_id in self.play.answers)

    def press(self, press: Press, now_ns: int) -> None:
        """Add a press. It turns the clock on the screen at once, so it is recorded at once, before its verdict."""
        self._sequencer.add(press, now_ns)
        if self.play is not None and not self.play.game.over:
            self._recorder.append(self._journal, [heard_object(press)], self.play.game.at_ns)

    def take_hold(self, side: Side, since_ns: int, until_ns: int) -> None:
        """Take a button that was held down for a while as a yes: to the score after the end, to the end itself where
        the opponent of the last mover accepts it, or to going on where players may."""
        play = self.play
        if play is None or since_ns < play.state_since_ns or until_ns - since_ns < HELD_SAYS_YES_NS:
            return
        game = play.game
        if game.state is State.FINISHED and not game.signed.of(side):
            self._say_once(Sign(until_ns, side), until_ns)
        elif game.awaits is Awaits.ACCEPT_END and side is not game.last_mover:
            self._say_once(AcceptEnd(until_ns, side), until_ns)
        elif (
            game.state is State.STOPPED
            and not game.header.judged
            and game.rules.players_stop
            and not game.ready.of(side)
        ):
            self._say_once(Ready(until_ns, side), until_ns)

    def take_double_hold(self, since_ns: int, until_ns: int) -> None:
        """Start a table without a judge, if both buttons were held down for a while after the director's
        announcement."""
        play = self.play
        if play is None or until_ns - since_ns < HELD_SAYS_YES_NS or play.game.header.judged:
            return
        waiting = play.game.state is State.WAITING and not play.game.armed
        if waiting and not any(isinstance(input, Start) for input in self._sequencer.waiting):
            self.add(Tick(until_ns, Note("started_by_both_buttons")), until_ns)
            self.add(Start(until_ns), until_ns)

    def _say_once(self, input: Sign | Ready | AcceptEnd, now_ns: int) -> None:
        if not any(type(waits) is type(input) and waits.by is input.by for waits in self._sequencer.waiting):
            self.add(input, now_ns)

    def from_board(self, event: BoardEvent, now_ns: int) -> None:
        match event:
            case BoardStream():
                settled_to_ns = event.settled_to_ns - self.watch.late_ns
                self._sequencer.board_settled(settled_to_ns, now_ns)
                self._add(self.watch.take_settled(settled_to_ns), now_ns)
            case BoardTouched():
                self._add(self.watch.touched(event), now_ns)
            case BoardShown():
                self._add(self.watch.take_position(event, self._sequencer.waiting), now_ns)
            case BoardPresence():
                self._add(self.watch.came_or_went(event), now_ns)
                self._sequencer.patience_ns = max(UNSETTLED_NS, event.patience_ns)
                self._heed_board(now_ns)

    def _add(self, news: Sequence[Input], now_ns: int) -> None:
        if self.has_board:
            for input in news:
                self.add(input, now_ns)

    def _heed_board(self, now_ns: int) -> None:
        """Let verdicts wait for the board only while a game is played on it."""
        if not (self.watch.present and self.has_board):
            self._sequencer.board_went()
        elif not self._sequencer.board:
            self._sequencer.board_came(now_ns)

    # -- what follows from it

    def advance(self, now_ns: int) -> None:
        """Judge the inputs that are due, notice flags, and record that time has passed."""
        flag_ns = self._flag_ns()
        if flag_ns is not None and now_ns >= flag_ns:
            self._tick_for_ns = flag_ns - FLAG_LAG_NS
            self.add(Tick(now_ns), now_ns)
        for held in self._sequencer.take(now_ns):
            if held.unseen and isinstance(held.input, Press) and self.play is not None and self.play.timed:
                # A slow board accuses nobody: the move is owed until the board has told it.
                for lost in self.watch.lose(held.input.at_ns):
                    self._judge(lost, "", now_ns)
            self._judge(held.input, held.tag, now_ns)
        play = self.play
        if play is not None and play.timed and now_ns - self._heartbeat_ns >= HEARTBEAT_NS:
            self._heartbeat_ns = now_ns
            self._recorder.append(self._journal, [], max(play.game.at_ns, self._sequencer.horizon_ns(now_ns)))

    def judge_all(self, now_ns: int) -> None:
        """Judge at once the inputs that still wait for the board or the buttons: the game is left."""
        self.advance(now_ns + self._sequencer.patience_ns)

    def next_ns(self, now_ns: int) -> int | None:
        """Return the next time at which `advance` has something to do without a new event."""
        times = [self._sequencer.next_ns(now_ns), self._flag_ns()]
        if self.play is not None and self.play.timed:
            times.append(self._heartbeat_ns + HEARTBEAT_NS)
        return min((time_ns for time_ns in times if time_ns is not None), default=None)

    def _flag_ns(self) -> int | None:
        """Return the time to look for a fallen flag, once for each instant at which it may fall."""
        empty_at_ns = falls_after_ns(self.play.game) if self.play and self.play.timed else None
        if empty_at_ns is None or empty_at_ns == self._tick_for_ns:
            return None
        return empty_at_ns + FLAG_LAG_NS

    def _judge(self, input: Input, ruling_id: str, now_ns: int) -> None:
        play = self.play
        if play is None or not play.wants(input):
            return
        before = play.game
        play.judge(input, ruling_id)
        if before.colour_draw is None and play.game.colour_draw is input:
            self._exchanged ^= colours_after(before.header, play.game.colour_draw)[1]
        self._recorder.append(self._journal, [input_line(input, ruling_id)], input.at_ns)
        if ruling_id:
            answer = play.answers[ruling_id]
            self._recorder.after_durable(lambda: self._answered(ruling_id, answer))
        if isinstance(input, Press) and before.state is State.WAITING and not before.armed:
            self.pressed_too_early |= input.by is Side.WHITE
        if play.game.armed:
            self.pressed_too_early = False
        if before.over and not play.game.over:
            # The game has not been told of the board since its end.
            self._add(self.watch.inform(play.game, now_ns), now_ns)

    def take_exchange(self) -> bool:
        """Return True once after a draw that has exchanged the players' colours."""
        exchanged, self._exchanged = self._exchanged, False
        return exchanged

    @property
    def shown(self) -> Game | None:
        """The game with its clock turned by presses whose verdict is pending."""
        if self.play is None:
            return None
        presses = tuple(input for input in self._sequencer.waiting if isinstance(input, Press))
        return with_presses(self.play.game, presses) if presses else self.play.game


@dataclass(frozen=True, slots=True)
class SessionOutcome:
    """A finished game as reported to the hub, from which a result is made. `closed`: final without signatures."""

    game_id: str
    revision: int
    inputs: tuple[Input, ...]
    game: Game
    closed: bool = False

    @property
    def id(self) -> str:
        return f"{self.game_id}.{self.revision}"


@dataclass(slots=True)
class GameSession:
    """A game at this table, with its inputs, outcomes and answers: the referee's value and what the table adds to it.

    No files, no network: `judge` takes one input and keeps its consequences, `restored` does so with a whole journal.
    """

    game_id: str
    tournament: str
    game: Game
    inputs: list[Input] = field(default_factory=list)
    # counts new outcomes: at the finish, at each signature, after a ruling, or closed without signatures
    revision: int = 0
    outcome: SessionOutcome | None = None
    answers: dict[str, Message | str] = field(default_factory=dict)
    receipts: dict[str, Receipt] = field(default_factory=dict)
    sent: set[str] = field(default_factory=set)  # ids of outcomes that the network has taken
    uncertain_ns: int = 0
    state_since_ns: int = 0
    closed_as: GameOutcome | None = None  # the outcome that the director closed without signatures

    @classmethod
    def new(cls, game_id: str, tournament: str, header: Header) -> GameSession:
        return cls(game_id, tournament, new_game(header))

    @classmethod
    def restored(cls, journal: Journal) -> GameSession:
        """Return the game as the journal leaves it."""
        play = cls.new(journal.game_id, journal.tournament, journal.header)
        for entry in journal.entries:
            play.judge(entry.input, entry.ruling_id)
        play.receipts = {receipt.id: receipt for receipt in journal.receipts}
        play.sent = set(play.receipts)
        if journal.damage is not None:
            # Revisions that the hub has already had must not be used for other outcomes.
            revisions = (receipt.id.rpartition(".")[2] for receipt in journal.receipts)
            play.revision = max(
                [play.revision, *(int(revision) for revision in revisions if revision.isdecimal())]
            )
        return play

    @property
    def has_begun(self) -> bool:
        """Something has happened in it that a new header must not wipe out."""
        return self.game.armed or self.game.colour_draw is not None or self.game.state is not State.WAITING

    @property
    def timed(self) -> bool:
        """A clock runs."""
        return self.game.clock.running is not None

    def power_back(self, last_ns: int, damage: Damage | None = None, alive_ns: int = 0) -> Iterator[Input]:
        """Yield the inputs that a restart adds: none before the game has begun or after its end.

        After damage they note it, and give the last position that is known. `alive_ns`: until when the table ran, also
        while nothing could be recorded.
        """
        if not self.has_begun or self.game.over:
            return
        lost_ns = damage.lost_ns if damage is not None else 0
        if self.timed:
            lost_ns = max(lost_ns, alive_ns - last_ns) + UNCERTAIN_NS
        yield Power(last_ns, lost_ns)
        if damage is not None:
            yield Tick(last_ns, Note("journal_damaged", detail=damage.why))
            if damage.shown is not None and self.game.reads_board:
                yield Shown(last_ns, damage.shown)

    def wants(self, input: Input) -> bool:
        """Return True if the input matters now; setting up or clearing the board must not fill the journal."""
        if isinstance(input, Shown) and self.game.over:
            return can_be_mended(self.game, input.position)
        return self.timed or not isinstance(input, Touch)

    def judge(self, input: Input, ruling_id: str = "") -> None:
        """Give one more input to the referee. Make a new outcome if the result changed."""
        before, reported = self.game, self._reported()
        self.game = judge(before, input)
        self.inputs.append(input)
        if self.game.phase is not before.phase:
            self.state_since_ns = self.game.at_ns
        if ruling_id:
            self.answers[ruling_id] = answer(before, self.game)
        if isinstance(input, Power):
            self.uncertain_ns = input.uncertain_ns
        elif self.game.state is not State.STOPPED:
            self.uncertain_ns = 0
        if isinstance(input, Tick) and input.note is not None and input.note.text == CLOSED_UNSIGNED:
            self.closed_as = self.game.outcome
        if self.game.over and reported != self._reported():
            self.revision += 1
            inputs = tuple(self.inputs)
            self.outcome = SessionOutcome(self.game_id, self.revision, inputs, self.game, self.closed)
        elif not self.game.over:
            self.outcome = None

    @property
    def closed(self) -> bool:
        """The director has closed the game as it stands, without both signatures."""
        return self.game.state is State.FINISHED and self.closed_as == self.game.outcome

    def _reported(self) -> object:
        """Return the value whose change makes a new revision."""
        return (self.game.state, self.game.outcome, self.closed) if self.game.over else None

    @property
    def unsent(self) -> SessionOutcome | None:
        """The outcome that the hub has not yet confirmed or refused."""
        if self.outcome is None or self.outcome.id in self.receipts:
            return None
        return self.outcome

    @property
    def settled(self) -> bool:
        """The game is signed, or closed without signatures, and the hub has accepted the result."""
        final = self.game.state is State.SIGNED or self.closed
        return final and self.receipt is not None and self.receipt.accepted

    @property
    def receipt(self) -> Receipt | None:
        """The hub's receipt for the present outcome."""
        return self.receipts.get(self.outcome.id) if self.outcome else None

    def header_line(self) -> dict[str, Any]:
        """Return the first line of its journal."""
        return header_object(self.game.header) | {"game": self.game_id, "tournament": self.tournament}


def answer(before: Game, after: Game) -> Message | str:
    """Return the answer to a ruling: "applied", or why the referee refused it."""
    for incident in after.incidents[len(before.incidents) :]:
        if incident.why is not None and incident.rule is not None:
            return incident.why
    return "applied"


def with_presses(game: Game, presses: tuple[Press, ...]) -> Game:
    """Return the game as shown while the verdict on these presses is pending: only its clock has turned.

    Time passes and clocks turn by the law's own two functions; no move is looked for.
    """
    clocks = game
    for press in presses:
        at_ns = max(press.at_ns, clocks.at_ns)
        clocks = turned(advance(clocks, at_ns), press.by)
    return replace(game, clock=clocks.clock, state=game.state if clocks.over else clocks.state)
