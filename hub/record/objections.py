"""Players' objections to results, in the fold."""

from __future__ import annotations

from collections.abc import Collection

from flagfall.base.value import replace
from hub.record.events import ResultObjected
from hub.record.state import Objection, TournamentState
from hub.text import Refused

MOST_OBJECTIONS = 3  # of one player to one game
LONGEST_WORDS = 200


def result_objected(state: TournamentState, objected: ResultObjected, at: str) -> TournamentState:
    """Return the state with a player's objection to the result of their game; `at` is the label of its entry."""
    if objected.game in state.former_games:
        return state  # its publishing was taken back
    state.expect_player(objected.player)
    game = state.games.get(objected.game)
    if game is None or objected.player not in game.players:
        raise Refused("expected a game of this player, got {game!r}", field="game", game=objected.game)
    if not objected.words.strip() or len(objected.words) > LONGEST_WORDS:
        raise Refused("expected 1 to {most} characters", field="words", most=LONGEST_WORDS)
    earlier = objections_of(state, objected.player, objected.game)
    if any(not objection.outcome for objection in earlier):
        raise Refused("expected an answer first: the director knows of this result already", field="game")
    if len(earlier) >= MOST_OBJECTIONS:
        raise Refused("expected at most {most} objections to a result", field="game", most=MOST_OBJECTIONS)
    new = Objection(objected.game, objected.player, len(earlier) + 1, objected.words, at)
    return replace(state, objections=(*state.objections, new))


def objections_of(state: TournamentState, player: str, game: str) -> tuple[Objection, ...]:
    """Return what this player has objected to the result of a game, in order."""
    return tuple(
        objection for objection in state.objections if (objection.player, objection.game) == (player, game)
    )


def answer_objections(state: TournamentState, matters: Collection[str], answer: str) -> TournamentState:
    """Return the state in which the open objections among these matters have the director's answer."""
    return replace(
        state,
        objections=tuple(
            replace(objection, outcome="answered", answer=answer)
            if not objection.outcome and objection.matter in matters
            else objection
            for objection in state.objections
        ),
    )


def end_corrected(before: TournamentState, after: TournamentState, why: str = "") -> TournamentState:
    """Return the state `after` a change, in which the open objections to results that differ are corrected."""
    if not after.objections:
        return after
    changed = {
        objection.game
        for objection in after.objections
        if not objection.outcome and _result(before, objection.game) != _result(after, objection.game)
    }
    return replace(
        after,
        objections=tuple(
            replace(objection, outcome="corrected", answer=why)
            if not objection.outcome and objection.game in changed
            else objection
            for objection in after.objections
        ),
    )


def _result(state: TournamentState, game: str) -> tuple[object, ...]:
    entry = state.games.get(game)
    return () if entry is None else (entry.players, entry.score, entry.reason, entry.draw_win)
