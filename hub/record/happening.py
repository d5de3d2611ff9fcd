"""The base of all kinds of entries."""

from __future__ import annotations

from typing import ClassVar

import msgspec


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all: `TYPE` and `VERSION` name the form of the body in the ledger."""

    TYPE: ClassVar[str]
    VERSION: ClassVar[int] = 1
    # An operator may take it back. A message from or to a table has happened, and a showing is simply set again.
    CAN_BE_UNDONE: ClassVar[bool] = True
    # Fields that came later: a body has them only where they say something, so that a write of an older hub has the
    # same bytes when it is sent again.
    LATER: ClassVar[tuple[str, ...]] = ()
    # Fields that came later and that a reader must know (`change.black`: a field of the field `change`). An entry in
    # which one of them says something is of the version after `VERSION`: an older hub, which would read it without
    # them, opens the record read-only.
    MUST_KNOW: ClassVar[tuple[str, ...]] = ()
