"""Two players' telephones on which a game is tapped after it was played: without a network, by turns, with another end
than its result.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from flagfall.othello.board import parse_transcript
from tests.hub.people.test_people_cut_off import LOOK, Evening, report
from tests.hub.people.test_people_moves import BLACK, WHITE, WHOLE

pytestmark = pytest.mark.needs("chromium")

MOVES = parse_transcript(WHOLE)


def open_board(page: Any) -> None:
    if not page.locator("#moves .board").is_visible():
        page.locator("#moves summary").click()


def tap(page: Any, *squares: int) -> None:
    for at in squares:
        page.locator(f"#moves .board button[value='{at}']").tap()


def kept(hub: Any, page: Any) -> None:
    """Wait until the page says that what was sent is stored."""
    from playwright.sync_api import expect

    expect(page.locator("#waiting .stored").last).to_contain_text("Save the moves")


def picture(page: Any, name: str) -> None:
    """Keep a picture for whoever looks at the pages (`PICTURES`)."""
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_a_game_is_tapped_by_both_players_whatever_the_network_does(hub: Any, browser: Any, axe: str) -> None:
    from helpers.browsing import barriers
    from playwright.sync_api import expect

    evening = Evening(browser, hub)
    first, second = evening.games()
    black, white = evening.phone(first["black"]), evening.phone(first["white"])
    expect(black.locator("#moves")).to_have_count(0)
    wrong = (BLACK - 2, WHITE + 2)
    report(black, *wrong)
    expect(black.locator("#waiting")).to_contain_text("stored")
    expect(black.locator("#moves")).to_have_count(0)
    white.reload()
    white.get_by_role("button", name=f"Confirm {wrong[1]}–{wrong[0]}").click()
    expect(white.get_by_text("You had White against")).to_be_visible()

    # A press a move; two mistakes are undone, the second one two moves later; the network goes in the middle.
    black.reload()
    open_board(black)
    before_s = time.monotonic()
    tap(black, *MOVES[:10])
    mistake = black.locator("#moves .legal").evaluate_all(
        "(buttons, right) => buttons.map((button) => Number(button.value)).find((at) => at !== right)",
        MOVES[10],
    )
    tap(black, mistake)
    black.get_by_role("button", name="Undo").tap()
    black.context.set_offline(True)
    tap(black, *MOVES[10:30])
    picture(black, "tapped-half")
    black.get_by_role("button", name="Save the moves").click()
    expect(black.locator("#waiting")).to_contain_text("Save the moves · 30")
    expect(black.locator("#waiting")).to_contain_text("as soon as there is a connection")
    tap(black, MOVES[30])
    black.context.set_offline(False)
    black.evaluate(LOOK)
    expect(black.locator("#waiting")).to_contain_text("✓ stored", timeout=60_000)
    if os.environ.get("PICTURES"):
        print(f"thirty moves and a mistake: {time.monotonic() - before_s:.1f} s")

    # What was tapped and not saved outlives a reload.
    black.reload()
    expect(black.locator("#moves textarea")).to_have_value(WHOLE[:62])
    black.get_by_role("button", name="Undo").tap()
    expect(black.locator("#moves textarea")).to_have_value(WHOLE[:60])

    # The other player goes on, and is told at once that the end is not that of the result.
    white.reload()
    expect(white.get_by_text("has saved these moves.")).to_be_visible()
    expect(white.locator("#moves textarea")).to_have_value(WHOLE[:60])
    tap(white, *MOVES[30:])
    differ = f"These moves end {WHITE}–{BLACK}, the result is {wrong[1]}–{wrong[0]}."
    expect(white.locator("#moves .next-move")).to_have_text(differ)
    size = white.locator("#moves .board button").nth(9).bounding_box()
    assert size["width"] >= 40 and white.evaluate("document.documentElement.scrollWidth") <= 390
    picture(white, "tapped-differs")
    white.get_by_role("button", name="Save the moves").click()
    kept(hub, white)
    expect(white.locator("#moves .notice")).to_contain_text(f"{differ} They count when both")
    assert evening.games()[0]["score"] == list(wrong)
    assert barriers(white, axe) == []

    tapped = black.locator("#moves [name=game]").input_value()

    # Both have seen it now.
    black.evaluate(LOOK)
    expect(black.locator("#moves .notice")).to_contain_text(
        f"These moves end {BLACK}–{WHITE}, the result is {wrong[0]}–{wrong[1]}."
    )
    expect(black.locator("#moves textarea")).to_have_value(WHOLE)
    picture(black, "tapped-to-see")
    black.get_by_role("button", name="Save the moves").click()
    kept(hub, black)
    expect(black.locator("#moves .notice")).not_to_contain_text("They count when both")
    expect(black.get_by_role("link", name="View game")).to_be_visible()

    # Both tap the same game at once: the later one sees what stands, and has lost nothing.
    early, late = evening.phone(second["black"]), evening.phone(second["white"])
    hub.call("POST", "tournaments/open/results", {"table": second["table"], "score": [40, 24]})
    for page in (early, late):
        page.reload()
        open_board(page)
    tap(early, *parse_transcript("f5d6c3d3"))
    tap(late, *parse_transcript("f5f4e3"))
    late.context.set_offline(True)
    late.get_by_role("button", name="Save the moves").click()
    early.get_by_role("button", name="Save the moves").click()
    kept(hub, early)
    late.context.set_offline(False)
    late.evaluate(LOOK)
    expect(late.locator("#waiting .refused")).to_contain_text("has changed in the meantime")
    expect(late.get_by_text("has saved these moves.")).to_be_visible()
    expect(late.locator("#moves textarea")).to_have_value("f5d6c3d3")
    picture(late, "tapped-later")
    late.get_by_role("button", name="Fill in again").click()
    expect(late.locator("#moves textarea")).to_have_value("f5f4e3")
    expect(late.get_by_role("button", name="e3 black, 3")).to_be_visible()
    late.get_by_role("button", name="Save the moves").click()
    kept(hub, late)

    # The next round begins: the board is away although somebody has begun to tap, and its text comes back afterwards.
    late.reload()
    tap(late, *parse_transcript("d6"))
    hub.call("POST", "tournaments/open/pairings")
    hub.call("POST", "tournaments/open/start")
    late.evaluate(LOOK)
    expect(late.locator("#moves")).to_have_count(0)

    # The console has the same board, and says who tapped.
    evening.director.go(f"game/{tapped}")
    console = evening.director.page
    expect(console.locator(".tapped .board .x")).to_have_count(BLACK)
    expect(console.get_by_text("has saved these moves.")).to_be_visible()
    console.set_viewport_size({"width": 390, "height": 844})
    assert console.evaluate("document.documentElement.scrollWidth") <= 390
    assert console.locator(".tapped .board button").nth(9).bounding_box()["width"] >= 40
    picture(console, "tapped-console")
    assert evening.faults == []
