"""The responses around a page: tags, packing, languages, refusals of addresses that no page can bear."""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.hub_files import tournament_file
from helpers.hub_served import Shown
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples.exhibition import TOURNAMENT, Scene

from hub.proof.hub_key import FILE_NAME
from hub.public.games.downloads import file_names
from hub.public.prints import PRINTS

FIXED = ("", "/players", "/standings", "/event", "/rounds/1", "/games", "/finals")


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.open: list[str] = []
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in ("meta", "link", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}>")


def links(html: str) -> list[str]:
    """Return every address on a page, and check that all its tags are closed in their order."""
    parser = _Links()
    parser.feed(html)
    assert not parser.faults and not parser.open, (parser.faults, parser.open)
    return parser.found


# Pages differ between languages in their words alone: one more of them in the suite, all of them in the night.
@pytest.mark.parametrize("left_out", [r"lang=(?!fr\b)", pytest.param("$^", marks=pytest.mark.long)])
async def test_every_link_of_every_page_leads_somewhere_in_every_language(shown: Any, left_out: str) -> None:
    seen: set[str] = set()
    waiting = [f"/t/{TOURNAMENT}", f"/t/{TOURNAMENT}?lang=ja", f"/print/{TOURNAMENT}", f"/hall/{TOURNAMENT}"]
    while waiting:
        path = waiting.pop()
        if path in seen or path.startswith("#") or path == "/desk":  # the console is not shown here
            continue
        seen.add(path)
        if re.search(r"move=(?!5\b)", path) or re.search(left_out, path):
            continue
        answer = await shown.get(path)
        assert answer.status_code == 200, path
        if answer.headers["content-type"].startswith("text/html"):
            waiting += links(answer.text)
    assert len(seen) > 200
    assert any("/files/" in path for path in seen) and any("lang=fr" in path for path in seen)


@pytest.mark.parametrize("page", ["", "/standings", "/games", "/games/1-1-star", "/cross-table"])
async def test_an_address_typed_with_a_stroke_at_its_end_leads_to_its_page(shown: Any, page: str) -> None:
    answer = await shown.get(f"/t/{TOURNAMENT}{page}/?lang=fr")
    address = answer.headers["location"]
    assert answer.status_code == 308 and address.startswith(f"/t/{TOURNAMENT}") and "lang=fr" in address
    assert (await shown.get(address)).status_code == 200


async def test_a_page_says_by_its_tag_what_it_is_and_by_what_it_varies(shown: Any) -> None:
    # test_same_answers shows that a known page is not sent again.
    for path in (
        *(f"/t/{TOURNAMENT}{page}" for page in FIXED[1:]),
        f"/api/1/public/tournaments/{TOURNAMENT}",
    ):
        first = await shown.get(path)
        tag = first.headers["etag"]
        assert "max-age" in first.headers["cache-control"]
        assert first.headers["vary"] == "Accept-Language, Accept-Encoding"
        french = await shown.get(path, **{"accept-language": "fr"})
        assert (french.headers["etag"] == tag) == ("/api/" in path)


async def test_a_page_is_packed_for_who_can_unpack_it(shown: Any) -> None:
    for path in (
        f"/t/{TOURNAMENT}",
        f"/t/{TOURNAMENT}/games",
        f"/api/1/public/tournaments/{TOURNAMENT}/games",
    ):
        plain = await shown.get(path, **{"accept-encoding": "identity, gzip;q=0"})
        packed = await shown.get(path, **{"accept-encoding": "br, gzip;q=0.8"})
        assert "content-encoding" not in plain.headers and packed.headers["content-encoding"] == "gzip"
        assert packed.content == plain.content
        assert int(packed.headers["content-length"]) < len(plain.content) / 2, path
        assert packed.headers.get("etag", "a") != plain.headers.get("etag", "b")
    early = await shown.get(f"/hall/{TOURNAMENT}?key={shown.site.key}", **{"accept-encoding": "gzip"})
    assert "content-encoding" not in early.headers, "its length would tell of the key"
    zipped = await shown.get(f"/t/{TOURNAMENT}/files/wthor.zip", **{"accept-encoding": "gzip"})
    assert "content-encoding" not in zipped.headers


async def test_what_has_not_changed_keeps_its_tag_for_hours_and_through_a_new_start(tmp_path: Path) -> None:
    base, public = f"/t/{TOURNAMENT}", f"/api/1/public/tournaments/{TOURNAMENT}"
    paths = [f"{base}{page}" for page in (*FIXED[1:], "/players/101", "/games/1-1-star", "/games/3-1-star")]
    paths += [f"{public}{page}" for page in ("/players", "/standings", "/cross-table", "/finals", "/games")]
    paths += [f"{public}/games/1-1-star", "/api/1/public/tournaments", "/api/1/openapi.json"]
    paths += [f"/print/{TOURNAMENT}", *(f"/print/{TOURNAMENT}/{kind}" for kind in PRINTS)]
    folders = [tmp_path / name for name in ("one", "other")]
    tags: list[dict[str, str]] = []

    for folder in folders:
        folder.mkdir()
        if folder != folders[0]:  # slips and lists carry the record's head, signed by the hub
            shutil.copy(next(folders[0].rglob(FILE_NAME)), folder)
        async with Shown(folder, Scene(players=9, rounds_planned=4, rounds_played=2)) as shown:
            files = [f"{base}/files/{name}" for name in file_names(shown.site.seen[TOURNAMENT])]
            for hours in (0, 3):
                shown.now_ns = hours * 3600 * 10**9
                tags.append({path: (await shown.get(path)).headers["etag"] for path in (*paths, *files)})
    assert len(tags[0]) > 60
    for later in tags[1:]:
        assert later == tags[0]


async def test_the_language_is_the_one_asked_for_else_the_browsers(shown: Any) -> None:
    path = f"/t/{TOURNAMENT}/standings"
    assert '<html lang="ja" dir="ltr">' in await shown.text(
        path, **{"accept-language": "de, ja;q=0.8, en;q=0.5"}
    )
    french = await shown.text(f"{path}?lang=fr", **{"accept-language": "ja"})
    assert '<html lang="fr" dir="ltr">' in french and f"/t/{TOURNAMENT}/games?lang=fr" in french
    assert '<html lang="en" dir="ltr">' in await shown.text(
        f"{path}?lang=xx", **{"accept-language": "*;q=oops"}
    )


async def test_a_page_offers_every_language_for_players_and_marks_the_unreviewed(shown: Any) -> None:
    path = f"/t/{TOURNAMENT}/standings"
    chinese = await shown.text(path, **{"accept-language": "zh-TW, en;q=0.5"})
    assert '<html lang="zh-Hant" dir="ltr">' in chinese and "排名" in chinese
    menu = re.findall(r'lang=([\w]+)" lang="([\w-]+)" hreflang="([\w-]+)"[^>]*>([^<]+)<', chinese)
    assert menu == [
        ("en", "en", "en", "English"),
        ("es", "es", "es", "Español (sin revisar)"),
        ("fr", "fr", "fr", "Français (non relu)"),
        ("it", "it", "it", "Italiano (non rivisto)"),
        ("ja", "ja", "ja", "日本語（未校閲）"),
        ("zh_Hans", "zh-Hans", "zh-Hans", "简体中文（未校阅）"),
        ("zh_Hant", "zh-Hant", "zh-Hant", "繁體中文（未校閱）"),
    ]
    italian = await shown.text(f"{path}?lang=it")
    assert '<html lang="it" dir="ltr">' in italian and "Classifica" in italian


async def test_names_are_escaped_on_every_page(served: Any) -> None:
    evil = "\"><script>alert('1')</script>{{7*12345}}"
    file = tournament_file(4, name=evil, rounds_planned=1)
    for player in file["players"]:
        player |= {"name": evil, "country": evil[:20]}
    file["players"][0]["id"] = "../<b>?#&lang=fr"

    async with served as client:
        client.headers["accept-language"] = "en"
        assert (await client.put("/api/1/tournaments/open", json=file)).status_code == 201
        assert (await client.post("/api/1/tournaments/open/pairings", json={})).status_code == 200
        assert (await client.post("/api/1/tournaments/open/start", json={})).status_code == 200
        for page in (
            *(f"/t/open{page}" for page in FIXED),
            "/hall/open",
            "/print/open/by-name",
            "/print/open/slips",
        ):
            answer = await client.get(page)
            assert (
                answer.status_code == 200
                and "<script>alert" not in answer.text
                and "86415" not in answer.text
            )
            assert "&lt;script&gt;alert" in answer.text, page
            for address in links(answer.text):
                if "%3Cb%3E" in address:
                    assert (await client.get(address)).status_code == 200, address


PIECES = st.sampled_from(
    f"{TOURNAMENT} t hall print events api 1 public tournaments games players files 1-1-star 3-1-star round-1.txt "
    "wthor.zip standings cross-table feed .. %00 é slips".split()
)


QUERIES = st.dictionaries(
    st.sampled_from(["lang", "q", "move", "round", "paper", "show", "every", "key"]),
    st.text(max_size=20),
    max_size=3,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    asked=st.lists(
        st.tuples(st.lists(PIECES | st.text(max_size=8), max_size=6), QUERIES), min_size=1, max_size=8
    )
)
async def test_no_address_is_more_than_it_can_bear(
    tmp_path_factory: Any, asked: list[tuple[list[str], dict[str, str]]]
) -> None:
    async with Shown(
        tmp_path_factory.mktemp("any"), Scene(players=4, rounds_planned=1, rounds_played=0)
    ) as shown:
        for pieces, query in asked:
            path = "/" + "/".join(pieces)
            try:
                url = httpx.URL(f"http://hub{path}", params=query)
            except (httpx.InvalidURL, ValueError):
                continue
            if re.search(r"/events|/api/1/public/tournaments/.*/feed", url.path):
                continue  # streams, which have tests of their own
            answer = await shown.client.get(url)
            assert answer.status_code in (200, 304, 307, 308, 404, 405), (path, query)


async def test_the_page_before_any_tournament(served: Any) -> None:
    async with served as client:
        assert "No event yet" in (await client.get("/", headers={"accept-language": "en"})).text
        for path in (
            "/t/none",
            "/t/none/standings",
            "/hall/none",
            "/print/none",
            "/print/none/slips",
            "/events/none",
            "/none",
            "/static/none",
        ):
            answer = await client.get(path, headers={"accept-language": "fr"})
            assert answer.status_code == 404 and '<html lang="fr"' in answer.text, "a page that leads on"
        for path in (
            "/api/1/public/tournaments/none/standings",
            "/api/1/none",
            "/enrol/none",
            "/update/none",
        ):
            answer = await client.get(path)
            assert answer.status_code == 404 and "error" in json.loads(answer.text)
