"""The texts for people in their language: one catalogue for table, hub and console, `locale/LANGUAGE/LC_MESSAGES`.

A text of the sources is its own key and the English text; a catalogue has its translation. A missing translation is
shown in English. Places in braces are filled in: `words("Round {number}", number=3)`.
"""

from __future__ import annotations

import datetime
import gettext
from pathlib import Path

from flagfall.othello.errors import Invalid
from flagfall.othello.message import P_, Label, Message, Shown, filled, say, without_context

DOMAIN = "flagfall"
# The language of the sources, which needs no catalogue.
FIRST = "en"

LOCALE = Path(__file__).parent / "locale"


class Catalogue:
    """The texts of one language."""

    def __init__(self, language: str, catalogue: gettext.NullTranslations) -> None:
        self.language = language
        self._catalogue = catalogue

    def __call__(self, text: str, /, **places: object) -> str:
        return filled(self.text(text), text, places)

    def say(
        self,
        message: Message,
        shown: Shown = lambda name, value: value,
        label: Label = lambda field: f"{field}: ",
    ) -> str:
        """Return the message in this language, with what is `shown` of its values and the `label` of its field."""
        return say(message, self, shown, label)

    def text(self, text: str) -> str:
        """Return a text without its places filled in."""
        translated = self._catalogue.gettext(text)
        return without_context(translated) if translated == text else translated

    def pgettext(self, context: str, text: str, /, **places: object) -> str:
        """Return a text with another meaning than the same text elsewhere."""
        return self(P_(context, text), **places)

    def ngettext(self, singular: str, more: str, count: int, /, **places: object) -> str:
        """Return the form for so many; `{count}` is filled in."""
        return filled(self.plural(singular, more, count), more, {"count": count, **places})

    def plural(self, singular: str, more: str, count: int, /) -> str:
        """Return the form for so many, without its places filled in."""
        return self._catalogue.ngettext(singular, more, count)

    def npgettext(self, context: str, singular: str, more: str, count: int, /, **places: object) -> str:
        """Return the form for so many in this context; `{count}` is filled in."""
        translated = self._catalogue.npgettext(context, singular, more, count)
        return filled(translated, more, {"count": count, **places})

    def day(self, date: str) -> str:
        """Return a day "YYYY-MM-DD" as the language writes it."""
        day = datetime.date.fromisoformat(date)
        return self.pgettext(
            "a day", "{year}-{month:02}-{day:02}", year=day.year, month=day.month, day=day.day
        )

    @property
    def own_name(self) -> str:
        """ "English", "Français"."""
        return self.pgettext("the name of this language in itself", "English")

    @property
    def direction(self) -> str:
        """ "ltr" or "rtl", as HTML's `dir` has it."""
        return self.pgettext("direction of this language's writing: ltr or rtl", "ltr")


def languages(locale: Path = LOCALE) -> tuple[str, ...]:
    """Return the languages that have a catalogue, the first one first."""
    catalogues = locale.glob(f"*/LC_MESSAGES/{DOMAIN}.mo")
    return (FIRST, *sorted(file.parts[-3] for file in catalogues))


def words_in(language: str, locale: Path = LOCALE) -> Catalogue:
    """Return the catalogue of a language. Invalid names the available languages."""
    if language == FIRST:
        return Catalogue(language, gettext.NullTranslations())
    if language not in languages(locale):
        raise Invalid("", f"one of {', '.join(languages(locale))}", repr(language))
    return Catalogue(language, gettext.translation(DOMAIN, locale, [language]))


def all_words(locale: Path = LOCALE) -> dict[str, Catalogue]:
    """Return the catalogues by language, the first language first."""
    return {language: words_in(language, locale) for language in languages(locale)}
