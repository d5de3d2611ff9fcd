"""The countries' names in the languages of most players, from Unicode's CLDR as Babel has it, for tables of players.

python tools/countries.py              writes hub/formats/country_names.txt again
"""

from __future__ import annotations

from pathlib import Path

from babel import Locale
from babel.core import get_global

FILE = Path(__file__).parents[1] / "hub" / "formats" / "country_names.txt"
PAST = (
    "ANT",
    "BUR",
    "CSK",
    "DDR",
    "FXX",
    "NTZ",
    "QMM",
    "QUU",
    "ROM",
    "SCG",
    "SUN",
    "TMP",
    "YMD",
    "YUG",
    "ZAR",
)
LANGUAGES = (
    "en",
    "fr",
    "ja",
    "de",
    "es",
    "it",
    "nl",
    "pl",
    "cs",
    "da",
    "fi",
    "nb",
    "pt",
    "sv",
    "ko",
    "zh",
    "ru",
)


def lines() -> list[str]:
    """Return a line for each country: its code of three letters, that of two, and its names."""
    codes = {
        two[0]: three
        for three, two in get_global("territory_aliases").items()
        if len(three) == 3 and three.isalpha() and three not in PAST and len(two) == 1 and len(two[0]) == 2
    }
    named = [Locale(language).territories for language in LANGUAGES]
    return [
        "|".join(dict.fromkeys((codes[two], two, *(names[two] for names in named if two in names))))
        for two in sorted(codes, key=codes.__getitem__)
        if two in named[0]
    ]


if __name__ == "__main__":
    FILE.write_text("\n".join(lines()) + "\n", "utf-8")
