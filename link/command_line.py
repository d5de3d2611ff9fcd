"""What the commands of all programs have in common: exit statuses, and one line for what is wrong."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

DONE = 0
THE_ANSWER_IS_NO = 1
BAD_INPUT = 2


class CommandError(Exception):
    """One line for standard error; the program ends with status 2."""


class Parser(argparse.ArgumentParser):
    """Reports bad arguments in one line like other bad input; argparse would print its usage first."""

    def error(self, message: str) -> NoReturn:
        raise CommandError(message)


@contextmanager
def ended_by(*faults: type[Exception], where: object = "") -> Iterator[None]:
    """These faults end the command, with `where` before them. Also a decorator."""
    try:
        yield
    except faults as fault:
        raise CommandError(f"{where}: {fault}" if where else str(fault)) from None
