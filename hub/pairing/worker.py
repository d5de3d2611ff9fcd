"""Pairing in a child process of its own: the hub's loop never waits for it, and never loads numpy.

The child (`python -m hub.pairing.worker pair` or `check`) reads a tournament file on standard input and writes one
JSON object: what was asked for, or `{"error": "one line"}`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from typing import Any

from hub.formats.errors import FormatError
from hub.formats.tournament_file import read_tournament
from hub.formats.tournament_json import write_tournament
from hub.pairing.pairing import Pairing, PairingError, RoundCheck
from hub.pairing.pairing_json import check_from_json, check_to_json, pairing_from_json, pairing_to_json
from hub.tournament import Tournament

LONGEST_S = 120.0
"""A child that takes longer is ended: far above what 2,000 players take."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A pairing, and one line of explanation for each game and bye."""

    pairing: Pairing
    reasons: tuple[str, ...]


async def draft_round(tournament: Tournament, longest_s: float = LONGEST_S) -> Draft:
    """The next round, paired in a child process. PairingError if there is none, or if the child fails."""
    answer = await _ask("pair", tournament, longest_s)
    return Draft(pairing_from_json(answer["pairing"]), tuple(answer["reasons"]))


async def check_rounds(tournament: Tournament, longest_s: float = LONGEST_S) -> tuple[RoundCheck, ...]:
    """Every round against the best one, in a child process. PairingError as above."""
    answer = await _ask("check", tournament, longest_s)
    return tuple(check_from_json(line) for line in answer["rounds"])


async def _ask(task: str, tournament: Tournament, longest_s: float) -> dict[str, Any]:
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "hub.pairing.worker",
        task,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, said = await asyncio.wait_for(child.communicate(write_tournament(tournament)), longest_s)
    except TimeoutError:
        raise PairingError(f"pairing: expected an answer within {longest_s:g} s, got none") from None
    finally:
        if child.returncode is None:  # too long, or the caller was cancelled
            child.kill()
            await child.wait()
    try:
        answer: dict[str, Any] = json.loads(out)
    except ValueError:
        last = said.decode(errors="replace").strip().rpartition("\n")[2]
        raise PairingError(f"pairing: the child process failed: {last or child.returncode}") from None
    if "error" in answer:
        raise PairingError(answer["error"])
    return answer


def answer(task: str, data: bytes) -> dict[str, Any]:
    """What the child answers to a tournament file."""
    from hub.pairing.check import check
    from hub.pairing.explain import explain
    from hub.pairing.next_round import next_round

    try:
        tournament = read_tournament(data)
        if task == "check":
            return {"rounds": [check_to_json(line) for line in check(tournament)]}
        pairing = next_round(tournament)
        return {"pairing": pairing_to_json(pairing), "reasons": explain(tournament, pairing)}
    except (FormatError, PairingError) as fault:
        return {"error": str(fault)}


if __name__ == "__main__":
    print(json.dumps(answer(sys.argv[1], sys.stdin.buffer.read())))
