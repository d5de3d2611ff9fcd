"""The reasons of a round, game by game and bye by bye, and the warnings about what it had to break."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hub.model.games import Game, Pin, Round
from hub.model.players import Player
from hub.model.tournament import Absence, Tournament, Withdrawal
from hub.pairing.explain import explain, points, swiss_warnings
from hub.pairing.next_round import next_round
from hub.pairing.round import PairedGame, Pairing
from hub.pairing.state import state_before, swiss_rules

SCORES = {"+": (40, 24), "=": (32, 32), "-": (24, 40)}


def event(
    names: str, *rounds: str, rulebook: str = "usoa", system: str = "swiss", planned: int = 13
) -> Tournament:
    """Return an event with rounds such as "ab+ cd= e": a won with Black, c and d drew, e had a bye."""
    done = []
    for line in rounds:
        words = line.split()
        games = tuple(Game(word[0], word[1], SCORES[word[2]]) for word in words if len(word) == 3)
        done.append(Round(games, tuple(word for word in words if len(word) == 1)))
    players = tuple(Player(name) for name in names)
    return Tournament(rulebook, players, system=system, rounds_planned=planned, rounds=tuple(done))


def reasons(tournament: Tournament, *games: str, byes: str = "") -> list[str]:
    """Explain these games (Black first) and byes of the coming round."""
    seats = tuple(PairedGame(table, *game) for table, game in enumerate(games, start=1))
    pairing = Pairing(len(tournament.rounds) + 1, seats, tuple(byes))
    return [str(reason) for reason in explain(tournament, pairing)]


@pytest.mark.parametrize(
    ("half_points", "text"),
    [
        (0, "0 points"),
        (1, "half a point"),
        (2, "1 point"),
        (3, "1½ points"),
        (4, "2 points"),
        (5, "2½ points"),
    ],
)
def test_points_are_said_in_halves(half_points: int, text: str) -> None:
    assert str(points(half_points)) == text


# Colours


@pytest.mark.clause("woc-2019 II.7.2.d")
def test_black_goes_to_whoever_has_had_fewer_blacks_in_balance() -> None:
    tournament = event("abcde", "ab= cd= e")
    assert reasons(tournament, "ba") == [
        "both have half a point; they meet again; black to b, who has had fewer blacks in balance (-1 to +1)"
    ]


@pytest.mark.clause("woc-2019 II.7.2.f")
def test_of_two_with_the_same_balance_white_goes_to_whoever_had_black_last() -> None:
    tournament = event("abcd", "ab= cd=", "ba= dc=")
    assert reasons(tournament, "ac") == ["both have 1 point; colours by lot"]
    assert reasons(tournament, "ad") == ["both have 1 point; white to d, who had black last"]
    late = event("abcde", "ab= cd= e", "ba= dc= e")
    assert reasons(replace(late, rounds=(late.rounds[0], replace(late.rounds[1], byes=()))), "ae") == [
        "both have 1 point; black to a, who had white last"
    ]


@pytest.mark.clause("cc-2024 II.2 [7-8]")
def test_colours_of_the_last_game_are_reversed_in_the_second_part() -> None:
    tournament = event("ab", "ab=", rulebook="cc-2024", system="round_robin_then_swiss", planned=5)
    assert reasons(tournament, "ba") == ["both have half a point; colours reversed from their last game"]
    swiss = event("ab", "ab=", "ba=", rulebook="cc-2024")
    assert "reversed" not in reasons(swiss, "ab")[0]


@pytest.mark.clause("jof J1")
@pytest.mark.parametrize(
    ("rounds", "game"),
    [(("ab+ cd+",), "ac"), (("ab+ cd-",), "da"), (("ab= cd=", "ba= dc="), "ad")],
    ids=["by lot", "fewer blacks", "white last"],
)
def test_where_the_players_draw_for_the_colours_no_reason_speaks_of_them(
    rounds: tuple[str, ...], game: str
) -> None:
    (reason,) = reasons(event("abcd", *rounds, rulebook="jof"), game)
    assert reason.startswith("both have") and not {"black", "white", "colours"} & {*reason.split()}
    assert reasons(event("abcd", *rounds), game)[0] != reason


# Points


@pytest.mark.clause("woc-2019 II.7.2.b")
def test_why_a_player_meets_somebody_with_fewer_points() -> None:
    assert reasons(event("abcd", "ab+ cd="), "ac")[0].startswith(
        "a (1 point) floats down to c (half a point): nobody else has 1 point; "
    )
    assert reasons(event("abcd", "ab+ cd="), "ca")[0].startswith(
        "a (1 point) floats down to c (half a point)"
    )
    met = event("abcd", "ab+ cd+", "ca= db=")
    assert reasons(met, "ad")[0].startswith(
        "a (1½ points) floats down to d (half a point): no other player with 1½ points left who may still be met; "
    )
    assert reasons(event("abcde", "ab+ cd+ e"), "eb")[0].startswith(
        "e (1 point) floats down to b (0 points): 3 players with 1 point, an odd number; "
        "floated down as often as up before; "
    )
    assert reasons(event("abcd", "ab+ cd+"), "ad")[0].startswith(
        "a (1 point) floats down to d (0 points): the whole round has the least differences in points this way, "
        "as players with 1 point have met before; "
    )


@pytest.mark.clause("woc-2019 II.7.2.e")
def test_how_a_player_has_floated_before_is_told() -> None:
    tournament = event("abcdefg", "ab+ cd+ ef= g", "ad- cb- eg+")
    odd = "(1 point) floats down to f (half a point): 5 players with 1 point, an odd number; "
    assert reasons(tournament, "fa")[0].startswith(f"a {odd}floated down more often than up before; ")
    assert reasons(tournament, "fd")[0].startswith(f"d {odd}floated up more often than down before; ")


# Rounds by lot, round robins, pins


@pytest.mark.clause("woc-2019 II.7.1")
def test_the_first_round_is_by_lot_and_past_semi_finalists_meet_others() -> None:
    tournament = event("abc", rulebook="woc-2019")
    past = replace(tournament, players=(Player("a", past_semifinalist=True), *tournament.players[1:]))
    assert reasons(past, "ab", "bc", byes="c") == [
        "by lot, a past semi-finalist against another player",
        "by lot",
        "by lot",
    ]
    assert reasons(replace(past, rulebook="usoa"), "ab") == ["by lot"]


def test_a_round_robin_and_a_pin_say_so() -> None:
    tournament = event("abcde", system="round_robin", planned=5)
    circle = "by the circle of the round robin, in which everybody meets everybody"
    assert reasons(tournament, "ab", "cd", byes="e") == [circle, circle, "nobody sits opposite in this round"]
    pinned = replace(tournament, pins=(Pin("a", "b"),))
    assert reasons(pinned, "ab", "cd") == ["pinned by the director", circle]


# Byes


@pytest.mark.clause("woc-2019 II.7.2.b")
def test_the_bye_goes_to_the_lowest_points_and_whoever_has_more_is_told_why() -> None:
    tournament = event("abcde", "ab+ cd+ e")
    assert reasons(tournament, byes="b") == ["lowest points (0 points)"]
    assert reasons(tournament, byes="a") == [
        "lowest points possible (1 point): lower ones have had one or had to be paired"
    ]
    assert reasons(event("abc", "ab= c", "bc- a"), byes="b") == ["lowest points (half a point)"]
    again = event("abc", "ab+ c", "ac+ b", "bc+ a")
    assert reasons(again, byes="c") == ["lowest points (1 point), though not the first bye"]


# Warnings


def warnings(tournament: Tournament, *games: str, byes: str = "", pinned: tuple[str, ...] = ()) -> list[str]:
    number = len(tournament.rounds) + 1
    state = state_before(tournament, number)
    pairs, fixed = ([(game[0], game[1]) for game in some] for some in (games, pinned))
    messages = swiss_warnings(state, swiss_rules(tournament, number), pairs, list(byes), fixed)
    return [str(warning) for warning in messages]


@pytest.mark.clause("woc-2019 II.7.2.a")
def test_every_rematch_is_named_with_its_reason() -> None:
    tournament = event("abcd", "ab+ cd+")
    assert warnings(tournament, "ac", "bd") == []
    assert warnings(tournament, "ba", "dc") == [
        "b-a have met already: even the best pairing has 2 such games",
        "d-c have met already: even the best pairing has 2 such games",
    ]
    assert warnings(tournament, "ba", "dc", pinned=("ba",)) == [
        "b-a have met already: pinned",
        "d-c have met already: even the best pairing has 1 such game",
    ]
    all_met = event("abcd", "ab+ cd+", "ac+ bd+", "ad+ bc+", "ab+ cd+")
    assert warnings(all_met, "cb") == ["c-b have met already: c has met everybody else in this round already"]
    assert warnings(all_met, "ba")[0].startswith("b-a have met 2 times already: b has met everybody else")


@pytest.mark.clause("woc-2019 II.7.2.a", "woc-2019 II.7.2.c")
def test_in_the_modified_swiss_a_third_meeting_is_named_and_a_second_is_not() -> None:
    once = event("abcd", "ab+ cd+", system="modified_swiss")
    assert warnings(once, "ba", "dc") == []
    twice = event("abcd", "ab+ cd+", "ba+ dc+", system="modified_swiss")
    assert warnings(twice, "ab") == ["a-b have met 2 times already: even the best pairing has 1 such game"]
    only = event("ab", "ab+", "ba+", system="modified_swiss")
    assert warnings(only, "ab") == [
        "a-b have met 2 times already: a has met everybody else in this round twice"
    ]


@pytest.mark.clause("woc-classic II.5.2.i")
def test_team_mates_who_meet_in_the_last_rounds_are_named() -> None:
    def of_teams(*rounds: str, planned: int) -> Tournament:
        tournament = event("abcd", *rounds, rulebook="woc-classic", planned=planned)
        return replace(
            tournament, players=tuple(Player(name, team="XXYY"["abcd".index(name)]) for name in "abcd")
        )

    last = of_teams("ac+ bd+", planned=2)
    assert warnings(last, "ab", "cd", pinned=("cd",)) == [
        "a-b are of one team, in one of the last rounds: even the best pairing has as many such games",
        "c-d are of one team, in one of the last rounds: pinned",
    ]
    assert warnings(of_teams("ac+ bd+", planned=4), "ab", "cd") == []


def test_a_second_bye_is_named_with_its_reason() -> None:
    tournament = event("abc", "ab+ c")
    assert warnings(tournament, "ab", byes="c")[-1] == (
        "c has another bye: no player without a bye can have it without a forbidden meeting or a broken pin"
    )
    assert warnings(tournament, byes="a") == []
    everybody = event("abc", "ab+ c", "ac+ b", "bc+ a")
    assert warnings(everybody, byes="c") == ["c has another bye: everybody has had one"]


# Who cannot be pinned


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"withdrawals": (Withdrawal("b", 1),)}, "got b, who withdrew after round 1"),
        ({"absences": (Absence("b", 2), Absence("a", 1))}, "got b, who is absent in round 2"),
        ({"pins": (Pin("a", "z"),)}, "got z, who is not among the players"),
        ({"players": (Player("a"), Player("b", from_round=3))}, "got b, who enters in round 3"),
    ],
)
def test_a_pinned_player_who_is_not_there_is_named_with_the_reason(more: dict[str, object], why: str) -> None:
    tournament = replace(event("ab", ""), **{"pins": (Pin("a", "b"),), **more})  # type: ignore[arg-type]
    with pytest.raises(Exception, match=r"^pins\[0\]\.white: expected a player of round 2, " + why):
        next_round(tournament)


@pytest.mark.parametrize(
    ("pins", "fault"),
    [
        ((Pin("a", "b", 0),), "pins[0].table: expected 1 or more, got 0"),
        ((Pin("a", "b", 1), Pin("c", "d", 1)), "pins[1].table: expected a free table, got 1 of pins[0]"),
        ((Pin("a", "b"), Pin("c", "a")), "pins[1].white: expected a player not pinned yet, got a of pins[0]"),
    ],
)
def test_a_pin_that_cannot_stand_names_its_field_and_the_other_pin(pins: tuple[Pin, ...], fault: str) -> None:
    with pytest.raises(Exception) as raised:
        next_round(replace(event("abcd"), pins=pins))
    assert str(raised.value) == fault
    kept = next_round(replace(event("abcd"), pins=(Pin("a", "b", 1),)))
    assert (kept.games[0].players, kept.games[0].table) == (("a", "b"), 1)
