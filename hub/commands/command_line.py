"""What the commands of `flagfall-hub` have in common."""

from __future__ import annotations

import argparse

DONE = 0
THE_ANSWER_IS_NO = 1
BAD_INPUT = 2


class CommandError(Exception):
    """One line for standard error; the program ends with status 2."""


class Parser(argparse.ArgumentParser):
    """Bad arguments end in one line like any other bad input; argparse would print its usage first."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise CommandError(message)
