"""The players as they stand before a round: everything that pairing asks about them, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from hub.pairing.round import PairingError
from hub.tournament import Game, Player, Round, Tournament
from othello.rulebook import rulebook

BLACK, WHITE = 1, -1


@dataclass(frozen=True, slots=True)
class Entrant:
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
    black when they last met in any part, under both orders of the key.
    """

    round: int
    entrants: tuple[Entrant, ...]
    meetings: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    last_black: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def met(self, a: str, b: str) -> int:
        return self.meetings.get(a, {}).get(b, 0)


def half_points(score: tuple[int, int]) -> tuple[int, int]:
    """2 for a win, 1 for a draw; 0-0 is a game that both have lost."""
    black, white = score
    if black == white:
        return (1, 1) if black else (0, 0)
    return (2, 0) if black > white else (0, 2)


def was_played(tournament: Tournament, game: Game) -> bool:
    """Whether the two have met, and had their colours: not if one or both never came (decision 33)."""
    return not game.no_show or rulebook(tournament.rulebook).event.no_show == "a game"


def playing(tournament: Tournament, number: int) -> tuple[Player, ...]:
    """Whoever is there in round `number`."""
    return tournament.players_in(number)


def require_scores(rounds: tuple[Round, ...]) -> None:
    """PairingError naming the first game without a score."""
    for r, played in enumerate(rounds, 1):
        for g, game in enumerate(played.games):
            if game.score is None:
                raise PairingError(
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
    """Everybody in `players` (left out: whoever is `playing`) before round `number`; meetings count from
    round `part_from`.

    Raises PairingError if an earlier game has no score.
    """
    rounds = tournament.rounds[: number - 1]
    require_scores(rounds)
    points: dict[str, int] = {}
    balance: dict[str, int] = {}
    floats: dict[str, int] = {}
    last_colour: dict[str, int] = {}
    byes: dict[str, int] = {}
    meetings: dict[str, dict[str, int]] = {}
    last_black: dict[tuple[str, str], str] = {}
    for r, played in enumerate(rounds, 1):
        before = dict(points)
        for game in played.games:
            assert game.score is not None
            won = half_points(game.score)
            met = was_played(tournament, game)
            for me, other, colour, gained in (
                (game.black, game.white, BLACK, won[0]),
                (game.white, game.black, WHITE, won[1]),
            ):
                points[me] = before.get(me, 0) + gained
                if not met:
                    continue
                balance[me] = balance.get(me, 0) + colour
                mine, his = before.get(me, 0), before.get(other, 0)
                floats[me] = floats.get(me, 0) + (his > mine) - (his < mine)
                last_colour[me] = colour
                last_black[me, other] = game.black
                if r >= part_from:
                    row = meetings.setdefault(me, {})
                    row[other] = row.get(other, 0) + 1
        for me in played.byes:
            points[me] = before.get(me, 0) + 2
            byes[me] = byes.get(me, 0) + 1
        for absence in tournament.absences:
            if absence.half_point and absence.round == r:
                points[absence.player] = points.get(absence.player, 0) + 1
    if players is None:
        players = playing(tournament, number)
    shared = _shared_byes(rounds[: part_from - 1], players)
    entrants = tuple(
        Entrant(
            p.id,
            points.get(p.id, 0),
            balance.get(p.id, 0),
            floats=floats.get(p.id, 0),
            last_colour=last_colour.get(p.id, 0),
            byes=byes.get(p.id, 0) - shared,
            country=p.country,
            team=p.team or p.country,
        )
        for p in players
    )
    return RoundState(number, entrants, meetings, last_black)


def _shared_byes(part_one: tuple[Round, ...], players: tuple[Player, ...]) -> int:
    """The number of byes that every player here had in an earlier part; the next part ignores them.

    A round robin of an odd number gives one to each; else the last of seven would sit out every round after it.
    """
    had = Counter(player for played in part_one for player in played.byes)
    return min((had[player.id] for player in players), default=0)
