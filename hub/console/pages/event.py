"""The page of all events of this hub; the form for a new one with name, rulebook and players; and one event's name,
days, rounds and rulebook, which can be corrected, or the event put away."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from flagfall.base.message import Message
from flagfall.base.zone import zone_of
from flagfall.othello.rulebook import BUILT_IN
from hub.child_process import Aside, AsideFailed
from hub.commands.events import (
    CHOICES,
    DAYS,
    SWITCHES,
    TEXTS,
    EventDetails,
    NewEvent,
    chosen_rules,
    chosen_value,
    day_in,
)
from hub.commands.kept import WorldPlayers
from hub.console.context import Values, Visit
from hub.console.player_lists import event_of, expect_few, players_of, world_players_of
from hub.console.texts import TEXTS as WORDS
from hub.desk.doubtful import Doubtful, answers_in
from hub.desk.forms import Upload
from hub.desk.own_rules import OWN
from hub.desk.world_list import line_of
from hub.entries.days import expect_event_days
from hub.form.tournament import FORMAT
from hub.formats.reading import ReadTournament, Source
from hub.formats.text_lines import ENCODINGS
from hub.formats.tournament_file import player_to_json, tournament_to_json, write_tournament
from hub.model.players import Player, is_made_up
from hub.model.tournament import Tournament
from hub.ranking.switches import most_in_playoff, wins_to_leave
from hub.ranking.systems import SWISS, SYSTEMS, planned, rounds_needed
from hub.record.acts.event import EventPutAway
from hub.record.state import TournamentState, seated
from hub.rounds.openings import UnusableLines, text_of_file
from hub.rulebook import FORMAT_RULES, rules_of, ties_of
from hub.tables.updates import read_asked
from hub.text import Refused
from hub.zones import checked_zone, own_zone_name, zone_names, zone_or_own


def event_page(visit: Visit) -> Values:
    state = visit.state
    chosen = _chosen_rules(visit, state.tournament)
    return {
        "file": tournament_to_json(state.tournament),
        "rulebooks": BUILT_IN,
        "own_rules": visit.hub.own_rules.titles,
        "chosen": chosen,
        "unkept": not chosen,
        "choices": CHOICES,
        "settings": _settings(visit, state.tournament),
        "ways": _ways(visit, ties_of(state.tournament)),
        "rulebooks_ways": _ways(visit, rules_of(state.tournament).ties),
        "begun": bool(state.started or state.scored),
        "shown_fields": shown_fields(state),
        "may_photograph": visit.hub.photographs.available,
        "unusable": visit.refused.notes[:_MOST_NAMED] if isinstance(visit.refused, UnusableLines) else (),
        "unusable_more": len(visit.refused.notes) - _MOST_NAMED
        if isinstance(visit.refused, UnusableLines)
        else 0,
        "zone_names": zone_names(),
        "zone_known": not state.tournament.time_zone or zone_of(state.tournament.time_zone) is not None,
    }


def _settings(visit: Visit, tournament: Tournament) -> dict[str, str]:
    """Return the switches beside the system as words, "" for those that are off."""
    words, wins, most = visit.words, wins_to_leave(tournament), most_in_playoff(tournament)
    return {
        "leave_after_wins": words.ngettext("{count} win", "{count} wins", wins) if wins else "",
        "level_playoff": words("at most {count} players", count=most) if most else "",
    }


async def read_details(visit: Visit) -> EventDetails:
    """Return the form's fields, with the openings of a file that it brought."""
    details: EventDetails = visit.form.read(EventDetails)
    if visit.form.typed("without"):
        return msgspec.structs.replace(details, finals_openings="none")
    if visit.form.ticked("with_finals"):
        details = msgspec.structs.replace(details, finals_openings="drawn")
    upload = visit.form.files.get("opening_file")
    if upload is None:
        return details
    text = text_of_file(upload.data)
    # A browser sends no file twice: the page shows its lines if they are refused.
    fields = {**visit.form.fields, "opening_list": [text]}
    visit.form = msgspec.structs.replace(visit.form, fields=fields)
    return msgspec.structs.replace(details, opening_list=text)


def _ways(visit: Visit, ties: tuple[str, ...]) -> list[str]:
    """Return the words for the ways in which a tie of points is broken; the lot is the last one."""
    return [visit.words(WORDS[f"tie.{tie}"]) for tie in (*ties, "lot")]


def _chosen_rules(visit: Visit, tournament: Tournament) -> str:
    """Return the event's rulebook as forms name it; "" if the event alone still has it."""
    text = tournament.rulebook_text
    if not text:
        return tournament.rulebook
    return next((OWN + name for name, kept in visit.hub.own_rules.texts.items() if kept == text), "")


def shown_fields(state: TournamentState, _: object = None) -> tuple[object, ...]:
    """Return the values that the event's form shows."""
    file = tournament_to_json(state.tournament)
    names = (*TEXTS, *DAYS, *CHOICES, "time_zone", "rounds_planned", "rulebook", "rulebook_text")
    return tuple(file.get(name) for name in names)


def read_put_away(visit: Visit) -> EventPutAway:
    """Return the opposite of how the event is: one button hides it, or shows it again."""
    return EventPutAway(away=not visit.state.away)


def after_putting_away(visit: Visit) -> str:
    """Return where to go: from an event that is put away to all events."""
    return "" if visit.state.away else "/desk"


# Fields that a column of a table of players can hold.
# Lines of a list of openings that are named at once.
_MOST_NAMED = 100
_FIELDS = (
    *("name", "first_name", "id", "row", "country", "team", "gender", "born", "rating", "past_semifinalist"),
    *("additional", "extra_young", "division", "grade", "categories", "from_round", "withdrawn_after"),
)
_READING_S = 60.0
_ASIDE = Aside()


async def events_page(visit: Visit) -> Values:
    """Return current events first; closed ones apart, newest first."""
    states = sorted(visit.hub.store.states.values(), key=lambda state: -state.seq)
    return {
        "events": [state for state in states if not state.closed and not state.away],
        "past": [state for state in states if state.closed and not state.away],
        "away": [state for state in states if state.away],
        "unreadable": visit.hub.store.unreadable,
        "asked": read_asked(visit.hub.config.state_dir),
        "accounts": visit.hub.accounts.all,
    }


async def new_page(visit: Visit) -> Values:
    others = seated(visit.hub.store.states.values()).values()
    like = visit.hub.store.states.get(visit.request.query_params.get("like", ""))
    zone_name = (like.tournament.time_zone if like else "") or own_zone_name()
    return {
        "lines": [line_of(player) for player in like.tournament.players] if like else (),
        "chosen": _chosen_rules(visit, like.tournament) if like else "",
        "rulebooks": BUILT_IN,
        "own_rules": visit.hub.own_rules.titles,
        "systems": SYSTEMS,
        "switches": SWITCHES,
        "rules": FORMAT_RULES,
        "zone_name": zone_name,
        "like_zone": bool(like and like.tournament.time_zone),
        "zone_names": zone_names(),
        "today": visit.hub.wall().astimezone(zone_or_own(zone_name)).date(),
        "listed": len(visit.hub.world_list.players),
        "doubtful": visit.refused if isinstance(visit.refused, Doubtful) else visit.list_read,
        "only_shown": isinstance(visit.refused, Doubtful),
        "fields": _FIELDS,
        "encodings": ENCODINGS,
        "elsewhere": sorted({state.title for state in others}),
        "in_use": any(state.open_games for state in others),
    }


async def read_event(visit: Visit) -> NewEvent:
    """Return the form's event, of players or as a file has it; the seed of its lots is drawn now and recorded."""
    form = visit.form
    name = form.text("name")
    rules = chosen_rules(visit.hub, form.typed("rulebook"))
    go_on = form.ticked("go_on")
    file = await _event_of_file(visit, rules) if go_on else await _event_of_players(visit, rules)
    file["name"] = name
    if zone := form.text_or_empty("time_zone").strip():
        file.setdefault("time_zone", checked_zone(zone))
    if not file.get("seed"):
        file["seed"] = int(hashlib.sha256(visit.hub.fresh_secret().encode()).hexdigest()[:8], 16)
    rounds = form.integer_or_none("rounds_planned", 1, 999)
    if rounds is not None:
        file["rounds_planned"] = rounds
    for switch, choices in SWITCHES.items():
        if form.typed(switch) and (value := chosen_value(switch, form.typed(switch), choices)) is not None:
            file[switch] = value
    if not go_on:
        players, rulebook = len(file["players"]), FORMAT_RULES[file["rulebook"]]
        plan = planned(rulebook, players, file.get("system", ""))
        needed = rounds_needed(rulebook.system_for(players), players, 0)
        if plan is None and "system" not in file and file.get("rounds_planned", needed) < needed:
            raise Refused(
                "expected {needed}, as {players} players all meet each other by this rulebook; "
                "for fewer rounds choose a system",
                field="rounds_planned",
                needed=needed,
                players=players,
            )
        if plan is not None:
            # In fewer rounds not everyone can meet everyone.
            fewer = file.setdefault("rounds_planned", plan[1]) < plan[1]
            file.setdefault("system", SWISS if fewer else plan[0])
    return NewEvent(file=file, take_devices=form.ticked("take_devices"))


def after_creation(visit: Visit) -> str:
    """Return where to go to the new event."""
    return f"/desk/t/{visit.done.id}/{'round' if visit.form.ticked('go_on') else 'draft'}"


async def _event_of_players(visit: Visit, rules: Mapping[str, str | None]) -> dict[str, Any]:
    form, rulebook = visit.form, str(rules["rulebook"])
    players = await _players(visit)
    file: dict[str, Any] = {
        "format": FORMAT,
        **{name: rule for name, rule in rules.items() if rule is not None},
        "players": [player_to_json(player, rulebook) for player in players],
        "rounds": [],
    }
    if first_day := day_in(form.text_or_empty("date", 20), "date"):
        expect_event_days(first_day, None)
        file["date"] = first_day
    if form.typed("system"):
        file["system"] = form.choice("system", SYSTEMS)
    return file


async def _event_of_file(visit: Visit, rules: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the event of a tournament file with rounds and results. Players without names get them from the world
    list."""
    upload = visit.hub.doubtful_files.uploaded_file(visit.form, "file")
    if upload is None:
        raise Refused("expected a file, got nothing", field="file")
    answers, rulebook = answers_in(visit.form), str(rules["rulebook"])
    read = await _read_in_child(event_of, _source(upload), answers, _world_list(visit), rulebook)
    visit.list_read = visit.hub.doubtful_files.check(visit.form, upload, read, "with its rounds")
    file: dict[str, Any] = json.loads(await asyncio.to_thread(write_tournament, read.tournament))
    if file["rulebook"] == rules["rulebook"] and rules["rulebook_text"] is not None:
        file["rulebook_text"] = rules["rulebook_text"]
    known = visit.hub.world_list.players_of_ids()
    for player in file["players"]:
        if not player.get("name") and player["id"] in known and not is_made_up(player["id"]):
            listed = player_to_json(known[player["id"]], "")
            player |= {key: value for key, value in listed.items() if value}
    return file


def _source(upload: Upload) -> Source:
    return Source(upload.name, upload.data)


def _world_list(visit: Visit) -> Path | None:
    kept = visit.hub.world_list
    return kept.file if kept.players else None


async def _players(visit: Visit) -> tuple[Player, ...]:
    upload = visit.hub.doubtful_files.uploaded_file(visit.form, "file")
    typed = visit.form.typed("players")
    if len(typed) > 200_000:
        raise Refused("expected at most 200000 characters", field="players")
    expect_few(sum(bool(line.strip()) for line in typed.splitlines()))
    players: tuple[Player, ...] = ()
    if upload is not None or typed.strip():
        source = None if upload is None else _source(upload)
        read = await _read_in_child(players_of, source, typed, answers_in(visit.form), _world_list(visit))
        visit.list_read = visit.hub.doubtful_files.check(visit.form, upload, read, typed)
        players = read.tournament.players
    if len(players) < 2:
        raise Refused("expected at least two players, got {players}", field="players", players=len(players))
    expect_few(len(players))
    return players


async def read_world_list(visit: Visit) -> WorldPlayers:
    """Return the players of the form's file."""
    upload = visit.hub.doubtful_files.uploaded_file(visit.form, "list")
    if upload is None:
        raise Refused("expected a file, got nothing", field="list")
    read = await _read_in_child(world_players_of, _source(upload), answers_in(visit.form))
    visit.list_read = visit.hub.doubtful_files.check(visit.form, upload, read, "the world list")
    return WorldPlayers(players=read.tournament.players)


async def _read_in_child(work: Callable[..., ReadTournament | Message], *arguments: Any) -> ReadTournament:
    """Read in a child process, because a foreign file may take any time."""
    try:
        outcome: ReadTournament | Message = await _ASIDE.run(_READING_S, work, *arguments)
    except AsideFailed as fault:
        raise Refused("{why}", field="file", why=fault.message) from None
    if isinstance(outcome, Message):
        raise Refused(outcome)
    return outcome
