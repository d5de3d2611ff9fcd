"""Pictures of all public pages and of what is printed, of an event: `python tools/public_pictures.py DIR`.

Needs Debian's chromium-headless-shell, and playwright of the test extra.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from browser import DESK, PAPER, PHONE, WALL, chromium, context, faultless, save
from playwright.sync_api import Browser
from samples.exhibition import TOURNAMENT, Scene
from samples.exhibition_hall import shown

PLAYING = Scene()
AWAITED = Scene(round_started=False)
FINALS = Scene(players=16, rounds_planned=5, rounds_played=5, finals=True)
GAME = "4-1-star"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a public page."""

    # The file's.
    name: str
    scene: Scene
    # Comes after the site's address; `{t}` is the tournament, `{key}` the hall's key.
    path: str
    size: tuple[int, int]
    dark: bool = False
    # Down to the page's end.
    whole: bool = False


PICTURES = (
    Picture("public-now", PLAYING, "/t/{t}", DESK),
    Picture("public-now-phone-dark", PLAYING, "/t/{t}?lang=fr", PHONE, dark=True),
    Picture("public-my-table", PLAYING, "/t/{t}/players", PHONE),
    Picture("public-my-table-awaited", AWAITED, "/t/{t}/players/103", PHONE),
    Picture("public-player", PLAYING, "/t/{t}/players/103", PHONE, whole=True),
    Picture("public-standings", PLAYING, "/t/{t}/standings", DESK),
    Picture("public-standings-phone", PLAYING, "/t/{t}/standings", PHONE, dark=True),
    Picture("public-event", PLAYING, "/t/{t}/event", DESK),
    Picture("public-table", PLAYING, "/t/{t}/tables/2", PHONE),
    Picture("public-games", PLAYING, "/t/{t}/games", PHONE),
    Picture("public-game", PLAYING, f"/t/{{t}}/games/{GAME}?move=27", DESK, whole=True),
    Picture("public-game-phone", PLAYING, f"/t/{{t}}/games/{GAME}?move=27", PHONE, dark=True, whole=True),
    Picture("public-finals", FINALS, "/t/{t}/finals", DESK, whole=True),
    Picture("public-hall-pairings", AWAITED, "/hall/{t}?key={key}", WALL),
    Picture("public-hall-by-name", AWAITED, "/hall/{t}?key={key}&show=by_name", WALL, dark=True),
    Picture("public-hall-boards", PLAYING, "/hall/{t}?key={key}&show=boards", WALL),
    Picture("public-hall-tables", PLAYING, "/hall/{t}?key={key}&show=tables", WALL, dark=True),
    Picture("public-hall-standings", PLAYING, "/hall/{t}?key={key}&show=standings", WALL),
    Picture("public-overlay", PLAYING, "/overlay/table/1", DESK),
    Picture("print-by-table", AWAITED, "/print/{t}/by-table?key={key}", PAPER),
    Picture("print-slips", AWAITED, "/print/{t}/slips?key={key}", PAPER),
    Picture("print-sheets", PLAYING, "/print/{t}/sheets?round=4&key={key}", PAPER),
    Picture("print-cross-table", PLAYING, "/print/{t}/cross-table?key={key}", DESK),
)


def take(browser: Browser, picture: Picture, page_address: str, key: str, folder: Path) -> None:
    opened = context(browser, picture.size, picture.dark)
    with faultless(opened.new_page()) as page:
        page.goto(page_address + picture.path.format(t=TOURNAMENT, key=key))
        page.wait_for_timeout(700)  # the first live update
        save(page, folder / f"{picture.name}.png", picture.whole)
    opened.close()


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for scene in dict.fromkeys(picture.scene for picture in PICTURES):
            with (
                tempfile.TemporaryDirectory(prefix="flagfall-") as state,
                shown(Path(state), scene) as address,
            ):
                for picture in PICTURES:
                    if picture.scene == scene:
                        take(browser, picture, address.page, address.key, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
