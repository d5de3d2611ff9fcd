"""Packages of a room import each other in one direction: none is needed by one that it needs itself."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from helpers.documented import parsed, statements

pytestmark = pytest.mark.tree

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("hub", "table_app", "flagfall")
# The packages of the table. Each imports only those before it.
TABLE = (
    # Values and settings, which know no room.
    *("log", "timebase", "config", "options", "settings", "player_texts", "texts", "local_game", "judge_pin"),
    *("table_assignment", "events"),
    # A board and what is shown of the table.
    *("board", "table_view"),
    # Rooms of adapters and of the game.
    *("pins", "record", "game", "update", "hub_link", "health", "loop", "screen"),
    # Programs.
    *("adapters", "assembly", "service", "run_command", "conformance", "tools", "starter", "main"),
)


def imported(source: str) -> Iterator[str]:
    """Yield every name that a file imports, as module or as member of one; what only a type checker reads is none."""
    for node in statements(_without_type_checking(parsed(source)).body):
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
    """Return the package of a name: `hub.pairing.matching` and what it defines belong to `hub.pairing`."""
    return ".".join(name.split(".")[:2])


def needs(room: str, files: Mapping[str, str]) -> dict[str, set[str]]:
    """Return what each package of the room imports of the others; `files` are sources by module."""
    needed: dict[str, set[str]] = defaultdict(set)
    for module, source in files.items():
        package = package_of(module)
        for name in imported(source):
            if name.startswith(f"{room}.") and package_of(name) != package:
                needed[package].add(package_of(name))
    return needed


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Return a way from a package back to itself, empty if there is none."""
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


@pytest.mark.parametrize("room", FOLDERS)
def test_packages_of_a_room_form_no_circle(room: str) -> None:
    files = sources(room)
    assert len(files) > 5
    assert circle(needs(room, files)) == []


def backward(order: Sequence[str], files: Mapping[str, str], room: str) -> set[tuple[str, str]]:
    """Return (package, package that it imports although it stands later in the order)."""
    places = {f"{room}.{name}": place for place, name in enumerate(order)}
    return {
        (package, needed)
        for package, packages in needs(room, files).items()
        for needed in packages
        if package != room and places[needed] > places[package]
    }


def test_packages_of_the_table_import_only_those_before_them() -> None:
    files = sources("table_app")
    assert {package_of(module) for module in files} == {f"table_app.{name}" for name in (*TABLE, "__init__")}
    assert backward(TABLE, files, "table_app") == set()


def test_the_check_finds_a_backward_import() -> None:
    files = {
        "table_app.pins.lamps": "from table_app.loop.view import TableView",
        "table_app.loop.view": "",
        "table_app.main": "from table_app.pins import lamps",
    }
    assert backward(("pins", "loop", "main"), files, "table_app") == {("table_app.pins", "table_app.loop")}


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
