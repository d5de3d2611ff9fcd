"""The templates of the public pages in one language. Every text is escaped."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from markupsafe import Markup

from flagfall.base.words import Catalogue
from hub.event_words import grade_name, rulebook_name
from hub.model.games import DIVISION, OPEN
from hub.model.lists import TEXT_COLUMNS, Column, amount_text
from hub.public.texts import TEXTS
from hub.ranking.reports import exact
from hub.web.pages import compiled, points_text, rendered, templates_of


class Templates:
    """The templates, with `w` for the catalogue. `part` renders one by its name."""

    def __init__(self, words: Catalogue) -> None:
        self.words = words
        self._environment = templates_of("hub.public")
        self._environment.filters |= {"spent": spent_text, "moved": moved_text, "squares": squares_html}
        self._environment.globals |= {"w": words, "TEXTS": TEXTS, "kinds": SQUARE_KINDS}
        self._environment.globals |= {"pgettext": words.pgettext, "ngettext": words.ngettext}
        self._environment.globals["points_sentence"] = partial(points_sentence, words)
        self._environment.globals["final_name"] = partial(final_name, words)
        self._environment.globals["title_name"] = partial(title_name, words)
        self._environment.globals["money_text"] = money_text
        self._environment.globals["list_cell"] = partial(list_cell, words)
        self._environment.globals["TEXT_COLUMNS"] = TEXT_COLUMNS
        self._environment.globals["rules_name"] = partial(rulebook_name, words)

    def part(self, template: str, **values: object) -> str:
        return self._environment.get_template(template).render(values).strip()

    async def compile(self, *templates: str) -> None:
        """Compile the templates of parts before their first use, while the loop goes on."""
        await compiled(self._environment, *templates)

    async def page(self, template: str, **values: object) -> str:
        """Render a template like `part`, in slices. The values must be frozen, because other tasks run in between."""
        return (await rendered(self._environment, template, values)).strip()


# The CSS classes of the pages for the contents of a square.
SQUARE_KINDS = dict(zip("XO?-", ("x", "o", "u", ""), strict=True))
_SQUARES = {mark: f'<i class="{kind}"></i>' for mark, kind in SQUARE_KINDS.items()}


def squares_html(position: str) -> Markup:
    """Return the 64 squares of a board. A template's loop would be too slow for so many boards."""
    return Markup("".join(_SQUARES[mark] for mark in position))  # a position has no other characters


def points_sentence(words: Catalogue, points: float) -> str:
    """Return "1 point", "2½ points". No language's plural forms include halves, so halves have texts of their own."""
    whole, number = int(points), points_text(points)
    if points == whole:
        return words.ngettext("{points} point", "{points} points", whole, points=number)
    if not whole:
        return words.pgettext("half a point", "{points} point", points=number)
    return words.npgettext(
        "so many points and a half", "{points} points", "{points} points", whole, points=number
    )


def title_name(words: Catalogue, title: str) -> str:
    """Return "Open", "Women", or the name of a division."""
    if title.startswith(DIVISION):
        return words("Division {name}", name=title.removeprefix(DIVISION))
    return words(TEXTS[f"title.{title}"])


def money_text(cents: int, currency: str) -> str:
    """Return "300 EUR", with a blank at which no line breaks; without a currency the amount alone."""
    return f"{amount_text(cents)}\u00a0{currency}" if currency else amount_text(cents)


def list_cell(words: Catalogue, column: Column, value: str | Fraction | None) -> str:
    """Return a cell of a list as people read it: 3½ points, +12 discs, 2 dan."""
    if value is None or value == "":
        return ""
    if isinstance(value, str):
        return grade_name(words, value) if column == "grade" else value
    if column == "difference":
        return f"{int(value):+}"
    return points_text(float(value)) if column == "points" else exact(value)


def final_name(words: Catalogue, final: tuple[str, str]) -> str:
    """Return "Women · semi-final"; for the open title the stage alone."""
    title, stage = final
    stage_name = words(TEXTS[f"stage.{stage}"])
    return stage_name if title == OPEN else f"{title_name(words, title)} · {stage_name}"


def spent_text(spent_ms: int) -> str:
    """Return 3.4 below ten seconds, 27 below a minute, else 1:05."""
    if spent_ms < 10_000:
        return f"{spent_ms // 1000}.{spent_ms % 1000 // 100}"
    seconds = spent_ms // 1000
    return str(seconds) if seconds < 60 else f"{seconds // 60}:{seconds % 60:02d}"


def moved_text(moved: int | None) -> str:
    """Return ▲2, ▼1, or nothing."""
    if not moved:
        return ""
    return f"▲{moved}" if moved > 0 else f"▼{-moved}"
