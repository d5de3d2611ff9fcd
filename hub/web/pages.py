"""Figures as people read them on every page."""

from __future__ import annotations

from fractions import Fraction

from hub.ranking.rank_report import exact


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
