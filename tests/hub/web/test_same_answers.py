"""An answer for everybody is made once and handed out until something has changed; what strangers cost is counted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from anyio import wait_all_tasks_blocked
from hub_files import tournament_file

from hub.limits.abuses import Abuse, Abuses
from hub.web.bounds import Bounds
from hub.web.gate import HeldConnection
from hub.web.same import LIVES_S, MOST_BYTES, Answer, AnswerCache, mark_cacheable
from hub.web.turns import LONGEST_S, MAKING_S, OF_ADDRESS_S, OF_ALL_S, Budget, Metered, Turns
from link.messages import Status

SECOND = 1_000_000_000
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
    """A hub with an event of four; gives the templates that are filled in."""
    async with served:
        await served.create("open", tournament_file(4))
        yield counted(served)


async def test_a_page_is_made_once_for_all_who_ask_and_again_when_something_has_changed(
    made: list[str], served: Any
) -> None:
    strangers = [served.browser() for _ in range(20)]
    answers = await asyncio.gather(*(one.get("/t/open") for one in strangers))
    assert {one.text for one in answers} == {answers[0].text} and made.count("live.html") == 1
    served.live.hear_link(True)
    await asyncio.gather(*(one.get("/t/open/players") for one in strangers))
    assert made.count("players.html") == 1
    served.live.hear_status("t1", "open", Status(online=True, fit=True))
    await strangers[0].get("/t/open")
    await strangers[0].get("/t/open/players")
    assert made.count("live.html") == 2 and made.count("players.html") == 1
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
                told = (await stranger.get(path)).text
                wrong = (await stranger.get(f"{path}?key={'0' * 20}")).text
                assert "Player 1" in early and early not in (told, wrong)
                assert served.site.key not in told + wrong


def test_an_answer_lives_until_a_change_or_for_a_while_when_too_much_is_asked() -> None:
    version = [1, 1]
    now_s = [0.0]
    same = AnswerCache(lambda: (version[0], version[1]), ("en",), lambda: now_s[0])
    key = "/", (), "en", False
    same.keep(key, Answer(200, (), b"x", (1, 1), False, made_s=100.0, took_s=0.01))

    def there(at_s: float, is_short: bool = False) -> bool:
        now_s[0] = at_s
        return same.find(key, is_short) is not None

    assert there(100.0) and there(100.0 + LIVES_S * 0.9) and not there(100.0 + LIVES_S)
    version[1] = 2
    assert not there(100.0) and there(100.1, is_short=True) and not there(100.3, is_short=True)


def test_the_bytes_that_are_kept_are_bounded_and_those_asked_for_stay() -> None:
    same = AnswerCache(lambda: (1, 1), ("en",), lambda: 0.0)

    def keep(number: int, size: int) -> None:
        same.keep((f"/{number}", (), "en", False), Answer(200, (), b"x" * size, (1, 1), True, 0.0, 0.0))

    def there(number: int) -> bool:
        return same.find((f"/{number}", (), "en", False), False) is not None

    keep(0, MOST_BYTES)
    assert not there(0)
    for number in range(1, 100):
        keep(number, MOST_BYTES // 20)
        assert there(1)
    assert sum(there(number) for number in range(1, 100)) == 19 and there(99)


def test_who_has_spent_his_time_waits_and_others_do_not() -> None:
    now = [0]
    budget = Budget(lambda: now[0])
    budget.spend("many", OF_ADDRESS_S)
    assert not budget.wait_s("many") and budget.is_short("many") and not budget.is_short("few")
    budget.spend("many", 0.2)
    assert budget.wait_s("many") == pytest.approx(2.0) and not budget.wait_s("few") and budget.is_short("few")
    for number in range(10):
        budget.spend(f"another {number}", OF_ALL_S / 10)
    assert 0 < budget.wait_s("few") < LONGEST_S
    now[0] = 60 * SECOND
    assert not budget.wait_s("many") and not budget.wait_s("few") and not budget.is_short("few")


def test_the_addresses_that_are_counted_are_bounded() -> None:
    budget = Budget(lambda: 0)
    budget.spend("many", 2 * OF_ADDRESS_S)
    for number in range(10_000):
        budget.spend(f"{number}", 0.0)
    assert budget.wait_s("many")


async def test_a_stranger_in_debt_is_answered_later_or_told_to_come_again_and_who_is_known_at_once(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0]
    async with served as operator:
        served.app.turns.budget = Budget(lambda: now[0])
        client = served.browser()
        served.app.turns.budget.spend("127.0.0.1", OF_ADDRESS_S + 0.5)
        waiting = asyncio.create_task(client.get("/"))
        while not served.abuses.present:
            await asyncio.sleep(0)
        assert (await operator.get("/")).status_code == 200 and not waiting.done()
        now[0] = 6 * SECOND
        assert (await waiting).status_code == 200
        assert [one.abuse for one in served.abuses.present] == [Abuse.REQUESTS]
        served.app.turns.budget.spend("127.0.0.1", OF_ADDRESS_S)
        monkeypatch.setattr("hub.web.bounds.LONGEST_S", 0.01)
        assert (await client.get("/")).status_code == 503


async def test_an_address_that_owes_something_begins_nothing_and_another_does() -> None:
    now = [0]
    turns = Turns(Budget(lambda: now[0]), at_once=2)
    turns.budget.spend("many", OF_ADDRESS_S + 0.1)
    waiting = asyncio.create_task(turns.begin("many"))
    await wait_all_tasks_blocked()
    other = await turns.begin("few")
    assert other is not None and not waiting.done()
    now[0] = 2 * SECOND
    turn = await waiting
    assert turn is not None
    turn.end()
    other.end()


async def test_two_answers_of_an_address_are_begun_and_addresses_work_in_turn() -> None:
    turns = Turns(Budget(lambda: 0), at_once=1)
    worked: list[str] = []

    async def work(name: str, slices: int) -> None:
        turn = await turns.begin(name)
        assert turn is not None
        for _ in range(slices):
            worked.append(name)
            turn.rest()
            await asyncio.sleep(0)
            await turn.resume()
        turn.end()

    many = [asyncio.create_task(work("many", 50)) for _ in range(3)]
    while len(worked) < 10:
        await asyncio.sleep(0)
    few = [asyncio.create_task(work(name, 2)) for name in ("few", "few too")]
    await asyncio.gather(*few)
    assert len(worked) < 30, "who has little to do does not wait for those who have much"
    await asyncio.gather(*many)
    assert worked.count("many") == 150


async def test_two_answers_of_one_address_are_begun_at_most() -> None:
    turns = Turns(Budget(lambda: 0), at_once=5)
    first, second = await turns.begin("many"), await turns.begin("many")
    assert first is not None and second is not None
    first.rest()  # it waits for the ledger
    third = asyncio.create_task(turns.begin("many"))
    assert await turns.begin("few") is not None and not third.done()
    first.end()
    assert await third is not None


async def test_an_answer_is_paid_for_before_it_is_made_and_what_it_did_not_cost_is_given_back() -> None:
    budget = Budget(lambda: 0)
    turns = Turns(budget)

    async def left_after(*steps_s: float) -> float:
        turn = await turns.begin("one")
        assert turn is not None
        before_s = budget.wait_s("one")
        for step_s in steps_s:
            turn.charge(step_s)
        turn.end()
        turn.end()
        return budget.wait_s("one") - before_s

    budget.spend("one", OF_ADDRESS_S)
    assert await left_after(MAKING_S / 2) == pytest.approx(-MAKING_S / 2 / 0.1)
    budget.spend("one", -MAKING_S / 2)
    assert await left_after(MAKING_S, 0.05, 0.05) == pytest.approx(0.1 / 0.1)


async def test_what_it_took_to_read_a_head_is_paid_for() -> None:
    async def inner(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        pass

    budget = Budget(lambda: 0)
    same = AnswerCache(lambda: (1, 1), ("en",), lambda: 0.0)
    bounds = Bounds(inner, lambda _: False, Abuses(lambda: 0), same, Turns(budget))
    held = HeldConnection("10.0.0.1", Any, 0.0)  # type: ignore[arg-type]
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}
    for read_s, is_short in ((0.0, False), (0.6 * OF_ADDRESS_S, True)):
        held.read_s = read_s
        await bounds({**scope, "client": ("10.0.0.1", 1), "state": {"held": held}}, receive, send)
        assert budget.is_short("10.0.0.1") == is_short


async def test_a_query_that_nobody_reads_makes_nothing_anew_and_one_that_is_read_does(
    made: list[str], served: Any
) -> None:
    client = served.browser()
    for query in ("", "?x", "?x=1", "?lang=xx", "?round=x", "?move=1000", "?paper=b5", "?key=guess", "?q="):
        assert (await client.get(f"/t/open/players{query}")).status_code == 200
    assert made == ["players.html"]
    texts = {(await client.get(f"/t/open/players{query}")).text for query in ("", "?q=Player+3", "?lang=fr")}
    assert len(texts) == 3
    assert (await client.get(f"/t/open?{'x' * 4_000}")).status_code == 414


async def test_a_question_for_the_head_alone_is_answered_from_what_is_kept(
    made: list[str], served: Any
) -> None:
    client = served.browser()
    asked = (client.head, client.get, client.head)
    answers = [await ask("/t/open/players") for ask in asked]
    assert all(one.headers == answers[0].headers and one.status_code == 200 for one in answers)
    assert [bool(one.content) for one in answers] == [False, True, False]
    assert made == ["players.html"]
    stream = await asyncio.wait_for(client.head("/events/open"), 20)
    assert (stream.status_code, stream.content) == (200, b""), "a stream has a head too, and ends there"
    assert (await client.head("/desk/enter")).status_code == 200


async def test_what_is_awaited_is_measured_step_by_step_and_can_be_cancelled() -> None:
    clock = iter(range(100))
    steps: list[float] = []
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(0)
            await ended.wait()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            steps.append(-1)
            raise

    async def measured() -> None:
        await Metered(work(), steps.append, None, lambda: next(clock))

    task = asyncio.create_task(measured())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    ended.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert steps == [1, 1, 1, -1, 1]


async def test_who_takes_nothing_of_his_answer_holds_nobodys_turn() -> None:
    made: list[str] = []
    begun = asyncio.Event()

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        mark_cacheable(scope)
        made.append(scope["path"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x"})

    same = AnswerCache(lambda: (1, 1), ("en",), lambda: 0.0)
    bounds = Bounds(inner, lambda _: False, Abuses(lambda: 0), same, Turns(Budget(lambda: 0), at_once=1))

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

    stuck = asyncio.create_task(ask("/stuck", never))
    await begun.wait()
    await asyncio.wait_for(ask("/other", takes), 20)
    assert made == ["/stuck", "/other"]
    stuck.cancel()
    await asyncio.gather(stuck, return_exceptions=True)
