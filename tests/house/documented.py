"""The pages of the project, and the commands in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PROGRAMS = {"flagfall-table": "table_app.main", "flagfall-hub": "hub.main", "flagfall-demo": "simulator.main"}


def commands(page: str) -> Iterator[str]:
    """The lines of a page's `sh` blocks, without remarks."""
    for block in re.findall(r"^```sh\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            text = line.partition(" #")[0].strip()
            if text and not text.startswith("#"):
                yield text
