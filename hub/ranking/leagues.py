"""Leagues of four: the players of each, set by the director or drawn from the seed, and the games of their rounds.

All Japan 2005: within a league everybody meets everybody, 1-2 and 3-4, then 1-3 and 2-4, then 1-4 and 2-3. Players of
one team (a block of the federation) are kept apart.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence

from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.text import FormatError

PLAYERS = 4
# Rounds in which everybody of a league of four meets everybody.
LEAGUE_ROUNDS = 3
FEWEST_PLAYERS = 3
MOST_LEAGUES = 32
# Places in a league that meet in each round.
_ORDER = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))


def leagues_of(tournament: Tournament) -> tuple[tuple[str, ...], ...]:
    """Return the leagues, each with its players in their order."""
    return tournament.leagues or drawn_leagues(tournament)


def drawn_leagues(tournament: Tournament) -> tuple[tuple[str, ...], ...]:
    """Return leagues of four, or three where the number asks for it, drawn from the tournament's seed.

    The players of a team are dealt to one league after the other, so no league has two more of them than another.
    Return () if so many players make no leagues.
    """
    seed = tournament.seed
    present = [player for player in tournament.starters if player.from_round == 1]
    count = -(-len(present) // PLAYERS)
    if len(present) < count * FEWEST_PLAYERS or not 2 <= count <= MOST_LEAGUES:
        return ()
    team_of = {player.id: player.team or player.country for player in present}
    size = Counter(team_of.values())
    dealt = sorted(
        team_of,
        key=lambda player: (-size[team_of[player]], _lot(seed, "team", team_of[player]), _lot(seed, player)),
    )
    leagues: list[list[str]] = [[] for _ in range(count)]
    for nth, player in enumerate(dealt):
        leagues[nth % count].append(player)
    leagues.sort(key=lambda league: _lot(seed, "league", *league))
    return tuple(tuple(sorted(league, key=lambda p: _lot(seed, "place", p))) for league in leagues)


def late_without_league(tournament: Tournament) -> tuple[Player, ...]:
    """Return the players who have entered since the first round, for a round of the leagues, and are in no league."""
    placed = {player for league in leagues_of(tournament) for player in league}
    return tuple(
        player
        for player in tournament.players
        if 1 < player.from_round <= LEAGUE_ROUNDS
        and player.id not in placed
        and player.id not in tournament.withdrawn
    )


def is_late_place(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]], late: Collection[str]) -> bool:
    """Return True if the new leagues are the old ones, with some of the late players at the free last places."""
    return len(old) == len(new) and all(
        tuple(after[: len(before)]) == tuple(before) and {*after[len(before) :]} <= {*late}
        for before, after in zip(old, new, strict=True)
    )


def league_games(league: Sequence[str], number: int) -> list[tuple[str, str]]:
    """Return the pairs of a league in its round `number`. In a league of three one player has nobody."""
    return [(league[a], league[b]) for a, b in _ORDER[number - 1] if max(a, b) < len(league)]


def knockout_slots(seed: int, winners: Sequence[str | None]) -> tuple[str | None, ...]:
    """Return the winners of the leagues, in the order of the leagues, in the drawn order of the knockout; neighbours
    meet. None has no opponent."""
    order = sorted(range(len(winners)), key=lambda nth: _lot(seed, "knockout", nth))
    size = 1 << (len(winners) - 1).bit_length()
    free = size - len(winners)  # the first drawn wait for the second round
    slots: list[str | None] = []
    for place, nth in enumerate(order):
        slots += [winners[nth], None] if place < free else [winners[nth]]
    return tuple(slots)


def check_leagues(leagues: Sequence[Sequence[str]]) -> None:
    """Raise FormatError if a league has not three or four players, or a player is in two."""
    seen: set[str] = set()
    for nth, league in enumerate(leagues):
        if not FEWEST_PLAYERS <= len(league) <= PLAYERS:
            raise FormatError(f"leagues[{nth}]", "three or four players", str(len(league)))
        for player in league:
            if player in seen:
                raise FormatError(f"leagues[{nth}]", "each player in one league", f"{player} again")
            seen.add(player)


def _lot(seed: int, *parts: object) -> bytes:
    return hashlib.sha256("/".join(map(str, (seed, "leagues", *parts))).encode()).digest()
