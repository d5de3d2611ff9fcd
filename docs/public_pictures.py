"""Takes pictures of all public pages, with an invented tournament: `python docs/public_pictures.py DIR`.

Needs Debian's chromium, and playwright of the test extra.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from browser import DESK, PHONE, WALL, chromium, context, faultless, save
from playwright.sync_api import Browser

from simulator.exhibition import TOURNAMENT, Scene, shown

PLAYING = Scene()
AWAITED = Scene(round_started=False)
FINALS = Scene(players=16, rounds_planned=5, rounds_played=5, finals=True)
GAME = "4-1-star"


@dataclass(frozen=True, slots=True)
class Picture:
    """`path` after the site's address; `{t}` is the tournament, `{key}` the hall's key. `whole`: down to its end."""

    name: str
    scene: Scene
    path: str
    size: tuple[int, int]
    dark: bool = False
    whole: bool = False


PICTURES = (
    Picture("now", PLAYING, "/t/{t}", DESK),
    Picture("now-phone-dark", PLAYING, "/t/{t}?lang=fr", PHONE, dark=True),
    Picture("my-table", PLAYING, "/t/{t}/players", PHONE),
    Picture("my-table-awaited", AWAITED, "/t/{t}/players/103", PHONE),
    Picture("player", PLAYING, "/t/{t}/players/103", PHONE, whole=True),
    Picture("standings", PLAYING, "/t/{t}/standings?lang=ja", PHONE),
    Picture("cross-table", PLAYING, "/t/{t}/cross-table", DESK),
    Picture("cross-table-phone", PLAYING, "/t/{t}/cross-table", PHONE, dark=True),
    Picture("games", PLAYING, "/t/{t}/games", PHONE),
    Picture("game", PLAYING, f"/t/{{t}}/games/{GAME}?move=27", DESK, whole=True),
    Picture("game-phone", PLAYING, f"/t/{{t}}/games/{GAME}?move=27", PHONE, dark=True, whole=True),
    Picture("finals", FINALS, "/t/{t}/finals", DESK, whole=True),
    Picture("hall-pairings", AWAITED, "/hall/{t}?key={key}", WALL),
    Picture("hall-by-name", AWAITED, "/hall/{t}?key={key}&show=by_name", WALL, dark=True),
    Picture("hall-boards", PLAYING, "/hall/{t}?key={key}&show=boards", WALL),
    Picture("hall-tables", PLAYING, "/hall/{t}?key={key}&show=tables", WALL, dark=True),
    Picture("hall-standings", PLAYING, "/hall/{t}?key={key}&show=standings", WALL),
)


def take(browser: Browser, picture: Picture, page_address: str, key: str, folder: Path) -> None:
    opened = context(browser, picture.size, picture.dark)
    with faultless(opened.new_page()) as page:
        page.goto(page_address + picture.path.format(t=TOURNAMENT, key=key))
        page.wait_for_timeout(700)  # the first live update
        save(page, folder / f"public-{picture.name}.png", picture.whole)
    opened.close()


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for scene in dict.fromkeys(picture.scene for picture in PICTURES):
            with tempfile.TemporaryDirectory(prefix="flagfall-") as state, shown(Path(state), scene) as at:
                for picture in PICTURES:
                    if picture.scene == scene:
                        take(browser, picture, at.page, at.key, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
