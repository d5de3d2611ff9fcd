"""`flagfall-hub`: the hub itself (`run`), and what can be told of a tournament from its file alone."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

from hub.formats.errors import FormatError
from hub.formats.source import read_source
from hub.formats.tournament_file import bq_constant_from_text, read_tournament
from hub.tournament import Tournament

DONE = 0
THE_ANSWER_IS_NO = 1
BAD_INPUT = 2


class CommandError(Exception):
    """One line for standard error; the program ends with status 2."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the exit status is 0 done, 1 the answer is no, 2 bad arguments or bad input."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given[:1] == ["run"]:
            return _run(given[1:])
        chosen = _parser().parse_args(given)
        command: Callable[[argparse.Namespace], int] = chosen.command
        return command(chosen)
    except CommandError as fault:
        print(f"flagfall-hub: {fault}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        sys.stderr.close()
        return DONE


class _Parser(argparse.ArgumentParser):
    """Bad arguments end in one line like any other bad input; argparse would print its usage first."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise CommandError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="flagfall-hub", description="The hub of an Othello tournament.")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    rank = _file_command(commands, "rank", "standings of a tournament file", _rank)
    rank.add_argument(
        "--bq-constant",
        metavar="6|N|64/rounds",
        help="C of the Brightwell quotient, before the file's own bq_constant",
    )
    _file_command(commands, "pair", "the next round of a tournament file", _pair)
    _file_command(commands, "finals", "all final lists as they stand, and what is due next", _finals)
    _file_command(commands, "check", "every round of the file against the best one possible", _check)

    commands.add_parser("run", help="the hub itself: broker, ledger, page", add_help=False)
    return parser


def _file_command(
    commands: argparse._SubParsersAction[_Parser],
    name: str,
    help_: str,
    command: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=help_, description=help_)
    parser.add_argument("file", metavar="FILE", help="a flagfall-tournament/1 file")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.set_defaults(command=command)
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


def _rank(chosen: argparse.Namespace) -> int:
    from hub.ranking.rank_report import rank

    tournament = _tournament(chosen.file)
    if chosen.bq_constant is not None:
        tournament = dataclasses.replace(tournament, bq_constant=_bq_constant(chosen.bq_constant))
    print(rank(tournament, chosen.json))
    return DONE


def _pair(chosen: argparse.Namespace) -> int:
    from hub.pairing import commands

    try:
        print(commands.pair(_tournament(chosen.file), chosen.json))
    except ValueError as fault:
        raise CommandError(f"{Path(chosen.file)}: {fault}") from None
    return DONE


def _check(chosen: argparse.Namespace) -> int:
    from hub.pairing import commands

    try:
        text, optimal = commands.check(_tournament(chosen.file), chosen.json)
    except ValueError as fault:
        raise CommandError(f"{Path(chosen.file)}: {fault}") from None
    print(text)
    return DONE if optimal else THE_ANSWER_IS_NO


def _finals(chosen: argparse.Namespace) -> int:
    from hub.ranking.finals_report import finals

    try:
        print(finals(_tournament(chosen.file), chosen.json))
    except FormatError as fault:
        raise CommandError(f"{chosen.file}: {fault}") from None
    return DONE


def _run(arguments: Sequence[str]) -> int:
    from hub import service

    status: int = service.run(arguments)
    return status


if __name__ == "__main__":
    sys.exit(main())
