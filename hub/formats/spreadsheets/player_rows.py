"""Rows of players in a table, or typed lines: their players, and a note for each part that is left out.

Some rows are no players: totals and averages, and notes below a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from msgspec import Meta

from flagfall.base.message import N_
from hub.form.parts import JsonFields, player_from_json
from hub.form.tournament import MOST_ROUNDS
from hub.formats.dates import DayOrder
from hub.formats.names import country_code, family_first, has_broken_letters, is_country_code, plain
from hub.formats.reading import Notes
from hub.formats.spreadsheets.cells import (
    ERROR,
    FORMULA,
    PLAYER_CELLS,
    ROW,
    SHORTENED,
    YEAR,
    day,
    folded,
    listed_number,
)
from hub.formats.spreadsheets.columns import Row
from hub.formats.spreadsheets.understood import NEW, ListedRow, Offer, ReadTable, TableReading, WorldNumbers
from hub.model.players import Player, clean_name
from hub.rulebook import FormatRules
from hub.text import FormatError, quoted

LONGEST_NAME = 200
LONGEST_NUMBER = 10
_SPELT = ("name", "first_name", "country", "team")
_RATING_BEHIND = re.compile(r"(.*[^\W\d_].*?)[\s,;]+\(?([1-9]\d{2,3})\)?", re.ASCII)
_CODE_BEHIND = re.compile(r"(.*?[\w.])[\s,]*(?:[(\[]([A-Z]{2,3})[)\]]|(?<=\S)\s+([A-Z]{3}))")
_CODE = re.compile(r"[A-Z]{2,3}")
# The form that a spreadsheet gives a number in a column of amounts or of days.
_MADE_OF_A_NUMBER = re.compile(r"\d+[.,]\d+|\d{4}-\d\d-\d\d")


def _has_letters(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _joined(row: Row) -> str:
    return ", ".join(filter(None, (clean_name(row.get(part, "")) for part in ("name", "first_name"))))


def name_of_row(row: Row) -> str:
    """Return the name of a row, the family name first if the row tells it."""
    return family_first(_joined(row))[:LONGEST_NAME]


@dataclass(slots=True)
class PlayerRows:
    """Players of tables as values of the tournament file."""

    rules: FormatRules
    reading: TableReading
    notes: Notes
    unused: Iterator[str] = field(init=False)  # numbers for newcomers
    listed: bool = False  # there is a table of players
    named: bool = False  # somebody in it has a name
    offers: list[Offer] = field(default_factory=list)
    rows: list[ListedRow] = field(default_factory=list)
    players: dict[str, dict[str, Any]] = field(default_factory=dict)
    withdrawn: dict[str, int] = field(default_factory=dict)
    known_countries: int = 0
    other_codes: list[tuple[str, int, str]] = field(default_factory=list)  # place and line of each
    # Number of a table's row -> the player's in the event.
    by_number: dict[str, str] = field(default_factory=dict)
    # Players of the file that typed lines name by number alone.
    chosen: set[str] = field(default_factory=set)
    # Words of a name -> number and line.
    numbers_by_words: dict[str, tuple[str, int]] = field(default_factory=dict)

    @property
    def world(self) -> WorldNumbers | None:
        return self.reading.world

    def take_number(self, number: int, listed: str) -> None:
        """Enter a player by number alone, from the file beside or the world list."""
        if listed in self.by_number:
            self.chosen.add(self.by_number[listed])
        elif self.world is not None and (player := self.world.players.get(listed)) is not None:
            self.enter(number, _of_the_list(player))
        else:
            expected = N_("expected a number of the list or the file, got {line}: left out")
            self.notes.left_out(number, expected, line=listed)

    def take_player(self, number: int, row: Row, table: ReadTable, *, lonely: bool = False) -> None:
        """Enter the player of a row. A row that is no player, and each cell that cannot be read, is noted."""
        cells = [cell for cell in row.values() if cell]
        if is_total(row):
            self.notes.left_out(
                number, "a total, no player: left out: {said}", said=quoted(" ".join(cells)[:60])
            )
            return
        row = self._readable(number, row)
        order = next((column.order for column in table.columns if column.field == "born"), DayOrder.EITHER)
        name = _joined(row)
        alone = not table.line or {*row} <= {"name", "first_name", ROW}
        if name and (is_note(name) if alone else not _has_letters(name) and "id" not in row):
            self.notes.left_out(
                number, "expected a name, got {said}: left out", said=quoted(" ".join(cells)[:60])
            )
            return
        if lonely and len(cells) == 1 and name:
            self.notes.changed(number, "only a name stands in this row: {name} is entered", name=name)
        name, behind = self._without_figures(number, name, row)
        name = family_first(name)[:LONGEST_NAME]
        row = {**row, **behind}
        value: dict[str, Any] = {key: read(row[key]) for key, read in PLAYER_CELLS.items() if key in row}
        self._check_country(number, value)
        if isinstance(rating := value.get("rating"), int | float):
            value["rating"] = self.notes.rated(number, rating)
        if "born" in row:
            self._read_day(number, value, row["born"], order)
        listed = self._identity(number, str(value.pop("id", "")), name)
        if not listed and not name:
            self.notes.left_out(number, "expected an id or a name: left out")
        elif listed in self.by_number:
            self.notes.left_out(number, "player {id} stands in the list before: left out", id=listed)
        elif self.named and not name and not self._may_be_nameless(listed):
            self.notes.left_out(
                number, "expected a name, got {said}: left out", said=quoted(" ".join(cells)[:60])
            )
        else:
            self._take_identity(number, listed, value | {"name": name}, table, row.get(ROW, ""))

    def _may_be_nameless(self, listed: str) -> bool:
        """Return True if a number alone can be a player: one of the world list, or any if there is no list."""
        return listed.isdecimal() and (self.world is None or listed in self.world.players)

    def _take_identity(
        self, number: int, listed: str, value: dict[str, Any], table: ReadTable, in_row: str
    ) -> None:
        """Enter the player under their number of the world list, or under a new one if it is not theirs."""
        name, world = value["name"], self.world
        identity = listed
        if world is not None and listed.isdecimal():
            player = world.players.get(listed)
            if player is not None and not name:
                value = _of_the_list(player) | {key: cell for key, cell in value.items() if key != "name"}
            elif player is None:
                expected = N_("{id}: expected a number of the world list: {name} is entered without it")
                self.notes.changed(number, expected, id=listed, name=name)
                identity = ""
            elif not world.agree(listed, name):
                expected = N_(
                    "{id}: expected {name}, as in the world list, got {other_name}: entered without the number"
                )
                self.notes.changed(number, expected, id=listed, name=player.name, other_name=name)
                identity = ""
        if not identity:
            identity = self._offered(number, value, table)
        if identity and identity in self.players:
            self.notes.left_out(number, "player {id} stands in the list before: left out", id=identity)
            return
        value |= {"id": identity} if identity else {"id": next(self.unused), "new": True}
        self.enter(number, value)
        for known in filter(None, (listed, listed_number(in_row) if in_row else "")):
            if value["id"] in self.players:
                self.by_number.setdefault(known, value["id"])

    def _offered(self, number: int, value: dict[str, Any], table: ReadTable) -> str:
        """Return the number that somebody chose among those of this name in the world list, or "" for none."""
        if self.world is None:
            return ""
        homonyms = tuple(
            player for player in self.world.named(value["name"]) if player.id not in self.players
        )
        if not homonyms:
            return ""
        key = _key_of_row(table.place, number)
        answers = self.reading.answers
        chosen = answers.numbers.get(key, "")
        if chosen not in (NEW, *(player.id for player in homonyms)):
            chosen = homonyms[0].id if answers.take_numbers and len(homonyms) == 1 else ""
        country = value.get("country", "")
        offer = Offer(key, table.place, number, value["name"], country, listed=homonyms, taken=chosen)
        self.offers.append(offer)
        return chosen if chosen != NEW else ""

    def _readable(self, number: int, row: Row) -> Row:
        """Return the row without cells that a program has spoilt. Each such cell is noted."""
        kept: Row = {}
        for name, cell in row.items():
            if cell.startswith(FORMULA):
                expected = N_("expected a value, got a formula without its result: {said}: left out")
                self.notes.changed(number, expected, field=name, said=quoted(cell[1:]))
            elif ERROR.fullmatch(cell):
                expected = N_("expected a value, got a formula that fails: {said}: left out")
                self.notes.changed(number, expected, field=name, said=quoted(cell))
            elif name in _SPELT and "\n" in cell:
                kept[name] = " ".join(cell.split())
                expected = N_("expected one line, got several: read as {said}")
                self.notes.changed(number, expected, field=name, said=quoted(kept[name]))
            else:
                kept[name] = cell
            if name in _SPELT and name in kept and has_broken_letters(kept[name]):
                expected = N_("expected letters, got what a wrong encoding made of them: {said}")
                self.notes.changed(number, expected, field=name, said=kept[name][:60])
        return kept

    def _without_figures(self, number: int, name: str, row: Row) -> tuple[str, Row]:
        """Return a name without the rating and country behind it, and these two as cells."""
        behind: Row = {}
        if (match := _RATING_BEHIND.fullmatch(name)) and "rating" not in row:
            name, behind["rating"] = match[1], match[2]
        if (match := _CODE_BEHIND.fullmatch(name)) and "country" not in row:
            code = match[2] or match[3]
            if is_country_code(code) and (match[2] or len(match[1].split()) > 1):
                name, behind["country"] = match[1], code
        if behind:
            read = ", ".join(behind.values())
            self.notes.changed(
                number, "behind the name: {said}: read apart from {name}", said=read, name=name
            )
        return name, behind

    def _check_country(self, number: int, value: dict[str, Any]) -> None:
        country = value.get("country")
        if not isinstance(country, str) or not country:
            return
        if country_code(country) is not None:
            self.known_countries += 1
        elif _CODE.fullmatch(country):
            self.other_codes.append((self.notes.place, number, country))
        else:
            self._note_country(number, country)

    def _note_country(self, number: int, country: str) -> None:
        expected = N_("expected a country or its code, got {said}: entered as it is written")
        self.notes.changed(number, expected, field="country", said=quoted(country))

    def note_other_codes(self) -> None:
        """Note each code that no country has. If no code is a country's, they are clubs' and nothing is noted."""
        for place, number, code in self.other_codes if self.known_countries else ():
            self.notes.place = place
            self._note_country(number, code)

    def _read_day(self, number: int, value: dict[str, Any], written: str, order: DayOrder) -> None:
        """Read a date of birth in the order of its column. A date that could be two days waits for that order."""
        value["born"] = day(written, order)
        if YEAR.fullmatch(plain(written)):
            self.notes.changed(number, "the year alone is told: entered as its first day", field="born")
        elif (
            value["born"] == written
            and order is DayOrder.EITHER
            and day(written, DayOrder.DAY_FIRST) != written
        ):
            del value["born"]
            if not self.reading.asks:
                expected = N_("expected a day that can be only one, got {said}: entered without it")
                self.notes.changed(number, expected, field="born", said=quoted(written))

    def _identity(self, number: int, listed: str, name: str) -> str:
        """Return the number of a cell, or "" for a number that a spreadsheet has spoilt."""
        if SHORTENED.fullmatch(listed) or (listed.isdecimal() and len(listed) > LONGEST_NUMBER):
            expected = N_("expected all digits of a number, at most {most}, got {said}: entered without it")
            self.notes.changed(number, expected, field="id", most=LONGEST_NUMBER, said=listed[:20])
            return ""
        if _MADE_OF_A_NUMBER.fullmatch(listed):
            expected = N_("expected a number, no fraction and no day, got {said}: entered without it")
            self.notes.changed(number, expected, field="id", said=listed[:20])
            return ""
        return listed

    def enter(self, number: int, value: dict[str, Any]) -> None:
        if self.can_be_entered(number, value, _entrant, ("id",)) and not self._is_left_out(number, value):
            player = value["id"]
            if (last := value.pop("withdrawn_after", None)) is not None:
                self.withdrawn[player] = last
            self.players[player] = value

    def _is_left_out(self, number: int, value: dict[str, Any]) -> bool:
        """Return True if somebody has ticked this row. A name that stands in an earlier one too is noted."""
        name, player, place = value["name"], value["id"], self.notes.place
        key = _key_of_row(place, number)
        left_out = key in self.reading.answers.left_out
        words = words_of_name(name)
        known, first = self.numbers_by_words.get(words, ("", 0)) if words else ("", 0)
        if words and not known and not left_out:
            self.numbers_by_words[words] = player, number
        self.rows.append(
            ListedRow(key, place, number, name or player, player, first=first, left_out=left_out)
        )
        if known and left_out:
            self.notes.left_out(number, "{name} stands in line {first} too: left out", name=name, first=first)
        elif known:
            self.notes.changed(
                number, "{name} stands in line {first} too: both are entered", name=name, first=first
            )
        return left_out

    def can_be_entered(
        self, number: int, value: dict[str, Any], read: Callable[[object, str], object], needed: Sequence[str]
    ) -> bool:
        """Return True if the value can be entered. Fields that cannot be read are removed from it, each with a note."""
        while True:
            try:
                read(value, "")
            except FormatError as fault:
                name = re.split(r"[.\[]", fault.field)[0]
                if name in needed or name not in value:
                    self.notes.left_out(number, "{fault}: left out", fault=fault.message)
                    return False
                self.notes.changed(number, "{fault}: entered without it", fault=fault.message)
                del value[name]
            else:
                return True


def _key_of_row(place: str, number: int) -> str:
    """Return the name of a row in a form."""
    return f"{place}.{number}" if place else str(number)


def _of_the_list(player: Player) -> dict[str, Any]:
    value = {"id": player.id, "name": player.name, "country": player.country, "rating": player.rating}
    return {key: fact for key, fact in value.items() if fact not in (None, "")}


def words_of_name(name: str) -> str:
    """Return the words of a name in one order, so that both orders of a name give the same."""
    return " ".join(sorted(re.findall(r"\w+", folded(name))))


_LastRound = Annotated[int, Meta(ge=0, le=MOST_ROUNDS)]


def _entrant(value: object, path: str) -> None:
    player_from_json(value, path)
    JsonFields(value, path).read("withdrawn_after", _LastRound, 0)


_TOTALS = frozenset(
    re.findall(
        r"\S+",
        """
        total totals totaux tot sum sums somme sommes summe summen gesamt gesamtzahl gesamtsumme insgesamt
        totale totali somma totaal suma razem łącznie lacznie ogolem subtotal subtotaal zwischensumme
        average averages avg mean median moyenne moyennes moy mediane durchschnitt durchschnittlich schnitt
        mittelwert promedio media mediana gemiddelde gem srednia srednio prumer celkem soucet summa medel
        snitt soma count anzahl nombre numero aantal liczba conteo conteggio totalt yhteensa keskiarvo 合計 総計
        小計 平均 計 人数 合計人数 中央値 平均値
        """,
    )
)
_WITH_THEM = frozenset(
    re.findall(
        r"\S+",
        """
        of the in de des du der die das di del dei degli van het le la les players player joueurs joueur
        spieler teilnehmer giocatori jugadores spelers deelnemers graczy zawodnikow participants participant
        entries entry inscrits rating ratings elo average total grand general generale age number numbers
        rows and et und y e i n ø no persons people personnes
        """,
    )
)
_NOT_TOGETHER = frozenset(("country", "gender", "born", "first_name", "team"))
_OF_NOTES = re.compile(r"[<>{}\[\]@\\|_]|://|www\.|\s=|:(?:\s|$)|^[*†‡¹²³(=/%]|^-{2,}")
_LETTERS = re.compile(r"[^\W\d_]")
_FIGURES = re.compile(r"(?<!\S)\d[\d/.\-:]*(?!\S)")
_OF_DATES = re.compile(r"\d[/:]\d|\d[.-]\d+[.-]\d")
_PARTICLES = frozenset(re.findall("[a-z]+", "de da do dos das del della di la le van den der von y e"))
_MOST_WORDS = 9


def is_total(row: Mapping[str, str]) -> bool:
    """Return True if a row counts or averages others: it has such words, figures, and nothing that only a player
    has."""
    if _NOT_TOGETHER & {
        name for name, cell in row.items() if _LETTERS.search(cell) and not _are_of_totals(cell)
    }:
        return False
    texts = [cell for cell in row.values() if _LETTERS.search(cell)]
    return bool(texts) and all(map(_are_of_totals, texts)) and any(map(_has_total, texts))


def _words(cell: str) -> list[str]:
    return [word.strip("=,;%+.<>") for word in re.split(r"[\s:=]+", folded(cell)) if word.strip("=,;%+.<>")]


def _are_of_totals(cell: str) -> bool:
    return all(word in _TOTALS or word in _WITH_THEM or not _LETTERS.search(word) for word in _words(cell))


def _has_total(cell: str) -> bool:
    return bool(_TOTALS & {*_words(cell)})


def is_note(text: str) -> bool:
    """Return True if a text in the place of a name is no name: no letters, signs of notes, a sentence, a date."""
    words = text.split()
    if not _LETTERS.search(text) or _OF_NOTES.search(text) or len(words) > _MOST_WORDS:
        return True
    if words[0][:1].isupper() and sum(word.islower() and word not in _PARTICLES for word in words) > 2:
        return True
    figures = list(_FIGURES.finditer(text))
    if any(_OF_DATES.search(match[0]) for match in figures):
        return True
    return len(words) > 2 and (len(figures) > 1 or (len(figures) == 1 and figures[0].end() < len(text)))
