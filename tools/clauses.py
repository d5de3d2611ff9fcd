"""The writer of docs/clauses.md: every numbered clause of the rule texts, its class, and the tests that show it.

    python tools/clauses.py                   writes the page
    python tools/clauses.py --check           exits 1 if the page is not current
    python tools/clauses.py --require-tests   exits 1 also if an enforced or assisted clause has no test

The rows are docs/clauses.csv. A test carries its clauses as `@pytest.mark.clause("woc-2019 IV.6")`.
"""

from __future__ import annotations

import argparse
import ast
import csv
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from readable import MOST_CHARACTERS

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "clauses.md"
TABLE = ROOT / "docs" / "clauses.csv"
TESTED_CLASSES = ("enforced", "assisted")
CLASSES = {
    "enforced": "the software decides",
    "assisted": "it detects, informs, times or records, and a person decides",
    "informed": "it shows the text at the right moment",
    "outside": "nothing for software to do",
}
TEXTS = {
    "woc-2019": "World Othello Championship rules, 2019",
    "usoa": "United States Othello Association, The Official Rules of Othello",
    "woc-2017": "World Othello Championship rules, 2017",
    "woc-classic": "World Othello Championship rules, older form",
    "cc-2024": "Confederations Othello Championships, 1.2",
    "jof": "Japan Othello Federation, competition rules (not yet read by a Japanese director)",
}


@dataclass(frozen=True)
class Clause:
    """One numbered clause; `name` is `woc-2019 IV.6`."""

    rulebook: str
    number: str
    kind: str
    summary: str

    @property
    def name(self) -> str:
        return f"{self.rulebook} {self.number}"


@dataclass(frozen=True, order=True)
class ShownBy:
    """A test that carries a clause: its file, relative to the project, and its function ("" for all)."""

    path: str
    function: str

    @property
    def name(self) -> str:
        return self.function or Path(self.path).stem


def clauses() -> tuple[Clause, ...]:
    """Return the rows of the table. Raise ValueError that names the line."""
    rows = []
    with TABLE.open(newline="", encoding="utf-8") as lines:
        reader = csv.DictReader(lines)
        for row in reader:
            if row["rulebook"] not in TEXTS or row["class"] not in CLASSES or None in row:
                raise ValueError(
                    f"{TABLE.name}: line {reader.line_num}: unknown rulebook or class, or a comma"
                )
            rows.append(Clause(row["rulebook"], row["clause"], row["class"], row["summary"]))
    return tuple(rows)


class _Marks(ast.NodeVisitor):
    """The clause marks of one file, wherever they stand, and the test function around each."""

    def __init__(self) -> None:
        self.marks: list[tuple[str, str]] = []
        self._function = ""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        outer, self._function = self._function, self._function or node.name
        self.generic_visit(node)
        self._function = outer

    def visit_Call(self, node: ast.Call) -> None:
        if ast.unparse(node.func).endswith("mark.clause"):
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    self.marks.append((argument.value, self._function))
        self.generic_visit(node)


def marks(tests: Path) -> dict[str, list[ShownBy]]:
    """Return for each clause named by a mark the tests that carry it."""
    shown: defaultdict[str, set[ShownBy]] = defaultdict(set)
    for path in sorted(tests.rglob("test_*.py")):
        visitor = _Marks()
        visitor.visit(ast.parse(path.read_text(encoding="utf-8"), filename=str(path)))
        for name, function in visitor.marks:
            shown[name].add(ShownBy(path.relative_to(tests.parent).as_posix(), function))
    return {name: sorted(tests_of) for name, tests_of in shown.items()}


def links(tests: list[ShownBy]) -> str:
    """Return the links of a cell: one for each test; where that is too long to read, the files with most of them."""
    if len(", ".join(test.name for test in tests)) <= MOST_CHARACTERS:
        return ", ".join(f"[{test.name}](../{test.path})" for test in tests)
    files = Counter(test.path for test in tests).most_common()
    shown, characters = [], len(f"and {len(files)} more files")
    for path, number in files:
        characters += len(f"{Path(path).stem} {number}, ")
        if characters <= MOST_CHARACTERS:
            shown.append(f"[{Path(path).stem}](../{path}) {number}")
    if len(shown) < len(files):
        shown.append(f"and {len(files) - len(shown)} more files")
    return ", ".join(shown)


def page(rows: tuple[Clause, ...], shown: dict[str, list[ShownBy]]) -> str:
    """Return the page's text."""
    lines = [
        "# Every clause, and what Flagfall does about it",
        "",
        "<!-- `make clauses` writes this page from docs/clauses.csv and the tests' marks. -->",
        "",
    ]
    lines += [f"- **{kind}**: {meaning}" for kind, meaning in CLASSES.items()]
    lines += [
        "",
        "Where a row names files, the number says how many tests of each carry the clause's mark. To find all tests",
        "of one, run `grep -rn 'woc-2019 IV.4' tests`.",
    ]
    lines += ["", "| text | " + " | ".join(CLASSES) + " |", "|---|" + "---|" * len(CLASSES)]
    for rulebook in TEXTS:
        counts = Counter(row.kind for row in rows if row.rulebook == rulebook)
        lines.append(f"| {rulebook} | " + " | ".join(str(counts[kind]) for kind in CLASSES) + " |")
    for rulebook, title in TEXTS.items():
        lines += [
            "",
            f"## {rulebook}: {title}",
            "",
            "| clause | class | in a line | shown by |",
            "|---|---|---|---|",
        ]
        for row in rows:
            if row.rulebook == rulebook:
                tests = links(shown.get(row.name, []))
                lines.append(f"| {row.number} | {row.kind} | {row.summary.replace('|', '/')} | {tests} |")
    return "\n".join([*lines, ""])


def untested(rows: tuple[Clause, ...], shown: dict[str, list[ShownBy]]) -> list[str]:
    """Return the enforced and assisted clauses that no test carries."""
    return [row.name for row in rows if row.kind in TESTED_CLASSES and row.name not in shown]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Writes or checks docs/clauses.md.")
    parser.add_argument(
        "--check", action="store_true", help="do not write; exit 1 if the page is not current"
    )
    parser.add_argument("--require-tests", action="store_true", help="exit 1 if a clause has no test")
    chosen = parser.parse_args(arguments)
    rows, shown = clauses(), marks(ROOT / "tests")
    failed = False
    for unknown in sorted(set(shown) - {row.name for row in rows}):
        where = ", ".join(f"{test.path} {test.function}" for test in shown[unknown])
        print(f"{where}: expected a clause of docs/clauses.csv, got {unknown!r}", file=sys.stderr)
        failed = True
    text = page(rows, shown)
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        pass  # nor is it written again while somebody reads it
    elif not chosen.check:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print("docs/clauses.md: not current; `make clauses` writes it again", file=sys.stderr)
        failed = True
    without = untested(rows, shown)
    print(f"{len(rows)} clauses; {len(without)} enforced or assisted ones have no test yet")
    if chosen.require_tests and without:
        print(f"no test: {', '.join(without)}", file=sys.stderr)
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
