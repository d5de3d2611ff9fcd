"""The headings and words of spreadsheets, as people write them, in the languages of most players."""

from __future__ import annotations

import re
import unicodedata

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
    "country": "pays, nation, nationality, nationalite, federation, land, nat, staat, paese, nazione, kraj, pais, "
    "国, 国名, 国籍",
    "team": "equipe, club, mannschaft, squadra, ploeg, druzyna, equipo, チーム, 所属",
    "gender": "sex, sexe, genre, geschlecht, geschl, sesso, geslacht, plec, sexo, 性別",
    "born": "birth, birthday, birthdate, birth date, date of birth, year of birth, naissance, ne le, nee le, ne e le, "
    "date de naissance, geburtsdatum, geburtstag, data di nascita, nato il, geboortedatum, data urodzenia, "
    "fecha de nacimiento, 生年月日, 誕生日",
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


def plain(said: str) -> str:
    """Full-width characters as plain ones, without blanks around."""
    return unicodedata.normalize("NFKC", said).strip()


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
