"""A rulebook: what differs between the texts, as data that cites its clauses.

One TOML file each, in `othello/rulebooks/`; a director's own file names the one it is `based_on` and overrides
fields of it. Every field is checked, and an error names the field and what was expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import cast

from othello.event_rule import TOLD, EventRule


class Stage(StrEnum):
    QUALIFYING = "qualifying"
    PLAYOFF = "playoff"
    SEMI_FINAL = "semi-final"
    THIRD_PLACE = "third-place"
    FINAL = "final"


class RulebookError(ValueError):
    """One line: the field and what was expected."""


@dataclass(frozen=True, slots=True)
class FlagRule:
    """What a fallen flag does.

    `first`: "extension" or "loses". `extension_for`: "both" or "defaulter"; `extension`: "added" to what is left or
    "set" when the director confirms. `takes_effect`: "at_once", "confirmed" (by the director, usoa 6.5) or
    "pointed_out" (by a player). `other_first`: what the other player's first flag does afterwards, "loses_default"
    (the game ends, the first defaulter still loses) or "extension". Scores are (non-defaulter, defaulter).
    """

    first: str
    first_score: tuple[int, int]
    takes_effect: str
    extension: str
    extension_for: str
    extension_s: int
    guarantee: tuple[int, int]
    second_score: tuple[int, int]
    other_first: str
    other_score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ScoreRule:
    """`empties`: "winner" or "nobody". `draw`: fixed score of a draw, or None: as counted.
    `wipe_out`: score (winner, loser) when one colour is gone, or None. `draw_win`: who wins a draw where the
    header names nobody."""

    empties: str
    draw: tuple[int, int] | None
    wipe_out: tuple[int, int] | None
    draw_win: str | None


@dataclass(frozen=True, slots=True)
class Rulebook:
    """One text's demands. `minutes` lacks the stages that the director has to set (usoa 5.1).

    `touch_binds`: contacts that commit. `opponents_time`: moving on it is "forbidden", "allowed" or "silent".
    `corrected_by`: "judge" or "offender". `demand_names_error`: usoa 7.5. `twice_wrong_reverses`: usoa 7.3.
    `players_stop`: players at a table without a judge may stop the clocks, and start them again together.
    `most_time_removed`: the largest part of the remaining time a penalty may take (1.0: all of it).
    `cites`: field -> clauses. `left_out`: what the file does not cover, each with its reason. `family`: the text at
    the root of `based_on`, whose formats a tournament follows. `text`: the whole file of a director's own rulebook,
    which travels with each game; "" for those that Flagfall ships. `per_move`: what a game's seconds for each move are,
    "nothing" (it has none), an "increment", a "delay", of which only what was used is given back, or "either".
    `sounds`: of the table, "none" where the text asks for a quiet room, or "as set".
    """

    id: str
    title: str
    minutes: Mapping[Stage, float]
    least_minutes: float
    touch_binds: frozenset[str]
    opponents_time: str
    corrected_by: str
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
    per_move: str = "nothing"
    sounds: str = "as set"


TEXTS = ("woc-2019", "usoa", "woc-2017", "woc-classic", "cc-2024")
"""The five texts. Everything else is based on one of them."""

PER_MOVE = ("nothing", "increment", "delay", "either")

_FOLDER = Path(__file__).with_name("rulebooks")
BUILT_IN = ("woc-2019", "open", "club", "usoa", "woc-2017", "woc-classic", "cc-2024")
"""The rulebooks that Flagfall ships, in the order in which they are offered."""

_TOURNAMENT = "tournament"

_Table = Mapping[str, object]


class _Reader:
    """Takes fields out of a table, names them in errors, and finds those that nobody takes."""

    def __init__(self, table: _Table, path: str = "") -> None:
        self._table = table
        self._path = path
        self._left = set(table)

    def _name(self, key: str) -> str:
        return f"{self._path}{key}"

    def take(self, key: str, kind: type | tuple[type, ...], expected: str) -> object:
        if key not in self._table:
            raise RulebookError(f"{self._name(key)}: expected {expected}, got nothing")
        self._left.discard(key)
        value = self._table[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise RulebookError(f"{self._name(key)}: expected {expected}, got {value!r}")
        return value

    def text(self, key: str) -> str:
        return str(self.take(key, str, "text"))

    def choice(self, key: str, *choices: str) -> str:
        value = self.take(key, str, f"one of {', '.join(choices)}")
        if value not in choices:
            raise RulebookError(f"{self._name(key)}: expected one of {', '.join(choices)}, got {value!r}")
        return str(value)

    def flag(self, key: str) -> bool:
        return cast(bool, self.take(key, bool, "true or false"))

    def number(self, key: str, low: float, high: float) -> float:
        value = cast(float, self.take(key, (int, float), f"a number from {low:g} to {high:g}"))
        if not low <= value <= high:
            raise RulebookError(
                f"{self._name(key)}: expected a number from {low:g} to {high:g}, got {value!r}"
            )
        return value

    def score(self, key: str) -> tuple[int, int]:
        value = self.take(key, list, "two disc counts, as [33, 31]")
        counts = cast(list[object], value)
        if len(counts) != 2 or not all(
            isinstance(c, int) and not isinstance(c, bool) and 0 <= c <= 64 for c in counts
        ):
            raise RulebookError(f"{self._name(key)}: expected two disc counts, as [33, 31], got {value!r}")
        first, second = cast(list[int], counts)
        if first + second > 64:
            raise RulebookError(f"{self._name(key)}: expected at most 64 discs together, got {value!r}")
        return first, second

    def optional_score(self, key: str) -> tuple[int, int] | None:
        if self._table.get(key) == "as counted":
            self._left.discard(key)
            return None
        return self.score(key)

    def table(self, key: str) -> _Reader:
        return _Reader(cast(_Table, self.take(key, dict, "a table")), f"{self._name(key)}.")

    def items(self) -> list[tuple[str, object]]:
        self._left.clear()
        return list(self._table.items())

    def done(self) -> None:
        if self._left:
            raise RulebookError(f"{self._name(min(self._left))}: unknown field")


def _merged(base: _Table, own: _Table) -> dict[str, object]:
    """`own` laid over `base`, table by table."""
    result = dict(base)
    for key, value in own.items():
        below = result.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            result[key] = _merged(below, value)
        else:
            result[key] = value
    return result


def parse_rulebook(text: str) -> Rulebook:
    """A director's own rulebook, laid over the one it is `based_on`. RulebookError names the field."""
    built = _build(_table_of(text))
    if built.id in BUILT_IN:
        raise RulebookError(f"id: expected a name of its own, got {built.id!r}, which Flagfall ships")
    return replace(built, text=text)


def _table_of(text: str) -> _Table:
    import tomllib  # who takes a rulebook's names alone does not wait for it

    try:
        table: _Table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Not only tomllib's own: a number of five thousand digits, tables nested too deep.
        raise RulebookError(f"not TOML: {' '.join(str(error).split())}") from None
    base = table.get("based_on")
    if base is None:
        return table
    if base not in BUILT_IN:
        raise RulebookError(f"based_on: expected one of {', '.join(BUILT_IN)}, got {base!r}")
    own = {key: value for key, value in table.items() if key != "based_on"}
    root = _built_in_table(str(base))
    return _merged({"family": root["id"]} | dict(root), own)


def _built_in_text(name: str) -> str:
    return (_FOLDER / f"{name}.toml").read_text("utf-8")


def _built_in_table(name: str) -> _Table:
    return {key: value for key, value in _table_of(_built_in_text(name)).items() if key != _TOURNAMENT}


def tournament_table(name: str) -> dict[str, object]:
    """What the file of a rulebook that ships says of a whole tournament, for the hub to read; no game depends on it."""
    import tomllib

    return cast(dict[str, object], tomllib.loads(_built_in_text(name))[_TOURNAMENT])


@cache
def rulebook(name: str) -> Rulebook:
    """One of the rulebooks that Flagfall ships; RulebookError names those there are."""
    if name not in BUILT_IN:
        raise RulebookError(f"expected one of {', '.join(BUILT_IN)}, got {name!r}")
    return _build(_built_in_table(name))


def _build(table: _Table) -> Rulebook:
    top = _Reader(table)
    minutes: dict[Stage, float] = {}
    stages = top.table("minutes")
    least = stages.number("least", 0, 600)
    for key, value in stages.items():
        if key == "least":
            continue
        if key not in list(Stage):
            raise RulebookError(f"minutes.{key}: expected one of {', '.join(Stage)}")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 600:
            raise RulebookError(f"minutes.{key}: expected minutes above 0, at most 600, got {value!r}")
        minutes[Stage(key)] = value
    touch = top.take("touch_binds", list, 'a list of "disc", "hand"')
    for contact in cast(list[object], touch):
        if contact not in ("disc", "hand"):
            raise RulebookError(f'touch_binds: expected a list of "disc", "hand", got {contact!r}')
    built = Rulebook(
        id=top.text("id"),
        title=top.text("title"),
        minutes=minutes,
        least_minutes=least,
        touch_binds=frozenset(cast(list[str], touch)),
        opponents_time=top.choice("opponents_time", "forbidden", "allowed", "silent"),
        corrected_by=top.choice("corrected_by", "judge", "offender"),
        demand_names_error=top.flag("demand_names_error"),
        twice_wrong_reverses=top.flag("twice_wrong_reverses"),
        players_stop=top.flag("players_stop"),
        most_time_removed=top.number("most_time_removed", 0, 1),
        flag=_flag_rule(top.table("flag")),
        score=_score_rule(top.table("score")),
        event=_event_rule(top.table("event")),
        cites={key: _clauses(key, value) for key, value in top.table("cites").items()},
        left_out={key: str(value) for key, value in top.table("left_out").items()},
        family=top.choice("family", *TEXTS) if "family" in table else top.text("id"),
        per_move=top.choice("per_move", *PER_MOVE) if "per_move" in table else "nothing",
        sounds=top.choice("sounds", "none", "as set") if "sounds" in table else "as set",
    )
    top.done()
    return built


def _flag_rule(flag: _Reader) -> FlagRule:
    rule = FlagRule(
        first=flag.choice("first", "extension", "loses"),
        first_score=flag.score("first_score"),
        takes_effect=flag.choice("takes_effect", "at_once", "confirmed", "pointed_out"),
        extension=flag.choice("extension", "added", "set"),
        extension_for=flag.choice("extension_for", "both", "defaulter"),
        extension_s=int(flag.number("extension_s", 0, 3600)),
        guarantee=flag.score("guarantee"),
        second_score=flag.score("second_score"),
        other_first=flag.choice("other_first", "loses_default", "extension"),
        other_score=flag.score("other_score"),
    )
    flag.done()
    return rule


def _score_rule(score: _Reader) -> ScoreRule:
    draw_win = score.choice("draw_win", "black", "white", "nobody")
    rule = ScoreRule(
        empties=score.choice("empties", "winner", "nobody"),
        draw=score.optional_score("draw"),
        wipe_out=score.optional_score("wipe_out"),
        draw_win=None if draw_win == "nobody" else draw_win,
    )
    score.done()
    return rule


def _event_rule(event: _Reader) -> EventRule:
    told = event.table("told")
    rule = EventRule(
        no_show=event.choice("no_show", "no game", "a game"),
        unplayed_round=event.choice("unplayed_round", "as a bye", "nothing"),
        choice_s=int(event.number("choice_s", 0, 3600)),
        world_places=int(event.number("world_places", 0, 1000)),
        told={
            clause: word
            for clause, _ in told.items()
            if (word := told.choice(clause, *TOLD, "nothing")) != "nothing"
        },
    )
    event.done()
    return rule


def _clauses(key: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(clause, str) for clause in value):
        return tuple(cast(list[str], value))
    raise RulebookError(f"cites.{key}: expected a clause or a list of clauses, got {value!r}")
