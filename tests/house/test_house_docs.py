"""What the pages say is so: commands exist, named files and functions exist, the clause page is right."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from documented import PAGES, PROGRAMS, ROOT, commands

FLOWS = ROOT / "docs" / "what-happens-when.md"


@cache
def help_of(program: str, *subcommand: str) -> str:
    code = f"import sys; sys.argv[0] = {program!r}; from {PROGRAMS[program]} import main; sys.exit(main())"
    command = [sys.executable, "-c", code, *subcommand, "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout if done.returncode == 0 else ""


def make_targets() -> set[str]:
    return set(
        re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    )


def what_is_wrong(command: str) -> str | None:
    """Why a documented command cannot work, or None."""
    words = shlex.split(command)
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words.pop(0)
    if words[0] == "sudo":
        words.pop(0)
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
    told = help_of(program, *subcommand)
    if not told:
        return f"{program} has no {' '.join(subcommand)}"
    unknown = [
        option for option in options if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", told)
    ]
    return f"{program} {' '.join(subcommand)} has no {unknown}" if unknown else None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_documented_commands_exist(page: Path) -> None:
    for command in commands(page.read_text(encoding="utf-8")):
        assert what_is_wrong(command) is None, command


def test_the_check_of_commands_finds_what_it_should() -> None:
    assert what_is_wrong("make nonsense") == "no target ['nonsense']"
    assert what_is_wrong("make demo DEMO='--tables 2'") is None
    assert what_is_wrong("flagfall-hub rank FILE --json") is None
    assert what_is_wrong("flagfall-hub rank FILE --nonsense") == "flagfall-hub rank has no ['--nonsense']"
    assert what_is_wrong("python docs/nothing.py") == "no file docs/nothing.py"
    assert list(commands("text\n```sh\nmake demo  # plays\n```\n")) == ["make demo"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_within_the_project_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def names_in(path: Path) -> set[str]:
    """Every function and class of a file, methods as `Class.method`."""
    found = set()

    def walk(body: list[ast.stmt], outer: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(outer + node.name)
                if isinstance(node, ast.ClassDef):
                    walk(node.body, f"{outer}{node.name}.")

    walk(ast.parse(path.read_text(encoding="utf-8")).body, "")
    return found


def steps(page: str) -> list[str]:
    """The numbered steps of the page, each in one line."""
    return [
        " ".join(step.split()) for step in re.findall(r"^\d+\. (.*?)(?=^\d+\. |^#|\Z)", page, re.M | re.S)
    ]


def places(step: str) -> list[tuple[str, str]]:
    """(file, function) of every place that a step names: `table_app/buttons.py: Button.edge`."""
    return re.findall(r"`([\w/]+\.py): ([\w.]+)`", step)


def test_every_step_of_what_happens_when_names_a_file_and_a_function_that_exist() -> None:
    page = FLOWS.read_text(encoding="utf-8")
    assert len(re.findall(r"^## ", page, re.M)) >= 5
    assert len(steps(page)) >= 25
    for step in steps(page):
        assert places(step), f"names no place: {step}"
        for file, function in places(step):
            assert (ROOT / file).is_file(), f"{file}: {step}"
            assert function in names_in(ROOT / file), f"{file} has no {function}: {step}"


@pytest.fixture(scope="module")
def clause_page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("clauses", ROOT / "docs" / "clauses.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["clauses"] = module
    spec.loader.exec_module(module)
    return module


def test_marks_are_found_wherever_they_stand(clause_page: ModuleType, tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_marks.py").write_text(
        "import pytest\n"
        '@pytest.mark.clause("usoa 3.8")\n'
        '@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.clause("usoa 3.9"))])\n'
        "def test_a(x): ...\n"
        "class TestB:\n"
        '    @pytest.mark.clause("usoa 3.8")\n'
        "    def test_b(self): ...\n"
        'pytestmark = pytest.mark.clause("usoa 1.1")\n'
    )
    shown = clause_page.marks(tests)
    assert {name: [test.function for test in of] for name, of in shown.items()} == {
        "usoa 3.8": ["test_a", "test_b"],
        "usoa 3.9": ["test_a"],
        "usoa 1.1": [""],
    }
    clause = clause_page.Clause("usoa", "3.8", "enforced", "First touch commits")
    other = clause_page.Clause("usoa", "4.1", "assisted", "The end")
    outside = clause_page.Clause("usoa", "9.9", "outside", "Nothing")
    assert clause_page.untested((clause, other, outside), shown) == ["usoa 4.1"]
    tests_of_it = "[test_a](../tests/test_marks.py), [test_b](../tests/test_marks.py)"
    assert f"| 3.8 | enforced | First touch commits | {tests_of_it} |" in clause_page.page((clause,), shown)


def test_every_clause_of_the_texts_has_a_row(clause_page: ModuleType) -> None:
    rows = clause_page.clauses()
    assert len(rows) == 407
    assert len({row.name for row in rows}) == 407
