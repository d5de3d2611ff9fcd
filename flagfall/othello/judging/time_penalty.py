"""Time given or taken by the director (woc-2019 V.2.a; usoa 9.3, 9.4)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import SECOND_NS, Game
from flagfall.othello.inputs import Ruling
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both


def rule_adjust_time(game: Game, ruling: Ruling) -> Game:
    """Give or take time (woc-2019 V.2.a, usoa 9.3, 9.4); more than the text allows is refused."""
    side = ruling.player
    if side is None or ruling.seconds is None:
        raise RefusedError("needs_time")
    change_ns = round(ruling.seconds * SECOND_NS)
    left_ns = game.clock.left_ns(side, game.at_ns)
    most_ns = left_ns * game.rules.most_time_removed
    if -change_ns > most_ns:
        why = "half_of_time_left" if game.rules.most_time_removed < 1 else "all_of_time_left"
        tenths = int(most_ns * 10 // SECOND_NS)
        raise RefusedError(why, left=f"{tenths // 600}:{tenths % 600 / 10:04.1f}")
    last = game.last_press
    if last is not None:
        # A game that turns out to have ended at its last press, or by a flag, keeps the penalties given since.
        last = replace(last, clock=last.clock.give(side, change_ns, last.at_ns))
    at_flag = Both(
        *(was and replace(was, clock=was.clock.give(side, change_ns, was.at_ns)) for was in game.at_flag)
    )
    if change_ns > 0:
        game = game.with_flag(side, game.flags.of(side).with_time_given())
    return replace(game, clock=game.clock.give(side, change_ns, game.at_ns), last_press=last, at_flag=at_flag)
