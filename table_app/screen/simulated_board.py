"""A board on the screen instead of a real one: its position, its clicks, and its picture.

It gives no hints and knows no rules: a click places a disc anywhere and flips what a hand would flip.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from othello.board import START, Position, squares_of
from othello.inputs import Contact
from table_app.events import BoardPresence, BoardShown, BoardStream, BoardTouched, Event
from table_app.game.board_view import SCAN_LATE_NS
from table_app.screen.kit.player_face import Face
from table_app.screen.kit.scene import Fill, Hit, Rect, Scene, Tap, Words
from table_app.screen.kit.widgets import Look, diagram


@dataclass(frozen=True, slots=True)
class SimulatedDiscs:
    """The position of the simulated board. `misflip`: the next move leaves a disc unflipped; `by_hand`: a move flips
    nothing."""

    position: Position = START
    misflip: bool = False
    by_hand: bool = False


def placed(discs: SimulatedDiscs, square: int, black: bool) -> SimulatedDiscs:
    """A disc placed on an empty square, and the others flipped, except those that `misflip` leaves."""
    before = discs.position
    to_flip = 0 if discs.by_hand else before.flips(black, square)
    if discs.misflip:
        to_flip &= ~_forgotten(to_flip)
    bit = 1 << square
    own, other = before.discs(black) | to_flip | bit, before.discs(not black) & ~to_flip
    return replace(discs, position=Position(own, other) if black else Position(other, own), misflip=False)


def _forgotten(to_flip: int) -> int:
    """The disc left unflipped: the last of them."""
    return max((1 << square for square in squares_of(to_flip)), default=0)


def flipped(discs: SimulatedDiscs, square: int) -> SimulatedDiscs:
    bit, before = 1 << square, discs.position
    return replace(discs, position=Position(before.black ^ bit, before.white ^ bit))


def removed(discs: SimulatedDiscs, square: int) -> SimulatedDiscs:
    return replace(discs, position=discs.position.with_squares(1 << square, Position(0, 0)))


class SimulatedBoard:
    """A board whose discs are moved by the screen's thread, and which tells as a board port does."""

    def __init__(self) -> None:
        self.discs = SimulatedDiscs()
        self._put: Callable[[Event], None] | None = None
        self._now_ns: Callable[[], int] = lambda: 0

    def start(self, put: Callable[[Event], None], now_ns: Callable[[], int]) -> None:
        self._put, self._now_ns = put, now_ns
        put(BoardPresence(now_ns(), True))
        self.ask_snapshot()

    def ask_snapshot(self) -> None:
        if self._put is not None:
            self._put(BoardShown(self._now_ns(), self.discs.position))
            self.settled()

    def close(self) -> None:
        self._put = None

    def settled(self) -> None:
        """Everything up to now has been told; called after every touch and key, so that no verdict waits.

        The table dates a board's events a little earlier than told; a click has no such delay, so it is dated later.
        """
        if self._put is not None:
            self._put(BoardStream(self._now_ns() + SCAN_LATE_NS))

    def set_up(self, position: Position) -> None:
        """Sets up the start position and forgets all modes."""
        self._become(SimulatedDiscs(position, by_hand=self.discs.by_hand))

    def click(self, square: int, black: bool, remove: bool) -> None:
        """`black`: the colour of the disc that a hand would lay now."""
        bit = 1 << square
        lies = bool(self.discs.position.occupied & bit)
        if remove:
            if lies:
                self._become(removed(self.discs, square))
        elif lies:
            self._become(flipped(self.discs, square))
        else:
            if self._put is not None:
                self._put(BoardTouched(self._now_ns(), square, Contact.DISC))
            self._become(placed(self.discs, square, black))

    def key(self, name: str) -> None:
        """M: the next move leaves a disc unflipped; H: discs are flipped by hand."""
        if name == "m":
            self.discs = replace(self.discs, misflip=not self.discs.misflip)
        elif name == "h":
            self.discs = replace(self.discs, by_hand=not self.discs.by_hand)

    def _become(self, discs: SimulatedDiscs) -> None:
        self.discs = discs
        self.ask_snapshot()


def board_scene(discs: SimulatedDiscs, face: Face, rect: Rect, look: Look) -> Scene:
    """The board, and a short explanation of keys and clicks, and of whose keys they are."""
    px, words = look.px, look.words
    foot = px(74)
    board = rect.inset(px(8), 0).below(px(6)).top(rect.h - foot - px(8))
    modes = [words("The next move leaves a disc unflipped (M)")] if discs.misflip else []
    modes += [words("Discs are flipped by hand (H)")] if discs.by_hand else []
    owners = [
        look.player(side) if face.players is None else look.owner(face.players.of(side))
        for side in face.left_to_right
    ]
    told = (
        words("Click a square: move · a disc: flip it · right click: take it away"),
        words("F, left Shift: {left} · J, right Shift: {right}", left=owners[0], right=owners[1]),
        " · ".join(modes) or words("M: the next move leaves a disc unflipped · H: flip by hand"),
    )
    colours = ("muted", "muted", "alert" if modes else "muted")
    lines = [
        Words(place, text, px(15), colour, align="centre")
        for place, text, colour in zip(rect.inset(px(12), 0).foot(foot).rows(3), told, colours, strict=True)
    ]
    return (Fill(rect, "paper"), *diagram(board, discs.position, look, tap="disc"), *lines)


def square_of(hit: Hit | None) -> int | None:
    """The square a click on the simulated board hits."""
    return hit.tap.square if hit is not None and hit.tap == Tap("disc", square=hit.tap.square) else None
