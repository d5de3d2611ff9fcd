"""Warnings: what a Swiss round had to break, and why (decision 24)."""

from __future__ import annotations

from collections.abc import Sequence

from hub.pairing.round import Game
from hub.pairing.round_cost import game_cost
from hub.pairing.state import RoundState
from hub.rulebook import SwissRules
from hub.text import Text, line, plural

_PINNED = Text("pinned")


def swiss_warnings(
    state: RoundState, rules: SwissRules, games: Sequence[Game], byes: Sequence[str], pinned: Sequence[Game]
) -> tuple[Text, ...]:
    """One line for every forbidden meeting and every second bye that could not be avoided."""
    by_id = {entrant.id: entrant for entrant in state.entrants}
    found = []
    costs = [
        (game, game_cost(state, rules, by_id[game[0]], by_id[game[1]]))
        for game in games
        if rules.team_free_rounds or state.met(*game)
    ]
    same_team = [game for game, cost in costs if cost.same_team]
    rematches = [game for game, cost in costs if cost.rematches]
    free_rematches = sum(game not in pinned for game in rematches)
    for black, white in same_team:
        why = _PINNED if (black, white) in pinned else Text("even the best pairing has as many such games")
        found.append(
            line(
                "{black}-{white} are of one team, in one of the last rounds: {why}",
                black=black,
                white=white,
                why=why,
            )
        )
    for black, white in rematches:
        if (black, white) in pinned:
            why = _PINNED
        else:
            why = _why_again(state, rules, black, white) or _at_least(free_rematches)
        often = _times(state.met(black, white))
        found.append(
            line("{black}-{white} have met {often}: {why}", black=black, white=white, often=often, why=why)
        )
    for player in byes:
        if by_id[player].byes:
            if all(entrant.byes for entrant in state.entrants):
                why = Text("everybody has had one")
            else:
                why = Text("no player without a bye can have it without a forbidden meeting or a broken pin")
            found.append(line("{player} has another bye: {why}", player=player, why=why))
    return tuple(found)


def _why_again(state: RoundState, rules: SwissRules, black: str, white: str) -> Text | None:
    for player in (black, white):
        others = [entrant.id for entrant in state.entrants if entrant.id != player]
        if all(state.met(player, other) > rules.meetings_allowed for other in others):
            if rules.modified:
                return line("{player} has met everybody else in this round twice", player=player)
            return line("{player} has met everybody else in this round already", player=player)
    return None


def _at_least(count: int) -> Text:
    return plural(
        "even the best pairing has {count} such game", "even the best pairing has {count} such games", count
    )


def _times(count: int) -> Text:
    return plural("already", "{count} times already", count)
