"""An act: one thing that somebody may have done at an event, in one class.

It is the ledger's entry, its fold, and what the doors ask for: the console's forms, the API's body, limits and the
least role are read from it (docs/adding.md, "An act"). `docs/acts.md` lists all.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT
from msgspec.structs import FieldInfo

from flagfall.ledger.entry import Entry
from hub.record.doors import Api, AtDoor, By, Form
from hub.record.happening import Happening
from hub.record.state import TournamentState
from hub.role import Role
from hub.text import Refused

_T = TypeVar("_T")
_A = TypeVar("_A", bound="Act")


class Act(Happening, frozen=True, kw_only=True):
    """Base of all acts."""

    # The least role of who may do it.
    ROLE: ClassVar[Role] = Role.DIRECTOR
    # None: the API does not offer it.
    API: ClassVar[Api | None] = None
    # None: a command makes it of other fields, or a player's page does.
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


@cache
def field_at_doors(act: type[Act]) -> dict[str, tuple[FieldInfo, AtDoor, By | None]]:
    """Return the fields of an act that are given at a door: how they are kept, and how they are given."""
    fields: dict[str, tuple[FieldInfo, AtDoor, By | None]] = {}
    for field in msgspec.structs.fields(act):
        kind, marks = field.type, []
        while get_origin(kind) is Annotated:
            marks += kind.__metadata__
            kind = kind.__origin__
        by = next((mark for mark in marks if isinstance(mark, By)), None)
        if by is not By.HUB:
            at = next((mark for mark in marks if isinstance(mark, AtDoor)), AtDoor(at_door(field.type)))
            fields[field.name] = field, at, by
    return fields


def at_door(kind: Any) -> Any:
    """Return a field's type with that of each of its parts at a door."""
    if get_origin(kind) is Annotated:
        for mark in kind.__metadata__:
            if isinstance(mark, AtDoor):
                return mark.kind
        return at_door(kind.__origin__)
    if get_origin(kind) in (Union, types.UnionType):
        return Union[tuple(at_door(part) for part in get_args(kind))]  # noqa: UP007
    return kind


@cache
def door(act: type[Act], form: Form | None = None) -> type[msgspec.Struct]:
    """Return the struct of what is given in this form, in its order, or in the API's body."""
    asked: list[tuple[str, Any, Any]] = []
    given = field_at_doors(act)
    first = form.asks if form is not None and form.asks is not None else ()
    for name in dict.fromkeys((*first, *given)):
        field, at, by = given[name]
        if form is None and by is By.FORM:
            continue
        if form is not None and not _asks(form, name):
            continue
        default = field.default if field.default_factory is NODEFAULT else field.default_factory()
        if form is not None and name in form.needs:
            kind, default = _without_null(at.kind), NODEFAULT
        else:
            kind = at.kind
            default = None if default is not NODEFAULT and _has_null(kind) else default
        asked.append((name, kind, msgspec.field(default=default, name=at.name)))
    return msgspec.defstruct(act.__name__, asked, frozen=True, kw_only=True, module=act.__module__)


def given_act(act: type[_A], given: msgspec.Struct, **others: Any) -> _A:
    """Return the act of what was given at its door, and of what its form or address says."""
    values = {name: getattr(given, name) for name in given.__struct_fields__}
    left = {name for name, value in values.items() if value is None}
    defaults = {field.name: field.default for field in msgspec.structs.fields(act)}
    said = {name: value for name, value in values.items() if name not in left or defaults[name] is None}
    return act(**{**said, **others})


def least_of(act: type[Act], form: Form | None = None) -> Role:
    """Return the least role of who may send this form at all."""
    unknown = {field.name: None for field in msgspec.structs.fields(act) if field.required}
    return act(**{**unknown, **(form.sets if form is not None else {})}).least()


def filled(value: _T | None) -> _T:
    """Return the value of a field that is filled in by the time that an act is recorded."""
    if value is None:
        raise Refused("expected something, got nothing")
    return value


def _asks(form: Form, name: str) -> bool:
    if f"{{{name}}}" in form.path:
        return True
    return name not in form.sets and (form.asks is None or name in form.asks)


def _has_null(kind: Any) -> bool:
    return types.NoneType in get_args(_bare(kind))


def _without_null(kind: Any) -> Any:
    """Return the type of a field that may be null where it may not."""
    if not _has_null(kind):
        return kind
    return Union[tuple(part for part in get_args(_bare(kind)) if part is not types.NoneType)]  # noqa: UP007


def _bare(kind: Any) -> Any:
    return kind.__origin__ if get_origin(kind) is Annotated else kind
