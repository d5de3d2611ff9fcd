"""A person's name as lists write it: the family name, a comma, the given name."""

from __future__ import annotations

import re

_CAPITALS = re.compile(r"(?:[^\W\d_]['’.\-]{0,2}){2,60}")


def family_first(said: str) -> str:
    """`SMITH John` and `John SMITH` as `SMITH, John`; a name that does not tell its family name as it is written."""
    said = " ".join(said.split()).strip(" ,")
    words = said.split(" ")
    capital = [_CAPITALS.fullmatch(word) is not None and word.isupper() for word in words]
    count = sum(capital)
    if "," in said or not 0 < count < len(words):
        return re.sub(r"(?<=\w) ?,(?=\w)", ", ", said)
    family, given = (words[:count], words[count:]) if capital[0] else (words[-count:], words[:-count])
    in_one_place = capital == sorted(capital, reverse=capital[0])
    return f"{' '.join(family)}, {' '.join(given)}" if in_one_place else said
