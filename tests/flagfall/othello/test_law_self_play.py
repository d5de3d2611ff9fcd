"""A default that ends the play: two discs, or the winner plays both colours alone (jof J14, J15)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.othello.board import square_name, squares_of

from .conftest import BLACK, WHITE, Table, TableMaker, japanese

# Black moves to h1 and it is over: 48-16. White has no move.
ONE_LEFT = "X" * 6 + "O-" + "O" * 20 + "X" * 36
SHORT: dict[str, Any] = {"minutes": 1}


def won(t: Table, by: str = "black") -> Table:
    """Let the opponent's flag fall, and this player claim it."""
    return t.line("claim_flag", by=by)


def alone(t: Table, by: str = "black") -> Table:
    return won(t, by).line("default_choice", by=by, choice="self_play")


def white_out_of_time(**header: Any) -> Table:
    """Black has played f5 in five seconds; White has thought for 65."""
    return Table("japanese", **{**SHORT, **header}).begin().move("f5", 5).tick(65)


def play(t: Table, moves: int, seconds: float = 0.5) -> Table:
    """Play both colours for the winner, who touches no button."""
    for _ in range(moves):
        if t.game.over:
            break
        black = t.game.plays_black(t.game.to_move)
        if not t.shown.legal(black):
            black = not black
        if not t.shown.legal(black):
            break
        square = next(squares_of(t.shown.legal(black)))
        t.wait(seconds).show(t.shown.played(black, square))
    return t


def test_the_winner_is_asked_and_no_clock_runs() -> None:
    t = won(white_out_of_time())
    assert (t.report["awaits"], t.report["state"], t.report["running"]) == ("default_choice", "stopped", None)
    assert (t.report["score"], t.report["winner"], t.report["reason"]) == (None, None, None)
    assert t.report["flags"] == {"black": 0, "white": 1} and t.report["self_play"] is None
    t.tick(100)
    assert t.left_s(BLACK) == 55


def test_two_discs() -> None:
    t = won(white_out_of_time()).line("default_choice", by="black", choice="two_discs")
    assert (t.score, t.report["winner"], t.report["reason"]) == ((33, 31), "black", "second_flag")
    assert t.report["awaits"] is None and t.report["self_play"] is None


def test_the_loser_does_not_choose() -> None:
    t = won(white_out_of_time()).line("default_choice", by="white", choice="two_discs")
    assert t.refusals == ["only black, who has won by default, chooses"]
    assert t.report["awaits"] == "default_choice"


def test_the_winner_plays_both_colours_on_their_own_clock() -> None:
    t = alone(white_out_of_time())
    assert (t.report["self_play"], t.report["running"], t.report["to_move"]) == ("black", "black", "white")
    play(t, 6, 2)
    assert t.report["moves"] == 7 and t.left_s(BLACK) == 55 - 12 and t.left_s(WHITE) == 0
    assert not t.errors and not t.happened("moved_on_opponents_time")


def test_played_to_the_end_the_board_counts() -> None:
    t = play(alone(white_out_of_time(minutes=2).tick(60)), 60)
    black, white = t.report["board_score"].values()
    assert t.report["state"] == "finished" and t.report["winner"] == "black"
    assert t.score == ((black, white) if black > white else (33, 31))
    assert t.report["reason"] == "default" and t.report["self_play"] == "black"


def test_a_full_board_of_58_to_6() -> None:
    squares = "X" + "O" * 6 + "X" * 55 + "O-"
    t = Table("japanese", **SHORT).set_up(squares, WHITE, 61)
    alone(t).put("h8", True).turn("g8")
    assert t.score == (58, 6) and t.report["reason"] == "default"


# Seven squares are empty: 45-12.
STOPPED = "X" * 45 + "O" * 12 + "-" * 7


@pytest.mark.parametrize(("empties", "score"), [("nobody", (45, 12)), ("defaulter", (45, 19))])
def test_who_stops_early_has_what_lies_there(empties: str, score: tuple[int, int]) -> None:
    book = japanese(flag={"stop_empties": empties})
    t = alone(Table("japanese", rulebook_text=book, **SHORT).set_up(STOPPED, WHITE, 61))
    t.line("stop_self_play", by="black")
    assert (t.score, t.report["winner"], t.report["reason"]) == (score, "black", "default")


def test_only_who_plays_alone_stops_it() -> None:
    t = alone(white_out_of_time()).line("stop_self_play", by="white")
    assert t.report["state"] == "running" and t.refusals == ["only black, who has won by default, chooses"]
    t = white_out_of_time().line("stop_self_play", by="black")
    assert t.refusals == ["not while the game is running"]


@pytest.mark.parametrize(
    ("black", "white", "score"),
    [(30, 31, (33, 31)), (30, 30, (33, 31)), (31, 30, (31, 30)), (40, 20, (40, 20))],
)
def test_when_the_winners_time_runs_out_they_have_the_board_or_two_discs(
    black: int, white: int, score: tuple[int, int]
) -> None:
    squares = "X" * black + "O" * white
    t = alone(Table("japanese", **SHORT).set_up(squares.ljust(64, "-"), WHITE, 61)).tick(61)
    assert (t.score, t.report["winner"], t.report["state"]) == (score, "black", "finished")
    assert t.report["clocks_ns"]["black"] == 0 and t.report["flags"] == {"black": 0, "white": 1}


def test_a_colour_that_is_wiped_out_gives_64() -> None:
    t = alone(Table("japanese", **SHORT).set_up("X" * 20 + "-" * 44, WHITE, 61))
    assert t.score == (64, 0)


def test_a_lost_board_is_two_discs_however_it_ends() -> None:
    t = alone(Table("japanese", **SHORT).set_up("X" * 12 + "O" * 45 + "-" * 7, WHITE, 61))
    assert t.line("stop_self_play", by="black").score == (33, 31)


def test_after_self_play_has_begun_two_discs_are_to_be_had_only_where_the_rulebook_says_so() -> None:
    t = alone(white_out_of_time()).line("default_choice", by="black", choice="two_discs")
    assert t.refusals == ["the choice has been made"] and t.report["self_play"] == "black"
    book = japanese(flag={"two_discs_until": "signed"})
    squares = "X" * 32 + "O" * 31 + "-"
    t = alone(Table("japanese", rulebook_text=book, **SHORT).set_up(squares, WHITE, 61)).tick(61)
    assert t.score == (32, 31)
    assert t.line("default_choice", by="black", choice="two_discs").score == (33, 31)
    t.sign().line("default_choice", by="black", choice="two_discs")
    assert len(t.refusals) == 1


def test_the_defaulter_points_out_an_error_and_the_winners_clock_runs() -> None:
    t = alone(white_out_of_time())
    t.wait(2).touch("d6").put("d6", False).wait(1).press(BLACK)
    assert [(kind, by) for kind, by, _, _ in t.errors] == [("misflip", "black")]
    t.line("signal", by="white", error="misflip")
    assert t.report["state"] == "correcting" and t.report["running"] == "black"
    t.wait(4).rule("corrected")
    assert t.report["state"] == "running" and t.report["running"] == "black"
    assert t.left_s(BLACK) == 55 - 7 and t.report["to_move"] == "black"


def test_without_a_judge_the_winner_puts_it_right_and_presses() -> None:
    t = alone(white_out_of_time(judged=False)).wait(2).touch("d6").put("d6", False).press(BLACK)
    t.line("signal", by="white").wait(1).turn("d5").press(WHITE).press(BLACK)
    assert t.report["state"] == "running" and t.report["running"] == "black"
    assert [error[3] for error in t.errors] == ["corrected"]
    play(t, 3)
    assert t.report["moves"] == 5


def test_an_illegal_move_of_self_play_is_taken_back_by_the_winner() -> None:
    t = alone(white_out_of_time(judged=False)).wait(2).put("h8", False).press(BLACK)
    t.line("signal", by="white").lift("h8").press(BLACK)
    assert (t.report["to_move"], t.report["running"], t.report["moves"]) == ("white", "black", 1)
    assert play(t, 2).report["moves"] == 3


def test_the_clocks_can_stop_and_go_on() -> None:
    t = alone(white_out_of_time()).wait(1).rule("stop").tick(30).rule("resume")
    assert t.report["running"] == "black" and t.left_s(BLACK) == 54
    assert play(t, 2).report["moves"] == 3


def test_a_press_makes_a_move_too_and_the_clock_goes_on() -> None:
    t = alone(white_out_of_time())
    for square, by in (("d6", WHITE), ("c5", BLACK)):
        t.wait(1).place(square, by=by).press(BLACK)
    assert t.report["moves"] == 3 and t.report["running"] == "black" and not t.errors
    assert t.press(WHITE).happened("press_out_of_turn")


def test_the_move_that_was_in_hand_is_where_self_play_begins(table: TableMaker) -> None:
    """Two of five discs are turned when the flag is claimed: the other three follow first."""
    squares = "OXXXXX-" + "-" * 57
    t = table("japanese", **SHORT).set_up(squares, WHITE, 61).touch("g1").put("g1", False).turn("b1", "c1")
    won(t)
    assert t.report["state"] == "running" and t.report["awaits"] == "claim"
    t.turn("d1", "e1", "f1")
    assert t.report["awaits"] == "default_choice" and t.report["position"].startswith("OOOOOOO-")
    assert t.report["transcript"] == "g1"


def test_a_board_that_is_over_needs_no_play(table: TableMaker) -> None:
    t = alone(table("japanese", **SHORT).set_up("X" * 40 + "O" * 24, WHITE, 61))
    assert t.report["state"] == "finished" and t.score == (40, 24)


def test_without_a_board_the_discs_are_counted_afterwards(table: TableMaker) -> None:
    t = table("japanese", sensors=False, **SHORT).begin().wait(5).press(BLACK).tick(65)
    alone(t).wait(10).press(BLACK)
    assert t.report["running"] == "black" and t.left_s(BLACK) == 45
    t.line("stop_self_play", by="black")
    assert t.report["state"] == "stopped" and t.report["score"] is None
    t.rule("enter_score", black=45, white=12)
    assert (t.score, t.report["winner"], t.report["reason"]) == ((45, 12), "black", "default")


@pytest.mark.clause("jof J15")
@pytest.mark.parametrize("ends", ["stop", "time", "lost board"])
@pytest.mark.parametrize("judged", [True, False])
def test_a_count_by_hand_keeps_the_claimed_flag_and_both_clocks(ends: str, judged: bool) -> None:
    t = Table("jof", sensors=ends == "lost board", judged=judged, **SHORT).begin()
    t.move("f5", 5) if ends == "lost board" else t.wait(5).press(BLACK)
    alone(t.tick(65)).tick(20)
    if ends == "lost board":
        t.line("board", state="lost")
    t.tick(40) if ends == "time" else t.line("stop_self_play", by="black")
    assert t.report["state"] == "stopped"
    if judged:
        t.rule("enter_score", black=45, white=12)
    else:
        t.line("agree", by="black", black=45, white=12).line("agree", by="white", black=45, white=12)
    assert t.score == (45, 12) and t.report["flags"] == {"black": 0, "white": 1}
    left = 0 if ends == "time" else 35
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (left, 0)
    if judged:
        # It can be entered again until somebody has signed.
        t.rule("enter_score", black=40, white=17)
        assert t.score == (40, 17) and t.report["flags"] == {"black": 0, "white": 1}


@pytest.mark.clause("jof J15")
def test_a_flag_that_was_down_at_the_last_press_and_claimed_is_not_counted_away() -> None:
    t = Table("jof", sensors=False, **SHORT).begin().wait(5).press(BLACK).wait(65).press(WHITE).tick(5)
    won(t).line("default_choice", by="black", choice="two_discs").rule("enter_score", black=20, white=44)
    assert t.score == (33, 31) and t.refusals == ["the game is finished"]
    assert t.report["flags"] == {"black": 0, "white": 1}


def test_a_clock_game_whose_winners_time_runs_out_is_counted(table: TableMaker) -> None:
    t = table("japanese", sensors=False, judged=False, **SHORT).begin().wait(5).press(BLACK).tick(65)
    alone(t).tick(60)
    assert t.report["state"] == "stopped" and t.report["awaits"] is None
    t.line("agree", by="black", black=30, white=31).line("agree", by="white", black=30, white=31)
    assert t.score == (33, 31) and t.report["winner"] == "black"


@pytest.mark.parametrize(("choice", "score"), [("two_discs", (31, 33)), ("self_play", (20, 44))])
def test_a_count_may_bring_the_flag_that_fell_before_the_last_move_was_complete(
    table: TableMaker, choice: str, score: tuple[int, int]
) -> None:
    t = table("japanese", sensors=False, **SHORT).begin().wait(5).press(BLACK).wait(5).press(WHITE).tick(60)
    t.rule("enter_score", black=20, white=44, flag_before="white")
    assert t.refusals == ["no flag of white has fallen"] and not t.happened("flag")
    t.rule("enter_score", black=20, white=44, flag_before="black")
    assert t.report["awaits"] == "default_choice" and t.report["flags"] == {"black": 1, "white": 0}
    t.line("default_choice", by="white", choice=choice)
    assert t.score == score and t.report["winner"] == "white"


def test_after_the_last_move_there_is_only_the_board_to_play(table: TableMaker) -> None:
    t = table("japanese", **SHORT).set_up(ONE_LEFT, BLACK, 61).place("h1").press(BLACK)
    assert t.report["awaits"] == "accept_end"
    alone(t, "white")
    assert t.score == (31, 33) and t.report["winner"] == "white"


def test_an_annulled_default_goes_on_where_it_was() -> None:
    t = play(alone(white_out_of_time()), 4).rule("annul_flag", player="white")
    assert (t.report["state"], t.report["self_play"], t.report["moves"]) == ("stopped", None, 1)
    assert t.report["flags"] == {"black": 0, "white": 0} and t.report["to_move"] == "white"
    t.rule("adjust_time", player="white", seconds=30).rule("resume")
    assert t.report["running"] == "white" and t.left_s(WHITE) == 30


@pytest.mark.parametrize("book", ["woc-2019", "usoa", "club"])
def test_where_nothing_is_chosen_a_choice_is_refused(table: TableMaker, book: str) -> None:
    t = table(book, minutes=1).begin().tick(30).line("default_choice", by="white", choice="self_play")
    assert t.refusals == [f"nobody plays alone under {book}"]
    assert t.report["self_play"] is None and t.report["awaits"] is None


@given(st.data())
def test_in_self_play_only_the_winners_clock_runs(data: st.DataObject) -> None:
    t = alone(white_out_of_time())
    for _ in range(data.draw(st.integers(1, 25))):
        if t.game.over:
            break
        square = data.draw(st.sampled_from(list(squares_of(t.game.before.empty))))
        match data.draw(st.integers(0, 6)):
            case 0:
                t.press(data.draw(st.sampled_from([BLACK, WHITE])))
            case 1:
                t.line("signal", by=data.draw(st.sampled_from(["black", "white"])))
            case 2:
                t.put(square_name(square), data.draw(st.booleans()))
            case 3:
                t.rule(data.draw(st.sampled_from(["corrected", "dismiss_error", "correct_error"])))
            case _:
                play(t, 1, data.draw(st.sampled_from([0, 0.5, 3])))
        assert t.report["running"] in ("black", None) and t.left_s(WHITE) == 0
        assert t.left_s(BLACK) >= 0 and t.report["flags"] == {"black": 0, "white": 1}
    if not t.game.over:
        t.rule("stop").rule("resume").line("stop_self_play", by="black")
        if t.report["state"] == "correcting":
            t.rule("dismiss_error").line("stop_self_play", by="black")
    assert t.report["winner"] == "black" and t.score is not None and t.score[0] > t.score[1]
