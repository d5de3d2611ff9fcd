"""Colour or draw-win, as whoever may choose says it before the game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flagfall.othello.colour_choice import DRAW_WIN, ColourChoice, May, apply_word
from flagfall.othello.game import Header, Player
from flagfall.othello.rulebook import rulebook
from flagfall.othello.side import Both, Side

ONE, OTHER = Player("1", "One"), Player("2", "Other")
CHOICE = ["woc-2019", "woc-2017", "cc-2024"]
HEADER = Header(
    rulebook("woc-2019"), 35, black=ONE, white=OTHER, extra_minutes=Both(5, 0), hands_commit=Both(False, True)
)


def after(may: May, *words: str, book: str = "woc-2019") -> Header | ColourChoice:
    """Return the result of both players' words; player 1, Black until then, has the choice."""
    now: Header | ColourChoice = ColourChoice(Side.BLACK, may)
    for word in words:
        assert isinstance(now, ColourChoice)
        now = apply_word(replace(HEADER, rulebook=rulebook(book)), now, word)
    return now


@pytest.mark.clause("woc-2019 IV.9.a", "woc-2017 IV.9.a", "cc-2024 IV.9.a")
@pytest.mark.parametrize("book", CHOICE)
@pytest.mark.parametrize(("colour", "draw_win"), [("black", Side.WHITE), ("white", Side.BLACK)])
def test_who_takes_a_colour_leaves_the_draw_to_his_opponent(book: str, colour: str, draw_win: Side) -> None:
    header = after(May.COLOUR_OR_DRAW_WIN, colour, book=book)
    assert isinstance(header, Header)
    assert (header.black, header.white) == ((ONE, OTHER) if colour == "black" else (OTHER, ONE))
    assert header.draw_win is draw_win


@pytest.mark.clause("woc-2019 IV.9.b", "woc-2017 IV.9.b", "cc-2024 IV.9.b")
@pytest.mark.parametrize("book", CHOICE)
@pytest.mark.parametrize(("colour", "draw_win"), [("black", Side.WHITE), ("white", Side.BLACK)])
def test_who_takes_the_draw_leaves_the_colour_to_his_opponent(book: str, colour: str, draw_win: Side) -> None:
    asked = after(May.COLOUR_OR_DRAW_WIN, DRAW_WIN, book=book)
    assert isinstance(asked, ColourChoice)
    assert asked.speaker is Side.WHITE and asked.words == ("black", "white")
    header = after(May.COLOUR_OR_DRAW_WIN, DRAW_WIN, colour, book=book)
    assert isinstance(header, Header)
    assert (header.black, header.white) == ((OTHER, ONE) if colour == "black" else (ONE, OTHER))
    assert header.draw_win is draw_win


@pytest.mark.clause("woc-2019 III.1")
def test_in_a_match_only_the_colour_is_chosen() -> None:
    header = after(May.COLOUR, "white")
    assert isinstance(header, Header)
    assert (header.white, header.draw_win) == (ONE, None)


@pytest.mark.clause("woc-classic II.3.1", "woc-classic III.3")
@pytest.mark.parametrize(("colour", "draw_win"), [("black", Side.BLACK), ("white", Side.WHITE)])
def test_in_the_classic_text_the_chooser_has_both(colour: str, draw_win: Side) -> None:
    header = after(May.COLOUR_AND_DRAW_WIN, colour, book="woc-classic")
    assert isinstance(header, Header)
    assert (header.white if colour == "white" else header.black) == ONE
    assert header.draw_win is draw_win


def test_what_belongs_to_a_player_goes_with_him() -> None:
    header = after(May.COLOUR, "white")
    assert isinstance(header, Header)
    assert (header.extra_minutes, header.hands_commit) == (Both(0, 5), Both(True, False))


@pytest.mark.parametrize(
    ("may", "word"), [(May.COLOUR, DRAW_WIN), (May.COLOUR_AND_DRAW_WIN, DRAW_WIN), (May.COLOUR, "red")]
)
def test_what_is_not_his_to_say_changes_nothing(may: May, word: str) -> None:
    assert after(may, word) == ColourChoice(Side.BLACK, may)
