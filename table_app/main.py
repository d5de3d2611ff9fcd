"""`flagfall-table`: chooses the command. The modules of a command are imported only when it runs."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence

from link.command_line import BAD_INPUT, DONE, CommandError, Parser

COMMANDS = {
    "run": "be the appliance at a table",
    "doctor": "find out whether this device is fit for play",
    "enrol": "become one of a hub's tables",
    "replay": "judge a recorded game again",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. Returns 0: done; 1: the answer is no; 2: bad arguments or input (one line on standard
    error)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--version"]:
        from importlib.metadata import version

        print(version("flagfall"))
        return DONE
    try:
        if not given or given[0] not in COMMANDS:
            _parser().parse_args(given)  # help, or a usage error
        status = _command(given[0])(given[1:])
        sys.stdout.flush()
        return status
    except CommandError as fault:
        print(fault, file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # The reader has closed the pipe, as `head` does: what is still written, at the program's end too, goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def _parser() -> Parser:
    parser = Parser(prog="flagfall-table", description="The clock and judge at one table.")
    parser.add_argument("--version", action="store_true", help="tell the version and end")
    commands = parser.add_subparsers(required=True, metavar="|".join(COMMANDS))
    for name, says in COMMANDS.items():
        commands.add_parser(name, help=says, add_help=False)
    return parser


def _command(name: str) -> Callable[[Sequence[str]], int]:
    """The function of a command, imported now."""
    gc.disable()  # nothing that is imported is garbage, and looking for some takes time
    try:
        match name:
            case "run":
                from table_app.run_command import run as command
            case "doctor":
                from table_app.health.doctor import checked as command
            case "enrol":
                from table_app.hub_link.enrol import enrol_command as command
            case _:
                from table_app.tools.replay import replay as command
        return command
    finally:
        gc.freeze()
        gc.enable()


if __name__ == "__main__":
    sys.exit(main())
