"""Play alone is judged as other play: what lies there counts first, and what is no move does not count (jof J15)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from helpers.many_values import many, tried
from hypothesis import strategies as st

from flagfall.othello.board import FULL, Position, square_name, squares_of
from flagfall.othello.gamefile import format_game, parse_game, parse_input
from flagfall.othello.judging.score import alone, count, discs_of
from flagfall.othello.referee import replay

from .conftest import BLACK, WHITE, Table, turned

pytestmark = pytest.mark.clause("jof J15")

FIVE = "f5d6c5f4d3"


def white_lost(**header: Any) -> Table:
    """Five moves are made, and White's flag is down."""
    t = Table("jof", **{"judged": False, "minutes": 1, **header}).begin().moves(FIVE, 1)
    return t.tick(t.header.minutes * 60 + 1)


def by_black(**header: Any) -> Table:
    """Let Black, who has won by default, play both colours. White is to move, and Black's clock runs."""
    t = white_lost(**header).line("claim_flag", by="black")
    return t.line("default_choice", by="black", choice="self_play").wait(1)


def legal(t: Table) -> str:
    return square_name(next(squares_of(t.game.legal(t.game.to_move))))


def all_black(t: Table) -> Table:
    """Turn every disc to black, without any move."""
    return t.show(Position(t.shown.occupied, 0))


def faults(t: Table) -> dict[str, Callable[[], Table]]:
    """Return what the player who plays alone may do wrong in the next turn, by the error that it is."""
    square = legal(t)
    right = t.shown.played(t.game.plays_black(t.game.to_move), _number(square))
    flip = square_name(next(squares_of(right.occupied & t.shown.occupied & right.differences(t.shown))))
    other = square_name(next(squares_of(right.occupied & t.shown.occupied & ~right.differences(t.shown))))
    empty = next(squares_of(t.shown.empty & ~t.game.legal(WHITE) & ~t.game.legal(BLACK)))
    return {
        "forgotten": lambda: t.place(square, wrong=flip),
        "too many": lambda: t.place(square, wrong=other),
        "none flipped": lambda: t.touch(square).put(square, t.game.plays_black(t.game.to_move)),
        "turned": lambda: all_black(t),
        "illegal": lambda: t.put(square_name(empty), t.game.plays_black(t.game.to_move)),
        "wrong colour": lambda: t.touch(square).put(square, not t.game.plays_black(t.game.to_move)),
        "out of turn": lambda: t.place(square_name(next(squares_of(t.game.legal(BLACK)))), by=BLACK),
    }


def _number(square: str) -> int:
    return "abcdefgh".index(square[0]) + 8 * (int(square[1]) - 1)


FAULTS = ["forgotten", "too many", "none flipped", "turned", "illegal", "wrong colour", "out of turn"]
SPEAKS: dict[str, Callable[[Table], Table]] = {
    "signal": lambda t: t.line("signal", by="white"),
    "ruling": lambda t: t.rule("correct_error"),
    "ruling while stopped": lambda t: t.rule("stop").rule("correct_error"),
}


@pytest.mark.parametrize("pressed", [False, True])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("speaks", SPEAKS)
def test_a_fault_is_named_before_and_after_a_press(speaks: str, fault: str, pressed: bool) -> None:
    t = by_black()
    before = t.game.before
    faults(t)[fault]()
    if pressed:
        t.press(BLACK)
    SPEAKS[speaks](t)
    assert t.report["state"] == "correcting" and t.report["running"] == "black" and not t.refusals
    assert [(by, state) for _, by, _, state in t.errors] == [("black", "correcting")]
    # Until it is put right nothing of it counts, though their time runs out.
    t.tick(61)
    kind = t.errors[0][0]
    assert t.game.outcome is not None and t.report["state"] == "finished"
    right = t.game.last.right if kind == "misflip" and t.game.last else before
    assert t.score == alone(count(right), BLACK, t.game.rules, stopped=False)


@pytest.mark.parametrize("by_hand", [True, False])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_put_right_is_over_without_a_press(fault: str, by_hand: bool) -> None:
    t = by_black()
    before, square = t.shown, legal(t)
    after = before.played(False, _number(square))
    faults(t)[fault]()
    t.line("signal", by="white").wait(1)
    misflip = fault in ("forgotten", "too many", "none flipped")
    t.show(after if misflip else before)
    if not by_hand:
        t.press(BLACK)
    assert t.report["state"] == "running" and t.report["running"] == "black"
    assert t.report["moves"] == (6 if misflip else 5)
    assert [state for *_, state in t.errors] == ["corrected"]
    t.line("stop_self_play", by="black")
    assert discs_of(t.game) == count(t.shown)
    assert len(t.errors) == 1 and not t.happened("disturbed")


@pytest.mark.parametrize("fault", ["illegal", "wrong colour", "elsewhere"])
def test_a_void_move_made_again_on_the_board_counts_without_a_press(fault: str) -> None:
    t = by_black()
    before, square = t.shown, legal(t)
    if fault == "elsewhere":
        other = square_name(list(squares_of(t.game.legal(WHITE)))[1])
        t.touch(square).place(other, by=WHITE)
    else:
        faults(t)[fault]()
    t.line("signal", by="white").wait(1)
    assert t.report["state"] == "correcting"
    t.show(before.played(False, _number(square)))
    assert t.report["state"] == "running" and t.report["transcript"] == FIVE + square
    assert [state for *_, state in t.errors] == ["corrected"]


@pytest.mark.parametrize("fault", ["turned", "out of turn"])
@pytest.mark.parametrize("ends", ["stop", "time"])
def test_what_is_no_move_does_not_count(fault: str, ends: str) -> None:
    t = by_black()
    lay = t.shown
    faults(t)[fault]()
    t.line("stop_self_play", by="black") if ends == "stop" else t.tick(61)
    assert t.score == alone(count(lay), BLACK, t.game.rules, stopped=True) != (64, 0)
    assert t.report["winner"] == "black" and t.happened("disturbed") and not t.errors
    assert discs_of(t.game) == count(lay)


@pytest.mark.parametrize("how", ["touch", "press", "stopped", "power", "choosing"])
def test_nothing_makes_turned_discs_right(how: str) -> None:
    if how == "choosing":
        t = white_lost().line("claim_flag", by="black")
        lay = t.shown
        all_black(t).line("default_choice", by="black", choice="self_play").show()
    else:
        t = by_black()
        lay, square = t.shown, legal(t)
        if how in ("stopped", "power"):
            t.line("stop", by="black") if how == "stopped" else t.line("power", state="back", uncertain_ns=5)
        all_black(t)
        match how:
            case "touch":
                t.touch(square, "hand").touch(square, "disc")
            case "press":
                t.press(BLACK).press(BLACK)
            case _:
                t.line("ready", by="black").line("ready", by="white").show()
    spoken = replay(t.header, [*t.lines, parse_input_of("signal", t)])
    assert (spoken.state, spoken.clock.running) == ("correcting", BLACK)
    t.line("stop_self_play", by="black")
    assert t.score == alone(count(lay), BLACK, t.game.rules, stopped=True)


def parse_input_of(kind: str, t: Table) -> Any:
    return parse_input({"at_ns": t.now_ns, "type": kind, "by": "white"})


@pytest.mark.parametrize("fault", ["forgotten", "too many"])
def test_a_faulty_move_counts_as_it_lies_until_somebody_speaks_of_it(fault: str) -> None:
    t = by_black()
    faults(t)[fault]()
    t.line("stop_self_play", by="black")
    assert t.report["state"] == "finished" and [error[3] for error in t.errors] == ["open"]
    assert t.report["moves"] == 6
    assert t.score == alone(count(t.shown), BLACK, t.game.rules, stopped=True)
    # Until both have signed it can be put right, by word or by hand.
    right = t.game.last.right if t.game.last else t.shown
    spoken = replay(t.header, [*t.lines, parse_input_of("signal", t)])
    assert spoken.state == "correcting"
    t.show(right).sign()
    assert t.score == alone(count(right), BLACK, t.game.rules, stopped=True) and t.state == "signed"
    assert [error[3] for error in t.errors] == ["corrected"]


@pytest.mark.parametrize("lost_by", ["resign", "forfeit", "beyond_repair"])
@pytest.mark.clause("jof J17")
def test_an_error_counts_however_the_other_has_lost(lost_by: str) -> None:
    t = Table("jof", judged=True, minutes=1).begin().moves(FIVE).rule(lost_by, player="white")
    t.line("default_choice", by="black", choice="self_play").wait(1)
    faults(t)["too many"]()
    t.line("stop_self_play", by="black").line("signal", by="white")
    assert t.report["state"] == "correcting" and not t.refusals


def test_the_next_move_makes_the_one_before_stand_and_the_record_says_so() -> None:
    t = by_black()
    faults(t)["none flipped"]()
    t.wait(1).place(square_name(next(squares_of(t.shown.legal(True)))), by=BLACK)
    assert [(by, state) for _, by, _, state in t.errors] == [("black", "accepted")]
    assert t.report["moves"] == 7
    assert t.line("signal", by="white").refusals == ["no such error stands in the last move"]


def test_an_open_error_of_the_winners_last_move_can_still_be_named() -> None:
    t = Table("jof", judged=False, minutes=1).begin().move("f5", 5, wrong="d4").tick(61)
    t.line("claim_flag", by="black").line("default_choice", by="black", choice="self_play")
    t.line("signal", by="white")
    assert t.report["state"] == "correcting" and t.report["running"] == "black"


@pytest.mark.parametrize("halt", ["stop", "power"])
def test_the_winner_may_stop_alone_while_the_clocks_stand(halt: str) -> None:
    t = by_black()
    t.place(legal(t), by=WHITE).wait(1)
    lay = t.shown
    t.line("stop", by="white") if halt == "stop" else t.line("power", state="back", uncertain_ns=9)
    all_black(t).line("stop_self_play", by="white")
    assert t.refusals == ["only black, who has won by default, chooses"] and t.state == "stopped"
    t.line("stop_self_play", by="black")
    assert t.report["state"] == "finished" and discs_of(t.game) == count(lay)


def test_nobody_stops_alone_where_nobody_plays_alone() -> None:
    t = Table("jof", judged=False).begin().move("f5").line("stop", by="white")
    t.line("stop_self_play", by="black")
    assert t.refusals == ["not while the game is stopped"] and t.state == "stopped"


def test_a_disc_that_was_dropped_is_no_move() -> None:
    t = by_black()
    lay, square = t.shown, legal(t)
    t.touch(square, "dropped").put(square, False).line("stop_self_play", by="black")
    assert discs_of(t.game) == count(lay) and t.report["moves"] == 5 and not t.errors


STEPS = [
    *FAULTS,
    "move",
    "move",
    "move",
    "press",
    "signal",
    "stop",
    "power",
    "mend",
    "touch",
    "resume",
    "rule",
    "lift",
]


def after_any_steps(*, seed: int, steps: list[str], judged: bool, ends: str) -> None:
    chance = Random(seed)
    t = by_black(judged=judged, minutes=5) if seed % 2 else by_black(judged=judged)
    for step in steps:
        if t.game.over:
            break
        t.wait(chance.choice([0.2, 1, 3]))
        mover = t.game.to_move
        options = list(squares_of(t.game.legal(mover)))
        match step:
            case "move" if options and t.shown == t.game.before:
                square = chance.choice(options)
                t.touch(square_name(square)).show(t.shown.played(t.game.plays_black(mover), square))
            case "press":
                t.press(chance.choice([BLACK, WHITE]))
            case "signal":
                t.line("signal", by=chance.choice(["white", "black"]))
            case "stop":
                t.rule("stop") if judged else t.line("stop", by="white")
            case "power":
                t.line("power", state="back", uncertain_ns=7)
            case "mend" if t.game.last is not None:
                t.show(chance.choice([t.game.last.right, t.game.last.before, t.game.before]))
            case "touch":
                t.touch(square_name(chance.randrange(64)), chance.choice(["disc", "hand", "dropped"]))
            case "resume":
                t.rule("resume")
            case "rule":
                t.rule(chance.choice(["correct_error", "dismiss_error", "corrected", "unintentional_touch"]))
            case "lift" if t.shown.occupied:
                t.lift(square_name(chance.choice(list(squares_of(t.shown.occupied)))))
            case _ if step in FAULTS and options and t.shown == t.game.before and t.game.legal(BLACK):
                faults_of = _possible(t)
                if step in faults_of:
                    faults_of[step]()
        assert t.left_s(WHITE) == 0 and t.left_s(BLACK) >= 0 and t.report["flags"] == {"black": 0, "white": 1}
    counted = None
    if not t.game.over:
        if t.report["state"] == "stopped":
            t.rule("resume")
        if t.report["state"] == "correcting":
            t.rule("corrected")
        counted = t.game.before
        # Discs turned without a move never count, whatever came before, but for those that put the last move right.
        bits = chance.randrange(FULL + 1) & t.game.before.occupied
        if t.game.last is not None:
            bits &= ~t.game.last.right.differences(t.game.before)
        t.show(turned(t.game.before, bits))
        t.line("stop_self_play", by="black") if ends == "stop" else t.tick(500)
    assert t.report["state"] == "finished" and t.report["winner"] == "black"
    if ends == "stop" and counted is not None:
        assert discs_of(t.game) == count(counted)
    assert t.score is not None and t.score[0] > t.score[1]
    assert replay(*parse_game(format_game(t.header, t.lines))) == t.game


def _possible(t: Table) -> dict[str, Callable[[], Table]]:
    try:
        return faults(t)
    except StopIteration:
        return {}


@many(60)
def test_in_any_order_play_alone_ends_with_a_position_that_moves_have_made(examples: int) -> None:
    values = st.fixed_dictionaries(
        {
            "seed": st.integers(0, 2**32),
            "steps": st.lists(st.sampled_from(STEPS), max_size=14),
            "judged": st.booleans(),
            "ends": st.sampled_from(["stop", "time"]),
        }
    )
    tried(examples, values, lambda drawn: after_any_steps(**drawn))
