"""Honest games at a board whose words come late: nobody is accused, and the score is that of the game.

What the board shows reaches the referee in order, but any time after the presses it belongs to. A press whose board has
not told all up to then is preceded by the loss of the board, as the table does it (docs/decisions/0002-rooms.md).
"""

from __future__ import annotations

from random import Random

import pytest
from helpers.many_values import many, tried
from hypothesis import given, settings
from hypothesis import strategies as st

from flagfall.othello import inputs as i
from flagfall.othello.board import START, Position, parse_square, parse_transcript, squares_of
from flagfall.othello.game import Header, IncidentType, State
from flagfall.othello.judging.score import count, settled
from flagfall.othello.referee import judge, new_game
from flagfall.othello.rulebook import rulebook
from flagfall.othello.side import Side

from .conftest import BLACK, BOOKS, ENDED_BY_PRESS, JUDGED, WHITE

S = 1_000_000_000
INNOCENT = {IncidentType.BOARD_LOST, IncidentType.OUT_OF_DISCS}


def turn_by_turn(position: Position, black: bool, square: int, chance: Random) -> list[Position]:
    """Return the board after each disc of a move: the new one first, then the flips in any order."""
    after, lying = (
        position.played(black, square),
        position.with_squares(1 << square, position.played(black, square)),
    )
    shown = [lying]
    flips = list(squares_of(position.flips(black, square)))
    chance.shuffle(flips)
    for flipped in flips:
        lying = lying.with_squares(1 << flipped, after)
        shown.append(lying)
    assert lying == after
    return shown


class LateBoard:
    """A game whose board has reported everything except `unreported`."""

    def __init__(self, header: Header) -> None:
        self.game = new_game(header)
        self.untold: list[i.Touch | i.Shown] = []
        self.lost = False
        self.at_ns = 0

    def do(self, entry: i.Input) -> None:
        self.game = judge(self.game, entry)

    def says(self, words: int) -> None:
        """Let the board's next reports arrive."""
        reports, self.untold = self.untold[:words], self.untold[words:]
        if reports and self.lost:
            self.lost = False
            self.do(i.BoardState(self.at_ns, True))
        for report in reports:
            self.do(report)

    def press(self, by: Side) -> None:
        if self.untold and not self.lost and self.game.clock.running is not None:
            self.lost = True
            self.do(i.BoardState(self.at_ns, False))
        self.do(i.Press(self.at_ns, by))


@settings(max_examples=20)  # each is a whole game at a simulated table
@given(
    name=st.sampled_from(ENDED_BY_PRESS),
    judged=st.booleans(),
    late=st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]),
    chance=st.randoms(use_true_random=False),
)
def test_an_honest_game_with_late_words_accuses_nobody_and_ends_as_it_was_played(
    name: str, judged: bool, late: float, chance: Random
) -> None:
    board = LateBoard(Header(rulebook(name), 600, judged=judged))
    board.do(i.Start(0))
    board.press(Side.WHITE)
    position, black, moves = START, True, []
    while not position.over():
        board.at_ns += S
        legal = list(squares_of(position.legal(black)))
        if legal:
            square = chance.choice(legal)
            board.untold.append(i.Touch(board.at_ns, square, i.Contact.DISC))
            board.untold += [
                i.Shown(board.at_ns, incident) for incident in turn_by_turn(position, black, square, chance)
            ]
            position = position.played(black, square)
            moves.append(square)
        words = len(board.untold)
        board.says(words if chance.random() >= late else chance.randrange(words + 1))
        board.press(Side.BLACK if black else Side.WHITE)
        black = not black
    while board.untold:
        board.says(chance.randrange(1, len(board.untold) + 1))
    game = board.game
    assert [incident for incident in game.incidents if incident.state is not None] == []
    assert {
        incident.type for incident in game.incidents if incident.type is not IncidentType.REFUSED
    } <= INNOCENT
    assert game.state is State.FINISHED
    assert game.moves == tuple(moves)
    assert game.outcome is not None and game.outcome.score == settled(count(position), game.rules)


@pytest.mark.clause("woc-2019 IV.3", "woc-2019 IV.4", "usoa 5.9")
@JUDGED
@BOOKS
def test_an_answer_of_which_the_disc_alone_seemed_to_come_early_is_its_players_move(table, book, judged):
    t = table(book, judged=judged, minutes=30).begin().place("f5").put("d6", False).press(BLACK)
    t.turn("d5").put("c3", True).press(WHITE).turn("d4").press(BLACK)
    assert (t.errors, t.happened("disturbed"), t.report["transcript"]) == ([], [], "f5d6c3")


@pytest.mark.clause("woc-2019 IV.3", "woc-2019 IV.4")
@JUDGED
@BOOKS
def test_who_flips_for_a_disc_that_seemed_to_come_early_has_made_the_move_whatever_is_turned_since(
    table, book, judged
):
    t = table(book, judged=judged, minutes=30).begin().place("f5").put("d6", False).press(BLACK).turn("d5")
    t.put("c5", True).turn("d5").press(WHITE).press(BLACK)
    assert (t.errors, t.happened("disturbed"), t.report["transcript"]) == ([], [], "f5d6c5")


@pytest.mark.clause("woc-2019 IV.3", "woc-2019 IV.4", "usoa 3.7")
@JUDGED
@BOOKS
def test_a_half_made_answer_to_a_move_that_seemed_to_come_before_a_pass_is_its_players_move(
    table, book, judged
):
    """White has moved before Black presses to pass, and Black has half moved before White presses."""
    t = table(book, judged=judged, minutes=30).begin().moves("c4c3f5b4a4a5b2a3")
    t.show(t.shown.played(False, parse_square("f4"))).press(BLACK)
    t.put("d3", True).turn("d4").press(WHITE).turn("e4").press(BLACK)
    assert (t.errors, t.report["transcript"]) == ([], "c4c3f5b4a4a5b2a3f4d3")


@many(40)
def test_words_dated_before_the_press_that_they_came_after_accuse_nobody(examples: int) -> None:
    """The board's time is not known well: discs and flips of the next move seem to come before the press."""
    values = st.tuples(st.sampled_from(ENDED_BY_PRESS), st.booleans(), st.integers(0, 2**32))
    tried(examples, values, lambda drawn: play_dated_early(*drawn))


@pytest.mark.parametrize(
    ("name", "judged", "seed"),
    [
        ("open", True, 3368),
        ("open", False, 838329859),
        ("woc-classic", True, 1790),
        ("woc-classic", False, 1868600103),
        ("cc-2024", True, 5284),
    ],
)
def test_a_move_dated_before_a_pass_does_not_take_the_discs_of_its_answer(
    name: str, judged: bool, seed: int
) -> None:
    """Games in which the move after a pass seems to come before its press, and part of the answer before the next."""
    play_dated_early(name, judged, seed)


def play_dated_early(name: str, judged: bool, seed: int) -> None:
    chance = Random(seed)
    board = LateBoard(Header(rulebook(name), 600, judged=judged))
    board.do(i.Start(0))
    board.press(Side.WHITE)
    position, black, moves = START, True, []
    turns: list[list[Position]] = []
    while not position.over():
        words: list[Position] = []
        if legal := list(squares_of(position.legal(black))):
            square = chance.choice(legal)
            words = turn_by_turn(position, black, square, chance)
            position = position.played(black, square)
            moves.append(square)
        turns.append(words)
        black = not black
    for number, words in enumerate(turns):
        following = turns[number + 1] if number + 1 < len(turns) else []
        early = following[: chance.randrange(len(following) + 1)]
        for lying in (*words, *early):
            board.at_ns += S // 100
            board.do(i.Shown(board.at_ns, lying, S // 10))
        del following[: len(early)]
        board.press(Side.WHITE if number % 2 else Side.BLACK)
    game = board.game
    assert [lying for lying in game.incidents if lying.state is not None] == []
    assert game.state is State.FINISHED
    assert game.moves == tuple(moves)
    assert game.outcome is not None and game.outcome.score == settled(count(position), game.rules)


def test_moves_told_one_by_one_after_their_presses_are_counted_one_by_one(table):
    t = table().begin().move("f5")
    position = t.shown
    t.line("board", state="lost")
    for _ in range(3):
        t.wait(1).press(t.game.to_move)
    assert (t.game.owed, t.game.moves) == (3, tuple(parse_transcript("f5")))
    t.line("board", state="ok")
    for number, square in enumerate(parse_transcript("d6c3d3"), 1):
        position = position.played(number == 2, square)
        t.wait(1).show(position)
        assert (t.game.owed, len(t.game.moves)) == (3 - number, 1 + number)
    assert t.game.moves == tuple(parse_transcript("f5d6c3d3"))
    t.moves("c4")
    assert t.errors == []
