"""The form of a board that was photographed: its squares as they were read or tapped, and what they count."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from starlette.requests import Request

from flagfall.othello.rulebook import Rulebook
from hub.desk.forms import Form, read_form
from hub.model.games import Score
from hub.photographs import LARGEST_BYTES, Photographs, TryAgain
from hub.record.seen_boards import SQUARES, counted, read_squares
from hub.text import Refused

if TYPE_CHECKING:
    from hub.photographs import Corners

# What a tap makes of a square, again and again.
_NEXT = {"?": "X", "X": "O", "O": "-", "-": "X"}
_CORNER = re.compile(r"-?\d{1,2}(?:\.\d{1,6})?\Z")


class BoardForm(msgspec.Struct, frozen=True):
    """A board as a page shows it to be mended and reported."""

    # 64 characters from the picture's top left, "" if no board was found in it.
    squares: str
    # The corners of the board as shares of the picture, "x,y x,y x,y x,y"; "" if nobody knows.
    corners: str = ""
    # The picture, made small, as an address with its data; "" if it is gone.
    picture: str = ""

    @property
    def unknown(self) -> int:
        """The number of squares that nobody has read."""
        return self.squares.count("?")

    @property
    def goes_on(self) -> bool:
        """Return whether somebody can still move: a board in play is counted for nobody."""
        return bool(self.squares) and not self.unknown and not read_squares(self.squares).over()

    def score(self, law: Rulebook) -> Score | None:
        """Return what the board counts, Black's first; None while it may not be counted."""
        if not self.squares or self.unknown or self.goes_on:
            return None
        return counted(read_squares(self.squares), law)

    @property
    def rows(self) -> list[str]:
        return [self.squares[at : at + 8] for at in range(0, SQUARES, 8)]


async def read_photograph_form(
    photographs: Photographs,
    request: Request,
    sender: str,
    *,
    of_many: bool,
    check: Callable[[Form], None] = lambda form: None,
) -> tuple[Form, BoardForm]:
    """Return a form with a picture, and the board in it. The picture is let in when its sender has a turn, and is held
    nowhere when this returns. `check` refuses a form before its picture is looked at."""
    try:
        with photographs.turn(sender, of_many=of_many):
            form = await read_form(request, LARGEST_BYTES)
            check(form)
            # A camera's picture or a chosen one: two fields of one form.
            files = [
                file.data for name in ("taken", "chosen") if (file := form.files.get(name)) and file.data
            ]
            if len(files) != 1:
                raise Refused("Send one picture at a time.", field="picture")
            seen = await photographs.read(files[0], _corners_of(form.typed("corners")))
    except TryAgain:
        async for _ in request.stream():
            pass  # a browser that still sends does not read the answer
        raise
    corners = " ".join(f"{x:.4f},{y:.4f}" for x, y in seen.corners)
    data = base64.b64encode(seen.shown).decode()
    fields = msgspec.structs.replace(form, files={})
    return fields, BoardForm(seen.squares, corners, f"data:image/jpeg;base64,{data}")


def board_of_form(form: Form) -> BoardForm:
    """Return the board of a form, with the square changed that was tapped."""
    squares = form.typed("board")
    read_squares(squares)
    if form.typed("tap"):
        at = form.integer("tap", 0, SQUARES - 1)
        squares = squares[:at] + _NEXT[squares[at]] + squares[at + 1 :]
    corners = form.typed("corners")
    return BoardForm(squares, corners if _corners_of(corners) else "")


def _corners_of(text: str) -> Corners | None:
    """Return the corners that somebody has dragged, None without any. Raise Refused for anything else."""
    if not text:
        return None
    numbers = re.split("[ ,]", text)
    if len(numbers) != 8 or not all(map(_CORNER.match, numbers)):
        raise Refused("Drag the four corners onto those of the board, then read it again.", field="corners")
    shares = [float(number) for number in numbers]
    if not all(math.isfinite(share) and -1 <= share <= 2 for share in shares):
        raise Refused("Drag the four corners onto those of the board, then read it again.", field="corners")
    return tuple(zip(shares[::2], shares[1::2], strict=True))
