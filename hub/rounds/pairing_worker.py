"""Pairing in a child process (`hub.child_process`): the hub's loop never waits for it and never loads numpy."""

from __future__ import annotations

from dataclasses import dataclass

from hub.child_process import Aside, AsideFailed
from hub.pairing.round import Pairing, PairingError
from hub.text import Text
from hub.tournament import Tournament

LONGEST_S = 120.0
"""A longer child is killed; far above the time for 2,000 players."""
_ASIDE = Aside()


@dataclass(frozen=True, slots=True)
class ExplainedPairing:
    """A pairing, with the reason for each of its games, then for each of its byes."""

    pairing: Pairing
    reasons: tuple[Text, ...]


async def draft_round(tournament: Tournament, longest_s: float = LONGEST_S) -> ExplainedPairing:
    """The next round, paired in a child process. PairingError if there is none, or if the child fails."""
    try:
        return await _ASIDE.run(longest_s, explained_round, tournament)
    except AsideFailed as fault:
        raise PairingError("pairing: {why}", why=fault.line) from None


def explained_round(tournament: Tournament) -> ExplainedPairing:
    """What the child answers."""
    from hub.pairing.explain import explain
    from hub.pairing.next_round import next_round

    pairing = next_round(tournament)
    return ExplainedPairing(pairing, explain(tournament, pairing))
