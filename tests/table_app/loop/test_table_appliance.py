"""What the table's loop makes of the hub's orders and of what happens in a game, turn by turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from loop_table import HEADER, KEY, MS, S, Table, notes, play_on

from link import messages
from link.messages import encode
from link.packed_file import PackedFile, unpack
from link.signature import verify
from link.topics import Kind
from othello.board import START, Position
from othello.colour_choice import May
from othello.game import IncidentType, State
from othello.gamefile import parse_game, parse_header
from othello.inputs import Note, Resign, Rule, Ruling, Sign, Tick
from othello.notation import parse_position, parse_square, parse_transcript
from othello.referee import judge, new_game
from othello.report import outcome
from othello.side import Side
from table_app.board.orientation import Orientations
from table_app.events import (
    Answered,
    Arrival,
    BoardPresence,
    BoardShown,
    BoardStream,
    ButtonEdge,
    GameChosen,
    LinkState,
    ScreenInput,
    ScreenRequest,
)
from table_app.local_game import LocalSetup
from table_app.loop.view import Phase, TableView
from table_app.record.state_dir import StateDirectory, StateError
from table_app.screen.kit.player_face import face_of


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
    assert str(table.view.phase) == "received"


def test_results_are_sent_again_until_the_receipt_also_after_a_restart(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It is the new connection that sends them, not that time has passed.
    monkeypatch.setattr("link.outbox.delay_s", lambda attempt, random: 3600.0)
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
    assert str(table.view.phase) != "received"


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
            table.turn(Arrival(topic, payload, False))
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
    ruling = messages.RulingMessage(id="r1", game="1-1-a", expires_s=60, rule="start")
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
        table.order(messages.RulingMessage(id=ruling_id, game=game, expires_s=9, rule=rule, fields=fields))
        table.turn(after_ns=10 * MS)
        table.until(lambda: answers().get(ruling_id, "").startswith(answer))  # noqa: B023
    assert table.broker.of(messages.Status)[-1].refusals == {
        "r2": {"key": "not_in_state", "places": {"state": "waiting"}},
        "r3": {"key": "not_at_table", "places": {}},
    }
    table.close()
    again = Table(tmp_path / "s")
    again.order(ruling)
    again.turn(after_ns=300 * MS)
    assert len([i for i in again.game.incidents if i.input == "start"]) == 0
    again.close()


def test_a_ruling_kept_back_has_expired(table: Table) -> None:
    table.turn(LinkState(True))
    table.assign()
    sent_ns = table.now_ns

    def ruled(ruling_id: str, rule: str, waited_s: int) -> str:
        table.turn(after_ns=sent_ns + waited_s * 1_000 * MS - table.now_ns)
        table.order(
            messages.RulingMessage(id=ruling_id, game="1-1-a", expires_s=30, rule=rule, at_ns=sent_ns)
        )
        table.turn()
        table.turn(after_ns=300 * MS)

        def answers() -> dict[str, str]:
            said = table.broker.of(messages.Status)
            return dict(said[-1].answers) if said else {}

        table.until(lambda: ruling_id in answers())
        return answers()[ruling_id]

    assert ruled("r1", "start", 30) == "applied"
    assert ruled("r2", "award", 31) == "expired"
    assert table.game.armed and not table.game.over


@pytest.mark.clause("woc-2019 I.4.5", "woc-2017 I.4.5", "cc-2024 I.3.5", "usoa 2.1")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "cc-2024", "usoa"])
def test_wrong_squares_of_the_start_position_are_shown(table: Table, rulebook: str) -> None:
    table.assign(rulebook=rulebook)
    assert table.game.header.rulebook.id == rulebook
    table.turn(BoardPresence(table.now_ns, True, "b0"))
    table.turn(BoardShown(table.now_ns, Position(START.white, START.black)))
    assert table.view.wrong_start_squares == START.black | START.white
    table.turn(BoardShown(table.now_ns, START))
    assert table.view.wrong_start_squares == 0


@pytest.mark.clause("woc-2019 IV.5.1", "woc-2019 IV.8", "usoa 4.3", "usoa 7.1")
@pytest.mark.parametrize("judged", [True, False])
def test_the_last_flips_put_right_by_hand_count_until_the_board_is_cleared(
    table: Table, judged: bool
) -> None:
    table.with_board()
    table.assign(judged=judged)
    table.start()
    table.press(Side.WHITE)
    before = parse_position("XO" + "-" * 60 + "OO")
    for rule in (Rule.STOP, Rule.SET_POSITION, Rule.RESUME):
        table.turn(ScreenInput(Ruling(table.now_ns, rule, position=before, to_move=Side.BLACK)))
        table.settle()
    table.shown(parse_position("XXX" + "-" * 59 + "XX"))
    table.press(Side.BLACK, after_ns=10 * MS)
    assert table.game.outcome.score == (64, 0), "two flips too many"
    for lies in (before.played(True, parse_square("c1")), START):
        table.shown(lies)
        table.settle()
        assert table.game.outcome.score == (62, 2)


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
    table.assign(seq=2, game="1-1-b", broadcast=True, rulebook="cc-2024")
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


def test_a_second_program_on_the_same_state_refuses_to_start(table: Table, tmp_path: Path) -> None:
    with pytest.raises(StateError, match="another flagfall-table already runs"):
        StateDirectory(tmp_path / "s").open()


def test_local_games_begin_by_themselves_and_follow_each_other(tmp_path: Path) -> None:
    local = Table(tmp_path / "local", local_header=parse_header(HEADER | {"sensors": False, "judged": False}))
    local.turn(after_ns=10 * MS)
    assert local.view.game_id == "local-1" and local.game.armed
    local.press(Side.WHITE)
    local.turn(ScreenInput(Resign(local.now_ns, Side.BLACK)))
    local.settle()
    assert local.game.state is State.FINISHED
    local.turn(GameChosen(local.now_ns, LocalSetup("club", 5)))
    local.turn(after_ns=10 * MS)
    assert local.view.game_id == "local-2" and local.game.armed and local.game.clock.running is None
    local.close()


def test_a_clock_that_never_had_a_board_misses_none(tmp_path: Path) -> None:
    clock = Table(tmp_path, local_header=parse_header(HEADER))
    clock.turn(BoardPresence(clock.now_ns, False, why="no board is plugged in"))
    assert clock.view.game is not None and not clock.view.board_missing
    assert "warning" not in clock.log.getvalue()
    clock.turn(BoardPresence(clock.now_ns, True, "b0"))
    assert not clock.view.board_missing
    clock.turn(BoardPresence(clock.now_ns, False, why="pulled"))
    assert clock.view.board_missing and "board gone why=pulled" in clock.log.getvalue()
    clock.close()


@pytest.mark.parametrize(
    "options",
    [{"orientations": Orientations({"b0": True})}, {"board_expected": True}],
    ids=["known", "in the settings"],
)
def test_a_board_that_is_known_is_missed_from_the_start(tmp_path: Path, options: dict[str, Any]) -> None:
    clock = Table(tmp_path, local_header=parse_header(HEADER), **options)
    clock.turn(after_ns=10 * MS)
    assert clock.view.board_missing
    clock.close()


def test_a_tournament_that_plays_on_boards_misses_one(table: Table) -> None:
    table.assign(sensors=True)
    table.turn(after_ns=10 * MS)
    assert table.view.board_missing


def test_answers_are_only_told_when_recorded(table: Table) -> None:
    table.turn(Answered("r9", "applied"))
    table.until(lambda: any("r9" in dict(s.answers) for s in table.broker.of(messages.Status)))


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


@pytest.mark.clause("woc-2019 IV.9")
@pytest.mark.clause("woc-2017 IV.9")
@pytest.mark.clause("cc-2024 IV.9")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "cc-2024", "woc-classic"])
def test_the_five_minutes_for_a_choice_run_from_the_assignment_and_are_only_told(
    table: Table, rulebook: str
) -> None:
    header = HEADER | {"rulebook": rulebook, "stage": "third-place", "minutes": 35}
    header |= {"black": {"id": "p1", "name": "A"}, "white": {"id": "p2", "name": "B"}}
    first = messages.Assignment(
        seq=1, tournament="woc", game="f1", seat=4, header=header, chooses="p1", may=May.COLOUR_OR_DRAW_WIN
    )
    table.order(first)
    asked_ns = table.now_ns
    timed = rulebook != "woc-classic"  # its text sets no time
    if not timed:
        assert face_of(table.view, table.now_ns).choice_left_s is None
        return
    assert face_of(table.view, asked_ns + 1).choice_left_s == 300
    table.order(msgspec.structs.replace(first, seq=2))
    table.turn(ScreenRequest(table.now_ns, "choose", "draw-win"), after_ns=10 * S)
    left_s = face_of(table.view, asked_ns + 299 * S).choice_left_s
    assert left_s is not None and 1 <= left_s <= 2, (
        "neither a repeated assignment nor a word begins them anew"
    )
    assert face_of(table.view, asked_ns + 400 * S).choice_left_s == 0
    table.turn(ScreenRequest(table.now_ns, "choose", "black"), after_ns=400 * S)
    assert table.view.choice is None and table.game.state is State.WAITING, (
        "a late word is heard like any other"
    )
    assert table.view.choice_until_ns is None


@pytest.mark.clause("usoa 6.5")
def test_a_clock_at_zero_that_waits_for_the_director_is_not_recorded_again_and_again(table: Table) -> None:
    table.assign(sensors=False, rulebook="usoa", minutes=1)
    table.start()
    table.press(Side.WHITE)
    table.turn(after_ns=61 * S)
    table.turn(after_ns=30 * MS)
    assert table.game.unconfirmed.black
    at_ns = table.game.at_ns
    for _ in range(9):
        table.turn(after_ns=30 * MS)
    assert table.game.at_ns == at_ns


@pytest.mark.clause("woc-2019 IV.7", "woc-2017 IV.7", "woc-classic IV.7", "cc-2024 IV.7", "usoa 5.4")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024", "usoa"])
def test_calls_and_swapped_sides_stand_in_the_record(table: Table, rulebook: str) -> None:
    table.assign(sensors=False, rulebook=rulebook)
    table.turn(ScreenRequest(table.now_ns, "call_director", "the clock is defective"))
    table.turn(ScreenRequest(table.now_ns, "answer_call", "judge"))
    table.turn(ScreenRequest(table.now_ns, "swap_sides"))
    table.settle()
    assert notes(table) == [
        Note("director_called", detail="the clock is defective"),
        Note("call_answered", detail="judge"),
        Note("sides_swapped"),
    ]


def test_a_table_that_is_closed_properly_says_that_it_is_offline(tmp_path: Path) -> None:
    """Its will is sent only for one that cannot."""
    closed = Table(tmp_path / "closed")
    closed.turn(after_ns=10 * MS)
    closed.close()
    assert [said.online for said in closed.broker.of(messages.Status)] == [True, False]
