"""TOML and JSON that somebody else wrote: limited in size and depth before a parser reads them.

`tomllib` remembers each beginning of a dotted key as a tuple of its parts, so a key of n parts takes n²/2 words of
memory: 20,000 dots took 1.6 GB. msgspec takes 16 microseconds for `1e308`, which is some hundred times longer than for
`1.5`: 8 MB of them took 22 s. Every check here is one pass over the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

LONGEST_RULEBOOK = 20_000  # characters; the longest that ships has 4,318
MOST_DOTS = 32  # in a line, comments included; the rulebooks that ship have 8
MOST_KEYS = 2_000  # "=", "[" and "{" together; the rulebooks that ship have some 250
DEEPEST = 64  # lists and objects inside each other; the formats that we read have six levels

# Numbers such as 1e-05 in a JSON text: no message of ours has any, a file of an event few.
MOST_EXPONENTS = 1_000

_JSON_TEXT = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")
_EXPONENT = re.compile(r"\d[eE]")


def parse_toml(text: str, longest: int = LONGEST_RULEBOOK) -> dict[str, Any]:
    """Return the table of a TOML text of at most `longest` characters. ValueError, one line, for anything else."""
    import tomllib  # programs that read no TOML do not wait for it

    if len(text) > longest:
        raise ValueError(f"expected at most {longest} characters, got {len(text)}")
    for number, line in enumerate(text.split("\n"), 1):
        if (dots := line.count(".")) > MOST_DOTS:
            raise ValueError(f"line {number}: expected at most {MOST_DOTS} dots, got {dots}")
    if sum(map(text.count, "=[{")) > MOST_KEYS:
        raise ValueError(f"expected at most {MOST_KEYS} keys, tables and lists, got more")
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Not only tomllib's own: a number of five thousand digits, tables nested too deep.
        raise ValueError(" ".join(str(error).split())) from None
    level: list[Any] = [table]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
    if level:
        raise ValueError(f"expected at most {DEEPEST} levels, got more")
    return table


def parse_json(text: str, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return the value of a JSON text, each object made by `pairs`. ValueError, one line, for anything else."""
    check_depth(text)
    try:
        return json.loads(text, object_pairs_hook=pairs)
    except RecursionError:
        raise ValueError(f"expected at most {DEEPEST} levels, got more") from None


def check_json(json_text: str | bytes) -> None:
    """Raise ValueError for JSON that takes a parser long for its size, before it is parsed."""
    check_depth(json_text)
    check_exponents(json_text)


def check_exponents(json_text: str | bytes) -> None:
    """Raise ValueError for JSON with more than MOST_EXPONENTS numbers that have an exponent, before it is parsed."""
    text = json_text if isinstance(json_text, str) else json_text.decode("latin-1")
    # Texts in it, such as a packed file, are full of these letters: they are looked at only where there are so many.
    if text.count("e") + text.count("E") <= MOST_EXPONENTS:
        return
    numbers = _EXPONENT.finditer(_JSON_TEXT.sub("", text))
    if sum(1 for _ in numbers) > MOST_EXPONENTS:
        raise ValueError(f"expected at most {MOST_EXPONENTS} numbers with an exponent, got more")


def check_depth(json_text: str | bytes) -> None:
    """Raise ValueError for JSON with more than DEEPEST levels, before it is parsed."""
    text = json_text if isinstance(json_text, str) else json_text.decode("latin-1")  # brackets are ASCII
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    depth = 0
    for bracket in _BRACKET.finditer(_JSON_TEXT.sub("", text)):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > DEEPEST:
            raise ValueError(f"expected at most {DEEPEST} levels, got more")
