"""The console's first minutes in a real browser: the language before signing in, and figures of a Japanese keyboard."""

from __future__ import annotations

import re
from typing import Any

import pytest
from helpers.console_operator import Operator

pytestmark = pytest.mark.needs("chromium")


def test_the_language_is_changed_before_signing_in_and_full_width_results_are_typed(
    hub: Any, browser: Any
) -> None:
    from playwright.sync_api import expect

    director = Operator(browser, hub)
    page = director.page
    page.goto(f"{hub.page}/desk")
    page.get_by_label("Set-up code").fill("ABCD-EF")
    page.get_by_label("Name").fill("Ada")
    for language, title in (("JA", "Flagfall の設定"), ("FR", ""), ("EN", "Set up Flagfall")):
        page.get_by_role("button", name=language, exact=True).click()
        page.locator(f"html[lang={language.lower()}]").wait_for()
        assert title in page.locator("h1").inner_text()
        expect(page.locator("[name=code]")).to_have_value("ABCD-EF")
        expect(page.locator("[name=name]")).to_have_value("Ada")
    director.set_up()
    director.create()
    page.get_by_role("button", name="Pair the round").click()
    page.get_by_role("button", name=re.compile("Publish round")).click()
    page.get_by_role("button", name=re.compile("Start the round")).click()
    page.get_by_text("0 of 4 games over").wait_for()  # the page after the start, not the one before
    page.locator("#result-form [name=table]").fill("１")
    expect(page.locator("#whose")).not_to_be_empty()
    page.locator("#result-form [name=black]").fill("４０")
    expect(page.locator("#result-form [name=white]")).to_have_value("24")
    page.locator("#result-form [name=white]").press("Enter")
    page.locator("#typed-stored li.stored").get_by_text("40–24").wait_for()
    assert director.faults == []
