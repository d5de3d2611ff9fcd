"""The operator's API of the tournaments: one line of `OPERATIONS` for each of its operations; those that change
something are commands (`hub.commands.table`).

Its function gets the hub's parts, the name in the address ("" without one) and the body; it returns the answer, or the
tournament whose present round is the answer. Scores are [black, white] in discs.
"""

from __future__ import annotations

from collections.abc import Callable

from hub.api.addresses import TOURNAMENT
from hub.api.offered import Json, command
from hub.api.table_operations import OF_TABLES
from hub.commands.desk import state_of
from hub.commands.events import NewEvent
from hub.entries.check import finding_to_json, findings
from hub.formats.tournament_file import tournament_to_json
from hub.ranking.finals import finals_of
from hub.ranking.reports import Finals, Standings, finals_value, standings_value
from hub.record.state import TournamentState
from hub.running import Hub
from hub.web.operation import Operation


def _facts(
    path: str, summary: str, facts: Callable[[TournamentState], object], answer: type[object] | None = None
) -> Operation:
    """Return the operation that answers with facts of the tournament alone."""

    async def act(hub: Hub, tournament: str, _: None) -> object:
        return facts(state_of(hub, tournament))

    return Operation("GET", f"{TOURNAMENT}{path}", summary, act, answer=answer)


async def _tournaments(hub: Hub, _: str, __: None) -> Json:
    tournaments = [
        {"id": state.id, "name": state.tournament.name, "round": state.round, "closed": state.closed}
        for state in hub.store.states.values()
    ]
    return {"tournaments": tournaments}


async def _entries(hub: Hub, tournament: str, _: None) -> Json:
    state = state_of(hub, tournament)
    entries = await hub.store.entries(state.id)
    names = ("id", "type", "who", "at", "hash")
    lines = [{name: getattr(entry, name) for name in names} for entry in entries]
    return {"head": hub.store.head(state.id), "entries": lines}


async def _showing(hub: Hub, tournament: str, _: None) -> Json:
    return _showing_json(hub, state_of(hub, tournament))


def _showing_json(hub: Hub, state: TournamentState, _: object = None) -> Json:
    return {
        "starts_at": state.showing.starts_at,
        "boards": state.showing.boards,
        "delay_s": state.showing.delay_s,
        "hall": f"/hall/{state.id}?key={hub.site.key}",
        "print": f"/print/{state.id}?key={hub.site.key}",
    }


def _new_event(tournament: str, file: Json) -> NewEvent:
    return NewEvent(file=file, tournament=tournament)


OPERATIONS = (
    *OF_TABLES,
    Operation("GET", "/api/1/tournaments", "The tournaments of this hub", _tournaments),
    command("create-event", status=201, body=dict, fields=_new_event),
    _facts("", "The round as the director sees it", lambda state: state),
    _facts("/file", "The tournament file", lambda state: tournament_to_json(state.tournament)),
    _facts(
        "/standings",
        "Standings, as `rank --json` prints them",
        lambda state: standings_value(state.tournament),
        Standings,
    ),
    Operation("GET", f"{TOURNAMENT}/entries", "The chain of entries, for audits", _entries),
    _facts(
        "/findings",
        "What the rulebook has to say of the entries",
        lambda state: {"findings": [finding_to_json(finding) for finding in findings(state.tournament)]},
    ),
    Operation(
        "GET",
        f"{TOURNAMENT}/showing",
        "What is shown in the hall and outside; the projector's address",
        _showing,
    ),
    command("set-showing", answer=_showing_json),
    command("publish-round"),
    _facts(
        "/finals",
        "What is due in playoffs and finals, with its choosers' options",
        lambda state: finals_value(finals_of(state.tournament), for_operator=True),
        Finals,
    ),
    command("publish-finals"),
    command("walk-over"),
    command("start-round"),
    command("send-ruling"),
    command("enter-result"),
    command("decide-result"),
    command("correct-game"),
    command("add-player"),
    command("withdraw-player"),
    command("note-absence"),
    command("seat-device"),
    command("undo-entry"),
    command("close-event"),
)
