"""The command `flagfall-table`. The modules of a command are imported only when it runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from flagfall.base.command_line import Parser, ran

COMMANDS = {
    "run": ("table_app.run_command:run", "be the appliance at a table"),
    "doctor": ("table_app.tools.doctor:checked", "find out whether this device is fit for play"),
    "board": ("table_app.conformance.command:board", "try a board of any make against the protocol"),
    "enrol": ("table_app.hub_link.enrol:enrol_command", "become one of a hub's tables"),
    "replay": ("table_app.tools.replay:replay", "judge a recorded game again"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Return 0: done; 1: the answer is no; 2: bad arguments or input (one line on standard error)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = Parser(prog="flagfall-table", description="The clock and judge at one table.")
    return ran(parser, COMMANDS, words, "|".join(COMMANDS))


if __name__ == "__main__":
    sys.exit(main())
