"""No test waits for luck, is skipped in silence, or passes because there was nothing to look at."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module

import pytest
from helpers.documented import INNER, ROOT, parsed, statements, walked
from helpers.waiting import PATIENCE_S

pytestmark = pytest.mark.tree

# The comment beside a wait of a fixed length, with its reason: how often is looked, or a length that is meant.
WHY = "# fixed: "
SLEEPS = re.compile(r"(time|asyncio|anyio)\.sleep|.*\.wait_for_timeout|threading\.Event\(\)\.wait")
SAID = re.compile(r"\bsleep[ (]+(?!0[^.])[\d.]|waitForTimeout\b")  # fixed: what is looked for
# Functions and methods with the number of their arguments, of which the last is a time.
SHORT = re.compile(
    r"asyncio\.(wait_for 2|timeout 1)|.*(\.result|\.join|\.settimeout|\b(program|process)\.wait) 1"
)
FILES = sorted((ROOT / "tests").rglob("*.py"))


def fixed_sleeps(text: str) -> Iterator[int]:
    """Yield lines that wait for a fixed time, themselves or in a script they hold; to let other tasks go on (0) is
    none.
    """
    if "sleep" not in text and "wait" not in text:
        return
    lines = ["", *text.splitlines()]
    for node in walked(text):
        match node:
            case ast.Call(args=[ast.Constant(value=0)]):
                continue
            case ast.Call(args=[_, *_]) if SLEEPS.fullmatch(ast.unparse(node.func)):
                pass
            case ast.Constant(value=str(said)) if SAID.search(said):
                pass
            case ast.For(iter=ast.Call(args=[ast.Constant()]), body=[one]) if (
                "asyncio.sleep(0)" in ast.unparse(one)
            ):
                pass  # `anyio.wait_all_tasks_blocked` knows when nothing goes on
            case _:
                continue
        around = [line for line in lines[node.lineno - 1 : node.lineno] if line.lstrip().startswith(WHY)]
        if WHY not in "".join((*around, *lines[node.lineno : (node.end_lineno or node.lineno) + 1])):
            yield node.lineno


def short_waits(text: str) -> Iterator[int]:
    """Yield lines that give a program, an answer or a thread less time than `until` does."""
    if "timeout" not in text:
        return
    lines = ["", *text.splitlines()]
    for node in walked(text):
        if isinstance(node, ast.Call):
            waits = [keyword.value for keyword in node.keywords if keyword.arg == "timeout"]
            if SHORT.fullmatch(f"{ast.unparse(node.func)} {len(node.args)}"):
                waits += node.args[-1:]
            for wait in waits:
                seconds = wait.value if isinstance(wait, ast.Constant) else None
                if (
                    isinstance(seconds, int | float)
                    and 1 <= seconds < PATIENCE_S
                    and WHY not in lines[wait.lineno]
                ):
                    yield wait.lineno


def never_empty(many: ast.expr | None, known: set[str]) -> bool:
    """Return whether it can be seen here that there is at least one; `known` names have some."""
    match many:
        case ast.Tuple(elts=[_, *_]) | ast.List(elts=[_, *_]) | ast.Set(elts=[_, *_]):
            return any(
                never_empty(element.value, known) if isinstance(element, ast.Starred) else True
                for element in many.elts
            )
        case ast.Dict(keys=[_, *_]) | ast.Constant(value=str() | bytes()):
            return True
        case ast.Name(id=name):
            return name in known
        case ast.Call(func=ast.Name(id="range"), args=args):
            named = [node.id for arg in args for node in ast.walk(arg) if isinstance(node, ast.Name)]
            return all(name == "len" or name.isupper() for name in named)
        case ast.ListComp(generators=[ast.comprehension(iter=inner, ifs=[])]):
            return never_empty(inner, known)
        case ast.BinOp(op=ast.Add()):
            return never_empty(many.left, known) or never_empty(many.right, known)
        case ast.Call(func=ast.Name(id="zip" | "product" as name), args=args):
            strict = any(
                keyword.arg == "strict" and ast.unparse(keyword.value) == "True" for keyword in many.keywords
            )
            return (any if strict else all)(never_empty(arg, known) for arg in args)
        case ast.Call(
            func=ast.Name(id="enumerate" | "sorted" | "reversed" | "list" | "set"), args=[inner, *_]
        ):
            return never_empty(inner, known)
        case ast.Call(func=ast.Attribute(value=inner, attr="items" | "values"), args=[]):
            return never_empty(inner, known)
        case ast.Call(keywords=[*_]):  # a strategy of hypothesis
            return any(keyword.arg == "min_size" for keyword in many.keywords)
    return False


def has_some(module: str, name: str) -> bool:
    """Return whether this is a collection, and not an empty one."""
    try:
        return len(getattr(import_module(module), name)) > 0
    except (ImportError, AttributeError, TypeError):
        return False


def asserted(body: Iterable[ast.stmt], known: set[str]) -> Iterator[bool]:
    """Yield for each assertion whether it is sure to be come to, as far as loops go."""
    for step in body:
        sure = not isinstance(step, ast.For | ast.AsyncFor) or never_empty(step.iter, known)
        if isinstance(step, ast.Assert) or (
            isinstance(step, ast.With) and "pytest.raises" in ast.unparse(step.items[0])
        ):
            yield True
        for inner in INNER:
            yield from (sure and reached for reached in asserted(getattr(step, inner, ()), known))


def hollow_tests(text: str) -> Iterator[int]:
    """Yield lines of tests that assert in loops only, of which none is sure to be gone through once."""
    tree = parsed(text)
    known: set[str] = set()
    imported = {
        alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }
    for node in statements(tree.body):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if never_empty(value, known):
                known.add(name)
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if never_empty(value, known):
                known.add(name)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            taken = [arg.arg for arg in node.args.args]
            drawn = {
                name
                for decorator in node.decorator_list
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "given"
                for name, value in (
                    *((keyword.arg, keyword.value) for keyword in decorator.keywords),
                    *zip(taken[len(taken) - len(decorator.args) :], decorator.args, strict=True),
                )
                if name is not None and never_empty(value, known)
            }
            reached = list(asserted(node.body, known | drawn))
            if reached and not any(reached):
                names = {
                    name_node.id
                    for name_node in ast.walk(node)
                    if isinstance(name_node, ast.Name) and name_node.id in imported
                }
                some = {name for name in names if not name.islower() and has_some(imported[name], name)}
                if not any(asserted(node.body, known | drawn | some)):
                    yield node.lineno


def silent_skips(text: str) -> Iterator[int]:
    """Yield lines that skip a test by themselves: what is absent is told to `prepared.absent`, and fails where
    CI=true.
    """
    if "pytest.skip(" in text or "importorskip" in text:
        for node in walked(text):
            if isinstance(node, ast.FunctionDef) and node.name == "absent":
                return
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "pytest.skip",
                "pytest.importorskip",
            ):
                yield node.lineno


@pytest.mark.parametrize("faults", [fixed_sleeps, short_waits, hollow_tests, silent_skips])
def test_no_test_waits_for_luck_or_is_skipped_in_silence_or_asserts_only_where_nothing_may_be(
    faults: Callable[[str], Iterator[int]],
) -> None:
    places = [
        f"{path.relative_to(ROOT)}:{line}" for path in FILES for line in faults(path.read_text("utf-8"))
    ]
    assert FILES and not places, "\n".join(places)


def test_what_sleeps_is_found() -> None:
    sleeps = "time.sleep(1)\nawait asyncio.sleep(0)\ntime.sleep(2)  # fixed: a reason\nsh('a; sleep 2')\n"
    assert list(fixed_sleeps(sleeps)) == [1, 4]
    turns = "for _ in range({}):\n    await asyncio.sleep(0)\n"
    assert [list(fixed_sleeps(turns.format(count))) for count in ("3", "turns")] == [[1], []]


def test_what_waits_too_briefly_is_found() -> None:
    waits = (
        "run(a, timeout=9)\nrun(a, timeout=9)  # fixed: a reason\nprocess.wait(10)\nqueue.get(timeout=0.1)\n"
    )
    assert list(short_waits(waits)) == [1, 3]
    assert not list(short_waits("timeout = 9\nrun(a, timeout=PATIENCE_S)\ntable.wait(5)\n"))


def test_what_is_hollow_is_found() -> None:
    loop = "def test_it():\n    for one in {}:\n        assert one\n"
    assert [
        list(hollow_tests(loop.format(many))) for many in ("found()", "(1, 2)", "range(3)", "range(n)")
    ] == [[1], [], [], [1]]
    assert not list(hollow_tests(f"{loop.format('found()')}    assert found()\n"))


def test_a_skip_of_its_own_is_found() -> None:
    assert list(silent_skips('pytest.importorskip("hub")\nabsent("no hub")\n')) == [1]
