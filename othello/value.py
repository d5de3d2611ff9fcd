"""A frozen value with some of its fields changed, which is what judging does most.

`dataclasses.replace` looks at every field and calls `__init__` again: a `Game` has some thirty fields, and one input
changes it four times. Here the value's dictionary is copied at once, so what is changed in this way (the values of
`othello.game` and the clock) has no slots. To the type checker it is `dataclasses.replace`, which knows the fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import replace as replace
else:

    def replace(value, /, **changes):
        """The same value with these fields changed."""
        changed = object.__new__(type(value))
        changed.__dict__.update(value.__dict__, **changes)
        return changed
