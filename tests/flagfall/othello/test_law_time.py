"""Minutes, flags, extensions and guarantees."""

from __future__ import annotations

import pytest

from flagfall.othello.game import SECOND_NS, State

from .conftest import BLACK, WHITE, WOC

BOTH_EXTENDED = ["woc-2019", "woc-2017", "cc-2024"]


@pytest.mark.clause("woc-2019 IV.1", "woc-2017 IV.1", "woc-classic IV.1", "cc-2024 IV.1")
@pytest.mark.parametrize(
    ("book", "stage", "minutes"),
    [
        *((book, stage, 30) for book in WOC[:3] for stage in ("qualifying", "playoff")),
        *((book, stage, 35) for book in WOC[:3] for stage in ("semi-final", "third-place")),
        *((book, "final", 40) for book in WOC[:3]),
        ("cc-2024", "qualifying", 25),
        ("cc-2024", "semi-final", 25),
        ("cc-2024", "third-place", 30),
        ("cc-2024", "final", 30),
        ("club", "qualifying", 20),
    ],
)
def test_minutes_of_each_stage(table, book, stage, minutes):
    t = table(book, stage=stage)
    assert t.left_s(BLACK) == t.left_s(WHITE) == minutes * 60
    assert t.report["warnings"] == []


@pytest.mark.clause("woc-2019 IV.1", "woc-2017 IV.1", "woc-classic IV.1", "cc-2024 IV.1")
@pytest.mark.parametrize("book", WOC)
def test_less_than_the_least_minutes_leaves_a_warning(table, book):
    t = table(book, minutes=20)
    assert len(t.report["warnings"]) == 1 and "25" in t.report["warnings"][0]
    assert table(book, minutes=25).report["warnings"] == []


# --- the instant of the fall ---------------------------------------------------------------------------------


def test_a_press_at_exactly_zero_is_in_time(table):
    t = table().begin().wait(1800).place("f5").press(BLACK)
    assert t.game.falls.black == 0 and t.left_s(BLACK) == 0
    assert t.game.clock.running is WHITE


def test_a_nanosecond_later_the_flag_has_fallen_at_its_own_instant(table):
    t = table().begin().wait(1800).place("f5")
    t.now_ns += 1
    t.press(BLACK)
    assert t.happened("flag") == [
        {"at_ns": 1800 * SECOND_NS, "type": "flag", "by": "black", "squares": [], "state": None}
    ]
    assert t.report["clocks_ns"]["black"] == 120 * SECOND_NS - 1


@pytest.mark.parametrize("ticks", [0, 1, 50])
def test_ticks_change_nothing(table, ticks):
    t = table().begin()
    for _ in range(ticks):
        t.tick(2500 / 50)
    t.now_ns = 2500 * SECOND_NS
    t.tick()
    assert t.report["reason"] == "second_flag"
    assert [e["at_ns"] for e in t.happened("flag")] == [1800 * SECOND_NS, 1920 * SECOND_NS]


# --- woc, cc --------------------------------------------------------------------------------------------------


@pytest.mark.clause("woc-2019 IV.6", "woc-2017 IV.6", "cc-2024 IV.6")
@pytest.mark.parametrize("book", BOTH_EXTENDED)
def test_the_first_flag_gives_both_two_minutes_and_play_goes_on(table, book):
    t = table(book, minutes=30).begin().tick(1801)
    assert (t.state, t.game.clock.running) == (State.RUNNING, BLACK)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (119, 1920)
    assert t.report["flags"] == {"black": 1, "white": 0}


@pytest.mark.clause("woc-classic IV.6")
def test_classic_gives_the_defaulter_alone_two_minutes(table):
    t = table("woc-classic").begin().tick(1801)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (119, 1800)


@pytest.mark.clause("woc-2019 IV.6", "woc-2017 IV.6", "woc-classic IV.6", "cc-2024 IV.6")
@pytest.mark.parametrize("book", WOC)
def test_the_defaulters_second_flag_is_64_0(table, book):
    t = table(book, minutes=30).begin().tick(1920)
    assert t.state is State.RUNNING
    t.tick(0.000000001)
    assert (t.state, t.report["reason"], t.score) == (State.FINISHED, "second_flag", (0, 64))
    assert t.report["clocks_ns"]["black"] == 0


@pytest.mark.clause("woc-2019 IV.6", "woc-2017 IV.6", "cc-2024 IV.6")
@pytest.mark.parametrize("book", BOTH_EXTENDED)
def test_the_other_players_flag_ends_it_33_31_for_him(table, book):
    t = table(book, minutes=30).begin().move("f5", 1850).tick(1921)
    assert (t.report["reason"], t.report["winner"], t.score) == ("second_flag", "white", (31, 33))
    assert t.report["flags"] == {"black": 1, "white": 1}


@pytest.mark.clause("woc-classic IV.6")
def test_classic_the_other_players_flag_gives_him_two_minutes_too(table):
    t = table("woc-classic").begin().move("f5", 1850).tick(1801)
    assert (t.state, t.left_s(WHITE)) == (State.RUNNING, 119)
    t.tick(120)
    assert (t.report["reason"], t.report["winner"], t.score) == ("second_flag", "white", (31, 33))


@pytest.mark.clause("woc-2019 IV.6", "woc-2017 IV.6", "woc-classic IV.6", "cc-2024 IV.6")
@pytest.mark.parametrize("book", WOC)
def test_who_has_not_defaulted_is_guaranteed_33_31(table, book):
    t = table(book, minutes=30).begin().moves("f5d6c5f6e7f4g5e6").move("e3", 1790)
    assert t.report["flags"]["black"] == 1
    assert (t.report["reason"], t.report["winner"], t.score) == ("default", "white", (31, 33))
    assert t.report["board_score"] == {"black": 64, "white": 0}


@pytest.mark.clause("woc-2019 IV.6", "woc-2017 IV.6", "woc-classic IV.6", "cc-2024 IV.6")
@pytest.mark.parametrize("book", WOC)
def test_who_wins_on_the_board_too_keeps_his_score(table, book):
    t = table(book, minutes=30).begin().moves("f5d6c5f6e7f4g5").move("e6", 1790)
    assert t.report["flags"]["white"] == 1
    t.move("e3")
    assert (t.report["reason"], t.report["winner"], t.score) == ("default", "black", (64, 0))


@pytest.mark.clause("woc-classic IV.6")
def test_classic_with_both_flags_fallen_the_guarantee_stays(table):
    t = table("woc-classic", minutes=30).begin().moves("f5d6c5f6e7f4g5").move("e6", 1790).move("e3", 1790)
    assert t.report["flags"] == {"black": 1, "white": 1}
    assert (t.report["reason"], t.score) == ("default", (64, 0)), (
        "Black, who had not defaulted first, wins anyway"
    )
    t = (
        table("woc-classic", minutes=30)
        .begin()
        .moves("f5d6c5f6e7f4")
        .move("g5", 1790)
        .move("e6", 1790)
        .move("e3")
    )
    assert t.report["flags"] == {"black": 1, "white": 1}
    assert t.score == (31, 33)


def test_the_club_rulebook_ends_it_at_the_first_flag(table):
    t = table("club").begin().move("f5", 100).tick(1201)
    assert (t.state, t.report["reason"], t.score) == (State.FINISHED, "second_flag", (64, 0))


def test_a_flag_falls_while_only_a_pass_is_owed(table):
    t = table(minutes=30).begin().rule("stop")
    t.rule("set_position", squares="XO" + "-" * 62, to_move="white").rule("resume").tick(1801)
    assert t.happened("flag")[0]["by"] == "white"
    t.press(WHITE)
    assert (t.game.clock.running, t.errors) == (BLACK, [])


def test_the_offenders_flag_falls_in_a_correction(table):
    t = table().begin().move("f5", 1795, wrong="e5").rule("correct_error").tick(6)
    assert t.happened("flag")[0]["by"] == "black"
    assert t.state is State.CORRECTING
    t.turn("e5").rule("corrected")
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (119, 1920)


# --- usoa -----------------------------------------------------------------------------------------------------


@pytest.mark.clause("usoa 6.1", "usoa 6.4", "usoa 6.5", "usoa 6.7")
def test_usoa_the_director_confirms_and_play_goes_on_at_his_signal(table):
    t = table("usoa", minutes=10).begin().tick(610)
    assert (t.state, t.game.clock.running, t.left_s(BLACK)) == (State.RUNNING, BLACK, 0)
    t.wait(20).rule("confirm_default")
    assert (t.state, t.game.clock.running) == (State.STOPPED, None)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (120, 600)
    t.wait(60).rule("resume").move("f5", 10)
    assert (t.left_s(BLACK), t.game.clock.running) == (110, WHITE)


@pytest.mark.clause("usoa 6.5")
def test_usoa_the_other_may_press_to_stop_his_own_clock_meanwhile(table):
    t = table("usoa", minutes=10).begin().move("f5", 605).wait(3).press(WHITE)
    assert (t.game.clock.running, t.errors, t.game.to_move) == (BLACK, [], WHITE)
    t.wait(30).rule("confirm_default").rule("resume")
    assert (t.game.clock.running, t.left_s(WHITE), t.left_s(BLACK)) == (WHITE, 597, 120)
    t.move("d6")
    assert t.report["transcript"] == "f5d6"


@pytest.mark.clause("usoa 6.5")
def test_usoa_a_move_made_meanwhile_counts_at_the_press(table):
    t = table("usoa", minutes=10).begin().move("f5", 605).move("d6", 3)
    assert (t.report["transcript"], t.game.clock.running, t.game.to_move) == ("f5d6", BLACK, BLACK)


@pytest.mark.clause("usoa 5.9", "usoa 6.5")
def test_usoa_who_has_stopped_his_clock_meanwhile_moves_and_counts_it_by_his_own_press(table):
    t = table("usoa", minutes=10).begin().move("f5", 605).wait(3).press(WHITE)
    t.place("d6").press(WHITE)
    assert (t.report["transcript"], t.game.clock.running, t.game.to_move) == ("f5d6", BLACK, BLACK)
    assert t.happened("press_out_of_turn") == []


@pytest.mark.clause("usoa 6.3")
def test_usoa_the_move_in_hand_is_completed_first(table):
    t = table("usoa", minutes=10).begin().wait(599).touch("f5").tick(5).rule("confirm_default")
    t.put("f5", True).rule("confirm_default")
    assert t.refusals == ["the move in hand is completed first (6.3)"] * 2
    t.turn("e5").rule("confirm_default")
    assert t.state is State.STOPPED
    t.rule("resume").press(BLACK)
    assert t.report["transcript"] == "f5"
    illegal = table("usoa", minutes=10).begin().put("a1", True).tick(601).rule("confirm_default")
    assert (illegal.state, illegal.refusals) == (State.STOPPED, [])


@pytest.mark.clause("usoa 6.7", "usoa 6.8")
def test_usoa_the_others_flag_sets_his_clock_to_two_minutes(table):
    t = table("usoa", minutes=10).begin().tick(601).rule("confirm_default").rule("resume").move("f5", 10)
    t.tick(601)
    assert (t.state, t.game.falls.white) == (State.RUNNING, 1)
    t.rule("confirm_default")
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (110, 120)
    t.rule("resume").tick(121)
    assert (t.report["reason"], t.report["winner"], t.score) == ("second_flag", "white", (31, 32))


@pytest.mark.clause("usoa 6.7", "usoa 6.8")
def test_usoa_the_defaulters_second_flag_is_64_0(table):
    t = table("usoa", minutes=10).begin().tick(601).rule("confirm_default").rule("resume").tick(121)
    assert (t.report["reason"], t.score) == ("second_flag", (0, 64))


@pytest.mark.clause("usoa 6.6", "usoa 6.8")
def test_usoa_without_a_majority_the_other_wins_32_31(table):
    t = table("usoa", minutes=10).begin().moves("f5d6c5f6e7f4g5e6").tick(601)
    t.rule("confirm_default").rule("resume").move("e3")
    assert (t.report["reason"], t.report["winner"], t.score) == ("default", "white", (31, 32))


@pytest.mark.clause("usoa 6.8")
def test_usoa_with_a_majority_he_keeps_his_discs(table):
    t = table("usoa", minutes=10).begin().moves("f5d6c5f6e7f4g5").tick(601)
    t.rule("confirm_default").rule("resume").move("e6").move("e3")
    assert (t.report["reason"], t.score) == ("default", (64, 0)), "4.4: wiped out"


def test_confirming_what_has_not_happened_is_refused(table):
    assert table("usoa").begin().rule("confirm_default").refusals == ["no default awaits confirmation"]
    assert table().begin().tick(1801).rule("confirm_default").refusals == [
        "a default needs no confirmation under woc-2019"
    ]
