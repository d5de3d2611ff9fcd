"""A game that is over when the last mover's opponent accepts it (jof J9, J15)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .conftest import BLACK, JUDGED, LAST, WHITE, Table, TableMaker, japanese

OLD = japanese(**{"": {"ended_by": "last_mover"}})


def last_move(wrong: str = "", gone_s: float = 5, **header: Any) -> Table:
    """Black moves to h1 and presses; neither player can move any more."""
    t = Table("japanese", **{"minutes": 1, **header}).set_up(LAST, BLACK, gone_s)
    return t.place("h1", wrong=wrong).press(BLACK)


@pytest.mark.parametrize("line", ["accept_end", "stop"])
@JUDGED
def test_the_opponent_of_the_last_mover_ends_the_game(line: str, judged: bool) -> None:
    t = last_move(judged=judged)
    assert (t.report["state"], t.report["awaits"], t.report["running"]) == ("running", "accept_end", "white")
    assert (t.report["reason"], t.report["score"], t.report["winner"]) == (None, None, None)
    t.wait(3).line(line, by="white")
    assert (t.report["state"], t.report["awaits"], t.report["reason"]) == ("finished", None, "board")
    assert t.score == (48, 16) and not t.refusals


def test_the_last_movers_word_alone_ends_nothing() -> None:
    t = last_move().line("accept_end", by="black")
    assert t.report["awaits"] == "accept_end" and t.report["state"] == "running"
    t.line("accept_end", by="black")
    assert t.refusals == ["black has accepted the end already"]
    assert t.line("accept_end", by="white").report["state"] == "finished"


@JUDGED
def test_an_error_of_the_last_move_is_demanded_by_pressing_back(judged: bool) -> None:
    t = last_move("g1", judged=judged).wait(2).press(WHITE)
    assert (t.report["state"], t.report["running"], t.report["awaits"]) == ("correcting", "black", None)
    t.wait(4).turn("g1").press(BLACK)
    assert t.report["awaits"] == "accept_end" and t.report["running"] == "white"
    t.line("accept_end", by="white")
    assert t.score == (48, 16) and [error[3] for error in t.errors] == ["corrected"]
    assert t.left_s(BLACK) == 60 - 5 - 4 and t.left_s(WHITE) == 60 - 2


def test_it_can_be_demanded_whatever_time_is_left() -> None:
    t = last_move("g1").tick(100)
    assert t.left_s(WHITE) == 0
    t.line("claim_flag", by="black")
    assert t.refusals == ["the game has ended: a flag is pointed out before"]
    assert t.press(WHITE).report["state"] == "correcting"


def test_accepted_the_last_move_stands_with_its_errors() -> None:
    t = last_move("g1").line("accept_end", by="white")
    assert t.score == (47, 17) and [error[3] for error in t.errors] == ["accepted"]
    t.line("signal", by="white", error="misflip").rule("correct_error", error="misflip")
    assert t.report["state"] == "finished" and len(t.refusals) == 2
    assert t.turn("g1").score == (47, 17)


def test_a_flip_put_right_by_hand_before_it_is_accepted_counts() -> None:
    t = last_move("g1").turn("g1").line("accept_end", by="white")
    assert t.score == (48, 16) and [error[3] for error in t.errors] == ["corrected"]


def test_pressing_back_without_an_error_only_turns_the_clocks() -> None:
    t = last_move().press(WHITE)
    assert t.report["running"] == "black" and t.report["awaits"] == "accept_end"
    assert t.wait(2).press(BLACK).report["running"] == "white"
    t.press(BLACK).line("accept_end", by="white")
    assert t.score == (48, 16) and t.happened("press_out_of_turn") and not t.errors


def test_the_last_movers_flag_can_be_claimed_until_both_have_agreed() -> None:
    for words in ([], ["white"]):
        t = last_move(gone_s=70)
        for by in words:
            t.line("accept_end", by=by)
        t.line("claim_flag", by="white")
        assert t.report["awaits"] == "default_choice" and t.report["flags"] == {"black": 1, "white": 0}
        assert t.line("default_choice", by="white", choice="two_discs").score == (31, 33)
    t = last_move(gone_s=70).line("accept_end", by="white").line("accept_end", by="black")
    t.line("claim_flag", by="white").line("admit_flag", by="black")
    assert len(t.refusals) == 2 and t.score == (48, 16) and not t.happened("flag")
    t = last_move(gone_s=70).line("accept_end", by="white").sign().line("claim_flag", by="white")
    assert len(t.refusals) == 1 and t.report["state"] == "signed"


def test_the_flag_of_who_did_not_make_the_last_move_is_void_though_it_fell_before() -> None:
    t = Table("japanese", minutes=1).set_up(LAST, WHITE, 61).press(WHITE)
    t.wait(5).place("h1").press(BLACK).line("claim_flag", by="black")
    assert len(t.refusals) == 1 and t.report["awaits"] == "accept_end" and not t.happened("flag")
    assert t.line("accept_end", by="white").score == (48, 16)


def test_a_position_that_the_judge_sets_meanwhile_is_played_on() -> None:
    t = last_move()
    t.rule("stop").rule("set_position", squares="OX-" + "-" * 61, to_move="white").rule("resume")
    assert t.report["awaits"] is None and t.report["state"] == "running"


def test_the_judge_can_stop_the_clocks_meanwhile() -> None:
    t = last_move().rule("stop").tick(30)
    assert (t.report["state"], t.report["awaits"], t.left_s(WHITE)) == ("stopped", "accept_end", 60)
    t.rule("resume").wait(5).line("accept_end", by="white")
    assert t.report["state"] == "finished" and t.left_s(WHITE) == 55


def test_while_moves_are_left_there_is_no_end_to_accept(table: TableMaker) -> None:
    t = table("japanese", minutes=1).begin().move("f5").line("accept_end", by="white")
    assert t.refusals == ["the game is not over: moves are left"] and t.report["state"] == "running"


def test_without_a_board_the_players_say_that_it_is_over(table: TableMaker) -> None:
    t = (
        table("japanese", minutes=1, sensors=False)
        .begin()
        .wait(5)
        .press(BLACK)
        .line("accept_end", by="black")
    )
    assert t.refusals == ["white, who did not make the last move, accepts the end"]
    t.line("accept_end", by="white")
    assert t.report["state"] == "stopped"
    t.rule("enter_score", black=40, white=20)
    assert t.score == (44, 20) and t.report["reason"] == "board"


def test_moves_entered_late_show_that_it_is_over(table: TableMaker) -> None:
    t = table("japanese", minutes=1, sensors=False).begin()
    for number in range(9):
        t.wait(1).press(WHITE if number % 2 else BLACK)
    for square in ("f5", "d6", "c5", "f6", "e7", "f4", "g5", "e6", "e3"):
        t.rule("enter_move", square=square)
    assert t.report["awaits"] == "accept_end"
    assert t.line("accept_end", by="white").score == (64, 0)


@pytest.mark.parametrize("book", ["woc-2019", "usoa", "club"])
def test_where_the_last_press_ends_a_game_nobody_accepts_it(table: TableMaker, book: str) -> None:
    t = table(book, minutes=1).begin().line("accept_end", by="white").moves("f5d6c5f6e7f4g5e6e3")
    assert t.report["state"] == "finished" and t.report["awaits"] is None
    assert t.refusals == [f"the last press ends a game under {book}"]


def test_the_older_rule_the_last_mover_stops_the_clocks() -> None:
    t = Table("japanese", rulebook_text=OLD, minutes=1, judged=False).set_up(LAST, BLACK, 5).place("h1")
    t.line("stop", by="black")
    assert (t.report["state"], t.report["awaits"], t.report["running"]) == ("stopped", "accept_end", None)
    assert t.line("accept_end", by="white").score == (48, 16)


def test_the_older_rule_until_then_the_opponents_flag_counts() -> None:
    for stops, refused in ((False, 0), (True, 1)):
        t = Table("japanese", rulebook_text=OLD, minutes=1, judged=False).set_up(LAST, BLACK, 5)
        t.place("h1").press(BLACK).tick(61)
        if stops:
            t.line("stop", by="black")
        t.line("claim_flag", by="black")
        assert len(t.refusals) == refused
        assert t.report["awaits"] == ("accept_end" if stops else "default_choice")


@given(st.lists(st.sampled_from(["press b", "press w", "wait", "signal", "turn", "stop"]), max_size=8))
def test_whatever_happens_before_the_word_the_board_decides(doings: list[str]) -> None:
    t = last_move(judged=False)
    for doing in doings:
        match doing:
            case "press b" | "press w":
                t.press(BLACK if doing.endswith("b") else WHITE)
            case "wait":
                t.tick(40)
            case "signal":
                t.line("signal", by="white")
            case "turn":
                t.show()
            case "stop":
                t.line("stop", by="black")
    assert t.report["awaits"] == "accept_end" and not t.happened("flag")
    t.line("accept_end", by="white")
    assert t.score == (48, 16) and min(t.report["clocks_ns"].values()) >= 0
