"""The PINs that open the judge's corner of this table, and the file of the one chosen on its screen."""

from __future__ import annotations

from pathlib import Path

from link.pin import is_pin
from table_app.config import Config
from table_app.screen.state.dialog import Pins

FILE_NAME = "judge-pin"
"""In the state directory, mode 0600 (`table_app.record.writer.SyncedDisk`)."""


def pins_of(config: Config) -> Pins:
    """The configured PINs; at a table without a hub else the one chosen on its screen, if there is one."""
    alone = not config.broker_host
    judge = config.judge_pin or (kept(config.state_dir) if alone else "")
    return Pins(judge, config.director_pin, alone)


def kept(state_dir: Path) -> str:
    """The PIN chosen on the screen, "" for none. An invalid one opens nothing, and another may be chosen."""
    try:
        found = (state_dir / FILE_NAME).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return found if is_pin(found) else ""
