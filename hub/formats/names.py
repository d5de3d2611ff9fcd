"""Names, numbers and countries of players as people and lists write them, and letters broken by a wrong encoding."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from hub.model.letters import plain_letters
from hub.model.players import visible

# New players are numbered from here, in six digits for `.ELO`: far above every number in use.
FIRST_NEW = 900_001
_CAPITALS = re.compile(r"(?:[^\W\d_]['’.\-]{0,2}){2,60}")
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
        yield tuple(sorted(re.findall(r"\w+", plain_letters(spelt))))


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


_NAMES = Path(__file__).parent / "country_names.txt"  # made by tools/countries.py
_MORE_NAMES = """
CHE Schweiz CIV Ivory_Coast CPV Cape_Verde CZE Czech_Republic FRA France GBR Great_Britain Britain UK England Scotland
Wales Northern_Ireland Grande_Bretagne Angleterre Großbritannien Gran_Bretagna Gran_Bretaña Groot_Brittannië
Wielka_Brytania 英国 HKG Hong_Kong 香港 IRL Ireland KOR South_Korea Korea Corée Corea 韓国 대한민국
MAC Macau Macao MKD Macedonia MMR Burma NLD The_Netherlands Holland Hollande Holanda
Olanda PRK North_Korea PSE Palestine
RUS Russian_Federation SWZ Swaziland TUR Turkey TWN Chinese_Taipei USA United_States_of_America U.S.A. U.S. Etats_Unis
アメリカ 米国 VAT Vatican
"""
_ENTRY = re.compile(r"\b([A-Z]{3})\s((?:(?![A-Z]{3}\s)\S+\s+)+)")
# Codes of the Olympic committee where they differ from ISO's, and the federation's own for players under its flag.
_OTHER_CODES = frozenset(
    re.findall(
        r"\S+",
        """
        ALG ANG ARU BAH BAN BAR BER BHU BIZ BOT CAM CAY CGO CRC DOM ESA FIJ GAM GBS GHA GRN GUA GUI HAI HON
        IVB KSA KUW LAT LBA LES LIB MAD MAW MON MRI MTN MYA NCA NEP NGR NIG OMA PAR PLE PUR SEY SRI SUD TAN
        TOG VAN WOF ZAM ZIM
        """,
    )
)


def folded_country(text: str) -> str:
    """Return a country's name without accents, case and signs, for comparison."""
    apart = unicodedata.normalize("NFKD", plain(text).replace("ł", "l").replace("Ł", "L"))
    kept = "".join(c for c in apart if not unicodedata.combining(c) or c in "\u3099\u309a")
    return " ".join(re.sub(r"[\s._\-/()'’]+", " ", unicodedata.normalize("NFC", kept).casefold()).split())


@cache
def _codes() -> Mapping[str, str]:
    """Return the code of three letters for each name."""
    named: dict[str, str] = {}
    for line in _NAMES.read_text("utf-8").splitlines():
        code, _, *names = line.split("|")
        for name in (code, *names):
            named.setdefault(folded_country(name), code)
    for code, names in _ENTRY.findall(_MORE_NAMES):
        named |= {folded_country(name.replace("_", " ")): code for name in names.split()}
    return named


@cache
def _known_codes() -> frozenset[str]:
    lines = _NAMES.read_text("utf-8").splitlines()
    return COUNTRY_CODES | _OTHER_CODES | {code for line in lines for code in line.split("|")[:2]}


def is_country_code(text: str) -> bool:
    """Return True if the text, in capitals or not, is a code of two or three letters that lists use."""
    return text.upper() in _known_codes()


def country_code(text: str) -> str | None:
    """Return the code of a country's name, a code itself in capitals, or None for anything else."""
    text = plain(text)
    if is_country_code(text):
        return text.upper()
    return _codes().get(folded_country(text))


@cache
def _long_codes() -> Mapping[str, str]:
    """Return the code of three letters for each code of two."""
    lines = _NAMES.read_text("utf-8").splitlines()
    return {short: code for code, short, *_ in (line.split("|") for line in lines) if short}


def three_letters(code: str) -> str:
    """Return the code of three letters, as rating lists have it, for a code of two; any other text as it is."""
    return _long_codes().get(code, code)


_SIGNS = "¡¢£¤¥¦§¨©«¬®¯°±²³´µ¶¸¹»¼½¾¿×÷€‚ƒ„…†‡ˆ‰‹›•˜™\u0080-\u009f"
# Central European letters read as Western European ones; ´ between letters is people's apostrophe.
_BESIDE_A_LETTER = re.compile(
    rf"[{_SIGNS}](?=[^\W\d_])|(?<=[^\W\d_])[{_SIGNS.replace('´', '')}](?=[^\W\d_]|\s|,|$)"
)
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])´(?=[^\W\d_])")
# Cyrillic or Greek letters read as Western European ones.
_WHOLE_WORD = re.compile(r"(?<!\w)[À-ÖØ-öø-ÿ]{3,}(?!\w)")


def has_broken_letters(text: str) -> bool:
    """Return True if a wrong encoding has certainly been at work. Accents that could be right are ignored."""
    if text.isascii():
        return False
    if "\ufffd" in text or _BESIDE_A_LETTER.search(_APOSTROPHE.sub("'", text)) or _WHOLE_WORD.search(text):
        return True
    return _was_utf_8(text)


def _was_utf_8(text: str) -> bool:
    """Return True if the text is UTF-8 that was read byte by byte, as `Ã©` for `é`."""
    for encoding in ("cp1252", "latin-1"):
        try:
            return text.encode(encoding).decode("utf-8") != text
        except UnicodeError:
            continue
    return False
