"""Commands on a tournament file alone: `flagfall-hub rank`, `pair`, `check`, `finals` and `entry`.

Each imports what it needs: the pairing's libraries take longer to load than the standings to compute.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

from hub.commands.command_line import DONE, THE_ANSWER_IS_NO, CommandError, Parser
from hub.formats.source import read_source
from hub.formats.tournament_file import bq_constant_from_text, read_tournament
from hub.text import FormatError
from hub.tournament import Tournament


def _parser(name: str) -> Parser:
    parser = Parser(prog=f"flagfall-hub {name}")
    parser.add_argument("file", metavar="FILE", help="a flagfall-tournament/1 file")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    return parser


def _tournament(path: str) -> Tournament:
    try:
        return read_tournament(read_source(path))
    except FormatError as fault:
        raise CommandError(f"{path}: {fault}") from None


def _bq_constant(said: str) -> Fraction | None:
    try:
        return bq_constant_from_text(said)
    except (ValueError, ZeroDivisionError):
        raise CommandError(f"--bq-constant: expected a number or 64/rounds, got {said[:40]!r}") from None


def rank(arguments: Sequence[str]) -> int:
    from hub.ranking.rank_report import rank as told

    parser = _parser("rank")
    parser.add_argument(
        "--bq-constant",
        metavar="6|N|64/rounds",
        help="C of the Brightwell quotient, before the file's own bq_constant",
    )
    chosen = parser.parse_args(arguments)
    tournament = _tournament(chosen.file)
    if chosen.bq_constant is not None:
        tournament = dataclasses.replace(tournament, bq_constant=_bq_constant(chosen.bq_constant))
    print(told(tournament, chosen.json))
    return DONE


def pair(arguments: Sequence[str]) -> int:
    from hub.commands.pairing import pair as told
    from hub.pairing.round import PairingError

    chosen = _parser("pair").parse_args(arguments)
    try:
        print(told(_tournament(chosen.file), chosen.json))
    except PairingError as fault:
        raise CommandError(f"{chosen.file}: {fault}") from None
    return DONE


def check(arguments: Sequence[str]) -> int:
    from hub.commands.pairing import check as told
    from hub.pairing.round import PairingError

    chosen = _parser("check").parse_args(arguments)
    try:
        text, optimal = told(_tournament(chosen.file), chosen.json)
    except ModuleNotFoundError as missing:
        raise CommandError(f"check: expected {missing.name}: pip install 'flagfall[check]'") from None
    except PairingError as fault:
        raise CommandError(f"{chosen.file}: {fault}") from None
    print(text)
    return DONE if optimal else THE_ANSWER_IS_NO


def entry(arguments: Sequence[str]) -> int:
    from hub.entries.check import entry as told

    chosen = _parser("entry").parse_args(arguments)
    text, fit = told(_tournament(chosen.file), chosen.json)
    print(text)
    return DONE if fit else THE_ANSWER_IS_NO


def finals(arguments: Sequence[str]) -> int:
    from hub.ranking.finals_report import finals as told

    chosen = _parser("finals").parse_args(arguments)
    try:
        print(told(_tournament(chosen.file), chosen.json))
    except FormatError as fault:
        raise CommandError(f"{chosen.file}: {fault}") from None
    return DONE
