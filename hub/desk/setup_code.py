"""The one-time set-up code with which the first director makes an account: printed, and in a file of the hub's
folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from flagfall.base.errors import Failed
from flagfall.base.private_file import write_private
from flagfall.link.enrolment import new_code

FILE_NAME = "setup-code"
# A file with the code to use instead of a random one: for a hub's card, which has no screen to show it.
GIVEN_NAME = "setup-code.given"
LENGTH = 8


@dataclass(slots=True)
class SetupCode:
    """The one-time code."""

    code: str
    used: Callable[[], None]  # is called when the code has been used


def new_setup(folder: Path, needed: bool) -> SetupCode:
    """Return a new code if it is `needed`; its file is removed when the code is used. Failed if it cannot be
    written."""
    file = folder / FILE_NAME
    try:
        if not needed:
            file.unlink(missing_ok=True)
            return SetupCode("", lambda: None)
        code = _given_code(folder) or new_code(LENGTH)
        write_private(file, f"{code}\n".encode())
    except OSError as fault:
        raise Failed(f"{file}: expected a file to write the code to: {fault.strerror}") from None
    return SetupCode(code, lambda: file.unlink(missing_ok=True))


def _given_code(folder: Path) -> str:
    try:
        return (folder / GIVEN_NAME).read_text("ascii").strip()
    except (FileNotFoundError, ValueError):
        return ""
