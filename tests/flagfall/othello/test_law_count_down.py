"""A count-down for each move once the time is up, and flags of players who owe only a pass (jof J2, J8, J15, J19)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.errors import Invalid
from flagfall.othello.gamefile import header_object, parse_header

from .conftest import BLACK, WHITE, Table, TableMaker, japanese

COUNTED = {"minutes": 1, "byoyomi_s": 30}
# White has no move at first: a1 and b1 lie there, c1 is Black's.
MUST_PASS = "XO-" + "-" * 61


def test_after_the_time_each_move_has_its_seconds(table: TableMaker) -> None:
    t = table("japanese", **COUNTED).begin().tick(60)
    assert t.left_s(BLACK) == 0
    assert t.tick(10).left_s(BLACK) == 20
    t.move("f5", 15)
    assert t.left_s(BLACK) == 30
    t.move("d6", 1).move("c5", 30)
    assert t.left_s(BLACK) == 30 and t.left_s(WHITE) == 59
    t.line("claim_flag", by="white")
    assert t.refusals == ["the flag of black has not fallen"]


def test_a_move_that_takes_longer_is_a_flag(table: TableMaker) -> None:
    t = table("japanese", **COUNTED).begin().tick(91)
    assert t.left_s(BLACK) == 0 and not t.happened("flag")
    t.line("claim_flag", by="white")
    assert t.report["awaits"] == "default_choice" and t.happened("flag")[0]["at_ns"] == 90 * 10**9


def test_the_time_itself_is_used_up_before_the_count_down_begins(table: TableMaker) -> None:
    t = table("japanese", **COUNTED).begin().move("f5", 59).move("d6", 1).tick(10)
    assert t.left_s(BLACK) == 21
    assert t.move("c5", 0).left_s(BLACK) == 30


@pytest.mark.parametrize(("error", "awaits"), [("corrected", None), ("flag", "default_choice")])
def test_an_error_in_the_count_down_is_put_right_or_costs_the_flag(error: str, awaits: str | None) -> None:
    book = japanese(flag={"byoyomi_error": error})
    t = Table("japanese", rulebook_text=book, **COUNTED).begin().tick(70).move("f5", 5, wrong="e5")
    t.wait(2).press(WHITE)
    assert t.report["awaits"] == awaits
    assert t.report["flags"]["black"] == (0 if awaits is None else 1)
    if awaits is None:
        t.wait(8).turn("e5").press(BLACK)
        assert t.report["running"] == "white" and t.left_s(BLACK) == 30 and t.left_s(WHITE) == 58
    else:
        t.line("default_choice", by="white", choice="self_play")
        assert t.report["to_move"] == "white" and t.report["running"] == "white"


def test_an_error_before_the_count_down_costs_no_flag(table: TableMaker) -> None:
    book = japanese(flag={"byoyomi_error": "flag"})
    t = table("japanese", rulebook_text=book, **COUNTED).begin().move("f5", 5, wrong="e5").press(WHITE)
    assert t.report["state"] == "correcting" and t.report["awaits"] is None


def test_self_play_has_no_count_down_of_its_own(table: TableMaker) -> None:
    t = table("japanese", **COUNTED).begin().move("f5", 5).tick(91).line("claim_flag", by="black")
    t.line("default_choice", by="black", choice="self_play").tick(56)
    assert t.report["state"] == "finished" and t.report["clocks_ns"]["black"] == 0


def test_who_is_given_time_has_left_the_count_down(table: TableMaker) -> None:
    t = table("japanese", **COUNTED).begin().tick(70).rule("adjust_time", player="black", seconds=60)
    assert t.left_s(BLACK) == 80
    assert t.move("f5", 5).left_s(BLACK) == 75


def test_it_is_written_and_read_back(table: TableMaker) -> None:
    header = table("japanese", **COUNTED).header
    assert header_object(header)["byoyomi_s"] == 30 and parse_header(header_object(header)) == header
    with pytest.raises(Invalid, match="byoyomi_s: expected 0, woc-2019 has no count-down, got 30"):
        table("woc-2019", byoyomi_s=30)


@given(st.lists(st.floats(0, 29), min_size=1, max_size=20))
def test_who_moves_within_the_seconds_never_loses_on_time(seconds: list[float]) -> None:
    t = Table("japanese", minutes=0.1, byoyomi_s=30).begin()
    for thought_s in seconds:
        legal = t.game.legal(t.game.to_move)
        if not legal:
            break
        square = legal.bit_length() - 1
        t.move(f"{'abcdefgh'[square % 8]}{square // 8 + 1}", thought_s)
        assert all(0 <= t.left_s(side) <= 30 for side in (BLACK, WHITE))
    t.line("claim_flag", by="white").line("claim_flag", by="black")
    assert len(t.refusals) == 2


@pytest.mark.parametrize(("pass_only", "flag"), [("counts", True), ("waits", False)])
def test_a_flag_while_only_a_pass_is_owed(pass_only: str, flag: bool) -> None:
    book = japanese(flag={"pass_only": pass_only})
    t = Table("japanese", rulebook_text=book, minutes=1).set_up(MUST_PASS, WHITE, 61)
    t.line("claim_flag", by="black")
    assert (t.report["awaits"] == "default_choice") is flag
    assert t.left_s(WHITE) == 0
    if not flag:
        t.press(WHITE).place("c1").press(BLACK)
        assert t.report["awaits"] == "accept_end" and not t.happened("flag")


# After Black's c1 White has no move, and Black can go on to c8.
SKIP = "XO-" + "-" * 53 + "XO-" + "-" * 5


def test_the_presses_of_a_pass_may_be_left_out(table: TableMaker) -> None:
    t = table("japanese", minutes=1).set_up(SKIP, BLACK).wait(5).place("c1", by=BLACK)
    t.wait(5).place("c8", by=BLACK).press(BLACK)
    assert t.report["transcript"] == "c1c8" and not t.errors and not t.refusals
    assert not t.happened("moved_on_opponents_time") and t.left_s(BLACK) == 50
    assert t.report["awaits"] == "accept_end"


def test_an_error_of_the_second_move_is_its_own(table: TableMaker) -> None:
    t = table("japanese", minutes=1).set_up(SKIP, BLACK).place("c1", by=BLACK)
    t.put("c8", True).press(BLACK)
    assert [(kind, by, squares) for kind, by, squares, _ in t.errors] == [("misflip", "black", ("b8",))]


def test_both_moves_shown_at_once_are_read_too(table: TableMaker) -> None:
    t = table("japanese", minutes=1).set_up(SKIP, BLACK)
    t.show(t.shown.played(True, 2).played(True, 58)).press(BLACK)
    assert t.report["transcript"] == "c1c8" and not t.errors


def test_the_pass_can_be_pressed_all_the_same(table: TableMaker) -> None:
    t = table("japanese", minutes=1).set_up(SKIP, BLACK).place("c1").press(BLACK).press(WHITE)
    t.place("c8").press(BLACK)
    assert t.report["transcript"] == "c1c8" and not t.errors


@pytest.mark.parametrize("book", ["woc-2019", "club"])
def test_elsewhere_an_error_of_the_second_move_is_found_beside_the_first(
    table: TableMaker, book: str
) -> None:
    t = table(book, minutes=1).set_up(SKIP, BLACK).place("c1", by=BLACK).put("c8", True).press(BLACK)
    assert t.report["transcript"] == "c1" and t.report["to_move"] == "white"
    assert [(kind, by, squares) for kind, by, squares, _ in t.errors] == [("misflip", "black", ("c8",))]
