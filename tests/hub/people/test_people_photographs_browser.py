"""Two players' telephones with the picture of a board: read, mended, reported without a network, confirmed; corners
dragged; loaded again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flagfall.othello.board import parse_position
from simulator.eye.picture import ScenePainter
from simulator.eye.scene import draw_scene
from tests.hub.people.test_people_cut_off import LOOK, Evening

pytestmark = pytest.mark.needs("chromium")

PHOTO = Path(__file__).parents[2] / "data" / "photos" / "dim-from-aside.jpg"
END = "X" * 40 + "O" * 24


def test_a_photograph_is_reported_and_confirmed_whatever_the_network_does(
    hub: Any, browser: Any, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    evening = Evening(browser, hub)
    first, second = evening.games()
    drawn = tmp_path / "drawn.jpg"
    drawn.write_bytes(ScenePainter(draw_scene(0, (2400, 1800))).jpeg(parse_position(END)))
    black, white = evening.phone(first["black"]), evening.phone(first["white"])
    picker = "#photograph input[name=chosen]"
    board = black.locator("#photograph .board.tap")

    # A board in play is shown, and counted for nobody.
    black.locator(picker).set_input_files(PHOTO)
    expect(board.locator(".x")).to_have_count(33)
    expect(black.get_by_text("Somebody can still move on this board")).to_be_visible()
    expect(black.get_by_role("button", name="Report this score")).to_be_disabled()
    expect(black.locator("#photograph canvas")).to_be_visible()

    # The picture is taken without a network, and sent when it is back.
    black.context.set_offline(True)
    black.locator(picker).set_input_files(drawn)
    expect(black.get_by_text("The picture is sent as soon as there is one")).to_be_visible()
    black.context.set_offline(False)
    expect(board.locator(".x")).to_have_count(40, timeout=60_000)
    expect(black.locator("#photograph .counts")).to_contain_text("40 – 24")

    # A square is tapped: white, empty, and black again; the board outlives a reload, the picture does not.
    square = board.get_by_role("button").nth(0)
    square.click()
    square.click()
    expect(black.get_by_role("button", name="row 1, column 1: empty")).to_be_visible()
    black.reload()
    expect(black.get_by_role("button", name="row 1, column 1: empty")).to_be_visible()
    expect(black.locator("#photograph canvas")).to_have_count(0)
    board.get_by_role("button").nth(0).click()
    expect(black.locator("#photograph .counts")).to_contain_text("40 – 24")

    # It is reported while the network is away, and the other player confirms the same board.
    black.context.set_offline(True)
    black.get_by_role("button", name="Report this score").click()
    expect(black.locator("#waiting")).to_contain_text("Report this score · 40–24")
    black.context.set_offline(False)
    black.evaluate(LOOK)
    expect(black.locator("#waiting")).to_contain_text("✓ stored", timeout=60_000)
    expect(black.get_by_text("You have reported 40–24")).to_be_visible()
    white.reload()
    expect(white.locator("figure.seen .x")).to_have_count(40)
    white.get_by_role("button", name="Confirm 24–40").click()
    expect(white.get_by_text("You had White against")).to_be_visible()
    assert evening.games()[0]["score"] == [40, 24]

    # No board is found in a picture: its corners are dragged, and it is read again within them.
    other = evening.phone(second["black"])
    other.locator(picker).set_input_files(_without_lines(tmp_path))
    expect(other.get_by_text("No board was found in this picture.")).to_be_visible(timeout=60_000)
    assert other.evaluate("document.documentElement.scrollWidth") <= 390
    corner, frame = other.locator("#photograph .corner"), other.locator("#photograph canvas").bounding_box()
    for at, (x, y) in enumerate(((0.3, 0.2), (0.7, 0.2), (0.7, 0.8), (0.3, 0.8))):
        place = corner.nth(at).bounding_box()
        other.mouse.move(place["x"] + 22, place["y"] + 22)
        other.mouse.down()
        other.mouse.move(frame["x"] + x * frame["width"], frame["y"] + y * frame["height"], steps=4)
        other.mouse.up()
    other.get_by_role("button", name="Read again within these corners").click()
    expect(other.locator("#photograph .board.tap button")).to_have_count(64, timeout=60_000)
    assert evening.faults == []


def _without_lines(folder: Path) -> Path:
    """Return a picture of a green area alone: no lines and no discs."""
    import cv2
    import numpy as np

    picture = np.full((900, 1200, 3), 200, np.uint8)
    picture[180:720, 360:840] = (60, 120, 30)
    path = folder / "plain.jpg"
    path.write_bytes(cv2.imencode(".jpg", picture)[1].tobytes())
    return path
