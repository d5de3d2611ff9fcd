"""Results as the lines of a `.ELO` file have them.

They come from half a century of programs and hands: scores with or without brackets, only the winner's sign, colours or
none, byes, forfeits, several results on a line. Every pattern here takes time in proportion to its line.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# The beginning of the comment of a game that was not played, in our own files.
NO_SHOW = "no-show: "
_MOST_RESULTS = 16
_ID = r"(?:[+*#]?\s?(?:[A-Za-z]{1,4}-?)?\d{1,10}(?!\d|½|[.,]\d)|\?{2,10})"
_DISCS = r"(?:\d{1,3}(?:[.,]\d|½)?|½|\d \d|-1|[-+?*.]{0,2})"
_SIGN = r"(?:[<>=]{1,3}|[-=]>|<[-=]|[-:/~xX])"
_NAMED = r"(?P<named>\s+[^\W\d_][^()<>=\d%]{1,60})?"
_NAMED_BEHIND = re.compile(r"\s+[^\W\d_][^()<>=\d%]{1,60}?(?=(?:\s+[BWN])?\s*\Z)")
_SCORED = re.compile(
    rf"(?:(?P<lead>[BWN])\s+)?(?P<one>{_ID})(?:\s*(?P<own>[BWN])(?=\s*\()|{_NAMED})[\s,;:]*\(\s*(?P<a>{_DISCS})\s*\)?\s*(?P<sign>{_SIGN}|(?<=\)))\s*\(?\s*(?P<b>{_DISCS})\s*\)\s*[,;:]?\s*"
    rf"(?P<two>{_ID}|0|-1|bye\b)",
    re.IGNORECASE,
)
_BARE = re.compile(
    rf"(?P<one>{_ID})[\s,;]+(?P<a>\d{{1,2}}|½)\s*\)?\s*(?P<sign>{_SIGN})\s*\(?\s*(?P<b>\d{{1,2}}|½)[\s,;]+(?P<two>{_ID})",
    re.IGNORECASE,
)
_SCORES_BEHIND = re.compile(
    rf"(?P<one>{_ID})\s*(?P<sign>{_SIGN})\s*(?P<two>{_ID})[\s,;:]+\(?\s*(?P<a>\d{{1,2}}|½)\s*(?:{_SIGN}|[,;])\s*(?P<b>\d{{1,2}}|½)\s*\)?",
    re.IGNORECASE,
)
_EACH_HIS = re.compile(
    rf"(?P<one>{_ID})\s*[:=]\s*(?P<a>\d{{1,2}})[\s,;-]+(?P<two>{_ID})\s*[:=]\s*(?P<b>\d{{1,2}})(?!\d)(?P<sign>)"
)
_PAPP = re.compile(
    r"\(?\s*(?P<one>\d{1,10})\s*\(\s*(?P<a>\d{1,2})\s*\)\s*(?P<sign>[<>=-]?)\s*(?P<two>\d{1,10})\s*\(\s*(?P<b>\d{1,2})\s*\)"
)
_PLAIN = re.compile(
    r"(?P<one>\d{1,10})[\s,;]+(?P<a>\d{1,2})[\s,;]+(?P<b>\d{1,2})[\s,;]+(?P<two>\d{1,10})(?P<sign>)"
)
_ALL_BEHIND = re.compile(
    r"(?P<one>\d{1,10})(?:[\s,;]+|\s*(?P<sign>[<>=])\s*)(?P<two>\d{3,10})[\s,;]+"
    r"(?P<a>\d{1,2})\s*[-:/xX,;\s]\s*(?P<b>\d{1,2})(?![\s,;]*\d)"
)
_ONLY = re.compile(
    rf"(?P<one>{_ID})\s*(?P<sign>[<>=]{{1,3}}|[-=]>|<[-=])\s*(?P<two>{_ID}|bye\b)", re.IGNORECASE
)
_FIGURE_BEHIND = re.compile(r"\s*[-:=/,]?\s*\d")
BYE_WORDS = (
    "bye|bip|exempt|libre|frei|spielfrei|freilos|bay|vapaa|riposa|descansa|pausa|frirond|oversidder|ledig|volno|"
    "不戦勝|不戦|抜け番|空き番"
)
_BYE = re.compile(
    rf"(?P<one>{_ID})\s*(?:\(\d{{1,2}}\)\s*>\s*\(\d{{1,2}}\)\s*)?(?:[-:,;=<>]\s*)*(?:\(?(?:{BYE_WORDS})(?!\w)\)?|[-*]{{1,8}}\Z)"
    rf"|(?:{BYE_WORDS})(?!\w)[\s:=-]*(?P<after>{_ID})\Z",
    re.IGNORECASE,
)
_WORDS = (
    (re.compile(r"\b(?:beats?|bt|def|defeats?|bat|wins|won)\b\.?", re.IGNORECASE), " > "),
    (re.compile(r"\b(?:lost to|loses to)\b", re.IGNORECASE), " < "),
    (re.compile(r"\b(?:vs?|versus|contre|gegen)\b\.?", re.IGNORECASE), " - "),
    (re.compile(r"\b(?:drew|draws?|tied|remis|nulle)\b", re.IGNORECASE), " = "),
    (re.compile(r"(?<![\d/])1/2(?![\d/])"), "½"),
)
_SHAPES = (
    _SCORED,  # 12 (40)>(24) 34
    _BARE,  # 12 40-24 34
    _EACH_HIS,  # 12: 40 34: 24
    _SCORES_BEHIND,  # 12 - 34 40-24
    _PAPP,  # (12(40) 34(24))
    _PLAIN,  # 12 40 24 34
    _ALL_BEHIND,  # 12 1234 40 24
    _ONLY,  # 12 > 34
)
_COLOUR = re.compile(r"[\s,;(\[]*(black|white|noir|blanc|[BWNSZ●○黒白])(?![A-Za-z0-9])[)\]]?", re.IGNORECASE)
_FORFEIT = re.compile(
    r"[\s,;(\[*]*(?:forfeit|forfait|forf|f\.?f|w\.?o|walkover|no.?show|default|ff)\b[)\].]?", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?:T|table\s?)?\d{1,3}\s*[.):]\s+(?=[+*#]?\d)", re.IGNORECASE)
_TABLE = re.compile(r"\(?(?:[^\W\d_]{1,8}\.?\s?)?\d{1,3}[.):]?\s+(?=[+*#]?\d)")


@dataclass(frozen=True, slots=True)
class WrittenResult:
    """A result as it is written."""

    first: str
    # None: a bye.
    second: str | None
    # None if only the sign is written.
    discs: tuple[int, int] | None
    # "" if only the discs are written.
    sign: str
    # The first player's letter, "" if there is none.
    colour: str = ""
    # A word says so.
    forfeit: bool = False
    line: int = 0
    # Blank lines and comments separate paragraphs.
    paragraph: int = 0


_MARKUP = re.compile(r"</?[a-z][a-z0-9]{0,9}(?:\s[^<>]{0,200})?/?>", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")
_SIGNS = str.maketrans("–—−→»«", "--->><", "\ufeff\u200b")


def folded(line: str) -> str:
    """Return the line with plain characters for full-width digits and signs, without markup of a web page, and with one
    blank or one tab between words."""
    line = line.replace("&gt;", ">").replace("&lt;", "<").replace("&nbsp;", " ").replace("\0", "")
    line = line.replace("=3D", "=")  # as in e-mails
    line = line.lstrip("> \t")  # as in quoted e-mails
    if "<" in line:
        line = _MARKUP.sub(" ", line)
    if not line.isascii():
        line = unicodedata.normalize("NFKC", line.replace("½", "\ue000")).replace("\ue000", "½")
        line = line.translate(_SIGNS)
    return _BLANKS.sub(lambda blanks: "\t" if "\t" in blanks[0] else " ", line).strip()


def results_of(line: str) -> tuple[tuple[WrittenResult, ...], str]:
    """Return the results of a line (folded, no comment), and the rest of it."""
    text = line.translate(str.maketrans("[]{};|", "()()  ", '"'))
    for words, sign in _WORDS:
        text = words.sub(sign, text)
    text = text.strip().lstrip("*-•·'! ")
    results: list[WrittenResult] = []
    if (numbered := _NUMBERED.match(text)) is not None and _first(text[numbered.end() :]) is not None:
        text = text[numbered.end() :]
    elif (table := _TABLE.match(text)) is not None and _SCORED.match(text[table.end() :]) is not None:
        text = text[table.end() :]
    while len(results) < _MOST_RESULTS and (match := _first(text)) is not None:
        rest = text[match.end() :]
        if match.re is _ONLY and match["sign"] == "=" and _FIGURE_BEHIND.match(rest) is not None:
            break  # 12 : 34 = 42 : 22
        if match.groupdict().get("named") and (named := _NAMED_BEHIND.match(rest)) is not None:
            rest = rest[named.end() :]
        colour = forfeit = ""
        if (gone := _FORFEIT.match(rest)) is not None:
            forfeit, rest = gone[0], rest[gone.end() :]
        elif (letter := _COLOUR.match(rest)) is not None:
            colour, rest = letter[1].upper()[0], rest[letter.end() :]
            if (gone := _FORFEIT.match(rest)) is not None:
                forfeit, rest = gone[0], rest[gone.end() :]
        result = _result(match, colour, bool(forfeit))
        if result is None:
            break
        results.append(result)
        text = rest.lstrip(" ,;.|&")
    return tuple(results), text.strip()


def game_in_comment(line: str) -> WrittenResult | None:
    """Return the game with discs in a comment as `% 3752 (64)>(00) 1024 B`, or None."""
    results, rest = results_of(line.lstrip("%#; ").removeprefix(NO_SHOW))
    if len(results) != 1 or results[0].discs is None or any(c.isalnum() for c in rest):
        return None
    return results[0] if results[0].second is not None else None


def _first(text: str) -> re.Match[str] | None:
    for shape in _SHAPES:
        if (match := shape.match(text)) is not None:
            return match
    return _BYE.match(text)


def _result(match: re.Match[str], colour: str, forfeit: bool) -> WrittenResult | None:
    seats = _seats(match)
    if seats is None:
        return None
    first, second = player_id(seats["one"] or seats["after"]), seats.get("two")
    if second is None:
        return WrittenResult(first, None, None, ">")
    colour = (seats.get("lead") or seats.get("own") or colour).upper()
    sign = _plain_sign(seats.get("sign") or "")
    discs = None
    if seats.get("a") is not None:
        a, b = _discs(seats["a"]), _discs(seats["b"])
        if "-1" in (seats["a"], seats["b"]):
            forfeit, sign = True, "<" if seats["a"] == "-1" else ">"
        elif a is not None and b is not None:
            discs = (a, b)
    if seats.get("a") == "½":
        discs, sign = None, "="
    if second.strip() in ("0", "-1") or second.strip().lower() == "bye" or set(second) == {"0"}:
        return WrittenResult(first, None, discs, sign or ">")
    if discs is None and not sign:
        return None
    return WrittenResult(first, player_id(second), discs, sign=sign, colour=colour, forfeit=forfeit)


# Places of two players and of their discs among four figures: the discs in the middle, behind each player, behind.
_READINGS = ((0, 3, 1, 2), (0, 2, 1, 3), (0, 1, 2, 3))
_UNLIKELY = ((2, 3, 0, 1), (1, 2, 0, 3))


def _seats(match: re.Match[str]) -> dict[str, str] | None:
    """Return the groups of a match with the discs among four figures: as the shape says, unless only other figures add
    up to 64. Return None if nobody can tell."""
    seats = match.groupdict()
    if match.re not in (_BARE, _PLAIN, _EACH_HIS, _SCORES_BEHIND, _ALL_BEHIND):
        return seats
    order = sorted(("one", "two", "a", "b"), key=match.start)
    figures = [seats[name] for name in order]

    def are_64(reading: tuple[int, ...]) -> bool:
        a, b = figures[reading[2]], figures[reading[3]]
        return a.isdigit() and b.isdigit() and int(a) + int(b) == 64

    if are_64(tuple(map(order.index, ("one", "two", "a", "b")))):
        return seats
    certain = [reading for reading in _READINGS if are_64(reading)]
    if len(certain) == 1:
        return seats | dict(zip(("one", "two", "a", "b"), (figures[at] for at in certain[0]), strict=True))
    if certain or any(map(are_64, _UNLIKELY)):
        return None
    return seats if match.re in (_BARE, _SCORES_BEHIND) or len(seats["two"]) > 3 else None


def _plain_sign(text: str) -> str:
    if "<" in text and ">" in text:
        return ""
    return "<" if "<" in text else ">" if ">" in text else "=" if "=" in text else ""


def _discs(text: str) -> int | None:
    digits = text.replace(" ", "")
    whole = re.match(r"\d{1,3}", digits)
    return int(whole[0]) if whole else None


def player_id(text: str) -> str:
    """Return the number as the list has it, without +, blanks and zeros in front; `??????` is one question mark."""
    text = text.strip(" +*#()").upper()
    if not text.strip("?"):
        return "?"
    digits = text.lstrip("0")
    return (digits or "0") if text.isdigit() else text
