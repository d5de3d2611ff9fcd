"""Headings and cells of spreadsheets, as people write them in the languages of most players, as fields and values.

A cell that cannot be read stays text.
"""

from __future__ import annotations

import datetime
import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from flagfall.othello.colour_choice import written_grade
from hub.formats.dates import DayOrder, written_day
from hub.formats.names import country_code, plain

# The most rows of all tables of a tournament together.
MOST_ROWS = 20_000
# Numbers of the rows alone: ranks, seeds, places in the list.
ROW = "row"
_HEADINGS = {
    "id": "player id, id joueur, wof id, wof, wof number, wof no, wof nr, wof num, wof player id, wof "
    "player number, world list number, player number, numero wof, no wof, n wof, n joueur, no "
    "joueur, numero joueur, licence, license, licence number, numero de licence, spielernummer, "
    "spieler nr, spieler id, codice, codice giocatore, id giocatore, spelersnummer, numer gracza, "
    "id jugador, 選手番号, 会員番号, 選手id",
    "number": "n, no, nr, nro, num, number, numero, numer, nummer, 番号",
    ROW: "rank, rk, ranking position, seed, seeding, seed no, pos, position, place, platz, rang, rg, "
    "rangliste, row, line, order, start no, start nr, start number, starting rank, starting "
    "number, startnummer, startnr, setzplatz, lfd nr, laufende nummer, sno, s no, sr no, index, "
    "posizione, pos iniziale, posto, piazzamento, puesto, posicion, orden, ligne, classement "
    "final, plaats, positie, volgnummer, lp, l p, miejsce, pozycja, numer startowy, poradi, 順位, "
    "順, シード, 行, 通番, 連番, no de depart, numero de depart, dossard",
    "name": "nom prenom, prenom nom, vor und nachname, voor en achternaam, voornaam en achternaam, "
    "player, players, player name, full name, fullname, names, name of player, participant, "
    "participants, participant name, entrant, competitor, attendee, noms, nom complet, nom du "
    "joueur, joueur, joueurs, joueuse, inscrit, inscrits, nom, participante, participantes, "
    "teilnehmer, teilnehmerin, teilnehmername, spieler, spielerin, spielername, giocatore, "
    "giocatori, giocatrice, partecipante, partecipanti, nominativo, naam, speler, spelers, "
    "spelersnaam, deelnemer, deelnemers, naam speler, zawodnik, zawodnicy, gracz, gracze, "
    "uczestnik, uczestnicy, nombre completo, nombre, jugador, jugadores, jugadora, inscrito, "
    "navn, namn, spiller, spelare, deltager, pelaaja, nimi, jmeno, hrac, nome completo, nome do "
    "jogador, jogador, 名前, お名前, 氏名, 選手, 選手名, 参加者, 参加者名, 姓名, 이름",
    "family_name": "last name, lastname, last, surname, surnames, family, family name s, nom de famille, "
    "nachname, nachnamen, familienname, zuname, cognome, achternaam, familienaam, nazwisko, "
    "apellido, apellidos, primer apellido, efternamn, etternavn, efternavn, sukunimi, prijmeni, "
    "sobrenome, apelido, 姓, 苗字, 名字",
    "first_name": "first name, firstname, first, given name, given names, given, forename, forenames, prenom, "
    "prenoms, vorname, vornamen, rufname, nome, nome di battesimo, voornaam, voornamen, roepnaam, "
    "imie, imiona, fornamn, fornavn, etunimi, krestni jmeno, nombre de pila, nombres, 名, 下の名前",
    "country": "pays, nation, nationality, nationalite, nationalitat, federation, fede, fed, country code, "
    "land, nat, staat, lander, paese, nazione, nazionalita, naz, federazione, kraj, narodowosc, "
    "panstwo, pais, nacionalidad, federacion, federatie, nationaliteit, foderation, verband, "
    "zeme, maa, 国, 国名, 国籍, 国・地域, 国 地域",
    "team": "equipe, club, clubs, club name, verein, klub, mannschaft, squadra, circolo, associazione, "
    "ploeg, vereniging, clubnaam, druzyna, equipo, lag, nom du club, チーム, 所属, クラブ",
    "gender": "sex, sexe, genre, geschlecht, geschl, sesso, genere, geslacht, plec, sexo, genero, m f, f m, "
    "m w, w m, h f, f h, m v, v m, k m, m k, m f x, m w d, w m d, m f d, gender m f, sex m f, "
    "male female, kjonn, kon, 性別, 男女",
    "born": "birth, birthday, birthdate, birth date, date of birth, day of birth, birth year, year of "
    "birth, dob, d o b, yob, naissance, ne, nee, ne e, ne le, nee le, ne e le, date de naissance, "
    "date naissance, annee de naissance, geburtsdatum, geburtstag, geburtsjahr, geb jahr, "
    "gebjahr, geburtsjg, geboren, geboren am, jahrgang, geb, geb datum, gebdatum, data di "
    "nascita, data nascita, anno di nascita, nato il, nata il, nato a il, geboortedatum, "
    "geboortejaar, data urodzenia, rok urodzenia, rok ur, ur, data ur, urodzony, fecha de "
    "nacimiento, fecha nacimiento, fecha de nac, fecha nac, f nac, f nacimiento, ano de "
    "nacimiento, nacimiento, fodselsdato, fodelsedatum, datum narozeni, data de nascimento, 生年月日, "
    "誕生日, 生年",
    "rating": "elo, rtg, rat, elo rating, rating elo, wof rating, world rating, current rating, rating "
    "points, rating wof, cote, cote elo, elo wof, elowof, classement, classement elo, classement "
    "wof, wertung, wertungszahl, elo zahl, punteggio, punteggio elo, rating list, ranking, "
    "ranking elo, puntuacion elo, puntos elo, elo punten, rankingowe, punkty elo, wof ranking, "
    "レーティング, レート, ＥＬＯ",
    "past_semifinalist": "past semi finalist, semi finalist, demi finaliste, group a, groupe a",
    "additional": "additional player, joueur supplementaire, 追加選手",
    "extra_young": "jeune supplementaire",
    "from_round": "a partir de la ronde, des la ronde, 参加ラウンド",
    "withdrawn_after": "retire apres la ronde",
    "division": "部門",
    "grade": "dan, kyu, dan kyu, grade dan, dan grade, 段位, 段級位, 級, 段, 棋力",
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
    "black_name": "",
    "white_name": "",
}
_YES = "yes, y, true, 1, x, oui, o, vrai, ja, si, tak, はい, 有, ○, ✓"
_NO = "no, n, false, 0, non, faux, nein, nee, nie, いいえ, 無"
_GENDERS = {
    "f": "female, woman, women, girl, ms, mrs, miss, femme, feminin, fille, mme, mlle, w, weiblich, "
    "frau, donna, femmina, femminile, vrouw, vrouwelijk, mevr, v, kobieta, k, mujer, femenino, "
    "sra, 女, 女性, 女子",
    "m": "male, man, men, boy, mr, homme, masculin, garcon, h, mannlich, herr, uomo, maschio, "
    "maschile, mannelijk, dhr, mezczyzna, hombre, masculino, sr, 男, 男性, 男子",
    "x": "other, autre, divers, d, nonbinary, non binary, その他",
}


def folded(text: str) -> str:
    """Return the text without accents and case, words separated by one blank."""
    apart = unicodedata.normalize("NFKD", plain(text).replace("ł", "l").replace("Ł", "L"))
    kept = "".join(c for c in apart if not unicodedata.combining(c) or c in "\u3099\u309a")
    return " ".join(re.sub(r"[\s._\-/:()°#*'’]+", " ", unicodedata.normalize("NFC", kept).casefold()).split())


def _table(written: dict[str, str]) -> dict[str, str]:
    return {
        folded(word): key
        for key, words in written.items()
        for word in (key, *words.split(","))
        if word.strip()
    }


# A heading of numbers of the world list or of the rows: its cells decide.
NUMBER = "number"
HEADINGS = frozenset(_HEADINGS)
FIELDS = tuple(name for name in _HEADINGS if name not in (NUMBER, "first_name", "family_name"))
_NAMES = frozenset(("name", "family_name", "first_name"))
_TWO_PARTS = re.compile(r"[,;/&+]|\s(?:et|and|und|y|e|en|i)\s", re.IGNORECASE)
_JOINTS = re.compile(r"\s*(?:[,;/&+\n]|\s-\s|\b(?:and|et|und|y|e|en|i|og|och|ja|a)\b)\s*", re.IGNORECASE)
_BY_HEADING = _table(_HEADINGS)
_BY_GENDER = _table(_GENDERS)
_BY_TRUTH = _table({"yes": _YES, "no": _NO})


@lru_cache(maxsize=4_096)
def heading(title: str) -> str:
    """Return the column of a heading, also of one of its languages (`Name / Nom`) or without the part in brackets. An
    unknown heading is returned folded."""
    if "#" in title and not folded(title):
        return NUMBER
    bare = re.split(r"[(\[]", title)[0]
    parts = (title, bare) if len(title) < 200 else (title,)
    column = next(filter(None, map(_known, parts)), None)
    if column is None and len(_names_in(title)) > 1:
        column = "name"
    if column is None and len(title) < 200:
        column = next(filter(None, map(_known, re.split(r"[/|\n]", title))), None)
    return column or folded(title)


def _known(title: str) -> str | None:
    return _BY_HEADING.get(re.sub(r"^(?:your|the|votre|vos|ihr|tu|su) ", "", folded(title)))


def _names_in(title: str) -> list[str]:
    """Return the parts of a name that one heading asks for, as `Surname, First`, or [] if it has anything else."""
    for parts in (_JOINTS.split(title[:100]), folded(title[:100]).split()):
        columns = [_BY_HEADING.get(folded(part), "") for part in parts if folded(part)]
        if (
            len({*columns}) > 1
            and _NAMES.issuperset(columns)
            and ("family_name" in columns or _TWO_PARTS.search(title))
        ):
            return columns
    return []


def gender(text: str) -> str:
    """Return f, m or x. An unknown word stays as written."""
    return _BY_GENDER.get(folded(text), text)


def truth(text: str) -> bool | None:
    """Return the answer of a cell, or None for an unknown word. An empty cell means no."""
    answer = _BY_TRUTH.get(folded(text), "" if text else "no")
    return {"yes": True, "no": False}.get(answer)


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows with their numbers, from 1."""

    rows: Sequence[tuple[int, Sequence[str]]]
    place: str = ""  # names the table where a file, or several, have more than one
    doubts: Sequence[tuple[int, str]] = ()  # about lines below the headings
    lines: Mapping[int, str] = field(default_factory=dict)  # rows of a text as they stand there
    encoding: str = ""  # of a text whose bytes do not tell it
    chosen: str = ""  # encoding that a person has named


_OF_A_NUMBER = re.compile(r"(?<=\d)\.0+\Z")
_THOUSANDS = re.compile(r"(?<=\d)[\s'’](?=\d{3}(?!\d))|(?<=\A\d)[.,](?=\d{3}\Z)")
_BOTH_MARKS = re.compile(r"(\d{1,3}(?:,\d{3})+)\.(\d+)|(\d{1,3}(?:\.\d{3})+),(\d+)", re.ASCII)
_UNRATED = ("-", "--", "–", "—", "?", "n/a", "na", "none", "unrated", "new")
# Spreadsheets count days from here; a number of five digits is a day from 1927 on.
_DAY_0 = datetime.date(1899, 12, 30)
# Begins a cell whose formula has no result in the file.
FORMULA = "\x1f"
# The result of a formula that fails, in the programs' languages.
ERROR = re.compile(r"#(?:[A-ZÄÖÜÉ/0]{2,8}[!?]?)|Err:\d{3}")
# A long number as a spreadsheet shows it: its last digits are gone.
SHORTENED = re.compile(r"[-+]?\d+(?:[.,]\d+)?[eE][+]?\d+", re.ASCII)


def listed_number(text: str) -> str:
    """Return plain digits without zeros in front, as a spreadsheet keeps numbers. Any other id stays as it is."""
    digits = _OF_A_NUMBER.sub("", plain(text))
    return digits.lstrip("0") or "0" if digits.isascii() and digits.isdigit() else plain(text)


def whole(text: str) -> int | str:
    digits = _OF_A_NUMBER.sub("", plain(text))
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 9 else text


# Rulebooks need no more of a birth: the year decides who is young (`woc-2017` B.2).
YEAR = re.compile(r"(?:19|20)\d\d(?:\.0+)?", re.ASCII)


def _truth(text: str) -> bool | str:
    value = truth(text)
    return text if value is None else value


def _rating(text: str) -> float | str | None:
    figures = plain(text)
    if figures.casefold() in _UNRATED:
        return None
    if match := _BOTH_MARKS.fullmatch(figures):
        figures = f"{re.sub('[.,]', '', match[1] or match[3])}.{match[2] or match[4]}"
    try:
        rating = float(_THOUSANDS.sub("", figures).replace(",", "."))
    except ValueError:
        return text
    if not math.isfinite(rating) or "_" in figures:
        return text
    return int(rating) if rating == int(rating) else rating


def day(text: str, order: DayOrder) -> str:
    """Return a date of birth as YYYY-MM-DD, or the text as it is if its day would have to be guessed."""
    written = plain(text)
    if re.fullmatch(r"[1-5]\d{4}(?:\.0+)?", written, re.ASCII):
        return (_DAY_0 + datetime.timedelta(int(written[:5]))).isoformat()
    if YEAR.fullmatch(written):
        return f"{written[:4]}-01-01"
    return written_day(written, order) or text


PLAYER_CELLS: Mapping[str, Callable[[str], object]] = {
    "id": listed_number,
    "country": lambda text: country_code(text) or plain(text),
    "team": plain,
    "gender": gender,
    "born": lambda text: day(text, DayOrder.EITHER),
    "rating": _rating,
    "past_semifinalist": _truth,
    "additional": _truth,
    "extra_young": _truth,
    "from_round": whole,
    "withdrawn_after": whole,
    "division": plain,
    "grade": lambda text: written_grade(text) or plain(text),
    "categories": str.split,
}
RESULT_CELLS: Mapping[str, Callable[[str], object]] = {
    "round": whole,
    "table": whole,
    "reason": lambda text: plain(text).casefold(),
    "title": plain,
    "stage": plain,
    "colours": lambda text: plain(text).casefold(),
}
