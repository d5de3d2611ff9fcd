"""A scribe's telephone beside a live page: moves tapped and taken back, a hub that is killed, a second telephone."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.console_operator import Operator
from helpers.hub_files import tournament_file

pytestmark = pytest.mark.needs("chromium")

PHONE = {"width": 390, "height": 844}
LOOK = "dispatchEvent(new Event('online'))"
LINE = "f5d6c3d3c4f4f6f3"


class Hall:
    """A broadcast round on paper, whose first game has a scribe."""

    def __init__(self, browser: Any, hub: Any) -> None:
        self.browser, self.hub = browser, hub
        self.faults: list[str] = []
        self.director = Operator(browser, hub)
        self.director.set_up()
        hub.call("PUT", "tournaments/open", tournament_file(4, rulebook="club"))
        hub.call("POST", "tournaments/open/pairings", {"broadcast": True})
        hub.call("POST", "tournaments/open/start")
        self.game = hub.call("GET", "tournaments/open")["games"][0]["game"]
        self.director.go(f"game/{self.game}")
        self.press("Make a scribe's link")

    def press(self, name: str, sure: bool = False) -> None:
        page = self.director.page
        if sure:
            page.get_by_role("button", name=name).click()
        with page.expect_navigation():
            page.get_by_role("button", name="Sure? Press again" if sure else name).click()

    def phone(self) -> Any:
        page = self.page(self.director.page.locator(".address a").get_attribute("href"), PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        return page

    def page(self, path: str, size: Any) -> Any:
        page = self.browser.new_context(locale="en-GB", viewport=size).new_page()
        page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        page.goto(path if path.startswith("http") else self.hub.page + path)
        return page


def tap(page: Any, moves: str) -> None:
    for at in range(0, len(moves), 2):
        square = 8 * (int(moves[at + 1]) - 1) + "abcdefgh".index(moves[at])
        page.locator(f"[role=gridcell] button[value='{square}']").click()


def test_a_scribe_taps_beside_a_live_page_and_nothing_is_lost(hub: Any, browser: Any) -> None:
    from playwright.sync_api import expect

    hall = Hall(browser, hub)
    scribe = hall.phone()
    live = hall.page("/t/open", {"width": 1200, "height": 800})
    overlay = hall.page("/overlay/table/1", {"width": 1280, "height": 720})
    card = live.locator("#table-1")
    told = scribe.locator("#told")
    tap(scribe, LINE[:8])
    expect(told).to_have_text("✓ stored")
    expect(card).to_contain_text("4 moves")
    expect(card.locator(".by-scribe")).to_have_text("✎ Scribe")
    expect(overlay.locator("figcaption")).to_have_text("✎ Scribe")

    # A mistake in the third move: back to the second, the right one, and those after it once more.
    scribe.get_by_role("button", name="2 d6", exact=True).click()
    expect(card).to_contain_text("2 moves")
    tap(scribe, LINE[4:12])
    expect(card).to_contain_text("6 moves")

    # The hub is killed, and the page loaded again while moves wait.
    hub.kill()
    tap(scribe, LINE[12:14])
    expect(told).to_contain_text("sent as soon as there is a connection")
    hub.start()
    scribe.evaluate(LOOK)
    expect(told).to_have_text("✓ stored")
    expect(card).to_contain_text("7 moves")
    scribe.context.set_offline(True)
    tap(scribe, LINE[14:16])
    expect(told).to_contain_text("sent as soon as there is a connection")
    scribe.context.set_offline(False)
    scribe.reload()
    expect(card).to_contain_text("8 moves")

    # A second telephone with the link takes a move back: the first one is asked before anything is overwritten.
    second = hall.phone()
    expect(second.locator("textarea")).to_have_value(LINE)
    scribe.context.set_offline(True)
    tap(scribe, "e6")
    second.get_by_role("button", name="Undo").click()
    expect(second.locator("#told")).to_have_text("✓ stored")
    scribe.context.set_offline(False)
    expect(scribe.locator("#two")).to_contain_text("Somebody else has tapped other moves with this link.")
    scribe.evaluate("document.querySelector('#two .moves').textContent = 'f5'.repeat(60)")
    assert scribe.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], "a whole game fits"
    scribe.get_by_role("button", name="Take those").click()
    expect(scribe.locator("textarea")).to_have_value(LINE[:-2])
    expect(scribe.locator("#two")).to_be_hidden()
    scribe.get_by_role("button", name="Redo").click()
    expect(card).to_contain_text("9 moves")
    scribe.get_by_role("button", name="7 f6", exact=True).click()
    expect(card).to_contain_text("7 moves")

    # The director exchanges the colours in the middle: the moves stay, and the names above the board change sides.
    sides = scribe.locator(".tapped .side")
    before = sides.all_inner_texts()
    change = {
        "kind": "colours",
        "round": 1,
        "player": hub.call("GET", "tournaments/open")["games"][0]["black"],
    }
    hub.call("POST", "tournaments/open/corrections", {"change": change, "why": "as they sat"})
    scribe.evaluate(LOOK)
    names = [text.rsplit(maxsplit=1)[0] for text in before]
    expect(sides.nth(0)).to_contain_text(names[1])
    expect(sides.nth(1)).to_contain_text(names[0])
    expect(scribe.locator("textarea")).to_have_value(LINE[:14])

    # A revoked link says so, and its moves are shown no more.
    hall.director.go(f"game/{hall.game}")
    hall.press("Revoke the address", sure=True)
    tap(scribe, LINE[-2:])
    expect(scribe.locator("#cut-off")).to_contain_text("This private link is not valid, or no longer.")
    expect(card.locator(".by-scribe")).to_have_count(0)
    assert hall.faults == []
