"""The round at a glance, and the operator's actions on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from hub.console.context import Values, Visit
from hub.console.views.alerts import alerts_of, in_lines
from hub.console.views.round import late_choices, latest_rulings, project_round_end, rows_of
from hub.desk.accounts import Role
from hub.event_words import told_at
from hub.fields import whole_in
from hub.model.games import Game
from hub.model.players import alphabetical
from hub.overview import hall_of
from hub.ranking.finals_played import finals_or_none
from hub.record.codec import happening
from hub.record.events import MatterSettled, PairingPublished
from hub.record.state import TournamentState
from hub.rounds.questions import Stale, replaced_score_key, same_claims
from hub.text import Refused
from othello.convert import NOTHING
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


async def round_page(visit: Visit) -> Values:
    state = visit.state
    wall = visit.hub.wall()
    hall = hall_of(state, visit.hub.live)
    rows = rows_of(state, hall, visit.hub.live, visit.hub.waits)
    late = {row.game.id: row.late_min for row in rows if row.late_min is not None}
    return {
        "hall": hall,
        "rows": rows,
        "now_ns": visit.hub.now_ns(),
        "matters": in_lines(
            alerts_of(
                state,
                visit.hub.live,
                late,
                visit.hub.abuses.present,
                late_choices(state, visit.hub.waits),
                now_ns=visit.hub.now_ns(),
            )
        ),
        "rulings": latest_rulings(state, visit.hub.live, visit.hub.outbound, state.present, _SHOWN_RULINGS),
        "joinable": players_without_game(state),
        "free_table": max((game.table for game in state.present_games), default=0) + 1,
        "with_device": any(game.device is not None for game in state.open_games),
        "outstanding": [row for row in rows if row.game.score is None],
        "projection": project_round_end(
            state,
            visit.hub.live,
            visit.hub.now_ns(),
            wall,
            whole_in(visit.request.query_params.get("rounds", "")),
        ),
        "may_send": {rule: fields for rule, (least, fields) in RULINGS.items() if visit.role >= least},
        "reasons": tuple(Reason),
        "step": next_step(state),
        "withdrawable": next_step(state) in ("start", "play") and state.open_games == state.present_games,
        "asks_to_withdraw": isinstance(visit.refused, StillRuns),
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


def players_without_game(state: TournamentState) -> tuple[str, ...]:
    """Players who could still join the round at the tables: who has the bye first, then latecomers and absent ones."""
    present = [game for game in state.present_games if game.final is None]
    if not present or len(present) < len(state.present_games) or state.closed:
        return ()
    playing = {player for game in present for player in game.players}
    playing |= {one.player for one in state.tournament.withdrawals}
    byes = state.present_byes
    others = (player.id for player in alphabetical(state.tournament.players) if player.id not in byes)
    return tuple(player for player in (*byes, *others) if player not in playing)


async def add_game(visit: Visit) -> None:
    """Adds a game of two players without one to the running round."""
    free = players_without_game(visit.state)
    black, white = (visit.form.choice(name, free) for name in ("black", "white"))
    table = visit.form.integer("table", 1, 10_000)
    await visit.event.add_game(black, white, table, ask=lambda state: visit.expect_shown(state.present))


async def start_round(visit: Visit) -> None:
    await visit.event.start(ask=lambda state: visit.expect_shown(state.present))


async def withdraw_round(visit: Visit) -> str:
    """Takes back the last published round or finals, if it has no result yet."""
    state = visit.state
    published = {"pairing_published", "finals_published"}

    def ask(now: TournamentState) -> None:
        visit.expect_shown(now.present)
        if any(game.score is not None for game in now.present_games) or not now.present:
            raise Refused("expected one without a result; correct its games instead", field="round")
        if now.present != state.present:
            raise Stale("somebody else has changed this meanwhile; this is how it stands now", field="form")
        if len(now.not_started) < len(now.present_games) and not visit.form.typed("sure"):
            raise StillRuns(
                "it was started, clocks may run. Is it to be withdrawn all the same?", field="round"
            )

    ask(visit.event.state)
    entries = await visit.entries()
    last = next((entry for entry in reversed(entries) if entry.type in published), None)
    if last is None:
        raise Refused("expected one that this hub has published, got none", field="round")
    after = await visit.event.undo(last.id, ask)
    what = happening(last)
    if not isinstance(what, PairingPublished):
        return "finals"
    visit.hub.drafting.bring_back(after, what)
    return "draft"


async def set_twin_aside(visit: Visit) -> None:
    """Set one of two devices with one identity aside by its start; without a start, let the only one go on."""
    device, start, twins = visit.form.text("device", 64), visit.form.typed("start"), visit.hub.live.twins
    done = twins.set_aside(device, start) if start else twins.let_go_on(device)
    if not done:
        raise Refused("expected one of a device that runs twice", field="start")
    visit.hub.outbound.send_assignment(device)
    visit.hub.live.changed()


async def set_aside(visit: Visit) -> None:
    """Revokes the enrolment of a harmful device."""
    await visit.hub.set_aside(visit.form.text("device", 64))


async def enter_result(visit: Visit) -> None:
    """A score typed in for a table. If another was typed before, a confirmation is needed; `instead` names that one."""
    visit.expect_shown(visit.state.present)
    await record_typed_result(visit, game_at(visit.state, visit.form.integer("table", 1)), None)


async def record_typed_result(visit: Visit, game: Game, command_id: str | None) -> None:
    """Record the score that the form has for this game."""
    reason = visit.form.choice("reason", tuple(Reason)) if visit.form.typed("reason") else Reason.BOARD
    await visit.event.enter_result(
        game.id, visit.form.score(), reason, command_id, replaces=partial(_replaces, visit)
    )


def _replaces(visit: Visit, game: Game) -> bool:
    """Return whether the form names the recorded score as the one to be replaced."""
    return visit.form.typed("instead") == replaced_score_key(game)


async def decide_result(visit: Visit) -> None:
    """Decides which of two scores stands."""
    name, why, score = visit.form.typed("game"), visit.form.text_or_empty("why"), visit.form.score()

    def ask(state: TournamentState) -> None:
        game = state.games.get(name)
        if game is not None and game.conflict:
            visit.expect_shown(same_claims(game))

    await visit.event.resolve(name, score, Reason.BOARD, why, replaces=partial(_replaces, visit), ask=ask)


async def settle_matter(visit: Visit) -> None:
    """Record that a line of "Needs you" is dealt with, with the director's reason."""
    names = tuple(name[:80] for name in visit.form.all("matter")[:_MOST_MATTERS] if name)
    game = visit.form.typed("game")
    await visit.event.record(MatterSettled(matters=names, game=game, why=visit.form.text("why")))


async def answer_call(visit: Visit) -> None:
    """Tells the other operators that somebody goes to a calling table."""
    device = visit.form.typed("device")
    call = visit.hub.live.calls.get(device)
    if call is None or not call.wanted:
        raise Refused("expected one that calls", field="device")
    visit.hub.live.answer_call(device, visit.who)


async def send_ruling(visit: Visit) -> None:
    """Sends a ruling to one table, several or all."""
    rule = visit.form.choice("rule", tuple(RULINGS))
    least, needed = RULINGS[rule]
    if visit.role < least:
        raise Refused("{rule} is the director's", field="rule", rule=rule)
    tables = {said for said in visit.form.all("pick") if said.isdecimal()}

    def chosen(state: TournamentState) -> list[str]:
        if visit.form.typed("tables") == "all":
            games = state.open_games
        else:
            visit.expect_shown(state.present)
            games = tuple(game for game in state.open_games if str(game.table) in tables)
        games = tuple(game for game in games if game.device is not None)
        if not games:
            raise Refused("expected at least one table with a device whose game is not over", field="pick")
        return [game.id for game in games]

    await visit.event.rule(rule, chosen, _ruling_fields(visit, rule, needed), _LIFETIME_S, visit.once_id)


def _ruling_fields(visit: Visit, rule: str, needed: tuple[str, ...]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if "player" in needed:
        fields["winner" if rule == "award" else "player"] = visit.form.choice("player", ("black", "white"))
    if "seconds" in needed:
        fields["seconds"] = visit.form.integer("seconds", -3600, 3600)
    why = visit.form.text_or_empty("why")
    return {**fields, "reason": why} if why else fields


async def undo_entry(visit: Visit) -> str:
    await visit.event.undo(visit.form.typed("entry") or None)
    back = visit.form.typed("to")
    return back if back in ("audit", "corrections", "categories") else "round"


async def close_event(visit: Visit) -> str:
    await visit.event.close()
    return "finals"


def game_at(state: TournamentState, table: int) -> Game:
    """The present game of a table. Refused if there is none."""
    for game in state.present_games:
        if game.table == table:
            return game
    tables = _in_ranges([game.table for game in state.present_games]) or NOTHING
    raise Refused(
        "expected one of those with a game ({tables}), got {table}", field="table", tables=tables, table=table
    )


def _in_ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as text, each run of them as its ends: "1-4, 7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("–".join(map(str, run)) for run in runs)
