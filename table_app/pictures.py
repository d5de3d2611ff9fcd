"""`python -m table_app.pictures DIR [--only NAME,NAME] [--language en] [--size 800x480]`: pictures of screens."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import pygame

from link.words import WordsError
from table_app.composition import Layout, compose
from table_app.face import face_of
from table_app.painter import Painter
from table_app.parts import Look
from table_app.samples import SAMPLES, Sample
from table_app.scene import Scene
from table_app.small_png import small_png
from table_app.theme import ThemeError, load_theme
from table_app.words import load_words


def sample_scene(sample: Sample, look: Look, width: int, height: int) -> Scene:
    """What a screen of that size shows of it."""
    face = face_of(sample.view, sample.now_ns)
    layout = Layout(sample.face_to_face, sample.self_start)
    return compose(sample.view, face, sample.dialog, width, height, look, layout, sample.now_ns)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m table_app.pictures", description="A picture of every screen."
    )
    parser.add_argument("directory", type=Path)
    parser.add_argument("--language", default="en")
    parser.add_argument("--theme", default="light")
    parser.add_argument("--size", default="800x480", help="WIDTHxHEIGHT")
    parser.add_argument("--only", metavar="NAME,NAME", help="some of the screens; all if left out")
    options = parser.parse_args(arguments)
    names = [name.strip() for name in options.only.split(",")] if options.only else list(SAMPLES)
    unknown = [name for name in names if name not in SAMPLES]
    if unknown:
        print(f"--only: expected some of {', '.join(SAMPLES)}, got {unknown[0]!r}", file=sys.stderr)
        return 2
    try:
        width, height = (int(part) for part in options.size.split("x"))
        if not (160 <= width <= 4096 and 160 <= height <= 4096):
            raise ValueError
    except ValueError:
        print(f"--size: expected WIDTHxHEIGHT from 160 to 4096, got {options.size!r}", file=sys.stderr)
        return 2
    try:
        look = Look(load_theme(options.theme), load_words(options.language), 1.0)
        options.directory.mkdir(parents=True, exist_ok=True)
    except (ThemeError, WordsError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    pygame.font.init()
    surface = pygame.Surface((width, height))
    painter = Painter(surface, look.theme)
    for name in names:
        make = SAMPLES[name]
        painter.paint(sample_scene(make(), look, width, height))
        content = small_png(pygame.image.tobytes(surface, "RGB"), width, height)
        (options.directory / f"{name}.png").write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
