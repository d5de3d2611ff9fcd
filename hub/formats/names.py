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


def split_name(name: str) -> tuple[str, str, bool]:
    """Return family name, given name, and whether the two had to be guessed.

    A comma or capitals mark the family name. Otherwise it is the last word with the particles before it, in East Asian
    scripts the first word.
    """
    family, comma, given_name = family_first(name).partition(",")
    words = family.split()
    if comma or len(words) < 2:
        return family.strip(), given_name.strip(), False
    if _EAST_ASIAN.search(words[0]):
        return words[0], " ".join(words[1:]), True
    begin = len(words) - 1
    while begin > 1 and words[begin - 1].casefold() in _PARTICLES:
        begin -= 1
    return " ".join(words[begin:]), " ".join(words[:begin]), True


_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "AE", "Ö": "OE", "Ü": "UE", "ø": "oe", "å": "aa"}
)


def plain(text: str) -> str:
    """Return the text with plain characters for full-width ones, without blanks around and characters that nobody
    sees."""
    return visible(unicodedata.normalize("NFKC", text)).strip()


def name_keys(name: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of a name in their alphabetical order, without accents and case; again with ü as ue."""
    for spelt in (name, unicodedata.normalize("NFC", name).translate(_UMLAUTS)):
        yield tuple(sorted(re.findall(r"\w+", sorted_as(spelt.translate(BASE_LETTERS)))))


def same_name(name: str, other_name: str) -> bool:
    """Return True if two names have the same words in any order, or one has all words of the other and that has at
    least two."""
    for key in name_keys(name):
        for other_key in name_keys(other_name):
            shared = {*key} & {*other_key}
            if key and (key == other_key or (len(shared) > 1 and len(shared) in (len(key), len(other_key)))):
                return True
    return False


def family_first(name: str) -> str:
    """Return `SMITH John` and `John SMITH` as `SMITH, John`. A name that does not mark its family name stays as it is
    written."""
    name = " ".join(name.split()).strip(" ,")
    words = name.split(" ")
    capital = [_CAPITALS.fullmatch(word) is not None and word.isupper() for word in words]
    count = sum(capital)
    if "," in name or not 0 < count < len(words):
        return re.sub(r"(?<=\w) ?,(?=\w)", ", ", name)
    family, given_names = (words[:count], words[count:]) if capital[0] else (words[-count:], words[:-count])
    in_one_place = capital == sorted(capital, reverse=capital[0])
    return f"{' '.join(family)}, {' '.join(given_names)}" if in_one_place else name
