"""How fast the law is: inputs judged a second, a recorded year replayed, perft(8) beside a minimal bitboard.

    python benchmarks/law_speed.py [--short]

Prints medians of five runs with their spread. `--short` runs everything once, small, to see that it works.
"""

from __future__ import annotations

import argparse
import gzip
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from othello import inputs as i
from othello.board import START, perft
from othello.game import Header
from othello.notation import parse_transcript
from othello.referee import judge, new_game
from othello.rulebook import rulebook
from othello.side import Side

YEAR = Path(__file__).parents[1] / "tests" / "data" / "wthor-2019.txt.gz"
FULL = 0xFFFF_FFFF_FFFF_FFFF
SHIFTS = ((1, 0x7E7E_7E7E_7E7E_7E7E), (8, FULL), (7, 0x7E7E_7E7E_7E7E_7E7E), (9, 0x7E7E_7E7E_7E7E_7E7E))


def plain_moves(own: int, opponent: int) -> int:
    """The usual short bitboard: six steps in each of eight directions."""
    moves = 0
    for shift, mask in SHIFTS:
        inner = opponent & mask
        up = (own << shift) & inner
        down = (own >> shift) & inner
        for _ in range(5):
            up |= (up << shift) & inner
            down |= (down >> shift) & inner
        moves |= (up << shift) | (down >> shift)
    return moves & ~(own | opponent) & FULL


def plain_flips(own: int, opponent: int, disc: int) -> int:
    flipped = 0
    for shift, mask in SHIFTS:
        inner = opponent & mask
        up = (disc << shift) & inner
        down = (disc >> shift) & inner
        for _ in range(5):
            up |= (up << shift) & inner
            down |= (down >> shift) & inner
        if (up << shift) & own:
            flipped |= up
        if (down >> shift) & own:
            flipped |= down
    return flipped


def plain_perft(own: int, opponent: int, depth: int) -> int:
    moves = plain_moves(own, opponent)
    if depth == 1:
        return moves.bit_count() or 1
    if not moves:
        return plain_perft(opponent, own, depth - 1) if plain_moves(opponent, own) else 1
    nodes = 0
    while moves:
        disc = moves & -moves
        moves ^= disc
        flipped = plain_flips(own, opponent, disc)
        nodes += plain_perft(opponent ^ flipped, own | flipped | disc, depth - 1)
    return nodes


def year_of_inputs(games: int) -> list[list[i.Input]]:
    """Each game as a table would record it: a touch, a position and a press a move, a press a pass."""
    year = []
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
        for one in record:
            game = judge(game, one)


def seconds(run: Callable[[], object], times: int) -> list[float]:
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        run()
        taken.append(time.perf_counter() - begun)
    return taken


def told(name: str, taken: list[float], work: int, unit: str) -> float:
    median = statistics.median(taken)
    spread = (max(taken) - min(taken)) / median * 100
    print(f"{name:<44} {work / median:>12,.0f} {unit}/s   {median:7.3f} s, spread {spread:.0f} %")
    return median


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="once, and small")
    short = parser.parse_args().short
    times, depth, games = (1, 5, 20) if short else (5, 8, 1983)
    nodes = perft(START.black, START.white, depth)
    ours = told(
        f"perft({depth}), othello.board",
        seconds(lambda: perft(START.black, START.white, depth), times),
        nodes,
        "nodes",
    )
    plain = told(
        f"perft({depth}), minimal bitboard",
        seconds(lambda: plain_perft(START.black, START.white, depth), times),
        nodes,
        "nodes",
    )
    print(f"{'ratio to the minimal bitboard':<44} {ours / plain:>12.2f}     aim: at most 1.50")
    year = year_of_inputs(games)
    taken = seconds(lambda: judge_all(year), times)
    told("inputs judged (touch, position, press)", taken, sum(map(len, year)), "inputs")
    told(f"games of WTHOR 2019 replayed ({games})", taken, games, "games")


if __name__ == "__main__":
    main()
