"""`flagfall-hub`: chooses the command; its modules are imported only when it runs."""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial

from link.command_line import BAD_INPUT, DONE, CommandError, Parser

COMMANDS = {
    "rank": "standings of a tournament file",
    "pair": "the next round of a tournament file",
    "finals": "all final lists as they stand, and what is due next",
    "check": "every round of the file against the best one possible",
    "entry": "the entries held against the rulebook, with its clauses",
    "import": "a tournament file from .ELO, Papp, .wtb or CSV",
    "export": ".ELO, WTHOR, GGF, transcripts or CSV from a tournament file",
    "run": "the hub itself: broker, ledger, page",
    "account": "who may use the console",
    "update": "the version that tables are to run",
    "venue": "a venue's own broker, certificates and tables",
    "cards": "one settings file for each card of a room",
    "verify": "the ledger end to end, and the receipts that tables keep",
    "backup": "ledger, devices and keys in one file, while the hub runs",
    "restore": "a hub from a backup",
}


_WITH_ACTIONS = ("account", "venue")
"""Commands whose second word is the action; options before it must not be taken for it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; exit status 0: done; 1: the answer is no; 2: bad arguments or bad input."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given == ["--version"]:
            from importlib.metadata import version

            print(version("flagfall"))
            return DONE
        given = _in_order(given)
        if not given or given[0] not in COMMANDS:
            _parser().parse_args(given)  # help, or a usage error
        status = _command(given[0])(given[1:])
        sys.stdout.flush()
        return status
    except CommandError as fault:
        from hub.text import one_line

        print(one_line(f"flagfall-hub: {fault}"), file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # Who reads, as `head` does, has what it wanted; the rest goes nowhere, at the program's end too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def _in_order(given: Sequence[str]) -> list[str]:
    """Puts the command first, then its own arguments, then the options that locate the hub, which may stand before
    everything else."""
    if not given or given[0] in ("-h", "--help") or (given[0] in COMMANDS and given[0] not in _WITH_ACTIONS):
        return list(given)
    from hub.config import OPTIONS

    end = given.index("--") if "--" in given else len(given)
    others: list[str] = []
    where: list[str] = []
    words = iter(given[:end])
    for word in words:
        if word in OPTIONS:
            where += [word, *(next_ for next_ in (next(words, None),) if next_ is not None)]
        else:
            (where if word.partition("=")[0] in OPTIONS else others).append(word)
    command = next((word for word in others if word in COMMANDS), None)
    if command is not None and others[0].startswith("-") and others[0] not in ("-h", "--help"):
        others.remove(command)
        others.insert(0, command)
    return [*others, *where, *given[end:]]


def _parser() -> Parser:
    parser = Parser(prog="flagfall-hub", description="The hub of an Othello tournament.")
    parser.add_argument("--version", action="store_true", help="tell the version and end")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, says in COMMANDS.items():
        commands.add_parser(name, help=says, add_help=False)
    return parser


def _command(name: str) -> Callable[[Sequence[str]], int]:
    """The function of a command, imported now."""
    gc.disable()  # what is imported stays: looking through it for garbage took a seventh of the import's time
    try:
        return _imported(name)
    finally:
        gc.freeze()
        gc.enable()


def _imported(name: str) -> Callable[[Sequence[str]], int]:
    match name:
        case "rank" | "pair" | "finals" | "check" | "entry":
            from hub.commands import tournament

            command: Callable[[Sequence[str]], int] = getattr(tournament, name)
        case "import":
            from hub.commands.files import import_files as command
        case "export":
            from hub.commands.files import export as command
        case "run":
            from hub.service import run as command
        case "account":
            from hub.commands.accounts import account as command
        case "update":
            from hub.commands.update import update as command
        case "venue":
            from hub.commands.venue import venue_command as command
        case "cards":
            from hub.commands.cards import cards_command as command
        case _:
            from hub.commands.record import keep

            command = partial(keep, name)
    return command


if __name__ == "__main__":
    sys.exit(main())
