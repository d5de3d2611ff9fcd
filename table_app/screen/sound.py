"""The table's sounds: a click at each press, a signal when little time is left, one when a flag falls."""

from __future__ import annotations

import math
import sys
import threading
from array import array
from queue import SimpleQueue
from typing import Any

from msgspec import Struct

from flagfall.othello.game import Game
from flagfall.othello.side import Side
from table_app.settings import Settings

RATE_HZ = 22_050
# A sound that is later than this is not played.
_LATE = 8
# Name -> tones one after another, in hertz (0: silence) and seconds.
TONES: dict[str, tuple[tuple[int, float], ...]] = {
    "click": ((1_800, 0.02),),
    "low": ((880, 0.12), (0, 0.08), (880, 0.12)),
    "flag": ((660, 0.25), (520, 0.25), (392, 0.6)),
}


class Heard(Struct, frozen=True):
    """The facts on which sounds depend, at the last look."""

    game_id: str = ""
    running: Side | None = None
    flags: int = 0
    # How many of the two have little left.
    low: int = 0


def heard_of(game: Game | None, game_id: str, now_ns: int) -> Heard:
    if game is None or (game.over and not any(game.falls)):
        return Heard(game_id)
    running = game.clock.running if not game.over else None
    low = sum(game.clock.is_low(side, now_ns) for side in Side)
    return Heard(game_id, running, sum(game.falls), low)


def cues(before: Heard, after: Heard, game: Game | None, settings: Settings) -> tuple[str, ...]:
    """Return the sounds that are due; none if the rulebook wants a quiet room."""
    if game is None or game.rules.sounds == "none" or not settings.volume or before.game_id != after.game_id:
        return ()
    if after.flags > before.flags:
        return ("flag",)
    if after.running is not None and after.low > before.low:
        return ("low",)
    pressed = after.running is not None and before.running is not after.running
    return ("click",) if settings.click and pressed else ()


def wave(name: str) -> array[int]:
    """Return 16-bit samples; each tone fades in and out in 5 ms, to avoid clicks."""
    samples = array("h")
    for hertz, seconds in TONES[name]:
        count = round(seconds * RATE_HZ)
        for i in range(count):
            edge = min(1.0, min(i, count - i) / (0.005 * RATE_HZ))
            samples.append(round(26_000 * edge * math.sin(2 * math.pi * hertz * i / RATE_HZ)))
    return samples


class Sounds:
    """Plays in a thread of its own, so that a sound card that hangs stops neither picture nor touches. Without a sound
    card the table is silent, and `works` is false."""

    def __init__(self) -> None:
        self.works: bool | None = None  # not tried yet
        self._wanted: SimpleQueue[tuple[str, int]] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._heard = Heard()

    def follow(self, game: Game | None, game_id: str, now_ns: int, settings: Settings) -> None:
        """Play the sounds that are due since the last call."""
        before, self._heard = self._heard, heard_of(game, game_id, now_ns)
        for cue in cues(before, self._heard, game, settings):
            self.play(cue, settings.volume)

    def try_out(self, setting: str, settings: Settings) -> None:
        """Play a sample of the sound whose setting was changed."""
        if setting in ("volume", "click") and settings.volume:
            self.play("click" if setting == "click" else "low", settings.volume)

    def play(self, name: str, volume: int) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="sound", daemon=True)
            self._thread.start()
        if self.works is not False and self._wanted.qsize() < _LATE:
            self._wanted.put((name, volume))

    def _run(self) -> None:
        import pygame

        try:
            pygame.mixer.init(RATE_HZ, -16, 1, 512)
        except pygame.error as why:
            self.works = False
            print(f"no sound: {why}", file=sys.stderr)
            return
        self.works = True
        made: dict[str, Any] = {}
        while True:
            name, volume = self._wanted.get()
            try:
                if name not in made:
                    made[name] = pygame.mixer.Sound(buffer=wave(name))
                made[name].set_volume(volume / 3)
                made[name].play()
            except pygame.error:
                return  # the window was closed, and SDL with it
