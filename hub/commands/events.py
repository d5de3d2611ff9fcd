"""Commands on events: creation, changes, putting away, closing; judges, categories, bans; the projector's and the
world's view."""

from __future__ import annotations

import asyncio
import datetime
import secrets
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from flagfall.base.convert import plain_figures
from flagfall.link.topics import ID_EXPECTED, is_id
from flagfall.othello.rulebook import BUILT_IN
from hub.commands.desk import Desk, Event, Fields, state_of
from hub.commands.tables import leave_seats
from hub.desk.forms import expect_choice
from hub.desk.own_rules import OWN, free_id, slug
from hub.entries.days import expect_event_days
from hub.fields import ShortText
from hub.form.conditions import check_conditions
from hub.form.event_size import check_counts
from hub.formats.tournament_file import tournament_to_json
from hub.model.lists import COLUMNS, Column, PrizeFund, amount_text
from hub.model.tournament import Tournament
from hub.ranking.categories import allowed_categories, merged_categories
from hub.ranking.systems import SYSTEMS
from hub.record.acts.event import CategoriesSet, EventChanged, EventPutAway
from hub.record.codec import happening
from hub.record.events import TournamentCreated
from hub.record.state import TournamentState, seated
from hub.record.store import RecordedEntry, Write
from hub.rounds.openings import (
    MOST_CHARACTERS,
    UnusableLines,
    draw,
    list_hash,
    most_for_finals,
    played_in_finals,
    read_list,
)
from hub.rulebook import TIE_BREAKS, rules_of
from hub.running import Hub
from hub.text import AlreadyDone, Refused
from hub.zones import checked_zone

AS_IT_IS = "as_it_is"
TEXTS = ("name", "country", "sender")
DAYS = ("date", "end_date")
RULEBOOKS_WAY = "rulebook"
# Numbers, which the file has as such.
SWITCHES = {
    "leave_after_wins": (RULEBOOKS_WAY, "0", *map(str, range(1, 16))),
    "level_playoff": (RULEBOOKS_WAY, "0", "2", "3", "4"),
}
CHOICES = {"system": SYSTEMS, "tie_break": (RULEBOOKS_WAY, *TIE_BREAKS), **SWITCHES}

_Day = Annotated[str, Meta(max_length=20)]


class NewEvent(Fields, frozen=True, kw_only=True):
    """A new event. Without an id of the caller's, an event made of the same object that has not gone on since is not
    made a second time."""

    file: dict[str, Any]  # a `flagfall-tournament/1` object
    tournament: str | None = None  # the event's id, None for a free one of its name
    take_devices: bool = False


class EventDetails(Fields, frozen=True, kw_only=True):
    """A field that is left out stays."""

    name: str | UnsetType = UNSET
    country: str | UnsetType = UNSET
    sender: str | UnsetType = UNSET
    date: _Day | UnsetType = UNSET
    end_date: _Day | UnsetType = UNSET
    time_zone: str | UnsetType = UNSET
    rounds_planned: Annotated[int, Meta(ge=1, le=999)] | None = None
    rulebook: str = AS_IT_IS
    system: str = ""
    tie_break: str = ""
    leave_after_wins: str = ""
    level_playoff: str = ""
    # A list of openings, one a line: one for each round that is not published yet is drawn from it.
    opening_list: Annotated[str, Meta(max_length=MOST_CHARACTERS)] = ""
    # Lines of the list that cannot be used are left out; otherwise nothing is drawn.
    leave_out: bool = False
    # Openings are "drawn" for playoffs and finals too; "none": these begin from the start position.
    finals_openings: Literal["", "drawn", "none"] = ""


class DecidedCategory(Fields, frozen=True, kw_only=True):
    category: ShortText
    do: Literal["merge", "part", "allow", "forbid"]
    into: str = ""


class ListColumns(Fields, frozen=True, kw_only=True):
    """The columns of the event's lists; none: those that all lists have."""

    columns: tuple[Column, ...] = ()


class TypedPrizes(Fields, frozen=True, kw_only=True):
    """The prizes of the event; no lists: it has none."""

    fund: PrizeFund


async def create_event(desk: Desk, new: NewEvent) -> TournamentState:
    """Create an event from a tournament's file and seat the enrolled devices. Devices at another open event stay there
    unless they are taken."""
    async with desk.hub.creating:
        if new.tournament is None and (made := await _made_of(desk.hub, new.file)) is not None:
            return made
        store = desk.hub.store
        free = free_id(
            slug(str(new.file.get("name", "")))[:40] or "event", {*store.states, *store.unreadable}
        )
        return await _create(desk, new.tournament if new.tournament is not None else free, new)


async def _made_of(hub: Hub, file: Mapping[str, Any]) -> TournamentState | None:
    """Return the event of this object, whatever the seed of its lots, that still stands as it was made."""
    for state in hub.store.states.values():
        if state.away or state.closed or state.round != len(file.get("rounds", ())):
            continue
        entry = await hub.store.entry(state.id, "created")
        created = happening(entry) if entry is not None else None
        if isinstance(created, TournamentCreated) and {**created.file, "seed": 0} == {**file, "seed": 0}:
            return state
    return None


async def _create(desk: Desk, tournament: str, new: NewEvent) -> TournamentState:
    hub = desk.hub
    if not is_id(tournament):
        raise Refused(
            "expected {id_expected}, got {tournament!r}",
            field="tournament",
            id_expected=ID_EXPECTED,
            tournament=tournament[:80],
        )
    check_counts(new.file)
    if tournament in hub.store.states:
        first = happening((await hub.store.entries(tournament))[0])
        if isinstance(first, TournamentCreated) and first.file == new.file:
            return state_of(hub, tournament)
        raise Refused(
            "expected an id that no other event has, got {tournament!r}",
            field="tournament",
            tournament=tournament,
        )
    seats = hub.devices.seats
    if new.take_devices:
        for state in list(hub.store.states.values()):
            if not state.away:
                await leave_seats(desk.event(state.id), seats.values())
    elsewhere = seated(hub.store.states.values())
    free = {seat: device for seat, device in seats.items() if device not in elsewhere}
    created = TournamentCreated(file=dict(new.file), seats=free, seq=hub.devices.reserve_seq())
    players = new.file.get("players")
    for number, player in enumerate(players if isinstance(players, list) else ()):
        check_conditions(player, f"players[{number}].")
    (outcome,) = await hub.store.record(tournament, [Write("created", created, desk.who)])
    if not isinstance(outcome, RecordedEntry):
        raise outcome
    hub.outbound.send_assignments()
    hub.live.changed()
    return state_of(hub, tournament)


async def change_event(event: Event, details: EventDetails) -> TournamentState:
    """Change the details of an event; present games are sent to their tables again."""
    fields: dict[str, Any] = {
        name: value or None for name in TEXTS if (value := getattr(details, name)) is not UNSET
    }
    fields |= {name: day_in(value, name) for name in DAYS if (value := getattr(details, name)) is not UNSET}
    zone = details.time_zone
    if zone is not UNSET:
        changes = zone and zone != event.state.tournament.time_zone
        fields["time_zone"] = checked_zone(zone) if changes else zone or None
    if details.rounds_planned is not None:
        fields["rounds_planned"] = details.rounds_planned
    if details.rulebook not in ("", AS_IT_IS):
        fields |= chosen_rules(event.hub, details.rulebook)
    for name, choices in CHOICES.items():
        if value := getattr(details, name):
            fields[name] = chosen_value(name, value, choices)

    listed, seed = await asyncio.to_thread(read_list, details.opening_list), secrets.randbits(63)
    if listed.notes and not details.leave_out:
        raise UnusableLines(listed.notes)
    with_finals = details.finals_openings == "drawn"
    if not listed.openings and (with_finals or listed.notes):
        raise Refused("expected a list of openings, one on a line", field="opening_list")
    if details.finals_openings == "none":
        fields["finals_openings"] = None

    def decide(state: TournamentState) -> EventChanged:
        if listed.openings:
            fields.update(_drawn(state, listed.openings, seed, with_finals))
        present = tournament_to_json(state.tournament)
        differing = {name: value for name, value in fields.items() if value != present.get(name)}
        if not differing:
            raise AlreadyDone("expected a change, got none", field="event")
        if not differing.keys().isdisjoint(DAYS):
            expect_event_days(*({**present, **differing}.get(day) for day in DAYS))
        return EventChanged(fields=differing)

    return await event.record(decide)


def _drawn(state: TournamentState, openings: tuple[str, ...], seed: int, with_finals: bool) -> dict[str, Any]:
    """Return the fields of a draw: rounds and finals that are published keep their openings."""
    tournament = state.tournament
    used = (tournament.openings or ())[: state.round]
    if len(used) < state.round:
        raise Refused("expected openings before the first round is published", field="opening_list")
    of_finals = played_in_finals(tournament)
    played, rounds = {*used, *of_finals}, max(0, tournament.rounds_planned - len(used))
    finals = most_for_finals(openings, played, rounds) if with_finals else 0
    drawn = draw(openings, played, rounds + finals, seed)
    about: dict[str, int | str] = {"seed": seed, "from_round": state.round + 1, "finals": finals}
    about |= {"list_count": len(openings), "list_sha256": list_hash(openings)}
    return {
        "openings": [*used, *drawn[:rounds]],
        "finals_openings": [*of_finals, *drawn[rounds:]] if finals else None,
        "opening_draw": about,
    }


def chosen_value(name: str, value: str, choices: Sequence[str]) -> str | int | None:
    """Return the value of a choice as the file has it, None for the rulebook's own."""
    expect_choice(name, value, choices)
    if value == RULEBOOKS_WAY:
        return None
    return int(value) if name in SWITCHES else value


def chosen_rules(hub: Hub, name: str) -> dict[str, str | None]:
    """Return `rulebook` and `rulebook_text` of the tournament file for a rulebook that ships, or one of this hub."""
    expect_choice("rulebook", name, (*BUILT_IN, *(OWN + rulebook for rulebook in hub.own_rules.texts)))
    return hub.own_rules.rulebook_choice(name)


def day_in(text: str, field: str) -> str | None:
    """Return a typed day, None without one."""
    try:
        return datetime.date.fromisoformat(plain_figures(text)).isoformat() if text else None
    except ValueError:
        raise Refused("expected a date YYYY-MM-DD, got {said!r}", field=field, said=text) from None


async def put_event_away(event: Event, put: EventPutAway) -> TournamentState:
    """Hide the event from everybody but the console, or show it again."""
    event.checked_state()
    if not put.away:
        await leave_seats(event, seated(event.hub.store.states.values(), event.id))
    return await event.record(lambda _: put)


async def set_list_columns(event: Event, fields: ListColumns) -> TournamentState:
    """Choose the columns of lists, in print and in files."""
    chosen = [column for column in COLUMNS if column != "name" and column in fields.columns] or None

    def decide(state: TournamentState) -> EventChanged:
        if chosen == tournament_to_json(state.tournament).get("list_columns"):
            raise AlreadyDone("expected a change, got none", field="columns")
        return EventChanged(fields={"list_columns": chosen})

    return await event.record(decide)


async def set_prizes(event: Event, fields: TypedPrizes) -> TournamentState:
    """Set the prizes of the lists."""
    fund = fields.fund if fields.fund.lists else None
    for title, prizes in (fund.lists if fund is not None else {}).items():
        for amounts, text in ((prizes.cents, amount_text), (prizes.points, str)):
            if list(amounts) != sorted(amounts, reverse=True):
                raise Refused(
                    "expected the best place's prize first, and none higher after it, got {said!r}",
                    field=f"prizes-{title}"[:60],
                    said=" ".join(map(text, amounts))[:60],
                )

    def decide(state: TournamentState) -> EventChanged:
        if fund == state.tournament.prizes:
            raise AlreadyDone("expected a change, got none", field="prizes")
        plain = None if fund is None else msgspec.to_builtins(fund)
        return EventChanged(fields={"prizes": plain})

    return await event.record(decide)


async def decide_category(event: Event, decided: DecidedCategory) -> TournamentState:
    """Merge a category into another, separate it again, allow a small one, or revoke that permission."""

    def decide(state: TournamentState) -> CategoriesSet:
        if not has_categories(state):
            raise Refused(
                "expected a rulebook with categories, got {rulebook}",
                field="rulebook",
                rulebook=state.tournament.rulebook,
            )
        if decided.do == "merge" and not decided.into:
            raise Refused("expected something, got nothing", field="into")
        return _categories_decided(state.tournament, decided)

    return await event.record(decide)


def has_categories(state: TournamentState) -> bool:
    """Return whether the rulebook knows categories."""
    return bool(rules_of(state.tournament).entry.clauses.categories)


def _categories_decided(tournament: Tournament, decided: DecidedCategory) -> CategoriesSet:
    """Return the categories after the decision on one of them. AlreadyDone if it changes nothing."""
    merged, allowed = dict(merged_categories(tournament)), list(allowed_categories(tournament))
    name, into = decided.category, decided.into
    match decided.do:
        case "merge":
            merged = {other: into if old == name else old for other, old in merged.items()} | {name: into}
        case "part":
            merged.pop(name, None)
        case "allow":
            allowed = [*dict.fromkeys([*allowed, name])]
        case "forbid":
            allowed = [other for other in allowed if other != name]
    if (merged, tuple(allowed)) == (merged_categories(tournament), allowed_categories(tournament)):
        raise AlreadyDone("expected a change, got none", field="category")
    return CategoriesSet(merged=merged, allowed=tuple(allowed))
