"""One game: what the table said, its transcript, incidents and signatures; and what the director makes of it."""

from __future__ import annotations

import json
from typing import Any

from hub.console.office import Office, Shown, Visit, address, state_of
from hub.console.round_page import RULINGS
from hub.corrections import (
    AnyChange,
    ColoursExchanged,
    DoubleForfeit,
    FinalResultChanged,
    GameAwarded,
    GameDrawn,
    ResultChanged,
    ScorePenalty,
)
from hub.events import ResultReceived, happening
from hub.hall import hall_of
from hub.state import GameRecord, Refused, State
from othello.game import Reason

_ROUND_ONLY = ("penalty", "award", "draw", "double-forfeit", "colours")


async def game_page(office: Office, visit: Visit) -> Shown:
    state = state_of(office, visit)
    game = office.desk.game(state.id, visit.at("game"))
    said = await _reported(office, state, game)
    cards = {card.game: card for card in hall_of(state, office.live).cards}
    return Shown(
        "game.html",
        {
            "game": game,
            "card": cards.get(game.game),
            "now_ns": office.now_ns(),
            "incidents": _incidents(said.get("incidents")),
            "clocks_ms": _clocks_ms(said.get("clocks_ns")),
            "history": await _history(office, state, game),
            "may_send": {rule: fields for rule, (least, fields) in RULINGS.items() if visit.role >= least},
            "reasons": tuple(Reason),
            "changes": ("result",) if game.final is not None else ("result", *_ROUND_ONLY),
        },
        state=state,
    )


async def _reported(office: Office, state: State, game: GameRecord) -> dict[str, Any]:
    """The table's latest message, {} if there is none."""
    if game.reported is None:
        return {}
    for entry in reversed(await office.book.entries(state.id)):
        if entry.type == ResultReceived.TYPE:
            said = happening(entry)
            if isinstance(said, ResultReceived) and (said.game, said.revision) == (
                game.game,
                game.reported.revision,
            ):
                try:
                    value = json.loads(said.message)
                except ValueError:
                    return {}
                return value if isinstance(value, dict) else {}
    return {}


def _incidents(said: object) -> list[dict[str, Any]]:
    """What of a table's incidents can be shown; a table may say anything there."""
    found = []
    for one in said if isinstance(said, list) else []:
        if isinstance(one, dict) and isinstance(one.get("type"), str):
            told = {
                key: one[key] if isinstance(one.get(key), str) else ""
                for key in ("type", "by", "rule", "state")
            }
            squares = one.get("squares")
            found.append({**told, "squares": squares if isinstance(squares, list) else []})
    return found


def _clocks_ms(said: object) -> tuple[int, int] | None:
    """What was left on both clocks."""
    if not isinstance(said, dict) or not all(isinstance(said.get(side), int) for side in ("black", "white")):
        return None
    return max(0, said["black"]) // 1_000_000, max(0, said["white"]) // 1_000_000


async def _history(office: Office, state: State, game: GameRecord) -> list[dict[str, Any]]:
    """Every score that was said of this game, in its order."""
    found = []
    for entry in await office.book.entries(state.id):
        if entry.type in ("result_received", "result_entered", "conflict_resolved"):
            body = json.loads(entry.body)
            if body.get("game") == game.game:
                found.append(
                    {
                        "who": entry.who,
                        "at": entry.at,
                        "type": entry.type,
                        "score": body["score"],
                        "reason": body.get("reason", ""),
                        "why": body.get("why", ""),
                    }
                )
    return found


async def correct(office: Office, visit: Visit) -> str:
    """The director's change of a game, for a reason."""
    state = state_of(office, visit)
    game = office.desk.game(state.id, visit.at("game"))
    why = visit.form.text("why")
    await office.desk.correct(state.id, _change(visit, game), why, visit.who)
    return address(state, f"game/{game.game}")


def _change(visit: Visit, game: GameRecord) -> AnyChange:
    form = visit.form
    kind = form.choice("change", ("result", *_ROUND_ONLY))
    reason = form.choice("reason", tuple(Reason)) if form.typed("reason") else Reason.BOARD
    if game.final is not None:
        if kind != "result":
            raise Refused("change: expected another result, which is all that changes in the finals")
        return FinalResultChanged(
            game=game.final.number + 1, score=form.score(), reason=reason, draw_win=game.final.draw_win
        )
    if kind == "result":
        return ResultChanged(round=game.round, player=game.black, score=form.score(), reason=reason)
    if kind == "colours":
        return ColoursExchanged(round=game.round, player=game.black)
    if kind == "draw":
        return GameDrawn(round=game.round, player=game.black)
    if kind == "double-forfeit":
        return DoubleForfeit(round=game.round, player=game.black)
    player = game.black if form.choice("player", ("black", "white")) == "black" else game.white
    if kind == "award":
        return GameAwarded(round=game.round, player=player)
    return ScorePenalty(round=game.round, player=player, discs=form.whole("discs", 1, 64))
