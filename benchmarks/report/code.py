"""The code that a bench measures: its module and everything that this imports from the repository, by content.

A digest that differs from that of a figure says that the figure is of other code.
"""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_MODULE = re.compile(r"[a-z_]+(?:\.[a-z_]+)+(?::\w+)?")


def digest(bench: str) -> str:
    """Return the digest of the code of a bench, named as in the list (`table.latency`)."""
    files = _closure(ROOT / "benchmarks" / f"{bench.replace('.', '/')}.py")
    hashes = (f"{file.relative_to(ROOT)} {_content(file)}\n" for file in sorted(files))
    return hashlib.sha256("".join(hashes).encode()).hexdigest()[:16]


def commit() -> str:
    """Return the short name of the commit that lies here, with a + if something is not committed; "" without git."""
    try:
        name = _git("rev-parse", "--short=8", "HEAD").strip()
        return name + ("+" if _git("status", "--porcelain", "--untracked-files=no").strip() else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=30
    ).stdout


def _closure(first: Path) -> set[Path]:
    files: set[Path] = set()
    ahead = [first]
    while ahead:
        file = ahead.pop()
        if file not in files:
            files.add(file)
            ahead.extend(_imports(file))
    return files


@cache
def _content(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@cache
def _imports(file: Path) -> tuple[Path, ...]:
    """Return the repository's files that a module imports, anywhere in it."""
    names = {name for node in ast.walk(ast.parse(file.read_text("utf-8"))) for name in _names(node)}
    return tuple(path for name in sorted(names) if (path := _file(name)) is not None)


def _file(name: str) -> Path | None:
    """Return the file of a module or package of the repository; None for any other name."""
    place = ROOT.joinpath(*name.split("."))
    for file in (place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return file
    return None


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _MODULE.fullmatch(node.value):
        # A program that the bench starts (`python -m hub.main`), or a function that is loaded by its name.
        yield node.value.partition(":")[0]
