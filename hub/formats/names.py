"""Names, numbers and countries of players, as people and lists write them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from hub.model.players import sorted_as, visible

# New players are numbered from here, in six digits for `.ELO`: far above every number in use.
FIRST_NEW = 900_001
_CAPITALS = re.compile(r"(?:[^\W\d_]['’.\-]{0,2}){2,60}")
# Plain letters for those that Unicode does not take apart.
BASE_LETTERS = str.maketrans("øØđĐðÐłŁı’‘–—", "oOdDdDlLi''--") | str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th"}
)
# Codes of countries with players: ISO 3166, the Olympic committee's, and the letters on cars that old lists use.
COUNTRY_CODES = frozenset(
    re.findall(
        "[A-Z]+",
        """
ARG AUS AUT BEL BGR BLR BRA BRN CAN CHE CHL CHN COL CRI CUB CYP CZE DEU DNK ECU EGY ESP EST FIN FRA GBR GEO
GRC HKG HRV HUN IDN IND IRL IRN ISL ISR ITA JPN KAZ KEN KHM KOR LIE LKA LTU LUX LVA MAC MAR MEX MLT MNG MYS
NLD NOR NZL PAK PER PHL POL PRT PRY PSE ROU RUS SAU SCO SGP SRB SVK SVN SWE THA TUN TUR TWN UAE UKR URY USA
VEN VNM WAL ZAF BUL CHI CRO DEN ENG GER GRE INA IRI MAS MGL NED PHI POR RSA SCG SLO SUI TPE URU VIE A B BR
CDN CH CZ D DK E F GB H HK I IL IND IS J LT LV N NL P PL RA ROK RU S SF SLO UA
        """,
    )
)


_PARTICLES = frozenset(
    "al av af bin da das de del della den der di dos du el la le ten ter van von zu".split()  # noqa: SIM905
)
_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def split_name(said: str) -> tuple[str, str, bool]:
    """Return family name, given name, and whether the two had to be guessed.

    A comma or capitals tell the family name. Otherwise it is the last word with the particles before it, in East Asian
    scripts the first.
    """
    family, comma, given = family_first(said).partition(",")
    words = family.split()
    if comma or len(words) < 2:
        return family.strip(), given.strip(), False
    if _EAST_ASIAN.search(words[0]):
        return words[0], " ".join(words[1:]), True
    at = len(words) - 1
    while at > 1 and words[at - 1].casefold() in _PARTICLES:
        at -= 1
    return " ".join(words[at:]), " ".join(words[:at]), True


_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "AE", "Ö": "OE", "Ü": "UE", "ø": "oe", "å": "aa"}
)


def plain(said: str) -> str:
    """Full-width characters as plain ones, without blanks around and characters that nobody sees."""
    return visible(unicodedata.normalize("NFKC", said)).strip()


def name_keys(name: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of a name in their alphabetical order, without accents and case; again with ü as ue."""
    for spelt in (name, unicodedata.normalize("NFC", name).translate(_UMLAUTS)):
        yield tuple(sorted(re.findall(r"\w+", sorted_as(spelt.translate(BASE_LETTERS)))))


def same_name(one: str, other: str) -> bool:
    """Return True if two names are the same in any order; or one has all words of the other, and that has two at
    least."""
    for key in name_keys(one):
        for other_key in name_keys(other):
            shared = {*key} & {*other_key}
            if key and (key == other_key or (len(shared) > 1 and len(shared) in (len(key), len(other_key)))):
                return True
    return False


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
