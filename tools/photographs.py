"""The public set of photographs of boards: each with what it shows, where it is from and its licence.

python tools/photographs.py add PICTURE --name NAME --licence MIT --holder "..." --source "..." --shows "..."
python tools/photographs.py check
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from eye.placement import from_top_left
from eye.sources import decode_picture
from eye.still import read_picture
from flagfall.base.errors import Failed
from flagfall.othello.board import Position, format_position, parse_position, square_names

PHOTOGRAPHS = Path(__file__).parents[1] / "tests" / "data" / "photos"
# Licences (SPDX) under which a photograph may go with the project; a notice goes with those that ask for one.
LICENCES = ("CC0-1.0", "CC-BY-4.0", "CC-BY-3.0", "CC-BY-2.0", "MIT")
# Longer side of a kept picture, in pixels, and the most bytes of its file.
_LONGEST, _MOST_BYTES = 1600, 500_000
# Corners that the eye finds are right within this distance, in squares.
_BESIDE = 0.35
_TEXTS = "licence", "holder", "source", "shows", "notice"
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, eq=False)
class Labelled:
    """A photograph with its label."""

    name: str
    picture: np.ndarray
    position: Position
    # Where the corners of the playing surface lie, clockwise from the top left, in pixels (4, 2).
    corners: np.ndarray


def photographs(folder: Path = PHOTOGRAPHS) -> list[Labelled]:
    """Return the photographs of a folder. Raise Failed with the first fault of a label."""
    labels = sorted(folder.glob("*.toml"))
    lone = {path.stem for path in folder.glob("*.jpg")} ^ {path.stem for path in labels}
    if lone:
        raise Failed(f"{sorted(lone)[0]}: expected NAME.jpg and NAME.toml")
    return [_labelled(path) for path in labels]


def _labelled(path: Path) -> Labelled:
    try:
        label = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise Failed(f"{path.name}: {fault}") from None
    if set(label) != {*_TEXTS, "position", "corners"}:
        raise Failed(f"{path.name}: expected the fields {', '.join(_TEXTS)}, position, corners")
    for field in _TEXTS:
        if not isinstance(label[field], str) or not (label[field].strip() or field == "notice"):
            raise Failed(f"{path.name}: {field}: expected a text")
    if label["licence"] not in LICENCES:
        raise Failed(f"{path.name}: licence: expected one of {', '.join(LICENCES)}, got {label['licence']}")
    if label["licence"] == "MIT" and not label["notice"].strip():
        raise Failed(f"{path.name}: notice: expected the licence's text, which goes with every copy")
    data = path.with_suffix(".jpg").read_bytes()
    if len(data) > _MOST_BYTES or b"Exif\0" in data[:4096]:
        raise Failed(f"{path.stem}.jpg: expected {_MOST_BYTES} bytes at most, without Exif data: use add")
    picture = decode_picture(data)
    if picture is None:
        raise Failed(f"{path.stem}.jpg: expected a picture")
    rows = label["position"]
    if not isinstance(rows, list) or [len(str(row)) for row in rows] != [8] * 8:
        raise Failed(f"{path.name}: position: expected 8 rows of 8 squares, such as --XXO---")
    try:
        position = parse_position("".join(rows))
    except ValueError as fault:
        raise Failed(f"{path.name}: position: {fault}") from None
    try:
        corners = np.array(label["corners"], np.float64)
    except (TypeError, ValueError):
        corners = np.empty(0)
    if corners.shape != (4, 2):
        raise Failed(f"{path.name}: corners: expected four points [x, y]")
    return Labelled(path.stem, picture, position, corners)


def check(folder: Path = PHOTOGRAPHS) -> int:
    """Print what the eye reads in each photograph. Return 1 if a square is wrong or a board lies elsewhere."""
    failed = unknown = 0
    every = photographs(folder)
    for photograph in every:
        reading = read_picture(photograph.picture)
        if reading is None:
            print(f"{photograph.name}: no board found")
            failed += 1
            continue
        placement = reading.board.placement
        beside = float(np.abs(placement.corners - photograph.corners).max()) / placement.pixels_per_square
        wrong = reading.position.differences(photograph.position)
        # A square that nobody can see in the photograph is ? in its label.
        doubted = reading.position.unknown & ~photograph.position.unknown
        failed += bool(wrong) or beside > _BESIDE
        unknown += doubted.bit_count()
        print(
            f"{photograph.name}: wrong {' '.join(square_names(wrong)) or 'none'}; "
            f"? {' '.join(square_names(doubted)) or 'none'}; corners {beside:.2f} squares beside"
        )
    print(f"{len(every)} photographs, {failed} not read right, {unknown} squares ?")
    return int(failed > 0)


def add(options: argparse.Namespace, folder: Path = PHOTOGRAPHS) -> int:
    """Keep a photograph without what a camera writes into its file, and a label to be corrected by eye."""
    if not _NAME.fullmatch(options.name):
        raise Failed(
            f"--name: expected small letters and hyphens, such as dim-from-aside, got {options.name}"
        )
    if (folder / f"{options.name}.jpg").exists():
        raise Failed(f"--name: {options.name} is there already")
    picture = decode_picture(Path(options.picture).read_bytes())
    if picture is None:
        raise Failed(f"{options.picture}: expected a picture")
    factor = _LONGEST / max(picture.shape[:2])
    if factor < 1:
        picture = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    for quality in range(92, 30, -6):
        data = cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, quality))[1].tobytes()
        if len(data) <= _MOST_BYTES:
            break
    reading = read_picture(picture)
    height, width = picture.shape[:2]
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float64)
    squares = "?" * 64
    if reading is not None:
        corners, squares = from_top_left(reading.board.placement.corners), format_position(reading.position)
    texts = {field: getattr(options, field) for field in _TEXTS if field != "notice"}
    texts["notice"] = Path(options.notice).read_text("utf-8") if options.notice else ""
    lines = [f"{field} = {json.dumps(text, ensure_ascii=False)}" for field, text in texts.items()]
    lines += ["position = [", *(f'    "{squares[row : row + 8]}",' for row in range(0, 64, 8)), "]"]
    lines += [f"corners = {np.rint(corners).astype(int).tolist()}", ""]
    (folder / f"{options.name}.jpg").write_bytes(data)
    (folder / f"{options.name}.toml").write_text("\n".join(lines), "utf-8")
    print(f"{folder / options.name}.toml: compare each square and the corners with the picture")
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=PHOTOGRAPHS, help="another set's folder")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="hold the labels against the rules, and the eye against the labels")
    adding = commands.add_parser("add", help="keep a photograph, with a label to be corrected by eye")
    adding.add_argument("picture")
    adding.add_argument("--licence", required=True, choices=LICENCES)
    adding.add_argument("--notice", help="a file with the licence's own text, where it goes with every copy")
    for field, meaning in (
        ("name", "such as dim-from-aside"),
        ("holder", "who has the rights, as they want to be named"),
        ("source", "where it is published, or that its maker sent it"),
        ("shows", "one line: board, light, angle"),
    ):
        adding.add_argument(f"--{field}", required=True, help=meaning)
    options = parser.parse_args(arguments)
    try:
        return add(options, options.folder) if options.command == "add" else check(options.folder)
    except (Failed, OSError) as fault:
        print(f"photographs: {fault}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
