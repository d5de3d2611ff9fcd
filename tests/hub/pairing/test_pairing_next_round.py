"""The next round as a director meets it, and the first draw: groups A and B by lot, bans, pins and odd numbers."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.cli import pairing
from hub.formats.tournament_file import write_tournament
from hub.main import main
from hub.model.games import Game, Pin, Round
from hub.model.players import Player
from hub.model.tournament import Absence, Tournament, Withdrawal
from hub.pairing.check import check
from hub.pairing.cost import COST_FIELDS, cost_of_draft
from hub.pairing.explain import explain
from hub.pairing.lots import Lots
from hub.pairing.next_round import draw_first_round, next_round, seated
from hub.pairing.state import Entrant, RoundState
from hub.rounds.paired import pair_in_child, paired_round
from hub.text import Refused

WIN = (40, 24)


def field(count: int, **more: object) -> Tournament:
    tournament = Tournament("woc-2019", tuple(Player(f"p{n}", name=f"N{n}") for n in range(count)), seed=3)
    return replace(tournament, **more)  # type: ignore[arg-type]


def after(tournament: Tournament, rounds: int) -> Tournament:
    for _ in range(rounds):
        pairing = next_round(tournament)
        games = tuple(Game(g.black, g.white, WIN) for g in pairing.games)
        tournament = replace(tournament, rounds=(*tournament.rounds, Round(games, pairing.byes)))
    return tournament


def error(tournament: Tournament) -> str:
    with pytest.raises(Refused) as fault:
        next_round(tournament)
    assert "\n" not in str(fault.value)
    return str(fault.value)


def test_a_game_without_score_is_named() -> None:
    tournament = after(field(4), 1)
    games = list(tournament.rounds[0].games)
    games[1] = replace(games[1], score=None)
    message = error(replace(tournament, rounds=(Round(tuple(games)),)))
    assert message.startswith("rounds[0].games[1].score: ")
    assert f"{games[1].black}-{games[1].white}" in message
    with pytest.raises(Refused, match=re.escape("rounds[0].games[1].score: ")):
        check(replace(tournament, rounds=(Round(tuple(games)), Round())))


def test_no_round_after_the_last_one() -> None:
    assert error(after(field(6, rounds_planned=2), 2)).startswith("rounds: all 2 planned rounds")


def test_an_empty_room_is_named() -> None:
    assert error(field(0)).startswith("players: ")
    assert error(after(field(2, withdrawals=(Withdrawal("p0", 1), Withdrawal("p1", 1))), 1)).startswith(
        "players: "
    )


@pytest.mark.parametrize(
    ("pins", "field_name", "why"),
    [
        ((Pin("p0", "p1"),), "pins[0].black", "withdrew after round 0"),
        ((Pin("p3", "p1"),), "pins[0].white", "is absent in round 2"),
        ((Pin("p3", "p2"),), "pins[0].white", "enters in round 3"),
        ((Pin("p3", "zz"),), "pins[0].white", "is not among the players"),
        ((Pin("p3", "p4"), Pin("p5", "p3")), "pins[1].white", "of pins[0]"),
        ((Pin("p3", "p3"),), "pins[0].white", "of pins[0]"),
        ((Pin("p3", "p4", 1), Pin("p5", "p6", 1)), "pins[1].table", "of pins[0]"),
        ((Pin("p3", "p4", 0),), "pins[0].table", "1 or more"),
    ],
)
def test_a_pin_that_cannot_stand_is_named(pins: tuple[Pin, ...], field_name: str, why: str) -> None:
    tournament = field(8, withdrawals=(Withdrawal("p0", 0),), absences=(Absence("p1", 2),))
    players = tuple(replace(p, from_round=3) if p.id == "p2" else p for p in tournament.players)
    message = error(replace(after(replace(tournament, players=players), 1), pins=pins))
    assert message.startswith(field_name + ": ")
    assert why in message


def test_one_two_and_three_players() -> None:
    lone = next_round(after(field(1), 1))
    assert (lone.games, lone.bye) == ((), "p0")
    assert lone.proven
    two = next_round(after(field(2), 1))
    assert len(two.games) == 1
    assert two.cost is not None
    assert two.cost.rematches == 1
    assert two.warnings
    three = next_round(after(field(3), 1))
    assert three.cost is not None
    assert (three.cost.rematches, three.cost.second_byes) == (0, 0)


def test_pins_stand_whatever_they_cost_and_the_rest_is_the_best_that_is_left() -> None:
    tournament = after(field(9), 3)
    free = next_round(tournament)
    met = tournament.rounds[0].games[0]
    pinned = next_round(
        replace(tournament, pins=(Pin(met.white, met.black, 4),), bans=((met.black, met.white),))
    )
    assert (4, met.white, met.black) in {(g.table, g.black, g.white) for g in pinned.games}
    assert pinned.proven
    assert pinned.cost is not None and free.cost is not None
    assert pinned.cost > free.cost
    assert pinned.cost.rematches == 1
    assert f"{met.white}-{met.black} have met already: pinned" in map(str, pinned.warnings)
    assert f"{met.white}-{met.black} is pinned, though banned" in map(str, pinned.warnings)
    assert "pinned by the director" in "\n".join(
        map(str, explain(replace(tournament, pins=(Pin(met.white, met.black),)), pinned))
    )


def test_where_everybody_is_pinned_nothing_is_left_to_pair() -> None:
    tournament = replace(after(field(2), 1), pins=(Pin("p0", "p1"),))
    pairing = next_round(tournament)
    assert [(g.black, g.white) for g in pairing.games] == [("p0", "p1")] and pairing.proven
    assert pairing.cost is not None and pairing.cost.rematches == 1


def test_bans_are_kept_and_bans_that_leave_no_pairing_are_named() -> None:
    tournament = after(field(8), 1)
    for _ in range(3):
        game = next_round(tournament).games[0]
        tournament = replace(tournament, bans=(*tournament.bans, (game.white, game.black)))
    banned = {frozenset(ban) for ban in tournament.bans}
    assert not banned & {frozenset((g.black, g.white)) for g in next_round(tournament).games}
    everybody = tuple((f"p{a}", f"p{b}") for a in range(4) for b in range(a))
    message = error(replace(after(field(4), 1), bans=everybody))
    assert message.startswith("bans: ")
    assert error(field(4, bans=everybody)).startswith("bans: ")


def test_tables_go_from_the_highest_points_down_and_pinned_tables_are_kept() -> None:
    tournament = after(field(12), 3)
    points = {p.id: 0 for p in tournament.players}
    for done in tournament.rounds:
        for game in done.games:
            points[game.black] += 2
    pairing = next_round(tournament)
    best = [sorted((points[g.black], points[g.white]), reverse=True) for g in pairing.games]
    assert best == sorted(best, reverse=True)
    entrants = tuple(Entrant(player, points) for player, points in (("a", 4), ("b", 0), ("c", 3), ("d", 3)))
    assert seated(RoundState(2, entrants), [("c", "d"), ("a", "b")], ())[0].black == "a"
    last = pairing.games[-1]
    pinned = next_round(replace(tournament, pins=(Pin(last.black, last.white, 2),)))
    assert [g.table for g in pinned.games] == list(range(1, 7))
    assert (pinned.games[1].black, pinned.games[1].white) == (last.black, last.white)


def test_equal_pairings_are_drawn_by_the_seed() -> None:
    tournament = after(field(16), 1)
    seen = {
        frozenset(frozenset((g.black, g.white)) for g in next_round(replace(tournament, seed=seed)).games)
        for seed in range(12)
    }
    assert len(seen) > 6
    shuffled = replace(tournament, players=tournament.players[::-1])
    assert next_round(shuffled) == next_round(tournament)


def test_a_changed_draft_is_costed_and_must_name_everybody_once() -> None:
    tournament = after(field(9), 2)
    pairing = next_round(tournament)
    games = [(g.black, g.white) for g in pairing.games]
    byes = list(pairing.byes)
    assert cost_of_draft(tournament, games, byes) == pairing.cost
    (a, b), (c, d), *rest = games
    worse = cost_of_draft(tournament, [(a, d), (c, b), *rest], byes)
    assert worse is not None and pairing.cost is not None
    assert worse >= pairing.cost
    with pytest.raises(Refused, match=f"otherwise for {a}, {b}$" if a < b else f"for {b}, {a}$"):
        cost_of_draft(tournament, games[1:], byes)
    assert cost_of_draft(field(2), [("p0", "p1")], []) is None


def test_each_game_and_bye_is_explained() -> None:
    tournament = after(field(5), 1)
    pairing = next_round(tournament)
    assert [str(line) for line in explain(field(5), next_round(field(5)))] == ["by lot"] * 3
    lines = [str(line) for line in explain(tournament, pairing)]
    assert len(lines) == 3 and lines[2] == "lowest points (0 points)"
    assert any("floats down" in line and "3 players with 1 point, an odd number" in line for line in lines)
    four = tuple(Player(name) for name in "abcd")
    rounds = (
        Round((Game("a", "b", WIN), Game("c", "d", WIN))),
        Round((Game("c", "a", (32, 32)), Game("d", "b", (32, 32)))),
    )
    tournament = Tournament("usoa", four, rounds=rounds)
    text = "\n".join(str(line) for line in explain(tournament, next_round(tournament)))
    assert "no other player with 1½ points left who may still be met" in text


def test_the_contracts_json() -> None:
    tournament = after(field(5), 1)
    printed = json.loads(pairing.pair(tournament, as_json=True))
    assert set(printed) >= {"round", "games", "bye", "cost", "warnings"}
    assert printed["round"] == 2
    assert [list(game) for game in printed["games"]] == [["table", "black", "white"]] * 2
    assert list(printed["cost"]) == [name for name in COST_FIELDS if name != "ranks"]
    assert json.loads(pairing.pair(field(4), as_json=True))["cost"] is None
    text, optimal = pairing.check(tournament, as_json=True)
    assert optimal
    assert json.loads(text)["rounds"][0] == {
        "round": 1,
        "optimal": True,
        "cost": None,
        "best": None,
        "fault": "",
    }


def test_the_certificate_can_be_verified_from_the_json_and_the_file_alone() -> None:
    tournament = after(field(11), 3)
    printed = json.loads(pairing.pair(tournament, as_json=True))
    certificate = printed["certificate"]
    weights = {name: int(weight) for name, weight in certificate["weights"].items()}
    duals = {player: int(dual) for player, dual in certificate["duals"].items()}
    sets = [(set(s["members"]), int(s["weight"])) for s in certificate["odd_sets"]]
    chosen = {frozenset((g["black"], g["white"])) for g in printed["games"]} | {
        frozenset((printed["bye"], ""))
    }
    assert len(duals) == 12, "eleven players and the bye"
    for a in duals:
        for b in duals:
            if a >= b:
                continue
            ways = [([(a, b)], [])] if a else [([], [b])]
            costs = []
            for games, byes in [*ways, ([(b, a)], [])] if a else ways:
                others = [p for p in duals if p and p not in (a, b)]
                costs.append(_part(tournament, games, byes, others, weights))
            slack = min(costs) - duals[a] - duals[b] + sum(w for members, w in sets if {a, b} <= members)
            assert slack >= 0
            assert slack == 0 or frozenset((a, b)) not in chosen
    for members, weight in sets:
        assert weight > 0
        assert sum(len(members & pair) == 1 for pair in chosen) == 1


def _part(
    tournament: Tournament,
    games: list[tuple[str, str]],
    byes: list[str],
    others: list[str],
    weights: dict[str, int],
) -> int:
    """Return the cost of these games and byes: of the draft without everybody else, who are absent."""
    number = len(tournament.rounds) + 1
    alone = replace(tournament, absences=tuple(Absence(player, number) for player in others))
    cost = cost_of_draft(alone, games, byes)
    assert cost is not None
    return sum(weights[name] * value for name, value in cost.as_dict().items())


def test_people_get_lines() -> None:
    tournament = after(field(5), 1)
    text = pairing.pair(tournament, as_json=False)
    assert text.startswith("Round 2\n")
    assert "N0 (p0)" in text
    assert "proved" in text
    assert pairing.check(tournament, as_json=False) == ("round 1: follows the rules", True)


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "open.json"
    tournament = after(field(6), 2)
    path.write_bytes(write_tournament(tournament))
    assert main(["pair", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["round"] == 3
    assert main(["check", str(path), "--json"]) == 0
    capsys.readouterr()
    first = tournament.rounds[0]
    path.write_bytes(write_tournament(replace(tournament, rounds=(first, first))))
    assert main(["check", str(path)]) == 1
    output = capsys.readouterr().out
    assert "round 2: rematches 3, the best possible 0" in output and "corrected after the pairing" in output
    unscored = Round(tuple(replace(game, score=None) for game in first.games))
    path.write_bytes(write_tournament(replace(tournament, rounds=(unscored,))))
    assert main(["pair", str(path)]) == 2
    output = capsys.readouterr().err
    assert output.count("\n") == 1
    assert "rounds[0].games[0].score" in output


def test_the_child_process_answers_as_the_function_does_and_the_hub_loads_no_numpy() -> None:
    tournament = after(field(7), 2)
    assert asyncio.run(pair_in_child(tournament)) == paired_round(tournament)
    with pytest.raises(Refused, match=r"^rounds: all 2 planned rounds") as refused:
        asyncio.run(pair_in_child(replace(tournament, rounds_planned=2)))
    assert refused.value.message.values == {"last": 2, "number": 3}  # so that it can be said in any language
    with pytest.raises(Refused, match="within 0 s"):
        asyncio.run(pair_in_child(tournament, longest_s=0))
    program = "import sys, hub.rounds.paired, hub.pairing.next_round; print('numpy' in sys.modules)"
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert child.stdout == "False\n"


def draw_field(past: int, others: int) -> tuple[Player, ...]:
    return tuple(Player(f"p{n}", past_semifinalist=n < past) for n in range(past + others))


@pytest.mark.clause("woc-2019 II.7.1", "woc-2017 II.6.1", "woc-classic II.5.1")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic"])
@given(past=st.integers(0, 9), others=st.integers(0, 9), seed=st.integers(0, 9999))
def test_past_semi_finalists_meet_others_black_and_white_in_turn(
    rulebook: str, past: int, others: int, seed: int
) -> None:
    if past + others == 0:
        return
    players = draw_field(past, others)
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
        pairing = next_round(Tournament(rulebook, draw_field(4, 4), seed=seed))
        past = {"p0", "p1", "p2", "p3"}
        crossed.add(sum((g.black in past) != (g.white in past) for g in pairing.games))
    assert len(crossed) > 1


def test_the_draw_is_the_seeds_whatever_the_order_of_the_file() -> None:
    players = draw_field(5, 8)
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
        drawn, bye = draw_first_round(draw_field(0, 5), True, Lots(seed))
        byes.add(bye)
        games |= set(drawn)
    assert byes == {f"p{n}" for n in range(5)}
    assert len(games) == 20


@given(st.integers(0, 5), st.integers(1, 8), st.integers(0, 99), st.data())
def test_banned_pairs_are_avoided_wherever_a_draw_without_them_exists(
    past: int, others: int, seed: int, data: st.DataObject
) -> None:
    players = draw_field(past, others)
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
        games, _ = draw_first_round(draw_field(2, 6), True, Lots(seed))
        ban = frozenset(games[seed % 4])
        again, _ = draw_first_round(draw_field(2, 6), True, Lots(seed), frozenset({ban}))
        assert ban not in map(frozenset, again)
        kept = set(map(frozenset, games)) & set(map(frozenset, again))
        assert len(kept) == 2, (
            "the pair exchanges partners with one other, and the rest stays as it was drawn"
        )
        assert sum((a in ("p0", "p1")) != (b in ("p0", "p1")) for a, b in again) == 2
        # One exchange does not always do.
        left = {frozenset(("p0", "p3")), frozenset(("p1", "p4")), frozenset(("p2", "p5"))}
        bans = frozenset(frozenset((f"p{a}", f"p{b}")) for a in range(3) for b in range(3, 6)) - left
        assert set(map(frozenset, draw_first_round(draw_field(3, 3), True, Lots(seed), bans)[0])) == left


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
        "woc-2019", draw_field(3, 5), seed=4, pins=(Pin("p7", "p0", 3), Pin("p5", "p6")), bans=(("p0", "p7"),)
    )
    pairing = next_round(tournament)
    assert list(map(str, pairing.warnings)) == ["p7-p0 is pinned, though banned"]
    assert [(g.table, g.black, g.white) for g in pairing.games if g.table == 3] == [(3, "p7", "p0")]
    assert ("p5", "p6") in {(g.black, g.white) for g in pairing.games}
    rest = [g for g in pairing.games if g.black not in ("p7", "p5")]
    assert [{g.black, g.white} & {"p1", "p2"} != set() for g in rest] == [True, True]
    assert len({g.black for g in rest} & {"p1", "p2"}) == 1


def test_the_check_finds_a_first_round_against_the_rules() -> None:
    players = draw_field(2, 2)
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
