"""A recorded game as the table's own record would have it: its inputs, with invented times and mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from flagfall.othello.board import START
from flagfall.othello.game import SECOND_NS, Game, Header
from flagfall.othello.inputs import Input, Press, Rule, Ruling, Shown, Sign, Start
from flagfall.othello.referee import judge, new_game
from flagfall.othello.side import Side


def played_game(
    header: Header, squares: Sequence[int], seed: int, misflip_at: int | None = None, plies: int | None = None
) -> tuple[tuple[Input, ...], Game]:
    """Return the inputs and the game of a transcript at a table with sensors; with `plies` only so many are played yet.

    `misflip_at`: from this move on (counted from 1), the first that turns two discs or more turns one too few; the
    judge sees it at once.
    """
    random = Random(seed)
    inputs: list[Input] = [Start(SECOND_NS), Press(3 * SECOND_NS, Side.WHITE)]
    at_ns, position, by = 3 * SECOND_NS, START, Side.BLACK
    for number, square in enumerate(squares[:plies], 1):
        if not position.legal(by is Side.BLACK):
            at_ns += random.randint(1, 4) * SECOND_NS
            inputs.append(Press(at_ns, by))
            by = by.other
        at_ns += _thought_ns(random, number)
        before, position = position, position.played(by is Side.BLACK, square)
        turned = before.flips(by is Side.BLACK, square)
        if misflip_at is not None and number >= misflip_at and turned.bit_count() > 1:
            misflip_at = None
            disc = turned & -turned
            black, white = position.black ^ disc, position.white ^ disc
            inputs.append(Shown(at_ns, type(position)(black, white)))
            inputs.append(Press(at_ns + SECOND_NS // 2, by))
            inputs.append(Ruling(at_ns + 3 * SECOND_NS, Rule.CORRECT_ERROR))
            inputs.append(Shown(at_ns + 7 * SECOND_NS, position))
            at_ns += 9 * SECOND_NS
            inputs.append(Ruling(at_ns, Rule.CORRECTED))
        else:
            inputs.append(Shown(at_ns, position))
            at_ns += SECOND_NS // 2
            inputs.append(Press(at_ns, by))
        by = by.other
    if plies is None:
        inputs += [Sign(at_ns + 20 * SECOND_NS, Side.BLACK), Sign(at_ns + 25 * SECOND_NS, Side.WHITE)]
    game = new_game(header)
    for one_input in inputs:
        game = judge(game, one_input)
    return tuple(inputs), game


def _thought_ns(random: Random, number: int) -> int:
    """Return the thought for a move: openings are known, the middle is thought over, the end is counted and played
    fast.
    """
    mean_s = 4 if number < 9 else 45 if number < 44 else 30 if number < 52 else 7
    return int(min(240.0, random.expovariate(1 / mean_s) + 1) * SECOND_NS)
