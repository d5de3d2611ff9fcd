"""The eye without a camera: positions read from drawn scenes, games played in front of it.

python -m benchmarks.boards.eye [--short]
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass
from itertools import repeat
from multiprocessing import get_context

import cv2
import numpy as np

from benchmarks.boards.eye_film import EyeFilm
from benchmarks.report.figures import Figure, Found, Remark, at_most, median_and_most, run
from eye.find import find
from eye.placement import Floats, Placement
from eye.sources import decode_picture
from eye.squares import NOTHING, read_squares
from eye.surface import Straightener, pixels_of
from eye.watcher import Watcher, quarter_turned
from flagfall.othello.board import FULL, START, Position
from simulator.eye.picture import ScenePainter
from simulator.eye.scene import Scene, draw_scene
from simulator.recorded import DEMO_GAMES, RecordedGame, read_games, replayed

_SIZES = (640, 480), (1280, 960)
# Positions read in each scene, after its start position was found.
_POSITIONS = 100


def positions(game: RecordedGame) -> list[Position]:
    position, black = START, True
    passed = [START]
    for square in replayed(game.squares).plies:
        position = position if square is None else position.played(black, square)
        passed.append(position)
        black = not black
    return passed


@dataclass(slots=True)
class Readings:
    """The readings of scenes in which nothing hides the board."""

    scenes: int = 0
    squares: int = 0
    wrong: int = 0
    unknown: int = 0
    not_found: int = 0
    elsewhere: int = 0

    def read(self, painter: ScenePainter, shown: Sequence[Position]) -> None:
        """Read one scene: the board is found in a picture of the start position, then `shown` are read."""
        self.scenes += 1
        board = find(_picture(painter, START))
        if board is None:
            self.not_found += 1
            return
        turns = self.placed(board.placement, painter.corners)
        straightener = Straightener(board.placement)
        for position in shown:
            pixels = pixels_of(*straightener.straight(_picture(painter, position)))
            reading = (NOTHING if pixels is None else read_squares(pixels)).position
            self.count(reading, position, turns)

    def placed(self, placement: Placement, corners: Floats) -> int:
        """Return by how many quarter turns a board is named otherwise: from the corner at the picture's top left."""
        beside = [
            float(np.abs(placement.corners - np.roll(corners, -turns, axis=0)).max()) for turns in range(4)
        ]
        self.elsewhere += min(beside) > 0.35 * placement.pixels_per_square
        return int(np.argmin(beside))

    def count(self, reading: Position, position: Position, turns: int, seen: int = FULL) -> None:
        """Count the squares `seen`, in the picture's names."""
        for _ in range(turns):
            position = quarter_turned(position)
        self.squares += seen.bit_count()
        self.wrong += reading.differences(position).bit_count()
        self.unknown += (reading.unknown & seen).bit_count()

    def figures(self, kind: str) -> Iterator[Figure]:
        label = f"of {self.squares:,} visible squares in {self.scenes} {kind}"
        yield Figure(f"{label}: of the wrong colour", "", (float(self.wrong),), at_most(0, "hardware/EYE.md"))
        unknown = 100 * self.unknown / max(1, self.squares)
        yield Figure(f"{label}: not known", "%", (unknown,), at_most(1, "hardware/EYE.md"))
        yield Figure(f"boards of {self.scenes} {kind} not found", "", (float(self.not_found),))
        yield Figure(f"boards of {self.scenes} {kind} found elsewhere", "", (float(self.elsewhere),))


def _picture(painter: ScenePainter, position: Position) -> np.ndarray:
    picture = decode_picture(painter.jpeg(position))
    if picture is None:
        raise ValueError("expected a picture of the painter's to be one")
    return picture


def scene(seed: int, pictures: int) -> Readings:
    """Read a scene of one camera on a stand, at one of two sizes; the board is found by its start position."""
    painter, chance = ScenePainter(draw_scene(seed, _SIZES[seed % 2])), random.Random(seed)
    read = Readings()
    read.read(painter, chance.choices(positions(game_of(seed)), k=pictures))
    return read


def game_of(seed: int) -> RecordedGame:
    games = read_games(DEMO_GAMES)
    return games[seed % len(games)]


def sum_of(parts: Iterable[Readings]) -> Readings:
    return Readings(*(sum(column) for column in zip(*map(astuple, parts), strict=True)))


@dataclass(frozen=True, slots=True)
class FilmJudged:
    """The referee's result of a game that was played in front of a camera."""

    accused: int
    as_played: bool
    lost: int
    doubtful: int
    wrong: int
    delays_ms: list[float]


def _scene_to_film(number: int) -> Scene:
    return draw_scene(number, (640, 480))


def set_up(number: int) -> tuple[str, ...]:
    """Return the faults that the set-up finds in a scene; empty if it is fit to play."""
    return EyeFilm(_scene_to_film(number), (), number).set_up()


def film(number: int, most_plies: int) -> FilmJudged:
    """Film a recorded game, played without an error."""
    squares = game_of(number).squares
    plies = replayed(squares).plies[:most_plies]
    film = EyeFilm(_scene_to_film(number), plies, number)
    game = film.run().game
    moves = sum(square is not None for square in plies)
    return FilmJudged(
        accused=sum(incident.state is not None for incident in game.incidents),
        as_played=len(game.moves) == moves and game.moves == squares[:moves],
        lost=sum(incident.type == "board_lost" for incident in game.incidents),
        doubtful=film.doubtful,
        wrong=film.wrong,
        delays_ms=film.delays_ms,
    )


def film_with_a_misflip(number: int, most_plies: int) -> bool:
    """Return whether the misflip of a recorded game was found before the next move."""
    plies, chance = replayed(game_of(number).squares).plies, random.Random(number)
    ply = chance.randrange(2, most_plies)
    while plies[ply] is None:
        ply += 1
    film = EyeFilm(_scene_to_film(number), plies, number, frozenset({ply}))
    return any(
        incident.type == "misflip" and incident.state is not None for incident in film.run().game.incidents
    )


def times(pictures: int) -> tuple[list[float], list[float]]:
    """Return milliseconds of processor time for one picture of 1280 x 960, JPEG decoding in it; and for finding a
    board.
    """
    painter, chance = ScenePainter(draw_scene(3)), random.Random(3)
    of_game = positions(read_games(DEMO_GAMES)[0])
    watcher = Watcher()
    read: list[float] = []
    searched: list[float] = []
    for number in range(pictures):
        data = painter.jpeg(chance.choice(of_game) if number > 2 else START)
        began_s = time.process_time()
        picture = decode_picture(data)
        if picture is not None:
            watcher.see(picture, number * 100_000_000)
        (read if number else searched).append(1000 * (time.process_time() - began_s))
    return read, searched


def _refusals(wrong: Sequence[tuple[str, ...]]) -> Figure:
    refused = {number: faults for number, faults in enumerate(wrong) if faults}
    named = "; ".join(f"{number}: {', '.join(faults)}" for number, faults in refused.items())
    label = f"of {len(wrong)} drawn scenes, not fit to play by the set-up, and not played in"
    return Figure(label, "", (float(len(refused)),), note=named)


def measure(short: bool) -> Iterator[Found]:
    cv2.setNumThreads(1)
    pictures, scenes, games = (9, 1, 1) if short else (_POSITIONS, 160, 100)
    # Scenes and games know nothing of each other; each core has its own.
    with ProcessPoolExecutor(
        initializer=cv2.setNumThreads, initargs=(1,), mp_context=get_context("spawn")
    ) as cores:
        seeds = range(50_000, 50_000 + scenes)
        yield from sum_of(cores.map(scene, seeds, repeat(pictures))).figures("drawn scenes")
        wrong = list(cores.map(set_up, range(games + games // 4)))
        fit = [number for number, faults in enumerate(wrong) if not faults][:games]
        games = len(fit)
        films = list(cores.map(film, fit, repeat(4 if short else 120)))
        noticed = list(cores.map(film_with_a_misflip, fit, repeat(4 if short else 40)))
    yield _refusals(wrong[: fit[-1] + 1])
    accused, other = sum(judged.accused for judged in films), sum(not judged.as_played for judged in films)
    delays = [delay_ms for judged in films for delay_ms in judged.delays_ms]
    yield Figure(f"false accusations in {games} games", "", (float(accused),), at_most(0, "hardware/EYE.md"))
    yield Figure(f"games of {games} not move for move", "", (float(other),), at_most(0, "hardware/EYE.md"))
    untrue = sum(judged.wrong for judged in films)
    label = f"squares in {games} games told as they lay neither before nor after the move"
    yield Figure(label, "", (float(untrue),), at_most(0, "hardware/EYE.md"))
    lost = sum(judged.lost for judged in films)
    yield Figure(f"presses in {games} games that the eye had not seen the board at", "", (float(lost),))
    doubtful = sum(judged.doubtful for judged in films)
    label = f"moves in {games} games of which a changed square was not known until the next"
    yield Figure(label, "", (float(doubtful),))
    label = "a position is told after the hand has left"
    note = f"{len(delays):,} moves, ten pictures a second; squares that cannot be read are told as ?"
    yield from median_and_most(label, "ms", delays, at_most(400, "hardware/EYE.md"), note)
    label, missed = f"misflips of {games} not found before the next move", float(games - sum(noticed))
    yield Figure(label, "", (missed,), at_most(0, "hardware/EYE.md"))
    read, searched = times(6 if short else 300)
    label, note = "one picture of 1280 x 960 decoded and read", "processor time, one core"
    yield Figure(label, "ms", tuple(read), at_most(40, "hardware/EYE.md"), note)
    note = "where none is known yet, or it was moved"
    yield Figure("a board searched for", "ms", tuple(searched), note=note)
    yield Remark(
        "Scenes are drawn (`simulator/eye`): what a real camera does to a real board is not in these figures."
    )


if __name__ == "__main__":
    run(measure, __doc__)
