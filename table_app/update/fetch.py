"""Fetches a newer version from the hub and unpacks it while no game is played; it is tried at the next start.

The loop calls `UpdateFetcher` at each turn; a thread of its own fetches, and pauses during a game. The starter
(`table_app.starter`) chooses what runs.
"""

from __future__ import annotations

import hashlib
import shutil
import threading
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from http.client import HTTPException
from random import Random

from msgspec import Struct

from flagfall.base.errors import Failed, Invalid, why_unreached
from flagfall.base.message import Message
from flagfall.base.trouble import trouble
from flagfall.link.messages import Update
from flagfall.link.wheel import lacking, read_wheel, unpack
from table_app.events import Close, UpdateFetched
from table_app.log import Log
from table_app.update.versions import INSTALLED, InstalledVersions, VersionChoice, choice_bytes, name_of

# A new version must be as fit as the one before within this time.
TRIAL_NS = 60_000_000_000
AGAIN_NS = 30_000_000_000
_ANSWER_S = 20.0
_PIECE_BYTES = 1 << 16


class NoUpdates:
    """The updates as the loop needs them. A table that was not started by the starter keeps its version."""

    def __init__(self, why: str = "") -> None:
        self._why = why
        # The update's state for the hub.
        self.state: Message | None = None

    def take_order(self, order: Update) -> None:
        """Refuse the version that the hub wants to run here."""
        self.state = trouble("update_refused", why=self._why) if self._why else None

    def take_fetched(self, event: UpdateFetched, now_ns: int) -> None:
        """Take a version that has been fetched, or could not be."""

    def pass_time(self, idle: bool, fit: bool, now_ns: int) -> None:
        """Let time pass; called at least once a second. `idle`: no game is played here, or assigned."""


class Programs(Struct, frozen=True):
    """The running program: its place among the versions, its version, and which of a wheel's requirements are not
    installed."""

    runs: str
    version: str
    lacks: Callable[[frozenset[str]], list[str]] = lacking


class UpdateFetcher(NoUpdates):
    """The fetcher of new versions, for the loop's thread, which turns only after the first picture.

    `keep` writes the choice durably and then calls back; `put` reaches the loop's inbox; `host` is the broker's.
    """

    def __init__(
        self,
        versions: InstalledVersions,
        programs: Programs,
        host: str,
        *,
        keep: Callable[[bytes, Callable[[], None]], None],
        put: Callable[[UpdateFetched | Close], None],
        log: Log,
        random: Random,
    ) -> None:
        super().__init__()
        self._versions = versions
        self._programs = programs
        self._host = host
        self._keep = keep
        self._put = put
        self._log = log
        self._random = random
        self._choice = versions.choice()
        self._trial = programs.runs != INSTALLED and self._choice.trying == programs.runs
        self._trial_ends_ns: int | None = None
        self._order: Update | None = None
        self._fetching = self._ending = False
        self._again_ns = 0
        self._ready = ""
        self._may = threading.Event()

    def take_order(self, order: Update) -> None:
        newest = max(self._choice.seq, self._order.seq if self._order is not None else -1)
        if order.seq < newest or (self._order is not None and order.seq == self._order.seq):
            return
        self._order, self._again_ns = order, 0
        self.state = trouble("update_waits", version=order.version)
        if order.version == self._programs.version:
            self._order = self.state = None
        elif name_of(order.version, order.sha256) in self._choice.failed:
            self._order, self.state = None, trouble("update_failed", version=order.version)

    def take_fetched(self, event: UpdateFetched, now_ns: int) -> None:
        self._fetching = False
        self._ready = "" if event.why else event.name
        if event.why:
            self._log.warning("update not taken", why=event.why)
            self.state = trouble("update_refused", why=event.why[:1000])
            self._again_ns = now_ns + round(AGAIN_NS * self._random.uniform(0.5, 1.5))

    def pass_time(self, idle: bool, fit: bool, now_ns: int) -> None:
        if idle:
            self._may.set()
        else:
            self._may.clear()
        if self._ending:
            return
        if self._trial:
            self._try(idle, fit, now_ns)
        elif self._order is not None and idle:
            self._go_on(self._order, fit, now_ns)

    def _try(self, idle: bool, fit: bool, now_ns: int) -> None:
        if self._trial_ends_ns is None:
            self._trial_ends_ns = now_ns + TRIAL_NS
        if fit or not self._choice.must_fit:
            self._trial = False
            self._write(self._choice.after_success())
            self._log.info("version proved", version=self._choice.good)
        elif idle and now_ns >= self._trial_ends_ns:
            self._log.error("version not well", version=self._choice.trying)
            self._end(self._choice.after_failure())

    def _go_on(self, order: Update, fit: bool, now_ns: int) -> None:
        name = name_of(order.version, order.sha256)
        if self._ready == name:
            self._log.info("going for another version", version=name)
            self._end(replace(self._choice, next=name, must_fit=fit, seq=order.seq))
        elif not self._fetching and now_ns >= self._again_ns:
            self._fetching = True
            threading.Thread(target=self._fetch, args=(order, name), name="update", daemon=True).start()

    def _write(self, choice: VersionChoice, then: Callable[[], None] = lambda: None) -> None:
        self._choice = choice
        self._keep(choice_bytes(choice), then)

    def _end(self, choice: VersionChoice) -> None:
        """End the program once the choice is durable; it is then started in the chosen version."""
        self._ending = True
        self._write(choice, lambda: self._put(Close()))

    # -- in the thread that fetches

    def _fetch(self, order: Update, name: str) -> None:
        try:
            if not self._versions.place(name).is_dir():
                self._unpack(self._content(order), order, name)
        except (OSError, HTTPException, Invalid, Failed) as failure:
            self._put(UpdateFetched(name, f"{order.version}: {why_unreached(failure)}"))
        else:
            self._put(UpdateFetched(name))

    def _content(self, order: Update) -> bytes:
        host = order.host or self._host
        address = f"http://{f'[{host}]' if ':' in host else host}:{order.port}{order.path}"
        content = bytearray()
        with urllib.request.urlopen(address, timeout=_ANSWER_S) as answer:
            # Nothing is fetched during a game, so that network and disk are quiet then.
            while self._may.wait() and (piece := answer.read(_PIECE_BYTES)):
                content += piece
                if len(content) > order.size_bytes:
                    break
        if len(content) != order.size_bytes or hashlib.sha256(content).hexdigest() != order.sha256:
            raise Invalid("", "what the hub has signed", "something else")
        return bytes(content)

    def _unpack(self, content: bytes, order: Update, name: str) -> None:
        wheel = read_wheel(content)
        if wheel.version != order.version:
            raise Invalid("", f"version {order.version}", wheel.version)
        if lacks := self._programs.lacks(wheel.needs):
            raise Failed(
                f"needs parts that are not installed ({', '.join(lacks)}): install the package flagfall-table"
                f" {wheel.version}"
            )
        part = self._versions.place(f"{name}.part")
        shutil.rmtree(part, ignore_errors=True)
        self._may.wait()
        unpack(content, part)
        part.rename(self._versions.place(name))
