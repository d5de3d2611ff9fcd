"""Colours drawn by a hidden disc before the game, with and without a draw-win (jof J1)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.errors import Invalid
from flagfall.othello.colour_choice import grade_rank, who_hides
from flagfall.othello.side import Both

from .conftest import BLACK, WHITE, Table, TableMaker, japanese

# Neither can move; 32-32.
LEVEL = "X" * 32 + "O" * 32
PLAYERS: dict[str, Any] = {"black": {"id": "4dan"}, "white": {"id": "2kyu"}}


def draw(t: Table, **fields: str) -> Table:
    return t.line("colour_draw", **fields)


def ids(t: Table) -> tuple[str, str]:
    return t.game.header.black.id, t.game.header.white.id


def level(t: Table) -> Table:
    return t.set_up(LEVEL, BLACK).press(BLACK).line("accept_end", by="white")


@pytest.mark.parametrize(
    ("plays", "players", "draw_win"),
    [("black", ("4dan", "2kyu"), "white"), ("white", ("2kyu", "4dan"), "black")],
)
def test_who_calls_right_takes_the_draw_win_and_the_hider_names_a_colour(
    plays: str, players: tuple[str, str], draw_win: str
) -> None:
    t = Table("japanese", **PLAYERS)
    draw(t, hider="black", called="black", shown="black", chose="draw_win", plays=plays)
    assert ids(t) == players and t.game.header.draw_win == draw_win
    assert t.report["colour_draw"]["plays"] == plays
    assert level(t).score == (32, 32) and t.report["winner"] == draw_win


def test_who_calls_wrong_leaves_the_choice_to_the_hider() -> None:
    t = Table("japanese", **PLAYERS)
    draw(t, hider="black", called="white", shown="black", chose="draw_win", plays="black")
    assert t.game.header.draw_win is WHITE and ids(t) == ("2kyu", "4dan")


def test_a_draw_win_without_the_other_players_colour_is_refused() -> None:
    t = Table("japanese", **PLAYERS)
    draw(t, hider="black", called="black", shown="black", chose="draw_win")
    assert t.refusals and t.game.colour_draw is None


@pytest.mark.parametrize(
    ("called", "chose", "players", "draw_win"),
    [
        # Called right: the caller, who sits on White's side, picks; the hider wins a draw.
        ("black", "white", ("4dan", "2kyu"), "black"),
        ("black", "black", ("2kyu", "4dan"), "white"),
        # Called wrong: the hider picks.
        ("white", "black", ("4dan", "2kyu"), "white"),
        ("white", "white", ("2kyu", "4dan"), "black"),
    ],
)
def test_who_picks_a_colour_leaves_the_draw_win(
    called: str, chose: str, players: tuple[str, str], draw_win: str
) -> None:
    t = draw(Table("japanese", **PLAYERS), hider="black", called=called, shown="black", chose=chose)
    assert ids(t) == players and t.game.header.draw_win == draw_win
    assert t.report["colour_draw"] == {
        "at_ns": 0,
        "hider": "black",
        "called": called,
        "shown": "black",
        "chose": chose,
        "black": players[0],
        "white": players[1],
        "draw_win": draw_win,
    }
    assert level(t).report["winner"] == draw_win


@pytest.mark.parametrize(
    ("called", "shown", "chose", "players"),
    [
        ("bottom", "black", "white", ("4dan", "2kyu")),
        ("bottom", "white", "black", ("2kyu", "4dan")),
        ("top", "white", None, ("4dan", "2kyu")),
        ("top", "black", None, ("2kyu", "4dan")),
    ],
)
def test_where_draws_stand_the_caller_plays_the_face_that_was_called(
    called: str, shown: str, chose: str | None, players: tuple[str, str]
) -> None:
    fields = {"hider": "black", "called": called, "shown": shown} | ({"chose": chose} if chose else {})
    t = draw(Table("japanese", draw_win="black", **PLAYERS), **fields)
    assert ids(t) == players and t.game.header.draw_win is None
    assert level(t).score == (32, 32) and t.report["winner"] is None


def test_what_was_chosen_must_follow_from_the_face() -> None:
    t = draw(Table("japanese", **PLAYERS), hider="black", called="top", shown="black", chose="white")
    assert t.refusals == ["black is the colour of the face that was called"]
    assert t.game.colour_draw is None
    t = draw(Table("japanese", **PLAYERS), hider="black", called="black", shown="black")
    assert t.refusals == ["expected what was chosen: black, white or draw_win"]


@pytest.mark.parametrize(
    ("form", "called"), [("draw_win", "top"), ("draws", "black"), ("no", "top"), ("no", "black")]
)
def test_an_event_has_one_form(form: str, called: str) -> None:
    book = japanese(**{"": {"hidden_disc": form}})
    t = Table("japanese", rulebook_text=book, **PLAYERS)
    draw(t, hider="black", called=called, shown="black", chose="black")
    assert len(t.refusals) == 1 and t.game.colour_draw is None


@pytest.mark.parametrize("book", ["woc-2019", "usoa", "club"])
def test_elsewhere_colours_are_not_drawn_so(table: TableMaker, book: str) -> None:
    t = draw(table(book, **PLAYERS), hider="black", called="black", shown="black", chose="white")
    assert t.refusals == [f"colours are not drawn in this way under {book}"]
    assert ids(t) == ("4dan", "2kyu") and t.report["colour_draw"] is None


def test_once_drawn_or_begun_colours_stand() -> None:
    fields = {"hider": "black", "called": "black", "shown": "black", "chose": "black"}
    t = draw(draw(Table("japanese", **PLAYERS), **fields), **fields)
    assert t.refusals == ["the colours have been drawn"] and ids(t) == ("2kyu", "4dan")
    t = draw(Table("japanese", **PLAYERS).begin(), **fields)
    assert t.refusals == ["the game has begun"]


def test_a_late_players_time_stays_theirs_when_the_colours_are_drawn() -> None:
    t = Table("japanese", minutes=20, extra_minutes={"black": 0, "white": 5}, **PLAYERS).line("start")
    t.rule("start_clock", player="black").wait(13 * 60).rule("stop")
    draw(t, hider="black", called="white", shown="black", chose="white")
    assert ids(t) == ("2kyu", "4dan")
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (25 * 60, 7 * 60)


@pytest.mark.parametrize(
    ("grades", "born", "hider"),
    [
        (("4dan", "2kyu"), ("", ""), BLACK),
        (("1kyu", "1dan"), ("", ""), WHITE),
        (("2kyu", "1kyu"), ("", ""), WHITE),
        (("", "8kyu"), ("1950-01-01", "2010-01-01"), WHITE),
        (("10dan", "9dan"), ("", ""), BLACK),
        (("1dan", "1dan"), ("1986-05-01", "2011-05-01"), BLACK),
        (("", ""), ("2011-05-01", "1986-05-01"), WHITE),
        (("1dan", "1dan"), ("2011-05-01", ""), None),
        (("", ""), ("2000-01-01", "2000-01-01"), None),
    ],
)
def test_the_higher_grade_hides_and_of_equals_the_older(
    grades: tuple[str, str], born: tuple[str, str], hider: str | None
) -> None:
    assert who_hides(Both(*grades), Both(*born)) is hider
    back = who_hides(Both(*grades[::-1]), Both(*born[::-1]))
    assert back is (None if hider is None else WHITE if hider is BLACK else BLACK)


@pytest.mark.parametrize("grade", ["dan", "0dan", "3", "three dan", "3 dan"])
def test_a_grade_is_a_number_and_dan_or_kyu(grade: str) -> None:
    with pytest.raises(Invalid, match="grade: expected a grade"):
        grade_rank(grade)


sides = st.sampled_from(["black", "white"])


@given(
    sides,
    st.sampled_from(["black", "white", "top", "bottom"]),
    sides,
    st.sampled_from(["black", "white", "draw_win"]),
    sides,
)
def test_one_player_has_the_colour_and_the_other_the_draw_win(
    hider: str, called: str, shown: str, chose: str, plays: str
) -> None:
    t = draw(Table("japanese", **PLAYERS), hider=hider, called=called, shown=shown, chose=chose, plays=plays)
    assert sorted(ids(t)) == ["2kyu", "4dan"]
    if t.refusals:
        assert called in ("top", "bottom") and t.game.header.draw_win is None
    elif called in ("black", "white"):
        caller = ("2kyu", "4dan")[hider == "white"]
        picker = caller if called == shown else ("4dan", "2kyu")[hider == "white"]
        header = t.game.header
        assert header.draw_win is not None
        has_draw_win = header.player(header.draw_win).id
        assert (has_draw_win == picker) is (chose == "draw_win")
        colour = plays if chose == "draw_win" else chose
        names_it = picker if chose != "draw_win" else ({"2kyu", "4dan"} - {picker}).pop()
        assert names_it == (header.black.id if colour == "black" else header.white.id)
