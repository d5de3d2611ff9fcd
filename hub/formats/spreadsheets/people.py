"""The rows of a table of players that are no players: totals and averages, and notes below a list."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hub.formats.spreadsheets.headings import folded

_TOTALS = frozenset(
    re.findall(
        r"\S+",
        """
        total totals totaux tot sum sums somme sommes summe summen gesamt gesamtzahl gesamtsumme insgesamt
        totale totali somma totaal suma razem łącznie lacznie ogolem subtotal subtotaal zwischensumme
        average averages avg mean median moyenne moyennes moy mediane durchschnitt durchschnittlich schnitt
        mittelwert promedio media mediana gemiddelde gem srednia srednio prumer celkem soucet summa medel
        snitt soma count anzahl nombre numero aantal liczba conteo conteggio totalt yhteensa keskiarvo 合計 総計
        小計 平均 計 人数 合計人数 中央値 平均値
        """,
    )
)
_WITH_THEM = frozenset(
    re.findall(
        r"\S+",
        """
        of the in de des du der die das di del dei degli van het le la les players player joueurs joueur
        spieler teilnehmer giocatori jugadores spelers deelnemers graczy zawodnikow participants participant
        entries entry inscrits rating ratings elo average total grand general generale age number numbers
        rows and et und y e i n ø no persons people personnes
        """,
    )
)
_NOT_TOGETHER = frozenset(("country", "gender", "born", "first_name", "team"))
_OF_NOTES = re.compile(r"[<>{}\[\]@\\|_]|://|www\.|\s=|:(?:\s|$)|^[*†‡¹²³(=/%]|^-{2,}")
_LETTERS = re.compile(r"[^\W\d_]")
_FIGURES = re.compile(r"(?<!\S)\d[\d/.\-:]*(?!\S)")
_OF_DATES = re.compile(r"\d[/:]\d|\d[.-]\d+[.-]\d")
_PARTICLES = frozenset(re.findall("[a-z]+", "de da do dos das del della di la le van den der von y e"))
_MOST_WORDS = 9


def is_total(row: Mapping[str, str]) -> bool:
    """Return True if a row counts or averages others: it has such words, figures, and nothing that only a player
    has."""
    if _NOT_TOGETHER & {
        name for name, cell in row.items() if _LETTERS.search(cell) and not _are_of_totals(cell)
    }:
        return False
    texts = [cell for cell in row.values() if _LETTERS.search(cell)]
    return bool(texts) and all(map(_are_of_totals, texts)) and any(map(_has_total, texts))


def _words(cell: str) -> list[str]:
    return [word.strip("=,;%+.<>") for word in re.split(r"[\s:=]+", folded(cell)) if word.strip("=,;%+.<>")]


def _are_of_totals(cell: str) -> bool:
    return all(word in _TOTALS or word in _WITH_THEM or not _LETTERS.search(word) for word in _words(cell))


def _has_total(cell: str) -> bool:
    return bool(_TOTALS & {*_words(cell)})


def is_note(text: str) -> bool:
    """Return True if a text in the place of a name is no name: no letters, signs of notes, a sentence, a date."""
    words = text.split()
    if not _LETTERS.search(text) or _OF_NOTES.search(text) or len(words) > _MOST_WORDS:
        return True
    if words[0][:1].isupper() and sum(word.islower() and word not in _PARTICLES for word in words) > 2:
        return True
    figures = list(_FIGURES.finditer(text))
    if any(_OF_DATES.search(match[0]) for match in figures):
        return True
    return len(words) > 2 and (len(figures) > 1 or (len(figures) == 1 and figures[0].end() < len(text)))
