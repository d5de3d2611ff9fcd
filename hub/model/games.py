"""Games of rounds and of finals, the rounds that hold them, and pairings that are fixed beforehand.

Scores are discs, black first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field

from othello.reason import Reason

OPEN, WOMEN, YOUNG, DIVISION = "open", "women", "young", "division:"
"""The titles of finals; a division's name follows the last."""

_WITHOUT_MOVES = frozenset((Reason.FORFEIT, Reason.SECOND_FLAG))


class OfTwo:
    """What two players meet in: `black` and `white` are their ids."""

    __slots__ = ()
    black: str
    white: str

    @property
    def players(self) -> tuple[str, str]:
        """Black's id, and White's."""
        return self.black, self.white


@dataclass(frozen=True)
class Game(OfTwo):
    """A game of a round. `score` is (black, white), or None while it is being played."""

    black: str
    white: str
    score: tuple[int, int] | None = None
    reason: str = "board"
    table: int | None = None
    _: KW_ONLY
    transcript: str = ""
    error_stands: bool = False  # its table's record has an error that was not put right
    no_show: bool | None = None  # its table's report, of a game without moves: True if nobody has moved
    discs: str = ""  # "unknown": a file says who has won, and not by how many
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)

    @property
    def is_no_show(self) -> bool:
        """One or both never came: forfeited, or lost on time, and nobody moved. Without a table's report a forfeit
        without moves on record is one."""
        if self.reason not in _WITHOUT_MOVES or self.transcript:
            return False
        return self.reason == Reason.FORFEIT if self.no_show is None else self.no_show


@dataclass(frozen=True)
class Round:
    games: tuple[Game, ...] = ()
    byes: tuple[str, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)

    @property
    def players(self) -> tuple[str, ...]:
        """Everybody with a place in it: game by game, then the byes."""
        return (*(player for game in self.games for player in game.players), *self.byes)


@dataclass(frozen=True)
class FinalGame(OfTwo):
    """A game of playoffs or finals. `draw_win` is the id of the player who wins a draw."""

    title: str
    stage: str
    black: str
    white: str
    score: tuple[int, int] | None = None
    draw_win: str | None = None
    reason: str = "board"
    _: KW_ONLY
    transcript: str = ""
    error_stands: bool = False  # its table's record has an error that was not put right
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Pin(OfTwo):
    """A pairing of the next round that the director has fixed; `table` None: any."""

    black: str
    white: str
    table: int | None = None
