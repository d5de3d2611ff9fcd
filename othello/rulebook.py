"""A rulebook: what differs between the texts, as data that cites its clauses.

One TOML file each, in `othello/rulebooks/`; a director's own file names the one it is `based_on` and overrides
fields of it. Every field is checked, and an error names the field and what was expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from othello.errors import Invalid, shown
from othello.fields import Fields
from othello.foreign_text import parse_toml


class Stage(StrEnum):
    QUALIFYING = "qualifying"
    PLAYOFF = "playoff"
    SEMI_FINAL = "semi-final"
    THIRD_PLACE = "third-place"
    FINAL = "final"


Discs = tuple[int, int]
"""A score: at most 64 discs together. Whose they are is said where one stands."""
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class FlagRule:
    """What a fallen flag does. Scores are (non-defaulter, defaulter).

    `extension`: "added" to what is left, or "set" when the director confirms. `takes_effect`: "confirmed" by the
    director (usoa 6.5), "pointed_out" by a player. `other_first`: what the other player's first flag does afterwards;
    after "loses_default" the game ends, and the first defaulter still loses.
    """

    first: Literal["extension", "loses"]
    first_score: Discs
    takes_effect: Literal["at_once", "confirmed", "pointed_out"]
    extension: Literal["added", "set"]
    extension_for: Literal["both", "defaulter"]
    extension_s: int
    guarantee: Discs
    second_score: Discs
    other_first: Literal["loses_default", "extension"]
    other_score: Discs


@dataclass(frozen=True, slots=True)
class ScoreRule:
    """`empties`: whose the empty squares are. `draw`: the score of a draw; `wipe_out`: score (winner, loser) when one
    colour is gone; None: as counted. `draw_win`: who wins a draw where the header names nobody."""

    empties: Literal["winner", "nobody"]
    draw: Discs | None
    wipe_out: Discs | None
    draw_win: Literal["black", "white", "nobody"]


TOLD: Mapping[str, str] = {
    "consultation": "pairing",
    "notes": "pairing",
    "reference": "pairing",
    "devices": "pairing",
    "spectators": "pairing",
    "system": "pairing",
    "ignorance": "pairing",
    "clear_board": "start",
    "objects": "start",
    "discs": "start",
    "clock_side": "start",
    "clock_view": "start",
    "leaving": "start",
    "conduct": "start",
    "quotient": "standings",
}
"""What players are told, and when the console says it: before a "pairing" is announced, before the "start" of a round,
beside the "standings". The console's catalogue has the words."""


@dataclass(frozen=True, slots=True)
class EventRule:
    """`no_show`: what a game forfeited, or lost on time, without a move on record is; after "no game" the two may meet,
    and nobody has had a colour. `unplayed_round`: how it counts in the Brightwell quotient.
    `choice_s`: how long before the start a choice of colour is to be announced, 0 where the text sets no time.
    `world_places`: how many qualify for the world championship at least, 0 where it speaks of none. `told`: clause
    -> what it says (`TOLD`).
    """

    no_show: Literal["no game", "a game"]
    unplayed_round: Literal["as a bye", "nothing"]
    choice_s: int
    world_places: int
    told: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rulebook:
    """One text's demands. `minutes` lacks the stages that the director has to set (usoa 5.1).

    `touch_binds`: contacts that commit. `opponents_time`: what the text says of moving on it. `demand_names_error`:
    usoa 7.5. `twice_wrong_reverses`: usoa 7.3. `players_stop`: players at a table without a judge may stop the clocks,
    and start them again together. `most_time_removed`: the largest part of the remaining time that a penalty may take
    (1.0: all of it). `cites`: field -> clauses. `left_out`: what the file does not cover, each with its reason.
    `family`: the text at the root of `based_on`, whose formats a tournament follows. `text`: the whole file of a
    director's own rulebook, which travels with each game; "" for those that Flagfall ships. `per_move`: what a game's
    seconds for each move may be; of a "delay" only what was used is given back. `sounds`: of the table, "none" where
    the text asks for a quiet room.
    """

    id: str
    title: str
    minutes: Mapping[Stage, float]
    least_minutes: float
    touch_binds: frozenset[Literal["disc", "hand"]]
    opponents_time: Literal["forbidden", "allowed", "silent"]
    corrected_by: Literal["judge", "offender"]
    demand_names_error: bool
    twice_wrong_reverses: bool
    players_stop: bool
    most_time_removed: float
    flag: FlagRule
    score: ScoreRule
    event: EventRule
    cites: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    left_out: Mapping[str, str] = field(default_factory=dict, compare=False)
    family: str = ""
    text: str = ""
    per_move: Literal["nothing", "increment", "delay", "either"] = "nothing"
    sounds: Literal["none", "as set"] = "as set"


TEXTS = ("woc-2019", "usoa", "woc-2017", "woc-classic", "cc-2024")
"""The five texts. Everything else is based on one of them."""

_FOLDER = Path(__file__).with_name("rulebooks")
BUILT_IN = ("woc-2019", "open", "club", "usoa", "woc-2017", "woc-classic", "cc-2024")
"""The rulebooks that Flagfall ships, in the order in which they are offered."""

_TOURNAMENT = "tournament"
_NOT_IN_FILES = ("least_minutes", "text")
"""Fields of a `Rulebook` that no table has under these names."""

_Table = Mapping[str, object]


class _Reader(Fields):
    """Takes the fields of a dataclass out of a table, and names in errors those that it does not know."""

    def table(self, key: str) -> _Reader:
        value = self._fields.get(key)
        if not isinstance(value, dict):
            raise self._wrong(key, "a table")
        return _Reader(value, f"{self._path}{key}.")

    def items(self) -> list[tuple[str, object]]:
        return list(self._fields.items())

    def score(self, key: str) -> Discs:
        counts = self._fields.get(key)
        if not isinstance(counts, list) or [type(count) for count in counts] != [int, int]:
            raise self._wrong(key, "two disc counts, as [33, 31]")
        if min(counts) < 0 or max(counts) > 64:
            raise self._wrong(key, "two disc counts, as [33, 31]")
        if sum(counts) > 64:
            raise self._wrong(key, "at most 64 discs together")
        return counts[0], counts[1]

    def some_of(self, key: str, choices: tuple[str, ...]) -> frozenset[str]:
        chosen = self._fields.get(key)
        if not isinstance(chosen, list) or not all(one in choices for one in chosen):
            raise self._wrong(key, "a list of " + ", ".join(f'"{one}"' for one in choices))
        return frozenset(chosen)

    def field(self, key: str, kind: Any) -> object:
        """A field of this type; of numbers whole ones are up to 3600, as seconds are, and others up to 1."""
        if get_origin(kind) is Literal:
            return self.one_of(key, *get_args(kind))
        if get_origin(kind) is frozenset:
            return self.some_of(key, get_args(get_args(kind)[0]))
        if is_dataclass(kind):
            return self.table(key).rule(cast(type, kind))
        if kind is bool:
            return self.flag(key)
        if kind is int:
            return int(self.number(key, 0, 3600))
        if kind is float:
            return self.number(key, 0, 1)
        if kind == Discs | None and self._fields.get(key) == "as counted":
            return None
        return self.text(key) if kind is str else self.score(key)

    def rule(self, kind: type[_R], **known: object) -> _R:
        """A dataclass: each field that is not `known` by its type, or its default where the table has none of it."""
        hints = get_type_hints(kind)
        read = [one for one in fields(cast(Any, kind)) if one.name not in _NOT_IN_FILES]
        for one in read:
            if one.name not in known and (one.name in self._fields or one.default is MISSING):
                known[one.name] = self.field(one.name, hints[one.name])
        if unknown := self._fields.keys() - {one.name for one in read}:
            expected = ", ".join(one.name for one in read)
            raise Invalid(f"{self._path}{min(unknown)}", expected, unknown="field")
        return kind(**known)


def _merged(base: _Table, own: _Table) -> dict[str, object]:
    """`own` laid over `base`, table by table."""
    result = dict(base)
    for key, value in own.items():
        below = result.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            value = _merged(below, value)
        result[key] = value
    return result


def parse_rulebook(text: str) -> Rulebook:
    """A director's own rulebook, laid over the one it is `based_on`. Invalid names the field."""
    built = _build(_table_of(text))
    if built.id in BUILT_IN:
        raise Invalid("id", "a name of its own", f"{built.id!r}, which Flagfall ships")
    return replace(built, text=text)


def _table_of(text: str) -> _Table:
    try:
        table: _Table = parse_toml(text)
    except ValueError as error:
        raise Invalid("", f"TOML: {error}") from None
    base = table.get("based_on")
    if base is None:
        return table
    if base not in BUILT_IN:
        raise Invalid("based_on", f"one of {', '.join(BUILT_IN)}", shown(base))
    own = {key: value for key, value in table.items() if key != "based_on"}
    root = _of_a_game(_shipped(str(base)))
    return _merged({"family": root["id"]} | root, own)


def _shipped(name: str) -> _Table:
    return _table_of((_FOLDER / f"{name}.toml").read_text("utf-8"))


def _of_a_game(table: _Table) -> dict[str, object]:
    return {key: value for key, value in table.items() if key != _TOURNAMENT}


def tournament_table(name: str) -> dict[str, object]:
    """What the file of a rulebook that ships says of a whole tournament, for the hub to read; no game depends on it."""
    return cast(dict[str, object], _shipped(name).get(_TOURNAMENT, {}))


@cache
def rulebook(name: str) -> Rulebook:
    """One of the rulebooks that Flagfall ships; Invalid names those there are."""
    if name not in BUILT_IN:
        raise Invalid("", f"one of {', '.join(BUILT_IN)}", shown(name))
    return _build(_of_a_game(_shipped(name)))


def _build(table: _Table) -> Rulebook:
    top = _Reader(table)
    stages = top.table("minutes")
    least = stages.number("least", 0, 600)
    minutes: dict[Stage, float] = {}
    for key, value in stages.items():
        if key == "least":
            continue
        if key not in list(Stage):
            raise Invalid(f"minutes.{key}", f"one of {', '.join(Stage)}")
        if type(value) not in (int, float) or not 0 < cast(float, value) <= 600:
            raise Invalid(f"minutes.{key}", "minutes above 0, at most 600", shown(value))
        minutes[Stage(key)] = cast(float, value)
    event = top.table("event")
    told = event.table("told")
    words = {clause: told.one_of(clause, *TOLD, "nothing") for clause, _ in told.items()}
    return top.rule(
        Rulebook,
        minutes=minutes,
        least_minutes=least,
        event=event.rule(
            EventRule, told={clause: word for clause, word in words.items() if word != "nothing"}
        ),
        cites={key: _clauses(key, value) for key, value in top.table("cites").items()},
        left_out={key: str(value) for key, value in top.table("left_out").items()},
        family=top.one_of("family", *TEXTS) if "family" in table else top.text("id"),
    )


def _clauses(key: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(clause, str) for clause in value):
        return tuple(cast(list[str], value))
    raise Invalid(f"cites.{key}", "a clause or a list of clauses", shown(value))
