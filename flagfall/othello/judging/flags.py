"""Time that passes: falling flags and their consequences (woc-2019 IV.6, usoa 6).

Some rulebooks let a fallen flag count only when a player says so: claimed by the opponent or admitted (jof J15, J16).
Until then nothing tells of it: neither a mark nor an incident. A flag that is down on both sides loses for both.
"""

from __future__ import annotations

from flagfall.othello.game import SECOND_NS, Awaits, ErrorState, Game, Incident, IncidentType, State
from flagfall.othello.inputs import AdmitFlag, ClaimFlag, Ruling
from flagfall.othello.judging.alone import end_alone
from flagfall.othello.judging.corrected import right_position, take_back
from flagfall.othello.judging.ending import (
    against,
    finish,
    finish_self_play,
    lose,
    player_of,
    remember_flag,
    remember_press,
    settle_again,
)
from flagfall.othello.judging.plies import count_turn
from flagfall.othello.judging.reading import can_only_pass, read, see_disc
from flagfall.othello.judging.record import MOVES_AGAIN, note, with_error
from flagfall.othello.judging.rulings import rule_stop
from flagfall.othello.reason import Reason
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both, Side
from flagfall.othello.value import replace


def advance(game: Game, at_ns: int) -> Game:
    """Return the game at `at_ns`, with every flag that fell before it. At exactly zero a press is still in time."""
    while (side := game.clock.running) is not None:
        empty_at_ns = falls_after_ns(game)
        if empty_at_ns is None or at_ns <= empty_at_ns:
            break
        game = _fall(game, side, empty_at_ns)
    if at_ns == game.at_ns:
        return game
    return replace(game, clock=game.clock.at(at_ns), at_ns=at_ns)


def falls_after_ns(game: Game) -> int | None:
    """Return the instant after which the running player's flag falls; None if no clock runs, or one that stands at
    zero."""
    side = game.clock.running
    if side is None or game.unconfirmed.of(side) or game.unclaimed.of(side) is not None:
        return None
    if not counts_after_the_last_move(game, side) or _waits_for_a_pass(game, side):
        return None
    empty_at_ns = game.clock.since_ns + game.clock.remaining_ns.of(side)
    return None if game.annulled.of(side) and empty_at_ns == game.clock.since_ns else empty_at_ns


def _waits_for_a_pass(game: Game, side: Side) -> bool:
    """Tell whether this player owes only a pass, and the rulebook lets no flag fall meanwhile."""
    if game.rules.flag.pass_only == "counts" or game.phase is not State.RUNNING or game.to_move is not side:
        return False
    return game.reads_board and not game.owed and can_only_pass(game, side)


def counts_after_the_last_move(game: Game, side: Side) -> bool:
    """Tell whether this player's flag can count: in a game that is over but not accepted only the last mover's, and the
    other's while the last mover has still to stop the clocks (jof J9, J15)."""
    if game.awaits is not Awaits.ACCEPT_END or side is game.last_mover:
        return True
    return game.rules.ended_by == "last_mover" and game.state is State.RUNNING


def _fall(game: Game, side: Side, at_ns: int) -> Game:
    rule = game.rules.flag
    if side is game.self_play:
        return _out_of_time_alone(replace(game, at_ns=at_ns))
    if game.header.byoyomi_s and not game.in_byoyomi.of(side):
        counts_down = replace(game, at_ns=at_ns, in_byoyomi=game.in_byoyomi.with_(side, True))
        return replace(counts_down, clock=counts_down.in_new_period(game.clock, side))
    if rule.takes_effect == "claimed":
        return replace(game, at_ns=at_ns, unclaimed=game.unclaimed.with_(side, at_ns))
    flags = game.flags.with_(side, game.flags.of(side) + 1)
    game = note(replace(game, at_ns=at_ns, flags=flags), Incident(at_ns, IncidentType.FLAG, side))
    if game.defaulter is None and rule.takes_effect == "pointed_out":
        return replace(game, unconfirmed=game.unconfirmed.with_(side, True))
    return remember_flag(_follows(game, side), side)


def _out_of_time_alone(game: Game) -> Game:
    """End the play of a winner by default whose time is used up. An error that they have not put right counts as it
    should be."""
    if game.correction is None:
        return end_alone(game)
    game = _without_correction(game)
    return finish_self_play(replace(game, shown=game.before))


def _follows(game: Game, side: Side) -> Game:
    """Return the game after this flag."""
    rule, flags = game.rules.flag, game.flags
    if game.defaulter is None:
        return _default(game, side)
    if game.defaulter is side:
        return finish(game, Reason.SECOND_FLAG, against(side, rule.second_score))
    if rule.other_first == "loses_default" or flags.of(side) > 1:
        return finish(game, Reason.SECOND_FLAG, against(game.defaulter, rule.other_score))
    if rule.takes_effect == "confirmed":
        return replace(game, unconfirmed=game.unconfirmed.with_(side, True))
    return _extend(game, side)


def _default(game: Game, side: Side) -> Game:
    """Apply the first flag: the game is lost; where the text lets it go on, it goes on with more time."""
    rule = game.rules.flag
    game = replace(game, defaulter=side)
    if rule.first == "loses":
        return finish(game, Reason.SECOND_FLAG, against(side, rule.first_score))
    if rule.takes_effect == "confirmed":
        return replace(game, unconfirmed=game.unconfirmed.with_(side, True))
    game = _extend(game, side)
    if rule.extension_for == "both":
        game = _extend(game, side.other)
    return game


def _extend(game: Game, side: Side) -> Game:
    extension_ns = game.rules.flag.extension_s * SECOND_NS
    if game.rules.flag.extension == "set":
        clock = game.clock.set(side, extension_ns, game.at_ns)
    else:
        clock = game.clock.give(side, extension_ns, game.at_ns)
    return replace(game, clock=clock, annulled=game.annulled.with_(side, False))


def point_out(game: Game, side: Side) -> Game:
    """Point out this player's fallen flag, where a rulebook makes the default wait for that.

    Where the director confirms it, it is noticed from now on (usoa 6.4).
    """
    if game.rules.flag.takes_effect == "confirmed" and not game.over and game.unconfirmed.of(side):
        return replace(game, noticed=game.noticed.with_(side, True))
    if game.rules.flag.takes_effect != "pointed_out":
        raise RefusedError("flag_needs_no_word", rulebook=game.rules.id)
    if game.over:
        raise RefusedError("flag_too_late")
    if not game.unconfirmed.of(side):
        raise RefusedError("flag_not_fallen", player=side)
    return remember_flag(_default(replace(game, unconfirmed=Both(False, False)), side), side)


def confirm_default(game: Game, ruling: Ruling) -> Game:
    """Confirm a default for the director: 2:00 for the player whose flag fell, both clocks stop (usoa 6.5-6.7).

    After the end the ruling means that the flag had been noticed before (6.4, 6.6): it counts.
    """
    if game.rules.flag.takes_effect != "confirmed":
        raise RefusedError("default_needs_no_word", rulebook=game.rules.id)
    fallen = [side for side in Side if game.unconfirmed.of(side)]
    if not fallen:
        raise RefusedError("no_default")
    if game.over:
        return settle_again(replace(game, unconfirmed=Both(False, False)))
    if game.to_move in fallen and move_in_hand(game):
        raise RefusedError("move_in_hand")
    for side in fallen:
        game = _extend(game, side)
    return remember_press(rule_stop(replace(game, unconfirmed=Both(False, False)), ruling))


def annul_flag(game: Game, ruling: Ruling) -> Game:
    """Annul a player's last flag for the director (woc-2019 IV.7, usoa 10.2), with its consequences.

    The time it gave is given back; a clock that is at zero then stands there without a flag until it is given time. A
    game that the flag had ended is stopped; one that the board had ended is scored again.
    """
    side = player_of(ruling)
    if not game.flags.of(side):
        raise RefusedError("no_flag", player=side)
    if game.default_from is not None:
        return _before_default(game, game.default_from, side)
    last, fallen = game.last_press, game.flags.of(side)
    if last is not None and last.flags.of(side) == fallen:
        game = replace(game, last_press=_without_flag(last, side))
    for player in Side:
        was = game.at_flag.of(player)
        if was is not None and was.flags.of(side) == fallen:
            was = None if player is side else _without_flag(was, side)
            game = replace(game, at_flag=game.at_flag.with_(player, was))
    game = _without_flag(game, side)
    if game.ended_by(Reason.SECOND_FLAG):
        return rule_stop(replace(game, outcome=None, signed=Both(False, False)), ruling)
    return settle_again(game) if game.over else game


def _before_default(game: Game, was: Game, side: Side) -> Game:
    """Return the game as it was before a default ended it, stopped; later events stay on record."""
    empty = not was.clock.left_ns(side, was.at_ns)
    return replace(
        was,
        state=State.STOPPED,
        clock=replace(was.clock.run(None, was.at_ns), since_ns=game.at_ns),
        at_ns=game.at_ns,
        board=game.board,
        board_ok=game.board_ok,
        incidents=game.incidents,
        notes=game.notes,
        outcome=None,
        signed=Both(False, False),
        unclaimed=was.unclaimed.with_(side, None),
        claimed=None,
        annulled=was.annulled.with_(side, empty),
    )


def _without_flag(game: Game, side: Side) -> Game:
    """Return the game without this player's last flag, and without the time that it gave, as far as that is left."""
    clock, gave = game.clock, _given_for(game, side)
    for player in gave:
        clock = clock.give(player, -game.rules.flag.extension_s * SECOND_NS, game.at_ns)
    flags = game.flags.with_(side, game.flags.of(side) - 1)
    defaulter = game.defaulter
    if defaulter is side and not flags.of(side):
        defaulter = side.other if flags.of(side.other) else None
    empty = [player for player in (side, *gave) if not clock.left_ns(player, game.at_ns)]
    return replace(
        game,
        clock=clock,
        flags=flags,
        defaulter=defaulter,
        unconfirmed=game.unconfirmed.with_(side, False),
        noticed=game.noticed.with_(side, None),
        annulled=Both(*(game.annulled.of(player) or player in empty for player in Side)),
    )


def _given_for(game: Game, side: Side) -> tuple[Side, ...]:
    """Return the players who got time for this player's last flag."""
    rule = game.rules.flag
    if game.flags.of(side) > 1 or game.unconfirmed.of(side) or rule.first == "loses":
        return ()
    if game.defaulter is not side:
        return (side,) if game.defaulter is not None and rule.other_first == "extension" else ()
    return tuple(Side) if rule.extension_for == "both" else (side,)


def move_in_hand(game: Game) -> bool:
    """Tell whether a disc has touched a legal square and not all discs are flipped yet (usoa 6.3, jof J15).

    Clocks that stop, whoever stops them, take no move out of a hand.
    """
    stands = game.state is State.STOPPED and game.awaits is None and game.correction is None
    if not stands and (game.state is not State.RUNNING or game.clock.running is not game.to_move):
        return False
    square = game.turn.disc_down if game.turn.disc_down is not None else game.turn.commit
    if game.turn.disc_down is not None and read(game).line:
        # All that lies there is whole, also what was made after a press that was forgotten.
        return False
    if square is None or not game.legal(game.to_move) >> square & 1:
        return False
    return bool(game.before.played(game.plays_black(game.to_move), square).differences(game.shown))


def claim_flag(game: Game, entry: ClaimFlag) -> Game:
    """Record a player's claim that the opponent's flag has fallen."""
    return claim(game, entry.by.other)


def admit_flag(game: Game, entry: AdmitFlag) -> Game:
    """Record a player's word that their own flag has fallen."""
    return claim(game, entry.by)


def claim(game: Game, side: Side) -> Game:
    """Let this player's fallen flag count from now on; with a move in hand, once that is completed (jof J15)."""
    if game.rules.flag.takes_effect != "claimed":
        return point_out(game, side)
    late = game.over and not _can_be_claimed_after_the_end(game, side)
    if late or not counts_after_the_last_move(game, side):
        raise RefusedError("flag_too_late")
    if game.unclaimed.of(side) is None:
        raise RefusedError("flag_not_fallen", player=side)
    if game.claimed is not None:
        raise RefusedError("flag_claimed", player=game.claimed)
    game = settle_claim(replace(game, claimed=side))
    if game.claimed is None:
        return game
    return note(game, Incident(game.at_ns, IncidentType.FLAG_CLAIMED, side))


def count_flag_before(game: Game, side: Side) -> Game:
    """Let a flag count that players have claimed at a table without a board, as the judge who enters the discs says."""
    if game.unclaimed.of(side) is None:
        raise RefusedError("no_flag", player=side)
    return _loses(game, side)


def lose_by_error(game: Game, side: Side) -> Game:
    """Let an error that is pointed out to a player in the count-down cost the flag, where the rulebook says so."""
    in_byoyomi = game.in_byoyomi.of(side) and game.self_play is None
    if game.rules.flag.byoyomi_error == "corrected" or not in_byoyomi:
        return game
    return _loses(replace(game, unclaimed=game.unclaimed.with_(side, game.at_ns)), side)


def rule_confirm_default(game: Game, ruling: Ruling) -> Game:
    """Confirm a default for the director (usoa 6.5); where players claim flags, that both are down (jof J16)."""
    rule, down = game.rules.flag, _down(game)
    if rule.takes_effect != "claimed":
        return confirm_default(game, ruling)
    if rule.both_score is None or len(down) < len(Side) or game.over:
        raise RefusedError("players_claim", rulebook=game.rules.id)
    return _loses(game, game.to_move)


def _can_be_claimed_after_the_end(game: Game, side: Side) -> bool:
    """Tell whether the board ended the game by a move of this player, whose flag may have been down before."""
    agreed = all(game.signed.of(player) or game.end_accepted.of(player) for player in Side)
    return game.ended_by(Reason.BOARD) and side is game.last_mover and not agreed


def settle_claim(game: Game) -> Game:
    """Let a claimed flag take effect as soon as no move is in its player's hand."""
    side = game.claimed
    if side is None or (game.to_move is side and move_in_hand(game)):
        return game
    return _loses(game, side)


def _loses(game: Game, side: Side) -> Game:
    """Count the flag, and the other's where it is down too; the game is over."""
    rule, before = game.rules.flag, game
    game = replace(_with_move_made(_without_correction(game), side), claimed=None)
    down = _down(game)
    if rule.both_score is None or len(down) < len(Side):
        down = [side]
    for player in down:
        fell_ns = game.unclaimed.of(player)
        game = note(game, Incident(game.at_ns if fell_ns is None else fell_ns, IncidentType.FLAG, player))
        game = replace(game, flags=game.flags.with_(player, game.flags.of(player) + 1))
    game = replace(game, unclaimed=Both(None, None), outcome=None, default_from=before)
    if rule.both_score is not None and len(down) > 1:
        return finish(game, Reason.BOTH_FLAGS, rule.both_score)
    return lose(game, side, Reason.SECOND_FLAG)


def _down(game: Game) -> list[Side]:
    """Return the players whose fallen flag counts; after the last move that of its opponent is void (jof J9)."""
    over = game.over or (game.reads_board and not game.owed and game.before.over())
    last_only = over and game.rules.ended_by != "last_mover"
    return [
        player
        for player in Side
        if game.unclaimed.of(player) is not None
        and counts_after_the_last_move(game, player)
        and not (last_only and player is not game.last_mover)
    ]


def _with_move_made(game: Game, side: Side) -> Game:
    """Count this player's move that lies whole on the board, though nobody has pressed."""
    if game.state not in (State.RUNNING, State.STOPPED) or game.awaits is not None:
        return game
    if game.to_move is not side or not game.reads_board or game.owed:
        return game
    reading = read(game)
    return count_turn(game, reading) if reading.whole(game.plays_black(side)) else game


def _without_correction(game: Game) -> Game:
    """End the correction that a claim interrupts: the move stands as it should be, or is taken back."""
    correction = game.correction
    if correction is None:
        return game
    if correction.kind in MOVES_AGAIN:
        return replace(take_back(game, correction), correction=None)
    game = with_error(game, correction.incident, ErrorState.CORRECTED)
    right = right_position(game)
    return see_disc(replace(game, correction=None, before=right, shown=right))
