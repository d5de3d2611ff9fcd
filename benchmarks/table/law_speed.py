"""The speed of the law: inputs judged a second, a recorded year replayed, perft beside others.

python -m benchmarks.table.law_speed [--short]
"""

from __future__ import annotations

import gzip
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.report.figures import (
    RUNS,
    Aim,
    Figure,
    Found,
    Remark,
    Yardstick,
    at_most,
    rates,
    run,
    seconds,
)
from flagfall.othello import inputs as i
from flagfall.othello.board import START, flips, legal_moves, parse_transcript
from flagfall.othello.game import Header
from flagfall.othello.referee import judge, new_game
from flagfall.othello.rulebook import rulebook
from flagfall.othello.side import Side

YEAR = Path(__file__).parents[2] / "tests" / "data" / "wthor-2019.txt.gz"
OURS, MINIMAL, LIBRARY = "Flagfall", "minimal bitboard of forty lines", "rust-reversi through its Python API"
FULL = 0xFFFF_FFFF_FFFF_FFFF
SHIFTS = ((1, 0x7E7E_7E7E_7E7E_7E7E), (8, FULL), (7, 0x7E7E_7E7E_7E7E_7E7E), (9, 0x7E7E_7E7E_7E7E_7E7E))


def perft(mover: int, opponent: int, depth: int) -> int:
    """Return the number of games of `depth` plies; a pass is a ply, a finished game ends its line as one."""
    moves = legal_moves(mover, opponent)
    if depth == 1:
        if moves:
            return moves.bit_count()
        return 1
    if not moves:
        if not legal_moves(opponent, mover):
            return 1
        return perft(opponent, mover, depth - 1)
    nodes = 0
    while moves:
        disc = moves & -moves
        moves ^= disc
        flipped = flips(mover, opponent, disc.bit_length() - 1)
        nodes += perft(opponent ^ flipped, mover | flipped | disc, depth - 1)
    return nodes


def plain_moves(mover: int, opponent: int) -> int:
    """Return the legal moves by the usual short bitboard: six steps in each of eight directions."""
    moves = 0
    for shift, mask in SHIFTS:
        inner = opponent & mask
        up = (mover << shift) & inner
        down = (mover >> shift) & inner
        for _ in range(5):
            up |= (up << shift) & inner
            down |= (down >> shift) & inner
        moves |= (up << shift) | (down >> shift)
    return moves & ~(mover | opponent) & FULL


def plain_flips(mover: int, opponent: int, disc: int) -> int:
    flipped = 0
    for shift, mask in SHIFTS:
        inner = opponent & mask
        up = (disc << shift) & inner
        down = (disc >> shift) & inner
        for _ in range(5):
            up |= (up << shift) & inner
            down |= (down >> shift) & inner
        if (up << shift) & mover:
            flipped |= up
        if (down >> shift) & mover:
            flipped |= down
    return flipped


def plain_perft(mover: int, opponent: int, depth: int) -> int:
    moves = plain_moves(mover, opponent)
    if depth == 1:
        return moves.bit_count() or 1
    if not moves:
        return plain_perft(opponent, mover, depth - 1) if plain_moves(opponent, mover) else 1
    nodes = 0
    while moves:
        disc = moves & -moves
        moves ^= disc
        flipped = plain_flips(mover, opponent, disc)
        nodes += plain_perft(opponent ^ flipped, mover | flipped | disc, depth - 1)
    return nodes


def library_perft(board: Any, depth: int) -> int:
    """Return the same through rust-reversi's Python API."""
    if board.is_game_over():
        return 1
    if board.is_pass():
        if depth == 1:
            return 1
        passed = board.clone()
        passed.do_pass()
        return library_perft(passed, depth - 1)
    if depth == 1:
        return int(board.get_legal_moves().bit_count())
    return sum(library_perft(child, depth - 1) for child in board.get_child_boards())


def year_of_inputs(games: int) -> list[list[i.Input]]:
    """Return each game as a table would record it: a touch, a position and a press a move, a press a pass."""
    year: list[list[i.Input]] = []
    with gzip.open(YEAR, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#") or len(year) == games:
                continue
            record: list[i.Input] = [i.Start(0), i.Press(0, Side.WHITE)]
            position, black, at_ns = START, True, 0
            for square in parse_transcript(line.split()[-1]):
                at_ns += 5 * 10**9
                if not position.legal(black) >> square & 1:
                    record.append(i.Press(at_ns, Side.BLACK if black else Side.WHITE))
                    black = not black
                position = position.played(black, square)
                side = Side.BLACK if black else Side.WHITE
                record += [
                    i.Touch(at_ns, square, i.Contact.DISC),
                    i.Shown(at_ns, position),
                    i.Press(at_ns, side),
                ]
                black = not black
            year.append(record)
    return year


def judge_all(year: list[list[i.Input]]) -> None:
    header = Header(rulebook("woc-2019"), 30)
    for record in year:
        game = new_game(header)
        for event in record:
            game = judge(game, event)


def measure(short: bool) -> Iterator[Found]:
    runs, depth, games = (1, 5, 20) if short else (RUNS, 8, 1983)
    nodes = perft(START.black, START.white, depth)
    ways: dict[str, Callable[[], int]] = {
        OURS: lambda: perft(START.black, START.white, depth),
        MINIMAL: lambda: plain_perft(START.black, START.white, depth),
    }
    rust_reversi = _library()
    if rust_reversi is None:
        yield Remark("Left out, not installed here: rust-reversi.")
    else:
        ways[LIBRARY] = lambda: library_perft(rust_reversi.Board(), depth)
    assert all(way() == nodes for way in ways.values())
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(runs):
        # In turn, so that a busy moment of the machine hits all of them.
        for name, way in ways.items():
            taken[name] += seconds(way, 1)
    for name in ways:
        yield Figure(f"perft({depth}), {name}", "nodes/s", rates(nodes, taken[name]))
    yield _beside(depth, taken, MINIMAL, at_most(1.5, "as fast as the shortest"))
    if LIBRARY in taken:
        yield _beside(depth, taken, LIBRARY, None, "its moves are compiled, ours are Python")
    year = year_of_inputs(games)
    judged = seconds(lambda: judge_all(year), runs)
    yield Figure("inputs judged (touch, position, press)", "inputs/s", rates(sum(map(len, year)), judged))
    yield Figure(f"games of WTHOR 2019 replayed ({games:,})", "games/s", rates(games, judged))


def _library() -> Any:
    try:
        return importlib.import_module("rust_reversi")
    except ImportError:
        return None


def _beside(
    depth: int, taken: Mapping[str, Sequence[float]], peer: str, aim: Aim | None, note: str = ""
) -> Figure:
    return Figure(
        f"perft({depth}), seconds",
        "s",
        tuple(taken[OURS]),
        aim,
        note=note,
        beside=Yardstick(peer, tuple(taken[peer])),
    )


if __name__ == "__main__":
    run(measure, __doc__)
