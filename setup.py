"""Compiles the catalogues of `link/locale` before they are packed; all else stands in pyproject.toml."""

from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools import setup
from setuptools.command.build_py import build_py


class BuildPy(build_py):
    def run(self) -> None:
        for source in (Path(__file__).parent / "link" / "locale").glob("*/LC_MESSAGES/*.po"):
            with source.open("rb") as read, source.with_suffix(".mo").open("wb") as written:
                write_mo(written, read_po(read, abort_invalid=True))
        super().run()


setup(cmdclass={"build_py": BuildPy})
