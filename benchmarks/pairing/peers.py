"""The same round paired by us and by what people would use instead: py4swiss, rustworkx, networkx.

    python -m benchmarks.pairing.peers [--short]

A peer that takes longer than `LONG_RUN_S` at one size is not tried at the next.
"""

from __future__ import annotations

import importlib
import resource
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pairing.rounds import rounds
from benchmarks.report.figures import (
    LONG_RUN_S,
    RUNS,
    Figure,
    Found,
    Plot,
    Remark,
    Table,
    Yardstick,
    at_most,
    run,
    seconds,
)
from hub.model.tournament import Tournament
from hub.pairing.cost import COST_FIELDS, cost_of_draft, orient
from hub.pairing.next_round import next_round
from hub.pairing.state import state_before, swiss_rules

ROUND = 7
SIZES = (50, 100, 200, 500, 1000, 2000)
# Tournaments have at most so many players; what is measured beyond is information.
LARGEST = 300
AS_FAST = at_most(1.0, "as fast as the fastest whole job of others")
ROUND_OF_200 = at_most(0.05, "a round of 200 in 50 ms")
Games = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Trial:
    """The measurement of one system."""

    seconds: tuple[float, ...]
    # The process's peak less what it had before.
    memory_mb: float
    # Of the last run, as (black, white).
    games: Games


def ours(tournament: Tournament) -> Callable[[], Games]:
    return lambda: [(game.black, game.white) for game in next_round(tournament).games]


def plain_weights(tournament: Tournament) -> tuple[list[str], list[tuple[int, int, int]]]:
    """Return every pair with one weight, larger for the better: meeting again, points, colours, floats, country."""
    state = state_before(tournament, len(tournament.rounds) + 1)
    entrants = state.entrants
    points, balance, floats = (
        np.array([getattr(entrant, name) for entrant in entrants])
        for name in ("half_points", "balance", "floats")
    )
    countries = np.unique([entrant.country for entrant in entrants], return_inverse=True)[1]
    gap = points[:, None] - points[None, :]
    up = np.sign(-gap)
    cost = 1_000_000 * np.abs(gap) + 100_000 * gap**2
    colours = (balance[:, None] + 1) ** 2 + (balance[None, :] - 1) ** 2
    cost = cost + 1_000 * np.minimum(colours, colours.T)
    cost = cost + 10 * ((floats[:, None] + up) ** 2 + (floats[None, :] - up) ** 2)
    cost = cost + (countries[:, None] == countries[None, :])
    number = {entrant.id: at for at, entrant in enumerate(entrants)}
    for player, met in state.meetings.items():
        for other in met:
            if player in number and other in number:  # nobody who is absent
                cost[number[player], number[other]] += 1_000_000_000
    weights = (int(cost.max()) + 1 - cost).tolist()
    size = len(entrants)
    pairs = [(i, j, weights[i][j]) for i in range(size) for j in range(i + 1, size)]
    return [entrant.id for entrant in entrants], pairs


def _with_colours(tournament: Tournament, ids: Sequence[str], mates: Sequence[tuple[int, int]]) -> Games:
    number = len(tournament.rounds) + 1
    state, rules = state_before(tournament, number), swiss_rules(tournament, number)
    by_id = {entrant.id: entrant for entrant in state.entrants}
    games = []
    for i, j in mates:
        a, b = by_id[ids[i]], by_id[ids[j]]
        black, white = orient(state, rules, a, b) or (a, b)
        games.append((black.id, white.id))
    return games


def in_rustworkx(tournament: Tournament) -> Callable[[], Games]:
    def pair() -> Games:
        ids, graph = _graph(tournament)
        return _with_colours(tournament, ids, _match(graph))

    return pair


def _graph(tournament: Tournament) -> tuple[list[str], Any]:
    import rustworkx

    ids, pairs = plain_weights(tournament)
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * len(ids))
    graph.add_edges_from(pairs)
    return ids, graph


def _match(graph: Any) -> list[tuple[int, int]]:
    import rustworkx

    return list(rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int))


def in_networkx(tournament: Tournament) -> Callable[[], Games]:
    networkx: Any = importlib.import_module("networkx")

    def pair() -> Games:
        ids, pairs = plain_weights(tournament)
        graph = networkx.Graph()
        graph.add_weighted_edges_from(pairs)
        return _with_colours(tournament, ids, list(networkx.max_weight_matching(graph, maxcardinality=True)))

    return pair


def in_py4swiss(tournament: Tournament) -> Callable[[], Games]:
    """Return a run of py4swiss. Othello's black moves first, so black here is white there. The file is read before
    anything is measured.
    """
    engines, trf = importlib.import_module("py4swiss.engines"), importlib.import_module("py4swiss.trf")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tournament.trf"
        file.write_text(as_trf(tournament), "utf-8")
        parsed = trf.TrfParser.parse(file, strict=True)

    def pair() -> Games:
        return [(str(game.white), str(game.black)) for game in engines.DutchEngine.generate_pairings(parsed)]

    return pair


def as_trf(tournament: Tournament) -> str:
    """Return the tournament in FIDE's report format; ids are numbers from 1."""
    results: dict[str, list[str]] = {player.id: [] for player in tournament.players}
    points = dict.fromkeys(results, 0)
    for played in tournament.rounds:
        for game in played.games:
            assert game.score is not None
            black, white = game.score
            for me, other, colour, score, other_score in (
                (game.black, game.white, "w", black, white),
                (game.white, game.black, "b", white, black),
            ):
                points[me] += 2 * (score > other_score) + (score == other_score)
                results[me].append(
                    f"{other:>4} {colour} {'1' if score > other_score else '=' if score == other_score else '0'}"
                )
    lines = ["012 A simulated tournament", f"XXR {tournament.rounds_planned}", "XXC white1"]
    for player in tournament.players:
        head = f"001 {player.id:>4} {'':<4} {'Player ' + player.id:<33} {'':>4} {'':>3} {'':>11} {'':>10} "
        lines.append(f"{head}{points[player.id] / 2:>4.1f} {player.id:>4}  {'  '.join(results[player.id])}")
    return "\n".join(lines) + "\n"


OURS = "Flagfall, proved the best"
RUSTWORKX = "rustworkx, complete graph, weighted sum"
PY4SWISS = "py4swiss, FIDE Dutch"
SYSTEMS: dict[str, tuple[str, str, Callable[[Tournament], Callable[[], Games]]]] = {
    "rustworkx": (RUSTWORKX, "rustworkx", in_rustworkx),
    "py4swiss": (PY4SWISS, "py4swiss", in_py4swiss),
    "ours": (OURS, "", ours),
    "networkx": ("networkx, complete graph, weighted sum", "networkx", in_networkx),
}


def trial(system: str, tournament: Tournament, runs: int) -> Trial:
    pair = SYSTEMS[system][2](tournament)
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    games: list[Games] = []
    taken = seconds(lambda: games.append(pair()), runs)
    memory_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb) / 1024
    return Trial(taken, memory_mb, games[-1])


def measure(short: bool) -> Iterator[Found]:
    sizes, runs, last = ((20, 30), 1, 3) if short else (SIZES, RUNS, ROUND)
    fields = {size: [*rounds(size, "ordinary", last)][-1] for size in sizes}
    times: dict[str, list[tuple[float, float]]] = {}
    memory: dict[str, list[tuple[float, float]]] = {}
    drafts: dict[int, dict[str, Games]] = {size: {} for size in sizes}
    peers: dict[int, list[Yardstick]] = {size: [] for size in sizes}
    for system, (title, module, _) in SYSTEMS.items():
        if module and not _installed(module):
            yield Remark(f"Left out, not installed here: {module}.")
            continue
        times[title], memory[title] = [], []
        for size in sizes:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as child:
                result = child.submit(trial, system, fields[size], runs).result()
            aim = beside = None
            if system == "ours" and peers[size]:
                aim = AS_FAST if size <= LARGEST else None
                beside = min(peers[size], key=lambda peer: peer.median)
            elif module:
                peers[size].append(Yardstick(title, result.seconds))
            if system == "ours" and size == 200:
                yield Figure("200 players, paired and proved", "s", result.seconds, ROUND_OF_200)
            yield Figure(f"{size:,} players, {title}", "s", result.seconds, aim, beside=beside)
            yield Figure(f"memory for it, {size:,} players, {title}", "MB", (result.memory_mb,))
            middle = sorted(result.seconds)[len(result.seconds) // 2]
            times[title].append((size, middle))
            memory[title].append((size, result.memory_mb))
            drafts[size][title] = result.games
            if result.seconds[0] > LONG_RUN_S and size != sizes[-1]:
                yield Remark(
                    f"{title}: not tried with more than {size:,} players, that took over {LONG_RUN_S:g} s."
                )
                break
    yield Plot("pairing-time.svg", f"One round, number {last}", "players", "seconds", times)
    yield Plot("pairing-memory.svg", f"Memory for one round, number {last}", "players", "MB", memory)
    yield _compare(fields, drafts)


def _compare(fields: Mapping[int, Tournament], drafts: Mapping[int, Mapping[str, Games]]) -> Table:
    """Return the cost of each pairing by the rulebook's own fields."""
    costs: dict[tuple[int, str], dict[str, int]] = {}
    for size, by_system in drafts.items():
        for title, games in by_system.items():
            cost = cost_of_draft(fields[size], games, ())
            assert cost is not None
            costs[size, title] = cost.as_dict()
    named = [name for name in COST_FIELDS if any(cost.get(name) for cost in costs.values())]
    return Table(
        "What these pairings cost by `woc-2019` II.7.2; the less at the first field that differs is the better",
        ("players", "paired by", *named),
        tuple(
            (f"{size:,}", title, *(str(cost.get(name, 0)) for name in named))
            for (size, title), cost in costs.items()
        ),
    )


def _installed(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    run(measure, __doc__)
