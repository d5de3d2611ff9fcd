"""The reading of a table of players, column by column, and the answers of a person before anything is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from flagfall.base.message import Message
from hub.formats.dates import DayOrder
from hub.model.players import Player
from hub.model.same_names import name_keys, same_name

# The field of a column that is left alone.
ALONE = ""
# The place of typed lines beside a file.
TYPED = "typed"
# The answer that a player is not the one of that name in the world list.
NEW = "new"


@dataclass(frozen=True)
class WorldNumbers:
    """The players of the world list for a reader of tables: by number, and by name in any order."""

    players: Mapping[str, Player]

    @classmethod
    def of(cls, players: Iterable[Player]) -> WorldNumbers:
        """Return the numbers of these players."""
        return cls({player.id: player for player in players})

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, ...], tuple[Player, ...]]:
        players: dict[tuple[str, ...], tuple[Player, ...]] = {}
        for player in self.players.values():
            for key in {*name_keys(player.name)}:
                players[key] = (*players.get(key, ()), player)
        return players

    def named(self, name: str) -> tuple[Player, ...]:
        """Return all players of exactly this name; several are homonyms."""
        by_id = {player.id: player for key in name_keys(name) if key for player in self._by_name.get(key, ())}
        return tuple(by_id.values())

    def agree(self, number: str, name: str) -> bool:
        """Return True if the list has this number for a player of this name."""
        player = self.players.get(number)
        return player is not None and same_name(player.name, name)


@dataclass(frozen=True, slots=True)
class Answers:
    """Choices about a table that was shown as it was read. Keys are those of the columns and players shown."""

    columns: Mapping[str, str] = field(default_factory=dict)  # field of each column, or `ALONE`
    orders: Mapping[str, DayOrder] = field(default_factory=dict)  # order of each column of dates
    numbers: Mapping[str, str] = field(default_factory=dict)  # number of each player offered one, or `NEW`
    take_numbers: bool = False  # of every name that is in the world list once
    encoding: str = ""  # of a text whose bytes do not tell it
    day_order: DayOrder = DayOrder.EITHER  # of every column of dates that could be either
    left_out: frozenset[str] = frozenset()  # the rows that are left out


@dataclass(frozen=True)
class TableReading:
    """Facts for a reader of tables that are not in them."""

    answers: Answers = field(default_factory=Answers)
    world: WorldNumbers | None = None  # None: there is no world list
    asks: bool = False  # somebody will answer, so a table without names or players is no fault
    beside: Sequence[Player] = ()  # of a file in another format


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """One column: its heading, and the field that its cells were read as."""

    key: str
    letter: str
    heading: str
    field: str
    samples: tuple[str, ...]  # the first cells that are not empty
    order: DayOrder = DayOrder.PLAIN
    why: Message | None = None  # this field, where the heading alone does not say it


@dataclass(frozen=True, slots=True)
class ReadTable:
    """One table: its columns, and the lines that stand above their headings."""

    place: str
    line: int  # of the headings; 0 without any
    columns: tuple[ReadColumn, ...]
    above: tuple[tuple[int, str], ...] = ()
    results: bool = False
    nameless: bool = False  # no column is read as names: which one is asked
    cells: tuple[ReadColumn, ...] = ()  # columns of lines without headings, each of which is read by itself

    @property
    def choices(self) -> tuple[ReadColumn, ...]:
        """The columns whose field a person may choose."""
        shown = (column for column in self.columns if column.key and (column.heading or column.samples))
        return () if self.results else tuple(column for column in shown if column.letter)


@dataclass(frozen=True, slots=True)
class Offer:
    """A player without a number of the world list whose name is there: once, or of several homonyms."""

    key: str
    place: str
    line: int
    name: str
    country: str
    listed: tuple[Player, ...]
    taken: str = ""  # number that was chosen


@dataclass(frozen=True, slots=True)
class ListedRow:
    """A row of a player. Its name may stand in an earlier one: the same person again, or another one of that name."""

    key: str
    place: str
    line: int
    name: str
    player: str  # the player's number in the event
    first: int = 0  # the earlier line of this name
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class Understood:
    """All tables of a file, or of what was typed."""

    tables: tuple[ReadTable, ...] = ()
    offers: tuple[Offer, ...] = ()
    rows: tuple[ListedRow, ...] = ()
    encoding: str = ""  # of a file whose bytes do not tell it
    chosen_encoding: str = ""

    @property
    def answers(self) -> Answers:
        """The answers in a form in which this is shown, until somebody changes one."""
        columns = [column for table in self.tables for column in table.columns]
        return Answers(
            {column.key: column.field for table in self.tables for column in table.choices},
            {column.key: column.order for column in columns if column.order is not DayOrder.PLAIN},
            {offer.key: offer.taken for offer in self.offers},
            encoding=self.chosen_encoding,
            left_out=frozenset(row.key for row in self.rows if row.left_out),
        )

    @property
    def asks(self) -> bool:
        """Return True if something must be answered first."""
        return any(table.nameless for table in self.tables) or any(
            column.order is DayOrder.EITHER for table in self.tables for column in table.columns
        )

    def lines(self) -> Iterator[tuple[str, int, str]]:
        """Yield place, line and text of everything that was not read exactly as its heading says."""
        for table in self.tables:
            if not table.line:
                yield table.place, 1, "no headings: each line is read as a player"
            for number, text in table.above:
                yield table.place, number, f"above the headings, not read: {text}"
            for column in table.columns if table.line else ():
                yield from ((table.place, table.line or 1, text) for text in _column_lines(column))
        for offer in self.offers:
            if not offer.taken:
                numbers = ", ".join(f"{player.id} {player.name} {player.country}" for player in offer.listed)
                yield (
                    offer.place,
                    offer.line,
                    f"{offer.name}: in the world list as {numbers}: entered without number",
                )


def _column_lines(column: ReadColumn) -> Iterator[str]:
    name = f'column {column.letter} "{column.heading}"'
    if column.field == ALONE and not column.samples:
        return
    if column.field == ALONE:
        yield f"{name}: not read"
    elif column.why is not None:
        yield f"{name}: {column.why}"
    elif column.heading.strip().casefold() != column.field:
        yield f"{name}: read as {column.field}"
    if column.order is DayOrder.EITHER:
        first = next(iter(column.samples), "")
        yield f"{name}: expected days or months first, got {first}: left out; say --dates day or --dates month"
