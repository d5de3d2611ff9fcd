"""Templates of the desk, and figures as people read them. Every text is escaped."""

from __future__ import annotations

from fractions import Fraction

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from hub.ranking.rank_report import exact


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

    def template(self, name: str, **values: object) -> str:
        return self._templates.get_template(name).render(**values)


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
