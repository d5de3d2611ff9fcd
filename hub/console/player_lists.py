"""Players of a new event, from a file, pasted or typed: one reader for all of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from flagfall.base.message import Message
from hub.desk.world_list import WorldList
from hub.form.event_size import MOST, check_counts
from hub.formats.reading import ReadTournament, Source, with_doubts
from hub.formats.spreadsheets.understood import (
    TYPED,
    Answers,
    ListedRow,
    TableReading,
    Understood,
    WorldNumbers,
)
from hub.formats.tournament_file import tournament_to_json
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.text import FormatError, Refused

# The most players of an event, and of a world list: as many as a table has rows. They are counted in the child, because
# its answer is unpacked in the hub's loop: 280,000 players held it for 5 s.
MOST_PLAYERS = MOST["players"]
MOST_LISTED = 20_000
# Formats whose columns a person chose: how they were understood is shown.
_TABLES = ("csv", "xlsx")


def expect_few(players: int) -> None:
    """Raise Refused for more players than an event may have."""
    if players > MOST_PLAYERS:
        raise Refused(
            "expected at most {most_players} players, got {players}. "
            "From a long list, type only the numbers of those who play",
            field="players",
            most_players=MOST_PLAYERS,
            players=players,
        )


def players_of(
    file: Source | None, typed: str, answers: Answers, world_list: Path | None, rulebook: str = "woc-2019"
) -> ReadTournament | Message:
    """Return the players of a file, then those who are typed beside it; or why there are none, or too many."""
    read = _players_of(file, typed, answers, world_list, rulebook)
    if isinstance(read, ReadTournament):
        try:
            expect_few(len(read.tournament.players))
        except Refused as fault:
            return fault.message
    return read


def world_players_of(file: Source, answers: Answers) -> ReadTournament | Message:
    """Return the players of a world list, or why there are none, or too many."""
    read = _players_of(file, "", answers, None)
    players = len(read.tournament.players) if isinstance(read, ReadTournament) else 0
    if players > MOST_LISTED:
        expected = Message.of("at most {most} entries", most=MOST_LISTED)
        return _of_file(file, FormatError("players", expected, str(players)))
    return read


def _of_file(file: Source, fault: FormatError) -> Message:
    """Return the fault with the name of its file."""
    return Refused("{name}: {fault}", field="file", name=file.name[:60], fault=fault.message).message


def _players_of(
    file: Source | None, typed: str, answers: Answers, world_list: Path | None, rulebook: str = "woc-2019"
) -> ReadTournament | Message:
    """Return the players of a file, then those who are typed beside it; or why there are none.

    Of a file whose numbers stand alone on typed lines only those players are taken."""
    from hub.formats.registry import format_of
    from hub.formats.spreadsheets.cells import Sheet
    from hub.formats.spreadsheets.csv_file import text_sheet
    from hub.formats.spreadsheets.sheets import tournament_of_sheets
    from hub.formats.spreadsheets.xlsx_file import is_xlsx, read_sheets

    reading = TableReading(answers, _world(world_list), asks=True)
    sheets: list[Sheet] = []
    notes: Sequence[Any] = ()
    try:
        if file is not None:
            kind = format_of(file.name, file.data)
            if kind is not None and kind.name not in _TABLES:
                read_file = read_tournament(file.name, file.data)
                # Who came late to rounds of the file comes to the first of the new event.
                players = tuple(replace(player, from_round=1) for player in read_file.tournament.players)
                if not typed.strip():
                    rows = tuple(_row_of(player, answers) for player in players)
                    entered = tuple(
                        player for player, row in zip(players, rows, strict=True) if not row.left_out
                    )
                    understood = Understood(rows=rows)
                    return with_doubts(
                        ReadTournament(Tournament(rulebook, entered), read_file.notes, understood),
                        of_event=False,
                    )
                reading, notes = replace(reading, beside=players), read_file.notes
            elif is_xlsx(file.data):
                _expect_size(file, kind.largest_bytes if kind is not None else 0)
                sheets += read_sheets(file.data)
            else:
                _expect_size(file, kind.largest_bytes if kind is not None else 0)
                sheets.append(text_sheet(file.data, answers.encoding))
        if typed.strip():
            lines = text_sheet(typed.encode("utf-8", "replace"))
            sheets.append(replace(lines, place=TYPED))
        read = tournament_of_sheets(sheets, rulebook, reading)
    except FormatError as fault:
        if file is None:
            return Refused("{fault}", field="players", fault=fault.message).message
        return _of_file(file, fault)
    except Refused as fault:
        return fault.message
    return with_doubts(replace(read, notes=(*notes, *read.notes)), of_event=False)


def _row_of(player: Player, answers: Answers) -> ListedRow:
    """Return the row of a player whose file has a number for each."""
    key = f"id.{player.id}"
    return ListedRow(key, "", 0, player.name or player.id, player.id, left_out=key in answers.left_out)


def event_of(
    file: Source, answers: Answers, world_list: Path | None, rulebook: str
) -> ReadTournament | Message:
    """Return the whole tournament of a file, or why it cannot be read, or has more of something than a hub takes."""
    try:
        read = read_tournament(file.name, file.data, rulebook, TableReading(answers, _world(world_list)))
        check_counts(tournament_to_json(read.tournament))
        return with_doubts(read)
    except FormatError as fault:
        return _of_file(file, fault)
    except Refused as fault:
        return fault.message


def read_tournament(
    name: str, data: bytes, rulebook: str = "woc-2019", tables: TableReading | None = None
) -> ReadTournament:
    """Return the contents of a file of any format; Refused naming the place in the file."""
    from hub.formats.registry import ReadOptions, format_of, read_csv_files

    try:
        kind = format_of(name, data)
        read = (None if kind is None else kind.read) or read_csv_files
        _expect_size(Source(name, data), kind.largest_bytes if kind is not None else 0)
        return read([Source("", data)], ReadOptions(rulebook, tables=tables or TableReading()))
    except FormatError as fault:
        raise Refused("{name}: {fault}", field="file", name=name[:60], fault=fault.message) from None


def _expect_size(file: Source, largest_bytes: int) -> None:
    if largest_bytes and len(file.data) > largest_bytes:
        raise FormatError("", f"at most {largest_bytes} bytes", "a larger file")


def _world(kept: Path | None) -> WorldNumbers | None:
    """Return the world list of a file; None without anybody in it."""
    players = {} if kept is None else WorldList(kept).players_of_ids()
    return WorldNumbers(players) if players else None
