"""The rest of a round robin whose players or rounds follow no circle: who meets whom in each round that is left.

Late entries, rounds drawn by hand and absences leave pairs that still have to meet. `schedule` puts them into the
rounds left by a walk: each step gives a player a game in a round in which they are free, and takes away the one game
that stands against it, so that the number of games seldom falls (Dinitz and Stinson's way to one-factorizations). The
walk ends where `most_games`, a bound of all orders, is reached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from hub.pairing.lots import Lots

Pair = frozenset[str]

# One step of so many may put a game into a round in which neither of its players is free.
_ANYWHERE = 20
# Steps of a walk for each game that is due, and the most of a walk.
_STEPS_A_GAME, _MOST_STEPS = 200, 20_000


@dataclass(frozen=True, slots=True)
class Schedule:
    """The games of each round that is left, and the games that found no place."""

    rounds: tuple[tuple[Pair, ...], ...]
    unmet: tuple[Pair, ...]


def schedule(due: Mapping[Pair, int], present: Sequence[Collection[str]], lots: Lots) -> Schedule:
    """Return an order with as many of the due games as were found a place. `due` says how often each two have to meet;
    `present` are the players of each round."""
    walk, bound = _Walk(due, present, lots), most_games(due, present)
    best = walk.snapshot()
    for _ in range(min(_MOST_STEPS, _STEPS_A_GAME * len(walk.edges))):
        if len(best) >= bound:
            break
        walk.step()
        if walk.placed > len(best):
            best = walk.snapshot()
    rounds: list[list[Pair]] = [[] for _ in present]
    for edge, number in best.items():
        rounds[number].append(walk.edges[edge])
    unmet = [walk.edges[edge] for edge in range(len(walk.edges)) if edge not in best]
    return Schedule(tuple(map(tuple, rounds)), tuple(unmet))


def most_games(due: Mapping[Pair, int], present: Sequence[Collection[str]]) -> int:
    """Return a number that no order exceeds: of the games that are due, the tables of each round, and the rounds of
    each player. A player with more games than rounds goes without some; a game of two such players spares one of each.
    """
    rounds_of = Counter(player for players in present for player in {*players})
    games_of: Counter[str] = Counter()
    for pair, count in due.items():
        games_of.update(dict.fromkeys(pair, count))
    excess = {player: games - rounds_of[player] for player, games in games_of.items()}
    over = {player: more for player, more in excess.items() if more > 0}
    between = sum(count for pair, count in due.items() if pair <= over.keys())
    total, left_out = sum(over.values()), max(over.values(), default=0)
    left_out = max(left_out, total - between, -(-total // 2))
    return min(sum(due.values()) - left_out, sum(len({*players}) // 2 for players in present))


class _Walk:
    """An order in the making. An edge is one game that is due; rounds count from 0."""

    def __init__(self, due: Mapping[Pair, int], present: Sequence[Collection[str]], lots: Lots) -> None:
        self._lots = lots
        pairs = sorted((pair for pair, count in due.items() if count > 0), key=sorted)
        self.edges = [pair for pair in lots.shuffled(pairs) for _ in range(due[pair])]
        self._present = [{*players} for players in present]
        # The game of each player in each round.
        self._at: list[dict[str, int]] = [{} for _ in present]
        self._round_of: dict[int, int] = {}
        self._open = [*range(len(self.edges))]

    @property
    def placed(self) -> int:
        return len(self._round_of)

    def snapshot(self) -> dict[int, int]:
        """Return the round of each game that has one."""
        return dict(self._round_of)

    def step(self) -> None:
        """Put an open game, by lot, into a round in which both its players are free, else one of them; now and then
        into any round, which leads out of a dead end."""
        edge = self._lots.choice(self._open)
        a, b = sorted(self.edges[edge])
        rounds = [number for number, players in enumerate(self._present) if a in players and b in players]
        busy = {number: (a in self._at[number]) + (b in self._at[number]) for number in rounds}
        most = min(busy.values(), default=0)
        if most and self._lots.below(_ANYWHERE) == 0:
            most = 2
        elif most == 2:
            return
        fit = [number for number in rounds if busy[number] <= most]
        if fit:
            self._put(edge, self._lots.choice(fit))

    def _put(self, edge: int, number: int) -> None:
        games = self._at[number]
        for other in {games[player] for player in self.edges[edge] if player in games}:
            for player in self.edges[other]:
                del games[player]
            del self._round_of[other]
            self._open.append(other)
        for player in self.edges[edge]:
            games[player] = edge
        self._round_of[edge] = number
        self._open.remove(edge)
