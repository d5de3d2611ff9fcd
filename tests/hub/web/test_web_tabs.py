"""Many tabs of one browser, over plain HTTP as in a hall: one connection for all, none for those that nobody sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.console_operator import Operator
from helpers.hub_files import clock_of, tournament_file
from helpers.night import by_night
from helpers.slow_link import SlowLink, slow_link
from helpers.waiting import until

from flagfall.link.messages import encode
from flagfall.link.topics import Kind, Topic

pytestmark = pytest.mark.needs("chromium")

HALL = "hall.test"  # tests/hub/conftest.py
HIDE = """hidden => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
ALONE = "delete window.SharedWorker"


@pytest.fixture
def link(hub: Any) -> Iterator[SlowLink]:
    with slow_link(hub.ports["web_port"]) as between:
        yield between


def begin(hub: Any, event: str = "open", **more: Any) -> None:
    hub.call("PUT", f"tournaments/{event}", tournament_file(4, name=f"The {event}", **more))
    hub.call("POST", f"tournaments/{event}/pairings", {"broadcast": True})
    hub.call("POST", f"tournaments/{event}/start", {})


def streams_of(link: SlowLink, count: int) -> list[str]:
    """Wait for this number of streams, and return them."""
    until(lambda: len(link.streams) == count, lambda: f"expected {count}, got {link.streams}")
    return link.streams


@pytest.mark.long  # eight tabs are tried beside it
def test_twenty_tabs_of_two_events_in_three_languages_share_one_connection(
    hub: Any, browser: Any, link: SlowLink
) -> None:
    table = hub.table("t1", 1)
    begin(hub)
    begin(hub, "club")
    hall = f"http://{HALL}:{link.port}"
    context = browser.new_context()
    tabs = []
    for nth in range(20):
        page = context.new_page()
        event, language = ("open", "club")[nth % 2], ("en", "fr", "ja")[nth % 3]
        page.goto(f"{hall}/t/{event}?lang={language}")
        tabs.append((page, event))
    assert tabs[0][0].evaluate("window.isSecureContext") is False
    (stream,) = streams_of(link, 1)
    assert sorted(re.findall(r"on=(\w+)\?lang=(\w+)", stream)) == [
        (event, language) for event in ("club", "open") for language in ("en", "fr", "ja")
    ]
    assigned = table.assignment(lambda wanted: wanted.game is not None)
    result = table.play(assigned.tournament, (40, 24))
    assert table.receipt(result.id).accepted
    for page, event in tabs:
        shown = page.locator("#results").get_by_text("40–24")
        if event == assigned.tournament:
            shown.wait_for()
        else:
            assert not shown.count(), "each tab hears of its own event"


def test_forms_are_sent_from_the_eighth_console_page(hub: Any, browser: Any, link: SlowLink) -> None:
    director = Operator(browser, hub)
    director.set_up()
    director.create()
    here = director.page.url.replace(f":{hub.ports['web_port']}", f":{link.port}")
    pages = []
    for _ in range(8):
        page = director.page.context.new_page()
        page.goto(here)
        page.wait_for_load_state()
        pages.append(page)
    assert streams_of(link, 1) == ["/desk/changes"]
    pages[7].get_by_role("button", name="FR").click()
    pages[7].locator("html[lang=fr]").wait_for()


@pytest.mark.parametrize("prepare", ["", *by_night(ALONE)], ids=["shared", "alone"])
def test_a_tab_that_nobody_sees_holds_no_connection(
    hub: Any, browser: Any, link: SlowLink, prepare: str
) -> None:
    begin(hub)
    context = browser.new_context()
    context.add_init_script(prepare)
    page = context.new_page()
    page.goto(f"http://{HALL}:{link.port}/t/open?lang=en")
    streams_of(link, 1)
    page.evaluate(HIDE, True)
    streams_of(link, 0)
    hub.call("POST", "tournaments/open/results", {"table": 1, "score": [40, 24]})
    assert not page.locator("#results").get_by_text("40–24").count()
    page.evaluate(HIDE, False)
    page.locator("#results").get_by_text("40–24").wait_for()
    page.locator("#cut-off").wait_for(state="hidden")
    page.close()
    streams_of(link, 0)


def test_what_came_while_the_link_stalled_is_dated_right(hub: Any, browser: Any, link: SlowLink) -> None:
    """The clock was pressed then: the other one has run ever since, and not since the news came."""
    table = hub.table("t1", 1)
    begin(hub)
    assigned = table.assignment(lambda wanted: wanted.game is not None)
    table.status("open", game=assigned.game, seat=1)
    topic = Topic("open", "t1", Kind.CLOCK)
    table.say(topic, encode(clock_of(assigned.game, moves=1)))
    pages = {}
    for way, port in (("direct", hub.ports["web_port"]), ("slow", link.port)):
        for path in ("/t/open?lang=en", "/hall/open?show=tables&lang=en"):
            page = browser.new_page()
            page.goto(f"http://{HALL}:{port}{path}")
            page.locator("#table-1 .seat.runs .clock").wait_for()
            pages[way, path] = page
    link.stall()
    table.say(topic, encode(clock_of(assigned.game, "white", moves=2)))
    for (way, _), page in pages.items():
        if way == "slow":
            page.get_by_text("No connection since").wait_for()
            page.locator("html.stale").wait_for()
        else:
            page.locator("#table-1 .seat.runs .disc.white").wait_for()
            page.locator("#cut-off").wait_for(state="hidden")
    link.flow()
    for path in ("/t/open?lang=en", "/hall/open?show=tables&lang=en"):
        slow = pages["slow", path]
        slow.locator("#table-1 .seat.runs .disc.white").wait_for()
        slow.locator("#cut-off").wait_for(state="hidden")
        before_s, slow_s, after_s = map(seconds_left, (pages["direct", path], slow, pages["direct", path]))
        assert after_s - 2 <= slow_s <= before_s + 2, "it stalled for five seconds"


def seconds_left(page: Any) -> int:
    minutes, seconds = page.locator("#table-1 .seat.runs .clock").inner_text().split(":")
    return 60 * int(minutes) + int(seconds)


def test_the_hubs_count_is_that_of_the_event_that_came_fastest(hub: Any, browser: Any) -> None:
    page = browser.new_page()
    page.goto(hub.page)
    counts = page.evaluate("""async () => {
      const { hearHub, hubAnew, hubMs } = await import("/static/clock.js");
      hubAnew();
      hearHub(1000, 5020);
      const first = hubMs(6020);
      hearHub(2000, 6010);
      for (const at of [3000, 20000, 40000]) hearHub(at, 50000);
      const burst = hubMs(50000);
      hearHub(46000, 50010);
      hearHub(400000, 404030);
      const drifted = hubMs(404030);
      hubAnew();
      hearHub(7, 405000);
      return [first, burst, drifted, hubMs(405001)];
    }""")
    assert counts == [2000, 45_990, 400_000, 8]
