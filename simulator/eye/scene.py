"""The scene before the camera: board, discs, lamps, table, camera and lens, all drawn from one seed.

Lengths are millimetres, the origin the middle of the board, x to the right, y down as the camera sees it, z towards it.
Colours are (blue, green, red), 0 to 255, as they would look under full light.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Colour = tuple[float, float, float]

BOARDS: dict[str, Colour] = {
    "green": (60, 120, 35),
    "dark green": (42, 80, 12),
    "felt": (72, 132, 60),
    "bright green": (70, 160, 60),
    "blue": (150, 85, 30),
    "deep blue": (105, 60, 28),
    "brown": (45, 85, 140),
    "olive": (45, 120, 95),
}
_FRAMES: tuple[Colour, ...] = ((25, 25, 25), (30, 55, 85), (45, 80, 30), (120, 125, 130), (20, 30, 45))
_TABLES: tuple[Colour, ...] = (
    (70, 105, 150),
    (40, 55, 75),
    (170, 175, 180),
    (220, 220, 222),
    (60, 60, 62),
    (130, 90, 60),
)


@dataclass(frozen=True, slots=True)
class SceneBoard:
    """The board of a scene."""

    colour: Colour
    # A square's side.
    square: float = 38.0
    # The width of the frame around the surface.
    frame: float = 25.0
    frame_colour: Colour = (25, 25, 25)
    line: float = 1.2
    line_colour: Colour = (20, 25, 18)
    # Whether it has a seam across its middle.
    folds: bool = False
    dots: bool = True


@dataclass(frozen=True, slots=True)
class SceneDiscs:
    radius: float = 16.8
    thick: float = 6.0
    black: Colour = (38, 36, 36)
    white: Colour = (232, 236, 238)
    # How strongly a lamp is mirrored in a face, 0 to 1.
    gloss: float = 0.3
    # How far from the middle hands lay them, as a standard deviation.
    beside: float = 2.5


@dataclass(frozen=True, slots=True)
class Light:
    """The light of a scene."""

    level: float = 1.0
    # How unevenly it lights the board.
    slope: tuple[float, float] = (0.0, 0.0)
    # (x, y) where shadows fall, as multiples of height.
    towards: tuple[float, float] = (0.5, 0.3)
    shadow: float = 0.35
    # Its tint.
    warm: float = 0.0
    # The place of its mirror image on the board's plane.
    lamp: tuple[float, float] = (0.0, 0.0)
    # The radius of that image.
    lamp_size: float = 60.0


@dataclass(frozen=True, slots=True)
class SceneCamera:
    """The camera and lens of a scene."""

    size: tuple[int, int] = (1280, 960)
    # Degrees; 0 is straight above.
    tilt: float = 0.0
    # Degrees; 0 is the top row up.
    turn: float = 0.0
    aside: float = 0.0
    # From the board's middle.
    far: float = 520.0
    # As a share of the picture's width.
    focal: float = 0.95
    # The lens's radial terms in units of focal length.
    bend: float = 0.0
    bend_2: float = 0.0
    # Pixels.
    blur: float = 0.6
    noise: float = 3.0
    quality: int = 85
    gain: Colour = (1.0, 1.0, 1.0)
    aim: tuple[float, float] = (0.0, 0.0)

    def project(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the picture points of points (n, 3) in space."""
        tilt, aside, turn = (math.radians(angle) for angle in (self.tilt, self.aside, self.turn))
        around = np.array(
            [[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]]
        )
        down = np.array(
            [[1, 0, 0], [0, math.cos(tilt), -math.sin(tilt)], [0, math.sin(tilt), math.cos(tilt)]]
        )
        side = np.array(
            [[math.cos(aside), 0, math.sin(aside)], [0, 1, 0], [-math.sin(aside), 0, math.cos(aside)]]
        )
        seen = (points - np.array([*self.aim, 0.0])) @ (down @ side @ around).T
        deep = self.far - seen[:, 2]
        flat = seen[:, :2] / deep[:, None]
        square = (flat**2).sum(axis=1, keepdims=True)
        bent = flat * (1 + self.bend * square + self.bend_2 * square**2)
        width, height = self.size
        return np.asarray(bent * self.focal * width + np.array([(width - 1) / 2, (height - 1) / 2]))


@dataclass(frozen=True, slots=True)
class Scene:
    board: SceneBoard
    discs: SceneDiscs
    light: Light
    camera: SceneCamera
    table: Colour
    seed: int


def draw_scene(seed: int, size: tuple[int, int] = (1280, 960)) -> Scene:
    """Return a scene as found in clubs, within what a camera can read."""
    chance = random.Random(seed)
    colour = BOARDS[chance.choice(sorted(BOARDS))]
    colour = tuple(part * chance.uniform(0.9, 1.1) for part in colour)  # type: ignore[assignment]
    square = chance.uniform(36, 42)
    board = SceneBoard(
        colour=colour,
        square=square,
        frame=chance.choice((4.0, 12.0, 25.0, 40.0)),
        frame_colour=chance.choice(_FRAMES),
        line=chance.uniform(0.9, 1.8),
        line_colour=chance.choice(((20, 22, 20), (30, 30, 30), (15, 40, 12))),
        folds=chance.random() < 0.4,
        dots=chance.random() < 0.7,
    )
    grey = chance.uniform(24, 44)
    discs = SceneDiscs(
        radius=square * chance.uniform(0.40, 0.45),
        thick=chance.uniform(4.5, 7.0),
        black=(grey, grey * chance.uniform(0.93, 1.03), grey * chance.uniform(0.95, 1.1)),
        gloss=chance.uniform(0.0, 0.5),
        beside=chance.uniform(0.8, 3.0),
    )
    light = Light(
        level=chance.uniform(0.55, 1.05),
        slope=(chance.uniform(-0.25, 0.25), chance.uniform(-0.25, 0.25)),
        towards=(chance.uniform(-0.9, 0.9), chance.uniform(-0.9, 0.9)),
        shadow=chance.uniform(0.15, 0.5),
        warm=chance.uniform(-0.06, 0.14),
        lamp=(chance.uniform(-200, 200), chance.uniform(-200, 200)),
        lamp_size=chance.uniform(25, 70),
    )
    tilt = chance.uniform(0, 36)
    focal = chance.uniform(0.75, 1.2)
    wide = 8 * square + 2 * board.frame
    far = (
        wide
        * focal
        * size[0]
        / (size[1] * chance.uniform(0.72, 0.9))
        * (1 + 0.35 * math.sin(math.radians(tilt)))
    )
    camera = SceneCamera(
        size=size,
        tilt=tilt,
        turn=chance.uniform(-8, 8),
        aside=chance.uniform(-6, 6),
        far=far,
        focal=focal,
        bend=chance.uniform(-0.22, 0.05),
        bend_2=chance.uniform(-0.02, 0.04),
        blur=chance.uniform(0.3, 1.2),
        noise=chance.uniform(1.0, 5.0),
        quality=chance.randint(60, 92),
        gain=tuple(chance.uniform(0.93, 1.07) for _ in range(3)),  # type: ignore[arg-type]
        aim=(chance.uniform(-12, 12), chance.uniform(-12, 12)),
    )
    return Scene(board, discs, light, camera=camera, table=chance.choice(_TABLES), seed=seed)


def plain(seed: int, size: tuple[int, int] = (1280, 960)) -> Scene:
    """Return the scene under a camera on a stand: a green board from above, even light."""
    scene = draw_scene(seed, size)
    camera = replace(
        scene.camera,
        tilt=12.0,
        turn=1.0,
        aside=0.0,
        far=520.0,
        focal=1.0,
        bend=-0.05,
        bend_2=0.0,
        aim=(0.0, 0.0),
    )
    board = SceneBoard(colour=BOARDS["green"])
    return replace(
        scene,
        camera=camera,
        board=board,
        discs=SceneDiscs(beside=1.5),
        light=Light(level=0.9),
        table=_TABLES[0],
    )
