"""The limit that lets a reader of a call know what each value is: no more than five arguments stand in order (of
functions ruff holds it, here it is held of structs and dataclasses); a struct is no dataclass.
"""

# mypy: warn-unused-ignores

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest
from helpers.documented import parsed, statements, walked

pytestmark = pytest.mark.tree

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("flagfall", "table_app", "eye", "hub", "simulator", "firmware_py")
FOLDERS = (*PRODUCT, "benchmarks", "hardware", "packaging", "tools")
OURS = {*FOLDERS, "card", "deb", "image"}
MOST = 5


@cache
def functions_that_take_any_number() -> set[str]:
    names = {"pack"}  # of struct.Struct
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            for node in statements(parsed(path.read_text("utf-8")).body):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.args.vararg is not None:
                    names.add(node.name)
    return names


def long_calls(text: str, names: set[str]) -> Iterator[str]:
    """Yield calls of our own functions with more than `MOST` arguments in order."""
    others = {
        (alias.asname or alias.name).partition(".")[0]
        for node in walked(text)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.partition(".")[0] not in OURS
    }
    for node in walked(text):
        if isinstance(node, ast.Call) and len(node.args) > MOST:
            called = ast.unparse(node.func)
            if called.rpartition(".")[2] not in names and called.partition(".")[0] not in others:
                yield f"line {node.lineno}: {called}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_call_has_more_than_five_arguments_in_order(folder: str) -> None:
    names = functions_that_take_any_number()
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    calls = [f"{path}: {call}" for path in files for call in long_calls(path.read_text("utf-8"), names)]
    assert calls == []


def test_a_long_call_is_found() -> None:
    assert list(long_calls("import cv2\ncv2.f(1, 2, 3, 4, 5, 6)\nmade(1, 2, 3, 4, 5, 6)\n", set())) == [
        "line 3: made"
    ]


def test_functions_of_dataclasses_take_no_struct() -> None:
    # `tools/struct_calls.py` makes mypy refuse such a call; did it not, the comment here would be one too many.
    class Struct(msgspec.Struct, frozen=True):
        a: int = 0

    with pytest.raises(TypeError):
        dataclasses.replace(Struct(), a=1)  # type: ignore[arg-type]
