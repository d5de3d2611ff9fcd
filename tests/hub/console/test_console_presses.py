"""The director's way through an evening in a real browser, in presses, keys and pixels."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from helpers.browsing import barriers
from helpers.console_operator import PLAYERS, Operator

pytestmark = pytest.mark.needs("chromium")
# Width and height of a telephone and of the usual small laptop.
TELEPHONE, LAPTOP = {"width": 390, "height": 844}, {"width": 1366, "height": 768}
# Of an event without finals.
PLACES = {
    "Round",
    "Pairing",
    "Players and standings",
    "Room",
    "Corrections",
    "Lists and paper",
    "Event",
    "Log",
}
BACKGROUND = "element => getComputedStyle(element).backgroundColor"
COUNT = """for (const kind of ["click", "keydown"]) addEventListener(kind, (event) => {
    const counts = event.isTrusted && (kind === "keydown" || event.detail);
    if (counts) sessionStorage[kind] = 1 + Number(sessionStorage[kind] ?? 0);
}, true)"""


def counted(page: Any, kind: str) -> int:
    """Return how often something was pressed since the last call."""
    return int(
        page.evaluate(
            "kind => { const n = sessionStorage[kind] ?? 0; sessionStorage[kind] = 0; return n }", kind
        )
    )


def bottom(element: Any) -> float:
    box = element.bounding_box()
    return float(box["y"] + box["height"])


def overlap(one: Any, other: Any) -> bool:
    return all(
        one[start] < other[start] + other[size] - 1 and other[start] < one[start] + one[size] - 1
        for start, size in (("x", "width"), ("y", "height"))
    )


def test_an_evening_in_few_presses_and_all_of_it_within_reach(hub: Any, browser: Any, axe: str) -> None:
    director = Operator(browser, hub, viewport=LAPTOP, bypass_csp=True, reduced_motion="reduce")
    page, keys = director.page, director.page.keyboard
    page.add_init_script(COUNT)

    # From the set-up code to the first round: 6 presses, and what is filled in.
    page.goto(f"{hub.page}/desk")
    page.get_by_label("Set-up code").fill((hub.folder / "setup-code").read_text().strip())
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("Password").fill("a long password")
    page.get_by_role("button", name="Create the account").click()
    page.get_by_role("link", name="New event").click()
    create = page.get_by_role("button", name="Create the event")
    for size in (LAPTOP, TELEPHONE):
        page.set_viewport_size(size)
        named = [
            page.locator(f"#event-form [name={name}]") for name in ("name", "date", "rulebook", "players")
        ]
        for element in (*named, create):
            assert bottom(element) <= size["height"], (size, element)
        assert page.evaluate("scrollY") == 0
    page.set_viewport_size(LAPTOP)
    page.get_by_label("Name of the event").fill("Open")
    page.locator("[name=rulebook]").select_option("club")
    page.get_by_label("Players, one on a line").fill(PLAYERS)
    create.click()
    page.get_by_role("button", name="Pair the round").click()
    page.get_by_role("button", name="Publish round 1").click()
    page.get_by_role("button", name="Start the round").click()
    page.get_by_text("0 of 4 games over").wait_for()
    assert counted(page, "click") <= 6

    # On a telephone: the header is low, a result can be entered at once, every place is one press away.
    page.set_viewport_size(TELEPHONE)
    assert page.locator("header.top").bounding_box()["height"] <= 120
    assert bottom(page.locator("#result-form button.main")) <= TELEPHONE["height"]
    assert page.locator("nav").is_hidden()
    menu = page.get_by_role("button", name="Menu")
    menu.click()
    links = page.locator("nav a")
    assert {text.strip() for text in links.all_inner_texts()} == PLACES
    boxes = [link.bounding_box() for link in (*links.all(), *page.locator("#menu .me > *").all())]
    assert not any(overlap(one, other) for one, other in itertools.combinations(boxes, 2))
    boxes = [link.bounding_box() for link in links.all()]
    assert all(box["height"] >= 44 and box["y"] + box["height"] <= TELEPHONE["height"] for box in boxes)
    assert barriers(page, axe) == []
    keys.press("Escape")
    assert page.locator("nav").is_hidden() and menu.evaluate("button => button === document.activeElement")
    keys.press("Enter")
    keys.press("Tab")
    assert links.first.evaluate("link => link === document.activeElement"), "the menu is next on the keyboard"
    keys.press("Escape")
    page.set_viewport_size(LAPTOP)
    assert menu.is_hidden() and links.first.is_visible()

    # A result at the keyboard: 5 keys.
    page.locator("#result-form [name=table]").focus()
    counted(page, "keydown")
    for key in ("1", "Enter", "4", "0", "Enter"):
        keys.press(key)
    page.locator("#row-1").get_by_text("40–24").wait_for()
    assert counted(page, "keydown") == 5
    for table in (2, 3, 4):
        director.result(table, 30 + table)
        page.locator(f"#row-{table}").get_by_text(f"{30 + table}–").wait_for()

    # One press from the last result to the pairing of the next round.
    page.get_by_text("Round 1 is complete").wait_for()
    green = page.get_by_role("button", name="Pair round 2").evaluate(BACKGROUND)
    buttons = page.locator("main button, main .button").all()
    assert [button.evaluate(BACKGROUND) for button in buttons].count(green) == 1, "one button is green"
    counted(page, "click")
    page.get_by_role("button", name="Pair round 2").click()
    page.get_by_role("button", name="Publish round 2").wait_for()
    assert counted(page, "click") == 1
    director.go("round")
    page.get_by_role("link", name="Pairing of round 2").click()
    page.get_by_role("button", name="Publish round 2").wait_for()
    assert director.faults == []
