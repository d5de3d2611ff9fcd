"""The sizes of the rooms at each revision: `python tools/lines.py REVISION ...` prints a table.

With `--scores` before them it prints the hub's classes that hold one game's score.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("othello", "ledger", "link", "table_app", "hub", "eye", "card", "simulator", "firmware_py")
BESIDE = ("tests", "benchmarks", "hardware", "image", "deb", "tools")
# Rooms lay at the top until 0.2.1.
PLACES = ("", "flagfall/", "packaging/")
# The fields in which a class keeps the score of one game.
SCORE = {"score", "black_score"}


def sources(revision: str) -> dict[str, bytes]:
    """Return every file of Python at a revision."""
    archive = subprocess.run(
        ("git", "archive", revision, "*.py"), cwd=ROOT, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        return {file.name: content.read() for file in files if (content := files.extractfile(file))}


def of_room(room: str, files: Mapping[str, bytes]) -> list[bytes]:
    """Return the files of a room."""
    places = tuple(f"{place}{room}/" for place in PLACES)
    return [content for name, content in files.items() if name.startswith(places)]


def holders_of_a_score(files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the classes of the hub with a field of `SCORE`."""
    for name, content in sorted(files.items()):
        if not name.startswith("hub/"):
            continue
        for node in ast.walk(ast.parse(content)):
            if isinstance(node, ast.ClassDef):
                fields = {ast.unparse(line.target) for line in node.body if isinstance(line, ast.AnnAssign)}
                if fields & SCORE:
                    yield f"{name}: {node.name}"


def main(revisions: list[str]) -> None:
    read = [sources(revision) for revision in revisions]
    counted = {
        room: [sum(content.count(b"\n") for content in of_room(room, files)) for files in read]
        for room in (*PRODUCT, *BESIDE)
    }
    whole = {
        "**the product**": [sum(counted[room][at] for room in PRODUCT) for at in range(len(read))],
        "its files": [sum(len(of_room(room, files)) for room in PRODUCT) for files in read],
    }
    print(f"| | {' | '.join(revisions)} |\n|---|{'---:|' * len(revisions)}")
    for row, counts in (counted | whole).items():
        print(f"| {row} | {' | '.join(f'{count:,}' for count in counts)} |")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--scores", *names]:
            for revision in names or ["HEAD"]:
                print(*holders_of_a_score(sources(revision)), sep="\n")
        case names:
            main(names or ["HEAD"])
