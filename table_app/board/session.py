"""The table's side of the board's protocol: bytes and instants in, events and bytes out; no port, no thread.

One session lasts from the opening of a port to its loss. The board counts as present once it has identified itself,
shown its position, and its time is known. From then on every settled change becomes a `BoardShown` at the instant of
the change, and `BoardStream` says up to which instant everything has been told. No event ever bears an instant before
one that was declared settled.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable

from flagfall.link.board.faults import detail_as_named, fault_in_words
from flagfall.link.board.frames import Decoder, Frame, encode
from flagfall.link.board.messages import (
    TOUCH_DISC,
    TOUCH_DROPPED,
    TOUCH_HAND,
    AskHello,
    AskSnapshot,
    BoardKind,
    FaultReport,
    Hello,
    Message,
    Raw,
    Snapshot,
    Touched,
    Walk,
)
from flagfall.othello.board import Position
from flagfall.othello.inputs import Contact
from table_app.board.time_mapping import KNOWN_WELL_NS, BoardTime
from table_app.events import BoardFault, BoardPresence, BoardShown, BoardStream, BoardTouched, Event

ASK_AGAIN_NS = 300_000_000
# Twenty missed snapshots: the board is given up and searched for again.
SILENCE_NS = 1_000_000_000
# Interval of time questions while the board's time is not known well.
ASK_TIME_NS = 100_000_000
# A board whose time is less certain than this counts as absent, so that nobody is judged by it.
MOST_UNCERTAIN_NS = 100_000_000
# How long a board may send without identifying itself.
PATIENCE_NS = 3_000_000_000

_CONTACTS = {TOUCH_DISC: Contact.DISC, TOUCH_HAND: Contact.HAND, TOUCH_DROPPED: Contact.DROPPED}


class BoardSession:
    """A conversation with one board from the opening of its port to its loss."""

    def __init__(
        self,
        opened_at_ns: int,
        turned: bool = False,  # receives raw readings, for builders only
        on_raw: Callable[[Raw], None] | None = None,
        # returns a board's orientation by its identity, None if unknown
        orientation: Callable[[str], bool | None] = lambda _: None,
        # When questions were asked that may still be answered. It goes from session to session, since an
        # answer under way outlives the port.
        questions_ns: deque[int] | None = None,
    ) -> None:
        self.present = False
        self.identity = ""
        self._calibrated = True
        self._hello: Hello | None = None
        self._turned = turned
        self._on_raw = on_raw
        self._orientation = orientation
        self._decoder = Decoder()
        self._budget = Budget(opened_at_ns)
        self._counts: Counter[str] = Counter()
        self._out = bytearray()
        self._sequence = 0
        self._opened_at_ns = self._heard_at_ns = opened_at_ns
        self._events: list[Event] = []
        self._settled_to_ns = opened_at_ns
        self._said_unseen = False
        self._questions_ns = deque[int]() if questions_ns is None else questions_ns
        self._forget(opened_at_ns)

    def _forget(self, now_ns: int) -> None:
        self._time = BoardTime()
        self._ask(now_ns)
        self._next_sequence: int | None = None
        self._told: Position | None = None
        self._lost_some = False

    def say(self, message: Message) -> None:
        """Queue one frame for the board."""
        if isinstance(message, Walk) and message.command < 64:
            message = Walk(self._named(message.command))
        self._out += encode(Frame(self._sequence, 0, message))
        self._sequence = (self._sequence + 1) & 0xFFFF

    def _ask(self, now_ns: int) -> None:
        """Ask for the board's identity. The answer was made after the question, which also bounds the board's time."""
        self._asked_at_ns = now_ns
        while self._questions_ns and now_ns - self._questions_ns[0] >= PATIENCE_NS:
            self._questions_ns.popleft()
        self._questions_ns.append(now_ns)
        self.say(AskHello())

    def to_send(self, now_ns: int) -> bytes:
        """Return the bytes to send now; a board that has not answered is asked again."""
        waited_ns = now_ns - self._asked_at_ns
        if not self.identity:
            if waited_ns >= ASK_AGAIN_NS:
                self._ask(now_ns)
        elif self._uncertain_ns > KNOWN_WELL_NS and self._may_ask_time(now_ns):
            self._ask(now_ns)
        elif not self.present and waited_ns >= ASK_AGAIN_NS:
            if self._is_eye:
                self._ask(now_ns)
                self._not_seen_yet(now_ns)
            else:
                self._asked_at_ns = now_ns
            self.say(AskSnapshot())
        out = bytes(self._out)
        self._out.clear()
        return out

    def _not_seen_yet(self, now_ns: int) -> None:
        """Told once: presses are not judged by a board that an eye has never seen."""
        if not self._said_unseen:
            self._said_unseen = True
            why = "the eye has not seen the board yet"
            self._events.append(BoardPresence(now_ns, ok=False, identity=self.identity, why=why))

    def _may_ask_time(self, now_ns: int) -> bool:
        """Return True if the board's time may be asked now.

        An open question means that an answer was lost, and each later answer would be taken for that of the
        question before. The next question therefore waits until no answer can come any more.
        """
        if self._questions_ns:
            return now_ns - self._questions_ns[-1] >= PATIENCE_NS
        return now_ns - self._asked_at_ns >= ASK_TIME_NS

    def given_up(self, now_ns: int) -> bool:
        """Return True after a second without a valid frame, or three without a board that has identified
        itself. An eye without light may report that for longer."""
        if not (self.present or self._is_eye) and now_ns - self._opened_at_ns > PATIENCE_NS:
            return True
        return now_ns - self._heard_at_ns > SILENCE_NS

    @property
    def floods(self) -> bool:
        """Return True if the board has sent more than a board can (`table_app.board.session`)."""
        return self._budget.spent

    def turn(self, turned: bool) -> None:
        """Set the orientation of a board of unknown identity. After a change the position is reported again
        under its new names."""
        known = self._orientation(self.identity) if self.identity else None
        if known is not None:
            turned = known
        if turned != self._turned:
            self._turned = turned
            self.tell_again()

    def tell_again(self) -> None:
        """Report the next snapshot, changed or not."""
        self._told = None
        self.say(AskSnapshot())

    def received(self, data: bytes, arrived_ns: int) -> list[Event]:
        """Return the events in bytes that arrived at `arrived_ns`; any bytes are allowed. Nothing is read
        beyond the board's budget."""
        self._budget.charge(len(data), arrived_ns)
        if self.floods:
            return []
        bad_before = self._decoder.bad
        for frame in self._decoder.feed(data):
            self._budget.charge(FRAME_UNITS, arrived_ns)
            self._follow(frame, arrived_ns)
            if self._time_known or not self.present:
                self._heard_at_ns = arrived_ns
            reported = len(self._events)
            self._understand(frame, arrived_ns)
            recorded = sum(not isinstance(event, BoardStream) for event in self._events[reported:])
            self._budget.charge(EVENT_UNITS * recorded, arrived_ns)
            if self.floods:
                break
        if self._decoder.bad > bad_before:
            self._fault(arrived_ns, "bytes that are no frame", self._decoder.bad - bad_before)
        events, self._events = self._events, []
        return events

    def _follow(self, frame: Frame, arrived_ns: int) -> None:
        """Follow the board's time and sequence numbers; after a gap the position is asked for."""
        if self._time.precedes(frame.board_us):
            self._leave(arrived_ns, "the board has started again")
            self._forget(arrived_ns)
        if self._next_sequence is not None and frame.sequence != self._next_sequence:
            self._lost_some = True
            self._fault(arrived_ns, "frames lost", (frame.sequence - self._next_sequence) & 0xFFFF)
            self.say(AskSnapshot())
        self._next_sequence = (frame.sequence + 1) & 0xFFFF
        self._time.observe(frame.board_us, arrived_ns)

    def _understand(self, frame: Frame, arrived_ns: int) -> None:
        match frame.message:
            case Hello(identity, _, calibrated) as hello:
                self._hello = hello
                if self._questions_ns:
                    # Answers come in the order of the questions; after a lost answer the next one bounds the time less
                    # tightly, but correctly.
                    self._time.observe_answer(frame.board_us, self._questions_ns.popleft())
                if identity != self.identity or not self.present:
                    self.identity, self._calibrated = identity, calibrated
                    self.turn(self._turned)
                    self.tell_again()
                elif calibrated != self._calibrated:
                    self._calibrated = calibrated
                    self._came(arrived_ns)
                    self.tell_again()
            case Snapshot(position, changed_us, settled_to_us) if self.identity:
                self._show(position, changed_us, settled_to_us, arrived_ns)
            case Touched(square, contact, ambiguous) if self.present and self._time_known:
                if square is None or ambiguous:
                    self._fault(arrived_ns, "contact of two hands at once")
                else:
                    at_ns = self._not_settled_yet(self._at_ns(frame.board_us, arrived_ns))
                    self._events.append(BoardTouched(at_ns, self._named(square), _CONTACTS[contact]))
            case FaultReport(code, square, detail):
                detail = detail_as_named(code, detail, self._named)
                named = None if square is None else self._named(square)
                text = fault_in_words(code, named, detail)
                self._counts[text] += 1
                self._events.append(
                    BoardFault(arrived_ns, text, self._counts[text], code=code, square=named, detail=detail)
                )
            case Raw() as raw:
                if self._on_raw is not None:
                    self._on_raw(raw)

    @property
    def _uncertain_ns(self) -> int:
        uncertain_ns = self._time.uncertain_ns
        return MOST_UNCERTAIN_NS + 1 if uncertain_ns is None else uncertain_ns

    @property
    def _time_known(self) -> bool:
        """Known well enough to begin with; later at all: a bound that was too high shows itself by a faster frame."""
        return self._time.uncertain_ns is not None and (
            self.present or self._uncertain_ns <= MOST_UNCERTAIN_NS
        )

    def _show(self, position: Position, changed_us: int, settled_to_us: int, arrived_ns: int) -> None:
        if not self._time_known:
            self._lost_some = True
            return
        if not self.present:
            self.present = True
            self._settled_to_ns = arrived_ns
            self._came(arrived_ns)
        if self._turned:
            position = turned_round(position)
        if position != self._told:
            at_ns = self._not_settled_yet(self._at_ns(changed_us, arrived_ns))
            since_ns = self._settled_to_ns if self._lost_some and self._told is not None else None
            self._told = position
            early_ns = max(0, self._uncertain_ns - KNOWN_WELL_NS)
            self._events.append(BoardShown(at_ns, position, since_ns, self._hidden_since_ns, early_ns))
        self._lost_some = False
        # Put even if it did not advance: a board that still talks is waited for longer than a silent one.
        settled_to_ns = max(self._settled_to_ns, self._at_ns(settled_to_us, arrived_ns))
        self._settled_to_ns = settled_to_ns
        self._events.append(BoardStream(settled_to_ns))

    @property
    def _hidden_since_ns(self) -> int | None:
        """Each picture of an eye says up to when it has seen everything; between the last picture and a change
        something hid the board, and several moves may have been made behind it."""
        return self._settled_to_ns if self._is_eye else None

    @property
    def _is_eye(self) -> bool:
        return self.identity != "" and self._hello is not None and self._hello.kind == BoardKind.EYE

    def _at_ns(self, board_us: int, arrived_ns: int) -> int:
        """Return the instant on the table's count. A board time in the future is replaced by the arrival."""
        return min(self._time.at_ns(board_us), arrived_ns)

    def _not_settled_yet(self, at_ns: int) -> int:
        """Return the instant, but never one before the settled instant. The time mapping improves with faster
        frames."""
        return max(at_ns, self._settled_to_ns)

    def _named(self, square: int) -> int:
        return 63 - square if self._turned else square

    def _came(self, at_ns: int) -> None:
        hello = self._hello
        assert hello is not None, "a board is present only after its identity"
        self._events.append(
            BoardPresence(
                at_ns,
                True,
                self.identity,
                calibrated=self._calibrated,
                kind=hello.kind,
                late_ns=hello.late_ms * 1_000_000,
                patience_ns=hello.patience_ms * 1_000_000,
            )
        )

    def _leave(self, at_ns: int, why: str) -> None:
        if self.present:
            self.present = False
            self._events.append(BoardPresence(at_ns, ok=False, identity=self.identity, why=why))
        self.identity = ""

    def _fault(self, at_ns: int, text: str, times: int = 1) -> None:
        self._counts[text] += times
        self._events.append(BoardFault(at_ns, text, self._counts[text]))


def turned_round(position: Position) -> Position:
    """Return the position with the names of a board that lies the other way round: a1 becomes h8."""
    return Position(
        _reversed_bits(position.black), _reversed_bits(position.white), _reversed_bits(position.unknown)
    )


def _reversed_bits(squares: int) -> int:
    return int(f"{squares:064b}"[::-1], 2)


# Twice what a genuine board's bytes and frames cost when it sends all that its cable carries.
UNITS_PER_S = 32_000
# What a genuine board may have sent while the table's machine slept.
BURST_UNITS = 128_000
# Work of one frame, beside its bytes.
FRAME_UNITS = 64
# Work of a frame that is judged and recorded: a contact, a changed position, a fault.
EVENT_UNITS = 256


class Budget:
    """The budget of what a board may send, a bucket of units that fills up with time.

    Bytes are charged before they are parsed, frames and events after. A genuine board sends one packet of 64 bytes a
    scan at most, 14 kB a second, and far less on average. A program that poses as a board, or a board with a fault,
    sends megabytes of valid frames: each would be judged and written to disk.
    """

    def __init__(self, now_ns: int) -> None:
        self._units = float(BURST_UNITS)
        self._filled_ns = now_ns

    def charge(self, units: int, now_ns: int) -> None:
        """Take `units` out of the bucket at `now_ns`."""
        passed_ns = max(0, now_ns - self._filled_ns)
        self._filled_ns = max(now_ns, self._filled_ns)
        self._units = min(BURST_UNITS, self._units + passed_ns * UNITS_PER_S / 1e9) - units

    @property
    def spent(self) -> bool:
        """Return True if the board has sent more than its budget."""
        return self._units < 0
