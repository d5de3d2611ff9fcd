"""The orientation of each board that was ever at this table, by the board's identity.

`boards.json` of the state directory: {"e661385283774f2b": {"turned": false}, ...}.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from flagfall.link.private_file import read_json

FILE_NAME = "boards.json"
_Boards = dict[str, dict[Literal["turned"], bool]]


class Orientations:
    """The known orientations of boards, by identity. `turned` may be asked from any thread; `save` keeps the new
    content of the file."""

    def __init__(self, turned: Mapping[str, bool], save: Callable[[bytes], object] = lambda _: None) -> None:
        self._turned = dict(turned)
        self._save = save

    @property
    def any(self) -> bool:
        """Return True if this table ever had a board."""
        return bool(self._turned)

    def turned(self, identity: str) -> bool | None:
        """Return True if this board lies the other way round; None if unknown."""
        return self._turned.get(identity)

    def keep(self, identity: str, turned: bool) -> None:
        """Record this board's orientation."""
        # A new mapping: the board's thread may be reading the old one.
        self._turned = {**self._turned, identity: turned}
        boards = {board: {"turned": lies} for board, lies in sorted(self._turned.items())}
        self._save(msgspec.json.format(msgspec.json.encode(boards), indent=1) + b"\n")


def read_orientations(path: Path) -> dict[str, bool]:
    """Return the orientations on disk; empty if the file cannot be read, and the set-up then asks again."""
    return {identity: board["turned"] for identity, board in read_json(path, _Boards).items() if board}
