"""The live page: tables, standings and latest results as parts with ids, by which the stream names them.

`links` lead from a part to a game; None for the projector, where nobody can follow them.
"""

from __future__ import annotations

from dataclasses import replace

from hub.overview import Hall, StandingRow, TableCard
from hub.public.links import Links
from hub.public.rendering import Templates
from hub.web.pages import clock_text

_MOST_CARDS = 2_000


class LivePage:
    """Its parts, in the language of `templates`."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates
        self._last_cards: dict[int, tuple[object, str]] = {}
        self._last_standings: tuple[tuple[StandingRow, ...], int, str] | None = None

    def parts(self, hall: Hall, now_ns: int, links: Links | None = None) -> tuple[tuple[str, str], ...]:
        """(id, HTML) of each part of the page."""
        return (
            self.heading(hall),
            self.tables(hall, now_ns, links),
            self.standings(hall),
            self.results(hall, links),
        )

    def heading(self, hall: Hall) -> tuple[str, str]:
        return "heading", self._templates.part("heading.html", hall=hall)

    def tables(self, hall: Hall, now_ns: int, links: Links | None = None) -> tuple[str, str]:
        """All tables at once, for the beginning of a round."""
        cards = [self.card(card, now_ns, links)[1] for card in hall.cards]
        return "tables", self._templates.part("tables.html", hall=hall, cards=cards)

    def card(self, card: TableCard, now_ns: int, links: Links | None = None) -> tuple[str, str]:
        """One table, rendered again if more than time has changed; the running clock is that at `now_ns`."""
        gone_ms = max(0, now_ns - card.at_ns) // 1_000_000
        running = {
            side: max(0, seat.left_ms - gone_ms)
            for side, seat in (("black", card.black), ("white", card.white))
            if seat.left_ms is not None and seat.runs
        }
        still = replace(card, at_ns=0, **{side: replace(getattr(card, side), left_ms=0) for side in running})
        known = self._last_cards.get(card.table)
        if known is None or known[0] != (still, links):
            if len(self._last_cards) >= _MOST_CARDS:
                self._last_cards.clear()
            known = self._last_cards[card.table] = ((still, links), self._drawn(still, links))
        html = known[1]
        for side, left_ms in running.items():
            html = html.replace(f"{{{side} ms}}", str(left_ms)).replace(f"{{{side}}}", clock_text(left_ms))
        return f"table-{card.table}", html

    def _drawn(self, card: TableCard, links: Links | None) -> str:
        """With placeholders for the running clock."""
        left = {
            side: None
            if seat.left_ms is None
            else (f"{{{side} ms}}", f"{{{side}}}" if seat.runs else clock_text(seat.left_ms))
            for side, seat in (("black", card.black), ("white", card.white))
        }
        return self._templates.part("card.html", card=card, left=left, links=links)

    def standings(self, hall: Hall) -> tuple[str, str]:
        """The longest part, rendered once for each state of the record."""
        last, round_ = self._last_standings, hall.heading.round
        if last is None or last[0] is not hall.lines or last[1] != round_:
            html = self._templates.part("standings.html", hall=hall)
            last = self._last_standings = (hall.lines, round_, html)
        return "standings", last[2]

    def results(self, hall: Hall, links: Links | None = None) -> tuple[str, str]:
        return "results", self._templates.part("results.html", hall=hall, links=links)
