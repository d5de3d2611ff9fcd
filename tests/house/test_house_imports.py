"""Rooms import only rooms above them; table and hub never each other; the law needs Python and msgspec alone."""

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
# For each room the rooms that it may know (docs/decisions/0002-rooms.md).
MAY_IMPORT = {
    "base": set(),
    "othello": {"base"},
    "ledger": {"base", "othello"},
    "link": {"base", "othello", "ledger"},
    "table_app": {"base", "othello", "ledger", "link"},
    "hub": {"base", "othello", "ledger", "link"},
    "card": {"base", "othello", "ledger", "link", "table_app", "hub"},
    "eye": {"base", "othello", "link"},
    "firmware_py": set(),
    "simulator": {"base", "othello", "ledger", "link", "table_app", "hub", "firmware_py", "eye"},
}


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


def forbidden(room: str, source: str) -> list[tuple[int, str]]:
    """Return the imports of `source`, a file of `room`, that the room must not have."""
    lines = []
    for line, package in imports(source):
        if package in MAY_IMPORT:
            if package != room and package not in MAY_IMPORT[room]:
                lines.append((line, package))
        elif room in ("base", "othello") and package not in {*sys.stdlib_module_names, "msgspec"}:
            lines.append((line, package))
    return lines


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_rooms_above_it(room: str) -> None:
    files = list(files_of(room))
    assert files
    for path in files:
        assert forbidden(room, path.read_text(encoding="utf-8")) == [], path


def test_the_check_finds_what_it_should() -> None:
    assert forbidden("othello", "import msgspec\nimport starlette") == [(2, "starlette")]
    assert forbidden("othello", "import json\nfrom flagfall.link.topics import Topic") == [(2, "link")]
    assert forbidden("hub", "def f():\n    from table_app import main") == [(2, "table_app")]
    assert forbidden("table_app", "import hub.record.fold as fold") == [(1, "hub")]
    assert forbidden("hub", "from flagfall import link\nimport flagfall.othello.board\nimport numpy") == []
    assert forbidden("othello", "from flagfall import link") == [(1, "link")]


def test_every_room_ships_and_nothing_else_does() -> None:
    packages = {
        module_of(path) for room in MAY_IMPORT for path in files_of(room) if path.name == "__init__.py"
    } | {"flagfall", "firmware_py"}  # MicroPython's folder is no package of its own, but it ships
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"][
        "packages"
    ]
    assert packages == set(listed)


def test_files_are_named_after_a_concept() -> None:
    nothing = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
    for room in MAY_IMPORT:
        assert [path for path in files_of(room) if path.stem in nothing] == []


def test_toml_is_parsed_behind_one_guard() -> None:
    # A dotted key takes memory that grows with the square of its parts.
    readers = {
        path.relative_to(ROOT).as_posix()
        for room in MAY_IMPORT
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


# The rooms of the hub, bottom to top: each imports only those before it (docs/decisions/0002-rooms.md).
HUB = (
    *(
        "text",
        "role",
        "fields",
        "limits",
        "log",
        "ages",
        "broker",
        "config",
        "child_process",
        "slices",
        "venue",
        "zones",
    ),
    *(
        "model",
        "rulebook",
        "ranking",
        "pairing",
        "form",
        "record",
        "proof",
        "entries",
        "event_words",
        "formats",
    ),
    *(
        "tables",
        "overview",
        "rounds",
        "desk",
        "web",
        "public",
        "running",
        "commands",
        "people",
        "api",
        "console",
        "cli",
    ),
    *("assembly", "service", "main"),
)


def hub_modules() -> dict[str, set[str]]:
    """Return what each module of the hub imports of the hub, wherever the import stands and whatever it is for."""
    sources = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text("utf-8")
        for path in (ROOT / "hub").rglob("*.py")
        if path.stem != "__init__"
    }
    return {name: modules_of(source) & set(sources) for name, source in sources.items()}


def hub_room(module: str) -> str:
    return module.split(".")[1]


def backward(modules: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """Return imports of a room above the module's own."""
    height = {room: place for place, room in enumerate(HUB)}
    return [
        (module, imported)
        for module, others in sorted(modules.items())
        for imported in sorted(others)
        if height[hub_room(imported)] > height[hub_room(module)]
    ]


def circle(modules: Mapping[str, set[str]]) -> list[str]:
    """Return modules that import each other in a circle, none without one."""
    try:
        TopologicalSorter(modules).prepare()
    except CycleError as fault:
        return list(fault.args[1])
    return []


def test_rooms_of_the_hub_import_downward_only_and_no_modules_in_a_circle() -> None:
    modules = hub_modules()
    assert {hub_room(module) for module in modules} == set(HUB), "name each room of the hub at its height"
    assert backward(modules) == [] and circle(modules) == []


def test_the_check_finds_a_backward_import_and_a_circle() -> None:
    assert backward({"hub.record.fold": {"hub.console.app"}, "hub.console.app": {"hub.record.fold"}}) == [
        ("hub.record.fold", "hub.console.app")
    ]
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
            known = {*sys.stdlib_module_names, *ONLY_ON_A_PI, *ONLY_ON_THE_CHIP, *MAY_IMPORT, "flagfall", "."}
            if package in known:
                continue
            distributions = {canonicalize_name(name) for name in parts.get(package, [package])}
            assert distributions & allowed, (
                f"{path}: line {line}: {package}: expected one of the room's declared parts"
            )


def test_what_reads_the_board_does_not_know_the_law() -> None:
    files = sorted((ROOT / "flagfall" / "othello" / "reading").glob("*.py"))
    assert len(files) > 2
    for path in files:
        names = modules_of(path.read_text(encoding="utf-8"))
        assert not {name for name in names if name.startswith("flagfall.othello.judging")}, path


def test_no_modules_of_the_law_in_a_circle() -> None:
    sources = {module_of(path): path.read_text("utf-8") for path in files_of("othello")}
    modules = {name: modules_of(source) & set(sources) - {name} for name, source in sources.items()}
    assert len(modules) > 50 and circle(modules) == []


# Beside what is not of this project: the model stands below every other room of the hub.
MODEL_MAY_IMPORT = ("hub.model.", "flagfall.base.", "flagfall.othello.")


def test_the_model_imports_no_other_room_of_the_hub() -> None:
    files = sorted((ROOT / "hub" / "model").glob("*.py"))
    assert files
    for path in files:
        names = modules_of(path.read_text(encoding="utf-8"))
        ours = {name for name in names if room_of(name) in MAY_IMPORT}
        assert [name for name in ours if not name.startswith(MODEL_MAY_IMPORT)] == [], path


def test_the_record_knows_no_file_format() -> None:
    files = sorted((ROOT / "hub" / "record").rglob("*.py"))
    assert files
    for path in files:
        assert not {
            name for name in modules_of(path.read_text(encoding="utf-8")) if name.startswith("hub.formats")
        }, path


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
