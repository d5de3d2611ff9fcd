"""What rooms may import beside rooms: `.importlinter` says which of those."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from helpers.documented import parsed, statements, walked
from helpers.rooms import files_of, module_of, room_of
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.tree

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("base", "othello", "ledger", "link", "table_app", "hub", "card", "eye", "firmware_py", "simulator")


def imports(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, room or top-level package) of every import, wherever it stands in the file."""
    for node in statements(parsed(source).body):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, room_of(alias.name)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield node.lineno, "."
            elif node.module == "flagfall":
                yield from ((node.lineno, alias.name) for alias in node.names)
            else:
                yield node.lineno, room_of(node.module or "")


def strange(source: str) -> list[tuple[int, str]]:
    """Return the imports of `source` that are neither rooms nor of Python nor msgspec."""
    known = {*sys.stdlib_module_names, *ROOMS, "msgspec"}
    return [(line, package) for line, package in imports(source) if package not in known]


@pytest.mark.parametrize("room", ["base", "othello"])
def test_the_law_needs_python_and_msgspec_alone(room: str) -> None:
    files = list(files_of(room))
    assert files
    for path in files:
        assert strange(path.read_text(encoding="utf-8")) == [], path


def test_the_check_finds_what_it_should() -> None:
    assert strange("import msgspec\nimport starlette") == [(2, "starlette")]
    assert strange("import json\nfrom flagfall.base import errors\ndef f():\n    import numpy") == [
        (4, "numpy")
    ]


def test_the_firmware_stands_alone_and_only_the_simulator_runs_it() -> None:
    """It is no package, so `.importlinter` does not see it."""
    used = {
        room: {package for path in files_of(room) for _, package in imports(path.read_text(encoding="utf-8"))}
        for room in ROOMS
    }
    assert {room for room in ROOMS if "firmware_py" in used[room]} == {"firmware_py", "simulator"}
    assert used["firmware_py"] & set(ROOMS) == {"firmware_py"}


def test_every_room_ships_and_nothing_else_does() -> None:
    packages = {
        module_of(path) for room in ROOMS for path in files_of(room) if path.name == "__init__.py"
    } | {"flagfall", "firmware_py"}  # MicroPython's folder is no package of its own, but it ships
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"][
        "packages"
    ]
    assert packages == set(listed)


def test_files_are_named_after_a_concept() -> None:
    nothing = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
    for room in ROOMS:
        assert [path for path in files_of(room) if path.stem in nothing] == []


def test_toml_is_parsed_behind_one_guard() -> None:
    # A dotted key takes memory that grows with the square of its parts.
    readers = {
        path.relative_to(ROOT).as_posix()
        for room in ROOMS
        for path in files_of(room)
        if "tomllib" in {package for _, package in imports(path.read_text("utf-8"))}
    }
    assert readers == {"flagfall/base/foreign_text.py"}


def modules_of(source: str) -> set[str]:
    """Return every module, or name in one, that a file imports."""
    modules = set()
    for node in statements(parsed(source).body):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return modules


def hub_modules() -> dict[str, set[str]]:
    """Return what each module of the hub imports of the hub, wherever the import stands and whatever it is for."""
    sources = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text("utf-8")
        for path in (ROOT / "hub").rglob("*.py")
        if path.stem != "__init__"
    }
    return {name: modules_of(source) & set(sources) for name, source in sources.items()}


def circle(modules: Mapping[str, set[str]]) -> list[str]:
    """Return modules that import each other in a circle, none without one."""
    try:
        TopologicalSorter(modules).prepare()
    except CycleError as fault:
        return list(fault.args[1])
    return []


def test_no_modules_of_the_hub_or_of_the_law_in_a_circle() -> None:
    sources = {module_of(path): path.read_text("utf-8") for path in files_of("othello")}
    law = {name: modules_of(source) & set(sources) - {name} for name, source in sources.items()}
    assert len(law) > 50 and circle(law) == circle(hub_modules()) == []


def test_the_check_finds_a_circle() -> None:
    assert circle({"hub.web.app": {"hub.web.pages"}, "hub.web.pages": set()}) == []
    assert circle({"hub.web.app": {"hub.web.pages"}, "hub.web.pages": {"hub.web.app"}})


# Whose parts a room may use, beside the core's. What `link` uses, table and hub both have.
EXTRAS = {
    "base": (),
    "othello": (),
    "ledger": ("redis",),
    "link": ("table",),
    "table_app": ("table",),
    "hub": ("hub", "check"),
    "eye": ("eye",),
    "simulator": ("table", "hub", "eye"),
}
# Debian's, for the Pi's own camera: no part that pip could bring.
ONLY_ON_A_PI = {"picamera2"}
ONLY_ON_THE_CHIP = {"machine", "micropython", "rp2"}


def declared(*extras: str) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(requirement for e in extras for requirement in project["optional-dependencies"][e]),
    ]
    return {canonicalize_name(Requirement(requirement).name) for requirement in wanted}


@cache
def owners() -> Mapping[str, list[str]]:
    return packages_distributions()


@pytest.mark.parametrize("room", EXTRAS)
def test_every_part_that_a_room_imports_is_declared(room: str) -> None:
    parts = owners()
    allowed = declared(*EXTRAS[room])
    if room == "link":
        allowed &= declared("hub") | {"packaging"}  # of a wheel's needs only a table asks
    files = list(files_of(room))
    assert files
    for path in files:
        for line, package in imports(path.read_text(encoding="utf-8")):
            known = {*sys.stdlib_module_names, *ONLY_ON_A_PI, *ONLY_ON_THE_CHIP, *ROOMS, "flagfall", "."}
            if package in known:
                continue
            distributions = {canonicalize_name(name) for name in parts.get(package, [package])}
            assert distributions & allowed, (
                f"{path}: line {line}: {package}: expected one of the room's declared parts"
            )


# It gives the fields that nobody knows to the tournament's next value.
CARRIES_UNKNOWN = {ROOT / "hub" / "form" / "tournament.py"}


def looked_into(source: str) -> list[int]:
    """Return the lines that read the unknown fields of a file, `extra` of a value."""
    return [
        node.lineno
        for node in walked(source)
        if isinstance(node, ast.Attribute) and node.attr == "extra" and isinstance(node.ctx, ast.Load)
    ]


def test_unknown_fields_of_a_file_are_written_back_and_nothing_looks_into_them() -> None:
    for path in sorted({*(ROOT / "hub").rglob("*.py")} - CARRIES_UNKNOWN):
        assert looked_into(path.read_text(encoding="utf-8")) == [], path
    for path in sorted((ROOT / "hub").rglob("*.html")):
        assert ".extra." not in path.read_text(encoding="utf-8"), path
    assert looked_into("a = 1\nb = player.extra.get('new')\nc = Game(extra={})") == [2]
