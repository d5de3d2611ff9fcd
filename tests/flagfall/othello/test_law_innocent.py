"""A move or pass that is legal on the board as it lies is no error of its mover, whoever disturbed the board."""

from __future__ import annotations

from random import Random

import pytest
from helpers.many_values import many, tried
from hypothesis import strategies as st

from flagfall.othello.board import Position, parse_square, square_name, squares_of

from .conftest import ENDED_BY_PRESS, Table, TableMaker, turned


def disturb(t: Table, chance: Random) -> None:
    """Before any disc of the mover is down discs are turned, or taken off the board and some put back."""
    stopped = chance.random() < 0.4
    if stopped:
        t.rule("stop")
    discs = chance.sample(list(squares_of(t.shown.occupied)), chance.choice([1, 1, 2]))
    if chance.random() < 0.5:
        t.show(turned(t.shown, sum(1 << disc for disc in discs)))
    else:
        before = t.shown
        t.lift(*(square_name(disc) for disc in discs))
        for disc in discs:
            if chance.random() < 0.4:
                t.wait(1).put(square_name(disc), bool(before.black >> disc & 1) != (chance.random() < 0.2))
    if stopped:
        t.wait(1).rule("resume")


def move(t: Table, square: int, chance: Random) -> None:
    """Touched or not; the new disc first, then the flips at once or one by one in any order."""
    black = t.game.plays_black(t.game.to_move)
    after = t.shown.played(black, square)
    flips = list(squares_of(t.shown.flips(black, square)))
    if chance.random() < 0.5:
        t.touch(square_name(square))
    if chance.random() < 0.5:
        t.show(after)
        return
    t.put(square_name(square), black)
    chance.shuffle(flips)
    for flipped in flips:
        t.show(t.shown.with_squares(1 << flipped, after))


@many(50)
def test_a_move_that_is_legal_on_the_board_as_it_lies_is_never_an_error(examples: int) -> None:
    values = st.tuples(st.sampled_from(ENDED_BY_PRESS), st.booleans(), st.integers(0, 2**32))
    tried(examples, values, lambda drawn: play_disturbed(*drawn))


def play_disturbed(name: str, judged: bool, seed: int) -> None:
    chance = Random(seed)
    t = Table(name, judged=judged, minutes=600).begin()
    moves = 0
    while not t.game.over:
        t.wait(1)
        mover = t.game.to_move
        if chance.random() < 0.15:
            disturb(t, chance)
        legal = list(squares_of(t.shown.legal(t.game.plays_black(mover))))
        if legal:
            move(t, chance.choice(legal), chance)
            moves += 1
        t.wait(1).press(mover)
        assert t.errors == [], t.report["transcript"]
        assert len(t.game.moves) == moves and t.game.before == t.shown


@many(60)
def test_what_a_camera_cannot_read_accuses_nobody(examples: int) -> None:
    values = st.tuples(st.sampled_from(ENDED_BY_PRESS), st.integers(0, 2**32))
    tried(examples, values, lambda drawn: play_hardly_seen(*drawn))


def play_hardly_seen(name: str, seed: int) -> None:
    """Each move is shown once, with squares unread, often the new one; it may be seen whole after the press."""
    chance = Random(seed)
    t = Table(name, minutes=600).begin()
    while not t.game.over:
        t.wait(1)
        mover = t.game.to_move
        black = t.game.plays_black(mover)
        legal = list(squares_of(t.shown.legal(black)))
        if legal:
            square = chance.choice(legal)
            t.shown = t.shown.played(black, square)
            others = chance.sample(range(64), chance.choice([0, 0, 1, 2]))
            unread = {square, *others} if chance.random() < 0.6 else {*others}
            t.unread(*map(square_name, unread))
        elif not t.shown.legal(not black):
            break
        t.wait(1).press(mover)
        if chance.random() < 0.6:
            t.wait(1).show()
        assert t.errors == [], t.report["transcript"]


@pytest.mark.parametrize(
    ("dead", "moves"),
    [
        ("f1 c2 d2 a4 g4", "e6f6f5d6c6g4d3c5g6g5g3f3e3f2e2h7g7b7b4h6e7h4h3c2h5d2e1c4"),
        ("a3 a4 e6", "c4c3d3c5b2f3d6e3b3c2b5c7f5a3e2a2g2g3a1f4g4h3"),
        ("e3 b5 c6", "e6f4f3d6g4e3d2f6c4g2d7d3f2c5f7e7b5b4h1"),
    ],
)
def test_a_move_before_its_press_is_not_taken_for_one_that_is_owed(dead: str, moves: str) -> None:
    """Show the next move before its press where moves are owed, two or the most that are searched: the first was on a
    square that is never read."""
    t = Table(minutes=600).begin()
    for at in range(0, len(moves), 2):
        mover = t.game.to_move
        t.shown = t.shown.played(t.game.plays_black(mover), parse_square(moves[at : at + 2]))
        t.unread(*dead.split()).wait(1).press(mover)
    assert t.errors == []
    assert moves.startswith(t.report["transcript"])


@pytest.mark.parametrize("disc_by_disc", [True, False])
def test_the_square_of_a_disc_taken_off_may_be_played_on(table: TableMaker, disc_by_disc: bool) -> None:
    """e6 is gone, by whomever: on the board as it lies Black may play there."""
    t = table().begin().moves("e6f6").lift("e6").wait(1)
    square = parse_square("e6")
    assert t.shown.legal(True) >> square & 1
    after = t.shown.played(True, square)
    if disc_by_disc:
        t.put("e6", True)
    t.show(after).wait(1).press("black")
    assert t.errors == []
    assert t.game.moves[-1] == square
    assert [incident["squares"] for incident in t.happened("disturbed")] == [["e6"]]


def test_a_disc_put_back_is_no_move(table: TableMaker) -> None:
    t = table().begin().moves("f5d6")
    lying = t.shown
    t.lift("e5").show(lying).wait(1).press("black")
    assert [error[:2] for error in t.errors] == [("illegal_pass", "black")]


@pytest.mark.clause("woc-2019 IV.5.1", "usoa 7.1")
@pytest.mark.parametrize("book", ENDED_BY_PRESS)
@pytest.mark.parametrize("stray", ["a1", "h8"])
def test_a_stray_disc_beside_a_legal_move_is_not_the_move_wherever_it_lies(
    table: TableMaker, book: str, stray: str
) -> None:
    t = table(book, minutes=30).begin().wait(5)
    t.shown = t.shown.played(True, parse_square("f5"))
    t.put(stray, black=True).press("black")
    assert t.errors == [("misflip", "black", (stray,), "open")]
    assert t.report["transcript"] == "f5"


@pytest.mark.clause("usoa 5.9")
@pytest.mark.parametrize("pressed_by", ["black", "white"])
def test_a_fourth_move_before_any_press_is_not_what_the_answer_was_bound_to(
    table: TableMaker, pressed_by: str
) -> None:
    """The answer was laid down without a touch that was told: the next touch of the same player is his next move's."""
    t = table("usoa", minutes=30).begin().place("f5")
    for square, black in (("d6", False), ("c5", True)):
        t.wait(1).show(t.shown.played(black, parse_square(square)))
    t.wait(1).touch("f4").show(t.shown.played(False, parse_square("f4"))).press(pressed_by)
    assert t.errors == [] and t.report["transcript"] == "f5d6c5f4"


@pytest.mark.clause("usoa 5.9", "woc-2019 IV.4")
@pytest.mark.parametrize("wrong", ["d5", "d4", "f5"])
@pytest.mark.parametrize("book", ENDED_BY_PRESS)
def test_what_an_answer_before_the_press_turns_wrongly_is_not_the_movers(
    table: TableMaker, book: str, wrong: str
) -> None:
    t = table(book, minutes=30).begin().place("f5")
    t.wait(1).show(turned(t.shown.played(False, parse_square("f4")), 1 << parse_square(wrong)))
    t.press("black").press("white")
    assert t.errors == [("misflip", "white", (wrong,), "open")]
    assert t.report["transcript"] == "f5f4"


def before_the_fifth_move(book: str) -> Table:
    return Table(book, minutes=30).begin().moves("f5d6c3d3").wait(5)


@pytest.mark.clause("usoa 5.9", "usoa 7.3")
@pytest.mark.parametrize("settles", [True, False])
@pytest.mark.parametrize("pressed_by", ["black", "white"])
@pytest.mark.parametrize("squares", ["b2a1", "b3b2", "f4f3"])
def test_two_improper_colours_without_a_press_between_them_reverse_the_colours(
    squares: str, pressed_by: str, settles: bool
) -> None:
    t = before_the_fifth_move("usoa")
    for square, black in ((squares[:2], False), (squares[2:], True)):
        t.shown = t.shown.played(black, parse_square(square))
        if settles:
            t.show()
    t.show().press(pressed_by)
    assert t.errors == [("wrong_colour", "black", (squares[:2],), "accepted")]
    assert (t.report["colours_reversed"], t.report["transcript"]) == (True, "f5d6c3d3" + squares)
    owned = next(squares_of(t.shown.legal(black=False)))
    t.show(t.shown.played(False, owned)).press("white").press("black")
    assert len(t.errors) == 1 and t.report["moves"] == 7, "the white discs are Black's from now on"


@pytest.mark.clause("usoa 5.9", "usoa 7.1", "woc-2019 IV.5.2")
@pytest.mark.parametrize("book", ENDED_BY_PRESS)
@pytest.mark.parametrize(("wrong", "answer"), [("c3", "c1"), ("c3", "e3"), ("d3", "b1"), ("e4", "g6")])
def test_an_answer_that_only_the_misflip_allows_is_legal_before_the_press_too(
    book: str, wrong: str, answer: str
) -> None:
    t = before_the_fifth_move(book)
    t.shown = t.shown.played(True, parse_square("c2"))
    t.turn(wrong).wait(1).show(t.shown.played(False, parse_square(answer))).press("black").press("white")
    assert t.errors == [("misflip", "black", (wrong,), "accepted")]
    assert t.report["transcript"] == "f5d6c3d3c2" + answer


@pytest.mark.clause("woc-2019 IV.5.2", "usoa 7.1")
@pytest.mark.parametrize("book", ENDED_BY_PRESS)
def test_a_disc_turned_over_after_a_touch_and_put_back_is_nobodys_error(table: TableMaker, book: str) -> None:
    t = table(book, minutes=30).begin().move("f5").wait(1).touch("c4", "hand").wait(1).turn("d5")
    t.shown = turned(t.shown, 1 << parse_square("d5"))  # while his hand hides the board
    t.move("f4")
    assert (t.errors, t.report["transcript"]) == ([], "f5f4")


@pytest.mark.clause("usoa 5.9", "woc-2019 IV.4")
@pytest.mark.parametrize("book", ENDED_BY_PRESS)
def test_an_illegal_disc_beside_a_whole_move_is_nobodys_until_somebody_speaks_of_it(
    table: TableMaker, book: str
) -> None:
    """It came down in Black's turn: White never answers for it, and a press back is a demand."""
    t = table(book, minutes=30).begin().place("f5").wait(1).put("a1", black=False).press("black")
    assert (t.errors, t.report["transcript"]) == ([], "f5")
    t.press("white")
    assert t.errors == [("misflip", "black", ("a1",), "correcting")]
    assert t.report["transcript"] == "f5"
    t = table(book, minutes=30).begin().place("f5").wait(1).put("a1", black=False).press("black")
    t.lift("a1").move("d6")
    assert (t.errors, t.report["transcript"]) == ([], "f5d6")


def lay_down(t: Table, black: bool, kind: str, chance: Random) -> str | None:
    """Lay a move on the board, right or wrong in this way; return its square, None if there is none."""
    legal, other = t.shown.legal(black), t.shown.legal(not black)
    squares = {"wrong_colour": other, "illegal_move": t.shown.empty & ~legal}.get(kind, legal)
    if not squares:
        return None
    square = chance.choice(list(squares_of(squares)))
    if kind == "illegal_move":
        after = t.shown.with_squares(
            1 << square, Position(black * (1 << square), (not black) * (1 << square))
        )
    else:
        after = t.shown.played(black != (kind == "wrong_colour"), square)
    if kind == "misflip":
        flips = t.shown.flips(black, square)
        # A disc for which nothing at all is flipped is no answer that anybody could tell from a disc too many.
        spared = 1 << square | (flips if flips.bit_count() == 1 else 0)
        after = turned(after, 1 << chance.choice(list(squares_of(after.occupied & ~spared))))
    t.wait(1).show(after)
    return square_name(square)


@pytest.mark.clause("usoa 5.9", "woc-2019 IV.4")
@many(50)
def test_an_error_among_three_moves_before_a_press_is_its_makers(examples: int) -> None:
    kinds = st.sampled_from(["misflip", "wrong_colour", "illegal_move"])
    values = st.tuples(
        st.sampled_from(ENDED_BY_PRESS), st.integers(0, 12), st.integers(0, 2), kinds, st.integers(0, 2**32)
    )

    def play_three(drawn: tuple[str, int, int, str, int]) -> None:
        book, begun, wrong_at, kind, seed = drawn
        chance, t = Random(seed), Table(book, minutes=600).begin()
        for _ in range(begun):
            if not t.game.legal(t.game.to_move):
                return
            move(t, chance.choice(list(squares_of(t.game.legal(t.game.to_move)))), chance)
            t.press(t.game.to_move)
        first = t.game.to_move
        for number in range(3):
            side = first if number % 2 == 0 else first.other
            if lay_down(t, side == "black", kind if number == wrong_at else "right", chance) is None:
                return
        t.press(first)
        # A second disc that makes no legal answer is laid in the first one's turn: only his colour and press are known.
        maker = first if wrong_at != 1 or kind != "misflip" else first.other
        assert {by for _, by, _, _ in t.errors} <= {maker}

    tried(examples, values, play_three)


@pytest.mark.clause("woc-2019 IV.5.2", "usoa 7.1")
@pytest.mark.parametrize("book", ENDED_BY_PRESS)
def test_a_move_legal_on_the_board_as_it_lay_is_not_illegal_by_what_he_turned_back(
    table: TableMaker, book: str
) -> None:
    t = table(book, minutes=30).begin().move("c4", wrong="e4 d5")
    # On the corrected board d3 would flip nothing; White turns d5 back as he flips d4.
    t.wait(5).put("d3", False).turn("d4", "d5").press("white")
    assert t.errors[1:] == [("misflip", "white", ("d5",), "open")]


@pytest.mark.clause("woc-2019 IV.4", "woc-2019 IV.5.2", "usoa 3.8")
@pytest.mark.parametrize("touches_again", [True, False])
@pytest.mark.parametrize("book", ENDED_BY_PRESS)
def test_who_is_bound_by_a_move_taken_back_is_not_accused_of_what_others_turned_since(
    table: TableMaker, book: str, touches_again: bool
) -> None:
    t = table(book, minutes=30).begin().moves("f5d6")
    lay = t.shown
    t.touch("c3").move("c5").rule("correct_error").show(lay).rule("corrected")
    t.wait(1).turn("f5").wait(1)
    if touches_again:
        t.touch("c3")
    t.show(t.shown.played(True, parse_square("c3"))).wait(1).press("black")
    assert t.errors == [("touched_elsewhere", "black", ("c3",), "corrected")]
    assert [incident["squares"] for incident in t.happened("disturbed")] == [["f5"]]


@pytest.mark.clause("woc-2019 IV.4", "usoa 3.8")
def test_a_square_binds_only_while_it_is_legal(table: TableMaker) -> None:
    t = table().begin()
    start = t.shown
    t.touch("d3").move("f5").rule("correct_error").show(start).rule("corrected")
    # Somebody turns d4: Black has no move to d3 any more.
    t.wait(1).turn("d4").wait(1).move("f5")
    assert t.errors == [("touched_elsewhere", "black", ("d3",), "corrected")]
