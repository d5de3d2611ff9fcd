"""A PIN of the judge's corner: its form, a new one, and how a command gets one without showing it to others."""

from __future__ import annotations

import getpass
import os
import secrets
import stat
import sys
from pathlib import Path
from typing import Any

from flagfall.base.errors import Invalid

EXPECTED = "4 to 8 digits"
LONGEST = 8
_SHORTEST = 4
_DRAWN_DIGITS = 6
_ASKED = "-"


def is_pin(value: Any) -> bool:
    return (
        isinstance(value, str) and _SHORTEST <= len(value) <= LONGEST and value.isascii() and value.isdigit()
    )


def new_pin(other: str = "") -> str:
    """Return six random digits, different from `other`. At three tries in half a minute all of them take 115 days."""
    while (drawn := f"{secrets.randbelow(10**_DRAWN_DIGITS):0{_DRAWN_DIGITS}}") == other:
        pass
    return drawn


def pin_of(place: str, option: str) -> str:
    """Return the PIN in the file `place` that `option` names, or "-": asked for at the keyboard, else the first line of
    standard input.

    Invalid for anything else, and for a file that others can read.
    """
    if place == _ASKED:
        typed = getpass.getpass(f"{option}: ") if sys.stdin.isatty() else sys.stdin.readline(64)
    else:
        typed = _first_line(Path(place), option)
    if not is_pin(typed.strip()):
        raise Invalid(option, EXPECTED)
    return typed.strip()


def _first_line(file: Path, option: str) -> str:
    try:
        with file.open(encoding="ascii") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            if stat.S_ISREG(mode) and mode & 0o077:
                raise Invalid("", "mode 0600 (chmod 600)", source=f"{option}: {file}: others can read it")
            return opened.readline(64)
    except OSError as failure:
        raise Invalid("", f"a readable file: {failure.strerror}", source=f"{option}: {file}") from None
    except UnicodeDecodeError:
        return ""


def given_openly(option: str) -> Invalid:
    """Return the refusal of an option that would carry the digits themselves."""
    return Invalid(
        option,
        f"no digits, every user of this machine sees it; put the digits into a file: {option}-file FILE",
    )
