"""Limits of what somebody else's TOML and JSON may cost, in memory and in depth."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.errors import Invalid
from flagfall.base.foreign_text import (
    DEEPEST,
    LONGEST_RULEBOOK,
    MOST_DOTS,
    MOST_EXPONENTS,
    check_json,
    parse_json,
    parse_toml,
)
from flagfall.othello.gamefile import parse_game
from flagfall.othello.rulebook import parse_rulebook

MOST_BYTES = 12 << 20


def deep(depth: int) -> str:
    return ".".join("a" * depth)


COSTLY = {
    "one dotted key": f"{deep(10_000)} = 1",
    "a dotted header": f"[{deep(9_000)}]",
    "many dotted keys": "".join(f"k{i}.{deep(400)} = 1\n" for i in range(20)),
    "under a dotted header": f"[{deep(32)}]\n" + "".join(f"k{i:x}.{deep(31)} = 1\n" for i in range(260)),
    "many dotted headers": "".join(f"[k{i:x}.{deep(31)}]\n" for i in range(260)),
    "in an inline table": "k = {" + ", ".join(f"{deep(20)}.b{i} = 1" for i in range(400)) + "}",
    "quoted": '"a"."a".' * 2_000 + "a = 1",
    "many keys": "".join(f"{i:x}=1\n" for i in range(3_300)),
    "many lists": "a = " + "[" * 19_000,
    "long": "# " + "x" * 10_000_000,
}


@pytest.mark.parametrize("text", COSTLY.values(), ids=COSTLY)
def test_a_rulebook_takes_a_few_megabytes_at_most(text: str) -> None:
    # A result of 3 kB with 20,000 dots took 1.6 GB of the hub's memory when its page was opened.
    with pytest.raises(Invalid):
        parse_rulebook("based_on = 1\n")  # the parser's own modules are loaded before it is measured
    tracemalloc.start()
    try:
        with pytest.raises(Invalid):
            parse_rulebook(text)
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "\n" + deep(MOST_DOTS + 2) + " = 1",
            f"line 2: expected at most {MOST_DOTS} dots, got {MOST_DOTS + 1}",
        ),
        ("#" * (LONGEST_RULEBOOK + 1), f"expected at most {LONGEST_RULEBOOK} characters"),
        ("a=1\n" * 2_001, "expected at most 2000 keys"),
        (f"a = {'[' * (DEEPEST + 1)}{']' * (DEEPEST + 1)}", f"expected at most {DEEPEST} levels"),
        ("a = [" + "{b = [" * 400, "recursion"),
        ("id = " + "9" * 5_000, "digits"),
    ],
)
def test_a_limit_is_named(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as refused:
        parse_toml(text)
    assert "\n" not in str(refused.value)


def test_numbers_that_a_parser_reads_slowly_are_counted_before_it_reads_them() -> None:
    """A parser takes 16 microseconds for `1e308`: 8 MB of them at the API held the hub for 22 s of its processor."""
    for number in ("1e308", "5E-324", "17976931348623157e292"):
        check_json(f"[{','.join([number] * MOST_EXPONENTS)}]")
        with pytest.raises(ValueError, match="at most 1000 numbers with an exponent"):
            check_json(f"[{','.join([number] * (MOST_EXPONENTS + 1))}]")
    text = json.dumps({"file": "1e9E" * 50_000, 'a "1e9"': ["true", True, "\\", 1.5]})
    check_json(text)
    check_json(text.encode())


def test_what_is_at_the_limits_is_read() -> None:
    assert parse_toml(f"{deep(MOST_DOTS + 1)} = 1")["a"]
    assert parse_toml("#" * LONGEST_RULEBOOK) == {}
    assert parse_toml("#" * 100_000, 100_000) == {}
    assert parse_toml(f"a = {'[' * (DEEPEST - 1)}{']' * (DEEPEST - 1)}")["a"] is not None
    assert parse_json("[" * DEEPEST + "]" * DEEPEST)


@pytest.mark.parametrize("depth", [DEEPEST + 1, 990, 100_000])
def test_deep_json_is_refused_before_it_is_parsed(depth: int) -> None:
    for text in ("[" * depth, "[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        with pytest.raises(ValueError, match=f"expected at most {DEEPEST} levels"):
            parse_json(text)
        with pytest.raises(Invalid, match="line 1: expected a JSON object"):
            parse_game(text)


def test_brackets_in_a_text_are_no_levels() -> None:
    text = '\\"' + "[" * 500
    assert parse_json(f'{{"a": "{text}", "b": ["]]"]}}') == {"a": '"' + "[" * 500, "b": ["]]"]}
    with pytest.raises(ValueError, match="levels"):
        parse_json('["]]]]",' * (DEEPEST + 1))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(_JSON)
def test_json_that_is_not_deep_is_read_as_it_was_written(value: object) -> None:
    assert parse_json(json.dumps(value)) == value


@given(st.text(alphabet="a.=[]{}\"'\n# 1,", max_size=400))
def test_any_toml_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        parse_toml(text)
    except ValueError as refused:
        assert "\n" not in str(refused)
