"""Roles of the people who run an event."""

from __future__ import annotations

from enum import IntEnum


class Role(IntEnum):
    """A user's rights; each role includes those before it. A viewer looks; an assistant runs the round; penalties,
    awards, corrections, publishing a changed pairing, undoing and accounts are the director's (`woc-2019` V.1)."""

    VIEWER = 1
    ASSISTANT = 2
    DIRECTOR = 3

    @property
    def word(self) -> str:
        return self.name.lower()


ROLES = {role.word: role for role in Role}
