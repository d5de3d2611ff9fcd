"""The messages of this device to the hub (MQTT messages, version 1), and the thread that sends them.

Nothing leaves before the journal entry that causes it is durable; status and call have no such entry. A result is sent
again until its receipt: only the outbox is safe, everything else may be lost on the way. The loop never waits for the
network.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from time import monotonic_ns

from msgspec import structs

from flagfall.base.errors import Failed
from flagfall.base.message import Message
from flagfall.base.trouble import trouble
from flagfall.link.client.client import LinkClient, Will
from flagfall.link.identity import Identity
from flagfall.link.messages import (
    AnyMessage,
    Call,
    ClockShown,
    ColourChosen,
    Move,
    RecordHead,
    Result,
    Status,
    encode,
)
from flagfall.link.packed_file import pack
from flagfall.link.signature import sign
from flagfall.link.tls import client_context
from flagfall.link.topics import Arrival, Kind, Topic, device_filter
from flagfall.othello.board import format_position, format_transcript
from flagfall.othello.game import Game
from flagfall.othello.gamefile import format_game
from flagfall.othello.judging.walkover import no_show
from flagfall.othello.report import incident_object
from flagfall.othello.side import Both
from table_app.config import Config
from table_app.events import LetterSent, Part, PartTrouble
from table_app.game.table_game import GameSession, SessionOutcome
from table_app.hub_link.outbox import Outbox
from table_app.record.journal import JournalWriter
from table_app.table_assignment import TableAssignment

MOST_WAIT_S = 1.0
CLOCK_NS = 1_000_000_000


class Publisher:
    """Remembers what was sent, and sends what has changed."""

    def __init__(self, identity: Identity, sender: Sender, recorder: JournalWriter) -> None:
        self._identity = identity
        self._sender = sender
        self._recorder = recorder
        self._status: tuple[str, Status] | None = None
        self._call: tuple[str, Call] | None = None
        self._clock: Game | None = None
        self._clock_ns = 0
        self._moves: tuple[str, tuple[int, ...]] = ("", ())
        self._outcome = ""

    def connected(self) -> None:
        """Send everything again after a new connection."""
        self._status = self._call = self._clock = None
        self._sender.connected()

    def publish(
        self, play: GameSession | None, tournament: str, status: Status, call: Call, now_ns: int
    ) -> None:
        """Send what has changed."""
        if self._status != (tournament, status):
            self._status = (tournament, status)
            self._sender.say(tournament, status)
        if self._call != (tournament, call) and (call.wanted or self._call is not None):
            self._sender.say(tournament, call)
        self._call = (tournament, call)
        if play is None:
            return
        news: list[AnyMessage] = []
        if self._clock_is_due(play, now_ns):
            self._clock, self._clock_ns = play.game, now_ns
            news.append(clock(play.game_id, play.game, now_ns))
        if play.game.header.broadcast and self._moves != (play.game_id, play.game.moves):
            self._moves = (play.game_id, play.game.moves)
            news.append(Move(game=play.game_id, transcript=format_transcript(play.game.moves)))
        for message in news:
            self._recorder.after_durable(partial(self._sender.say, play.tournament, message))
        if (outcome := play.unsent) is not None and self._outcome != outcome.id:
            self._outcome = outcome.id
            made = partial(result, outcome, play.tournament, self._identity)
            self._recorder.after_durable(partial(self._sender.deliver, play.tournament, outcome.id, made))

    def next_ns(self, play: GameSession | None) -> int | None:
        """Return the time at which the clocks must be sent again without a change."""
        return self._clock_ns + CLOCK_NS if play is not None and play.timed else None

    def _clock_is_due(self, play: GameSession, now_ns: int) -> bool:
        before, game = self._clock, play.game
        if before is None or game.header is not before.header:
            return True
        if game.clock != before.clock or game.state is not before.state:
            return True
        return now_ns - self._clock_ns >= CLOCK_NS and (play.timed or game is not before)


class NoLink:
    """Stands in for the connection at a table without a hub."""

    def start(self) -> None: ...

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool) -> bool:
        return False

    def set_will(self, will: Will | None) -> None: ...
    def add_host(self, host: str) -> None: ...
    def leave_host(self) -> None: ...
    def reconnect(self) -> None: ...
    def stop(self) -> None: ...


class Sender:
    """Owns connection and outbox. `put` receives LetterSent and PartTrouble, in this thread."""

    def __init__(
        self,
        *,
        identity: Identity,
        outbox: Path,
        link: LinkClient | NoLink,
        put: Callable[[LetterSent | PartTrouble], None],
        random: Random,
        start: str = "",
    ) -> None:
        """Prepare to send; `start` is the token of this start of the program."""
        self._identity = identity
        self._start = start
        self._outbox_path = outbox
        self._link = link
        self._put = put
        self._random = random
        self._jobs: deque[Callable[[], object]] = deque()
        self._failed: list[Callable[[], object]] = []
        self._trouble: Message | None = None
        self._latest: dict[Kind, tuple[Topic, AnyMessage]] = {}
        self._changed = threading.Condition()
        self._closing = False
        self._status: Topic | None = None
        self._said: tuple[Topic, Status] | None = None
        self._stale: list[Topic] = []
        self._outbox: Outbox | None = None
        self._thread = threading.Thread(target=self._run, name="sender", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def say(self, tournament: str, message: AnyMessage) -> None:
        """Send a message if there is a connection; of each kind only the latest is kept."""
        with self._changed:
            topic = Topic(tournament or None, self._identity.device, message.kind)
            self._latest[message.kind] = (topic, message)
            self._changed.notify()

    def deliver(self, tournament: str, result_id: str, made: Callable[[], Result]) -> None:
        """Send a result until its receipt, also after restarts."""
        topic = Topic(tournament or None, self._identity.device, Kind.RESULT)
        self._do_later(lambda: self._box().put(result_id, str(topic), encode(made())))

    def receipt(self, result_id: str, head: str = "") -> None:
        """Record that the hub has stored a result (at this head of its ledger) or refused it finally ("")."""
        self._do_later(lambda: self._say_status_if(self._box().receipt(result_id, head)))

    def record_grew(self, record: RecordHead) -> None:
        """Remember the length of the hub's ledger."""
        head = record.tournament, record.entries, record.head
        self._do_later(lambda: self._say_status_if(self._box().remember_head(*head)))

    def again(self, result_id: str) -> None:
        """Send a result again that the hub has lost, if it is kept here."""
        self._do_later(lambda: self._box().again(result_id))

    def add_host(self, host: str) -> None:
        """Try the address at which the hub can be reached too."""
        self._link.add_host(host)

    def leave_host(self) -> None:
        """Look elsewhere: another hub answers here."""
        self._link.leave_host()

    def leave(self) -> None:
        """End the connection for good: another device has this identity."""
        self._do_later(self._link.stop)

    def connected(self) -> None:
        """Send everything again after a new connection, since messages that the old one had taken may be lost."""
        self._do_later(self._send_all_again)

    def _do_later(self, job: Callable[[], object]) -> None:
        """Have the sender's thread do this job."""
        with self._changed:
            self._jobs.append(job)
            self._changed.notify()

    def _send_all_again(self) -> None:
        stale, self._stale = self._stale, []
        for topic in stale:
            # Messages about another tournament are no longer true.
            if topic != self._status:
                self._link.publish(str(topic), b"", 1, True)
        self._box().reconnected()

    def close(self) -> None:
        """Send what is left, then close the connection."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._jobs and not self._latest and not self._closing:
                    self._changed.wait(self._wait_s())
                jobs, self._jobs = self._jobs, deque()
                latest, self._latest = self._latest, {}
                closing = self._closing
            failed, self._failed = self._failed, []
            for job in (*failed, *jobs, self._resend):
                try:
                    job()
                except Failed as failure:
                    # The next round tries it again, and sends again anyway.
                    if job != self._resend and job not in self._failed:
                        self._failed.append(job)
                    self._report(trouble("outbox_fails", why=str(failure)))
                else:
                    if job == self._resend and not self._failed:
                        self._report(None)
            self._send(latest)
            if closing:
                self._close_down()
                return

    def _close_down(self) -> None:
        """Say that this device goes, and close connection and outbox."""
        if self._status is not None:
            # A will is for tables that could not say it: whoever leaves properly sends none.
            self._link.publish(
                str(self._status), encode(self._offline()), self._status.qos, self._status.retained
            )
        self._link.stop()
        if self._outbox is not None:
            self._outbox.close()

    def _report(self, trouble: Message | None) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            self._put(PartTrouble(Part.OUTBOX, trouble))

    def _wait_s(self) -> float:
        due_ns = self._outbox.next_due_ns() if self._outbox is not None else None
        if due_ns is None:
            return MOST_WAIT_S
        return min(MOST_WAIT_S, max(0.02, (due_ns - monotonic_ns()) / 1e9))

    def _box(self) -> Outbox:
        # SQLite must be used by the thread that opens it.
        if self._outbox is None:
            self._outbox = Outbox(self._outbox_path, self._random)
        return self._outbox

    def _send(self, latest: dict[Kind, tuple[Topic, AnyMessage]]) -> None:
        for topic, message in latest.values():
            if isinstance(message, Status):
                self._said = (topic, message)
                self._use_topic(topic)
                message = structs.replace(
                    message, receipts=self._receipts(topic), record=self._record(topic.tournament)
                )
                message = sign(message, self._identity.key)
            self._link.publish(str(topic), encode(message), topic.qos, topic.retained)

    def _say_status_if(self, changed: bool) -> None:
        """Send the retained status again if it has changed, since it tells a restarted hub which results it
        should have."""
        if changed and self._said is not None:
            with self._changed:
                self._latest.setdefault(Kind.STATUS, self._said)

    def _record(self, tournament: str | None) -> RecordHead | None:
        try:
            head = self._box().remembered_head(tournament) if tournament is not None else None
        except Failed:
            return None
        return RecordHead(tournament, *head) if tournament is not None and head is not None else None

    def _receipts(self, status: Topic) -> dict[str, str]:
        """Return the results of this device that the hub has confirmed, and those that it should have soon ("")."""
        topic = str(replace(status, kind=Kind.RESULT))
        try:
            waiting = {letter.id: "" for letter in self._box().pending() if letter.topic == topic}
            return waiting | self._box().kept(topic)
        except Failed:
            return {}  # the status must be sent all the more

    def _offline(self) -> Status:
        return sign(Status(online=False, start=self._start), self._identity.key)

    def _use_topic(self, status: Topic) -> None:
        """Set the topic of the status and of the will. Another topic needs a new connection."""
        if status == self._status:
            return
        before, self._status = self._status, status
        self._link.set_will(Will(str(status), encode(self._offline())))
        if before is None:
            self._link.start()
            return
        self._stale += [replace(before, kind=kind) for kind in (Kind.STATUS, Kind.CLOCK, Kind.CALL)]
        self._link.reconnect()

    def _resend(self) -> None:
        box = self._box()
        now_ns = monotonic_ns()
        for letter in box.due(now_ns):
            if not self._link.publish(letter.topic, letter.payload, 1, False):
                return
            box.sent(letter.id, now_ns)
            self._put(LetterSent(letter.id))


def clock(game_id: str, game: Game, now_ns: int) -> ClockShown:
    """Return the live state at `now_ns`."""
    return ClockShown(
        black=game.header.black.id,
        game=game_id,
        state=game.state,
        running=None if game.clock.running is None else game.clock.running.value,
        clocks_ns=game.clock.both_left_ns(now_ns),
        flags=game.falls,
        to_move=None if game.over else game.to_move.value,
        moves=len(game.moves),
        position=format_position(game.shown),
        transcript=format_transcript(game.moves),
        at_ns=now_ns,
    )


def result(outcome: SessionOutcome, tournament: str, identity: Identity) -> Result:
    """Return the signed result of a game of `tournament`, with the whole game file."""
    game, ended = outcome.game, outcome.game.outcome
    assert ended is not None  # an unfinished game has no SessionOutcome
    packed = pack(format_game(game.header, outcome.inputs).encode())
    return sign(
        Result(
            id=outcome.id,
            game=outcome.game_id,
            revision=outcome.revision,
            device=identity.device,
            hub=identity.hub.hex(),
            tournament=tournament,
            players=Both(game.header.black.id, game.header.white.id),
            score=Both(*ended.score),
            winner=None if ended.winner is None else ended.winner.value,
            reason=ended.reason,
            transcript=format_transcript(game.moves),
            clocks_ns=game.clock.both_left_ns(game.at_ns),
            flags=game.falls,
            incidents=[incident_object(incident) for incident in game.incidents],
            signatures=game.signed,
            closed=outcome.closed,
            no_show=no_show(game),
            file=packed.file,
            sha256=packed.sha256,
        ),
        identity.key,
    )


def colours(assigned: TableAssignment) -> ColourChosen | None:
    """Return the choices made at this table for the assigned game, until the hub's assignment contains them."""
    header = assigned.header
    if header is None or not assigned.chosen:
        return None
    wins = None if header.draw_win is None else header.player(header.draw_win).id
    return ColourChosen(assigned.game_id, header.black.id, wins)


def in_one_line(status: Status, connected: bool) -> str:
    """Return the status in one line for the person who looks after the device, whether or not the hub is reached."""
    fit, hub = "fit" if status.fit else "not fit", "connected" if connected else "not connected"
    health = status.health
    line = (
        f"{fit} for play; board: {health.board}; clock: {health.clock}; storage: {health.storage}; "
        f"power: {health.power or 'unknown'}; hub: {hub}"
    )
    return "".join(sign if sign.isprintable() else " " for sign in line)


def new_link(
    config: Config,
    device: Identity,
    inbox: Callable[[Arrival], None],
    on_state: Callable[[bool], None],
    on_stranger: Callable[[str], None] = lambda where: None,
) -> LinkClient:
    """Return a connection that is not started yet; Invalid or Failed for certificates that cannot be used.

    `on_stranger` gets the address of another hub's broker.
    """
    link = LinkClient(
        host=config.broker_host,
        port=config.broker_port,
        user=device.device,
        token=device.token,
        filters=(device_filter(device.device),),
        inbox=inbox,
        on_state=on_state,
        random=Random(),
        tls=client_context(config.tls) if config.tls is not None else None,
        on_stranger=on_stranger,
    )
    link.add_host(config.broker_name)
    return link
