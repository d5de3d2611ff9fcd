"""No update is lost: whatever happens in the hall, a browser that has heard all events shows what is."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace

import pytest
from anyio import wait_all_tasks_blocked
from helpers.waiting import PATIENCE_S
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.words import words_in
from hub.overview import Hall, Heading, PlayerAtTable, TableCard, TableState
from hub.public.live_page import HallParts, LivePage
from hub.public.rendering import Templates
from hub.web.stream import BEAT_S, Stream, event, listen_together

SECOND_NS = 1_000_000_000
TEMPLATES = Templates(words_in("en"))
POSITION = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27


def events(text: str) -> list[dict[str, str]]:
    return [
        json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: ")
    ]


OPERATIONS = ("press", "run on", "stop", "flag", "finish", "question", "round", "standings", "tick")


@given(st.lists(st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 2)), max_size=30))
def test_a_browser_that_has_heard_everything_shows_what_is(happened: list[tuple[str, int]]) -> None:
    """Whatever happens in whatever order: no update is lost."""
    page = LivePage(TEMPLATES)
    now_s = [0]
    seat = PlayerAtTable("a", "Ada", "AAA", 0, 900_000)
    hall = Hall(
        "open",
        Heading("Open", "woc-2019", 1, 3, 0, 3, True, False),
        tuple(
            TableCard(table, f"g{table}", TableState.PLAYING, seat, seat, position=POSITION)
            for table in (1, 2, 3)
        ),
        (),
        (),
        (),
    )
    parts = HallParts(page, lambda _: None, lambda: now_s[0] * SECOND_NS)
    shown = hall
    browser = {part["id"]: part["html"] for part in events(parts.whole_events(shown))}
    for happening, table in happened:
        now_s[0] += 1
        hall = replace(
            hall,
            cards=tuple(
                after(card, happening if at == table else "", now_s[0]) for at, card in enumerate(hall.cards)
            ),
        )
        if happening == "round":
            hall = replace(
                hall, cards=tuple(replace(card, game=f"{card.game}x", moves=0) for card in hall.cards)
            )
        if happening == "standings":
            hall = replace(hall, heading=replace(hall.heading, finished=hall.heading.finished + 1))
        shown, text = parts.changed_events(shown, hall)
        for part in events(text):
            browser[part["id"]] = part["html"]
            if part["id"] == "tables":  # its cards take the place of those that were there
                browser = {name: html for name, html in browser.items() if not name.startswith("table-")}
    expected = {part["id"]: part["html"] for part in events(parts.whole_events(hall))}
    for card in hall.cards:
        name, html = page.card(card, now_s[0] * SECOND_NS)
        newest = browser.get(name) or browser["tables"]
        assert without_clocks(html) in without_clocks(newest), name
    assert browser["heading"] == expected["heading"]


def after(card: TableCard, happening: str, now_s: int) -> TableCard:
    """Return the card a second later, after this has happened at it."""
    at_ns = now_s * SECOND_NS
    gone_ms = (at_ns - card.at_ns) // 1_000_000
    black, white = (
        replace(seat, left_ms=(seat.left_ms or 0) - gone_ms) if seat.runs else seat
        for seat in (card.black, card.white)
    )
    card = replace(card, at_ns=at_ns, black=black, white=white)
    match happening:
        case "press":
            black, white = replace(black, runs=not black.runs), replace(white, runs=black.runs)
            return replace(card, black=black, white=white, moves=card.moves + 1)
        case "stop":
            return replace(card, state=TableState.STOPPED, black=replace(black, runs=False))
        case "flag":
            return replace(card, white=replace(white, flags=1))
        case "finish":
            return replace(
                card, state=TableState.SIGNED, black=replace(black, discs=33, runs=False), moves=60
            )
        case "question":
            return replace(card, note="in_question")
    return card


def without_clocks(html: str) -> str:
    """Remove the times of running clocks, which the browser computes."""
    return re.sub(r' data-ends-ms="\d+">[^<]*<', "><", html)


@pytest.mark.parametrize("turns", range(5))
def test_a_stream_ends_also_where_something_changes_in_the_same_moment(turns: int) -> None:
    """The hub would never end otherwise: its end is announced by the change that lets everybody go."""

    class Nothing:
        def present(self, tournament: str) -> None:
            return None

        def whole_events(self, shown: None) -> str:
            return ""

        def changed_events(self, shown: None, now: None) -> tuple[None, str]:
            return None, ""

    async def ended() -> bool:
        stream = Stream(Nothing())
        running = asyncio.create_task(stream.run())
        await wait_all_tasks_blocked()
        stream.changed()
        for _ in range(turns):
            await asyncio.sleep(0)
        running.cancel()
        await asyncio.wait({running}, timeout=PATIENCE_S)
        return running.cancelled()

    assert asyncio.run(ended())


class Numbers:
    """A tournament's state is a number; there is none called "none"."""

    def __init__(self) -> None:
        self.now = {"open": 1, "club": 1}

    def present(self, tournament: str) -> int | None:
        return self.now.get(tournament)

    def whole_events(self, shown: int) -> str:
        return event("whole", str(shown))

    def changed_events(self, shown: int, now: int) -> tuple[int, str]:
        return now, event("changed", str(now)) if shown != now else ""


def mark(number: int) -> bytes:
    return f"event: of\ndata: {number}\n\n".encode()


async def test_one_connection_carries_several_streams_and_says_whose_each_event_is() -> None:
    numbers = Numbers()
    stream = Stream(numbers)
    both = listen_together([(stream, "open"), (stream, "none"), (stream, "club")])
    whole = event("whole", "1").encode()
    assert [await anext(both) for _ in range(4)] == [mark(0), whole, mark(2), whole]
    for tournament, number in (("club", 5), ("open", 7)):
        numbers.now[tournament] = number
        stream.send_changes()
    changed = [event("changed", number).encode() for number in "57"]
    assert [await anext(both) for _ in range(4)] == [mark(2), changed[0], mark(0), changed[1]]
    stream.end()
    with pytest.raises(StopAsyncIteration):
        await anext(both)
    assert [text async for text in listen_together([(stream, "open")])] == [], (
        "an ended hub lets everybody go"
    )


async def test_where_nothing_changes_a_beat_tells_the_hubs_count() -> None:
    stream = Stream(Numbers(), now_ns=lambda: 7_654_321_000, beat_s=0)
    listener = stream.listen("open")
    assert await anext(listener) == b"event: whole\ndata: 1\n\n"
    for _ in range(2):
        assert await anext(listener) == b'event: beat\ndata: {"at_ms": 7654}\n\n'
    assert BEAT_S < 2


async def test_a_listener_that_goes_leaves_nothing_behind() -> None:
    stream = Stream(Numbers())
    listeners = [listen_together([(stream, "open"), (stream, "club")]) for _ in range(2)]
    for listener in listeners:
        await anext(listener)
    assert set(stream._channels) == {"open"}
    for listener in listeners:
        await listener.aclose()  # type: ignore[attr-defined]
    assert not stream._channels
