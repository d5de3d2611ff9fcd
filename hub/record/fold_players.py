"""Arrivals of players, and their objections to results, in the fold."""

from __future__ import annotations

from collections.abc import Collection

from flagfall.base.value import replace
from hub.record.events import ArrivalSet, PlayerArrived, ResultObjected
from hub.record.fold_event import expect_player
from hub.record.state import Arrival, Objection, TournamentState
from hub.text import Refused

MOST_OBJECTIONS = 3  # of one player to one game
LONGEST_WORDS = 200


def arrival_set(state: TournamentState, new: ArrivalSet) -> TournamentState:
    """Return the state with the list of arrivals opened or closed. A list that is opened begins empty unless it keeps
    who is here."""
    if new.number < state.arrival.number or new.round < 1:
        raise Refused(
            "expected a number from {least}, got {number}",
            field="number",
            least=max(state.arrival.number, 1),
            number=new.number,
        )
    if not new.open or new.keep:
        arrival = replace(state.arrival, open=new.open, number=new.number, round=new.round)
    else:
        arrival = Arrival(True, new.number, new.round)
    return replace(state, arrival=arrival)


def player_arrived(state: TournamentState, arrived: PlayerArrived, at: str) -> TournamentState:
    """Return the state with one player more or fewer who is here; `at` is the label of the entry."""
    expect_player(state, arrived.player)
    player, arrival = arrived.player, state.arrival
    if not arrival.number:
        raise Refused("expected a list of arrivals, got none", field="player")
    here = {name: since for name, since in arrival.here.items() if name != player}
    late = arrival.late - {player}
    if arrived.here:
        here[player] = at
        absent = (player, arrival.round) in {(gone.player, gone.round) for gone in state.tournament.absences}
        late |= {player} if absent or state.round >= arrival.round else set()
    return replace(state, arrival=replace(arrival, here=here, late=late))


def result_objected(state: TournamentState, objected: ResultObjected, at: str) -> TournamentState:
    """Return the state with a player's objection to the result of their game; `at` is the label of its entry."""
    if objected.game in state.former_games:
        return state  # its publishing was taken back
    expect_player(state, objected.player)
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
