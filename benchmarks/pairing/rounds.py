"""Simulated Swiss tournaments, round after round.

Ordinary: players from many countries, results by strength and luck. Hard: four in ten from one country, results by
strength alone, some players absent, so that floats, colours and countries are at odds everywhere.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import numpy  # noqa: F401 - loaded before anything is measured

from hub.model.games import Game, Round
from hub.model.players import Player
from hub.model.tournament import Absence, Tournament
from hub.pairing.next_round import next_round

ROUNDS = 13
KINDS = ("ordinary", "hard")


def rounds(count: int, kind: str, last: int = ROUNDS) -> Iterator[Tournament]:
    """Yield the tournament before each of rounds 1 to `last`, which is then paired by us and played."""
    dice = random.Random(f"{count} {kind}")
    tournament = _enter(count, kind, dice)
    strength = {player.id: dice.gauss(0, 1) for player in tournament.players}
    luck = 1.0 if kind == "ordinary" else 0.2
    for number in range(1, last + 1):
        yield tournament
        pairing = next_round(tournament)
        assert number == 1 or pairing.proven
        games = []
        for game in pairing.games:
            edge = strength[game.black] - strength[game.white] + dice.gauss(0, luck)
            discs = 32 if dice.random() < 0.03 else 33 + int(abs(edge) * 8) % 31
            score = (discs, 64 - discs) if edge > 0 else (64 - discs, discs)
            games.append(Game(game.black, game.white, score))
        tournament = replace(tournament, rounds=(*tournament.rounds, Round(tuple(games), pairing.byes)))


def _enter(count: int, kind: str, dice: random.Random) -> Tournament:
    countries = [f"C{n}" for n in range(40)] if kind == "ordinary" else [f"C{n}" for n in range(6)]
    weights = [1.0] * 40 if kind == "ordinary" else [8, 4, 3, 2, 2, 1]
    home = dice.choices(countries, weights, k=count)
    players = tuple(Player(str(n), country=home[n - 1]) for n in range(1, count + 1))
    absences: tuple[Absence, ...] = ()
    if kind == "hard":
        absences = tuple(
            Absence(player.id, r) for r in range(2, ROUNDS + 1) for player in players if dice.random() < 0.02
        )
    return Tournament("woc-2019", players, seed=1, rounds_planned=ROUNDS, absences=absences)
