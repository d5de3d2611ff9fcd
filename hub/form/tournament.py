"""The decoded form of a whole tournament, `flagfall-tournament/1`: every field is checked and every default filled in.

Unknown fields are kept in `extra` of the value they belong to; `hub.formats.tournament_file` writes them back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from flagfall.base.convert import one_of
from flagfall.base.errors import Invalid, shown
from flagfall.base.message import Message
from flagfall.base.value import replace
from flagfall.base.zone import ZONE_EXPECTED, is_zone_name
from flagfall.othello.board import parse_opening
from flagfall.othello.rulebook import BUILT_IN, parse_rulebook, rulebook
from hub.form.parts import (
    KNOCKOUT_STAGES,
    STAGES,
    Count,
    JsonFields,
    LineText,
    absence_from_json,
    ban_from_json,
    final_game_from_json,
    half_bye_from_json,
    identity,
    pin_from_json,
    player_from_json,
    read_each,
    round_from_json,
    texts_of,
    withdrawal_from_json,
)
from hub.model.games import Game, Pin, Round
from hub.model.lists import Column, PrizeFund
from hub.model.tournament import AddedResult, Tournament
from hub.ranking.leagues import LEAGUE_ROUNDS, check_leagues
from hub.ranking.scores import score_fault
from hub.ranking.systems import BY_SYSTEM, ROUND_ROBIN_WITH_SEMIFINALS, SYSTEMS, rounds_needed
from hub.ranking.teams import MOST_BOARDS
from hub.rulebook import FORMAT_RULES, TIE_BREAKS, FormatRules, format_rules, rules_named, rules_of
from hub.text import FormatError

FORMAT = "flagfall-tournament/1"
PER_ROUNDS = "64/rounds"
MOST_ROUNDS = 1_000

_Names: TypeAlias = tuple[str, ...]
# The number of wins with which a player leaves; 0: nobody leaves.
_Wins = Annotated[int, msgspec.Meta(ge=0, le=99)]
_Seed = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


def tournament_from_json(value: object) -> Tournament:
    """Return the tournament of a decoded JSON value, checked as a whole. Raise FormatError if it is none."""
    top = JsonFields(value, "")
    if top.take("format") != FORMAT:
        raise FormatError("format", f'"{FORMAT}"', shown(top.take("format")))
    rulebook = _rulebook(top)
    rules = FORMAT_RULES[rulebook]
    players = read_each(player_from_json, top, "players", needed=True)
    withdrawals = read_each(withdrawal_from_json, top, "withdrawals")
    own_rulebook = _own_rulebook(top, rulebook)
    walkover = rules_named(rulebook, own_rulebook).law.score.walkover
    rounds = read_each(partial(round_from_json, walkover=walkover), top, "rounds", needed=True)
    if len(rounds) > MOST_ROUNDS:
        raise FormatError("rounds", f"at most {MOST_ROUNDS} rounds", str(len(rounds)))
    starters = len(players) - sum(withdrawal.after_round == 0 for withdrawal in withdrawals)
    system = top.choice("system", SYSTEMS, rules.system_for(starters))
    stages = KNOCKOUT_STAGES if BY_SYSTEM[system].leagues else STAGES
    tournament = Tournament(
        rulebook=rulebook,
        players=players,
        rounds=rounds,
        system=system,
        rounds_planned=_rounds_planned(top, rules, system, starters, len(rounds)),
        seed=top.read("seed", _Seed, 0),
        withdrawals=withdrawals,
        absences=read_each(absence_from_json, top, "absences")
        + read_each(half_bye_from_json, top, "half_byes"),
        bans=read_each(ban_from_json, top, "bans"),
        pins=read_each(pin_from_json, top, "pins"),
        finals=read_each(partial(final_game_from_json, walkover=walkover, stages=stages), top, "finals"),
        lots=texts_of(top, "lots"),
        rulebook_text=own_rulebook,
        merged_categories=top.declared("merged_categories", dict[str, str]),
        allowed_categories=top.declared("allowed_categories", _Names),
        world_places=top.declared("world_places", int),
        added_results=top.declared("added_results", tuple[AddedResult, ...]),
        papp_date=top.declared("papp_date", str, ""),
        **{name: read(top) for name, read in _OF_THE_EVENT.items()},
        extra=top.rest(),  # the last one: what nothing above has taken
    )
    check_consistency(tournament, rules_of(tournament))
    return tournament


def with_fields(tournament: Tournament, fields: Mapping[str, object]) -> Tournament:
    """Return the tournament with other values of fields that an event may change, in their decoded form.

    None removes the field. Raise FormatError if a value does not fit its field, or contradicts what was played.
    """
    top = JsonFields({name: value for name, value in fields.items() if value is not None}, "")
    old = tournament
    rulebook = _rulebook(top) if "rulebook" in fields else old.rulebook
    rules, starters, played = FORMAT_RULES[rulebook], len(old.starters), len(old.rounds)
    changes: dict[str, Any] = {name: _OF_THE_EVENT[name](top) for name in fields if name in _OF_THE_EVENT}
    system = top.choice("system", SYSTEMS, rules.system_for(starters)) if "system" in fields else old.system
    if "rounds_planned" in fields:
        changes["rounds_planned"] = _rounds_planned(top, rules, system, starters, played)
    if "rulebook_text" in fields:
        changes["rulebook_text"] = _own_rulebook(top, rulebook)
    elif old.rulebook_text:
        _check_own_rulebook(old.rulebook_text, rulebook)
    carried = {name: value for name, value in old.extra.items() if name not in fields}
    changed = replace(old, rulebook=rulebook, system=system, extra={**carried, **top.rest()}, **changes)
    check_consistency(changed, rules_of(changed))
    return changed


def _rulebook(top: JsonFields) -> str:
    rulebook = top.take("rulebook")
    if not isinstance(rulebook, str) or rulebook not in FORMAT_RULES:
        hint = "" if rulebook is None else " (an own text goes into rulebook_text)"
        raise FormatError("rulebook", one_of(BUILT_IN), shown(rulebook) + hint)
    return rulebook


def _time_zone(top: JsonFields) -> str:
    """Return the zone's name, checked by its form alone: a file must stay readable on a machine that knows fewer
    zones."""
    name: str = top.read("time_zone", LineText, "")
    if name and not is_zone_name(name):
        raise FormatError("time_zone", ZONE_EXPECTED, shown(name))
    return name


def _own_rulebook(top: JsonFields, based_on: str) -> str:
    """Return `rulebook_text`: a director's own rulebook for the tables, based on the event's rulebook."""
    text = top.declared("rulebook_text", Any)
    if text is None:
        return ""
    if not isinstance(text, str):
        raise FormatError("rulebook_text", "the text of a rulebook in TOML", shown(text))
    _check_own_rulebook(text, based_on)
    return text


def _check_own_rulebook(text: str, based_on: str) -> None:
    try:
        parsed = parse_rulebook(text)
    except Invalid as error:
        raise FormatError("rulebook_text", "a rulebook", str(error)) from None
    family = rulebook(based_on).family
    if parsed.family != family:
        raise FormatError("rulebook_text", f"a rulebook based on {family}", parsed.family)
    try:
        format_rules(based_on, text)
    except Invalid as error:
        raise FormatError("rulebook_text", "a rulebook", str(error)) from None


def _rounds_planned(top: JsonFields, rules: FormatRules, system: str, players: int, played: int) -> int:
    planned: int | None = top.read("rounds_planned", Count, None)
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


def bq_constant_from_text(text: str) -> Fraction | None:
    """Return C as typed on the command line: a number of at least 0, or "64/rounds" (None). Raise ValueError
    otherwise."""
    if text.strip() == PER_ROUNDS:
        return None
    if len(text) > 20 or "_" in text or "e" in text.lower():
        raise ValueError(text)
    constant = Fraction(text)
    if constant < 0:
        raise ValueError(text)
    return constant


def _bq_constant(value: object) -> Fraction | None:
    if value is None:
        return Fraction(6)
    if value == PER_ROUNDS:
        return None
    if not isinstance(value, bool) and isinstance(value, int | float) and 0 <= value <= 1_000_000:
        return Fraction(repr(value))
    raise FormatError("bq_constant", f'a number or "{PER_ROUNDS}"', shown(value))


# Readers of the fields that depend on no other field; each may be changed while the event is under way.
_OF_THE_EVENT: Mapping[str, Callable[[JsonFields], Any]] = {
    "name": lambda top: top.read("name", LineText, ""),
    "date": lambda top: top.day("date"),
    "time_zone": _time_zone,
    "bq_constant": lambda top: _bq_constant(top.take("bq_constant")),
    "tie_break": lambda top: top.choice("tie_break", TIE_BREAKS, ""),
    "leave_after_wins": lambda top: top.read("leave_after_wins", _Wins, None),
    "level_playoff": lambda top: top.read("level_playoff", Literal[0, 2, 3, 4], None),
    "leagues": lambda top: _leagues(top),
    "country": lambda top: top.declared("country", str, ""),
    "sender": lambda top: top.declared("sender", str, ""),
    "end_date": lambda top: top.declared("end_date", str, ""),
    "openings": lambda top: _openings(top, "openings"),
    "finals_openings": lambda top: _openings(top, "finals_openings"),
    "opening_draw": lambda top: top.declared("opening_draw", dict[str, int | str]),
    "team_matches": lambda top: top.declared(
        "team_matches", Annotated[int, msgspec.Meta(ge=1, le=MOST_BOARDS)]
    ),
    "line_ups": lambda top: top.declared("line_ups", dict[str, _Names]),
    "prizes": lambda top: top.declared("prizes", PrizeFund),
    "list_columns": lambda top: top.declared("list_columns", tuple[Column, ...]),
    "contact_nations": lambda top: texts_of(top, "contact_nations"),
    "host": lambda top: top.declared("host", str, ""),
    "federations": lambda top: top.declared("federations", _Names),
    "admitted_nations": lambda top: top.declared("admitted_nations", _Names),
    "federations_reporting": lambda top: top.declared("federations_reporting", _Names),
    "confederation": lambda top: top.declared("confederation", _Names),
    "results_sent": lambda top: top.declared("results_sent", str, ""),
}


def _openings(top: JsonFields, name: str) -> _Names | None:
    """Return the opening of each round, or of each publication of finals, none of them twice; None without any."""
    openings = texts_of(top, name)
    for index, opening in enumerate(openings):
        try:
            parse_opening(opening)
        except ValueError as fault:
            expected = "legal moves after which Black is to move"
            raise FormatError(f"{name}[{index}]", expected, str(fault)) from None
        if opening in openings[:index]:
            raise FormatError(f"{name}[{index}]", "an opening once in an event", f"{opening} again")
    return openings or None


def _leagues(top: JsonFields) -> tuple[_Names, ...]:
    """Return the players of each league."""
    leagues = tuple(
        tuple(identity(player, f"leagues[{nth}][{place}]") for place, player in enumerate(league))
        for nth, league in enumerate(top.read("leagues", list[list[Any]], []))
    )
    check_leagues(leagues)
    return leagues


def check_consistency(tournament: Tournament, rules: FormatRules) -> None:
    """Raise FormatError naming the first field that contradicts another field or the rulebook."""
    known = _check_players(tournament)
    _check_switches(tournament, known, rules)
    _check_standing_orders(tournament, known)
    _check_pins(tournament.pins, known)
    withdrawn = {withdrawal.player: withdrawal.after_round for withdrawal in tournament.withdrawals}
    late = {player.id: player.from_round for player in tournament.players if player.from_round > 1}
    absent = {(absence.player, absence.round) for absence in tournament.absences}
    halves = [absence for absence in tournament.absences if absence.half_point]
    if halves and not rules.free_absences:
        raise FormatError(
            "half_byes", Message.of("nothing, under {rulebook}", rulebook=rules.rulebook), str(len(halves))
        )
    for number, round_ in enumerate(tournament.rounds, start=1):
        away = {
            p: Message.of('"{player}", who is absent in round {number}', player=p, number=number)
            for p, missed in absent
            if missed == number
        }
        away |= {
            p: Message.of('"{player}", who enters in round {number}', player=p, number=first)
            for p, first in late.items()
            if first > number
        }
        away |= {
            p: Message.of('"{player}", who withdrew after round {number}', player=p, number=last)
            for p, last in withdrawn.items()
            if last < number
        }
        _check_round(round_, f"rounds[{number - 1}]", known, away, rules)
    _check_finals(tournament, known, rules)


def _check_switches(tournament: Tournament, known: frozenset[str], rules: FormatRules) -> None:
    """Raise FormatError if the event leaves or plays off in a way that its system or its rulebook does not allow."""
    system = BY_SYSTEM[tournament.system]
    if tournament.leave_after_wins and not system.is_swiss:
        raise FormatError("leave_after_wins", "a Swiss, in which players may leave", tournament.system)
    has_own = Message.of("nothing, as {rulebook} has finals of its own", rulebook=rules.rulebook)
    if rules.has_finals and (tournament.level_playoff or system.leagues):
        field = "system" if system.leagues else "level_playoff"
        raise FormatError(
            field, has_own, tournament.system if system.leagues else str(tournament.level_playoff)
        )
    if system.leagues and tournament.level_playoff:
        raise FormatError(
            "level_playoff", "nothing, as a knockout follows the leagues", str(tournament.level_playoff)
        )
    if system.leagues and tournament.rounds_planned < LEAGUE_ROUNDS:
        expected = Message.of("at least {least} rounds for leagues", least=LEAGUE_ROUNDS)
        raise FormatError("rounds_planned", expected, str(tournament.rounds_planned))
    for nth, league in enumerate(tournament.leagues):
        for place, player in enumerate(league):
            _expect_known(player, known, f"leagues[{nth}][{place}]")


def _check_players(tournament: Tournament) -> frozenset[str]:
    known: set[str] = set()
    for i, player in enumerate(tournament.players):
        if player.id in known:
            raise FormatError(f"players[{i}].id", "an id of its own", _shown_again(player.id))
        known.add(player.id)
    return frozenset(known)


def _expect_known(player: str, known: frozenset[str], path: str) -> None:
    if player not in known:
        raise FormatError(path, "the id of a player", shown(player))


def _shown_again(item: str) -> Message:
    return Message.of("{item} again", item=shown(item))


def _expect_once(items: Iterable[tuple[str, str]], expected: str) -> None:
    seen: set[str] = set()
    for item, path in items:
        if item in seen:
            raise FormatError(path, expected, _shown_again(item))
        seen.add(item)


def _check_standing_orders(tournament: Tournament, known: frozenset[str]) -> None:
    withdrawals = [(w.player, f"withdrawals[{i}].player") for i, w in enumerate(tournament.withdrawals)]
    absences = [
        (absence.player, f"{name}[{i}].player")
        for name, half in (("absences", False), ("half_byes", True))
        for i, absence in enumerate(entry for entry in tournament.absences if entry.half_point is half)
    ]
    bans = [(p, f"bans[{i}][{j}]") for i, ban in enumerate(tournament.bans) for j, p in enumerate(ban)]
    lots = [(player, f"lots[{i}]") for i, player in enumerate(tournament.lots)]
    for player, path in (*withdrawals, *absences, *bans, *lots):
        _expect_known(player, known, path)
    _expect_once(withdrawals, "one withdrawal for a player")
    _expect_once(lots, "a player once")
    for i, (player, opponent) in enumerate(tournament.bans):
        if player == opponent:
            raise FormatError(f"bans[{i}]", "two different players", shown(player))


def _check_pins(pins: tuple[Pin, ...], known: frozenset[str]) -> None:
    for i, pin in enumerate(pins):
        _expect_known(pin.black, known, f"pins[{i}].black")
        _expect_known(pin.white, known, f"pins[{i}].white")
    colours = [(i, colour) for i in range(len(pins)) for colour in ("black", "white")]
    _expect_once(
        ((getattr(pins[i], colour), f"pins[{i}].{colour}") for i, colour in colours),
        "a player in one pin only",
    )
    tables = ((str(pin.table), f"pins[{i}].table") for i, pin in enumerate(pins) if pin.table is not None)
    _expect_once(tables, "a table once")


def _check_round(
    round_: Round, path: str, known: frozenset[str], away: dict[str, Message], rules: FormatRules
) -> None:
    seen: set[str] = set()
    tables: set[int] = set()
    seats = [
        (player, i, colour)
        for i, game in enumerate(round_.games)
        for player, colour in ((game.black, "black"), (game.white, "white"))
    ]
    for player, i, colour in seats:
        if player not in known or player in seen or player in away:
            _refuse(player, f"{path}.games[{i}].{colour}", known, away, "a player in one game of the round")
        seen.add(player)
    for i, player in enumerate(round_.byes):
        if player not in known or player in seen or player in away:
            _refuse(player, f"{path}.byes[{i}]", known, away, "a player without a game or another bye")
        seen.add(player)
    for i, game in enumerate(round_.games):
        _check_draw_win(game, f"{path}.games[{i}]")
        _check_score(game, f"{path}.games[{i}].score", rules)
        table = game.table_of_file
        if table in tables:
            again = Message.of("{item} again", item=table)
            raise FormatError(f"{path}.games[{i}].table", "a table once in a round", again)
        if table:
            tables.add(table)


def _refuse(player: str, path: str, known: frozenset[str], away: dict[str, Message], once: str) -> None:
    _expect_known(player, known, path)
    if player in away:
        raise FormatError(path, "a player of this round", away[player])
    raise FormatError(path, once, _shown_again(player))


def _check_finals(tournament: Tournament, known: frozenset[str], rules: FormatRules) -> None:
    for i, game in enumerate(tournament.finals):
        path = f"finals[{i}]"
        _expect_known(game.black, known, f"{path}.black")
        _expect_known(game.white, known, f"{path}.white")
        if game.black == game.white:
            raise FormatError(f"{path}.white", "another player than black", shown(game.white))
        _check_draw_win(game, path)
        _check_score(game, f"{path}.score", rules)


def _check_draw_win(game: Game, path: str) -> None:
    if game.draw_win not in (None, *game.players):
        raise FormatError(f"{path}.draw_win", "the id of one of the two or null", shown(game.draw_win))


def _check_score(game: Game, path: str, rules: FormatRules) -> None:
    fault = None if game.score is None else score_fault(rules, game.score, game.reason)
    if game.score is not None and fault is not None:
        raise FormatError(path, fault, f"{game.score[0]}-{game.score[1]}")
