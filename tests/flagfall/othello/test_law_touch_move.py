"""Touch-move: what binds a player, and what does not."""

from __future__ import annotations

import pytest

from flagfall.othello.board import square_name, squares_of

from .conftest import ALL, BLACK, WHITE, WOC


@pytest.mark.clause("woc-2019 IV.4", "woc-2017 IV.4", "woc-classic IV.4", "cc-2024 IV.4")
@pytest.mark.parametrize("book", WOC)
@pytest.mark.parametrize("contact", ["hand", "disc"])
def test_the_first_legal_square_touched_binds(table, book, contact):
    t = table(book).begin().touch("d3", contact).move("f5")
    assert t.errors == [("touched_elsewhere", "black", ("d3",), "open")]
    assert t.game.clock.running is WHITE, "the press counts whatever is found"


@pytest.mark.clause("woc-2019 IV.4")
def test_a_square_without_a_legal_move_binds_nobody(table):
    t = table().begin().touch("a1").touch("d4", "hand").move("f5")
    assert t.errors == []


@pytest.mark.clause("woc-2019 IV.4")
def test_only_the_first_legal_square_binds(table):
    t = table().begin().touch("f5", "hand").touch("d3", "hand").move("f5")
    assert t.errors == []


@pytest.mark.clause("usoa 3.8")
def test_usoa_binds_by_disc_alone(table):
    t = table("usoa").begin().touch("d3", "hand").move("f5")
    assert t.errors == []
    t = table("usoa").begin().touch("d3", "disc").move("f5")
    assert t.errors == [("touched_elsewhere", "black", ("d3",), "open")]


@pytest.mark.clause("usoa 3.9")
@pytest.mark.parametrize("book", ALL)
def test_a_dropped_disc_commits_nobody_and_may_be_retrieved(table, book):
    t = table(book).begin().touch("d3", "dropped").put("d3", True).lift("d3").move("f5")
    assert t.errors == []
    assert t.report["transcript"] == "f5"


@pytest.mark.clause("usoa 3.9")
@pytest.mark.parametrize("book", ALL)
def test_while_a_dropped_disc_lies_there_touches_still_count(table, book):
    t = table(book).begin().touch("d3", "dropped").put("d3", True).touch("c4").lift("d3").move("f5")
    assert t.errors == [("touched_elsewhere", "black", ("c4",), "open")]


@pytest.mark.clause("usoa 3.9")
@pytest.mark.parametrize("square", ["c3", "d4", "d5", "e5", "f5"])
@pytest.mark.parametrize("book", ALL)
def test_a_disc_dropped_on_another_leaves_the_board_as_it_lies(table, book, square):
    records = []
    for falls in ("", square):
        t = table(book).begin().moves("f5d6c3")
        if falls:
            t.touch(falls, "dropped")
        # An illegal move, answered before the press: each disc is read on the board as it lay when it came down.
        t.put("a1", False).place("c5", by=BLACK).press(WHITE)
        records.append((t.game.before, t.errors, t.report["transcript"]))
    assert records[0] == records[1]


@pytest.mark.clause("usoa 3.10")
@pytest.mark.parametrize("book", ALL)
def test_straightening_discs_is_free(table, book):
    t = table(book).begin().touch("d4", "hand").show().touch("e5", "disc").move("f5")
    assert t.errors == []


@pytest.mark.clause("woc-2019 IV.10", "woc-2017 IV.10")
@pytest.mark.parametrize("book", ["woc-2019", "woc-2017"])
def test_the_hands_of_a_sight_impaired_player_never_commit(table, book):
    t = table(book, hands_commit={"black": False}).begin().touch("d3", "hand").move("f5")
    assert t.errors == []
    t.wait(2).touch("f6", "hand").wait(2).touch("d6", "hand").place("d6").press(WHITE)
    assert t.errors == [("touched_elsewhere", "white", ("f6",), "open")], "the opponent's hands still do"


@pytest.mark.clause("woc-2019 IV.10", "woc-2017 IV.10")
@pytest.mark.parametrize("book", ["woc-2019", "woc-2017"])
def test_the_primary_board_is_worth_five_minutes_more(table, book):
    t = table(book, extra_minutes={"black": 1, "white": 5})
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1860, 2100)


@pytest.mark.clause("woc-2019 IV.4", "woc-2017 IV.4", "woc-classic IV.4", "cc-2024 IV.4")
@pytest.mark.parametrize("book", WOC)
def test_a_touch_ruled_unintentional_binds_nobody(table, book):
    t = table(book).begin().touch("d3").rule("unintentional_touch").move("f5")
    assert t.errors == []


@pytest.mark.clause("woc-2019 IV.4")
def test_after_the_press_too_a_touch_can_be_ruled_unintentional(table):
    t = table().begin().touch("d3").move("f5").rule("unintentional_touch")
    assert t.errors == [("touched_elsewhere", "black", ("d3",), "dismissed")]


def test_an_unintentional_touch_has_accepted_nothing(table):
    t = table().begin().move("f5", wrong="e5").touch("c5")
    assert t.errors[0][3] == "accepted"
    t.rule("unintentional_touch")
    assert t.errors[0][3] == "open"


def test_ruling_a_touch_unintentional_that_nobody_made_is_refused(table):
    t = table().begin().rule("unintentional_touch")
    assert t.refusals == ["no touch binds anybody"]


def test_touches_after_the_disc_is_down_bind_nobody(table):
    t = table().begin().wait(5).place("f5").touch("d3", "hand").press(BLACK)
    assert t.errors == []


@pytest.mark.clause("woc-2019 IV.4")
@pytest.mark.parametrize("book", ["woc-2019", "bof"])
def test_situation_24_a_disc_put_on_c4_and_slid_to_c5_has_bound_its_player_to_c4(table, book):
    # At a British table games follow woc-2019: the move to c5 stands until somebody speaks, and then c4 is played.
    t = table(book, judged=False).begin().moves("f5d6c5f4e3")
    legal = [square_name(square) for square in squares_of(t.shown.legal(False))]
    first, second = legal[:2]
    t.touch(first).put(first, False).lift(first).move(second)
    assert t.errors == [("touched_elsewhere", "white", (first,), "open")]
    before = t.game.last.before
    t.line("signal", by="black", error="touched_elsewhere").show(before)
    t.place(first, by=WHITE).press(WHITE)
    assert t.report["transcript"] == "f5d6c5f4e3" + first and t.errors[0][3] == "corrected"
