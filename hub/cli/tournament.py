"""Commands on a tournament file alone: `flagfall-hub rank`, `pair`, `check`, `finals`, `season` and `entry`.

Each imports what it needs: the pairing's libraries take longer to load than the standings to compute.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from flagfall.base.command_line import DONE, THE_ANSWER_IS_NO, CommandError, Parser, ended_by
from flagfall.base.errors import one_line
from hub.form.tournament import FORMAT, bq_constant_from_text
from hub.formats.reading import read_source, with_doubts, with_plausible_ratings
from hub.formats.tournament_file import read_tournament
from hub.model.tournament import Tournament
from hub.text import FormatError, Refused


def _parser(name: str) -> Parser:
    parser = Parser(prog=f"flagfall-hub {name}")
    parser.add_argument("file", metavar="FILE", help="a flagfall-tournament/1 file")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    return parser


def _print_report(
    chosen: argparse.Namespace,
    report: Callable[[Tournament, bool], str | tuple[str, bool]],
    *faults: type[Exception],
) -> int:
    """Print the `report` on the file, and return the exit status."""
    with ended_by(FormatError, *faults, where=chosen.file):
        answer = report(_read(chosen.file), chosen.json)
    text, fit = answer if isinstance(answer, tuple) else (answer, True)
    print(text)
    return DONE if fit else THE_ANSWER_IS_NO


def _read(file: str) -> Tournament:
    """Return the tournament of a file, its doubtful lines on standard error."""
    data = read_source(file)
    if not re.match(rb"(?:\xef\xbb\xbf)?\s*[{\[]", data):
        raise FormatError("", f"a {FORMAT} file (flagfall-hub import makes one of .ELO, .csv, .xlsx ...)")
    read = with_doubts(with_plausible_ratings(read_tournament(data)), names=False)
    for note in read.notes:
        print(one_line(f"{file}: {note}"), file=sys.stderr)
    return read.tournament


def _bq_constant(text: str) -> Fraction | None:
    try:
        return bq_constant_from_text(text)
    except (ValueError, ZeroDivisionError):
        raise CommandError(f"--bq-constant: expected a number or 64/rounds, got {text[:40]!r}") from None


def rank(arguments: Sequence[str]) -> int:
    from hub.ranking.reports import rank as ranking_report

    parser = _parser("rank")
    parser.add_argument(
        "--bq-constant",
        metavar="6|N|64/rounds",
        help="C of the Brightwell quotient, before the file's own bq_constant",
    )
    chosen = parser.parse_args(arguments)
    if chosen.bq_constant is None:
        return _print_report(chosen, ranking_report)
    constant = _bq_constant(chosen.bq_constant)
    return _print_report(
        chosen, lambda tournament, as_json: ranking_report(replace(tournament, bq_constant=constant), as_json)
    )


def pair(arguments: Sequence[str]) -> int:
    from hub.cli.pairing import pair as report

    return _print_report(_parser("pair").parse_args(arguments), report, Refused)


def check(arguments: Sequence[str]) -> int:
    from hub.cli.pairing import check as report

    try:
        return _print_report(_parser("check").parse_args(arguments), report, Refused)
    except ModuleNotFoundError as missing:
        raise CommandError(f"check: expected {missing.name}: pip install 'flagfall[check]'") from None


def entry(arguments: Sequence[str]) -> int:
    from hub.entries.findings import report

    return _print_report(_parser("entry").parse_args(arguments), report)


def finals(arguments: Sequence[str]) -> int:
    from hub.ranking.reports import finals as report

    return _print_report(_parser("finals").parse_args(arguments), report)


def season(arguments: Sequence[str]) -> int:
    from hub.ranking.reports import grand_prix_of
    from hub.ranking.reports import season as report
    from hub.ranking.season_people import EVERY_NAME, SeasonEvent, people_of

    parser = Parser(prog="flagfall-hub season")
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="the flagfall-tournament/1 files of a season"
    )
    parser.add_argument(
        "--same",
        metavar="NAME",
        action="append",
        default=[],
        help="players of this name are one person, where a number of the rating list does not say so; "
        f"{EVERY_NAME}: those of every name; NAME=NUMBER=FILE:NUMBER joins these. May be repeated",
    )
    parser.add_argument(
        "--apart", metavar="NAME", action="append", default=[], help="players of this name are several"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    chosen = parser.parse_args(arguments)
    events = []
    for file in chosen.files:
        with ended_by(FormatError, where=file):
            tournament = _read(file)
            events.append(SeasonEvent(file, tournament.players, grand_prix_of(tournament)))
    with ended_by(Refused, where="season"):
        people = people_of(events, chosen.same, chosen.apart)
    for question in people.questions:
        print(one_line(f"season: {question}"), file=sys.stderr)
    print(report(people, chosen.json))
    return DONE
