"""The common parts of the commands of `flagfall-hub`."""

from __future__ import annotations

import argparse

DONE = 0
THE_ANSWER_IS_NO = 1
BAD_INPUT = 2


class CommandError(Exception):
    """One line for standard error; the program ends with status 2."""


class Parser(argparse.ArgumentParser):
    """Reports bad arguments in one line like other bad input; argparse would print its usage first."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise CommandError(message)
