"""The results of reading a foreign file (the tournament, and a note for each doubtful line) and of writing one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from flagfall.base.message import N_, Message, Value
from hub.entries.days import day_faults
from hub.formats.kinds import expect_own_kind
from hub.model.same_names import same_names
from hub.model.tournament import Tournament
from hub.text import FormatError

if TYPE_CHECKING:  # commands on a file alone start without the reader of spreadsheets
    from hub.formats.spreadsheets.understood import Understood

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class LineNote:
    """A note about one line of a file that was left out or `changed`."""

    # From 1; 0: the file.
    line: int
    why: Message
    changed: bool = False
    # The file or sheet, if there are several.
    place: str = ""

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.place, str(self.line or ""), str(self.why))))


MOST_NOTES = 1_000
LARGEST_BYTES = 32 << 20
# The world list's ratings lie between -1,400 and 2,700.
MOST_RATING = 5_000
_MANY = 4


@dataclass(slots=True)
class Notes:
    """The notes of a reader as they come, at most `MOST_NOTES`."""

    lines: list[LineNote] = field(default_factory=list)
    # The number of further notes.
    more: int = 0
    place: str = ""

    def left_out(self, number: int, text: str, /, *, field: str = "", **values: Value) -> None:
        self._add(LineNote(number, Message.of(text, field=field, **values), place=self.place))

    def changed(self, number: int, text: str, /, *, field: str = "", **values: Value) -> None:
        """Record that the line was accepted after a change, or with a doubt."""
        self._add(LineNote(number, Message.of(text, field=field, **values), changed=True, place=self.place))

    def rated(self, number: int, rating: float | None) -> float | None:
        """Return the rating of the line, or None with a note if it can be no rating (a spreadsheet's day is a
        number)."""
        if rating is None or abs(rating) <= MOST_RATING:
            return rating
        expected = N_("expected a number from -{most} to {most}, got {said}: entered without it")
        self.changed(number, expected, field="rating", most=MOST_RATING, said=f"{rating:g}")
        return None

    def _add(self, note: LineNote) -> None:
        if len(self.lines) < MOST_NOTES:
            self.lines.append(note)
        else:
            self.more += 1

    def in_order(self) -> tuple[LineNote, ...]:
        """Return the notes by place and line."""
        notes = sorted(self.lines, key=lambda note: (note.place, note.line))
        if self.more:
            notes.append(LineNote(0, Message.of("{more} more lines are not as they stand", more=self.more)))
        return tuple(notes)


def group_alike(notes: Iterable[LineNote]) -> tuple[LineNote, ...]:
    """Return notes for a page: one note for many lines of the same fault."""
    alike: dict[tuple[str, bool, str], list[LineNote]] = {}
    for note in notes:
        alike.setdefault((note.place, note.changed, str(note.why)), []).append(note)
    return tuple(note for same in alike.values() for note in (same if len(same) < _MANY else [_as_one(same)]))


def _as_one(notes: Sequence[LineNote]) -> LineNote:
    first, *others = notes
    runs: list[list[int]] = []
    for note in others:
        if runs and runs[-1][-1] == note.line - 1:
            runs[-1][1:] = [note.line]
        else:
            runs.append([note.line])
    lines = ", ".join("-".join(map(str, run)) for run in runs)
    return replace(first, why=Message.of("{why}; the same in lines {lines}", why=first.why, lines=lines))


@dataclass(frozen=True, slots=True)
class ReadTournament:
    tournament: Tournament
    notes: tuple[LineNote, ...] = ()
    understood: Understood | None = None  # for tables, and for lines that were typed


def with_plausible_ratings(tournament: Tournament) -> ReadTournament:
    """Return the tournament of one of the project's own files, and a note for each rating that is not plausible."""
    notes, players = Notes(), []
    for index, player in enumerate(tournament.players):
        notes.place = f"players[{index}]"
        players.append(replace(player, rating=notes.rated(0, player.rating)))
    return ReadTournament(replace(tournament, players=tuple(players)), notes.in_order())


def with_doubts(read: ReadTournament, *, of_event: bool = True, names: bool = True) -> ReadTournament:
    """Return what was read with a note for each day that cannot be meant: of players, and `of_event`; and for each of
    the `names` that several players have."""
    tournament, lines = read.tournament, list[Message]()
    for player, fault in day_faults(tournament):
        if player is not None:
            lines.append(Message.of("{name}: {line}", name=player.name or player.id, line=fault))
        elif of_event:
            lines.append(fault)
    for name, players in same_names(tournament.players) if names else ():
        lines.append(
            Message.plural(
                "{name} stands in the list {count} time",
                "{name} stands in the list {count} times",
                players,
                name=name,
            )
        )
    notes = tuple(LineNote(0, line, changed=True) for line in lines[:MOST_NOTES])
    return replace(read, notes=(*read.notes, *notes)) if notes else read


@dataclass(frozen=True, slots=True)
class Written:
    """The files of one format."""

    # Ending -> bytes, the main file first.
    files: Mapping[str, bytes]
    # One line per omission.
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """One file."""

    # A prefix of its faults, or "" if the caller names it.
    name: str
    data: bytes

    def read(self, reader: Callable[[bytes], _Found]) -> _Found:
        """Return the result of `reader`. FormatError names the file, and the kind of one that holds no list."""
        try:
            expect_own_kind(self.data)
            return reader(self.data)
        except FormatError as fault:
            if not self.name:
                raise
            raise fault.of(self.name) from None


def read_source(path: str | os.PathLike[str], largest_bytes: int = LARGEST_BYTES) -> bytes:
    """Return the whole file. Raise FormatError (without a place) if it cannot be read or is larger than
    `largest_bytes`."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(largest_bytes + 1)
    except (OSError, ValueError) as fault:
        raise FormatError("", "a readable file", _reason(fault)) from None
    if len(data) > largest_bytes:
        raise FormatError("", f"at most {largest_bytes} bytes", "a larger file")
    return data


def _reason(fault: Exception) -> str:
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror.lower()
    return str(fault) or type(fault).__name__
