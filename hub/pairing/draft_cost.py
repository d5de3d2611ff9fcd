"""What a round costs as the director has drafted it."""

from __future__ import annotations

from collections.abc import Sequence

from hub.pairing.cost import Cost
from hub.pairing.costs import round_cost
from hub.pairing.round import PairingError
from hub.pairing.rules import swiss_rules
from hub.pairing.stages import players_of_round, stage_of
from hub.pairing.state import state_before
from hub.tournament import Tournament


def cost_of_draft(
    tournament: Tournament, games: Sequence[tuple[str, str]], byes: Sequence[str]
) -> Cost | None:
    """What a draft of the next round costs as the director has changed it; None where rounds have no cost.

    PairingError if it names somebody who is not there, or twice, or leaves somebody out.
    """
    number = len(tournament.rounds) + 1
    stage = stage_of(tournament, number)
    players = players_of_round(tournament, number, stage)
    named = sorted([*byes, *(player for game in games for player in game)])
    here = sorted(player.id for player in players)
    if named != here:
        wrong = sorted({p for p in {*named, *here} if named.count(p) != here.count(p)})
        raise PairingError(
            "round {number}: expected everybody there once, got otherwise for {players}",
            number=number,
            players=tuple(wrong),
        )
    if stage.kind != "swiss":
        return None
    state = state_before(tournament, number, players, stage.part_from)
    return round_cost(state, swiss_rules(tournament, number), games, byes)
