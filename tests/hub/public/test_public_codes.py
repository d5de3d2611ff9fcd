"""QR codes on the projector and on paper: what a decoder reads from the pictures that people photograph."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.browsing import barriers
from helpers.night import by_night
from helpers.qr_codes import read_codes
from samples.exhibition import TOURNAMENT, Scene
from samples.exhibition_hall import DIRECTOR, PASSWORD, Address, shown

from flagfall.base.errors import Invalid
from hub.config import read_config

pytestmark = pytest.mark.needs("chromium")

PUBLIC = "http://flagfall-hub.local:8000"
EVENT = f"{PUBLIC}/t/{TOURNAMENT}"
# A picture 2 m high; a phone's camera with 4000 pixels over 65 degrees, 15 m away.
PICTURE_PX_PER_M, PHONE_PX_PER_M = 360, 209


@pytest.fixture(scope="module")
def hall() -> Iterator[Address]:
    with (
        tempfile.TemporaryDirectory() as folder,
        shown(Path(folder), Scene(players=9, rounds_played=1), public_page=PUBLIC) as address,
    ):
        yield address


@pytest.mark.parametrize("scheme", ["dark", *by_night("light")])
@pytest.mark.parametrize(
    "size",
    [(1280, 720), *(pytest.param(size, marks=pytest.mark.long) for size in ((1920, 1080), (1024, 768)))],
)
def test_the_projectors_code_is_read_from_the_back_of_the_room(
    browser: Any, hall: Address, size: tuple[int, int], scheme: Any
) -> None:
    width, height = size
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(f"{hall.page}/hall/{TOURNAMENT}?key={hall.key}&show=phone&every=60")
    page.locator(".paged .phone svg").wait_for()
    box, caption = page.locator(".phone svg").bounding_box(), page.locator(".phone figcaption").bounding_box()
    assert box["y"] >= 0 and caption["y"] + caption["height"] <= height and caption["x"] >= 0
    assert box["height"] >= 0.6 * height, "1.2 m of a picture 2 m high"
    as_seen = PHONE_PX_PER_M / PICTURE_PX_PER_M * 720 / height
    picture = page.screenshot()
    assert read_codes(picture) == [EVENT]
    assert read_codes(picture, as_seen, blur=1) == [EVENT], "from 15 m"
    assert page.locator(".phone figcaption").inner_text() == EVENT, "for whoever types it"
    page.close()


def test_the_projector_shows_the_code_by_itself_and_without_a_barrier(
    browser: Any, hall: Address, axe: str
) -> None:
    context = browser.new_context(bypass_csp=True, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{hall.page}/hall/{TOURNAMENT}?key={hall.key}")
    assert page.locator(".scene.phone").count() == 1
    page.goto(f"{hall.page}/hall/{TOURNAMENT}?key={hall.key}&show=phone")
    assert barriers(page, axe) == []
    context.close()


@pytest.mark.parametrize("paper", ["a4", pytest.param("letter", marks=pytest.mark.long)])
def test_codes_are_read_from_printed_pairings_and_slips(browser: Any, hall: Address, paper: str) -> None:
    page = browser.new_page(viewport={"width": 900, "height": 1200}, device_scale_factor=2)
    page.emulate_media(media="print")
    for kind in ("by-table", "by-name"):
        page.goto(f"{hall.page}/print/{TOURNAMENT}/{kind}?paper={paper}")
        assert read_codes(page.locator("header").screenshot()) == [EVENT], kind
        assert EVENT in page.locator("header").inner_text()
    page.goto(f"{hall.page}/print/{TOURNAMENT}/slips?paper={paper}")
    slips = page.locator(".slip")
    assert slips.count() == 4
    for slip in slips.all():
        codes = slip.locator(".qr")
        assert codes.count() == 2
        # Each alone, as a camera is held before it: paper around it included.
        assert read_codes(slip.locator(".event").screenshot()) == [EVENT]
        (head,) = read_codes(slip.locator("figure:not(.event)").screenshot())
        assert f"/v#{TOURNAMENT}/" in head
        widths_mm = [code.bounding_box()["width"] * 25.4 / 96 for code in codes.all()]
        assert widths_mm[0] > 24 > 20 > widths_mm[1] > 16, "the players' code is the large one"
        assert slip.evaluate("slip => slip.scrollHeight <= slip.clientHeight")
    page.close()


def test_each_players_slip_leads_to_their_own_page(browser: Any, hall: Address, axe: str) -> None:
    context = browser.new_context(
        bypass_csp=True, base_url=hall.page, device_scale_factor=2, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto("/desk")
    page.get_by_label("Name").fill(DIRECTOR)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/desk")
    page.goto(f"/desk/t/{TOURNAMENT}/links")
    assert page.locator(".slip").count() == 0, "woc-2019 lets players have none until the director does"
    page.goto(f"/desk/t/{TOURNAMENT}/event")
    page.get_by_label("Players may open their own pages").check()
    with page.expect_navigation():
        page.locator("form[action$=players-pages] button").click()
    page.goto(f"/desk/t/{TOURNAMENT}/players")
    page.get_by_role("link", name="Players' own pages").click()
    page.wait_for_url("**/links")
    assert page.locator(".slip").count() == 9
    assert barriers(page, axe) == []
    page.emulate_media(media="print")
    addresses = set()
    for slip in page.locator(".slip").all():
        (address,) = read_codes(slip.screenshot())
        assert re.fullmatch(re.escape(PUBLIC) + r"/me/[A-Za-z0-9_-]{24}", address)
        assert address in slip.inner_text()
        name = slip.locator("b").inner_text()
        mine = context.request.get(address.replace(PUBLIC, hall.page))
        assert mine.status == 200 and f"<h1><bdi>{name}</bdi></h1>" in mine.text()
        addresses.add(address)
    assert len(addresses) == 9
    context.close()


def test_without_a_known_address_there_is_no_code(browser: Any) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        shown(Path(folder), Scene(players=9, rounds_played=1)) as address,
    ):
        page = browser.new_page()
        page.goto(f"{address.page}/hall/{TOURNAMENT}?key={address.key}")
        assert page.locator(".scene").count() and not page.locator(".phone").count()
        for kind in ("by-table", "by-name", "slips"):
            page.goto(f"{address.page}/print/{TOURNAMENT}/{kind}")
            assert page.locator("header .qr, .event .qr").count() == 0, kind
        page.close()


@pytest.mark.parametrize(
    "wrong",
    [
        "othello.example.org",
        "ftp://a",
        "http://",
        "http://a b",
        "http://a/?q=1",
        "http://a/#b",
        "http://u:p@a",
        "http://a:99999",
        "http://é.example",
        "http://a/" + "b" * 100,
        'http://a"b',
    ],
)
def test_a_wrong_address_is_refused_in_one_line(wrong: str, tmp_path: Path) -> None:
    with pytest.raises(
        Invalid, match=r"FLAGFALL_PUBLIC_ADDRESS: expected an address such as http://othello\.example\.org"
    ):
        read_config([], {"FLAGFALL_PUBLIC_ADDRESS": wrong}, tmp_path / "none")
    read = read_config([], {"FLAGFALL_PUBLIC_ADDRESS": "https://a.example/othello/"}, tmp_path / "none")
    assert read.public_address == "https://a.example/othello"
