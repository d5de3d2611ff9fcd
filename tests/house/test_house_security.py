"""The threat table names tests that exist, where it says."""

from __future__ import annotations

import re

from helpers.documented import ROOT, names_in

PAGE = ROOT / "docs" / "security.md"


def rows(page: str) -> list[str]:
    """Return the rows of the threats' tables, each of which is headed by what somebody wants to do."""
    tables = (table.splitlines() for table in page.split("\n\n") if table.startswith("| wants"))
    return [row for table in tables for row in table[2:]]


def test_every_threat_names_a_test_that_exists() -> None:
    threats = rows(PAGE.read_text(encoding="utf-8"))
    assert len(threats) >= 20
    for row in threats:
        shown = row.rsplit("|", 2)[1]
        files = re.findall(r"\]\(([^)]+)\)", shown)
        assert files, row
        there = {name for file in files for name in names_in((PAGE.parent / file).resolve())}
        assert set(re.findall(r"`(test_\w+)`", shown)) <= there, row
