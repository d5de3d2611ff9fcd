"""The table's side of the screen, which another process draws: whatever happens to a display, the clock goes on.

An X server that dies takes its clients with it, and a graphics driver may crash or hang. Then only the drawing process
ends; it is started again until there is a display.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from msgspec.structs import replace

from flagfall.base.errors import Failed
from flagfall.base.trouble import trouble
from table_app.board.port import NoBoard
from table_app.events import Event, Part, PartTrouble, ScreenFound
from table_app.screen.channel import AskBoard, CannotDraw, Drawing, Opened, ToScreen, received, send
from table_app.table_view import TableView

COMMAND: tuple[str, ...] = (sys.executable, "-P", "-m", "table_app.screen.child")
# Each try takes processor time, which the clock must not lack on a small device.
RETRY_S, MOST_RETRY_S = 1.0, 8.0
# SDL's renderers for a display without a desktop, tried in this order until one shows a picture. With Mesa 25
# in software, SDL's own choice, the second one, left the display black.
RENDERERS = ("opengles2", "opengl")
CLOSE_WITHIN_S = 3.0

Process = subprocess.Popen[bytes]


class ScreenProcess:
    """A screen port. `put` takes what people do on the screen, and PartTrouble when drawing fails or works again.

    Nothing waits for the process: what it does not take in time is dropped, except the newest view.
    """

    def __init__(self, drawing: Drawing, put: Callable[[Event | PartTrouble | ScreenFound], None]) -> None:
        self._drawing = drawing
        self._kms = drawing.config.screen == "kms"
        chosen = os.environ.get("SDL_FRAMEBUFFER_ACCELERATION", "")
        self._renderers: tuple[str, ...] = RENDERERS if self._kms and not chosen else ("",)
        self.drawn_by = ""
        self._put = put
        self._changed = threading.Condition()
        self._process: Process | None = None
        self._view: TableView | None = None
        self._unsent: list[ToScreen] = []
        self._opened = self._gone = self._began = self._closing = False
        self._never = ""
        self._threads = [
            threading.Thread(target=work, name=name, daemon=True)
            for name, work in (("screen", self._keep_drawing), ("screen-writer", self._write))
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def await_opened(self, within_s: float | None = None) -> str:
        """Wait for the first picture, for which there must be a view. Failed if none comes; a display without a desktop
        goes on being tried."""
        if within_s is None:
            within_s = self._drawing.config.screen_open_s * len(self._renderers)
        with self._changed:
            if not self._changed.wait_for(lambda: self._opened or self._never, within_s):
                raise Failed(f"screen: expected a picture within {within_s:g} s, got none")
            if not self._opened:
                raise Failed(self._never)
            return self.drawn_by

    def show(self, view: TableView) -> None:
        with self._changed:
            self._view = view
            self._send_later(view)

    def ask_snapshot(self) -> None:
        """Ask the board on the screen for its position; with the first view it is told without a request."""
        with self._changed:
            if self._view is not None:
                self._send_later(AskBoard())

    def _send_later(self, news: ToScreen) -> None:
        if self._process is not None:
            self._unsent = [waiting for waiting in self._unsent if type(waiting) is not type(news)]
            self._unsent.append(news)
            self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(CLOSE_WITHIN_S)
        process = self._process
        if process is not None:
            process.kill()

    # -- the thread that hears it

    def _keep_drawing(self) -> None:
        wait_s = RETRY_S
        while not self._closing:
            why = self._drawn_by_one_of_them()
            with self._changed:
                if self._closing or not why or not (self._opened or self._kms):
                    self._never = why or "screen: closed"
                    self._changed.notify_all()
                    return
                if not self._opened:
                    self._never = why
                    self._changed.notify_all()
                wait_s = min(2 * wait_s, MOST_RETRY_S) if self._gone else RETRY_S
                self._gone = True
            self._put(PartTrouble(Part.SCREEN, trouble("screen_fails", why=why.replace("screen: ", ""))))
            with self._changed:
                self._changed.wait_for(lambda: self._closing, wait_s)

    def _drawn_by_one_of_them(self) -> str:
        """Draw while one of the renderers works. Return why it ended, "" if a person closed its window. The renderer
        that worked last is tried first."""
        reasons: list[str] = []
        for renderer in self._renderers:
            self._began = False
            why = self._drawn_until_it_ends(replace(self._drawing, renderer=renderer))
            if self._began or not why or self._closing:
                if self._began:
                    self._renderers = (renderer, *(other for other in self._renderers if other != renderer))
                return why
            if why not in reasons:
                reasons.append(why)
        return "; ".join(reasons)

    def _drawn_until_it_ends(self, drawing: Drawing) -> str:
        """Run the drawing process once. Return why it ended, "" if a person closed its window."""
        try:
            process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as failure:
            return f"screen: {COMMAND[0]}: {failure.strerror}"
        with self._changed:
            self._process = process
            if self._closing:
                process.kill()
            # It knows nothing yet, and begins with the first view.
            self._unsent = [drawing, *([] if self._view is None else [self._view])]
            self._changed.notify_all()
        why = self._heard(process)
        with self._changed:
            self._process = None
        try:
            status = process.wait(CLOSE_WITHIN_S)
        except subprocess.TimeoutExpired:
            # It draws, but has sent an unknown value.
            process.kill()
            status = process.wait()
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        return why or (f"screen: the program that draws ended with {status}" if status else "")

    def _heard(self, process: Process) -> str:
        assert process.stdout is not None
        why = ""
        with process.stdout as pipe:
            for value in received(pipe):
                match value:
                    case Opened():
                        self._picture_opened(value.drawn_by)
                    case CannotDraw():
                        why = value.why
                    case _:
                        self._put(value)
        return why

    def _picture_opened(self, drawn_by: str) -> None:
        with self._changed:
            was_gone, self._gone, self._opened, self._began = self._gone, False, True, True
            self.drawn_by = drawn_by
            self._changed.notify_all()
        self._put(ScreenFound(drawn_by))
        if was_gone:
            self._put(PartTrouble(Part.SCREEN, None))

    # -- the thread that tells it

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing or self._unsent)
                process, unsent, self._unsent = self._process, self._unsent, []
                closing = self._closing
            if process is None or process.stdin is None:
                if closing:
                    return
                continue
            # A process that has just ended reads nothing; the next one is sent everything again.
            with suppress(OSError, ValueError):
                for message in unsent:
                    send(process.stdin, message)
                if closing:
                    process.stdin.close()
            if closing:
                return


class DrawnBoard(NoBoard):
    """A board port for the board that is drawn on the screen: it begins and ends with the screen, has one orientation
    and needs no set-up."""

    def __init__(self, screen: ScreenProcess) -> None:
        self._screen = screen

    def start(self, put: Callable[[Event], None], now_ns: Callable[[], int]) -> None:
        """Do nothing: the board of the drawing process begins with the screen."""

    def ask_snapshot(self) -> None:
        self._screen.ask_snapshot()
