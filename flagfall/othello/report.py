"""The result of a game, as the object that `flagfall-table replay --json` prints (contracts, "Game file")."""

from __future__ import annotations

from typing import Any

from flagfall.othello.board import format_position, format_transcript, square_names
from flagfall.othello.game import Game, Incident
from flagfall.othello.gamefile import input_object
from flagfall.othello.inputs import Tick
from flagfall.othello.judging.score import Score, differences, discs_of, settled
from flagfall.othello.judging.walkover import no_show
from flagfall.othello.side import Side


def outcome(game: Game) -> dict[str, Any]:
    """Return the result as the contract's object, ready for JSON."""
    ended = game.outcome
    return {
        "state": game.state,
        "running": game.clock.running,
        "to_move": None if game.over else game.to_move,
        "reason": None if ended is None else ended.reason,
        "no_show": no_show(game),
        "winner": None if ended is None else ended.winner,
        "score": None if ended is None else _score(ended.score),
        "differences": _differences(game),
        "board_score": _score(board_score(game)),
        "flags": {"black": game.falls.black, "white": game.falls.white},
        "clocks_ns": {side: game.clock.left_ns(side, game.at_ns) for side in Side},
        "position": format_position(game.shown),
        "transcript": format_transcript(game.moves),
        "moves": len(game.moves),
        "colours_reversed": game.colours_reversed,
        "colour_draw": _colour_draw(game),
        "self_play": game.self_play,
        "awaits": game.waits_for,
        "warnings": [str(warning) for warning in game.warnings],
        "incidents": [incident_object(incident) for incident in game.incidents],
        "notes": [note_object(tick) for tick in game.notes],
    }


def _colour_draw(game: Game) -> dict[str, Any] | None:
    """Return the draw of the colours, and the players' ids by the colours that they play."""
    draw, header = game.colour_draw, game.header
    if draw is None:
        return None
    line = input_object(draw)
    del line["type"]
    return line | {"black": header.black.id, "white": header.white.id, "draw_win": header.draw_win}


def _differences(game: Game) -> dict[str, int] | None:
    """Return the difference that each player records; None until the game is finished."""
    ended = game.outcome
    if ended is None:
        return None
    each = differences(ended.reason, ended.winner, ended.score, game.rules)
    return {"black": each.black, "white": each.white}


def board_score(game: Game) -> Score:
    """Return the score of the position alone; while play goes on, the discs lying there."""
    discs = discs_of(game)
    return settled(discs, game.rules) if game.over else discs


def incident_object(incident: Incident) -> dict[str, Any]:
    """One incident as its JSON object; what a ruling or a refusal adds stands behind the common fields."""
    line: dict[str, Any] = {
        "at_ns": incident.at_ns,
        "type": incident.type,
        "by": incident.by,
        "squares": list(square_names(incident.squares)),
        "state": incident.state,
    }
    if incident.input is not None:
        line["input"] = incident.input
    if incident.rule is not None:
        line["rule"] = incident.rule
    elif incident.input is not None:
        line["rule"] = None
    if incident.why is not None:
        line["why"] = str(incident.why)
        line["refusal"] = incident.why.as_object()
    if incident.fields:
        line["fields"] = dict(incident.fields)
    return line


def note_object(tick: Tick) -> dict[str, Any]:
    """Return a note as its JSON object: {"at_ns", "note", and "who" and "detail" if there are any}."""
    line = input_object(tick)
    del line["type"]
    return line


def _score(score: Score) -> dict[str, int]:
    return {"black": score[0], "white": score[1]}
