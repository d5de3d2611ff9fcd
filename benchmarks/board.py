"""What can be said of the sensor board without one: figures over the physical model at its stated worst case.

python benchmarks/board.py [--quick]
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from array import array
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from firmware_py.calibrate import from_text
from firmware_py.classify import BLACK, EMPTY, UNKNOWN, WHITE, Classifier
from othello.board import START, Position
from simulator.board_film import Film
from simulator.board_model import BoardModel
from simulator.firmware_body import calibration
from simulator.recorded import DEMO_GAMES, read_games, replayed
from table_app.board_messages import Snapshot
from table_app.frames import Decoder, Frame, encode

DRIFT_MV = 25.0
"""Twenty degrees between calibration and play, in millivolts of a sensor's zero (hardware/README.md)."""


def readings(millions: float) -> str:
    """Squares read in full positions that change all the time, at the worst zeros, noise, offsets and drift."""
    wrong = unknown = missed = total = 0
    board = 0
    while total < millions * 1_000_000:
        chance = random.Random(board)
        model = BoardModel(seed=board)
        classifier = Classifier(from_text(calibration(model)))
        model.drift_mv = chance.choice((-DRIFT_MV, DRIFT_MV))
        for _ in range(40):
            truth = [chance.choice((EMPTY, BLACK, WHITE)) for _ in range(64)]
            for square, value in enumerate(truth):
                model.put(square, None if value == EMPTY else model.drawn_disc(value == BLACK))
            for _ in range(20):
                classifier.classify(array("h", model.readings()))
            for _ in range(20):
                classifier.classify(array("h", model.readings()))
                for square in range(64):
                    told = classifier.values[square]
                    total += 1
                    if told == UNKNOWN:
                        unknown += 1
                    elif told != truth[square]:
                        wrong += told != EMPTY
                        missed += told == EMPTY
        board += 1
    return (
        f"{total:,} square readings on {board} boards: {wrong} of the wrong colour, {missed} discs taken for nothing, "
        f"{unknown} not known ({100 * unknown / total:.4f} %)"
    )


def accusations(games: int) -> str:
    """Games at a human pace: presses 0-100 ms after the last disc, discs straightened, hands passing over squares."""
    recorded = read_games(DEMO_GAMES)
    accused = wrong = 0
    delays_ns: list[int] = []
    for number in range(games):
        game = recorded[number % len(recorded)]
        film = Film(replayed(game.squares).plies, seed=number)
        desk = film.run()
        delays_ns += film.delays_ns
        accused += sum(incident.state is not None for incident in desk.game.incidents)
        wrong += desk.game.moves != game.squares
    delays_ns.sort()
    middle, most = delays_ns[len(delays_ns) // 2], delays_ns[-1]
    return (
        f"{games} games: {accused} false accusations, {wrong} games not move for move; a placed disc is told "
        f"{middle / 1e6:.0f} ms after it lies (median), {most / 1e6:.0f} ms at most"
    )


def damage(frames: int) -> str:
    """Frames with a flipped bit, a lost, foreign or cut byte, or run together; each followed by a sound one."""
    chance = random.Random(1)
    decoder = Decoder()
    decoder.feed(b"\0")
    accepted = lost = 0
    for sequence in range(frames):
        position = Position(chance.getrandbits(64), 0)
        sound = Frame(sequence & 0xFFFF, sequence, Snapshot(START, 1, 2))
        hurt = Frame(sequence & 0xFFFF, chance.getrandbits(32), Snapshot(position, 3, 4))
        data = bytearray(encode(hurt))
        kind = sequence % 5
        at = chance.randrange(len(data) - 1)
        if kind == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del data[at]
        elif kind == 2:
            data.insert(at, chance.randrange(256))
        elif kind == 3:
            del data[at:]
            data += b"\0"
        else:
            # The zero between two frames is lost: both are, and the next one is heard.
            data = data[:-1] + bytearray(encode(sound))
        got = decoder.feed(bytes(data) + encode(sound))
        accepted += sum(frame not in (sound, hurt) for frame in got)
        lost += got[-1:] != [sound]
    return f"{frames:,} damaged frames: {accepted} false accepts, {lost} times the next frame was not heard"


def decoding(seconds: float) -> str:
    data = b"".join(encode(Frame(number, number, Snapshot(START, 1, 2))) for number in range(1000))
    decoder = Decoder()
    frames = 0
    until_s = time.perf_counter() + seconds
    while time.perf_counter() < until_s:
        frames += len(decoder.feed(data))
    return f"{frames / seconds:,.0f} frames decoded a second on one core"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a hundredth of everything")
    share = 0.01 if parser.parse_args().quick else 1.0
    figures: tuple[Callable[[], str], ...] = (
        lambda: readings(share),
        lambda: accusations(max(1, round(100 * share))),
        lambda: damage(round(1_000_000 * share)),
        lambda: decoding(2 * share),
    )
    for figure in figures:
        print(figure(), flush=True)


if __name__ == "__main__":
    main()
