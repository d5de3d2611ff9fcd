"""Countries as players and lists write them: names in the languages of most players, and codes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from hub.formats.names import COUNTRY_CODES, plain

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
