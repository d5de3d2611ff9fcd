"""A flag that takes effect when the opponent claims it or its player admits it (jof J15, J16).

Until then nothing tells of it: neither a mark nor an incident. A flag that is down on both sides loses for both.
"""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.flag import Flag
from flagfall.othello.game import Awaits, Game, Incident, IncidentType, State
from flagfall.othello.inputs import Ruling
from flagfall.othello.judging.end import finish, lose
from flagfall.othello.judging.errors.taken_back import without_correction
from flagfall.othello.judging.flags.move_in_hand import move_in_hand
from flagfall.othello.judging.incidents import note
from flagfall.othello.judging.move import count_turn
from flagfall.othello.reading.turn import read
from flagfall.othello.reason import Reason
from flagfall.othello.refusals import RefusedError
from flagfall.othello.rulebook import Rulebook
from flagfall.othello.side import Side


def players_claim(rules: Rulebook) -> bool:
    """Tell whether players claim flags under this text, and nothing tells of one before (jof J15)."""
    return rules.flag.takes_effect == "claimed"


def fall(game: Game, side: Side) -> Game:
    """Let a flag fall that nobody is told of until a player speaks of it (jof J15)."""
    return game.with_flag(side, game.flags.of(side).fall_untold(game.at_ns))


def point_out(game: Game, side: Side) -> Game:
    """Let this player's fallen flag count from now on; with a move in hand, once that is completed (jof J15)."""
    late = game.over and not _can_be_claimed_after_the_end(game, side)
    if late or not counts_after_the_last_move(game, side):
        raise RefusedError("flag_too_late")
    if not game.flags.of(side).untold:
        raise RefusedError("flag_not_fallen", player=side)
    if game.claimed is not None:
        raise RefusedError("flag_claimed", player=game.claimed)
    game = settle_claim(game.with_flag(side, game.flags.of(side).claim()))
    if game.claimed is None:
        return game
    return note(game, Incident(game.at_ns, IncidentType.FLAG_CLAIMED, side))


def settle_claim(game: Game) -> Game:
    """Let a claimed flag take effect as soon as no move is in its player's hand (jof J15)."""
    side = game.claimed
    if side is None or (game.to_move is side and move_in_hand(game)):
        return game
    return loses(game, side)


def counts_after_the_last_move(game: Game, side: Side) -> bool:
    """Tell whether this player's flag can count: in a game that is over but not accepted only the last mover's, and the
    other's while the last mover has still to stop the clocks (jof J9, J15)."""
    if game.awaits is not Awaits.ACCEPT_END or side is game.last_mover:
        return True
    return game.rules.ended_by == "last_mover" and game.state is State.RUNNING


def count_before(game: Game, side: Side) -> Game:
    """Let a flag count that players have claimed at a table without a board, as the judge who enters the discs says
    (jof J15)."""
    if not game.flags.of(side).untold:
        raise RefusedError("no_flag", player=side)
    return loses(game, side)


def confirm_default(game: Game, ruling: Ruling) -> Game:
    """Confirm for the director that both flags are down (jof J16): a single one is the players' to claim."""
    if game.rules.flag.both_score is None or len(_down(game)) < len(Side) or game.over:
        raise RefusedError("players_claim", rulebook=game.rules.id)
    return loses(game, game.to_move)


def _can_be_claimed_after_the_end(game: Game, side: Side) -> bool:
    """Tell whether the board ended the game by a move of this player, whose flag may have been down before."""
    agreed = all(game.signed.of(player) or game.end_accepted.of(player) for player in Side)
    return game.ended_by(Reason.BOARD) and side is game.last_mover and not agreed


def loses(game: Game, side: Side) -> Game:
    """Count the flag, and the other's where it is down too; the game is over (jof J15, J16)."""
    rule, before = game.rules.flag, game
    game = _with_move_made(without_correction(game), side)
    game = replace(game, flags=game.flags.each(Flag.drop_claim))
    down = _down(game)
    if rule.both_score is None or len(down) < len(Side):
        down = [side]
    for player in down:
        fell_ns = game.flags.of(player).fell_ns
        game = note(game, Incident(game.at_ns if fell_ns is None else fell_ns, IncidentType.FLAG, player))
        game = game.with_flag(player, game.flags.of(player).fall())
    game = replace(game, flags=game.flags.each(Flag.forget), outcome=None, default_from=before)
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
        if game.flags.of(player).untold
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
