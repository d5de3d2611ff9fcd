"""The live page of a board for its builder."""

from __future__ import annotations

from flagfall.link.board.messages import Raw
from flagfall.othello.board import START
from flagfall.othello.inputs import Contact
from table_app.board.monitor import BoardLive
from table_app.events import BoardFault, BoardPresence, BoardShown, BoardTouched


def test_before_a_board_is_found_the_page_says_so() -> None:
    assert BoardLive().page().startswith("looking for a board")


def test_squares_that_deserve_a_look_are_marked() -> None:
    live = BoardLive()
    live.event(BoardPresence(0, ok=True, identity="00000000000000b0"))
    live.event(BoardShown(0, START))
    counts = [0] * 64
    counts[27], counts[28], counts[35], counts[36] = -800, 820, 90, -790
    counts[0] = 155
    for wobble in range(40):
        live.raw(Raw((*counts[:63], 40 * (wobble % 2))))
    live.event(BoardTouched(0, 27, Contact.HAND))
    live.event(BoardFault(0, "sensor stuck at h8", 3))
    page = live.page()
    assert page.startswith("board 00000000000000b0")
    rows = page.splitlines()
    assert rows[9].split() == ["4", *["-", "+0"] * 3, "O", "-800", "X", "+820", *["-", "+0"] * 3]
    assert rows[10].split()[6:10] == ["~0", "m363", "~0", "m383"]
    assert "X +90!" in page, "a weak magnet"
    assert "- +155!" in page, "something beside an empty square"
    assert "- +20!" in page, "a noisy one"
    assert "~20 m123" in page
    assert "least margin: -347 counts under a disc, -12 counts empty" in page
    assert page.endswith("told: d4 touched: hand\ntold: sensor stuck at h8 (x3)")
    assert max(len(row) for row in rows) <= 80
    assert len(rows) <= 24
