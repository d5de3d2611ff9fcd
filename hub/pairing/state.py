"""The players as they stand before a round: everything that pairing asks about them, and nothing else."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from hub.model.games import Game, Round
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.ranking.scores import half_points_of
from hub.ranking.systems import BY_SYSTEM
from hub.text import Refused
from othello.rulebook import rulebook

BLACK, WHITE = 1, -1


class Entrant(msgspec.Struct, frozen=True):
    """`balance`: blacks minus whites. `floats`: games against higher-scored minus games against lower-scored.

    `last_colour`: of his last game, BLACK, WHITE or 0 before the first; a bye is neither a colour nor a
    float.
    """

    id: str
    half_points: int = 0
    balance: int = 0
    floats: int = 0
    last_colour: int = 0
    byes: int = 0
    country: str = ""
    team: str = ""


@dataclass(frozen=True, slots=True)
class RoundState:
    """Who is to be paired, in the order of the tournament file, and who has met whom.

    `meetings[a][b]`: games of a and b so far (in this part of the tournament), `last_black[a, b]`: who was
    black when they last met in any part, under both orders of the key; told where there is a round robin.
    """

    round: int
    entrants: tuple[Entrant, ...]
    meetings: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    last_black: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def met(self, a: str, b: str) -> int:
        return self.meetings.get(a, {}).get(b, 0)


def was_played(tournament: Tournament, game: Game) -> bool:
    """Whether the two have met, and had their colours: not if one or both never came (reading 33)."""
    return not game.is_no_show or rulebook(tournament.rulebook).event.no_show == "a game"


def require_scores(rounds: tuple[Round, ...]) -> None:
    """Refused naming the first game without a score."""
    for r, played in enumerate(rounds, 1):
        for g, game in enumerate(played.games):
            if game.score is None:
                raise Refused(
                    "rounds[{r}].games[{g}].score: expected the score of {black}-{white} in round {r2}, got none",
                    r=r - 1,
                    g=g,
                    black=game.black,
                    white=game.white,
                    r2=r,
                )


def state_before(
    tournament: Tournament, number: int, players: tuple[Player, ...] | None = None, part_from: int = 1
) -> RoundState:
    """Everybody in `players` (left out: whoever is there) before round `number`; meetings count from
    round `part_from`.

    Raises Refused if an earlier game has no score.
    """
    rounds = tournament.rounds[: number - 1]
    require_scores(rounds)
    told = _told(tournament, rounds, part_from)
    if players is None:
        players = tournament.players_in(number)
    shared = _shared_byes(rounds[: part_from - 1], players)
    entrants = []
    for p in players:
        one = told[p.id]
        own = one.half_points, one.balance, one.floats, one.last_colour, one.byes - shared
        entrants.append(Entrant(p.id, *own, p.country, p.team or p.country))
    meetings = {player: one.met for player, one in told.items() if one.met}
    last_black = {}
    if BY_SYSTEM[tournament.system].cycles:
        games = [game for played in rounds for game in played.games if was_played(tournament, game)]
        last_black = {pair: g.black for g in games for pair in (g.players, (g.white, g.black))}
    return RoundState(number, tuple(entrants), meetings, last_black)


@dataclass(slots=True)
class _Told:
    """One player, as the rounds are told. `met`: how often whom, in this part."""

    half_points: int = 0
    balance: int = 0
    floats: int = 0
    last_colour: int = 0
    byes: int = 0
    met: dict[str, int] = field(default_factory=dict)


def _told(tournament: Tournament, rounds: tuple[Round, ...], part_from: int) -> defaultdict[str, _Told]:
    told: defaultdict[str, _Told] = defaultdict(_Told)
    for r, played in enumerate(rounds, 1):
        for game in played.games:
            assert game.score is not None
            black, white = told[game.black], told[game.white]
            up = (white.half_points > black.half_points) - (white.half_points < black.half_points)
            own, others = half_points_of(game.score)
            black.half_points += own
            white.half_points += others
            if not was_played(tournament, game):
                continue
            black.balance += BLACK
            white.balance += WHITE
            black.floats += up
            white.floats -= up
            black.last_colour, white.last_colour = BLACK, WHITE
            if r >= part_from:
                black.met[game.white] = black.met.get(game.white, 0) + 1
                white.met[game.black] = white.met.get(game.black, 0) + 1
        for me in played.byes:
            told[me].half_points += 2
            told[me].byes += 1
        for absence in tournament.absences:
            if absence.half_point and absence.round == r:
                told[absence.player].half_points += 1
    return told


def _shared_byes(part_one: tuple[Round, ...], players: tuple[Player, ...]) -> int:
    """The number of byes that every player here had in an earlier part; the next part ignores them.

    A round robin of an odd number gives one to each; else the last of seven would sit out every round after it.
    """
    had = Counter(player for played in part_one for player in played.byes)
    return min((had[player.id] for player in players), default=0)
