"""The catalogues: which of them is read, and when."""

from __future__ import annotations

import gettext
from typing import Any

import pytest

from flagfall.base.words import LOCALE, PLAYERS, STAFF, all_words, languages, words_in


def test_the_texts_of_the_staff_are_read_at_the_first_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = []
    translation = gettext.translation

    def recorded(domain: str, *arguments: Any, **options: Any) -> Any:
        read.append(domain)
        return translation(domain, *arguments, **options)

    monkeypatch.setattr(gettext, "translation", recorded)
    menu = [words.name_in_menu for words in all_words().values()]
    assert len(menu) == len(languages())
    assert set(read) == {PLAYERS}
    french = words_in("fr")
    assert french("Pair the round") != "Pair the round"
    assert read[-1] == STAFF


@pytest.mark.parametrize("language", languages(domain=STAFF)[1:])
def test_a_text_of_either_catalogue_is_found_in_each_of_its_forms(language: str) -> None:
    words = words_in(language)
    staff: Any = gettext.translation(STAFF, LOCALE, [language])
    forms = [key for key in staff._catalog if isinstance(key, tuple) and "\x04" not in key[0]]
    assert forms, "some texts of the staff have a plural"
    for text, form in forms[:20]:
        count = next(count for count in range(200) if staff.plural(count) == form)
        assert words.plural(text, "another", count) == staff.ngettext(text, "another", count)
    assert words("no such text, in either") == "no such text, in either"
    assert words.pgettext("no such context", "neither") == "neither"
    assert words.npgettext("no such context", "{count} neither", "{count} of neither", 2) == "2 of neither"
