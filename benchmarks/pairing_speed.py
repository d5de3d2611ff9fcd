"""How long one Swiss round takes to pair and prove, and how much memory: rounds of simulated tournaments.

Ordinary: players from many countries, results by strength and luck. Hard: four in ten from one country, results by
strength alone, some players absent, so that floats, colours and countries are at odds everywhere.
Arguments: numbers of players (100 500 2000 if none are given).
"""

from __future__ import annotations

import random
import resource
import sys
import time
from dataclasses import replace

import hub.pairing.swiss  # noqa: F401 - loads numpy before anything is measured
from hub.pairing.next_round import next_round
from hub.tournament import Absence, Game, Player, Round, Tournament

ROUNDS = 13
AIMS_S = {(100, "ordinary"): 0.05, (500, "ordinary"): 0.2, (2000, "ordinary"): 2.0, (2000, "hard"): 5.0}


def field_of(count: int, kind: str, dice: random.Random) -> Tournament:
    countries = [f"C{n}" for n in range(40)] if kind == "ordinary" else [f"C{n}" for n in range(6)]
    weights = [1.0] * 40 if kind == "ordinary" else [8, 4, 3, 2, 2, 1]
    home = dice.choices(countries, weights, k=count)
    players = tuple(Player(str(n), country=home[n]) for n in range(count))
    absences: tuple[Absence, ...] = ()
    if kind == "hard":
        absences = tuple(
            Absence(player.id, r) for r in range(2, ROUNDS + 1) for player in players if dice.random() < 0.02
        )
    return Tournament("woc-2019", players, seed=1, rounds_planned=ROUNDS, absences=absences)


def measure(count: int, kind: str) -> None:
    dice = random.Random(f"{count} {kind}")
    tournament = field_of(count, kind, dice)
    strength = {player.id: dice.gauss(0, 1) for player in tournament.players}
    luck = 1.0 if kind == "ordinary" else 0.2
    seconds, busy = [], []
    for number in range(1, ROUNDS + 1):
        start, work = time.perf_counter(), time.process_time()
        pairing = next_round(tournament)
        if number > 1:
            seconds.append(time.perf_counter() - start)
            busy.append(time.process_time() - work)
            assert pairing.proven
        games = []
        for game in pairing.games:
            edge = strength[game.black] - strength[game.white] + dice.gauss(0, luck)
            discs = 32 if dice.random() < 0.03 else 33 + int(abs(edge) * 8) % 31
            games.append(
                Game(game.black, game.white, (discs, 64 - discs) if edge > 0 else (64 - discs, discs))
            )
        tournament = replace(tournament, rounds=(*tournament.rounds, Round(tuple(games), pairing.byes)))
    aim = AIMS_S.get((count, kind))
    print(
        f"{count:>6} players, {kind:<8}: median {sorted(seconds)[len(seconds) // 2]:.3f} s, "
        f"slowest {max(seconds):.3f} s (of processor time {max(busy):.3f} s)"
        + (f", aim {aim} s" if aim else "")
    )


def main() -> None:
    for count in [int(word) for word in sys.argv[1:]] or [100, 500, 2000]:
        for kind in ("ordinary", "hard"):
            measure(count, kind)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
