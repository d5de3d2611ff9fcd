"""The public pages in a real browser: stepping by keys, the projector turning its pages, accessible to everybody."""

from __future__ import annotations

import asyncio
import re
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.browsing import barriers
from helpers.night import by_night
from samples.exhibition import TOURNAMENT, Exhibition, Scene
from samples.exhibition_hall import Address, shown

from hub.public.outside.mirror import Mirror

pytestmark = pytest.mark.needs("chromium")

PAGES = (
    "/t/{t}",
    "/t/{t}/players",
    "/t/{t}/players/103",
    "/t/{t}/standings",
    "/t/{t}/event",
    "/t/{t}/rounds/2",
    "/t/{t}/games",
    "/t/{t}/finals",
    "/t/{t}/games/2-1-star",
    "/t/{t}/games/3-1-star",
    "/hall/{t}?key={key}&show=by_table",
    "/hall/{t}?key={key}&show=by_name",
    "/hall/{t}?key={key}&show=boards",
    "/hall/{t}?key={key}&show=tables",
    "/hall/{t}?key={key}&show=standings",
    "/t/{t}/tables",
    "/overlay/table/1",
    "/overlay/table/99",
    "/overlay/game/2-1-star?theme=light&side=left",
    "/print/{t}?key={key}",
    "/print/{t}/by-table",
    "/print/{t}/by-name",
    "/print/{t}/slips",
    "/print/{t}/sheets",
    "/print/{t}/standings",
    "/print/{t}/cross-table",
    "/print/{t}/all-rounds",
    "/print/{t}/lists",
    "/print/{t}/prizes",
)


@pytest.fixture(scope="module")
def playing() -> Iterator[Address]:
    scene = Scene(players=19, rounds_planned=5, rounds_played=2, troubled=True)
    with tempfile.TemporaryDirectory() as folder, shown(Path(folder), scene) as address:
        yield address


def goto(page: Any, address: Address, path: str) -> None:
    answer = page.goto(address.page + path.format(t=TOURNAMENT, key=address.key))
    assert answer.status == 200, path


@pytest.mark.long
def test_no_page_has_a_serious_barrier(browser: Any, playing: Address, axe: str) -> None:
    context = browser.new_context(bypass_csp=True, reduced_motion="reduce")
    page = context.new_page()
    by_path = {}
    for path in PAGES:
        goto(page, playing, path)
        by_path[path] = barriers(page, axe)
    context.close()
    assert len(by_path) == len(PAGES) and not any(by_path.values()), by_path


def test_nothing_is_wider_than_a_small_phone_and_nothing_fails(browser: Any, playing: Address) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 640})
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    for path in PAGES:
        for language in ("en", "fr", "ja") if path in PAGES[:2] else ("fr",):
            if path.startswith("/print/") and "?" not in path:
                continue  # paper has a size of its own
            goto(page, playing, path + ("&" if "?" in path else "?") + f"lang={language}")
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, (path, language)
    goto(page, playing, "/t/{t}")
    # In one step, here and below: the live page replaces its parts at any moment.
    with_long_name_px = page.evaluate(
        """() => {
            document.querySelector('.byes').append('M'.repeat(64));
            return document.documentElement.scrollWidth;
        }"""
    )
    assert with_long_name_px <= 360, "the longest name of one word"
    goto(page, playing, "/t/{t}/games")
    height_px = page.evaluate("document.querySelector('.games .mark').getBoundingClientRect().height")
    assert 0 < height_px < 30, "a doubt stands on one line"
    context.close()
    assert faults == []


def test_a_name_in_the_standings_is_not_torn_on_a_small_phone_and_clocks_are_rounded_as_at_the_table(
    browser: Any, playing: Address
) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 640})
    goto(page, playing, "/t/{t}")
    # In one step: the live page replaces its parts at any moment.
    with_and_without_tearing = page.evaluate(
        """() => {
            const name = document.querySelector('#standings td a');
            const box = () => JSON.stringify(name.getBoundingClientRect());
            name.textContent = 'Schönewald-Brettschneider Friederike';
            const asItIs = box();
            name.style.overflowWrap = 'normal';
            return [asItIs, box()];
        }"""
    )
    assert len(set(with_and_without_tearing)) == 1
    goto(page, playing, "/t/{t}/standings")
    assert page.evaluate(
        """() => {
            const name = document.querySelectorAll('.cross th.stick')[1];
            name.firstChild.textContent = 'Schönewald-Brettschneider Friederike';
            return name.scrollWidth <= name.clientWidth;
        }"""
    ), "nor cut in the standings"
    # The hub itself is heard at any moment, too.
    shown = page.evaluate(
        """async () => {
            const { hubAnew, hearHub, tick } = await import('/static/clock.js');
            document.body.insertAdjacentHTML('beforeend', '<i id=clock data-ends-ms=59500></i>');
            hubAnew();
            hearHub(0);
            tick();
            return document.getElementById('clock').textContent;
        }"""
    )
    assert shown == "1:00"
    page.close()


def test_who_goes_through_the_live_page_by_keyboard_stays_where_he_is(browser: Any, playing: Address) -> None:
    page = browser.new_page()
    goto(page, playing, "/t/{t}")
    # In one step: else the hub's own news may replace the new part before it is looked at.
    focused = page.evaluate(
        """async () => {
            const { replacePart } = globalThis.live;
            const card = document.getElementById('table-1');
            card.querySelector('a').focus();
            const before = document.activeElement.closest('#table-1') === card;
            replacePart('table-1', card.outerHTML.replace('<article', '<article data-new'));
            return [before, document.activeElement.matches('#table-1[data-new] a')];
        }"""
    )
    assert focused == [True, True]
    page.close()


def test_pointing_at_a_player_a_tap_or_the_keyboard_shows_their_games(browser: Any, playing: Address) -> None:
    page = browser.new_page()
    goto(page, playing, "/t/{t}/standings")
    games, name = page.locator("#games-of"), page.locator("tbody th a").first
    name.hover()
    games.wait_for()
    assert games.locator("li").count() == page.locator("thead th.c").count()
    page.keyboard.press("Escape")
    games.wait_for(state="hidden")
    page.mouse.move(0, 0)
    page.locator("thead a").last.focus()
    page.keyboard.press("Tab")
    games.wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url("**/players/*")
    page.close()
    phone = browser.new_context(
        has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844}
    ).new_page()
    goto(phone, playing, "/t/{t}/standings")
    phone.locator("tbody th a").first.tap()
    phone.locator("#games-of").wait_for()
    assert phone.url.endswith("/standings"), "the second tap leads to the player's page"
    phone.locator("tbody th a").first.tap()
    phone.wait_for_url("**/players/*")
    phone.context.close()


def test_games_are_found_by_player_and_tables_put_in_order(browser: Any, playing: Address) -> None:
    page = browser.new_page()
    goto(page, playing, "/t/{t}/rounds/1")
    lines = page.locator(".games li")
    everybody = lines.count()
    page.get_by_label("Player").fill("alta")
    assert everybody > page.locator(".games li:visible").count() == 1
    assert "Altair" in page.locator(".games li:visible").inner_text()
    page.get_by_label("Player").fill("nobody of that name")
    page.get_by_text("No game of such a player").wait_for()
    page.get_by_label("Player").fill("altair")
    page.get_by_role("button", name="All rounds").click()
    page.wait_for_url("**/games?q=altair")
    assert page.locator(".games li").count() == page.locator(".picker a").count()

    goto(page, playing, "/t/{t}")
    page.get_by_role("button", name="ending first").click()
    ranks = "() => [...document.querySelectorAll('#tables article')].map(card => Boolean(card.querySelector('.discs')))"
    over = page.evaluate(ranks)
    assert over == sorted(over, reverse=True), "those that just ended come first"
    page.reload()
    page.locator("[data-order=ending][aria-pressed=true]").wait_for()
    page.get_by_role("button", name="by number").click()
    tables = page.evaluate(
        "() => [...document.querySelectorAll('#tables article')].map(card => Number(card.dataset.table))"
    )
    assert tables == sorted(tables)
    page.close()


def test_a_game_is_stepped_through_by_keys_buttons_and_clicks(browser: Any, playing: Address) -> None:
    page = browser.new_page()
    goto(page, playing, "/t/{t}/games/2-1-star")
    caption, board = page.locator("#caption"), page.locator("#board")

    def discs() -> int:
        return board.locator("i.x, i.o").count()

    assert re.match(r"\d+\. [a-h][1-8]$", caption.inner_text()) and discs() > 50
    page.keyboard.press("Home")
    assert caption.inner_text() == "The start position" and discs() == 4
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert caption.inner_text().startswith("2. ") and discs() == 6
    page.wait_for_url("**#2")
    read = page.get_by_role("table", name=re.compile("^The board after move 2,"))
    assert read.get_by_role("row").count() == 8 and read.get_by_role("cell").count() == 64
    assert read.get_by_role("cell", name=re.compile(r"^[a-h][1-8] empty$")).count() == 58
    assert read.get_by_role("cell", name=re.compile(", last move$")).count() == 1
    page.keyboard.press("ArrowLeft")
    assert caption.inner_text().startswith("1. ") and discs() == 5
    page.get_by_role("button", name="To the end").click()
    last = caption.inner_text()
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="One move back").click()
    assert page.locator("#moves").evaluate(
        "list => { const link = list.querySelector('[aria-current]').getBoundingClientRect(),"
        " box = list.getBoundingClientRect(); return link.top >= box.top && link.bottom <= box.bottom }"
    ), "the list of moves goes along"
    page.set_viewport_size({"width": 1366, "height": 768})
    page.get_by_role("button", name="To the end").click()
    page.get_by_role("button", name="One move back").focus()
    page.keyboard.press("Space")
    assert caption.inner_text() != last
    page.locator('#moves a[data-move="7"]').click()
    assert caption.inner_text().startswith("7. ") and discs() == 11
    assert page.locator("#moves [aria-current]").get_attribute("data-move") == "7"
    page.goto(page.url)
    assert page.locator("#caption").inner_text().startswith("7. "), "a link leads to a move"
    page.locator('.plot rect[data-move="9"]').click(force=True)
    assert caption.inner_text().startswith("9. ") and page.locator("#moves [aria-current]").inner_text()
    mark = page.locator(".plot text[data-move]").first
    assert "Discs flipped wrongly" in (mark.locator("title").text_content() or "")
    mark.click()
    assert caption.inner_text().startswith(f"{mark.get_attribute('data-move')}. ")
    page.close()


def test_without_scripts_a_game_is_a_transcript_and_links_to_each_move(
    browser: Any, playing: Address
) -> None:
    from playwright.sync_api import expect

    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    goto(page, playing, "/t/{t}/games/2-1-star")
    assert re.fullmatch(r"([a-h][1-8]){50,60}", page.locator("#line").inner_text())
    page.get_by_role("button", name="To the start").click()
    discs = page.locator("#board i.x, #board i.o")
    expect(discs).to_have_count(4)  # the page itself is asked for anew
    page.get_by_role("button", name="One move on").click()
    expect(discs).to_have_count(5)
    context.close()


def test_the_folder_outside_can_be_stepped_through_from_a_disk(browser: Any, tmp_path: Path) -> None:
    # Without any web server, from a shared drive.
    folder = tmp_path / "outside"

    async def written() -> None:
        (tmp_path / "state").mkdir()
        exhibition = await Exhibition.opened(tmp_path / "state", Scene(players=4, rounds_played=1))
        await Mirror(exhibition.hub.site, folder, (), lambda level, line: None).write_due()
        await exhibition.store.close()

    writing = threading.Thread(target=lambda: asyncio.run(written()))
    writing.start()
    writing.join()
    page = browser.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto((folder / "index.html").as_uri())
    page.get_by_text("Français").click()
    page.get_by_role("link", name="Parties").click()
    page.locator("a.score").last.click()
    page.locator("#keys").wait_for()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("cell", name=re.compile("noir, dernier coup$")).count() == 1
    assert faults == []
    page.close()


def test_the_projector_turns_its_pages_and_can_be_held(browser: Any) -> None:
    scene = Scene(players=41, rounds_played=1, round_started=False)
    with tempfile.TemporaryDirectory() as folder, shown(Path(folder), scene) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        goto(page, address, "/hall/{t}?key={key}&every=3")
        assert re.search(r"Round 2 starts in\s+[34]:\d\d", page.locator("#bar").inner_text())
        # Until it is held it turns at any moment.
        page.keyboard.press("Space")
        page.locator("#paused").wait_for()
        while page.locator(".by_name:visible").count() or not page.locator(".by_table:visible").count():
            page.keyboard.press("ArrowRight")
        assert page.get_by_text("Pairings by table").is_visible()
        rows = page.locator(".scene:not([hidden]) .rows > :not([hidden])")
        first = rows.first.inner_text()
        looks = page.evaluate(
            """() => [...document.querySelectorAll(".scene:not([hidden]) .rows > :not([hidden])")].map(row =>
              [row.getBoundingClientRect().bottom, parseFloat(getComputedStyle(row).fontSize)])"""
        )
        for bottom, size_px in (looks[0], looks[-1]):
            assert 0 < bottom <= 720
            capital_mm = 0.72 * size_px / 720 * 2000
            assert capital_mm >= 57, "on a picture 2 m high legible at 15 m, as 12 mm are at 3 m"
        page.keyboard.press("ArrowRight")
        assert rows.first.inner_text() != first
        page.keyboard.press("ArrowLeft")
        assert rows.first.inner_text() == first
        while not page.locator(".by_name:visible").count():
            page.keyboard.press("ArrowRight")
        assert page.get_by_text("Pairings by name").is_visible()
        seen: set[str] = set()
        while rows.first.inner_text() not in seen and page.locator(".by_name:visible").count():
            seen |= set(rows.all_inner_texts())
            page.keyboard.press("ArrowRight")
        assert len(seen) == 41, "everybody finds their name"
        last = rows.first.inner_text()
        page.keyboard.press("Space")
        rows.first.filter(has_not_text=last).wait_for()  # it turns by itself again
        page.close()


@pytest.mark.parametrize(
    "size",
    [(1920, 1080), *(pytest.param(size, marks=pytest.mark.long) for size in ((1280, 720), (1280, 960)))],
)
@pytest.mark.parametrize("started", [True, *by_night(False)])
def test_nothing_on_the_projector_is_cut_off(browser: Any, size: tuple[int, int], started: bool) -> None:
    scene = Scene(players=15, rounds_played=1, round_started=started)
    width, height = size
    with tempfile.TemporaryDirectory() as folder, shown(Path(folder), scene) as address:
        page = browser.new_page(viewport={"width": width, "height": height})
        for shown_scene in ("by_table", "by_name", "standings", "tables", "boards"):
            goto(page, address, f"/hall/{{t}}?key={{key}}&every=60&show={shown_scene}")
            page.locator(".paged").wait_for()
            # One look: the page may be drawn anew at any instant.
            boxes, headed, are_standings = page.evaluate(
                """() => {
                  const scene = document.querySelector(".scene:not([hidden])");
                  const rows = [...scene.querySelectorAll(".rows > :not([hidden])")];
                  const heads = rows.flatMap(row => [...row.querySelectorAll("[data-head]")]);
                  return [
                    rows.map(row => row.getBoundingClientRect()).map(b => [b.x, b.height, b.right, b.bottom]),
                    heads.filter(e => getComputedStyle(e, "::before").content.includes(e.dataset.head)).length,
                    scene.classList.contains("standings"),
                  ];
                }"""
            )
            if are_standings:
                columns, heights = ({round(box[at]) for box in boxes} for at in (0, 1))
                assert headed == 2 * len(columns), "each column's figures have their heading above them"
                assert len(heights) == 1
            assert boxes or shown_scene not in ("by_table", "by_name"), shown_scene
            for _, _, right, bottom in boxes:
                assert 0 < right <= width + 1 and 0 < bottom <= height + 1, shown_scene
            torn = page.evaluate(
                """() => {
                  for (const b of document.querySelectorAll(".tables .seat b")) b.textContent = "Wolfeschlegelstein";
                  dispatchEvent(new Event("resize"));
                  const names = document.querySelectorAll(".scene:not([hidden]):not(.boards) .rows > :not([hidden]) b");
                  return [...names].filter(b => b.offsetHeight > 1.8 * parseFloat(getComputedStyle(b).fontSize))
                    .map(b => b.textContent);
                }"""
            )
            assert not torn, "names of one word on two lines"
        page.close()


def test_the_projectors_clocks_run(browser: Any, playing: Address) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    goto(page, playing, "/hall/{t}?show=tables")
    clock = page.locator(".seat.runs .clock").first
    before = clock.inner_text()
    page.wait_for_function(
        "text => ![text, undefined].includes(document.querySelector('.seat.runs .clock')?.textContent)",
        arg=before,
    )
    page.close()


def test_the_projector_keeps_its_screen_awake_whenever_it_is_seen(browser: Any, playing: Address) -> None:
    page = browser.new_page()
    page.add_init_script("""
      window.asked = [];
      navigator.wakeLock.request = async (kind) => { asked.push(kind); };
    """)
    goto(page, playing, "/hall/{t}?show=tables")
    page.wait_for_function("asked.length === 1 && asked[0] === 'screen'")
    for hidden, count in ((True, 1), (False, 2)):
        page.evaluate(
            "value => Object.defineProperty(document, 'hidden', { value, configurable: true })", hidden
        )
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        assert len(page.evaluate("asked")) == count
    page.close()


@pytest.mark.parametrize(
    ("paper", "width", "height"), [("a4", 210, 297), pytest.param("letter", 216, 279, marks=pytest.mark.long)]
)
def test_pages_come_out_of_the_printer_as_they_should(
    browser: Any, playing: Address, paper: str, width: int, height: int
) -> None:
    page = browser.new_page()
    expected_pages = {"by-table": 1, "slips": 2, "sheets": 5, "cross-table": 1}
    for kind, pages in expected_pages.items():
        across = kind == "cross-table"
        goto(page, playing, f"/print/{{t}}/{kind}?paper={paper}")
        data = page.pdf(prefer_css_page_size=True, print_background=True)
        assert len(re.findall(rb"/Type\s*/Page\b", data)) == pages, (kind, paper)
        media_box = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", data)
        assert media_box is not None
        size_mm = [float(points) * 25.4 / 72 for points in media_box.groups()]
        expected = (height, width) if across else (width, height)
        assert all(abs(got - want) < 2 for got, want in zip(size_mm, expected, strict=True)), (kind, size_mm)
    page.emulate_media(media="print")
    for kind in ("slip", "sheet"):
        goto(page, playing, f"/print/{{t}}/{kind}s?paper={paper}")
        assert page.evaluate(
            """kind => {
                const part = document.querySelector(`.${kind}`);
                part.querySelector('.player b, .facts b').textContent = 'RAKOTOMALALANIRINA, Jean '.repeat(9);
                return part.scrollHeight <= part.clientHeight;
            }""",
            kind,
        ), kind
    page.close()
