"""The public pages for a web server outside: written to a folder and pushed by a command, with the director's delay.

The folder is always complete. The command is repeated until it has succeeded with the folder's present contents, so
that pages which cannot go out without a network go out later. No page is ever earlier than the delay.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from flagfall.base.private_file import read_json, write_private
from flagfall.base.words import FIRST
from flagfall.link.client.backoff import delay_s
from hub.public.links import folder_of
from hub.public.outside.static_site import FolderSite, Moment, StaticPage, moment_of
from hub.public.site import PublicSite
from hub.web.app import STATIC

LOOK_S = 5.0
PUSH_WITHIN_S = 600.0
_NS = 1_000_000_000
_MOST_MOMENTS = 200
_MANIFEST = ".flagfall-pages.json"


@dataclass(eq=False)
class Mirror:
    """The writer of the outside pages. Instants are monotonic nanoseconds."""

    site: PublicSite
    folder: Path
    # Run after every change with its `{folder}` replaced; () for none.
    command: Sequence[str]
    log: Callable[[str, str], None]

    def __post_init__(self) -> None:
        self._files = FolderSite(self.site.pages, self.site.records)
        self._states = self.site.store.states
        self._now_ns = self.site.now_ns
        self._moments: dict[str, deque[Moment]] = {}
        self._known: dict[str, str] | None = None
        self._to_push = bool(self.command)  # whether the last push was completed is not known
        self._random = Random(0)
        self._failures = 0
        self._again_ns = 0
        self.trouble = ""
        self._changed = True

    def changed(self) -> None:
        """Note that something may have changed. Called in the loop."""
        self._changed = True

    async def run(self) -> None:
        """Write and push until cancelled. Whatever fails is tried again."""
        while True:
            try:
                await self.write_due()
            except Exception as fault:  # an error of this program must not end the hub
                self._note_failure(f"{type(fault).__name__}: {fault}")
            await asyncio.sleep(LOOK_S)

    async def write_due(self) -> None:
        """Note the present moment, write the pages that are due, and push what has not been pushed yet."""
        self._note_moment()
        if self._now_ns() < self._again_ns:
            return
        try:
            await self._write()
            if self._to_push and self.command and (why := await self._push()):
                self._note_failure(why)
                return
            self._to_push = False
        except OSError as fault:
            self._note_failure(f"{fault.strerror or fault}")
        else:
            if self.trouble:
                self.log("info", "outside pages go out again")
            self.trouble = ""
            self._failures = 0

    def _note_moment(self) -> None:
        """Keep the present moment if something has changed, at most `_MOST_MOMENTS` within the delay."""
        if not self._changed:
            return
        self._changed = False
        now_ns = self._now_ns()
        for tournament, state in self._states.items():
            moments = self._moments.setdefault(tournament, deque())
            if moments and now_ns - moments[-1].at_ns < state.showing.delay_s * _NS // _MOST_MOMENTS:
                self._changed = True  # soon enough
                continue
            moments.append(moment_of(state, self.site.live, now_ns, self.site.label()))

    def _due_moment(self, tournament: str) -> Moment | None:
        """Return the newest moment that is old enough, or None if it has been written."""
        moments = self._moments.get(tournament, deque())
        latest = self._now_ns() - self._states[tournament].showing.delay_s * _NS
        moment = None
        while moments and moments[0].at_ns <= latest:
            moment = moments.popleft()
        return moment

    async def _write(self) -> None:
        if self._known is None:
            self._known = await asyncio.to_thread(self._read_manifest)
            await asyncio.to_thread(self._write_static)
        for tournament in tuple(self._states):
            moment = self._due_moment(tournament)
            if moment is None:
                continue
            try:
                await self._write_moment(moment, self._known)
            except BaseException:
                # A moment that is due stays due.
                self._moments[tournament].appendleft(moment)
                raise

    async def _write_moment(self, moment: Moment, known: dict[str, str]) -> None:
        count = await asyncio.to_thread(self._remove_files, moment.state.id, self._files.paths(moment), known)
        async for page in self._files.changes(moment, known):
            await asyncio.to_thread(self._put_file, page.path, page.data)
            known[page.path] = page.key
            count += 1
        shown = [state for name, state in self._states.items() if f"{folder_of(name)}/en/index.html" in known]
        front = StaticPage("index.html", repr([state.tournament.name for state in shown]), b"")
        if known.get(front.path) != front.key:
            html = self.site.templates[FIRST].part(
                "front.html", states=shown, languages=self.site.languages, folder_of=folder_of
            )
            await asyncio.to_thread(self._put_file, front.path, html.encode() + b"\n")
            known[front.path] = front.key
            count += 1
        if count:
            await asyncio.to_thread(self._put_file, _MANIFEST, json.dumps(known).encode())
            self._to_push = True

    async def _push(self) -> str:
        """Run the command. Return why it failed, "" if it did not."""
        command = [part.replace("{folder}", str(self.folder)) for part in self.command]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=pipe
        )
        try:
            async with asyncio.timeout(PUSH_WITHIN_S):
                _, errors = await process.communicate()
        except (TimeoutError, asyncio.CancelledError) as fault:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            if isinstance(fault, TimeoutError):
                return f"{command[0]}: expected an end within {PUSH_WITHIN_S:.0f} s"
            raise
        if process.returncode:
            line = (errors.decode("utf-8", "replace").strip().splitlines() or ["no reason given"])[-1]
            return f"{command[0]}: status {process.returncode}: {line[:200]}"
        return ""

    def _note_failure(self, why: str) -> None:
        self._failures += 1
        self._again_ns = self._now_ns() + int(delay_s(self._failures, self._random) * _NS)
        if why != self.trouble:
            self.log("warning", f"outside pages wait why={why!r}")
        self.trouble = why

    def _read_manifest(self) -> dict[str, str]:
        known = read_json(self.folder / _MANIFEST, dict[str, str])
        return {path: key for path, key in known.items() if (self.folder / path).is_file()}

    def _write_static(self) -> None:
        for file in sorted(STATIC.iterdir()):
            there = self.folder / "static" / file.name
            data = file.read_bytes()
            if not there.is_file() or there.read_bytes() != data:
                self._put_file(f"static/{file.name}", data)
                self._to_push = True

    def _remove_files(self, tournament: str, paths: frozenset[str], known: dict[str, str]) -> int:
        """Remove files that this tournament no longer has (games of a withdrawn round, removed players). Return their
        number.
        """
        there = [file for file in (self.folder / folder_of(tournament)).rglob("*") if not file.is_dir()]
        gone = [file for file in there if file.relative_to(self.folder).as_posix() not in paths]
        for file in gone:
            file.unlink(missing_ok=True)
            known.pop(file.relative_to(self.folder).as_posix(), None)
        return len(gone)

    def _put_file(self, path: str, data: bytes) -> None:
        """Replace the file as a whole, because a web server may read it at any time."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        write_private(file, data, mode=0o644, durable=False)
