"""Players' telephones whose network goes and comes back, or whose hub is killed: nothing is lost, and they know it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from helpers.console_operator import Operator
from helpers.hub_files import tournament_file

pytestmark = pytest.mark.needs("chromium")

PHONE = {"width": 390, "height": 844}
LOOK = "dispatchEvent(new Event('online'))"
"""What a browser says when its network is back; the page then asks the hub at once."""


class Evening:
    """A round on paper whose players report their results, and the director's console."""

    def __init__(self, browser: Any, hub: Any) -> None:
        self.browser, self.hub = browser, hub
        self.faults: list[str] = []
        self.director = Operator(browser, hub)
        self.director.set_up()
        hub.call("PUT", "tournaments/open", tournament_file(4, rulebook="club", rounds_planned=2))
        self.director.go("event")
        self.director.page.get_by_label("Players report the results of their games").check()
        with self.director.page.expect_navigation():
            self.director.page.locator("form[action$='/players-pages'] button").click()
        hub.call("POST", "tournaments/open/pairings")
        hub.call("POST", "tournaments/open/start")

    def phone(self, player: str) -> Any:
        """Return a player's phone with their own page."""
        self.director.go(f"player/{player}")
        context = self.browser.new_context(locale="en-GB", has_touch=True, viewport=PHONE)
        page = context.new_page()
        page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        page.goto(self.hub.page + self.director.page.locator(".address a").get_attribute("href"))
        return page

    def games(self) -> Any:
        return self.hub.call("GET", "tournaments/open")["games"]


def report(page: Any, mine: int, theirs: int) -> None:
    page.locator("[name=mine]:visible").fill(str(mine))
    page.locator("[name=theirs]:visible").fill(str(theirs))
    page.get_by_role("button", name="Report the score").click()


def test_a_telephone_without_a_network_or_a_hub_loses_nothing_and_knows_it(hub: Any, browser: Any) -> None:
    from playwright.sync_api import expect

    evening = Evening(browser, hub)
    first, second = evening.games()
    black, white = evening.phone(first["black"]), evening.phone(first["white"])
    waiting, cut_off = white.locator("#waiting"), white.locator("#cut-off")

    # The hub is killed; the other player confirms in the meantime, and loads the page again when the hub is back.
    report(black, 40, 24)
    expect(black.locator("#waiting")).to_contain_text("40–24 ✓ stored")
    expect(black.get_by_text("You have reported 40–24")).to_be_visible()
    white.reload()
    hub.kill()
    white.get_by_role("button", name="Confirm 24–40").click()
    expect(waiting).to_contain_text("Confirm 24–40")
    expect(waiting).to_contain_text("sent as soon as there is a connection")
    expect(cut_off).to_have_text(re.compile("No connection since [0-9]{2}:[0-9]{2}"))
    hub.start()
    white.reload()
    expect(white.get_by_text("You had White against")).to_be_visible()
    expect(waiting).to_contain_text("Confirm 24–40 ✓ stored")
    assert evening.games()[0]["score"] == [40, 24]

    # What is typed stays while the page renews itself around it, and waits without a network.
    white.get_by_text("Something is wrong").click()
    words = white.get_by_label("What is wrong?")
    words.fill("It was\n26 to 38.")
    hub.call("PUT", "tournaments/open/showing", {"starts_at": "2099-11-05T10:00:00+00:00"})
    white.evaluate(LOOK)
    expect(white.get_by_text("Round 2 starts at")).to_be_visible()
    expect(words).to_have_value("It was\n26 to 38.")
    white.context.set_offline(True)
    expect(cut_off).to_be_visible()
    white.get_by_role("button", name="Tell the director").click()
    expect(waiting).to_contain_text("26 to 38.")
    assert white.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    white.context.set_offline(False)
    expect(waiting).to_contain_text("✓ stored")
    expect(white.get_by_text("The director has been told.")).to_be_visible()
    expect(cut_off).to_be_hidden()

    # A report that waited is refused, because the opponent's came first: why, what stands now, and the text to change.
    late, early = evening.phone(second["black"]), evening.phone(second["white"])
    late.context.set_offline(True)
    report(late, 33, 31)
    expect(late.locator("#waiting")).to_contain_text("33–31")
    report(early, 30, 34)
    expect(early.locator("#waiting")).to_contain_text("✓ stored")
    late.context.set_offline(False)
    expect(late.locator("#waiting .refused")).to_contain_text("reported a score in the meantime")
    expect(late.get_by_role("button", name="Confirm 34–30")).to_be_visible()
    late.get_by_role("button", name="Fill in again").click()
    expect(late.locator("[name=mine]:visible")).to_have_value("33")
    expect(late.locator("#waiting .refused")).to_have_count(0)
    late.get_by_role("button", name="Report the score").click()
    expect(late.get_by_text("The two scores differ")).to_be_visible()

    # An address that is revoked says so, on the page and of what is sent from it.
    black.get_by_text("Something is wrong").click()
    black.get_by_label("What is wrong?").fill("It was 38 to 26.")
    evening.director.go(f"player/{first['black']}")
    evening.director.page.get_by_role("button", name="Revoke the address").click()
    with evening.director.page.expect_navigation():
        evening.director.page.get_by_role("button", name="Sure? Press again").click()
    black.get_by_role("button", name="Tell the director").click()
    expect(black.locator("#waiting .refused")).to_contain_text("38 to 26.")
    expect(black.locator("#waiting .refused")).to_contain_text("Ask the director for another one.")
    expect(black.locator("#cut-off")).to_contain_text("This private link is not valid, or no longer.")
    assert evening.faults == []


def test_a_tablet_without_a_network_keeps_its_list_and_what_was_pressed(hub: Any, browser: Any) -> None:
    from playwright.sync_api import expect

    evening = Evening(browser, hub)
    director = evening.director
    director.go("arrival")
    with director.page.expect_navigation():
        director.page.get_by_role("button", name="Open the list").click()
    context = browser.new_context(locale="en-GB", has_touch=True, viewport={"width": 1024, "height": 768})
    tablet = context.new_page()
    tablet.on("pageerror", lambda fault: evening.faults.append(str(fault)))
    tablet.goto(hub.page + director.page.locator(".address a").get_attribute("href"))

    context.set_offline(True)
    tablet.get_by_role("link", name=re.compile("^Player 1 ")).click()
    expect(tablet.locator("#cut-off")).to_contain_text("No connection since")
    expect(tablet.get_by_role("link", name=re.compile("^Player 2 "))).to_be_visible()
    context.set_offline(False)
    yes = tablet.get_by_role("button", name="Yes, I am here")
    expect(yes).to_be_enabled()
    context.set_offline(True)
    yes.click()
    expect(tablet.locator("#waiting")).to_contain_text("Player 1")
    context.set_offline(False)
    expect(tablet.get_by_text("✓ 1 / 4")).to_be_visible()
    assert evening.faults == []
