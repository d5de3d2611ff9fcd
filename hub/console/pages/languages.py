"""The page of languages: which texts each has, and whether a person who speaks it has read them."""

from __future__ import annotations

from flagfall.base.words import STAFF, all_words, languages
from hub.console.context import Values, Visit


async def languages_page(visit: Visit) -> Values:
    return {"catalogues": tuple(all_words().values()), "of_staff": languages(domain=STAFF)}
