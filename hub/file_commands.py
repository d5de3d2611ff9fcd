"""`flagfall-hub import` and `export`: between other formats and the tournament file."""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from hub.formats.csv_file import TABLES, read_csv, write_csv
from hub.formats.elo_reader import read_elo
from hub.formats.elo_writer import elo_file_name, write_elo
from hub.formats.errors import FormatError
from hub.formats.papp import read_joueurs
from hub.formats.source import read_source
from hub.formats.tournament_file import tournament_from_json
from hub.formats.tournament_json import FORMAT, tournament_to_json, write_tournament
from hub.formats.wthor import PLAYER_NAME_BYTES, TOURNAMENT_NAME_BYTES, read_names
from hub.formats.wthor_tournament import tournament_from_wthor, wthor_of
from hub.ranking.format_rules import RULEBOOKS
from hub.tournament import Tournament

ELO, PAPP, WTHOR, CSV = "elo", "papp", "wthor", "csv"
_LARGEST_BYTES = {ELO: 8 << 20, PAPP: 16 << 20, WTHOR: 32 << 20, CSV: 16 << 20}
_BY_SUFFIX = {".elo": ELO, ".txt": PAPP, ".wtb": WTHOR, ".csv": CSV}


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help=".ELO, joueurs.txt, .wtb, or .csv (one or more)"
    )
    parser.add_argument(
        "--format", choices=(ELO, PAPP, WTHOR, CSV), help="otherwise told by the file's ending"
    )
    parser.add_argument("--rulebook", choices=RULEBOOKS, default="woc-2019")
    parser.add_argument("--tournament", type=int, metavar="N", help="which tournament of a .wtb")
    parser.add_argument("--players", metavar="FILE.JOU", help="names of the players of a .wtb")
    parser.add_argument("--tournaments", metavar="FILE.TRN", help="names of the tournaments of a .wtb")
    parser.add_argument("-o", "--output", metavar="FILE", help="otherwise standard output")


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help=f"a {FORMAT} file")
    parser.add_argument("--format", choices=(ELO, WTHOR, CSV), required=True)
    parser.add_argument("--table", choices=TABLES, default="results", help="which table of CSV")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="otherwise standard output; a folder: named as the WOF wants it (elo); FILE.wtb, .JOU, .TRN (wthor)",
    )


def import_files(chosen: argparse.Namespace) -> int:
    """Writes the tournament file; FormatError with the file's name in front."""
    kind = chosen.format or _BY_SUFFIX.get(Path(chosen.files[0]).suffix.lower())
    if kind is None:
        raise FormatError(chosen.files[0], "a name ending in .elo, .txt, .wtb or .csv, or --format")
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
        _write(chosen.output, write_csv(tournament, chosen.table).encode("utf-8"))
    else:
        _export_wthor(tournament, chosen.output)
    return 0


def _export_wthor(tournament: Tournament, output: str | None) -> None:
    if output is None:
        raise FormatError("--output", "FILE.wtb, as three files are written", "nothing")
    first_day = datetime.date.fromisoformat(tournament.date) if tournament.date else datetime.date(2000, 1, 1)
    files = wthor_of(tournament, first_day)
    target = Path(output)
    for suffix, data in ((".wtb", files.wtb), (".JOU", files.jou), (".TRN", files.trn)):
        _write(str(target.with_suffix(suffix)), data)
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
    WTHOR: _import_wthor,
    CSV: _import_csv,
}
