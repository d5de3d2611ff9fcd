"""The live page: its parts (tables, standings, latest results) as HTML, and which of them have changed.

The stream names each part by its id. `links` lead from a part to a game; they are None for the projector, where nobody
can follow them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from hub.overview import Hall, PlayerAtTable, StandingRow, TableCard
from hub.public.links import ALL_TABLES, Links
from hub.public.rendering import Templates
from hub.slices import in_slices
from hub.web.pages import clock_text
from hub.web.stream import event

# Tables and players on the page itself; pages of their own have all of them. `public.css` shows a phone fewer still.
SHOWN_CARDS = 12
SHOWN_LINES = 12
_MOST_CARDS = 2_000
_NS_PER_MS = 1_000_000


# The templates of the parts.
PARTS = ("heading.html", "card.html", "tables.html", "standings.html", "results.html")


class LivePage:
    """The parts of the live page in the language of `templates`."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates
        self._last_cards: dict[int, tuple[object, str]] = {}
        self._last_standings: tuple[tuple[StandingRow, ...], int, Links | None, str] | None = None

    def parts(
        self, hall: Hall, now_ns: int, links: Links | None = None, *, all_tables: bool = False
    ) -> tuple[tuple[str, str], ...]:
        """Return (id, HTML) of each part of the page."""
        return (
            self.heading(hall),
            self.tables(hall, now_ns, links, all_tables=all_tables),
            self.standings(hall, links),
            self.results(hall, links),
        )

    def heading(self, hall: Hall) -> tuple[str, str]:
        return "heading", self._templates.part("heading.html", hall=hall)

    def tables(
        self, hall: Hall, now_ns: int, links: Links | None = None, *, all_tables: bool = False
    ) -> tuple[str, str]:
        """Return the tables as one part, for the beginning of a round: those in front, or all of them."""
        shown = hall.cards if all_tables else cards_in_front(hall)
        cards = [self.card(card, now_ns, links)[1] for card in shown]
        # The address of the page with all tables, where this one may have fewer.
        more = None if all_tables or links is None else links.page(ALL_TABLES)
        return "tables", self._templates.part("tables.html", hall=hall, cards=cards, more=more)

    async def draw_cards(
        self, cards: Iterable[TableCard], now_ns: int, links: Links | None = None
    ) -> list[str]:
        """Return these tables, drawn in slices. They are kept, so that a part with all of them takes no time then."""
        return [html async for _, html in in_slices(self.card(card, now_ns, links) for card in cards)]

    def card(self, card: TableCard, now_ns: int, links: Links | None = None) -> tuple[str, str]:
        """Return one table, rendered again only if more than the time has changed.

        The running clock shows the time left at `now_ns`. Beside it stands the hub's count at which no time is left, so
        that a late page can still show the right time.
        """
        gone_ms = max(0, now_ns - card.at_ns) // _NS_PER_MS
        running = {
            side: (card.at_ns // _NS_PER_MS + seat.left_ms, max(0, seat.left_ms - gone_ms))
            for side, seat in (("black", card.black), ("white", card.white))
            if seat.left_ms is not None and seat.runs
        }
        still = replace(card, at_ns=0, **{side: replace(getattr(card, side), left_ms=0) for side in running})
        known = self._last_cards.get(card.table)
        if known is None or known[0] != (still, links):
            if len(self._last_cards) >= _MOST_CARDS:
                self._last_cards.clear()
            known = self._last_cards[card.table] = ((still, links), self._card_html(still, links))
        html = known[1]
        for side, (ends_ms, left_ms) in running.items():
            html = html.replace(f"{{{side} ends}}", str(ends_ms)).replace(f"{{{side}}}", clock_text(left_ms))
        return f"table-{card.table}", html

    def _card_html(self, card: TableCard, links: Links | None) -> str:
        """Return a table's HTML with placeholders for the running clock."""
        left = {
            side: None
            if seat.left_ms is None
            else (f"{{{side} ends}}", f"{{{side}}}" if seat.runs else clock_text(seat.left_ms))
            for side, seat in (("black", card.black), ("white", card.white))
        }
        return self._templates.part("card.html", card=card, left=left, links=links)

    def standings(self, hall: Hall, links: Links | None = None) -> tuple[str, str]:
        """Return the first places of the standings, rendered once for each state of the record."""
        last, round_ = self._last_standings, hall.heading.round
        if last is None or last[0] is not hall.lines or last[1:3] != (round_, links):
            html = self._templates.part("standings.html", hall=hall, links=links, most=SHOWN_LINES)
            last = self._last_standings = (hall.lines, round_, links, html)
        return "standings", last[3]

    def results(self, hall: Hall, links: Links | None = None) -> tuple[str, str]:
        return "results", self._templates.part("results.html", hall=hall, links=links)


def cards_in_front(hall: Hall) -> tuple[TableCard, ...]:
    """Return the tables of the live page itself."""
    return hall.cards[:SHOWN_CARDS]


def running_clock(card: TableCard, side: str, now_ns: int) -> tuple[int, str] | None:
    """Return the hub's count in milliseconds at which nothing is left of a player's clock, and the time left at
    `now_ns`; None without a clock."""
    seat: PlayerAtTable = getattr(card, side)
    if seat.left_ms is None:
        return None
    gone_ms = max(0, now_ns - card.at_ns) // _NS_PER_MS if seat.runs else 0
    return card.at_ns // _NS_PER_MS + seat.left_ms, clock_text(max(0, seat.left_ms - gone_ms))


# A change of a clock below this is not sent again.
_SAME_MS = 150


@dataclass(eq=False)
class HallParts:
    """The events of a tournament's live page: all parts, or those that have changed.

    With `all_tables` they have every table, as the page of all tables and the projector need them.
    """

    page: LivePage
    # Returns the present page, None if there is no such tournament.
    present: Callable[[str], Hall | None]
    now_ns: Callable[[], int]
    # Gives the addresses of a tournament's games.
    links_of: Callable[[str], Links | None] = lambda _: None
    all_tables: bool = True

    def whole_events(self, shown: Hall) -> str:
        now_ns = self.now_ns()
        links = self.links_of(shown.tournament)
        parts = self.page.parts(shown, now_ns, links, all_tables=self.all_tables)
        return "".join(part_event(part, now_ns) for part in parts)

    def changed_events(self, shown: Hall, now: Hall) -> tuple[Hall, str]:
        """Return the page that readers see from now on, and the events of the parts that differ from `shown`.

        Each card is compared with the one that was last sent, so that small drifts of a clock cannot accumulate.
        """
        if shown == now:
            return shown, ""
        page, now_ns, links = self.page, self.now_ns(), self.links_of(now.tournament)
        parts = []
        if shown.heading != now.heading:
            parts.append(page.heading(now))
        if [card.game for card in shown.cards] != [card.game for card in now.cards] or shown.byes != now.byes:
            parts.append(page.tables(now, now_ns, links, all_tables=self.all_tables))
        else:
            pairs = zip(shown.cards, now.cards, strict=True)
            cards = tuple(had if shows_same(had, card) else card for had, card in pairs)
            sent = len(cards) if self.all_tables else SHOWN_CARDS
            parts += [
                page.card(card, now_ns, links)
                for had, card in zip(shown.cards[:sent], cards[:sent], strict=True)
                if card is not had
            ]
            now = replace(now, cards=cards)
        if shown.lines != now.lines:
            parts.append(page.standings(now, links))
        if shown.results != now.results:
            parts.append(page.results(now, links))
        return now, "".join(part_event(part, now_ns) for part in parts)


def shows_same(had: TableCard, card: TableCard) -> bool:
    """Return whether a browser that got `had` shows the same as `card` by now: it counts the running clock down
    itself.
    """
    if replace(had, black=card.black, white=card.white, at_ns=card.at_ns) != card:
        return False
    gone_ms = (card.at_ns - had.at_ns) // _NS_PER_MS
    return _carried_on(had.black, card.black, gone_ms) and _carried_on(had.white, card.white, gone_ms)


def _carried_on(had: PlayerAtTable, seat: PlayerAtTable, gone_ms: int) -> bool:
    if had.left_ms is None or seat.left_ms is None:
        return had == seat
    expected_ms = had.left_ms - (gone_ms if had.runs else 0)
    return abs(expected_ms - seat.left_ms) < _SAME_MS and replace(had, left_ms=seat.left_ms) == seat


def part_event(part: tuple[str, str], now_ns: int) -> str:
    """Return the event that carries a part of a page (its id and HTML)."""
    name, html = part
    fields = {"at_ms": now_ns // _NS_PER_MS, "id": name, "html": html}
    return event("part", json.dumps(fields, ensure_ascii=False))
