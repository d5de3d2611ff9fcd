"""How pages change by themselves (`live.js`): what somebody types, has opened or is about to press stays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from hub.web.app import STATIC

pytestmark = pytest.mark.needs("chromium")

PAGE = """<!doctype html><html lang="en"><body>
<p id="cut-off" hidden data-lost="Cut off since {time}." data-gone="Gone."></p>
<main id="content">BEFORE</main></body></html>"""
FORM = '<form action="score"><input id="mine" name="mine"><button>Send</button></form>'


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    page = browser.new_page()
    yield page
    page.close()


def opened(page: Any, content: str) -> None:
    page.set_content(PAGE.replace("BEFORE", content))
    for script in ("idiomorph.min.js", "live.js"):
        page.add_script_tag(content=(STATIC / script).read_text("utf-8"))


def morphed(page: Any, content: str) -> str:
    """Return the content of the page after the hub has sent another one."""
    return page.evaluate(
        """(html) => {
            const fresh = document.createElement("main");
            fresh.id = "content";
            fresh.innerHTML = html;
            live.morph(document.getElementById("content"), fresh);
            return document.getElementById("content").innerHTML;
        }""",
        content,
    )


def test_a_section_in_which_somebody_types_stays_and_the_others_change(page: Any) -> None:
    opened(
        page,
        f'<section aria-labelledby="a">{FORM}</section><section aria-labelledby="b"><p>old</p></section>',
    )
    page.locator("#mine").type("34")
    page.evaluate("document.getElementById('mine').setSelectionRange(1, 2)")
    page.evaluate("window.field = document.getElementById('mine')")
    fresh = (
        f'<section aria-labelledby="c">new</section><section aria-labelledby="a"><p>score</p>{FORM}</section>'
    )
    html = morphed(page, f'{fresh}<section aria-labelledby="b"><p>news</p></section>')
    assert "news" in html and "new</section>" in html and "<p>score</p>" not in html
    kept = page.evaluate(
        "[document.activeElement === field, field.value, field.selectionStart, field.selectionEnd]"
    )
    assert kept == [True, "34", 1, 2]
    # Nothing is taken away below somebody's hands either; once they are done, it goes on.
    assert 'id="mine"' in morphed(page, "<section>other</section>")
    page.evaluate("field.value = ''; field.blur()")
    assert 'id="mine"' not in morphed(page, "<section>other</section>")


def test_a_form_that_came_back_with_a_refusal_is_filled_in(page: Any) -> None:
    refused = FORM.replace('name="mine"', 'name="mine" value="70"')
    opened(page, f'<p role="alert">expected 0 to 64</p><section aria-labelledby="a">{refused}</section>')
    html = morphed(page, f'<section aria-labelledby="a"><p>more</p>{FORM}</section>')
    assert "expected 0 to 64" in html and "<p>more</p>" not in html
    assert page.locator("#mine").input_value() == "70"


def test_what_is_ticked_chosen_or_open_stays(page: Any) -> None:
    before = """<table><tr id="t1"><td><input type="checkbox" id="pick-1"></td><td>1:00</td></tr></table>
        <details id="more"><summary>More</summary><p>text</p></details>
        <select id="rule"><option>a</option><option>b</option></select>"""
    opened(page, before)
    page.locator("#pick-1").check()
    page.locator("summary").click()
    page.locator("#rule").select_option("b")
    page.locator("summary").focus()
    html = morphed(page, before.replace("1:00", "0:59").replace("text", "other text"))
    assert "0:59" in html and "other text" in html
    assert page.locator("#pick-1").is_checked() and page.locator("details").get_attribute("open") is not None
    assert page.locator("#rule").input_value() == "b"
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    # A table whose game is over is no choice any more.
    morphed(page, before.replace('id="pick-1"', 'id="pick-1" disabled'))
    assert page.locator("#pick-1").is_disabled()


def test_a_button_that_promises_something_else_takes_no_press_at_once(page: Any) -> None:
    form = '<form><input type="hidden" name="mine" value="40"><button data-rest>Confirm 40–24</button></form><p>1</p>'
    opened(page, form)
    button = page.get_by_role("button")
    assert button.is_disabled(), "it was not there a moment ago"
    page.wait_for_function("!document.querySelector('button').disabled")
    morphed(page, form.replace("<p>1</p>", "<p>2</p>"))
    assert button.is_enabled(), "it is the same button"
    morphed(page, form.replace("40", "38"))
    assert button.is_disabled() and button.inner_text() == "Confirm 38–24"


def test_a_page_says_since_when_it_is_cut_off(page: Any) -> None:
    opened(page, "<p>text</p>")
    note = page.locator("#cut-off")
    assert note.is_hidden()
    page.evaluate("dispatchEvent(new Event('offline'))")
    assert re.fullmatch(r"Cut off since [0-2]\d:[0-5]\d\.", note.inner_text())
    assert page.evaluate("document.documentElement.classList.contains('stale')")
    page.evaluate("reach.heard()")
    assert note.is_hidden() and not page.evaluate("document.documentElement.classList.contains('stale')")
    page.evaluate("reach.gone()")
    assert note.inner_text() == "Gone."
