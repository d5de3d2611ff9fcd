"""The texts for people in their language, for table, hub and console: the catalogues of `locale/LANGUAGE/LC_MESSAGES`.

A text of the sources is its own key and the English text; a catalogue has its translation. A missing translation is
shown in English. Places in braces are filled in: `words("Round {number}", number=3)`.

A language has a catalogue of the texts that players see, and may have another one of all other texts: those of the
console, the judge's panel and the commands. Each text is in one of the two.
"""

from __future__ import annotations

import datetime
import gettext
from functools import cached_property
from pathlib import Path

from flagfall.base.errors import Invalid
from flagfall.base.message import P_, Label, Message, Shown, filled, say, without_context

# The names of the catalogues' files (gettext's domains): the texts that players see, and all others.
PLAYERS, STAFF = DOMAINS = ("flagfall-players", "flagfall")
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
    def is_unreviewed(self) -> bool:
        """True if the catalogue says that no speaker of the language has read its texts."""
        mark = self.pgettext(
            "unreviewed, if no speaker of this language has read its texts, else: no mark", "no mark"
        )
        return mark == "unreviewed"

    @property
    def name_in_menu(self) -> str:
        """The name of the language in itself, with a remark if no speaker has read its texts."""
        if not self.is_unreviewed:
            return self.own_name
        return self.pgettext("a language in a menu", "{language} (unreviewed)", language=self.own_name)

    @property
    def tag(self) -> str:
        """The language as HTML's `lang` has it."""
        return tag_of(self.language)

    @property
    def direction(self) -> str:
        """ "ltr" or "rtl", as HTML's `dir` has it."""
        return self.pgettext("direction of this language's writing: ltr or rtl", "ltr")


class _StaffTexts(gettext.NullTranslations):
    """The texts that players do not see, read when the first of them is asked for: 200 kB in each language of the
    console, of which a hub shows one."""

    def __init__(self, language: str, locale: Path) -> None:
        super().__init__()
        self._language, self._locale = language, locale

    @cached_property
    def _texts(self) -> gettext.NullTranslations:
        return gettext.translation(STAFF, self._locale, [self._language], fallback=True)

    def gettext(self, message: str) -> str:
        return self._texts.gettext(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self._texts.ngettext(msgid1, msgid2, n)

    def pgettext(self, context: str, message: str) -> str:
        return self._texts.pgettext(context, message)

    def npgettext(self, context: str, msgid1: str, msgid2: str, n: int) -> str:
        return self._texts.npgettext(context, msgid1, msgid2, n)


def tag_of(language: str) -> str:
    """Return a language as HTML's `lang` has it (BCP 47): "zh-Hant" for zh_Hant."""
    return language.replace("_", "-")


def languages(locale: Path = LOCALE, domain: str = PLAYERS) -> tuple[str, ...]:
    """Return the languages that have a catalogue of this domain, the first one first."""
    catalogues = locale.glob(f"*/LC_MESSAGES/{domain}.mo")
    return (FIRST, *sorted(file.parts[-3] for file in catalogues))


def words_in(language: str, locale: Path = LOCALE) -> Catalogue:
    """Return the texts of a language. Invalid names the available languages."""
    if language == FIRST:
        return Catalogue(language, gettext.NullTranslations())
    if language not in languages(locale):
        raise Invalid("", f"one of {', '.join(languages(locale))}", repr(language))
    catalogue: gettext.NullTranslations = gettext.translation(PLAYERS, locale, [language])
    catalogue.add_fallback(_StaffTexts(language, locale))
    return Catalogue(language, catalogue)


def all_words(locale: Path = LOCALE, domain: str = PLAYERS) -> dict[str, Catalogue]:
    """Return the texts by language, for those that have a catalogue of this domain, the first language first."""
    return {language: words_in(language, locale) for language in languages(locale, domain)}
