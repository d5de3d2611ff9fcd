"""Errors, hands that mend, demands, rulings, moves entered, a board that comes and goes: in any order, with and without
sensors.

Whatever happened, clocks can be put in order and the game played to an end whose score is that of its position.
"""

from __future__ import annotations

from random import Random

from helpers.many_values import many, tried
from hypothesis import strategies as st

from flagfall.othello.board import Position, format_position, square_name, squares_of
from flagfall.othello.game import Game, State
from flagfall.othello.inputs import ErrorKind
from flagfall.othello.judging.score import count, settled
from flagfall.othello.side import Side

from .conftest import ENDED_BY_PRESS, Table
from .test_law_last_move import make, to_a_move

STEPS = [
    "mend",
    "take back",
    "spoil",
    "sweep",
    "touch",
    "demand",
    "press",
    "uphold",
    "retract",
    "corrected",
    "dismiss",
    "unintentional",
    "power",
    "board lost",
    "board back",
    "enter",
    "enter anywhere",
]
RULES = {
    "uphold": "correct_error",
    "retract": "retract",
    "corrected": "corrected",
    "dismiss": "dismiss_error",
    "unintentional": "unintentional_touch",
}


def entry(game: Game) -> list[dict[str, object]]:
    """Return the next move for `enter_move`."""
    side = game.to_move if game.owed % 2 == 0 else game.to_move.other
    return [{"square": square_name(square)} for square in squares_of(game.legal(side))] or [{"pass": True}]


def step(
    t: Table, action: str, *, kind: ErrorKind, square: int, lies: dict[str, Position], chance: Random
) -> None:
    offender = t.game.last.by if t.game.last is not None else t.game.to_move.other
    match action:
        case "mend" | "take back" | "spoil" | "sweep":
            if action != "sweep" or t.state is not State.RUNNING:
                # Players clear the board when they think that the game is over.
                t.show(lies[action])
        case "touch":
            t.touch(square_name(chance.randrange(64)))
        case "demand":
            t.line("signal", by=str(offender.other), error=str(kind), square=square_name(square))
        case "press":
            t.press(chance.choice(list(Side)))
        case "power":
            t.line("power", state="back", uncertain_ns=5).rule("resume")
        case "board lost":
            t.line("board", state="lost")
        case "board back":
            t.line("board", state="ok").show()
        case "enter":
            t.rule("enter_move", **chance.choice(entry(t.game)))
        case "enter anywhere":
            t.rule("enter_move", square=square_name(chance.randrange(64)))
        case "retract":
            t.rule("retract", player=str(offender))
        case "uphold":
            t.rule("correct_error", **({"error": str(kind)} if chance.random() < 0.3 else {}))
        case _:
            t.rule(RULES[action])


def put_in_order(t: Table, chance: Random) -> None:
    """Let the clocks run, unless the game is over, over a board that lies as the record has it, with no move owed."""
    if t.game.correction is not None:
        t.rule("dismiss_error" if chance.random() < 0.5 else "corrected")
    if t.state is State.STOPPED:
        t.rule("resume")
    while t.game.owed > 0 and not t.game.over:
        t.rule("enter_move", **chance.choice(entry(t.game)))
    if not t.game.board_ok:
        t.line("board", state="ok")
        if not t.game.over:
            t.show(t.game.before)


def play_out(t: Table, chance: Random) -> None:
    for _ in range(200):
        if t.game.over:
            return
        if t.state is State.CORRECTING:
            t.rule("corrected")  # a press without a move was a demand
            continue
        running = t.game.clock.running
        assert t.state is State.RUNNING and running is not None
        t.wait(1)
        if not t.game.reads_board:
            if t.game.owed >= 0:
                t.rule("enter_move", **chance.choice(entry(t.game)))
        elif running is t.game.to_move:
            t.show(t.game.before)
            legal = list(squares_of(t.game.before.legal(t.game.plays_black(running))))
            if legal:
                t.show(t.game.before.played(t.game.plays_black(running), chance.choice(legal)))
        if not t.game.over:
            t.press(running)
    raise AssertionError("presses and legal moves end every game")


def to_an_entered_move(t: Table, chance: Random, last: bool) -> int | None:
    """Do the same as `to_a_move` where no sensors read."""
    stop_at = chance.randrange(50)
    for plies in range(200):
        mover = t.game.to_move
        black = t.game.plays_black(mover)
        choice = chance.choice(entry(t.game))
        square = next(squares_of(t.game.before.legal(black)), None)
        if "square" in choice:
            square = next(number for number in range(64) if square_name(number) == choice["square"])
            ends = t.game.before.played(black, square).over()
            if ends if last else plies >= stop_at and not ends:
                return square
        first, second = chance.choice([("press", "enter"), ("enter", "press")])
        for action in (first, second):
            if action == "press":
                t.wait(1).press(mover)
            else:
                t.rule("enter_move", **choice)
        if t.game.over:
            return None
    raise AssertionError("no end")


def after_any_steps(
    *, seed: int, name: str, judged: bool, sensors: bool, last: bool, kind: ErrorKind, steps: list[str]
) -> None:
    chance = Random(seed)
    t = Table(name, judged=judged, sensors=sensors, minutes=600).begin()
    square = (to_a_move if sensors else to_an_entered_move)(t, chance, last)
    if square is None:
        return
    before, offender = t.game.before, t.game.to_move
    after = before.played(t.game.plays_black(offender), square)
    if sensors:
        make(t, kind, square, chance)
    else:
        t.wait(1).press(offender).rule("enter_move", square=square_name(square))
    lies = {"mend": after, "take back": before, "spoil": t.shown, "sweep": Position(0, 0)}
    for action in steps:
        step(t.wait(1), action, kind=kind, square=square, lies=lies, chance=chance)
        assert t.game.trays.black + t.game.trays.white + len(t.game.moves) == 60
    mended = sensors and kind is ErrorKind.MISFLIP and t.shown == after
    if t.game.over and mended and not {"dismiss", "board lost", "enter"} & set(steps):
        # Put right by hand, whether anybody spoke or not.
        assert t.report["position"] == format_position(after)
    put_in_order(t, chance)
    play_out(t, chance)
    lies_at_the_end = t.game.shown.known_through(t.game.before)
    discs = count(lies_at_the_end)
    if t.game.colours_reversed:
        discs = discs[::-1]
    assert t.score == settled(discs, t.game.rules)
    assert t.report["position"] == format_position(lies_at_the_end)


@many(50)
def test_after_any_steps_the_score_is_that_of_the_position_the_record_ends_with(examples: int) -> None:
    values = st.fixed_dictionaries(
        {
            "seed": st.integers(0, 2**32),
            "name": st.sampled_from(ENDED_BY_PRESS),
            "judged": st.booleans(),
            "sensors": st.sampled_from([True, True, False]),
            "last": st.booleans(),
            "kind": st.sampled_from(ErrorKind),
            "steps": st.lists(st.sampled_from(STEPS), max_size=10),
        }
    )
    tried(examples, values, lambda drawn: after_any_steps(**drawn))
