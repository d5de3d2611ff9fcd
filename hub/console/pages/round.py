"""The round at a glance, and the operator's actions on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hub.console.context import RequestContext, Values
from hub.console.forms import NOTHING, Form
from hub.console.login.accounts import Role
from hub.console.views.alerts import alerts_of, in_lines, score_text
from hub.console.views.round import late_choices, latest_rulings, project_round_end, rows_of
from hub.event_words import told_at
from hub.fields import whole_in
from hub.overview import hall_of
from hub.ranking.finals_played import finals_or_none
from hub.record.codec import happening
from hub.record.events import MatterSettled, PairingPublished
from hub.record.state import GameRecord, TournamentState
from hub.text import Refused
from othello.reason import Reason


class StillRuns(Refused):
    """Ending games that may be in play at this moment needs a confirmation."""


RULINGS: Mapping[str, tuple[Role, tuple[str, ...]]] = {
    "stop": (Role.ASSISTANT, ()),
    "resume": (Role.ASSISTANT, ()),
    "start_clock": (Role.ASSISTANT, ("player",)),
    "confirm_default": (Role.ASSISTANT, ()),
    "dismiss_error": (Role.ASSISTANT, ()),
    "unintentional_touch": (Role.ASSISTANT, ()),
    "adjust_time": (Role.DIRECTOR, ("player", "seconds")),
    "annul_flag": (Role.DIRECTOR, ("player",)),
    "award": (Role.DIRECTOR, ("player",)),
    "draw": (Role.DIRECTOR, ()),
    "forfeit": (Role.DIRECTOR, ("player",)),
}
"""The rulings that can be sent to tables, the role for each, and its fields (`woc-2019` V.1: penalties, director)."""
_LIFETIME_S = 300
_SHOWN_RULINGS = 6
_MOST_MATTERS = 200


async def round_page(visit: RequestContext) -> Values:
    state = visit.state
    wall = visit.console.wall()
    hall = hall_of(state, visit.hub.live)
    rows = rows_of(state, hall, visit.hub.live, wall)
    late = {row.game.game: row.late_min for row in rows if row.late_min is not None}
    return {
        "hall": hall,
        "rows": rows,
        "now_ns": visit.console.now_ns(),
        "matters": in_lines(
            alerts_of(
                state,
                visit.hub.live,
                late,
                visit.console.abuses.present,
                late_choices(state, wall),
                now_ns=visit.console.now_ns(),
            )
        ),
        "rulings": latest_rulings(state, visit.hub.live, visit.hub.outbound, state.present, _SHOWN_RULINGS),
        "outstanding": [row for row in rows if row.game.score is None],
        "projection": project_round_end(
            state,
            visit.hub.live,
            visit.console.now_ns(),
            wall,
            whole_in(visit.request.query_params.get("rounds", "")),
        ),
        "may_send": {rule: fields for rule, (least, fields) in RULINGS.items() if visit.role >= least},
        "reasons": tuple(Reason),
        "step": next_step(state),
        "withdrawable": next_step(state) in ("start", "play") and state.open_games == state.present_games,
        "asks_to_withdraw": isinstance(visit.refused, StillRuns),
        "to_confirm": _confirmation(state, visit.form) if visit.error is not None else None,
        "told": told_at(state, "start"),
        "dropped": dict(visit.hub.live.dropped),
        "last_dropped": tuple(visit.hub.live.last_dropped)[-5:],
    }


def next_step(state: TournamentState) -> str:
    """The operator's next step, in one word."""
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
    now = finals_or_none(state.tournament)
    return "finals" if now is None or now.due else "close"


async def start_round(visit: RequestContext) -> None:
    await visit.event.start()


async def withdraw_round(visit: RequestContext) -> str:
    """Takes back the last published round or finals, if it has no result yet."""
    state = visit.state
    published = {"pairing_published", "finals_published"}
    if any(game.score is not None for game in state.present_games) or not state.present:
        raise Refused("round: expected one without a result; correct its games instead")
    entries = await visit.entries()
    last = next((entry for entry in reversed(entries) if entry.type in published), None)
    if last is None:
        raise Refused("round: expected one that this hub has published, got none")
    if len(state.not_started) < len(state.present_games) and not visit.form.typed("sure"):
        raise StillRuns("round: it was started, clocks may run. Is it to be withdrawn all the same?")
    after = await visit.event.undo(last.id)
    what = happening(last)
    if not isinstance(what, PairingPublished):
        return "finals"
    visit.console.drafting.bring_back(after, what)
    return "draft"


async def set_aside(visit: RequestContext) -> None:
    """Revokes the enrolment of a harmful device."""
    await visit.hub.set_aside(visit.form.text("device", 64))


async def enter_result(visit: RequestContext) -> None:
    """A score typed in for a table. If another was typed before, a confirmation is needed; `instead` names that one."""
    game = game_at(visit.state, visit.form.integer("table", 1))
    reason = visit.form.choice("reason", tuple(Reason)) if visit.form.typed("reason") else Reason.BOARD
    score = visit.form.score()
    before = _typed_score(game)
    same = before == score and (game.reported is not None or game.reason == reason)
    if before is not None and not same and visit.form.typed("instead") != _key(game):
        raise Refused(
            "table {table}: {before} is on record ({black} against {white}). Does {score} stand instead?",
            table=game.table,
            before=score_text(before),
            black=game.black,
            white=game.white,
            score=score_text(score),
        )
    await visit.event.enter_result(game.game, score, reason=reason)


def _typed_score(game: GameRecord) -> tuple[int, int] | None:
    """The score that a person has recorded, None without one. A score that only the table reported is never
    replaced."""
    return game.score if game.decided else game.entered


def _key(game: GameRecord) -> str:
    return f"{game.game} {score_text(_typed_score(game) or (0, 0))} {game.reason}"


def _confirmation(state: TournamentState, form: Form) -> tuple[str, str] | None:
    """The confirmation that a refused form asks for, and the typed score; None if none is needed."""
    table, score = form.typed("table"), (form.typed("black"), form.typed("white"))
    for game in state.present_games:
        if str(game.table) == table and _typed_score(game) is not None and all(map(str.isdecimal, score)):
            return _key(game), "–".join(score)
    return None


async def decide_result(visit: RequestContext) -> None:
    """Decides which of two scores stands."""
    why = visit.form.text_or_empty("why")
    score = visit.form.score()
    await visit.event.resolve(visit.form.typed("game"), score, reason="board", why=why)


async def settle_matter(visit: RequestContext) -> None:
    """Record that a line of "Needs you" is dealt with, with the director's reason."""
    names = tuple(name[:80] for name in visit.form.all("matter")[:_MOST_MATTERS] if name)
    game = visit.form.typed("game")
    await visit.event.record(MatterSettled(matters=names, game=game, why=visit.form.text("why")))


async def answer_call(visit: RequestContext) -> None:
    """Tells the other operators that somebody goes to a calling table."""
    device = visit.form.typed("device")
    call = visit.hub.live.calls.get(device)
    if call is None or not call.wanted:
        raise Refused("device: expected one that calls")
    visit.hub.live.answer_call(device, visit.who)


async def send_ruling(visit: RequestContext) -> None:
    """Sends a ruling to one table, several or all."""
    rule = visit.form.choice("rule", tuple(RULINGS))
    least, needed = RULINGS[rule]
    if visit.role < least:
        raise Refused("rule: {rule} is the director's", rule=rule)
    games = visit.state.open_games
    if visit.form.typed("tables") != "all":
        chosen = {said for said in visit.form.all("pick") if said.isdecimal()}
        games = tuple(game for game in games if str(game.table) in chosen)
    if not games:
        raise Refused("pick: expected at least one table whose game is not over")
    fields = _ruling_fields(visit, rule, needed)
    await visit.event.rule(rule, [game.game for game in games], fields, _LIFETIME_S)


def _ruling_fields(visit: RequestContext, rule: str, needed: tuple[str, ...]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if "player" in needed:
        fields["winner" if rule == "award" else "player"] = visit.form.choice("player", ("black", "white"))
    if "seconds" in needed:
        fields["seconds"] = visit.form.integer("seconds", -3600, 3600)
    why = visit.form.text_or_empty("why")
    return {**fields, "reason": why} if why else fields


async def undo_entry(visit: RequestContext) -> str:
    await visit.event.undo(visit.form.typed("entry") or None)
    back = visit.form.typed("to")
    return back if back in ("audit", "corrections", "categories") else "round"


async def close_event(visit: RequestContext) -> str:
    await visit.event.close()
    return "finals"


def game_at(state: TournamentState, table: int) -> GameRecord:
    """The present game of a table. Refused if there is none."""
    for game in state.present_games:
        if game.table == table:
            return game
    tables = ", ".join(str(game.table) for game in state.present_games[:20]) or NOTHING
    raise Refused(
        "table: expected one of those with a game ({tables}), got {table}", tables=tables, table=table
    )
