"""Stopping, starting and changing the clocks; the effect of a lost board or the power on them."""

from __future__ import annotations

import pytest

from flagfall.base.errors import Invalid
from flagfall.othello.board import format_position
from flagfall.othello.game import SECOND_NS, State
from flagfall.othello.rulebook import rulebook

from .conftest import ALL, BLACK, WHITE, WOC

# --- stopping and going on -------------------------------------------------------------------------------------


@pytest.mark.clause("woc-2019 IV.2", "woc-2017 IV.2", "cc-2024 IV.2", "woc-classic IV.2")
@pytest.mark.clause("woc-2019 IV.5.1", "woc-2017 IV.5.1", "cc-2024 IV.5.3")
@pytest.mark.parametrize("first", [BLACK, WHITE])
@pytest.mark.parametrize("book", WOC)
def test_without_a_judge_either_player_may_stop_to_summon_the_director(table, book, first):
    t = table(book, judged=False, minutes=30).begin().wait(10).line("stop", by="white")
    assert (t.state, t.game.clock.running) == (State.STOPPED, None)
    t.wait(100).line("ready", by=str(first))
    assert t.state is State.STOPPED
    t.line("ready", by=str(first.other)).wait(5).tick()
    assert (t.game.clock.running, t.left_s(BLACK)) == (BLACK, 1785)


@pytest.mark.clause("woc-2019 IV.2", "woc-2017 IV.2", "cc-2024 IV.2", "woc-classic IV.2")
@pytest.mark.parametrize("book", WOC)
def test_at_a_judged_table_players_do_not_stop_the_clocks(table, book):
    t = table(book).begin().line("stop", by="white").rule("stop").line("ready", by="white")
    assert t.refusals == [
        "at a judged table the judge stops the clocks (IV.2)",
        "at a judged table the judge starts the clocks again (IV.2)",
    ]


@pytest.mark.clause("usoa 5.3", "usoa 5.10", "usoa 5.11")
@pytest.mark.parametrize("judged", [True, False])
def test_usoa_only_the_director_stops_and_starts_the_clocks(table, judged):
    t = table("usoa", judged=judged).begin().line("stop", by="white")
    assert t.state is State.RUNNING
    t.wait(5).rule("stop").wait(100).line("ready", by="white").line("ready", by="black")
    assert t.state is State.STOPPED
    t.rule("resume")
    assert (t.game.clock.running, t.left_s(BLACK)) == (BLACK, 1795)


def test_a_press_while_stopped_changes_nothing(table):
    t = table().begin().wait(5).rule("stop").press(BLACK)
    assert (t.state, t.game.clock.running) == (State.STOPPED, None)
    assert t.happened("press_out_of_turn")


@pytest.mark.clause("woc-2019 IV.5.3", "woc-2017 IV.5.3", "woc-classic IV.5.3", "cc-2024 IV.5.3")
@pytest.mark.parametrize("book", WOC)
def test_an_unreadable_position_is_set_right_while_the_clocks_stand_and_its_culprit_is_penalised(table, book):
    t = table(book, minutes=30).begin().move("f5").wait(5).place("d6").unread("d5", "e5").press(WHITE)
    assert [e["squares"] for e in t.happened("unreadable")] == [["d5", "e5"]]
    t.wait(4).rule("stop").wait(120)
    t.rule("set_position", squares=format_position(t.shown), to_move="black").show()
    t.rule("adjust_time", player="white", seconds=-60).rule("resume")
    assert (t.state, t.game.clock.running) == (State.RUNNING, BLACK)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1791, 1735)
    t.move("c3")
    assert (t.report["transcript"], t.errors) == ("f5d6c3", [])


def test_stopped_in_a_correction_the_correction_goes_on_afterwards(table):
    t = table().begin().move("f5", wrong="e5").rule("correct_error").wait(2).rule("stop").wait(50)
    t.rule("resume").tick(1)
    assert (t.state, t.game.clock.running, t.left_s(BLACK)) == (State.CORRECTING, BLACK, 1792)


def test_corrected_while_stopped_stays_stopped(table):
    t = table().begin().move("f5", wrong="e5").rule("correct_error").rule("stop").turn("e5").rule("corrected")
    assert (t.state, t.game.clock.running) == (State.STOPPED, None)
    t.rule("resume")
    assert (t.state, t.game.clock.running) == (State.RUNNING, WHITE)


@pytest.mark.parametrize("sensors", [True, False])
@pytest.mark.parametrize("absent", [BLACK, WHITE])
def test_the_clock_of_an_absent_player_is_started(table, absent, sensors):
    t = (
        table(sensors=sensors)
        .line("start")
        .rule("start_clock", player=str(absent))
        .tick(60)
        .rule("stop")
        .rule("resume")
    )
    assert t.game.clock.running is absent
    assert t.left_s(absent) == 1740
    if absent is WHITE:
        t.press(WHITE)
        assert (t.game.clock.running, t.report["moves"], t.errors) == (BLACK, 0, [])
    assert t.game.owed == 0, "that press started a clock, and made no move"
    t.move("f5") if sensors else t.press(BLACK).rule("enter_move", square="f5")
    assert t.report["transcript"] == "f5"


def test_while_an_absent_whites_clock_runs_touches_bind_nobody(table):
    t = table().line("start").rule("start_clock", player="white").wait(9).touch("d3").press(WHITE).move("f5")
    assert (t.errors, t.report["transcript"]) == ([], "f5")


def test_until_the_first_press_the_director_may_start_the_other_clock(table):
    t = table().line("start").rule("start_clock", player="black").wait(60)
    t.rule("start_clock", player="white").wait(10).press(WHITE)
    assert (t.game.clock.running, t.left_s(BLACK), t.left_s(WHITE)) == (BLACK, 1740, 1790)
    t.rule("start_clock", player="white")
    assert (t.game.clock.running, t.refusals) == (BLACK, ["the game has begun"])


def test_an_absent_players_clock_needs_the_signal_first(table):
    t = table().rule("start_clock", player="black")
    assert t.refusals == ["the signal to start has not been given"]


def test_who_never_comes_is_forfeited(table):
    t = table().line("start").rule("start_clock", player="white").wait(900).rule("forfeit", player="white")
    assert (t.report["reason"], t.score) == ("forfeit", (64, 0))


@pytest.mark.parametrize("sensors", [True, False])
@pytest.mark.parametrize("book", ALL)
def test_who_never_comes_and_loses_on_time_has_met_nobody(table, book, sensors):
    """At a clock that is pressed, not read, the press is what says that he came."""

    def until_it_ends(t):
        for _ in range(4):
            t.tick(7200)
            if t.state is not State.FINISHED:
                t.rule("confirm_default").rule("resume")
        return t.report["reason"], t.report["no_show"]

    def never_came(absent):
        return table(book, sensors=sensors, minutes=30).line("start").rule("start_clock", player=absent)

    assert until_it_ends(never_came("black")) == ("second_flag", True)
    assert until_it_ends(never_came("white")) == ("second_flag", True)
    came = never_came("white").press(WHITE)
    came = came.move("f5") if sensors else came.press(BLACK)
    assert until_it_ends(came) == ("second_flag", False)


def test_a_game_forfeited_after_a_move_was_played(table):
    t = table().begin().move("f5")
    assert t.report["no_show"] is False
    assert t.rule("forfeit", player="white").report["no_show"] is False
    assert table().begin().rule("forfeit", player="white").report["no_show"] is True
    set_up = table().begin().rule("stop").rule("set_position", squares="X" * 20 + "O" * 44, to_move="white")
    assert set_up.rule("forfeit", player="white").report["no_show"] is False, "a game is under way"


# --- penalties on time ------------------------------------------------------------------------------------------


@pytest.mark.clause("woc-2019 V.2.a", "woc-2017 V.2.a", "woc-classic VI.2.a", "cc-2024 VI.2.a")
@pytest.mark.clause("woc-2019 V.2", "woc-2017 V.2", "woc-classic VI.2", "cc-2024 VI.2")
@pytest.mark.parametrize("book", WOC)
def test_time_is_taken_and_given(table, book):
    t = table(book, minutes=30).begin().wait(100)
    t.rule("adjust_time", player="black", seconds=-300).rule("adjust_time", player="white", seconds=120.5)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1400, 1920.5)
    t.rule("adjust_time", player="black", seconds=-1400.000000001)
    t.rule("adjust_time", player="black", seconds=-86_401)
    assert len(t.refusals) == 2 and t.left_s(BLACK) == 1400, "refused, not clamped"


@pytest.mark.clause("usoa 9.3")
def test_usoa_takes_at_most_half_of_what_is_left(table):
    t = table("usoa").begin().wait(800).rule("adjust_time", player="black", seconds=-501)
    assert len(t.refusals) == 1 and "half" in t.refusals[0]
    t.rule("adjust_time", player="black", seconds=-500).rule("adjust_time", player="white", seconds=600)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (500, 2400)


@pytest.mark.clause("usoa 7.6")
def test_usoa_a_board_is_restored_while_the_clocks_stand_and_the_culprit_is_charged(table):
    t = table("usoa").begin().move("f5").wait(3).turn("e4", "d4").rule("stop").wait(40)
    t.rule("set_position", squares=format_position(t.game.before), to_move="white")
    t.show(t.game.before).rule("adjust_time", player="black", seconds=-40).rule("resume").move("f6")
    assert (t.errors, t.report["transcript"]) == ([], "f5f6")
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1800 - 5 - 40, 1800 - 3 - 5)


@pytest.mark.clause("usoa 9.4")
def test_usoa_time_lost_in_summoning_is_restored(table):
    t = table("usoa").begin().wait(60).rule("adjust_time", player="black", seconds=45)
    assert t.left_s(BLACK) == 1785


# --- the device ---------------------------------------------------------------------------------------------------


def test_after_a_power_cut_the_game_is_stopped_at_its_last_durable_instant(table):
    t = table().begin().wait(30).line("power", state="back", uncertain_ns=400_000_000)
    assert (t.state, t.game.clock.running, t.left_s(BLACK)) == (State.STOPPED, None, 1770)
    assert t.happened("power_lost")[0]["fields"] == {"uncertain_ns": 400_000_000}
    t.wait(500).rule("resume").move("f5")
    assert t.report["transcript"] == "f5"


def test_the_clock_runs_on_when_the_board_is_lost_and_the_moves_are_read_when_it_is_back(table):
    t = table().begin().move("f5").line("board", state="lost")
    for side, square in ((WHITE, "d6"), (BLACK, "c3")):
        t.wait(5)
        t.shown = t.shown.played(side is BLACK, {"d6": 43, "c3": 18}[square])
        t.press(side)
    assert (t.report["transcript"], t.game.clock.running, t.game.to_move) == ("f5", WHITE, WHITE)
    t.line("board", state="ok").show()
    assert (t.report["transcript"], t.game.to_move) == ("f5d6c3", WHITE)
    t.move("d3")
    assert t.report["transcript"] == "f5d6c3d3" and t.errors == []


def test_a_board_lost_after_the_whole_move_was_read_loses_nothing(table):
    t = table().begin().wait(5).place("f5").line("board", state="lost").press(BLACK)
    assert t.report["transcript"] == "f5"
    t.line("board", state="ok").move("d6")
    assert t.report["transcript"] == "f5d6"


def test_the_board_lost_in_the_middle_of_a_move(table):
    t = table().begin().wait(5).touch("f5").put("f5", True).line("board", state="lost").wait(1)
    t.line("board", state="ok").turn("e5").press(BLACK)
    assert (t.report["transcript"], t.errors) == ("f5", [])


@pytest.mark.clause("usoa 5.1", "usoa 5.5")
@pytest.mark.parametrize("minutes", [0.5, 5, 25, 60])
def test_usoa_the_director_prescribes_the_minutes_and_both_clocks_stand_at_them(table, minutes):
    t = table("usoa", minutes=minutes)
    assert t.game.clock.running is None
    assert t.left_s(BLACK) == t.left_s(WHITE) == minutes * 60
    assert t.report["warnings"] == []
    t.begin().tick(minutes * 60)
    assert (t.game.falls.black, t.tick(0.001).game.falls.black) == (0, 1)


@pytest.mark.clause("usoa 5.2")
def test_each_player_has_a_clock_and_a_flag_of_his_own(table):
    t = table("usoa", minutes=1).begin().move("f5", 50).tick(61)
    assert t.report["flags"] == {"black": 0, "white": 1}
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (10, 0)
    clock = table(minutes=1).begin().tick(50).game.clock
    later_ns = clock.since_ns + 4 * SECOND_NS
    assert (clock.left_ns(BLACK, later_ns), clock.left_ns(WHITE, later_ns)) == (6 * SECOND_NS, 60 * SECOND_NS)
    assert clock.left_ns(BLACK, 3 * later_ns) == 0, "nothing is left below zero"


def test_moves_shown_before_the_last_press_they_are_owed_to_are_read_at_that_press(table):
    """The board comes back while White's move already lies there; his press settles both moves."""
    t = table().begin().line("board", state="lost").wait(5)
    t.shown = t.shown.played(True, 37)
    t.press(BLACK).wait(3)
    t.shown = t.shown.played(False, 43)
    t.line("board", state="ok").show()
    assert t.report["transcript"] == "", "one press, two moves: not yet"
    t.press(WHITE)
    assert (t.report["transcript"], t.errors) == ("f5d6", [])


# --- seconds for each move -------------------------------------------------------------------------------------

DELAY = 'based_on = "club"\nid = "bronstein"\nper_move = "delay"\n'


def test_an_increment_is_given_for_each_press_in_play(table):
    t = table("club", minutes=3, increment_s=2, judged=False).begin()
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (180, 180)
    t.moves("f5d6c3", seconds=5)
    # Black has pressed twice and White once; the press that began the game gives nothing.
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (180 - 2 * 5 + 2 * 2, 180 - 5 + 2)


def test_of_a_delay_only_what_was_used_is_given_back(table):
    t = table("bronstein", rulebook_text=DELAY, minutes=3, delay_s=4, judged=False).begin()
    t.move("f5", seconds=1).move("d6", seconds=9).move("c3", seconds=2)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (180, 180 - 9 + 4)


def test_a_stop_in_the_turn_is_no_part_of_what_a_delay_gives_back(table):
    t = table("bronstein", rulebook_text=DELAY, minutes=3, delay_s=4, judged=False).begin()
    t.wait(1).line("stop", by="white").wait(100).line("ready", by="white").line("ready", by="black")
    t.move("f5", seconds=2)
    assert t.left_s(BLACK) == 180


@pytest.mark.parametrize("judged", [False, True])
def test_a_delay_gives_back_what_was_used_when_a_move_is_taken_back_and_made_again(table, judged):
    t = table("bronstein", rulebook_text=DELAY, minutes=3, delay_s=4, judged=judged).begin()
    t.move("f5", 10).move("d6", 60).wait(6).put("a1", True).press(BLACK).wait(2)
    t.rule("correct_error") if judged else t.line("signal", by="white", error="illegal_move")
    t.wait(1).lift("a1")
    if judged:
        t.rule("corrected")
    t.move("c3", 2)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (180 - 6 - 2, 180 - 60 + 4 - 2)


def test_a_club_may_agree_on_both(table):
    t = table("club", minutes=3, increment_s=2, delay_s=4, judged=False).begin()
    t.move("f5", seconds=1).move("d6", seconds=9)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (182, 180 - 9 + 4 + 2)


def test_whose_flag_has_fallen_no_increment_saves(table):
    t = table("club", minutes=1, increment_s=30, judged=False).begin().wait(61).press(BLACK)
    assert t.state is State.FINISHED and t.left_s(BLACK) == 0


@pytest.mark.parametrize("kind", ["increment", "delay"])
@pytest.mark.parametrize("book", ALL)
def test_the_five_texts_know_no_seconds_for_a_move(table, book, kind):
    with pytest.raises(Invalid, match=f"{kind}_s: expected 0, {book} has no {kind}, got 2"):
        table(book, minutes=30, **{f"{kind}_s": 2})


@pytest.mark.clause("woc-2019 I.4.1", "woc-2017 I.4.1", "woc-classic I.3.1", "cc-2024 I.3.1")
@pytest.mark.parametrize("book", ALL)
def test_where_the_room_shall_be_quiet_the_table_makes_no_sound(book):
    assert rulebook(book).sounds == ("as set" if book == "usoa" else "none")
    assert bool(rulebook(book).cites.get("sounds")) == (book != "usoa")
