"""The game file `flagfall-game/1`: a header line, then one input a line (contracts, "Game file").

Reading is strict about what a field means and indifferent to fields it does not know. Every error is one line that
names the line, the field and what was expected.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from flagfall.othello import inputs as i
from flagfall.othello.errors import Invalid, shown
from flagfall.othello.fields import (
    LONGEST_REMARK,
    MOST_EXTRA_MINUTES,
    Fields,
    Object,
    name_twice,
    number_type,
)
from flagfall.othello.foreign_text import parse_json
from flagfall.othello.game import Header, Player
from flagfall.othello.input_lines import input_object, parse_input
from flagfall.othello.rulebook import Rulebook, Stage, parse_rulebook, rulebook
from flagfall.othello.side import Both, Side

__all__ = [
    "FORMAT",
    "LONGEST_REMARK",
    "format_game",
    "header_object",
    "input_object",
    "parse_game",
    "parse_header",
    "parse_input",
]

FORMAT = "flagfall-game/1"


def parse_game(text: str) -> tuple[Header, tuple[i.Input, ...]]:
    """Header and inputs of a game file; `at_ns` never falls. Invalid names line and field."""
    header: Header | None = None
    inputs: list[i.Input] = []
    last_ns = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            line_object = _object(line)
            if header is None:
                header = parse_header(line_object)
                continue
            entry = parse_input(line_object)
            if entry.at_ns < last_ns:
                raise Invalid("at_ns", f"at least {last_ns}, that of the line before", str(entry.at_ns))
        except Invalid as fault:
            raise fault.of(f"line {number}") from None
        last_ns = entry.at_ns
        inputs.append(entry)
    if header is None:
        raise Invalid("", f'a header {{"type":"game","format":"{FORMAT}",...}}', "nothing", "line 1")
    return header, tuple(inputs)


_MINUTES = number_type(0.001, 6000)
_EXTRA_MINUTES = number_type(0, MOST_EXTRA_MINUTES)
_PER_MOVE_S = number_type(0, 600)


def format_game(header: Header, lines: Iterable[i.Input]) -> str:
    """Return the game file of a header and its inputs, a newline after each line."""
    objects = [header_object(header), *map(input_object, lines)]
    return "".join(json.dumps(o, ensure_ascii=False, separators=(",", ":")) + "\n" for o in objects)


def _object(line: str) -> Object:
    try:
        value = parse_json(line, _each_once)
        if "\\ud" in line.lower():  # half of a surrogate pair could not be written down again
            json.dumps(value, ensure_ascii=False).encode()
    except ValueError as error:
        # Python's reader counts lines too, and to it each of them is the first.
        why = str(error).replace("line 1 column", "column")
        raise Invalid("", f"a JSON object: {why}") from None
    if not isinstance(value, dict):
        raise Invalid("", "a JSON object", shown(value))
    return value


def _each_once(pairs: list[tuple[str, object]]) -> Object:
    if (twice := name_twice(pairs)) is not None:
        raise ValueError(f"{shown(twice)} stands in it twice")
    return dict(pairs)


def parse_header(line: Object) -> Header:
    """Return the header of a JSON object; fields that are left out have the contract's defaults."""
    fields = Fields(line)
    if line.get("type") != "game":
        raise Invalid("type", '"game" in the first line', shown(line.get("type")))
    if line.get("format") != FORMAT:
        raise Invalid("format", f'"{FORMAT}"', shown(line.get("format")))
    rules = _rules(fields)
    stage = fields.read_if("stage", Stage) or Stage.QUALIFYING
    if "minutes" in fields:
        minutes = fields.read("minutes", _MINUTES)
    elif stage in rules.minutes:
        minutes = rules.minutes[stage]
    else:
        raise Invalid("minutes", f"minutes, {rules.id} sets none for the stage {stage}", "nothing")
    extra = fields.sub("extra_minutes")
    hands = fields.sub("hands_commit")
    return Header(
        rulebook=rules,
        minutes=minutes,
        stage=stage,
        judged=fields.read("judged", bool, True),
        sensors=fields.read("sensors", bool, True),
        black=_player(fields.sub("black")),
        white=_player(fields.sub("white")),
        draw_win=fields.read_if("draw_win", Side),
        extra_minutes=Both(*(extra.read(side, _EXTRA_MINUTES, 0) for side in Side)),
        hands_commit=Both(*(hands.read(side, bool, True) for side in Side)),
        board_turned=fields.read("board_turned", bool, False),
        broadcast=fields.read("broadcast", bool, False),
        increment_s=_per_move_s(fields, rules, "increment"),
        delay_s=_per_move_s(fields, rules, "delay"),
        byoyomi_s=_byoyomi_s(fields, rules),
    )


def _per_move_s(fields: Fields, rules: Rulebook, kind: str) -> float:
    """Seconds that each move gives, as an increment or as a delay."""
    name = f"{kind}_s"
    seconds: float = fields.read(name, _PER_MOVE_S, 0)
    if seconds and rules.per_move not in (kind, "either"):
        raise Invalid(name, f"0, {rules.id} has no {kind}", shown(seconds))
    return seconds


def _byoyomi_s(fields: Fields, rules: Rulebook) -> float:
    """Seconds for each move after the time is up."""
    seconds: float = fields.read("byoyomi_s", _PER_MOVE_S, 0)
    if seconds and not rules.byoyomi:
        raise Invalid("byoyomi_s", f"0, {rules.id} has no count-down", shown(seconds))
    return seconds


def _rules(fields: Fields) -> Rulebook:
    """Return the rulebook by its name; a director's own comes with the game, whole, as `rulebook_text`."""
    name = fields.read("rulebook", str)
    if "rulebook_text" not in fields:
        try:
            return rulebook(name)
        except Invalid as fault:
            raise fault.of("rulebook") from None
    try:
        custom = parse_rulebook(fields.read("rulebook_text", str))
    except Invalid as fault:
        raise fault.of("rulebook_text") from None
    if custom.id != name:
        raise Invalid("rulebook", f"{shown(custom.id)}, the id of rulebook_text", shown(name))
    return custom


def _player(fields: Fields) -> Player:
    return Player(fields.read("id", str, ""), fields.read("name", str, ""))


def header_object(header: Header) -> dict[str, Any]:
    """Return the header as the first line's JSON object, with every field except those that few games have."""
    rare: dict[str, Any] = {"rulebook_text": header.rulebook.text} if header.rulebook.text else {}
    rare |= {name: s for name in ("increment_s", "delay_s", "byoyomi_s") if (s := getattr(header, name))}
    return {
        "type": "game",
        "format": FORMAT,
        "rulebook": header.rulebook.id,
        "stage": str(header.stage),
        "minutes": header.minutes,
        "judged": header.judged,
        "sensors": header.sensors,
        "black": {"id": header.black.id, "name": header.black.name},
        "white": {"id": header.white.id, "name": header.white.name},
        "draw_win": None if header.draw_win is None else str(header.draw_win),
        "extra_minutes": {"black": header.extra_minutes.black, "white": header.extra_minutes.white},
        "hands_commit": {"black": header.hands_commit.black, "white": header.hands_commit.white},
        "board_turned": header.board_turned,
        "broadcast": header.broadcast,
    } | rare
