"""A voice in one earphone, by a program such as espeak-ng; optional.

A new request cuts off the sentence that is being spoken. Nothing waits for the voice.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from flagfall.base.words import Catalogue
from flagfall.othello.game import SECOND_NS, Game, State
from flagfall.othello.side import Side
from table_app.events import Event, ScreenRequest
from table_app.pins.buttons import input_pin
from table_app.texts import TEXTS


class CommandSpeech:
    """Speaks with a command that reads the text from its standard input, such as `espeak-ng --stdin`."""

    def __init__(self, command: str) -> None:
        self._command = shlex.split(command)
        self._newest: str | None = None
        self._changed = threading.Condition()
        self._closing = False
        self._speaking: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name="speech", daemon=True)
        self._thread.start()

    def say(self, text: str) -> None:
        """Start speaking and return at once; errors are ignored."""
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


class SpeechButton:
    """A button to ground on a pin of a gpiozero factory, for a player who cannot see the screen."""

    def __init__(self, factory: Any, pin: int) -> None:
        self._pin = input_pin(factory, pin)
        self._changed: Callable[[int, int], None] | None = None

    def start(self, put: Callable[[Event], None], now_ns: Callable[[], int]) -> None:
        def changed(ticks_ns: int, state: int) -> None:
            if not state:
                put(ScreenRequest(now_ns(), "speak"))

        self._changed = changed
        self._pin.when_changed = changed

    def close(self) -> None:
        self._pin.when_changed = None


def missing_program(command: str) -> str:
    """Return the program of a command if it is not installed; "" if it is."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    return "" if words and shutil.which(words[0]) else (words[0] if words else command)


def who_listens(asks: str, game: Game | None) -> Side:
    """Return the player who asks; for a hardware button, which has no side, the player who cannot see the clock."""
    if asks in tuple(Side) or game is None:
        return Side(asks) if asks in tuple(Side) else Side.BLACK
    blind = [side for side in Side if not game.header.hands_commit.of(side)]
    return blind[0] if blind else game.clock.running or game.to_move


def clocks_in_words(game: Game | None, side: Side, now_ns: int, words: Catalogue) -> str:
    """Return the sentence for this player at `now_ns` (the table's count)."""
    if game is None:
        return words.pgettext("spoken", "Waiting for a pairing")
    parts = [_situation(game, side, words)]
    for key, listener in (("say_yours", side), ("say_opponents", side.other)):
        parts.append(words(TEXTS[key], time=_duration(game.clock.left_ns(listener, now_ns), words)))
    return ". ".join(part for part in parts if part) + "."


def _situation(game: Game, side: Side, words: Catalogue) -> str:
    running = game.clock.running
    if game.over:
        return words("The game is over")
    if game.state is State.STOPPED:
        return words.pgettext("spoken", "Clocks stopped")
    if game.state is State.CORRECTING:
        return words.pgettext("spoken", "Correction")
    if running is None:
        return words("The game has not begun")
    if running is not side:
        return words("Your opponent is to move")
    return (
        words("Your opponent has moved")
        if game.has_moved or game.owed
        else words.pgettext("spoken", "Your move")
    )


def _duration(left_ns: int, words: Catalogue) -> str:
    minutes, seconds = divmod(-(-left_ns // SECOND_NS), 60)
    spoken = words.ngettext("{count} second", "{count} seconds", seconds)
    if not minutes:
        return spoken
    return words("{minutes} {seconds}", minutes=_minutes(minutes, words), seconds=spoken)


# The last digits after which Japanese says pun, not fun.
_HARDENING = frozenset((0, 1, 3, 4, 6, 8))


def _minutes(count: int, words: Catalogue) -> str:
    if count % 10 in _HARDENING:
        return words.npgettext("after 0, 1, 3, 4, 6, 8", "{count} minute", "{count} minutes", count)
    return words.ngettext("{count} minute", "{count} minutes", count)
