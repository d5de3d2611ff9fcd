"""The end of a game: score, signatures, resignation, award; games without a board."""

from __future__ import annotations

import pytest

from flagfall.othello.board import parse_position
from flagfall.othello.game import State
from flagfall.othello.inputs import Rule, Ruling
from flagfall.othello.side import Side

from .conftest import ALL, BLACK, WHITE, WOC


def ended_with(t, squares: str, to_move: str = "black"):
    """Return a game whose next press meets this board, on which nobody can move."""
    t.begin().rule("stop").rule("set_position", squares=squares, to_move=to_move).rule("resume")
    t.shown = parse_position(squares)
    return t.wait(1).press(Side(to_move))


def _apart(black: int, white: int) -> str:
    """`black` discs from a1 on, `white` discs up to h8, more than a row of empties between: nobody can move."""
    return "X" * black + "-" * (64 - black - white) + "O" * white


@pytest.mark.clause("woc-2019 IV.8", "woc-2017 IV.8", "woc-classic IV.8", "cc-2024 IV.8")
@pytest.mark.parametrize("book", WOC)
@pytest.mark.parametrize(
    ("black", "white", "score"), [(30, 20, (44, 20)), (20, 30, (20, 44)), (26, 26, (32, 32))]
)
def test_empties_go_to_the_winner_and_a_draw_is_32_32(table, book, black, white, score):
    t = ended_with(table(book), _apart(black, white))
    assert t.state is State.FINISHED
    assert (t.report["reason"], t.score) == ("board", score)
    assert t.report["winner"] == (None if black == white else "black" if black > white else "white")


@pytest.mark.clause("usoa 4.2", "usoa 4.3")
@pytest.mark.parametrize(("black", "white"), [(30, 20), (20, 30), (26, 26)])
def test_usoa_counts_discs_only(table, black, white):
    t = ended_with(table("usoa"), _apart(black, white))
    assert t.score == (black, white)
    assert t.report["winner"] == (None if black == white else "black" if black > white else "white")


@pytest.mark.clause("usoa 4.4")
@pytest.mark.parametrize("book", ALL)
def test_a_wipe_out_is_64_0_both_ways_of_counting(table, book):
    t = ended_with(table(book), "X" * 20 + "-" * 44)
    assert t.score == (64, 0)


@pytest.mark.clause("woc-2019 IV.9", "woc-2019 IV.9.a", "woc-2019 IV.9.b", "woc-2017 IV.9", "woc-2017 IV.9.a")
@pytest.mark.clause("woc-2017 IV.9.b", "woc-classic III.3", "woc-classic II.3.1", "cc-2024 IV.9")
@pytest.mark.clause("cc-2024 IV.9.a", "cc-2024 IV.9.b")
@pytest.mark.parametrize("book", ALL)
@pytest.mark.parametrize("draw_win", ["black", "white", None])
def test_draw_win_makes_a_winner_and_leaves_the_score(table, book, draw_win):
    t = ended_with(table(book, draw_win=draw_win), _apart(26, 26))
    assert t.score == ((26, 26) if book == "usoa" else (32, 32))
    assert t.report["winner"] == draw_win


@pytest.mark.clause("woc-2019 IV.8", "cc-2024 IV.8", "woc-classic IV.8", "woc-2017 IV.8")
@pytest.mark.parametrize("book", ALL)
@pytest.mark.parametrize("loser", [BLACK, WHITE])
def test_resigning_is_64_0(table, book, loser):
    t = table(book).begin().move("f5").line("resign", by=str(loser))
    assert (t.report["reason"], t.report["winner"]) == ("resigned", str(loser.other))
    assert t.score == ((0, 64) if loser is BLACK else (64, 0))


def test_who_has_won_by_default_and_resigns_keeps_the_guaranteed_score(table):
    t = table().begin().move("f5", 1801).line("resign", by="white")
    assert (t.report["reason"], t.report["winner"], t.score) == ("resigned", "white", (31, 33))
    assert len(t.report["warnings"]) == 1
    t = table("usoa").begin().move("f5", 1801).rule("resign", player="white")
    assert t.score == (31, 32)
    t = table().begin().move("f5", 1801).line("resign", by="black")
    assert t.score == (0, 64)


def test_both_players_take_a_resignation_back_and_the_clock_goes_on_from_then(table):
    t = table().begin().move("f5").wait(3).line("resign", by="white").wait(4)
    t.place("f6", by=WHITE).line("unresign", by="white")
    assert t.state is State.FINISHED and t.report["score"] == {"black": 64, "white": 0}
    t.line("unresign", by="white")
    assert t.refusals == ["white has taken the resignation back already"]
    t.wait(6).line("unresign", by="black")
    assert (t.state, t.report["score"], t.report["running"]) == (State.RUNNING, None, "white")
    assert len(t.refusals) == 1, "what happened in between stays on record"
    assert t.left_s(WHITE) == 1800 - 3, "the ten seconds are nobody's"
    t.wait(2).press(WHITE)
    assert (t.report["transcript"], t.errors, t.left_s(WHITE)) == ("f5f6", [], 1795)
    t.line("unresign", by="black")
    assert t.refusals[-1] == "not while the game is running"


@pytest.mark.parametrize("begun", [False, True])
def test_a_game_is_as_it_was_when_its_resignation_is_taken_back(table, begun):
    t = table().begin().move("f5", wrong="e5").rule("correct_error") if begun else table()
    was = t.state, t.report["running"], t.report["to_move"], t.errors
    assert was[0] is (State.CORRECTING if begun else State.WAITING)
    t.line("resign", by="black").line("unresign", by="black")
    assert t.game.over, "it takes both"
    t.line("unresign", by="white")
    assert (t.state, t.report["running"], t.report["to_move"], t.errors) == was


def test_a_resignation_stands_after_ten_seconds_and_after_a_ruling(table):
    late = table().begin().line("resign", by="black").wait(10.001).line("unresign", by="black")
    ruled = table().begin().line("resign", by="black").rule("award", winner="white")
    ruled.line("unresign", by="black")
    for t in (late, ruled):
        assert t.refusals[-1] == "a resignation can be taken back within ten seconds, and before any ruling"
        assert t.state is State.FINISHED
    other = table().begin().rule("resign", player="black").line("unresign", by="black")
    assert other.refusals == ["no player has resigned"]


@pytest.mark.clause("woc-2019 IV.8", "woc-2017 IV.8", "cc-2024 IV.8")
@pytest.mark.parametrize("book", WOC)
def test_both_players_sign_the_score_sheet(table, book):
    t = ended_with(table(book), _apart(30, 20))
    t.sign(BLACK)
    assert t.state is State.FINISHED
    t.sign(BLACK)
    assert t.refusals == ["black has signed already"]
    t.sign(WHITE)
    assert t.state is State.SIGNED
    t.sign(WHITE)
    assert t.refusals[-1] == "not while the game is signed"


def test_nobody_signs_before_the_end(table):
    assert table().begin().sign(BLACK).refusals == ["not while the game is running"]


# --- the director's rulings on the result -----------------------------------------------------------------------


@pytest.mark.clause("usoa 7.6", "usoa 9.2")
@pytest.mark.parametrize("rule", ["beyond_repair", "forfeit", "resign"])
def test_64_0_against_a_player(table, rule):
    t = table("usoa").begin().move("f5").rule(rule, player="white")
    assert t.score == (64, 0)
    assert t.report["reason"] == {"resign": "resigned"}.get(rule, rule)


def test_beyond_repair_spares_nobody(table):
    t = table().begin().move("f5", 1801).rule("beyond_repair", player="white")
    assert t.score == (64, 0)


@pytest.mark.clause("woc-2019 V.2.b", "woc-2017 V.2.b", "woc-classic VI.2.b", "cc-2024 VI.2.b")
@pytest.mark.parametrize("book", WOC)
def test_the_director_changes_the_score_after_the_end_and_both_sign_anew(table, book):
    t = ended_with(table(book), _apart(30, 20)).sign().rule("set_score", black=20, white=44)
    assert (t.state, t.score, t.report["reason"], t.report["winner"]) == (
        State.FINISHED,
        (20, 44),
        "ruled",
        "white",
    )
    assert t.report["board_score"] == {"black": 44, "white": 20}
    t.sign()
    assert t.state is State.SIGNED
    t.rule("set_score", black=40, white=20)
    assert t.state is State.SIGNED and "64 discs" in t.refusals[0]


@pytest.mark.clause(
    "woc-2019 V.2.c", "woc-2017 V.2.c", "woc-classic VI.2.c", "cc-2024 VI.2.c", "cc-2024 I.3.4"
)
@pytest.mark.parametrize("book", WOC)
def test_the_director_awards_the_game_or_declares_a_draw(table, book):
    t = table(book).begin().move("f5").rule("award", winner="white")
    assert (t.report["reason"], t.score) == ("awarded", (0, 64))
    t = table(book).begin().rule("award", winner="black", score={"black": 33, "white": 31})
    assert t.score == (33, 31)
    t = table(book).begin().rule("award", winner="black", score={"black": 31, "white": 33})
    assert t.state is State.RUNNING and t.refusals
    t = table(book).begin().rule("draw")
    assert (t.report["reason"], t.score, t.report["winner"]) == ("ruled", (32, 32), None)


@pytest.mark.clause(
    "woc-2019 V.1", "woc-2017 V.1", "woc-classic VI.1", "cc-2024 VI.1", "usoa 9.1", "usoa 10.2"
)
@pytest.mark.parametrize("book", ALL)
def test_every_ruling_is_on_record(table, book):
    t = table(book).begin().rule("adjust_time", player="black", seconds=-10).rule("stop").rule("resume")
    ruled = t.happened("ruling")
    assert [e["rule"] for e in ruled] == ["adjust_time", "stop", "resume"]
    assert ruled[0]["fields"] == {"player": "black", "seconds": -10}


def test_a_refused_ruling_leaves_only_the_refusal(table):
    t = table().begin().rule("corrected")
    assert [e["type"] for e in t.report["incidents"]] == ["refused"]
    refused = t.report["incidents"][0]
    assert (refused["input"], refused["rule"]) == ("ruling", "corrected")
    assert refused["why"]


# --- games whose moves are entered ------------------------------------------------------------------------------


@pytest.mark.parametrize("book", ALL)
def test_moves_entered_late_end_the_game_at_its_last_press(table, book):
    t = table(book, sensors=False, minutes=30).begin()
    for index in range(9):
        t.wait(10).press(BLACK if index % 2 == 0 else WHITE)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1750, 1760)
    for square in ("f5", "d6", "c5", "f6", "e7", "f4", "g5", "e6"):
        t.wait(3).rule("enter_move", square=square)
    t.wait(3000).rule("enter_move", square="e3")
    assert (t.report["reason"], t.score, t.report["transcript"]) == ("board", (64, 0), "f5d6c5f6e7f4g5e6e3")
    assert t.report["flags"] == {"black": 0, "white": 0}, "flags fallen since are given back"
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1750, 1760)


def test_moves_entered_ahead_end_the_game_at_the_press(table):
    t = table(sensors=False).begin()
    for index, square in enumerate(("f5", "d6", "c5", "f6", "e7", "f4", "g5", "e6", "e3")):
        t.wait(5).rule("enter_move", square=square)
        assert t.state is State.RUNNING
        t.wait(5).press(BLACK if index % 2 == 0 else WHITE)
    assert (t.state, t.score) == (State.FINISHED, (64, 0))
    assert t.left_s(BLACK) == 1750


def test_an_entered_move_must_be_legal_and_so_must_a_pass(table):
    t = table(sensors=False).begin().rule("enter_move", square="a1").rule("enter_move", **{"pass": True})
    assert t.refusals == ["not a legal move of black", "black has a legal move and cannot pass"]


def test_with_a_board_nothing_is_entered(table):
    t = table().begin().rule("enter_move", square="f5").rule("enter_score", black=40, white=24)
    assert t.refusals == ["the sensor board reads the moves", "the sensor board counts the discs"]


@pytest.mark.parametrize(("book", "score"), [("woc-2019", (44, 20)), ("usoa", (40, 20))])
def test_the_score_of_a_clock_game_is_entered(table, book, score):
    t = table(book, sensors=False).begin().wait(5).press(BLACK).rule("enter_score", black=40, white=20)
    assert (t.state, t.report["reason"], t.score) == (State.FINISHED, "board", score)


@pytest.mark.clause("woc-2019 IV.6", "woc-2019 IV.8")
def test_an_entered_score_respects_the_guarantee(table):
    t = table(sensors=False).begin().wait(1801).press(BLACK).rule("enter_score", black=50, white=14)
    assert (t.report["reason"], t.score, t.report["winner"]) == ("default", (31, 33), "white")
    assert t.report["board_score"] == {"black": 50, "white": 14}


def test_without_a_judge_both_players_state_the_score(table):
    t = table(sensors=False, judged=False).begin().wait(5).press(BLACK)
    t.line("agree", by="black", black=40, white=24).line("agree", by="white", black=24, white=40)
    assert t.state is State.RUNNING
    t.line("agree", by="white", black=40, white=24)
    assert (t.state, t.score) == (State.FINISHED, (40, 24))
    judged = table(sensors=False).begin().line("agree", by="black", black=40, white=24)
    assert judged.refusals == ["the judge enters the score at this table"]


def test_a_clock_game_can_be_paused_and_goes_on_with_the_right_clock(table):
    t = table(sensors=False).begin().wait(5).press(BLACK).wait(5).rule("stop").wait(50).rule("resume").tick(5)
    assert (t.game.clock.running, t.left_s(WHITE)) == (WHITE, 1790)


def test_positions_and_touches_of_a_table_without_sensors_are_refused(table):
    t = table(sensors=False).begin().touch("f5").show().line("board", state="lost")
    assert len(t.refusals) == 3


# --- rulebooks of a director's own -------------------------------------------------------------------------------


def own_table(table, text: str, **header):
    from flagfall.othello.gamefile import FORMAT, parse_header
    from flagfall.othello.referee import new_game

    t = table(**header)
    line = {"type": "game", "format": FORMAT, "rulebook": "own", "rulebook_text": text, **header}
    t.header = parse_header(line)
    t.game = new_game(t.header)
    return t


POINTED_OUT = 'based_on = "woc-2019"\nid = "own"\n[flag]\ntakes_effect = "pointed_out"\n'


def test_a_default_that_counts_only_once_pointed_out(table):
    t = own_table(table, POINTED_OUT).begin().moves("f5d6c5f6e7f4g5e6").move("e3", 1790)
    assert (t.report["reason"], t.score) == ("default", (64, 0)), "nobody pointed it out"
    t = own_table(table, POINTED_OUT).begin().moves("f5d6c5f6e7f4g5e6").tick(1790)
    t.line("signal", by="black", error="flag").line("signal", by="white", error="flag").move("e3")
    assert t.refusals == ["the flag of white has not fallen"]
    assert (t.report["reason"], t.score) == ("default", (31, 33))


def test_a_flag_that_nobody_has_pointed_out_changes_no_press(table):
    t = own_table(table, POINTED_OUT).begin().tick(1801).move("f5", wrong="e5").press(WHITE)
    assert t.state is State.CORRECTING, "a demand is a demand"
    t = own_table(table, POINTED_OUT).begin().wait(1801).press(BLACK)
    assert [e[0] for e in t.errors] == ["illegal_pass"]
    assert (t.game.to_move, t.game.clock.running) == (WHITE, WHITE)


def test_after_the_end_no_flag_is_pointed_out(table):
    t = own_table(table, POINTED_OUT).begin().moves("f5d6c5f6e7f4g5e6").move("e3", 1790)
    clocks = t.report["clocks_ns"]
    t.line("signal", by="white", error="flag")
    assert (len(t.refusals), t.report["clocks_ns"], t.score) == (1, clocks, (64, 0))


def test_a_draw_decided_by_draw_win_in_the_rulebook(table):
    text = 'based_on = "woc-2019"\nid = "own"\n[score]\ndraw_win = "white"\n'
    t = ended_with(own_table(table, text), _apart(26, 26))
    assert (t.score, t.report["winner"]) == ((32, 32), "white")


@pytest.mark.clause("woc-classic V.5.4")
def test_a_decision_of_the_referee_that_is_overturned_gives_way_and_both_stay_on_record(table):
    t = ended_with(table("woc-classic"), _apart(30, 20)).rule("award", winner="white")
    t.rule("set_score", black=44, white=20)
    assert (t.score, t.report["winner"]) == ((44, 20), "black")
    assert [e["rule"] for e in t.happened("ruling")][-2:] == ["award", "set_score"]


@pytest.mark.clause("woc-2019 V.2.b")
def test_a_score_that_was_changed_and_is_set_back_leaves_the_game_ended_by_the_board(table):
    t = ended_with(table("woc-2019"), _apart(30, 20))
    score = t.score
    t.rule("set_score", black=20, white=44)
    assert t.report["reason"] == "ruled"
    t.rule("set_score", black=score[0], white=score[1], undoes="set_score")
    assert (t.score, t.report["reason"]) == (score, "board")


def test_discs_that_do_not_fit_the_board_are_refused_with_both_numbers(table):
    t = table("woc-2019", sensors=False).begin().rule("enter_score", black=40, white=30)
    assert t.refusals == ["expected 1 to 64 discs together, got 40-30"]


@pytest.mark.parametrize(
    ("book", "black", "white", "refusal"),
    [
        ("woc-2019", 40, 20, "expected a score of 64 discs together, got 40-20"),
        ("woc-2019", 45, 20, "expected a score of 64 discs together, got 45-20"),
        ("usoa", 45, 20, "expected a score of at most 64 discs together, got 45-20"),
        ("usoa", 40, 20, None),
        ("woc-2019", 44, 20, None),
    ],
)
def test_a_score_that_the_director_sets_has_as_many_discs_as_the_text_asks(
    table, book, black, white, refusal
):
    t = ended_with(table(book), _apart(30, 20)).rule("set_score", black=black, white=white)
    assert t.refusals == ([] if refusal is None else [refusal])
    assert (t.score == (black, white)) == (refusal is None)


@pytest.mark.clause("usoa 9.3", "woc-2019 V.2.a")
@pytest.mark.parametrize(
    ("book", "refusal"),
    [
        ("usoa", "no more than half of the time left can be taken away: 15:00.0 (9.3)"),
        ("woc-2019", "no more than the time left can be taken away: 30:00.0"),
    ],
)
def test_a_refused_penalty_names_the_most_that_can_be_taken(table, book, refusal):
    t = table(book, minutes=30).begin().rule("adjust_time", player="white", seconds=-1801)
    assert t.refusals == [refusal]


@pytest.mark.parametrize("fields", [{"player": Side.BLACK}, {"seconds": 5}])
def test_time_without_a_player_or_seconds_is_refused(table, fields):
    t = table("woc-2019").begin().do(Ruling(0, Rule.ADJUST_TIME, **fields))
    assert t.refusals == ["expected a player and seconds"]
