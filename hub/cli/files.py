"""`flagfall-hub import` and `export`: conversion between other formats and the tournament file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path

from flagfall.base.command_line import DONE, Parser, ended_by
from flagfall.base.errors import Failed, one_line
from flagfall.base.value import replace
from flagfall.base.words import FIRST, all_words
from flagfall.othello.gamefile import FORMAT as GAME_FORMAT
from flagfall.othello.rulebook import BUILT_IN
from hub.form.tournament import FORMAT
from hub.formats.dates import DayOrder
from hub.formats.reading import Source, Written, read_source, with_doubts
from hub.formats.registry import FORMATS, Format, ReadOptions, WriteOptions, format_of, readable, writable
from hub.formats.spreadsheets.csv_file import TABLES
from hub.formats.spreadsheets.understood import Answers, TableReading
from hub.formats.text_lines import ENCODINGS
from hub.formats.tournament_file import read_tournament, write_tournament
from hub.model.lists import COLUMNS
from hub.model.tournament import Tournament
from hub.text import FormatError

# Formats of the final list, made by the public pages' templates.
FINAL_LISTS = ("html", "pdf")
_LARGEST_BYTES = max(kind.largest_bytes for kind in FORMATS.values())


@ended_by(FormatError)
def import_files(arguments: Sequence[str]) -> int:
    """Run `flagfall-hub import`: write the tournament file, and a line for each omission to standard error."""
    parser = Parser(prog="flagfall-hub import")
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help=f"{', '.join(FORMATS[name].label for name in readable())}; of .csv one or more",
    )
    parser.add_argument("--format", choices=readable(), help="otherwise told by what the file says")
    parser.add_argument("--rulebook", choices=BUILT_IN, default="woc-2019")
    parser.add_argument("--tournament", type=int, metavar="N", help="which tournament of a .wtb")
    parser.add_argument(
        "--players",
        metavar="FILE",
        help="who the players are: .JOU of a .wtb, joueurs.txt of Papp's work file; joueurs.txt of a table, whose "
        "numbers are then held against it",
    )
    parser.add_argument(
        "--dates",
        choices=("day", "month"),
        help="whether 03/04/2010 in a table begins with the day or the month, where no other row tells",
    )
    parser.add_argument("--encoding", choices=ENCODINGS, help="of a text that is not in UTF-8")
    parser.add_argument("--tournaments", metavar="FILE.TRN", help="names of the tournaments of a .wtb")
    parser.add_argument("-o", "--output", metavar="FILE", help="otherwise standard output")
    chosen = parser.parse_args(arguments)
    largest = FORMATS[chosen.format].largest_bytes if chosen.format else _LARGEST_BYTES
    files = [_source(path, largest) for path in chosen.files]
    kind = FORMATS[chosen.format] if chosen.format else _format_of(files[0])
    if kind is None or kind.read is None:
        endings = ", ".join(sorted(ending for format_ in FORMATS.values() for ending in format_.suffixes))
        raise FormatError(chosen.files[0], f"a name ending in {endings}, or --format")
    if not kind.many_files and len(files) > 1:
        raise FormatError(chosen.files[1], f"one file of {kind.name}", f"{len(files)}")
    for file in files:
        if len(file.data) > kind.largest_bytes:
            raise FormatError(file.name, f"at most {kind.largest_bytes} bytes", "a larger file")
    options = ReadOptions(
        chosen.rulebook,
        chosen.tournament,
        None if chosen.players is None else _source(chosen.players),
        None if chosen.tournaments is None else _source(chosen.tournaments),
        TableReading(
            Answers(encoding=chosen.encoding or "", day_order=DayOrder(chosen.dates or DayOrder.EITHER))
        ),
    )
    read = with_doubts(kind.read(files, options))
    where = "" if len(files) > 1 else f"{chosen.files[0]}:"  # of several files each note names its own
    lines = [(note.place, note.line, str(note)) for note in read.notes]
    if read.understood is not None:
        lines += [
            (place, number, ": ".join(filter(None, (place, str(number), text))))
            for place, number, text in read.understood.lines()
        ]
    for *_, text in sorted(lines, key=itemgetter(0, 1)):
        print(one_line(f"{where}{text}"), file=sys.stderr)
    _write(chosen.output, write_tournament(read.tournament))
    return DONE


def export(arguments: Sequence[str]) -> int:
    """Run `flagfall-hub export`: write the other format's file or files."""
    parser = Parser(prog="flagfall-hub export")
    parser.add_argument(
        "file", metavar="FILE", help=f"a {FORMAT} file; for ggf also a {GAME_FORMAT} file with its times"
    )
    parser.add_argument("--format", choices=(*writable(), *FINAL_LISTS), required=True)
    parser.add_argument(
        "--lang", choices=tuple(all_words()), default=FIRST, help="of the final list (html, pdf)"
    )
    parser.add_argument(
        "--columns",
        type=_columns,
        metavar="NAME,NAME",
        help=f"of lists (html, pdf, csv), instead of the file's own: {', '.join(COLUMNS)}",
    )
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
    chosen = parser.parse_args(arguments)
    kind = FORMATS.get(chosen.format) or Format(chosen.format)
    with ended_by(FormatError, Failed, where=chosen.file):
        data = read_source(chosen.file)
        if chosen.format in FINAL_LISTS and not is_game_file(data):
            _write(chosen.output, _final_list(_with_columns(read_tournament(data), chosen), chosen))
        elif not is_game_file(data):
            assert kind.write is not None
            tournament = _with_columns(read_tournament(data), chosen)
            made = kind.write(tournament, WriteOptions(chosen.table, chosen.round))
            _write_all(made, kind, tournament, chosen)
        elif kind.write_game is not None:
            _write_all(kind.write_game(data.decode("utf-8", "replace")), kind, None, chosen)
        else:
            able = ", ".join(format_.name for format_ in FORMATS.values() if format_.write_game is not None)
            raise FormatError("--format", f"{able}, as this is a {GAME_FORMAT} file", chosen.format)
    return DONE


def _columns(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in COLUMNS:
            raise argparse.ArgumentTypeError(f"expected some of {', '.join(COLUMNS)}, got {name[:40]!r}")
    return names


def _with_columns(tournament: Tournament, chosen: argparse.Namespace) -> Tournament:
    return replace(tournament, list_columns=chosen.columns) if chosen.columns else tournament


def _final_list(tournament: Tournament, chosen: argparse.Namespace) -> bytes:
    from hub.public.final_list import final_list_html  # templates, for this alone
    from hub.public.pdf import pdf_of

    html = final_list_html(tournament, chosen.lang, Path(chosen.file).stem)
    return pdf_of(html) if chosen.format == "pdf" else html.encode()


def _format_of(file: Source) -> Format | None:
    try:
        return format_of(file.name, file.data)
    except FormatError as fault:
        raise fault.of(file.name) from None


def _source(path: str, largest_bytes: int = _LARGEST_BYTES) -> Source:
    try:
        return Source(path, read_source(path, largest_bytes))
    except FormatError as fault:
        raise fault.of(path) from None


def is_game_file(data: bytes) -> bool:
    """Return whether the first line is the header of a game file."""
    first = data.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    return GAME_FORMAT.encode() in first and FORMAT.encode() not in first


def _write_all(
    made: Written, kind: Format, tournament: Tournament | None, chosen: argparse.Namespace
) -> None:
    """Write the files, several into one folder; a file is named as the format's readers expect."""
    target = chosen.output
    if len(made.files) > 1:
        if target is None:
            first = next(iter(made.files))
            raise FormatError("--output", f"FILE{first}, as three files are written", "nothing")
        for ending, data in made.files.items():
            _write(str(Path(target).with_suffix(ending)), data)
    else:
        if (
            target is not None
            and kind.file_name is not None
            and tournament is not None
            and Path(target).is_dir()
        ):
            target = str(Path(target) / kind.file_name(tournament))
        _write(target, next(iter(made.files.values())))
    for line in made.left_out:
        print(one_line(f"{chosen.output if len(made.files) > 1 else chosen.file}: {line}"), file=sys.stderr)


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
