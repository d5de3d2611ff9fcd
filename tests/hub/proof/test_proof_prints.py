"""The signed head of the record on paper: a code on each slip, and on the final list."""

from __future__ import annotations

import asyncio
import html
import re
from pathlib import Path
from typing import Any

import pytest
from helpers.browsing import chromium
from helpers.hub_files import tournament_file
from helpers.hub_served import Served
from helpers.qr_codes import read_codes

from flagfall.link.keys import public_key
from flagfall.link.signed_note import Checkpoint, VerifierKey, open_note, read_checkpoint, sign_note
from hub.proof.kept_head import link_of_head, read_kept
from hub.web.qr_code import qr_svg

pytestmark = pytest.mark.needs("chromium")


def codes_in(page_html: str, style: str, dots_per_inch: int = 300) -> list[str]:
    """Return what a phone reads of each code on a printed page, which is shown as large as it is printed."""
    with chromium() as browser:
        page: Any = browser.new_page(device_scale_factor=dots_per_inch / 96)
        page.emulate_media(media="print")
        page.set_content(f"{page_html}<style>{style}</style>")
        pictures = [code.screenshot() for code in page.locator("svg.qr").all()]
        browser.contexts[0].close()
    return ["".join(read_codes(picture)) for picture in pictures]


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
        linked_slips = (await client.get("/print/open/slips?paper=letter")).text
        linked = (await client.get("/print/open/lists?paper=letter")).text
        key = served.hub.key.verifier
    games = slips.count('class="slip"')
    (shown,) = re.findall(r"<pre>(.*?)</pre>", lists, re.DOTALL)
    printed = html.unescape(shown).strip()
    assert note.startswith(printed) and open_note(printed, key) == open_note(note, key)
    assert games > 0 and "svg" not in re.findall(r'<section class="sheet".*', sheets)[0]
    for page, address, codes in (
        (slips, "", games),
        (lists, "", 1),
        (linked_slips, served.site.public_page, games),
        (linked, served.site.public_page, 1),
    ):
        link = "".join(link_of_head(address, note, key))
        assert read_kept(link, key).head == read_checkpoint(open_note(note, key))
        # OpenCV misses a code of some contents at one size, and reads it from nearer.
        for dots_per_inch in (300, 400, 600):
            read = await asyncio.to_thread(codes_in, page, style, dots_per_inch)
            if read.count(link) == codes:
                break
        assert read.count(link) == codes, read


def test_a_phone_reads_the_code_of_a_long_address_on_a_slip_of_17_mm() -> None:
    """The names are as long as names get, and a printer has 300 dots an inch or more."""
    key = VerifierKey("flagfall/federation-hub", public_key(b"h" * 32))
    head = Checkpoint(f"{key.name}/championship-of-the-north-2026", 1234, bytes(range(100, 132)))
    note = sign_note(head.text, key.name, b"h" * 32)
    link, digits = link_of_head("http://othello-hall.example.org:8080", note, key)
    svg = qr_svg(link, "l", digits)
    style = ".qr { width: 17mm; height: 17mm; }"
    for dots in (300, 400, 600):
        assert codes_in(svg, style, dots) == [link + digits], dots
    assert read_kept(link + digits, key).head == head
