"""A board's shapes as the files that a maker takes: Gerber (RS-274X with X2 attributes), Excellon drills, placement."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from copper import BOTTOM, TOP, Board, Hole, Point, Shape, Text, outline
from gerbonara import ExcellonFile, GerberFile
from gerbonara.apertures import CircleAperture, ExcellonTool
from gerbonara.cam import FileSettings
from gerbonara.graphic_objects import Flash, Line, Region
from gerbonara.newstroke import Newstroke
from gerbonara.utils import MM
from plane import in_a_loop

_MASK_OPENS = 0.05
_PRINT_WIDTH = 0.15
_SETTINGS = FileSettings(unit=MM, number_format=(4, 6))
_DRILL_SETTINGS = FileSettings(unit=MM, number_format=(3, 3), zeros="trailing")


def files(board: Board, name: str = "strip") -> dict[str, str]:
    """Return every file by name; paste and print are those of the side of the parts. Millimetres; the origin is the
    lower left corner, seen from the top.
    """
    top = [shape for shape in board.shapes if TOP in shape.layers]
    bottom = [shape for shape in board.shapes if BOTTOM in shape.layers]
    through = [shape for shape in board.shapes if shape.pad and len(shape.layers) == 2]
    flat = [shape for shape in board.shapes if shape.pad and len(shape.layers) == 1]
    bare = [
        Shape("", (TOP, BOTTOM), (hole.place,), hole.diameter / 2) for hole in board.holes if not hole.net
    ]
    opened = [_grown(shape) for shape in (*through, *bare)]
    grown = [_grown(shape) for shape in flat]
    is_top = board.side == TOP
    side, letter = ("Top", "t") if is_top else ("Bot", "b")
    return {
        f"{name}.gtl": _layer("Copper,L1,Top", top),
        f"{name}.gbl": _layer("Copper,L2,Bot", bottom),
        f"{name}.gts": _layer("Soldermask,Top", [*opened, *(grown if is_top else [])], negative=True),
        f"{name}.gbs": _layer("Soldermask,Bot", [*opened, *([] if is_top else grown)], negative=True),
        f"{name}.g{letter}p": _layer(f"Paste,{side}", [pad for pad in flat if _has_paste(pad)]),
        f"{name}.g{letter}o": _layer(f"Legend,{side}", _print(board)),
        f"{name}.gko": _layer("Profile,NP", _outline(board)),
        f"{name}-plated.drl": _drills([hole for hole in board.holes if hole.net], plated=True),
        f"{name}-unplated.drl": _drills([hole for hole in board.holes if not hole.net], plated=False),
        f"{name}-placement.csv": _placement(board),
    }


def _has_paste(pad: Shape) -> bool:
    """Return whether something is soldered to the pad: a test pad stays bare."""
    return not pad.pad.startswith("TP")


def strokes(text: Text) -> Iterable[tuple[Point, Point]]:
    """Return the lines of a label around its middle, in KiCad's own stroke font; mirrored if it is read from below."""
    runs = list(Newstroke.load().render(text.text, size=text.height))
    xs, ys = [x for run in runs for x, _ in run], [y for run in runs for _, y in run]
    middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    right = 1 if text.side == TOP else -1
    for run in runs:
        points = [
            (round(text.place[0] + right * (x - middle[0]), 4), round(text.place[1] - y + middle[1], 4))
            for x, y in run
        ]
        yield from pairwise(points)


def _grown(shape: Shape) -> Shape:
    """Return the opening of the mask over a pad."""
    if shape.radius:
        return Shape(shape.net, shape.layers, shape.points, shape.radius + _MASK_OPENS, shape.pad)
    corners = outline(shape).buffer(_MASK_OPENS, join_style="mitre").exterior.coords[:-1]
    return Shape(shape.net, shape.layers, tuple(corners), 0.0, shape.pad)


def _layer(function: str, shapes: Iterable[Shape], negative: bool = False) -> str:
    attributes = {
        ".GenerationSoftware": ("Flagfall", "hardware/generate.py"),
        ".FileFunction": function.split(","),
        ".FilePolarity": ("Negative" if negative else "Positive",),
    }
    layer = GerberFile(objects=[_draw(shape) for shape in shapes], file_attrs=attributes)
    return str(layer.write_to_bytes(_SETTINGS), "ascii") + "\n"


def _draw(shape: Shape) -> Flash | Line | Region:
    if not shape.radius:
        loop = in_a_loop(shape)
        return Region([*loop, loop[0]], unit=MM)
    brush = CircleAperture(round(2 * shape.radius, 4), unit=MM)
    first, *rest = shape.points
    return Line(*first, *rest[0], brush, unit=MM) if rest else Flash(*first, brush, unit=MM)


def _line(a: Point, b: Point, width: float) -> Shape:
    return Shape("", (BOTTOM,), (a, b), width / 2)


def _outline(board: Board) -> Iterable[Shape]:
    corners = ((0.0, 0.0), (board.length, 0.0), (board.length, board.width), (0.0, board.width))
    for a, b in zip(corners, (*corners[1:], corners[0]), strict=True):
        yield _line(a, b, 0.1)


def _print(board: Board) -> Iterable[Shape]:
    """Yield labels and outlines: no pad is soldered there."""
    drawn = [*board.lines, *(ends for text in board.texts for ends in strokes(text))]
    return (_line(a, b, _PRINT_WIDTH) for a, b in drawn)


def _drills(holes: list[Hole], plated: bool) -> str:
    objects = [
        Flash(*hole.place, ExcellonTool(hole.diameter, plated=plated, unit=MM), unit=MM) for hole in holes
    ]
    function = f" #@! TF.FileFunction,{'Plated,1,2,PTH' if plated else 'NonPlated,1,2,NPTH'}"
    layer = ExcellonFile(objects=objects, comments=[function])
    return str(layer.write_to_bytes(_DRILL_SETTINGS, drop_comments=False), "ascii") + "\n"


def _placement(board: Board) -> str:
    """Return the place of each part that a machine mounts: its middle and its turn as KiCad counts them, from the top.
    Makers may count otherwise: compare with their preview.
    """
    lines = ["designator,x mm,y mm,side,rotation,value,package"]
    for part in board.parts:
        if part.machine:
            x, y = part.place
            side = "top" if part.side == TOP else "bottom"
            lines.append(f"{part.ref},{x:.3f},{y:.3f},{side},{part.turn},{part.value},{part.footprint}")
    return "\n".join(lines) + "\n"
