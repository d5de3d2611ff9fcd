"""The law as a library: README's example, run as it is printed, and the names that stay."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from helpers.documented import blocks

from flagfall import law

ROOT = Path(__file__).resolve().parents[2]
# Each child is a process that has judged nothing yet, and whose threads all begin at one moment.
IN_THREADS = """
import os, sys, threading
from flagfall.law import outcome, parse_game, replay

def judge(barrier):
    barrier.wait()
    outcome(replay(*parse_game(game)))

game, ended = sys.stdin.read(), []
for _ in range(8):
    if (child := os.fork()) == 0:
        barrier = threading.Barrier(4)
        threads = [threading.Thread(target=judge, args=(barrier,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        os._exit(0)
    ended.append(os.waitpid(child, 0)[1])
print(ended)
"""


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


def test_games_are_judged_in_several_threads_from_the_first_one_on() -> None:
    """About half of such processes ended with a segmentation fault where two threads looked at a type at once."""
    game = (ROOT / "tests/stories/both_flags.jsonl").read_text("utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", IN_THREADS], input=game, capture_output=True, text=True, check=True
    )
    assert ran.stdout == f"{[0] * 8}\n", ran.stderr
