"""The hall's page and its parts as HTML. Every text is escaped; the parts carry ids by which the stream names them."""

from __future__ import annotations

from fractions import Fraction

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from hub.hall import Card, Hall, Line, TableState
from hub.ranking.rank_report import exact

STATE_WORDS = {
    TableState.WAITING: "waiting",
    TableState.PLAYING: "playing",
    TableState.STOPPED: "clocks stopped",
    TableState.ERROR: "correcting an error",
    TableState.DEFAULT: "flag has fallen",
    TableState.FINISHED: "finished",
    TableState.SIGNED: "signed",
    TableState.OFFLINE: "offline",
    TableState.BY_HAND: "no clock here",
}
_SHAPES = {
    TableState.WAITING: "○",
    TableState.PLAYING: "▶",
    TableState.STOPPED: "❚❚",
    TableState.ERROR: "!",
    TableState.DEFAULT: "⚑",
    TableState.FINISHED: "■",
    TableState.SIGNED: "✓",
    TableState.OFFLINE: "×",
    TableState.BY_HAND: "✎",
}


class Pages:
    """Renders with the templates of this folder."""

    def __init__(self) -> None:
        self._templates = Environment(
            loader=PackageLoader("hub.web"),
            autoescape=select_autoescape(default=True, default_for_string=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters |= {
            "clock": clock_text,
            "points": points_text,
            "bq": bq_text,
            "moved": _moved,
        }
        self._templates.globals |= {"words": STATE_WORDS, "shapes": _SHAPES}

    def page(self, hall: Hall | None, others: tuple[tuple[str, str], ...], now_ns: int) -> str:
        """The whole page; `others` are (id, name) of the hub's other tournaments."""
        parts = dict(self.parts(hall, now_ns)) if hall is not None else {}
        return self._templates.get_template("hall.html").render(hall=hall, others=others, parts=parts)

    def parts(self, hall: Hall, now_ns: int) -> tuple[tuple[str, str], ...]:
        """(id, HTML) of each part of the page."""
        return self.heading(hall), self.tables(hall, now_ns), self.standings(hall), self.results(hall)

    def heading(self, hall: Hall) -> tuple[str, str]:
        return "heading", self._part("heading.html", hall=hall)

    def tables(self, hall: Hall, now_ns: int) -> tuple[str, str]:
        """All tables at once, for when a round begins."""
        cards = [self.card(card, now_ns)[1] for card in hall.cards]
        return "tables", self._part("tables.html", hall=hall, cards=cards)

    def card(self, card: Card, now_ns: int) -> tuple[str, str]:
        """One table; a clock that runs is shown as it is at `now_ns`."""
        gone_ms = max(0, now_ns - card.at_ns) // 1_000_000
        left = {
            side: None if seat.left_ms is None else max(0, seat.left_ms - (gone_ms if seat.runs else 0))
            for side, seat in (("black", card.black), ("white", card.white))
        }
        return f"table-{card.table}", self._part("card.html", card=card, left=left)

    def standings(self, hall: Hall) -> tuple[str, str]:
        return "standings", self._part("standings.html", hall=hall)

    def results(self, hall: Hall) -> tuple[str, str]:
        return "results", self._part("results.html", hall=hall)

    def template(self, name: str, **values: object) -> str:
        """Any of the templates."""
        return self._templates.get_template(name).render(**values)

    def _part(self, template: str, **values: object) -> str:
        return self.template(template, **values).strip()


def clock_text(left_ms: int) -> str:
    """12:34, and tenths below ten seconds."""
    if left_ms < 10_000:
        return f"0:0{left_ms // 1000}.{left_ms % 1000 // 100}"
    seconds = left_ms // 1000
    return f"{seconds // 60}:{seconds % 60:02d}"


def points_text(points: float) -> str:
    """3, or 3½."""
    whole = int(points)
    if points == whole:
        return str(whole)
    return f"{whole}½" if whole else "½"


def bq_text(bq: Fraction) -> str:
    return exact(bq)


def _moved(line: Line) -> str:
    """▲2, ▼1, or nothing."""
    if not line.moved:
        return ""
    return f"▲{line.moved}" if line.moved > 0 else f"▼{-line.moved}"
