"""Pairing in a child process (`hub.child_process`): the hub's loop never waits for it and never loads numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from hub.child_process import Aside, AsideFailed
from hub.formats.tournament_file import read_tournament
from hub.formats.tournament_json import write_tournament
from hub.pairing.pairing_json import check_from_json, check_to_json, pairing_from_json, pairing_to_json
from hub.pairing.round import Pairing, PairingError, RoundCheck
from hub.text import FormatError, Text
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
    answer = await _ask("pair", tournament, longest_s)
    warnings, reasons = (msgspec.convert(answer[name], tuple[Text, ...]) for name in ("warnings", "reasons"))
    return ExplainedPairing(pairing_from_json(answer["pairing"], warnings), reasons)


async def check_rounds(tournament: Tournament, longest_s: float = LONGEST_S) -> tuple[RoundCheck, ...]:
    """Checks every round against the best one, in a child process. PairingError as above."""
    answer = await _ask("check", tournament, longest_s)
    return tuple(check_from_json(line) for line in answer["rounds"])


async def _ask(task: str, tournament: Tournament, longest_s: float) -> dict[str, Any]:
    try:
        found = await _ASIDE.run(longest_s, answer, task, write_tournament(tournament))
    except AsideFailed as fault:
        raise PairingError("pairing: {why}", why=fault.line) from None
    if "error" in found:
        raise PairingError(msgspec.convert(found["error"], Text))
    return found


def answer(task: str, data: bytes) -> dict[str, Any]:
    """The child's answer to a tournament file."""
    from hub.pairing.check import check
    from hub.pairing.explain import explain
    from hub.pairing.next_round import next_round

    try:
        tournament = read_tournament(data)
        if task == "check":
            return {"rounds": [check_to_json(line) for line in check(tournament)]}
        pairing = next_round(tournament)
        lines = {"warnings": pairing.warnings, "reasons": explain(tournament, pairing)}
        return {"pairing": pairing_to_json(pairing), **msgspec.to_builtins(lines)}
    except (FormatError, PairingError) as fault:
        return {"error": msgspec.to_builtins(fault.line)}
