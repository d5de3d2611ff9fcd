"""Drafts that outlive the hub's process: one file in its folder, mode 0600, written anew at every change."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec

from hub.draft import Draft, DraftGame
from hub.formats.tournament_json import write_tournament
from hub.line import Line
from hub.state import State
from hub.tournament import Tournament
from link.private_file import write_private


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A draft, and the SHA-256 of the tournament that it was made for."""

    made_for: str
    round: int
    games: tuple[DraftGame, ...]
    byes: tuple[str, ...]
    bye_whys: tuple[Line | None, ...]
    best: dict[str, int] | None
    warnings: tuple[Line, ...]
    by_hand: bool
    revision: int


_NAMES = tuple(one.name for one in fields(Draft) if one.name != "tournament")


class DraftFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, states: Mapping[str, State]) -> dict[str, Draft]:
        """The drafts by tournament; those made for a tournament that has changed since are left out. What is no such
        file holds none."""
        try:
            kept = msgspec.json.decode(self._path.read_bytes(), type=dict[str, _Kept])
        except (OSError, msgspec.MsgspecError):
            return {}
        return {
            tournament: _draft(one, states[tournament].tournament)
            for tournament, one in kept.items()
            if tournament in states and one.made_for == _digest(states[tournament].tournament)
        }

    def write(self, drafts: Mapping[str, Draft]) -> None:
        """A disk that refuses costs the drafts at the next start, no more."""
        kept = {tournament: _kept(draft) for tournament, draft in drafts.items()}
        with contextlib.suppress(OSError):
            write_private(self._path, msgspec.json.encode(kept))


def _kept(draft: Draft) -> _Kept:
    values: dict[str, Any] = {name: getattr(draft, name) for name in _NAMES}
    return _Kept(made_for=_digest(draft.tournament), **values)


def _draft(kept: _Kept, tournament: Tournament) -> Draft:
    values: dict[str, Any] = {name: getattr(kept, name) for name in _NAMES}
    return Draft(tournament, **values)


def _digest(tournament: Tournament) -> str:
    return hashlib.sha256(write_tournament(tournament)).hexdigest()
