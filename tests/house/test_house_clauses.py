"""The page of clauses: marks are found wherever they stand, and every clause of the texts has its row."""

from __future__ import annotations

import csv
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from helpers.documented import ROOT

from flagfall.othello.rulebook import TEXTS, rulebook


@pytest.fixture(scope="module")
def clause_page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("clauses", ROOT / "tools" / "clauses.py")
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
    assert {name: [test.function for test in tests_of] for name, tests_of in shown.items()} == {
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
    assert len(rows) == 437
    assert len({row.name for row in rows}) == 437


@pytest.mark.parametrize("text", TEXTS)
def test_what_a_rulebook_says_of_its_clauses_agrees_with_their_rows(text: str) -> None:
    # A cited clause has a row and software does something about it; what is told on screens is at least `informed`, and
    # what the file leaves out is not `enforced`.
    with (ROOT / "docs" / "clauses.csv").open(encoding="utf-8", newline="") as file:
        classes = {row["clause"]: row["class"] for row in csv.DictReader(file) if row["rulebook"] == text}
    rules = rulebook(text)
    cited = {clause for clauses in rules.cites.values() for clause in clauses} | set(rules.event.told)
    assert len(cited) > 5
    assert {clause: classes.get(clause) for clause in cited if classes.get(clause) in (None, "outside")} == {}
    left_out = {key.split()[0] for key in rules.left_out}
    assert left_out <= set(classes)
    assert {clause for clause in left_out if classes[clause] == "enforced"} == set()
