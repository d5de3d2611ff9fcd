"""The public part of a tournament: unstarted pairings are hidden, and a game in play shows only "playing" unless the
director lets it be broadcast.

Players are in the room without their devices (`woc-2019` I.5): a pairing is first on paper and on the projector.
Broadcasting is at the director's discretion (`cc-2024` I.3.6, `woc-2019` I.5): people in the hall see the clocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from hub.model.games import Game
from hub.overview import Hall, PlayerAtTable, TableCard, TableState
from hub.record.state import TournamentState

_OF_PLAY = (TableState.STOPPED, TableState.ERROR, TableState.DEFAULT)


def held_back_games(state: TournamentState) -> frozenset[str]:
    """Return the games that phones do not show yet.

    The last round is hidden until its start (or until all of it is scored), and so is each game of the finals. A round
    appears whole or not at all.
    """
    games = state.present_games
    held = {game.id for game in games if game.final is not None and not _is_announced(state, game)}
    of_round = [game for game in state.games_of(state.round) if game.conditions is not None]
    if state.round not in state.started and any(not _is_announced(state, game) for game in of_round):
        held |= {game.id for game in of_round}
    return frozenset(held)


def held_back_round(state: TournamentState, seen: TournamentState) -> int | None:
    """Return the round that is posted in the hall and not public yet, or None. `seen` is `public_state(state)`."""
    return state.round if seen.round < state.round else None


def public_state(state: TournamentState) -> TournamentState:
    """Return the public tournament: the same object if nothing is hidden.

    Otherwise its standings are those before the hidden round. If all present games are hidden, those of the last public
    round take their place.
    """
    held = held_back_games(state)
    if not held:
        return state
    tournament = state.tournament
    of_round = any(state.games[name].final is None for name in held)
    rounds = tournament.rounds[:-1] if of_round else tournament.rounds
    finals = tuple(game for game in tournament.finals if game.id not in held)
    present = tuple(game for game in state.present if game not in held)
    if not present:
        present = tuple(game.id for game in rounds[-1].games) if rounds else ()
    return replace(
        state,
        tournament=replace(tournament, rounds=rounds, finals=finals),
        present=present,
        scored=tuple(game for game in state.scored if game not in held),
    )


def is_replay_public(game: Game) -> bool:
    """Return whether board and transcript are public: the game is over, or the director lets it be broadcast."""
    return game.score is not None or game.broadcast


def public_hall(hall: Hall, state: TournamentState, seen: TournamentState) -> Hall:
    """Return `hall` without clocks, flags and progress of the games in play that are not broadcast.

    `hall` is that of `seen`, which is `public_state(state)`.
    """
    cards = tuple(
        card if is_replay_public(state.games[card.game]) else _without_play(card) for card in hall.cards
    )
    held = held_back_round(state, seen)
    return replace(hall, cards=cards, heading=replace(hall.heading, held=held))


def _without_play(card: TableCard) -> TableCard:
    def sitting(seat: PlayerAtTable) -> PlayerAtTable:
        return replace(seat, left_ms=None, runs=False, flags=0)

    shown_state = TableState.PLAYING if card.state in _OF_PLAY else card.state
    return replace(
        card, state=shown_state, black=sitting(card.black), white=sitting(card.white), moves=0, at_ns=0
    )


def _is_announced(state: TournamentState, game: Game) -> bool:
    return game.conditions is None or game.score is not None or state.is_started(game.id)


class PublicStates(Mapping[str, TournamentState]):
    """The public view of `states`, without events that were put away. The same record gives the same object."""

    def __init__(self, states: Mapping[str, TournamentState]) -> None:
        self._states = states
        self._seen: dict[str, tuple[TournamentState, TournamentState]] = {}

    def __getitem__(self, tournament: str) -> TournamentState:
        state = self._states[tournament]
        if state.away:
            raise KeyError(tournament)
        known = self._seen.get(tournament)
        if known is None or known[0] is not state:
            known = self._seen[tournament] = (state, public_state(state))
        return known[1]

    def __iter__(self) -> Iterator[str]:
        return (name for name, state in self._states.items() if not state.away)

    def __len__(self) -> int:
        return sum(not state.away for state in self._states.values())
