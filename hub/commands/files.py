"""`flagfall-hub import` and `export`: between other formats and the tournament file."""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from hub.commands.command_line import CommandError, Parser
from hub.formats.csv_file import RESULTS, TABLES, read_csv, write_csv
from hub.formats.elo_reader import read_elo
from hub.formats.elo_writer import elo_file_name, write_elo
from hub.formats.errors import FormatError, one_line
from hub.formats.ggf import GgfFile, ggf_of_game_file, ggf_of_tournament
from hub.formats.papp import read_joueurs
from hub.formats.papp_work import is_work_file, read_work_file
from hub.formats.source import read_source
from hub.formats.tournament_file import read_tournament, tournament_from_json
from hub.formats.tournament_json import FORMAT, tournament_to_json, write_tournament
from hub.formats.transcripts import write_transcripts
from hub.formats.wthor import PLAYER_NAME_BYTES, TOURNAMENT_NAME_BYTES, read_names
from hub.formats.wthor_tournament import tournament_from_wthor, wthor_of
from hub.ranking.format_rules import RULEBOOKS
from hub.tournament import Player, Tournament
from othello.gamefile import FORMAT as GAME_FORMAT

ELO, PAPP, PAPP_WORK, WTHOR, CSV = "elo", "papp", "papp-work", "wthor", "csv"
GGF, TRANSCRIPTS = "ggf", "transcripts"
_LARGEST_BYTES = {ELO: 8 << 20, PAPP: 16 << 20, PAPP_WORK: 16 << 20, WTHOR: 32 << 20, CSV: 16 << 20}
_BY_SUFFIX = {".elo": ELO, ".txt": PAPP, ".wtb": WTHOR, ".csv": CSV}


def import_files(arguments: Sequence[str]) -> int:
    """`flagfall-hub import`."""
    parser = Parser(prog="flagfall-hub import")
    _add_import_arguments(parser)
    try:
        return _import_files(parser.parse_args(arguments))
    except FormatError as fault:
        raise CommandError(str(fault)) from None


def export(arguments: Sequence[str]) -> int:
    """`flagfall-hub export`."""
    parser = Parser(prog="flagfall-hub export")
    _add_export_arguments(parser)
    chosen = parser.parse_args(arguments)
    try:
        data = read_source(chosen.file)
        if is_game_file(data):
            return export_game(data.decode("utf-8", "replace"), chosen)
        return export_file(read_tournament(data), chosen)
    except FormatError as fault:
        raise CommandError(f"{chosen.file}: {fault}") from None


def _add_import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help=".ELO, joueurs.txt, papp-internal-workfile.txt, .wtb, or .csv (one or more)",
    )
    parser.add_argument(
        "--format", choices=(ELO, PAPP, PAPP_WORK, WTHOR, CSV), help="otherwise told by the file's ending"
    )
    parser.add_argument("--rulebook", choices=RULEBOOKS, default="woc-2019")
    parser.add_argument("--tournament", type=int, metavar="N", help="which tournament of a .wtb")
    parser.add_argument(
        "--players",
        metavar="FILE",
        help="who the players are: .JOU of a .wtb, joueurs.txt of Papp's work file",
    )
    parser.add_argument("--tournaments", metavar="FILE.TRN", help="names of the tournaments of a .wtb")
    parser.add_argument("-o", "--output", metavar="FILE", help="otherwise standard output")


def _add_export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", help=f"a {FORMAT} file; for ggf also a {GAME_FORMAT} file with its times"
    )
    parser.add_argument("--format", choices=(ELO, WTHOR, CSV, GGF, TRANSCRIPTS), required=True)
    parser.add_argument(
        "--table",
        metavar="TABLE",
        help=f"which table of CSV ({', '.join(TABLES)}), or the number of one table of --round (transcripts)",
    )
    parser.add_argument("--round", type=int, metavar="N", help="one round only (transcripts)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="otherwise standard output; a folder: named as the WOF wants it (elo); FILE.wtb, .JOU, .TRN (wthor)",
    )


def _import_files(chosen: argparse.Namespace) -> int:
    """Writes the tournament file; FormatError with the file's name in front."""
    kind = chosen.format or _BY_SUFFIX.get(Path(chosen.files[0]).suffix.lower())
    if kind is None:
        raise FormatError(chosen.files[0], "a name ending in .elo, .txt, .wtb or .csv, or --format")
    if kind == PAPP and chosen.format is None and is_work_file(_read(chosen.files[0], PAPP_WORK)):
        kind = PAPP_WORK
    if kind != CSV and len(chosen.files) > 1:
        raise FormatError(chosen.files[1], f"one file of {kind}", f"{len(chosen.files)}")
    tournament = _READERS[kind](chosen)
    _write(chosen.output, write_tournament(tournament))
    return 0


def export_file(tournament: Tournament, chosen: argparse.Namespace) -> int:
    """Writes the other format's file or files; FormatError naming the field that does not allow it."""
    if chosen.format == ELO:
        target = chosen.output
        if target is not None and Path(target).is_dir():
            target = str(Path(target) / elo_file_name(tournament))
        _write(target, write_elo(tournament))
    elif chosen.format == CSV:
        table = RESULTS if chosen.table is None else chosen.table
        if table not in TABLES:
            raise FormatError("--table", f"one of {', '.join(TABLES)}", table)
        _write(chosen.output, write_csv(tournament, table).encode("utf-8"))
    elif chosen.format == GGF:
        _export_ggf(ggf_of_tournament(tournament), chosen)
    elif chosen.format == TRANSCRIPTS:
        _write(chosen.output, write_transcripts(tournament, chosen.round, _table(chosen.table)))
    else:
        _export_wthor(tournament, chosen.output)
    return 0


def is_game_file(data: bytes) -> bool:
    """Whether the first line is the header of a game file."""
    first = data.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    return GAME_FORMAT.encode() in first and FORMAT.encode() not in first


def export_game(text: str, chosen: argparse.Namespace) -> int:
    """One `flagfall-game/1` file in another format; FormatError naming its line and field."""
    if chosen.format != GGF:
        raise FormatError("--format", f"{GGF}, as this is a {GAME_FORMAT} file", chosen.format)
    _export_ggf(ggf_of_game_file(text), chosen)
    return 0


def _export_ggf(found: GgfFile, chosen: argparse.Namespace) -> None:
    _write(chosen.output, found.data)
    for line in found.left_out:
        print(one_line(f"{chosen.file}: {line}: left out"), file=sys.stderr)


def _table(said: str | None) -> int | None:
    if said is None:
        return None
    if not (said.isascii() and said.isdigit() and len(said) <= 9):
        raise FormatError("--table", "the number of a table", repr(said[:40]))
    return int(said)


def _export_wthor(tournament: Tournament, output: str | None) -> None:
    if output is None:
        raise FormatError("--output", "FILE.wtb, as three files are written", "nothing")
    first_day = datetime.date.fromisoformat(tournament.date) if tournament.date else datetime.date(2000, 1, 1)
    files = wthor_of(tournament, first_day)
    target = Path(output)
    for suffix, data in ((".wtb", files.wtb), (".JOU", files.jou), (".TRN", files.trn)):
        _write(str(target.with_suffix(suffix)), data)
    for line in files.not_legal:
        print(one_line(f"{output}: {line}: left out"), file=sys.stderr)
    if files.left_out:
        print(f"{output}: {files.left_out} games without a transcript left out", file=sys.stderr)


_Found = TypeVar("_Found")


def _named(path: str, reader: Callable[[str], _Found]) -> _Found:
    """What `reader` finds in the file; its FormatError with the file's name in front."""
    try:
        return reader(path)
    except FormatError as fault:
        raise FormatError(
            f"{path}: {fault.where}" if fault.where else path, fault.expected, fault.got
        ) from None


def _write(path: str | None, data: bytes) -> None:
    if path is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        Path(path).write_bytes(data)
    except (OSError, ValueError) as fault:
        raise FormatError(
            path, "a file that can be written", str(getattr(fault, "strerror", fault))
        ) from None


def _read(path: str, kind: str) -> bytes:
    return read_source(path, _LARGEST_BYTES[kind])


def _import_elo(chosen: argparse.Namespace) -> Tournament:
    return _named(chosen.files[0], lambda path: read_elo(_read(path, ELO), chosen.rulebook))


def _import_papp(chosen: argparse.Namespace) -> Tournament:
    players = _named(chosen.files[0], lambda path: read_joueurs(_read(path, PAPP)))
    empty = {"format": FORMAT, "rulebook": chosen.rulebook, "players": [], "rounds": []}
    value = tournament_to_json(Tournament(chosen.rulebook, players))
    return tournament_from_json(empty | {"players": value["players"]})


def _import_papp_work(chosen: argparse.Namespace) -> Tournament:
    known: tuple[Player, ...] = ()
    if chosen.players is not None:
        known = _named(chosen.players, lambda path: read_joueurs(_read(path, PAPP)))
    return _named(
        chosen.files[0], lambda path: read_work_file(_read(path, PAPP_WORK), known, chosen.rulebook)
    )


def _import_csv(chosen: argparse.Namespace) -> Tournament:
    tables = [_named(path, lambda path: _read(path, CSV)) for path in chosen.files]
    return _named(", ".join(chosen.files), lambda _: read_csv(tables, chosen.rulebook))


def _import_wthor(chosen: argparse.Namespace) -> Tournament:
    if chosen.tournament is None:
        raise FormatError("--tournament", "the number of a tournament", "nothing")
    players: tuple[str, ...] = ()
    tournaments: tuple[str, ...] = ()
    if chosen.players is not None:
        players = _named(chosen.players, lambda path: read_names(_read(path, WTHOR), PLAYER_NAME_BYTES))
    if chosen.tournaments is not None:
        tournaments = _named(
            chosen.tournaments, lambda path: read_names(_read(path, WTHOR), TOURNAMENT_NAME_BYTES)
        )
    return _named(
        chosen.files[0],
        lambda path: tournament_from_wthor(
            _read(path, WTHOR), chosen.tournament, players, tournaments, chosen.rulebook
        ),
    )


_READERS: dict[str, Callable[[argparse.Namespace], Tournament]] = {
    ELO: _import_elo,
    PAPP: _import_papp,
    PAPP_WORK: _import_papp_work,
    WTHOR: _import_wthor,
    CSV: _import_csv,
}
