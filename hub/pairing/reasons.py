"""Warnings: what a Swiss round had to break, and why (decision 24)."""

from __future__ import annotations

from collections.abc import Sequence

from hub.pairing.costs import game_cost
from hub.pairing.rules import SwissRules
from hub.pairing.state import RoundState

Game = tuple[str, str]
"""(black, white)"""


def swiss_warnings(
    state: RoundState, rules: SwissRules, games: Sequence[Game], byes: Sequence[str], pinned: Sequence[Game]
) -> tuple[str, ...]:
    """One line for every forbidden meeting and every second bye that could not be avoided."""
    by_id = {entrant.id: entrant for entrant in state.entrants}
    found = []
    costs = [(game, game_cost(state, rules, by_id[game[0]], by_id[game[1]])) for game in games]
    same_team = [game for game, cost in costs if cost.same_team]
    rematches = [game for game, cost in costs if cost.rematches]
    free_rematches = sum(game not in pinned for game in rematches)
    for black, white in same_team:
        why = "pinned" if (black, white) in pinned else "even the best pairing has as many such games"
        found.append(f"{black}-{white} are of one team, in one of the last rounds: {why}")
    for black, white in rematches:
        times = state.met(black, white)
        if (black, white) in pinned:
            why = "pinned"
        else:
            why = _why_again(state, rules, black, white) or _at_least(free_rematches)
        found.append(f"{black}-{white} have met {_times(times)}: {why}")
    for player in byes:
        if by_id[player].byes:
            if all(entrant.byes for entrant in state.entrants):
                why = "everybody has had one"
            else:
                why = "whoever has had none cannot be spared without a forbidden meeting or a pin"
            found.append(f"{player} has another bye: {why}")
    return tuple(found)


def _why_again(state: RoundState, rules: SwissRules, black: str, white: str) -> str | None:
    allowed = 1 if rules.modified else 0
    for player in (black, white):
        others = [entrant.id for entrant in state.entrants if entrant.id != player]
        if all(state.met(player, other) > allowed for other in others):
            often = "twice" if rules.modified else "already"
            return f"{player} has met everybody else in this round {often}"
    return None


def _at_least(count: int) -> str:
    return f"even the best pairing has {count} such game{'s' if count > 1 else ''}"


def _times(count: int) -> str:
    return {1: "already", 2: "twice already"}.get(count, f"{count} times already")
