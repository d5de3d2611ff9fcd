"""The picture of an eye during its set-up, with what the eye finds in it: one file beside the eye's port.

The eye replaces the file as a whole, the table's screen reads it; both run on one device, and nothing is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from flagfall.link.board.messages import Corners

# The port of an eye's service.
EYE_PORT = "/run/flagfall-eye/board"
# Of the file; a picture of 480 x 360 takes half of it.
LARGEST_BYTES = 1 << 20
LINES = 9

Share = Annotated[float, Meta(ge=-1, le=2)]
Side = Annotated[int, Meta(ge=1, le=480)]


@dataclass(frozen=True, slots=True)
class EyeView:
    """A picture of the board as the eye sees it."""

    width: Side
    height: Side
    pixels: Annotated[bytes, Meta(max_length=LARGEST_BYTES)]  # red, green, blue of `width` x `height`
    # The 81 crossings of the lines row by row, from the corner at the picture's top left, as shares of width
    # and height; empty if no board is found.
    grid: Annotated[tuple[tuple[Share, Share], ...], Meta(max_length=LINES * LINES)] = ()
    # The index of the corner, clockwise from that one, that the eye takes for a1's; `squares` are named
    # accordingly.
    a1: Annotated[int, Meta(ge=0, le=3)] = 0
    squares: Annotated[str, Meta(pattern=r"^[XO?-]{64}\Z")] = "?" * 64
    # the faults that keep the eye from reading a board well (`eye.fitness`)
    faults: tuple[Annotated[str, Meta(max_length=20)], ...] = ()
    start: bool = False  # the start position is seen

    @property
    def corners(self) -> Corners:
        """The four corners, clockwise from the picture's top left; empty if no board is found."""
        return tuple(self.grid[index] for index in (0, 8, 80, 72)) if self.grid else ()


def place_of(port: str) -> Path:
    """Return the view's file for the eye at this port."""
    return Path(f"{port}.view")


def packed(view: EyeView) -> bytes:
    return msgspec.msgpack.encode(view)


def unpacked(data: bytes) -> EyeView | None:
    """Return the view, None if the bytes are no view."""
    try:
        view = msgspec.msgpack.decode(data, type=EyeView)
    except (msgspec.DecodeError, RecursionError):
        return None
    whole = len(view.pixels) == 3 * view.width * view.height and len(view.grid) in (0, LINES * LINES)
    return view if whole else None
