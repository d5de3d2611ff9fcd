"""The one reader of decoded values: each fault names its field, what the field's type expects, and what is there."""

from __future__ import annotations

import dataclasses
import json
import pickle
from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from flagfall.base.convert import A_TABLE, convert, convert_field, convert_typed
from flagfall.base.errors import FlagfallError, Invalid, shown

Share = Annotated[float, Meta(gt=0, lt=1)]


class Colour(StrEnum):
    BLACK = "black"
    WHITE = "white"


class Point(msgspec.Struct, forbid_unknown_fields=True):
    x: int
    y: Annotated[int, Meta(ge=0, le=7)] = 0


class Move(msgspec.Struct, tag="move", tag_field="kind"):
    to: Point


class Pass(msgspec.Struct, tag="pass", tag_field="kind"):
    by: Colour


@dataclasses.dataclass(frozen=True)
class Rule:
    first: Literal["loses", "extension"]
    seconds: int = 0


class Everything(msgspec.Struct, kw_only=True):
    name: Annotated[str, Meta(min_length=1, max_length=5)] = "a"
    note: Annotated[str, Meta(max_length=5)] = ""
    long: Annotated[str, Meta(min_length=2)] = "ab"
    on: bool = True
    share: Share = 0.5
    seat: Annotated[int, Meta(ge=1)] | None = None
    number: Annotated[int | float | None, Meta(description="a number of minutes")] = None
    point: Point | None = None
    pair: tuple[int, str] = (1, "a")
    some: Annotated[tuple[int, ...], Meta(max_length=2)] = ()
    few: Annotated[list[Point], Meta(min_length=1, max_length=2)] | None = None
    kinds: frozenset[Literal["disc", "hand"]] = frozenset()
    by_name: dict[str, Annotated[int, Meta(le=5)]] = {}
    by_colour: dict[Colour, int] = {}
    code: Annotated[str, Meta(pattern="^a+$", description="letters a")] = "a"
    action: Move | Pass | None = None
    rule: Rule | None = None
    either: Annotated[Literal["all"] | list[int], Meta(description='"all" or a list of numbers')] = "all"
    colour: Colour = Colour.BLACK
    anything: Any = None
    seed: Annotated[int, Meta(ge=0, le=10**9)] = 0
    minutes: Annotated[int, Meta(ge=1, le=9)] | Annotated[float, Meta(ge=0.5, le=9.0)] = 1


FAULTS = [
    ({"name": ""}, 'name: expected a text of 1 to 5 characters, got ""'),
    ({"name": 3}, "name: expected a text of 1 to 5 characters, got 3"),
    ({"note": "abcdef"}, 'note: expected a text of at most 5 characters, got "abcdef"'),
    ({"long": "a"}, 'long: expected a text of at least 2 characters, got "a"'),
    ({"on": 1}, "on: expected true or false, got 1"),
    ({"share": 1}, "share: expected a number above 0 below 1, got 1"),
    ({"share": True}, "share: expected a number above 0 below 1, got true"),
    ({"seat": 0}, "seat: expected a whole number from 1 or null, got 0"),
    ({"seat": 1.5}, "seat: expected a whole number from 1 or null, got 1.5"),
    ({"number": "x"}, 'number: expected a number of minutes, got "x"'),
    ({"point": 3}, "point: expected an object or null, got 3"),
    ({"point": {}}, "point.x: expected a whole number, got nothing"),
    ({"point": {"x": None}}, "point.x: expected a whole number, got nothing"),
    ({"point": {"x": 1, "y": 8}}, "point.y: expected a whole number from 0 to 7, got 8"),
    ({"point": {"x": 1, "z": 8}}, "point.z: unknown field, expected one of x, y"),
    ({"pair": [1]}, "pair: expected a list, got [1]"),
    ({"pair": [1, 2]}, "pair[1]: expected a text, got 2"),
    ({"some": [1, 2, 3]}, "some: expected a list of at most 2, got [1, 2, 3]"),
    ({"some": {}}, "some: expected a list of at most 2, got {}"),
    ({"few": []}, "few: expected a list of 1 to 2 or null, got []"),
    ({"few": [{"x": 1}, {"x": "a"}]}, 'few[1].x: expected a whole number, got "a"'),
    ({"kinds": ["nose"]}, 'kinds[0]: expected one of disc, hand, got "nose"'),
    ({"kinds": "disc"}, 'kinds: expected a list of "disc", "hand", got "disc"'),
    ({"by_name": {"a": 1, "b": 6}}, "by_name.b: expected a whole number to 5, got 6"),
    ({"by_name": []}, "by_name: expected an object, got []"),
    ({"by_colour": {"red": 1}}, "by_colour.red: unknown field, expected one of black, white"),
    ({"code": "b"}, 'code: expected letters a, got "b"'),
    ({"action": {}}, "action.kind: expected one of move, pass, got nothing"),
    ({"action": {"kind": "x"}}, 'action.kind: expected one of move, pass, got "x"'),
    ({"action": {"kind": ["x"]}}, 'action.kind: expected one of move, pass, got ["x"]'),
    ({"action": {"kind": "move", "to": {"x": "a"}}}, 'action.to.x: expected a whole number, got "a"'),
    ({"action": {"kind": "pass"}}, "action.by: expected one of black, white, got nothing"),
    ({"rule": {"first": "wins"}}, 'rule.first: expected one of loses, extension, got "wins"'),
    ({"rule": {}}, "rule.first: expected one of loses, extension, got nothing"),
    ({"either": "some"}, 'either: expected "all" or a list of numbers, got "some"'),
    ({"either": ["1"]}, 'either[0]: expected a whole number, got "1"'),
    ({"colour": "red"}, 'colour: expected one of black, white, got "red"'),
    ({"seed": -1}, "seed: expected a whole number from 0, got -1"),
    ({"seed": 10**9 + 1}, "seed: expected a whole number from 0 to 1000000000, got 1000000001"),
    ({"minutes": 0}, "minutes: expected a number from 0.5 to 9, got 0"),
    ([], "expected an object, got []"),
    ("x\u2028y", 'expected an object, got "x?y"'),
]


@pytest.mark.parametrize(("value", "line"), FAULTS, ids=[line for _, line in FAULTS])
def test_a_fault_names_field_expectation_and_value(value: object, line: str) -> None:
    with pytest.raises(Invalid) as fault:
        convert(value, Everything)
    assert str(fault.value) == line
    assert fault.value.field == (line.partition(": ")[0] if not line.startswith("expected") else "")


def test_a_table_of_toml_is_called_so() -> None:
    with pytest.raises(Invalid, match=r"^point: expected a table or null, got 3$"):
        convert({"point": 3}, Everything, A_TABLE)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["black"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "y", "kind", "to"]), inner)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(Everything.__struct_fields__), values, max_size=4))
def test_whatever_msgspec_refuses_is_one_line_that_begins_with_a_field_at_fault(
    value: dict[str, object],
) -> None:
    try:
        convert(value, Everything)
    except Invalid as fault:
        assert str(fault).isprintable()
        wrong = {name for name, item in value.items() if not _fits({name: item})}
        assert fault.field.partition(".")[0].partition("[")[0] in wrong


def _fits(value: object) -> bool:
    try:
        msgspec.convert(value, Everything)
    except msgspec.ValidationError:
        return False
    return True


def test_a_fault_is_a_value_with_its_source() -> None:
    fault = Invalid("flag.first", "one of loses, extension", '"x"').of("rulebook_text").of("line 3")
    assert isinstance(fault, FlagfallError) and isinstance(fault, ValueError)
    assert (fault.field, fault.message.field) == ("flag.first", "line 3: rulebook_text: flag.first")
    line = 'line 3: rulebook_text: flag.first: expected one of loses, extension, got "x"'
    assert str(fault) == str(pickle.loads(pickle.dumps(fault))) == line
    assert str(Invalid("", "TOML")) == "expected TOML"
    assert (
        str(Invalid("a", "b, c", source="f.toml", unknown="key")) == "f.toml: a: unknown key, expected b, c"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        ("é", '"é"'),
        ("a\nb\x85", '"a\\nb?"'),
        ("\ud800", '"?"'),
        ([1, None], "[1, null]"),
        ({1: {2}}, '{"1": "{2}"}'),
        ("x" * 100, '"' + "x" * 58 + "…"),
        (json.loads("[" * 900 + "]" * 900), "a list of 1"),
        ({"a": {}}, "an object"),
        (list(range(9)), "a list of 9"),
    ],
)
def test_a_value_is_shown_as_json_on_one_line(value: object, text: str) -> None:
    assert shown(value) == text


class Typed(msgspec.Struct, kw_only=True):
    table: Annotated[int, Meta(ge=1, le=64)]
    name: Annotated[str, Meta(min_length=1, max_length=9)]
    why: Annotated[str, Meta(max_length=5)] | None = None
    minutes: Annotated[float, Meta(gt=0)] = 1.0
    colour: Colour = Colour.BLACK
    again: bool = False
    players: list[str] = []


def typed(**texts: str | list[str]) -> Typed:
    texts = {"name": "x", **texts}
    lists = {name: [text] if isinstance(text, str) else text for name, text in texts.items()}
    return convert_typed(lists, Typed)


def test_what_is_typed_is_read_by_the_kinds_of_its_fields() -> None:
    assert typed(table=" 07 ") == Typed(table=7, name="x")
    assert typed(table="7", why="  ", colour="", again="", players="") == Typed(table=7, name="x")
    assert typed(table="7", why="12", minutes="2.5", colour="white", again="on", players=["a", " ", "b"]) == (
        Typed(table=7, name="x", why="12", minutes=2.5, colour=Colour.WHITE, again=True, players=["a", "b"])
    )
    assert typed(table="7", other="x", minutes="3") == Typed(table=7, name="x", minutes=3.0)


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        ({}, "table: expected a whole number from 1 to 64, got nothing"),
        ({"table": " "}, "table: expected a whole number from 1 to 64, got nothing"),
        ({"table": "65", "name": "x"}, "table: expected a whole number from 1 to 64, got 65"),
        ({"table": "1e1"}, "table: expected a whole number from 1 to 64, got 1e1"),
        ({"table": "٣"}, "table: expected a whole number from 1 to 64, got ٣"),
        ({"table": "9" * 5000}, f"table: expected a whole number from 1 to 64, got {'9' * 60}"),
        ({"table": "1", "name": "\n"}, "name: expected something, got nothing"),
        ({"table": "1", "why": "abcdef"}, "why: expected a text of at most 5 characters, got abcdef"),
        ({"table": "1", "minutes": "nan"}, "minutes: expected a number above 0, got nan"),
        ({"table": "1", "colour": "red\x00"}, "colour: expected one of black, white, got red?"),
    ],
)
def test_a_fault_of_what_is_typed_shows_it_as_it_was_typed(texts: dict[str, str], line: str) -> None:
    with pytest.raises(Invalid) as fault:
        typed(**texts)
    assert str(fault.value) == line
    assert fault.value.field == line.partition(":")[0]


def test_one_field_is_read_like_those_of_a_struct() -> None:
    seat: Any = Annotated[int, Meta(ge=1, le=9)]
    assert convert_field("board-a", [" 3"], seat) == 3
    assert convert_field("board-a", [" "], seat | None) is None
    with pytest.raises(Invalid, match=r"^board-a: expected a whole number from 1 to 9, got 10$"):
        convert_field("board-a", ["10"], seat | None)
    with pytest.raises(Invalid, match=r"^why: expected something, got nothing$"):
        convert_field("why", [], str)
