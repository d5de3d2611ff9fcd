"""Boards in the conditions of clubs that drawn photographs lacked, each kind by itself: hard shadows, warm and cold
light, lamps that a glossy board mirrors, printed notation, travel sets, pictures held askew.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from benchmarks.boards.phone_scenes import Around, photographed
from flagfall.othello.board import Position, squares_of
from simulator.eye.scene import Scene

# From a seed, a size in pixels and the position that will lie there.
Draw: TypeAlias = Callable[[int, tuple[int, int], Position], tuple[Scene, Around]]


def hard_shadows(seed: int, size: tuple[int, int], _: Position) -> tuple[Scene, Around]:
    """Return a board in the light of one bare lamp: long dark shadows of discs, and the edge of a larger one."""
    scene, around = photographed(seed, size)
    chance = random.Random(-80_000 - seed)
    far = chance.uniform(1.0, 2.2)
    towards = chance.choice((-far, far)), chance.uniform(-1.5, 1.5)
    light = replace(scene.light, shadow=chance.uniform(0.55, 0.8), towards=towards)
    edge = chance.uniform(0.35, 0.6)
    return replace(scene, light=light), replace(around, edge=edge, edge_blur=chance.uniform(1, 3))


def tinted_light(seed: int, size: tuple[int, int], _: Position) -> tuple[Scene, Around]:
    """Return a board in warm or cold light that the camera did not take out."""
    scene, around = photographed(seed, size)
    chance = random.Random(-81_000 - seed)
    warm = chance.uniform(0.22, 0.42) if seed % 2 else -chance.uniform(0.16, 0.32)
    return replace(scene, light=replace(scene.light, warm=warm)), around


def glossy(seed: int, size: tuple[int, int], position: Position) -> tuple[Scene, Around]:
    """Return a varnished board in which lamps are mirrored: one over an empty square, one in a black disc."""
    scene, around = photographed(seed, size)
    chance = random.Random(-82_000 - seed)
    side = scene.board.square

    def beside(squares: int) -> tuple[float, float]:
        square = chance.choice(list(squares_of(squares)))
        x, y = (square % 8 - 3.5) * side, (square // 8 - 3.5) * side
        return x + chance.uniform(-0.15, 0.15) * side, y + chance.uniform(-0.15, 0.15) * side

    lamp = beside(position.black) if position.black else scene.light.lamp
    light = replace(scene.light, lamp=lamp, lamp_size=chance.uniform(0.8, 2.5) * side)
    discs = replace(scene.discs, gloss=chance.uniform(0.6, 1.0))
    spots = (beside(position.empty),) if position.empty else ()
    around = replace(
        around,
        mirrored=(lamp, *spots),
        mirrored_size=chance.uniform(0.2, 0.42) * side,
        mirrored_light=chance.uniform(0.3, 0.95),
    )
    return replace(scene, light=light, discs=discs), around


def notation(seed: int, size: tuple[int, int], _: Position) -> tuple[Scene, Around]:
    """Return a board with letters and numbers printed on all four sides, and in half of them in the squares too."""
    scene, around = photographed(seed, size)
    chance = random.Random(-83_000 - seed)
    board = replace(scene.board, frame=chance.uniform(16, 30))
    far = scene.camera.far * (8 * board.square + 2 * board.frame) / (8 * board.square + 2 * scene.board.frame)
    dark = sum(board.frame_colour) < 300
    around = replace(
        around,
        letters=(235.0, 235.0, 235.0) if dark else (20.0, 20.0, 20.0),
        all_sides=True,
        in_squares=chance.random() < 0.5,
    )
    return replace(scene, board=board, camera=replace(scene.camera, far=far)), around


def travel_set(seed: int, size: tuple[int, int], _: Position) -> tuple[Scene, Around]:
    """Return a folding board of a travel set: small squares that the discs nearly fill, each in its hollow."""
    scene, around = photographed(seed, size)
    chance = random.Random(-84_000 - seed)
    square = chance.uniform(15, 24)
    smaller = square / scene.board.square
    board = replace(
        scene.board,
        square=square,
        frame=chance.uniform(3, 9),
        line=chance.uniform(0.5, 1.1),
        folds=True,
        dots=False,
    )
    discs = replace(
        scene.discs,
        radius=chance.uniform(0.44, 0.48) * square,
        thick=chance.uniform(0.1, 0.2) * square,
        beside=0.02 * square,
    )
    wide = (8 * square + 2 * board.frame) / (8 * scene.board.square + 2 * scene.board.frame)
    camera = replace(
        scene.camera,
        far=scene.camera.far * max(smaller, wide),
        aim=(scene.camera.aim[0] * smaller, scene.camera.aim[1] * smaller),
    )
    return replace(scene, board=board, discs=discs, camera=camera), replace(around, letters=None)


def askew(seed: int, size: tuple[int, int], _: Position) -> tuple[Scene, Around]:
    """Return a board in a picture that was held askew: turned by any angle, low, and from one side."""
    scene, around = photographed(seed, size)
    chance = random.Random(-85_000 - seed)
    camera = replace(
        scene.camera,
        turn=chance.uniform(-180, 180),
        tilt=chance.uniform(30, 52),
        aside=chance.choice((-1, 1)) * chance.uniform(8, 20),
        far=scene.camera.far * 1.25,
        aim=(0.0, 0.0),
    )
    return replace(scene, camera=camera), around


# The kinds by their names on the page of figures.
KINDS: dict[str, Draw] = {
    "hard shadows": hard_shadows,
    "warm and cold light": tinted_light,
    "lamps mirrored in a glossy board": glossy,
    "printed notation": notation,
    "travel sets": travel_set,
    "pictures held askew": askew,
}
