"""The clauses on pairing a Swiss round, each where it decides, and each giving way to the ones before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from flagfall.othello.rulebook import rulebook
from hub.model.games import Game, Pin, Round
from hub.model.players import Player
from hub.model.tournament import Tournament, Withdrawal
from hub.pairing.cost import Cost
from hub.pairing.lots import Lots
from hub.pairing.next_round import next_round, pair_swiss
from hub.pairing.round import Pairing
from hub.pairing.state import Entrant, RoundState, state_before, swiss_rules

WIN, DRAW, LOSS = (40, 24), (32, 32), (24, 40)
ALL_SWISS = ("woc-2019", "woc-2017", "woc-classic", "cc-2024", "usoa")


def field(names: str, rulebook: str = "woc-2019", system: str = "swiss", **about: object) -> Tournament:
    """Return one player per letter. `country` and `team`: a string with one letter each."""
    country, team = str(about.get("country", " " * len(names))), str(about.get("team", " " * len(names)))
    players = tuple(
        Player(name, country=country[at].strip(), team=team[at].strip()) for at, name in enumerate(names)
    )
    planned = about.get("rounds_planned", 13)
    assert isinstance(planned, int)
    return Tournament(rulebook, players, system=system, rounds_planned=planned)


def played(tournament: Tournament, *rounds: str) -> Tournament:
    """Return rounds such as "ab+ cd= ef- g": black and white, + won by black, - by white, = drawn; alone: a bye."""
    score = {"+": WIN, "=": DRAW, "-": LOSS}
    done = []
    for text in rounds:
        words = text.split()
        games = tuple(Game(w[0], w[1], score[w[2]]) for w in words if len(w) == 3)
        done.append(Round(games, tuple(w for w in words if len(w) == 1)))
    return replace(tournament, rounds=(*tournament.rounds, *done))


def pairs(pairing: Pairing) -> set[str]:
    return {"".join(sorted(game.black + game.white)) for game in pairing.games}


def blacks(pairing: Pairing) -> set[str]:
    return {game.black for game in pairing.games}


def best(rulebook: str, entrants: Sequence[Entrant], met: Sequence[str] = ()) -> set[str]:
    """Return the pairs of a round between players of these histories, of whom only those pairs have met."""
    rules = swiss_rules(Tournament(rulebook, ()), 2)
    meetings: dict[str, dict[str, int]] = {}
    for player, opponent in met:
        meetings.setdefault(player, {})[opponent] = meetings.setdefault(opponent, {})[player] = 1
    swiss = pair_swiss(RoundState(2, tuple(entrants), meetings), rules, Lots(1))
    assert swiss.proven
    return {"".join(sorted(game)) for game in swiss.games}


def cost(pairing: Pairing) -> Cost:
    assert pairing.cost is not None
    assert pairing.proven
    return pairing.cost


@pytest.mark.clause("woc-2019 II.7.2", "woc-2019 II.7.2.a", "woc-2017 II.6.2", "woc-2017 II.6.2.a")
@pytest.mark.clause("woc-classic II.5.2", "woc-classic II.5.2.ii", "cc-2024 II.4.1", "cc-2024 II.4.1.a")
@pytest.mark.parametrize("rulebook", ALL_SWISS)
def test_no_rematch_even_where_points_would_be_nearer(rulebook: str) -> None:
    # a and b have 1.5 and 1 points, c and d 0.5 and 0: a-b would be nearest, but they have met.
    tournament = played(field("abcd", rulebook), "ac= bd+", "ab+ dc=")
    pairing = next_round(tournament)
    assert pairs(pairing) == {"ad", "bc"}
    assert cost(pairing).rematches == 0
    assert pairing.warnings == ()


@pytest.mark.clause("woc-2019 II.7.2.a", "woc-2019 II.7.2.c", "woc-2017 II.6.2.a", "woc-2017 II.6.2.c")
@pytest.mark.clause("woc-classic II.5.2.ii", "woc-classic II.5.2.iv")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic"])
def test_modified_swiss_meets_twice_before_points_differ_but_never_three_times(rulebook: str) -> None:
    modified = field("abcd", rulebook, "modified_swiss")
    # Points first: a and b, both with 2, meet again rather than float.
    tournament = played(modified, "ab= cd=", "ac+ bd+", "da- cb-")
    assert pairs(next_round(tournament)) == {"ab", "cd"}
    assert cost(next_round(tournament)).repeats == 2
    # After the second meeting never a third, whatever the points.
    tournament = played(tournament, "ba= dc=")
    assert not pairs(next_round(tournament)) & {"ab", "cd"}
    assert cost(next_round(tournament)).rematches == 0
    # With equal points, who has not met goes before a repeat.
    tournament = played(modified, "ab= cd=")
    assert pairs(next_round(tournament)) in ({"ac", "bd"}, {"ad", "bc"})


@pytest.mark.clause("woc-2019 II.7.2.b", "woc-2017 II.6.2.b", "woc-classic II.5.2.iii", "cc-2024 II.4.1.b")
@pytest.mark.parametrize("rulebook", ALL_SWISS)
def test_equal_points_meet_and_else_the_difference_is_least(rulebook: str) -> None:
    tournament = played(field("abcdefgh", rulebook), "ab+ cd+ ef+ gh+")
    pairing = next_round(tournament)
    assert all(set(pair) <= set("aceg") or set(pair) <= set("bdfh") for pair in pairs(pairing))
    assert cost(pairing).gap == 0
    # The least sum over the round; colours that would rather have a-c and b-d count for nothing.
    lopsided = [Entrant("a", 6, 1), Entrant("b", 4, 1), Entrant("c", 2, -1), Entrant("d", 0, -1)]
    assert best(rulebook, lopsided) == {"ab", "cd"}
    # The sum goes before the squares: 0, 5 and 0 (25) rather than 1, 3 and 3 (19).
    spread = [Entrant(name, points) for name, points in zip("abcdef", (6, 6, 5, 3, 3, 0), strict=True)]
    assert best(rulebook, spread, ["cd", "ce"]) == {"ab", "cf", "de"}
    # Of equal sums the one of smaller squares: 1 and 1 rather than 2 and 0.
    level = [Entrant("a", 6), Entrant("b", 5), Entrant("c", 5), Entrant("d", 4)]
    assert "bc" not in best(rulebook, level)


@pytest.mark.clause("woc-2019 II.7.2.d", "woc-2017 II.6.2.d", "woc-classic II.5.2.v", "cc-2024 II.4.1.c")
@pytest.mark.parametrize("rulebook", ALL_SWISS)
def test_colours_are_balanced_by_the_choice_of_opponents(rulebook: str) -> None:
    # a, b won with black, c, d with white: each black of the winners meets a white of them.
    tournament = played(field("abcdefgh", rulebook), "ae+ bf+ gc- hd-")
    pairing = next_round(tournament)
    for pair in pairs(pairing):
        assert len(set(pair) & set("abgh")) == 1
    assert blacks(pairing) == set("cdef")
    assert cost(pairing).colours == 0
    assert cost(pairing).same_colour == 0
    # It goes before alternation: a and b, c and d could alternate, but a, b have had a black too many, c, d a white.
    histories = {"a": (1, 1), "b": (1, -1), "c": (-1, 1), "d": (-1, -1)}
    group = [Entrant(name, 4, balance, last_colour=last) for name, (balance, last) in histories.items()]
    assert not best(rulebook, group) & {"ab", "cd"}


@pytest.mark.clause("woc-2019 II.7.2.e", "woc-2017 II.6.2.e", "woc-classic II.5.2.vi", "cc-2024 II.4.1.d")
@pytest.mark.parametrize("rulebook", ALL_SWISS)
def test_who_has_floated_up_floats_down_and_who_has_floated_down_floats_up(rulebook: str) -> None:
    three_above = [Entrant("a", 4, floats=-1), Entrant("b", 4), Entrant("c", 4, floats=1), Entrant("d", 2)]
    assert "cd" in best(rulebook, three_above)
    three_below = [Entrant("a", 4), Entrant("b", 2, floats=1), Entrant("c", 2), Entrant("d", 2, floats=-1)]
    assert "ad" in best(rulebook, three_below)
    # It goes before alternation: a and d, b and c could alternate, but c has floated up.
    last = {"a": -1, "b": -1, "c": 1, "d": 1}
    group = [msgspec.structs.replace(entrant, last_colour=last[entrant.id]) for entrant in three_above]
    assert "cd" in best(rulebook, group)
    # Balance goes before: c would float up, but a and c have both had a white too many.
    colours = {"a": -1, "b": 1, "c": -1, "d": 1}
    for balances, together in (({}, True), (colours, False)):
        group = [Entrant(name, 4 if name == "a" else 2, balances.get(name, 0)) for name in "abcd"]
        group[2] = msgspec.structs.replace(group[2], floats=-1)
        assert ("ac" in best(rulebook, group)) == together


@pytest.mark.clause("woc-2019 II.7.2.e", "woc-2017 II.6.2.e", "woc-classic II.5.2.vi", "cc-2024 II.4.1.d")
@pytest.mark.parametrize("rulebook", ALL_SWISS)
def test_floats_are_told_from_the_points_at_the_time(rulebook: str) -> None:
    # Round 2: a (1) meets b (0) and loses: a has floated down, b up. Then all three have one point.
    tournament = played(field("abcd", rulebook), "ac+ bd-", "ba+ dc-")
    # a 1, b 1, c 1, d 1; d (1) met c (0) in round 2: d has floated down, c up.
    assert cost(next_round(tournament)).floats == 4
    tournament = replace(tournament, withdrawals=(Withdrawal("d", 2),))
    assert cost(next_round(tournament)).floats == 3


@pytest.mark.clause("woc-2019 II.7.2.f", "woc-2017 II.6.2.f", "woc-classic II.5.2.vii", "cc-2024 II.4.1.e")
@pytest.mark.parametrize("rulebook", ALL_SWISS)
def test_balanced_players_alternate_colours(rulebook: str) -> None:
    # All drawn, all balanced after two rounds: only the colour of the last game is left to tell.
    tournament = played(field("abcd", rulebook), "ab= cd=", "ca= db=")
    for seed in range(6):
        pairing = next_round(replace(tournament, seed=seed))
        assert pairs(pairing) == {"ad", "bc"}
        assert blacks(pairing) == {"a", "b"}, "by no lot"
        assert cost(pairing).same_colour == 0
    # Balance goes before alternation: a has had two whites and one black, ending with black.
    tournament = played(field("abcdef", rulebook), "ba= dc= fe=", "ca= eb= df=", "ae= bd= fc=")
    pairing = next_round(tournament)
    assert cost(pairing).colours == 0
    assert "a" in blacks(pairing)


@pytest.mark.clause("woc-2019 II.7.2.g", "woc-2017 II.6.2.g")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_countrymen_are_kept_apart_only_where_all_else_is_equal(rulebook: str) -> None:
    # Winners with white: b d f h; of them b and d are countrymen, and all else leaves all pairs equal.
    tournament = played(field("abcdefgh", rulebook, country=" F F J J"), "ab- cd- ef- gh-")
    pairing = next_round(tournament)
    assert cost(pairing).same_country == 0
    # Here points go first: b and d are the only ones with 1, and meet.
    tournament = played(field("abcd", rulebook, country="IFJF"), "ab- cd-")
    pairing = next_round(tournament)
    assert pairs(pairing) == {"ac", "bd"}
    assert cost(pairing).same_country == 1
    # Colours go first as well.
    tournament = played(field("abcdefgh", rulebook, country="JF JF   "), "ae+ bf+ gc- hd-")
    assert cost(next_round(tournament)).colours == 0


@pytest.mark.parametrize("rulebook", ["woc-classic", "cc-2024", "usoa"])
def test_other_texts_have_no_country_rule(rulebook: str) -> None:
    tournament = played(field("abcd", rulebook, country="FFFF"), "ab+ cd+")
    assert cost(next_round(tournament)).same_country == 0


@pytest.mark.clause("woc-classic II.5.2.i")
def test_team_mates_never_meet_in_the_last_two_rounds_of_woc_classic() -> None:
    # a and c have won, and are of one team: before the last two rounds they meet, in them rather a rematch.
    for planned, together in ((4, True), (3, False), (2, False)):
        tournament = played(field("abcd", "woc-classic", team="FIFJ", rounds_planned=planned), "ab+ cd+")
        pairing = next_round(tournament)
        assert ("ac" in pairs(pairing)) == together, planned
        assert cost(pairing).same_team == 0
    tournament = played(field("abcd", "woc-classic", team="FIFJ", rounds_planned=3), "ab+ cd+", "ad+ bc+")
    pairing = next_round(tournament)
    assert "ac" not in pairs(pairing)
    assert cost(pairing).rematches == 2
    # Where they cannot be kept apart, or are pinned, the director is told.
    two = next_round(played(field("ab", "woc-classic", team="FF", rounds_planned=2), "ab+"))
    assert any(
        "are of one team, in one of the last rounds: even the best" in str(warning)
        for warning in two.warnings
    )
    four = played(field("abcd", "woc-classic", team="FIFJ", rounds_planned=2), "ab+ cd+")
    pinned = next_round(replace(four, pins=(Pin("a", "c"),)))
    assert list(map(str, pinned.warnings)) == ["a-c are of one team, in one of the last rounds: pinned"]
    # Other texts have no such rule.
    other = played(field("abcd", "woc-2019", team="FIFJ", rounds_planned=2), "ab+ cd+")
    assert "ac" in pairs(next_round(other))


@pytest.mark.clause("woc-2019 II.8", "woc-2017 II.7", "woc-classic II.6", "cc-2024 II.8")
@pytest.mark.parametrize("rulebook", ALL_SWISS)
def test_a_withdrawn_player_is_not_paired_and_a_bye_takes_his_place(rulebook: str) -> None:
    tournament = played(field("abcdef", rulebook), "ab+ cd+ ef+")
    tournament = replace(tournament, withdrawals=(Withdrawal("d", 1),))
    pairing = next_round(tournament)
    assert "d" not in {p for pair in pairs(pairing) for p in pair}
    assert pairing.bye in {"b", "f"}  # the lowest points, reading 21
    assert cost(pairing).bye_points == 0
    later = replace(tournament, withdrawals=(Withdrawal("d", 2),))
    assert next_round(later).bye is None


def test_no_second_bye_while_another_is_possible_and_then_to_the_lowest_points() -> None:
    tournament = played(field("abcde"), "ab+ cd+ e")
    assert next_round(tournament).bye in {"b", "d"}
    tournament = played(field("abc"), "ab+ c", "ac+ b", "bc+ a")
    pairing = next_round(tournament)
    assert pairing.bye == "c"  # a 3, b 2, c 1: all have had one
    assert cost(pairing).second_byes == 1
    assert any("everybody has had one" in str(line) for line in pairing.warnings)


def test_fewest_rematches_when_everybody_has_met_and_the_warning_says_which_and_why() -> None:
    tournament = played(field("abcd"), "ab+ cd+", "ac+ bd+", "ad+ bc+")
    pairing = next_round(tournament)
    assert cost(pairing).rematches == 2
    assert len(pairing.warnings) == 2
    for line in map(str, pairing.warnings):
        assert "have met already" in line
        assert "has met everybody else" in line
    named = {str(line).split()[0] for line in pairing.warnings}
    assert named == {f"{game.black}-{game.white}" for game in pairing.games}


@pytest.mark.clause("cc-2024 II.2 [7-8]")
def test_part_two_counts_rematches_within_the_part_and_reverses_colours_first() -> None:
    tournament = Tournament(
        "cc-2024",
        tuple(Player(name) for name in "abcdefgh"),
        system="round_robin_then_swiss",
        rounds_planned=11,
        seed=5,
    )
    for number in range(1, 12):
        pairing = next_round(tournament)
        assert pairing.round == number
        if number <= 7:
            assert pairing.cost is None
        else:
            assert cost(pairing).rematches == 0
        games = tuple(Game(g.black, g.white, WIN if g.black < g.white else LOSS) for g in pairing.games)
        tournament = replace(tournament, rounds=(*tournament.rounds, Round(games)))
    before = {(g.black, g.white) for done in tournament.rounds[:7] for g in done.games}
    after = [(g.black, g.white) for done in tournament.rounds[7:] for g in done.games]
    assert len(before) == 28
    assert len({frozenset(game) for game in after}) == 16
    assert all((white, black) in before for black, white in after)


@pytest.mark.clause("cc-2024 II.2 [9-10]")
@pytest.mark.parametrize("count", [9, 10])
def test_the_list_of_six_plays_two_rounds_without_the_first_four(count: int) -> None:
    names = "abcdefghij"[:count]
    tournament = Tournament(
        "cc-2024",
        tuple(Player(name) for name in names),
        system="round_robin_with_semifinals",
        rounds_planned=11,
    )
    for number in range(1, 12):
        pairing = next_round(tournament)
        games = tuple(Game(g.black, g.white, WIN if g.black < g.white else LOSS) for g in pairing.games)
        tournament = replace(tournament, rounds=(*tournament.rounds, Round(games, pairing.byes)))
        if number > 9:
            here = {p for g in games for p in (g.black, g.white)} | set(pairing.byes)
            assert here == set(names[4:])
            assert (pairing.bye is None) == (count == 10)
            assert cost(pairing).rematches == 0
    pairs_of_six = [frozenset((g.black, g.white)) for done in tournament.rounds[9:] for g in done.games]
    assert len(set(pairs_of_six)) == len(pairs_of_six)
    byes = [player for done in tournament.rounds[9:] for player in done.byes]
    assert len(set(byes)) == len(byes)


def no_show(
    tournament: Tournament, players: str, score: tuple[int, int] = (64, 0), **facts: Any
) -> Tournament:
    """Return the tournament with a round of one game that was forfeited."""
    game = Game(players[0], players[1], score, "forfeit", **facts)
    return replace(tournament, rounds=(*tournament.rounds, Round((game,), tuple(players[2:]))))


@pytest.mark.clause("woc-2019 II.7.2.a", "woc-2017 II.6.2.a", "woc-classic II.5.2.ii", "cc-2024 II.4.1.a")
@pytest.mark.parametrize("score", [(64, 0), (0, 64), (0, 0)])
@pytest.mark.parametrize("name", ALL_SWISS)
def test_a_no_show_is_no_game_the_two_may_meet_and_have_had_no_colour(
    name: str, score: tuple[int, int]
) -> None:
    before = no_show(field("ab", name), "ab", score)
    pairing = next_round(before)
    assert pairs(pairing) == {"ab"}
    assert cost(pairing).rematches == 0
    state = state_before(before, 2)
    assert [(e.balance, e.floats, e.last_colour) for e in state.entrants] == [(0, 0, 0)] * 2
    assert [e.half_points for e in state.entrants] == [2 * (discs > 0) for discs in score]
    played_after_all = no_show(field("ab", name), "ab", score, transcript="f5d6")
    assert cost(next_round(played_after_all)).rematches == 1
    lost_on_time = Game("a", "b", (64, 0), "second_flag", no_show=True)
    assert cost(next_round(replace(before, rounds=(Round((lost_on_time,)),)))).rematches == 0
    sat_there = replace(lost_on_time, no_show=False)
    assert cost(next_round(replace(before, rounds=(Round((sat_there,)),)))).rematches == 1
    without_sensors = no_show(field("ab", name), "ab", score, no_show=False)
    assert cost(next_round(without_sensors)).rematches == 1
    director_gave_it = replace(before, rounds=(Round((Game("a", "b", (64, 0), "awarded"),)),))
    assert cost(next_round(director_gave_it)).rematches == 1


def test_a_rulebook_can_say_that_a_no_show_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    text = rulebook("woc-2019")
    event = msgspec.structs.replace(text.event, no_show="a game")
    strict = msgspec.structs.replace(text, event=event)
    monkeypatch.setattr("hub.rulebook.rulebook", lambda name: strict)
    assert cost(next_round(no_show(field("ab"), "ab"))).rematches == 1
