"""Errors: one tree, and a list of its classes for whoever wants to raise one."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from helpers.documented import walked

pytestmark = pytest.mark.tree

ROOT = Path(__file__).resolve().parents[2]
NOT_THE_PRODUCT = ("tests", "benchmarks", "build", ".venv")
# What a web server's library must know as its own.
OF_STARLETTE = {"RequestRefused": ["HTTPException"]}


def bases(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the bases of every public class that is an exception, by its name."""
    classes = {
        node.name: [ast.unparse(base).rpartition(".")[2] for base in node.bases]
        for source in sources.values()
        for node in walked(source)
        if isinstance(node, ast.ClassDef)
    }
    known = {name for name, value in vars(builtins).items() if _is_exception(value)} | {"HTTPException"}
    while errors := {name for name, parents in classes.items() if name not in known and known & {*parents}}:
        known |= errors
    return {name: classes[name] for name in known & classes.keys() if not name.startswith("_")}


def _is_exception(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def product() -> dict[str, str]:
    paths = (path.relative_to(ROOT) for path in ROOT.rglob("*.py"))
    return {
        str(path): (ROOT / path).read_text("utf-8") for path in paths if path.parts[0] not in NOT_THE_PRODUCT
    }


def test_every_error_derives_from_one_class() -> None:
    errors = bases(product())
    assert errors.pop("FlagfallError") == ["Exception"]
    strange = {
        name: parents for name, parents in errors.items() if not {*parents} & {*errors, "FlagfallError"}
    }
    assert strange == OF_STARLETTE


def test_the_list_of_errors_is_that_of_the_code() -> None:
    page = (ROOT / "docs" / "adding.md").read_text("utf-8").partition("## An error\n")[2]
    listed = [
        name
        for row in re.findall(r"^\| (`.*?) \|", page, flags=re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    ]
    assert sorted(listed) == sorted(bases(product()).keys() - {"FlagfallError"})


def test_a_class_that_derives_from_an_error_is_one() -> None:
    source = "class A(ValueError): ...\nclass B(m.A): ...\nclass C: ...\nclass _D(B): ..."
    assert bases({"x.py": source}) == {"A": ["ValueError"], "B": ["A"]}
