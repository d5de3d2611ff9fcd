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

import msgspec

from hub.formats.errors import FormatError
from hub.formats.tournament_file import read_tournament
from hub.formats.tournament_json import write_tournament
from hub.line import Line
from hub.pairing.pairing import Pairing, PairingError, RoundCheck
from hub.pairing.pairing_json import check_from_json, check_to_json, pairing_from_json, pairing_to_json
from hub.tournament import Tournament

LONGEST_S = 120.0
"""A child that takes longer is ended: far above what 2,000 players take."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A pairing, and why each of its games, then each of its byes."""

    pairing: Pairing
    reasons: tuple[Line, ...]


async def draft_round(tournament: Tournament, longest_s: float = LONGEST_S) -> Draft:
    """The next round, paired in a child process. PairingError if there is none, or if the child fails."""
    answer = await _ask("pair", tournament, longest_s)
    warnings, reasons = (msgspec.convert(answer[name], tuple[Line, ...]) for name in ("warnings", "reasons"))
    return Draft(pairing_from_json(answer["pairing"], warnings), reasons)


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
        raise PairingError(
            "pairing: expected an answer within {longest_s} s, got none", longest_s=f"{longest_s:g}"
        ) from None
    finally:
        if child.returncode is None:  # too long, or the caller was cancelled
            child.kill()
            await child.wait()
    try:
        answer: dict[str, Any] = json.loads(out)
    except ValueError:
        last = said.decode(errors="replace").strip().rpartition("\n")[2]
        raise PairingError(
            "pairing: the child process failed: {why}", why=last or str(child.returncode)
        ) from None
    if "error" in answer:
        raise PairingError(msgspec.convert(answer["error"], Line))
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
        lines = {"warnings": pairing.warnings, "reasons": explain(tournament, pairing)}
        return {"pairing": pairing_to_json(pairing), **msgspec.to_builtins(lines)}
    except (FormatError, PairingError) as fault:
        return {"error": msgspec.to_builtins(fault.line)}


if __name__ == "__main__":
    print(json.dumps(answer(sys.argv[1], sys.stdin.buffer.read())))
