"""The choice of the virtual boards of a room: the real firmware, in MicroPython itself if that is installed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from msgspec import Struct

from flagfall.othello.board import START
from simulator.board_model import BoardModel
from simulator.firmware_body import Firmware, FirmwareBody, InMicroPython, InThisProcess
from simulator.plain_body import PlainBody
from simulator.virtual_board import BoardBody

# Most boards in MicroPython. Each is a node process: 60 MB and a twentieth of a core.
MOST_IN_MICROPYTHON = 4
# Most boards that run the firmware. Each takes up to a hundredth of a core of the demo's own process, whose hands must
# stay on time.
MOST_FIRMWARES = 16
_PACKAGE = Path("node_modules/@micropython/micropython-webassembly-pyscript")


class Boards(Struct, frozen=True):
    """The kind of boards of a room."""

    # Ends the sentence "boards ..." on the screen.
    description: str
    # Makes the body of the board with this number.
    body: Callable[[int], BoardBody]


def plain(number: int) -> BoardBody:
    """Return a board that speaks the protocol itself."""
    return PlainBody(identity(number), START)


def identity(number: int) -> str:
    return f"{number:016x}"


def micropython(environment: Mapping[str, str]) -> Path | None:
    """Return the folder of MicroPython's npm package, from `FLAGFALL_MICROPYTHON` or the tests, or None without it."""
    home = Path(environment.get("FLAGFALL_MICROPYTHON", Path(sys.prefix) / "micropython"))
    package = home / _PACKAGE
    return package if shutil.which("node") and package.is_dir() else None


def boards_for(tables: int, environment: Mapping[str, str] = os.environ) -> Boards:
    """Return the most realistic boards that this machine can run for so many tables."""
    if tables > MOST_FIRMWARES:
        return Boards(f"that speak as the firmware does (it runs in {MOST_FIRMWARES} at most)", plain)
    package = micropython(environment)
    if package is None:
        return Boards("that run the firmware, in CPython: no MicroPython is installed", _firmware)
    if tables > MOST_IN_MICROPYTHON:
        return Boards(
            f"that run the firmware, in CPython ({MOST_IN_MICROPYTHON} at most in MicroPython)", _firmware
        )
    return Boards("that run the firmware, in MicroPython", partial(_firmware, package=package))


def _firmware(number: int, package: Path | None = None) -> BoardBody:
    def starts(named: bytes, stored: str | None, now_us: int) -> Firmware:
        return (
            InThisProcess(named, stored, now_us) if package is None else InMicroPython(package, named, stored)
        )

    return FirmwareBody(identity(number), START, model=BoardModel(seed=number), starts=starts)
