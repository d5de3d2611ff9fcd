"""Lines of a `.ELO` file that are no players: results, headings, the marks of rounds, byes.

Results come from half a century of programs and hands: scores with or without brackets, only the winner's sign, colours
or none, byes, forfeits, several results on a line. Every pattern here takes time in proportion to its line.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum

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


class Opens(Enum):
    """The kind of section that begins at a mark."""

    ROUND = "round"
    ADDED = "added"  # games of finals, which belong to no round
    PART = "part"  # results that are not one round, as `%Round RR`
    AGAIN = "again"  # the tournament's own results after its finals, as `%Rounds` or `%Group A`


@dataclass(frozen=True, slots=True)
class SectionMark:
    """The mark of a section."""

    opens: Opens
    # As written, without zeros in front, or "" if there is none.
    number: str = ""


_LEAD = r"[%#;/*\-=~\s(\[]{0,60}"
_DAY = r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\s+)?"
_ROUND_WORDS = (
    "round|ronde|runde|runda|ronda|rodada|turno|tour|tur|omg[aå]ng|kierros|kolo|fordul[oó]|"
    "manche|rnd|rd|r|тур|partie|γύρος|라운드|rond|giornata|jogo|etapa"
)
_ORDINALS = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|"
    "premi[eè]re|deuxi[eè]me|seconde|troisi[eè]me|quatri[eè]me|cinqui[eè]me|sixi[eè]me|septi[eè]me|huiti[eè]me|"
    "erste|zweite|dritte|vierte|f[uü]nfte|sechste|siebte|achte|primo|secondo|terzo|quarto|quinto|sesto|settimo|"
    "primera|segunda|tercera|cuarta|quinta|sexta|s[eé]ptima|f[oö]rsta|andra|tredje|fj[aä]rde|femte|sj[aä]tte|sjunde"
)
_ROUND = re.compile(
    rf"{_LEAD}{_DAY}(?:"
    rf"(?:{_ROUND_WORDS})s?\s*[.:#°-]?\s*(?:n[o°]?\.?\s*)?(?P<behind>\d{{1,4}})"
    rf"|(?:{_ROUND_WORDS})[\s.:#-]+(?:[ivx]{{1,5}}\b|[一二三四五六七八九十]{{1,2}})"
    rf"|(?:{_ORDINALS})\s+(?:{_ROUND_WORDS})"
    r"|第?\s*[一二三四五六七八九十]{1,2}\s*(?:回戦|ラウンド|輪|轮)"
    rf"|第?\s*(?P<before>\d{{1,4}})\s*(?:st|nd|rd|th|e|er|[eè](?:re|me)|a|ª|º|°|\.|:)*\s*(?:{_ROUND_WORDS}|回戦|ラウンド)"
    r"|(?:(?:final|last|first) )?round(?: robin| [a-z]{3,6})?\s*:?\s*\Z"
    r")(?!\w)",
    re.IGNORECASE,
)
_ADDED = re.compile(
    rf"{_LEAD}(?:(?:added|additional|supplementary)\b"
    r"|(?:[^\W\d_]{1,12}\.?\s+){0,2}fin(?:al|ale|ales|aler|als|ali|ał|aali|alissima|alissime)\b"
    r"(?!\s*(?:round\b|standing|rank|class|order|table|score|position|list))"
    r"|finals\s+round\s*\d|[sq]f\b|(?:semi|demi|halb|halv|quart(?:er)?|viertel|kvart|po[lł]|p[oó]ł|[cć]wier[cć])\s*-?\s*fin"
    r"|(?:semi|quarter)s\b|round\s+of\s+\d|quarti\b|cuartos|play.?(?:off|in)s?\b|knock.?out|tie.?break|barrages?\b|spareggi|bronze|bronce|consolation|losers|"
    r"(?:re)?match\s+for|spiel\s+um|(?:place|platz|plats|third)\s*\d?(?!\s*round)\b|\d{1,2}\w{0,2}\s*/\s*\d{1,2}\w{0,2}\s*(?:play|place|match|final|posto|platz)"
    r"|\d{1,2}\S{0,4}\s*(?:-\s*\d{1,2}\S{0,4}\s*)?(?:place|platz|plads|plats|plass|posto|sija|m[ií]sto|miejsce|lugar)\b"
    r"|(?:match|game|partie|for)?\s*[1357]\s*/\s*[2468]\s*:?\s*\Z|準?決勝|\d位決定)",
    re.IGNORECASE,
)
_PART = re.compile(rf"{_LEAD}(?:round|ronde|runde)[\s:]+[A-Z]{{2,3}}\s*\Z", re.IGNORECASE)
_AGAIN = re.compile(
    rf"{_LEAD}(?:rounds|rondes|runden|swiss|round.?robin|prelim\w*|qualif\w*|vorrunde|group|groupe|gruppe|gruppo|grupo|"
    r"poule|pool|girone|league|division|stage|section|main)(?![a-z]{2})",
    re.IGNORECASE,
)
_APART = re.compile(r"\s+[-–:]+\s+|\s*[,;]\s+")
_HEADING = re.compile(r"[%#;/*\s]{0,8}([^\W\d_][^\W\d_ ]{2,15})\s*[:=]\s*(.*)")
_HEADINGS = {
    "tournament": "tournament tournoi turnier torneo torneio toernooi turnaj turniej turnering event name nom",
    "country": "country pays land paese pais maa kraj zeme nation",
    "date": "date dates datum data fecha dato jour day",
    "sender": "sender expediteur absender from director mittente sent",
}
_HEADING_KEYS = {word: key for key, words in _HEADINGS.items() for word in words.split()}
_NUMBER_SIGNS = re.compile(r"#\d[^#]*#\d")
_IDS = r"\d{1,10}(?:\s*(?:,|&|\+|and|et|und|y|e|och|og)\s*\d{1,10}){0,20}"
_BYES = re.compile(
    rf"{_LEAD}(?:(?P<ids>{_IDS})\s*[:,-]?\s*(?:had|has|have|gets?|got|received?s?)?\s*(?:an?|the|le|la)?\s*"
    rf"(?:{BYE_WORDS})s?(?:\s+(?:in|this)\b.{{0,20}})?|(?:{BYE_WORDS})s?\s*[:,=-]?\s*(?P<after>{_IDS}))[\s.)\]]*\Z",
    re.IGNORECASE,
)
_AWAY = re.compile(
    rf"{_LEAD}(?P<ids>{_IDS})\s+(?:has\s+)?(?:left|withdr|retire|abandon|absent|quit|did not|was not|came|forfeit)",
    re.IGNORECASE,
)


def mark_of(line: str) -> SectionMark | None:
    """Return the mark of a line, or the mark behind a dash or a comma in it (`%Day 2 - division 1 - round 3`), or
    None."""
    for part in reversed(_APART.split(line[:120])):
        if _ADDED.match(part) is not None:
            return SectionMark(Opens.ADDED)
        if (match := _ROUND.match(part)) is not None:
            return SectionMark(Opens.ROUND, (match["behind"] or match["before"] or "").lstrip("0"))
        if _PART.match(part) is not None:
            return SectionMark(Opens.PART)
    return SectionMark(Opens.AGAIN) if _AGAIN.match(line[:120]) is not None else None


def heading_of(line: str) -> tuple[str, str] | None:
    """Return (tournament, country, date or sender; its text), or None if the line is no heading."""
    match = _HEADING.match(line)
    if match is None:
        return None
    word = "".join(c for c in unicodedata.normalize("NFKD", match[1].lower()) if not unicodedata.combining(c))
    key = _HEADING_KEYS.get(word)
    return None if key is None else (key, match[2].strip()[:200])


def byes_of(line: str) -> tuple[tuple[str, ...], bool] | None:
    """Return the players of a remark as `% 12 and 34 had a bye`, and True if they had one, False if they were away.
    Return None for any other line."""
    match = _BYES.match(line) or _AWAY.match(line)
    if match is None:
        return None
    players = tuple(player_id(number) for number in re.findall(r"\d+", match["ids"] or match["after"]))
    return players, match.re is _BYES


def is_comment(line: str) -> bool:
    return _NUMBER_SIGNS.match(line) is None and (
        line[:1] in "%#;*!'\"" or line.startswith(("//", "--", "=="))
    )
