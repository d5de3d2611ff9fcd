"""Presses that were left out: who has moved again has accepted what lies there, and the whole line is on record."""

from __future__ import annotations

import gzip
from pathlib import Path
from random import Random

import pytest
from helpers.many_values import many, tried
from hypothesis import strategies as st

from flagfall.othello.board import START, Position, parse_transcript, square_name, squares_of
from flagfall.othello.game import Awaits, State
from flagfall.othello.judging.score import count, settled
from flagfall.othello.rulebook import BUILT_IN, rulebook
from flagfall.othello.side import Side

from .conftest import BLACK, JUDGED, WHITE, Table, TableMaker, japanese, last_move_wrong

# A club's own rulebook: nothing said of moves on the opponent's time, seconds for each move.
OWN = 'based_on = "woc-2019"\nid = "own"\ntitle = "Own"\nopponents_time = "silent"\nper_move = "increment"\n'
OWN_BOOKS = {"own": OWN, "japanese": japanese()}
EVERY = [*BUILT_IN, *OWN_BOOKS]
EVERY_BOOK = pytest.mark.parametrize("book", EVERY)
FORBIDDEN = [book for book in EVERY if book in OWN_BOOKS or rulebook(book).opponents_time != "allowed"]
NINE = "f5d6c5f6e7f4g5e6e3"
RECORDED = Path(__file__).parents[2] / "data" / "wthor-2019.txt.gz"


def seated(book: str, **header: object) -> Table:
    """Return a game that waits for its start, with time enough."""
    if book in OWN_BOOKS:
        header["rulebook_text"] = OWN_BOOKS[book]
    return Table(book, **{"minutes": 600, **header})


def playing(book: str, **header: object) -> Table:
    return seated(book, **header).begin()


def play(t: Table, transcript: str, left_out: str = "", black: bool = True) -> Table:
    """Make these moves in turn, each with its press but those whose number is in `left_out` ("13")."""
    for number, square in enumerate(transcript[n : n + 2] for n in range(0, len(transcript), 2)):
        side = BLACK if black == (number % 2 == 0) else WHITE
        t.wait(1).place(square, by=side)
        if str(number) not in left_out:
            t.press(side)
    return t


def ended(t: Table) -> bool:
    return t.game.state is State.FINISHED or t.game.awaits is Awaits.ACCEPT_END


@pytest.mark.clause("woc-2019 IV.4", "woc-2019 IV.5.2", "usoa 5.9", "usoa 7.1")
@EVERY_BOOK
@JUDGED
def test_when_the_presser_has_moved_again_the_whole_line_counts(book: str, judged: bool) -> None:
    t = play(playing(book, judged=judged), "f5d6c5", left_out="0")
    assert (t.report["transcript"], t.game.to_move, t.game.clock.running) == ("f5d6c5", WHITE, WHITE)
    assert play(t, "f4", black=False).report["transcript"] == "f5d6c5f4"
    reported = [(e["by"], e["squares"]) for e in t.happened("moved_on_opponents_time")]
    assert (reported, t.errors) == ([("white", ["d6"])] if book in FORBIDDEN else [], [])


@pytest.mark.clause("woc-2019 IV.4", "usoa 5.9")
@EVERY_BOOK
@pytest.mark.parametrize(
    "left_out", ["0", "1", "4", "5", "02", "13", "01", "024", "0123", "6", "7", "67", "57"]
)
def test_forgotten_once_or_more_by_either_side_the_game_ends_with_its_whole_record(
    book: str, left_out: str
) -> None:
    """Nine moves end the game: the presses of the first, of the last but one, and of others between are left out."""
    t = play(playing(book), NINE, left_out)
    for side in (BLACK, WHITE):
        if not ended(t):
            t.wait(1).press(side)
    assert (t.report["transcript"], t.errors, ended(t)) == (NINE, [], True)


@pytest.mark.clause("woc-2019 IV.8", "usoa 4.1")
@EVERY_BOOK
@pytest.mark.parametrize("first", [BLACK, WHITE])
def test_at_the_last_moves_a_press_of_each_is_enough_in_either_order(book: str, first: Side) -> None:
    t = play(playing(book), NINE[:-2], left_out="6")
    # White's answer is the last move here: Black's move before it was not pressed.
    t.rule("stop").rule("set_position", squares="XO" + "-" * 54 + "OX------", to_move="black").rule("resume")
    t.shown = t.game.shown
    t.place("c1", by=BLACK).place("c8", by=WHITE)
    assert not ended(t)
    t.wait(1).press(first)
    assert t.wait(1).press(first.other).report["transcript"].endswith("c1c8") and ended(t)


@pytest.mark.clause("woc-2019 IV.4", "woc-2019 IV.8", "usoa 5.8", "jof J8")
@EVERY_BOOK
def test_the_presses_of_a_pass_are_left_out(book: str) -> None:
    """After Black's c1 White has no move, and Black goes on to c8, the last move."""
    t = playing(book)
    t.rule("stop").rule("set_position", squares="XO-" + "-" * 53 + "XO-" + "-" * 5, to_move="black").rule(
        "resume"
    )
    t.shown = t.game.shown
    t.place("c1", by=BLACK).place("c8", by=BLACK).press(BLACK)
    assert (t.report["transcript"], t.errors, ended(t)) == ("c1c8", [], True)
    assert not t.happened("moved_on_opponents_time")


@pytest.mark.clause("woc-2019 IV.4")
@pytest.mark.parametrize("book", FORBIDDEN)
def test_an_answer_before_the_press_waits_for_its_own(book: str) -> None:
    t = playing(book).place("f5").place("d6", by=WHITE).press(WHITE).press(BLACK)
    assert (t.report["transcript"], t.game.to_move, t.game.clock.running) == ("f5", WHITE, WHITE)
    assert t.press(WHITE).report["transcript"] == "f5d6"
    # So does the last of four.
    t = (
        playing(book)
        .place("f5")
        .place("d6", by=WHITE)
        .place("c5", by=BLACK)
        .place("f4", by=WHITE)
        .press(BLACK)
    )
    assert (t.report["transcript"], t.game.to_move, t.game.clock.running) == ("f5d6c5", WHITE, WHITE)
    assert [e["squares"] for e in t.happened("moved_on_opponents_time")] == [["d6"], ["f4"]]
    assert (t.press(WHITE).report["transcript"], t.errors) == ("f5d6c5f4", [])


@pytest.mark.clause("woc-2019 IV.5.1", "usoa 7.1", "jof J5")
@EVERY_BOOK
@pytest.mark.parametrize("demand", ["press", "signal", "judge"])
@pytest.mark.parametrize("ply", [2, 3])
def test_a_misflip_after_a_forgotten_press_is_found_and_pressed_back(
    book: str, demand: str, ply: int
) -> None:
    """In the very move that catches up with the board (c5), or in the next one."""
    t = playing(book, judged=demand == "judge").place("f5").place("d6", by=WHITE).press(WHITE)
    if ply == 2:
        t.place("c5", by=BLACK, wrong="d4").press(BLACK)
        offender, square = BLACK, "d4"
    else:
        t.place("c5", by=BLACK).press(BLACK).place("f4", by=WHITE, wrong="c5").press(WHITE)
        offender, square = WHITE, "c5"
    assert t.errors == [("misflip", offender, (square,), "open")]
    match demand:
        case "press":
            t.wait(1).press(offender.other)
        case "signal":
            t.line("signal", by=offender.other, error="misflip")
        case _:
            t.rule("correct_error")
    assert (t.state, t.game.clock.running) == (State.CORRECTING, offender)


@pytest.mark.clause("woc-2019 IV.5.2", "usoa 7.1")
@EVERY_BOOK
@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize(
    ("wrong_at", "moves", "wrong"),
    [(0, ("f5", "f4", "f3"), "e5"), (0, ("f5", "d6", "c5"), "e4"), (1, ("f5", "d6", "c3"), "d5"),
     (1, ("f5", "d6", "c5"), "e4")],
)  # fmt: skip
def test_a_misflip_before_the_move_that_catches_up_is_its_makers_and_accepted(
    book: str, wrong_at: int, moves: tuple[str, ...], wrong: str, told: bool
) -> None:
    t = playing(book)
    for number, square in enumerate(moves):
        side = WHITE if number == 1 else BLACK
        if told:
            t.touch(square)
        t.place(square, by=side, wrong=wrong if number == wrong_at else "")
        if number:
            t.press(side)
    maker = BLACK if wrong_at == 0 else WHITE
    assert (t.report["transcript"], t.errors) == ("".join(moves), [("misflip", maker, (wrong,), "accepted")])


@pytest.mark.clause("woc-2019 IV.3", "usoa 3.6")
@EVERY_BOOK
def test_an_illegal_disc_of_the_presser_after_the_answer_is_his_error(book: str) -> None:
    t = playing(book).place("f5").place("d6", by=WHITE).press(WHITE).put("a1", black=True).press(BLACK)
    assert (t.report["transcript"], t.errors) == ("f5d6a1", [("illegal_move", "black", ("a1",), "open")])


@pytest.mark.clause("woc-2019 IV.4", "usoa 5.6")
@EVERY_BOOK
@pytest.mark.parametrize("presser", [BLACK, WHITE])
def test_the_starting_press_and_more_are_left_out(book: str, presser: Side) -> None:
    """The board has seen each disc come down since the signal: they are not left from the game before."""
    t = play(seated(book).line("start"), "f5d6c5", left_out="012")
    assert t.state is State.WAITING
    t.press(presser)
    if presser is WHITE:
        assert t.report["transcript"] == ("f5d6c5" if book == "usoa" else "f5d6")
        t.press(BLACK)
    assert (t.report["transcript"], t.errors, t.happened("wrong_start")) == ("f5d6c5", [], [])


@pytest.mark.clause("woc-2019 IV.6", "usoa 6.2", "jof J15")
@EVERY_BOOK
def test_time_is_charged_to_whose_clock_ran(book: str) -> None:
    t = playing(book, **({"increment_s": 5} if book == "own" else {})).wait(3).place("f5").wait(4)
    t.place("d6", by=WHITE).press(WHITE).wait(5).place("c5", by=BLACK).press(BLACK).wait(2).tick()
    given_s = 5 if book == "own" else 0
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (36_000 - 12 + given_s, 36_000 - 2)


@pytest.mark.clause("woc-2019 IV.6", "jof J15")
@EVERY_BOOK
def test_a_flag_that_falls_meanwhile_falls_on_whose_clock_ran(book: str) -> None:
    t = playing(book, minutes=25).place("f5").place("d6", by=WHITE).tick(25 * 60 + 1)
    t.place("c5", by=BLACK).press(BLACK)
    if t.game.rules.flag.takes_effect == "claimed":
        t.line("claim_flag", by="white")
        assert t.game.awaits is Awaits.DEFAULT_CHOICE, "no hand is at a move that lies there whole"
    assert t.game.falls.of(BLACK) == 1 and t.game.falls.of(WHITE) == 0
    if not t.game.over:
        assert t.report["transcript"] == "f5d6c5" and not t.errors


@pytest.mark.clause("jof J15")
def test_a_claim_does_not_wait_for_moves_that_lie_there_whole(table: TableMaker) -> None:
    t = table("jof", minutes=1).begin().place("f5").place("d6", by=WHITE).tick(61)
    t.line("claim_flag", by="white")
    assert t.game.awaits is Awaits.DEFAULT_CHOICE and t.report["transcript"] == "f5"
    t.line("default_choice", by="white", choice="self_play")
    assert t.report["transcript"] == "f5d6", "what lay there is played"


@pytest.mark.clause("woc-2019 IV.4")
@EVERY_BOOK
def test_a_board_that_comes_back_shows_more_moves_than_presses(book: str) -> None:
    t = playing(book).line("board", state="lost").press(BLACK)
    t.line("board", state="ok").show(t.shown.played(True, 37).played(False, 43).played(True, 34))
    assert (t.report["transcript"], t.game.owed, t.game.to_move, t.errors) == ("f5d6c5", 0, WHITE, [])


def test_a_clock_game_counts_presses_alone(table: TableMaker) -> None:
    t = table("woc-2019", sensors=False).begin().wait(5).press(WHITE).press(BLACK)
    assert (t.game.owed, t.game.clock.running, len(t.happened("press_out_of_turn"))) == (1, WHITE, 1)


def test_a_misflip_of_the_last_move_is_put_right_as_ever(table: TableMaker) -> None:
    t = last_move_wrong(table, "woc-2019", True)
    assert t.press(WHITE).rule("correct_error").state is State.CORRECTING


# --- the property behind it ----------------------------------------------------------------------------------------


def a_game(chance: Random) -> tuple[int, ...]:
    """Return the squares of a recorded game, or of one in which players leave each other few moves, and pass often."""
    if chance.random() < 0.5:
        with gzip.open(RECORDED, "rt", encoding="utf-8") as lines:
            return parse_transcript(chance.choice([line for line in lines if line[0] != "#"]).split()[-1])
    position, black, squares = START, True, list[int]()
    while not position.over():
        if legal := list(squares_of(position.legal(black))):
            fewest = min(position.played(black, square).legal(not black).bit_count() for square in legal)
            few = [s for s in legal if position.played(black, s).legal(not black).bit_count() == fewest]
            squares.append(chance.choice(few if chance.random() < 0.8 else legal))
            position = position.played(black, squares[-1])
        black = not black
    return tuple(squares)


def disc_by_disc(position: Position, after: Position, square: int, chance: Random) -> list[Position]:
    """Return the boards that a move shows: the disc and its flips in any order, or all at once."""
    if chance.random() < 0.5:
        return [after]
    lying, words = position.with_squares(1 << square, after), []
    flips = list(squares_of(position.differences(after) & position.occupied))
    chance.shuffle(flips)
    for flip in flips:
        words.append(lying)
        lying = lying.with_squares(1 << flip, after)
    return [*words, lying]


def with_presses_left_out(drawn: tuple[str, bool, bool, float, int]) -> None:
    """Play a game and leave out presses, also of passes and of the start: then both press once."""
    book, judged, started, left_out, seed = drawn
    chance, t = Random(seed), seated(book, judged=judged).line("start")
    if started:
        t.press(WHITE)
    position, black, laid, movers = START, True, list[int](), list[Side]()
    for square in a_game(chance):
        if not position.legal(black) >> square & 1:
            if chance.random() >= left_out:
                t.wait(1).press(BLACK if black else WHITE)
            black = not black
        if chance.random() < 0.5:
            t.touch(square_name(square))
        after = position.played(black, square)
        for word in disc_by_disc(position, after, square, chance):
            t.wait(1).show(word)
        position = after
        laid.append(square)
        movers.append(BLACK if black else WHITE)
        black = not black
        if chance.random() >= left_out:
            presser, effective = movers[-1], t.game.clock.running is movers[-1]
            t.wait(1).press(presser)
            assert t.errors == [] and t.game.moves == tuple(laid[: len(t.game.moves)])
            if effective:
                assert t.game.moves == tuple(laid), "who has moved and turned the clock has all on record"
    for side in chance.sample([BLACK, WHITE], 2):
        if not ended(t):
            t.wait(1).press(side)
    assert (t.game.moves, t.errors, ended(t)) == (tuple(laid), [], True)
    assert not t.happened("disturbed") and not t.happened("wrong_start")
    if t.score is not None:
        assert t.score == settled(count(position), t.game.rules)


@pytest.mark.clause("woc-2019 IV.4", "woc-2019 IV.5.2", "woc-2019 IV.8", "usoa 5.9", "usoa 4.1", "jof J8")
@many(20)
def test_whatever_presses_are_left_out_the_record_is_whole_once_both_have_pressed(examples: int) -> None:
    shares = st.sampled_from([0.05, 0.2, 0.5, 0.9, 1.0])
    values = st.tuples(st.sampled_from(EVERY), st.booleans(), st.booleans(), shares, st.integers(0, 2**32))
    tried(examples, values, with_presses_left_out)
