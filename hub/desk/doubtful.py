"""Lists of players that were read but not kept yet: their user first sees how they were understood."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from flagfall.base.message import N_
from hub.desk.forms import Form, Upload
from hub.formats.dates import DayOrder
from hub.formats.reading import LineNote, ReadTournament, group_alike
from hub.formats.spreadsheets.understood import ALONE, TYPED, Answers, ListedRow, ReadTable, Understood
from hub.formats.text_lines import ENCODINGS
from hub.model.players import Player
from hub.text import Refused

# The field of a form that names the list whose reading its page has shown.
SEEN = "seen"
# The fields, or beginnings of fields, in which somebody answers.
COLUMN, DAYS, NUMBER, TAKE, ENCODING = "column-", "days-", "number-", "take_numbers", "encoding"
LEAVE = "leave_out"
_ORDERS = (DayOrder.DAY_FIRST, DayOrder.MONTH_FIRST)
_AS_READ = "-"
_MOST_KEPT = 4
_MOST_SHOWN = 500


class Doubtful(Refused):
    """The form's page shows how the list was understood; sent again with `key` it is done."""

    def __init__(self, upload: Upload | None, read: ReadTournament, key: str) -> None:
        name = "" if upload is None else upload.name
        super().__init__(N_("the list is shown as it was understood, and not kept yet"))
        self.name, self.key = name, key
        self.understood = read.understood or Understood()
        self.lines = len(read.notes)
        self.notes: Sequence[LineNote] = group_alike(read.notes)
        self.count = len(read.tournament.players)
        self.whole = self.count <= _MOST_SHOWN
        players = read.tournament.players[:_MOST_SHOWN]
        self.players: Sequence[tuple[Player, ListedRow | None]] = tuple(_with_rows(players, self.understood))

    @property
    def tables(self) -> Sequence[ReadTable]:
        """The tables whose columns are shown: not those of typed lines without headings, unless dates are asked."""
        return [
            table
            for table in self.understood.tables
            if table.line
            or table.choices
            or table.place != TYPED
            or any(column.order for column in table.columns)
        ]


def _with_rows(
    players: Sequence[Player], understood: Understood
) -> Iterator[tuple[Player, ListedRow | None]]:
    """Yield the players in the order of the list, each with their row if they have one, and the rows left out."""
    by_id = {player.id: player for player in players}
    for row in understood.rows:
        if row.left_out:
            yield Player(row.player, row.name), row
        elif row.player in by_id:
            yield by_id.pop(row.player), row
    for player in by_id.values():
        yield player, None


def answers_in(form: Form) -> Answers:
    """Return what somebody answered in a form that shows how a list was understood."""
    columns = _named(form, COLUMN)
    orders = {key: order for key, order in _named(form, DAYS).items() if order in _ORDERS}
    encoding = form.typed(ENCODING)
    return Answers(
        {key: field_ for key, field_ in columns.items() if field_ != _AS_READ},
        {key: DayOrder(order) for key, order in orders.items()},
        _named(form, NUMBER),
        take_numbers=form.ticked(TAKE),
        encoding=encoding if encoding in ENCODINGS else "",
        left_out=frozenset(form.all(LEAVE)),
    )


def _named(form: Form, beginning: str) -> dict[str, str]:
    return {
        name.removeprefix(beginning): form.typed(name) for name in form.fields if name.startswith(beginning)
    }


def _is_plain(read: ReadTournament) -> bool:
    """Return whether there is nothing to look at: lines that were typed, and understood without any doubt."""
    understood = read.understood
    if read.notes or understood is None:
        return not read.notes
    typed = all(table.place == TYPED and not table.line for table in understood.tables)
    return typed and not (understood.offers or understood.asks or understood.encoding)


@dataclass(slots=True)
class DoubtfulFiles:
    """The last few files that somebody has been shown, in memory, as a browser sends no file twice."""

    _kept: dict[str, Upload] = field(default_factory=dict)

    def uploaded_file(self, form: Form, name: str) -> Upload | None:
        """Return the file of the form, or the one that its page has shown."""
        return form.files.get(name) or self._kept.get(form.typed(SEEN))

    def check(
        self, form: Form, upload: Upload | None, read: ReadTournament, typed: str = ""
    ) -> Doubtful | None:
        """Return how the list was understood, where just this has been shown before; None if nothing is to be seen.

        Doubtful if it was not shown yet, or something in it waits for an answer. `typed` is what came with the file."""
        if _is_plain(read) and not form.typed(SEEN):
            return None
        understood = read.understood or Understood()
        data = b"" if upload is None else upload.data
        key = _key(data, typed, understood.answers)
        if upload is not None:
            while len(self._kept) >= _MOST_KEPT and key not in self._kept:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = upload
        shown = Doubtful(upload, read, key)
        if form.typed(SEEN) != _key(data, typed, answers_in(form)) or understood.asks:
            raise shown
        return shown


def _key(data: bytes, typed: str, answers: Answers) -> str:
    """Return the name of a list as it was shown: its bytes, and the answers that stand in the form."""
    shown = (
        sorted((key, column or ALONE) for key, column in answers.columns.items()),
        sorted((key, str(order)) for key, order in answers.orders.items()),
        sorted(answers.numbers.items()),
        answers.take_numbers,
        answers.encoding,
        sorted(answers.left_out),
        "\n".join(typed.split()),
    )
    return hashlib.sha256(repr(shown).encode("utf-8", "replace") + data).hexdigest()
