"""A rulebook: what differs between the texts, as data that cites its clauses.

One TOML file each, in `flagfall/othello/rulebooks/`; a director's own file names the one it is `based_on` and overrides
fields of it. Every field is checked, and an error names the field and what was expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, cast

from msgspec import Meta, Struct
from msgspec.structs import replace

from flagfall.base.convert import A_TABLE, convert, one_of
from flagfall.base.errors import Invalid, shown
from flagfall.base.foreign_text import parse_toml
from flagfall.base.message import N_, Message
from flagfall.othello.reason import Reason


class Stage(StrEnum):
    QUALIFYING = "qualifying"
    PLAYOFF = "playoff"
    SEMI_FINAL = "semi-final"
    THIRD_PLACE = "third-place"
    FINAL = "final"


# A score: at most 64 discs together. Whose they are is said where one stands.
Discs = Annotated[tuple[int, int], Meta(description="two disc counts, as [33, 31]")]
ScoreOrCounted = Annotated[
    tuple[int, int] | None, Meta(description='two disc counts, as [33, 31], or "as counted"')
]
Seconds = Annotated[int, Meta(ge=0, le=3600)]
# A whole number stays one: files and messages have it as it is written.
_MinutesInWhole = Annotated[int, Meta(gt=0, le=600)]
_MinutesAndParts = Annotated[float, Meta(gt=0, le=600)]
Minutes = Annotated[_MinutesInWhole | _MinutesAndParts, Meta(description="minutes above 0, at most 600")]
CitedClauses = Annotated[tuple[str, ...], Meta(description="a clause or a list of clauses")]


class _Part(Struct, frozen=True, forbid_unknown_fields=True):
    """One table of a rulebook's file."""


class FlagRule(_Part, frozen=True):
    """The consequences of a fallen flag. Scores are (non-defaulter, defaulter)."""

    first: Literal["extension", "loses"]
    first_score: Discs
    # "confirmed" by the director (usoa 6.5), "pointed_out" by a player, or "claimed" by a player while nothing
    # tells of it before.
    takes_effect: Literal["at_once", "confirmed", "pointed_out", "claimed"]
    # "added" to the time left, or "set" when the director confirms.
    extension: Literal["added", "set"]
    extension_for: Literal["both", "defaulter"]
    extension_s: Seconds
    guarantee: Discs
    second_score: Discs
    # The effect of the other player's first flag afterwards; after "loses_default" the game ends, and the first
    # defaulter still loses.
    other_first: Literal["loses_default", "extension"]
    other_score: Discs
    # The score of a game that both have lost because both flags were down; None: no such case.
    both_score: Discs | None = None
    # After "loses" the winner chooses `first_score` or plays both colours alone on the time they have left.
    self_play: bool = False
    # The owner of the empty squares when they stop before the end.
    stop_empties: Literal["nobody", "defaulter"] = "nobody"
    # The last moment to take `first_score` after all: the beginning of "self_play", or both have "signed".
    two_discs_until: Literal["self_play", "signed"] = "self_play"
    # A flag "counts" while its player owes only a pass, or "waits".
    pass_only: Literal["counts", "waits"] = "counts"
    # An error pointed out to a player in the count-down is "corrected", or costs the "flag".
    byoyomi_error: Literal["corrected", "flag"] = "corrected"


class ScoreRule(_Part, frozen=True):
    """The scores of games."""

    # The owner of the empty squares.
    empties: Literal["winner", "nobody"]
    # The score of a draw; None: as counted.
    draw: ScoreOrCounted
    # The score (winner, loser) when one colour is gone; None: as counted.
    wipe_out: ScoreOrCounted
    # The winner of a draw where the header names nobody.
    draw_win: Literal["black", "white", "nobody"]
    # The score (present, absent) of a game that nobody has played; None: a forfeit like any other.
    walkover: Discs | None = None
    # The score that the absent player records of it, if that is less.
    walkover_absent: Discs | None = None
    # A player who resigns, is sent out, or has disturbed the board beyond repair loses "all", or "as in a default",
    # after which the winner may choose.
    resigned: Literal["all", "as in a default"] = "all"


# What players are told, and when the console says it: before a "pairing" is announced, before the "start" of a
# round, beside the "standings". The console's catalogue has the words.
TOLD: Mapping[str, str] = {
    "consultation": "pairing",
    "notes": "pairing",
    "reference": "pairing",
    "devices": "pairing",
    "pictures": "pairing",
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


class EventRule(_Part, frozen=True):
    """The demands on an event."""

    # A game forfeited, or lost on time, without a move on record; after "no game" the two may meet, and nobody has
    # had a colour.
    no_show: Literal["no game", "a game"]
    # Its weight in the Brightwell quotient.
    unplayed_round: Literal["as a bye", "nothing"]
    # How long before the start a choice of colour is to be announced; 0 where the text sets no time.
    choice_s: Seconds
    # The least number of qualifiers for the world championship; 0 where the text speaks of none.
    world_places: Annotated[int, Meta(ge=0, le=3600)]
    # Clause -> the kind of announcement (`TOLD`).
    told: Mapping[str, str]


class Rulebook(_Part, frozen=True):
    """The demands of one text."""

    id: str
    title: str
    # Without the stages that the director has to set (usoa 5.1).
    minutes: Mapping[Stage, Minutes]
    least_minutes: float
    # Contacts that commit.
    touch_binds: frozenset[Literal["disc", "hand"]]
    # Moving on the opponent's time.
    opponents_time: Literal["forbidden", "allowed", "silent"]
    corrected_by: Literal["judge", "offender"]
    # Usoa 7.5.
    demand_names_error: bool
    # Usoa 7.3.
    twice_wrong_reverses: bool
    # Players at a table without a judge may stop the clocks, and start them again together.
    players_stop: bool
    # The largest part of the remaining time that a penalty may take (1.0: all of it).
    most_time_removed: Annotated[float, Meta(ge=0, le=1)]
    flag: FlagRule
    score: ScoreRule
    event: EventRule
    # Field -> clauses.
    cites: Mapping[str, CitedClauses]
    # Demands that the file does not cover, each with its reason.
    left_out: Mapping[str, str]
    # The text at the root of `based_on`, whose formats a tournament follows.
    family: str
    # The whole file of a director's own rulebook, which travels with each game; "" for those that Flagfall ships.
    text: str = ""
    # The kind of a game's seconds for each move; of a "delay" only the time used is given back.
    per_move: Literal["nothing", "increment", "delay", "either"] = "nothing"
    # Of the table, "none" where the text asks for a quiet room.
    sounds: Literal["none", "as set"] = "as set"
    # The end of a game in which nobody can move: the last "press", or the word of the last mover's "opponent"; with
    # "last_mover" the last mover first stops the clocks, and up to then the opponent's flag counts too.
    ended_by: Literal["press", "opponent", "last_mover"] = "press"
    # The one whose word ends a correction at a table with a judge.
    correction_ends: Literal["judge", "offender"] = "judge"
    # A game may have a count-down, seconds for each move once the time is up.
    byoyomi: bool = False
    # A player may stop the clocks to call the judge who sits at the table.
    players_call: bool = False
    # How colours are drawn at the table: for a "draw_win", for a game in which "draws" stand, or "either" way.
    hidden_disc: Literal["no", "draw_win", "draws", "either"] = "no"
    # A move made out of turn is "reported" like any on the opponent's time, or an error to be "corrected" on demand.
    out_of_turn: Literal["reported", "corrected"] = "reported"
    # The one who starts the clock of a player who is late: the "director", or on their word the "opponent".
    late_clock: Literal["director", "opponent"] = "director"
    # The two presses of a pass that is due may be left out, or not.
    pass_presses: Literal["made", "may be left out"] = "made"

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The reasons for which a game may have ended under this text."""
        never = {Reason.WALKOVER} if self.score.walkover is None else set()
        if self.flag.takes_effect != "claimed":
            never.add(Reason.BOTH_FLAGS)
        return tuple(reason for reason in Reason if reason not in never)


# The six texts. Everything else is based on one of them.
TEXTS = ("woc-2019", "usoa", "woc-2017", "woc-classic", "cc-2024", "jof")

_FOLDER = Path(__file__).with_name("rulebooks")
# The rulebooks that Flagfall ships, in the order in which they are offered.
BUILT_IN = ("woc-2019", "open", "club", "usoa", "woc-2017", "woc-classic", "cc-2024", "jof", "bof")
# Those that a table offers for its own games: `bof` sets the form of a tournament alone.
AT_TABLES = tuple(name for name in BUILT_IN if name != "bof")

_TOURNAMENT = "tournament"
_Table = Mapping[str, object]


class _Least(Struct, frozen=True):
    """The number in the table `minutes` that is no stage's: the fewest minutes that a game may have."""

    least: Annotated[
        Annotated[int, Meta(ge=0, le=600)] | Annotated[float, Meta(ge=0, le=600)],
        Meta(description="a number from 0 to 600"),
    ]


class _Top(Struct, frozen=True):
    minutes: _Least


def merged(base: _Table, top: _Table) -> dict[str, object]:
    """Return `top` laid over `base`, table by table."""
    result = dict(base)
    for key, value in top.items():
        below = result.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            value = merged(below, value)
        result[key] = value
    return result


def parse_rulebook(text: str) -> Rulebook:
    """Return a director's own rulebook, laid over the one it is `based_on`. Invalid names the field.

    Its table about a whole tournament is the hub's to read.
    """
    built = _build(_of_a_game(_table_of(text)))
    if built.id in BUILT_IN:
        raise Invalid(
            "id", N_("a name of its own"), Message.of("{id}, which Flagfall ships", id=repr(built.id))
        )
    return replace(built, text=text)


def _table_of(text: str) -> _Table:
    try:
        table: _Table = parse_toml(text)
    except ValueError as error:
        raise Invalid("", Message.of("TOML: {fault}", fault=str(error))) from None
    base = table.get("based_on")
    if base is None:
        return table
    if base not in BUILT_IN:
        raise Invalid("based_on", one_of(BUILT_IN), shown(base))
    changed = {key: value for key, value in table.items() if key != "based_on"}
    root = _of_a_game(_shipped(str(base)))
    return merged({"family": root["id"]} | root, changed)


def _shipped(name: str) -> _Table:
    return _table_of((_FOLDER / f"{name}.toml").read_text("utf-8"))


def _of_a_game(table: _Table) -> dict[str, object]:
    return {key: value for key, value in table.items() if key != _TOURNAMENT}


def tournament_table(name: str) -> dict[str, object]:
    """Return the table about a whole tournament in the file of a rulebook that ships, for the hub; no game depends on
    it."""
    return cast(dict[str, object], _shipped(name).get(_TOURNAMENT, {}))


def tournament_table_of(text: str) -> dict[str, object]:
    """Return the table about a whole tournament in the text of a director's own rulebook. Invalid if it is no table."""
    table = parse_toml(text).get(_TOURNAMENT, {})
    if not isinstance(table, dict):
        raise Invalid(_TOURNAMENT, A_TABLE, shown(table))
    return table


@cache
def rulebook(name: str) -> Rulebook:
    """Return one of the rulebooks that Flagfall ships; Invalid names those there are."""
    if name not in BUILT_IN:
        raise Invalid("", one_of(BUILT_IN), shown(name))
    return _build(_of_a_game(_shipped(name)))


def _build(table: _Table) -> Rulebook:
    for name in ("least_minutes", "text"):
        if name in table:
            raise Invalid(name, N_("a field of a rulebook's file"), unknown="field")
    if table.get("family", TEXTS[0]) not in TEXTS:
        raise Invalid("family", one_of(TEXTS), shown(table["family"]))
    least = convert(table, _Top, A_TABLE).minutes.least
    minutes = cast(_Table, table["minutes"])
    rules = convert(
        {
            **table,
            "minutes": {stage: value for stage, value in minutes.items() if stage != "least"},
            "least_minutes": least,
            "score": _with_none(table.get("score")),
            "cites": _with_lists(table.get("cites")),
            "family": table.get("family", table.get("id")),
        },
        Rulebook,
        A_TABLE,
    )
    for part, scores in (("flag", rules.flag), ("score", rules.score)):
        for name in type(scores).__struct_fields__:
            value = getattr(scores, name)
            if isinstance(value, tuple) and (min(value) < 0 or sum(value) > 64):
                raise Invalid(f"{part}.{name}", N_("at most 64 discs together"), shown(value))
    for clause, word in rules.event.told.items():
        if word not in (*TOLD, "nothing"):
            raise Invalid(f"event.told.{clause}", one_of((*TOLD, "nothing")), shown(word))
    clauses = {clause: word for clause, word in rules.event.told.items() if word != "nothing"}
    return replace(rules, event=replace(rules.event, told=clauses))


def _with_none(score: object) -> object:
    """Return the table of scores with None for "as counted", which TOML cannot say."""
    if not isinstance(score, dict):
        return score
    return {name: None if value == "as counted" else value for name, value in score.items()}


def _with_lists(cites: object) -> object:
    """Return the table of clauses with a list for each; a single clause needs none in the file."""
    if not isinstance(cites, dict):
        return cites
    return {name: [value] if isinstance(value, str) else value for name, value in cites.items()}
