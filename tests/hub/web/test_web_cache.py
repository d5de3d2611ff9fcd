"""An answer for everybody is made once and handed out for a second, unless the record changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from helpers.hub_files import tournament_file
from helpers.waiting import PATIENCE_S

from hub.limits import Abuses
from hub.web.bounds import Bounds
from hub.web.cache import COPIED, LIVES_S, MOST_BYTES, Answer, AnswerCache

PAGES = (
    "/",
    "/t/open",
    "/t/open/players",
    "/t/open/nothing",
    "/api/1/public/tournaments",
    "/static/live.css",
)


def counted(served: Any) -> list[str]:
    """Templates that were filled in, from now on."""
    made: list[str] = []
    for templates in served.site.templates.values():

        async def count(template: str, /, page: Callable[..., Any] = templates.page, **values: object) -> str:
            made.append(template)
            return str(await page(template, **values))

        templates.page = count
    return made


@pytest.fixture
async def made(served: Any) -> AsyncIterator[list[str]]:
    """Yield the names of the filled-in templates of a hub with an event of four."""
    async with served:
        await served.create("open", tournament_file(4))
        yield counted(served)


async def test_a_page_is_made_once_for_all_who_ask_and_again_when_something_has_changed(
    made: list[str], served: Any
) -> None:
    strangers = [served.browser() for _ in range(20)]
    answers = await asyncio.gather(*(stranger.get("/t/open") for stranger in strangers))
    assert {answer.text for answer in answers} == {answers[0].text} and made.count("live.html") == 1
    await asyncio.gather(*(stranger.get("/t/open/players") for stranger in strangers))
    assert made.count("players.html") == 1
    await served.run("publish-round")
    await strangers[0].get("/t/open/players")
    assert made.count("players.html") == 2


@pytest.mark.parametrize("path", PAGES)
async def test_what_is_handed_out_again_is_what_was_made(served: Any, path: str) -> None:
    async with served:
        await served.create("open", tournament_file(40))
        client = served.browser()
        for accepted in ({}, {"accept-encoding": "gzip"}, {"accept-language": "fr"}):
            headers = {"accept-encoding": "identity", "accept-language": "en"} | accepted
            first, again = [await client.get(path, headers=headers) for _ in range(2)]
            assert (first.status_code, first.headers, first.content) == (
                again.status_code,
                again.headers,
                again.content,
            )
            tag = first.headers.get("etag")
            if tag is not None and first.status_code == 200:
                assert COPIED in first.headers
                known = await client.get(path, headers=headers | {"if-none-match": f'"other", W/{tag}'})
                assert (known.status_code, known.content) == (304, b"")


async def test_what_only_the_hall_may_see_is_handed_to_nobody_else(served: Any) -> None:
    async with served as operator:
        await served.create("open", tournament_file(4))
        await served.run("publish-round")
        stranger = served.browser()
        for path in ("/hall/open", "/print/open/by-table"):
            for client in (stranger, operator):
                early = (await client.get(f"{path}?key={served.site.key}")).text
                keyless = (await stranger.get(path)).text
                wrong = (await stranger.get(f"{path}?key={'0' * 20}")).text
                assert "Player 1" in early and early not in (keyless, wrong)
                assert served.site.key not in keyless + wrong


def test_an_answer_lives_for_a_second_or_until_a_change() -> None:
    version, now_s = [1], [0.0]
    cache = AnswerCache(lambda: version[0], lambda: now_s[0])
    key = "/", b"", "en", False
    cache.keep(key, Answer(200, (), b"x", 1, made_s=100.0))

    def there(at_s: float) -> bool:
        now_s[0] = at_s
        return cache.find(key) is not None

    assert there(100.0) and there(100.0 + LIVES_S * 0.9) and not there(100.0 + LIVES_S)
    version[0] = 2
    assert not there(100.0) and cache.find(None) is None


def test_the_bytes_that_are_kept_are_bounded() -> None:
    cache = AnswerCache(lambda: 1, lambda: 0.0)

    def keep(number: int, size: int) -> None:
        cache.keep((f"/{number}", b"", "en", False), Answer(200, (), b"x" * size, 1, 0.0))

    def there(number: int) -> bool:
        return cache.find((f"/{number}", b"", "en", False)) is not None

    keep(0, MOST_BYTES)
    assert not there(0)
    for number in range(1, 100):
        keep(number, MOST_BYTES // 20)
        keep(number, MOST_BYTES // 20)
    assert [number for number in range(1, 100) if there(number)] == list(range(81, 100))


async def test_queries_and_languages_have_answers_of_their_own(made: list[str], served: Any) -> None:
    client = served.browser()
    for query in ("", "?q=Player+3", "?lang=fr"):
        texts = {(await client.get(f"/t/open/players{query}")).text for _ in range(3)}
        assert len(texts) == 1
    assert made == ["players.html"] * 3
    assert (await client.get(f"/t/open?{'x' * 4_000}")).status_code == 414


async def test_a_question_for_the_head_alone_is_answered_from_what_is_kept(
    made: list[str], served: Any
) -> None:
    client = served.browser()
    asked = (client.head, client.get, client.head)
    answers = [await ask("/t/open/players") for ask in asked]
    assert all(answer.headers == answers[0].headers and answer.status_code == 200 for answer in answers)
    assert [bool(answer.content) for answer in answers] == [False, True, False]
    assert made == ["players.html"]
    stream = await asyncio.wait_for(client.head("/events/open"), PATIENCE_S)
    assert (stream.status_code, stream.content) == (200, b""), "a stream has a head too, and ends there"
    assert (await client.head("/desk/enter")).status_code == 200


@pytest.mark.parametrize("path", ["/stuck", "/stream"])
async def test_who_takes_nothing_of_their_answer_holds_nobodys_turn(path: str) -> None:
    made: list[str] = []
    begun = asyncio.Event()

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        made.append(scope["path"])
        headers = [(COPIED.lower().encode(), b"1")] if scope["path"] != "/stream" else []
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"x"})

    bounds = Bounds(inner, lambda _: False, Abuses(lambda: 0), AnswerCache(lambda: 1, lambda: 0.0))

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def ask(path: str, send: Any) -> None:
        scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": []}
        await bounds({**scope, "client": ("10.0.0.1", 1)}, receive, send)

    async def never(message: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    async def takes(message: Any) -> None:
        pass

    stuck = asyncio.create_task(ask(path, never))
    await begun.wait()
    await asyncio.wait_for(ask("/other", takes), PATIENCE_S)
    assert made == [path, "/other"]
    stuck.cancel()
    await asyncio.gather(stuck, return_exceptions=True)
