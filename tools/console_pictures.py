"""Pictures of the operator's console and of the players' own pages, for docs/console.md and docs/players.md:
`python tools/console_pictures.py DIR`.

Needs Debian's chromium-headless-shell, and playwright of the test extra.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from browser import DESK, PHONE, TABLET, Size, chromium, context, faultless, save
from playwright.sync_api import Browser, FilePayload, Page
from samples.exhibition import SETUP_CODE, STARS, TOURNAMENT, Scene
from samples.exhibition_hall import DIRECTOR, PASSWORD, shown

from flagfall.othello.board import parse_position, parse_transcript
from simulator.eye.picture import ScenePainter
from simulator.eye.scene import draw_scene

EMPTY = Scene(players=8, empty=True)
ONE_DEVICE = Scene(players=2, empty=True)
MORNING = Scene(rounds_played=0, round_published=False, troubled=True)
PLAYING = Scene(troubled=True)
BETWEEN = Scene(round_published=False)
FINALS = Scene(players=16, rounds_planned=5, rounds_played=5, round_published=False)
ENTRIES = "\n".join(
    f"{name}; {'LYR' if n % 2 else 'CYG'}; {1900 - 35 * n}" for n, name in enumerate(STARS[:8])
)

# A change of a result: its effect is shown before it is done.
ANOTHER_RESULT = "corrections?game=4-1-star&change=result&black=40&white=24&reason=board"

TAPPED = "f5d6c3d3c4b5b4b3d7f4f3f6e6c6c7d8b7e3e8f8c2c5d2e2d1f1"

# Takes a picture of the page as it is.
Take = Callable[[str], None]
Story = Callable[[Page, Take], None]


def sign_in(page: Page) -> None:
    page.get_by_label("Name").fill(DIRECTOR)
    page.get_by_label("Password").fill(PASSWORD)


def from_nothing(page: Page, take: Take, entries: str = ENTRIES) -> None:
    """Show the first director, their event, its first round up to the start."""
    page.goto("/desk")
    page.get_by_label("Set-up code").fill(SETUP_CODE)
    sign_in(page)
    take("console-setup")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="New event").click()
    page.get_by_label("Name of the event").fill("Open of the Stars")
    page.get_by_label("Players, one on a line").fill(entries)
    page.get_by_label("Name of the event").scroll_into_view_if_needed()
    take("console-new")
    page.get_by_role("button", name="Create the event").click()
    page.get_by_role("button", name="Pair the round").click()
    page.get_by_role("button", name="Publish round 1").click()
    page.get_by_role("button", name="Start the round").wait_for()
    take("console-start")


def own_rules(page: Page, take: Take) -> None:
    """Show a rulebook of the hub's own, made from the club's."""
    page.goto("/desk/rules")
    page.get_by_role("textbox", name="Name").fill("Rapid of the Stars")
    page.locator("select[name=based_on]").select_option("club")
    page.get_by_role("button", name="Save the rulebook").first.click()
    page.get_by_text("Rapid of the Stars").first.wait_for()
    take("console-rules")


def teams(page: Page, take: Take) -> None:
    """Show the event's countries as teams of three boards."""
    page.goto(f"/desk/t/{TOURNAMENT}/teams")
    page.locator("input[name=team_matches]").fill("3")
    page.get_by_role("button", name="Save").first.click()
    page.get_by_text("Match points").first.wait_for()
    take("console-teams")


def page_at(name: str, address: str) -> Story:
    """Return the story of one page, by somebody who has signed in."""

    def story(page: Page, take: Take) -> None:
        page.goto(address)
        take(f"console-{name}")

    return story


def of_event(name: str, path: str) -> Story:
    return page_at(name, f"/desk/t/{TOURNAMENT}/{path}")


def entering(page: Page, take: Take) -> None:
    page.goto("/desk")
    sign_in(page)
    take("console-login")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Events").wait_for()


def room(page: Page, take: Take) -> None:
    """Show a spare for the seat whose board is silent."""
    page.goto(f"/desk/t/{TOURNAMENT}/room")
    page.locator("#seat-10").get_by_text("Replace the device").click()
    take("console-room")


def draft(page: Page, take: Take) -> None:
    """Pair, then exchange two players by keyboard: what it costs stands beside the best."""
    page.goto(f"/desk/t/{TOURNAMENT}/draft")
    page.get_by_role("button", name="Pair the round").click()
    page.locator(".chip").first.wait_for()
    take("console-draft")
    for chip in (1, 4):
        page.locator(".chip").nth(chip).focus()
        page.keyboard.press("Enter")
    page.get_by_text("paired by hand").first.wait_for()
    take("console-draft-by-hand")


def result(page: Page, take: Take) -> None:
    """Show a score that cannot be: it is refused with its field, stays typed in, and is discarded."""
    page.goto(f"/desk/t/{TOURNAMENT}/round")
    form = page.locator("#result-form")
    form.get_by_label("Table").fill("2")
    form.get_by_label("Black").fill("40")
    form.get_by_label("White").fill("34")
    page.keyboard.press("Enter")
    page.locator("#typed-open li").wait_for()
    take("console-result")
    page.get_by_role("button", name="Discard").click()


def conflict(page: Page, take: Take) -> None:
    page.goto(f"/desk/t/{TOURNAMENT}/round")
    page.get_by_label("Game at table 8").click()
    page.wait_for_load_state()
    take("console-game")


def players_page(page: Page, take: Take) -> None:
    page.goto(f"/desk/t/{TOURNAMENT}/event")
    page.get_by_label("Players may open their own pages").check()
    with page.expect_navigation():
        page.locator("form[action$='/players-pages']").get_by_role("button", name="Save").click()
    page.goto(f"/desk/t/{TOURNAMENT}/player/103")
    page.goto(page.locator(".address a").get_attribute("href") or "")
    take("players-page")


def photograph(page: Page, take: Take) -> None:
    """Show a player's page with a final board that was photographed."""
    from_nothing(page, lambda name: None, "\n".join(f"{name}; LYR" for name in STARS[:10]))
    with page.expect_navigation():
        page.get_by_role("button", name="Start the round").click()
    event = page.url.rpartition("/")[0]  # on a telephone its pages are in a menu
    page.goto(f"{event}/event")
    page.get_by_label("Players may open their own pages").check()
    page.get_by_label("Players report the results of").check()
    with page.expect_navigation():
        page.locator("form[action$='/players-pages']").get_by_role("button", name="Save").click()
    for name in STARS[:3]:  # two of them sit at the table with the device at most
        page.goto(f"{event}/players")
        page.get_by_role("link", name=name).first.click()
        page.goto(page.locator(".address a").get_attribute("href") or "")
        if page.locator("#photograph").count():
            break
    taken = ScenePainter(draw_scene(0, (1600, 1200))).jpeg(parse_position("X" * 40 + "O" * 24))
    files: list[FilePayload] = [{"name": "board.jpg", "mimeType": "image/jpeg", "buffer": taken}]
    page.locator("#photograph input[name=chosen]").set_input_files(files)
    page.get_by_role("button", name="Report this score").wait_for()
    page.locator("#photograph .frame").evaluate("frame => frame.scrollIntoView({ block: 'start' })")
    take("players-photograph")


def tapped_moves(page: Page, take: Take) -> None:
    """Show a player's page with a game that is tapped after its result, beside the photograph's."""
    mine = page.url.partition("?")[0].removesuffix("/board")
    table = page.locator("#next .huge").inner_text()
    event = (page.locator(".heading .over a").get_attribute("href") or "").split("/")[2]
    page.goto(f"/desk/t/{event}/round")
    form = page.locator("#result-form")
    for label, text in (("Table", table), ("Black", "40"), ("White", "24")):
        form.get_by_label(label).fill(text)
    page.keyboard.press("Enter")
    page.locator("#typed-open li").wait_for(state="detached")
    page.goto(mine)
    page.locator("#moves summary").click()
    for square in parse_transcript(TAPPED):
        page.locator(f"#moves .board button[value='{square}']").click()
    page.locator("#moves").evaluate("section => section.scrollIntoView({ block: 'start' })")
    take("players-moves")


def arrival(page: Page, take: Take) -> None:
    """Show the list of the tablet at the door, and what it asks whoever touches a name."""
    page.goto(f"/desk/t/{TOURNAMENT}/arrival")
    with page.expect_navigation():
        page.get_by_role("button", name="Open the list").click()
    page.goto(page.locator(".address a").get_attribute("href") or "")
    take("players-arrival")


STORIES: tuple[tuple[Scene, Size, tuple[Story, ...]], ...] = (
    (EMPTY, DESK, (from_nothing, own_rules)),
    (
        MORNING,
        DESK,
        (entering, room, of_event("players", "players?by=name"), of_event("event", "event"), teams),
    ),
    (
        PLAYING,
        DESK,
        (
            of_event("round", "round"),
            result,
            conflict,
            of_event("corrections", ANOTHER_RESULT),
            of_event("player", "player/103"),
            of_event("lists", "lists"),
            page_at("accounts", "/desk/accounts"),
            of_event("audit", "audit"),
        ),
    ),
    (PLAYING, PHONE, (of_event("round-phone", "round"), players_page)),
    (ONE_DEVICE, PHONE, (photograph, tapped_moves)),
    (MORNING, TABLET, (arrival,)),
    (BETWEEN, DESK, (draft,)),
    (FINALS, DESK, (of_event("finals", "finals"),)),
)


def take_pictures(
    browser: Browser, scene: Scene, size: Size, stories: tuple[Story, ...], folder: Path
) -> None:
    with tempfile.TemporaryDirectory(prefix="flagfall-") as state, shown(Path(state), scene) as address:
        opened = context(browser, size, base_url=address.page)
        with faultless(opened.new_page()) as page:
            if stories[0] not in (from_nothing, entering, photograph):
                page.goto("/desk")
                sign_in(page)
                page.keyboard.press("Enter")
                page.get_by_role("heading", name="Events").wait_for()

            def take(name: str) -> None:
                page.wait_for_timeout(300)  # what the scripts do at once
                save(page, folder / f"{name}.png")

            for story in stories:
                story(page, take)
        opened.close()


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["TZ"] = "CET"  # where the exhibition is
    time.tzset()
    with chromium() as browser:
        for scene, size, stories in STORIES:
            take_pictures(browser, scene, size, stories, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
