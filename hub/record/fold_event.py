"""The event and its players in the fold.

The entries change the event's name, days, rounds and rulebook, put it away, seat devices (a device shows the game at
its seat), and enter, correct, excuse, withdraw or ban players. Each function returns the next state, or raises Refused
if the entry makes no sense.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from flagfall.base.value import replace
from flagfall.ledger.entry import Entry
from hub.form.parts import player_from_json
from hub.form.tournament import check_consistency, with_fields
from hub.model.players import Player
from hub.model.tournament import Absence, Tournament, Withdrawal
from hub.ranking.leagues import FEWEST_PLAYERS, is_late_place, late_without_league
from hub.ranking.teams import MOST_BOARDS
from hub.record.events import (
    BEFORE_THE_START,
    CHANGEABLE,
    CONDUCT,
    BansSet,
    CategoriesSet,
    ConductNoted,
    EventChanged,
    EventPutAway,
    PlayerAbsent,
    PlayerAdded,
    PlayerChanged,
    PlayerLinkSet,
    PlayerRemoved,
    PlayerReturned,
    PlayerWithdrawn,
    WorldPlacesSet,
)
from hub.record.state import Conduct, PlayerLink, SeatAssignment, TournamentState
from hub.rulebook import rules_of
from hub.text import Refused

Leagues: TypeAlias = tuple[tuple[str, ...], ...]


def event_changed(state: TournamentState, changed: EventChanged) -> TournamentState:
    """Return the state with other fields of the event. Raise Refused if a field comes too late, or contradicts what has
    been played."""
    old = state.tournament
    begun = state.started or any(game.score is not None for game in state.games.values())
    for name, new in changed.fields.items():
        if name not in CHANGEABLE:
            raise Refused("expected one of {choices}", field=name[:40], choices=", ".join(CHANGEABLE))
        if begun and name in BEFORE_THE_START and new != (getattr(old, name) or None):
            raise Refused("expected no change once a round was started", field=name)
    read = with_fields(old, changed.fields)
    _check_teams(read, changed.fields)
    late = {player.id for player in late_without_league(old)}
    if state.round and read.leagues != old.leagues and not is_late_place(old.leagues, read.leagues, late):
        raise Refused("expected no change once rounds are published", field="leagues")
    if old.finals and (read.level_playoff, read.leave_after_wins) != (
        old.level_playoff,
        old.leave_after_wins,
    ):
        raise Refused("expected no change once finals are published", field="level_playoff")
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
    """Return True if the rules of games at the tables have changed, so that their devices need them again."""
    old, new = before.tournament, after.tournament
    return (old.rulebook, old.rulebook_text) != (new.rulebook, new.rulebook_text)


def put_away(state: TournamentState, put: EventPutAway) -> TournamentState:
    """Return the state with the event put away or back. Raise Refused while games stand at the tables."""
    if put.away and state.open_games:
        raise Refused(
            "expected no game at the tables: withdraw the round, or enter its results", field="event"
        )
    new = replace(state, away=put.away)
    return new if put.away else assigned_anew(new, put.seq)


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
            moved.append(replace(state.games[game], device=device))
    tournament = state.tournament.with_games(moved)
    return replace(state, tournament=tournament, assigned=assigned, seq=max(state.seq, seq))


def assigned_anew(state: TournamentState, seq: int) -> TournamentState:
    """Return the state with the same assignments and a `seq` above those of what was undone."""
    assigned = {device: replace(old, seq=seq) for device, old in state.assigned.items()}
    return replace(state, assigned=assigned, seq=max(state.seq, seq))


def expect_player(state: TournamentState, player: str) -> None:
    """Raise Refused if no player of the tournament has this id."""
    if player not in state.tournament.by_id:
        raise Refused("expected the id of a player, got {player!r}", field="player", player=player)


def player_added(state: TournamentState, added: PlayerAdded) -> TournamentState:
    """Return the state with one more player. The system was settled when the tournament was created; one player more
    does not change it."""
    players = state.tournament.players
    newcomer = player_from_json(added.player, f"players[{len(players)}]")
    return _with_players(state, (*players, newcomer))


def player_changed(state: TournamentState, changed_: PlayerChanged) -> TournamentState:
    player_id = changed_.player.get("id")
    if not isinstance(player_id, str):
        raise Refused("expected the id of a player, got nothing", field="id")
    expect_player(state, player_id)
    old = state.tournament.player(player_id)
    begins = changed_.player.get("from_round", 1)
    # Who has not begun yet may begin later.
    later = isinstance(begins, int) and begins > old.from_round > state.round
    if state.round and begins != old.from_round and not later:
        raise Refused("expected no change once rounds are published", field="from_round")
    nth = state.tournament.players.index(old)
    new = player_from_json(changed_.player, f"players[{nth}]")
    players = state.tournament.players
    return _with_players(state, (*players[:nth], new, *players[nth + 1 :]))


def _with_players(state: TournamentState, players: tuple[Player, ...]) -> TournamentState:
    tournament = replace(state.tournament, players=players)
    check_consistency(tournament, rules_of(tournament))
    return replace(state, tournament=tournament)


def player_removed(state: TournamentState, removed: PlayerRemoved) -> TournamentState:
    removed_id, old = removed.player, state.tournament
    expect_player(state, removed_id)
    if any(removed_id in game.players for game in state.games.values()) or any(
        removed_id in round_.byes for round_ in old.rounds
    ):
        raise Refused(
            "expected a player who was never paired, got {player!r}", field="player", player=removed_id
        )
    ups = old.line_ups
    if ups is not None:
        ups = {
            team: tuple(player for player in members if player != removed_id) for team, members in ups.items()
        }
    tournament = replace(
        old,
        players=tuple(player for player in old.players if player.id != removed_id),
        withdrawals=tuple(gone for gone in old.withdrawals if gone.player != removed_id),
        absences=tuple(absence for absence in old.absences if absence.player != removed_id),
        bans=tuple(ban for ban in old.bans if removed_id not in ban),
        pins=tuple(pin for pin in old.pins if removed_id not in pin.players),
        lots=tuple(player for player in old.lots if player != removed_id),
        line_ups=ups,
        leagues=_without(removed_id, old.leagues),
    )
    return replace(state, tournament=tournament, removed=state.removed | {removed_id})


def player_link_set(state: TournamentState, link: PlayerLinkSet) -> TournamentState:
    expect_player(state, link.player)
    present = state.links.get(link.player, PlayerLink())
    if link.number < present.number:
        raise Refused(
            "expected a number from {least}, got {number}",
            field="number",
            least=present.number,
            number=link.number,
        )
    links = {**state.links, link.player: PlayerLink(link.number, link.active)}
    return replace(state, links=links)


def _without(player: str, leagues: Leagues) -> Leagues:
    """Return the leagues without a player who was never paired; all are to be drawn anew if theirs gets too small."""
    left = tuple(tuple(other for other in league if other != player) for league in leagues)
    return left if all(len(league) >= FEWEST_PLAYERS for league in left) else ()


def player_withdrawn(state: TournamentState, event: PlayerWithdrawn) -> TournamentState:
    expect_player(state, event.player)
    if state.tournament.withdrawn_after(event.player) is not None:
        raise Refused(
            "expected a player who has not withdrawn, got {player!r}", field="player", player=event.player
        )
    last_played = max((g.round for g in state.games.values() if event.player in g.players), default=0)
    if not last_played <= event.after_round <= state.round:
        raise Refused(
            "expected {last_played} to {round}, got {after_round}",
            field="after_round",
            last_played=last_played,
            round=state.round,
            after_round=event.after_round,
        )
    if event.expelled and not event.why.strip():
        raise Refused("expected the reason of an expulsion, got nothing", field="why")
    withdrawal = Withdrawal(
        event.player, event.after_round, event.expelled, event.why, len(state.tournament.finals)
    )
    withdrawals = (*state.tournament.withdrawals, withdrawal)
    return replace(state, tournament=replace(state.tournament, withdrawals=withdrawals))


def player_absent(state: TournamentState, absent: PlayerAbsent) -> TournamentState:
    expect_player(state, absent.player)
    if absent.round <= state.round:
        raise Refused(
            "expected a round that is not paired yet, got {round}", field="round", round=absent.round
        )
    if absent.half_point:
        _left_to_the_director(state, "half_point")
    others = [
        absence
        for absence in state.tournament.absences
        if (absence.player, absence.round) != (absent.player, absent.round)
    ]
    absences = (*others, Absence(absent.player, absent.round, absent.half_point))
    return replace(state, tournament=replace(state.tournament, absences=absences))


def player_returned(state: TournamentState, back: PlayerReturned) -> TournamentState:
    """Return the state with the player back. The rounds between count as absences for standings and quotient, not as a
    withdrawal."""
    expect_player(state, back.player)
    last = state.tournament.withdrawn_after(back.player)
    if last is None:
        raise Refused(
            "expected a player who has withdrawn, got {player!r}", field="player", player=back.player
        )
    _left_to_the_director(state, "player")
    if any(
        withdrawal.player == back.player and withdrawal.expelled
        for withdrawal in state.tournament.withdrawals
    ):
        raise Refused(
            "expected a player who was not expelled, got {player!r}", field="player", player=back.player
        )
    missed = tuple(Absence(back.player, number) for number in range(last + 1, state.round + 1))
    withdrawals = tuple(
        withdrawal for withdrawal in state.tournament.withdrawals if withdrawal.player != back.player
    )
    absences = (*state.tournament.absences, *missed)
    return replace(state, tournament=replace(state.tournament, withdrawals=withdrawals, absences=absences))


def _left_to_the_director(state: TournamentState, field: str) -> None:
    rulebook_ = state.tournament.rulebook
    if not rules_of(state.tournament).free_absences:
        raise Refused(
            "expected a rulebook that leaves this to the director, got {rulebook}",
            field=field,
            rulebook=rulebook_,
        )


def bans_set(state: TournamentState, new: BansSet) -> TournamentState:
    for ban in new.bans:
        for player in ban:
            expect_player(state, player)
        if ban[0] == ban[1]:
            raise Refused("expected two different players, got {ban!r} twice", field="bans", ban=ban[0])
    return replace(state, tournament=replace(state.tournament, bans=new.bans))


def categories_set(state: TournamentState, new: CategoriesSet) -> TournamentState:
    names = {name for player in state.tournament.players for name in player.categories}
    for name in (*new.merged, *new.merged.values(), *new.allowed):
        if name not in names:
            raise Refused(
                "expected a category of a player, got {category!r}", field="category", category=name[:40]
            )
    for name, into in new.merged.items():
        if into == name or into in new.merged:
            raise Refused(
                "expected another category, not merged itself, got {category!r}",
                field="into",
                category=into[:40],
            )
    merged, allowed = dict(new.merged), tuple(new.allowed)
    tournament = replace(state.tournament, merged_categories=merged, allowed_categories=allowed)
    return replace(state, tournament=tournament)


def conduct_noted(state: TournamentState, noted: ConductNoted, entry: Entry) -> TournamentState:
    """Return the state with a note about a player, or about anybody else by name, with its reason."""
    if noted.kind not in CONDUCT:
        raise Refused(
            "expected one of {kinds}, got {kind}",
            field="kind",
            kinds=", ".join(CONDUCT),
            kind=noted.kind[:40],
        )
    if noted.player is not None:
        expect_player(state, noted.player)
    elif not noted.person.strip():
        raise Refused("expected a name, got nothing", field="person")
    if not noted.why.strip():
        raise Refused("expected the reason of a note, got nothing", field="why")
    return replace(state, conduct=(*state.conduct, Conduct(noted, entry.at, entry.who)))


def world_places_set(state: TournamentState, new: WorldPlacesSet) -> TournamentState:
    least = rules_of(state.tournament).law.event.world_places
    if not least:
        raise Refused(
            "expected a rulebook with places at the World Championship, got {rulebook}",
            field="rulebook",
            rulebook=state.tournament.rulebook,
        )
    if new.places < least:
        raise Refused(
            "expected at least {least}, got {places}", field="world_places", least=least, places=new.places
        )
    return replace(state, tournament=replace(state.tournament, world_places=new.places))
