"""A turn at a table whose board is read: touches, what the board shows, and the press that makes the move."""

from __future__ import annotations

from othello.board import START, Position
from othello.corrections import (
    MOVES_AGAIN,
    answers_wrong_colour,
    mended_after_the_end,
    open_correction,
    press_after_misflip,
    read,
    see_disc,
    take_back,
    without,
)
from othello.ending import end_if_over, remember_press
from othello.entering import catch_up, count_press, tell_out_of_discs
from othello.game import Game, Incident, IncidentType, Ply, State, Turn
from othello.inputs import Contact, ErrorKind, Press, Shown, Touch
from othello.reading import Reading, legal_reading
from othello.record import accept, note, note_disturbed, note_error, open_errors, put_right
from othello.refusals import RefusedError
from othello.side import Side
from othello.value import replace


def touched(game: Game, one: Touch, at_ns: int) -> Game:
    """First contact with a square: a legal one binds the player (woc-2019 IV.4, usoa 3.8) and accepts the position.

    Those touched after it are kept: the next one binds if the judge rules the first unintentional.
    """
    if not game.reads_board:
        raise RefusedError("no_board_now")
    correction = game.correction
    if game.state is State.CORRECTING and (
        game.header.judged or correction is None or correction.kind not in MOVES_AGAIN
    ):
        return game
    if game.owed or game.absent is Side.WHITE:
        return game
    if one.contact is Contact.DROPPED:
        return replace(game, turn=replace(game.turn, dropped=game.turn.dropped | 1 << one.square))
    if game.turn.disc_down is not None:
        return _touched_early(game, one)
    mover, turn, last = game.to_move, game.turn, game.last
    if not _binds(game, one, mover):
        return game
    if game.state is State.CORRECTING:
        if last is None or not last.before.legal(game.plays_black(mover)) >> one.square & 1:
            return game
        return replace(game, last=replace(last, touched=_and(last.touched, one.square)))
    if turn.touched:
        more = _and(turn.touched, one.square) if game.legal(mover) >> one.square & 1 else turn.touched
        return replace(game, turn=replace(turn, touched=more))
    committed, accepted = accept(game, turn.lay or game.before, at_ns)
    if not committed.legal(mover) >> one.square & 1:
        return game
    return replace(committed, turn=replace(turn, touched=(one.square,), began=game.before, accepted=accepted))


def _and(touched: tuple[int, ...], square: int) -> tuple[int, ...]:
    return touched if square in touched else (*touched, square)


def _binds(game: Game, one: Touch, mover: Side) -> bool:
    if one.contact.value not in game.rules.touch_binds:
        return False
    return one.contact is Contact.DISC or game.header.hands_commit.of(mover)


def _touched_early(game: Game, one: Touch) -> Game:
    """Once the mover's disc is down only an opponent who may answer before the press can commit himself (usoa 5.9)."""
    other = game.to_move.other
    if game.rules.opponents_time != "allowed" or not _binds(game, one, other):
        return game
    if game.turn.early_commit is None and game.shown.legal(game.plays_black(other)) >> one.square & 1:
        return replace(game, turn=replace(game.turn, early_commit=one.square))
    return game


def shown(game: Game, one: Shown, at_ns: int) -> Game:
    """The board has settled; the last position before a press makes the move."""
    if not game.reads_board:
        raise RefusedError("no_board_now")
    was, game = game.board, replace(game, board=one.position)
    if game.over:
        return mended_after_the_end(game, at_ns)
    game = replace(game, shown=one.position)
    if game.correction is not None:
        return game
    if game.state is State.WAITING:
        starts = one.position.occupied == START.occupied and not one.position.unknown
        return replace(game, before=one.position) if starts else game
    if game.owed:
        return see_disc(catch_up(game, at_ns))
    return _see_early(see_disc(_lay(game, was)), at_ns)


def _lay(game: Game, was: Position) -> Game:
    """How the board lies before the mover's disc is down: he accepts it as it is when he commits himself.

    While the clocks stand nobody moves: a disc that changes then is no part of a move in hand either.
    """
    base = game.turn.lay or game.before
    settled = without(game.shown, game.turn.dropped).known_through(base)
    if game.state is State.STOPPED:
        changed = was.differences(settled) & (base.occupied | game.before.occupied)
        lay = base.with_squares(changed, settled)
    elif game.turn.touched or (settled.black | settled.white) & base.empty & game.before.empty:
        return game
    else:
        lay = settled
    put_back = base.empty & game.before.occupied & lay.occupied
    return replace(game, turn=replace(game.turn, lay=lay, lifted=base if put_back else game.turn.lifted))


def _see_early(game: Game, at_ns: int) -> Game:
    """Reports a move made on the opponent's time where the text forbids it or is silent (woc-2019 IV.4)."""
    if game.rules.opponents_time == "allowed" or game.turn.early_reported or game.state is not State.RUNNING:
        return game
    reading = read(game)
    if reading.early is None:
        return game
    game = note(
        game,
        Incident(at_ns, IncidentType.MOVED_ON_OPPONENTS_TIME, game.to_move.other, 1 << reading.early),
    )
    return replace(game, turn=replace(game.turn, early_reported=True))


def press_waiting(game: Game, one: Press, at_ns: int) -> Game:
    """After the director's signal White's press starts Black's clock (usoa 5.6).

    Where it was forgotten the first press of either starts the clocks, and the moves that lie there are read.
    """
    if not game.armed:
        return press_out_of_turn(game, one, at_ns)
    begun = replace(game, state=State.RUNNING, clock=game.clock.run(one.by, at_ns))
    if not game.reads_board:
        return press_running(begun, one, at_ns) if one.by is Side.BLACK else _started(begun, at_ns)
    begun = note_disturbed(replace(begun, before=START), START.differences(game.before), at_ns)
    begun = see_disc(replace(begun, before=game.before))
    reading = read(begun)
    if one.by is Side.BLACK:
        # Without a move of his it is no start.
        return (
            press_running(begun, one, at_ns)
            if reading.square is not None
            else (press_out_of_turn(game, one, at_ns))
        )
    if reading.line[1:2] in ((), (None,)):
        return _started(begun, at_ns)
    return press_running(_count_plies(begun, reading, 1, at_ns), one, at_ns)


def _started(game: Game, at_ns: int) -> Game:
    return replace(game, clock=game.clock.run(Side.BLACK, at_ns))


def press_out_of_turn(game: Game, one: Press, at_ns: int) -> Game:
    return note(game, Incident(at_ns, IncidentType.PRESS_OUT_OF_TURN, one.by))


def press_running(game: Game, one: Press, at_ns: int) -> Game:
    """The running player's press stops his clock at that instant, whatever is found then."""
    if one.by is not game.clock.running:
        return _press_by_the_other(game, one, at_ns)
    if game.absent is Side.WHITE:
        return replace(game, clock=game.clock.run(Side.BLACK, at_ns), absent=None)
    game = replace(
        game,
        absent=None,
        clock=game.clock.run(one.by.other, at_ns),
    )
    if game.owed or not (game.reads_board or _whole_move_shown(game)):
        return count_press(remember_press(_moved_on(game, one.by), at_ns), at_ns)
    game = remember_press(game, at_ns)
    if one.by is not game.to_move:
        # His move was counted already, or he only stops his own clock (usoa 5.9, 6.5).
        return game
    return _make(game, one.by, at_ns)


def _moved_on(game: Game, by: Side) -> Game:
    """`by` has moved: a fallen flag of the other that nobody has spoken of is gone unnoticed (usoa 6.4)."""
    other = by.other
    if not game.unconfirmed.of(other) or game.noticed.of(other) is not None:
        return game
    return replace(game, noticed=game.noticed.with_(other, False))


def _whole_move_shown(game: Game) -> bool:
    """The board was lost, but only after the whole move had been read."""
    if not game.header.sensors or game.clock.running is not game.to_move.other:
        return False
    reading = read(game)
    if reading.square is None or reading.early is not None:
        return False
    black = game.plays_black(game.to_move)
    if not game.legal(game.to_move) >> reading.square & 1 or game.shown.unknown:
        return False
    return not game.before.played(black, reading.square).differences(game.shown)


def _press_by_the_other(game: Game, one: Press, at_ns: int) -> Game:
    """A press by the player whose clock stands changes no clock; under usoa 5.9 it counts the moves made."""
    if game.rules.opponents_time == "allowed" and game.reads_board and not game.owed:
        reading = read(game)
        if game.to_move is one.by and reading.square is not None:
            return _make(game, one.by, at_ns)
        if game.to_move is one.by.other and reading.square is not None and reading.early is not None:
            return _make(game, one.by.other, at_ns)
    return press_out_of_turn(game, one, at_ns)


def press_correcting(game: Game, one: Press, at_ns: int) -> Game:
    """At a table without a judge the offender's press ends the correction, and makes the new move if one is due."""
    correction = game.correction
    if correction is None or game.header.judged or one.by is not correction.offender:
        return press_out_of_turn(game, one, at_ns)
    if correction.kind not in MOVES_AGAIN:
        return press_after_misflip(game, at_ns)
    return press_running(take_back(game, at_ns), one, at_ns)


def _make(game: Game, by: Side, at_ns: int) -> Game:
    """Finds out what the press by (or for) the player to move has made of the board."""
    unread = game.shown.unknown
    if unread:
        game = note(game, Incident(at_ns, IncidentType.UNREADABLE, by, unread))
    reading = read(game)
    if reading.undecided:
        return count_press(game, at_ns)
    if reading.square is None:
        # Without a move: a change of clocks, a demand, a pass, an illegal pass (rulebooks.md, decision 2).
        if game.awaits_confirmation:
            noticed = game.noticed.with_(by.other, True) if game.unconfirmed.of(by.other) else game.noticed
            return replace(game, noticed=noticed)
        demanded = _demanded(game, by)
        if demanded is not None:
            return open_correction(game, demanded, at_ns)
    plies = max(1, len(reading.line), 1 if reading.early is None else 2)
    game = _count_plies(game, reading, plies if game.rules.opponents_time == "allowed" else 1, at_ns)
    game = end_if_over(game, at_ns)
    return game if game.over else tell_out_of_discs(game, at_ns)


def _count_plies(game: Game, reading: Reading, plies: int, at_ns: int) -> Game:
    """Counts the first plies of what was read; usoa 5.9 lets several be made before a press."""
    for number in range(plies):
        by = game.to_move
        if number and reading.line:
            reading = legal_reading(game.before, game.plays_black(by), game.shown, reading.line[1:])
        elif number:
            reading = Reading(game.before, reading.early)
        if reading.square is None:
            game = _pass(game, by, reading, at_ns)
        else:
            game = _move(_moved_on(game, by), by, reading.square, reading, at_ns)
    return game


def _demanded(game: Game, by: Side) -> int | None:
    """The error that a press without a move demands to be corrected; None if nothing stands, or `by` can only pass."""
    standing = open_errors(game)
    if not standing or game.last is None:
        return None
    kind = ErrorKind(game.incidents[standing[0]].type.value)
    corrected = game.last.before if kind in MOVES_AGAIN else game.last.right
    return standing[0] if game.can_move(by) or corrected.legal(game.plays_black(by)) else None


def _pass(game: Game, by: Side, reading: Reading, at_ns: int) -> Game:
    """Counts a pass, an error of his if he had a move on the board as it lies (usoa 3.6)."""
    game, _ = accept(game, reading.base, at_ns, put_right(game, game.shown) & ~reading.reach)
    legal = game.legal(by)
    wrong = game.before.differences(game.shown) & ~reading.reach
    errors: tuple[int, ...] = ()
    if legal or wrong:
        kind = ErrorKind.ILLEGAL_PASS if legal else ErrorKind.MISFLIP
        game, index = note_error(game, at_ns, kind, by, legal or wrong)
        errors = (index,)
    ply = Ply(
        by, None, game.before, game.before, errors, game.turn.touched, game.board, game.colours_reversed
    )
    before = game.shown.known_through(game.before).with_squares(reading.reach, game.before)
    # What the board shows apart from a corrected position lies there for the next mover too.
    lay = game.board if game.reads_board and game.board.differences(before) & ~reading.reach else None
    game = replace(game, last=ply, before=before, to_move=by.other, turn=Turn(lay=lay))
    return _with_answer(game, reading, None, at_ns)


def _move(game: Game, by: Side, square: int, reading: Reading, at_ns: int) -> Game:
    """Counts the move to `square`, with whatever was wrong in it on record."""
    reversed_before, own = game.colours_reversed, game.plays_black(by)
    wrong_colour = bool(game.shown.discs(not own) & ~reading.reach & 1 << square)
    flipped = reading.base.flips(own != wrong_colour, square) | reading.reach
    mended = 0 if reading.exact else put_right(game, game.shown) & ~flipped
    game, _ = accept(game, reading.base, at_ns, mended)
    if wrong_colour and answers_wrong_colour(game):
        game = replace(game, colours_reversed=not game.colours_reversed)
        wrong_colour = False
    black = game.plays_black(by)
    legal = bool(game.legal(by) >> square & 1)
    right = game.before.played(black, square) if legal else game.before
    bound = game.turn.commit
    binding = game.turn.touched
    errors: list[int] = []
    if wrong_colour:
        game, index = note_error(game, at_ns, ErrorKind.WRONG_COLOUR, by, 1 << square)
        errors.append(index)
        if bound is None and legal:
            binding = (square,)
    elif not legal:
        game, index = note_error(game, at_ns, ErrorKind.ILLEGAL_MOVE, by, 1 << square)
        errors.append(index)
    else:
        if bound is not None and bound != square:
            game, index = note_error(game, at_ns, ErrorKind.TOUCHED_ELSEWHERE, by, 1 << bound)
            errors.append(index)
        wrong = right.differences(game.shown) & ~reading.reach
        if wrong:
            game, index = note_error(game, at_ns, ErrorKind.MISFLIP, by, wrong)
            errors.append(index)
    ply = Ply(
        by, square, game.before, right, tuple(errors), binding, game.board, reversed_before, wrong_colour
    )
    early_commit = game.turn.early_commit
    game = replace(
        game,
        last=ply,
        before=game.shown.known_through(right).with_squares(reading.reach, right),
        to_move=by.other,
        turn=Turn(),
        moves=(*game.moves, square),
        trays=game.trays.with_(by, game.trays.of(by) - 1),
    )
    return _with_answer(game, reading, early_commit, at_ns)


def _with_answer(game: Game, reading: Reading, early_commit: int | None, at_ns: int) -> Game:
    """What the opponent has done before the press: it commits him from now on (rulebooks.md, decision 14)."""
    if reading.early is None:
        return game
    commit = early_commit if early_commit is not None else reading.early
    legal = bool(game.legal(game.to_move) >> commit & 1)
    accepted: tuple[int, ...] = ()
    if legal:
        game, accepted = accept(game, game.before, at_ns)
    return replace(
        game,
        turn=Turn(
            touched=(commit,) if legal else (),
            disc_down=reading.early,
            placed=tuple(square for square in reading.line[1:] if square is not None),
            accepted=accepted,
            early_reported=True,
        ),
    )
