"""The best Swiss round, proved (decision 23)."""

from __future__ import annotations

from dataclasses import dataclass

from hub.pairing.cost import Cost
from hub.pairing.cost_table import cost_table, unweigh
from hub.pairing.lots import Lots
from hub.pairing.matching.best import best_matching
from hub.pairing.round import Certificate, OddSet
from hub.pairing.round_cost import with_colours
from hub.pairing.state import RoundState
from hub.rulebook import SwissRules


@dataclass(frozen=True, slots=True)
class SwissRound:
    """Games as (black, white). `banned`: games that the bans forbid and that no pairing avoids."""

    games: tuple[tuple[str, str], ...]
    bye: str | None
    banned: tuple[tuple[str, str], ...]
    cost: Cost
    proven: bool
    certificate: Certificate


def pair_swiss(
    state: RoundState,
    rules: SwissRules,
    lots: Lots,
    left_out: frozenset[str] = frozenset(),
    banned: frozenset[frozenset[str]] = frozenset(),
) -> SwissRound:
    """The least-cost pairing of the state's entrants but those `left_out` (pinned); ties fall by `lots`."""
    order = sorted((e for e in state.entrants if e.id not in left_out), key=lambda e: e.id)
    entrants = lots.shuffled(order)
    if not entrants:
        return SwissRound((), None, (), Cost(), proven=True, certificate=Certificate({}, {}, ()))
    table = cost_table(state, rules, entrants, banned)
    mate, duals, odd_sets, proven = best_matching(table)
    names = [*(e.id for e in entrants), None]
    certificate = Certificate(
        table.weights,
        {names[v]: dual for v, dual in enumerate(duals)},
        tuple(OddSet(tuple(names[v] for v in sorted(members)), weight) for members, weight in odd_sets),
    )
    games, bye = [], None
    for i, entrant in enumerate(entrants):
        j = mate[i]
        if j == table.bye:
            bye = entrant.id
        elif i < j:
            games.append(with_colours(state, rules, lots, entrant, entrants[j]))
    return SwissRound(
        tuple(games),
        bye,
        tuple(game for game in games if frozenset(game) in banned),
        cost=unweigh(sum(table.cost(i, j) for i, j in enumerate(mate) if i < j), table.weights),
        proven=proven,
        certificate=certificate,
    )
