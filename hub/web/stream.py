"""Server-sent events: whenever something changes, the parts of the page that differ, rendered once for all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from hub.hall import Card, Hall, Seat

_MOST_WAITING = 200
BREATH_S = 0.1
"""At most so often is the page compared with what its listeners have."""
_KEEP_ALIVE_S = 15.0
_SAME_MS = 150


class Parts(Protocol):
    """Makes (id, HTML) of the parts of a page."""

    def parts(self, hall: Hall, now_ns: int) -> tuple[tuple[str, str], ...]: ...

    def heading(self, hall: Hall) -> tuple[str, str]: ...

    def tables(self, hall: Hall, now_ns: int) -> tuple[str, str]: ...

    def card(self, card: Card, now_ns: int) -> tuple[str, str]: ...

    def standings(self, hall: Hall) -> tuple[str, str]: ...

    def results(self, hall: Hall) -> tuple[str, str]: ...


@dataclass(eq=False, slots=True)
class _Listener:
    waiting: asyncio.Queue[str | None] = field(default_factory=lambda: asyncio.Queue(_MOST_WAITING))


@dataclass(slots=True)
class _Channel:
    """One tournament's listeners and what they have."""

    shown: Hall
    listeners: set[_Listener] = field(default_factory=set)


class Stream:
    """`hall_of(tournament)` gives the page as it is now, None if there is no such tournament."""

    def __init__(
        self, pages: Parts, hall_of: Callable[[str], Hall | None], now_ns: Callable[[], int]
    ) -> None:
        self._pages = pages
        self._hall_of = hall_of
        self._now_ns = now_ns
        self._channels: dict[str, _Channel] = {}
        self._change = asyncio.Event()
        self._ended = False

    def changed(self) -> None:
        """Something may look different now; called in the loop."""
        self._change.set()

    async def run(self) -> None:
        """Sends what differs, until cancelled."""
        while True:
            await self._change.wait()
            self._change.clear()
            for tournament, channel in list(self._channels.items()):
                self._compare(tournament, channel)
            await asyncio.sleep(BREATH_S)

    def end(self) -> None:
        """Lets every listener go; new ones get nothing."""
        self._ended = True
        for channel in self._channels.values():
            for listener in channel.listeners:
                _put(listener, None)

    async def listen(self, tournament: str) -> AsyncIterator[str]:
        """The events for one listener: first the whole page, then what changes."""
        hall = self._hall_of(tournament)
        if hall is None or self._ended:
            return
        channel = self._channels.setdefault(tournament, _Channel(hall))
        self._compare(tournament, channel)
        listener = _Listener()
        channel.listeners.add(listener)
        try:
            yield "".join(map(_event, self._pages.parts(channel.shown, self._now_ns())))
            while True:
                try:
                    text = await asyncio.wait_for(listener.waiting.get(), _KEEP_ALIVE_S)
                except TimeoutError:
                    text = ": still here\n\n"
                if text is None:
                    return
                yield text
        finally:
            channel.listeners.discard(listener)
            if not channel.listeners:
                self._channels.pop(tournament, None)

    def _compare(self, tournament: str, channel: _Channel) -> None:
        hall = self._hall_of(tournament)
        if hall is None or hall == channel.shown:
            return
        old, channel.shown = channel.shown, hall
        text = "".join(map(_event, self._differing(old, hall)))
        if text:
            for listener in channel.listeners:
                _put(listener, text)

    def _differing(self, old: Hall, hall: Hall) -> list[tuple[str, str]]:
        now_ns = self._now_ns()
        parts = []
        if old.heading != hall.heading:
            parts.append(self._pages.heading(hall))
        if [card.game for card in old.cards] != [card.game for card in hall.cards] or old.byes != hall.byes:
            parts.append(self._pages.tables(hall, now_ns))
        else:
            for before, card in zip(old.cards, hall.cards, strict=True):
                if not _alike(before, card):
                    parts.append(self._pages.card(card, now_ns))
        if old.lines != hall.lines:
            parts.append(self._pages.standings(hall))
        if old.results != hall.results:
            parts.append(self._pages.results(hall))
        return parts


def _alike(old: Card, new: Card) -> bool:
    """Whether a browser that has `old` shows `new` too: it counts the running clock down by itself."""
    gone_ms = (new.at_ns - old.at_ns) // 1_000_000

    def carried_on(seat: Seat) -> Seat:
        return (
            replace(seat, left_ms=seat.left_ms - gone_ms) if seat.runs and seat.left_ms is not None else seat
        )

    expected = (carried_on(old.black), carried_on(old.white))
    if replace(old, black=new.black, white=new.white, at_ns=new.at_ns) != new:
        return False
    return all(
        replace(was, left_ms=now.left_ms) == now and abs((was.left_ms or 0) - (now.left_ms or 0)) < _SAME_MS
        for was, now in zip(expected, (new.black, new.white), strict=True)
    )


def _event(part: tuple[str, str]) -> str:
    """One event; JSON has no line breaks outside of its escapes."""
    return f"event: part\ndata: {json.dumps({'id': part[0], 'html': part[1]}, ensure_ascii=False)}\n\n"


def _put(listener: _Listener, text: str | None) -> None:
    """A listener that cannot follow is let go; its browser comes back and gets the whole page."""
    try:
        listener.waiting.put_nowait(text)
    except asyncio.QueueFull:
        while not listener.waiting.empty():
            listener.waiting.get_nowait()
        listener.waiting.put_nowait(None)
