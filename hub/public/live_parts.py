"""The changed parts of a live page, as finished HTML."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from hub.overview import Hall, PlayerAtTable, TableCard
from hub.public.links import Links
from hub.public.live_page import LivePage
from hub.web.stream import event

_SAME_MS = 150
"""A smaller change of a clock is not sent again."""


class HallParts:
    """`hall_of(tournament)` gives the present page, None if there is no such tournament; `links_of(tournament)` the
    addresses of its games."""

    def __init__(
        self,
        page: LivePage,
        hall_of: Callable[[str], Hall | None],
        now_ns: Callable[[], int],
        links_of: Callable[[str], Links | None] = lambda _: None,
    ) -> None:
        self._page = page
        self._hall_of = hall_of
        self._now_ns = now_ns
        self._links_of = links_of

    def now(self, tournament: str) -> Hall | None:
        return self._hall_of(tournament)

    def whole(self, shown: Hall) -> str:
        return "".join(map(_part, self._page.parts(shown, self._now_ns(), self._links_of(shown.tournament))))

    def differing(self, shown: Hall, now: Hall) -> tuple[Hall, str]:
        """Compares each card with the one last sent, so that small drifts cannot accumulate."""
        if shown == now:
            return shown, ""
        page, now_ns, links = self._page, self._now_ns(), self._links_of(now.tournament)
        parts = []
        if shown.heading != now.heading:
            parts.append(page.heading(now))
        if [card.game for card in shown.cards] != [card.game for card in now.cards] or shown.byes != now.byes:
            parts.append(page.tables(now, now_ns, links))
        else:
            pairs = zip(shown.cards, now.cards, strict=True)
            cards = tuple(had if _alike(had, card) else card for had, card in pairs)
            parts += [
                page.card(card, now_ns, links)
                for had, card in zip(shown.cards, cards, strict=True)
                if card is not had
            ]
            now = replace(now, cards=cards)
        if shown.lines != now.lines:
            parts.append(page.standings(now))
        if shown.results != now.results:
            parts.append(page.results(now, links))
        return now, "".join(map(_part, parts))


def _alike(had: TableCard, card: TableCard) -> bool:
    """Whether a browser that has `had` shows the same as `card`: it counts the running clock down itself."""
    if replace(had, black=card.black, white=card.white, at_ns=card.at_ns) != card:
        return False
    gone_ms = (card.at_ns - had.at_ns) // 1_000_000
    return _carried_on(had.black, card.black, gone_ms) and _carried_on(had.white, card.white, gone_ms)


def _carried_on(had: PlayerAtTable, seat: PlayerAtTable, gone_ms: int) -> bool:
    if had.left_ms is None or seat.left_ms is None:
        return had == seat
    expected_ms = had.left_ms - (gone_ms if had.runs else 0)
    return abs(expected_ms - seat.left_ms) < _SAME_MS and replace(had, left_ms=seat.left_ms) == seat


def _part(part: tuple[str, str]) -> str:
    return event("part", json.dumps({"id": part[0], "html": part[1]}, ensure_ascii=False))
