"""The next round before it is published: drafted, explained, changed, published."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from hub.console.context import Values, Visit
from hub.desk.forms import Form
from hub.event_words import told_at
from hub.fields import whole_in
from hub.model.games import Conditions
from hub.model.players import alphabetical
from hub.model.tournament import Tournament
from hub.pairing.cost import COST_FIELDS
from hub.pairing.stages import last_round
from hub.ranking.standings import standings
from hub.ranking.team_matches import belongs_to, boards_of
from hub.record.events import BansSet
from hub.record.state import TournamentState
from hub.rounds.draft import (
    Draft,
    everybody,
    paired_of,
    with_bye,
    with_game,
    with_kept,
    with_players_exchanged,
    with_tables_exchanged,
    without_game,
)
from hub.rounds.paired import Paired
from hub.rulebook import rules_at_tables
from hub.text import Refused
from link.messages import Status


async def draft_page(visit: Visit) -> Values:
    state = visit.state
    draft = visit.hub.drafting.fitted(state)
    if draft is not None and draft.round != state.round + 1:
        visit.hub.drafting.drop(state.id)
        draft = None
    over = state.round >= last_round(state.tournament)
    cost = draft.cost if draft is not None and not visit.hub.drafting.stale(state) else None
    return {
        "draft": draft,
        "told": told_at(state, "pairing"),
        "stale": visit.hub.drafting.stale(state),
        "players": () if over else _ids_by_name(state.tournament, everybody(state.tournament)),
        "countries": {player.id: belongs_to(state.tournament, player) for player in state.tournament.players},
        "points": dict.fromkeys((one.id for one in state.tournament.players), 0)
        | {line.player: line.points for line in standings(state.tournament)},
        "cost": cost,
        "worse": _worse_cost(cost, draft.best if draft is not None else None),
        "per_move": per_move_key(state.tournament),
        "usual": _usual_conditions(state, visit.hub.live.status.values()),
        "cost_fields": COST_FIELDS,
        "bans": state.tournament.bans,
        "against_bans": draft.against_bans if draft is not None else (),
        "absent": _unpaired(state, there=False),
        "reserves": _unpaired(state, there=True),
        "over": over,
        "waits": [
            game
            for game in state.games.values()
            if game.final is None and (game.score is None or game.conflict)
        ],
    }


def _unpaired(state: TournamentState, there: bool) -> tuple[str, ...]:
    """Players who have not withdrawn and are not to be paired: reserves of teams are there, others miss the round."""
    if state.round >= last_round(state.tournament):
        return ()
    tournament = state.tournament
    present = {one.id for one in tournament.players_in(state.round + 1)} if boards_of(tournament) else set()
    out = {one.id for one in tournament.players if tournament.withdrawn_after(one.id) is None}
    out -= set(everybody(tournament))
    return _ids_by_name(tournament, out & present if there else out - present)


def _ids_by_name(tournament: Tournament, ids: Collection[str]) -> tuple[str, ...]:
    return tuple(player.id for player in alphabetical(tournament.players) if player.id in ids)


def _usual_conditions(state: TournamentState, statuses: Iterable[Status]) -> Conditions:
    """The last round's conditions; at first what the tables there have: boards, and except in a club judges."""
    conditions = [game.conditions for game in state.games_of(state.round) if game.conditions is not None]
    boards = [status.health.board_kind != "" for status in statuses if status.online]
    first = Conditions(judged=bool(boards) and state.tournament.rulebook != "club", sensors=any(boards))
    return conditions[0] if conditions else first


def per_move_key(tournament: Tournament) -> str:
    """What a move may give its player under the event's rulebook, as its field of `Conditions`, "" if nothing."""
    rules = rules_at_tables(tournament)
    gives = rules.per_move if rules is not None else "nothing"
    return {"nothing": "", "delay": "delay_s"}.get(gives, "increment_s")


def move_seconds(visit: Visit) -> dict[str, Any]:
    """The seconds for each move that the form says, as a field of `Conditions`."""
    name = per_move_key(visit.state.tournament)
    seconds = visit.form.integer_or_none("per_move_s", 0, 600) or 0
    return {name: seconds} if name else {}


def _worse_cost(cost: dict[str, int] | None, best: dict[str, int] | None) -> str:
    """The first field in which the draft costs more than the best one, "" if there is none."""
    if cost is None or best is None:
        return ""
    differing = [name for name in COST_FIELDS if cost[name] != best[name]]
    return differing[0] if differing and cost[differing[0]] > best[differing[0]] else ""


async def pair_round(visit: Visit) -> None:
    """Pairs the round; kept games stay."""
    state = _open_tournament(visit)
    _expect_shown_draft(visit, state)
    if visit.form.typed("afresh"):
        visit.hub.drafting.drop(state.id)
    _heed_ticks(visit, state)
    await visit.hub.drafting.pair(state)


async def pair_by_hand(visit: Visit) -> None:
    state = _open_tournament(visit)
    _expect_shown_draft(visit, state)
    visit.hub.drafting.by_hand(state)


def _expect_shown_draft(visit: Visit, state: TournamentState) -> None:
    """Stale if the page that takes the place of the draft showed another one, or none."""
    draft = visit.hub.drafting.of(state.id)
    visit.expect_shown(draft.revision if draft is not None else None)


_CHANGES: Mapping[str, Callable[[Form], tuple[Any, ...]]] = {
    "exchange": lambda form: (with_players_exchanged, form.text("one"), form.text("other")),
    "colours": lambda form: (_with_colours_exchanged, form.integer("table", 1)),
    "tables": lambda form: (with_tables_exchanged, form.integer("table", 1), form.integer("to", 1, 10_000)),
    "game": lambda form: (
        *(with_game, form.text("black"), form.text("white")),
        form.integer_or_none("table", 1, 10_000),
    ),
    "bye": lambda form: (with_bye, form.text("player")),
    "apart": lambda form: (without_game, form.integer("table", 1)),
}
"""What changes a draft, and what the form says for it."""


async def change_draft(visit: Visit) -> None:
    """One change of the draft."""
    state, form = _open_tournament(visit), visit.form
    revision = _heed_ticks(visit, state)
    changed, *said = _CHANGES[form.choice("change", tuple(_CHANGES))](form)
    visit.hub.drafting.change(state, revision, lambda draft: changed(draft, *said))


async def ban_pairing(visit: Visit) -> None:
    """Two players who must not meet, from this round on; or who may again."""
    state = _open_tournament(visit)
    one, other = visit.form.text("one"), visit.form.text("other")
    if one == other:
        raise Refused("expected another player, got the same one", field="other")
    _heed_ticks(visit, state)

    def decide(state: TournamentState) -> BansSet:
        rest = tuple(ban for ban in state.tournament.bans if set(ban) != {one, other})
        return BansSet(bans=rest if visit.form.typed("lift") else (*rest, (one, other)))

    await visit.event.record(decide)


async def publish_round(visit: Visit) -> str:
    """Publishes to the projector, the paper and the tables; phones see the round after its start."""
    revision, overruled = visit.form.integer("revision", 1), visit.form.text_or_empty("overrule")

    def drafted(state: TournamentState) -> Paired:
        return paired_of(visit.hub.drafting.current(_expect_open(state), revision), overruled)

    conditions = Conditions(
        minutes=visit.form.integer_or_none("minutes", 1, 600),
        **move_seconds(visit),
        judged=visit.form.ticked("judged"),
        sensors=visit.form.ticked("sensors"),
        broadcast=visit.form.ticked("broadcast"),
    )
    await visit.event.publish(conditions=conditions, drafted=drafted)
    visit.hub.drafting.drop(visit.state.id)
    return "round"


def _open_tournament(visit: Visit) -> TournamentState:
    return _expect_open(visit.state)


def _expect_open(state: TournamentState) -> TournamentState:
    if state.closed:
        raise Refused("expected an open one, got one that is closed", field="tournament")
    return state


def _heed_ticks(visit: Visit, state: TournamentState) -> int:
    """The games that are ticked to be kept stay ticked, whatever is done next. Returns the draft's revision for the
    form."""
    form, draft = visit.form, visit.hub.drafting.of(state.id)
    revision = form.integer_or_none("revision", 1) or 0
    told = form.typed("ticks") or form.typed("keep")
    if draft is None or draft.revision != revision or not told:
        return revision
    kept = {table for said in form.all("keep") if (table := whole_in(said, 5)) is not None}
    if kept == {game.table for game in draft.games if game.kept}:
        return revision
    if visit.hub.drafting.stale(state) and not draft.by_hand:
        return revision
    return visit.hub.drafting.change(state, revision, lambda one: with_kept(one, kept)).revision


def _with_colours_exchanged(draft: Draft, table: int) -> Draft:
    for game in draft.games:
        if game.table == table:
            return with_players_exchanged(draft, *game.players)
    raise Refused("expected one of the draft, got {table}", field="table", table=table)
