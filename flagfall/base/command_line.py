"""The common frame of all programs' commands: their choice, exit statuses, and errors in one line."""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from flagfall.base.errors import FlagfallError

DONE = 0
THE_ANSWER_IS_NO = 1
BAD_INPUT = 2
# A module of these that is missing is a fault of the program.
_OURS = ("flagfall", "hub", "table_app", "eye", "simulator")


class CommandError(FlagfallError):
    """One line for standard error; the program ends with status 2."""


class _Version(argparse.Action):
    """Looked up only when it is asked for: that takes a dozen modules."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        print(version("flagfall"))
        parser.exit()


class Parser(argparse.ArgumentParser):
    """Reports bad arguments in one line like other bad input; argparse would print its usage first. A program, whose
    name is one word, tells its version too."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if " " not in self.prog:
            self.add_argument("--version", action=_Version, nargs=0, help="tell the version and end")

    def error(self, message: str) -> NoReturn:
        raise CommandError(message)


# By name: where its function is (`module:function`), which gets the arguments and returns the status; what it
# does.
Commands = Mapping[str, tuple[str, str]]


def ran(parser: Parser, commands: Commands, arguments: Sequence[str], metavar: str = "COMMAND") -> int:
    """Run the command with which `arguments` begin; its modules are imported only now. Bad arguments or input, and
    a part of the program's extra that is not installed, end with one line on standard error, the program's name first,
    and status 2."""
    try:
        if not arguments or arguments[0] not in commands:
            listed = parser.add_subparsers(title="commands", metavar=metavar, required=True)
            for name, (_, says) in commands.items():
                listed.add_parser(name, help=says, add_help=False)
            parser.parse_args(arguments)  # help, the version, or a usage error
        status = _imported(commands[arguments[0]][0])(arguments[1:])
        sys.stdout.flush()
        return status
    except CommandError as fault:
        print(f"{parser.prog}: {fault}", file=sys.stderr)
        return BAD_INPUT
    except ModuleNotFoundError as missing:
        part = (missing.name or "").partition(".")[0]
        if not part or part in _OURS:
            raise
        extra = parser.prog.removeprefix("flagfall-")
        print(f"{parser.prog}: expected {part}: pip install 'flagfall[{extra}]'", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # Who reads, as `head` does, has what it wanted; the rest goes nowhere, at the program's end too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def _imported(place: str) -> Callable[[Sequence[str]], int]:
    module, _, name = place.partition(":")
    gc.disable()  # what is imported stays: looking through it for garbage took a seventh of the import's time
    try:
        command: Callable[[Sequence[str]], int] = getattr(importlib.import_module(module), name)
        return command
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def ended_by(*faults: type[Exception], where: object = "") -> Iterator[None]:
    """End the command with these faults, with `where` before them. Also a decorator."""
    try:
        yield
    except faults as fault:
        raise CommandError(f"{where}: {fault}" if where else str(fault)) from None
