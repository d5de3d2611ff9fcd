"""Takes a picture of the hub's page while a room plays: `python tools/page_picture.py FILE.png`.

Needs Debian's chromium-headless-shell, and playwright of the test extra.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from browser import chromium, context, faultless, save

from simulator.recorded import DEMO_GAMES, read_games
from simulator.room import Plan, Room
from simulator.seat import Manners

TAKEN_AT_PLY = 30


def take(address: str, file: Path) -> None:
    with chromium() as browser, faultless(context(browser, (1440, 900)).new_page()) as page:
        page.goto(address)
        page.wait_for_timeout(1000)  # the first live update
        save(page, file)


def main(file: Path) -> None:
    taken = False
    with tempfile.TemporaryDirectory(prefix="flagfall-") as folder:
        room = Room(Plan(4, 2, Path(folder), Manners(speed=300)), read_games(DEMO_GAMES))

        def look() -> None:
            nonlocal taken
            if not taken and room.finished and min(seat.plies for seat in room.seats) >= TAKEN_AT_PLY:
                taken = True
                take(room.address, file)

        try:
            room.open()
            room.play_round(1)
            room.play_round(2, look)
        finally:
            room.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
