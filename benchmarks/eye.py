"""What can be said of an eye without a camera: positions read from drawn scenes, games played in front of it.

python -m benchmarks.eye [--short]
"""

from __future__ import annotations

import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.eye_film import EyeFilm
from benchmarks.figures import RUNS, Figure, Found, Remark, Yardstick, at_most, p99, run
from benchmarks.table_latency import measured
from eye.find import find
from eye.sources import decoded
from eye.squares import NOTHING, read_squares
from eye.surface import Straightener, pixels_of
from eye.watcher import Watcher
from othello.board import START, Position
from simulator.eye.picture import Painter
from simulator.eye.scene import drawn
from simulator.recorded import DEMO_GAMES, RecordedGame, read_games, replayed

_POSITIONS = 40
"""Read in each scene, after its start position was found."""


def positions(game: RecordedGame) -> list[Position]:
    position, black = START, True
    passed = [START]
    for square in replayed(game.squares).plies:
        position = position if square is None else position.played(black, square)
        passed.append(position)
        black = not black
    return passed


def readings(least: int) -> tuple[int, int, int, int, int]:
    """(squares, scenes, wrong, unknown, boards not found) of scenes in which nothing hides the board."""
    games = read_games(DEMO_GAMES)
    total = wrong = unknown = lost = scenes = 0
    while total < least:
        seed = 50_000 + scenes
        scenes += 1
        painter, chance = Painter(drawn(seed)), random.Random(seed)
        first = decoded(painter.jpeg(START))
        found = find(first) if first is not None else None
        if found is None:
            lost += 1
            continue
        straightener = Straightener(found.placement)
        of_game = positions(games[seed % len(games)])
        for _ in range(min(_POSITIONS, (least - total) // 64 + 1)):
            position = chance.choice(of_game)
            picture = decoded(painter.jpeg(position))
            if picture is None:
                raise ValueError("expected a picture of the painter's to be one")
            faces, spots = straightener.straight(picture)
            pixels = pixels_of(faces, spots, straightener.spots)
            told = (NOTHING if pixels is None else read_squares(pixels)).position
            total += 64
            wrong += told.differences(position).bit_count()
            unknown += told.unknown.bit_count()
    return total, scenes, wrong, unknown, lost


def times(pictures: int) -> tuple[list[float], list[float]]:
    """Milliseconds of processor time for one picture of 1280 x 960, JPEG decoding in it; and for finding a board."""
    painter, chance = Painter(drawn(3)), random.Random(3)
    of_game = positions(read_games(DEMO_GAMES)[0])
    watcher = Watcher()
    read: list[float] = []
    searched: list[float] = []
    for number in range(pictures):
        data = painter.jpeg(chance.choice(of_game) if number > 2 else START)
        began_s = time.process_time()
        picture = decoded(data)
        if picture is not None:
            watcher.see(picture, number * 100_000_000)
        (read if number else searched).append(1000 * (time.process_time() - began_s))
    return read, searched


@contextmanager
def watching() -> Iterator[list[float]]:
    """The program at work on pictures of 1280 x 960, eight a second; gives the most memory it held (MB)."""
    held: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        painter = Painter(drawn(3))
        (folder / "1.jpg").write_bytes(painter.jpeg(START))
        command = [
            sys.executable,
            "-m",
            "eye.start",
            "run",
            "--pictures",
            name,
            "--port",
            str(folder / "board"),
        ]
        # As its service: the clock comes first.
        program = subprocess.Popen(["nice", "-n", "10", *command], stderr=subprocess.PIPE, text=True)
        try:
            assert program.stderr is not None
            if "the board is seen" not in program.stderr.readline():
                raise SystemExit("the eye did not see its board")
            yield held
            found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{program.pid}/status").read_text("ascii"))
            held.append(int(found[1]) / 1024 if found is not None else 0.0)
        finally:
            program.terminate()
            program.wait(20)


def beside_an_eye(presses: int, runs: int) -> Iterator[Found]:
    """What an eye on the same device costs: its memory, and what the clock notices of it."""
    alone: list[float] = []
    beside: list[float] = []
    held: list[float] = []
    for _ in range(runs):
        alone.append(p99(measured(presses).turns))
        with watching() as most:
            beside.append(p99(measured(presses).turns))
        held += most
    yield Figure(
        "from the press to the turned clock beside an eye at work, p99",
        "ms",
        tuple(beside),
        at_most(1.2, "as without"),
        note=f"{presses} presses a run",
        beside=Yardstick("without an eye", tuple(alone)),
    )
    yield Figure("the most memory that the program holds", "MB", tuple(held), at_most(150, "hardware/EYE.md"))


def measure(short: bool) -> Iterator[Found]:
    import cv2

    cv2.setNumThreads(1)
    squares, games, misflips = (640, 1, 1) if short else (1_000_000, 100, 100)
    most_plies = 4 if short else 120
    total, scenes, wrong, unknown, lost = readings(squares)
    what = f"of {total:,} visible squares in {scenes} scenes"
    yield Figure(f"{what}: of the wrong colour", "", (float(wrong),), at_most(0, "hardware/EYE.md"))
    yield Figure(f"{what}: not known", "%", (100 * unknown / total,), at_most(1, "hardware/EYE.md"))
    yield Figure(f"boards of {scenes} not found", "", (float(lost),))
    recorded = read_games(DEMO_GAMES)
    accused = other = late = 0
    delays: list[float] = []
    for number in range(games):
        game = recorded[number]
        plies = replayed(game.squares).plies[:most_plies]
        film = EyeFilm(drawn(number, (640, 480)), plies, number)
        desk = film.run()
        accused += sum(incident.state is not None for incident in desk.game.incidents)
        other += desk.game.moves != game.squares[: len(desk.game.moves)] or len(desk.game.moves) < len(
            [square for square in plies if square is not None]
        )
        late += sum(incident.type == "board_lost" for incident in desk.game.incidents)
        delays += film.delays_ms
    yield Figure(f"false accusations in {games} games", "", (float(accused),), at_most(0, "hardware/EYE.md"))
    yield Figure(f"games of {games} not move for move", "", (float(other),), at_most(0, "hardware/EYE.md"))
    yield Figure(f"presses in {games} games that the eye had not seen the board at", "", (float(late),))
    yield Figure(
        "a position is told after the hand has left, median",
        "ms",
        (statistics.median(delays),),
        at_most(400, "hardware/EYE.md"),
        note=f"{len(delays):,} moves, ten pictures a second",
    )
    yield Figure(
        "a position is told after the hand has left, at most",
        "ms",
        (max(delays),),
        at_most(400, "hardware/EYE.md"),
    )
    missed = 0
    for number in range(misflips):
        plies = replayed(recorded[number].squares).plies
        chance = random.Random(number)
        ply = chance.randrange(2, 4 if short else 40)
        while plies[ply] is None:
            ply += 1
        film = EyeFilm(drawn(number, (640, 480)), plies, number, frozenset({ply}))
        missed += not any(
            one.type == "misflip" and one.state is not None for one in film.run().game.incidents
        )
    yield Figure(
        f"misflips of {misflips} not found before the next move",
        "",
        (float(missed),),
        at_most(0, "hardware/EYE.md"),
    )
    read, searched = times(6 if short else 300)
    yield Figure(
        "one picture of 1280 x 960 decoded and read",
        "ms",
        tuple(read),
        at_most(40, "hardware/EYE.md"),
        note="processor time, one core",
    )
    yield Figure(
        "a board searched for", "ms", tuple(searched), note="where none is known yet, or it was moved"
    )
    yield from beside_an_eye(5 if short else 200, 1 if short else RUNS)
    yield Remark(
        "Scenes are drawn (`simulator/eye`): what a real camera does to a real board is not in these figures."
    )


if __name__ == "__main__":
    run(measure, __doc__)
