"""An act: one thing that somebody may have done at an event, in one class.

It is the ledger's entry, its fold, and what the doors ask for: the console's forms, the API's body, limits and the
least role are read from it (`hub.record.acts.at_doors`; docs/adding.md, "An act"). `docs/acts.md` lists all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from flagfall.ledger.entry import Entry
from hub.record.doors import Api, Form
from hub.record.happening import Happening
from hub.record.state import TournamentState
from hub.role import Role
from hub.text import Refused

_T = TypeVar("_T")


class Act(Happening, frozen=True, kw_only=True):
    """Base of all acts."""

    # The least role of who may do it.
    ROLE: ClassVar[Role] = Role.DIRECTOR
    # Its address; None if the API does not offer it.
    API: ClassVar[Api | None] = None
    # Its forms. An act without form and address is made by a command, a player's page, or the hub itself.
    FORMS: ClassVar[tuple[Form, ...]] = ()
    # It may be meant twice: its form carries a name, so that one sent again is recorded once.
    ONCE: ClassVar[bool] = False

    def least(self) -> Role:
        """Return the least role for these fields."""
        return self.ROLE

    def ready(self, state: TournamentState) -> Act:
        """Return the act with what the hub fills in. Refused where it makes no sense now, AlreadyDone where it would
        change nothing.

        It is called under the writing lock, for an operator's act and a player's, and never for an entry of the ledger:
        new limits belong here, or at the field's door.
        """
        return self

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        """Return the state after it. Refused if it makes no sense there.

        It is called for every entry, however old.
        """
        raise NotImplementedError

    @classmethod
    def seen(cls, state: TournamentState, given: Mapping[str, Any]) -> object:
        """Return the facts on which this act depends and that its form shows, None for none; `given` is known of it so
        far. A form is asked again if they have changed."""
        return None


def filled(value: _T | None) -> _T:
    """Return the value of a field that is filled in by the time that an act is recorded."""
    if value is None:
        raise Refused("expected something, got nothing")
    return value
