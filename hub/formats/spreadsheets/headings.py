"""The headings and words of spreadsheets, as people write them: English, French, Japanese, some German."""

from __future__ import annotations

import re
import unicodedata

_HEADINGS = {
    "id": "n, no, nr, num, number, numero, player id, id joueur, wof id, wof, wof number, wof no, "
    "n joueur, no joueur, numero joueur, licence, spielernummer, startnummer, spieler nr, 番号, 選手番号, 会員番号",
    "name": "player, full name, nom, nom complet, nom du joueur, nom de famille, joueur, family name, last name, "
    "surname, nachname, familienname, spieler, spielername, 名前, 氏名, 姓, 選手, 選手名",
    "first_name": "first name, given name, forename, prenom, vorname, 名",
    "country": "pays, nation, nationality, nationalite, federation, land, nat, staat, 国, 国名, 国籍",
    "team": "equipe, club, mannschaft, チーム, 所属",
    "gender": "sex, sexe, genre, geschlecht, geschl, 性別",
    "born": "birth, birthday, birthdate, birth date, date of birth, naissance, ne le, nee le, ne e le, "
    "date de naissance, geburtsdatum, geburtstag, 生年月日, 誕生日",
    "rating": "elo, rtg, elo rating, wof rating, cote, classement, wertung, wertungszahl, レーティング, レート",
    "past_semifinalist": "past semi finalist, semi finalist, demi finaliste, group a, groupe a",
    "additional": "additional player, joueur supplementaire, 追加選手",
    "extra_young": "jeune supplementaire",
    "from_round": "a partir de la ronde, des la ronde, 参加ラウンド",
    "withdrawn_after": "retire apres la ronde",
    "division": "部門",
    "categories": "category, categorie, カテゴリー, カテゴリ",
    "round": "rnd, ronde, runde, ラウンド, 回戦",
    "table": "board, no de table, tisch, 卓, テーブル",
    "black": "noir, noirs, schwarz, 黒, 黒番",
    "white": "blanc, blancs, weiss, 白, 白番",
    "black_score": "black discs, score noir, score noirs, pions noirs, 黒石, 黒石数",
    "white_score": "white discs, score blanc, score blancs, pions blancs, 白石, 白石数",
    "reason": "raison, motif, 理由",
    "title": "titre, タイトル",
    "stage": "phase, 段階",
    "draw_win": "",
}
_YES = "yes, y, true, 1, x, oui, o, vrai, ja, はい, 有, ○, ✓"
_NO = "no, n, false, 0, non, faux, nein, いいえ, 無"
_GENDERS = {
    "f": "female, woman, girl, femme, feminin, fille, w, weiblich, 女, 女性, 女子",
    "m": "male, man, boy, homme, masculin, garcon, h, mannlich, 男, 男性, 男子",
    "x": "other, autre, divers, その他",
}


def plain(said: str) -> str:
    """Full-width characters as plain ones, without blanks around."""
    return unicodedata.normalize("NFKC", said).strip()


def _folded(said: str) -> str:
    """Without accents and case, words separated by one blank."""
    apart = unicodedata.normalize("NFKD", plain(said))
    kept = "".join(c for c in apart if not unicodedata.combining(c) or c in "\u3099\u309a")
    return " ".join(re.sub(r"[\s._\-/:()°#*'’]+", " ", unicodedata.normalize("NFC", kept).casefold()).split())


def _table(written: dict[str, str]) -> dict[str, str]:
    return {
        _folded(one): key for key, words in written.items() for one in (key, *words.split(",")) if one.strip()
    }


HEADINGS = frozenset(_HEADINGS)
_BY_HEADING = _table(_HEADINGS)
_BY_GENDER = _table(_GENDERS)
_BY_TRUTH = _table({"yes": _YES, "no": _NO})


def heading(said: str) -> str:
    """The column of a heading; an unknown heading itself, folded."""
    folded = _folded(said)
    return _BY_HEADING.get(folded, folded)


def gender(said: str) -> str:
    """f, m or x; an unknown word stays as written."""
    return _BY_GENDER.get(_folded(said), said)


def truth(said: str) -> bool | None:
    """None for an unknown word; an empty cell means no."""
    found = _BY_TRUTH.get(_folded(said), "" if said else "no")
    return {"yes": True, "no": False}.get(found)
