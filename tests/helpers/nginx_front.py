"""A venue's nginx in front of a test's hub: the installed site file with other folders and ports."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

from helpers.waiting import PATIENCE_S, until
from simulator.program import free_port

SITE = Path(__file__).parents[2] / "systemd" / "flagfall-nginx.conf"


class Nginx:
    """A server for the hub in the state directory `state`. `folder` stands for the folders that systemd makes for
    nginx.
    """

    def __init__(self, folder: Path, state: Path) -> None:
        self.folder = folder
        self.port, self.tls_port = free_port(), free_port()
        self.process: subprocess.Popen[bytes] | None = None
        text = SITE.read_text("utf-8")
        for there, here in (
            ("/var/lib/flagfall", str(state)),
            ("/run/flagfall-web", str(folder)),
            ("/var/cache/flagfall-web", str(folder)),
            ("listen 8000 ", f"listen 127.0.0.1:{self.port} "),
        ):
            assert there in text
            text = text.replace(there, here)
        if os.geteuid() == 0:
            # Else its workers would give up root's rights, and with them those to files of a temporary folder.
            text = f"user root;\n{text}"
        folder.mkdir(exist_ok=True)
        self.site = folder / "nginx.conf"
        self.site.write_text(text, "utf-8")

    def tested(self) -> subprocess.CompletedProcess[str]:
        """Return the outcome of `nginx -t`."""
        command = ["nginx", "-t", "-c", str(self.site)]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    def start(self, before: Callable[[], None] | None = None) -> None:
        """Start nginx. `before` runs in the new process."""
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                ["nginx", "-c", str(self.site)], stdout=log, stderr=log, preexec_fn=before
            )

        def listens() -> bool:
            assert self.process is not None and self.process.poll() is None, self.lines()
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return True
            return False

        until(listens, "nginx")

    def lines(self) -> str:
        return (self.folder / "log").read_text("utf-8")

    def reload(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGHUP)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(PATIENCE_S)
            self.process = None
