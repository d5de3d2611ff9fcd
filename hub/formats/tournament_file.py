"""Reads `flagfall-tournament/1`: every field is checked and every default filled in.

Unknown fields are kept in `extra` of the value they belong to; `tournament_json` writes them back.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec

from hub.formats import fields
from hub.formats.consistency import check_consistency
from hub.formats.fields import JsonFields
from hub.formats.tournament_json import FORMAT, PER_ROUNDS
from hub.model.games import DIVISION, OPEN, WOMEN, YOUNG, FinalGame, Game, Pin, Round
from hub.model.players import Player
from hub.model.tournament import Absence, AddedResult, Tournament, Withdrawal
from hub.ranking.systems import ROUND_ROBIN_WITH_SEMIFINALS, SYSTEMS, rounds_needed
from hub.ranking.team_matches import MOST_BOARDS
from hub.rulebook import FORMAT_RULES, FormatRules
from hub.text import FormatError, shown
from link.zone import ZONE_EXPECTED, is_zone_name
from othello.errors import Invalid
from othello.fields import name_twice
from othello.foreign_text import check_depth
from othello.reason import Reason
from othello.rulebook import BUILT_IN, parse_rulebook, rulebook

STAGES = ("playoff", "semi-final", "third-place", "final")
TIE_BREAKS = ("bq", "disc-difference")
MOST_ROUNDS = 1_000
MOST_VALUES = 4_000_000  # each takes memory before it is checked; 10,000 players and 13 rounds need 700,000

_Item = TypeVar("_Item")
_Names: TypeAlias = tuple[str, ...]


def read_tournament(data: bytes) -> Tournament:
    """The tournament of a file's bytes; FormatError naming the field (or the line, where it is not JSON)."""
    return tournament_from_json(_decode(data))


def _decode(data: bytes) -> object:
    data = data.removeprefix(b"\xef\xbb\xbf")
    if sum(map(data.count, (b"{", b"[", b","))) > MOST_VALUES:
        raise FormatError("", f"at most {MOST_VALUES} values", "more")
    try:
        check_depth(data)
    except ValueError:
        raise FormatError("", "JSON", "too deep a nesting") from None
    try:
        with suppress(json.JSONDecodeError):  # which msgspec tells with its line
            json.loads(data, object_pairs_hook=_looked_at, parse_int=str)
        return msgspec.json.decode(data)
    except RecursionError:
        raise FormatError("", "JSON", "too deep a nesting") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        said, _, place = str(fault).rpartition(" (byte ")
        line = ""
        if place.endswith(")") and place[:-1].isdigit():
            breaks = data.count(b"\n", 0, int(place[:-1]))
            line = f"line {breaks + 1}"
        raise FormatError(line, "JSON", said.removeprefix("JSON is malformed: ") or str(fault)) from None


def _looked_at(pairs: list[tuple[str, object]]) -> None:
    if (twice := name_twice(pairs)) is not None:
        raise FormatError(shown(twice), "each name once in an object", "it again")
    for name, value in pairs:
        if any(one in (math.inf, -math.inf) for one in (value if isinstance(value, list) else (value,))):
            raise FormatError(shown(name), "a number that a computer can hold", "a larger one")


def tournament_from_json(value: object) -> Tournament:
    """The tournament of a decoded JSON value, checked as a whole; FormatError otherwise."""
    top = JsonFields(value, "")
    if top.needed("format", f'"{FORMAT}"') != FORMAT:
        raise FormatError("format", f'"{FORMAT}"', shown(top.take("format")))
    expected = f"one of {', '.join(BUILT_IN)}"
    rulebook = top.needed("rulebook", expected)
    if not isinstance(rulebook, str) or rulebook not in FORMAT_RULES:
        raise FormatError("rulebook", expected, f"{shown(rulebook)} (an own text goes into rulebook_text)")
    rules = FORMAT_RULES[rulebook]
    players = _read_each(player_from_json, top, "players", needed=True)
    withdrawals = _read_each(_withdrawal, top, "withdrawals")
    rounds = _read_each(_round, top, "rounds", needed=True)
    if len(rounds) > MOST_ROUNDS:
        raise FormatError("rounds", f"at most {MOST_ROUNDS} rounds", str(len(rounds)))
    starters = len(players) - sum(withdrawal.after_round == 0 for withdrawal in withdrawals)
    system = top.choice("system", SYSTEMS, rules.system_for(starters))
    tournament = Tournament(
        rulebook=rulebook,
        players=players,
        rounds=rounds,
        name=top.text("name"),
        date=top.date_or_none("date"),
        time_zone=_time_zone(top),
        system=system,
        rounds_planned=_rounds_planned(top, rules, system, starters, len(rounds)),
        bq_constant=_bq_constant(top.take("bq_constant")),
        seed=top.whole("seed", 0, 0, 2**63 - 1),
        withdrawals=withdrawals,
        absences=_read_each(_absence, top, "absences") + _read_each(_half_bye, top, "half_byes"),
        bans=_read_each(_ban, top, "bans"),
        pins=_read_each(_pin, top, "pins"),
        finals=_read_each(final_game_from_json, top, "finals"),
        contact_nations=_texts(top, "contact_nations"),
        lots=_texts(top, "lots"),
        tie_break=top.choice("tie_break", TIE_BREAKS, "bq"),
        rulebook_text=_own_rulebook(top, rulebook),
        team_matches=top.declared("team_matches", Annotated[int, msgspec.Meta(ge=1, le=MOST_BOARDS)]),
        line_ups=top.declared("line_ups", dict[str, _Names]),
        merged_categories=top.declared("merged_categories", dict[str, str]),
        allowed_categories=top.declared("allowed_categories", _Names),
        world_places=top.declared("world_places", int),
        host=top.declared("host", str, ""),
        federations=top.declared("federations", _Names),
        admitted_nations=top.declared("admitted_nations", _Names),
        federations_reporting=top.declared("federations_reporting", _Names),
        confederation=top.declared("confederation", _Names),
        results_sent=top.declared("results_sent", str, ""),
        country=top.declared("country", str, ""),
        sender=top.declared("sender", str, ""),
        end_date=top.declared("end_date", str, ""),
        added_results=_added_results(top),
        papp_date=top.declared("papp_date", str, ""),
        extra=top.rest(),
    )
    check_consistency(tournament, rules)
    return tournament


def _time_zone(top: JsonFields) -> str:
    """The zone's name by its form alone: a file must not be unreadable where a machine knows fewer zones."""
    name = top.text("time_zone")
    if name and not is_zone_name(name):
        raise FormatError("time_zone", ZONE_EXPECTED, shown(name))
    return name


def _added_results(top: JsonFields) -> tuple[AddedResult, ...] | None:
    results: tuple[_AddedResult, ...] | None = top.declared("added_results", tuple[_AddedResult, ...])
    if results is None:
        return None
    return tuple(AddedResult(one.black, one.white, one.score, one.sign) for one in results)


class _AddedResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    black: str
    white: str
    score: tuple[int, int]
    sign: str


def _own_rulebook(top: JsonFields, based_on: str) -> str:
    """`rulebook_text`: a director's own rulebook for the tables, based on the event's rulebook."""
    text = top.declared("rulebook_text", Any)
    if text is None:
        return ""
    if not isinstance(text, str):
        raise FormatError("rulebook_text", "the text of a rulebook in TOML", shown(text))
    try:
        own = parse_rulebook(text)
    except Invalid as error:
        raise FormatError("rulebook_text", "a rulebook", str(error)) from None
    family = rulebook(based_on).family
    if own.family != family:
        raise FormatError("rulebook_text", f"a rulebook based on {family}", own.family)
    return text


def _read_each(
    reader: Callable[[object, str], _Item], parent: JsonFields, name: str, needed: bool = False
) -> tuple[_Item, ...]:
    path = parent.at(name)
    return tuple(reader(item, f"{path}[{i}]") for i, item in enumerate(parent.items(name, needed)))


def _rounds_planned(top: JsonFields, rules: FormatRules, system: str, players: int, played: int) -> int:
    planned = top.whole_or_none("rounds_planned", 0)
    if planned is None:
        return max(rounds_needed(system, players, rules.swiss_rounds), played)
    if planned > MOST_ROUNDS:
        raise FormatError("rounds_planned", f"at most {MOST_ROUNDS} rounds", str(planned))
    most = planned
    if system == ROUND_ROBIN_WITH_SEMIFINALS:
        # The rounds of the list of six follow, whether or not they were counted as planned.
        most = max(planned, rounds_needed(system, players, rules.swiss_rounds))
    if played > most:
        raise FormatError("rounds", f"at most {most} rounds (rounds_planned)", str(played))
    return planned


def bq_constant_from_text(said: str) -> Fraction | None:
    """C as on the command line: a number of at least 0, or "64/rounds" (None). ValueError otherwise."""
    if said.strip() == PER_ROUNDS:
        return None
    if len(said) > 20 or "_" in said or "e" in said.lower():
        raise ValueError(said)
    constant = Fraction(said)
    if constant < 0:
        raise ValueError(said)
    return constant


def _bq_constant(value: object) -> Fraction | None:
    if value is None:
        return Fraction(6)
    if value == PER_ROUNDS:
        return None
    if not isinstance(value, bool) and isinstance(value, int | float) and 0 <= value <= 1_000_000:
        return Fraction(repr(value))
    raise FormatError("bq_constant", f'a number or "{PER_ROUNDS}"', shown(value))


def _texts(parent: JsonFields, name: str) -> tuple[str, ...]:
    return _read_each(fields.identity, parent, name)


def player_from_json(value: object, path: str) -> Player:
    """FormatError naming the field below `path`; likewise of the games below."""
    item = JsonFields(value, path)
    country = item.text("country")
    return Player(
        id=item.identity("id"),
        name=item.text("name"),
        country=country,
        team=item.text("team", country),
        gender=item.choice("gender", ("f", "m", "x", ""), ""),
        born=item.date_or_none("born"),
        rating=item.number_or_none("rating"),
        past_semifinalist=item.truth("past_semifinalist"),
        additional=item.truth("additional"),
        extra_young=item.truth("extra_young"),
        from_round=item.whole("from_round", 1, 1),
        division=item.text("division"),
        categories=_texts(item, "categories"),
        represents=item.declared("represents", str, ""),
        registered=item.declared("registered", str, ""),
        admitted_because=item.declared("admitted_because", str, ""),
        credentials=item.declared("credentials", str, ""),
        needs=item.declared("needs", str, ""),
        extra_minutes=item.declared("extra_minutes", int | float),
        hands_commit=item.declared("hands_commit", bool),
        new=item.declared("new", bool, False),
        misfits=item.misfits("extra_minutes", "hands_commit"),
        extra=item.rest(),
    )


def _withdrawal(value: object, path: str) -> Withdrawal:
    item = JsonFields(value, path)
    item.needed("after_round", "a round, 0 before the first")
    return Withdrawal(
        player=item.identity("player"),
        after_round=item.whole("after_round", 0, 0),
        expelled=item.truth("expelled"),
        why=item.text("why"),
        after_finals=item.whole("after_finals", 0, 0),
    )


def _absence(value: object, path: str) -> Absence:
    item = JsonFields(value, path)
    item.needed("round", "a round")
    return Absence(item.identity("player"), item.whole("round", 1, 1))


def _half_bye(value: object, path: str) -> Absence:
    return replace(_absence(value, path), half_point=True)


def _ban(value: object, path: str) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2:
        raise FormatError(path, "two player ids", shown(value))
    return fields.identity(value[0], f"{path}[0]"), fields.identity(value[1], f"{path}[1]")


def _pin(value: object, path: str) -> Pin:
    item = JsonFields(value, path)
    return Pin(item.identity("black"), item.identity("white"), item.whole_or_none("table", 1))


def _round(value: object, path: str) -> Round:
    item = JsonFields(value, path)
    return Round(_read_each(game_from_json, item, "games"), _texts(item, "byes"), item.rest())


def game_from_json(value: object, path: str) -> Game:
    item = JsonFields(value, path)
    return Game(
        black=item.identity("black"),
        white=item.identity("white"),
        score=fields.score(item.take("score"), item.at("score")),
        reason=item.choice("reason", tuple(Reason), Reason.BOARD),
        table=item.whole_or_none("table", 1),
        transcript=item.declared("transcript", str, ""),
        no_show=item.declared("no_show", bool),
        discs=item.declared("discs", Literal["unknown"], ""),
        extra=item.rest(),
    )


def final_game_from_json(value: object, path: str) -> FinalGame:
    item = JsonFields(value, path)
    title = item.needed("title", "open, women, young or division:<name>")
    if not isinstance(title, str) or not (
        title in (OPEN, WOMEN, YOUNG) or (title.startswith(DIVISION) and title != DIVISION)
    ):
        raise FormatError(item.at("title"), "open, women, young or division:<name>", shown(title))
    item.needed("stage", f"one of {', '.join(STAGES)}")
    draw_win = item.take("draw_win")
    return FinalGame(
        title=title,
        stage=item.choice("stage", STAGES, ""),
        black=item.identity("black"),
        white=item.identity("white"),
        score=fields.score(item.take("score"), item.at("score")),
        draw_win=None if draw_win is None else fields.identity(draw_win, item.at("draw_win")),
        reason=item.choice("reason", tuple(Reason), Reason.BOARD),
        transcript=item.declared("transcript", str, ""),
        extra=item.rest(),
    )
