"""Facts of the entries that no program can know, as a person declares them (`hub.entries.findings`)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from flagfall.othello.inputs import MOST_EXTRA_MINUTES
from hub.commands.desk import Event, Fields
from hub.commands.events import day_in
from hub.entries.days import expect_event_days
from hub.formats.tournament_file import player_to_json, tournament_to_json
from hub.record.acts.event import EventChanged
from hub.record.acts.players import PlayerChanged
from hub.record.state import TournamentState
from hub.text import AlreadyDone

_Names = Annotated[tuple[Annotated[str, Meta(max_length=100)], ...], Meta(max_length=300)]
_Text = Annotated[str, Meta(max_length=500)]


class EventFacts(Fields, frozen=True, kw_only=True):
    """A field that is left out stays; an empty one is declared no more."""

    host: _Text | UnsetType = UNSET
    federations: _Names | UnsetType = UNSET
    contact_nations: _Names | UnsetType = UNSET
    admitted_nations: _Names | UnsetType = UNSET
    federations_reporting: _Names | UnsetType = UNSET
    confederation: _Names | UnsetType = UNSET
    results_sent: Annotated[str, Meta(max_length=20)] | UnsetType = UNSET


class PlayerFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A field that is left out stays; an empty one is declared no more."""

    represents: Literal["", "citizen", "resident", "wof-flag"] | UnsetType = UNSET
    registered: Annotated[str, Meta(max_length=20)] | UnsetType = UNSET
    credentials: Literal["", "requested", "shown"] | UnsetType = UNSET
    needs: _Text | UnsetType = UNSET
    extra_minutes: Annotated[float, Meta(ge=0, le=MOST_EXTRA_MINUTES)] | UnsetType | None = UNSET
    hands_commit: bool | UnsetType | None = UNSET


class FactsOfPlayers(Fields, frozen=True, kw_only=True):
    """The facts of each of these players, by id."""

    players: Annotated[dict[str, PlayerFacts], Meta(max_length=2_000)]


async def declare_event(event: Event, facts: EventFacts) -> TournamentState:
    """Declare facts of the event's entries."""
    given = {name: value for name, value in _given(facts).items() if value is not UNSET}
    if "results_sent" in given:
        day = day_in(given["results_sent"], "results_sent")
        given["results_sent"] = day
        expect_event_days(day, None)

    def decide(state: TournamentState) -> EventChanged:
        present = tournament_to_json(state.tournament)
        fields = {name: [*value] if isinstance(value, tuple) else value for name, value in given.items()}
        changed = {
            name: value or None for name, value in fields.items() if (value or None) != present.get(name)
        }
        if not changed:
            raise AlreadyDone("expected a change, got none", field="event")
        return EventChanged(fields=changed)

    return await event.record(decide)


async def declare_players(event: Event, facts: FactsOfPlayers) -> TournamentState:
    """Declare facts of players' entries."""

    def decide(state: TournamentState) -> list[PlayerChanged]:
        changed = []
        for id_, of_player in facts.players.items():
            old = player_to_json(state.player(id_), state.tournament.rulebook)
            new = {name: value for name, value in old.items() if name not in _given(of_player)}
            new |= {name: value for name, value in _given(of_player).items() if value not in ("", None)}
            if day := new.get("registered"):
                new["registered"] = day_in(str(day), "registered")
            if new != old:
                changed.append(PlayerChanged(player=new))
        if not changed:
            raise AlreadyDone("expected a change, got none", field="player")
        return changed

    return await event.record(decide)


def _given(facts: EventFacts | PlayerFacts) -> dict[str, Any]:
    """Return the fields that are given."""
    return {name: value for name, value in msgspec.structs.asdict(facts).items() if value is not UNSET}
