"""Settings of a program from its command line, the environment (`FLAGFALL_...`) and a TOML file, in this order.

A configuration is a dataclass whose fields define their keys: type and limits (checked by msgspec), default, and a
`Setting`. Any fault is one line: its source, the key, and what was expected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from flagfall.base.errors import Invalid
from flagfall.base.foreign_text import parse_toml

LARGEST_BYTES = 1 << 20
PREFIX = "FLAGFALL_"


@dataclass(frozen=True, slots=True)
class Setting:
    """The description of a key. A secret is not repeated in an error."""

    says: str = ""  # the key's help text
    expected: str = "a text"
    # gets the value and returns the one to use, or raises ValueError
    check: Callable[[Any], Any] = lambda value: value
    written: Any = None  # its type in the file, if different from the field's
    secret: bool = False
    lines: bool = False  # a text may have several lines


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a configuration."""

    name: str
    says: str
    expected: str
    kind: Any
    setting: Setting

    @property
    def option(self) -> str:
        return f"--{self.name.replace('_', '-')}"

    def read(self, value: Any) -> Any:
        """Return the value as the program uses it, from TOML or from text. ValueError if it is not as expected."""
        if isinstance(value, str) and not self.setting.lines and not value.isprintable():
            raise ValueError(self.name)
        try:
            # Environment and command line have texts only, also for numbers and booleans.
            read = msgspec.convert(value, self.kind, strict=not isinstance(value, str), dec_hook=_path)
            return self.setting.check(read)
        except (msgspec.ValidationError, ValueError, OverflowError, RuntimeError):
            raise ValueError(self.name) from None

    def read_at(self, field: str, value: Any, source: object = "") -> Any:
        """Return the value as the program uses it. Invalid names `field` of `source`."""
        try:
            return self.read(value)
        except ValueError:
            got = None if self.setting.secret else f"{value!r:.60}"
            raise Invalid(field, self.expected, got, str(source)) from None


def where(holds: Callable[[Any], object]) -> Callable[[Any], Any]:
    """Return the check of a value for which `holds` is true; a ValueError from it means the same as false."""

    def check(value: Any) -> Any:
        if not holds(value):
            raise ValueError
        return value

    return check


def keys_of(config: type) -> Mapping[str, Key]:
    """Return the keys of a configuration, in the order of its fields: of those that have a `Setting`."""
    hints = get_type_hints(config, include_extras=True)
    return {name: _key(name, hint) for name, hint in hints.items() if get_origin(hint) is Annotated}


def read_settings(
    keys: Mapping[str, Key], options: Mapping[str, Any], environment: Mapping[str, str], file: Path | None
) -> dict[str, Any]:
    """Return the given settings, by key. An option that is None is not given."""
    table = {} if file is None else _table(file, keys)
    values = {name: keys[name].read_at(name, value, file) for name, value in table.items()}
    for name, key in keys.items():
        variable = PREFIX + name.upper()
        if variable in environment:
            values[name] = key.read_at(variable, environment[variable])
        if options.get(name) is not None:
            values[name] = key.read_at(key.option, options[name])
    return values


def _key(name: str, hint: Any) -> Key:
    *limits, setting = hint.__metadata__
    kinds = [kind for kind in get_args(hint.__origin__) if kind is not NoneType]
    optional = NoneType in get_args(hint.__origin__)
    kind = kinds[0] if optional else Annotated[(hint.__origin__, *limits)] if limits else hint.__origin__
    choices = ", ".join(kinds) if get_origin(kind) is Literal else ""
    return Key(
        name,
        setting.says,
        f"one of {choices}" if choices else setting.expected,
        setting.written or kind,
        setting,
    )


def _path(kind: type, value: Any) -> Path:
    if kind is not Path or not isinstance(value, str) or not value:
        raise ValueError
    return Path(value).expanduser()  # RuntimeError for "~" of a user without a home


def _table(file: Path, keys: Mapping[str, Key]) -> dict[str, Any]:
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST_BYTES + 1)
        if len(data) > LARGEST_BYTES:
            raise Invalid("", f"at most {LARGEST_BYTES} bytes")
        table = parse_toml(data.decode("utf-8"), LARGEST_BYTES)
    except OSError as fault:
        raise Invalid("", f"a readable file: {fault.strerror}", source=str(file)) from None
    except Invalid as fault:
        raise fault.of(file) from None
    except ValueError as fault:
        raise Invalid("", f"TOML: {fault}", source=str(file)) from None
    for name in table:
        if name not in keys:
            raise Invalid(name, f"one of {', '.join(keys)}", source=str(file), unknown="key")
    return table
