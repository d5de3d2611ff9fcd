"""All events of this hub, and a new one: name, rulebook, players, and it is there."""

from __future__ import annotations

import asyncio
import datetime
import hashlib
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from hub.child_process import Aside, AsideFailed
from hub.console.context import ConsoleContext, RequestContext, ShownPage, address
from hub.console.player_lists import Chosen, player_to_json, players_chosen, typed_players
from hub.console.world_list import newcomer
from hub.formats.reading import LineNote
from hub.formats.tournament_json import FORMAT
from hub.ranking.format_rules import FORMAT_RULES, RULEBOOKS
from hub.ranking.systems import SYSTEMS
from hub.record.state import Refused
from hub.text import Text
from hub.tournament import Player

_MOST_PLAYERS = 2_000
_READING_S = 20.0
_ASIDE = Aside()


async def events_page(office: ConsoleContext, visit: RequestContext) -> ShownPage:
    """Those under way first; the closed ones apart, the latest first."""
    states = sorted(office.book.states.values(), key=lambda state: -state.seq)
    return ShownPage(
        "events.html",
        {
            "events": [state for state in states if not state.closed],
            "past": [state for state in states if state.closed],
            "unreadable": office.book.unreadable,
        },
    )


async def new_page(office: ConsoleContext, visit: RequestContext) -> ShownPage:
    return ShownPage(
        "new.html",
        {
            "rulebooks": RULEBOOKS,
            "systems": SYSTEMS,
            "rules": FORMAT_RULES,
            "today": office.wall().date(),
            "listed": len(office.world_list.players),
        },
    )


async def create(office: ConsoleContext, visit: RequestContext) -> str:
    """The event of the form; its lots come from a seed that is drawn now and recorded."""
    form = visit.form
    name = form.text("name")
    rulebook = form.choice("rulebook", RULEBOOKS)
    players, notes = await _players(office, visit)
    file: dict[str, Any] = {
        "format": FORMAT,
        "name": name,
        "rulebook": rulebook,
        "seed": _seed(office.fresh_id()),
        "players": [player_to_json(player, rulebook) for player in players],
        "rounds": [],
    }
    if form.typed("date"):
        file["date"] = _date(form.text("date"))
    if form.typed("system"):
        file["system"] = form.choice("system", SYSTEMS)
    rounds = form.whole_or_none("rounds_planned", 1, 999)
    if rounds is not None:
        file["rounds_planned"] = rounds
    planned = FORMAT_RULES[rulebook].planned(len(players))
    if planned is not None and "system" not in file:
        file["system"] = planned[0]
        file.setdefault("rounds_planned", planned[1])
    state = await office.desk.create(_free_id(office, name), file, visit.who)
    return address(state, "draft") + _left_out(notes)


def _left_out(notes: Sequence[LineNote]) -> str:
    """What of a file was left out, for the next page's address."""
    return f"?left_out={len(notes)}&line={notes[0].line}" if notes else ""


async def _players(office: ConsoleContext, visit: RequestContext) -> Chosen:
    upload = visit.form.files.get("file")
    typed = visit.form.typed("players")
    if len(typed) > 200_000:
        raise Refused("players: expected at most 200000 letters")
    notes: tuple[LineNote, ...] = ()
    if upload:
        players, notes = await _read_players(upload.name, upload.data, typed)
        players = _newcomers_apart(players, office.world_list.players)
    else:
        players = typed_players(typed, office.world_list.known())
    if len(players) < 2:
        raise Refused("players: expected two at least, got {players}", players=len(players))
    if len(players) > _MOST_PLAYERS:
        raise Refused(
            "players: expected {most_players} at most, got {players}; "
            "of a long list type the numbers of those who play",
            most_players=_MOST_PLAYERS,
            players=len(players),
        )
    seen: set[str] = set()
    for player in players:
        if player.id in seen:
            raise Refused("players: expected every number once, got {id} again", id=player.id)
        seen.add(player.id)
    return players, notes


def _newcomers_apart(players: tuple[Player, ...], known: Collection[str]) -> tuple[Player, ...]:
    """A number that a spreadsheet's newcomer was given is nobody's in the world list."""
    taken = {player.id for player in players}
    found = []
    for player in players:
        if player.extra.get("new") and player.id in known:
            player = replace(player, id=newcomer(taken, known).id)
            taken.add(player.id)
        found.append(player)
    return tuple(found)


async def keep_list(office: ConsoleContext, visit: RequestContext) -> str:
    """The world list of players, from now on that of this file."""
    upload = visit.form.files.get("list")
    if upload is None:
        raise Refused("list: expected a file, got nothing")
    players, notes = await _read_players(upload.name, upload.data, "")
    try:
        await asyncio.to_thread(office.world_list.replace, players)
    except OSError as fault:
        raise Refused("list: the disk refuses it: {why}", why=str(fault.strerror or fault)) from None
    return "/desk/new" + _left_out(notes)


async def _read_players(name: str, data: bytes, typed: str) -> Chosen:
    """Nobody knows how long a file of others takes: it is read aside."""
    try:
        found = await _ASIDE.run(_READING_S, players_chosen, name, data, typed)
    except AsideFailed as fault:
        raise Refused("file: {why}", why=fault.line) from None
    if isinstance(found, Text):
        raise Refused(found)
    return found


def _date(said: str) -> str:
    try:
        return datetime.date.fromisoformat(said).isoformat()
    except ValueError:
        raise Refused("date: expected a date YYYY-MM-DD, got {said!r}", said=said[:20]) from None


def _seed(secret: str) -> int:
    return int(hashlib.sha256(secret.encode()).hexdigest()[:8], 16)


def _free_id(office: ConsoleContext, name: str) -> str:
    """An id for addresses and topics, from the name."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    base = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40] or "event"
    taken = {*office.book.states, *office.book.unreadable}
    return next(one for one in (base, *(f"{base}-{n}" for n in range(2, 10_000))) if one not in taken)
