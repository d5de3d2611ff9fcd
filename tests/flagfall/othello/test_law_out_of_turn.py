"""Moving out of turn: an error that the opponent has put right, found by the board or named (jof J5)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from helpers.many_values import many, tried
from hypothesis import strategies as st

from flagfall.othello.board import Position, format_position, square_name, squares_of
from flagfall.othello.game import Game, IncidentType, State
from flagfall.othello.gamefile import format_game, parse_game
from flagfall.othello.inputs import ErrorKind
from flagfall.othello.judging.errors.kinds import error_kinds
from flagfall.othello.referee import replay
from flagfall.othello.rulebook import BUILT_IN, rulebook
from flagfall.othello.side import Side

from .conftest import ALL, BLACK, WHITE, Table, japanese

pytestmark = pytest.mark.clause("jof J5")


def jof(**header: Any) -> Table:
    return Table("jof", **{"judged": False, **header})


def to_whites_turn(**header: Any) -> Table:
    """Black has opened with f5; White's clock runs, and White may play d6, f4 and f6. Black's moves would be c4, d3, e6
    and others."""
    return jof(**header).begin().move("f5", 10).wait(3)


def blacks(t: Table, both: bool = False) -> str:
    """Return a square where Black, but not White, could play; or one of both."""
    black, white = t.shown.legal(True), t.shown.legal(False)
    return square_name(next(squares_of(black & white if both else black & ~white)))


def lying(t: Table) -> str:
    return str(t.report["position"])


@pytest.mark.parametrize("touched", [True, False])
def test_a_move_on_the_others_time_is_taken_off_on_its_players_time(touched: bool) -> None:
    t = to_whites_turn()
    before, square = t.shown, blacks(t)
    if touched:
        t.place(square, by=BLACK)
    else:
        t.show(before.played(True, next(squares_of(before.legal(True) & ~before.legal(False)))))
    assert t.errors == [], "nobody is told before somebody speaks"
    t.wait(4).press(WHITE)
    assert t.errors == [("out_of_turn", "black", (square,), "correcting")]
    assert (t.report["running"], t.report["to_move"]) == ("black", "white")
    t.wait(5).show(before).press(BLACK)
    assert (t.report["state"], t.report["running"], t.report["to_move"]) == ("running", "white", "white")
    assert t.errors == [("out_of_turn", "black", (square,), "corrected")]
    t.move("d6", 2)
    assert t.report["transcript"] == "f5d6" and len(t.errors) == 1
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (20 * 60 - 15, 20 * 60 - 9)


def test_white_who_moves_first_takes_it_back_too() -> None:
    t = jof().begin().wait(2)
    start = t.shown
    t.place(a_move_of(start, False), by=WHITE)
    t.press(BLACK)
    assert [error[:2] for error in t.errors] == [("out_of_turn", "white")]
    assert (t.report["running"], t.report["to_move"]) == ("white", "black")
    t.show(start).press(WHITE).move("f5")
    assert t.report["transcript"] == "f5" and [error[3] for error in t.errors] == ["corrected"]
    assert not t.happened("wrong_start")


def a_move_of(position: Position, black: bool) -> str:
    return square_name(next(squares_of(position.legal(black))))


def test_the_first_flip_shows_whose_disc_it_is() -> None:
    # A square of both: Black's disc lies there, with none, then one of Black's flips.
    t = jof().begin().moves("f5d6c5f4e3")
    square = blacks(t, both=True)
    bit = next(squares_of(t.shown.legal(True) & t.shown.legal(False)))
    flips = t.shown.flips(True, bit)
    t.put(square, True)
    alone = Table("jof", judged=False).begin().moves("f5d6c5f4e3").put(square, True).press(WHITE)
    assert alone.errors[0][:2] == ("wrong_colour", "white"), "it could be White's own, the wrong way up"
    t.turn(square_name(next(squares_of(flips)))).press(WHITE)
    assert t.errors == [("out_of_turn", "black", (square,), "correcting")]


def test_who_moves_on_accepts_it() -> None:
    t = jof().begin().moves("f5d6c5f4e3")
    t.place(blacks(t), by=BLACK)
    reply = a_move_of(t.shown, False)
    t.move(reply, 5)
    assert [(error[0], error[1], error[3]) for error in t.errors] == [("out_of_turn", "black", "accepted")]
    assert t.report["transcript"] == "f5d6c5f4e3" + reply and t.report["to_move"] == "black"
    assert lying(t) == format_position(t.shown)
    assert not t.happened("disturbed") and not t.happened("moved_on_opponents_time")


def test_a_touch_of_ones_own_accepts_it_as_well() -> None:
    t = jof().begin().moves("f5d6c5f4e3")
    t.place(blacks(t), by=BLACK)
    t.touch(a_move_of(t.shown, False), "hand").line("signal", by="white", error="out_of_turn")
    assert t.report["state"] == "running" and [error[3] for error in t.errors] == ["accepted"]
    assert len(t.refusals) == 1


def test_the_touch_of_the_move_out_of_turn_binds_nobody() -> None:
    # Of a square that both may play, the board tells the touch of the player whose clock runs.
    t = jof().begin().moves("f5d6c5f4e3")
    before, square = t.shown, blacks(t, both=True)
    t.place(square, by=BLACK).press(WHITE).show(before).press(BLACK)
    other = next(name for name in map(square_name, squares_of(before.legal(False))) if name != square)
    t.move(other)
    assert t.report["transcript"] == "f5d6c5f4e3" + other
    assert [error[:2] for error in t.errors] == [("out_of_turn", "black")]


def test_a_player_stays_bound_by_their_own_touch() -> None:
    t = to_whites_turn().touch("f6", "hand")
    before = t.shown
    t.show(before.played(True, next(squares_of(before.legal(True) & ~before.legal(False)))))
    t.press(WHITE).show(before).press(BLACK).move("d6")
    assert [(error[0], error[1]) for error in t.errors] == [
        ("out_of_turn", "black"),
        ("touched_elsewhere", "white"),
    ]


def test_a_board_that_is_still_wrong_can_be_demanded_again() -> None:
    t = to_whites_turn()
    before = t.shown
    t.place(blacks(t), by=BLACK).press(WHITE).press(BLACK)
    assert [error[3] for error in t.errors] == ["open"] and t.report["running"] == "white"
    t.press(WHITE).show(before).press(BLACK).move("d6")
    assert t.report["transcript"] == "f5d6" and [error[3] for error in t.errors] == ["corrected"]


def test_taken_off_by_hand_it_is_forgotten() -> None:
    t = to_whites_turn()
    before = t.shown
    t.place(blacks(t), by=BLACK).show(before).move("d6")
    assert t.report["transcript"] == "f5d6" and t.errors == []


# A second move in one's own turn, as if the opponent had had to pass.


@pytest.mark.parametrize("named", [True, False])
def test_a_second_move_in_one_turn_is_taken_off_and_the_first_stands(named: bool) -> None:
    t = jof().begin().wait(5).place("f5")
    after = t.shown
    second = a_move_of(after, True)
    t.place(second, by=BLACK).press(BLACK)
    assert t.errors == [("out_of_turn", "black", (second,), "open")]
    if named:
        t.line("signal", by="white", error="out_of_turn", square=second)
    else:
        t.press(WHITE)
    assert (t.report["running"], t.report["to_move"]) == ("black", "white")
    t.show(after).press(BLACK).move("d6")
    assert t.report["transcript"] == "f5d6" and [error[3] for error in t.errors] == ["corrected"]


@pytest.mark.parametrize("name", ["illegal_move", "misflip", "wrong_colour"])
def test_a_disc_too_many_is_called_by_any_name_that_fits(name: str) -> None:
    t = jof().begin().place("f5")
    t.place(a_move_of(t.shown, True), by=BLACK).press(BLACK).line("signal", by="white", error=name)
    assert t.report["state"] == "correcting" and t.errors[0][0] == "out_of_turn"


@pytest.mark.clause("jof J8")
def test_the_next_move_after_a_pass_that_is_due_is_none() -> None:
    skip = "XO-" + "-" * 53 + "XO-" + "-" * 5
    t = jof().set_up(skip, BLACK).place("c1", by=BLACK).place("c8", by=BLACK).press(BLACK)
    assert t.report["transcript"] == "c1c8" and not t.errors


# Named by people.


@pytest.mark.parametrize("moved", [True, False])
def test_without_a_board_the_opponent_names_it(moved: bool) -> None:
    t = jof(sensors=False).begin()
    offender, other = (BLACK, WHITE) if moved else (WHITE, BLACK)
    if moved:
        t.wait(5).press(BLACK)
    t.wait(5).line("signal", by=str(other), error="out_of_turn")
    assert (t.report["state"], t.report["running"]) == ("correcting", str(offender))
    t.wait(5).press(offender)
    assert (t.report["state"], t.report["running"], t.report["to_move"]) == ("running", other, other)
    assert [(error[0], error[1], error[3]) for error in t.errors] == [
        ("out_of_turn", str(offender), "corrected")
    ]


def test_a_judge_enters_it_and_ends_the_correction() -> None:
    t = to_whites_turn(judged=True)
    before = t.shown
    t.place(blacks(t), by=BLACK).rule("correct_error", error="out_of_turn")
    assert (t.report["state"], t.report["running"]) == ("correcting", "black")
    t.show(before).rule("corrected")
    assert (t.report["running"], [error[3] for error in t.errors]) == ("white", ["corrected"])
    assert lying(t) == format_position(before)


def test_a_judge_may_let_it_stand() -> None:
    t = to_whites_turn(judged=True)
    t.place(blacks(t), by=BLACK).press(WHITE).rule("dismiss_error")
    assert (t.report["running"], [error[3] for error in t.errors]) == ("white", ["dismissed"])
    assert lying(t) == format_position(t.shown)


@pytest.mark.parametrize("book", ALL)
def test_the_other_texts_behave_as_before(book: str) -> None:
    t = Table(book, judged=False, minutes=30).begin().move("f5", 10)
    t.place(blacks(t), by=BLACK).line("signal", by="white", error="out_of_turn")
    assert t.refusals == [f"moving out of turn is no error to be put right under {book}"]
    t.press(WHITE)
    assert ErrorKind.OUT_OF_TURN not in {error[0] for error in t.errors}
    t.rule("correct_error", error="out_of_turn")
    assert len(t.refusals) == 2


def test_the_switch_decides_and_not_the_text() -> None:
    assert {name for name in BUILT_IN if ErrorKind.OUT_OF_TURN in error_kinds(rulebook(name))} == {"jof"}
    rules = japanese(**{"": {"out_of_turn": "corrected"}}).replace(
        "[flag]", '[flag]\nbyoyomi_error = "flag"', 1
    )
    t = Table("japanese", rulebook_text=rules, judged=False).begin().move("f5")
    t.place(blacks(t), by=BLACK).press(WHITE)
    assert [error[0] for error in t.errors] == ["out_of_turn"]


# Self-play: errors are the winner's, whatever the colour.


@pytest.mark.clause("jof J15")
def test_in_self_play_the_loser_points_it_out() -> None:
    t = jof(minutes=1).begin().move("f5", 5).tick(61).line("claim_flag", by="black")
    t.line("default_choice", by="black", choice="self_play")
    before = t.shown
    t.wait(1).place(blacks(t), by=BLACK).line("signal", by="white", error="out_of_turn")
    assert [(error[0], error[1], error[3]) for error in t.errors] == [("out_of_turn", "black", "correcting")]
    t.show(before).press(BLACK)
    assert (t.report["state"], t.report["to_move"], t.report["running"]) == ("running", "white", "black")


# In any order.

_STEPS = [
    "out of turn",
    "half",
    "take off",
    "second",
    "press",
    "touch",
    "name",
    "rule",
    "end",
    "board",
    "stop",
    "move",
]


def _step(t: Table, action: str, chance: Random) -> None:
    game: Game = t.game
    mover = game.to_move
    theirs = list(squares_of(t.shown.legal(not game.plays_black(mover))))
    match action:
        case "out of turn" if theirs:
            t.place(square_name(chance.choice(theirs)), by=mover.other)
        case "half" if theirs:
            t.put(square_name(chance.choice(theirs)), not game.plays_black(mover))
        case "take off":
            t.show(game.last.right if game.last is not None else game.start)
        case "second":
            mine = list(squares_of(t.shown.legal(game.plays_black(mover))))
            for square in mine[:2]:
                t.place(square_name(square), by=mover)
        case "press":
            t.press(chance.choice(list(Side)))
        case "touch":
            t.touch(square_name(chance.randrange(64)), chance.choice(["disc", "hand", "dropped"]))
        case "name":
            t.line("signal", by=chance.choice(list(Side)), error=chance.choice([*error_kinds(game.rules)]))
        case "rule":
            rule = chance.choice(["correct_error", "unintentional_touch", "retract"])
            t.rule(rule, **({"error": "out_of_turn"} if rule == "correct_error" else {}))
        case "end":
            t.rule(chance.choice(["corrected", "dismiss_error"]))
        case "board":
            t.line("board", state="lost").line("board", state="ok").show()
        case "stop":
            t.rule("stop").rule("resume")
        case "move" if t.state is State.RUNNING and t.shown.legal(game.plays_black(mover)):
            t.move(square_name(next(squares_of(t.shown.legal(game.plays_black(mover))))))
        case _:
            t.tick(1)


def in_any_order(seed: int, judged: bool, sensors: bool, steps: list[str]) -> None:
    chance = Random(seed)
    t = jof(judged=judged, sensors=sensors).begin()
    for action in steps:
        _step(t.wait(1), action, chance)
        assert t.game.trays.black + t.game.trays.white + len(t.game.moves) == 60
        for incident in t.game.incidents:
            assert incident.type is not IncidentType.OUT_OF_TURN or incident.state is not None
    read = parse_game(format_game(t.header, t.lines))
    assert replay(*read) == t.game
    if t.game.correction is not None:
        t.rule("corrected")
    t.rule("set_position", squares=format_position(t.game.start), to_move="black").rule("resume")
    t.shown = t.game.shown
    t.move("f5")
    assert t.game.over or t.report["transcript"].endswith("f5") or not sensors


def test_a_disc_too_many_at_the_start_may_lie_on_the_only_board_that_a_turn_began_with() -> None:
    """Found by the test below in a night: the judge had no board left to read the turn from, and ended."""
    steps = ["take off", "second", "press", "board", "second", "press", "touch", "press"]
    for judged in (False, True):
        in_any_order(2_836_719, judged, True, steps)


@many(50)
def test_whatever_comes_in_whatever_order_the_game_goes_on_and_its_file_gives_it_again(examples: int) -> None:
    values = st.fixed_dictionaries(
        {
            "seed": st.integers(0, 2**32),
            "judged": st.booleans(),
            "sensors": st.sampled_from([True, True, True, False]),
            "steps": st.lists(st.sampled_from(_STEPS), max_size=14),
        }
    )
    tried(examples, values, lambda drawn: in_any_order(**drawn))
