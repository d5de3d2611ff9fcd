"""The same facts as the pages, as JSON: what programs of others may build on (docs/broadcast.md)."""

from __future__ import annotations

from typing import Any

from hub.public.games.replay import Story
from hub.public.visible import may_be_stepped_through
from hub.ranking.cross_table import CrossTableRow
from hub.ranking.rank_report import standing_to_json
from hub.record.state import GameRecord, TournamentState
from hub.tables.live import ClockHeard, Live


def tournament_facts(state: TournamentState, held: int | None) -> dict[str, Any]:
    """A tournament in short. `held_back`: a round that hangs in the hall and is not told here before its start."""
    tournament = state.tournament
    return {
        "id": state.id,
        "name": tournament.name,
        "date": tournament.date,
        "rulebook": tournament.rulebook,
        "system": tournament.system,
        "round": state.round,
        "rounds_planned": tournament.rounds_planned,
        "held_back": held,
        "closed": state.closed,
        "players": len(tournament.players),
    }


def player_facts(state: TournamentState, player_id: str) -> dict[str, Any]:
    player = state.tournament.player(player_id)
    return {"id": player.id, "name": player.name or player.id, "country": player.country}


def game_facts(state: TournamentState, game: GameRecord) -> dict[str, Any]:
    """A game: where, who, and how it ended; `score` [black, white] or null."""
    final = game.final
    return {
        "game": game.game,
        "round": game.round if final is None else None,
        "title": None if final is None else final.title,
        "stage": "qualifying" if final is None else final.stage,
        "table": game.table,
        "black": player_facts(state, game.black),
        "white": player_facts(state, game.white),
        "score": game.score,
        "reason": game.reason if game.score is not None else None,
        "signed": game.signed,
        "in_question": game.in_question,
        "open": may_be_stepped_through(game),
    }


def live_facts(state: TournamentState, game: GameRecord, live: Live, now_ns: int) -> dict[str, Any]:
    """A game with its board and clocks as they are at `now_ns`; of a game that is not broadcast only `game_facts`."""
    facts = game_facts(state, game)
    heard = live.clock_of(game.device, game.game) if game.device is not None else None
    if not facts["open"] or heard is None:
        over = game.reported is not None and game.score is not None
        return facts | {
            "state": None if game.score is None else "signed" if game.signed else "finished",
            "running": None,
            "transcript": game.reported.transcript if over and game.reported is not None else None,
            "position": None,
            "clocks_ms": None,
        }
    clock = heard.clock
    over = game.score is not None
    return facts | {
        "state": clock.state,
        "running": None if over else clock.running,
        "transcript": clock.transcript,
        "position": clock.position,
        "moves": clock.moves,
        "clocks_ms": {side: _left_ms(heard, side, now_ns, over) for side in ("black", "white")},
        "flags": {"black": clock.flags.black, "white": clock.flags.white},
    }


def story_facts(story: Story) -> dict[str, Any]:
    """Move by move; `spent_ms` null where nobody measured."""
    return {
        "transcript": "".join(step.square for step in story.steps),
        "moves": [
            {
                "number": step.number,
                "by": step.by,
                "square": step.square,
                "spent_ms": step.spent_ms,
                "after_pass": step.after_pass,
                "position": step.position,
            }
            for step in story.steps
        ],
        "incidents": [
            {
                "after_move": one.move,
                "type": one.type,
                "by": one.by,
                "squares": list(one.squares),
                "state": one.state,
                "rule": one.why or None,
            }
            for one in story.happened
        ],
    }


def cross_table_facts(rows: tuple[CrossTableRow, ...]) -> dict[str, Any]:
    return {
        "rows": [
            standing_to_json(row.standing)
            | {
                "rounds": [
                    {
                        "kind": cell.kind,
                        "opponent": cell.opponent,
                        "colour": cell.colour,
                        "discs": cell.discs,
                    }
                    for cell in row.cells
                ]
            }
            for row in rows
        ]
    }


def _left_ms(heard: ClockHeard, side: str, now_ns: int, over: bool) -> int:
    left_ns: int = getattr(heard.clock.clocks_ns, side)
    if heard.clock.running == side and not over:
        left_ns -= max(0, now_ns - heard.at_ns)
    return max(0, left_ns) // 1_000_000
