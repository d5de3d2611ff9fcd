"""The Japanese rules: situations that players and directors describe, and what each item asks of the table."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.othello.game import IncidentType
from flagfall.othello.rulebook import rulebook

from .conftest import BLACK, LAST, WHITE, Table

NINE = "f5d6c5f6e7f4g5e6e3"
LEVEL = "X" * 32 + "O" * 32


def jof(**header: Any) -> Table:
    return Table("jof", **{"judged": False, **header})


def ended(squares: str, **header: Any) -> Table:
    """Neither player can move in this position; Black's press shows it, and White accepts."""
    return jof(**header).set_up(squares, BLACK).press(BLACK).line("accept_end", by="white")


def recorded(t: Table) -> tuple[Any, ...]:
    report = t.report
    return t.score, report["winner"], report["differences"]["black"], report["differences"]["white"]


def claimed(t: Table, by: str, choice: str | None = None) -> Table:
    t.line("claim_flag", by=by)
    return t if choice is None else t.line("default_choice", by=by, choice=choice)


# 1 and 2: the hidden disc.


@pytest.mark.clause("jof J1")
def test_the_draw_win_taken_after_a_right_call_decides_a_level_game() -> None:
    # The 4-dan, on Black's side of the card, hides; the 2-kyu says black on top, and it is.
    # They take the draw-win, and the 4-dan plays Black.
    draw = {"hider": "black", "called": "black", "shown": "black", "chose": "draw_win", "plays": "black"}
    t = jof().line("colour_draw", **draw)
    t.set_up(LEVEL, BLACK).press(BLACK).line("accept_end", by="white")
    assert recorded(t) == ((32, 32), "white", 0, 0)


@pytest.mark.clause("jof J1")
def test_where_draws_stand_the_face_called_is_the_colour_and_nobody_wins_a_draw() -> None:
    # The 40-year-old hides; the other says bottom, and the bottom is white.
    t = jof(black={"id": "40"}, white={"id": "15"})
    t.line("colour_draw", hider="black", called="bottom", shown="black", chose="white")
    assert t.game.header.white.id == "15"
    t.set_up(LEVEL, BLACK).press(BLACK).line("accept_end", by="white")
    assert recorded(t) == ((32, 32), None, 0, 0)


# 3: played out.


@pytest.mark.clause("jof J19", "jof J13")
def test_empty_squares_are_the_winners_when_both_were_in_time() -> None:
    # h8 is empty, and Black has all that lies in line with it.
    others = [n for n in range(64) if n % 8 != 7 and n // 8 != 7 and n % 9][:29]
    squares = "".join("-" if n == 63 else "O" if n in others else "X" for n in range(64))
    assert squares.count("X") == 34
    assert recorded(ended(squares)) == ((35, 29), "black", 6, -6)


@pytest.mark.clause("jof J14")
def test_one_colour_wiped_out_is_64() -> None:
    assert recorded(ended("O" * 20 + "-" * 44)) == ((0, 64), "white", -64, 64)


@pytest.mark.clause("jof J19")
def test_a_level_game_with_empty_squares_is_32_32() -> None:
    assert recorded(ended("X" * 20 + "-" * 24 + "O" * 20)) == ((32, 32), None, 0, 0)


# 4: an error.


@pytest.mark.clause("jof J5")
@pytest.mark.parametrize("judged", [False, True])
def test_a_forgotten_flip_is_put_right_on_the_offenders_time(judged: bool) -> None:
    t = jof(judged=judged).begin().move("f5", 10).move("d6", 10, wrong="e5" if judged else "d5")
    t.wait(4).press(BLACK)
    assert (t.report["state"], t.report["running"]) == ("correcting", "white")
    t.wait(6).show(t.game.last.right if t.game.last else None).press(WHITE)
    assert (t.report["state"], t.report["running"], t.report["to_move"]) == ("running", "black", "black")
    assert [error[3] for error in t.errors] == ["corrected"]
    assert t.left_s(WHITE) == 20 * 60 - 16 and t.left_s(BLACK) == 20 * 60 - 14


@pytest.mark.clause("jof J5")
def test_once_the_opponent_has_touched_a_legal_square_on_purpose_the_error_stands() -> None:
    t = jof().begin().move("f5", 10).move("d6", 10, wrong="d5").touch("c3", "hand")
    t.line("signal", by="black", error="misflip")
    assert t.report["state"] == "running" and [error[3] for error in t.errors] == ["accepted"]


@pytest.mark.clause("jof J5")
@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("wrong_colour", lambda t: t.put("d6", True).press(WHITE)),
        ("illegal_move", lambda t: t.put("a1", False).press(WHITE)),
        ("misflip", lambda t: t.place("d6", wrong="d5").press(WHITE)),
        ("misflip", lambda t: t.place("d6", wrong="e4").press(WHITE)),
        ("illegal_pass", lambda t: t.press(WHITE)),
    ],
)
def test_every_kind_of_error_is_demanded_by_ones_own_press_before_ones_own_move(
    kind: str, wrong: Any
) -> None:
    t = wrong(jof().begin().move("f5", 10).wait(10)).press(BLACK)
    assert (t.report["state"], t.report["running"]) == ("correcting", "white")
    assert (t.errors[0][0], t.errors[0][3]) == (kind, "correcting")


@pytest.mark.clause("jof J5")
def test_a_pass_is_pressed_and_a_pass_with_a_move_is_an_error() -> None:
    t = jof().set_up("XO-" + "-" * 61, WHITE).press(WHITE)
    assert t.report["to_move"] == "black" and not t.errors


# 5 to 8: a flag.


def fourteen_left() -> Table:
    """White's flag has been down since before the last two moves; Black has three minutes and 14 squares are empty."""
    squares = "-" * 14 + "XO" * 25
    t = jof().set_up(squares, WHITE).rule("adjust_time", player="black", seconds=-17 * 60)
    return t.tick(20 * 60 + 1)


@pytest.mark.clause("jof J15")
def test_play_goes_on_until_somebody_claims_and_then_the_winner_plays_alone() -> None:
    t = fourteen_left()
    assert t.report["state"] == "running" and t.report["flags"] == {"black": 0, "white": 0}
    t.wait(2).place(square_of(t)).press(WHITE)
    t.move(square_of(t), 20).wait(5)
    t.line("claim_flag", by="black")
    assert t.report["awaits"] == "default_choice" and t.report["flags"] == {"black": 0, "white": 1}
    t.line("default_choice", by="black", choice="self_play").tick(60)
    assert (t.report["self_play"], t.left_s(BLACK)) == ("black", 180 - 20 - 60)


def square_of(t: Table) -> str:
    legal = t.game.legal(t.game.to_move)
    square = (legal & -legal).bit_length() - 1
    return f"{'abcdefgh'[square % 8]}{square // 8 + 1}"


@pytest.mark.clause("jof J15", "jof J14", "jof J13")
@pytest.mark.parametrize(
    ("black", "white", "stops", "score"),
    [(58, 6, False, (58, 6)), (45, 12, True, (45, 12)), (30, 31, False, (33, 31)), (40, 20, False, (40, 20))],
)
def test_what_self_play_comes_to(black: int, white: int, stops: bool, score: tuple[int, int]) -> None:
    squares = ("X" * black + "O" * white).ljust(64, "-")
    t = claimed(jof().set_up(squares, WHITE, 1201), "black", "self_play")
    if stops:
        t.line("stop_self_play", by="black")
    t.tick(1201)
    assert recorded(t) == (score, "black", score[0] - score[1], score[1] - score[0])


@pytest.mark.clause("jof J15")
def test_a_claim_waits_for_the_last_of_five_flips() -> None:
    t = jof().set_up("OXXXXX-" + "-" * 57, WHITE, 1201).touch("g1").put("g1", False).turn("b1", "c1")
    claimed(t, "black")
    assert t.report["awaits"] == "claim" and t.report["state"] == "running"
    t.turn("d1", "e1", "f1")
    assert t.report["awaits"] == "default_choice" and t.report["position"].startswith("OOOOOOO-")


@pytest.mark.clause("jof J15")
def test_who_cannot_get_above_28_takes_two_discs() -> None:
    t = claimed(jof().set_up("X" * 27 + "O" * 35 + "--", WHITE, 1201), "black", "two_discs")
    assert recorded(t) == ((33, 31), "black", 2, -2)


@pytest.mark.clause("jof J15")
def test_nobody_but_the_players_speaks_of_a_flag() -> None:
    t = fourteen_left().rule("confirm_default")
    assert t.refusals == ["only players claim a flag under jof"] and not t.happened("flag")
    assert t.line("admit_flag", by="white").report["awaits"] == "default_choice"


# 9 and 10: the end, and both flags.


@pytest.mark.clause("jof J9", "jof J15")
def test_after_the_last_move_the_others_flag_is_void_and_the_last_movers_is_not() -> None:
    t = jof(minutes=1).set_up(LAST, WHITE, 61).press(WHITE).wait(1).place("h1").press(BLACK)
    assert claimed(t, "black").refusals and t.report["awaits"] == "accept_end"
    t.line("accept_end", by="white")
    assert recorded(t) == ((48, 16), "black", 32, -32)
    t = jof(minutes=1).set_up(LAST, BLACK, 61).place("h1").press(BLACK).line("accept_end", by="white")
    assert recorded(claimed(t, "white", "two_discs")) == ((31, 33), "white", -2, 2)
    t = jof(minutes=1).set_up(LAST, BLACK, 61).place("h1").press(BLACK).line("stop", by="white").sign()
    assert claimed(t, "white").refusals and t.score == (48, 16)


@pytest.mark.clause("jof J9")
@pytest.mark.parametrize("how", ["claim_flag", "admit_flag"])
def test_when_both_flags_are_down_at_the_last_move_only_the_last_movers_counts(how: str) -> None:
    t = jof(minutes=1, judged=True).set_up(LAST, WHITE, 61).press(WHITE).wait(61).place("h1").press(BLACK)
    assert t.report["awaits"] == "accept_end"
    # Neither the judge nor the last mover can make anything of White's flag.
    t.rule("confirm_default").line("claim_flag", by="black").line("admit_flag", by="white")
    assert len(t.refusals) == 3 and t.report["awaits"] == "accept_end"
    t.line(how, by="white" if how == "claim_flag" else "black")
    assert t.report["flags"] == {"black": 1, "white": 0}
    assert recorded(t.line("default_choice", by="white", choice="two_discs")) == ((31, 33), "white", -2, 2)


@pytest.mark.clause("jof J9", "jof J15")
def test_a_claim_that_waits_for_the_last_move_counts_the_last_movers_flag_alone() -> None:
    t = jof(minutes=1).set_up(LAST, WHITE, 61).press(WHITE).wait(61).touch("h1").put("h1", True)
    t.line("claim_flag", by="white").place("h1", by=BLACK)
    assert t.report["flags"] == {"black": 1, "white": 0} and t.report["awaits"] == "default_choice"


@pytest.mark.clause("jof J9")
def test_the_opponent_has_the_last_move_put_right_whatever_their_time() -> None:
    t = jof(minutes=1).set_up(LAST, BLACK, 5).place("h1", wrong="g1").press(BLACK).tick(70)
    t.press(WHITE).turn("g1").press(BLACK).line("accept_end", by="white")
    assert t.score == (48, 16) and not t.happened("flag")


@pytest.mark.clause("jof J16")
@pytest.mark.parametrize("draw_win", [None, "black"])
def test_both_flags_down_lose_for_both_by_two(draw_win: str | None) -> None:
    t = jof(minutes=1, draw_win=draw_win).begin().move("f5", 70).tick(70)
    assert t.report["state"] == "running" and not t.happened("flag")
    assert recorded(claimed(t, "white")) == ((31, 31), None, -2, -2)
    assert t.report["reason"] == "both_flags"


@pytest.mark.clause("jof J16")
def test_the_judge_too_may_say_that_both_are_down() -> None:
    t = jof(minutes=1, judged=True).begin().move("f5", 70).rule("confirm_default")
    assert len(t.refusals) == 1 and t.report["state"] == "running"
    t.tick(70).rule("confirm_default")
    assert recorded(t) == ((31, 31), None, -2, -2)


# 11: late, and two hands.


@pytest.mark.clause("jof J11", "jof J12", "jof J18")
def test_thirteen_minutes_late_they_play_with_seven_or_take_the_walkover() -> None:
    for plays in (True, False):
        t = jof(minutes=20).line("start").rule("start_clock", player="white").tick(13 * 60)
        if plays:
            t.press(WHITE).move("f5")
            assert t.left_s(WHITE) == 7 * 60 and t.report["state"] == "running"
        else:
            t.line("resign", by="white")
            assert recorded(t) == ((40, 24), "black", 16, -64) and t.report["reason"] == "walkover"


@pytest.mark.clause("jof J6")
def test_a_minute_for_two_hands_is_taken_from_one_and_given_to_nobody() -> None:
    t = jof().begin().move("f5", 10).rule("adjust_time", player="white", seconds=-60)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (20 * 60 - 10, 19 * 60)


# The items that no situation has.


@pytest.mark.clause("jof J2")
def test_the_time_is_what_the_event_sets() -> None:
    assert jof().left_s(BLACK) == 20 * 60 and jof(minutes=15).left_s(WHITE) == 15 * 60
    assert not jof(minutes=5).report["warnings"]


@pytest.mark.clause("jof J4")
def test_white_starts_blacks_clock() -> None:
    t = jof().line("start").tick(10)
    assert t.report["running"] is None
    assert t.press(WHITE).report["running"] == "black"


@pytest.mark.clause("jof J8")
def test_the_presses_of_a_pass_may_be_left_out_and_no_other() -> None:
    skip = "XO-" + "-" * 53 + "XO-" + "-" * 5
    t = jof().set_up(skip, BLACK).place("c1", by=BLACK).place("c8", by=BLACK).press(BLACK)
    assert t.report["transcript"] == "c1c8" and not t.errors
    t = jof().begin().place("f5").place("d6", by=WHITE).press(BLACK)
    assert [event.type for event in t.game.incidents] == [IncidentType.MOVED_ON_OPPONENTS_TIME]


@pytest.mark.clause("jof J6", "jof J10")
@pytest.mark.parametrize("judged", [False, True])
@pytest.mark.parametrize("by", ["black", "white"])
def test_a_player_stops_the_clocks_to_call_the_judge(judged: bool, by: str) -> None:
    t = jof(judged=judged).begin().move("f5", 10).line("stop", by=by).tick(100)
    assert t.report["state"] == "stopped" and t.left_s(WHITE) == 20 * 60 and not t.refusals
    if judged:
        # Only the judge starts them again.
        assert t.line("ready", by="black").line("ready", by="white").report["state"] == "stopped"
        t.rule("resume")
    else:
        t.line("ready", by="black").line("ready", by="white")
    assert t.report["running"] == "white"


@pytest.mark.clause("jof J17", "jof J23")
@pytest.mark.parametrize("how", ["resign", "forfeit", "beyond_repair"])
def test_resigned_or_sent_out_is_scored_as_a_default(how: str) -> None:
    t = jof().begin().move("f5").rule(how, player="white")
    t.line("default_choice", by="black", choice="two_discs")
    assert recorded(t) == ((33, 31), "black", 2, -2) and t.report["flags"] == {"black": 0, "white": 0}


@pytest.mark.clause("jof J20")
def test_a_player_with_a_disability_has_more_time_and_hands_that_do_not_commit() -> None:
    t = jof(extra_minutes={"black": 5, "white": 0}, hands_commit={"black": False, "white": True}).begin()
    assert t.left_s(BLACK) == 25 * 60
    t.touch("c4", "hand").move("f5")
    assert t.report["transcript"] == "f5" and not t.errors


@pytest.mark.clause("jof J28")
def test_a_flag_of_a_faulty_clock_is_annulled() -> None:
    t = claimed(jof(minutes=1).begin().tick(61), "white").rule("annul_flag", player="black")
    t.rule("adjust_time", player="black", seconds=60).rule("resume")
    assert t.report["running"] == "black" and t.report["flags"] == {"black": 0, "white": 0}


@pytest.mark.clause("jof J19")
def test_the_count_down_belongs_to_the_time() -> None:
    t = jof(minutes=1, byoyomi_s=30).begin().move("f5", 85).move("d6", 5)
    assert t.left_s(BLACK) == 30 and claimed(t, "white").refusals


@given(st.lists(st.floats(0, 400), min_size=4, max_size=30))
def test_a_flag_is_never_announced_and_no_clock_is_negative(seconds: list[float]) -> None:
    t = jof(minutes=10).begin()
    for thought_s in seconds:
        if not t.game.legal(t.game.to_move) or t.game.awaits:
            break
        t.move(square_of(t), thought_s)
        assert t.report["flags"] == {"black": 0, "white": 0} and not t.happened("flag")
        assert min(t.report["clocks_ns"].values()) >= 0 and t.report["reason"] is None


def test_the_file_says_where_each_switch_comes_from() -> None:
    rules = rulebook("jof")
    cited = {clause for clauses in rules.cites.values() for clause in clauses}
    assert cited <= {f"J{number}" for number in range(1, 31)}
    assert rules.family == "jof"
