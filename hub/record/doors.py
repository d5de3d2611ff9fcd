"""Doors: where and how somebody gives the fields of an act (`hub.record.acts.act`).

A field's limits at a door are none of the ledger's: what an older release has written stays readable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, TypeVar

import msgspec

from hub.fields import ShortText

_T = TypeVar("_T")


class By(Enum):
    """The giver of a field that not every door has."""

    HUB = "the hub"
    FORM = "the form"


# The hub fills it in. What a client sends under its name is passed over.
Hubs = Annotated[_T, By.HUB]
# Only the console's forms have it, not the API.
FormOnly = Annotated[_T, By.FORM]


@dataclass(frozen=True)
class AtDoor:
    """The type that a field has at a door. Null, where the field itself has none, stands for the field's default."""

    kind: Any
    # Its name there, where it is another one.
    name: str | None = None
    # With what the keys of its choices' texts begin, where that is not its name.
    words: str = ""


PlayerId = Annotated[str, AtDoor(ShortText)]


class Api(msgspec.Struct, frozen=True):
    """The address of an act in the operator's API, below that of its event. The body is the act's fields."""

    method: str
    path: str


class Form(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A form of the console, at an address below that of its event. Names in the address are fields."""

    path: str
    # The page that has it, which is shown again if the form is refused.
    page: str
    # The page that it leads to, "" for its own.
    to: str = ""
    # The fields that it has; None: all that a form may have.
    asks: tuple[str, ...] | None = None
    # Of those with a default, the ones that this form cannot do without.
    needs: tuple[str, ...] = ()
    # Values that the form itself gives.
    sets: Mapping[str, Any] = {}
    # Its button asks once more.
    sure: bool = False

    @property
    def name(self) -> str:
        """The last part of its address: with the act's type the key of its button's text."""
        return self.path.rpartition("/")[2]
