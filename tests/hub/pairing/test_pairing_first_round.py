"""The first round: groups A and B by lot, and what bans, pins and odd numbers make of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.model.games import Game, Pin, Round
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.pairing.check import check
from hub.pairing.first_round import draw_first_round
from hub.pairing.lots import Lots
from hub.pairing.next_round import next_round


def field(past: int, others: int) -> tuple[Player, ...]:
    return tuple(Player(f"p{n}", past_semifinalist=n < past) for n in range(past + others))


@pytest.mark.clause("woc-2019 II.7.1", "woc-2017 II.6.1", "woc-classic II.5.1")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic"])
@settings(max_examples=40)
@given(past=st.integers(0, 9), others=st.integers(0, 9), seed=st.integers(0, 9999))
def test_past_semi_finalists_meet_others_black_and_white_in_turn(
    rulebook: str, past: int, others: int, seed: int
) -> None:
    if past + others == 0:
        return
    players = field(past, others)
    tournament = Tournament(rulebook, players, seed=seed)
    pairing = next_round(tournament)
    assert pairing.cost is None
    assert (pairing.bye is None) == ((past + others) % 2 == 0)
    group_a = {p.id for p in players if p.past_semifinalist} - {pairing.bye}
    group_b = {p.id for p in players if not p.past_semifinalist} - {pairing.bye}
    across = [g for g in pairing.games if (g.black in group_a) != (g.white in group_a)]
    assert len(across) == min(len(group_a), len(group_b))
    assert [g.black in group_a for g in across] == [at % 2 == 0 for at in range(len(across))]
    games = tuple(Game(g.black, g.white) for g in pairing.games)
    assert check(replace(tournament, rounds=(Round(games, pairing.byes),)))[0].optimal


@pytest.mark.parametrize("rulebook", ["cc-2024", "usoa"])
def test_other_texts_draw_everybody_from_one_group(rulebook: str) -> None:
    crossed = set()
    for seed in range(30):
        pairing = next_round(Tournament(rulebook, field(4, 4), seed=seed))
        past = {"p0", "p1", "p2", "p3"}
        crossed.add(sum((g.black in past) != (g.white in past) for g in pairing.games))
    assert len(crossed) > 1


def test_the_draw_is_the_seeds_whatever_the_order_of_the_file() -> None:
    players = field(5, 8)
    drawn = {next_round(Tournament("woc-2019", players, seed=seed)).games for seed in range(20)}
    assert len(drawn) == 20
    for seed in range(5):
        forward = next_round(Tournament("woc-2019", players, seed=seed))
        assert forward == next_round(Tournament("woc-2019", players[::-1], seed=seed))


def test_lots_are_these_on_every_machine() -> None:
    assert Lots(1, "round", 3).shuffled("abcdefgh") == list("fcahebgd")
    assert [Lots(7, "x").below(6) for _ in range(2)] == [Lots(7, "x").below(6)] * 2


def test_every_player_gets_the_bye_and_each_opponent_and_colour_in_some_draw() -> None:
    byes, games = set(), set()
    for seed in range(120):
        drawn, bye = draw_first_round(field(0, 5), True, Lots(seed))
        byes.add(bye)
        games |= set(drawn)
    assert byes == {f"p{n}" for n in range(5)}
    assert len(games) == 20


@settings(max_examples=60)
@given(st.integers(0, 5), st.integers(1, 8), st.integers(0, 99), st.data())
def test_banned_pairs_are_avoided_wherever_a_draw_without_them_exists(
    past: int, others: int, seed: int, data: st.DataObject
) -> None:
    players = field(past, others)
    ids = [player.id for player in players]
    two = st.lists(st.sampled_from(ids), min_size=2, max_size=2, unique=True).map(frozenset)
    bans = data.draw(st.frozensets(two, max_size=12)) if len(ids) > 1 else frozenset()
    games, bye = draw_first_round(players, True, Lots(seed), bans)
    named = [p for game in games for p in game] + ([bye] if bye else [])
    assert sorted(named) == sorted(ids)
    clashes = sum(frozenset(game) in bans for game in games)
    assert (clashes == 0) == _possible(sorted(ids), bans)


@pytest.mark.clause("woc-2019 II.7.1")
def test_where_a_pair_is_banned_as_many_past_semi_finalists_meet_others() -> None:
    for seed in range(40):
        games, _ = draw_first_round(field(2, 6), True, Lots(seed))
        ban = frozenset(games[seed % 4])
        again, _ = draw_first_round(field(2, 6), True, Lots(seed), frozenset({ban}))
        assert ban not in map(frozenset, again)
        kept = set(map(frozenset, games)) & set(map(frozenset, again))
        assert len(kept) == 2, (
            "the pair exchanges partners with one other, and the rest stays as it was drawn"
        )
        assert sum((a in ("p0", "p1")) != (b in ("p0", "p1")) for a, b in again) == 2
        # One exchange does not always do.
        left = {frozenset(("p0", "p3")), frozenset(("p1", "p4")), frozenset(("p2", "p5"))}
        bans = frozenset(frozenset((f"p{a}", f"p{b}")) for a in range(3) for b in range(3, 6)) - left
        assert set(map(frozenset, draw_first_round(field(3, 3), True, Lots(seed), bans)[0])) == left


def _possible(ids: list[str], bans: frozenset[frozenset[str]]) -> bool:
    """Return True if all (or all but one) can be paired without a banned pair."""
    if len(ids) % 2:
        return any(_possible(ids[:at] + ids[at + 1 :], bans) for at in range(len(ids)))
    if not ids:
        return True
    first, *rest = ids
    return any(
        frozenset((first, other)) not in bans and _possible(rest[:at] + rest[at + 1 :], bans)
        for at, other in enumerate(rest)
    )


def test_pins_stand_and_the_rest_is_drawn_as_if_they_were_not_there() -> None:
    tournament = Tournament(
        "woc-2019", field(3, 5), seed=4, pins=(Pin("p7", "p0", 3), Pin("p5", "p6")), bans=(("p0", "p7"),)
    )
    pairing = next_round(tournament)
    assert list(map(str, pairing.warnings)) == ["p7-p0 is pinned, though banned"]
    assert [(g.table, g.black, g.white) for g in pairing.games if g.table == 3] == [(3, "p7", "p0")]
    assert ("p5", "p6") in {(g.black, g.white) for g in pairing.games}
    rest = [g for g in pairing.games if g.black not in ("p7", "p5")]
    assert [{g.black, g.white} & {"p1", "p2"} != set() for g in rest] == [True, True]
    assert len({g.black for g in rest} & {"p1", "p2"}) == 1


def test_the_check_finds_a_first_round_against_the_rules() -> None:
    players = field(2, 2)
    good = Round((Game("p0", "p2"), Game("p3", "p1")))
    both_black = Round((Game("p0", "p2"), Game("p1", "p3")))
    not_across = Round((Game("p0", "p1"), Game("p2", "p3")))
    two_byes = Round((Game("p0", "p2"),), ("p1", "p3"))
    verdicts = [
        check(Tournament("woc-2019", players, rounds=(drawn,)))[0]
        for drawn in (good, both_black, not_across, two_byes)
    ]
    assert [line.optimal for line in verdicts] == [True, False, False, False]
    assert all(line.cost is None and line.best is None for line in verdicts)
    assert [line.fault for line in verdicts] == [
        "",
        "past semi-finalists have black in 2 of these games, 1 are due",
        "0 games of past semi-finalists against others, 2 are due",
        "2 byes among 4 players",
    ]
