"""A sign of work on the button or link that was pressed, as long as it takes."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.console_operator import Operator

pytestmark = pytest.mark.needs("chromium")


def test_a_press_that_takes_a_while_shows_that_it_is_being_answered_and_counts_once(
    hub: Any, browser: Any
) -> None:
    director = Operator(browser, hub, viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = director.page
    director.set_up()
    director.create()
    waiting: list[Any] = []
    page.route("**/draft/pair", lambda route: waiting.append(route))
    pair = page.get_by_role("button", name="Pair the round")
    pair.click()
    page.locator("button[aria-busy=true]").wait_for()
    page.keyboard.press("Enter")
    assert len(waiting) == 1
    waiting[0].continue_()
    page.get_by_role("button", name="Publish round 1").wait_for()
    assert not page.locator("[aria-busy]").count()

    # A file that the hub makes first is fetched by its page, with the name that the hub gives it.
    director.go("lists")
    waiting.clear()
    page.route("**/file/final-list-html", lambda route: waiting.append(route))
    link = page.locator("a[href$=final-list-html]")
    link.click()
    page.locator("a[aria-busy=true]").wait_for()
    link.click()
    with page.expect_download() as download:
        assert len(waiting) == 1
        waiting[0].continue_()
    assert download.value.suggested_filename.endswith(".html")
    assert not page.locator("[aria-busy]").count()

    # What cannot be made says why, and what cannot be reached that it was not sent; either can be pressed again.
    page.unroute("**/file/final-list-html")
    page.route("**/file/final-list-html", lambda route: route.abort())
    link.click()
    page.locator("#unsent").wait_for()
    page.unroute("**/file/final-list-html")
    page.evaluate("document.querySelector('a[data-made]').href += '-of-old'")
    page.locator("a[data-made]").first.click()
    page.get_by_text("There is no such file.").wait_for()
    assert director.faults == []
