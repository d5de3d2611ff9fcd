"""The common parts of all pages: templates, formats of numbers, marks of a table's state, the choice of language."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
from types import CodeType

from jinja2 import (
    BytecodeCache,
    ChoiceLoader,
    Environment,
    PackageLoader,
    StrictUndefined,
    meta,
    pass_context,
    select_autoescape,
)
from jinja2.bccache import Bucket
from jinja2.runtime import Context
from markupsafe import escape
from python_multipart.multipart import parse_options_header

from flagfall.base.isolate import isolated
from flagfall.base.words import FIRST, tag_of
from hub.event_words import grade_name
from hub.overview import TableState
from hub.ranking.reports import exact
from hub.ranking.standings import Standing
from hub.slices import apart, in_slices

# A state has a shape too, because colour alone does not reach everybody.
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


class _CompiledOnce(BytecodeCache):
    """Compiled templates, shared by all languages: each has its own environment with the same templates."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key, bucket.checksum] = bucket.code


_COMPILED = _CompiledOnce()


def templates_of(package: str) -> Environment:
    """Return the environment of a package's templates and of those that all packages share. It escapes every text, and
    an unknown name is an error."""
    environment = Environment(
        loader=ChoiceLoader((PackageLoader(package), PackageLoader("hub.web"))),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        bytecode_cache=_COMPILED,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"clock": clock_text, "points": points_text, "tie_break": tie_break_text}
    environment.filters |= {"person": PersonName, "isolated": isolated, "tag": tag_of, "grade": _grade_there}
    environment.globals["exact"] = exact
    environment.globals["shapes"] = SHAPES
    return environment


@pass_context
def _grade_there(context: Context, grade: str) -> str:
    return grade_name(context["w"], grade)


async def rendered(environment: Environment, template: str, values: Mapping[str, object]) -> str:
    """Return a template, rendered in slices. The values must be frozen, because other tasks run in between."""
    await compiled(environment, template)
    pieces = environment.get_template(template).generate(values)
    html = "".join([piece async for piece in in_slices(pieces)])
    await asyncio.sleep(0)  # what is done with the whole page is a slice of its own
    return html


async def compiled(environment: Environment, *templates: str) -> None:
    """Compile these templates, in the thread, unless they are compiled already."""
    for template in templates:
        if template not in _ready(environment):
            await apart(_compile, environment, template)


@cache
def _ready(environment: Environment) -> set[str]:
    """Return the names of the templates that are compiled with all that they name."""
    return set()


def _compile(environment: Environment, template: str) -> None:
    """Compile a template and those that it extends, includes or imports: up to 70 ms each."""
    assert environment.loader is not None
    environment.get_template(template)
    source, *_ = environment.loader.get_source(environment, template)
    for name in meta.find_referenced_templates(environment.parse(source)):
        if name is not None and name not in _ready(environment):
            _compile(environment, name)
    _ready(environment).add(template)


class PersonName(str):
    """A person's name whose writing direction does not spread: an element in HTML, isolating characters in sentences.

    A template uses `isolated` in attributes, titles and options, which have no elements.
    """

    __slots__ = ()

    def __html__(self) -> str:
        return f"<bdi>{escape(str(self))}</bdi>"

    def __format__(self, spec: str) -> str:
        return format(isolated(str(self)), spec)


def clock_text(left_ms: int) -> str:
    """Return 12:34, or tenths below ten seconds. Round up as at the table, so that zero means that nothing is left."""
    if left_ms <= 9_900:
        tenths = -(-left_ms // 100)
        return f"0:0{tenths // 10}.{tenths % 10}"
    seconds = -(-left_ms // 1000)
    return f"{seconds // 60}:{seconds % 60:02d}"


def points_text(points: float) -> str:
    """Return 3, or 3½."""
    whole = int(points)
    if points == whole:
        return str(whole)
    return f"{whole}½" if whole else "½"


def tie_break_text(standing: Standing, by_difference: bool) -> str:
    """Return the figure that ranks players who are level on points."""
    return f"{standing.difference:+}" if by_difference else exact(standing.bq)


# Chinese as browsers name it, mostly by region, and the script that is read there.
_WRITTEN_IN = {"zh": "zh-hans", **dict.fromkeys(("zh-tw", "zh-hk", "zh-mo"), "zh-hant")}
_LONGEST = 500  # letters of `Accept-Language`; browsers send fewer than a hundred


def chosen_language(known: Sequence[str], chosen: str, accepted: str) -> str:
    """Return the reader's choice if it is known, else the browser's preference (`Accept-Language`, RFC 9110 12.5.4),
    else the first language."""
    if chosen in known:
        return chosen
    if len(accepted) > _LONGEST:
        return FIRST
    names = {tag_of(name).lower(): name for name in known}
    for tag in _accepted_languages(accepted):
        parts = tag.split("-")
        for length in range(len(parts), 0, -1):  # a reader of fr-CH reads fr
            asked = "-".join(parts[:length])
            for name in (asked, _WRITTEN_IN.get(asked, "")):
                if name in names:
                    return names[name]
    return FIRST


def _accepted_languages(accepted: str) -> list[str]:
    """Return the accepted languages, best first."""
    weighted = []
    for part in accepted.split(","):
        tag, options = parse_options_header(part.encode("latin-1", "replace"))
        try:
            quality = float(options.get(b"q", b"1"))
        except ValueError:
            continue
        if 0 < quality <= 1:
            weighted.append((quality, tag.decode("latin-1").strip().lower()))
    return [tag for _, tag in sorted(weighted, key=lambda pair: pair[0], reverse=True)]
