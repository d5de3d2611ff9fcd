"""Which device shows which game: it follows from the seats and the games at the tables now."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from hub.record.state import SeatAssignment, TournamentState


def with_assignments(state: TournamentState, seq: int) -> TournamentState:
    """Every device gets the present game at its seat; those with a change get the new `seq`."""
    at_table = {game.table: game.game for game in state.present_games if game.conditions is not None}
    wanted: dict[str, tuple[int | None, str | None]] = dict.fromkeys(state.assigned, (None, None))
    wanted |= {device: (seat, at_table.get(seat)) for seat, device in state.seats.items()}
    assigned = dict(state.assigned)
    games = dict(state.games)
    for device, (seat, game) in wanted.items():
        old = assigned.get(device)
        if old is None or (old.seat, old.game) != (seat, game):
            assigned[device] = SeatAssignment(seq, seat, game)
        if game is not None:
            games[game] = replace(games[game], device=device)
    return replace(
        state,
        games=MappingProxyType(games),
        assigned=MappingProxyType(assigned),
        seq=max(state.seq, seq),
    )


def assigned_anew(state: TournamentState, seq: int) -> TournamentState:
    """The same assignments with a `seq` above those of what was undone."""
    assigned = {device: replace(old, seq=seq) for device, old in state.assigned.items()}
    return replace(state, assigned=MappingProxyType(assigned), seq=max(state.seq, seq))
