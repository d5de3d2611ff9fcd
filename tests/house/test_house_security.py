"""The threat table names tests that exist, where it says."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "security.md"


def rows(page: str) -> list[str]:
    return [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| wants")]


def test_every_threat_names_a_test_that_exists() -> None:
    found = rows(PAGE.read_text(encoding="utf-8"))
    assert len(found) >= 20
    for row in found:
        shown = row.rsplit("|", 2)[1]
        files = re.findall(r"\]\(([^)]+)\)", shown)
        assert files, row
        texts = [(PAGE.parent / file).resolve().read_text(encoding="utf-8") for file in files]
        for name in re.findall(r"`(test_\w+)`", shown):
            assert any(f"def {name}(" in text for text in texts), f"{name}: {row}"
