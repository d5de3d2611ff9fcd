"""A frozen value with some of its fields changed, which is what judging does most, and a tuple that grows.

`dataclasses.replace` looks at every field and calls `__init__` again: a `Game` has some thirty fields, and one input
changes it four times. `replace` does the same for any dataclass, and copies the value's dictionary at once where that
holds its fields and nothing else. The type checker sees `dataclasses.replace` in its place, which knows the fields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload


@cache
def _field_count(kind: Any) -> int:
    """Return the number of fields; -1 where `__init__` does not take every field as it is, or there is none."""
    every = kind.__dataclass_fields__
    return len(every) if every and all(field.init for field in every.values()) else -1


def _changed(value: Any, /, **changes: Any) -> Any:
    """Return the value with these fields changed."""
    kind: Any = type(value)
    kept: dict[str, Any] = getattr(value, "__dict__", {})
    fields = kept | changes
    if not len(kept) == len(fields) == _field_count(kind):  # slots, a cached value, a name that is no field's
        return dataclasses.replace(value, **changes)
    changed = object.__new__(kind)
    changed.__dict__.update(fields)
    if hasattr(changed, "__post_init__"):
        changed.__post_init__()
    return changed


if not TYPE_CHECKING:
    replace = _changed

_One = TypeVar("_One")
_BLOCK = 128


@dataclass(frozen=True)
class Growing(Sequence[_One], Generic[_One]):
    """A tuple to which one more costs the same however long it is: whole `blocks` of 128, and what follows them."""

    blocks: tuple[tuple[_One, ...], ...] = ()
    last: tuple[_One, ...] = ()

    @staticmethod
    def of(items: Iterable[_One]) -> Growing[_One]:
        all_ = tuple(items)
        whole = len(all_) - len(all_) % _BLOCK
        return Growing(tuple(all_[n : n + _BLOCK] for n in range(0, whole, _BLOCK)), all_[whole:])

    def and_one(self, item: _One) -> Growing[_One]:
        last = (*self.last, item)
        return Growing(self.blocks, last) if len(last) < _BLOCK else Growing((*self.blocks, last))

    def with_(self, index: int, item: _One) -> Growing[_One]:
        """Return the sequence with another item at this place, from 0."""
        block, place = divmod(index, _BLOCK)
        if block == len(self.blocks):
            return Growing(self.blocks, (*self.last[:place], item, *self.last[place + 1 :]))
        items = self.blocks[block]
        changed = (*items[:place], item, *items[place + 1 :])
        return Growing((*self.blocks[:block], changed, *self.blocks[block + 1 :]), self.last)

    def __len__(self) -> int:
        return len(self.blocks) * _BLOCK + len(self.last)

    def __iter__(self) -> Iterator[_One]:
        return chain(chain.from_iterable(self.blocks), self.last)

    @overload
    def __getitem__(self, index: int) -> _One: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[_One, ...]: ...
    def __getitem__(self, index: int | slice) -> _One | tuple[_One, ...]:
        if isinstance(index, slice):
            return tuple(self[n] for n in range(len(self))[index])
        block, place = divmod(range(len(self))[index], _BLOCK)
        return self.blocks[block][place] if block < len(self.blocks) else self.last[place]
