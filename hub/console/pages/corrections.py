"""Corrections of any game of any round: chosen, previewed with their effects, then made with a reason.

Also the list of all corrections, each of which can be undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from flagfall.ledger.entry import Entry
from flagfall.othello.reason import Reason
from hub.commands.corrections import Correction, with_colours
from hub.commands.desk import same_claims
from hub.console.context import Values, Visit
from hub.console.pages.round import read_order
from hub.desk.forms import Form
from hub.model.games import Game
from hub.model.players import alphabetical
from hub.record.codec import happening
from hub.record.corrections import AnyChange, Effects, FinalResultChanged, apply_change, effects_of
from hub.record.events import CorrectionMade
from hub.record.fold import undone
from hub.record.state import TournamentState
from hub.rulebook import rules_of
from hub.slices import apart
from hub.text import Refused, Stale

FINALS = "finals"
# The changes of one game, and the fields of the form that each needs.
FIELDS = {
    "result": "score",
    "penalty": "player discs",
    "award": "player",
    "draw": "",
    "double-forfeit": "",
    "colours": "",
    "players": "player other",
    "tables": "other",
}


async def corrections_page(visit: Visit) -> Values:
    state = visit.state
    if visit.request.method == "GET":
        visit.form = Form(
            {name: visit.request.query_params.getlist(name) for name in visit.request.query_params}
        )
    game = state.games.get(visit.form.typed("game"))
    rounds = [str(number) for number in range(state.round, 0, -1)]
    chosen = visit.form.typed("round")
    if chosen not in (FINALS, *rounds):
        chosen = _round_of(game) if game is not None else (rounds[0] if rounds else "")
    return {
        "rounds": rounds,
        "has_finals": any(paired.final is not None for paired in state.games.values()),
        "chosen": chosen,
        "games": _games(state, chosen),
        "game": game,
        "seen": shown_game_state(game) if game is not None else "",
        "changes": possible_changes(game) if game is not None else {},
        "reasons": rules_of(state.tournament).law.reasons,
        "players": alphabetical(state.tournament.players),
        "effects": await apart(_effects, visit, state, game),
        "made": await recorded_corrections(visit),
    }


def _round_of(game: Game) -> str:
    return FINALS if game.final is not None else str(game.round)


def _games(state: TournamentState, chosen: str) -> tuple[Game, ...]:
    if chosen == FINALS:
        return state.tournament.finals
    return state.games_of(int(chosen)) if chosen else ()


def possible_changes(game: Game) -> dict[str, str]:
    """Return the changes that are possible for the game; in the finals only its result."""
    with_draw_win = game.final is not None or game.draws_colours or game.draw_win is not None
    result = "score draw_win" if with_draw_win else "score"
    if not game.colours_open:
        return {"result": result} if game.final is not None else FIELDS | {"result": result}
    if game.final is not None:
        return {"result": f"{result} black"}
    asking = {"result": f"{result} black", "award": "player black", "draw": "black"}
    return {change: asking.get(change, fields) for change, fields in FIELDS.items() if change != "colours"}


def _effects(visit: Visit, state: TournamentState, game: Game | None) -> Effects | None:
    """Return the effects of the requested change; None without one, or if it makes no sense."""
    if game is None or not visit.form.typed("change"):
        return None
    try:
        return effects_of(
            state.tournament,
            apply_change(
                state.tournament,
                with_colours(state, _typed_change(visit.form, state.tournament.finals, game)),
            ),
        )
    except Refused as fault:
        visit.error = visit.error or fault.message
        return None


async def recorded_corrections(visit: Visit) -> list[dict[str, Any]]:
    """Return the recorded corrections, newest first. `gone`: it has been undone."""
    return await apart(_corrections_in, visit.state, await visit.entries())


def _corrections_in(state: TournamentState, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    gone = undone(entries)
    corrections = [
        (entry, happening(entry)) for entry in reversed(entries) if entry.type == CorrectionMade.TYPE
    ]
    return [
        {
            "entry": entry,
            "why": correction.why,
            "change": msgspec.to_builtins(correction.change),
            "game": _changed_game(state, correction.change),
            "gone": entry.id in gone,
        }
        for entry, correction in corrections
        if isinstance(correction, CorrectionMade)
    ]


def _changed_game(state: TournamentState, change: AnyChange) -> Game | None:
    """Return the game of a change, as the event stands now."""
    if isinstance(change, FinalResultChanged):
        finals = state.tournament.finals
        return finals[change.game - 1] if change.game <= len(finals) else None
    games = state.games_of(change.round)
    return next((game for game in games if change.player in game.players), None)


def read_correction(visit: Visit) -> Correction:
    """Return the director's change of a game, for a reason."""
    game = visit.event.game(visit.form.typed("game"))
    _expect_as_seen(visit, game)
    why = visit.form.text("why")
    return Correction(change=_typed_change(visit.form, visit.state.tournament.finals, game), why=why)


def expect_same_game(visit: Visit, state: TournamentState, _: Correction) -> None:
    """Raise Stale if the game is not as the page showed it."""
    _expect_as_seen(visit, state.games[visit.form.typed("game")])


def _expect_as_seen(visit: Visit, game: Game) -> None:
    if visit.form.typed("seen") != shown_game_state(game):
        raise Stale(
            "someone else has changed it in the meantime. Check it as it is now, then try again", field="game"
        )


def after_correction(visit: Visit) -> str:
    """Return the page of the corrected game's round."""
    return f"corrections?round={_round_of(visit.event.game(visit.form.typed('game')))}"


def shown_game_state(game: Game) -> str:
    """Return the game's state as it was shown, for a field of the form."""
    score = "-".join(map(str, game.score or ()))
    return f"{game.table} {same_claims(game)} {score} {game.reason} {game.draw_win or ''}"


def _typed_change(form: Form, finals: tuple[Game, ...], game: Game) -> AnyChange:
    kind = form.choice("change", tuple(possible_changes(game)))
    reason = form.choice("reason", tuple(Reason)) if form.typed("reason") else Reason.BOARD
    wins_draw = {"": None, "black": game.black, "white": game.white}
    draw_win = wins_draw[form.choice("draw_win", tuple(wins_draw))] if form.typed("draw_win") else None
    if game.final is not None:
        number = 1 + [final.id for final in finals].index(game.id)
        score, black = read_order(form).in_colours(game, form.score())
        return FinalResultChanged(game=number, score=score, reason=reason, draw_win=draw_win, black=black)
    needed = possible_changes(game)[kind].split()
    change: dict[str, Any] = {"kind": kind, "round": game.round, "player": game.black}
    if "player" in needed and form.choice("player", ("black", "white")) == "white":
        change["player"] = game.white
    if "score" in needed:
        score, black = read_order(form).in_colours(game, form.score())
        change |= {"score": score, "reason": str(reason), "draw_win": draw_win}
    else:
        _, black = read_order(form).in_colours(game, (0, 0))
    if "black" in needed:
        change["black"] = black
    if "discs" in needed:
        change["discs"] = form.integer("discs", 1, 64)
    if "other" in needed:
        change["other"] = form.text("other")
    return msgspec.convert(change, AnyChange)  # type: ignore[no-any-return]
