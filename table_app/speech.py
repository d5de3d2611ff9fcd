"""A voice in one earphone, by a program such as espeak-ng; optional.

Whoever asks again hears the newest: what is still being said is cut off. Nobody waits for the voice.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from table_app.events import Event, ScreenRequest


class SpeechPort(Protocol):
    def say(self, text: str) -> None:
        """Returns at once; what cannot be said is not said."""

    def close(self) -> None: ...


class NoSpeech:
    def say(self, text: str) -> None:
        pass

    def close(self) -> None:
        pass


class CommandSpeech:
    """Speaks with a command line that reads the text from its standard input, as `espeak-ng --stdin` does."""

    def __init__(self, command: str) -> None:
        self._command = shlex.split(command)
        self._newest: str | None = None
        self._changed = threading.Condition()
        self._closing = False
        self._speaking: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name="speech", daemon=True)
        self._thread.start()

    def say(self, text: str) -> None:
        with self._changed:
            self._newest = text
            if self._speaking is not None:
                self._speaking.terminate()
            self._changed.notify()

    def close(self) -> None:
        with self._changed:
            self._closing = True
            if self._speaking is not None:
                self._speaking.terminate()
            self._changed.notify()
        self._thread.join(timeout=2.0)

    def _run(self) -> None:
        while True:
            with self._changed:
                while self._newest is None and not self._closing:
                    self._changed.wait()
                if self._closing:
                    return
                text, self._newest = self._newest or "", None
                try:
                    speaking = self._speaking = subprocess.Popen(
                        self._command,
                        stdin=subprocess.PIPE,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                    )
                except OSError:
                    continue
            with suppress(OSError):
                speaking.communicate(text.encode())
            with self._changed:
                self._speaking = None


class PinAsks:
    """A button of its own, to ground on a pin of a gpiozero factory, for a player who cannot see the screen."""

    def __init__(self, factory: Any, pin: int) -> None:
        self._pin = factory.pin(f"GPIO{pin}")
        self._changed: Callable[[float, int], None] | None = None

    def start(self, put: Callable[[Event], None], now_ns: Callable[[], int]) -> None:
        def changed(ticks: float, state: int) -> None:
            if not state:
                put(ScreenRequest(now_ns(), "speak"))

        self._pin.function = "input"
        self._pin.pull = "up"
        self._pin.edges = "both"
        # gpiozero keeps only a weak reference to a handler.
        self._changed = changed
        self._pin.when_changed = changed

    def close(self) -> None:
        self._pin.when_changed = None


def missing(command: str) -> str:
    """The program of a command line that is not there; "" if it is."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    return "" if words and shutil.which(words[0]) else (words[0] if words else command)
