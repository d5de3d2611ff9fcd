"""The PINs that open the judge's corner of this table, and the file of the one chosen on its screen."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from flagfall.base.pin import is_pin
from table_app.config import Config

# In the state directory, mode 0600 (`table_app.record.journal.SyncedDisk`).
FILE_NAME = "judge-pin"


@dataclass(frozen=True, slots=True)
class Pins:
    """The PINs of the table judge and the director, 4 to 8 digits each; "" for none."""

    judge: str = field(default="", repr=False)
    director: str = field(default="", repr=False)
    # A table without a hub: its first PIN is chosen on its screen. Since no director comes there, the judge's PIN then
    # also opens what is the director's, unless there is a director's PIN.
    alone: bool = False


def pins_of(config: Config) -> Pins:
    """Return the configured PINs; at a table without a hub also the one chosen on its screen, if there is one."""
    alone = not config.broker_host
    judge = config.judge_pin or (kept(config.state_dir) if alone else "")
    return Pins(judge, config.director_pin, alone)


def kept(state_dir: Path) -> str:
    """Return the PIN chosen on the screen, "" for none. An invalid one opens nothing, and another may be chosen."""
    try:
        pin = (state_dir / FILE_NAME).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return pin if is_pin(pin) else ""
