"""Programs whose parts are not all installed, as after `pip install flagfall` without an extra."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from flagfall.base.command_line import Parser, ran


@pytest.mark.parametrize(
    ("program", "missing", "arguments", "extra"),
    [
        ("hub.main", "uvicorn", ["run"], "hub"),
        ("hub.main", "starlette", ["run"], "hub"),
        ("table_app.main", "paho", ["run", "--laptop"], "table"),
        ("table_app.main", "paho", ["doctor"], "table"),
    ],
)
def test_a_missing_part_is_named_with_the_extra_that_brings_it(
    program: str, missing: str, arguments: list[str], extra: str, tmp_path: Path
) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        f"from {program} import main\n"
        f"sys.exit(main({[*arguments, '--state-dir', str(tmp_path)]!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr == f"flagfall-{extra}: expected {missing}: pip install 'flagfall[{extra}]'\n"


def test_a_missing_module_of_our_own_is_a_fault_of_the_program() -> None:
    with pytest.raises(ModuleNotFoundError):
        ran(Parser(prog="flagfall-hub"), {"run": ("hub.nowhere:run", "")}, ["run"])
