"""Round robins: the circle, its cycles, odd numbers, missing players, and rounds that others have drawn."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.model.games import Game, Pin, Round
from hub.model.players import Player
from hub.model.tournament import Absence, Tournament, Withdrawal
from hub.pairing.check import check
from hub.pairing.lots import Lots
from hub.pairing.next_round import next_round
from hub.pairing.round_robin import Circle, circle_by_lot, circle_of

CYCLES = {"round_robin": 1, "double_round_robin": 2, "triple_round_robin": 3}


def field(count: int, system: str = "round_robin", seed: int = 1, rulebook: str = "cc-2024") -> Tournament:
    rounds = CYCLES[system] * (count - 1 + count % 2)
    players = tuple(Player(f"p{n}") for n in range(count))
    return Tournament(rulebook, players, system=system, rounds_planned=rounds, seed=seed)


def play(tournament: Tournament, rounds: int | None = None) -> Tournament:
    for _ in range(tournament.rounds_planned if rounds is None else rounds):
        pairing = next_round(tournament)
        assert pairing.cost is None
        games = tuple(Game(g.black, g.white, (40, 24)) for g in pairing.games)
        tournament = replace(tournament, rounds=(*tournament.rounds, Round(games, pairing.byes)))
    return tournament


def meetings(tournament: Tournament, first: int = 0, last: int | None = None) -> Counter[frozenset[str]]:
    return Counter(
        frozenset((g.black, g.white)) for done in tournament.rounds[first:last] for g in done.games
    )


@pytest.mark.clause("cc-2024 II.4.2", "cc-2024 II.2 [11-12]", "woc-2019 II.2.b", "woc-2017 II.2.b")
@pytest.mark.clause("woc-classic II.2.b")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
@pytest.mark.parametrize("count", range(2, 15))
def test_everybody_meets_everybody_once_one_stays_and_the_others_rotate(rulebook: str, count: int) -> None:
    tournament = play(field(count, seed=count, rulebook=rulebook))
    ids = [player.id for player in tournament.players]
    assert len(tournament.rounds) == (count if count % 2 else count - 1)
    assert meetings(tournament) == Counter(frozenset(pair) for pair in combinations(ids, 2))
    byes = [player for done in tournament.rounds for player in done.byes]
    assert sorted(byes) == (sorted(ids) if count % 2 else [])
    colours = Counter(g.black for done in tournament.rounds for g in done.games)
    for player in ids:
        whites = count - 1 - colours[player]
        assert abs(colours[player] - whites) == (count - 1) % 2
        had = "".join(
            "bw"[g.white == player]
            for done in tournament.rounds
            for g in done.games
            if player in (g.black, g.white)
        )
        assert "bbb" not in had and "www" not in had, "colours alternate, but for the game with who stays"
    # The rotation: from one round to the next, each seat's players move one seat on.
    played = [[(g.black, g.white) for g in done.games] for done in tournament.rounds]
    assert circle_of(ids, played, Lots(0)) is not None
    assert all(line.optimal and line.cost is None for line in check(tournament))


@pytest.mark.clause("cc-2024 II.2 [5-6]", "woc-2019 II.2.a", "woc-2017 II.2.a", "woc-classic II.2.a")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
@pytest.mark.parametrize("count", range(2, 9))
def test_the_second_cycle_swaps_the_colours(rulebook: str, count: int) -> None:
    tournament = play(field(count, "double_round_robin", rulebook=rulebook))
    length = count - 1 + count % 2
    first = {(g.black, g.white) for done in tournament.rounds[:length] for g in done.games}
    second = {(g.white, g.black) for done in tournament.rounds[length:] for g in done.games}
    assert first == second
    assert all(line.optimal for line in check(tournament))
    swapped = tournament.rounds[-1]
    same = Round(tuple(replace(g, black=g.white, white=g.black) for g in swapped.games), swapped.byes)
    assert not check(replace(tournament, rounds=(*tournament.rounds[:-1], same)))[-1].optimal


@pytest.mark.clause("cc-2024 II.2 [4 or less]")
@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_third_cycle_has_colours_by_lot(count: int) -> None:
    length = count - 1 + count % 2
    thirds = set()
    for seed in range(12):
        tournament = play(field(count, "triple_round_robin", seed))
        assert set(meetings(tournament).values()) == {3}
        assert set(meetings(tournament, 0, length).values()) == {1}
        assert set(meetings(tournament, length, 2 * length).values()) == {1}
        first = {(g.black, g.white) for done in tournament.rounds[:length] for g in done.games}
        second = {(g.white, g.black) for done in tournament.rounds[length : 2 * length] for g in done.games}
        assert first == second
        third = {(g.black, g.white) for done in tournament.rounds[2 * length :] for g in done.games}
        thirds.add(len(first & third))
        assert all(line.optimal for line in check(tournament))
    assert len(thirds) > 1


def test_withdrawn_and_absent_players_leave_byes_and_nobody_else_changes() -> None:
    whole = play(field(8))
    tournament = replace(field(8), withdrawals=(Withdrawal("p3", 2),), absences=(Absence("p5", 4),))
    tournament = play(tournament)
    for number, (full, left) in enumerate(zip(whole.rounds, tournament.rounds, strict=True), 1):
        gone = {"p3"} if number > 2 else set()
        gone |= {"p5"} if number == 4 else set()
        expected = [(g.black, g.white) for g in full.games if not {g.black, g.white} & gone]
        assert sorted(expected) == sorted((g.black, g.white) for g in left.games)
        here = {p for g in left.games for p in (g.black, g.white)} | set(left.byes)
        assert here == {f"p{n}" for n in range(8)} - gone
    assert all(line.optimal for line in check(tournament))


def test_who_never_began_has_no_seat() -> None:
    tournament = replace(field(8), withdrawals=(Withdrawal("p3", 0),), rounds_planned=7)
    tournament = play(tournament)
    assert Counter(p for done in tournament.rounds for p in done.byes) == Counter(
        f"p{n}" for n in range(8) if n != 3
    )


@given(st.integers(4, 12), st.integers(0, 999), st.booleans(), st.data())
def test_rounds_drawn_by_others_on_a_circle_are_carried_on(
    count: int, seed: int, berger: bool, data: st.DataObject
) -> None:
    tournament = field(count)
    ids = [player.id for player in tournament.players]
    circle = circle_by_lot(ids, Lots(seed))
    if berger:  # the seats' numbers doubled: the rounds of the circle in another order, as in printed tables
        turns = len(circle.rotating)
        circle = Circle(circle.reference, tuple(circle.rotating[2 * at % turns] for at in range(turns)))
    done = []
    for r in range(data.draw(st.integers(1, count - 2))):
        games = [pair for pair in circle.pairs(r) if None not in pair]
        turned = [pair[::-1] if data.draw(st.booleans()) else pair for pair in games]
        idle = [p for pair in circle.pairs(r) if None in pair for p in pair if p is not None]
        done.append(Round(tuple(Game(str(b), str(w), (40, 24)) for b, w in turned), tuple(idle)))
    tournament = replace(tournament, rounds=tuple(done))
    tournament = play(tournament, tournament.rounds_planned - len(done))
    assert set(meetings(tournament).values()) == {1}
    assert len(meetings(tournament)) == count * (count - 1) // 2


def test_rounds_that_follow_no_circle_go_on_with_games_not_played_and_a_warning() -> None:
    def drawn(*games: str) -> Round:
        return Round(tuple(Game(f"p{g[0]}", f"p{g[1]}", (40, 24)) for g in games))

    tournament = replace(field(6), rounds=(drawn("01", "23", "45"), drawn("02", "13", "45")))
    pairing = next_round(tournament)
    assert any("follow no such order" in str(line) for line in pairing.warnings)
    names = {frozenset((g.black, g.white)) for g in pairing.games}
    assert not names & set(meetings(tournament))
    assert check(tournament)[1].fault == "p4-p5 have met in this cycle already"


def test_a_pin_stands_and_is_warned_of_where_it_breaks_the_circle() -> None:
    tournament = play(field(10), 1)
    due = next_round(tournament).games[0]
    turned = replace(tournament, pins=(Pin(due.white, due.black, 2),))
    pairing = next_round(turned)
    assert (2, due.white, due.black) in {(g.table, g.black, g.white) for g in pairing.games}
    assert pairing.warnings == ()
    first = tournament.rounds[0].games[0]
    again = next_round(replace(tournament, pins=(Pin(first.black, first.white),)))
    assert (first.black, first.white) in {(g.black, g.white) for g in again.games}
    assert any("pinned" in str(line) for line in again.warnings)
    assert any(f"{first.black}-{first.white}" in str(line) for line in again.warnings)
    circle = {frozenset((g.black, g.white)) for g in next_round(tournament).games}
    kept = circle & {frozenset((g.black, g.white)) for g in again.games}
    assert len(kept) == 3, "what the pin leaves of the circle stays"


def test_bans_do_not_bind_and_are_told() -> None:
    tournament = field(4)
    game = next_round(tournament).games[0]
    pairing = next_round(replace(tournament, bans=((game.white, game.black),)))
    assert game in pairing.games
    assert any("banned" in str(line) for line in pairing.warnings)


def test_pins_that_are_the_whole_round_of_the_circle_break_nothing() -> None:
    tournament = Tournament(
        "cc-2024", tuple(Player(name) for name in "abcd"), system="round_robin", rounds_planned=3
    )
    drawn = next_round(tournament)
    pinned = next_round(replace(tournament, pins=tuple(Pin(*game.players) for game in drawn.games)))
    assert (pinned.games, pinned.warnings) == (drawn.games, ())
