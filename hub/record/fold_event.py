"""The event itself in the fold: its name, days, rounds and rulebook put right, the event put away; and which device
shows which game, as follows from its seats and the games at the tables now."""

from __future__ import annotations

from collections.abc import Mapping

from hub.form.tournament import with_fields
from hub.model.tournament import Tournament
from hub.ranking.team_matches import MOST_BOARDS
from hub.record.events import BEFORE_THE_START, CHANGEABLE, EventChanged, EventPutAway
from hub.record.state import SeatAssignment, TournamentState
from hub.text import Refused
from othello.value import replace


def event_changed(state: TournamentState, changed: EventChanged) -> TournamentState:
    """Refused where a field comes too late, or contradicts what has been played."""
    old = state.tournament
    begun = state.started or any(game.score is not None for game in state.games.values())
    for name, new in changed.fields.items():
        if name not in CHANGEABLE:
            raise Refused("expected one of {choices}", field=name[:40], choices=", ".join(CHANGEABLE))
        if begun and name in BEFORE_THE_START and new != (getattr(old, name) or None):
            raise Refused("expected no change once a round was started", field=name)
    read = with_fields(old, changed.fields)
    _check_teams(read, changed.fields)
    if old.finals and read.rounds_planned != old.rounds_planned:
        raise Refused("expected no change once finals are published", field="rounds_planned")
    new = replace(state, tournament=read)
    return assigned_anew(new, changed.seq) if new.present and _other_rules(state, new) else new


def _check_teams(tournament: Tournament, fields: Mapping[str, object]) -> None:
    boards, ups = fields.get("team_matches"), tournament.line_ups
    if boards is not None and not tournament.team_matches:
        raise Refused(
            "expected 1 to {most}, got {said!r}",
            field="team_matches",
            most=MOST_BOARDS,
            said=str(boards)[:20],
        )
    team = {player.id: player.team for player in tournament.players}
    misfit = ups is None and fields.get("line_ups") is not None
    if misfit or any(team.get(player) != name for name, members in (ups or {}).items() for player in members):
        raise Refused("expected for each team ids of its players", field="line_ups")


def _other_rules(before: TournamentState, after: TournamentState) -> bool:
    """Whether games at the tables are to be told again."""
    one, other = before.tournament, after.tournament
    return (one.rulebook, one.rulebook_text) != (other.rulebook, other.rulebook_text)


def put_away(state: TournamentState, put: EventPutAway) -> TournamentState:
    """Refused while games stand at the tables."""
    if put.away and state.open_games:
        raise Refused(
            "expected no game at the tables: withdraw the round, or enter its results", field="event"
        )
    new = replace(state, away=put.away)
    return new if put.away else assigned_anew(new, put.seq)


def with_assignments(state: TournamentState, seq: int) -> TournamentState:
    """Every device gets the present game at its seat; those with a change get the new `seq`."""
    at_table = {game.table: game.id for game in state.present_games if game.conditions is not None}
    wanted: dict[str, tuple[int | None, str | None]] = dict.fromkeys(state.assigned, (None, None))
    wanted |= {device: (seat, at_table.get(seat)) for seat, device in state.seats.items()}
    assigned = dict(state.assigned)
    told = []
    for device, (seat, game) in wanted.items():
        old = assigned.get(device)
        if old is None or (old.seat, old.game) != (seat, game):
            assigned[device] = SeatAssignment(seq, seat, game)
        if game is not None and state.games[game].device != device:
            told.append(replace(state.games[game], device=device))
    tournament = state.tournament.with_games(told)
    return replace(state, tournament=tournament, assigned=assigned, seq=max(state.seq, seq))


def assigned_anew(state: TournamentState, seq: int) -> TournamentState:
    """The same assignments with a `seq` above those of what was undone."""
    assigned = {device: replace(old, seq=seq) for device, old in state.assigned.items()}
    return replace(state, assigned=assigned, seq=max(state.seq, seq))
