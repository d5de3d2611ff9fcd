"""A director's weekend with paper alone, in a real browser: from the set-up code to the published final list."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from helpers.console_operator import Operator

pytestmark = pytest.mark.needs("chromium")

LIST = "Nr;Name;Land;Wertung\n" + "\n".join(
    f"{n};SURNAME{n:02}, Ann;{'FRA' if n % 2 else 'JPN'};{2000 - 50 * n}" for n in range(101, 109)
)


# In the suite test_console_browser.py goes from the set-up code to the closed event.
@pytest.mark.long
def test_a_weekend_from_the_list_of_players_to_the_published_champion(
    hub: Any, browser: Any, tmp_path: Path
) -> None:
    """A spreadsheet comes in, a second score is asked about, a player leaves in mid-round, ties are played off."""
    players = tmp_path / "players.csv"
    players.write_text(LIST)
    director = Operator(browser, hub)
    page, result = director.page, director.result

    def outstanding() -> list[int]:
        return [
            int(number)
            for number in page.locator("tr", has_text="no result yet").locator(".number").all_inner_texts()
        ]

    def started() -> None:
        page.get_by_role("button", name="Start the round").click()
        page.get_by_text(re.compile(r"^0 of \d games? over")).wait_for()

    director.set_up()
    page.get_by_role("link", name="New event").click()
    page.get_by_label("Name of the event").fill("Open")
    page.get_by_text("System, rounds, time zone").click()
    page.get_by_label("System").select_option("swiss")
    page.get_by_label(re.compile("^Rounds")).fill("2")
    page.get_by_text("From a file, or a table to paste").click()
    page.get_by_label("Or a file").set_input_files(players)
    page.get_by_role("button", name="Create the event").click()
    page.locator("#understood button.main").click()
    page.get_by_role("button", name="Pair the round").click()
    page.get_by_role("button", name="Publish round 1").click()
    started()

    # A page that stays open all the time offers only what can be done still.
    watching = director.context.new_page()
    watching.goto(page.url)
    mistake = watching.get_by_role("heading", name="Published by mistake?")
    mistake.wait_for()

    # Another score for the same table is asked about; the first one stands meanwhile.
    result(1, 40)
    page.locator("#row-1").get_by_text("40–24").wait_for()
    mistake.wait_for(state="detached")
    result(1, 30)
    page.get_by_text("Replace it by 30–34").wait_for()
    assert page.locator("#row-1").get_by_text("40–24").count() == 1
    page.get_by_role("button", name=re.compile("30–34")).click()
    page.locator("#row-1").get_by_text("30–34").wait_for()

    # A player leaves in mid-round: his game stands under "Needs attention" until it has a score.
    name = page.locator("#row-4 .name").first.inner_text()
    director.go("players")
    page.get_by_role("link", name=name).click()
    page.get_by_role("button", name="Withdraw from the event").click()
    page.get_by_role("button", name="Sure? Press again").click()
    page.get_by_text("withdrawn", exact=True).wait_for()
    director.go("round")
    page.locator("#matters").get_by_text(f"{name} has withdrawn, and this game has no result").wait_for()
    for table in (2, 3, 4):
        result(table, 34 + table)
        page.locator(f"#row-{table}").get_by_text(f"{34 + table}–{30 - table}").wait_for()
    page.get_by_text("has withdrawn, and this game").wait_for(state="detached")

    director.go("draft")
    page.get_by_role("button", name="Pair the round").click()
    page.get_by_role("button", name="Publish round 2").click()
    started()
    assert page.locator(".round").get_by_text(name).count() == 0
    for table in outstanding():
        result(table, 36)
        page.locator(f"#row-{table}").get_by_text("36–28").wait_for()

    # Playoffs and finals, to the last list; everybody reads it on the public page.
    for _ in range(8):
        director.go("finals")
        if page.get_by_text("Everything is decided").count():
            break
        if page.get_by_role("button", name="Record this result").count():
            page.get_by_role("button", name="Record this result").first.click()
            with page.expect_navigation():
                page.get_by_role("button", name="Sure? Press again").click()
            continue
        page.get_by_role("button", name="Publish to the tables").click()
        started()
        for table in outstanding():
            black, white = page.locator(f"#row-{table} .name").all_inner_texts()
            discs = 34 if black < white else 30
            result(table, discs)
            page.locator(f"#row-{table}").get_by_text(f"{discs}–{64 - discs}").wait_for()
    page.get_by_role("button", name="Close the event").click()
    page.get_by_role("button", name="Sure? Press again").click()
    page.get_by_text("closed", exact=True).wait_for()
    watching.get_by_role("heading", name="Enter a result").wait_for(state="detached")
    champion = page.locator(".columns .pill.good").first.inner_text()
    everybody = browser.new_context(locale="en-GB", base_url=hub.page).new_page()
    everybody.goto("/t/open/finals")
    everybody.get_by_text(champion).first.wait_for()
    assert director.faults == []
