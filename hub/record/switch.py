"""The switch from a hub's files to prepared ones: either all have changed places, or none.

The new files lie prepared beside their places. Writing the plan (`PLAN`, one durable rename) is the switch: from then
on the hub is the new one. The moves that the plan names follow, and if this program ends in their middle the next
command finishes them: every command that opens a hub's files calls `finish_switch` first.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing, nullcontext
from pathlib import Path

import msgspec

from flagfall.base.errors import Failed
from flagfall.base.private_file import sync_folder, write_private
from flagfall.ledger.sqlite import write_lock

PLAN = "restoring.json"
_FORMAT = "flagfall-restoring/1"


class Move(msgspec.Struct, frozen=True):
    """The change of one file or folder."""

    place: str
    prepared: str | None  # what comes to `place`; None: nothing
    aside: str | None  # where goes what is there; None: nothing is there


class _Plan(msgspec.Struct, frozen=True):
    format: str
    moves: list[Move]


def switch(state_dir: Path, moves: Iterable[Move]) -> None:
    """Change the files' places; the ledger's lock is held by the caller. Raise OSError if the disk refuses."""
    plan = _Plan(_FORMAT, list(moves))
    write_private(state_dir / PLAN, msgspec.json.encode(plan))
    _finish(state_dir, plan)


def finish_switch(state_dir: Path, ledger: Path | str) -> None:
    """Finish a switch that was interrupted, if there is one. Raise LedgerError while another program works on it,
    Failed if it cannot be finished."""
    file = state_dir / PLAN
    if not file.exists():
        return
    with nullcontext() if isinstance(ledger, str) else closing(write_lock(ledger)):
        try:
            _finish(state_dir, msgspec.json.decode(file.read_bytes(), type=_Plan))
        except FileNotFoundError:
            return  # finished meanwhile
        except (OSError, msgspec.MsgspecError) as fault:
            raise Failed(f"{file}: a restoring that cannot be finished: {fault}") from None


def _finish(state_dir: Path, plan: _Plan) -> None:
    """Move the files of a plan. Each move is done once, however often this is begun."""
    folders = set()
    for move in plan.moves:
        place = Path(move.place)
        prepared = Path(move.prepared) if move.prepared is not None else None
        if move.aside is not None and place.exists() and (prepared is None or prepared.exists()):
            aside = Path(move.aside)
            aside.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.rename(aside)
            folders.add(aside.parent)
        if prepared is not None and prepared.exists():
            prepared.rename(place)
        folders.add(place.parent)
    for folder in folders:
        sync_folder(folder)
    (state_dir / PLAN).unlink()
    sync_folder(state_dir)
