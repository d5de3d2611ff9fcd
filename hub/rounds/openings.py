"""The openings of an event: a list that the director brings, and the draw of one for each round.

Lists of random openings (XOT) have one opening a line, as f5d6c4d3c2b3b4b5; none comes with the project. The draw is
seeded, and the seed is on record with the list's SHA-256: whoever has the list can draw again.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

from flagfall.othello.board import MOST_OPENING_MOVES, parse_opening
from flagfall.othello.message import Message
from hub.text import FormatError

MOST_OPENINGS = 20_000
MOST_CHARACTERS = 600_000


def read_list(text: str) -> tuple[str, ...]:
    """Return the openings of a list, each once, in its order. Raise FormatError naming the line."""
    if len(text) > MOST_CHARACTERS or text.count("\n") > MOST_OPENINGS:
        expected = Message.of("at most {most} openings", most=MOST_OPENINGS)
        raise FormatError("opening_list", expected, "more")
    openings: dict[str, None] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        opening = line.strip().lower()
        if not opening:
            continue
        try:
            parse_opening(opening)
        except ValueError as fault:
            expected = Message.of("line {line}: {fault}", line=number, fault=str(fault))
            raise FormatError("opening_list", expected, opening[: 2 * MOST_OPENING_MOVES]) from None
        openings[opening] = None
    return tuple(openings)


def draw(openings: Sequence[str], used: Sequence[str], rounds: int, seed: int) -> tuple[str, ...]:
    """Return an opening for each of so many rounds: those of the rounds that have been published, then others drawn
    from the list, none twice. Raise FormatError if the list is too short."""
    left = sorted(set(openings) - set(used))
    missing = max(0, rounds - len(used))
    if len(left) < missing:
        expected = Message.of("at least {least} openings that were not played yet", least=missing)
        raise FormatError("opening_list", expected, str(len(left)))
    return (*used, *random.Random(seed).sample(left, missing))


def list_hash(openings: Sequence[str]) -> str:
    """Return the SHA-256 of the list: its openings in alphabetical order, one a line."""
    return hashlib.sha256("".join(f"{opening}\n" for opening in sorted(openings)).encode()).hexdigest()
