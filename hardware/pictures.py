"""The assembly guide's pictures: `python hardware/pictures.py [DIRECTORY]`, `hardware/pictures` if none is given.

The strip is drawn from its shapes, case and jig by OpenSCAD (with `xvfb-run`, where there is no display); the cut
through a square (`cut.svg`) is drawn by hand.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import centre
import copper
import overview
import pygame
import step_pictures
import strip
from copper import BOTTOM, TOP, Board, Point, Shape
from gerber import strokes
from nets import nets
from pinmap import HERE, Map, read
from plane import in_a_loop

from flagfall.link.board.faults import STRIPS_EXCHANGED, WALK_ELSEWHERE
from table_app.board.setup import SetupView
from table_app.board.walk import BoardWalk, WalkVerdict
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.painter import Painter
from table_app.screen.kit.scene import Rect
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look
from table_app.screen.scenes.board_setup import setup_scene

_SCALE, _NEAR, _CENTRE = 5, 16, 8
_END_MM = 50
_SOLID = {
    "case-stands": ("clock_case.scad", ["-D", 'part="assembled"'], "0,0,0,65,0,30,900"),
    "case-inside": ("clock_case.scad", ["-D", 'part="body"'], "0,0,0,40,0,20,900"),
    "case-back": ("clock_case.scad", ["-D", 'part="assembled"'], "0,0,0,75,0,200,900"),
    "case-side": ("clock_case.scad", ["-D", 'part="assembled"'], "0,0,0,90,0,90,900"),
    "case-pi": ("clock_case.scad", ["-D", 'part="back"'], "0,0,0,40,0,20,900"),
    "disc-half": ("disc_half.scad", [], "0,0,0,50,0,25,120"),
    "jig": ("disc_jig.scad", [], "0,0,0,50,0,25,160"),
}
# Pins of the Pico that are measured before power: address, enable and power lines.
_MEASURED = {f"GP{number}" for number in range(6, 18)}
_RING = (235, 60, 60)
_BOARD, _COPPER, _TIN, _HOLE, _PRINT, _PART = (
    (28, 92, 52),
    (44, 130, 74),
    (210, 210, 205),
    (255, 255, 255),
    (245, 245, 240),
    (40, 40, 44),
)


def board_picture(board: Board, side: str, scale: int = _SCALE) -> pygame.Surface:
    """Return a board as it is seen from that side, in `scale` pixels a millimetre."""

    def pixel(point: Point) -> tuple[float, float]:
        x = board.length - point[0] if side == BOTTOM else point[0]
        return x * scale, (board.width - point[1]) * scale

    def draw(shape: Shape, colour: tuple[int, int, int]) -> None:
        if shape.radius:
            ends = [pixel(point) for point in shape.points]
            for end in ends:
                pygame.draw.circle(surface, colour, end, shape.radius * scale)
            if len(ends) > 1:
                pygame.draw.line(surface, colour, ends[0], ends[-1], max(1, round(2 * shape.radius * scale)))
        else:
            pygame.draw.polygon(surface, colour, [pixel(point) for point in in_a_loop(shape)])

    surface = pygame.Surface((round(board.length * scale), round(board.width * scale)))
    surface.fill(_BOARD)
    shapes = [shape for shape in board.shapes if side in shape.layers]
    for shape in shapes:
        if not shape.pad:
            draw(shape, _COPPER)
    if side == board.side:
        through = {shape.pad.partition(".")[0] for shape in board.shapes if len(shape.layers) == 2}
        for part in board.parts:
            if part.machine and part.ref not in through:
                wide, high = part.body if part.turn % 180 == 0 else part.body[::-1]
                x, y = pixel(part.place)
                box = (x - wide * scale / 2, y - high * scale / 2, wide * scale, high * scale)
                pygame.draw.rect(surface, _PART, box)
        printed = [*board.lines, *(ends for text in board.texts for ends in strokes(text))]
        for a, b in printed:
            pygame.draw.line(surface, _PRINT, pixel(a), pixel(b), max(1, scale // 6))
    for shape in shapes:
        if shape.pad:
            draw(shape, _TIN)
    for hole in board.holes:
        pygame.draw.circle(surface, _HOLE, pixel(hole.place), max(1, hole.diameter / 2 * scale))
    return surface


def drawn_steps(pins: Map) -> dict[str, str]:
    """Return the drawings of single steps by their names."""
    return {
        "bench.svg": step_pictures.bench(pins),
        "pico.svg": step_pictures.pico(pins),
        "layout.svg": step_pictures.layout(strip.drawing()),
    }


def with_points(board: Board) -> pygame.Surface:
    """Return the corner of the centre board with its test points ringed, and the pads of the Pico that are measured."""
    surface = board_picture(board, TOP, _CENTRE)
    for shape in board.shapes:
        ref, _, pin = shape.pad.partition(".")
        if ref.startswith("TP") or (ref == "A1" and pin in _MEASURED):
            x, y = copper.outline(shape).centroid.coords[0]
            place = (x * _CENTRE, (board.width - y) * _CENTRE)
            pygame.draw.circle(surface, _RING, place, 2.2 * _CENTRE, _CENTRE // 2)
    left = surface.get_width() // 2
    return surface.subsurface(pygame.Rect(left, 0, surface.get_width() - left, surface.get_height() // 2))


def walk_screen() -> pygame.Surface:
    """Return the table's screen after a walk over a board with two exchanged cables."""
    exchanged = 1 << 8
    walk = BoardWalk(64, True, suspects=((STRIPS_EXCHANGED, exchanged),), verdict=WalkVerdict.FAILED)
    wrong = tuple((square, WALK_ELSEWHERE, square ^ 8) for square in range(16))
    look = Look(load_theme("light"), load_words("en"), 1.0)
    pygame.font.init()
    surface = pygame.Surface((800, 480))
    setup = SetupView(walk=replace(walk, wrong=wrong))
    Painter(surface, look.theme).paint(setup_scene(setup, Rect(0, 0, 800, 480), look))
    return surface


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    pins = read()
    board = strip.board(strip.drawing(), strip.wanted_pads(nets(pins), row=1))
    for side in (TOP, BOTTOM):
        pygame.image.save(board_picture(board, side), folder / f"strip-{side}.png")
    whole = board_picture(board, BOTTOM, _NEAR)
    end = pygame.Rect(whole.get_width() - _END_MM * _NEAR, 0, _END_MM * _NEAR, whole.get_height())
    pygame.image.save(whole.subsurface(end), folder / "strip-end.png")
    middle = centre.drawing()
    centre_board = centre.board(middle, centre.wanted_pads(nets(pins), middle), centre.tracks())
    for side in (TOP, BOTTOM):
        pygame.image.save(board_picture(centre_board, side, _CENTRE), folder / f"centre-{side}.png")
    pygame.image.save(with_points(centre_board), folder / "centre-points.png")
    (folder / "cables.svg").write_text(overview.cables(pins), "utf-8")
    for name, text in drawn_steps(pins).items():
        (folder / name).write_text(text, "utf-8")
    pygame.image.save(walk_screen(), folder / "walk.png")
    display = [] if os.environ.get("DISPLAY") else ["xvfb-run", "-a"]
    for name, (source, options, camera) in _SOLID.items():
        picture = [
            "--imgsize=640,440",
            f"--camera={camera}",
            "--viewall",
            "--autocenter",
            "--colorscheme=Tomorrow",
        ]
        command = [
            *display,
            "openscad",
            "-q",
            "-o",
            folder / f"{name}.png",
            *picture,
            *options,
            HERE / source,
        ]
        try:
            subprocess.run([*map(str, command), "-D", "$fn=48"], check=True, timeout=300)
        except (OSError, subprocess.SubprocessError) as failure:
            print(f"{name}: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
