"""Pairing in a child process: the hub's loop never stalls for it and never loads its libraries.

The child is `flagfall-hub pair`, so what the hub publishes is what anyone can recompute from the tournament file.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hub.desk import Paired
from hub.formats.tournament_json import write_tournament
from hub.state import Refused
from hub.tournament import Tournament

_LONGEST_S = 120.0


async def pair_in_child(tournament: Tournament) -> Paired:
    """The next round. Refused with the child's one line where it cannot be paired."""
    with tempfile.TemporaryDirectory(prefix="flagfall-pair-") as folder:
        file = Path(folder) / "tournament.json"
        file.write_bytes(write_tournament(tournament))
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "hub.main",
            "pair",
            str(file),
            "--json",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        try:
            said, complaint = await asyncio.wait_for(child.communicate(), _LONGEST_S)
        except (TimeoutError, asyncio.CancelledError):
            child.kill()
            await child.wait()
            raise Refused(f"pairing: expected an answer within {_LONGEST_S:.0f} s") from None
    if child.returncode != 0:
        lines = complaint.decode(errors="replace").strip().splitlines() or ["the pairing gave no reason"]
        raise Refused(lines[-1].removeprefix("flagfall-hub: ").removeprefix(f"{file}: "))
    try:
        return _paired(json.loads(said))
    except (ValueError, KeyError, TypeError):
        raise Refused("pairing: expected the object of `pair --json`, got something else") from None


def _paired(value: dict[str, Any]) -> Paired:
    byes = value["byes"] if "byes" in value else [value["bye"]] if value["bye"] is not None else []
    return Paired(
        int(value["round"]),
        tuple((int(game["table"]), str(game["black"]), str(game["white"])) for game in value["games"]),
        tuple(str(player) for player in byes),
        value["cost"],
        tuple(str(line) for line in value["warnings"]),
    )
