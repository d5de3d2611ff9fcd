"""Acts of the event itself: its details, whether it is put away or closed, players' own pages, the showing, judges,
categories, places at the world championship."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from flagfall.base.value import replace
from flagfall.ledger.entry import Entry
from hub.fields import instant_in
from hub.form.event_size import check_counts
from hub.form.tournament import with_fields
from hub.model.tournament import Tournament
from hub.ranking.leagues import is_late_place, late_without_league
from hub.ranking.teams import MOST_BOARDS
from hub.record.acts.act import Act
from hub.record.assignments import assigned_anew
from hub.record.doors import Api, AtDoor, Form, Hubs
from hub.record.state import Confirmation, Showing, TournamentState
from hub.record.unanswered import expect_all_played, expect_answered, expect_undisputed
from hub.role import Role
from hub.rulebook import rules_of
from hub.text import AlreadyDone, Refused

LONGEST_DELAY_S = 24 * 3600
# Fields under which games in play were begun.
BEFORE_THE_START = ("rulebook", "rulebook_text", "system")
_ALWAYS = (
    *("name", "date", "end_date", "time_zone", "country", "sender"),
    *("rounds_planned", "bq_constant", "tie_break", "openings", "finals_openings", "opening_draw"),
    *("leave_after_wins", "level_playoff", "leagues"),
)
# Facts of the entries.
_DECLARED = (
    *("host", "federations", "contact_nations", "admitted_nations", "federations_reporting", "confederation"),
    "results_sent",
)
# Fields of the tournament file that can be changed after its creation; the last three before the first start only.
CHANGEABLE = (*_ALWAYS, *_DECLARED, "team_matches", "line_ups", "list_columns", "prizes", *BEFORE_THE_START)


class EventChanged(Act, frozen=True, kw_only=True):
    """Other values of fields of the tournament file (of `CHANGEABLE`); null removes a field."""

    TYPE = "event_changed"
    fields: dict[str, Any]
    seq: Hubs[int] = 0

    def ready(self, state: TournamentState) -> EventChanged:
        check_counts(self.fields)
        return self

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        """Return the state with other fields of the event. Raise Refused if a field comes too late, or contradicts what
        has been played."""
        old = state.tournament
        begun = state.started or any(game.score is not None for game in state.games.values())
        for name, new in self.fields.items():
            if name not in CHANGEABLE:
                raise Refused("expected one of {choices}", field=name[:40], choices=", ".join(CHANGEABLE))
            if begun and name in BEFORE_THE_START and new != (getattr(old, name) or None):
                raise Refused("expected no change once a round was started", field=name)
        read = with_fields(old, self.fields)
        _check_teams(read, self.fields)
        late = {player.id for player in late_without_league(old)}
        if state.round and read.leagues != old.leagues and not is_late_place(old.leagues, read.leagues, late):
            raise Refused("expected no change once rounds are published", field="leagues")
        if old.finals and (read.level_playoff, read.leave_after_wins) != (
            old.level_playoff,
            old.leave_after_wins,
        ):
            raise Refused("expected no change once finals are published", field="level_playoff")
        if old.finals and read.rounds_planned != old.rounds_planned:
            raise Refused("expected no change once finals are published", field="rounds_planned")
        changed = replace(state, tournament=read)
        anew = changed.present and _rules_at_tables(old) != _rules_at_tables(read)
        return assigned_anew(changed, self.seq) if anew else changed


def _check_teams(tournament: Tournament, fields: Mapping[str, object]) -> None:
    boards, ups = fields.get("team_matches"), tournament.line_ups
    if boards is not None and not tournament.team_matches:
        raise Refused(
            "expected 1 to {most}, got {said!r}",
            field="team_matches",
            most=MOST_BOARDS,
            said=str(boards)[:20],
        )
    team = {player.id: player.team for player in tournament.players}
    misfit = ups is None and fields.get("line_ups") is not None
    if misfit or any(team.get(player) != name for name, members in (ups or {}).items() for player in members):
        raise Refused("expected for each team ids of its players", field="line_ups")


def _rules_at_tables(tournament: Tournament) -> tuple[str, object]:
    """Return the rules of games at the tables: if they change, the tables' devices need them again."""
    return tournament.rulebook, tournament.rulebook_text


class EventPutAway(Act, frozen=True, kw_only=True):
    """The event is put away, or is back (`away` false).

    Only the console shows an event that is put away, and no table plays it.
    """

    TYPE = "event_put_away"
    FORMS = (Form(path="event/away", page="event", sure=True),)
    away: bool = False
    seq: Hubs[int] = 0

    def ready(self, state: TournamentState) -> EventPutAway:
        if self.away == state.away:
            raise AlreadyDone("expected a change, got none", field="event")
        return self

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        """Return the state with the event put away or back. Raise Refused while games stand at the tables."""
        if self.away:
            expect_all_played(state)
        new = replace(state, away=self.away)
        return new if self.away else assigned_anew(new, self.seq)

    @classmethod
    def seen(cls, state: TournamentState, given: Mapping[str, Any]) -> object:
        return state.away


class TournamentClosed(Act, frozen=True, kw_only=True):
    """Nothing more is expected.

    Tables may drop their own records. A closed event has no button for a player who waits for an answer.
    """

    TYPE = "tournament_closed"
    API = Api("POST", "close")
    FORMS = (Form(path="close", page="lists", to="lists"),)

    def ready(self, state: TournamentState) -> TournamentClosed:
        if state.closed:
            raise AlreadyDone("expected an open event, got a closed one", field="tournament")
        expect_undisputed(state)
        expect_answered(state)
        expect_all_played(state)
        return self

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        return replace(state, closed=True)

    @classmethod
    def seen(cls, state: TournamentState, given: Mapping[str, Any]) -> object:
        return state.outcome


_ConfirmAtDoor = Annotated[
    Confirmation,
    Meta(
        description="which reports of both players count: also those at the tablet at the door (tablet), those from"
        " players' own pages alone (phones), or none until an operator types the same score (desk)"
    ),
]
_NoPhotographsAtDoor = Annotated[
    bool, Meta(description="boards may not be photographed; else they may where the hub has an eye")
]


class PlayersPagesSet(Act, frozen=True, kw_only=True):
    """The word on players' own pages: whether there are any, and which reports of results there count.

    It goes before the rulebook's. Results are of tables without a device.
    """

    TYPE = "players_pages_set"
    LATER = ("no_photographs",)
    MUST_KNOW = ("confirm", "no_photographs")
    API = Api("PUT", "players-pages")
    FORMS = (Form(path="event/players-pages", page="event"),)
    pages: bool = False
    results: bool = False
    # Those made at the tablet at the door too ("tablet"), those from the players' own pages alone ("phones"), or none
    # before an operator has typed the same score ("desk").
    confirm: Annotated[Confirmation, AtDoor(_ConfirmAtDoor)] = "tablet"
    # Boards are not photographed, although the hub has an eye.
    no_photographs: Annotated[bool, AtDoor(_NoPhotographsAtDoor)] = False

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        return replace(
            state,
            players_pages=self.pages,
            players_results=self.results,
            confirm=self.confirm,
            photographs=not self.no_photographs,
        )

    @classmethod
    def seen(cls, state: TournamentState, given: Mapping[str, Any]) -> object:
        return state.has_players_pages, state.players_results, state.confirm, state.photographs


class ShowingSet(Act, Showing, frozen=True, kw_only=True):
    """The next start, the boards on the projector, and how much later the world outside sees everything."""

    TYPE = "showing_set"
    CAN_BE_UNDONE = False
    ROLE = Role.ASSISTANT
    API = Api("PUT", "showing")
    FORMS = (Form(path="show", page="lists"),)

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        if self.starts_at is not None and instant_in(self.starts_at) is None:
            raise Refused(
                "expected an instant as 2026-11-05T14:30+01:00, got {starts_at!r}",
                field="starts_at",
                starts_at=self.starts_at[:40],
            )
        if not 0 <= self.delay_s <= LONGEST_DELAY_S:
            raise Refused(
                "expected 0 to {longest_delay_s}, got {delay_s}",
                field="delay_s",
                longest_delay_s=LONGEST_DELAY_S,
                delay_s=self.delay_s,
            )
        return replace(state, showing=self)

    @classmethod
    def seen(cls, state: TournamentState, given: Mapping[str, Any]) -> object:
        return state.showing


class JudgesSet(Act, frozen=True, kw_only=True):
    """The judges of all seats, by seat number."""

    TYPE = "judges_set"
    ROLE = Role.ASSISTANT
    FORMS = (Form(path="judges", page="room"),)
    judges: dict[int, str]

    def ready(self, state: TournamentState) -> JudgesSet:
        """Return the act with the judges of the seats that it does not name; "" takes a seat's judge away."""
        judges = {seat: name for seat, name in {**state.judges, **self.judges}.items() if name}
        if judges == dict(state.judges):
            raise AlreadyDone("expected a change, got none", field="judge")
        return JudgesSet(judges=judges)

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        return replace(state, judges=dict(self.judges))

    @classmethod
    def seen(cls, state: TournamentState, given: Mapping[str, Any]) -> object:
        return dict(state.judges)


class CategoriesSet(Act, frozen=True, kw_only=True):
    """The director's decisions on categories (`cc-2024` II.6.1): merged ones (from: into), and small ones that are
    allowed."""

    TYPE = "categories_set"
    merged: dict[str, str]
    allowed: tuple[str, ...] = ()

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        names = {name for player in state.tournament.players for name in player.categories}
        for name in (*self.merged, *self.merged.values(), *self.allowed):
            if name not in names:
                raise Refused(
                    "expected a category of a player, got {category!r}", field="category", category=name[:40]
                )
        for name, into in self.merged.items():
            if into == name or into in self.merged:
                raise Refused(
                    "expected another category, not merged itself, got {category!r}",
                    field="into",
                    category=into[:40],
                )
        merged, allowed = dict(self.merged), tuple(self.allowed)
        return state.with_tournament(merged_categories=merged, allowed_categories=allowed)


class WorldPlacesSet(Act, frozen=True, kw_only=True):
    """The number of players of this event who qualify for the world championship (`cc-2024` V.1).

    It is the committee's decision.
    """

    TYPE = "world_places_set"
    FORMS = (Form(path="prizes", page="lists"),)
    places: Annotated[int, AtDoor(Annotated[int, Meta(ge=0, le=1000)], name="world_places")]

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        least = rules_of(state.tournament).law.event.world_places
        if not least:
            raise Refused(
                "expected a rulebook with places at the World Championship, got {rulebook}",
                field="rulebook",
                rulebook=state.tournament.rulebook,
            )
        if self.places < least:
            raise Refused(
                "expected at least {least}, got {places}",
                field="world_places",
                least=least,
                places=self.places,
            )
        return state.with_tournament(world_places=self.places)

    @classmethod
    def seen(cls, state: TournamentState, given: Mapping[str, Any]) -> object:
        return state.tournament.world_places
