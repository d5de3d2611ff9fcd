"""The messages to the tables: assignments, rulings, receipts, requests for lost results, each signed with the hub's key
and for one device.

The broker may lose anything, even retained messages. An assignment is published again whenever a table does not show
it, a ruling until the table has answered it.

Tables learn how long the record is, and are asked for missing results. A table's status names the results it keeps,
each with the ledger's head in its receipt, and the longest record of its tournament that it has heard of. After a
restore from an old backup the ledger lacks some results: they are requested until they are there. A head that the
ledger never had means that entries were lost or changed, and the operator is told.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from msgspec import structs

from flagfall.link.messages import (
    RECORD_ALONE,
    Assignment,
    Receipt,
    RecordHead,
    RulingMessage,
    Status,
    encode,
)
from flagfall.link.signature import sign
from flagfall.link.topics import Kind, Topic
from flagfall.othello.colour_choice import who_hides
from flagfall.othello.game import Header
from flagfall.othello.gamefile import header_object
from flagfall.othello.side import Both, Side
from hub.model.games import Game
from hub.record.codec import result_entry_id
from hub.record.header import header_of
from hub.record.state import SentRuling, TournamentState
from hub.record.store import TournamentStore
from hub.tables.devices import Devices
from hub.tables.live import Live

# Time after which an unanswered assignment or ruling is sent again.
AGAIN_S = 2.0
# Gives a message to the broker. Returns False, and keeps nothing, without a connection.
Send = Callable[[Topic, bytes], bool]
# Time that a table has to send a requested result.
AGAIN_NS = 5_000_000_000
# Shortest interval at which a table is told how long the record is.
GROWN_NS = 15_000_000_000
# Maximum number of requested results and warnings. Beyond it all are forgotten, and requested or logged again: a table
# that was taken over can name ever new ones. A thousand tables keep some twenty each.
MOST_REMEMBERED = 20_000


def record_head(store: TournamentStore, tournament: str) -> RecordHead | None:
    """Return how far a tournament's record has grown, for its tables; None without an entry."""
    head = store.head(tournament)
    if not head:
        return None
    root = base64.b64encode(store.tree(tournament).root).decode()
    return RecordHead(tournament, store.entries_of(tournament), head, root)


@dataclass(slots=True)
class _Sent:
    at_ns: int
    seq: int


@dataclass(eq=False)
class Outbound:
    """The sender, which remembers when each device was sent what. Instants are monotonic nanoseconds."""

    states: Mapping[str, TournamentState]
    devices: Devices
    live: Live
    send: Send
    now_ns: Callable[[], int]
    # The hub's name in its network, "" where it has another one for its tables.
    hub_host: Callable[[], str] = lambda: ""
    # Returns the address of an event's page for phones, "" if its tables show none.
    page_of: Callable[[str], str] = lambda _: ""
    # The hub's private key.
    key: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        self._assignments: dict[str, _Sent] = {}
        self._rulings: dict[tuple[str, str], int] = {}
        self._made: dict[str, int] = {}

    def send_assignments(self) -> None:
        """Send all assignments: at the start, after a reconnection, after every change."""
        for device in self.devices.all:
            self.send_assignment(device.device)
        self.send_rulings()

    def send_assignment(self, device: str) -> None:
        """Send the newest assignment of a device in any tournament, if it has one."""
        state = self._newest_state(device)
        key = self.devices.key(device)
        if key is None or (state is not None and state.enrolled.get(device) != key.hex()):
            return  # the record names the key first
        sessions = self.live.twins.sessions(device)
        if state is None:
            if sessions is not None:
                self._send_order(Topic(None, device, Kind.ASSIGNMENT), Assignment(seq=0, sessions=sessions))
            return
        assigned = state.assigned[device]
        record = state.game_of(device)
        final = record.final if record is not None else None
        asked = final if final is not None and final.awaits_choice else None
        header = header_of(state, record) if record is not None else None
        message = Assignment(
            seq=assigned.seq,
            tournament=state.id,
            game=record.id if record is not None else None,
            seat=assigned.seat,
            header=header_object(header) if header is not None else None,
            chooses=asked.chooses if asked is not None else None,
            may=asked.may if asked is not None else None,
            hides=_proposed_hider(state, header) if header is not None else None,
            hub_host=self.hub_host(),
            page=self.page_of(state.id),
            scored=record is not None and record.score is not None,
            sessions=sessions,
        )
        self._send_order(Topic(state.id, device, Kind.ASSIGNMENT), message)
        self._assignments[device] = _Sent(self.now_ns(), assigned.seq)

    def answer_status(self, device: str) -> None:
        """Send the assignment again if the table's status shows another game or seat."""
        state = self._newest_state(device)
        status = self.live.status.get(device)
        if state is None or status is None or not status.online:
            return
        assigned = state.assigned[device]
        if (status.game, status.seat) == (assigned.game, assigned.seat):
            return
        sent = self._assignments.get(device)
        if sent is None or sent.seq < assigned.seq or self._may_send_again(sent.at_ns):
            self.send_assignment(device)

    def send_receipt(self, tournament: str, device: str, receipt: Receipt) -> None:
        if self.devices.key(device) is not None:
            self._send_order(Topic(tournament, device, Kind.RECEIPT), receipt)

    def _send_order(self, topic: Topic, order: Assignment | Receipt | RulingMessage) -> None:
        signed = sign(structs.replace(order, device=topic.device), self.key)
        self.send(topic, encode(signed))

    def begin_ruling(self, ruling: str) -> None:
        """Begin the lifetime of a ruling that has just been given."""
        self._made[ruling] = self.now_ns()

    def send_rulings(self, to: str | None = None) -> None:
        """Send every ruling that is valid, not answered and not sent just now, to one device or to all."""
        for state, ruling, record, device in self.open_rulings(to):
            last = self._rulings.get((device, ruling.ruling))
            if self.devices.key(device) is None or not (last is None or self._may_send_again(last)):
                continue
            now_ns = self.now_ns()
            clock = self.live.clock_of(device, record.id)
            message = RulingMessage(
                id=ruling.ruling,
                game=record.id,
                expires_s=ruling.lifetime_s,
                rule=ruling.rule,
                fields=dict(ruling.fields),
                # A start lives as long as its games.
                at_ns=clock.table_ns(now_ns) if clock is not None and ruling.rule != "start" else None,
            )
            self._send_order(Topic(state.id, device, Kind.RULING), message)
            self._rulings[(device, ruling.ruling)] = now_ns

    def open_rulings(self, to: str | None = None) -> Iterator[tuple[TournamentState, SentRuling, Game, str]]:
        """Yield (state, ruling, game, device) for each ruling that waits for a table's answer."""
        for state in self.states.values():
            if state.closed or state.away:
                continue
            asked = state.assigned if to is None else {to: state.assigned.get(to)}
            devices = {
                assigned.game: device
                for device, assigned in asked.items()
                if assigned is not None and assigned.game is not None
            }
            for ruling in state.rulings if devices else ():
                if not self._is_ruling_alive(ruling):
                    continue
                for game in ruling.games:
                    if game in ruling.void or (device := devices.get(game)) is None:
                        continue
                    record = state.games[game]
                    if record.score is None and not self.live.has_answered(device, ruling.ruling):
                        yield state, ruling, record, device

    def _is_ruling_alive(self, ruling: SentRuling) -> bool:
        """Return whether a ruling is valid: a round's start as long as its games, another one only if it was given
        since the hub started.
        """
        if ruling.rule == "start":
            return True
        made_ns = self._made.get(ruling.ruling)
        return made_ns is not None and self.now_ns() - made_ns < ruling.lifetime_s * 1_000_000_000

    def _newest_state(self, device: str) -> TournamentState | None:
        states = [state for state in self.states.values() if device in state.assigned]
        return max(
            states, key=lambda state: (state.seats_device(device), state.assigned[device].seq), default=None
        )

    def _may_send_again(self, since_ns: int) -> bool:
        return self.now_ns() - since_ns >= AGAIN_S * 1_000_000_000


@dataclass(frozen=True, slots=True)
class KeptResult:
    """A result that a device keeps."""

    tournament: str
    device: str
    result: str
    # The head in its receipt, "" while the device waits for one.
    head: str

    @property
    def game(self) -> str:
        return self.result.rpartition(".")[0]


@dataclass(slots=True)
class Recovery:
    """The comparison of the results that tables keep with the ledger. `compare_records` is called about once a
    second.
    """

    store: TournamentStore
    outbound: Outbound
    live: Live
    now_ns: Callable[[], int]
    _asked: dict[tuple[str, str], int] = field(default_factory=dict)
    _warned: set[tuple[str, str]] = field(default_factory=set)
    _grown: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)

    def compare_records(self) -> None:
        if len(self._asked) + len(self._warned) > MOST_REMEMBERED:
            self._asked.clear()
            self._warned.clear()
        for device, statuses in self.live.statuses.items():
            for tournament, status in statuses.items():
                if tournament in self.store.states and status.online:
                    self._tell_growth(tournament, device, status)
        for kept in self.kept_results():
            if not self.store.holds(kept.tournament, result_entry_id(kept.result)):
                self._ask_for_result(kept)
            elif kept.head and not self.store.had_head(kept.tournament, kept.head):
                lost = kept.head[:12]
                self._warn(
                    kept.device, f"{kept.result}: its receipt names the head {lost}, which the record lacks"
                )

    def kept_results(self) -> Iterator[KeptResult]:
        """Yield the results of this hub's tournaments that tables keep, by their own statuses."""
        for device, statuses in self.live.statuses.items():
            for tournament, status in statuses.items():
                if tournament in self.store.states:
                    for result, head in status.receipts.items():
                        yield KeptResult(tournament, device, result, head)

    def _ask_for_result(self, kept: KeptResult) -> None:
        state = self.store.states[kept.tournament]
        if kept.game not in state.games:
            return  # its round is lost too, which the operator is told (`hub/console/views/alerts.py`)
        asked_ns = self._asked.get((kept.device, kept.result))
        if asked_ns is not None and self.now_ns() - asked_ns < AGAIN_NS:
            return
        self._asked[(kept.device, kept.result)] = self.now_ns()
        lost = Receipt(id=kept.result, accepted=False, again=True, why="not in this ledger")
        self.outbound.send_receipt(kept.tournament, kept.device, lost)

    def _tell_growth(self, tournament: str, device: str, status: Status) -> None:
        known, head = status.record, self.store.head(tournament)
        if known is not None and not self.store.had_head(tournament, known.head):
            self._warn(
                device,
                f"{tournament}: it remembers entry {known.entries} with the head {known.head[:12]}, which the"
                " record lacks: entries are lost or changed (`flagfall-hub verify`)",
            )
        if known is not None and (known.head == head or known.entries >= self.store.entries_of(tournament)):
            return
        now_ns = self.now_ns()
        sent_ns, sent_head = self._grown.get((tournament, device), (-GROWN_NS, ""))
        if sent_head == head or now_ns - sent_ns < GROWN_NS:
            return
        self._grown[tournament, device] = now_ns, head
        record = record_head(self.store, tournament)
        self.outbound.send_receipt(tournament, device, Receipt(id=RECORD_ALONE, accepted=True, record=record))

    def _warn(self, device: str, line: str) -> None:
        if (device, line) not in self._warned:
            self._warned.add((device, line))
            self.live.drop("receipt without entry", f"{device}: {line}")


def _proposed_hider(state: TournamentState, header: Header) -> str | None:
    """Return the id of the player who is proposed to hide a disc for the colours (jof J1): the higher grade, else
    the older one; None where the ages are not known, or the rulebook has no such draw."""
    if header.rulebook.hidden_disc == "no":
        return None
    players = [state.tournament.player(header.player(side).id) for side in Side]
    grades = Both(*(player.grade for player in players))
    side = who_hides(grades, Both(*(player.born or "" for player in players)))
    return None if side is None else header.player(side).id
