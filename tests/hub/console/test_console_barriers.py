"""Tests of barriers on the console's pages, in a real browser: without scripts, by keyboard, on a phone."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.browsing import barriers
from helpers.console_operator import PLAYERS, Operator

pytestmark = pytest.mark.needs("chromium")


def test_from_nothing_to_the_first_result_by_keyboard_alone(hub: Any, browser: Any) -> None:
    from playwright.sync_api import expect

    director = Operator(browser, hub)
    page, keys = director.page, director.page.keyboard
    director.set_up()
    director.tab_to(page.get_by_role("link", name="New event"))
    keys.press("Enter")
    page.wait_for_url("**/new")
    assert page.get_by_label("Name of the event").evaluate("one => one === document.activeElement")
    keys.type("Open")
    director.tab_to(page.get_by_label("Players, one on a line"))
    keys.insert_text(PLAYERS)
    for button in ("Create the event", "Pair the round", "Publish round 1", "Start the round"):
        control = page.get_by_role("button", name=button)
        control.wait_for()
        director.tab_to(control)
        keys.press("Enter")
    page.get_by_text("0 of 4 games over").wait_for()
    director.tab_to(page.locator("#result-form input[name=table]"))
    for table in (1, 2):
        keys.type(str(table))
        keys.press("Tab")
        keys.type("40")
        keys.press("Enter")
        page.locator(f"#row-{table}").get_by_text("40–24").wait_for()
        expect(page.locator("#result-form input[name=table]:focus")).to_have_value("")
    assert director.faults == []


def test_without_scripts_the_console_works(hub: Any, browser: Any) -> None:
    director = Operator(browser, hub, java_script_enabled=False)
    page = director.page
    director.set_up()
    director.create()
    page.get_by_role("button", name="Pair the round").click()
    page.get_by_role("button", name="Publish round 1").click()
    page.get_by_role("button", name="Start the round").click()
    form = page.locator("#result-form")
    for name, value in (("Table", "1"), ("Black", "40"), ("White", "20")):
        form.get_by_label(name).fill(value)
    form.get_by_role("button", name="Enter").click()
    page.get_by_text("score: expected 64 discs together").wait_for()
    assert form.get_by_label("White").input_value() == "20"
    form.get_by_label("White").fill("24")
    form.get_by_role("button", name="Enter").click()
    page.get_by_text("1 of 4 games over").wait_for()


OF_EVENT = (
    *(
        "round",
        "draft",
        "players",
        "player/900001",
        "room",
        "categories",
        "finals",
        "lists",
        "teams",
        "declared",
        "event",
        "audit",
        "game/{game}",
    ),
    *("corrections", "corrections?game={game}&change=result&black=40&white=24"),
)


PAGES = (
    "/desk",
    "/desk/new",
    "/desk/rules",
    "/desk/accounts",
    "/desk/password",
    *(f"/desk/t/open/{page}" for page in OF_EVENT),
)


@pytest.mark.long
def test_no_page_is_a_barrier_or_wider_than_a_phone(hub: Any, browser: Any, axe: str) -> None:
    director = Operator(browser, hub, bypass_csp=True, reduced_motion="reduce")
    page = director.page
    by_address = _barriers(page, axe, [f"{hub.page}/desk"])
    director.set_up()
    director.create(rounds=2)
    hub.table("t1", 1)
    addresses = [f"{hub.page}/desk/t/open/draft"]
    page.get_by_role("button", name="Pair the round").click()
    page.locator(".draft").wait_for()
    by_address |= _barriers(page, axe, addresses)
    page.get_by_role("button", name="Publish round 1").click()
    page.get_by_text("Published: players go to their tables").wait_for()
    game = hub.call("GET", "tournaments/open")["games"][0]["game"]
    addresses = [hub.page + path.replace("{game}", game) for path in PAGES]
    by_address |= _barriers(page, axe, addresses)
    assert not any(by_address.values()), by_address
    signed_in = director.context.storage_state()
    for language in ("fr", "ja"):
        phone = browser.new_context(
            storage_state=signed_in, locale=language, viewport={"width": 360, "height": 640}
        ).new_page()
        for address in addresses:
            phone.goto(address)
            assert phone.evaluate("document.documentElement.scrollWidth") <= 360, (language, address)
            assert phone.evaluate(_MOST_LINES) < 4, f"words broken into letters: {language}, {address}"
            assert phone.evaluate(_HARD_TO_TOUCH) == [], (language, address)
    assert director.faults == []


_MOST_LINES = """Math.max(0, ...[...document.querySelectorAll("button")].map(one =>
    one.clientHeight / Number.parseFloat(getComputedStyle(one).fontSize) / 1.5))"""
"""Of a button, its edges counted."""
_HARD_TO_TOUCH = """[
    ...document.querySelectorAll("button, .button, summary, select, input, td a, nav a, .scroll"),
].filter(one => {
    const field = one.matches("[type=checkbox], [type=radio]") ? one.closest("label, td") : one;
    // Eight squares have the width of a telephone between them.
    if (one.matches(".tapped [role=gridcell] > button")) return one.getBoundingClientRect().height < 36;
    if (one.matches(".scroll")) return one.scrollWidth > one.clientWidth + 1;
    return field.clientHeight && field.getBoundingClientRect().height < 43.5;
}).map(one => one.outerHTML.slice(0, 120))"""
"""What is lower than a finger, or a table of which a part is out of sight."""

# Labels with a word that is broken into several lines.
_BROKEN_LABELS = """[...document.querySelectorAll("label")].filter(label => [...label.childNodes].some(node => {
    if (node.nodeType !== Node.TEXT_NODE) return false;
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getClientRects().length > node.data.trim().split(/[\\s-]+/).length;
})).map(label => label.textContent.trim().slice(0, 60))"""


def _barriers(page: Any, axe: str, addresses: list[str]) -> dict[str, list[tuple[str, str, str]]]:
    by_address = {}
    for address in addresses:
        assert page.goto(address).status == 200, address
        by_address[address] = barriers(page, axe)
        assert page.evaluate(_BROKEN_LABELS) == [], address
        wide = page.viewport_size
        page.set_viewport_size({"width": 360, "height": 640})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, address
        page.set_viewport_size(wide)
    return by_address
