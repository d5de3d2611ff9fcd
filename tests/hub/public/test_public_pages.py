"""The public pages through the whole application: cacheable, escaped, in three languages, and never too early."""

from __future__ import annotations

import asyncio
import io
import re
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from anyio import wait_all_tasks_blocked
from helpers.hub_files import tournament_file
from helpers.hub_served import Shown
from samples.exhibition import TOURNAMENT, Scene

from flagfall.base.words import words_in
from flagfall.othello.board import parse_transcript
from flagfall.othello.game import ErrorState, IncidentType
from flagfall.othello.gamefile import parse_game
from flagfall.othello.inputs import Rule
from flagfall.othello.reason import Reason
from flagfall.othello.rulebook import Stage
from hub.assembly import web_application
from hub.formats.wthor import read_wtb, turn_to_f5
from hub.model.games import OPEN, WOMEN, YOUNG
from hub.overview import CHANGED, IN_QUESTION, TableState
from hub.public.games.downloads import file_names, file_of
from hub.public.live_page import SHOWN_CARDS, SHOWN_LINES
from hub.public.prints import PRINTS
from hub.public.rendering import points_sentence
from hub.public.site import MOST_TOGETHER, Audience
from hub.public.texts import TEXTS
from hub.record.acts.event import ShowingSet

FIXED = ("", "/tables", "/players", "/standings", "/event", "/rounds/1", "/games", "/finals")


async def test_phones_learn_nothing_of_a_pairing_before_its_start(tmp_path: Path) -> None:
    # On every page, the publication of a round changes only the notice that it hangs in the hall.
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
            paths += [f"/print/{TOURNAMENT}/{kind}" for kind in PRINTS]
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
        r"The pairings of round 3 are posted in the room\. They appear here when the round has started\.|Round complete"
        r'|"held_back":(3|null)| data-starts-ms="[^"]*"|<p class="countdown">.*?</p>|<p class="(sub|big)"></p>'
        r"| · (Next: round 3|Round 3 at \d\d:\d\d)|<div><dt>Next round</dt><dd>\d\d:\d\d</dd></div>|(?<=<td>)\d\d:\d\d"
        r'|<svg.*?</svg>|<section class="checkpoint".*?</section>',  # the signed head grows with every entry
        re.S,
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
    assert re.search(rf"White · <b><bdi>{opponent}</bdi></b>", html) and "You have" not in html
    assert f"games/{game.id}" not in html, "this board is not broadcast"
    played = next(game for game in state.present_games if game.score is not None)
    assert "Last game" in await shown.text(f"/t/{TOURNAMENT}/players/{played.white}")
    (bye,) = state.tournament.rounds[-1].byes
    assert "Bye in round 3" in await shown.text(f"/t/{TOURNAMENT}/players/{bye}")
    listed = await shown.text(f"/t/{TOURNAMENT}/players?q={opponent[:4].lower()}")
    assert opponent in listed and listed.count("<li><a href") < 12
    assert "No player of that name" in await shown.text(f"/t/{TOURNAMENT}/players?q=%3Cscript%3E")


async def test_a_game_in_play_is_shown_only_where_it_is_broadcast(shown: Any) -> None:
    for game in shown.exhibition.state.present_games:
        answer = await shown.get(f"/t/{TOURNAMENT}/games/{game.id}")
        assert answer.status_code == (404 if game.score is None else 200)
        facts = (await shown.get(f"/api/1/public/tournaments/{TOURNAMENT}/games/{game.id}")).json()
        assert facts["open"] == (game.score is not None)
        assert (facts["transcript"] is None) == (game.score is None)
    for path in ("", "/games"):
        assert 'class="board"' not in await shown.text(f"/t/{TOURNAMENT}{path}")


async def test_a_game_over_can_be_stepped_through_and_taken_home(shown: Any) -> None:
    game = shown.exhibition.state.games["2-1-star"]
    assert game.reported is not None and game.score is not None
    base = f"/t/{TOURNAMENT}"
    html = await shown.text(f"{base}/games/{game.id}?move=1")
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
    black, white = (
        shown.exhibition.state.tournament.player(player).name for player in (game.black, game.white)
    )
    assert ggf.startswith("(;GM[Othello]") and f"PB[{black}]PW[{white}]" in ggf
    assert f"RE[{game.score[0] - game.score[1]:+}.000]" in ggf
    assert "".join(re.findall(r"[BW]\[([A-H][1-8])//\d", ggf)).lower() == game.reported.transcript
    _, (record,) = read_wtb(await file("games/2-1-star.wtb"))
    assert record.black_score == game.score[0]
    assert record.moves == turn_to_f5(parse_transcript(game.reported.transcript))
    with zipfile.ZipFile(io.BytesIO(await file("wthor.zip"))) as packed:
        _, games = read_wtb(packed.read("games.wtb"))
        assert len(games) == sum(played.score is not None for played in shown.exhibition.state.games.values())
    round_ = (await file("round-2.txt")).decode()
    assert round_.count(game.reported.transcript) == 1
    for name in file_names(shown.site.seen[TOURNAMENT]):
        assert await file(name)


async def test_a_header_nested_too_deep_for_a_page_is_no_file(shown: Any) -> None:
    # The reception has fewer calls above it than a page, so it may have taken what a page cannot read.
    class Nested:
        async def game_file(self, *_: object) -> str:
            return f'{{"x":{"[" * 200_000}{"]" * 200_000}}}\n'

    records: Any = Nested()
    assert await file_of(shown.exhibition.state, "games/2-1-star.jsonl", records, None) is None


async def test_the_page_that_lives_leads_to_its_games_in_the_language_it_has(shown: Any) -> None:
    html = await shown.text(f"/t/{TOURNAMENT}?lang=fr")
    over = [game.id for game in shown.exhibition.state.present_games if game.score is not None]
    for game in over:
        address = f"/t/{TOURNAMENT}/games/{game}?lang=fr"
        assert html.count(f'href="{address}"') == 2, "from its card and from the latest results"
        assert (await shown.get(address)).status_code == 200
    first = (await anext(shown.site.streams["fr", Audience.FRONT].listen(TOURNAMENT))).decode()
    assert first.count(f"games/{over[0]}?lang=fr") == 2, "what the stream brings leads there too"
    on_projector = (await anext(shown.site.streams["fr", Audience.HALL].listen(TOURNAMENT))).decode()
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


def test_whatever_can_happen_has_its_words() -> None:
    untold = {IncidentType.REFUSED, IncidentType.PRESS_OUT_OF_TURN}
    needed = [f"incident.{incident}" for incident in IncidentType if incident not in untold]
    needed += [f"ruling.{rule}" for rule in Rule] + [f"error_state.{state}" for state in ErrorState]
    needed += [f"reason.{reason}" for reason in Reason if reason is not Reason.BOARD]
    needed += [f"state.{state.name.lower()}" for state in TableState] + [f"stage.{stage}" for stage in Stage]
    needed += [f"note.{note}" for note in (IN_QUESTION, CHANGED)] + [
        f"title.{title}" for title in (OPEN, WOMEN, YOUNG)
    ]
    assert [key for key in needed if key not in TEXTS] == []


def test_points_have_their_form() -> None:
    english, french, japanese = (words_in(language) for language in ("en", "fr", "ja"))
    texts = [points_sentence(english, points) for points in (0, 0.5, 1, 1.5, 2)]
    assert texts == ["0 points", "½ point", "1 point", "1½ points", "2 points"]
    texts = [points_sentence(french, points) for points in (0, 0.5, 1, 1.5, 2, 2.5)]
    assert texts == ["0 point", "½ point", "1 point", "1½ point", "2 points", "2½ points"]
    assert [points_sentence(japanese, points) for points in (1, 2.5)] == ["1点", "2½点"]


async def test_pages_tell_what_ranks_players_who_are_level(served: Any) -> None:
    # A club's tie-break by the difference of discs stands where the BQ would.
    games = [
        {"black": "p1", "white": "p2", "score": [40, 24]},
        {"black": "p3", "white": "p4", "score": [63, 1]},
    ]
    pages = ("/t/open", "/t/open/standings", "/hall/open", "/print/open/standings")

    async with served as client:
        client.headers["accept-language"] = "en"
        for name, more in (("open", {"tie_break": "disc-difference"}), ("other", {})):
            file = tournament_file(4, rounds=[{"games": games}], **more)
            assert (await client.put(f"/api/1/tournaments/{name}", json=file)).status_code == 201
        for page in pages:
            by_difference = (await client.get(page)).text
            assert ">+62<" in by_difference and ">-62<" in by_difference and ">BQ<" not in by_difference, page
            assert ">+62<" not in (await client.get(page.replace("open", "other"))).text


async def story(shown: Any, game: Any) -> Any:
    return await shown.site.records.story(TOURNAMENT, game, None, game.reported.transcript)


@pytest.mark.parametrize("paper", ["a4", "letter"])
async def test_everything_can_be_printed_on_both_papers(shown: Any, paper: str) -> None:
    for kind in PRINTS:
        html = await shown.text(f"/print/{TOURNAMENT}/{kind}?paper={paper}&lang=fr")
        assert f"print-{paper}.css" in html
        for name in ("Achernar", "Aldebaran") if kind not in ("all-rounds", "prizes") else ():
            assert name in html, kind
        assert "05/11/2026" in html or kind == "slips", "the day as French writes it"
    sheet = await shown.text(f"/print/{TOURNAMENT}/sheets?round=2")
    numbers = [int(number) for number in re.findall(r"<td>(\d+)</td>", sheet)]
    games = shown.exhibition.state.games_of(2)
    moves = sum(len(game.reported.transcript) // 2 for game in games if game.reported)
    assert len(numbers) == moves and sheet.count('<section class="sheet"') == len(games)
    times = re.findall(r'<b class="box">(\d+:\d\d)</b>', sheet)
    assert len(times) == 2 * len(games), "what both clocks showed at the end"
    stories = [await story(shown, game) for game in games]
    fallen = {
        (number, incident.by)
        for number, replay in enumerate(stories)
        for incident in replay.happened
        if incident.type == "flag"
    }
    assert sheet.count('<b class="box small">×</b>') == len(fallen)


async def test_tabs_ask_for_their_streams_together(shown: Shown) -> None:
    # Streams in several languages, early ones only with the key, a limit that says what it expects.
    key = shown.site.key

    async def opened(*addresses: str) -> tuple[int, str]:
        """Return status and beginning of the answer, until nothing more comes at once."""
        query = urlencode([("on", address) for address in addresses])
        text, status = "", 0

        async def receive() -> dict[str, str]:
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: Any) -> None:
            nonlocal text, status
            status = message.get("status", status)
            text += message.get("body", b"").decode()

        scope = {"type": "http", "method": "GET", "path": "/events", "query_string": query.encode()}
        scope |= {"headers": [], "client": ("127.0.0.1", 1), "http_version": "1.1", "server": ("hub", 80)}
        answering = asyncio.ensure_future(web_application(shown.exhibition.hub).inner(scope, receive, send))
        await wait_all_tasks_blocked()
        answering.cancel()
        return status, text

    status, text = await opened(f"{TOURNAMENT}?lang=en", f"{TOURNAMENT}?lang=fr", "gone?lang=en")
    assert status == 200 and text.count("event: part") == 8 and text.count("event: of") == 2
    assert "Standings" in text.partition("data: 1\n")[0] and "Classement" in text.partition("data: 1\n")[2]
    hidden = (await opened(f"{TOURNAMENT}?lang=en"))[1]
    early = (await opened(f"{TOURNAMENT}?lang=en&key={key}"))[1]
    assert "data-ends-ms" in early and "data-ends-ms" not in hidden, "clocks of a game that is not broadcast"
    for count in (0, MOST_TOGETHER + 1):
        assert (await opened(*(f"{TOURNAMENT}?lang=en&n={n}" for n in range(count))))[0] == 400


async def test_the_stream_of_the_first_page_has_only_its_tables(tmp_path: Path) -> None:
    async with Shown(tmp_path, Scene(players=60, rounds_planned=9, rounds_played=0)) as shown:
        counts = {}
        for audience in Audience:
            stream = shown.site.streams["en", audience]
            whole = (await anext(stream.listen(TOURNAMENT))).decode()
            counts[audience] = whole.count("<article")
            assert whole.count("<tr") == SHOWN_LINES + 1
        assert counts == {Audience.FRONT: SHOWN_CARDS, Audience.TABLES: 30, Audience.HALL: 30}
        page = await shown.text(f"/t/{TOURNAMENT}")
        assert page.count("<article") == SHOWN_CARDS and page.count("<tr") == SHOWN_LINES + 1
        assert (await shown.text(f"/t/{TOURNAMENT}/tables")).count("<article") == 30
