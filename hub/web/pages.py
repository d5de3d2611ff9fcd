"""The common parts of all pages: templates, formatting of numbers, the marks of a table's state."""

from __future__ import annotations

from types import CodeType

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined, select_autoescape
from jinja2.bccache import Bucket
from markupsafe import escape

from flagfall.link.isolate import isolated
from hub.overview import TableState
from hub.ranking.rank_report import exact
from hub.ranking.standings import Standing

SHAPES = {
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
"""A state is told by shape too, not by colour alone."""


class _CompiledOnce(BytecodeCache):
    """Each language has templates of its own; their code is the same."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key, bucket.checksum] = bucket.code


_COMPILED = _CompiledOnce()


def templates_of(package: str) -> Environment:
    """The templates of a package. Every text is escaped, and an unknown name is an error."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        bytecode_cache=_COMPILED,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"clock": clock_text, "points": points_text, "tie_break": tie_break_text}
    environment.filters |= {"person": PersonName, "isolated": isolated}
    environment.globals["shapes"] = SHAPES
    return environment


class PersonName(str):
    """A person's name that turns nothing around it: in HTML an element, enclosed by characters in sentences.
    In attributes, titles and options, which have no elements, a template uses `isolated`."""

    __slots__ = ()

    def __html__(self) -> str:
        return f"<bdi>{escape(str(self))}</bdi>"

    def __format__(self, spec: str) -> str:
        return format(isolated(str(self)), spec)


def clock_text(left_ms: int) -> str:
    """12:34, and tenths below ten seconds; rounded up as at the table, so that zero is shown only when nothing is
    left."""
    if left_ms <= 9_900:
        tenths = -(-left_ms // 100)
        return f"0:0{tenths // 10}.{tenths % 10}"
    seconds = -(-left_ms // 1000)
    return f"{seconds // 60}:{seconds % 60:02d}"


def points_text(points: float) -> str:
    """3, or 3½."""
    whole = int(points)
    if points == whole:
        return str(whole)
    return f"{whole}½" if whole else "½"


def tie_break_text(standing: Standing, by_difference: bool) -> str:
    """What ranks players who are level on points."""
    return f"{standing.difference:+}" if by_difference else exact(standing.bq)
