"""Faults around the table's loop, turn by turn: they are shown to the judge and recorded, and the clock goes on."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import ANY

import pytest
from helpers.loop_table import MS, S, Table, notes, play_on

from flagfall.base.errors import Failed
from flagfall.base.trouble import trouble
from flagfall.link import messages
from flagfall.othello.board import parse_square, parse_transcript
from flagfall.othello.game import IncidentType, State
from flagfall.othello.gamefile import input_object
from flagfall.othello.inputs import Contact, Note, Press, Resign, Shown, Sign
from flagfall.othello.side import Side
from table_app.events import (
    BoardPresence,
    BoardShown,
    BoardStream,
    BoardTouched,
    ButtonDown,
    ButtonEdge,
    LinkState,
    Part,
    PartTrouble,
    Place,
    ScreenInput,
    place_of,
)
from table_app.game.sequencer import EDGE_LAG_NS
from table_app.health.clock_rate import WINDOW_NS, ClockReading, SlewWatch
from table_app.health.watch import LOOK_NS
from table_app.hub_link.outbox import Outbox
from table_app.pins.buttons import HELD_NS
from table_app.record.journal import batch, read
from table_app.table_view import Phase


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


def test_a_move_pressed_just_before_the_cable_is_out_is_no_pass(table: Table) -> None:
    """Its discs lay there, but the board had not told them yet."""
    moved = play_on(table).played(False, parse_square("f4"))
    table.turn(BoardStream(table.now_ns), after_ns=S)
    table.turn(ButtonEdge(table.now_ns, Place.RIGHT, True), after_ns=40 * MS)
    table.turn(BoardPresence(table.now_ns, False, why="pulled"), after_ns=20 * MS)
    table.turn(BoardPresence(table.now_ns, True, "b0"), BoardShown(table.now_ns, moved), after_ns=5 * S)
    table.settle()
    assert table.game.moves[-1] == parse_square("f4")
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
    assert any(message.key == "disk_full" for message in table.view.messages)
    table.until(lambda: any("disk is full" in s.health.storage for s in table.broker.of(messages.Status)))
    table.disk.full = False
    table.until(lambda: len(table.broker.of(messages.Result)) == 1 and table.view.storage_ok)


def test_a_thousand_presses_while_the_card_stalls_are_on_record_as_stamped(
    table: Table, tmp_path: Path
) -> None:
    table.assign(sensors=False)
    table.start()
    table.synced()
    journal = tmp_path / "s" / "games" / "1-1-a.jsonl"
    before = journal.read_bytes()
    table.disk.goes_on.clear()
    stamps = []
    for number in range(1000):
        stamps.append(table.now_ns)
        side = Side.BLACK if number % 2 else Side.WHITE
        table.turn(ButtonEdge(table.now_ns, place_of(side, False), True), after_ns=7 * MS)
        table.turn(ButtonEdge(table.now_ns, place_of(side, False), False), after_ns=143 * MS)
    table.turn(after_ns=S)
    assert journal.read_bytes() == before and table.game.clock.running is Side.WHITE
    table.disk.goes_on.set()
    table.synced()
    kept = read(journal.read_bytes())
    assert kept is not None
    assert [entry.input.at_ns for entry in kept.entries if isinstance(entry.input, Press)] == stamps


def test_an_outbox_that_cannot_be_written_is_told_and_tried_again(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = Outbox.put
    broken = True

    def failing(self: Outbox, letter_id: str, topic: str, payload: bytes) -> bool:
        if broken:
            raise Failed("outbox.sqlite: disk I/O error")
        return put(self, letter_id, topic, payload)

    monkeypatch.setattr(Outbox, "put", failing)
    play_on(table)
    table.turn(ScreenInput(Resign(table.now_ns, Side.WHITE)))
    table.settle()
    table.until(lambda: not table.view.storage_ok)
    assert trouble("outbox_fails", why="outbox.sqlite: disk I/O error") in table.view.messages
    broken = False
    table.until(lambda: table.view.storage_ok and len(table.broker.of(messages.Result)) == 1)


def test_a_board_whose_word_comes_too_late_accuses_nobody(table: Table) -> None:
    """The move lies there, the press is made, and the board is silent for longer than anybody waits."""
    position = play_on(table)
    moved = position.played(False, parse_square("f4"))
    laid_ns = table.now_ns
    table.turn(BoardStream(table.now_ns), after_ns=50 * MS)
    table.turn(ButtonEdge(table.now_ns, Place.RIGHT, True), after_ns=900 * MS)
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
    table.turn(ButtonEdge(table.now_ns, Place.RIGHT, True), after_ns=300 * MS)
    table.turn()
    assert table.game.moves[-1] == parse_square("f4"), "what had been read whole before counts"
    table.settle()
    assert table.game.board_ok and table.game.owed == 0


def test_a_full_disk_is_on_record_once_it_works_again(table: Table) -> None:
    play_on(table)
    table.turn(
        PartTrouble(Part.DISK, trouble("disk_fails", file="j", why="full\nor so")),
        PartTrouble(Part.DISK, None),
    )
    table.settle()
    assert notes(table)[-2:] == [
        Note("disk", detail="The disk fails: j: full or so"),
        Note("disk", detail="works"),
    ]


def test_a_damaged_journal_goes_back_to_what_is_whole_and_says_so(table: Table, tmp_path: Path) -> None:
    shown, side = play_on(table, "f5d6"), Side.BLACK
    for square in parse_transcript("c3d3"):
        shown = shown.played(side is Side.BLACK, square)
        table.turn(after_ns=S)
        table.synced()  # with the verdict on the move before
        table.shown(shown)
        table.press(side, after_ns=10 * MS)
        side = side.other
    table.synced()
    assert len(table.game.moves) == 4
    table.close()
    path = tmp_path / "s" / "games" / "1-1-a.jsonl"
    content = bytearray(path.read_bytes())
    content[content.rindex(b'"heard"') + 1] ^= 1
    later = batch([input_object(Shown(table.game.at_ns, shown))], table.game.at_ns)
    path.write_bytes(content + later)
    again = Table(tmp_path / "s")
    assert again.game.state is State.STOPPED
    moves = again.game.moves
    assert len(moves) == 3
    assert again.game.shown == shown, "the last picture of the board"
    assert Note("journal_damaged", detail=ANY) in notes(again)
    assert "damaged, kept as 1-1-a.jsonl.damaged1" in str(again.view.messages[0])
    assert (tmp_path / "s" / "games" / "1-1-a.jsonl.damaged1").exists()
    again.close()
    # What stands in its place is whole, and goes on.
    third = Table(tmp_path / "s")
    assert third.game.moves == moves and not third.view.messages
    third.close()


def test_a_board_being_set_up_fills_no_journal(table: Table) -> None:
    table.with_board()
    table.assign()
    for square in range(20):
        table.turn(BoardTouched(table.now_ns, square, Contact.HAND), after_ns=100 * MS)
    table.settle()
    assert table.game.at_ns == 0


def test_without_a_board_verdicts_wait_for_nothing_but_the_edges(table: Table) -> None:
    play_on(table)
    table.turn(BoardPresence(table.now_ns, False, why="pulled"))
    table.turn(after_ns=300 * MS)
    table.turn(BoardPresence(table.now_ns, True, "b0"), after_ns=S)
    table.turn(BoardStream(table.now_ns), BoardPresence(table.now_ns, False, why="pulled"), after_ns=MS)
    table.turn(ButtonEdge(table.now_ns, Place.RIGHT, True), after_ns=EDGE_LAG_NS)
    assert table.game.owed == 1, "a board that has just spoken and is gone is not waited for"


def health(table: Table) -> str:
    """Return the last report to the hub of buttons, clock, power and screen."""
    statuses = table.broker.of(messages.Status)
    return str(statuses[-1].health.clock) if statuses else ""


def test_a_button_that_is_held_or_chatters_is_told_to_the_judge_and_the_hub(table: Table) -> None:
    table.turn(LinkState(True))
    table.assign(sensors=False)
    table.turn(ButtonEdge(table.now_ns, Place.LEFT, True))
    table.turn(after_ns=HELD_NS)
    assert table.view.messages == ()
    table.turn(after_ns=1)
    assert table.view.messages == (trouble("button_held", side=Side.BLACK),)
    table.until(lambda: health(table) == "black button held down")
    table.turn(ButtonEdge(table.now_ns, Place.LEFT, False), after_ns=MS)
    assert table.view.messages == ()
    for number in range(80):
        table.turn(ButtonEdge(table.now_ns, Place.RIGHT, number % 2 == 0), after_ns=5 * MS)
    assert table.view.messages == (trouble("button_chatters", side=Side.WHITE),)
    table.until(lambda: health(table) == "white button: loose contact")
    table.turn(after_ns=2 * S)
    table.until(lambda: health(table) == "ok")


def test_a_button_that_was_down_at_the_start_is_told_and_no_press(table: Table) -> None:
    table.assign(sensors=False)
    table.start()
    table.turn(ButtonDown(table.now_ns, Place.RIGHT))
    table.turn(after_ns=HELD_NS + 1)
    assert table.view.messages == (trouble("button_held", side=Side.WHITE),)
    assert table.game.clock.running is None


def test_a_slewed_clock_is_told_and_stands_in_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocks = [ClockReading(0, 0)]
    monkeypatch.setattr("table_app.health.watch.SlewWatch", lambda: SlewWatch(lambda: clocks[0]))
    table = Table(tmp_path / "slewed")
    play_on(table, "f5")
    clocks[0] = ClockReading(WINDOW_NS + 20_000_000, WINDOW_NS)
    table.turn(after_ns=S)
    table.settle()
    assert table.view.messages == ()
    table.turn(after_ns=LOOK_NS)
    table.settle()
    assert table.view.messages == (trouble("clock_slewed", ppm="+2000"),)
    clocks[0] = ClockReading(2 * WINDOW_NS + 20_000_000, 2 * WINDOW_NS)
    table.turn(after_ns=LOOK_NS)
    table.settle()
    assert table.view.messages == ()
    assert notes(table) == [
        Note("clock", detail="Clock rate changed by +2000 ppm by time synchronisation"),
        Note("clock", detail="works"),
    ]
    table.close()


def test_an_hour_without_a_network_costs_the_game_nothing(table: Table, tmp_path: Path) -> None:
    """The clock goes on, nothing piles up, and everything that counts goes out once there is a network again."""
    table.turn(LinkState(True))
    table.assign(minutes=90, sensors=False)
    table.start()
    table.press(Side.WHITE)
    table.turn(LinkState(False))
    table.broker.up = False
    side = Side.BLACK
    for second in range(3600):
        table.turn(after_ns=S)
        if second % 60 == 0:
            table.press(side, after_ns=0)
            side = side.other
    table.turn(ScreenInput(Resign(table.now_ns, Side.WHITE)))
    for signer in Side:
        table.turn(ScreenInput(Sign(table.now_ns, signer)))
    table.settle()
    assert table.game.state is State.SIGNED and not table.view.link_connected
    left_s = sum(table.game.clock.left_ns(player, table.now_ns) for player in Side) / S
    assert 2 * 90 * 60 - left_s == pytest.approx(3600 + 61 * 0.16, abs=2)
    table.synced()
    journal = tmp_path / "s" / "games" / "1-1-a.jsonl"
    assert journal.stat().st_size < 500_000
    assert not table.broker.of(messages.Result)
    sent_before = len(table.broker.sent)
    table.broker.up = True
    table.turn(LinkState(True))
    table.until(lambda: {result.id for result in table.broker.of(messages.Result)} == {"1-1-a.2"})
    assert len(table.broker.sent) - sent_before < 10, "of status and clocks only the newest"
    table.order(messages.Receipt(id="1-1-a.2", accepted=True, head="0" * 64))
    assert table.view.phase is Phase.RECEIVED
