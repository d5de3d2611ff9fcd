"""The next round before it is published: drafted, explained, changed, published."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from flagfall.link.messages import Status
from hub.commands.rounds import has_byoyomi, per_move_key
from hub.console.context import Values, Visit
from hub.event_words import clauses_at
from hub.model.games import Conditions
from hub.model.players import alphabetical
from hub.model.tournament import Tournament
from hub.pairing.cost import COST_FIELDS
from hub.pairing.state import last_round, stage_of
from hub.ranking.leagues import late_without_league
from hub.ranking.standings import standings
from hub.ranking.teams import belongs_to, boards_of
from hub.record.state import TournamentState
from hub.rounds.draft import everybody
from hub.rulebook import rules_of
from hub.slices import apart


async def draft_page(visit: Visit) -> Values:
    state = visit.state
    draft = visit.hub.drafting.fit(state)
    if draft is not None and draft.round != state.round + 1:
        visit.hub.drafting.drop(state.id)
        draft = None
    over = state.round >= last_round(state.tournament)
    lines = await apart(standings, state.tournament)
    cost = draft.cost if draft is not None and not visit.hub.drafting.stale(state) else None
    return {
        "draft": draft,
        "told": clauses_at(state, "pairing"),
        "stale": visit.hub.drafting.stale(state),
        "players": () if over else _ids_by_name(state.tournament, everybody(state.tournament)),
        "countries": {player.id: belongs_to(state.tournament, player) for player in state.tournament.players},
        "points": dict.fromkeys((player.id for player in state.tournament.players), 0)
        | {line.player: line.points for line in lines},
        "cost": cost,
        "worse": _worse_cost(cost, draft.best if draft is not None else None),
        "per_move": per_move_key(state.tournament),
        "byoyomi": has_byoyomi(state.tournament),
        "usual": _usual_conditions(state, visit.hub.live.status.values()),
        "cost_fields": COST_FIELDS,
        "bans": state.tournament.bans,
        "against_bans": draft.against_bans if draft is not None else (),
        "absent": _unpaired(state, there=False),
        "reserves": _unpaired(state, there=True),
        "over": over,
        "late": len(late_without_league(state.tournament))
        if stage_of(state.tournament, state.round + 1).kind == "leagues" and state.round
        else 0,
        "colours_drawn": rules_of(state.tournament).law.hidden_disc != "no",
        "waits": [
            game
            for game in state.games.values()
            if game.final is None and (game.score is None or game.conflict)
        ],
    }


def _unpaired(state: TournamentState, there: bool) -> tuple[str, ...]:
    """Return the players who have not withdrawn and are not to be paired. Reserves of teams are there, others miss the
    round."""
    if state.round >= last_round(state.tournament):
        return ()
    tournament = state.tournament
    present = (
        {player.id for player in tournament.players_in(state.round + 1)} if boards_of(tournament) else set()
    )
    out = {player.id for player in tournament.players if tournament.withdrawn_after(player.id) is None}
    out -= set(everybody(tournament))
    return _ids_by_name(tournament, out & present if there else out - present)


def _ids_by_name(tournament: Tournament, ids: Collection[str]) -> tuple[str, ...]:
    return tuple(player.id for player in alphabetical(tournament.players) if player.id in ids)


def _usual_conditions(state: TournamentState, statuses: Iterable[Status]) -> Conditions:
    """Return the last round's conditions; at first those of the tables: boards, and judges except in a club."""
    conditions = [game.conditions for game in state.games_of(state.round) if game.conditions is not None]
    boards = [status.health.board_kind != "" for status in statuses if status.online]
    first = Conditions(judged=bool(boards) and state.tournament.rulebook != "club", sensors=any(boards))
    return conditions[0] if conditions else first


def _worse_cost(cost: dict[str, int] | None, best: dict[str, int] | None) -> str:
    """Return the first field in which the draft costs more than the best one, "" if there is none."""
    if cost is None or best is None:
        return ""
    differing = next((name for name in COST_FIELDS if cost.get(name, 0) != best.get(name, 0)), "")
    return differing if cost.get(differing, 0) > best.get(differing, 0) else ""


def expect_shown_draft(visit: Visit, state: TournamentState, _: object) -> None:
    """Raise Stale if the page that takes the place of the draft showed another one, or none."""
    draft = visit.hub.drafting.of(state.id)
    visit.expect_shown(draft.revision if draft is not None else None)
