"""The file formats, one entry each: its recognition, its reader and writer, and its audience for downloads.

Commands, the console and the public pages use only this table; a new format is a module in this folder and an entry in
`FORMATS` (and in `DOWNLOADS` if it can be downloaded). Steps: docs/adding.md.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from flagfall.base.errors import one_line
from hub.form.tournament import FORMAT, tournament_from_json
from hub.formats.elo.reader import elo_reading, is_elo
from hub.formats.elo.writer import elo_doubts, elo_file_name, lost_by_both, write_elo
from hub.formats.flip_the_disc.reader import LARGEST_BYTES, is_flip_the_disc, read_flip_the_disc
from hub.formats.flip_the_disc.typed_lines import typed_lines_of_event, write_typed_lines
from hub.formats.ggf import ggf_of_game_file, ggf_of_tournament
from hub.formats.kinds import expect_own_kind, expect_text
from hub.formats.papp import is_player_list, is_work_file, joueurs_reading, read_work_file
from hub.formats.reading import ReadTournament, Source, Written, with_plausible_ratings
from hub.formats.spreadsheets.csv_file import RESULTS, TABLES, read_csv, write_csv
from hub.formats.spreadsheets.sheets import tournament_of_sheets
from hub.formats.spreadsheets.understood import TableReading, WorldNumbers
from hub.formats.spreadsheets.xlsx_file import is_xlsx, read_sheets
from hub.formats.tournament_file import read_tournament, tournament_to_json, write_tournament
from hub.formats.transcripts import doubts, write_transcripts
from hub.formats.wthor import (
    PLAYER_NAME_BYTES,
    TOURNAMENT_NAME_BYTES,
    is_wtb,
    read_names,
    tournament_from_wthor,
    wthor_of,
)
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.text import FormatError

# The number of bytes of a file that `recognised` gets.
HEAD_BYTES = 1 << 16
_TEXT = "text/plain; charset=utf-8"


class Audience(Enum):
    """The people who may download a file of an event."""

    OPERATOR = "operator"
    EVERYBODY = "everybody"


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options for reading a file."""

    rulebook: str = "woc-2019"
    # The number of a tournament in an archive.
    tournament: int | None = None
    # Files with the names for an archive's numbers.
    players: Source | None = None
    tournaments: Source | None = None
    tables: TableReading = field(default_factory=TableReading)


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """Options for writing a file."""

    # A table in CSV, or the number of one table of `round`.
    table: str | None = None
    round: int | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """One file format."""

    # For `--format`.
    name: str
    # For the help of the command line.
    label: str = ""
    suffixes: tuple[str, ...] = ()
    # Returns True if the file's first `HEAD_BYTES` bytes are of this format.
    recognised: Callable[[bytes], bool] | None = None
    largest_bytes: int = 16 << 20
    many_files: bool = False
    read: Callable[[Sequence[Source], ReadOptions], ReadTournament] | None = None
    write: Callable[[Tournament, WriteOptions], Written] | None = None
    write_game: Callable[[str], Written] | None = None
    file_name: Callable[[Tournament], str] | None = None


@dataclass(frozen=True, slots=True)
class Download:
    """A file of an event to download."""

    # Its name in addresses.
    kind: str
    # That of the saved file.
    ending: str
    media_type: str
    who: Audience
    make: Callable[[Tournament], bytes] = field(compare=False)
    file_name: Callable[[Tournament], str] | None = None


def _one_file(
    reader: Callable[[bytes, ReadOptions], ReadTournament],
) -> Callable[[Sequence[Source], ReadOptions], ReadTournament]:
    return lambda files, options: files[0].read(lambda data: reader(data, options))


def _read_players(files: Sequence[Source], options: ReadOptions) -> ReadTournament:
    players, notes = files[0].read(joueurs_reading)
    empty = {"format": FORMAT, "rulebook": options.rulebook, "players": [], "rounds": []}
    value = tournament_to_json(Tournament(options.rulebook, players))
    return ReadTournament(tournament_from_json(empty | {"players": value["players"]}), notes)


def _read_work(files: Sequence[Source], options: ReadOptions) -> ReadTournament:
    known: tuple[Player, ...] = () if options.players is None else options.players.read(joueurs_reading)[0]
    return ReadTournament(files[0].read(lambda data: read_work_file(data, known, options.rulebook)))


def read_csv_files(files: Sequence[Source], options: ReadOptions) -> ReadTournament:
    """Read tables of players and results. It is also the reader of a file that no format recognises."""
    return read_csv(files, options.rulebook, _with_world_list(options))


def _with_world_list(options: ReadOptions) -> TableReading:
    """Return the options for tables, with the numbers of the list of players that came beside them."""
    if options.players is None or options.tables.world is not None:
        return options.tables
    return replace(options.tables, world=WorldNumbers.of(options.players.read(joueurs_reading)[0]))


def _read_workbook(files: Sequence[Source], options: ReadOptions) -> ReadTournament:
    tables = _with_world_list(options)
    return files[0].read(lambda data: tournament_of_sheets(read_sheets(data), options.rulebook, tables))


def _read_wthor(files: Sequence[Source], options: ReadOptions) -> ReadTournament:
    players = _names(options.players, PLAYER_NAME_BYTES)
    tournaments = _names(options.tournaments, TOURNAMENT_NAME_BYTES)
    return ReadTournament(
        files[0].read(
            lambda data: tournament_from_wthor(
                data, options.tournament, players, tournaments, options.rulebook
            )
        )
    )


def _names(source: Source | None, width: int) -> tuple[str, ...]:
    return () if source is None else source.read(lambda data: read_names(data, width))


def _write_csv(tournament: Tournament, options: WriteOptions) -> Written:
    table = RESULTS if options.table is None else options.table
    if table not in TABLES:
        raise FormatError("--table", f"one of {', '.join(TABLES)}", table)
    return Written({".csv": write_csv(tournament, table).encode("utf-8")})


def _write_transcripts(tournament: Tournament, options: WriteOptions) -> Written:
    table = options.table
    if table is not None and not (table.isascii() and table.isdigit() and len(table) <= 9):
        raise FormatError("--table", "the number of a table", repr(table[:40]))
    return Written(
        {".txt": write_transcripts(tournament, options.round, None if table is None else int(table))},
        doubts(tournament, options.round) if table is None else (),
    )


def _zipped_wthor(tournament: Tournament) -> bytes:
    """Return all games with their names, and a list of those left out. The same games give the same bytes."""
    import zipfile  # for this download alone

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        made = wthor_of(tournament)
        files = {f"games{ending.lower()}": data for ending, data in made.files.items()}
        if made.left_out:
            files["left-out.txt"] = ("\n".join(map(one_line, made.left_out)) + "\n").encode()
        for name, data in files.items():
            packed.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
    return buffer.getvalue()


def _is_tournament(head: bytes) -> bool:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


# By name, in the order in which `format_of` asks them; a format without `recognised` comes last.
FORMATS: Mapping[str, Format] = {
    file_format.name: file_format
    for file_format in (
        Format(
            "flip-the-disc",
            "tournament_*.json of Flip the Disc",
            (),
            is_flip_the_disc,
            largest_bytes=LARGEST_BYTES,
            read=_one_file(lambda data, options: read_flip_the_disc(data, options.rulebook)),
        ),
        Format(
            "tournament",
            FORMAT,
            (".json",),
            _is_tournament,
            largest_bytes=32 << 20,
            read=_one_file(lambda data, _: with_plausible_ratings(read_tournament(data))),
        ),
        Format(
            "wthor",
            ".wtb",
            (".wtb",),
            is_wtb,
            largest_bytes=32 << 20,
            read=_read_wthor,
            write=lambda tournament, _: wthor_of(tournament),
        ),
        Format("papp-work", "papp-internal-workfile.txt", (), is_work_file, read=_read_work),
        Format("papp", "joueurs.txt", (".txt",), is_player_list, read=_read_players),
        Format(
            "elo",
            ".ELO",
            (".elo",),
            is_elo,
            largest_bytes=8 << 20,
            read=_one_file(lambda data, options: elo_reading(data, options.rulebook)),
            write=lambda tournament, _: Written(
                {".ELO": write_elo(tournament)},
                tuple(map(str, (*elo_doubts(tournament), *lost_by_both(tournament)))),
            ),
            file_name=elo_file_name,
        ),
        Format("xlsx", ".xlsx", (".xlsx",), is_xlsx, largest_bytes=8 << 20, read=_read_workbook),
        Format("csv", ".csv", (".csv",), None, many_files=True, read=read_csv_files, write=_write_csv),
        Format("ggf", write=lambda tournament, _: ggf_of_tournament(tournament), write_game=ggf_of_game_file),
        Format("transcripts", write=_write_transcripts),
        Format(
            "flip-the-disc-lines",
            write=lambda tournament, options: write_typed_lines(tournament, options.round),
        ),
    )
}

# The downloads of a whole event.
DOWNLOADS: Mapping[str, Download] = {
    download.kind: download
    for download in (
        Download("tournament", ".json", "application/json", Audience.OPERATOR, write_tournament),
        Download(
            "elo",
            ".ELO",
            "application/octet-stream",
            who=Audience.OPERATOR,
            make=write_elo,
            file_name=elo_file_name,
        ),
        Download("flip-the-disc-lines", ".txt", _TEXT, Audience.OPERATOR, typed_lines_of_event),
        *(
            Download(
                table,
                ".csv",
                "text/csv; charset=utf-8",
                Audience.OPERATOR,
                lambda tournament, table=table: write_csv(tournament, table).encode("utf-8-sig"),  # type: ignore[misc]
            )
            for table in TABLES
        ),
        Download("transcripts", ".txt", _TEXT, Audience.EVERYBODY, write_transcripts),
        Download("games", ".ggf", _TEXT, Audience.EVERYBODY, lambda t: ggf_of_tournament(t).files[".ggf"]),
        Download("wthor", ".zip", "application/zip", Audience.EVERYBODY, _zipped_wthor),
    )
}


def readable() -> tuple[str, ...]:
    return tuple(file_format.name for file_format in FORMATS.values() if file_format.read is not None)


def writable() -> tuple[str, ...]:
    return tuple(file_format.name for file_format in FORMATS.values() if file_format.write is not None)


def downloads_for(audience: Audience) -> tuple[str, ...]:
    return tuple(download.kind for download in DOWNLOADS.values() if download.who is audience)


def format_of(name: str, data: bytes) -> Format | None:
    """Return the format that recognises the file by its bytes, else the one with its ending, else None.

    Raise FormatError with the kind of a file that holds no tournament and no list.
    """
    expect_own_kind(data)
    head = data[:HEAD_BYTES]
    for file_format in FORMATS.values():
        if file_format.recognised is not None and file_format.recognised(head):
            return file_format
    ending = re.search(r"\.[^./\\]{1,10}\Z", name.lower())
    named = next((f for f in FORMATS.values() if ending and ending[0] in f.suffixes), None)
    if named is None:
        expect_text(data)
    return named
