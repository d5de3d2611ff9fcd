"""The table's loop, turn by turn: the hub's orders and the events of a game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.loop_table import HEADER, KEY, MS, S, Table, notes, play_on

from flagfall.base.errors import Failed
from flagfall.base.trouble import trouble
from flagfall.link import messages
from flagfall.link.keys import fingerprint
from flagfall.link.messages import encode
from flagfall.link.packed_file import PackedFile, unpack
from flagfall.link.signature import verify
from flagfall.link.topics import Kind
from flagfall.othello.board import START, Position, parse_position, parse_square, parse_transcript
from flagfall.othello.game import IncidentType, State
from flagfall.othello.gamefile import parse_game, parse_header
from flagfall.othello.inputs import Note, Resign, Rule, Ruling, Sign
from flagfall.othello.referee import judge, new_game
from flagfall.othello.report import outcome
from flagfall.othello.side import Both, Side
from table_app.board.setup import Orientations
from table_app.events import (
    BoardPresence,
    BoardShown,
    BoardStream,
    ButtonEdge,
    GameChosen,
    LinkState,
    Place,
    ScreenInput,
    ScreenRequest,
)
from table_app.local_game import LocalSetup
from table_app.record.state_dir import StateDirectory
from table_app.table_view import Phase, TableView


def test_from_assignment_to_receipt(table: Table) -> None:
    # Nothing has looked at the machine's power yet.
    assert table.view == TableView(power_known=False, table_key=fingerprint(KEY.public))
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
    assert second.signatures == Both(True, True) and second.score == Both(64, 0)
    assert verify(Kind.RESULT, encode(second), KEY.public)
    header, inputs = parse_game(unpack(PackedFile(second.file, second.sha256)).decode())
    game = new_game(header)
    for input in inputs:
        game = judge(game, input)
    assert outcome(game)["clocks_ns"] == {"black": second.clocks_ns.black, "white": second.clocks_ns.white}
    assert game == table.game
    for result in (first, second):
        table.order(messages.Receipt(id=result.id, accepted=True, head="0" * 64))
    assert str(table.view.phase) == "received"


def test_a_table_shows_the_key_with_which_it_signs(table: Table) -> None:
    table.turn(LinkState(True))
    assert table.view.table_key == fingerprint(KEY.public)


def test_a_table_knows_the_head_of_its_own_events_record(table: Table) -> None:
    table.turn(LinkState(True))
    play_on(table)
    root = "q" * 42 + "0="
    for tournament, shown in (("woc", True), ("other", False)):
        head = messages.RecordHead(tournament, 214, "0" * 64, root)
        table.order(messages.Receipt(id=messages.RECORD_ALONE, accepted=True, record=head))
        table.turn(after_ns=S)
        assert table.view.record == (head if shown else None)


def test_results_are_sent_again_until_the_receipt_also_after_a_restart(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It is the new connection that sends them, not that time has passed.
    monkeypatch.setattr("table_app.hub_link.outbox.delay_s", lambda attempt, random: 3600.0)
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
    table.turn(BoardStream(flip_ns - 20 * MS), ButtonEdge(press_ns, Place.LEFT, True), after_ns=MS)
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
    assert table.game.falls.black == 0
    table.turn(after_ns=S)
    table.turn(after_ns=100 * MS)
    assert table.game.falls.black == 1
    (flag,) = [i for i in table.game.incidents if i.type is IncidentType.FLAG]
    assert table.game.falls.white == 0
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
    table.turn(ButtonEdge(table.now_ns, Place.RIGHT, True))
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


def test_a_second_program_on_the_same_state_refuses_to_start(table: Table, tmp_path: Path) -> None:
    with pytest.raises(Failed, match="another flagfall-table already runs"):
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


def test_moves_that_a_board_plugged_in_again_does_not_explain_are_asked_for(table: Table) -> None:
    """The missing moves are reported on the judge's panel and to the hub until they are entered; else the
    game never ends."""
    unread = trouble("moves_unread")
    position = play_on(table)
    table.turn(BoardPresence(table.now_ns, False, why="pulled"))
    line = parse_transcript("b3b2b1a1")
    for press in range(4):
        table.press(Side.BLACK if press % 2 else Side.WHITE)
    table.turn(BoardPresence(table.now_ns, True, "b0"), BoardShown(table.now_ns, position))
    table.settle()
    assert table.game.reads_board and table.game.owed == 4
    assert unread in table.view.messages
    table.until(
        lambda: [status.health.board for status in table.broker.of(messages.Status)][-1:] == [str(unread)]
    )
    for number, square in enumerate(line):
        assert position.legal(number % 2 == 1) >> square & 1
        position = position.played(number % 2 == 1, square)
        table.turn(ScreenInput(Ruling(table.now_ns, Rule.ENTER_MOVE, square=square)))
    table.settle()
    assert table.game.owed == 0 and unread not in table.view.messages
    table.until(lambda: table.broker.of(messages.Status)[-1].health.board == "ok")


def test_a_tournament_that_plays_on_boards_misses_one(table: Table) -> None:
    table.assign(sensors=True)
    table.turn(after_ns=10 * MS)
    assert table.view.board_missing


@pytest.mark.clause("usoa 6.5")
def test_a_clock_at_zero_that_waits_for_the_director_is_not_recorded_again_and_again(table: Table) -> None:
    table.assign(sensors=False, rulebook="usoa", minutes=1)
    table.start()
    table.press(Side.WHITE)
    table.turn(after_ns=61 * S)
    table.turn(after_ns=30 * MS)
    assert table.game.flags.black.awaits_director
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
    assert [status.online for status in closed.broker.of(messages.Status)] == [True, False]
