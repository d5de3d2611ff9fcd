"""A display that nobody sees, and a table program that tells when it draws there."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

SIZE = "1400x600x24"
_DRAWING = """
import sys, time, pygame
from table_app.screen import controller
running = None
see, drawn = controller.ScreenController.see, pygame.display.update
def see_and_note(self, view):
    global running
    running = None if view.game is None else view.game.clock.running
    see(self, view)
def update(*rectangles):
    drawn(*rectangles)
    print("frame", time.monotonic_ns(), running, file=sys.stderr, flush=True)
controller.ScreenController.see, pygame.display.update = see_and_note, update
from table_app.screen.child import main
sys.exit(main())
"""
# Program of a table whose window writes each frame to stderr: `frame`, the instant in nanoseconds, whose clock runs.
DRAWN_TABLE = f"""
import sys
from table_app.screen import process
process.COMMAND = (sys.executable, "-c", {_DRAWING!r})
from table_app.main import main
sys.exit(main(sys.argv[1:]))
"""


@contextmanager
def display() -> Iterator[Mapping[str, str] | None]:
    """Yield the environment of programs that draw there, or None without Xvfb."""
    program = shutil.which("Xvfb")
    if program is None:
        yield None
        return
    reading, writing = os.pipe()
    server = subprocess.Popen(
        [program, "-displayfd", str(writing), "-screen", "0", SIZE, "-nolisten", "tcp"],
        pass_fds=[writing],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as pipe:
            number = pipe.readline().strip()
        yield {"DISPLAY": f":{number}", "SDL_VIDEODRIVER": "x11"}
    finally:
        server.terminate()
        server.wait(30)
