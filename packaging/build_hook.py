"""The build of wheel and source archive: setuptools, after the catalogues of `flagfall/base/locale` were compiled.

The interface is PEP 517; everything that is not defined here is setuptools' own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

_LOCALE = Path(__file__).resolve().parents[1] / "flagfall" / "base" / "locale"


def compile_catalogues() -> None:
    """Write each catalogue's compiled file beside it."""
    for source in _LOCALE.glob("*/LC_MESSAGES/*.po"):
        with source.open("rb") as read, source.with_suffix(".mo").open("wb") as written:
            write_mo(written, read_po(read, abort_invalid=True))


def build_wheel(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """Build the wheel in `directory`; return its file name."""
    compile_catalogues()
    return str(build_meta.build_wheel(directory, settings, metadata))


def build_editable(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """Build a wheel in `directory` that leads to this checkout; return its file name."""
    compile_catalogues()
    return str(build_meta.build_editable(directory, settings, metadata))
