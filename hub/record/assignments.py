"""Which device shows which game: each has a seat, and shows the game that is played there."""

from __future__ import annotations

from flagfall.base.value import replace
from hub.model.games import Game
from hub.record.state import SeatAssignment, TournamentState


def with_assignments(state: TournamentState, seq: int) -> TournamentState:
    """Return the state in which every device has the present game at its seat. Devices with a change get the new
    `seq`."""
    at_table = {game.table: game.id for game in state.present_games if game.conditions is not None}
    wanted: dict[str, tuple[int | None, str | None]] = dict.fromkeys(state.assigned, (None, None))
    wanted |= {device: (seat, at_table.get(seat)) for seat, device in state.seats.items()}
    assigned = dict(state.assigned)
    moved = []
    for device, (seat, game) in wanted.items():
        old = assigned.get(device)
        if old is None or (old.seat, old.game) != (seat, game):
            assigned[device] = SeatAssignment(seq, seat, game)
        if game is not None and state.games[game].device != device:
            moved.append(_moved(state.games[game], device))
    tournament = state.tournament.with_games(moved)
    return replace(state, tournament=tournament, assigned=assigned, seq=max(state.seq, seq))


def assigned_anew(state: TournamentState, seq: int) -> TournamentState:
    """Return the state with the same assignments and a `seq` above those of what was undone."""
    assigned = {device: replace(old, seq=seq) for device, old in state.assigned.items()}
    return replace(state, assigned=assigned, seq=max(state.seq, seq))


def _moved(game: Game, device: str) -> Game:
    left = game.left_devices if game.device is None else game.left_devices | {game.device}
    return replace(game, device=device, left_devices=left)
