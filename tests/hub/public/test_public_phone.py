"""The public page of a large event on a phone: little to load, little to scroll, and one's own table first."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import http.server
import tempfile
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from helpers.browsing import barriers
from helpers.waiting import until
from samples.exhibition import TOURNAMENT, Exhibition, Scene
from samples.exhibition_hall import Address, shown

from flagfall.base.words import all_words
from hub.public.outside.mirror import Mirror
from hub.web.app import STATIC

pytestmark = pytest.mark.needs("chromium")

LARGE = Scene(players=220, rounds_planned=9, rounds_played=1)
FIRST_LOAD_BYTES = 100_000
FIRST_PAINT_BYTES = 60_000
SCREENS, SCREEN_PX = 3, 800
PHONE = {"width": 360, "height": SCREEN_PX}


@pytest.fixture(scope="module")
def large() -> Iterator[Address]:
    with tempfile.TemporaryDirectory() as folder, shown(Path(folder), LARGE) as address:
        yield address


def loaded_bytes(browser: Any, address: str) -> tuple[dict[str, int], dict[str, int]]:
    """Return the size of each file that a browser without its cache loads for a page, as it is and compressed. The
    events of the stream, which has no end, are left out."""
    page = browser.new_page(viewport=PHONE)
    answers: list[Any] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(address, wait_until="load")
    page.wait_for_function("document.querySelector('[data-ends-ms]').textContent")
    bodies = {answer.url: answer.body() for answer in answers if "/events" not in answer.url}
    # The browser does not tell its page of these.
    bodies |= {name: (STATIC / name).read_bytes() for name in ("shared.js", "disc.svg")}
    page.close()
    return (
        {url: len(body) for url, body in bodies.items()},
        {url: len(gzip.compress(body, 5)) for url, body in bodies.items()},
    )


@pytest.mark.parametrize(
    "language",
    [pytest.param(language, marks=[] if language == "en" else pytest.mark.long) for language in all_words()],
)
def test_the_first_load_of_220_players_is_small_and_three_screens_long(
    browser: Any, large: Address, language: str
) -> None:
    address = f"{large.page}/t/{TOURNAMENT}?lang={language}"
    plain, packed = loaded_bytes(browser, address)
    kinds = {url.partition("?")[0].rpartition(".")[2] for url in plain}
    assert {"css", "js"} <= kinds and len(plain) >= 7
    total = sum(plain.values())
    figures = f"{total} bytes, {sum(packed.values())} compressed: {plain}"
    print(figures)
    assert total <= FIRST_LOAD_BYTES, figures
    painted = sum(size for url, size in plain.items() if not url.endswith((".js", ".svg")))
    assert painted <= FIRST_PAINT_BYTES, figures
    page = browser.new_page(viewport=PHONE)
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollHeight") <= SCREENS * SCREEN_PX
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.close()


def test_without_scripts_everything_is_behind_links(browser: Any, large: Address) -> None:
    context = browser.new_context(java_script_enabled=False, viewport=PHONE)
    page = context.new_page()
    home = f"{large.page}/t/{TOURNAMENT}"
    for link, rows, count in (
        ("All tables", ".card", 110),
        ("All players", "tbody tr", 220),
        ("All games", ".games li", 110),
    ):
        page.goto(home)
        page.get_by_role("link", name=link).click()
        page.wait_for_url(f"{home}/*")
        assert page.locator(rows).count() == count, link
    page.goto(home)
    page.get_by_label("Name").fill("vega 3")
    page.get_by_role("button", name="Find").click()
    page.wait_for_url("**/players?q=vega+3")
    assert [text.strip() for text in page.locator(".people b").all_inner_texts()] == ["Vega 3"]
    page.goto(f"{home}/players")
    assert page.locator(".people a").count() == 220 and not page.locator(".people a:visible").count()
    page.locator("summary").first.click()
    assert page.locator(".people a:visible").count() == 20
    context.close()


def test_my_table_is_found_by_name_and_remembered_in_this_browser_alone(
    browser: Any, large: Address, axe: str
) -> None:
    context = browser.new_context(viewport=PHONE, bypass_csp=True, reduced_motion="reduce")
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{large.page}/t/{TOURNAMENT}")
    mine = page.locator("#mine")
    mine.get_by_label("Name").fill("nobody of that name")
    page.keyboard.press("Enter")
    mine.get_by_text("No player of that name.").wait_for()
    mine.get_by_label("Name").fill("a")
    page.keyboard.press("Enter")
    mine.locator(".people a").first.wait_for()
    assert (
        mine.locator(".people a").count() == 8 and mine.get_by_role("link", name="All players").is_visible()
    )
    mine.get_by_label("Name").fill("vega 3")
    page.keyboard.press("Enter")
    mine.get_by_role("link", name="Vega 3").wait_for()
    until(lambda: mine.locator(".people a").count() == 1)
    page.keyboard.press("Enter")  # the first name has the focus
    mine.locator(".huge").wait_for()
    table = mine.locator(".huge").inner_text()
    assert table.isdecimal() and not mine.get_by_label("Name").is_visible()
    assert page.evaluate("document.documentElement.scrollHeight") <= SCREENS * SCREEN_PX
    assert barriers(page, axe) == []
    page.reload()
    mine.locator(".huge").wait_for()
    assert mine.locator(".huge").inner_text() == table
    assert page.evaluate("document.cookie") == "" and not any(
        "vega" in url and "q=" not in url for url in asked
    )
    mine.get_by_role("button", name="Another player").click()
    assert mine.get_by_label("Name").is_visible() and page.evaluate("localStorage.length") == 0
    page.reload()
    assert mine.get_by_label("Name").is_visible()
    context.close()


@pytest.mark.long  # 110 tables; few of them live in test_web_browser.py
def test_the_page_of_all_tables_is_alive_and_leads_to_each(browser: Any, large: Address, axe: str) -> None:
    context = browser.new_context(
        viewport={"width": 320, "height": 640}, bypass_csp=True, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(f"{large.page}/t/{TOURNAMENT}/tables")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.get_by_role("link", name="101–110").click()
    page.wait_for_url("**/tables#table-101")
    clock = page.locator("#table-110 .runs .clock")
    before = clock.inner_text()
    until(lambda: clock.inner_text() != before)
    assert barriers(page, axe) == []
    for address in (f"/t/{TOURNAMENT}", f"/t/{TOURNAMENT}/players"):
        page.goto(large.page + address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert barriers(page, axe) == []
    context.close()


@pytest.mark.long  # by the same script as at the hub, which a test beside it tries
def test_my_table_is_found_in_the_folder_outside(browser: Any, tmp_path: Path) -> None:
    """A plain web server finds nobody: the page looks through the list of all players itself."""
    folder = tmp_path / "outside"

    async def written() -> None:
        (tmp_path / "state").mkdir()
        exhibition = await Exhibition.opened(tmp_path / "state", Scene(players=45, rounds_played=1))
        await Mirror(exhibition.hub.site, folder, (), lambda level, line: None).write_due()
        await exhibition.store.close()

    writing = threading.Thread(target=lambda: asyncio.run(written()))
    writing.start()
    writing.join()
    with plain_server(folder) as address:
        page = browser.new_page(viewport=PHONE)
        page.goto(f"{address}/{TOURNAMENT}/en/index.html")
        page.locator("#mine").get_by_label("Name").fill("VÉGA")
        page.keyboard.press("Enter")
        page.locator("#mine .people a").first.wait_for()
        assert page.locator("#mine .people a").count() == 1
        page.locator("#mine .people a").click()
        page.locator("#mine .huge").wait_for()
        page.reload()
        page.locator("#mine .huge").wait_for()
        page.close()
    page = browser.new_page(viewport=PHONE)
    page.goto((folder / TOURNAMENT / "en" / "index.html").as_uri())
    page.locator("#mine").get_by_label("Name").fill("vega")
    page.keyboard.press("Enter")
    page.wait_for_url("**/players.html?q=vega")  # from a disk, the list itself
    page.close()


@contextlib.contextmanager
def plain_server(folder: Path) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        serving.join()
        server.server_close()
