"""A line cut into runs of one font and one direction, and their visual order (UAX #9, by python-bidi)."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from msgspec import Struct

from flagfall.base.isolate import CLOSE, OPEN

# Font file, script tag for shaping, ranges. Everything else is `text` or `strong`.
SCRIPTS: tuple[tuple[str, str, tuple[tuple[int, int], ...]], ...] = (
    ("hebrew", "Hebr", ((0x0590, 0x05FF), (0xFB1D, 0xFB4F))),
    ("arabic", "Arab", ((0x0600, 0x06FF), (0x0750, 0x077F), (0xFB50, 0xFDFF), (0xFE70, 0xFEFF))),
    ("devanagari", "Deva", ((0x0900, 0x097F), (0xA8E0, 0xA8FF))),
    ("bengali", "Beng", ((0x0980, 0x09FF),)),
    ("gurmukhi", "Guru", ((0x0A00, 0x0A7F),)),
    ("gujarati", "Gujr", ((0x0A80, 0x0AFF),)),
    ("tamil", "Taml", ((0x0B80, 0x0BFF),)),
    ("telugu", "Telu", ((0x0C00, 0x0C7F),)),
    ("kannada", "Knda", ((0x0C80, 0x0CFF),)),
    ("malayalam", "Mlym", ((0x0D00, 0x0D7F),)),
    ("sinhala", "Sinh", ((0x0D80, 0x0DFF),)),
    ("thai", "Thai", ((0x0E00, 0x0E7F),)),
    ("lao", "Laoo", ((0x0E80, 0x0EFF),)),
    ("myanmar", "Mymr", ((0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F))),
    ("ethiopic", "Ethi", ((0x1200, 0x139F), (0x2D80, 0x2DDF), (0xAB00, 0xAB2F))),
    ("khmer", "Khmr", ((0x1780, 0x17FF), (0x19E0, 0x19FF))),
    ("georgian", "Geor", ((0x10A0, 0x10FF), (0x1C90, 0x1CBF), (0x2D00, 0x2D2F))),
    ("armenian", "Armn", ((0x0530, 0x058F), (0xFB13, 0xFB17))),
    ("cjk", "", ((0x1100, 0x11FF), (0x2E80, 0xA4CF), (0xAC00, 0xD7FF), (0xF900, 0xFAFF), (0xFF00, 0xFFEF),
                 (0x20000, 0x3FFFF))),
)  # fmt: skip


# Stands for a character that may be a letter of a name, but that this Python or Unicode itself knows nothing
# of.
UNNAMED = "\ufffd"


def _has_leftwards(text: str) -> bool:
    return any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in text)


class Run(Struct, frozen=True):
    """Adjacent characters of one script ("" for the text font) and one embedding level; odd: right to left. `OPEN` and
    `CLOSE` are runs of their own."""

    text: str
    script: str
    level: int = 0

    @property
    def leftwards(self) -> bool:
        return self.level % 2 == 1


def script_of(character: str) -> str | None:
    """Return the bundled font of a character, "" for the text font itself, None for a character that
    fits any run (space, accents)."""
    code = ord(character)
    if "!" <= character <= "~":
        return ""
    if character == " " or code in (0x200C, 0x200D):
        return None
    if unicodedata.combining(character) or unicodedata.name(character, "").startswith("VARIATION SELECTOR"):
        return None
    for name, _, ranges in SCRIPTS:
        if any(low <= code <= high for low, high in ranges):
            return name
    return ""


def runs_of(text: str) -> list[Run]:
    """Return the runs in reading order. Control characters become spaces."""
    text = "".join(map(_drawable, unicodedata.normalize("NFC", text)))
    runs: list[Run] = []
    for character, level in zip(text, _levels(text), strict=True):
        script = script_of(character)
        joins = runs and level == runs[-1].level and runs[-1].text[-1] not in (OPEN, CLOSE)
        if joins and character not in (OPEN, CLOSE) and script in (None, runs[-1].script):
            runs[-1] = Run(runs[-1].text + character, runs[-1].script, level)
        else:
            runs.append(Run(character, script or "", level))
    return runs


def _drawable(character: str) -> str:
    if character.isprintable() or character in ("\u200c", "\u200d", OPEN, CLOSE):
        return character
    # Private use, and letters of a later Unicode than this Python's: left out, they would make another name.
    return UNNAMED if unicodedata.category(character) in ("Co", "Cn") else " "


def as_seen(runs: Sequence[Run]) -> list[Run]:
    """Return the runs from left to right (rule L2: from the highest level down, reverse each sequence at
    or above it)."""
    seen = list(runs)
    for level in range(max((run.level for run in seen), default=0), 0, -1):
        at = 0
        while at < len(seen):
            end = at
            while end < len(seen) and seen[end].level >= level:
                end += 1
            seen[at:end] = reversed(seen[at:end])
            at = max(end, at + 1)
    return seen


def _levels(text: str) -> list[int]:
    """Return the embedding level of each character; all 0 where nothing runs from right to left."""
    if not _has_leftwards(text):
        return [0] * len(text)
    outside, inside = _parted(text)
    base = _base_level(outside)
    levels: list[int] = []
    isolates = iter(inside)
    for character, level in zip(outside, _plain_levels(outside, base), strict=True):
        levels.append(level)
        if character == OPEN:
            isolate = next(isolates)
            direction = _base_level(isolate)
            # The least level above the one outside that has the isolate's own direction (rules X5a to X5c).
            raised = level + 1 if (level + 1) % 2 == direction else level + 2
            levels += [raised - direction + inner for inner in _plain_levels(isolate, direction)]
    return levels


def _parted(text: str) -> tuple[str, list[str]]:
    """Return the text without its isolated parts, and those parts. A `CLOSE` without its `OPEN` isolates
    nothing, an `OPEN` without its `CLOSE` everything that follows."""
    outside, inside, opened = "", list[str](), False
    for character in text:
        if opened and character != CLOSE:
            inside[-1] += character
            continue
        if character == OPEN:
            inside.append("")
        opened = character == OPEN
        outside += character
    return outside, inside


def _base_level(text: str) -> int:
    from bidi import algorithm

    level: int = algorithm.get_base_level(text)
    return level


def _plain_levels(text: str, base: int) -> list[int]:
    """Return the level of each character of a text without isolates, in a paragraph of this level. `OPEN` and `CLOSE`
    count as neutral."""
    from bidi import algorithm

    storage = algorithm.get_empty_storage()
    storage["base_level"], storage["base_dir"] = base, "R" if base else "L"
    algorithm.get_embedding_levels(text.replace(OPEN, "\ufffc").replace(CLOSE, "\ufffc"), storage)
    algorithm.explicit_embed_and_overrides(storage)
    algorithm.resolve_weak_types(storage)
    algorithm.resolve_neutral_types(storage, False)
    algorithm.resolve_implicit_levels(storage, False)
    levels: list[int] = [character["level"] for character in storage["chars"]]
    # Rule L1: white space at the end of a line belongs to the paragraph.
    for at in range(len(text) - 1, -1, -1):
        if not text[at].isspace():
            break
        levels[at] = base
    return levels
