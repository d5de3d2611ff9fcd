"""The table's loop, turn by turn: one event after another at instants of the test's own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Any

import pytest

from link import messages
from link.client import Will
from link.identity import Identity, create
from link.messages import AnyMessage, decode, encode
from link.outbox import Outbox, OutboxError
from link.packed_file import PackedFile, unpack
from link.signature import sign, verify
from link.topics import Kind, Topic, parse
from othello.board import START, Position
from othello.game import IncidentType, State
from othello.gamefile import parse_game
from othello.inputs import Contact, Note, Resign, Rule, Ruling, Sign, Start, Stop, Tick
from othello.notation import parse_square, parse_transcript
from othello.referee import judge, new_game
from othello.report import outcome
from othello.side import Side
from table_app.appliance import Appliance
from table_app.courier import Courier
from table_app.events import (
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
from table_app.inbox import Answered, DiskTrouble, Inbox
from table_app.instants import Instants
from table_app.log import Log
from table_app.recorder import Recorder, SyncedDisk
from table_app.state_dir import StateDirectory, StateError
from table_app.view import Phase, TableView

MS = 1_000_000
S = 1_000 * MS
KEY = create("d1")
HEADER = {"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019", "minutes": 30}


class Broker:
    """A link that keeps what was said."""

    def __init__(self) -> None:
        self.up = True
        self.said: list[tuple[str, AnyMessage]] = []
        self.will: Will | None = None

    def start(self) -> None:
        pass

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool) -> bool:
        place = parse(topic)
        if not self.up:
            return False
        assert place is not None and place.retained == retain and place.qos == qos
        self.said.append((topic, decode(place, payload)))
        return True

    def set_will(self, will: Will | None) -> None:
        self.will = will

    def reconnect(self) -> None:
        pass

    def stop(self) -> None:
        pass

    def of(self, kind: type[Any]) -> list[Any]:
        return [message for _, message in self.said if isinstance(message, kind)]


class Board:
    """A board that says what the test lets it."""

    def __init__(self) -> None:
        self.turned = False

    def start(self, put: Any, now_ns: Any) -> None:
        pass

    def turn(self, turned: bool) -> None:
        self.turned = turned

    def calibrate(self, step: int) -> None:
        pass

    def ask_snapshot(self) -> None:
        pass

    def close(self) -> None:
        pass


class FailingDisk(SyncedDisk):
    def __init__(self) -> None:
        self.full = False

    def write(self, path: Path, offset: int, content: bytes) -> None:
        if self.full:
            raise OSError(28, "No space left on device")
        super().write(path, offset, content)


class Table:
    """One table program from its start to its end, in the test's own time."""

    def __init__(self, path: Path, identity: Identity = KEY, **options: Any) -> None:
        self.monotonic_ns = 500 * S
        self.state = StateDirectory(path)
        self.state.open()
        self.inbox: Inbox = SimpleQueue()
        self.disk = FailingDisk()
        self.broker = Broker()
        self.board = Board()
        self.log = StringIO()
        self.recorder = Recorder(self.disk, lambda why: self.inbox.put(DiskTrouble(why)))
        self.courier = Courier(
            identity=identity,
            outbox=self.state.outbox_path,
            link=self.broker,
            told=self.inbox.put,
            random=Random(1),
        )
        self.instants = Instants.going_on_from(self.state.last_instant_ns(), lambda: self.monotonic_ns)
        self.appliance = Appliance(
            inbox=self.inbox,
            instants=self.instants,
            identity=identity,
            state=self.state,
            recorder=self.recorder,
            courier=self.courier,
            board=self.board,
            shows=[],
            log=Log(stream=self.log),
            **options,
        )
        self.recorder.start()
        self.courier.start()
        self.appliance.restore(self.state.kept())
        self.turn()

    @property
    def now_ns(self) -> int:
        return self.instants.now_ns()

    @property
    def view(self) -> Any:
        return self.appliance.view

    @property
    def game(self) -> Any:
        assert self.view.game is not None
        return self.view.game

    def turn(self, *events: Any, after_ns: int = 0) -> None:
        self.monotonic_ns += after_ns
        taken = list(events)
        while not self.inbox.empty():
            taken.append(self.inbox.get())
        self.appliance.turn(taken, self.now_ns)

    def until(self, condition: Callable[[], bool]) -> None:
        """Turns (the test's time stands still) until the other threads have done their part."""
        deadline_s = time.monotonic() + 5.0
        while not condition():
            assert time.monotonic() < deadline_s, self.log.getvalue()
            time.sleep(0.005)
            self.turn()

    def synced(self) -> None:
        """Waits until all that was recorded is on disk."""
        done = threading.Event()
        self.recorder.after_durable(done.set)
        assert done.wait(5.0)

    def order(self, message: Any, key: bytes = KEY.key, tournament: str | None = "woc") -> None:
        signed = sign(message, key)
        topic = Topic(tournament, "d1", message.kind)
        self.turn(LinkMessage(str(topic), encode(signed), False))

    def assign(self, seq: int = 1, game: str | None = "1-1-a", **header: Any) -> None:
        self.order(
            messages.Assignment(
                seq=seq, tournament="woc", game=game, seat=4, header=None if game is None else HEADER | header
            )
        )

    def start(self) -> None:
        self.turn(ScreenInput(Start(self.now_ns)))
        self.turn(after_ns=300 * MS)

    def press(self, side: Side, after_ns: int = S) -> None:
        self.monotonic_ns += after_ns
        self.turn(BoardStream(self.now_ns - 50 * MS), ButtonEdge(self.now_ns, side, True))
        self.turn(ButtonEdge(self.now_ns + 60 * MS, side, False), after_ns=60 * MS)
        self.settle()

    def settle(self) -> None:
        self.turn(BoardStream(self.now_ns + 100 * MS), after_ns=100 * MS)

    def shown(self, position: Position) -> None:
        self.turn(BoardShown(self.now_ns, position), after_ns=70 * MS)

    def with_board(self) -> None:
        self.turn(BoardPresence(self.now_ns, True, "b0"), BoardShown(self.now_ns, START))

    def close(self) -> None:
        self.recorder.close()
        self.courier.close()
        self.state.close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    one = Table(tmp_path / "s")
    yield one
    one.close()


def play_on(table: Table, transcript: str = "f5d6c3d3c4") -> Position:
    """Assigned, started, and these moves made."""
    table.with_board()
    table.assign()
    table.start()
    table.press(Side.WHITE)
    position, side = START, Side.BLACK
    for square in parse_transcript(transcript):
        position = position.played(side is Side.BLACK, square)
        table.turn(after_ns=S)
        table.shown(position)
        table.press(side, after_ns=10 * MS)
        side = side.other
    return position


def test_from_assignment_to_receipt(table: Table) -> None:
    assert table.view == TableView()
    table.turn(LinkState(True))
    play_on(table)
    assert table.view.phase is Phase.PLAYING and len(table.game.moves) == 5 and not table.game.incidents
    assert table.view.seat == 4 and table.view.tournament == "woc"
    table.turn(ScreenInput(Resign(table.now_ns, Side.WHITE)))
    table.settle()
    assert str(table.view.phase) == "finished"
    table.until(lambda: table.view.phase is Phase.SENT)
    for side in Side:
        table.turn(ScreenInput(Sign(table.now_ns, side)))
    table.settle()
    table.until(lambda: len(table.broker.of(messages.Result)) == 2)
    first, second = table.broker.of(messages.Result)
    assert (first.id, second.id) == ("1-1-a.1", "1-1-a.2")
    assert second.signatures == messages.PerColour(True, True) and second.score == messages.PerColour(64, 0)
    assert verify(Kind.RESULT, encode(second), KEY.key)
    header, inputs = parse_game(unpack(PackedFile(second.file, second.sha256)).decode())
    game = new_game(header)
    for one in inputs:
        game = judge(game, one)
    assert outcome(game)["clocks_ns"] == {"black": second.clocks_ns.black, "white": second.clocks_ns.white}
    assert game == table.game
    for one in (first, second):
        table.order(messages.Receipt(id=one.id, accepted=True, head="0" * 64))
    assert str(table.view.phase) == "received" and table.view.result_received


def test_results_are_sent_again_until_the_receipt_also_after_a_restart(table: Table, tmp_path: Path) -> None:
    play_on(table)
    table.broker.up = False
    table.turn(ScreenInput(Resign(table.now_ns, Side.WHITE)))
    table.settle()
    table.close()
    again = Table(tmp_path / "s")
    again.until(lambda: len(again.broker.of(messages.Result)) == 1)
    again.turn(LinkState(True))
    again.until(lambda: len(again.broker.of(messages.Result)) == 2)
    again.order(messages.Receipt(id="1-1-a.1", accepted=True, head="0" * 64))
    again.turn(after_ns=S)
    assert again.view.phase is Phase.RECEIVED
    again.close()
    third = Table(tmp_path / "s")
    assert third.view.phase is Phase.RECEIVED
    third.until(lambda: bool(third.broker.of(messages.Status)))
    assert not third.broker.of(messages.Result)
    third.close()


def test_a_result_in_quarantine_is_shown_and_not_sent_again(table: Table) -> None:
    play_on(table)
    table.turn(ScreenInput(Resign(table.now_ns, Side.WHITE)))
    table.settle()
    table.order(messages.Receipt(id="1-1-a.1", accepted=False, why="not this table's game"))
    assert table.view.refused_by_hub == "not this table's game"
    assert not table.view.result_received


def test_the_clock_turns_at_the_press_and_the_verdict_waits_for_the_board(table: Table) -> None:
    table.with_board()
    table.assign()
    table.start()
    table.press(Side.WHITE)
    table.turn(after_ns=S)
    moved = START.played(True, parse_square("f5"))
    flip_ns = table.now_ns
    table.monotonic_ns += 30 * MS
    press_ns = table.now_ns
    table.turn(BoardStream(flip_ns - 20 * MS), ButtonEdge(press_ns, Side.BLACK, True), after_ns=MS)
    assert table.game.clock.running is Side.WHITE and table.game.moves == ()
    assert table.game.clock.since_ns == press_ns
    table.turn(BoardShown(flip_ns, moved), after_ns=60 * MS)
    assert table.game.moves == ()
    table.turn(BoardStream(press_ns + 20 * MS), after_ns=50 * MS)
    assert table.game.moves == (parse_square("f5"),) and not table.game.incidents
    assert table.game.clock.since_ns == press_ns


@pytest.mark.clause("woc-2019 IV.6")
def test_a_flag_falls_without_anybody_pressing(table: Table) -> None:
    table.assign(minutes=1, sensors=False)
    table.start()
    table.press(Side.WHITE)
    table.turn(after_ns=59 * S)
    assert table.game.flags.black == 0
    table.turn(after_ns=S)
    table.turn(after_ns=100 * MS)
    assert table.game.flags.black == 1
    (flag,) = [i for i in table.game.incidents if i.type is IncidentType.FLAG]
    assert table.game.flags.white == 0
    assert table.game.clock.left_ns(Side.BLACK, flag.at_ns) == 120 * S


def test_after_a_restart_the_game_comes_back_stopped_and_loses_no_durable_press(
    table: Table, tmp_path: Path
) -> None:
    position = play_on(table)
    charged = table.game.clock.charged_ns
    before_ns = table.now_ns
    # The last heartbeat is at most so far back.
    table.turn(after_ns=900 * MS)
    table.close()
    again = Table(tmp_path / "s")
    assert str(again.game.state) == "stopped" and again.game.moves == parse_transcript("f5d6c3d3c4")
    assert again.view.uncertain_ns == S
    assert again.game.clock.charged_ns.black == charged.black
    assert again.now_ns >= before_ns - 100 * MS
    # The board has not said a word: nobody takes it for lost.
    assert again.game.board_ok
    again.turn(BoardPresence(again.now_ns, True, "b0"), BoardShown(again.now_ns, position))
    again.turn(ScreenInput(Ruling(again.now_ns, Rule.RESUME)))
    again.settle()
    assert again.game.state is State.RUNNING and again.view.uncertain_ns == 0
    types = [incident.type for incident in again.game.incidents]
    assert types == [IncidentType.POWER_LOST, IncidentType.RULING]
    again.close()


def test_a_press_that_was_heard_but_not_judged_is_not_lost(table: Table, tmp_path: Path) -> None:
    position = play_on(table)
    table.turn(after_ns=2 * S)
    moved = position.played(False, parse_square("f4"))
    table.turn(ButtonEdge(table.now_ns, Side.WHITE, True))
    pressed_ns = table.now_ns
    assert table.game.clock.running is Side.BLACK and len(table.game.moves) == 5
    table.synced()
    table.close()
    again = Table(tmp_path / "s")
    assert again.game.owed == 1 and again.game.at_ns == pressed_ns
    # What the board last told before is no reason for an instant to fall.
    again.turn(BoardPresence(again.now_ns - 20 * MS, True, "b0"), BoardShown(again.now_ns, moved))
    again.settle()
    assert again.game.owed == 0 and again.game.moves == parse_transcript("f5d6c3d3c4f4")
    again.turn(ScreenInput(Ruling(again.now_ns, Rule.RESUME)))
    again.settle()
    assert again.game.clock.running is Side.BLACK
    again.synced()
    journal, _ = again.state.journal("1-1-a")
    assert journal is not None and not journal.unjudged
    instants = [entry.input.at_ns for entry in journal.entries]
    assert instants == sorted(instants)
    again.close()


def test_orders_are_taken_by_signature_and_sequence(table: Table) -> None:
    table.assign(seq=5)
    assert table.view.game_id == "1-1-a"
    table.assign(seq=4, game="1-9-z")
    assert table.view.game_id == "1-1-a"
    forged = messages.Assignment(seq=9, tournament="woc", game="x", seat=1, header=HEADER)
    table.order(forged, key=b"k" * 32)
    assert table.view.game_id == "1-1-a"
    assert "signature" in table.log.getvalue()
    table.order(messages.Assignment(seq=9, tournament="woc", game="x", seat=1, header={"type": "game"}))
    assert table.view.game_id == "1-1-a" and "header: format" in table.log.getvalue()
    for payload in (b"", b"\xff\x00", b"{" * 5000, b"null", b'{"v":2}'):
        for topic in ("flagfall/1/woc/table/d1/ruling", "flagfall/1/woc/table/d2/assignment", "x"):
            table.turn(LinkMessage(topic, payload, False))
    assert table.view.game_id == "1-1-a"
    table.assign(seq=6, game=None)
    assert table.view.phase is Phase.IDLE and table.view.game is None


def test_a_repeated_assignment_changes_nothing_and_a_new_seat_only_the_seat(table: Table) -> None:
    play_on(table)
    before = table.game
    table.assign(seq=1)
    table.assign(seq=2, minutes=5)
    assert table.game is before


def test_a_corrected_header_before_the_start_counts(table: Table, tmp_path: Path) -> None:
    table.assign(seq=1)
    table.assign(seq=2, black={"id": "7", "name": "P07"})
    assert table.game.header.black.name == "P07"
    table.recorder.close()
    table.close()
    again = Table(tmp_path / "s")
    assert again.game.header.black.name == "P07"
    again.close()


def test_a_ruling_of_the_hub_is_applied_once_and_answered_when_durable(table: Table, tmp_path: Path) -> None:
    table.turn(LinkState(True))
    table.assign()
    ruling = messages.Ruling(id="r1", game="1-1-a", expires_s=60, rule="start")
    table.order(ruling)
    table.order(ruling)
    table.turn(after_ns=10 * MS)
    table.order(ruling)
    assert table.game.armed and not table.game.incidents

    def answers() -> dict[str, str]:
        said = table.broker.of(messages.Status)
        return dict(said[-1].answers) if said else {}

    table.until(lambda: answers().get("r1") == "applied")
    for ruling_id, game, rule, fields, answer in (
        ("r2", "1-1-a", "resume", {}, "refused: "),
        ("r3", "9-9-z", "stop", {}, "refused: this game is not at this table"),
        ("r4", "1-1-a", "adjust_time", {"player": "black"}, "refused: seconds: expected"),
        ("r5", "1-1-a", "nonsense", {}, "refused: rule: expected one of"),
    ):
        table.order(messages.Ruling(id=ruling_id, game=game, expires_s=9, rule=rule, fields=fields))
        table.turn(after_ns=10 * MS)
        table.until(lambda: answers().get(ruling_id, "").startswith(answer))  # noqa: B023
    table.close()
    again = Table(tmp_path / "s")
    again.order(ruling)
    again.turn(after_ns=300 * MS)
    assert len([i for i in again.game.incidents if i.input == "start"]) == 0
    again.close()


def test_the_cable_out_and_in_again_in_mid_move(table: Table) -> None:
    position = play_on(table)
    table.turn(BoardPresence(table.now_ns, False, why="pulled"))
    table.turn(after_ns=300 * MS)
    assert not table.game.board_ok and not table.view.board_present
    table.turn(after_ns=5 * S)
    moved = position.played(False, parse_square("f4"))
    table.turn(BoardPresence(table.now_ns, True, "b0"), BoardShown(table.now_ns, moved))
    table.settle()
    table.press(Side.WHITE)
    assert table.game.board_ok and table.game.moves[-1] == parse_square("f4")
    assert [i.type for i in table.game.incidents] == [IncidentType.BOARD_LOST]


def test_with_a_full_disk_the_clock_goes_on_and_nothing_is_sent(table: Table) -> None:
    table.turn(LinkState(True))
    play_on(table)
    table.until(lambda: table.view.storage_ok)
    table.disk.full = True
    table.turn(ScreenInput(Resign(table.now_ns, Side.WHITE)))
    table.settle()
    table.until(lambda: not table.view.storage_ok)
    assert table.game.state is State.FINISHED and not table.broker.of(messages.Result)
    assert any("No space left" in message for message in table.view.messages)
    table.until(lambda: any("No space" in s.health.storage for s in table.broker.of(messages.Status)))
    table.disk.full = False
    table.until(lambda: len(table.broker.of(messages.Result)) == 1 and table.view.storage_ok)


def test_wrong_squares_of_the_start_position_are_shown(table: Table) -> None:
    table.assign()
    table.turn(BoardPresence(table.now_ns, True, "b0"))
    table.turn(BoardShown(table.now_ns, Position(START.white, START.black)))
    assert table.view.wrong_start_squares == START.black | START.white
    table.turn(BoardShown(table.now_ns, START))
    assert table.view.wrong_start_squares == 0


def test_a_press_before_the_signal_is_told(table: Table) -> None:
    table.assign(sensors=False)
    table.press(Side.WHITE)
    assert table.view.pressed_too_early and table.game.clock.running is None
    table.start()
    assert not table.view.pressed_too_early


def test_swapped_sides_swap_the_buttons(table: Table) -> None:
    table.assign(sensors=False)
    table.turn(ScreenRequest(table.now_ns, "swap_sides"))
    assert table.view.swapped
    table.start()
    table.press(Side.BLACK)
    assert table.game.clock.running is Side.BLACK
    table.turn(ScreenRequest(table.now_ns, "swap_sides"))
    assert table.view.swapped


def test_the_director_is_called_and_answers(table: Table) -> None:
    table.turn(LinkState(True))
    table.assign()
    table.turn(ScreenRequest(table.now_ns, "call_director", "a dispute"))
    assert table.view.call_wanted
    table.until(lambda: any(c.wanted and c.why == "a dispute" for c in table.broker.of(messages.Call)))
    table.turn(ScreenRequest(table.now_ns, "answer_call"))
    table.until(lambda: not table.broker.of(messages.Call)[-1].wanted)


@pytest.mark.clause("cc-2024 I.3.7")
def test_moves_go_out_only_where_they_are_broadcast(table: Table) -> None:
    table.turn(LinkState(True))
    play_on(table)
    table.until(lambda: any(c.moves == 5 for c in table.broker.of(messages.ClockShown)))
    assert not table.broker.of(messages.Move)
    table.assign(seq=2, game="1-1-b", broadcast=True)
    table.turn(BoardShown(table.now_ns, START))
    table.start()
    table.press(Side.WHITE)
    table.shown(START.played(True, parse_square("f5")))
    table.press(Side.BLACK)
    table.until(lambda: [m.transcript for m in table.broker.of(messages.Move)][-1:] == ["f5"])


def test_the_last_will_follows_the_tournament(table: Table) -> None:
    table.until(lambda: table.broker.will is not None)
    assert table.broker.will is not None and table.broker.will.topic == "flagfall/1/-/table/d1/status"
    table.assign()
    table.until(lambda: table.broker.will is not None and "/woc/" in table.broker.will.topic)


def test_a_board_being_set_up_fills_no_journal(table: Table) -> None:
    table.with_board()
    table.assign()
    for square in range(20):
        table.turn(BoardTouched(table.now_ns, square, Contact.HAND), after_ns=100 * MS)
    table.settle()
    assert table.game.at_ns == 0


def test_a_damaged_journal_is_laid_aside_and_told(table: Table, tmp_path: Path) -> None:
    play_on(table, "f5d6")
    table.synced()
    table.press(Side.BLACK)
    table.close()
    path = tmp_path / "s" / "games" / "1-1-a.jsonl"
    content = bytearray(path.read_bytes())
    content[content.index(b"press")] ^= 1
    path.write_bytes(content)
    again = Table(tmp_path / "s")
    assert again.view.phase is Phase.ASSIGNED
    assert "damaged, kept as 1-1-a.jsonl.damaged1" in again.view.messages[0]
    assert (tmp_path / "s" / "games" / "1-1-a.jsonl.damaged1").exists()
    again.close()


def test_a_second_program_on_the_same_state_refuses_to_start(table: Table, tmp_path: Path) -> None:
    with pytest.raises(StateError, match="another flagfall-table already runs"):
        StateDirectory(tmp_path / "s").open()


def test_local_games_begin_by_themselves_and_follow_each_other(tmp_path: Path) -> None:
    from othello.gamefile import parse_header

    local = Table(tmp_path / "local", local_header=parse_header(HEADER | {"sensors": False, "judged": False}))
    local.turn(after_ns=10 * MS)
    assert local.view.game_id == "local-1" and local.game.armed
    local.press(Side.WHITE)
    local.turn(ScreenInput(Resign(local.now_ns, Side.BLACK)))
    local.settle()
    assert local.game.state is State.FINISHED
    local.turn(ScreenRequest(local.now_ns, "new_game"))
    local.turn(after_ns=10 * MS)
    assert local.view.game_id == "local-2" and local.game.armed and local.game.clock.running is None
    local.close()


def test_answers_are_only_told_when_recorded(table: Table) -> None:
    table.turn(Answered("r9", "applied"))
    table.until(lambda: any("r9" in dict(s.answers) for s in table.broker.of(messages.Status)))


def test_an_outbox_that_cannot_be_written_is_told_and_tried_again(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = Outbox.put
    broken = True

    def failing(self: Outbox, letter_id: str, topic: str, payload: bytes) -> bool:
        if broken:
            raise OutboxError("outbox.sqlite: disk I/O error")
        return put(self, letter_id, topic, payload)

    monkeypatch.setattr(Outbox, "put", failing)
    play_on(table)
    table.turn(ScreenInput(Resign(table.now_ns, Side.WHITE)))
    table.settle()
    table.until(lambda: not table.view.storage_ok)
    assert "outbox.sqlite: disk I/O error" in table.view.messages
    broken = False
    table.until(lambda: table.view.storage_ok and len(table.broker.of(messages.Result)) == 1)


def hold(table: Table, side: Side, for_ns: int) -> None:
    """Down for a while, then up; the press itself is out of turn and changes nothing."""
    table.turn(ButtonEdge(table.now_ns, side, True), after_ns=100 * MS)
    for _ in range(for_ns // (500 * MS)):
        table.turn(BoardStream(table.now_ns), after_ns=500 * MS)
    table.turn(ButtonEdge(table.now_ns, side, False), after_ns=100 * MS)
    table.settle()


@pytest.mark.clause("woc-2019 IV.8")
def test_players_sign_by_holding_their_buttons(table: Table) -> None:
    play_on(table)
    table.turn(ScreenInput(Resign(table.now_ns, Side.WHITE)))
    table.settle()
    hold(table, Side.BLACK, 1 * S)
    assert not table.game.signed.black
    hold(table, Side.BLACK, 3 * S)
    assert table.game.signed.black and not table.game.signed.white
    hold(table, Side.WHITE, 3 * S)
    assert table.game.state is State.SIGNED


def test_a_button_still_down_from_the_last_move_signs_nothing(table: Table) -> None:
    play_on(table)
    table.turn(ButtonEdge(table.now_ns, Side.WHITE, True), after_ns=100 * MS)
    table.settle()
    table.turn(ScreenInput(Resign(table.now_ns, Side.BLACK)))
    table.settle()
    for _ in range(10):
        table.turn(after_ns=S)
    assert table.game.state is State.FINISHED and not table.game.signed.white


def test_after_a_stop_without_a_judge_both_hold_their_buttons_to_go_on(table: Table) -> None:
    table.assign(judged=False, sensors=False)
    table.start()
    table.press(Side.WHITE)
    table.turn(ScreenInput(Stop(table.now_ns, Side.BLACK)))
    table.settle()
    assert str(table.game.state) == "stopped"
    table.turn(*(ButtonEdge(table.now_ns, side, True) for side in Side), after_ns=100 * MS)
    for _ in range(5):
        table.turn(after_ns=S)
    assert table.game.state is State.RUNNING and table.game.clock.running is Side.BLACK


def test_a_board_whose_word_comes_too_late_accuses_nobody(table: Table) -> None:
    """The move lies there, the press is made, and the board is silent for longer than anybody waits."""
    position = play_on(table)
    moved = position.played(False, parse_square("f4"))
    laid_ns = table.now_ns
    table.turn(BoardStream(table.now_ns), after_ns=50 * MS)
    table.turn(ButtonEdge(table.now_ns, Side.WHITE, True), after_ns=900 * MS)
    table.turn()
    assert table.game.clock.running is Side.BLACK, "the clock never waits"
    assert table.game.owed == 1 and len(table.game.moves) == 5
    table.turn(BoardShown(laid_ns + 10 * MS, moved), BoardStream(table.now_ns), after_ns=50 * MS)
    table.settle()
    assert table.game.moves[-1] == parse_square("f4") and table.game.owed == 0
    assert [i.type for i in table.game.incidents] == [IncidentType.BOARD_LOST]
    assert table.game.board_ok


def test_a_board_that_was_silent_and_shows_nothing_new_is_there_again(table: Table) -> None:
    position = play_on(table)
    table.turn(after_ns=900 * MS)
    moved = position.played(False, parse_square("f4"))
    table.turn(BoardStream(table.now_ns), BoardShown(table.now_ns, moved), after_ns=300 * MS)
    table.turn(ButtonEdge(table.now_ns, Side.WHITE, True), after_ns=300 * MS)
    table.turn()
    assert table.game.moves[-1] == parse_square("f4"), "what had been read whole before counts"
    table.settle()
    assert table.game.board_ok and table.game.owed == 0


def test_the_director_closes_a_result_without_signatures(table: Table, tmp_path: Path) -> None:
    table.turn(LinkState(True))
    play_on(table)
    table.turn(ScreenInput(Resign(table.now_ns, Side.WHITE)))
    table.settle()
    table.until(lambda: len(table.broker.of(messages.Result)) == 1)
    assert not table.broker.of(messages.Result)[0].closed and not table.view.closed_unsigned
    table.turn(ScreenInput(Tick(table.now_ns, Note("closed_unsigned", "director"))))
    table.settle()
    table.until(lambda: len(table.broker.of(messages.Result)) == 2)
    final = table.broker.of(messages.Result)[1]
    assert final.closed and final.id == "1-1-a.2" and not final.signatures.black
    assert table.view.closed_unsigned and table.game.state is State.FINISHED
    _, inputs = parse_game(unpack(PackedFile(final.file, final.sha256)).decode())
    assert Note("closed_unsigned", "director") in [one.note for one in inputs if isinstance(one, Tick)]
    table.close()
    again = Table(tmp_path / "s")
    assert again.view.closed_unsigned
    again.close()


def notes(table: Table) -> list[Note]:
    return [one.note for one in table.game.notes]


def test_calls_and_swapped_sides_stand_in_the_record(table: Table) -> None:
    table.assign(sensors=False)
    table.turn(ScreenRequest(table.now_ns, "call_director", "black"))
    table.turn(ScreenRequest(table.now_ns, "answer_call", "judge"))
    table.turn(ScreenRequest(table.now_ns, "swap_sides"))
    table.settle()
    assert notes(table) == [
        Note("director_called", detail="black"),
        Note("call_answered", detail="judge"),
        Note("sides_swapped"),
    ]


def test_a_full_disk_is_on_record_once_it_works_again(table: Table) -> None:
    play_on(table)
    table.turn(DiskTrouble("full\nor so"), DiskTrouble(""))
    table.settle()
    assert notes(table)[-2:] == [Note("disk", detail="full or so"), Note("disk", detail="works")]


def test_both_buttons_held_start_a_game_without_a_judge(table: Table) -> None:
    table.assign(judged=False, sensors=False)
    table.turn(*(ButtonEdge(table.now_ns, side, True) for side in Side), after_ns=100 * MS)
    assert not table.game.armed
    for _ in range(5):
        table.turn(after_ns=S)
    table.turn(*(ButtonEdge(table.now_ns, side, False) for side in Side), after_ns=100 * MS)
    assert table.game.armed and notes(table) == [Note("started_by_both_buttons")]
    table.press(Side.WHITE)
    assert table.game.clock.running is Side.BLACK


def test_at_a_judged_table_both_buttons_start_nothing(table: Table) -> None:
    table.assign(sensors=False)
    table.turn(*(ButtonEdge(table.now_ns, side, True) for side in Side), after_ns=100 * MS)
    for _ in range(5):
        table.turn(after_ns=S)
    assert not table.game.armed


@pytest.mark.clause("woc-2019 IV.10")
def test_the_time_is_spoken_for_whoever_asks(tmp_path: Path) -> None:
    heard: list[Side] = []
    table = Table(tmp_path / "s", spoken=lambda side, game, now_ns: heard.append(side))
    table.assign(sensors=False, hands_commit={"black": True, "white": False})
    table.turn(ScreenRequest(table.now_ns, "speak", "black"))
    table.turn(ScreenRequest(table.now_ns, "speak"))
    table.close()
    assert heard == [Side.BLACK, Side.WHITE]
