"""The round at a glance, and the operator's actions on it."""

from __future__ import annotations

import asyncio
from typing import Any, Literal, TypeAlias, cast, get_args

from flagfall.othello.reason import Reason
from hub.commands.desk import same_claims
from hub.commands.results import AsTyped, DecisionOfForm, ResultOfForm
from hub.commands.rounds import StillRuns, players_without_game
from hub.commands.rulings import RULINGS, RulingOfForm
from hub.console.context import Values, Visit
from hub.console.views.alerts import alerts_of, in_lines
from hub.console.views.round import late_choices, latest_rulings, minutes_of_games, project_round_end, rows_of
from hub.desk.forms import Form
from hub.event_words import clauses_at
from hub.fields import whole_in
from hub.ranking.finals import finals_or_none
from hub.ranking.scores import has_draw_wins
from hub.record.events import PairingPublished
from hub.record.seen_boards import board_seen, counted, expect_end
from hub.record.state import TournamentState
from hub.record.unanswered import unanswered
from hub.rulebook import rules_of
from hub.slices import apart

_Winner: TypeAlias = Literal["black", "white", "nobody"]
_DrawWin: TypeAlias = _Winner | None
_PLACES = ("first", "second")
_HadBlack: TypeAlias = Literal["first", "second", ""]
_LIFETIME_S = 300
_SHOWN_RULINGS = 6


async def round_page(visit: Visit) -> Values:
    state = visit.state
    wall = visit.hub.wall()
    hall = await visit.hub.site.all_halls.computed(state)
    step = await apart(next_step, state)
    drafted = visit.hub.drafting.of(state.id)
    rows = rows_of(state, hall, visit.hub.live, visit.hub.waits)
    late = {row.game.id: row.late_min for row in rows if row.late_min is not None}
    joinable, minutes = await apart(players_without_game, state), await apart(minutes_of_games, state)
    matters = in_lines(
        alerts_of(
            state,
            visit.hub.live,
            late,
            visit.hub.abuses.present,
            late_choices(state, visit.hub.waits),
            now_ns=visit.hub.now_ns(),
        )
    )
    await asyncio.sleep(0)
    return {
        "hall": hall,
        "rows": rows,
        "now_ns": visit.hub.now_ns(),
        "matters": matters,
        "rulings": latest_rulings(state, visit.hub.live, visit.hub.outbound, state.present, _SHOWN_RULINGS),
        "joinable": joinable,
        "free_table": max((game.table for game in state.present_games), default=0) + 1,
        "with_device": any(game.device is not None for game in state.open_games),
        "outstanding": [row for row in rows if row.game.score is None],
        "projection": project_round_end(
            state,
            minutes,
            visit.hub.live,
            visit.hub.now_ns(),
            wall,
            rounds_left=whole_in(visit.request.query_params.get("rounds", "")),
        ),
        "may_send": {rule: fields for rule, (least, fields) in RULINGS.items() if visit.role >= least},
        "reasons": rules_of(state.tournament).law.reasons,
        "step": step,
        "drafted": drafted is not None and drafted.round == state.round + 1,
        "unanswered": unanswered(state) if step == "draft" else (),
        "in_order": any(game.asks_black for game in state.present_games),
        "draws_won": has_draw_wins(rules_of(state.tournament).law),
        "withdrawable": step in ("start", "play") and state.open_games == state.present_games,
        "asks_to_withdraw": isinstance(visit.refused, StillRuns),
        "told": clauses_at(state, "start"),
        "dropped": dict(visit.hub.live.dropped),
        "last_dropped": tuple(visit.hub.live.last_dropped)[-5:],
    }


def next_step(state: TournamentState) -> str:
    """Return the operator's next step, in one word."""
    if state.closed:
        return "closed"
    if state.disputed:
        return "conflict"
    if state.not_started:
        return "start"
    if state.open_games:
        return "play"
    if state.round < state.tournament.rounds_planned:
        return "draft"
    finals = finals_or_none(state.tournament)
    return "finals" if finals is None or finals.due else "close"


def present_games(state: TournamentState, _: object) -> object:
    """Return what the round's forms show."""
    return state.present


def present_seats(state: TournamentState, _: object) -> object:
    """Return what the form of a result shows: a score says who has it by the side alone."""
    return state.present_seats


def read_result(visit: Visit, **others: Any) -> ResultOfForm:
    """Return the score typed for a table; `instead` is the answer to a question about another one."""
    form = visit.form
    reason = Reason(form.choice("reason", tuple(Reason))) if form.typed("reason") else Reason.BOARD
    squares = form.typed("board")
    if squares and (reason == Reason.BOARD or "?" in squares):
        counted_score = counted(expect_end(squares), rules_of(visit.state.tournament).law)
    return ResultOfForm(
        at=form.integer("table", 1),
        reason=reason,
        score=counted_score if squares and reason == Reason.BOARD else form.score(),
        photographed=board_seen(squares, form.typed("black_sat")) if squares else None,
        draw_win=_typed_draw_win(form),
        question=form.typed("instead"),
        typed=read_order(form),
        **others,
    )


def read_order(form: Form) -> AsTyped:
    """Return the order in which the form has a score, and who had Black where the colours were drawn at the table."""
    had = form.choice("had_black", _PLACES) if form.typed("had_black") else ""
    return AsTyped(
        in_order=form.ticked("in_order"), first=form.typed("first"), had_black=cast(_HadBlack, had)
    )


def _typed_draw_win(form: Form) -> _DrawWin:
    return cast(_DrawWin, form.choice("draw_win", get_args(_Winner))) if form.typed("draw_win") else None


def read_decision(visit: Visit) -> DecisionOfForm:
    """Return the score that is to stand."""
    form = visit.form
    return DecisionOfForm(
        game=form.typed("game"),
        why=form.text_or_empty("why"),
        score=form.score(),
        draw_win=_typed_draw_win(form),
        question=form.typed("instead"),
        typed=read_order(form),
    )


def expect_same_claims(visit: Visit, state: TournamentState, decision: DecisionOfForm) -> None:
    """Raise Stale if table or operator claims something else by now."""
    game = state.games.get(decision.game or "")
    if game is not None and game.conflict:
        visit.expect_shown(same_claims(game))


def read_ruling(visit: Visit) -> RulingOfForm:
    """Return a ruling for one table, several or all."""
    form = visit.form
    rule = form.choice("rule", tuple(RULINGS))
    _, needed = RULINGS[rule]
    picked = [table for text in form.all("pick") if (table := whole_in(text, 5)) is not None]
    return RulingOfForm(
        rule=rule,
        tables="all" if form.typed("tables") == "all" else picked,
        fields=_ruling_fields(visit, rule, needed),
        lifetime_s=_LIFETIME_S,
    )


def expect_same_games(visit: Visit, state: TournamentState, ruling: RulingOfForm) -> None:
    """Raise Stale if the picked tables are of another round, or others sit there by now."""
    if ruling.tables != "all":
        visit.expect_shown(state.present_seats)


def _ruling_fields(visit: Visit, rule: str, needed: tuple[str, ...]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if visit.role < RULINGS[rule][0]:
        return fields  # the command says whose ruling it is
    if "player" in needed:
        fields["winner" if rule == "award" else "player"] = visit.form.choice("player", ("black", "white"))
    if "seconds" in needed:
        fields["seconds"] = visit.form.integer("seconds", -3600, 3600)
    why = visit.form.text_or_empty("why")
    return {**fields, "reason": why} if why else fields


def after_withdrawal(visit: Visit) -> str:
    """Return where to go from a withdrawn round, or withdrawn finals."""
    return "draft" if isinstance(visit.done, PairingPublished) else "finals"


def after_undo(visit: Visit) -> str:
    """Return the page that the form came from."""
    back = visit.form.typed("to")
    return back if back in ("audit", "corrections", "categories") else "round"
