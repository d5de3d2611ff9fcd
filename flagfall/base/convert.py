"""One reader of decoded TOML and JSON, and of what was typed: `msgspec.convert`, whose faults become `Invalid`.

The field at fault is found by its type, not by msgspec's sentence: of a value that does not fit, the reader looks at
each part, down to the one that does not fit by itself.
"""

from __future__ import annotations

import dataclasses
import re
import threading
import types
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta
from msgspec.structs import fields as fields_of

from flagfall.base.errors import LONGEST_SHOWN, Invalid, one_line, shown
from flagfall.base.message import N_, P_, Message

_K = TypeVar("_K")
_LISTS = (list, tuple, set, frozenset)
AN_OBJECT = N_("an object")
A_TABLE = P_("in a TOML file", "a table")
NOTHING = Message(N_("nothing"))
_SOMETHING = Message(N_("something"))
_A_TEXT = N_("a text")
_A_LIST = N_("a list")
_WORDS: Mapping[Any, str] = {
    str: _A_TEXT,
    int: N_("a whole number"),
    float: N_("a number"),
    bool: N_("true or false"),
    None: N_("null"),
    types.NoneType: N_("null"),
}
# By whether the least number is itself allowed, and likewise the most; None where there is no such limit.
_NUMBERS: Mapping[tuple[bool | None, bool | None], str] = {
    (True, None): N_("{kind} from {least}"),
    (False, None): N_("{kind} above {least}"),
    (None, True): N_("{kind} to {most}"),
    (None, False): N_("{kind} below {most}"),
    (True, True): N_("{kind} from {least} to {most}"),
    (True, False): N_("{kind} from {least} below {most}"),
    (False, True): N_("{kind} above {least} to {most}"),
    (False, False): N_("{kind} above {least} below {most}"),
}
# By whether a text is counted, in characters, or a list; and whether there is a least and a most.
_LENGTHS: Mapping[tuple[bool, bool, bool], str] = {
    (True, True, False): N_("{kind} of at least {least} characters"),
    (True, False, True): N_("{kind} of at most {most} characters"),
    (True, True, True): N_("{kind} of {least} to {most} characters"),
    (False, True, False): N_("{kind} of at least {least}"),
    (False, False, True): N_("{kind} of at most {most}"),
    (False, True, True): N_("{kind} of {least} to {most}"),
}
_BOUNDLESS = 1_000_000_000
_FIRST_USE = threading.Lock()
_used: set[Any] = set()
_WHOLE = re.compile(r"-?[0-9]{1,9}")
_NUMBER = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?")


def convert(value: object, kind: type[_K], table: str = AN_OBJECT, path: str = "") -> _K:
    """Return `value`, which a parser gave, as `kind`. Invalid names the field and what its type expects.

    A field's `Meta(description=...)` says what is expected where its type alone does not. `table` is the word for an
    object in this language, "a table" in TOML; `path` the place of the value.
    """
    _prepare(kind)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise next(_Search(table).faults(value, kind, path)) from None


def _prepare(kind: Any) -> None:
    """Let msgspec look at a type before threads use it. At its first use it notes the fields with the type, and a
    second thread that comes then ends the process (0.22).
    """
    if kind not in _used:
        with _FIRST_USE:
            msgspec.json.Decoder(kind)
        _used.add(kind)


def convert_typed(typed: Mapping[str, Sequence[str]], kind: type[_K]) -> _K:
    """Return the texts of a form or a query, by the names of its fields, as the struct `kind`. Invalid names the field.

    A blank text counts as none; a field of lists takes all texts of its name, one that is true or false is true with
    any text, a number takes decimal digits. Texts that are no field's are left alone.
    """
    values = {field.name: _typed_value(typed.get(field.name, ()), field.kind) for field in _fields(kind)}
    filled = {name: value for name, value in values.items() if value is not None}
    _prepare(kind)
    try:
        return msgspec.convert(filled, kind)
    except msgspec.ValidationError:
        raise next(_Search(AN_OBJECT, typed=True).faults(filled, kind, "")) from None


def convert_field(name: str, typed: Sequence[str], kind: type[_K]) -> _K:
    """Return the texts of one field as `kind`, as `convert_typed` does."""
    search, value = _Search(AN_OBJECT, typed=True), _typed_value(typed, kind)
    _prepare(kind)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        if value is None:
            raise Invalid(name, search.missing(kind), NOTHING) from None
        raise next(search.faults(value, kind, name)) from None


def _typed_value(typed: Sequence[str], kind: Any) -> object:
    """Return the value that was typed, None if nothing was."""
    texts = [text for text in map(str.strip, typed) if text]
    kinds = {get_origin(choice) or choice for choice in _choices(_bare(kind)[0])} - {types.NoneType}
    if not kinds.isdisjoint(_LISTS):
        return texts
    if bool in kinds:
        return bool(texts)
    if not texts:
        return None
    figures = plain_figures(texts[0])
    if int in kinds and _WHOLE.fullmatch(figures):
        return int(figures)
    return float(figures) if float in kinds and _NUMBER.fullmatch(figures) else texts[0]


def plain_figures(text: str) -> str:
    """Return typed figures, dates and codes with plain signs for full-width ones, as Japanese keyboards give them."""
    return unicodedata.normalize("NFKC", text).replace("\N{MINUS SIGN}", "-").strip()


@dataclasses.dataclass(frozen=True)
class _Field:
    name: str
    kind: Any
    needed: bool


@dataclasses.dataclass(frozen=True)
class _Search:
    """The search for the part of a value that does not fit its type."""

    table: str
    # The value is what somebody typed: shown as it was typed, and nothing is asked of them that JSON alone has.
    typed: bool = False

    def faults(self, value: object, annotated: Any, path: str) -> Iterator[Invalid]:
        """Yield what does not fit: parts first, and the whole where each of its parts fits."""
        kind, metas = _bare(annotated)
        if isinstance(value, Mapping):
            yield from self._in_table(value, kind, path)
        elif isinstance(value, list | tuple):
            yield from self._in_list(value, kind, path)
        yield Invalid(path, self.expected(kind, metas, value), self.got(value))

    def _inside(self, value: object, kind: Any, path: str) -> Iterator[Invalid]:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError:
            yield from self.faults(value, kind, path)

    def _in_table(self, value: Mapping[Any, object], kind: Any, path: str) -> Iterator[Invalid]:
        start = f"{path}." if path else ""
        kinds = [
            choice for choice in _choices(kind) if _is_record(choice) or get_origin(choice) in (dict, Mapping)
        ]
        tagged = {tag: choice for choice in kinds if (tag := _tag(choice)) is not None}
        if len(tagged) > 1:
            name = next(iter(tagged))[0]
            kinds = [choice for tag, choice in tagged.items() if tag[1] == value.get(name)]
            if not kinds:
                yield Invalid(start + name, one_of(tag for _, tag in tagged), self.got(value.get(name)))
        for choice in kinds[:1]:
            if not _is_record(choice):
                key_kind, item_kind = get_args(choice)
                for key, item in value.items():
                    for fault in self._inside(key, key_kind, ""):
                        yield Invalid(f"{start}{key}", fault.expected, unknown="field")
                    yield from self._inside(item, item_kind, f"{start}{key}")
                continue
            known = _fields(choice)
            names = [field.name for field in known]
            # A name that is misspelt is told before the field that is then missing.
            for key in value:
                if key not in names and _refuses_unknown(choice):
                    yield Invalid(f"{start}{key}", one_of(names), unknown="field")
            for field in known:
                if field.name in value:
                    yield from self._inside(value[field.name], field.kind, start + field.name)
                elif field.needed:
                    yield Invalid(start + field.name, self.missing(field.kind), NOTHING)

    def _in_list(self, value: list[object] | tuple[object, ...], kind: Any, path: str) -> Iterator[Invalid]:
        for choice in _choices(kind):
            if get_origin(choice) not in _LISTS:
                continue
            items = get_args(choice)
            if get_origin(choice) is not tuple or items[-1] is ...:
                items = (items[0],) * len(value)
            if len(items) == len(value):
                for index, (item, item_kind) in enumerate(zip(value, items, strict=True)):
                    yield from self._inside(item, item_kind, f"{path}[{index}]")
            return

    def got(self, value: object) -> str | Message:
        """Return what is shown of a value."""
        if value is None:
            return NOTHING
        return one_line(value)[:LONGEST_SHOWN] if self.typed and isinstance(value, str) else shown(value)

    def missing(self, annotated: Any) -> Message:
        """Return what a field that is missing is to have: of somebody who types no more than a text."""
        kind, metas = _bare(annotated)
        return _SOMETHING if self.typed and kind is str else self.expected(kind, metas)

    def expected(self, kind: Any, metas: list[Meta], value: object = None) -> Message:
        """Return what the type expects of such a value, in words."""
        for meta in metas:
            if meta.description is not None:
                return Message(meta.description)
        choices = get_args(kind) if _is_union(kind) else (kind,)
        if len(choices) > 1:
            tables = [choice for choice in choices if _is_record(choice)]
            has_numbers = any(_bare(choice)[0] is float for choice in choices)
            words = [
                self.expected(choice, [] if choice is types.NoneType else metas, value)
                for choice in choices
                if choice not in tables[1:]
                and not (self.typed and choice is types.NoneType)
                and not (has_numbers and _bare(choice)[0] is int)  # whole numbers are numbers too
            ]
            either = words[0]
            for other in words[1:]:
                either = Message.of("{either} or {other}", either=either, other=other)
            return either
        kind, inner = _bare(kind)
        for meta in inner:
            if meta.description is not None:
                return Message(meta.description)
        return _within(self._word(kind), [*metas, *inner], get_origin(kind) or kind, value)

    def _word(self, kind: Any) -> Message:
        origin = get_origin(kind) or kind
        if origin is Literal:
            return one_of(map(str, get_args(kind)))
        if isinstance(origin, type) and issubclass(origin, Enum):
            return one_of(str(choice.value) for choice in origin)
        if origin in (set, frozenset) and get_origin(get_args(kind)[0]) is Literal:
            choices = ", ".join(f'"{choice}"' for choice in get_args(get_args(kind)[0]))
            return Message.of("a list of {choices}", choices=choices)
        if origin in _LISTS:
            return Message(_A_LIST)
        return Message(_WORDS.get(origin, self.table))


def within(least: int, most: int) -> Message:
    """Return what is expected where a whole number has these limits."""
    return _within(Message(_WORDS[int]), [Meta(ge=least, le=most)], int, None)


def one_of(choices: Iterable[str]) -> Message:
    """Return what is expected where a few texts are allowed."""
    return Message.of("one of {choices}", choices=", ".join(filter(None, choices)))


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
        return [_Field(field.encode_name, field.type, field.required) for field in fields_of(kind)]
    hints = get_type_hints(kind, include_extras=True)
    nothing = dataclasses.MISSING
    return [
        _Field(field.name, hints[field.name], field.default is nothing and field.default_factory is nothing)
        for field in dataclasses.fields(kind)
    ]


def _tag(kind: Any) -> tuple[str, str] | None:
    config = getattr(kind, "__struct_config__", None)
    return None if config is None or config.tag is None else (config.tag_field, config.tag)


def _refuses_unknown(kind: Any) -> bool:
    config = getattr(kind, "__struct_config__", None)
    return config is not None and config.forbid_unknown_fields


def _within(kind: Message, metas: list[Meta], origin: Any, value: object) -> Message:
    """Return the kind with its limits in words."""
    least = _limit((meta.ge, True) if meta.ge is not None else (meta.gt, False) for meta in metas)
    most = _limit((meta.le, True) if meta.le is not None else (meta.lt, False) for meta in metas)
    if (
        most is not None
        and most[0] >= _BOUNDLESS
        and not (isinstance(value, int | float) and value > most[0])
    ):
        most = None  # no limit of the game's, and of no use to whom it does not stop
    if least is not None or most is not None:
        template = _NUMBERS[least and least[1], most and most[1]]
        numbers = {"least": least and _number(least[0]), "most": most and _number(most[0])}
        return Message(template, {"kind": kind} | {name: n for name, n in numbers.items() if n is not None})
    shortest = _limit((meta.min_length, True) for meta in metas)
    longest = _limit((meta.max_length, True) for meta in metas)
    if shortest is None and longest is None:
        return kind
    template = _LENGTHS[origin is str, shortest is not None, longest is not None]
    lengths = {"least": shortest and shortest[0], "most": longest and longest[0]}
    return Message(template, {"kind": kind} | {name: n for name, n in lengths.items() if n is not None})


def _limit(limits: Iterable[tuple[float | None, bool]]) -> tuple[float, bool] | None:
    """Return the first limit that is set, and whether it is itself allowed."""
    return next(((limit, included) for limit, included in limits if limit is not None), None)


def _number(limit: float) -> float | str:
    return f"{limit:g}" if isinstance(limit, float) else limit
