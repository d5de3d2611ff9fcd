"""Pairing for the desk: in a child process (`hub.pairing.worker`), so that the hub's loop never waits for it."""

from __future__ import annotations

from hub.pairing.pairing import PairingError
from hub.pairing.worker import draft_round
from hub.publishing import Paired
from hub.state import Refused
from hub.tournament import Tournament


async def pair_in_child(tournament: Tournament) -> Paired:
    """The next round, with its reasons. Refused with one line where it cannot be paired."""
    try:
        draft = await draft_round(tournament)
    except PairingError as fault:
        raise Refused(fault.line) from None
    pairing = draft.pairing
    cost = None if pairing.cost is None else pairing.cost.as_dict()
    games = tuple((game.table, game.black, game.white) for game in pairing.games)
    return Paired(pairing.round, games, pairing.byes, cost, pairing.warnings, draft.reasons)
