"""Boards as people photograph them by phone: any turn, up to 48 degrees aside, with all that lies around a board.

Colours are any, lines dark, light or faint, rims carry letters or trays of spare discs, tables have grain, papers and
discs lie beside, faces have grooves and mirror lamps, shadows have edges, a lamp's glare lies over the board. Phones
lift dark places, sharpen, and messengers compress. Boards may be far away or reach out of the picture.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import cv2
import numpy as np

from simulator.eye.scene import Colour, Light, Scene, SceneBoard, SceneCamera, SceneDiscs, draw_scene

_TROUBLES = [
    "faint",
    "travel",
    "tray",
    "far",
    "cut",
    "messenger",
    "glare",
    "domed",
    "lifted",
    "window",
    "beside",
]


@dataclass(frozen=True, slots=True)
class Around:
    """The surroundings of a board, and what the phone does to its picture."""

    # Squares are separate and round at their corners, with grooves between.
    tiles: bool
    outer_line: bool
    letters: Colour | None
    grain: float
    papers: int
    spare: int
    # How dark the half of the picture beyond a shadow's edge is, 1 where there is none.
    edge: float
    # How much a ring in each face differs from it.
    groove: float
    gap: float
    # How wide, in millimetres, the troughs for discs on two sides are.
    tray: float = 0.0
    # How strongly a lamp is mirrored over several squares.
    glare: float = 0.0
    # How strongly a lamp is mirrored in each face.
    domed: float = 0.0
    # How much the phone does to dark places.
    lifted: float = 0.0
    # How much the phone does to edges.
    sharpened: float = 0.0
    # How much more light reaches the picture than it can show: 0 is none, 4 leaves lines that hardly show.
    washed: float = 0.0
    # How strongly the room is mirrored in black faces: 0 to 1, at 0.5 they are as grey as half of the light.
    sheen: float = 0.0
    # An arm in a black or white sleeve lies over the board.
    sleeve: bool = False
    # How soft the shadow's edge is, in pixels; 0 is any.
    edge_blur: float = 0.0
    # The places (x, y) in millimetres where a glossy surface mirrors lamps, their radius, and how strongly: 0 to 1.
    mirrored: tuple[tuple[float, float], ...] = ()
    mirrored_size: float = 0.0
    mirrored_light: float = 0.0
    # Letters stand on all sides of the board; in the corners of its outer squares too.
    all_sides: bool = False
    in_squares: bool = False


def photographed(seed: int, size: tuple[int, int] = (1280, 960)) -> tuple[Scene, Around]:
    """Return a scene and what lies around the board in it, both drawn from one seed."""
    chance = random.Random(seed)
    scene = draw_scene(chance.randrange(1 << 30), size)
    board = _board(chance)
    discs, light = _discs(chance, board.square), _light(chance)
    camera = _camera(chance, 8 * board.square + 2 * board.frame, size)
    around = _around(chance, board.frame_colour)
    return replace(scene, board=board, discs=discs, light=light, camera=camera), around


def _board(chance: random.Random) -> SceneBoard:
    hue = chance.uniform(38, 85) if chance.random() < 0.8 else chance.uniform(0, 130)
    colour = hsv(hue, chance.uniform(110, 245), chance.uniform(60, 190))
    rims: list[Colour] = [(25, 25, 25), (45, 75, 120), (200, 205, 210), (20, 30, 45)]
    rim = colour if chance.random() < 0.3 else chance.choice(rims)
    bright = chance.random() < 0.25
    inks: list[Colour] = [(235, 238, 238), (150, 215, 225)] if bright else [(18, 18, 18), dim(colour, 0.45)]
    ink = chance.choice(inks)
    return SceneBoard(
        square=chance.uniform(34, 52),
        colour=colour,
        frame=chance.uniform(3, 45),
        frame_colour=rim,
        line=chance.uniform(0.8, 2.4),
        line_colour=ink,
        folds=chance.random() < 0.3,
        dots=chance.random() < 0.7,
    )


def _discs(chance: random.Random, square: float) -> SceneDiscs:
    grey = chance.uniform(12, 55)
    white = chance.uniform(200, 248)
    return SceneDiscs(
        radius=square * chance.uniform(0.37, 0.46),
        thick=square * chance.uniform(0.1, 0.22),
        black=(grey * chance.uniform(0.85, 1.1), grey, grey * chance.uniform(0.9, 1.1)),
        white=(white * chance.uniform(0.88, 1.0), white, white),
        gloss=chance.uniform(0, 0.8),
        beside=square * chance.uniform(0.01, 0.085),
    )


def _light(chance: random.Random) -> Light:
    return Light(
        level=chance.uniform(0.4, 1.1),
        slope=(chance.uniform(-0.3, 0.3), chance.uniform(-0.3, 0.3)),
        towards=(chance.uniform(-1.2, 1.2), chance.uniform(-1.2, 1.2)),
        shadow=chance.uniform(0.1, 0.6),
        warm=chance.uniform(-0.08, 0.22),
        lamp=(chance.uniform(-200, 200), chance.uniform(-200, 200)),
        lamp_size=chance.uniform(25, 90),
    )


def _camera(chance: random.Random, wide: float, size: tuple[int, int]) -> SceneCamera:
    """Return a camera that has a board `wide` millimetres across in its picture, however it is turned."""
    tilt = chance.uniform(0, 48)
    focal = chance.uniform(0.7, 1.1) * (1 if size[0] > size[1] else 1.3)
    share = chance.uniform(0.65, 0.95)
    turn = chance.choice((chance.gauss(0, 6), chance.uniform(-180, 180)))
    slant = abs(np.cos(np.radians(turn))) + abs(np.sin(np.radians(turn)))
    return SceneCamera(
        size=size,
        tilt=tilt,
        turn=turn,
        aside=chance.uniform(-8, 8),
        far=wide * slant * focal * size[0] / (min(size) * share) * (1 + 0.3 * np.sin(np.radians(tilt))),
        focal=focal,
        bend=chance.uniform(-0.12, 0.04),
        blur=chance.uniform(0.3, 1.6),
        noise=chance.uniform(1, 6),
        quality=chance.randint(45, 95),
        gain=(chance.uniform(0.85, 1.15), chance.uniform(0.85, 1.15), chance.uniform(0.85, 1.15)),
        aim=(chance.uniform(-25, 25), chance.uniform(-25, 25)),
    )


def _around(chance: random.Random, rim: Colour) -> Around:
    return Around(
        tiles=chance.random() < 0.15,
        outer_line=chance.random() < 0.8,
        letters=None if chance.random() < 0.4 else ((235, 235, 235) if sum(rim) < 300 else (20, 20, 20)),
        grain=chance.uniform(0, 0.25),
        papers=chance.randrange(4),
        spare=chance.choice((0, 0, 3, 12)),
        edge=chance.choice((1.0, 1.0, chance.uniform(0.45, 0.8))),
        groove=chance.choice((0.0, chance.uniform(-0.25, 0.12))),
        gap=chance.uniform(1, 4),
    )


def hard(seed: int, size: tuple[int, int] = (1280, 960)) -> tuple[Scene, Around]:
    """Return the scene of a photograph like `photographed`; each picture has some of what makes it harder."""
    scene, around = photographed(seed, size)
    chance = random.Random(-1 - seed)
    board, discs, light, camera = scene.board, scene.discs, scene.light, scene.camera
    troubles = chance.sample(_TROUBLES, k=chance.randint(1, 4))
    if "faint" in troubles:
        board = replace(
            board, line_colour=dim(board.colour, chance.uniform(0.55, 0.75)), line=chance.uniform(1, 2)
        )
    if "travel" in troubles:
        discs = replace(
            discs, radius=0.46 * board.square, thick=chance.uniform(0.08, 0.16) * board.square, beside=0.3
        )
    if "tray" in troubles:
        black: Colour = (28, 28, 28)
        board = replace(board, frame=chance.uniform(6, 14), frame_colour=black, folds=False)
        around = replace(around, tray=chance.uniform(45, 80), letters=None)
    if "far" in troubles:
        camera = replace(camera, far=camera.far * chance.uniform(1.3, 2.2))
    if "cut" in troubles:
        reach = 3.0 * board.square
        camera = replace(camera, aim=(chance.uniform(-reach, reach), chance.uniform(-reach, reach) / 2))
    if "messenger" in troubles:
        width, height = (round(part * 1000 / max(size)) for part in size)
        camera = replace(camera, size=(width, height), quality=chance.randint(28, 45))
    if "window" in troubles:
        slope = chance.uniform(0.4, 0.6)
        light = replace(
            light, slope=chance.choice(((slope, 0.1), (-slope, 0.1), (0.1, slope), (0.1, -slope)))
        )
    if "beside" in troubles:
        discs = replace(discs, beside=0.12 * board.square, thick=chance.uniform(0.18, 0.28) * board.square)
    around = replace(
        around,
        glare=chance.uniform(0.3, 1.3) * ("glare" in troubles),
        domed=chance.uniform(0.4, 1.0) * ("domed" in troubles),
        lifted=chance.uniform(0.4, 1.0) * ("lifted" in troubles),
        sharpened=chance.uniform(0.6, 1.6) * ("lifted" in troubles),
    )
    return replace(scene, board=board, discs=discs, light=light, camera=camera), around


def overexposed(seed: int, size: tuple[int, int] = (1280, 960)) -> tuple[Scene, Around]:
    """Return the scene of a photograph with too much light and faint lines, taken from any corner."""
    scene, around = photographed(seed, size)
    chance = random.Random(-20_000 - seed)
    colour = hsv(chance.uniform(38, 75), chance.uniform(110, 220), chance.uniform(110, 200))
    board = replace(
        scene.board,
        colour=colour,
        line_colour=dim(colour, chance.uniform(0.5, 0.8)),
        line=chance.uniform(0.7, 1.6),
    )
    camera = replace(scene.camera, turn=chance.uniform(-180, 180), tilt=chance.uniform(0, 35))
    light = replace(scene.light, level=chance.uniform(0.9, 1.3))
    around = replace(around, washed=chance.uniform(1.5, 4.0), tiles=False)
    return replace(scene, board=board, camera=camera, light=light), around


def shining(seed: int, size: tuple[int, int] = (1280, 960)) -> tuple[Scene, Around]:
    """Return the scene of a photograph in whose black discs a bright room is mirrored."""
    scene, around = photographed(seed, size)
    chance = random.Random(-40_000 - seed)
    return scene, replace(around, sheen=chance.uniform(0.15, 0.45), tiles=False)


def sleeved(seed: int, size: tuple[int, int] = (1280, 960)) -> tuple[Scene, Around]:
    """Return the scene of a photograph over whose board an arm lies."""
    scene, around = photographed(seed, size)
    camera = replace(scene.camera, tilt=random.Random(-60_000 - seed).uniform(0, 35))
    return replace(scene, camera=camera), replace(around, sleeve=True)


def hsv(hue: float, strong: float, bright: float) -> Colour:
    pixel = np.array([[[hue, strong, bright]]]).astype(np.uint8)
    blue, green, red = cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0]
    return float(blue), float(green), float(red)


def dim(colour: Colour, factor: float) -> Colour:
    return tuple(min(255.0, part * factor) for part in colour)  # type: ignore[return-value]
