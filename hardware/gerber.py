"""A board's shapes as the files that a maker takes: Gerber (RS-274X with X2 attributes), Excellon drills, placement."""

from __future__ import annotations

from collections.abc import Iterable

from copper import BOTTOM, TOP, Board, Hole, Point, Shape
from stroke_font import strokes

_MASK_OPENS = 0.05
_PRINT_WIDTH = 0.15


def files(board: Board) -> dict[str, str]:
    """Every file by name. Millimetres; the origin is the lower left corner, seen from the top."""
    top = [shape for shape in board.shapes if TOP in shape.layers]
    bottom = [shape for shape in board.shapes if BOTTOM in shape.layers]
    through = [shape for shape in board.shapes if shape.pad and len(shape.layers) == 2]
    flat = [shape for shape in board.shapes if shape.pad and len(shape.layers) == 1]
    opened = [_grown(shape) for shape in through]
    return {
        "strip.gtl": _layer("Copper,L1,Top", top),
        "strip.gbl": _layer("Copper,L2,Bot", bottom),
        "strip.gts": _layer("Soldermask,Top", opened, negative=True),
        "strip.gbs": _layer("Soldermask,Bot", [*opened, *(_grown(shape) for shape in flat)], negative=True),
        "strip.gbp": _layer("Paste,Bot", flat),
        "strip.gbo": _layer("Legend,Bot", _print(board)),
        "strip.gko": _layer("Profile,NP", _outline(board)),
        "strip-plated.drl": _drills([hole for hole in board.holes if hole.net], plated=True),
        "strip-unplated.drl": _drills([hole for hole in board.holes if not hole.net], plated=False),
        "strip-placement.csv": _placement(board),
    }


def _grown(shape: Shape) -> Shape:
    """The opening of the mask over a pad."""
    if len(shape.points) == 1:
        return Shape(shape.net, shape.layers, shape.points, shape.radius + _MASK_OPENS, shape.pad)
    (x0, y0), (x1, y1) = shape.points[0], shape.points[2]
    grow = _MASK_OPENS
    corners = ((x0 - grow, y0 - grow), (x1 + grow, y0 - grow), (x1 + grow, y1 + grow), (x0 - grow, y1 + grow))
    return Shape(shape.net, shape.layers, corners, 0.0, shape.pad)


def _layer(function: str, shapes: Iterable[Shape], negative: bool = False) -> str:
    shapes = list(shapes)
    diameters = sorted({round(2 * shape.radius, 4) for shape in shapes if shape.radius})
    codes = {diameter: 10 + index for index, diameter in enumerate(diameters)}
    lines = [
        "%TF.GenerationSoftware,Flagfall,hardware/generate.py*%",
        f"%TF.FileFunction,{function}*%",
        f"%TF.FilePolarity,{'Negative' if negative else 'Positive'}*%",
        "%FSLAX46Y46*%",
        "%MOMM*%",
        "%LPD*%",
        *(f"%ADD{code}C,{diameter:.4f}*%" for diameter, code in codes.items()),
        "G01*",
    ]
    for shape in shapes:
        if shape.radius:
            lines.append(f"D{codes[round(2 * shape.radius, 4)]}*")
            first, *rest = shape.points
            if rest:
                lines += [f"{_at(first)}D02*", *(f"{_at(point)}D01*" for point in rest)]
            else:
                lines.append(f"{_at(first)}D03*")
        else:
            lines += ["G36*", f"{_at(shape.points[0])}D02*"]
            lines += [f"{_at(point)}D01*" for point in (*shape.points[1:], shape.points[0])]
            lines.append("G37*")
    return "\n".join([*lines, "M02*"]) + "\n"


def _at(point: Point) -> str:
    return f"X{round(point[0] * 1_000_000)}Y{round(point[1] * 1_000_000)}"


def _line(a: Point, b: Point, width: float) -> Shape:
    return Shape("", (BOTTOM,), (a, b), width / 2)


def _outline(board: Board) -> Iterable[Shape]:
    corners = ((0.0, 0.0), (board.length, 0.0), (board.length, board.width), (0.0, board.width))
    for a, b in zip(corners, (*corners[1:], corners[0]), strict=True):
        yield _line(a, b, 0.1)


def _print(board: Board) -> Iterable[Shape]:
    """Labels only where no pad is soldered."""
    for text in board.texts:
        for a, b in strokes(text.text, text.at, text.height):
            yield _line(a, b, _PRINT_WIDTH)


def _drills(holes: list[Hole], plated: bool) -> str:
    diameters = sorted({hole.diameter for hole in holes})
    lines = [
        "M48",
        f"; #@! TF.FileFunction,{'Plated,1,2,PTH' if plated else 'NonPlated,1,2,NPTH'}",
        "FMAT,2",
        "METRIC,TZ",
        *(f"T{index}C{diameter:.3f}" for index, diameter in enumerate(diameters, start=1)),
        "%",
        "G05",
    ]
    for index, diameter in enumerate(diameters, start=1):
        lines.append(f"T{index}")
        lines += [f"X{hole.at[0]:.3f}Y{hole.at[1]:.3f}" for hole in holes if hole.diameter == diameter]
    return "\n".join([*lines, "T0", "M30"]) + "\n"


def _placement(board: Board) -> str:
    """Middle of each part; all lie on the bottom. Makers count turns differently: compare with their preview."""
    middles: dict[str, list[Point]] = {}
    for shape in board.shapes:
        ref, _, _ = shape.pad.partition(".")
        if ref and not ref.startswith("COLUMN"):
            xs, ys = [x for x, _ in shape.points], [y for _, y in shape.points]
            middles.setdefault(ref, []).append((sum(xs) / len(xs), sum(ys) / len(ys)))
    lines = ["ref,x mm,y mm,side"]
    for ref, pads in middles.items():
        xs, ys = [x for x, _ in pads], [y for _, y in pads]
        lines.append(f"{ref},{(min(xs) + max(xs)) / 2:.3f},{(min(ys) + max(ys)) / 2:.3f},bottom")
    return "\n".join(lines) + "\n"
