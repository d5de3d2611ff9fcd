"""Rounds of leagues of four: each league's games of the round, with colours as in a Swiss."""

from __future__ import annotations

from collections.abc import Sequence

from flagfall.base.message import Message
from hub.model.games import Pin
from hub.model.tournament import Tournament
from hub.pairing.cost import with_colours
from hub.pairing.lots import Lots
from hub.pairing.round import Game, PairedGame, Pairing
from hub.pairing.state import RoundState, swiss_rules
from hub.ranking.leagues import league_games, leagues_of
from hub.text import Refused


def pair_leagues(tournament: Tournament, state: RoundState, pins: Sequence[Pin], lots: Lots) -> Pairing:
    """Return round `state.round` of the leagues, league by league. A player without an opponent has a bye.

    A pinned game that the order of the leagues does not have stands, with a warning. Raise Refused if so many players
    make no leagues, or somebody is in none.
    """
    leagues = leagues_of(tournament)
    if not leagues:
        raise Refused(
            "expected 6 to 128 players in leagues of three or four, got {players}",
            field="players",
            players=len(tournament.starters),
        )
    by_id = {entrant.id: entrant for entrant in state.entrants}
    placed = {player for league in leagues for player in league}
    for player in by_id:
        if player in placed:
            continue
        if state.round > 1:
            raise Refused(
                "{player} is in no league: on the page Leagues, give them the free place of a league of three, "
                "or let them begin after the leagues",
                field="leagues",
                player=player,
            )
        raise Refused("expected each player in a league, got {player}", field="leagues", player=player)
    rules = swiss_rules(tournament, state.round)
    due = [game for league in leagues for game in league_games(league, state.round)]
    pairs = {frozenset(game) for game in due}
    strange = [pin for pin in pins if frozenset(pin.players) not in pairs]
    busy = {player for pin in strange for player in pin.players}
    pinned = {frozenset(pin.players): pin.players for pin in pins}
    games: list[Game] = [pin.players for pin in strange]
    for game in due:
        a, b = game
        if not busy.isdisjoint(game) or a not in by_id or b not in by_id:
            continue
        fixed = pinned.get(frozenset(game))
        games.append(fixed or with_colours(state, rules, lots, by_id[a], by_id[b]))
    playing = {player for game in games for player in game}
    return Pairing(
        state.round,
        _at_tables(games, pins),
        tuple(player for player in by_id if player not in playing),
        warnings=tuple(
            Message.of(
                "{black}-{white} is pinned, though not due in the leagues", black=pin.black, white=pin.white
            )
            for pin in strange
        ),
    )


def _at_tables(games: Sequence[Game], pins: Sequence[Pin]) -> tuple[PairedGame, ...]:
    """Return the games at tables in the order of the leagues; a pin with a table keeps it."""
    fixed = {pin.players: pin.table for pin in pins if pin.table is not None}
    taken = set(fixed.values())
    free = (table for table in range(1, len(games) + len(taken) + 1) if table not in taken)
    seated = [PairedGame(fixed[game] if game in fixed else next(free), *game) for game in games]
    return tuple(sorted(seated, key=lambda game: game.table))
