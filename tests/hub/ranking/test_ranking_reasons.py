"""The reasons for a place: examples by hand, and parts whose sums are the line of the standings."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.othello.rulebook import BUILT_IN
from hub.form.tournament import tournament_from_json
from hub.ranking.place_reasons import place_reasons
from hub.ranking.standings import standings, standings_for


def event(seed: int, rulebook: str, system: str = "swiss") -> Any:
    """Return an event with games, byes, gaps, forfeits, withdrawals and a last round that is being played."""
    chance = Random(seed)
    players = [f"p{number}" for number in range(1, chance.randint(3, 9))]
    rounds: list[dict[str, Any]] = []
    count = chance.randint(1, 4)
    leave_after = chance.choice([0, 0, 1, 2, 3])
    enough, wins = leave_after or 99, Counter[str](dict.fromkeys(players, 0))
    for number in range(1, count + 1):
        # Who has left with enough wins plays no more.
        order = [player for player in chance.sample(players, len(players)) if wins[player] < enough]
        games: list[dict[str, Any]] = []
        while len(order) > 1 and chance.random() < 0.85:
            game: dict[str, Any] = {"black": order.pop(), "white": order.pop()}
            if number < count or chance.random() < 0.6:
                black = chance.randint(1, 63)
                game["score"] = [black, 64 - black]
                if chance.random() < 0.15:
                    game |= {"score": [0, 0], "reason": "forfeit"}
            games.append(game)
            black, white = game.get("score", [0, 0])
            wins[game["black"]] += (black > white) + 0.5 * (black == white > 0)
            wins[game["white"]] += (white > black) + 0.5 * (black == white > 0)
        byes = [order.pop()] if order and chance.random() < 0.6 else []
        wins.update(byes)
        rounds.append({"games": games, "byes": byes})
    value: dict[str, Any] = {
        "format": "flagfall-tournament/1",
        "rulebook": rulebook,
        "system": system,
        "bq_constant": chance.choice([6, 5.5, "64/rounds"]),
        "players": [{"id": player} for player in players],
        "rounds": rounds,
    }
    there = {
        player for round_ in rounds for game in round_["games"] for player in (game["black"], game["white"])
    }
    there |= {player for round_ in rounds for player in round_["byes"]}
    away = [player for player in players if player not in there]
    if away:
        value["withdrawals"] = [{"player": away[0], "after_round": chance.randint(0, count)}]
    last_played = {
        player: max(
            (
                n
                for n, r in enumerate(rounds, 1)
                if any(player in (g["black"], g["white"]) for g in r["games"]) or player in r["byes"]
            ),
            default=0,
        )
        for player in players
    }
    leaver = chance.choice(players)
    if leaver not in away and last_played[leaver] < count:
        value.setdefault("withdrawals", []).append({"player": leaver, "after_round": last_played[leaver]})
    if leave_after:
        value["leave_after_wins"] = leave_after
    if rulebook in ("club", "open"):
        for player in away[1:]:
            value.setdefault("absences", []).append(
                {"player": player, "round": chance.randint(1, count), "half_point": chance.random() < 0.5}
            )
    return tournament_from_json(value)


@given(seed=st.integers(0, 10**6), rulebook=st.sampled_from(BUILT_IN))
def test_the_parts_of_each_players_rounds_are_their_line_of_the_standings(seed: int, rulebook: str) -> None:
    tournament = event(seed, rulebook)
    lines = standings(tournament)
    assert len(lines) == len(tournament.players)
    for line in lines:
        reasons = place_reasons(tournament, line.player)
        assert reasons.line == line
        assert sum(part.half_points for part in reasons.parts) == line.half_points
        assert sum(map(reasons.quotient, reasons.parts)) == line.bq
        assert sum(part.discs for part in reasons.parts) == line.discs
        assert sum(part.difference for part in reasons.parts) == line.difference
        if reasons.better is None:
            assert any(other.left_after for other in lines) and not reasons.level
        else:
            assert line in reasons.level
            assert reasons.better < line.place <= reasons.better + len(reasons.level)


def test_a_quotient_is_taken_apart() -> None:
    """Add up four rounds: a beat b, had a bye, beat c who has withdrawn since, and missed a round."""
    games = [{"black": "a", "white": "b", "score": [40, 24]}, {"black": "c", "white": "a", "score": [20, 44]}]
    tournament = tournament_from_json(
        {
            "format": "flagfall-tournament/1",
            "rulebook": "woc-2019",
            "system": "swiss",
            "players": [{"id": player} for player in "abc"],
            "rounds": [
                {"games": games[:1], "byes": ["c"]},
                {"games": [], "byes": ["a"]},
                {"games": games[1:], "byes": ["b"]},
                {"games": []},
            ],
            "withdrawals": [{"player": "c", "after_round": 3}],
        }
    )
    reasons = place_reasons(tournament, "a")
    assert [
        (part.kind, part.opponent, part.quotient_discs, part.quotient_points) for part in reasons.parts
    ] == [("game", "b", 40, 1), ("bye", "", 32, 3), ("withdrawn", "c", 32, 3), ("missed", "", 32, 3)]
    assert [reasons.quotient(part) for part in reasons.parts] == [40 + 6, 32 + 18, 32 + 18, 32 + 18]
    assert (reasons.line.place, reasons.better, len(reasons.level)) == (1, 0, 1)


@pytest.mark.clause("jof J18")
def test_a_difference_is_taken_apart_and_a_missed_round_is_a_walkover() -> None:
    tournament = tournament_from_json(
        {
            "format": "flagfall-tournament/1",
            "rulebook": "jof",
            "system": "swiss",
            "players": [{"id": player} for player in "ab"],
            "rounds": [{"games": [{"black": "a", "white": "b", "score": [40, 24]}]}, {"games": []}],
        }
    )
    parts = place_reasons(tournament, "a").parts
    assert [(part.kind, part.half_points, part.difference) for part in parts] == [
        ("game", 2, 16),
        ("missed", 0, -64),
    ]


def test_a_semi_finalist_has_the_place_of_the_round_robin_and_the_others_that_of_all_rounds() -> None:
    players = "abcdef"
    rounds = []
    order = list(players)
    for _ in range(5):
        pairs = list(zip(order[:3], order[:2:-1], strict=True))
        rounds.append(
            {"games": [{"black": min(pair), "white": max(pair), "score": [40, 24]} for pair in pairs]}
        )
        order = [order[0], order[-1], *order[1:-1]]
    later = {"games": [{"black": "e", "white": "f", "score": [34, 30]}]}
    tournament = tournament_from_json(
        {
            "format": "flagfall-tournament/1",
            "rulebook": "cc-2024",
            "system": "round_robin_with_semifinals",
            "rounds_planned": 7,
            "players": [{"id": player} for player in players],
            "rounds": [*rounds, later],
        }
    )
    assert [len(standings_for(tournament, player)[0]) for player in "adef"] == [5, 5, 6, 6]
    lines = {line.player: line for line in standings(tournament)}
    for player in players:
        reasons = place_reasons(tournament, player)
        assert sum(map(reasons.quotient, reasons.parts)) == lines[player].bq
