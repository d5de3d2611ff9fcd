"""A turn at a table whose board is read: touches, what the board shows, and the press that makes the move."""

from __future__ import annotations

from flagfall.othello.board import Position, squares_of
from flagfall.othello.game import SECOND_NS, Awaits, Game, Incident, IncidentType, State, Turn
from flagfall.othello.inputs import Contact, Press, Shown, Touch
from flagfall.othello.judging.corrected import mended_after_the_end, press_after_misflip, take_back
from flagfall.othello.judging.corrections import open_correction
from flagfall.othello.judging.ending import end_if_over, remember_press
from flagfall.othello.judging.entering import catch_up, count_press, tell_out_of_discs
from flagfall.othello.judging.plies import count_ply, count_turn, moved_on
from flagfall.othello.judging.reading import Reading, can_only_pass, charge_moved_out_of_turn, read, see_disc
from flagfall.othello.judging.record import MOVES_AGAIN, accept, charge_doubtful, note, open_errors
from flagfall.othello.judging.rulings import may_still_begin
from flagfall.othello.judging.starting import begun_already, from_here, may_be_first, put_back, set_up
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Side
from flagfall.othello.value import replace


def touched(game: Game, touch: Touch) -> Game:
    """Record the first contact with a square: a legal one binds the player (woc-2019 IV.4, usoa 3.8) and accepts the
    position.

    Later touches are kept: the next one binds if the judge rules the first unintentional.
    """
    if not game.reads_board:
        raise RefusedError("no_board_now")
    correction = game.correction
    if game.state is State.CORRECTING and (
        not game.offender_ends_correction or correction is None or correction.kind not in MOVES_AGAIN
    ):
        return game
    if game.owed or game.absent is Side.WHITE:
        return game
    if touch.contact is Contact.DROPPED:
        # On a disc it has changed nothing of how the board lies.
        fell_on = 1 << touch.square & ~(game.lies.occupied | game.shown.occupied)
        return replace(game, turn=replace(game.turn, dropped=game.turn.dropped | fell_on))
    if touch.contact is Contact.DISC:
        game = _no_longer_dropped(game, touch.square)
    if game.turn.disc_down is not None:
        return _touched_early(game, touch)
    mover = game.to_move
    if not _binds(game, touch, mover):
        return game
    charged = charge_moved_out_of_turn(game)
    if charged.legal(mover) >> touch.square & 1:
        # The mover goes on from a move that the other has made out of turn, and accepts it.
        game = charged
    turn, last = game.turn, game.last
    if game.state is State.CORRECTING:
        if last is None or not last.before.legal(game.plays_black(mover)) >> touch.square & 1:
            return game
        return replace(game, last=replace(last, touched=_touched_too(last.touched, touch.square)))
    if turn.touched:
        more = (
            _touched_too(turn.touched, touch.square)
            if game.legal(mover) >> touch.square & 1
            else turn.touched
        )
        return replace(game, turn=replace(turn, touched=more))
    committed, accepted = accept(game, game.lies)
    if not committed.legal(mover) >> touch.square & 1:
        return game
    return replace(
        committed,
        turn=replace(turn, touched=(touch.square,), began=game.before, accepted=accepted, doubtful=0),
    )


def _touched_too(touched: tuple[int, ...], square: int) -> tuple[int, ...]:
    return touched if square in touched else (*touched, square)


def _binds(game: Game, touch: Touch, mover: Side) -> bool:
    if touch.contact.value not in game.rules.touch_binds:
        return False
    return touch.contact is Contact.DISC or game.header.hands_commit.of(mover)


def _touched_early(game: Game, touch: Touch) -> Game:
    """Bind an opponent who may answer before the press (usoa 5.9); nobody else can commit themselves once a disc is
    down."""
    other = game.to_move.other
    if game.rules.opponents_time != "allowed" or len(game.turn.placed) > 1 or not _binds(game, touch, other):
        # His answer is down already: whoever touches now does not choose it.
        return game
    if game.turn.early_commit is None and game.shown.legal(game.plays_black(other)) >> touch.square & 1:
        return replace(game, turn=replace(game.turn, early_commit=touch.square))
    return game


def shown(game: Game, entry: Shown) -> Game:
    """Take in the settled board; the last position before a press makes the move."""
    if not game.reads_board:
        raise RefusedError("no_board_now")
    was, game = game.board, replace(game, board=entry.position)
    if game.over or game.awaits is Awaits.ACCEPT_END:
        return mended_after_the_end(game)
    game = put_back(replace(game, shown=entry.position))
    if game.correction is not None:
        return game
    if game.state is State.WAITING:
        return see_disc(set_up(game)) if game.armed else set_up(game)
    if game.owed:
        return see_disc(catch_up(game, in_hand=1))
    if game.turn.unseen:
        game = _seen_again(game, was)
    elif game.rules.pass_presses == "may be left out" and game.phase is State.RUNNING:
        game = _with_pass_left_out(game, was)
    return _see_early(see_disc(_lay(_moved_with(game), was)), entry.uncertain_ns)


def _with_pass_left_out(game: Game, was: Position) -> Game:
    """Count a whole move and a pass when the opponent must pass and a second disc comes down: the presses of the pass
    are left out (jof J8)."""
    reading, black = read(game, was), game.plays_black(game.to_move)
    new = game.shown.discs_on(reading.left.empty)
    if len(reading.line) != 1 or reading.left.legal(not black) or new.bit_count() != 1:
        return game
    if not new & reading.left.legal(black) & game.shown.discs(black):
        return game
    made = count_ply(replace(game, board=was, shown=was), reading)
    passed = count_ply(made, Reading(made.before, made.before))
    return replace(passed, board=game.board, shown=game.shown)


def _seen_again(game: Game, was: Position) -> Game:
    """Take in the turn from a board that was lost: other differences are nobody's, except a legal move, and what goes
    on from several that were read before.

    Where the board comes after the clocks began, the start itself lies otherwise.
    """
    game = replace(game, turn=replace(game.turn, unseen=False))
    goes_on = len(read(game, was).line) > 1 and not was.occupied & ~game.shown.occupied
    if goes_on or read(game).line:
        return game
    new, lies = game.shown.discs_on(game.before.empty), game.shown.known_through(game.before)
    begins = not game.has_moved and game.last is None and game.before == game.start
    if begins and not may_be_first(game.start, game.shown, new):
        return from_here(game, lies)
    return replace(game, turn=replace(game.turn, lay=lies))


def _lay(game: Game, was: Position) -> Game:
    """Keep the board as it lies before the mover's disc is down: the mover accepts it by committing themselves.

    While the clocks stand nobody moves: a disc that changes then is no part of a move in hand either.
    """
    if game.self_play is not None:
        return game  # nobody else moves, and nothing that they turn without a move is right
    base = game.lies
    settled = game.shown.without(game.turn.dropped).known_through(base)
    if game.state is State.STOPPED:
        changed, black = was.differences(settled), game.plays_black(game.to_move)
        lay = base.with_squares(changed, settled)
        # A new disc of his where he may move can be his move still.
        nobodys = changed & ~(settled.discs(black) & base.legal(black))
        game = replace(game, turn=replace(game.turn, while_stopped=game.turn.while_stopped | nobodys))
    else:
        new_disc = settled.discs_on(base.empty & game.before.empty)
        if game.turn.touched or new_disc:
            return game
        lay = settled
    put_back = base.empty & game.before.occupied & lay.occupied
    return replace(game, turn=replace(game.turn, lay=lay, lifted=base if put_back else game.turn.lifted))


def _moved_with(game: Game) -> Game:
    """Count a dropped disc as played if it lies there still and discs that it flips have changed."""
    base, lies = game.lies, game.shown
    for square in squares_of(lies.occupied & base.empty & game.turn.dropped):
        if base.flips(bool(lies.black >> square & 1), square) & base.differences(lies):
            game = _no_longer_dropped(game, square)
    return game


def _no_longer_dropped(game: Game, square: int) -> Game:
    return replace(game, turn=replace(game.turn, dropped=game.turn.dropped & ~(1 << square)))


def _see_early(game: Game, uncertain_ns: int = 0) -> Game:
    """Report each move made on the opponent's time where the text forbids it or is silent (woc-2019 IV.4), as soon as
    it is certain: a disc whose instant is not known well enough may have come after the press."""
    if game.rules.opponents_time == "allowed" or game.phase is not State.RUNNING:
        return game
    turn = game.turn
    known = turn.early_told | turn.lay_before
    square = next((square for square in read(game).answers if not known >> square & 1), None)
    if square is None:
        return game if turn.early_by_ns is None else replace(game, turn=replace(turn, early_by_ns=None))
    by_ns = game.at_ns + uncertain_ns if turn.early_by_ns is None else turn.early_by_ns
    if game.at_ns < by_ns:
        return replace(game, turn=replace(turn, early_by_ns=by_ns))
    squares = 1 << square
    game = note(game, Incident(game.at_ns, IncidentType.MOVED_ON_OPPONENTS_TIME, game.to_move.other, squares))
    return replace(game, turn=replace(turn, early_told=turn.early_told | squares, early_by_ns=None))


def press_waiting(game: Game, press: Press) -> Game:
    """Start Black's clock by White's press after the director's signal (usoa 5.6).

    If it was forgotten, and Black's move lies on a board that is read, Black's press starts White's clock.
    """
    if not game.armed or (press.by is Side.BLACK and not game.reads_board):
        return press_out_of_turn(game, press)
    begun = replace(game, state=State.RUNNING, clock=game.clock_running(press.by), turn=Turn())
    if not game.reads_board:
        return remember_press(_started(begun))
    board = game.start if begun_already(game, game.shown) else game.before
    new = game.shown.discs_on(board.empty)
    came_down = board == game.before and len(game.turn.laid) == new.bit_count()
    if came_down:
        begun = replace(begun, turn=game.turn)
    reading = read(see_disc(replace(begun, before=board)))
    square = reading.square
    # More than a move and its answer are the discs of the game before, unless the board saw each come down.
    moved = square is not None and (new.bit_count() <= 2 or (came_down and bool(reading.line)))
    if press.by is Side.BLACK:
        # Without a move of his it is no start.
        return (
            press_running(see_disc(from_here(begun, board)), press)
            if moved
            else press_out_of_turn(game, press)
        )
    lies = game.shown.known_through(board)
    if new and not may_be_first(board, game.shown, new) and not (moved and reading.line):
        return _started(from_here(begun, lies))
    begun = from_here(begun, board)
    if new and not reading.line:
        # If he moves elsewhere it was no move of his, and lies there wrong.
        begun = replace(begun, turn=replace(begun.turn, lay=lies))
    begun = see_disc(begun)
    if reading.line[1:2] in ((), (None,)):
        return _started(begun)
    return press_running(count_ply(begun, reading), press)


def press_stopped(game: Game, press: Press) -> Game:
    """Begin the game of a late player whose time is used up, and who plays all the same (jof J12)."""
    if may_still_begin(game):
        begun = press_waiting(replace(game, state=State.WAITING, absent=None), press)
        if begun.state is State.RUNNING:
            return begun
    return press_out_of_turn(game, press)


def _started(game: Game) -> Game:
    return replace(game, clock=game.clock_running(Side.BLACK), absent=None)


def press_out_of_turn(game: Game, press: Press) -> Game:
    return note(game, Incident(game.at_ns, IncidentType.PRESS_OUT_OF_TURN, press.by))


def press_running(game: Game, press: Press) -> Game:
    """Stop the running player's clock at the instant of their press, whatever the board shows then."""
    if press.by is not game.clock.running:
        return _press_by_the_other(game, press)
    only_starts = game.absent is Side.WHITE
    if game.turn.early_by_ns is not None and not game.owed:
        game = _see_early(game)
    game = turned(game, press.by)
    if only_starts:
        return remember_press(game)
    if game.owed or not (game.reads_board or _whole_move_shown(game)):
        return count_press(remember_press(moved_on(game, press.by)))
    game = remember_press(game)
    if press.by is not game.to_move and not (game.rules.opponents_time == "allowed" and _answers(game)):
        # His move was counted already, or he only stops his own clock (usoa 5.9, 6.5).
        return game
    return _make(game, game.to_move)


def _answers(game: Game) -> bool:
    """Tell whether the player to move has been answered, or passed over, though another clock runs."""
    return read(game).early is not None


def turned(game: Game, by: Side) -> Game:
    """Return the game with the clocks as this player's press turns them, whatever lies on the board; the same game
    where it turns none.

    A press in play begins with it; the screen shows it until the board has reported the move.
    """
    correction = game.correction
    match game.state:
        case State.WAITING if game.armed and by is Side.WHITE:
            return _started(replace(game, state=State.RUNNING))
        case State.RUNNING if by is game.clock.running:
            return _started(game) if game.absent is Side.WHITE else _pass_clock(game, by)
        case State.CORRECTING if correction is not None and game.offender_ends_correction:
            if by is not game.timed(correction.offender):
                return game
            goes_on = replace(game, state=State.RUNNING)
            if correction.kind in MOVES_AGAIN:
                return _pass_clock(goes_on, by)
            return replace(goes_on, clock=game.in_new_period(game.clock_running(by.other), by))
    return game


def _pass_clock(game: Game, by: Side) -> Game:
    """Start the other clock; where the rulebook has an increment or delay, each press that turns the clock in play
    gives it."""
    clock = game.clock_running(by.other)
    increment_s, delay_s = game.header.increment_s, game.header.delay_s
    if increment_s or delay_s:
        used_ns = clock.charged_ns.of(by) - game.charged_before_ns.of(by)
        given_ns = round(increment_s * SECOND_NS) + min(round(delay_s * SECOND_NS), used_ns)
        clock = clock.give(by, given_ns, game.at_ns)
    clock = game.in_new_period(clock, by)
    return replace(game, clock=clock, charged_before_ns=clock.charged_ns, absent=None)


def _whole_move_shown(game: Game) -> bool:
    """Tell whether the board was lost only after the whole move had been read."""
    reading = read(game)
    if reading.square is None or reading.early is not None:
        return False
    black = game.plays_black(game.to_move)
    if not game.legal(game.to_move) >> reading.square & 1 or game.shown.unknown:
        return False
    return not game.before.played(black, reading.square).differences(game.shown)


def _press_by_the_other(game: Game, press: Press) -> Game:
    """Judge a press by the player whose clock stands: it changes no clock; under usoa 5.9 it counts the moves made."""
    if not game.reads_board or game.owed:
        return press_out_of_turn(game, press)
    game = replace(game, turn=replace(game.turn, pressed_on=game.shown))
    if game.rules.opponents_time == "allowed":
        reading = read(game)
        if game.to_move is press.by and reading.square is not None:
            return _make(game, press.by)
        if game.to_move is press.by.other and reading.square is not None and reading.early is not None:
            return _make(game, press.by.other)
    return press_out_of_turn(game, press)


def press_correcting(game: Game, press: Press) -> Game:
    """End a correction by the offender's press at a table without a judge, with the new move if one is due."""
    correction = game.correction
    if (
        correction is None
        or not game.offender_ends_correction
        or press.by is not game.timed(correction.offender)
    ):
        return press_out_of_turn(game, press)
    if correction.kind not in MOVES_AGAIN:
        return press_after_misflip(game, correction)
    if game.self_play is not None:
        return take_back(game, correction)
    return press_running(take_back(game, correction), press)


def _make(game: Game, by: Side) -> Game:
    """Judge the board after the press by (or for) the player to move."""
    unread = game.shown.unknown
    if unread:
        game = note(game, Incident(game.at_ns, IncidentType.UNREADABLE, by, unread))
    reading = read(game)
    if reading.undecided:
        return count_press(game)
    if reading.square is None:
        # Without a move: a pass, a change of clocks, a demand, an illegal pass (rulebooks.md, reading 2).
        if game.awaits_confirmation and not can_only_pass(game, by):
            noticed = game.noticed.with_(by.other, True) if game.unconfirmed.of(by.other) else game.noticed
            return replace(game, noticed=noticed)
        if not can_only_pass(game, by):
            game = charge_moved_out_of_turn(charge_doubtful(game))
        demanded = _demanded(game, by)
        if demanded is not None:
            return open_correction(game, demanded)
    game = end_if_over(count_turn(game, reading))
    return game if game.over else tell_out_of_discs(game)


def _demanded(game: Game, by: Side) -> int | None:
    """Return the error that a press without a move demands to be corrected; None if there is none, or `by` can only
    pass."""
    if can_only_pass(game, by):
        return None
    return next(iter(open_errors(game)), None)
