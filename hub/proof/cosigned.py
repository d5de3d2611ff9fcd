"""The heads of the records that witnesses have cosigned, in `cosigned.json` of the hub's state directory.

Of each record the last cosigned head is kept, and an earlier one only where more witnesses have seen it: a proof that
needs three of them is not lost because two are away.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from flagfall.base.errors import Failed
from flagfall.base.private_file import write_private
from flagfall.ledger.merkle import Tree
from flagfall.link.signed_note import Checkpoint, read_checkpoint, split_note

FILE_NAME = "cosigned.json"
_FORMAT: Literal["flagfall-cosigned/1"] = "flagfall-cosigned/1"


class CosignedHead(msgspec.Struct, frozen=True):
    """A head as the hub signed it, and the lines of the witnesses that have seen it, by their names."""

    head: str
    cosignatures: dict[str, str]

    @property
    def note(self) -> str:
        return self.head + "".join(self.cosignatures.values())

    @property
    def short_note(self) -> str:
        """The note without the line under the record's name, which says the same as that under the hub's."""
        again = f"\N{EM DASH} {self.checkpoint.origin} "
        return "".join(line for line in self.note.splitlines(keepends=True) if not line.startswith(again))

    @property
    def checkpoint(self) -> Checkpoint:
        return read_checkpoint(split_note(self.head)[0])

    @property
    def size(self) -> int:
        return self.checkpoint.size

    def is_of(self, tree: Tree) -> bool:
        """Return whether the record begins with what this head is of. After a restore it may not."""
        head = self.checkpoint
        return 0 < head.size <= len(tree.hashes) and tree.root_of(0, head.size) == head.root


class _File(msgspec.Struct):
    format: Literal["flagfall-cosigned/1"]
    heads: dict[str, list[CosignedHead]]


@dataclass(eq=False)
class CosignedHeads:
    """The file. Failed if it is damaged: the witnesses have what was in it, so it may be removed."""

    path: Path

    def __post_init__(self) -> None:
        self._heads: dict[str, list[CosignedHead]] = {}
        try:
            self._heads = msgspec.json.decode(self.path.read_bytes(), type=_File).heads
            _ = [head.size for heads in self._heads.values() for head in heads]
        except FileNotFoundError:
            return
        except (OSError, ValueError, RecursionError) as fault:  # Invalid and msgspec's errors are ValueErrors
            why = f"expected the heads that witnesses have cosigned: {fault}; remove it, and they are sent again"
            raise Failed(f"{self.path}: {why}") from None

    def of(self, event: str) -> Sequence[CosignedHead]:
        """Return the heads of an event's record, the last one first."""
        return self._heads.get(event, ())

    def seen_by(self, event: str, witness: str) -> int:
        """Return the number of entries of the last head that a witness has cosigned, 0 for none."""
        return max((head.size for head in self.of(event) if witness in head.cosignatures), default=0)

    def has_seen(self, event: str, witness: str, tree: Tree) -> bool:
        """Return whether a witness has cosigned the head of the record as it is now."""
        size = len(tree.hashes)
        heads = (head for head in self.of(event) if witness in head.cosignatures)
        return any(head.size == size and head.is_of(tree) for head in heads)

    def best(self, event: str, entries: int, tree: Tree) -> CosignedHead | None:
        """Return the head of at least so many entries that most witnesses have seen, the last one of these; None if
        there is none that the record still continues."""
        fitting = [head for head in self.of(event) if head.size >= entries and head.is_of(tree)]
        return max(fitting, key=lambda head: (len(head.cosignatures), head.size), default=None)

    def last(self, event: str, tree: Tree) -> CosignedHead | None:
        """Return the last head that a witness has seen, and the record still continues."""
        return next((head for head in self.of(event) if head.is_of(tree)), None)

    def add(self, event: str, head: str, cosignatures: Iterable[tuple[str, str]]) -> None:
        """Keep the lines of these witnesses under a head that the hub signed; `write` makes it last."""
        text = split_note(head)[0]
        others: list[CosignedHead] = []
        lines = dict(cosignatures)
        for known in self.of(event):
            if split_note(known.head)[0] == text:
                lines = known.cosignatures | lines
            else:
                others.append(known)
        if lines:
            new = [*others, CosignedHead(head, lines)]
            new.sort(key=lambda known: (known.size, len(known.cosignatures)), reverse=True)
            self._heads = {**self._heads, event: _with_more_witnesses(new)}

    def write(self) -> None:
        """Write the file. OSError if it cannot be."""
        write_private(self.path, msgspec.json.encode(_File(_FORMAT, self._heads)))


def _with_more_witnesses(heads: Iterable[CosignedHead]) -> list[CosignedHead]:
    """Return those heads, of which the last comes first, that more witnesses have seen than any later one."""
    kept: list[CosignedHead] = []
    for head in heads:
        if not kept or len(head.cosignatures) > len(kept[-1].cosignatures):
            kept.append(head)
    return kept
