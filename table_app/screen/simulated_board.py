"""A board on the screen instead of a real one: its position, its clicks, and its picture.

It gives no hints and knows no rules: a click places a disc anywhere and flips what a hand would flip.
"""

from __future__ import annotations

from collections.abc import Callable

from flagfall.othello.board import START, Position
from flagfall.othello.inputs import Contact
from table_app.events import BoardPresence, BoardShown, BoardStream, BoardTouched, Event
from table_app.game.board_view import SCAN_LATE_NS
from table_app.screen.kit.player_face import Face
from table_app.screen.kit.scene import Fill, Hit, Meaning, Rect, Scene, Words
from table_app.screen.kit.widgets import Look, diagram


class Disc(Meaning, frozen=True):
    """A square of the simulated board."""

    square: int


def placed(before: Position, square: int, black: bool, flips: int) -> Position:
    """Return the position with a disc placed on an empty square, and the discs `flips` flipped."""
    placed_discs, other = before.discs(black) | flips | 1 << square, before.discs(not black) & ~flips
    return Position(placed_discs, other) if black else Position(other, placed_discs)


def flipped(before: Position, square: int) -> Position:
    return Position(before.black ^ 1 << square, before.white ^ 1 << square)


class SimulatedBoard:
    """A board whose discs are moved by the screen's thread, and which tells as a board port does. `misflip`: the next
    move leaves a disc unflipped; `by_hand`: a move flips nothing."""

    def __init__(self) -> None:
        self.position = START
        self.misflip = self.by_hand = False
        self._put: Callable[[Event], None] | None = None
        self._now_ns: Callable[[], int] = lambda: 0

    def start(self, put: Callable[[Event], None], now_ns: Callable[[], int]) -> None:
        self._put, self._now_ns = put, now_ns
        put(BoardPresence(now_ns(), True))
        self.ask_snapshot()

    def ask_snapshot(self) -> None:
        if self._put is not None:
            self._put(BoardShown(self._now_ns(), self.position))
            self.settled()

    def settled(self) -> None:
        """Tell that everything up to now has been told: after what this board tells, so that no verdict waits, and
        before every press, because the table waits 200 ms for a board, and a busy machine may lie longer in between.

        The table dates a board's events a little earlier than told; a click has no such delay, so it is dated later.
        """
        if self._put is not None:
            self._put(BoardStream(self._now_ns() + SCAN_LATE_NS))

    def set_up(self, position: Position) -> None:
        """Lay out the position of another game; no disc of it is to be left unflipped."""
        self.misflip = False
        self._become(position)

    def click(self, square: int, black: bool, remove: bool) -> None:
        """Lay, flip or remove a disc; `black` is the colour of the disc that a hand would lay now."""
        before = self.position
        lies = before.occupied >> square & 1
        if remove:
            if lies:
                self._become(before.with_squares(1 << square, Position(0, 0)))
        elif lies:
            self._become(flipped(before, square))
        else:
            if self._put is not None:
                self._put(BoardTouched(self._now_ns(), square, Contact.DISC))
            flips = 0 if self.by_hand else before.flips(black, square)
            if self.misflip:  # the last of them
                flips &= ~(1 << flips.bit_length() >> 1)
            self.misflip = False
            self._become(placed(before, square, black, flips))

    def key(self, name: str) -> None:
        """M: the next move leaves a disc unflipped; H: discs are flipped by hand."""
        if name == "m":
            self.misflip = not self.misflip
        elif name == "h":
            self.by_hand = not self.by_hand

    def _become(self, position: Position) -> None:
        self.position = position
        self.ask_snapshot()


def board_scene(simulated: SimulatedBoard, face: Face, rect: Rect, look: Look) -> Scene:
    """Return the board, and a short explanation of keys and clicks, and of whose keys they are."""
    px, words = look.px, look.words
    foot = px(74)
    board = rect.inset(px(8), 0).below(px(6)).top(rect.h - foot - px(8))
    modes = [words("The next move leaves a disc unflipped (M)")] if simulated.misflip else []
    modes += [words("Discs are flipped by hand (H)")] if simulated.by_hand else []
    owners = [look.owner(face.players.of(side)) for side in face.left_to_right]
    texts = (
        words("Click a square: move · a disc: flip it · right click: take it away"),
        words("F, left Shift: {left} · J, right Shift: {right}", left=owners[0], right=owners[1]),
        " · ".join(modes) or words("M: the next move leaves a disc unflipped · H: flip by hand"),
    )
    colours = ("muted", "muted", "alert" if modes else "muted")
    lines = [
        Words(place, text, px(15), colour, align="centre")
        for place, text, colour in zip(rect.inset(px(12), 0).foot(foot).rows(3), texts, colours, strict=True)
    ]
    return (Fill(rect, "paper"), *diagram(board, simulated.position, look, tap=Disc), *lines)


def square_of(hit: Hit | None) -> int | None:
    """Return the square a click on the simulated board hits."""
    return hit.tap.square if hit is not None and isinstance(hit.tap, Disc) else None
