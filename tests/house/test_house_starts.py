"""A command loads only what it uses: on a Pi each of these modules is a wait."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.documented import PROGRAMS
from helpers.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
FILE = "docs/examples/club-evening.json"
GAME = "tests/stories/both_flags.jsonl"
HEAVY = frozenset(
    (
        *(
            "asyncio",
            "email",
            "http",
            "importlib.metadata",
            "importlib.resources",
            "multiprocessing",
            "sqlite3",
        ),
        *("ssl", "tempfile", "unittest", "urllib.request", "gpiozero", "jinja2", "numpy", "paho", "pygame"),
        *("redis", "rustworkx", "serial", "starlette", "uvicorn"),
    )
)
# The rooms that judge games: whoever ranks or pairs needs none of them.
LAW = frozenset(("flagfall.othello.referee", "flagfall.othello.game", "flagfall.othello.gamefile"))
LIGHT = [
    (["flagfall-table", "--help"], HEAVY | LAW | {"msgspec", "dataclasses"}),
    (["flagfall-table", "replay", GAME], HEAVY | {"hashlib"}),
    (["flagfall-hub", "--help"], HEAVY | LAW | {"msgspec", "dataclasses"}),
    (["flagfall-hub", "rank", FILE], HEAVY | LAW),
    (["flagfall-hub", "finals", FILE], HEAVY | LAW),
    (["flagfall-hub", "entry", FILE], HEAVY | LAW),
    # Up to forty players are weighed and proved without numpy.
    (["flagfall-hub", "pair", FILE], HEAVY | LAW),
    (["flagfall-hub", "check", FILE], LAW | {"paho", "starlette", "uvicorn", "jinja2", "sqlite3"}),
]
_CODE = """
import sys
sys.argv[0] = sys.argv[1]
del sys.argv[1]
from {module} import main
try:
    main()
except SystemExit:
    pass
print("LOADED", *sorted(sys.modules))
"""


def loaded(command: list[str]) -> set[str]:
    """Return the modules in memory when the command has ended."""
    code = _CODE.format(module=PROGRAMS[command[0]])
    done = subprocess.run(
        [sys.executable, "-c", code, *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    *output, modules = done.stdout.splitlines()
    assert output, "the command says something"
    return set(modules.split()[1:])


@pytest.mark.parametrize(("command", "without"), LIGHT, ids=[" ".join(command[:2]) for command, _ in LIGHT])
def test_a_command_does_not_load_what_it_does_not_use(command: list[str], without: frozenset[str]) -> None:
    assert sorted(loaded(command) & without) == []


def test_what_is_not_to_be_loaded_is_found_where_it_is() -> None:
    assert {"rustworkx", "flagfall.othello.rulebook"} <= loaded(["flagfall-hub", "check", FILE])
