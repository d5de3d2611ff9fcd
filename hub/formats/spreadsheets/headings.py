"""Headings and words of spreadsheets, as people write them in the languages of most players, and what stands below."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from hub.formats.names import plain
from hub.formats.reading import Notes
from hub.text import shown

Row = dict[str, str]
"""The cells of a row that are not empty, by column."""
MOST_ROWS = 20_000
"""Of all tables of a tournament together."""
_LAST_HEADING = 20
"""A title and a date may stand above the headings, not more."""
_HEADINGS = {
    "id": "n, no, nr, num, number, numero, player id, id joueur, wof id, wof, wof number, wof no, player number, "
    "n joueur, no joueur, numero joueur, licence, spielernummer, startnummer, spieler nr, codice, numer, nummer, "
    "番号, 選手番号, 会員番号",
    "name": "player, players, player name, full name, names, first and last name, nom, noms, nom complet, "
    "nom du joueur, nom prenom, nom et prenom, joueur, joueurs, "
    "spieler, spielername, vor und nachname, giocatore, giocatori, cognome e nome, nome e cognome, "
    "nominativo, naam, speler, voor en achternaam, imie i nazwisko, nazwisko i imie, zawodnik, "
    "gracz, nombre, jugador, navn, namn, 名前, お名前, 氏名, 選手, 選手名",
    "family_name": "last name, lastname, surname, nom de famille, nachname, familienname, cognome, achternaam, "
    "nazwisko, apellido, apellidos, efternamn, 姓",
    "first_name": "first name, firstname, given name, forename, prenom, vorname, nome, voornaam, imie, fornamn, 名",
    "country": "pays, nation, nationality, nationalite, federation, fed, land, nat, staat, paese, nazione, kraj, pais, "
    "国, 国名, 国籍",
    "team": "equipe, club, verein, klub, mannschaft, squadra, ploeg, druzyna, equipo, チーム, 所属",
    "gender": "sex, sexe, genre, geschlecht, geschl, sesso, geslacht, plec, sexo, 性別",
    "born": "birth, birthday, birthdate, birth date, date of birth, year of birth, dob, yob, naissance, ne, nee, ne e, "
    "ne le, nee le, ne e le, date de naissance, geburtsdatum, geburtstag, geboren, jahrgang, geb, data di nascita, "
    "nato il, geboortedatum, data urodzenia, fecha de nacimiento, 生年月日, 誕生日",
    "rating": "elo, rtg, elo rating, wof rating, current rating, cote, cote elo, classement, wertung, wertungszahl, "
    "punteggio elo, ranking, レーティング, レート",
    "past_semifinalist": "past semi finalist, semi finalist, demi finaliste, group a, groupe a",
    "additional": "additional player, joueur supplementaire, 追加選手",
    "extra_young": "jeune supplementaire",
    "from_round": "a partir de la ronde, des la ronde, 参加ラウンド",
    "withdrawn_after": "retire apres la ronde",
    "division": "部門",
    "categories": "category, categorie, カテゴリー, カテゴリ",
    "round": "rnd, ronde, runde, turno, runda, ronda, ラウンド, 回戦",
    "table": "board, no de table, tisch, tavolo, tafel, stol, mesa, 卓, テーブル",
    "black": "noir, noirs, schwarz, nero, zwart, czarne, negro, 黒, 黒番",
    "white": "blanc, blancs, weiss, bianco, wit, biale, blanco, 白, 白番",
    "black_score": "black discs, score noir, score noirs, pions noirs, 黒石, 黒石数",
    "white_score": "white discs, score blanc, score blancs, pions blancs, 白石, 白石数",
    "reason": "raison, motif, 理由",
    "title": "titre, タイトル",
    "stage": "phase, 段階",
    "draw_win": "",
}
_YES = "yes, y, true, 1, x, oui, o, vrai, ja, si, tak, はい, 有, ○, ✓"
_NO = "no, n, false, 0, non, faux, nein, nee, nie, いいえ, 無"
_GENDERS = {
    "f": "female, woman, girl, femme, feminin, fille, w, weiblich, donna, femmina, vrouw, v, kobieta, k, mujer, 女, "
    "女性, 女子",
    "m": "male, man, boy, homme, masculin, garcon, h, mannlich, uomo, maschio, man, mezczyzna, hombre, 男, 男性, 男子",
    "x": "other, autre, divers, その他",
}


def folded(said: str) -> str:
    """Without accents and case, words separated by one blank."""
    apart = unicodedata.normalize("NFKD", plain(said).replace("ł", "l").replace("Ł", "L"))
    kept = "".join(c for c in apart if not unicodedata.combining(c) or c in "\u3099\u309a")
    return " ".join(re.sub(r"[\s._\-/:()°#*'’]+", " ", unicodedata.normalize("NFC", kept).casefold()).split())


def _table(written: dict[str, str]) -> dict[str, str]:
    return {
        folded(one): key for key, words in written.items() for one in (key, *words.split(",")) if one.strip()
    }


HEADINGS = frozenset(_HEADINGS)
_BY_HEADING = _table(_HEADINGS)
_BY_GENDER = _table(_GENDERS)
_BY_TRUTH = _table({"yes": _YES, "no": _NO})


def heading(said: str) -> str:
    """The column of a heading, of one of its languages (`Name / Nom`) or without what stands in brackets; an unknown
    heading itself, folded."""
    parts = (said, said.partition("(")[0], *re.split(r"[/|\n]", said)) if len(said) < 200 else (said,)
    known = (_BY_HEADING.get(folded(part).removeprefix("your ")) for part in parts)
    return next(filter(None, known), folded(said))


def gender(said: str) -> str:
    """f, m or x; an unknown word stays as written."""
    return _BY_GENDER.get(folded(said), said)


def truth(said: str) -> bool | None:
    """None for an unknown word; an empty cell means no."""
    found = _BY_TRUTH.get(folded(said), "" if said else "no")
    return {"yes": True, "no": False}.get(found)


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows with their numbers, from 1. `place` names the table where a file, or several, have more than one; `doubts`
    are told of lines below the headings."""

    rows: Sequence[tuple[int, Sequence[str]]]
    place: str = ""
    doubts: Sequence[tuple[int, str]] = ()


def under_headings(sheet: Sheet, notes: Notes) -> tuple[Sequence[str], list[tuple[int, Row]]]:
    """The columns, and the rows below them; no columns if no row names any."""
    for at, (number, cells) in enumerate(sheet.rows[:_LAST_HEADING]):
        columns = [heading(cell) for cell in cells]
        if {"id", "name", "family_name", "first_name", "black"} & set(columns):
            below = [heading(cell) for _, one in sheet.rows[at + 1 : at + 2] for cell in one]
            if len(HEADINGS & set(below)) > len(HEADINGS & set(columns)):
                continue  # a heading of several columns, above their own
            _settle_names(columns)
            for nth, name in enumerate(columns):
                if name in HEADINGS and name in columns[:nth]:
                    notes.left_out(number, "the second column {name}: left out", name=name)
                    columns[nth] = ""
            for row, doubt in sheet.doubts:
                if row > number:
                    notes.changed(row, doubt)
            return columns, [(n, _row(n, columns, one, notes)) for n, one in sheet.rows[at + 1 :] if any(one)]
    return (), []


def _settle_names(columns: list[str]) -> None:
    """`name` holds the family name where the given name has a column; one heading may stand over both."""
    if "family_name" in columns:
        other = "" if "first_name" in columns else "first_name"
        columns[:] = [{"name": other, "family_name": "name"}.get(one, one) for one in columns]
    elif "name" not in columns and "first_name" in columns:
        columns[columns.index("first_name")] = "name"
    elif "first_name" not in columns and "name" in columns[:-1] and not columns[columns.index("name") + 1]:
        columns[columns.index("name") + 1] = "first_name"


def _row(number: int, columns: Sequence[str], cells: Sequence[str], notes: Notes) -> Row:
    beyond = [cell for cell in cells[len(columns) :] if cell]
    at = columns.index("name") if "name" in columns and "first_name" not in columns else -1
    if (
        beyond and at >= 0 and len(cells) == len(columns) + 1 and cells[at + 1][:1].isalpha()
    ):  # a comma in a name
        cells = [*cells[:at], f"{cells[at]}, {cells[at + 1]}", *cells[at + 2 :]]
        notes.changed(number, "one cell too many: the name is entered as {name}", name=cells[at][:60])
    elif beyond:
        notes.left_out(number, "behind the last column: left out: {said}", said=shown(", ".join(beyond)))
    return {name: cell for name, cell in zip(columns, cells, strict=False) if name and cell}
