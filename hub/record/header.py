"""The header of a game file from the record: the hub assigns it to a table, and compares a result with it."""

from __future__ import annotations

from typing import Any

from flagfall.base.errors import Invalid
from flagfall.othello.game import Header
from flagfall.othello.gamefile import FORMAT, parse_header
from hub.model.games import Game
from hub.record.state import TournamentState
from hub.rulebook import rules_at_tables


def header_of(state: TournamentState, game: Game) -> Header:
    """Return the header of a game. Raise Invalid naming the field if the conditions are not valid."""
    conditions = game.conditions
    if conditions is None:
        raise Invalid("conditions", "a game of this hub's", "one of the tournament's file")
    value: dict[str, Any] = {
        "type": "game",
        "format": FORMAT,
        "rulebook": state.tournament.rulebook,
        "stage": conditions.stage,
        "judged": conditions.judged,
        "sensors": conditions.sensors,
        "broadcast": conditions.broadcast,
        "increment_s": conditions.increment_s,
        "delay_s": conditions.delay_s,
        "byoyomi_s": conditions.byoyomi_s,
        "opening": conditions.opening,
        "extra_minutes": {},
        "hands_commit": {},
    }
    rules = rules_at_tables(state.tournament)
    if rules is not None and rules.text:
        value |= {"rulebook": rules.id, "rulebook_text": rules.text}
    if conditions.minutes is not None:
        value["minutes"] = conditions.minutes
    if game.draw_win is not None and not game.draws_colours:
        value["draw_win"] = "black" if game.draw_win == game.black else "white"
    for side, player_id in zip(("black", "white"), game.assigned_players, strict=True):
        player = state.tournament.player(player_id)
        value[side] = {"id": player.id, "name": state.tournament.name_of(player_id)}
        facts: dict[str, object] = {
            "extra_minutes": player.extra_minutes or 0,
            "hands_commit": player.hands_commit is not False,
        }
        for name, fact in {**facts, **player.misfits}.items():
            value[name][side] = fact
    return parse_header(value)
