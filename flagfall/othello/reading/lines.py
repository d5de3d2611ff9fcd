"""Lines of legal plies that lead from one board to another."""

from __future__ import annotations

from collections.abc import Iterable

from flagfall.othello.board import Position, squares_of

# Looked through at most to explain what is shown: eight plies on a readable board take a few hundred.
_MOST_POSITIONS = 5_000
# Discs of which nobody saw the order. Lines to more are not found within that limit: of 30 random ones to 18 discs,
# from any stage of a game, none; and a board that still bears the game before has up to 60.
_MOST_UNORDERED = 16


def line_to(
    before: Position, black: bool, shown: Position, order: Iterable[int] = (), seen: tuple[int, ...] = ()
) -> tuple[int | None, ...]:
    """Return legal plies (None: a pass the law demands) that place exactly the new discs and leave the board as
    shown; () if there are none.

    Of several lines the one that follows `order` best is returned, and none that does not begin with the squares `seen`
    to be taken first. A search that exceeds its limit, or would, returns ().
    """
    placed = shown.discs_on(before.empty)
    if not all(placed >> square & 1 for square in seen):
        return ()
    squares = [square for square in order if placed >> square & 1]
    unordered = [square for square in squares_of(placed) if square not in squares]
    if len(set(unordered) - set(seen)) > _MOST_UNORDERED:
        return ()
    squares += unordered
    looked_at = 0

    def follow(position: Position, side: bool, left: int) -> tuple[int | None, ...] | None:
        nonlocal looked_at
        looked_at += 1
        if looked_at > _MOST_POSITIONS:
            return None
        if not left:
            return None if position.differences(shown) else ()
        legal = position.legal(side)
        if not legal:
            rest = follow(position, not side, left) if position.legal(not side) else None
            return None if rest is None else (None, *rest)
        made = (placed & ~left).bit_count()
        for square in seen[made : made + 1] or squares:
            if (left & legal) >> square & 1:
                rest = follow(position.played(side, square), not side, left & ~(1 << square))
                if rest is not None:
                    return (square, *rest)
        return None

    return (follow(before, black, placed) or ()) if placed else ()


def lines_to(
    before: Position, black: bool, shown: Position, plies: int
) -> list[tuple[int | None, ...]] | None:
    """Return all lines of exactly `plies` legal plies (None: a pass) that lead to the board as shown, at most two of
    them.

    Passes are made only where the law demands them. Unreadable squares fit anything. None: they leave too much to
    search, and a blind board must not hold up the table.
    """
    lines: list[tuple[int | None, ...]] = []
    candidates, lying, empty = shown.occupied, shown.black | shown.white, shown.empty
    looked_at = 0

    def follow(position: Position, side_black: bool, line: tuple[int | None, ...]) -> None:
        nonlocal looked_at
        looked_at += 1
        if len(lines) > 1 or looked_at > _MOST_POSITIONS or position.occupied & empty:
            return
        left = plies - len(line)
        if not left:
            if not position.differences(shown):
                lines.append(line)
            return
        missing = lying & position.empty
        if missing.bit_count() > left:
            return
        legal = position.legal(side_black)
        if not legal:
            if position.legal(not side_black):
                follow(position, not side_black, (*line, None))
            return
        for square in squares_of(legal & candidates):
            follow(position.played(side_black, square), not side_black, (*line, square))

    follow(before, black, ())
    return lines if looked_at <= _MOST_POSITIONS else None
