"""The sizes of the rooms at each revision: `python tools/lines.py REVISION ...` prints a table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("othello", "ledger", "link", "table_app", "hub", "eye", "card", "simulator", "firmware_py")
BESIDE = ("tests", "benchmarks", "hardware", "image", "deb", "tools")


def lines(revision: str, room: str) -> int:
    """Count the lines of Python in a room."""
    listed = _git("ls-tree", "-r", "--name-only", revision, "--", room).decode().splitlines()
    return sum(_git("show", f"{revision}:{name}").count(b"\n") for name in listed if name.endswith(".py"))


def _git(*arguments: str) -> bytes:
    return subprocess.run(("git", *arguments), cwd=ROOT, check=True, capture_output=True).stdout


def main(revisions: list[str]) -> None:
    counted = {room: [lines(revision, room) for revision in revisions] for room in (*PRODUCT, *BESIDE)}
    product = [sum(counted[room][at] for room in PRODUCT) for at in range(len(revisions))]
    print(f"| | {' | '.join(revisions)} |\n|---|{'---:|' * len(revisions)}")
    for room, counts in (*counted.items(), ("**the product**", product)):
        print(f"| {room} | {' | '.join(f'{count:,}' for count in counts)} |")


if __name__ == "__main__":
    main(sys.argv[1:] or ["HEAD"])
