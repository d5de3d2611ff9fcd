"""An evening with two phones and a tablet in a real browser: arrival, a paper round, an objection, a conflict."""

from __future__ import annotations

import re
from typing import Any

import pytest
from helpers.browsing import barriers
from helpers.console_operator import Operator
from helpers.hub_files import tournament_file

pytestmark = pytest.mark.needs("chromium")

PLAYERS = 14
_HARD_TO_TOUCH = """() => [...document.querySelectorAll("button, .people a, summary")]
  .filter((element) => element.offsetParent && element.checkVisibility())
  .filter((element) => element.getBoundingClientRect().height < (element.closest(".board") ? 40 : 43))
  .map((element) => element.outerHTML.slice(0, 80))"""


class Evening:
    """A director's console, a tablet, and the phones of players."""

    def __init__(self, browser: Any, hub: Any, axe: str) -> None:
        self.browser, self.hub, self.axe = browser, hub, axe
        self.director = Operator(browser, hub, bypass_csp=True, reduced_motion="reduce")
        self.faults: list[str] = []
        self.seen: dict[str, list[tuple[str, str, str]]] = {}

    def device(self, width: int, height: int) -> Any:
        context = self.browser.new_context(
            bypass_csp=True,
            reduced_motion="reduce",
            locale="en-GB",
            has_touch=True,
            viewport={"width": width, "height": height},
        )
        page = context.new_page()
        page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        return page

    def phone(self, player: str) -> Any:
        """Return a phone with the player's own page, whose address the console shows."""
        self.director.go(f"player/{player}")
        page = self.device(320, 640)
        page.goto(self.hub.page + self.director.page.locator(".address a").get_attribute("href"))
        return page

    def check(self, name: str, page: Any) -> None:
        """Hold a page against axe in light and dark, at the width of a small phone."""
        before = page.viewport_size
        page.set_viewport_size({"width": 320, "height": 640})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
        self.seen[name] = barriers(page, self.axe)
        assert page.evaluate(_HARD_TO_TOUCH) == [] or page is self.director.page, name
        page.set_viewport_size(before)

    def press(self, button: Any) -> None:
        """Press a button or a link and wait for the page to which it leads."""
        with button.page.expect_navigation():
            button.click()

    def report(self, page: Any, mine: int, theirs: int) -> None:
        page.reload()
        if not page.get_by_label("My discs").is_visible():
            page.get_by_text("Report the score", exact=True).first.click()
        page.get_by_label("My discs").fill(str(mine))
        page.locator("[name=theirs]:visible").fill(str(theirs))
        page.get_by_role("button", name="Report the score").click()


def test_an_evening_with_phones_and_a_tablet(hub: Any, browser: Any, axe: str) -> None:
    from playwright.sync_api import expect

    evening = Evening(browser, hub, axe)
    director = evening.director
    console = director.page
    director.set_up()
    hub.call("PUT", "tournaments/open", tournament_file(PLAYERS, rulebook="club", rounds_planned=2))

    # The director allows results by players, and opens the list for the tablet.
    director.go("event")
    console.get_by_label("Players report the results of their games").check()
    form = console.locator("form[action$='/players-pages']")
    evening.check("event", console)
    evening.press(form.get_by_role("button", name="Save"))
    director.go("arrival")
    evening.press(console.get_by_role("button", name="Open the list"))
    tablet = evening.device(1024, 768)
    tablet.goto(hub.page + console.locator(".address a").get_attribute("href"))

    # Thirteen of fourteen come; one taps a wrong name and undoes it.
    evening.check("arrival", tablet)
    for number in range(1, PLAYERS):
        search = tablet.get_by_role("searchbox")
        search.fill(f"player {number}")
        evening.press(tablet.get_by_role("link", name=re.compile(rf"^Player {number} ")))
        if number == 1:
            evening.check("arrival, confirmation", tablet)
        evening.press(tablet.get_by_role("button", name="Yes, I am here"))
        tablet.get_by_text(f"✓ {number} / {PLAYERS}").wait_for()
        if number == 1:
            evening.check("arrival, done", tablet)
    evening.press(tablet.get_by_role("link", name=re.compile("^Player 14 ")))
    evening.press(tablet.get_by_role("button", name="Yes, I am here"))
    evening.press(tablet.get_by_role("button", name="Undo"))
    tablet.get_by_text(f"✓ {PLAYERS - 1} / {PLAYERS}").wait_for()

    # What was stored pushes the list of names down by three lines at most.
    expect(tablet.locator("#waiting .stored")).to_have_count(3)

    # The missing one becomes absent by one press, and is asked once more.
    expect(console.locator("#missing-title")).to_have_text("Missing: 1")
    evening.check("console, arrival", console)
    absent = console.get_by_role("button", name="Note 1 player as absent in round 1")
    absent.click()
    evening.press(console.get_by_role("button", name="Sure? Press again"))
    expect(console.locator("#missing-title")).to_have_text("Missing: 0")

    # A round on paper.
    director.go("draft")
    for button in ("Pair the round", "Publish round 1", "Start the round"):
        evening.press(console.get_by_role("button", name=button))
    console.get_by_text("0 of 6 games over").wait_for()
    first, second = hub.call("GET", "tournaments/open")["games"][:2]
    black, white = evening.phone(first["black"]), evening.phone(first["white"])
    evening.check("my page, to report", black)
    evening.report(black, 40, 24)
    black.get_by_text("You have reported 40–24").wait_for()
    evening.check("my page, reported", black)
    white.reload()
    evening.check("my page, to confirm", white)
    director.go("round")
    row = console.locator(f"#row-{first['table']}")
    expect(row).to_contain_text("reported by one player")
    white.get_by_role("button", name="Confirm 24–40").click()
    white.get_by_text("You had White against").wait_for()
    expect(row).to_contain_text("both players")
    expect(row.locator("b").last).to_have_text("40–24")

    # Two without telephones report and confirm at the tablet.
    third = hub.call("GET", "tournaments/open")["games"][2]
    tablet.reload()
    evening.press(tablet.get_by_role("link", name=re.compile(f"^Table {third['table']} ")))
    evening.check("arrival, score", tablet)
    tablet.get_by_text("Report the score", exact=True).first.click()
    tablet.locator("[name=mine]:visible").fill("50")
    tablet.locator("[name=theirs]:visible").fill("14")
    tablet.locator("button:visible", has_text="Report the score").click()
    tablet.get_by_role("button", name="Confirm 14–50").click()
    tablet.locator("p", has_text="50–14").first.wait_for()
    expect(console.locator(f"#row-{third['table']}")).to_contain_text("players, tablet")

    # One objects, and reads the answer.
    white.get_by_text("Something is wrong").click()
    white.get_by_label("What is wrong?").fill("It was 26 to 38.")
    evening.check("my page, objection", white)
    white.get_by_role("button", name="Tell the director").click()
    white.get_by_text("The director has been told.").wait_for()
    console.locator(".matters").get_by_text("It was 26 to 38.").wait_for()
    console.get_by_text("Answer the player …").click()
    console.get_by_label("Answer, which the player reads").fill("Both have confirmed 40 to 24.")
    evening.press(console.get_by_role("button", name="Answer: the result stays"))
    expect(console.locator(".matters")).to_have_count(0)
    white.reload()
    white.get_by_text("Both have confirmed 40 to 24.").wait_for()

    # Two who differ: the director decides.
    black, white = evening.phone(second["black"]), evening.phone(second["white"])
    evening.report(black, 30, 34)
    black.get_by_text("You have reported 30–34").wait_for()
    evening.report(white, 30, 34)
    white.get_by_text("The two scores differ").wait_for()
    director.go("round")
    expect(console.locator(".matters")).to_contain_text("Which score counts?")
    evening.check("console, conflict", console)
    # A score that is typed decides nothing, and its line says so for as long as nobody has decided.
    typed = console.locator("#typed-stored")
    console.locator("#result-form [name=table]").fill(str(second["table"]))
    console.locator("#result-form [name=black]").fill("34")
    console.keyboard.press("Enter")
    expect(typed).to_contain_text("34–30")
    director.go("round")  # the buttons know of it then
    expect(typed).to_contain_text("Two scores are in conflict")
    evening.press(console.get_by_role("button", name="34–30 counts"))
    expect(console.locator(f"#row-{second['table']}")).to_contain_text("decided by the director")
    expect(typed).to_contain_text("34–30")
    expect(typed).not_to_contain_text("conflict")
    white.reload()
    white.get_by_text("Why this place").wait_for()
    evening.check("my page, place", white)

    assert len(evening.seen) == 12 and not any(evening.seen.values()), evening.seen
    assert evening.faults == [] and director.faults == []
