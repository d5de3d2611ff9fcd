"""Expected standings, computed from recorded scores alone: the room's check of the hub.

Nothing of the hub's own ranking is used. Points, then the Brightwell quotient with C = 6, then discs (woc-2019 II.3.1
and Appendix A); players who are still level share the place here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct

BQ_CONSTANT = 6


class PlayedGame(Struct, frozen=True):
    """One game of a round between two players, with the score recorded for it."""

    black: str
    white: str
    score: tuple[int, int]


class Expected(Struct, frozen=True):
    """One player's expected points (a win is 1, a draw 0.5), BQ, discs."""

    player: str
    points: float
    bq: int
    discs: int

    @property
    def rank(self) -> tuple[float, int, int]:
        return self.points, self.bq, self.discs


def expected_standings(games: Iterable[PlayedGame]) -> tuple[Expected, ...]:
    """Return the standings, best first, of players who played every round; C times half a point is whole, so is every
    BQ.
    """
    half_points: defaultdict[str, int] = defaultdict(int)
    discs: defaultdict[str, int] = defaultdict(int)
    met: defaultdict[str, list[str]] = defaultdict(list)
    for game in games:
        black_score, white_score = game.score
        for player, opponent, score, other in (
            (game.black, game.white, black_score, white_score),
            (game.white, game.black, white_score, black_score),
        ):
            half_points[player] += 2 if score > other else 1 if score == other else 0
            discs[player] += score
            met[player].append(opponent)
    rows = [
        Expected(
            player,
            half_points[player] / 2,
            discs[player] + BQ_CONSTANT * sum(half_points[opponent] for opponent in met[player]) // 2,
            discs[player],
        )
        for player in met
    ]
    return tuple(sorted(rows, key=lambda row: row.rank, reverse=True))


def difference(standings: list[tuple[str, float, float, int]], expected: Iterable[Expected]) -> str | None:
    """Return one line on the first published (player, points, BQ, discs) that differs from `expected`, or None.

    Players whom only a lot separates may be in either order.
    """
    must = {row.player: row for row in expected}
    order = sorted((row.rank for row in must.values()), reverse=True)
    if len(standings) != len(must):
        return f"expected {len(must)} players, got {len(standings)}"
    for place, (row, rank) in enumerate(zip(standings, order, strict=True), start=1):
        player, *published = row
        if player not in must:
            return f"place {place}: expected a player of the room, got {player!r}"
        computed = must[player].rank
        if tuple(published) != computed:
            return f"{player}: expected points, BQ, discs {computed}, got {tuple(published)}"
        if computed != rank:
            return f"place {place}: expected {rank}, got {player} with {computed}"
    return None
