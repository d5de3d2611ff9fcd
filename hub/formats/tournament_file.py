"""The reader and the writer of the bytes of `flagfall-tournament/1`. Read back, a file is the same tournament.

`hub.form.tournament` reads the fields.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields
from fractions import Fraction
from functools import cache
from typing import Any

import msgspec

from flagfall.base.errors import shown
from flagfall.base.fields import name_twice
from flagfall.base.foreign_text import MOST_EXPONENTS, check_depth, check_exponents
from flagfall.base.message import N_
from flagfall.othello.reason import Reason
from hub.form.tournament import FORMAT, PER_ROUNDS, tournament_from_json
from hub.formats.kinds import expect_own_kind
from hub.model.games import FinalPlace, Game, Round
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.text import FormatError

MOST_VALUES = 4_000_000  # each takes memory before it is checked; 10,000 players and 13 rounds need 700,000


def read_tournament(data: bytes) -> Tournament:
    """Return the tournament of a file's bytes. Raise FormatError naming the field (or the line, if it is not JSON)."""
    return tournament_from_json(decode_json(data))


def decode_json(data: bytes) -> object:
    """Return the JSON value of a file. Raise FormatError naming the line, or the limit that it exceeds."""
    expect_own_kind(data, N_("a tournament's file (.json)"))
    data = data.removeprefix(b"\xef\xbb\xbf")
    if sum(map(data.count, (b"{", b"[", b","))) > MOST_VALUES:
        raise FormatError("", f"at most {MOST_VALUES} values", "more")
    try:
        check_depth(data)
    except ValueError:
        raise FormatError("", "JSON", "too deep a nesting") from None
    try:
        check_exponents(data)
    except ValueError:
        raise FormatError("", f"at most {MOST_EXPONENTS} numbers with an exponent", "more") from None
    try:
        with suppress(json.JSONDecodeError):  # msgspec reports it with its line
            json.loads(data, object_pairs_hook=_check_pairs, parse_int=str)
        return msgspec.json.decode(data)
    except RecursionError:
        raise FormatError("", "JSON", "too deep a nesting") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        reason, _, place = str(fault).rpartition(" (byte ")
        line = ""
        if place.endswith(")") and place[:-1].isdigit():
            breaks = data.count(b"\n", 0, int(place[:-1]))
            line = f"line {breaks + 1}"
        raise FormatError(line, "JSON", reason.removeprefix("JSON is malformed: ") or str(fault)) from None


def _check_pairs(pairs: list[tuple[str, object]]) -> None:
    if (twice := name_twice(pairs)) is not None:
        raise FormatError(shown(twice), "each name once in an object", "it again")
    for name, value in pairs:
        if any(item in (math.inf, -math.inf) for item in (value if isinstance(value, list) else (value,))):
            raise FormatError(shown(name), "a number that a computer can hold", "a larger one")


def write_tournament(tournament: Tournament) -> bytes:
    """Return the file's bytes: one JSON object, a line for each player and each game, so that people can read it."""
    return _lay_out(tournament_to_json(tournament), "").encode("utf-8") + b"\n"


def player_to_json(player: Player, rulebook: str) -> dict[str, Any]:
    """Return one object of the tournament file's `players`."""
    value: dict[str, Any] = tournament_to_json(Tournament(rulebook, (player,)))["players"][0]
    return dict(json.loads(json.dumps(value)))


def _lay_out(value: Any, indent: str) -> str:
    """Return JSON in which only lists and objects that contain others are broken into lines."""
    inner = indent + "  "
    if isinstance(value, dict) and any(_nested(item) for item in value.values()):
        items = [f"{_plain(name)}: {_lay_out(item, inner)}" for name, item in value.items()]
        return "{\n" + ",\n".join(inner + item for item in items) + f"\n{indent}}}"
    if _nested(value):
        return "[\n" + ",\n".join(inner + _lay_out(item, inner) for item in value) + f"\n{indent}]"
    return _plain(value)


def _nested(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict | list) for item in value)


def _plain(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode("utf-8")


_ORDER = (
    "name",
    "date",
    "time_zone",
    "rulebook",
    "system",
    "rounds_planned",
    "bq_constant",
    "seed",
    "players",
    "withdrawals",
    "absences",
    "half_byes",
    "bans",
    "pins",
    "rounds",
    "finals",
    "contact_nations",
    "lots",
    "tie_break",
    "leave_after_wins",
    "level_playoff",
    "leagues",
)
# Fields that are written even if they have their defaults.
_ALWAYS: Mapping[type, Collection[str]] = {
    Tournament: ("rulebook", "system", "rounds_planned", "bq_constant", "seed", "players", "rounds"),
    Round: ("games", "byes"),
}


def tournament_to_json(tournament: Tournament) -> dict[str, Any]:
    """Return the tournament as JSON values; empty fields and defaults are left out."""
    value = _json_object(tournament)
    if tournament.bq_constant is None:
        value["bq_constant"] = PER_ROUNDS
    for absence in value.pop("absences", ()):
        value.setdefault("half_byes" if absence.pop("half_point", False) else "absences", []).append(absence)
    known = {name: value.pop(name) for name in _ORDER if name in value}
    return {"format": FORMAT, **known} | {name: item for name, item in value.items() if name != "format"}


def number(value: Fraction) -> int | float:
    """Return a number for JSON: whole if it is whole, else the nearest float."""
    return int(value) if value.denominator == 1 else float(value)


def _json(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple):
        return [_json(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _json(item) for name, item in value.items()}
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    return number(value) if isinstance(value, Fraction) else _json_object(value)


def _json_object(value: Any) -> dict[str, Any]:
    """Return the fields of a value, then those declared in it, then unknown fields of its file."""
    known, declared = _defaults(value.__class__)
    fields_ = _changed_fields(value, known)
    match value:
        case Player():  # if left out, the team is read as the country
            fields_ |= {"team": value.team}
            if value.team == value.country:
                del fields_["team"]
        case Game(final=FinalPlace() as final):
            place = {"title": final.title, "stage": final.stage, "black": value.black, "white": value.white}
            fields_ = place | {
                "score": _json(value.score),
                "draw_win": value.draw_win,
                "reason": value.reason,
            }
        case Game():
            if not value.table_of_file:
                fields_.pop("table", None)
            if value.score is not None:
                fields_ |= {"reason": value.reason}
    if isinstance(value, Game) and value.colours_open:
        fields_ |= {"colours": "open"}
    if isinstance(value, Game) and value.reason == Reason.WALKOVER and value.score is not None:
        fields_ |= {"present": "black" if value.score[0] > value.score[1] else "white"}
    if declared:
        fields_ |= _changed_fields(value, declared)
    for drawer in ("misfits", "extra"):
        if unknown := getattr(value, drawer, None):
            fields_ |= {
                name: item for name, item in unknown.items() if name not in fields_ and name not in known
            }
    return fields_


def _changed_fields(value: Any, defaults: Mapping[str, object]) -> dict[str, Any]:
    return {
        name: _json(item) for name, default in defaults.items() if (item := getattr(value, name)) != default
    }


@cache
def _defaults(kind: type) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """Return the defaults of the fields of the format, and of those that may be declared beside them.

    A field that may not be left out has MISSING, which no value equals. Fields of the record alone are left out: they
    are neither compared nor written.
    """
    always = _ALWAYS.get(kind, ())
    known: dict[str, object] = {}
    declared: dict[str, object] = {}
    for entry in fields(kind):
        if entry.compare and entry.name not in ("final", "misfits", "extra"):
            (declared if entry.kw_only else known)[entry.name] = (
                MISSING if entry.name in always else entry.default
            )
    return known, declared
