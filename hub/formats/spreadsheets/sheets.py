"""Tables of a spreadsheet, or typed lines, read as a tournament: a player or a result a row.

Players: id, name (or name and first name), country, team, gender, born, rating, past_semifinalist, additional,
extra_young, from_round, withdrawn_after, division, grade, categories (separated by spaces). Results: round, table,
black, white, black_score, white_score, reason, title, stage, draw_win; black and white by number or by name; a row
with one of them is a bye, one with a title a game of the finals. Headings may be in other words and languages
(`hub.formats.spreadsheets.cells`). Without headings each row is a player (`hub.formats.spreadsheets.columns`).

A number is somebody's only where the world list has it for that name. A cell that cannot be read is left out, and a row
that lacks what it needs; each is noted, and so is every column that nobody reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Annotated, Any

from msgspec import Meta

from flagfall.base.message import N_, Message
from hub.form.parts import JsonFields, final_game_from_json, game_from_json
from hub.form.tournament import FORMAT, MOST_ROUNDS, tournament_from_json
from hub.formats.elo.lines import BYE_WORDS
from hub.formats.names import family_first, plain
from hub.formats.reading import Notes, ReadTournament
from hub.formats.spreadsheets.cells import MOST_ROWS, RESULT_CELLS, ROW, Sheet, listed_number, whole
from hub.formats.spreadsheets.columns import NUMBER_ALONE, Row, Table, are_row_numbers, lines_of, table_of
from hub.formats.spreadsheets.player_rows import (
    LONGEST_NAME,
    LONGEST_NUMBER,
    PlayerRows,
    is_note,
    name_of_row,
    words_of_name,
)
from hub.formats.spreadsheets.understood import TYPED, TableReading, Understood
from hub.formats.tournament_file import tournament_to_json
from hub.model.players import FIRST_NEW
from hub.model.tournament import Tournament
from hub.ranking.scores import score_fault
from hub.rulebook import FORMAT_RULES
from hub.text import FormatError

_MOST_LINES_NAMED = 12
_NOBODY = re.compile(rf"[-–—*0]?|{BYE_WORDS}", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x19\x1b-\x1e]")
_COUNTED = re.compile(r"\A[#*•·\-\s]*\d*[.)]?\s*")


def tournament_of_sheets(
    sheets: Iterable[Sheet], rulebook: str, reading: TableReading | None = None
) -> ReadTournament:
    """Return a tournament of players, and results if given; the kind of each table follows from its columns.

    Raise FormatError only if there is neither a player nor a result, and nobody to ask.
    """
    reading = reading or TableReading()
    notes = Notes()
    kept: list[Sheet] = []
    for sheet in sheets:
        kept.append(sheet)
        if sum(len(kept_sheet.rows) for kept_sheet in kept) > MOST_ROWS:
            raise FormatError("", f"at most {MOST_ROWS} rows", "more")
    tables = _tables(kept, reading, notes)
    entries = _Entries(FORMAT_RULES[rulebook], reading, notes)
    entries.enter_all([_with_row_numbers(table, entries) for table in tables])
    understood = Understood(
        tuple(table.read for table in entries.tables),
        tuple(entries.offers),
        tuple(entries.rows),
        next((sheet.encoding for sheet in kept if sheet.encoding), ""),
        next((sheet.chosen for sheet in kept if sheet.chosen), ""),
    )
    nobody = not (entries.players or entries.rounds or entries.finals)
    if nobody and not (reading.asks and tables):
        expected = "columns id, name, ... or round, black, white, ..."
        nameless = next((table.read for table in tables if table.read.nameless), None)
        place, number = (notes.lines[0].place, notes.lines[0].line) if notes.lines else (notes.place, 1)
        if nameless is not None:
            place, number = nameless.place, nameless.line or 1
        where = f"{place}: line {number}" if place else f"line {number}"
        headings = next((cells for sheet in kept for _, cells in sheet.rows[:1]), ())
        raise FormatError(where, expected, ",".join(headings)[:80] or "nothing")
    return ReadTournament(tournament_from_json(entries.tournament(rulebook)), notes.in_order(), understood)


def _tables(sheets: Sequence[Sheet], reading: TableReading, notes: Notes) -> list[Table]:
    """Return the tables with headings. In a workbook that has some, a sheet without headings is noted and left out."""
    read_sheets: list[tuple[int, Sheet, Table | None]] = []
    for nth, sheet in enumerate(sheets, start=1):
        notes.place = sheet.place
        _note_letters(sheet, notes)
        read_sheets.append((nth, sheet, table_of(sheet, nth, reading.answers, notes)))
    headed = any(table is not None for _, sheet, table in read_sheets if sheet.place != TYPED)
    tables = []
    for nth, sheet, table in read_sheets:
        notes.place = sheet.place
        if table is not None:
            tables.append(table)
        elif not sheet.rows:
            continue
        elif headed and sheet.place != TYPED:
            notes.left_out(sheet.rows[0][0], "a sheet without headings: left out")
        elif _is_list(sheet):
            tables.append(lines_of(sheet, nth, reading.answers, notes))
    return tables


def _is_list(sheet: Sheet) -> bool:
    """Return True if most rows without headings can be players: the text is no page, program or picture."""
    texts = [_COUNTED.sub("", "".join(cells)) for _, cells in sheet.rows]
    names = sum(text.isdecimal() or not text or not is_note(text) for text in texts)
    return (
        (len(texts) > 1 or sheet.place == TYPED)
        and names * 2 > len(texts)
        and not any(_CONTROL.search(text) for text in texts[:200])
    )


def _note_letters(sheet: Sheet, notes: Notes) -> None:
    if not sheet.encoding or sheet.chosen:
        return
    accents = [number for number, cells in sheet.rows if not "".join(cells).isascii()]
    numbers = ", ".join(map(str, accents[:_MOST_LINES_NAMED])) + (
        " ..." if len(accents) > _MOST_LINES_NAMED else ""
    )
    expected = N_("expected letters in UTF-8, got other ones, read as {encoding}: look at lines {numbers}")
    notes.changed(0, expected, encoding=sheet.encoding, numbers=numbers)


def _with_row_numbers(table: Table, entries: _Entries) -> Table:
    """Return the table; its numbers become row numbers if they count the rows and none is that player's in the world
    list."""
    world, column = entries.world, table.column("id")
    if world is None or column is None or table.read.results:
        return table
    records = table.records(Notes())
    if table.read.nameless and all(listed_number(row.get("id", "")) in world.players for _, row in records):
        return replace(table, read=replace(table.read, nameless=False))  # the list has their names
    numbers = [listed_number(row["id"]) for _, row in records if "id" in row]
    if not are_row_numbers(numbers) or any(
        world.agree(listed_number(row["id"]), name_of_row(row)) for _, row in records if "id" in row
    ):
        return table
    return table.with_field("id", ROW, Message("numbers of the rows: in the world list they are others'"))


@dataclass(slots=True)
class _Entries(PlayerRows):
    """Players and results of tables as values of the tournament file."""

    tables: list[Table] = field(default_factory=list)
    rounds: list[dict[str, list[Any]]] = field(default_factory=list)
    finals: list[dict[str, Any]] = field(default_factory=list)
    _typed: set[str] = field(default_factory=set)
    # Players and tables of each round.
    _taken: set[tuple[int, str | int]] = field(default_factory=set)

    def enter_all(self, tables: Sequence[Table]) -> None:
        """Enter the players of all tables, then their results."""
        self.tables = list(tables)
        records = [(table, table.records(self._at(table))) for table in tables]
        players = [(table, rows) for table, rows in records if not table.read.results]
        numbers = {listed_number(row["id"]) for _, rows in players for _, row in rows if "id" in row}
        listed = self.world.players if self.world is not None else {}
        self.unused = (
            str(number)
            for number in count(FIRST_NEW)
            if str(number) not in numbers and str(number) not in listed and str(number) not in self.players
        )
        self.listed = bool(players) or bool(self.reading.beside)
        self.named = any("name" in row for _, rows in players for _, row in rows)
        for player in self.reading.beside:
            value = tournament_to_json(Tournament("open", (player,)))["players"][0]
            self.players[player.id] = dict(value)
            self.by_number[player.id] = player.id
        for table, rows in players:
            if table.read.nameless and (self.named or self.reading.asks or table.column("id") is None):
                continue  # whose names they are is asked, or the fault
            lonely = _are_mostly_full(rows)
            for number, row in rows:
                self._at(table)
                before = {*self.players}
                if NUMBER_ALONE in row:
                    self.take_number(number, row[NUMBER_ALONE])
                else:
                    self.take_player(number, row, table.read, lonely=lonely)
                if table.read.place == TYPED:
                    self._typed |= {*self.players} - before
        self.note_other_codes()
        if self.chosen:
            kept = self.chosen | self._typed
            self.players = {player: value for player, value in self.players.items() if player in kept}
        for table, rows in records:
            if table.read.results:
                self._at(table)
                for number, row in rows:
                    self.take_result(number, row)

    def _at(self, table: Table) -> Notes:
        self.notes.place = table.read.place
        return self.notes

    def tournament(self, rulebook: str) -> dict[str, Any]:
        withdrawals = [{"player": player, "after_round": last} for player, last in self.withdrawn.items()]
        players = list(self.players.values())
        value = {"players": players, "withdrawals": withdrawals, "rounds": self.rounds, "finals": self.finals}
        return {"format": FORMAT, "rulebook": rulebook, **value}

    def take_result(self, number: int, row: Row) -> None:
        value: dict[str, Any] = {key: read(row[key]) for key, read in RESULT_CELLS.items() if key in row}
        if "title" not in row and not self.can_be_entered(number, value, _check_place, ("round",)):
            return
        seats = {side: self._player(number, row.get(side, "")) for side in ("black", "white")}
        if "black_score" in row or "white_score" in row:
            value["score"] = [whole(row.get(side, "")) for side in ("black_score", "white_score")]
        if row.get("draw_win"):
            value["draw_win"] = self._player(number, row["draw_win"])
            if value["draw_win"] not in seats.values():
                self.notes.changed(
                    number, "expected one of the two players: entered without it", field="draw_win"
                )
                del value["draw_win"]
        if value.get("title"):
            self._final(number, value | seats)
        else:
            self._game(number, value.pop("round"), value | seats)

    def _final(self, number: int, game: dict[str, Any]) -> None:
        if game["black"] == game["white"]:
            self.notes.left_out(number, "expected two players: left out")
        elif self.can_be_entered(number, game, final_game_from_json, ("title", "stage", "black", "white")):
            self._check_score(number, game)
            self.finals.append(game)

    def _game(self, number: int, round_: int, game: dict[str, Any]) -> None:
        players = [player for player in (game["black"], game["white"]) if player]
        again = [player for player in players if (round_, player) in self._taken]
        away = [player for player in players if not self._is_there(player, round_)]
        if not players or len({*players}) < len(players):
            self.notes.left_out(number, "expected two players, or one for a bye: left out")
        elif again:
            why = N_("player {id} has a game or a bye in this round already: left out")
            self.notes.left_out(number, why, id=again[0])
        elif away:
            why = N_("player {id} is not there in round {round}: left out")
            self.notes.left_out(number, why, id=away[0], round=round_)
        elif len(players) == 1 or self.can_be_entered(number, game, game_from_json, ("black", "white")):
            while len(self.rounds) < round_:
                self.rounds.append({"games": [], "byes": []})
            self._taken |= {(round_, player) for player in players}
            if len(players) == 1:
                self.rounds[round_ - 1]["byes"] += players
                return
            table = game.get("table")
            if table is not None and (round_, table) in self._taken:
                self.notes.changed(
                    number, "table {table} stands in this round before: entered without it", table=table
                )
                del game["table"]
            elif table is not None:
                self._taken.add((round_, table))
            self._check_score(number, game)
            self.rounds[round_ - 1]["games"].append(game)

    def _is_there(self, player: str, round_: int) -> bool:
        first: int = self.players[player].get("from_round", 1)
        return first <= round_ <= self.withdrawn.get(player, MOST_ROUNDS)

    def _check_score(self, number: int, game: dict[str, Any]) -> None:
        if "score" in game:
            black, white = game["score"]
            fault = score_fault(self.rules, (black, white), game.get("reason", "board"))
            if fault is not None:
                why = FormatError("score", fault, f"{black}-{white}").message
                self.notes.changed(number, "{fault}: entered without it", fault=why)
                del game["score"]

    def _player(self, number: int, text: str) -> str:
        """Return the player's number, or "" for nobody. A name that is in no table of players becomes a new player."""
        text = plain(text)
        if _NOBODY.fullmatch(text):
            return ""
        listed = listed_number(text)
        if listed in self.by_number:
            return self.by_number[listed]
        if listed in self.players:
            return listed
        name = family_first(text)[:LONGEST_NAME]
        known, _ = self.numbers_by_words.get(words_of_name(name), ("", 0))
        if known:
            return known
        if listed.isdigit() and len(listed) <= LONGEST_NUMBER:
            if self.listed:
                self.notes.changed(number, "player {id} is not in the list: known by number only", id=listed)
            self.enter(number, {"id": listed, "name": ""})
            return listed
        new = next(self.unused)
        if self.listed:
            self.notes.changed(number, "{name} is not in the list: entered as {id}", name=name[:60], id=new)
        self.enter(number, {"id": new, "name": name, "new": True})
        return new


def _are_mostly_full(rows: Sequence[tuple[int, Row]]) -> bool:
    """Return True if three quarters of the rows have two cells more than a name."""
    return len(rows) > 3 and sum(len(row) > 2 for _, row in rows) * 4 >= len(rows) * 3


_Round = Annotated[int, Meta(ge=1, le=MOST_ROUNDS)]


def _check_place(value: object, path: str) -> None:
    """Raise FormatError if the cells of a result without its players cannot be read."""
    row = JsonFields(value, path)
    row.read("round", _Round)
