"""The signed head of the record on paper: a code on each slip, and on the final list."""

from __future__ import annotations

import asyncio
import html
import re
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from helpers.browsing import chromium
from helpers.hub_files import tournament_file
from helpers.hub_served import Served

from hub.proof.kept_head import link_of_head

pytestmark = pytest.mark.needs("chromium")


def codes_in(page_html: str, style: str) -> list[str]:
    """Return what a phone reads of each code on a printed page."""
    with chromium() as browser:
        page: Any = browser.new_page(device_scale_factor=4)
        page.emulate_media(media="print")
        page.set_content(f"{page_html}<style>{style}</style>")
        pictures = [code.screenshot() for code in page.locator("svg.qr").all()]
        browser.contexts[0].close()
    read = []
    for picture in pictures:
        pixels = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
        assert pixels is not None
        read.append(cv2.QRCodeDetector().detectAndDecode(pixels)[0])
    return read


async def test_each_slip_and_the_final_list_carry_the_signed_head(tmp_path: Path) -> None:
    served = Served(tmp_path)
    static = Path(__file__).parents[3] / "hub" / "web" / "static"
    style = "".join((static / name).read_text("utf-8") for name in ("print.css", "print-a4.css"))
    async with served as client:
        await served.create("open", tournament_file(4))
        await served.run("publish-round")
        await served.run("start-round")
        note = (await client.get("/t/open/checkpoint")).text
        slips = (await client.get("/print/open/slips")).text
        lists = (await client.get("/print/open/lists")).text
        sheets = (await client.get("/print/open/sheets")).text
        # Where phones find the hub, the code opens the page that compares the head.
        served.site.public_page = "http://192.168.4.20:8080"
        linked = (await client.get("/print/open/lists?paper=letter")).text
    games = slips.count('class="slip"')
    (shown,) = re.findall(r"<pre>(.*?)</pre>", lists, re.DOTALL)
    assert html.unescape(shown).strip() == note.strip()
    assert games > 0 and "svg" not in re.findall(r'<section class="sheet".*', sheets)[0]
    assert await asyncio.to_thread(codes_in, slips, style) == [note] * games
    assert await asyncio.to_thread(codes_in, lists, style) == [note]
    link = link_of_head("http://192.168.4.20:8080", note)
    assert await asyncio.to_thread(codes_in, linked, style) == [link]
