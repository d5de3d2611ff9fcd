"""The rooms of the product: where each lies, and to which a module belongs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = ("base", "othello", "ledger", "link")
"""The rooms of the package `flagfall`."""
ROOMS: dict[str, Path] = {
    **{room: ROOT / "flagfall" / room for room in SHARED},
    **{room: ROOT / room for room in ("table_app", "hub", "eye", "simulator", "firmware_py")},
    "card": ROOT / "packaging" / "card",
}


def room_of(module: str) -> str:
    """Return the room of a module by its dotted name; of what is no room's, its first part."""
    first, _, rest = module.partition(".")
    return rest.partition(".")[0] if first == "flagfall" and rest else first


def files_of(room: str) -> Iterator[Path]:
    """Yield the Python files of a room in order."""
    yield from sorted(ROOMS[room].rglob("*.py"))


def module_of(path: Path) -> str:
    """Return the dotted name by which the file of a room is imported."""
    top = ROOT / "packaging" if path.is_relative_to(ROOT / "packaging") else ROOT
    return ".".join(path.relative_to(top).with_suffix("").parts).removesuffix(".__init__")
