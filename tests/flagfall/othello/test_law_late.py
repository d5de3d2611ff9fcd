"""A late player's clock, which the player who is there starts on the judge's word (jof J11, J12)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.othello.gamefile import format_game, parse_game
from flagfall.othello.referee import replay

from .conftest import ALL, BLACK, WHITE, Table, japanese

pytestmark = pytest.mark.clause("jof J11", "jof J12")


def late(minutes_gone: float, by: str = "black", **header: Any) -> Table:
    """Black is there, unless `by` says so of White, and has started the other's clock."""
    fields = {"judged": False, "minutes": 20, "black": {"id": "1"}, "white": {"id": "2"}, **header}
    return Table("jof", **fields).line("start").wait(30).line("late", by=by).tick(minutes_gone * 60)


@pytest.mark.parametrize(("by", "absent"), [("black", WHITE), ("white", BLACK)])
def test_the_late_players_time_runs_and_a_stop_puts_the_game_back_before_its_start(
    by: str, absent: Any
) -> None:
    t = late(13, by)
    assert (t.report["state"], t.report["running"]) == ("running", absent)
    t.line("stop", by=by).wait(100)
    assert (t.report["state"], t.report["running"]) == ("waiting", None)
    assert (t.left_s(absent), t.left_s(absent.other)) == (7 * 60, 20 * 60)
    t.press(WHITE).move("f5", 10)
    assert t.report["transcript"] == "f5" and not t.refusals and not t.happened("press_out_of_turn")
    assert (t.left_s(absent), t.left_s(absent.other)) == (
        7 * 60 - (10 if absent is BLACK else 0),
        20 * 60 - (0 if absent is BLACK else 10),
    )


def test_colours_are_drawn_after_they_have_come_and_the_time_stays_theirs() -> None:
    t = late(13).line("stop", by="black")
    t.line("colour_draw", hider="black", called="white", shown="black", chose="white")
    assert t.game.header.black.id == "2" and (t.left_s(BLACK), t.left_s(WHITE)) == (7 * 60, 20 * 60)
    assert t.game.late is BLACK
    t.press(WHITE)
    assert t.report["running"] == "black"


@pytest.mark.clause("jof J18")
@pytest.mark.parametrize("drawn", [False, True])
def test_who_has_come_late_may_take_the_walkover_whatever_time_is_left(drawn: bool) -> None:
    t = late(0.1).line("stop", by="black")
    if drawn:
        t.line("colour_draw", hider="black", called="white", shown="black", chose="white")
    t.line("resign", by=str(t.game.late))
    score, differences = t.score, t.report["differences"]
    assert t.report["reason"] == "walkover" and t.report["no_show"]
    assert sorted(differences.values()) == [-64, 16] and sorted(score or ()) == [24, 40]
    assert differences[t.game.late] == -64


@pytest.mark.parametrize("judged", [True, False])
def test_the_judge_stops_the_clock_too(judged: bool) -> None:
    t = late(5, judged=judged).rule("stop")
    assert t.report["state"] == "waiting" and t.left_s(WHITE) == 15 * 60


def test_a_clock_that_the_director_has_started_is_stopped_in_the_same_way() -> None:
    t = Table("jof", judged=True, minutes=20).line("start").rule("start_clock", player="white").tick(60)
    t.rule("stop")
    assert (t.report["state"], t.game.late) == ("waiting", WHITE)


def test_a_clock_that_has_run_out_stays_stopped_for_the_claim() -> None:
    t = late(21).line("stop", by="black")
    assert t.report["state"] == "stopped"
    t.line("claim_flag", by="black")
    assert (t.report["reason"], t.score) == ("walkover", (40, 24))


@pytest.mark.parametrize("how", ["press", "ready", "resume", "late", "start_clock"])
@pytest.mark.parametrize("by", ["black", "white"])
def test_a_late_player_whose_time_is_used_up_can_play_all_the_same(how: str, by: str) -> None:
    t = late(21, by, judged=how in ("resume", "start_clock")).rule("stop").tick(60)
    absent = WHITE if by == "black" else BLACK
    match how:
        case "ready":
            t.line("ready", by="black").line("ready", by="white")
        case "resume":
            t.rule("resume")
        case "late":
            t.line("late", by=by)
        case "start_clock":
            t.rule("start_clock", player=absent)
    if how == "press" or absent is WHITE:
        t.press(WHITE)
    t.move("f5", 10)
    assert t.report["transcript"] == "f5" and not t.refusals and t.report["running"] == "white"
    assert (t.left_s(absent), t.left_s(absent.other)) == (0, 20 * 60 - (10 if absent is WHITE else 0))
    # It is a default as soon as somebody claims it.
    t.line("claim_flag", by=by)
    assert t.report["awaits"] == "default_choice" and t.report["flags"][absent] == 1


def test_an_empty_clock_is_claimed_or_drawn_for_before_the_start_too() -> None:
    t = late(21).line("stop", by="black").press(BLACK)
    assert t.report["state"] == "stopped" and t.happened("press_out_of_turn")
    t.line("colour_draw", hider="black", called="white", shown="black", chose="white").press(WHITE)
    assert t.report["running"] == "black" and t.left_s(BLACK) == 0


def test_the_wrong_clock_is_changed_and_a_game_that_has_begun_has_nobody_late() -> None:
    t = late(1).line("late", by="white").tick(60)
    assert t.report["running"] == "black" and t.left_s(WHITE) == 19 * 60
    t.line("stop", by="white").press(WHITE).move("f5", 5).line("late", by="black")
    assert t.refusals == ["the game has begun"]


def test_after_the_power_was_away_the_game_waits_for_its_start() -> None:
    t = late(2).line("power", state="back", uncertain_ns=5)
    assert t.report["state"] == "waiting" and t.left_s(WHITE) == 18 * 60


def test_nobody_is_late_before_the_signal() -> None:
    t = Table("jof", judged=False).line("late", by="black")
    assert t.refusals == ["the signal to start has not been given"] and t.report["state"] == "waiting"


@pytest.mark.parametrize("book", ALL)
def test_elsewhere_the_director_starts_the_clock(book: str) -> None:
    t = Table(book, judged=False, minutes=30).line("start").line("late", by="black")
    assert t.refusals == [f"the director starts the clock of a late player under {book}"]
    t.rule("start_clock", player="white").tick(60).rule("stop")
    assert t.report["state"] == "stopped"


ACTS = [
    "late black",
    "late white",
    "stop",
    "press black",
    "press white",
    "draw",
    "resign",
    "claim",
    "tick",
    "resume",
]


@given(st.lists(st.sampled_from(ACTS), max_size=12), st.booleans())
def test_in_any_order_the_file_gives_the_game_again_and_time_is_only_spent(
    acts: list[str], judged: bool
) -> None:
    t = late(0, judged=judged)
    left = t.left_s(BLACK) + t.left_s(WHITE)
    for act in acts:
        match act.split():
            case ["late" | "press" as kind, side]:
                t.line(kind, by=side)
            case ["stop"]:
                t.rule("stop") if judged else t.line("stop", by="black")
            case ["draw"]:
                t.line("colour_draw", hider="black", called="top", shown="white")
            case ["resign"]:
                t.line("resign", by="white")
            case ["claim"]:
                t.line("claim_flag", by="white")
            case ["resume"]:
                t.rule("resume")
        t.tick(100)
        now_left = t.left_s(BLACK) + t.left_s(WHITE)
        assert 0 <= now_left <= left
        left = now_left
    assert replay(*parse_game(format_game(t.header, t.lines))) == t.game


@pytest.mark.parametrize("way", ["at_once", "pointed_out", "confirmed"])
def test_a_flag_that_fell_before_the_colours_were_drawn_goes_with_its_player(way: str) -> None:
    book = japanese(flag={"takes_effect": way, "first": "extension", "extension_s": 120})
    t = Table("japanese", rulebook_text=book, minutes=20, black={"id": "1"}, white={"id": "2"}).line("start")
    t.rule("start_clock", player=WHITE).tick(20 * 60 + 1)
    before = t.game
    assert t.report["flags"] == {"black": 0, "white": 1}
    t.line("colour_draw", hider="black", called="white", shown="black", chose="white")
    assert t.game.header.black.id == "2" and t.report["flags"] == {"black": 1, "white": 0}
    assert t.game.defaulter is (before.defaulter and BLACK)
    if way == "pointed_out":
        t.line("claim_flag", by="white")
        assert t.game.defaulter is BLACK
    if way == "confirmed":
        t.rule("confirm_default")
        assert t.left_s(BLACK) > 0
