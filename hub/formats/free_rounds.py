"""Games of a file that names no rounds: each goes into the first round in which both its players are free."""

from __future__ import annotations

from typing import Generic, TypeVar

from hub.form.tournament import MOST_ROUNDS
from hub.model.games import OfTwo

_Game = TypeVar("_Game", bound=OfTwo)


class FreeRounds(Generic[_Game]):
    """Rounds that games fill one by one."""

    def __init__(self) -> None:
        # The games of each round, in the order in which they were taken.
        self.games: list[list[_Game]] = []
        # Player -> their rounds, as bits.
        self._taken: dict[str, int] = {}

    def take(self, game: _Game) -> bool:
        """Put the game into its round and return True. Return False, and change nothing, if that would be beyond
        `MOST_ROUNDS`."""
        taken = self._taken.get(game.black, 0) | self._taken.get(game.white, 0)
        place = (~taken & (taken + 1)).bit_length() - 1
        if place >= MOST_ROUNDS:
            return False
        if place == len(self.games):
            self.games.append([])
        self.games[place].append(game)
        for player in game.players:
            self._taken[player] = self._taken.get(player, 0) | 1 << place
        return True
