"""The hub's own broker: mosquitto as a child process, started, told who may enter, and started again when it ends.

Its files lie in a folder of its own, readable by its user alone. `sync` writes the passwords again and mosquitto reads
them (SIGHUP): who is not in them any more is out at once, without his will, and nobody else notices.
"""

from __future__ import annotations

import asyncio
import errno
import os
import pwd
import shutil
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from flagfall.base.errors import Failed
from flagfall.base.private_file import write_private
from flagfall.link.client.backoff import delay_s
from hub.broker.mosquitto import can_enter, club_settings, password_line

_READY = b" running"
_READY_WITHIN_S = 30.0
_STOPS_WITHIN_S = 5.0
_TRIES = 5
_STEADY_S = 30.0
_LINES_A_MINUTE = 10
_DEBIANS_PORT = 1883
# The users that may run it where the hub is root: the first that this machine knows.
_USERS = ("mosquitto", "nobody")


@dataclass(eq=False)
class BrokerChild:
    """A broker that runs from `start` to `stop`; `keep_up`, in a task of its own, starts it again whenever it ends."""

    program: Path
    folder: Path
    passwords: Callable[[], Mapping[str, str]]  # returns user and password of all who may enter
    access: Callable[[], str]  # returns mosquitto's access list
    log: Callable[[str, str], None]
    random: Random

    def __post_init__(self) -> None:
        self._owner = _unprivileged()
        self._lines: dict[tuple[str, str], str] = {}
        self._where = ("", 0)
        self._process: asyncio.subprocess.Process | None = None
        self._ready = asyncio.Event()
        self._pipe: int | None = None
        self._said = b""
        self._last = ""
        self._logged_s: deque[float] = deque(maxlen=_LINES_A_MINUTE)

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> int:
        """Start the broker and return its port, at which it accepts connections (`port` 0: any free one). Failed if it
        cannot listen."""
        for left in reversed(range(1 if port else _TRIES)):
            self._where = (host, _free(host, port))
            try:
                await self._start()
                break
            except Failed:
                if not left:  # between being found free and being used, a port can be taken
                    raise
        return self._where[1]

    async def keep_up(self) -> None:
        """Start the broker again whenever it has ended, at the same port, until cancelled."""
        attempt, since_s = 0, time.monotonic()
        while True:
            if self._process is not None:
                status = await self._process.wait()
                self.log("error", f"broker ended status={status} said={self._last!r}")
            attempt = 0 if time.monotonic() - since_s > _STEADY_S else attempt + 1
            if attempt > 1:
                await asyncio.sleep(delay_s(attempt - 1, self.random))
            since_s = time.monotonic()
            try:
                await self._start()
                self.log("info", "broker started again")
            except Failed as failure:
                self.log("error", str(failure))

    async def stop(self) -> None:
        """End the broker and all connections; the port is free then. Harmless when not started."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.terminate()
            try:
                async with asyncio.timeout(_STOPS_WITHIN_S):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()
        self._stop_hearing()

    def sync(self) -> None:
        """Write access list and passwords anew after a change of devices or events, and make mosquitto read them."""
        if self._process is None or not self._ready.is_set():
            return  # `_start` does it
        try:
            self._put("acl", self.access())
            self._write_passwords()
        except OSError as failure:
            self.log("error", f"broker: {self.folder}: cannot be written: {failure.strerror}")
            return
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGHUP)

    async def _start(self) -> None:
        self._ready.clear()
        self._stop_hearing()
        try:
            self._write_files()
        except OSError as failure:
            raise Failed(f"broker: {self.folder}: cannot be written: {failure.strerror}") from None
        self._pipe, writing = os.pipe()
        # A log that nobody reads for a while must not stop the broker: what does not fit is lost.
        os.set_blocking(writing, False)
        asyncio.get_running_loop().add_reader(self._pipe, self._hear)
        try:
            # The folder is entered before the user is changed: the hub's own state stays closed to the broker.
            self._process = await asyncio.create_subprocess_exec(
                *_command(self.program, self._owner),
                cwd=self.folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=writing,
                start_new_session=True,  # a Ctrl-C is for the hub, which ends it in good order
            )
        except OSError as failure:
            raise Failed(f"broker: {self.program}: cannot be run: {failure.strerror}") from None
        finally:
            os.close(writing)
        waits = [asyncio.ensure_future(wait) for wait in (self._ready.wait(), self._process.wait())]
        try:
            await asyncio.wait(waits, timeout=_READY_WITHIN_S, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        if self._process.returncode is not None or not self._ready.is_set():
            self._hear()
            await self.stop()
            host, port = self._where
            raise Failed(f"broker: cannot listen on {host}:{port}: {self._last or 'no answer'}")
        self.sync()  # who may enter can have changed meanwhile

    def _write_files(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        self._put("mosquitto.conf", club_settings(*self._where))
        self._put("acl", self.access())
        self._write_passwords()
        if self._owner is not None:
            os.chown(self.folder, *self._owner)

    def _write_passwords(self) -> None:
        """Write the password file. Each line is made once: the same password stays under the same salt."""
        entering = {login for login in self.passwords().items() if can_enter(login[0])}
        self._lines = {login: self._lines.get(login) or password_line(*login) for login in entering}
        self._put("passwords", "".join(f"{line}\n" for line in self._lines.values()))

    def _put(self, name: str, content: str) -> None:
        write_private(self.folder / name, content.encode(), self._owner)

    def _hear(self) -> None:
        """Read mosquitto's log lines: readiness, and faults, of which a few a minute are logged."""
        if self._pipe is None:
            return
        os.set_blocking(self._pipe, False)
        try:
            data = os.read(self._pipe, 1 << 16)
        except BlockingIOError:
            return
        if not data:
            self._stop_hearing()
        *lines, self._said = (self._said + data).split(b"\n")
        for line in lines:
            stamp, _, rest = line.partition(b": ")  # mosquitto's lines begin with seconds since 1970
            text = (rest if stamp.isdigit() else line).decode(errors="replace")
            if line.endswith(_READY):
                self._ready.set()
            elif not stamp.isdigit() or text.startswith(("Error", "Warning", "Out of memory")):
                self._last = text[:300]
                now_s = time.monotonic()
                if len(self._logged_s) < _LINES_A_MINUTE or now_s - self._logged_s[0] > 60:
                    self._logged_s.append(now_s)
                    self.log("warning", f"broker says {self._last!r}")

    def _stop_hearing(self) -> None:
        if self._pipe is not None:
            asyncio.get_running_loop().remove_reader(self._pipe)
            os.close(self._pipe)
            self._pipe = None
        self._said = b""


def _command(program: Path, owner: tuple[int, int] | None) -> list[str]:
    """Return the command with setpriv (util-linux): the broker dies with the hub, however that ends, and is never
    root."""
    command = [str(program), "-c", "mosquitto.conf"]
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return command
    identity = [f"--reuid={owner[0]}", f"--regid={owner[1]}", "--clear-groups"] if owner is not None else []
    return [setpriv, "--pdeathsig", "KILL", "--no-new-privs", *identity, *command]


def _unprivileged() -> tuple[int, int] | None:
    """Return user and group for the broker; None where this program is not root, and the broker is its own user's."""
    if os.geteuid() != 0:
        return None
    for name in _USERS:
        with suppress(KeyError):
            account = pwd.getpwnam(name)
            return account.pw_uid, account.pw_gid
    return None


def _free(host: str, port: int) -> int:
    """Return `port`, or any free one for 0. Failed if it is taken, or cannot be had."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with closing(socket.socket(family, kind)) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
            trial.listen()
            return int(trial.getsockname()[1])
    except OSError as failure:
        why = failure.strerror or failure
        if failure.errno == errno.EADDRINUSE and port == _DEBIANS_PORT:
            why = f"{why} (by Debian's own mosquitto? systemctl disable --now mosquitto; else another broker_port)"
        raise Failed(f"broker: cannot listen on {host}:{port}: {why}") from None
