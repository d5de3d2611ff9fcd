"""Games of a file that names no rounds: each goes into the first round in which both its players are free."""

from __future__ import annotations

from typing import Generic, TypeVar

from hub.form.tournament import MOST_ROUNDS
from hub.model.games import OfTwo

_Game = TypeVar("_Game", bound=OfTwo)


class FreeRounds(Generic[_Game]):
    """`games`: those of each round, in the order in which they were taken."""

    def __init__(self) -> None:
        self.games: list[list[_Game]] = []
        self._taken: dict[str, int] = {}
        """By player: his rounds, as bits."""

    def take(self, game: _Game) -> bool:
        """False, and nothing is changed, where it would be in a round beyond `MOST_ROUNDS`."""
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
