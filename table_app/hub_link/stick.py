"""The codes on a stick, one file for each table.

A file's name says what became of it, so that no second table takes it: NAME.enrolment is free, NAME.TAG.taken belongs
to the table whose key has this tag, NAME.aside is used or damaged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from flagfall.base.errors import Invalid
from flagfall.base.foreign_file import read_foreign
from flagfall.link.enrolment import LARGEST_BYTES, Stick, read_stick

FOLDER = "flagfall"
_FREE, _TAKEN, _ASIDE = ".enrolment", ".taken", ".aside"


class StickFolder:
    """A stick, for the table whose public keys these are."""

    def __init__(self, stick: Path, *public: bytes) -> None:
        self._folder = stick / FOLDER if (stick / FOLDER).is_dir() else stick
        self._tags = [hashlib.sha256(key).hexdigest()[:12] for key in public]

    def own(self) -> list[Path]:
        """Return the files that this table has taken."""
        endings = [f".{tag}{_TAKEN}" for tag in self._tags]
        return sorted(file for ending in endings for file in self._folder.glob(f"*{ending}"))

    def files(self) -> Iterator[Path]:
        """Yield the files to be tried: those that this table has taken, then the free ones."""
        yield from self.own()
        yield from sorted(self._folder.glob(f"*{_FREE}"))

    def take(self, file: Path) -> Path:
        """Make a file this table's, and return its path then."""
        return file.replace(file.with_name(f"{self.name(file)}.{self._tags[0]}{_TAKEN}"))

    def put_back(self, file: Path) -> None:
        file.replace(file.with_name(self.name(file) + _FREE))

    def put_aside(self, file: Path) -> None:
        file.replace(file.with_name(self.name(file) + _ASIDE))

    def name(self, file: Path) -> str:
        """Return the name of the table that a file is for."""
        name = file.name.removesuffix(_FREE).removesuffix(_TAKEN)
        return name.rpartition(".")[0] if file.name.endswith(_TAKEN) else name

    def nothing(self, aside: Iterable[str]) -> Invalid:
        """Return the fault of a stick on which nothing is left, with what was put aside now."""
        found = "; ".join(aside) or None
        return Invalid(
            "", f"a file *{_FREE} that no table has taken, there is none", found, source=str(self._folder)
        )


def read_file(file: Path) -> Stick:
    """Return the code in a file of a stick; Invalid for anything else."""
    try:
        return read_stick(read_foreign(file, LARGEST_BYTES))
    except OSError as fault:
        raise Invalid("", "a file made by flagfall-hub venue stick", fault.strerror) from None
