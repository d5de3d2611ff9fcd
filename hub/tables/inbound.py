"""The tables' messages on their way in: each waits in its device's queue, and is recorded and acknowledged, or dropped
with one line.

The queue is fair to all tables, and bounded for each device. A device that sends too much loses only its own messages;
it sends results again until their receipt. A device that goes on is kept out of the broker for a minute, and the
operator sees it.

No message may stop the hub. Results are recorded in one commit with whatever else has arrived, and are acknowledged
only then. The hub's referee judges them afterwards (`hub.tables.rejudging`), so that no table waits for it.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from flagfall.base.errors import Failed
from flagfall.base.message import N_
from flagfall.ledger.store import LedgerError
from flagfall.link.messages import BadMessage, Call, ClockShown, Receipt, Result, Status, decode
from flagfall.link.packed_file import PackedFile
from flagfall.link.signature import signed_text, verify
from flagfall.link.topics import Arrival, Kind, Topic, parse
from flagfall.othello.game import is_error_on_the_board
from hub.child_process import Aside
from hub.limits import Abuse, Abuses, Buckets, WorkShares
from hub.ranking.scores import score_fault
from hub.record.codec import result_entry_id
from hub.record.events import GameFileReceived, ResultReceived
from hub.record.happening import Happening
from hub.record.state import TournamentState
from hub.record.store import RecordedEntry, TournamentStore, Write
from hub.rulebook import rules_of
from hub.tables.choices import Choices, ReportedChoice
from hub.tables.devices import Devices
from hub.tables.large_files import LargeFile, LargeFiles
from hub.tables.live import Live
from hub.tables.outbound import Outbound, record_head
from hub.tables.result_check import LARGEST_RESULT_BYTES, NotNow, Unsigned, is_file_left, result_fault
from hub.text import Refused

# Maximum of waiting messages of one device. A table that reconnects sends one result, its status and its clock.
MOST_WAITING, MOST_WAITING_BYTES = 1_000, 8 << 20
# The bytes that a device may send at once, and per second: the broker keeps a copy for whoever reads slowly. A table in
# play sends some 4 kB a second.
SENT_BYTES, SENT_BYTES_PER_S = 16 << 20, 64_000
_MOST_OF_ALL_BYTES = 48 << 20
_MOST_QUEUES = 4_096
_TOGETHER, _TOGETHER_BYTES = 128, 256 << 10  # of a batch: messages that arrive meanwhile wait for all of it
_TOGETHER_OF_ONE, _TOGETHER_OF_ONE_BYTES = 16, 64 << 10
_LITTLE_BYTES = 16 << 10  # waiting of a device that plays: a result is 3 kB, the longest 20 kB
# The lost or useless messages that a device may send before it is kept out. A large one counts as several.
FAULTS_AT_ONCE, FAULTS_PER_S = 500, 5.0
_A_FAULT_BYTES = 16 << 10
KEPT_OUT_S = 60.0
# Takes a level and a message.
Log = Callable[[str, str], None]
# Maximum number of revisions of one game. Each signature and each correction at the table is one; an honest game has
# fewer than ten.
MOST_REVISIONS = 200
# The bytes that a device may add to the record at once, and per second. An honest game's results are some 20 kB, at
# most two of 150 kB.
RECORDED_BYTES, RECORDED_BYTES_PER_S = 8 << 20, 4_000
_NOT_ENROLLED = N_("expected an enrolled device, got {device!r}")
_MOST_INVENTED = 8
# Of 500 faults: a device that sends on after its share is spent is soon out of the broker.
_PUT_OFF_WEIGHT = 10
_SLICE_S = 0.02


@dataclass(slots=True)
class _Queue:
    messages: deque[Arrival] = field(default_factory=deque)
    bytes_: int = 0


@dataclass(eq=False)
class Intake:
    """The queue. It is used in the hub's loop only."""

    abuses: Abuses
    now_ns: Callable[[], int]
    # Takes a device that must leave the broker for `KEPT_OUT_S`.
    keep_out: Callable[[str], None]
    # Takes each message that is dropped.
    lost: Callable[[Arrival], None] = lambda _: None

    def __post_init__(self) -> None:
        self._link: deque[bool] = deque()
        self._queues: dict[str, _Queue] = {}
        self._bytes = 0
        self._faults = Buckets(FAULTS_AT_ONCE, FAULTS_PER_S, self.now_ns)
        self._sent = Buckets(SENT_BYTES, SENT_BYTES_PER_S, self.now_ns)
        self._more = asyncio.Event()

    def put(self, arrived: Arrival | bool) -> None:
        """Queue a message, or a change of the connection."""
        if isinstance(arrived, bool):
            self._link.append(arrived)
            self._more.set()
            return
        topic = parse(arrived.topic)
        device = topic.device if topic is not None else ""
        queue = self._queues.get(device)
        if queue is None:
            if len(self._queues) >= _MOST_QUEUES:
                return
            queue = self._queues[device] = _Queue()
        size = len(arrived.payload) + len(arrived.topic)
        if (
            len(queue.messages) >= MOST_WAITING
            or queue.bytes_ + size > MOST_WAITING_BYTES
            or (self._bytes + size > _MOST_OF_ALL_BYTES and queue.bytes_ > _TOGETHER_OF_ONE_BYTES)
            or not self._sent.of(device).take(size, self.now_ns())
        ):
            self.lost(arrived)
            self.fault(device, Abuse.MESSAGES, 1 + size // _A_FAULT_BYTES)
            return
        queue.messages.append(arrived)
        queue.bytes_ += size
        self._bytes += size
        self._more.set()

    def fault(self, device: str, abuse: Abuse, weight: int = 1) -> None:
        """Note that a message of this device was lost or useless. Keep the device out if there are too many."""
        self.abuses.note(abuse, device)
        if not self._faults.of(device).take(weight, self.now_ns()):
            self._faults.forget(device)
            self.forget(device)
            self.keep_out(device)

    def forget(self, device: str) -> None:
        """Drop the waiting messages of this device."""
        queue = self._queues.pop(device, None)
        if queue is not None:
            self._bytes -= queue.bytes_
            for message in queue.messages:
                self.lost(message)

    async def batch(self) -> tuple[list[bool], list[Arrival]]:
        """Return the next batch once there is something: from each device in turn, some of its messages."""
        await self._more.wait()
        link = list(self._link)
        self._link.clear()
        batch: list[Arrival] = []
        batch_bytes = 0
        # A device that has little to say comes before one with a backlog.
        for device in sorted(self._queues, key=lambda name: self._queues[name].bytes_ > _LITTLE_BYTES):
            if len(batch) >= _TOGETHER or batch_bytes >= _TOGETHER_BYTES:
                break
            queue = self._queues.pop(device)
            bytes_ = 0
            for _ in range(_TOGETHER_OF_ONE):
                if not queue.messages or bytes_ > _TOGETHER_OF_ONE_BYTES:
                    break
                message = queue.messages.popleft()
                bytes_ += len(message.payload) + len(message.topic)
                batch.append(message)
            queue.bytes_ -= bytes_
            self._bytes -= bytes_
            batch_bytes += bytes_
            if queue.messages:
                self._queues[device] = queue  # behind the others
        if not self._queues and not self._link:
            self._more.clear()
        return link, batch


@dataclass(frozen=True, slots=True)
class DueResult:
    """A valid result."""

    tournament: str
    result: Result
    # The entry to be recorded, None if the result is known already.
    write: Write | None


@dataclass(eq=False)
class Inbound:
    """The handler of batches of messages, in their order."""

    store: TournamentStore
    devices: Devices
    live: Live
    outbound: Outbound
    now_ns: Callable[[], int]
    log: Log
    # The hub's public key, which results name.
    hub_key: bytes
    # Takes tournament and game of each recorded result.
    judge_later: Callable[[str, str], None]
    # Takes a device that sent a useless message.
    fault: Callable[[str, Abuse, int], None] = lambda device, abuse, weight: None
    # Checks the digests of large game files.
    aside: Aside = field(default_factory=Aside)
    # Takes a retained topic that the broker shall forget.
    clear: Callable[[Topic], None] = lambda topic: None
    work_ns: Callable[[], int] = time.thread_time_ns

    def __post_init__(self) -> None:
        self._shares = WorkShares(self.now_ns)
        self.files = LargeFiles(self.aside, self._shares, self._refuse_file)
        self._invented: dict[str, int] = {}
        self._recorded = Buckets(RECORDED_BYTES, RECORDED_BYTES_PER_S, self.now_ns)
        self._choices = Choices(
            self.store, self.devices, self.live, self.outbound, log=self.log, drop=self._drop
        )
        # By tournament and game: the signatures of right revisions that are not yet recorded.
        self._decided: dict[tuple[str, str], dict[int, str]] = {}

    async def take(self, batch: Sequence[Arrival]) -> list[DueResult]:
        """Handle all messages of the batch. Return the results that are due to be recorded."""
        await self._choices.record()
        due: list[DueResult] = []
        slice_ns = self.work_ns()
        try:
            for arrived in batch:
                if self.work_ns() - slice_ns > _SLICE_S * 1e9:
                    await asyncio.sleep(0)  # pages and receipts go on
                    slice_ns = self.work_ns()
                outcome = self._handle(arrived)
                if isinstance(outcome, DueResult):
                    due.append(outcome)
                elif outcome is not None:
                    await self._choices.take(outcome)
        except BaseException:
            self._forget_results(due)
            raise
        return due

    async def take_checked(self) -> list[DueResult]:
        """Wait for a result whose large game file was checked. Return what is due to be recorded of it."""
        arrived = await self.files.checked()
        outcome = self._handle(arrived, is_checked=True) if arrived is not None else None
        return [outcome] if isinstance(outcome, DueResult) else []

    async def record(self, due: Sequence[DueResult]) -> None:
        """Record the results as they were decided, in one commit for each tournament, then send the receipts."""
        try:
            for tournament in dict.fromkeys(entry.tournament for entry in due):
                results = [entry for entry in due if entry.tournament == tournament]
                writes = [entry.write for entry in results if entry.write is not None]
                try:
                    outcomes = await self.store.record(tournament, writes) if writes else []
                except LedgerError as fault:
                    # No receipt: the tables send again.
                    self.log("error", f"results not recorded why={str(fault)!r}")
                    continue
                self._acknowledge(tournament, results, outcomes)
                self.live.changed()
        finally:
            self._forget_results(due)

    def _handle(self, arrived: Arrival, is_checked: bool = False) -> DueResult | ReportedChoice | None:
        """Handle one message. Return the result or choice in it that is to be recorded. `is_checked`: its game file is
        what its digest says."""
        topic = parse(arrived.topic)
        if topic is None:
            self._drop("foreign topic", f"{arrived.topic[:80]!r}: expected a topic of a table")
            return None
        if not self._shares.is_left(topic.device):
            self._drop("message put off", f"{topic}: its device has spent its share of the hub's time")
            self.fault(topic.device, Abuse.WORK, _PUT_OFF_WEIGHT)
            return None
        began_ns = self.work_ns()
        try:
            key = self.devices.key(topic.device)
            if key is None:
                if (
                    arrived.payload
                ):  # an empty one is what the hub itself clears of a revoked device, and hears too
                    self._drop("unknown device", f"{topic}: device {topic.device} is not enrolled")
                    if arrived.retained:
                        self._clear_invented(topic, arrived.retained)
                return None
            if topic.tournament is not None and topic.tournament not in self.store.states:
                self._drop("unknown tournament", f"{topic}: expected one of this hub's")
                if arrived.payload:
                    self._clear_invented(topic, arrived.retained)
                return None
            if not arrived.payload:
                # A retained message was cleared.
                if topic.kind is Kind.STATUS:
                    self.live.hear_status(topic.device, topic.tournament or "", None)
                return None
            try:
                message = decode(topic, arrived.payload)
            except BadMessage as bad:
                self._drop("bad message", str(bad))
                self.fault(topic.device, Abuse.FAULTS, 1)
                return None
            if isinstance(message, Status) and not verify(Kind.STATUS, arrived.payload, key):
                self._drop("bad signature", f"{topic}: signature: not that of device {topic.device}")
                return None
            if isinstance(message, Result):
                return self._due_result(topic, arrived, message, is_checked)
            self._note_message(topic, message, arrived.retained)
            if isinstance(message, Status) and message.choice is not None:
                return ReportedChoice(topic, message.choice)
            return None
        finally:
            self._shares.charge(topic.device, (self.work_ns() - began_ns) / 1e9)

    def _forget_results(self, due: Sequence[DueResult]) -> None:
        """Forget results that are on record now, or that the table will send again."""
        for entry in due:
            if entry.write is not None:
                game = entry.tournament, entry.result.game
                waiting = self._decided[game]
                del waiting[entry.result.revision]
                if not waiting:
                    del self._decided[game]

    def _clear_invented(self, topic: Topic, retained: bool) -> None:
        """Let the broker forget a retained message of an unknown device or event, once its device has sent many.

        A table of another event, or one that was revoked, may have left a few. A device that goes on fills the broker.
        """
        heard = self._invented[topic.device] = self._invented.get(topic.device, 0) + 1
        if heard > _MOST_INVENTED and (retained or topic.retained):
            self.clear(topic)
            self.fault(topic.device, Abuse.RETAINED, 1)

    def _note_message(self, topic: Topic, message: object, retained: bool) -> None:
        match message:
            case Status():
                if message.online and not retained:
                    self._forget_answer(topic.device)
                if message.online and message.start and not retained:
                    if self.live.twins.hear(topic.device, message.start, message.disputed):
                        self.log("warning", f"two devices are {topic.device}")
                        self.outbound.send_assignment(topic.device)
                    elif self.live.twins.is_aside(topic.device, message.start):
                        self.outbound.send_assignment(topic.device)
                        return
                self.live.hear_status(topic.device, topic.tournament or "", message)
                self.outbound.answer_status(topic.device)
                self.outbound.send_rulings(topic.device)
            case ClockShown() if self._assigned_game(topic) == message.game:
                clock = replace(message, at_ns=None) if retained else message
                self.live.hear_clock(topic.device, clock, self.now_ns())
            case Call():
                self.live.hear_call(topic.device, message)

    def _forget_answer(self, device: str) -> None:
        """End the repeating of the answer to a device's claim: it is here, so it has the answer."""
        try:
            self.devices.forget_answer(device)
        except Failed as fault:
            self.log("error", f"answer to a claim not forgotten why={str(fault)!r}")

    def _assigned_game(self, topic: Topic) -> str | None:
        """Return the device's game in this tournament. A retained clock of another game is ignored."""
        state = self.store.states.get(topic.tournament or "")
        record = state.game_of(topic.device) if state is not None else None
        return record.id if record is not None else None

    def _due_result(
        self, topic: Topic, arrived: Arrival, result: Result, is_checked: bool
    ) -> DueResult | None:
        payload = arrived.payload
        state = self.store.states.get(topic.tournament or "")
        record = state.games.get(result.game) if state is not None else None
        if state is None or record is None:
            # A hub restored from an old backup may still learn of this game: the table goes on sending.
            self._drop("result put aside", f"{topic}: game {result.game} is not known here")
            return None
        decided = self._decided.get((state.id, result.game))
        signatures = {**record.revisions, **decided} if decided else record.revisions
        if all((result.signatures.black, result.signatures.white)) and self.live.twins.disputed(topic.device):
            return None  # the table sends it again: nothing is signed until one of two devices is set aside
        key = self.devices.key(topic.device)
        if key is not None and state.enrolled.get(topic.device) != key.hex():
            key = None  # its key is not on record here
        why = result_fault(topic, payload, result, record, key=key, hub=self.hub_key, signatures=signatures)
        if why is None and result.revision in signatures:
            return DueResult(state.id, result, None)
        score = (result.score.black, result.score.white)
        fault = score_fault(rules_of(state.tournament), score, result.reason)
        if why is None and fault is not None:
            why = f"score: expected {fault}, got {score[0]}-{score[1]}"
        elif why is None and len(signatures) >= MOST_REVISIONS:
            why = f"result: expected {MOST_REVISIONS} revisions of {LARGEST_RESULT_BYTES} bytes at most"
            self.fault(topic.device, Abuse.FAULTS, 1)
        if isinstance(why, NotNow):
            if self.live.withhold(state.id, result):
                self._drop("result put aside", f"{topic}: {why}")
            return None
        if why is not None:
            self._quarantine(topic, payload, result, why)
            return None
        if not is_checked and is_file_left(result):
            self.files.add(LargeFile(topic.device, arrived, PackedFile(result.file, result.sha256)))
            return None
        if not self._recorded.of(topic.device).take(len(payload), self.now_ns()):
            # No receipt: the table sends again, and is heard once there is room.
            self._drop("result put off", f"{topic}: expected {RECORDED_BYTES_PER_S} bytes a second at most")
            self.fault(topic.device, Abuse.MESSAGES, 1)
            return None
        self._decided.setdefault((state.id, result.game), {})[result.revision] = result.signature
        received, file = received_result(result, payload)

        async def both(present: TournamentState) -> Sequence[Happening]:
            if key is None or present.enrolled.get(topic.device) != key.hex():
                raise Refused(_NOT_ENROLLED, field="device", device=topic.device)  # it was revoked meanwhile
            return received, file

        write = Write(result_entry_id(result.id), both, topic.device, same=lambda known: known == received)
        return DueResult(state.id, result, write)

    def _acknowledge(
        self, tournament: str, due: Sequence[DueResult], recorded: Iterable[RecordedEntry | Refused]
    ) -> None:
        """Send the receipts of a tournament's results. `recorded` are the outcomes of their writes."""
        outcomes = iter(recorded)
        head, record = self.store.head(tournament), record_head(self.store, tournament)
        for entry in due:
            why = ""
            if entry.write is not None:
                outcome = next(outcomes)
                why = str(outcome) if isinstance(outcome, Refused) else ""
                if isinstance(outcome, RecordedEntry) and outcome.new:
                    self.log("info", f"result recorded id={entry.result.id} device={entry.result.device}")
                    self.judge_later(tournament, entry.result.game)
            accepted = self.store.holds(tournament, result_entry_id(entry.result.id))
            if not accepted and not why:
                continue  # told again while the disk failed: the table goes on sending
            receipt = Receipt(
                id=entry.result.id, accepted=accepted, head=head if accepted else "", why=why, record=record
            )
            self.outbound.send_receipt(tournament, entry.result.device, receipt)

    def _quarantine(self, topic: Topic, payload: bytes, result: Result, why: str) -> None:
        self._drop("result put aside", f"{topic}: {why}")
        key = self.devices.key(topic.device)
        if key is None or not verify(Kind.RESULT, payload, key):
            return  # a forged result must not stop the sending of the true one
        self.fault(topic.device, Abuse.FAULTS, 1)
        if isinstance(why, Unsigned):
            return  # nor must a true one with another file, in another length or to another event
        receipt = Receipt(id=result.id, accepted=False, why=why[:400])
        if topic.tournament is not None:
            self.outbound.send_receipt(topic.tournament, topic.device, receipt)

    def _refuse_file(self, file: LargeFile, why: str) -> None:
        self._drop("result put aside", f"{file.arrived.topic}: {why}")
        self.fault(file.device, Abuse.FAULTS, 1)

    def _drop(self, kind: str, line: str) -> None:
        shown = "".join(sign if sign.isprintable() else "?" for sign in line)[:300]
        self.live.drop(kind, shown)
        self.log("warning", f"dropped kind={kind!r} what={shown!r}")


def received_result(result: Result, payload: bytes) -> tuple[ResultReceived, GameFileReceived]:
    """Return what is recorded of a right result that was decoded from `payload`."""
    received = ResultReceived(
        game=result.game,
        revision=result.revision,
        device=result.device,
        score=(result.score.black, result.score.white),
        reason=result.reason,
        winner=result.winner,
        black=result.players.black or None,
        transcript=result.transcript,
        signed=(result.signatures.black, result.signatures.white),
        closed=result.closed,
        no_show=result.no_show,
        error_stands=any(map(is_error_on_the_board, result.incidents)),
        signature=result.signature,
        message=signed_text(Kind.RESULT, payload).decode(),
    )
    file = GameFileReceived(
        game=result.game, revision=result.revision, sha256=result.sha256, file=result.file
    )
    return received, file
