"""Packages of a room import each other in one direction: none is needed by one that it needs itself."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from documented import statements

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("hub", "table_app", "link", "ledger")
APART = {
    # Commands beside what they work with: programs, like `main`.
    "table_app.health.doctor",
    "table_app.health.checks",
    "table_app.hub_link.enrol",
    "table_app.record.judge_pin",
    "table_app.screen.child",
    # Values that packages on both sides share.
    "table_app.loop.view",
    "table_app.hub_link.incoming",
    "table_app.pins.buttons",
}
"""Modules that count as a package of their own."""


def imported(source: str) -> Iterator[str]:
    """Every name that a file imports, as module or as member of one; what only a type checker reads is none."""
    for node in statements(_without_type_checking(ast.parse(source)).body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _without_type_checking(tree: ast.Module) -> ast.Module:
    tree.body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    ]
    return tree


def package_of(name: str) -> str:
    """`hub.pairing.matching.blossom` and what it defines belong to `hub.pairing`."""
    for module in APART:
        if name == module or name.startswith(f"{module}."):
            return module
    return ".".join(name.split(".")[:2])


def needs(room: str, files: Mapping[str, str]) -> dict[str, set[str]]:
    """What each package of the room imports of the others; `files` are sources by module."""
    found: dict[str, set[str]] = defaultdict(set)
    for module, source in files.items():
        package = package_of(module)
        for name in imported(source):
            if name.startswith(f"{room}.") and package_of(name) != package:
                found[package].add(package_of(name))
    return found


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """A way from a package back to itself; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as fault:
        return list(fault.args[1])
    return []


def sources(room: str) -> dict[str, str]:
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in (ROOT / room).rglob("*.py")
    }


@pytest.mark.parametrize("room", ROOMS)
def test_packages_of_a_room_form_no_circle(room: str) -> None:
    files = sources(room)
    assert len(files) > 5
    assert circle(needs(room, files)) == []


def test_modules_apart_exist() -> None:
    assert {module for module in APART if module not in sources("table_app")} == set()


def test_the_check_finds_a_circle() -> None:
    files = {
        "hub.a.one": "from hub.b import two",
        "hub.b.two": "def late():\n    import hub.c.three",
        "hub.c.three": "from hub.a.one import thing",
    }
    assert set(circle(needs("hub", files))) == {"hub.a", "hub.b", "hub.c"}
    files["hub.c.three"] = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from hub.a.one import thing"
    )
    assert circle(needs("hub", files)) == []
