"""Countries by their names, for lists that write them out: the code that other lists of players have for them."""

from __future__ import annotations

import re

from hub.formats.spreadsheets.headings import folded

_NAMES = """
ARG Argentina Argentine Argentinien AUS Australia Australie Australien AUT Austria Autriche Österreich BEL
Belgium Belgique België Belgien Belgio BRA Brazil Brasil Brésil Brasilien CAN Canada Kanada CHE Switzerland
Suisse Schweiz Svizzera CHN China Chine Cina 中国 CZE Czechia Czech_Republic Tchéquie Česko Tschechien DEU
Germany Allemagne Deutschland Germania Duitsland Niemcy ドイツ DNK Denmark Danemark Danmark Dänemark ESP
Spain Espagne España Spanien Spagna EST Estonia FIN Finland Finlande Suomi Finnland FRA France Frankreich
Francia Frankrijk Francja フランス GBR United_Kingdom UK Great_Britain Britain England Scotland Wales
Royaume_Uni Angleterre Großbritannien イギリス 英国 GRC Greece Grèce Griechenland Ελλάδα HKG Hong_Kong 香港
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
