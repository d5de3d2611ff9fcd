"""Values given for an act in its forms and in the API's body: structs that are derived from its fields."""

from __future__ import annotations

import types
from functools import cache
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT
from msgspec.structs import FieldInfo

from hub.record.acts.act import Act
from hub.record.doors import AtDoor, By, Form
from hub.role import Role

_A = TypeVar("_A", bound=Act)


class GivenField(NamedTuple):
    """A field of an act that somebody gives."""

    # As the ledger has it.
    kept: FieldInfo
    at: AtDoor
    # It has no door but the form.
    of_form: bool


@cache
def fields_at_doors(act: type[Act]) -> dict[str, GivenField]:
    """Return the fields of an act that are given at a door, by name."""
    fields: dict[str, GivenField] = {}
    for field in msgspec.structs.fields(act):
        kind, marks = field.type, []
        while get_origin(kind) is Annotated:
            marks += kind.__metadata__
            kind = kind.__origin__
        by = next((mark for mark in marks if isinstance(mark, By)), None)
        if by is not By.HUB:
            at = next((mark for mark in marks if isinstance(mark, AtDoor)), AtDoor(at_door(field.type)))
            fields[field.name] = GivenField(field, at, by is By.FORM)
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
    given = fields_at_doors(act)
    first = form.asks if form is not None and form.asks is not None else ()
    for name in dict.fromkeys((*first, *given)):
        field, at, of_form = given[name]
        if form is None and of_form:
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
    """Return the act of what was given at its door, and of what its form says."""
    values = msgspec.structs.asdict(given)
    # Null stands for the default of a field that is never null.
    for field in msgspec.structs.fields(act):
        if values.get(field.name, ...) is None and field.default is not None:
            del values[field.name]
    return act(**{**values, **others})


def least_of(act: type[Act], form: Form | None = None) -> Role:
    """Return the least role of who may send this form at all."""
    unknown = dict.fromkeys(_required(act))
    return act(**{**unknown, **(form.sets if form is not None else {})}).least()


@cache
def _required(act: type[Act]) -> tuple[str, ...]:
    return tuple(field.name for field in msgspec.structs.fields(act) if field.required)


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
