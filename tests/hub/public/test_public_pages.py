"""The public pages through the whole application: cacheable, escaped, in three languages, and never too early."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest
from hub_files import tournament_file
from hub_served import Shown
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples.exhibition import TOURNAMENT, Scene

from hub.formats.wthor.archive import read_wtb, turned_to_f5
from hub.overview import CHANGED, IN_QUESTION, TableState
from hub.public.games.downloads import file_names, file_of
from hub.public.prints import PRINTS
from hub.public.rendering import points_sentence
from hub.public.texts import TEXTS
from hub.ranking.finals import OPEN, WOMEN, YOUNG
from hub.record.events import ShowingSet
from link.words import words_in
from othello.game import ErrorState, IncidentType
from othello.gamefile import parse_game
from othello.inputs import Rule
from othello.notation import parse_transcript
from othello.reason import Reason
from othello.rulebook import Stage

FIXED = ("", "/players", "/standings", "/cross-table", "/games", "/finals")
SMALL = Scene(players=9, rounds_planned=4, rounds_played=2, broadcast=False)


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
    """Every address on a page, whose tags are all closed in their order."""
    parser = _Links()
    parser.feed(html)
    assert not parser.faults and not parser.open, (parser.faults, parser.open)
    return parser.found


@pytest.fixture
async def shown(tmp_path: Path) -> AsyncIterator[Any]:
    async with Shown(tmp_path, SMALL) as opened:
        yield opened


async def test_every_link_of_every_page_leads_somewhere_in_every_language(shown: Any) -> None:
    seen: set[str] = set()
    waiting = [f"/t/{TOURNAMENT}", f"/t/{TOURNAMENT}?lang=ja", f"/print/{TOURNAMENT}", f"/hall/{TOURNAMENT}"]
    while waiting:
        path = waiting.pop()
        if path in seen or path.startswith("#") or path == "/desk":  # the console is not shown here
            continue
        seen.add(path)
        if re.search(r"move=(?!5\b)", path):
            continue
        answer = await shown.get(path)
        assert answer.status_code == 200, path
        if answer.headers["content-type"].startswith("text/html"):
            waiting += links(answer.text)
    assert len(seen) > 200
    assert any("/files/" in path for path in seen) and any("lang=fr" in path for path in seen)


async def test_phones_learn_nothing_of_a_pairing_before_its_start(tmp_path: Path) -> None:
    """Page by page: what the publication of a round changes is the notice that it hangs in the hall."""
    before, after = tmp_path / "before", tmp_path / "after"
    scene = Scene(players=9, rounds_planned=4, rounds_played=2, round_published=False)
    waiting = Scene(players=9, rounds_planned=4, rounds_played=2, round_started=False)
    pages: dict[str, dict[str, str]] = {}

    async def collect(folder: Path, chosen: Scene) -> None:
        folder.mkdir()
        async with Shown(folder, chosen) as shown:
            base, public = f"/t/{TOURNAMENT}", f"/api/1/public/tournaments/{TOURNAMENT}"
            paths = [f"{base}{page}" for page in FIXED]
            paths += [f"{base}/players/{100 + number}" for number in range(9)]
            paths += [f"{public}{page}" for page in ("", "/standings", "/cross-table", "/finals", "/games")]
            paths += [f"/print/{TOURNAMENT}/{what}" for what in PRINTS]
            paths += [f"/hall/{TOURNAMENT}?show=by_table,by_name,tables,boards,standings"]
            pages[folder.name] = {path: await shown.text(path) for path in paths}
            if chosen is waiting:
                assert "3-1-star" not in str(pages[folder.name])
                for path in (f"{base}/games/3-1-star", f"{base}/files/games/3-1-star.txt"):
                    assert (await shown.get(path)).status_code == 404
                key = shown.site.key
                assert "by_table" in await shown.text(f"/hall/{TOURNAMENT}?key={key}")
                assert "Round 3" in await shown.text(f"/print/{TOURNAMENT}/slips?key={key}")
                early = await shown.get(f"/print/{TOURNAMENT}/slips?key={key}")
                assert early.headers["cache-control"] == "private, no-store"
                assert "by_table" not in await shown.text(f"/hall/{TOURNAMENT}?key={key}x")

    await collect(before, scene)
    await collect(after, waiting)
    notice = re.compile(
        r"The pairings of round 3 are posted in the hall\. They appear here when the round has started\.|Round complete"
        r'|"held_back":(3|null)| data-starts-at="[^"]*"|<p class="countdown">.*?</p>|<p class="(sub|big)"></p>'
    )
    for path, html in pages["before"].items():
        if path.endswith("/players") or "/players/" in path:
            continue  # where the notice stands in the place of the last game
        assert notice.sub("", html).split() == notice.sub("", pages["after"][path]).split(), path


async def test_a_players_page_says_where_he_plays_as_soon_as_the_round_begins(shown: Any) -> None:
    state = shown.exhibition.state
    game = next(game for game in state.present_games if game.score is None)
    html = await shown.text(f"/t/{TOURNAMENT}/players/{game.white}")
    opponent = state.tournament.player(game.black).name
    assert f'<span class="huge">{game.table}</span>' in html
    assert re.search(rf"You have White against\s*<b>{opponent}</b>", html)
    assert f"games/{game.game}" not in html, "this board is not broadcast"
    played = next(game for game in state.present_games if game.score is not None)
    assert "You had White against" in await shown.text(f"/t/{TOURNAMENT}/players/{played.white}")
    (bye,) = state.tournament.rounds[-1].byes
    assert "You have a bye in round 3" in await shown.text(f"/t/{TOURNAMENT}/players/{bye}")
    listed = await shown.text(f"/t/{TOURNAMENT}/players?q={opponent[:4].lower()}")
    assert opponent in listed and listed.count("<li><a href") < 12
    assert "No player of that name" in await shown.text(f"/t/{TOURNAMENT}/players?q=%3Cscript%3E")


async def test_a_game_in_play_is_shown_only_where_it_is_broadcast(shown: Any) -> None:
    for game in shown.exhibition.state.present_games:
        answer = await shown.get(f"/t/{TOURNAMENT}/games/{game.game}")
        assert answer.status_code == (404 if game.score is None else 200)
        facts = (await shown.get(f"/api/1/public/tournaments/{TOURNAMENT}/games/{game.game}")).json()
        assert facts["open"] == (game.score is not None)
        assert (facts["transcript"] is None) == (game.score is None)
    for path in ("", "/games"):
        assert 'class="board"' not in await shown.text(f"/t/{TOURNAMENT}{path}")


async def test_a_game_over_can_be_stepped_through_and_taken_home(shown: Any) -> None:
    game = shown.exhibition.state.games["2-1-star"]
    assert game.reported is not None and game.score is not None
    base = f"/t/{TOURNAMENT}"
    html = await shown.text(f"{base}/games/{game.game}?move=1")
    board = html[html.index('id="board"') : html.index('class="controls"')]
    assert board.count('class="x') == 4 and board.count('class="o') == 1
    assert re.findall(r'class="[^"]*last"><b[^>]*>([^<]+)<', board) == ["f5 black, last move"]
    squares = re.findall(r'role="cell"[^>]*><b class="hidden">([a-h][1-8]) (black|white|empty)', board)
    assert [square for square, _ in squares] == [
        f"{file}{rank}" for rank in "12345678" for file in "abcdefgh"
    ]
    assert (
        dict(squares)["e5"] == "black" and dict(squares)["d4"] == "white" and dict(squares)["a1"] == "empty"
    )
    assert html.count('<rect class="bar') == len(game.reported.transcript) // 2
    assert "Discs flipped wrongly" in html and game.reported.transcript in html

    async def file(name: str) -> bytes:
        answer = await shown.get(f"{base}/files/{name}")
        assert answer.status_code == 200, name
        return answer.content

    assert (await file("games/2-1-star.txt")).decode().strip() == game.reported.transcript
    header, inputs = parse_game((await file("games/2-1-star.jsonl")).decode())
    assert header.black.id == game.black and len(inputs) > 60
    ggf = (await file("games/2-1-star.ggf")).decode()
    black, white = (shown.exhibition.state.tournament.player(one).name for one in (game.black, game.white))
    assert ggf.startswith("(;GM[Othello]") and f"PB[{black}]PW[{white}]" in ggf
    assert f"RE[{game.score[0] - game.score[1]:+}.000]" in ggf
    assert "".join(re.findall(r"[BW]\[([A-H][1-8])//\d", ggf)).lower() == game.reported.transcript
    _, (one,) = read_wtb(await file("games/2-1-star.wtb"))
    assert one.black_score == game.score[0]
    assert one.moves == turned_to_f5(parse_transcript(game.reported.transcript))
    with zipfile.ZipFile(io.BytesIO(await file("wthor.zip"))) as packed:
        _, games = read_wtb(packed.read("games.wtb"))
        assert len(games) == sum(one.score is not None for one in shown.exhibition.state.games.values())
    round_ = (await file("round-2.txt")).decode()
    assert round_.count(game.reported.transcript) == 1
    for name in file_names(shown.site.seen[TOURNAMENT]):
        assert await file(name)


async def test_a_header_nested_too_deep_for_a_page_is_no_file(shown: Any) -> None:
    """The reception has fewer calls above it than a page, so it may have taken what a page cannot read."""

    class Nested:
        async def game_file(self, *_: object) -> str:
            return f'{{"x":{"[" * 200_000}{"]" * 200_000}}}\n'

    records: Any = Nested()
    assert await file_of(shown.exhibition.state, "games/2-1-star.jsonl", records, None) is None


async def test_a_page_that_is_known_is_not_sent_again(shown: Any) -> None:
    for path in (
        *(f"/t/{TOURNAMENT}{page}" for page in FIXED[1:]),
        f"/api/1/public/tournaments/{TOURNAMENT}",
    ):
        first = await shown.get(path)
        tag = first.headers["etag"]
        assert "max-age" in first.headers["cache-control"]
        assert first.headers["vary"] == "Accept-Language, Accept-Encoding"
        again = await shown.get(path, **{"if-none-match": f'"other", W/{tag}'})
        assert (again.status_code, again.content) == (304, b"")
        french = await shown.get(path, **{"accept-language": "fr", "if-none-match": tag})
        assert french.status_code == (304 if "/api/" in path else 200)


async def test_the_page_that_lives_leads_to_its_games_in_the_language_it_has(shown: Any) -> None:
    html = await shown.text(f"/t/{TOURNAMENT}?lang=fr")
    over = [game.game for game in shown.exhibition.state.present_games if game.score is not None]
    for game in over:
        address = f"/t/{TOURNAMENT}/games/{game}?lang=fr"
        assert html.count(f'href="{address}"') == 2, "from its card and from the latest results"
        assert (await shown.get(address)).status_code == 200
    first = (await anext(shown.site.streams["fr", False].listen(TOURNAMENT))).decode()
    assert first.count(f"games/{over[0]}?lang=fr") == 2, "what the stream brings leads there too"
    on_projector = (await anext(shown.site.streams["fr", True].listen(TOURNAMENT))).decode()
    assert "games/" not in on_projector


async def test_the_hall_shows_the_boards_that_were_chosen_else_the_first_six(tmp_path: Path) -> None:
    async with Shown(tmp_path, Scene(players=23, rounds_planned=4, rounds_played=1)) as shown:

        async def tables(scene: str) -> list[int]:
            html = await shown.text(f"/hall/{TOURNAMENT}?key={shown.site.key}&show=boards,tables")
            part = html[html.index(f'class="scene {scene}"') :].partition("</section>")[0]
            return [int(table) for table in re.findall(r'id="table-(\d+)"', part)]

        assert await tables("boards") == [1, 2, 4, 5, 6, 7], "tables 3 and 8 are over"
        assert await tables("tables") == [3, 8, 9, 10, 11], "every table stands on one page or the other"
        await shown.exhibition._record(ShowingSet(boards=(9, 2)))
        assert await tables("boards") == [2, 9]


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
    paths += [f"/print/{TOURNAMENT}", *(f"/print/{TOURNAMENT}/{what}" for what in PRINTS)]
    folders = [tmp_path / name for name in ("one", "other")]
    told_by: list[dict[str, str]] = []

    for folder in folders:
        folder.mkdir()
        async with Shown(folder, Scene(players=9, rounds_planned=4, rounds_played=2)) as shown:
            files = [f"{base}/files/{name}" for name in file_names(shown.site.seen[TOURNAMENT])]
            for hours in (0, 3):
                shown.now_ns = hours * 3600 * 10**9
                told_by.append({path: (await shown.get(path)).headers["etag"] for path in (*paths, *files)})
    assert len(told_by[0]) > 60
    for later in told_by[1:]:
        assert later == told_by[0]


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


def test_whatever_can_happen_has_its_words() -> None:
    untold = {IncidentType.REFUSED, IncidentType.PRESS_OUT_OF_TURN}
    needed = [f"incident.{one}" for one in IncidentType if one not in untold]
    needed += [f"ruling.{one}" for one in Rule] + [f"error_state.{one}" for one in ErrorState]
    needed += [f"reason.{one}" for one in Reason if one is not Reason.BOARD]
    needed += [f"state.{one.name.lower()}" for one in TableState] + [f"stage.{one}" for one in Stage]
    needed += [f"note.{one}" for one in (IN_QUESTION, CHANGED)] + [
        f"title.{one}" for one in (OPEN, WOMEN, YOUNG)
    ]
    assert [key for key in needed if key not in TEXTS] == []


def test_points_have_their_form() -> None:
    english, french, japanese = (words_in(language) for language in ("en", "fr", "ja"))
    said = [points_sentence(english, points) for points in (0, 0.5, 1, 1.5, 2)]
    assert said == ["0 points", "½ point", "1 point", "1½ points", "2 points"]
    said = [points_sentence(french, points) for points in (0, 0.5, 1, 1.5, 2, 2.5)]
    assert said == ["0 point", "½ point", "1 point", "1½ point", "2 points", "2½ points"]
    assert [points_sentence(japanese, points) for points in (1, 2.5)] == ["1点", "2½点"]


async def test_pages_tell_what_ranks_players_who_are_level(served: Any) -> None:
    """A club's tie-break by the difference of discs stands where the BQ would."""
    games = [
        {"black": "p1", "white": "p2", "score": [40, 24]},
        {"black": "p3", "white": "p4", "score": [63, 1]},
    ]
    pages = ("/t/open", "/t/open/standings", "/t/open/cross-table", "/hall/open", "/print/open/standings")

    async with served as client:
        client.headers["accept-language"] = "en"
        for name, more in (("open", {"tie_break": "disc-difference"}), ("other", {})):
            file = tournament_file(4, rounds=[{"games": games}], **more)
            assert (await client.put(f"/api/1/tournaments/{name}", json=file)).status_code == 201
        for page in pages:
            by_difference = (await client.get(page)).text
            assert ">+62<" in by_difference and ">-62<" in by_difference and ">BQ<" not in by_difference, page
            assert ">+62<" not in (await client.get(page.replace("open", "other"))).text


async def test_names_are_escaped_on_every_page(served: Any) -> None:
    evil = "\"><script>alert('1')</script>{{7*7}}"
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
            *(f"/t/open{one}" for one in FIXED),
            "/hall/open",
            "/print/open/by-name",
            "/print/open/slips",
        ):
            answer = await client.get(page)
            assert (
                answer.status_code == 200 and "<script>alert" not in answer.text and "49" not in answer.text
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


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
            if re.match(r"/events|/api/1/public/tournaments/.*/feed", path):
                continue  # streams, which have tests of their own
            try:
                url = httpx.URL(f"http://hub{path}", params=query)
            except (httpx.InvalidURL, ValueError):
                continue
            answer = await shown.client.get(url)
            assert answer.status_code in (200, 304, 307, 404, 405), (path, query)


async def test_the_page_before_any_tournament(served: Any) -> None:
    async with served as client:
        assert "No tournament yet" in (await client.get("/", headers={"accept-language": "en"})).text
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


async def story(shown: Any, game: Any) -> Any:
    return await shown.site.records.story(TOURNAMENT, game, None, game.reported.transcript)


@pytest.mark.parametrize("paper", ["a4", "letter"])
async def test_everything_can_be_printed_on_both_papers(shown: Any, paper: str) -> None:
    for what in PRINTS:
        html = await shown.text(f"/print/{TOURNAMENT}/{what}?paper={paper}&lang=fr")
        assert f"print-{paper}.css" in html
        for name in ("Achernar", "Aldebaran"):
            assert name in html, what
    sheet = await shown.text(f"/print/{TOURNAMENT}/sheets?round=2")
    numbers = [int(found) for found in re.findall(r"<td>(\d+)</td>", sheet)]
    games = shown.exhibition.state.games_of(2)
    moves = sum(len(game.reported.transcript) // 2 for game in games if game.reported)
    assert len(numbers) == moves and sheet.count('<section class="sheet"') == len(games)
    times = re.findall(r'<b class="box">(\d+:\d\d)</b>', sheet)
    assert len(times) == 2 * len(games), "what both clocks showed at the end"
    stories = [await story(shown, game) for game in games]
    fallen = {(at, one.by) for at, told in enumerate(stories) for one in told.happened if one.type == "flag"}
    assert sheet.count('<b class="box small">×</b>') == len(fallen)
