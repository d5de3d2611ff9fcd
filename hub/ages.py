"""Ages of events, counted by the machine's running time and kept over restarts of the hub.

The wall clock may be wrong, and may be set while the hub runs: it counts only for the time while the machine was off,
which nothing else measures, and never backwards.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from flagfall.base.private_file import read_json, write_private

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
# The most running time that a lost power supply may take back.
WRITTEN_AFTER_NS = 600 * 1_000_000_000


def this_boot() -> str:
    """Return the kernel's name of this run of the machine; "" if it has none."""
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except (OSError, ValueError):
        return ""


@dataclass(frozen=True, slots=True)
class MachineClock:
    """The clocks of the machine: the time since it was switched on, sleep included, and the time of day."""

    boot: str
    since_boot_ns: Callable[[], int]
    wall_ns: Callable[[], int]


def machine_clock() -> MachineClock:
    """Return the clock of this machine."""
    return MachineClock(this_boot(), lambda: time.clock_gettime_ns(time.CLOCK_BOOTTIME), time.time_ns)


class _Aged(msgspec.Struct, frozen=True):
    age_ns: Annotated[int, msgspec.Meta(ge=0)]
    note: str = ""


class _File(msgspec.Struct, frozen=True):
    boot: str = ""
    since_boot_ns: int = 0  # when the file was written
    wall_ns: int = 0  # likewise
    aged: dict[str, _Aged] = {}


class Ages:
    """Ages by key, each with a note, in the file `path` (mode 0600); those of `longest_ns` and more are deleted."""

    def __init__(self, path: Path, clock: MachineClock, longest_ns: int) -> None:
        self._path = path
        self._clock = clock
        self._longest_ns = longest_ns
        kept = read_json(path, _File)
        now_ns = clock.since_boot_ns()
        # Of this run of the machine the kernel counts; else the wall clock says how long it was off.
        same_run = bool(clock.boot) and kept.boot == clock.boot
        away_ns = now_ns - kept.since_boot_ns if same_run else clock.wall_ns() - kept.wall_ns
        self._notes = {key: aged.note for key, aged in kept.aged.items()}
        self._begun_ns = {key: now_ns - aged.age_ns - max(0, away_ns) for key, aged in kept.aged.items()}
        self._written_ns = now_ns
        if self._begun_ns and not same_run:
            self.write()  # from now on the kernel counts
        self.keep_up()

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes by key, oldest key first."""
        return self._notes

    def begin(self, key: str, note: str = "", age_ns: int = 0) -> None:
        """Count the age of `key` from now, or from `age_ns` ago."""
        self._notes[key] = note
        self._begun_ns[key] = self._clock.since_boot_ns() - age_ns
        self.write()

    def age_ns(self, key: str) -> int | None:
        """Return the age; None if the key is not known, or too old."""
        if key not in self._begun_ns:
            return None
        age_ns = self._clock.since_boot_ns() - self._begun_ns[key]
        return age_ns if age_ns < self._longest_ns else None

    def forget(self, keys: Collection[str]) -> None:
        """Delete these keys, in the file too."""
        present = [key for key in keys if key in self._begun_ns]
        for key in present:
            del self._begun_ns[key], self._notes[key]
        if present:
            self.write()

    def keep_up(self) -> None:
        """Delete what has become too old, and write the ages down from time to time."""
        self.forget([key for key in self._begun_ns if self.age_ns(key) is None])
        if self._begun_ns and self._clock.since_boot_ns() - self._written_ns >= WRITTEN_AFTER_NS:
            self.write()

    def write(self) -> None:
        """Write the file. If the disk fails, the last one counts at the next start, its ages grown by the time since
        then."""
        now_ns = self._clock.since_boot_ns()
        self._written_ns = now_ns
        aged = {
            key: {"age_ns": max(0, now_ns - begun_ns), "note": self._notes[key]}
            for key, begun_ns in self._begun_ns.items()
        }
        content = {
            "boot": self._clock.boot,
            "since_boot_ns": now_ns,
            "wall_ns": self._clock.wall_ns(),
            "aged": aged,
        }
        with contextlib.suppress(OSError):
            write_private(self._path, json.dumps(content).encode())
