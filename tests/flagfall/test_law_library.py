"""The law as a library: README's example, run as it is printed, and the names that stay."""

from __future__ import annotations

import contextlib
import io
from importlib.resources import files
from pathlib import Path

import pytest
from helpers.documented import blocks

from flagfall import law

ROOT = Path(__file__).resolve().parents[2]


def test_the_example_of_the_readme_prints_what_stands_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = list(blocks((ROOT / "README.md").read_text("utf-8")))
    (place,) = (place for place, (kind, _) in enumerate(shown) if kind == "python")
    (_, example), (_, printed) = shown[place : place + 2]
    monkeypatch.chdir(ROOT)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(example, {})  # the page is our own
    assert said.getvalue().split() == printed.split() and len(printed.splitlines()) >= 3


def test_every_public_name_is_there_and_the_package_is_typed() -> None:
    assert all(hasattr(law, name) for name in law.__all__) and law.__all__ == sorted(law.__all__)
    assert files("flagfall").joinpath("py.typed").is_file()
