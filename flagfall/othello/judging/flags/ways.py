"""The four ways in which a flag takes effect, each in a file: a rulebook has one of them (`FlagRule.takes_effect`)."""

from __future__ import annotations

from typing import Protocol

from flagfall.othello.game import Game
from flagfall.othello.inputs import Ruling
from flagfall.othello.judging.flags import at_once, claimed, confirmed, pointed_out
from flagfall.othello.rulebook import Rulebook
from flagfall.othello.side import Side


class Way(Protocol):
    """The functions that the file of each way has."""

    def fall(self, game: Game, side: Side) -> Game:
        """Return the game in which this player's flag has fallen now."""

    def point_out(self, game: Game, side: Side) -> Game:
        """Return the game after a player's word that this player's flag has fallen."""

    def confirm_default(self, game: Game, ruling: Ruling) -> Game:
        """Return the game after the director's word that a flag has fallen."""

    def count_before(self, game: Game, side: Side) -> Game:
        """Return a game whose discs are counted and whose last move was not complete when this player's flag fell."""


_WAYS: dict[str, Way] = {
    "at_once": at_once,
    "confirmed": confirmed,
    "pointed_out": pointed_out,
    "claimed": claimed,
}


def way_of(rules: Rulebook) -> Way:
    """Return the way in which a flag takes effect under this text."""
    return _WAYS[rules.flag.takes_effect]
