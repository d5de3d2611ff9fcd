"""What every command of `flagfall-table` has in common."""

from __future__ import annotations

import argparse


class CommandError(Exception):
    """One line for standard error; the program ends with status 2."""


def parser_of(command: str, says: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog=f"flagfall-table {command}", description=says)
