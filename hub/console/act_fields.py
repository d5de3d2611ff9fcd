"""The fields of acts (`hub.record.acts`) as people see them: with the keys of their texts, for forms and the log."""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin
from urllib.parse import quote

import msgspec
from msgspec import NODEFAULT, Meta

from hub.console.texts import TEXTS
from hub.desk.forms import shown_key
from hub.record.acts.act import Act
from hub.record.acts.at_doors import door, fields_at_doors
from hub.record.acts.table import ACTS
from hub.record.doors import Form
from hub.record.state import TournamentState


class Input(NamedTuple):
    """A field of an act. `label` and `hint` are keys of texts, "" without one."""

    name: str
    kind: Literal["tick", "choice", "number", "text", ""]  # "": it cannot be drawn
    label: str
    hint: str
    required: bool
    longest: int | None
    # The key of each choice's text.
    choices: Mapping[str, str]


class DrawnForm(NamedTuple):
    """The parts from which a template draws the form of an act. `button` and `hint` are keys of texts."""

    act: type[Act]
    form: Form
    inputs: tuple[Input, ...]
    button: str
    hint: str

    def address(self, about: Mapping[str, str]) -> str:
        """Return its address below that of the event; `about` is what its names stand for."""
        return self.form.path.format_map({name: quote(value, safe="") for name, value in about.items()})

    def seen(self, state: TournamentState, about: Mapping[str, str]) -> str:
        """Return what the form says of the facts that it shows, "" where the act depends on none."""
        seen = self.act.seen(state, {**about, **self.form.sets})
        return "" if seen is None else shown_key(seen)


@cache
def drawn_form(path: str) -> DrawnForm:
    """Return what the form at this address is drawn of."""
    act, form = next((act, form) for act in ACTS for form in act.FORMS if form.path == path)
    asked = {field.name: field for field in msgspec.structs.fields(door(act, form))}
    inputs = tuple(
        _input(act, name, field.type, field.default is NODEFAULT)
        for name, field in asked.items()
        if f"{{{name}}}" not in form.path
    )
    name = f"{act.TYPE}.{form.name}"
    return DrawnForm(act, form, inputs, name, _known(f"{name}.hint"))


@cache
def given_fields(act: type[Act]) -> tuple[Input, ...]:
    """Return the fields of an act that somebody gives."""
    return tuple(
        _input(act, name, given.at.kind, given.kept.required) for name, given in fields_at_doors(act).items()
    )


def _input(act: type[Act], name: str, kind: Any, required: bool) -> Input:
    plain, metas = _plain(kind)
    at = fields_at_doors(act)[name].at
    choices = get_args(plain) if get_origin(plain) is Literal else ()
    label = _known(f"{act.TYPE}.{name}") or _known(f"field.{at.name or name}")
    return Input(
        name=at.name or name,
        kind="choice" if choices else _KINDS.get(plain, ""),
        label=label,
        hint=_known(f"{act.TYPE}.{name}.hint"),
        required=required,
        longest=next((meta.max_length for meta in metas if meta.max_length is not None), None),
        choices={str(choice): f"{at.words or name}.{choice}" for choice in choices},
    )


_KINDS: Mapping[Any, Literal["tick", "number", "text"]] = {
    bool: "tick",
    int: "number",
    float: "number",
    str: "text",
}


def _known(key: str) -> str:
    return key if key in TEXTS else ""


def _plain(kind: Any) -> tuple[Any, list[Meta]]:
    """Return a type at a door without its limits and without null, and the limits."""
    metas: list[Meta] = []
    while True:
        if get_origin(kind) is Annotated:
            metas += [mark for mark in kind.__metadata__ if isinstance(mark, Meta)]
            kind = kind.__origin__
        elif get_origin(kind) in (Union, types.UnionType):
            kind = next(part for part in get_args(kind) if part is not types.NoneType)
        else:
            return kind, metas
