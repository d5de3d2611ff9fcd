"""One reader of decoded TOML and JSON: `msgspec.convert`, whose faults become `Invalid`.

The field at fault is found by its type, not by msgspec's sentence: of a value that does not fit, the reader looks at
each part, down to the one that does not fit by itself.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta
from msgspec.structs import fields as fields_of

from othello.errors import Invalid, shown

_K = TypeVar("_K")
_LISTS = (list, tuple, set, frozenset)
_WORDS: Mapping[Any, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    None: "null",
    types.NoneType: "null",
}


def convert(value: object, kind: type[_K], table: str = "an object") -> _K:
    """Return `value`, which a parser gave, as `kind`. Invalid names the field and what its type expects.

    A field's `Meta(description=...)` says what is expected where its type alone does not. `table` is the word for an
    object in this language, "a table" in TOML.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise next(_Search(table).faults(value, kind, "")) from None


@dataclasses.dataclass(frozen=True)
class _Field:
    name: str
    kind: Any
    needed: bool


@dataclasses.dataclass(frozen=True)
class _Search:
    """The search for the part of a value that does not fit its type."""

    table: str

    def faults(self, value: object, annotated: Any, path: str) -> Iterator[Invalid]:
        """Yield what does not fit: parts first, and the whole where each of its parts fits."""
        kind, metas = _bare(annotated)
        if isinstance(value, Mapping):
            yield from self._in_table(value, kind, path)
        elif isinstance(value, list | tuple):
            yield from self._in_list(value, kind, path)
        yield Invalid(path, self.expected(kind, metas), shown(value))

    def _inside(self, value: object, kind: Any, path: str) -> Iterator[Invalid]:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError:
            yield from self.faults(value, kind, path)

    def _in_table(self, value: Mapping[Any, object], kind: Any, path: str) -> Iterator[Invalid]:
        start = f"{path}." if path else ""
        kinds = [one for one in _choices(kind) if _is_record(one) or get_origin(one) in (dict, Mapping)]
        tagged = {tag: one for one in kinds if (tag := _tag(one)) is not None}
        if len(tagged) > 1:
            name = next(iter(tagged))[0]
            kinds = [one for tag, one in tagged.items() if tag[1] == value.get(name)]
            if not kinds:
                tags = ", ".join(tag for _, tag in tagged)
                yield Invalid(start + name, f"one of {tags}", shown(value.get(name)))
        for one in kinds[:1]:
            if not _is_record(one):
                key_kind, item_kind = get_args(one)
                for key, item in value.items():
                    for fault in self._inside(key, key_kind, ""):
                        yield Invalid(f"{start}{key}", fault.expected, unknown="field")
                    yield from self._inside(item, item_kind, f"{start}{key}")
                continue
            known = _fields(one)
            names = [field.name for field in known]
            # A name that is misspelt is told before the field that is then missing.
            for key in value:
                if key not in names and _refuses_unknown(one):
                    yield Invalid(f"{start}{key}", f"one of {', '.join(names)}", unknown="field")
            for field in known:
                if field.name in value:
                    yield from self._inside(value[field.name], field.kind, start + field.name)
                elif field.needed:
                    yield Invalid(start + field.name, self.expected(*_bare(field.kind)), "nothing")

    def _in_list(self, value: list[object] | tuple[object, ...], kind: Any, path: str) -> Iterator[Invalid]:
        for one in _choices(kind):
            if get_origin(one) not in _LISTS:
                continue
            items = get_args(one)
            if get_origin(one) is not tuple or items[-1] is ...:
                items = (items[0],) * len(value)
            if len(items) == len(value):
                for index, (item, item_kind) in enumerate(zip(value, items, strict=True)):
                    yield from self._inside(item, item_kind, f"{path}[{index}]")
            return

    def expected(self, kind: Any, metas: list[Meta]) -> str:
        """Return what the type expects, in words."""
        for meta in metas:
            if meta.description is not None:
                return meta.description
        choices = get_args(kind) if _is_union(kind) else (kind,)
        if len(choices) > 1:
            tables = [choice for choice in choices if _is_record(choice)]
            return " or ".join(
                self.expected(choice, [] if choice is types.NoneType else metas)
                for choice in choices
                if choice not in tables[1:]
            )
        kind, inner = _bare(kind)
        word = self._word(kind)
        return next(
            (meta.description for meta in inner if meta.description is not None),
            word + _limits(word, [*metas, *inner]),
        )

    def _word(self, kind: Any) -> str:
        origin = get_origin(kind) or kind
        if origin is Literal:
            return "one of " + ", ".join(str(choice) for choice in get_args(kind))
        if isinstance(origin, type) and issubclass(origin, Enum):
            return "one of " + ", ".join(str(choice.value) for choice in origin)
        if origin in (set, frozenset) and get_origin(get_args(kind)[0]) is Literal:
            return "a list of " + ", ".join(f'"{choice}"' for choice in get_args(get_args(kind)[0]))
        if origin in _LISTS:
            return "a list"
        return _WORDS.get(origin, self.table)


def _bare(annotated: Any) -> tuple[Any, list[Meta]]:
    """Return the type without its limits, and these limits, the outermost first."""
    metas: list[Meta] = []
    while get_origin(annotated) is Annotated:
        metas += [part for part in reversed(annotated.__metadata__) if isinstance(part, Meta)]
        annotated = annotated.__origin__
    return annotated, metas


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def _choices(kind: Any) -> list[Any]:
    """Return the types of a union without their limits; of any other type this one."""
    return [_bare(choice)[0] for choice in get_args(kind)] if _is_union(kind) else [kind]


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and (issubclass(kind, msgspec.Struct) or dataclasses.is_dataclass(kind))


def _fields(kind: Any) -> list[_Field]:
    if issubclass(kind, msgspec.Struct):
        return [_Field(one.encode_name, one.type, one.required) for one in fields_of(kind)]
    hints = get_type_hints(kind, include_extras=True)
    nothing = dataclasses.MISSING
    return [
        _Field(one.name, hints[one.name], one.default is nothing and one.default_factory is nothing)
        for one in dataclasses.fields(kind)
    ]


def _tag(kind: Any) -> tuple[str, str] | None:
    config = getattr(kind, "__struct_config__", None)
    return None if config is None or config.tag is None else (config.tag_field, config.tag)


def _refuses_unknown(kind: Any) -> bool:
    config = getattr(kind, "__struct_config__", None)
    return config is not None and config.forbid_unknown_fields


def _limits(word: str, metas: list[Meta]) -> str:
    """Return the limits in words, to stand after `word`."""
    numbers, least, most = "", None, None
    for meta in metas:
        for limit, says in ((meta.ge, "from"), (meta.gt, "above"), (meta.le, "to"), (meta.lt, "below")):
            if limit is not None:
                numbers += f" {says} {limit:g}" if isinstance(limit, float) else f" {says} {limit}"
        least = meta.min_length if meta.min_length is not None else least
        most = meta.max_length if meta.max_length is not None else most
    if least is None and most is None:
        return numbers
    unit = " characters" if word == _WORDS[str] else ""
    if most is None:
        return f" of at least {least}{unit}"
    return f" of at most {most}{unit}" if least is None else f" of {least} to {most}{unit}"
