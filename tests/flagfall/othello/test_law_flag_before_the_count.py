"""A flag that falls after the last press of a clock game, and the count that is entered then."""

from __future__ import annotations

from typing import Any

import pytest

from flagfall.othello.game import State
from flagfall.othello.gamefile import input_object, parse_input
from flagfall.othello.judging.counted_discs import flags_in_question

from .conftest import ALL, BLACK, BOOKS, JUDGED, WHITE, WOC


def clock_game(table, book, judged=True):
    """Nine presses, a minute each: White's clock runs, with 20 s left."""
    t = table(book, sensors=False, judged=judged, minutes=1).begin()
    for number in range(9):
        t.wait(10).press(WHITE if number % 2 else BLACK)
    return t


def flags_on_record(t):
    return [(e["by"], e["at_ns"]) for e in t.happened("flag")]


GUARANTEED = {book: (32, 31) if book == "usoa" else (33, 31) for book in ALL}


@pytest.mark.clause("woc-2019 IV.6", "usoa 6.3")
@BOOKS
def test_a_flag_that_fell_before_the_last_move_was_complete_is_the_default_though_nobody_pressed(table, book):
    t = clock_game(table, book).tick(30)
    assert flags_in_question(t.game) == (WHITE,)
    t.rule("enter_score", black=24, white=40, flag_before="white")
    assert (t.report["reason"], t.report["winner"], t.score) == ("default", "black", GUARANTEED[book])
    assert (t.report["flags"], flags_on_record(t)) == ({"black": 0, "white": 1}, [("white", 110_000_000_000)])
    assert t.report["board_score"] == {"black": 24, "white": 40}


@pytest.mark.clause("woc-2019 IV.8", "usoa 6.1")
@BOOKS
def test_without_that_word_the_flag_has_no_effect_and_stays_on_record(table, book):
    t = clock_game(table, book).tick(30).rule("enter_score", black=24, white=40)
    assert (t.report["reason"], t.score, t.report["flags"]) == ("board", (24, 40), {"black": 0, "white": 0})
    assert flags_on_record(t) == [("white", 110_000_000_000)]
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (10, 20)


@pytest.mark.clause("woc-2019 IV.6")
@BOOKS
def test_a_majority_on_the_board_is_kept_whoever_defaulted(table, book):
    t = clock_game(table, book).tick(30).rule("enter_score", black=40, white=24, flag_before="white")
    assert (t.report["reason"], t.score) == ("default", (40, 24))


@BOOKS
def test_a_count_that_both_players_state_stands_as_stated_and_the_flag_stays_on_record(table, book):
    t = clock_game(table, book, judged=False).tick(30)
    for by in ("black", "white"):
        t.line("agree", by=by, black=24, white=40)
    assert (t.report["reason"], t.score, t.report["flags"]) == ("board", (24, 40), {"black": 0, "white": 0})
    assert flags_on_record(t) == [("white", 110_000_000_000)]


@BOOKS
def test_the_word_can_be_given_and_taken_back_with_the_next_count(table, book):
    t = clock_game(table, book).tick(30).rule("enter_score", black=24, white=40)
    t.rule("enter_score", black=24, white=40, flag_before="white")
    assert (flags_in_question(t.game), t.score) == ((WHITE,), GUARANTEED[book])
    t.rule("enter_score", black=24, white=40)
    assert (t.score, t.report["flags"]["white"], len(flags_on_record(t))) == ((24, 40), 0, 1)


@pytest.mark.clause("woc-2019 IV.6")
@pytest.mark.parametrize("book", WOC)
def test_of_two_flags_since_the_last_press_the_first_is_asked_about(table, book):
    t = clock_game(table, book).tick(200)
    assert (t.report["reason"], t.score, len(flags_on_record(t))) == ("second_flag", (64, 0), 2)
    t.rule("enter_score", black=24, white=40, flag_before="white")
    assert (t.report["reason"], t.score, t.report["flags"]["white"]) == ("default", (33, 31), 1)
    assert len(flags_on_record(t)) == 2


@pytest.mark.clause("woc-2019 IV.6")
@pytest.mark.parametrize("book", WOC)
def test_a_defaulters_second_flag_before_the_last_move_was_complete_ends_the_game(table, book):
    t = clock_game(table, book).wait(30).press(WHITE).wait(1).press(BLACK).tick(111)
    assert (t.report["reason"], t.score) == ("second_flag", (64, 0))
    t.rule("enter_score", black=24, white=40, flag_before="white")
    assert (t.report["reason"], t.score) == ("second_flag", (64, 0))
    assert t.report["board_score"] == {"black": 24, "white": 40}
    t.rule("enter_score", black=24, white=40)
    assert (t.report["reason"], t.score) == ("default", (33, 31))


@BOOKS
def test_a_flag_that_the_player_still_pressed_after_counts_and_is_no_question(table, book):
    t = clock_game(table, book).wait(30).press(WHITE)
    assert flags_in_question(t.game) == ()
    t.rule("enter_score", black=24, white=40)
    assert (t.report["reason"], t.score) == ("default", GUARANTEED[book])


@BOOKS
def test_a_flag_that_has_not_fallen_cannot_have_fallen_before_the_move(table, book):
    t = clock_game(table, book).tick(30).rule("enter_score", black=24, white=40, flag_before="black")
    assert (t.state, t.refusals) == (State.RUNNING, ["no flag of black has fallen"])


@pytest.mark.clause("woc-2019 IV.7", "usoa 10.2")
@BOOKS
def test_an_annulled_flag_is_no_question(table, book):
    t = clock_game(table, book).tick(30).rule("annul_flag", player="white")
    assert (flags_in_question(t.game), len(flags_on_record(t))) == ((), 1)
    t.rule("enter_score", black=24, white=40, flag_before="white")
    assert t.refusals == ["no flag of white has fallen"]


@BOOKS
def test_a_game_of_which_only_the_start_was_pressed_asks_too(table, book):
    t = table(book, sensors=False, minutes=1).begin().tick(70)
    assert flags_in_question(t.game) == (BLACK,)
    t.rule("enter_score", black=40, white=24)
    assert (t.report["reason"], t.score, len(flags_on_record(t))) == ("board", (40, 24), 1)


@BOOKS
def test_moves_entered_late_keep_the_flag_on_record_too(table, book):
    t = clock_game(table, book).tick(30)
    for square in ("f5", "d6", "c5", "f6", "e7", "f4", "g5", "e6", "e3"):
        t.rule("enter_move", square=square)
    assert (t.report["reason"], t.score, len(flags_on_record(t))) == ("board", (64, 0), 1)


@JUDGED
@BOOKS
def test_no_later_end_takes_a_flag_off_the_record(table, book, judged):
    t = clock_game(table, book, judged).tick(30)
    ends: list[dict[str, Any]] = [
        {"kind": "resign", "by": "black"},
        {"kind": "ruling", "rule": "set_score", "black": 40, "white": 24},
        {"kind": "ruling", "rule": "annul_flag", "player": "white"},
        {"kind": "ruling", "rule": "forfeit", "player": "black"},
        {"kind": "sign", "by": "black"},
        {"kind": "sign", "by": "white"},
    ]
    for end in ends:
        t.line(**end)
        assert flags_on_record(t) == [("white", 110_000_000_000)], end


@pytest.mark.clause("woc-2019 V.2.a")
def test_a_penalty_after_the_flag_stands_whatever_is_said_of_it(table):
    t = clock_game(table, "woc-2019").tick(30).rule("adjust_time", player="black", seconds=-5)
    t.rule("enter_score", black=24, white=40, flag_before="white")
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (125, 120)


def test_a_board_that_counts_leaves_no_question(table):
    assert flags_in_question(table(minutes=1).begin().tick(90).game) == ()


def test_the_word_stands_in_the_game_file():
    line = {"at_ns": 1, "type": "ruling", "rule": "enter_score", "black": 24, "white": 40}
    assert input_object(parse_input({**line, "flag_before": "white"})) == {**line, "flag_before": "white"}
    assert input_object(parse_input({**line, "flag_before": None})) == line
    with pytest.raises(ValueError, match=r"flag_before: expected one of black, white, got .nobody."):
        parse_input({**line, "flag_before": "nobody"})
