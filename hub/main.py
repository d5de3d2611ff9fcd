"""`flagfall-hub`: the hub itself (`run`), and what can be told of a tournament from its file alone."""

from __future__ import annotations

import argparse
import dataclasses
import io
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction

from hub.formats.errors import FormatError, one_line
from hub.formats.source import read_source
from hub.formats.tournament_file import bq_constant_from_text, read_tournament
from hub.tournament import Tournament

DONE = 0
THE_ANSWER_IS_NO = 1
BAD_INPUT = 2
_KEEPING = {
    "verify": "the ledger end to end, and the receipts that tables keep",
    "backup": "ledger, devices and keys in one file, while the hub runs",
    "restore": "a hub from a backup",
}


class CommandError(Exception):
    """One line for standard error; the program ends with status 2."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the exit status is 0 done, 1 the answer is no, 2 bad arguments or bad input."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given[:1] == ["run"]:
            return _run(given[1:])
        if given[:1] == ["account"]:
            return _account(given[1:])
        if given and given[0] in _KEEPING:
            return _keep(given[0], given[1:])
        if given[:1] == ["venue"]:
            return _venue(given[1:])
        if given[:1] == ["update"]:
            return _update(given[1:])
        chosen = _parser().parse_args(given)
        command: Callable[[argparse.Namespace], int] = chosen.command
        return command(chosen)
    except CommandError as fault:
        print(one_line(f"flagfall-hub: {fault}"), file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        sys.stderr.close()
        return DONE


class _Parser(argparse.ArgumentParser):
    """Bad arguments end in one line like any other bad input; argparse would print its usage first."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise CommandError(message)


def _parser() -> argparse.ArgumentParser:
    from hub.file_commands import add_export_arguments, add_import_arguments

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

    _file_command(commands, "entry", "the entries held against the rulebook, with its clauses", _entry)

    importing = commands.add_parser("import", help="a tournament file from .ELO, Papp, .wtb or CSV")
    add_import_arguments(importing)
    importing.set_defaults(command=_import)
    exporting = commands.add_parser(
        "export", help=".ELO, WTHOR, GGF, transcripts or CSV from a tournament file"
    )
    add_export_arguments(exporting)
    exporting.set_defaults(command=_export)
    commands.add_parser("run", help="the hub itself: broker, ledger, page", add_help=False)
    commands.add_parser("account", help="who may use the console", add_help=False)
    commands.add_parser("update", help="the version that tables are to run", add_help=False)
    commands.add_parser("venue", help="a venue's own broker, certificates and tables", add_help=False)
    for name, help_ in _KEEPING.items():
        commands.add_parser(name, help=help_, add_help=False)
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
    from hub.pairing.commands import pair
    from hub.pairing.pairing import PairingError

    try:
        print(pair(_tournament(chosen.file), chosen.json))
    except PairingError as fault:
        raise CommandError(f"{chosen.file}: {fault}") from None
    return DONE


def _check(chosen: argparse.Namespace) -> int:
    from hub.pairing.commands import check
    from hub.pairing.pairing import PairingError

    try:
        text, optimal = check(_tournament(chosen.file), chosen.json)
    except PairingError as fault:
        raise CommandError(f"{chosen.file}: {fault}") from None
    print(text)
    return DONE if optimal else THE_ANSWER_IS_NO


def _entry(chosen: argparse.Namespace) -> int:
    from hub.entry_report import entry

    text, fit = entry(_tournament(chosen.file), chosen.json)
    print(text)
    return DONE if fit else THE_ANSWER_IS_NO


def _finals(chosen: argparse.Namespace) -> int:
    from hub.ranking.finals_report import finals

    try:
        print(finals(_tournament(chosen.file), chosen.json))
    except FormatError as fault:
        raise CommandError(f"{chosen.file}: {fault}") from None
    return DONE


def _import(chosen: argparse.Namespace) -> int:
    from hub.file_commands import import_files

    try:
        return import_files(chosen)
    except FormatError as fault:
        raise CommandError(str(fault)) from None


def _export(chosen: argparse.Namespace) -> int:
    from hub.file_commands import export_file, export_game, is_game_file

    try:
        data = read_source(chosen.file)
        if is_game_file(data):
            return export_game(data.decode("utf-8", "replace"), chosen)
        return export_file(read_tournament(data), chosen)
    except FormatError as fault:
        raise CommandError(f"{chosen.file}: {fault}") from None


def _account(arguments: Sequence[str]) -> int:
    from hub.console.account_commands import account
    from hub.console.accounts import AccountError

    try:
        return account(arguments)
    except AccountError as fault:
        raise CommandError(str(fault)) from None


def _keep(command: str, arguments: Sequence[str]) -> int:
    from hub.keeping_commands import KeepingError, keep

    try:
        return keep(command, arguments)
    except KeepingError as fault:
        raise CommandError(str(fault)) from None


def _venue(arguments: Sequence[str]) -> int:
    from hub.venue_commands import VenueCommandError, venue_command

    try:
        venue_command(arguments)
    except VenueCommandError as fault:
        raise CommandError(str(fault)) from None
    return DONE


def _update(arguments: Sequence[str]) -> int:
    from hub.update_command import UpdateCommandError, update

    try:
        update(arguments)
    except UpdateCommandError as fault:
        raise CommandError(str(fault)) from None
    return DONE


def _run(arguments: Sequence[str]) -> int:
    from hub import service

    status: int = service.run(arguments)
    return status


if __name__ == "__main__":
    sys.exit(main())
