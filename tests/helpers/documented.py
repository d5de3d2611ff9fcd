"""The pages of the project: the commands in them, and the places in the code that they name."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt

from helpers.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("firmware_py", "hardware", "table_app/fonts", "tests/data")
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(page for room in ROOMS for page in (ROOT / room).glob("*.md")),
    ]
)
PROGRAMS = {
    "flagfall-table": "table_app.main",
    "flagfall-hub": "hub.main",
    "flagfall-demo": "simulator.main",
    "flagfall-eye": "eye.main",
}
_MARKDOWN = MarkdownIt()
# Kinds of blocks that hold no commands; one without a kind is an example of what is sent.
NO_COMMANDS = ("html", "json", "mermaid", "python", "text", "toml")


def commands(page: str) -> Iterator[str]:
    """Yield the lines of a page's `sh` blocks, without remarks."""
    for kind, block in blocks(page):
        for line in block.splitlines() if kind == "sh" else ():
            text = line.partition(" #")[0].strip()
            if text and not text.startswith("#"):
                yield text


def blocks(page: str) -> list[tuple[str, str]]:
    """Return (kind, text) of every block of code, also in a list; of an indented one the kind is ""."""
    return [
        (token.info.strip(), token.content)
        for token in _MARKDOWN.parse(page)
        if token.type in ("fence", "code_block")
    ]


def mentioned(page: str) -> Iterator[str]:
    """Yield commands in the running text: code that begins with a program of ours, `make` or `python`."""
    text = re.sub(r"^ *```.*?^ *```", "", page, flags=re.MULTILINE | re.DOTALL)
    for span in re.findall(r"`([^`\n]+)`", text):
        words = span.replace("\\|", "|").split()
        if words[0] in PROGRAMS or (words[0] in ("make", "python") and len(words) > 1):
            yield " ".join(words)


@cache
def help_of(program: str, *subcommand: str) -> str:
    """Return the help of a program, "" if there is no such command."""
    code = f"import sys; sys.argv[0] = {program!r}; from {PROGRAMS[program]} import main; sys.exit(main())"
    command = [sys.executable, "-c", code, *subcommand, "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    return done.stdout if done.returncode == 0 else ""


def make_targets() -> set[str]:
    return set(
        re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    )


def what_is_wrong(command: str) -> str | None:
    """Return why a documented command cannot work, or None."""
    words = shlex.split(command)
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words.pop(0)
    if words[0] == "sudo":
        words.pop(0)
        if words[0] == "-u":
            del words[:2]
    program, arguments = Path(words[0]).name, words[1:]
    if program == "make":
        unknown = [word for word in arguments if "=" not in word and word not in make_targets()]
        return f"no target {unknown}" if unknown else None
    if program in PROGRAMS:
        return _unknown_option(program, arguments)
    if program in ("python", "python3") and arguments[:1] == ["-m"]:
        return None if importlib.util.find_spec(arguments[1]) else f"no module {arguments[1]}"
    if program in ("python", "python3", "sh") and arguments:
        return None if (ROOT / arguments[0]).exists() else f"no file {arguments[0]}"
    if "/" in words[0]:
        return None if (ROOT / words[0]).exists() else f"no file {words[0]}"
    return None


def _unknown_option(program: str, arguments: list[str]) -> str | None:
    options = [word.partition("=")[0] for word in arguments if word.startswith("-")]
    subcommand = [word for word in arguments[:1] if not word.startswith("-") and program != "flagfall-demo"]
    help_text = help_of(program, *subcommand)
    if not help_text:
        return f"{program} has no {' '.join(subcommand)}"
    unknown = [option for option in options if not _is_in(option, help_text)]
    # As `witness key --name NAME`.
    if unknown and subcommand and arguments[1:2] and not arguments[1].startswith("-"):
        deeper = help_of(program, *arguments[:2])
        unknown = [option for option in unknown if not _is_in(option, deeper)]
    return f"{program} {' '.join(subcommand)} has no {unknown}" if unknown else None


def _is_in(option: str, help_text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", help_text) is not None


def places(text: str) -> list[tuple[str, str]]:
    """Return (file, function) of every place that a text names: `table_app/pins/buttons.py: Contact.edge`."""
    return re.findall(r"`([\w/]+\.py): ([\w.]+)`", " ".join(text.split()))


def files(text: str) -> list[str]:
    """Return every file of the project's folders that a text names, alone or before a function; not what is made
    there.
    """
    named = re.findall(r"`((?:[\w.-]+/)+[\w.-]+\.\w+)(?:: [\w.]+)?`", text)
    made = {"dist", "build"}
    return [file for file in named if (top := file.partition("/")[0]) not in made and (ROOT / top).is_dir()]


@cache
def parsed(text: str) -> ast.Module:
    """Return the tree of a source: many checks look at the same ones."""
    return ast.parse(text)


@cache
def walked(text: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(parsed(text)))


# Where a step of a program has others within.
INNER = ("body", "orelse", "finalbody", "handlers", "cases")


def statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield each step of a program, also those within others: what `ast.walk` gives but for expressions, in a fifth of
    its time.
    """
    for step in body:
        yield step
        for inner in INNER:
            yield from statements(getattr(step, inner, ()))


def names_in(path: Path) -> set[str]:
    """Return every function and class of a file, methods as `Class.method`."""
    names = set()

    def walk(body: list[ast.stmt], outer: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(outer + node.name)
                if isinstance(node, ast.ClassDef):
                    walk(node.body, f"{outer}{node.name}.")

    walk(parsed(path.read_text(encoding="utf-8")).body, "")
    return names
