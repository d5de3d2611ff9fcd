"""The director's stopwatch: keystrokes, clicks and seconds of work at the console, in a real browser without a window.

    python -m benchmarks.hub.stopwatch [--short]

Nobody thinks or reads here: the seconds are those in which a director waits for browser and hub. A paste is one
keystroke.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.load.venue import TOURNAMENT, Venue, until
from benchmarks.report.figures import RUNS, Figure, Found, Remark, at_most, run
from simulator.director import swiss

RESULTS = 20
PLAYERS = 14
# Players of a national championship, as a federation sends them.
LISTED = 178
# Table, black discs and two times Enter for the twenty first tables.
FEWEST_KEYS = 6.0
_QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]


class Hands:
    """The hands of a director at a page, and a count of what they do."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self.keys = self.clicks = 0

    def type(self, text: str) -> None:
        self.keys += len(text)
        self._page.keyboard.type(text)

    def press(self, key: str) -> None:
        self.keys += 1
        self._page.keyboard.press(key)

    def paste(self, text: str) -> None:
        self.keys += 1
        self._page.keyboard.insert_text(text)

    def click(self, place: Any) -> None:
        self.clicks += 1
        place.click()


@contextmanager
def page_of(venue: Venue) -> Iterator[Any]:
    """Open a page of the console without an account."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell"), args=_QUIET
        )
        try:
            page = browser.new_page(base_url=venue.page, locale="en-GB")
            page.goto("/desk/setup")
            yield page
        finally:
            browser.close()


def make_account(hands: Hands, page: Any, venue: Venue) -> None:
    """Make the first director's account with the code that the hub has printed."""
    code = until((venue.folder / "setup-code").read_text, "the setup code").strip()
    hands.click(page.locator("input[name=code]"))
    for text in (code, "Director", "a-long-password"):
        hands.type(text)
        hands.press("Tab")
    hands.press("Enter")
    page.wait_for_url("**/desk")


def first_event(page: Any, hands: Hands) -> None:
    """Make an event of fourteen players, pair its first round, publish and start it."""
    hands.click(page.get_by_role("link", name="New event"))
    hands.click(page.locator("input[name=name]"))
    hands.type("Club evening")
    hands.click(page.locator("select[name=rulebook]"))
    for _ in range(2):
        hands.press("ArrowDown")
    hands.press("Enter")
    hands.click(page.locator("textarea[name=players]"))
    hands.paste("\n".join(f"Player {number}" for number in range(1, PLAYERS + 1)))
    hands.click(page.get_by_role("button", name="Create the event"))
    hands.click(page.get_by_role("button", name="Pair the round"))
    hands.click(page.get_by_role("button", name="Publish round 1"))
    hands.click(page.get_by_role("button", name="Start the round"))
    page.get_by_role("button", name="Start the round").wait_for(state="detached")


def enter_results(page: Any, hands: Hands, count: int) -> None:
    """Type the results of the first tables, one after the other, until the last one is on record."""
    hands.click(page.locator("input[name=table]"))
    for table in range(1, count + 1):
        hands.type(str(table))
        hands.press("Enter")
        hands.type("40")
        hands.press("Enter")
    page.locator(f"#row-{count}").get_by_text("40–24").wait_for()


def list_of_players(file: Path, players: int) -> None:
    """Write an `.xlsx` of players with the columns that federations send."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(("Name", "Country", "Rating", "Born"))
    for number in range(1, players + 1):
        sheet.append(
            (f"Surname{number}, Name", ("FRA", "JPN", "ITA")[number % 3], 2400 - number, "1990-05-17")
        )
    book.save(file)


def files_s(page: Any, file: Path) -> tuple[float, float, float]:
    """Return the seconds from the press to the preview of a list, from there to the event, and to its final list as
    PDF."""
    page.goto("/desk/new")
    page.locator("input[name=name]").fill("From a file")
    page.locator("#event-form input[name=file]").set_input_files(file)
    create, begun_s = page.get_by_role("button", name="Create the event"), time.perf_counter()
    create.click()
    page.locator("#understood").wait_for()
    preview_s, begun_s = time.perf_counter() - begun_s, time.perf_counter()
    create.click()
    page.get_by_role("button", name="Pair the round").wait_for()
    event_s = time.perf_counter() - begun_s
    page.goto(page.url.rpartition("/")[0] + "/lists")
    begun_s = time.perf_counter()
    with page.expect_download() as download:
        page.locator("a[href$=final-list-pdf]").click()
    assert download.value.suggested_filename.endswith(".pdf")
    return preview_s, event_s, time.perf_counter() - begun_s


def measure(short: bool) -> Iterator[Found]:
    if shutil.which("chromium-headless-shell") is None:
        yield Remark("Left out, not installed here: chromium-headless-shell.")
        return
    runs, count = (1, 4) if short else (RUNS, RESULTS)
    events: list[tuple[float, Hands]] = []
    results: list[tuple[float, Hands]] = []
    for _ in range(runs):
        with closing(Venue()) as venue, page_of(venue) as page:
            hands = Hands(page)
            begun_s = time.perf_counter()
            make_account(hands, page, venue)
            first_event(page, hands)
            events.append((time.perf_counter() - begun_s, hands))
        with closing(Venue()) as venue, page_of(venue) as page:
            venue.director.create(swiss("A bench", [f"p{n}" for n in range(1, 2 * count + 1)], rounds=13))
            venue.director.publish(1)
            venue.director.start()
            make_account(Hands(page), page, venue)
            page.goto(f"/desk/t/{TOURNAMENT}/round")
            hands = Hands(page)
            begun_s = time.perf_counter()
            enter_results(page, hands, count)
            results.append((time.perf_counter() - begun_s, hands))
    listed = 6 if short else LISTED
    with closing(Venue()) as venue, page_of(venue) as page, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "players.xlsx"
        list_of_players(file, listed)
        make_account(Hands(page), page, venue)
        previews, events_s, lists = zip(*(files_s(page, file) for _ in range(runs)), strict=True)
    yield Figure(
        f"an .xlsx of {listed} players, press to preview", "s", previews, at_most(1, "nobody waits for less")
    )
    yield Figure(f"an .xlsx of {listed} players, preview to event", "s", events_s)
    yield Figure(
        f"final list of {listed} players as PDF, press to file", "s", lists, at_most(2, "with a sign of work")
    )
    for what, taken in (
        (f"an event of {PLAYERS}, from nothing to its first round", events),
        (f"{count} results", results),
    ):
        yield Figure(f"{what}: waited for browser and hub", "s", tuple(taken_s for taken_s, _ in taken))
        yield Figure(f"{what}: keystrokes", "", (float(taken[0][1].keys),))
        yield Figure(f"{what}: clicks", "", (float(taken[0][1].clicks),))
    keys_each = results[0][1].keys / count
    yield Figure("keystrokes a result", "", (keys_each,), at_most(FEWEST_KEYS, "table, discs, twice Enter"))


if __name__ == "__main__":
    run(measure, __doc__)
