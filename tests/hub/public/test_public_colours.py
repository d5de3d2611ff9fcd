"""The colours of the discs in Windows high contrast, and in a browser that makes pages dark by itself."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.browsing import launched
from helpers.night import by_night
from PIL import Image
from samples.exhibition import TOURNAMENT, Scene
from samples.exhibition_hall import Address, shown

pytestmark = pytest.mark.needs("chromium")

PATHS = (
    "/t/{t}",
    "/t/{t}/games/2-1-star",
    "/t/{t}/standings",
    "/hall/{t}?show=boards&every=60",
    "/print/{t}/by-table",
)
BLACK, WHITE = (".disc.black", ".disc.white")


@pytest.fixture(scope="module")
def playing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    scene = Scene(players=8, rounds_planned=5, rounds_played=2)
    with shown(tmp_path_factory.mktemp("playing"), scene) as address:
        yield address


def picture(page: Any, selector: str) -> Image.Image:
    """Return what is seen of the first such element that is seen."""
    # A screenshot of the element itself fails when the live page replaces it meanwhile.
    box = page.evaluate(
        """selector => {
            const drawn = [...document.querySelectorAll(selector)].find(element => element.checkVisibility());
            drawn.scrollIntoView({ block: "center" });
            const { x, y, width, height } = drawn.getBoundingClientRect();
            return { x, y, width, height };
        }""",
        selector,
    )
    return Image.open(io.BytesIO(page.screenshot(clip=box))).convert("RGB")


def brightness(page: Any, selector: str) -> int:
    """Return the brightness of the middle of the first such disc, 0 to 255."""
    drawn = picture(page, selector).convert("L")
    return drawn.tobytes()[drawn.height // 2 * drawn.width + drawn.width // 2]


@pytest.mark.parametrize("scheme", ["dark", *by_night("light")])
def test_discs_and_board_keep_their_colours_in_high_contrast(
    browser: Any, playing: Address, scheme: str
) -> None:
    context = browser.new_context(forced_colors="active", color_scheme=scheme)
    page = context.new_page()
    for path in PATHS:
        page.goto(playing.page + path.format(t=TOURNAMENT))
        assert brightness(page, f"main {BLACK}") < 60 < 200 < brightness(page, f"main {WHITE}"), path
    page.goto(f"{playing.page}/t/{TOURNAMENT}/games/2-1-star")
    pixels = picture(page, "#board").tobytes()
    colours = Counter(zip(pixels[::3], pixels[1::3], pixels[2::3], strict=True))
    felt, black, white = (18, 128, 95), (20, 24, 26), (255, 255, 255)
    assert all(colours[colour] > 1_000 for colour in (felt, black, white)), colours.most_common(5)
    page.goto(f"{playing.page}/t/{TOURNAMENT}")
    styles = page.evaluate(
        """places => places.map(place => getComputedStyle(document.querySelector(place)))
            .map(style => [style.outlineStyle, style.boxShadow !== 'none'])""",
        [".seat.runs .clock", ".seat:not(.runs) .clock", WHITE, BLACK],
    )
    assert [outline for outline, _ in styles[:2]] == ["solid", "none"]
    assert [ring for _, ring in styles[2:]] == [True, False]
    context.close()


def test_a_browser_that_darkens_pages_leaves_both_colours_as_they_are(browser: Any, playing: Address) -> None:
    # It does so with pages that do not say how they look in the dark.
    dark = launched(browser.browser_type, "--blink-settings=forceDarkModeEnabled=true")
    page = dark.new_page(color_scheme="dark")
    page.goto("data:text/html,<body style='background: white'>x")
    seen = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    assert seen.getpixel((300, 300)) != (255, 255, 255), "this browser does"
    for path in PATHS:
        page.goto(playing.page + path.format(t=TOURNAMENT))
        assert brightness(page, f"main {BLACK}") < 60 < 200 < brightness(page, f"main {WHITE}"), path
    dark.close()
