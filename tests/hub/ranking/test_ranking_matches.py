"""One match of the finals: points, discs, winner, how it was decided, who chooses, and matches that nobody plays."""

from __future__ import annotations

from functools import partial
from itertools import permutations
from typing import Any

import pytest
from helpers.finals_values import EIGHT, SEMI_FINALS, Value, draw, finals_json, of_points, win
from msgspec import UNSET

from flagfall.othello.colour_choice import May
from flagfall.othello.reason import Reason
from hub.form.tournament import tournament_from_json
from hub.model.games import FinalPlace, Game
from hub.ranking.finals import finals_of, placed_at_the_end
from hub.ranking.matches import FINAL, Match, better_placed_chooses, match_of, options_of, possible_orders
from hub.ranking.reports import finals, finals_value
from hub.rulebook import FORMAT_RULES, MatchRules
from hub.text import FormatError

THREE = MatchRules(games=3, minutes=25)
TWO = MatchRules(games=2, minutes=25)
ONE = MatchRules(games=1, minutes=40, may=May.COLOUR_OR_DRAW_WIN)
CLASSIC = MatchRules(games=1, minutes=30, may=May.COLOUR_AND_DRAW_WIN)


def game(
    black: str, black_discs: int, white_discs: int | None = None, draw_win: str | None = None, **more: Any
) -> Game:
    """Return a scored game of a and b."""
    score = (black_discs, 64 - black_discs if white_discs is None else white_discs)
    final = FinalPlace("open", FINAL)
    return Game(black, "b" if black == "a" else "a", score=score, final=final, draw_win=draw_win, **more)


def match(rules: MatchRules, *games: Game, withdrawn: tuple[str, ...] = ()) -> Match:
    return Match("open", FINAL, ("a", "b"), rules=rules, chooser="a", games=games, withdrawn=withdrawn)


@pytest.mark.clause("woc-2019 III.1", "woc-2019 IV.9", "cc-2024 II.5", "woc-classic II.3.1")
@pytest.mark.parametrize(
    ("played", "winner", "by"),
    [
        (match(THREE, game("a", 40)), None, ""),
        (match(THREE, game("a", 40), game("b", 24)), "a", "games"),
        (match(THREE, game("a", 24), game("b", 40)), "b", "games"),
        (match(THREE, game("a", 40), game("b", 32)), None, ""),
        (match(THREE, game("a", 40), game("b", 40), game("a", 33)), "a", "games"),
        (match(THREE, game("a", 40), game("b", 40), game("a", 32)), "a", "place"),
        (match(THREE, game("a", 40), game("b", 41), game("a", 32)), "b", "discs"),
        (match(TWO, game("a", 41), game("b", 40)), "a", "discs"),
        (match(TWO, game("a", 40), game("b", 40)), "a", "place"),
        (match(TWO, game("a", 40), game("b", 24)), "a", "games"),
        (match(ONE, game("b", 33)), "b", "games"),
        (match(ONE, game("a", 32, draw_win="b")), "b", "draw_win"),
        (match(CLASSIC, game("b", 32)), "a", "place"),
        (match(ONE, game("b", 64, reason=Reason.FORFEIT), withdrawn=("a",)), "b", "forfeit"),
        (match(THREE, game("a", 64, reason=Reason.FORFEIT), withdrawn=("b",)), "a", "forfeit"),
        (match(THREE, game("a", 64, reason=Reason.FORFEIT), withdrawn=("a",)), None, ""),
        (match(THREE, game("a", 0, 0, reason=Reason.FORFEIT), withdrawn=("a", "b")), "a", "forfeit"),
        (match(THREE, game("a", 0, 0, reason=Reason.FORFEIT), withdrawn=("a",)), None, ""),
        (match(THREE, game("a", 64), withdrawn=("b",)), None, ""),
    ],
)
def test_who_has_won_and_by_what(played: Match, winner: str | None, by: str) -> None:
    assert (played.winner(), played.decided_by) == (winner, by)
    assert played.loser() == {"a": "b", "b": "a", None: None}[winner]


@pytest.mark.clause("woc-2019 III.1", "woc-2019 IV.9")
def test_the_chooser_begins_then_colours_are_reversed_and_more_discs_choose() -> None:
    assert match(THREE).chooses() == "a"
    reversed_match = match(THREE, game("b", 40))
    assert reversed_match.chooses() is None
    assert [(way.black, way.white, way.chosen) for way in options_of(reversed_match)] == [
        ("a", "b", "reversed")
    ]
    assert match(THREE, game("a", 40), game("b", 41)).chooses() == "b"
    assert match(THREE, game("a", 41), game("b", 40)).chooses() == "a"
    assert match(THREE, game("a", 40), game("b", 40)).chooses() == "a", "level: the better-placed"


@pytest.mark.clause("woc-2019 IV.9")
def test_the_opponent_has_what_the_chooser_did_not_take() -> None:
    ways = [(way.black, way.white, way.draw_win, way.chosen) for way in options_of(match(ONE))]
    assert ways == [
        ("a", "b", "b", "colour"), ("b", "a", "b", "colour"), ("a", "b", "a", "draw-win"), ("b", "a", "a", "draw-win"),
    ]  # fmt: skip


@pytest.mark.clause("woc-classic II.3.1", "woc-classic III.3")
def test_in_the_older_rules_the_better_placed_has_the_draw_whatever_colour_they_take() -> None:
    ways = [(way.black, way.white, way.draw_win) for way in options_of(match(CLASSIC))]
    assert ways == [("a", "b", "a"), ("b", "a", "a")]
    assert [way.draw_win for way in options_of(match(THREE))] == [None, None]


@pytest.mark.clause("woc-2019 II.8")
def test_whoever_is_still_there_may_win_and_the_better_placed_if_nobody_is() -> None:
    assert match(THREE).may_win == ("a", "b")
    assert match(THREE, withdrawn=("a",)).may_win == ("b",)
    assert match(THREE, withdrawn=("a", "b")).may_win == ("a",)
    assert match(ONE, game("b", 40)).may_win == ("b",)


def test_discs_stand_in_the_order_of_the_players() -> None:
    played = match(THREE, game("a", 40), game("b", 30), game("a", 20, 43))
    assert (played.scores, played.discs()) == (((40, 24), (34, 30), (20, 43)), (94, 97))
    assert played.half_points() == (4, 2)
    assert match(TWO, game("a", 32), game("b", 64)).half_points() == (1, 3)


# A title that nobody holds, and draws that nobody has won


def both_gone(value: Value, *last: Value) -> Value:
    """Return the event after both finalists have left and these games."""
    gone = [{"player": player, "after_round": 10, "after_finals": len(value["finals"])} for player in "ac"]
    return value | {"withdrawals": gone, "finals": [*value["finals"], *last]}


@pytest.mark.clause("woc-2019 II.8")
def test_nobody_is_champion_if_both_finalists_have_left() -> None:
    value = of_points(EIGHT, finals=[*SEMI_FINALS, win("open", "final", "a", "c")])
    nobody = draw("open", "final", "c", "a", reason="forfeit") | {"score": [0, 0]}
    assert finals_json(both_gone(value, nobody))["champions"]["open"] is None
    (final,) = (entry for entry in finals_json(both_gone(value))["due"] if entry["stage"] == "final")
    assert final["gap"]["allows"] == (
        "a and c have withdrawn and may not return (woc-2019 II.8): scored 0-0, the better place stands"
    )
    alone = both_gone(value, win("open", "final", "c", "a", 64, reason="forfeit"))
    alone["withdrawals"] = alone["withdrawals"][:1]
    assert finals_json(alone)["champions"]["open"] == "c"


@pytest.mark.clause("woc-2019 IV.9")
def test_a_drawn_single_game_names_who_won_the_draw_unless_both_have_left() -> None:
    value = of_points(EIGHT, finals=[*SEMI_FINALS, draw("open", "third-place", "b", "d")])
    with pytest.raises(FormatError, match=r"finals\[4\]\.draw_win: expected the player who wins the draw"):
        finals_of(tournament_from_json(value))
    nobody = draw("open", "third-place", "b", "d", reason="forfeit") | {"score": [0, 0]}
    with pytest.raises(FormatError, match=r"finals\[4\]\.draw_win"):
        finals_of(tournament_from_json(value | {"finals": [*SEMI_FINALS, nobody]}))
    gone = [{"player": player, "after_round": 10, "after_finals": 4} for player in "bd"]
    state = finals_json(value | {"finals": [*SEMI_FINALS, nobody], "withdrawals": gone})
    assert state["matches"][-1]["winner"] == "b", "the better place stands"
    with pytest.raises(FormatError, match=r"finals\[4\]\.draw_win"):
        finals_of(tournament_from_json(value | {"withdrawals": gone}))


# The end of an event, and its page


def test_after_the_rounds_the_places_are_those_of_the_final_list_and_no_lot_decides() -> None:
    value = of_points(EIGHT, finals=[*SEMI_FINALS, win("open", "third-place", "d", "b")])
    lines = placed_at_the_end(tournament_from_json(value))
    assert [(line.place, line.player, line.by_lot) for line in lines[2:7]] == [
        (3, "d", False), (4, "b", False), (5, "e", False), (6, "f", False), (6, "g", False),
    ]  # fmt: skip
    before = placed_at_the_end(tournament_from_json(value | {"rounds_planned": 11, "finals": []}))
    assert [(line.place, line.player, line.by_lot) for line in before[5:7]] == [
        (6, "f", True),
        (7, "g", True),
    ]


def test_players_stay_readable_in_the_json_of_the_finals() -> None:
    value = of_points({"\u0141ukasz": 1})
    assert "\u0141ukasz" in finals(tournament_from_json(value), as_json=True)


def test_the_page_of_finals_for_people() -> None:
    playing = win("open", "final", "a", "c") | {"score": None}
    players = {player: {"name": player.upper(), "team": player} for player in "acd"}
    value = of_points(EIGHT, finals=[*SEMI_FINALS, playing], players=players)
    page = finals(tournament_from_json(value), as_json=False)
    assert page.startswith(
        "open:\n    1  a A\n    2  c C\n    3  b\n    4  d D\n    5  e\n    6  f\n    6  g\n"
    )
    assert "\n\ndecided:\n  open semi-final: a A\n  open semi-final: c C\n\ndue:\n" in page
    assert "\n  open third-place: b - d D, 1 game, 35 min, 0 : 0, b chooses colour or draw win\n" in page
    assert "\n  open final: a A - c C, best of 3, 40 min, 0 : 0, a chooses colour, being played" in page
    value["finals"] = [*SEMI_FINALS, win("open", "final", "a", "c")]
    assert "best of 3, 40 min, 1 : 0, colours reversed\n" in finals(
        tournament_from_json(value), as_json=False
    )
    start = finals(tournament_from_json(of_points(EIGHT)), as_json=False)
    assert "decided:" not in start and "due:" in start


@pytest.mark.clause("woc-2019 II.1.a (individual)", "woc-2019 II.1.b (individual)")
def test_four_can_end_in_sixteen_orders_and_fewer_once_games_are_played() -> None:
    rules = FORMAT_RULES["woc-2019"].open_title("swiss")
    assert rules is not None

    def orders(*won: tuple[str, str, str]) -> set[str]:
        played = {
            ("open", stage, frozenset((winner, loser))): (
                Game(winner, loser, (40, 24), final=FinalPlace("open", stage)),
            )
            * 2
            for stage, winner, loser in won
        }
        match = partial(match_of, title="open", played=played, withdrawn=(), chooser=better_placed_chooses)
        return {"".join(order) for order in possible_orders("abcd", rules, match)}

    first = {"".join(order) for order in permutations("abcd") if {*order[:2]} not in ({"a", "d"}, {"b", "c"})}
    assert orders() == first and len(first) == 16
    assert orders(("semi-final", "d", "a")) == {order for order in first if "d" in order[:2]}
    both = ("semi-final", "d", "a"), ("semi-final", "b", "c")
    assert orders(*both) == {"bdac", "bdca", "dbac", "dbca"}
    assert orders(*both, ("final", "d", "b")) == {"dbac", "dbca"}


@pytest.mark.clause("woc-2019 IV.9")
def test_the_operator_is_offered_the_ways_to_play_until_the_game_is_being_played() -> None:
    def offered(*games: Value) -> int:
        value = of_points(EIGHT, finals=[*SEMI_FINALS, *games])
        due = finals_value(finals_of(tournament_from_json(value)), for_operator=True).due
        (third,) = (entry for entry in due if entry.stage == "third-place")
        assert third.options is not UNSET
        return len(third.options)

    assert offered() == 4
    assert offered(win("open", "third-place", "b", "d") | {"score": None}) == 0
    public = finals_value(finals_of(tournament_from_json(of_points(EIGHT))))
    assert {entry.options for entry in public.due} == {UNSET}
