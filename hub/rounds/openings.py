"""The openings of an event: a list that the director brings, and the draw of one for each round and for its finals.

Lists of random openings (XOT) have one opening a line, as f5d6c4d3c2b3b4b5; none comes with the project. The draw is
seeded, and the seed is on record with the list's SHA-256: whoever has the list can draw again.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from flagfall.base.convert import plain_figures
from flagfall.base.message import N_, Message
from flagfall.othello.board import MOST_OPENING_MOVES, START, Position, format_position, parse_opening
from hub.formats.kinds import foreign_kind
from hub.formats.reading import LineNote, Notes
from hub.model.tournament import Tournament
from hub.text import FormatError, Refused

MOST_OPENINGS = 20_000
MOST_CHARACTERS = 600_000
# Openings drawn for playoffs and finals; each publication of games takes the next.
FINALS_DRAWN = 20


@dataclass(frozen=True, slots=True)
class OpeningList:
    """A list as it was read."""

    openings: tuple[str, ...]
    # One for each line that is not used.
    notes: tuple[LineNote, ...] = ()


class UnusableLines(Refused):
    """A list has lines that are no openings, or come to the position of another line."""

    def __init__(self, notes: Sequence[LineNote]) -> None:
        super().__init__(
            N_("{count} lines cannot be used, the first is line {line}: {why}"),
            field="opening_list",
            count=len(notes),
            line=notes[0].line,
            why=str(notes[0].why),
        )
        self.notes = tuple(notes)


def text_of_file(data: bytes) -> str:
    """Return the text of a list's file. Raise FormatError if it is too long or no text."""
    if len(data) > MOST_CHARACTERS:
        raise _too_many()
    kind = foreign_kind(data)
    if kind is not None:
        raise FormatError("opening_file", Message.of("a text file with an opening on each line"), kind)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        expected = Message.of("a text file with an opening on each line")
        raise FormatError("opening_file", expected, f"byte {fault.start + 1}") from None


def read_list(text: str) -> OpeningList:
    """Return the openings of a list in its order, and a note for each line that is none or comes to the position of
    an earlier one, the board turned or not. The same line again counts once. Raise FormatError if there are too many.
    """
    if len(text) > MOST_CHARACTERS or text.count("\n") > MOST_OPENINGS:
        raise _too_many()
    openings: dict[str, None] = {}
    lines: dict[str, int] = {}
    notes = Notes()
    for number, line in enumerate(text.split("\n"), start=1):
        opening = plain_figures(line).lower()
        if not opening or opening in openings:
            continue
        try:
            position = _position_after(parse_opening(opening))
        except ValueError as fault:
            shown = opening[: 2 * MOST_OPENING_MOVES]
            notes.left_out(number, "{fault} (in {opening})", fault=str(fault), opening=shown)
            continue
        first = lines.setdefault(min(_turned(position)), number)
        if first != number:
            notes.left_out(number, "the same position as line {first}, the board turned or not", first=first)
            continue
        openings[opening] = None
    return OpeningList(tuple(openings), notes.in_order())


def _too_many() -> FormatError:
    return FormatError("opening_list", Message.of("at most {most} openings", most=MOST_OPENINGS), "more")


def _position_after(moves: Sequence[int]) -> Position:
    """Return the position after legal moves."""
    position, black = START, True
    for square in moves:
        if not position.flips(black, square):
            black = not black
        position, black = position.played(black, square), not black
    return position


def _turned(position: Position) -> Iterator[str]:
    """Yield the position as the four ways of turning the board that keep the start position show it."""
    squares = format_position(position)
    across = "".join(squares[column::8] for column in range(8))
    yield from (squares, squares[::-1], across, across[::-1])


def draw(openings: Collection[str], used: Collection[str], count: int, seed: int) -> tuple[str, ...]:
    """Return so many openings drawn from the list, none twice and none of those used. Raise FormatError if the list is
    too short."""
    left = sorted(set(openings) - set(used))
    if len(left) < count:
        expected = Message.of("at least {least} openings that were not played yet", least=count)
        raise FormatError("opening_list", expected, str(len(left)))
    return tuple(random.Random(seed).sample(left, count))


def most_for_finals(openings: Collection[str], used: Collection[str], for_rounds: int) -> int:
    """Return how many openings of the list can be drawn for finals, beside those for the rounds."""
    return max(0, min(FINALS_DRAWN, len(set(openings) - set(used)) - for_rounds))


def played_in_finals(tournament: Tournament) -> tuple[str, ...]:
    """Return the openings of the games of playoffs and finals that are published, in their order."""
    conditions = (game.conditions for game in tournament.finals)
    openings = (condition.opening for condition in conditions if condition is not None and condition.opening)
    return tuple(dict.fromkeys(openings))


def next_of_finals(tournament: Tournament) -> str:
    """Return the opening of the next games of playoffs and finals; "" where they begin from the start position. Raise
    Refused if all have been played."""
    drawn = tournament.finals_openings or ()
    played = played_in_finals(tournament)
    opening = next((opening for opening in drawn if opening not in played), "")
    if drawn and not opening:
        raise Refused("all openings of the finals have been played: draw new ones on the page Event")
    return opening


def list_hash(openings: Collection[str]) -> str:
    """Return the SHA-256 of the list: its openings in alphabetical order, one a line."""
    return hashlib.sha256("".join(f"{opening}\n" for opening in sorted(openings)).encode()).hexdigest()
