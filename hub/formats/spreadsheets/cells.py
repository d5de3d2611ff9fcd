"""The cells of spreadsheets as values of the tournament file; what cannot be read stays the text that it is."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Mapping

from hub.formats.dates import written_days
from hub.formats.names import plain
from hub.formats.spreadsheets.headings import folded, gender, truth

_OF_A_NUMBER = re.compile(r"(?<=\d)\.0+\Z")
_THOUSANDS = re.compile(r"(?<=\d)[\s'’](?=\d{3}(?!\d))|(?<=\A\d)[.,](?=\d{3}\Z)")
_UNRATED = ("-", "--", "–", "—", "?", "n/a", "na", "none", "unrated", "new")
_DAY_0 = datetime.date(1899, 12, 30)
"""From which spreadsheets count days; a number of five digits is a day from 1927 on."""
_NAMES = """
ARG Argentina Argentine Argentinien AUS Australia Australie Australien AUT Austria Autriche Österreich BEL
Belgium Belgique België Belgien Belgio BRA Brazil Brasil Brésil Brasilien CAN Canada Kanada CHE Switzerland
Suisse Schweiz Svizzera CHN China Chine Cina 中国 CZE Czechia Czech_Republic Tchéquie Česko Tschechien DEU
Germany Allemagne Deutschland Germania Duitsland Niemcy ドイツ DNK Denmark Danemark Danmark Dänemark ESP
Spain Espagne España Spanien Spagna EST Estonia FIN Finland Finlande Suomi Finnland FRA France Frankreich
Francia Frankrijk Francja フランス GBR United_Kingdom UK Great_Britain Britain England Scotland
Wales Grande_Bretagne Royaume_Uni Angleterre Großbritannien イギリス 英国 GRC Greece Grèce Griechenland
Ελλάδα HKG Hong_Kong 香港
HUN Hungary Hongrie Magyarország Ungarn IDN Indonesia IND India IRL Ireland Irlande Irland ISL Iceland ISR
Israel ITA Italy Italie Italia Italien Włochy イタリア JPN Japan Japon Giappone Japonia 日本 KOR Korea
South_Korea Corée Corée_du_Sud 韓国 대한민국 LVA Latvia LTU Lithuania MAC Macau MEX Mexico México MNG
Mongolia MYS Malaysia NLD Netherlands The_Netherlands Holland Nederland Pays_Bas Niederlande Paesi_Bassi
オランダ NOR Norway Norvège Norge Norwegen NZL New_Zealand PHL Philippines POL Poland Pologne Polska Polen
Polonia PRT Portugal ROU Romania RUS Russia Russie Россия Russland SGP Singapore Singapour シンガポール SVK
Slovakia SVN Slovenia SWE Sweden Suède Sverige Schweden Svezia スウェーデン THA Thailand Thaïlande タイ TUR
Turkey Türkiye TWN Taiwan 台湾 UKR Ukraine Україна USA United_States United_States_of_America U.S.A.
États_Unis アメリカ VNM Vietnam ZAF South_Africa
"""
_ENTRY = re.compile(r"\b([A-Z]{3})\s((?:(?![A-Z]{3}\s)\S+\s+)+)")
_CODES: dict[str, str] = {
    folded(name.replace("_", " ")): code for code, names in _ENTRY.findall(_NAMES) for name in names.split()
}


def country_code(said: str) -> str:
    """The code of a country's name; a code, and a name that is not in the table, as it is written."""
    return _CODES.get(folded(said), said)


def listed_number(said: str) -> str:
    """Plain digits, without zeros in front, as a spreadsheet keeps numbers; any other id stays as it is."""
    digits = _OF_A_NUMBER.sub("", plain(said))
    return digits.lstrip("0") or "0" if digits.isascii() and digits.isdigit() else plain(said)


def whole(said: str) -> int | str:
    digits = _OF_A_NUMBER.sub("", plain(said))
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 9 else said


YEAR = re.compile(r"(?:19|20)\d\d(?:\.0+)?", re.ASCII)
"""Rulebooks ask for no more of a birth: who is young is decided by the year (`woc-2017` B.2)."""


def _truth(said: str) -> bool | str:
    found = truth(said)
    return said if found is None else found


def _rating(said: str) -> float | str | None:
    figures = plain(said)
    if figures.casefold() in _UNRATED:
        return None
    try:
        rating = float(_THOUSANDS.sub("", figures).replace(",", "."))
    except ValueError:
        return said
    if not math.isfinite(rating) or "_" in figures:
        return said
    return int(rating) if rating == int(rating) else rating


def _day(said: str) -> str:
    written = plain(said)
    if re.fullmatch(r"[1-5]\d{4}(?:\.0+)?", written, re.ASCII):
        return (_DAY_0 + datetime.timedelta(int(written[:5]))).isoformat()
    if YEAR.fullmatch(written):
        return f"{written[:4]}-01-01"
    return written_days(written)[0] or said


PLAYER_CELLS: Mapping[str, Callable[[str], object]] = {
    "id": listed_number,
    "country": lambda said: country_code(plain(said)),
    "team": plain,
    "gender": gender,
    "born": _day,
    "rating": _rating,
    "past_semifinalist": _truth,
    "additional": _truth,
    "extra_young": _truth,
    "from_round": whole,
    "withdrawn_after": whole,
    "division": plain,
    "categories": str.split,
}
RESULT_CELLS: Mapping[str, Callable[[str], object]] = {
    "round": whole,
    "table": whole,
    "reason": lambda said: plain(said).casefold(),
    "title": plain,
    "stage": plain,
}
