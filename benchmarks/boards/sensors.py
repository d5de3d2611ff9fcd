"""The sensor board without one: figures over the physical model at its stated worst case.

python -m benchmarks.boards.sensors [--short]
"""

from __future__ import annotations

import random
import time
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.boards.sensor_film import Film
from benchmarks.report.figures import RUNS, Figure, Found, at_least, at_most, median_and_most, paced, run
from firmware_py.calibrate import from_text
from firmware_py.classify import BLACK, EMPTY, UNKNOWN, WHITE, Classifier
from flagfall.link.board.frames import Decoder, Frame, encode
from flagfall.link.board.messages import Snapshot
from flagfall.othello.board import START, Position
from simulator.board_model import BoardModel
from simulator.firmware_body import calibration
from simulator.recorded import DEMO_GAMES, read_games, replayed

# Drift by twenty degrees between calibration and play, in millivolts of a sensor's zero (hardware/README.md).
DRIFT_MV = 25.0


@dataclass(frozen=True, slots=True)
class Readings:
    """The squares read on so many boards: of the wrong colour, discs taken for nothing, not known."""

    total: int
    boards: int
    wrong: int
    missed: int
    unknown: int


def readings(least: int) -> Readings:
    """Read squares in full positions that change all the time, at the worst zeros, noise, offsets and drift."""
    wrong = unknown = missed = total = 0
    board = 0
    while total < least:
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
                    verdict = classifier.values[square]
                    total += 1
                    if verdict == UNKNOWN:
                        unknown += 1
                    elif verdict != truth[square]:
                        wrong += verdict != EMPTY
                        missed += verdict == EMPTY
        board += 1
    return Readings(total, board, wrong, missed, unknown)


@dataclass(frozen=True, slots=True)
class Played:
    """The games through the board: false accusations, games not move for move, milliseconds until each disc was
    reported.
    """

    accused: int
    wrong: int
    delays_ms: tuple[float, ...]


def accusations(games: int) -> Played:
    """Play games at a human pace: presses 0-100 ms after the last disc, discs straightened, hands passing over
    squares.
    """
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
    return Played(accused, wrong, tuple(delay / 1e6 for delay in delays_ns))


def damage(frames: int) -> tuple[int, int]:
    """Return (false accepts, times the next frame was not heard) of frames with a flipped bit, a lost, foreign or cut
    byte, or run together; each is followed by a sound one.
    """
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
    return accepted, lost


def decoding(seconds: float) -> float:
    """Return the frames decoded a second on one core."""
    data = b"".join(encode(Frame(number, number, Snapshot(START, 1, 2))) for number in range(1000))
    decoder = Decoder()
    frames = 0
    begun_s = time.perf_counter()
    while time.perf_counter() < begun_s + seconds:
        frames += len(decoder.feed(data))
    return frames / (time.perf_counter() - begun_s)


def measure(short: bool) -> Iterator[Found]:
    squares, games, frames = (5_000, 1, 10_000) if short else (1_000_000, 100, 1_000_000)
    read = readings(squares)
    label = f"of {read.total:,} square readings on {read.boards} boards"
    none = at_most(0, "none is allowed")
    yield Figure(f"{label}: of the wrong colour", "", (float(read.wrong),), none)
    yield Figure(f"{label}: a disc taken for nothing", "", (float(read.missed),))
    yield Figure(f"{label}: not known", "%", (100 * read.unknown / read.total,))
    played = accusations(games)
    yield Figure(f"false accusations in {games} games", "", (float(played.accused),), none)
    yield Figure(f"games of {games} not move for move", "", (float(played.wrong),), none)
    note = (
        f"{len(played.delays_ms):,} discs; the scan and its work, in the model's time, without cable and host"
    )
    limit = at_most(60, "in the model's time")
    yield from median_and_most("a placed disc is told after", "ms", played.delays_ms, limit, note)
    accepted, lost = damage(frames)
    yield Figure(f"false accepts of {frames:,} damaged frames", "", (float(accepted),), none)
    yield Figure("times the next frame was not heard", "", (float(lost),), none)
    yield paced(
        "frames decoded on one core",
        "frames/s",
        tuple(decoding(0.1 if short else 2.0) for _ in range(1 if short else RUNS)),
        at_least(120, "10,000 frames/s"),
    )


if __name__ == "__main__":
    run(measure, __doc__)
