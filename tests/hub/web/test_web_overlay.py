"""The overlay for broadcasters, in a real browser over a picture: transparent, alive, from game to game."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from helpers.browsing import barriers
from helpers.hub_files import clock_of, tournament_file
from helpers.waiting import until
from PIL import Image

from flagfall.link.messages import encode
from flagfall.link.topics import Kind, Topic

pytestmark = pytest.mark.needs("chromium")

# The picture below: what a camera shows.
PICTURE = (200, 30, 120)
# Corners and middle of the source, far from what the overlay shows at its lower edge.
SEEN_THROUGH = ((0.02, 0.02), (0.98, 0.02), (0.5, 0.3), (0.02, 0.6), (0.98, 0.6), (0.02, 0.98), (0.98, 0.98))


def over_a_picture(page: Any, address: str, size: tuple[int, int]) -> Any:
    """Show the overlay in a frame over a picture and return the frame's content."""
    width, height = size
    page.set_content(
        f"<style>body {{ margin: 0; background: rgb{PICTURE} }}"
        f" iframe {{ border: 0; display: block; width: {width}px; height: {height}px }}</style>"
        f'<iframe src="{address}"></iframe>'
    )
    return page.frame_locator("iframe")


def pixels(page: Any) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def playing_hub(hub: Any, broadcast: bool = True) -> tuple[Any, str]:
    """Publish and start a round at a table, let its first move be made, and return table and game."""
    table = hub.table("t1", 1)
    hub.call("PUT", "tournaments/open", tournament_file(4))
    hub.call("POST", "tournaments/open/pairings", {"broadcast": broadcast})
    hub.call("POST", "tournaments/open/start", {})
    assigned = table.assignment(lambda assignment: assignment.game is not None)
    table.status("open", game=assigned.game, seat=1)
    table.say(Topic("open", "t1", Kind.CLOCK), encode(clock_of(assigned.game, moves=1)))
    return table, assigned.game


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        ((1280, 720), "light"),
        pytest.param((1920, 1080), "dark", marks=pytest.mark.long),
        pytest.param((1280, 720), "dark", marks=pytest.mark.long),
        pytest.param((1920, 1080), "light", marks=pytest.mark.long),
    ],
)
def test_the_picture_is_seen_through_the_overlay_and_the_clock_moves_on(
    hub: Any, browser: Any, size: tuple[int, int], scheme: Any
) -> None:
    _, game = playing_hub(hub)
    width, height = size
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    for address in ("/overlay/table/1", f"/overlay/game/{game}"):
        frame = over_a_picture(page, hub.page + address, size)
        running = frame.locator(".seat.runs .clock")
        running.wait_for()
        picture = pixels(page)
        seen = [picture.getpixel((round(x * (width - 1)), round(y * (height - 1)))) for x, y in SEEN_THROUGH]
        assert seen == [PICTURE] * len(SEEN_THROUGH)
        through = float((np.asarray(picture) == PICTURE).all(axis=2).mean())
        assert 0.75 < through < 0.98, "most of the picture is seen, and the overlay is there"
        parts = (".seat.black", ".seat.white", ".board", "h1")
        for part, (left, top, right, bottom) in zip(parts, boxes(page.frames[1], *parts), strict=True):
            assert 0 <= left < right <= width and 0 <= top < bottom <= height, part
            assert picture.getpixel((round((left + right) / 2), round(top + 3))) != PICTURE, part
        before = running.inner_text()
        until(lambda clock=running, text=before: clock.inner_text() != text)
    page.close()


def test_the_overlay_follows_its_table_and_survives_the_hubs_end(hub: Any, browser: Any, axe: str) -> None:
    table, first = playing_hub(hub)
    context = browser.new_context(bypass_csp=True, reduced_motion="reduce")
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.goto(f"{hub.page}/overlay/table/1")
    page.locator(".seat.black.runs .clock").wait_for()
    assert page.locator(".board i").count() == 64
    assert "desk" not in page.content() and page.locator("a, button, input, form").count() == 0
    assert barriers(page, axe) == []
    table.say(Topic("open", "t1", Kind.CLOCK), encode(clock_of(first, "white", moves=2)))
    page.locator(".seat.white.runs .clock").wait_for()

    hub.kill()
    page.locator("html.stale").wait_for(state="attached")
    assert not page.locator("#cut-off").is_visible(), "viewers are told nothing of the network"
    hub.start()
    page.locator("html:not(.stale)").wait_for(state="attached")
    table.wait_up()
    result = table.play("open", (40, 24))
    assert table.receipt(result.id).accepted
    page.locator(".seat.black .score").get_by_text("40", exact=True).wait_for()
    page.locator(".seat.black.wins").wait_for()

    hub.call("POST", "tournaments/open/results", {"table": 2, "score": [20, 44]})
    hub.call("POST", "tournaments/open/pairings", {"broadcast": True})
    assert "Round 1" in page.locator("h1").inner_text(), "the next pairing is shown from its start on"
    hub.call("POST", "tournaments/open/start", {})
    page.locator("h1").get_by_text("Round 2").wait_for()
    assert page.locator(".score").count() == 0
    page.goto(f"{hub.page}/overlay/game/{first}")
    assert page.locator(".seat.black .score").inner_text() == "40", "a game stays what it was"
    assert faults == []


def boxes(page: Any, *selectors: str) -> list[tuple[float, float, float, float]]:
    """Return left, top, right and bottom of elements, in one step: the stream replaces them at any moment."""
    rects = page.evaluate(
        """selectors => selectors.map(selector => {
            const box = document.querySelector(selector)?.getBoundingClientRect();
            return box ? [box.left, box.top, box.right, box.bottom] : [0, 0, 0, 0];
        })""",
        list(selectors),
    )
    return [tuple(box) for box in rects]


def test_the_address_chooses_what_is_shown(hub: Any, browser: Any) -> None:
    playing_hub(hub)
    width, height = 1280, 720
    page = browser.new_page(viewport={"width": width, "height": height})
    parts = {"board": ".board", "names": ".name b", "clocks": ".clock", "label": "h1"}
    page.goto(f"{hub.page}/overlay/table/1")
    page.locator(".board").wait_for()
    for hidden in parts:
        page.goto(f"{hub.page}/overlay/table/1?{hidden}=0")
        for part, (left, _, right, _) in zip(parts, boxes(page, *parts.values()), strict=True):
            assert (right - left > 1) == (part != hidden), (hidden, part)
    shown = (".board", ".seat.black", ".seat.white")
    sizes = {}
    for scale in (50, 100, 150):
        page.goto(f"{hub.page}/overlay/table/1?scale={scale}")
        (left, _, right, _), *_ = boxes(page, *shown)
        sizes[scale] = right - left
    assert sizes[100] == pytest.approx(2 * sizes[50], abs=2) and sizes[150] == pytest.approx(
        3 * sizes[50], abs=2
    )
    middles = {}
    for side in ("bottom", "top", "left", "right"):
        page.goto(f"{hub.page}/overlay/table/1?side={side}&scale=150")
        for left, top, right, bottom in boxes(page, *shown):
            assert 0 <= left < right <= width and 0 <= top < bottom <= height, side
        left, top, right, bottom = boxes(page, ".board")[0]
        middles[side] = ((left + right) / 2, (top + bottom) / 2)
    assert middles["top"][1] < height / 2 < middles["bottom"][1]
    assert middles["left"][0] < width / 2 < middles["right"][0]
    # OBS puts its custom CSS into the page as an element of its own.
    page.add_style_tag(content=":root { --ground: rgb(1, 2, 3) } h1 { letter-spacing: 7px }")
    styled = page.locator("h1").evaluate(
        "h1 => [getComputedStyle(h1).letterSpacing, getComputedStyle(h1).backgroundColor]"
    )
    assert styled == ["7px", "rgb(1, 2, 3)"]
    page.goto(f"{hub.page}/overlay/table/1?theme=light&scale=9999&side=<b>&board=maybe")
    assert page.locator("html").get_attribute("class") == "theme-light side-bottom scale-100"
    page.close()


def test_an_overlay_shows_no_clock_and_no_board_that_is_not_broadcast(hub: Any, browser: Any) -> None:
    _, game = playing_hub(hub, broadcast=False)
    page = browser.new_page()
    for address in ("/overlay/table/1", f"/overlay/game/{game}", f"/overlay/game/{game}?event=open"):
        page.goto(hub.page + address)
        assert page.locator(".name b").count() == 2
        assert page.locator(".clock, .board, .score, .flag, .runs").count() == 0, address
    for address in (
        "/overlay/table/0",
        "/overlay/table/x",
        "/overlay/game/none",
        "/overlay/seat/1",
        "/overlay/table/1?event=no",
    ):
        assert page.goto(hub.page + address).status == 404, address
    answer = page.goto(f"{hub.page}/overlay/table/99")
    assert answer.status == 200 and page.locator(".seat").count() == 0, "a table that may come"
    page.close()
