"""The reading of the turn in hand: the squares and owners of new discs, from every position that the turn may have
begun with.

Nothing is guessed: `undecided` says that unreadable squares leave more than one answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flagfall.othello.board import Position, squares_of
from flagfall.othello.game import Game, State
from flagfall.othello.judging.record import MOVES_AGAIN, charge_out_of_turn, open_errors, put_right
from flagfall.othello.side import Side
from flagfall.othello.value import replace


def read(game: Game, shown: Position | None = None) -> Reading:
    """Return the turn as the board shows it: from how it lay, from the turn's beginning, or with the last move
    mended."""
    turn, shown = game.turn, game.shown if shown is None else shown
    # Without `began` a disc turned over after his touch, and put back since, would be his misflip.
    bases = [base for base in (turn.lay, game.before, turn.began) if base is not None]
    mended = put_right(game, shown)
    if mended and game.last is not None:
        bases.append(game.before.with_squares(mended, game.last.right))
    if astray := _left_lying(game, shown):
        bases = [base.with_squares(astray, shown) for base in bases]
    if game.start_to_mend:
        bases.append(game.before.with_squares(game.start_to_mend, game.start))
    if moved_out_of_turn(game, shown) is not None:
        return Reading(game.lies, shown)
    if (interrupted := interrupted_by(game)) is not None:
        bases.append(interrupted)
    first = turn.binding[:1] if turn.disc_down is None else (turn.disc_down,)
    unique = tuple(dict.fromkeys(bases))
    order = (*first, *turn.placed)
    black = game.plays_black(game.to_move)
    seen = _seen(game, shown)
    reading = read_turn(unique, shown, black, order, lifted=turn.lifted, seen=seen)
    lying = game.start_to_mend & ~game.start.occupied & shown.occupied
    if not reading.line and reading.square is not None and lying >> reading.square & 1:
        # A disc too many at the start is no move, unless all is flipped for it.
        unique = tuple(base for base in unique if base != bases[-1])
        reading = read_turn(unique, shown, black, order, lifted=turn.lifted, seen=seen)
    whole_move = reading.exact and reading.square is not None
    if reading.base == turn.began and reading.square not in turn.touched and not whole_move:
        # His touch of another square has accepted the board as it lay then (woc-2019 IV.5.2).
        reading = read_turn((game.before,), shown, black, order, lifted=turn.lifted)
    if reading.square is None and reading.early is not None and answers_wrong_colour(game):
        # Not the opponent's answer to a pass: the player goes on with the colour left to him (usoa 7.3).
        return Reading(reading.base, shown, reading.early, exact=reading.exact)
    if reading.line:
        return reading
    if missing := game.start_to_mend & game.start.occupied & shown.empty:
        # Whoever moves as if the disc that is missing lay there is not accused of it.
        line = line_to(bases[-1], black, shown.unknown_at(missing), order)
        if line:
            return legal_reading(bases[-1], black, line)
    if answered := _answered(game, unique, shown):
        return answered
    reversed_colours = None if reading.whole(black) else _with_colours_reversed(game, unique, shown, order)
    return reversed_colours or reading


def _seen(game: Game, shown: Position) -> tuple[int, ...]:
    """Return the squares of the new discs in the order in which they were seen to come down, one by one, as far as that
    is certain. It begins with a disc of the mover's colour that lay alone: the turn began with it."""
    free = game.before.empty & ~_left_lying(game, shown)
    squares: list[int] = []
    taken = 0
    for board in game.turn.laid:
        discs = board.discs_on(free)
        new = discs & ~taken
        if taken & ~discs or not new & shown.occupied or new & (new - 1):
            break
        if not squares and not new & board.discs(game.plays_black(game.to_move)):
            break
        squares.append(new.bit_length() - 1)
        taken = discs
    return tuple(squares)


def _with_colours_reversed(
    game: Game, bases: tuple[Position, ...], shown: Position, order: tuple[int, ...]
) -> Reading | None:
    """Read a disc of the improper colour to which the opponent answered with another before the press (usoa 5.9,
    7.3)."""
    if not game.rules.twice_wrong_reverses:
        return None
    black = not game.plays_black(game.to_move)
    for base in bases:
        line = line_to(base, black, shown, order)
        if len(line) > 1 and None not in line[:2]:
            return legal_reading(base, black, line)
    return None


def _answered(game: Game, bases: tuple[Position, ...], shown: Position) -> Reading | None:
    """Read a turn in which the mover's disc lay alone when another came down.

    A disc of the opponent's colour is an answer if it is legal on the board as it lay and discs were flipped for it,
    even after a move that was not complete: later errors are not the mover's. Other discs of the turn are the mover's
    (woc-2019 IV.3); beside a whole move, while the opponent has one too, those of the opponent are doubtful. Discs
    that lay there before the turn began wait for the player in whose turn they were laid.
    """
    if not game.turn.laid:
        return None
    lone, following, *later = (*game.turn.laid, shown)
    black = game.plays_black(game.to_move)
    move = read_turn(bases, lone, black, lifted=game.turn.lifted)
    new = following.discs_on(lone.empty)
    if move.square is None or shown.empty >> move.square & 1 or not new or new & (new - 1):
        return None
    square, theirs = new.bit_length() - 1, bool(new & following.discs(not black))
    answered = move.line and lone.legal(not black)
    whole = not lone.played(black != theirs, square).differences(following)
    answer = square if theirs and lone.legal(not black) & new else None
    flipped = answer is not None and lone.flips(not black, square) & following.discs(not black)
    # Whoever presses once their disc is down has moved, whatever was flipped; so have they if the mover goes on.
    pressed_on = game.turn.pressed_on
    pressed = answer is not None and pressed_on is not None and bool(new & pressed_on.discs(not black))
    goes_on = bool(later) and bool(later[0].discs_on(following.empty) & later[0].discs(black))
    if new & game.turn.lay_before:
        if (answered and (theirs or whole)) or answer is not None:
            return Reading(move.base, lone, move.square, answer, exact=move.exact)
    elif pressed or (flipped and (answered or whole or goes_on)):
        return Reading(move.base, lone, move.square, answer, exact=move.exact)
    others = shown.discs_on(lone.empty)
    if answered and not others & shown.discs(black) and not lone.differences(shown.without(others)):
        return Reading(move.base, lone, move.square, exact=move.exact, doubtful=others)
    return None


def moved_out_of_turn(game: Game, shown: Position) -> int | None:
    """Return the square of the only new disc if the opponent has moved there on the time of the player to move, where
    the rulebook lets that be put right (jof J5).

    A disc alone could be one of the mover's, the wrong way up: the opponent has begun to flip for it, or no move of
    the mover's is possible there.
    """
    if game.rules.out_of_turn == "reported" or not game.reads_board or game.owed:
        return None
    black = game.plays_black(game.to_move)
    for base in (game.lies,) if game.turn.while_stopped else (game.lies, game.before):
        legal, new = base.legal(black), shown.discs_on(base.empty)
        if not legal or not new or new & (new - 1) or not new & shown.discs(not black):
            continue
        square = new.bit_length() - 1
        flips, turned = base.flips(not black, square), base.differences(shown) & ~new
        if flips and not turned & ~flips and (turned or not legal & new):
            return square
    return None


def charge_moved_out_of_turn(game: Game) -> Game:
    """Charge the opponent with the move that lies there out of turn, if there is one, once somebody speaks of it or
    the player to move goes on from it."""
    square = moved_out_of_turn(game, game.shown) if game.state is State.RUNNING else None
    return game if square is None else charge_out_of_turn(game, square, game.shown)


def interrupted_by(game: Game) -> Position | None:
    """Return the board with the opponent's move out of turn, if that lay there before any disc of the mover's."""
    lone = next(iter(game.turn.laid), None)
    return lone if lone is not None and moved_out_of_turn(game, lone) is not None else None


def _left_lying(game: Game, shown: Position) -> int:
    """Return doubtful discs that lie there still and for which the mover has flipped nothing: no move of theirs."""
    doubtful, last = game.turn.doubtful & shown.occupied, game.last
    if not doubtful or last is None or last.left is None:
        return 0
    black = game.plays_black(game.to_move)
    # What came down since may have turned over again what he flipped.
    boards = (shown, *game.turn.laid[:1])
    turned = [last.left.differences(board) & board.discs(black) for board in boards]
    taken_up = sum(
        1 << square
        for square in squares_of(doubtful)
        if any(game.before.flips(black, square) & flips for flips in turned)
    )
    return doubtful & ~taken_up


def answers_wrong_colour(game: Game) -> bool:
    """Tell whether the move before was of the improper colour and stands; another such reverses the colours (usoa
    7.3)."""
    last = game.last
    return (
        game.rules.twice_wrong_reverses
        and last is not None
        and last.wrong_colour
        and last.by is not game.to_move
    )


def see_disc(game: Game) -> Game:
    """Record where the new discs lie now, and in which order they came down."""
    if not game.reads_board or game.owed or game.over:
        return game
    settled = game.shown.without(game.turn.dropped)
    reading = read(game, settled)
    down, laid = reading.square, game.turn.laid
    discs = settled.discs_on(game.before.empty & ~_left_lying(game, settled))
    others = max(0, discs.bit_count() - 1)
    laid = (*laid[:others], settled) if discs and len(laid) >= others else laid[:others]
    placed = tuple(square for square in game.turn.placed if discs >> square & 1)
    placed += tuple(square for square in squares_of(discs) if square not in placed)
    if (down, placed, laid) == (game.turn.disc_down, game.turn.placed, game.turn.laid):
        return game
    return replace(game, turn=replace(game.turn, disc_down=down, placed=placed, laid=laid))


def can_only_pass(game: Game, by: Side) -> bool:
    """Tell whether a player has no legal move on the board as it lies, nor with a misflip put right (IV.4; usoa 5.8).

    After any other error its player would move again: its correction gives the other no move.
    """
    black, last = game.plays_black(by), game.last
    if game.lies.legal(black):
        return False
    flips_wrong = any(game.incidents[n].error not in MOVES_AGAIN for n in open_errors(game))
    return not (flips_wrong and last is not None and last.right.legal(black))


# Looked through at most to explain what is shown: eight plies on a readable board take a few hundred.
_MOST_POSITIONS = 5_000


@dataclass(frozen=True, slots=True)
class Reading:
    """A turn as a position shows it."""

    # The position the turn is read from.
    base: Position
    # The board as the mover left it; squares that early answers may have changed since are unknown.
    left: Position
    # The mover's new disc; None: no new disc.
    square: int | None = None
    # The opponent's new disc, answering before the press; alone it answers a pass that is still owed.
    early: int | None = None
    # All plies (None: a pass) where they are legal in that order and leave the board as shown; `square` and `early`
    # are its first two.
    line: tuple[int | None, ...] = ()
    # The readable squares leave more than one answer.
    undecided: bool = False
    # Nothing else lies there, but perhaps the wrong colour up.
    exact: bool = False
    # Discs of the opponent's colour beside a whole move, for which nothing was flipped: nobody knows who laid them.
    doubtful: int = 0

    @property
    def followed(self) -> bool:
        """Whether another ply lies there after the mover's."""
        return self.early is not None or len(self.line) > 1

    @property
    def answers(self) -> tuple[int, ...]:
        """The squares of all that the opponent has answered before the press."""
        squares = self.line[1::2] if self.line else (self.early,)
        return tuple(square for square in squares if square is not None)

    def rest(self) -> Reading:
        """Return the reading of the plies after the first one of a legal line."""
        left, square = self.left, self.square
        # Only who has a move can follow a pass.
        black = bool(left.legal(True)) if square is None else not left.black >> square & 1
        return legal_reading(left, black, self.line[1:])

    def whole(self, black: bool) -> bool:
        """Tell whether there is a legal move, and what is read as the mover's is as it leaves the board."""
        base, square = self.base, self.square
        if square is None or not base.legal(black) >> square & 1:
            return False
        return not base.played(black, square).differences(self.left)


def read_turn(
    bases: tuple[Position, ...],
    shown: Position,
    black: bool,
    order: tuple[int, ...] = (),
    *,
    lifted: Position | None = None,
    seen: tuple[int, ...] = (),
) -> Reading:
    """Read the turn of the mover (`black`: whether their discs are black).

    `bases` are the positions that the turn may have begun with, the likeliest first: the first one from which legal
    moves lead to the board as shown explains it; if none does, one where the move is legal at all. `order`: the
    square that binds the mover and new discs in the order they came down, as far as it is known; it settles the
    owners of the discs. `lifted`: the board with discs taken off it, on whose squares others lie now: one of them may
    be the move. `seen`: the squares that the first plies took, as far as that is certain.
    """
    for base in bases:
        line = line_to(base, black, shown, order, seen)
        if line:
            return legal_reading(base, black, line)
    if lifted is not None:
        line = line_to(lifted, black, shown)
        if len(line) == 1:
            return legal_reading(lifted, black, line)
        if bases[0].legal(black):
            turned = bases[-1].occupied & bases[-1].differences(shown)
            bases = (*bases, lifted) if lifted.empty & turned else bases
    readings = [_faulty(base, shown, black, order) for base in bases]
    placed = [(reading, reading.square) for reading in readings if reading.square is not None]
    for reading, square in placed:
        if square in (seen[:1] or (square,)) and reading.whole(black):
            # But for what is the opponent's or nobody's all is as it should be: no other reading accuses anybody.
            return reading
    for reading, square in placed:
        if not reading.base.played(not black, square).differences(shown):
            # A disc of the wrong colour, but for that a move.
            return replace(reading, exact=True)
    for reading, square in placed:
        its_black = black if shown.unknown >> square & 1 else bool(shown.black >> square & 1)
        if reading.base.legal(its_black) >> square & 1:
            return reading
    if not placed:
        # Discs turned before the press may be the flips of one that cannot be read.
        return next((reading for reading in readings if reading.undecided), readings[0])
    return readings[0]


def legal_reading(base: Position, black: bool, line: tuple[int | None, ...]) -> Reading:
    """Return the reading of plies that are legal in this order and leave the board as shown."""
    first = line[0]
    left = base if first is None else base.played(black, first)
    return Reading(base, left, first, line[1] if len(line) > 1 else None, line, exact=True)


def _faulty(before: Position, shown: Position, black: bool, order: tuple[int, ...]) -> Reading:
    """Read a board that is not exactly a line of legal moves."""
    placed = shown.discs_on(before.empty)
    if not placed:
        return _through_gaps(before, shown, black)
    if placed & (placed - 1) == 0:
        square = placed.bit_length() - 1
        flips = before.flips(not black, square)
        if placed & shown.discs(not black) and not before.legal(black) and flips:
            if not flips & shown.discs(not black):
                return Reading(before, shown.without(placed), doubtful=placed)
            return Reading(before, shown.unknown_at(placed | flips), early=square)
        return Reading(before, shown, square)
    return _by_colour(before, shown, black, placed, order)


def _through_gaps(before: Position, shown: Position, black: bool) -> Reading:
    """Read a board without a new disc; one may lie under an unreadable square."""
    gaps = shown.unknown & before.empty
    if not gaps:
        return Reading(before, shown)
    legal = before.legal(black) & gaps
    fitting = [square for square in squares_of(legal) if not before.played(black, square).differences(shown)]
    if not fitting:
        return Reading(before, shown, undecided=bool(before.differences(shown)))
    if len(fitting) == 1 and before.differences(shown):
        return Reading(before, shown, fitting[0])
    return Reading(before, shown, undecided=True)


def _by_colour(
    before: Position, shown: Position, black: bool, placed: int, order: tuple[int, ...]
) -> Reading:
    """Read several new discs that make no legal pair: one is the mover's move, and another an answer only if
    something was flipped for it. All other discs of the turn are the mover's too (woc-2019 IV.3)."""
    square = _move_among(before, shown, black, placed, order)
    rest = placed & ~(1 << square)
    others = rest & shown.discs(not black)
    if others != rest or others & (others - 1):
        return Reading(before, shown, square)
    answer = others.bit_length() - 1
    flipped = before.flips(black, square)
    right = before.played(black, square) if flipped else before
    # The answer was made to the board as the mover had left it, which may not have been right.
    by_answer = right.flips(not black, answer) | right.with_squares(flipped, shown).flips(not black, answer)
    # The mover's own disc, the wrong way up, is none of the answer's flips.
    if by_answer & ~(flipped | 1 << square) & right.differences(shown) & shown.discs(not black):
        return Reading(before, shown.unknown_at(by_answer | others), square, answer)
    alone = shown.without(others)
    if by_answer and flipped and not right.differences(alone):
        return Reading(before, alone, square, exact=True, doubtful=others)
    return Reading(before, shown, square)


def _move_among(before: Position, shown: Position, black: bool, placed: int, order: tuple[int, ...]) -> int:
    """Return the mover's move among several new discs: the one that explains all but the others, else one known to be
    the mover's, else by its colour one that they may play, else the first that came down."""
    coloured, legal, known = (
        placed & shown.discs(black),
        before.legal(black),
        placed & (1 << order[0] if order else 0),
    )
    astray = {
        square: before.played(black, square).differences(shown.without(placed & ~(1 << square))).bit_count()
        for square in squares_of(coloured & legal)
    }
    whole = sum(1 << square for square, wrong in astray.items() if not wrong)
    least = sum(1 << square for square, wrong in astray.items() if wrong == min(astray.values()))
    pool = whole or known & legal or least or known or coloured or placed
    return next((square for square in order if pool >> square & 1), next(squares_of(pool)))


def line_to(
    before: Position, black: bool, shown: Position, order: Iterable[int] = (), seen: tuple[int, ...] = ()
) -> tuple[int | None, ...]:
    """Return legal plies (None: a pass the law demands) that place exactly the new discs and leave the board as
    shown; () if there are none.

    Of several lines the one that follows `order` best is returned, and none that does not begin with the squares `seen`
    to be taken first. A search that exceeds its limit returns ().
    """
    placed = shown.discs_on(before.empty)
    if not all(placed >> square & 1 for square in seen):
        return ()
    squares = [square for square in order if placed >> square & 1]
    squares += [square for square in squares_of(placed) if square not in squares]
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
