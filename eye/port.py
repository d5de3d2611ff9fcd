"""The eye's end of the cable: a pty, which the table program opens as it opens a board's port."""

from __future__ import annotations

import os
import select
import tty
from pathlib import Path


class Pty:
    """`path` is a symbolic link to the pty while it is open. OSError where it cannot be made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._master, self._slave = os.openpty()
        # The slave's end is held too, so that the pty outlives a host that opens and closes it.
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._target = os.ttyname(self._slave)
        try:
            if path.is_symlink():
                path.unlink()
            path.symlink_to(self._target)
        except OSError:
            os.close(self._master)
            os.close(self._slave)
            raise

    def read(self, within_s: float) -> bytes:
        """The host's bytes, empty if none came in time."""
        ready, _, _ = select.select([self._master], [], [], within_s)
        return os.read(self._master, 4096) if ready else b""

    def write(self, data: bytes) -> None:
        """Whole frames; dropped like the real board's where nobody reads."""
        for frame in filter(None, data.split(b"\0")):
            try:
                os.write(self._master, frame + b"\0")
            except BlockingIOError:
                return

    def close(self) -> None:
        if self.path.is_symlink() and str(self.path.readlink()) == self._target:
            self.path.unlink()
        os.close(self._master)
        os.close(self._slave)
