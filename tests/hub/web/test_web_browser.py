"""The page in a real browser: alive while the hub is, "retrying" when it is not, whole without scripts."""

from __future__ import annotations

import re
from typing import Any

import pytest
from helpers.hub_files import clock_of, tournament_file
from helpers.waiting import until

from flagfall.link.messages import encode
from flagfall.link.topics import Kind, Topic

pytestmark = pytest.mark.needs("chromium")


def test_the_page_lives_with_the_hub_and_says_when_it_is_gone(hub: Any, browser: Any) -> None:
    table = hub.table("t1", 1)
    hub.call("PUT", "tournaments/open", tournament_file(2))
    page = browser.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.goto(hub.page)
    page.get_by_text("The pairings will appear here").wait_for()
    hub.call("POST", "tournaments/open/pairings", {"broadcast": True})
    page.get_by_text("The pairings of round 1 are posted in the room").wait_for()
    hub.call("POST", "tournaments/open/start", {})
    card = page.locator("#table-1")
    card.get_by_text("offline").wait_for()
    assigned = table.assignment(lambda assignment: assignment.game is not None)
    table.status("open", game=assigned.game, seat=1)
    card.get_by_text("waiting").wait_for()
    topic = Topic("open", "t1", Kind.CLOCK)
    table.say(topic, encode(clock_of(assigned.game, moves=1)))
    running = card.locator(".seat.runs .clock")
    running.filter(has_text=re.compile(r"1[0-2]:\d\d")).wait_for()
    before = running.text_content()
    until(lambda: running.text_content() != before)
    table.say(topic, encode(clock_of(assigned.game, "white", moves=2)))
    card.get_by_text("2 moves").wait_for()

    hub.kill()
    page.get_by_text("No connection since").wait_for()
    hub.start()
    page.locator("#cut-off").wait_for(state="hidden")
    table.wait_up()
    result = table.play("open", (40, 24))
    assert table.receipt(result.id).accepted
    card.get_by_text("finished").wait_for()
    page.locator("#results").get_by_text("40–24").wait_for()
    page.locator("#standings tbody tr").first.locator(".points").get_by_text("1", exact=True).wait_for()
    assert faults == []


@pytest.mark.parametrize("listens", [True, False], ids=["before the press", "after the press"])
def test_the_projector_keeps_what_it_has_heard_since_a_copy_of_its_page_was_made(
    hub: Any, browser: Any, listens: bool
) -> None:
    """Copies of a public page are handed out for a second, and nothing else tells of a pressed clock again."""
    table = hub.table("t1", 1)
    hub.call("PUT", "tournaments/open", tournament_file(4))
    hub.call("POST", "tournaments/open/pairings", {"broadcast": True})
    hub.call("POST", "tournaments/open/start", {})
    assigned = table.assignment(lambda assignment: assignment.game is not None)
    table.status("open", game=assigned.game, seat=1)
    topic = Topic("open", "t1", Kind.CLOCK)
    table.say(topic, encode(clock_of(assigned.game, moves=1)))
    page, other = browser.new_page(), browser.new_context().new_page()
    address = f"{hub.page}/hall/open?show=tables"

    def shows(page: Any, running: str) -> bool:
        page.goto(address)
        return bool(page.locator(f"#table-1 .seat.runs .disc.{running}").count())

    until(lambda: shows(other, "black"))
    copy = page.request.get(address).body()
    fetched: list[str] = []

    def hand_out_the_copy(route: Any) -> None:
        fetched.append(route.request.url)
        route.fulfill(body=copy, content_type="text/html; charset=utf-8")

    page.route("**/hall/open*", hand_out_the_copy)
    if listens:
        page.goto(address)
        clock = page.locator("#table-1 .seat.runs .clock")
        first = clock.text_content()
        until(lambda: clock.text_content() != first)  # it begins to run at the first event
    table.say(topic, encode(clock_of(assigned.game, "white", moves=2)))
    if not listens:
        until(lambda: shows(other, "white"))
        page.goto(address)
    page.locator("#table-1 .seat.runs .disc.white").wait_for()
    page.evaluate("document.getElementById('stage').dataset.before = ''")
    with page.expect_response("**/hall/open*"):
        hub.call("POST", "tournaments/open/results", {"table": 2, "score": [40, 24]})
    page.locator("#stage:not([data-before])").wait_for(state="attached")
    assert fetched and page.locator("#table-1 .seat.runs .disc.white").count() == 1


def test_without_scripts_and_on_a_phone_everything_is_there(hub: Any, browser: Any) -> None:
    hub.call("PUT", "tournaments/open", tournament_file(4, name="An Open With Quite a Long Name Indeed"))
    hub.call("POST", "tournaments/open/pairings", {})
    hub.call("POST", "tournaments/open/start", {})
    context = browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 640})
    page = context.new_page()
    page.goto(hub.page)
    assert page.locator(".card").count() == 2
    assert page.locator("#standings tbody tr").count() == 4
    assert re.search(r"Round 1\s+of 3", page.locator("#heading").inner_text())
    context.close()
    phone = browser.new_page(viewport={"width": 360, "height": 640})
    phone.goto(hub.page)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
