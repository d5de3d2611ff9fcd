"""One line of a `.ELO` file: a result, a player of the list, a heading, the mark of a round, or none of these.

Half a century of programs and hands: scores with or without brackets, only the winner's sign, colours or none,
byes, forfeits, several results on a line. Every pattern here takes time in proportion to its line.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_MOST_RESULTS = 16
_ID = r"[+*#]?\s?(?:[A-Za-z]{1,4}-?)?\d{1,10}(?!\d|½|[.,]\d)"
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
_BYE_WORDS = (
    "bye|exempt|libre|frei|spielfrei|freilos|bay|vapaa|riposa|descansa|pausa|frirond|oversidder|ledig|volno|"
    "不戦勝|不戦|抜け番|空き番"
)
_BYE = re.compile(
    rf"(?P<one>{_ID})\s*(?:\(\d{{1,2}}\)\s*>\s*\(\d{{1,2}}\)\s*)?(?:[-:,;=<>]\s*)*(?:\(?(?:{_BYE_WORDS})(?!\w)\)?|[-*]{{1,8}}\Z)"
    rf"|(?:{_BYE_WORDS})(?!\w)[\s:=-]*(?P<after>{_ID})\Z",
    re.IGNORECASE,
)
_WORDS = (
    (re.compile(r"\b(?:beats?|bt|def|defeats?|bat|wins|won)\b\.?", re.IGNORECASE), " > "),
    (re.compile(r"\b(?:lost to|loses to)\b", re.IGNORECASE), " < "),
    (re.compile(r"\b(?:vs?|versus|contre|gegen)\b\.?", re.IGNORECASE), " - "),
    (re.compile(r"\b(?:drew|draws?|tied|remis|nulle)\b", re.IGNORECASE), " = "),
    (re.compile(r"(?<![\d/])1/2(?![\d/])"), "½"),
)
_SHAPES = (_SCORED, _BARE, _EACH_HIS, _SCORES_BEHIND, _PAPP, _PLAIN, _ALL_BEHIND, _ONLY)
_COLOUR = re.compile(r"[\s,;(\[]*(black|white|noir|blanc|[BWNSZ●○黒白])(?![A-Za-z0-9])[)\]]?", re.IGNORECASE)
_FORFEIT = re.compile(
    r"[\s,;(\[*]*(?:forfeit|forfait|forf|f\.?f|w\.?o|walkover|no.?show|default|ff)\b[)\].]?", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?:T|table\s?)?\d{1,3}\s*[.):]\s+(?=[+*#]?\d)", re.IGNORECASE)
_TABLE = re.compile(r"\(?(?:[^\W\d_]{1,8}\.?\s?)?\d{1,3}[.):]?\s+(?=[+*#]?\d)")
_PLAYER_MARK = re.compile(r"%+\s*[_]\s*%+\s*")
_PLAYER = re.compile(
    r"(?:\d{1,3}(?:[.,]5)?[.)]?\s+(?=[+*]?\s?\d{1,10}\s*[,;|]))?(?P<new>[+*]?)\s*(?:\(?new\)?\s+)?(?P<id>(?:[A-Za-z]{1,4}-?)?\d{1,10})(?P<behind>[+*]?)\s*(?:[,;:|\t]\s*|\s+)(?P<rest>\S.*)"
)
_HEADING = re.compile(r"[%#;/*\s]{0,8}([^\W\d_][^\W\d_ ]{2,15})\s*[:=]\s*(.*)")
_HEADINGS = {
    "tournament": "tournament tournoi turnier torneo torneio toernooi turnaj turniej turnering event name nom",
    "country": "country pays land paese pais maa kraj zeme nation",
    "date": "date dates datum data fecha dato jour day",
    "sender": "sender expediteur absender from director mittente sent",
}
_HEADING_KEYS = {word: key for key, words in _HEADINGS.items() for word in words.split()}
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
    r"[%#;/*\-=\s]{0,60}(?:"
    rf"(?:{_ROUND_WORDS})s?\s*[.:#°-]?\s*(?:n[o°]?\.?\s*)?\d{{1,4}}"
    rf"|(?:{_ROUND_WORDS})[\s.:#-]+(?:[ivx]{{1,5}}\b|[一二三四五六七八九十]{{1,2}})"
    rf"|(?:{_ORDINALS})\s+(?:{_ROUND_WORDS})"
    rf"|第?\s*[一二三四五六七八九十]{{1,2}}\s*(?:回戦|ラウンド|輪|轮)"
    rf"|第?\s*\d{{1,4}}\s*(?:st|nd|rd|th|e|er|[eè](?:re|me)|a|ª|º|°|\.|:)*\s*(?:{_ROUND_WORDS}|回戦|ラウンド)"
    r"|(?:(?:final|last|first) )?round(?: robin| [a-z]{3,6})?\s*:?\s*\Z"
    r")(?!\w)",
    re.IGNORECASE,
)
_ADDED = re.compile(
    r"[%#;/*\-=\s]{0,60}(?:added|additional|finals?\b(?!\s*round)|finales?\b|finaler?\b|finaali|semi|demi|halb|petite|"
    r"play.?offs?|[134]\S{0,4}\s*(?:-\s*\d\S{0,4}\s*)?place|third\b(?! round)|barrages?|(?:re)?match for)",
    re.IGNORECASE,
)
_NUMBER_SIGNS = re.compile(r"#\d[^#]*#\d")
_POINTS = re.compile(r"(\d{1,3})(?:[.,](\d{1,2})|\s*(½|1/2))?")
_NUMBER = re.compile(r"\(?[-+]?\d{1,6}(?:\.\d{1,3})?\)?|[-?*]{1,3}|½")


@dataclass(frozen=True, slots=True)
class WrittenResult:
    """As it stands: `discs` None where only the sign is there, `sign` "" where only the discs are; `two` None: a bye.

    `colour` is the first player's letter, "" where there is none. `forfeit`: a word says so.
    """

    one: str
    two: str | None
    discs: tuple[int, int] | None
    sign: str
    colour: str = ""
    forfeit: bool = False


@dataclass(frozen=True, slots=True)
class WrittenPlayer:
    id: str
    name: str
    country: str
    half_points: int | None
    rating: float | None
    new: bool


_SIGNS = str.maketrans("–—−→»«", "--->><", "\ufeff\u200b")


def folded(line: str) -> str:
    """Full-width digits and signs as plain ones, brackets of every kind as round ones, tabs as blanks."""
    line = line.replace("&gt;", ">").replace("&lt;", "<").replace("&nbsp;", " ").replace("\0", "")
    line = line.replace("=3D", "=")  # of a letter
    line = line.lstrip("> \t")  # of a letter that was answered
    if not line.isascii():
        line = unicodedata.normalize("NFKC", line.replace("½", "\ue000")).replace("\ue000", "½")
        line = line.translate(_SIGNS)
    return " ".join(line.split())


def results_of(line: str) -> tuple[tuple[WrittenResult, ...], str]:
    """The results of a line (folded, no comment), and what is left of it that is none."""
    text = line.translate(str.maketrans("[]{};|", "()()  ", '"'))
    for words, sign in _WORDS:
        text = words.sub(sign, text)
    text = text.strip().lstrip("*-•·'! ")
    found: list[WrittenResult] = []
    if (numbered := _NUMBERED.match(text)) is not None and _first(text[numbered.end() :]) is not None:
        text = text[numbered.end() :]
    elif (table := _TABLE.match(text)) is not None and _SCORED.match(text[table.end() :]) is not None:
        text = text[table.end() :]
    while len(found) < _MOST_RESULTS and (match := _first(text)) is not None:
        rest = text[match.end() :]
        if match.re is _ONLY and match["sign"] == "=" and _FIGURE_BEHIND.match(rest) is not None:
            break  # 12 : 34 = 42 : 22
        if match.groupdict().get("named") and (named := _NAMED_BEHIND.match(rest)) is not None:
            rest = rest[named.end() :]
        colour = forfeit = ""
        if (gone := _FORFEIT.match(rest)) is not None:
            forfeit, rest = gone[0], rest[gone.end() :]
        elif (said := _COLOUR.match(rest)) is not None:
            colour, rest = said[1].upper()[0], rest[said.end() :]
            if (gone := _FORFEIT.match(rest)) is not None:
                forfeit, rest = gone[0], rest[gone.end() :]
        one = _result(match, colour, bool(forfeit))
        if one is None:
            break
        found.append(one)
        text = rest.lstrip(" ,;.|&")
    return tuple(found), text.strip()


def _first(text: str) -> re.Match[str] | None:
    for shape in _SHAPES:
        if (match := shape.match(text)) is not None:
            return match
    return _BYE.match(text)


def _result(match: re.Match[str], colour: str, forfeit: bool) -> WrittenResult | None:
    said = _seats(match)
    if said is None:
        return None
    one, two = player_id(said["one"] or said["after"]), said.get("two")
    if two is None:
        return WrittenResult(one, None, None, ">")
    colour = (said.get("lead") or said.get("own") or colour).upper()
    sign = _plain_sign(said.get("sign") or "")
    discs = None
    if said.get("a") is not None:
        a, b = _discs(said["a"]), _discs(said["b"])
        if "-1" in (said["a"], said["b"]):
            forfeit, sign = True, "<" if said["a"] == "-1" else ">"
        elif a is not None and b is not None:
            discs = (a, b)
    if said.get("a") == "½":
        discs, sign = None, "="
    if two.strip() in ("0", "-1") or two.strip().lower() == "bye" or set(two) == {"0"}:
        return WrittenResult(one, None, discs, sign or ">")
    if discs is None and not sign:
        return None
    return WrittenResult(one, player_id(two), discs, sign=sign, colour=colour, forfeit=forfeit)


_READINGS = ((0, 3, 1, 2), (0, 2, 1, 3), (0, 1, 2, 3))
"""Places of two players and of their discs among four figures: the discs in the middle, behind each player, behind."""
_UNLIKELY = ((2, 3, 0, 1), (1, 2, 0, 3))


def _seats(match: re.Match[str]) -> dict[str, str] | None:
    """Which of four figures are the discs: as the shape says, unless only others are 64; None where nobody can tell."""
    said = match.groupdict()
    if match.re not in (_BARE, _PLAIN, _EACH_HIS, _SCORES_BEHIND, _ALL_BEHIND):
        return said
    order = sorted(("one", "two", "a", "b"), key=match.start)
    figures = [said[name] for name in order]

    def are_64(reading: tuple[int, ...]) -> bool:
        a, b = figures[reading[2]], figures[reading[3]]
        return a.isdigit() and b.isdigit() and int(a) + int(b) == 64

    if are_64(tuple(map(order.index, ("one", "two", "a", "b")))):
        return said
    certain = [reading for reading in _READINGS if are_64(reading)]
    if len(certain) == 1:
        return said | dict(zip(("one", "two", "a", "b"), (figures[at] for at in certain[0]), strict=True))
    if certain or any(map(are_64, _UNLIKELY)):
        return None
    return said if match.re in (_BARE, _SCORES_BEHIND) or len(said["two"]) > 3 else None


def _plain_sign(said: str) -> str:
    if "<" in said and ">" in said:
        return ""
    return "<" if "<" in said else ">" if ">" in said else "=" if "=" in said else ""


def _discs(said: str) -> int | None:
    digits = said.replace(" ", "")
    whole = re.match(r"\d{1,3}", digits)
    return int(whole[0]) if whole else None


def player_id(said: str) -> str:
    """The number as the list has it: without +, blanks and zeros in front."""
    said = said.strip(" +*#()").upper()
    digits = said.lstrip("0")
    return (digits or "0") if said.isdigit() else said


def player_of(line: str, marked_only: bool = True) -> WrittenPlayer | None:
    """The player of a `%_%` line; without `marked_only` also of a line with a number and a name."""
    mark = _PLAYER_MARK.match(line)
    if mark is None and marked_only:
        return None
    body = line[mark.end() :] if mark else line.lstrip("%#;/* ")
    match = _PLAYER.fullmatch(body.strip())
    if match is None:
        return None
    rest = match["rest"]
    braces = re.search(r"\{([^}]{0,40})\}", rest)
    rated = re.search(r"%_<\s*(-?\d{1,5})", rest)
    rest = re.sub(r"\{[^}]{0,200}\}|%_?<[^>]{0,40}>?|;\s*$", " ", rest)
    separator = "," if "," in rest else ";" if ";" in rest else "|" if "|" in rest else None
    fields = [" ".join(part.split()) for part in (rest.split(separator) if separator else [rest])]
    numbers: list[str] = []
    while len(fields) > 1 and (
        not fields[-1] or _NUMBER.fullmatch(fields[-1]) or _POINTS.fullmatch(fields[-1])
    ):
        numbers.insert(0, fields.pop())
    while numbers and not numbers[-1]:
        numbers.pop()
    while len(fields) > 1 and _NUMBER.fullmatch(fields[0]):
        numbers.append(fields.pop(0))
    half_points, rating = _figures([n.strip("() ") for n in numbers if n])
    if not any(c.isalpha() for c in "".join(fields)):
        fields = []
    country = braces[1].strip() if braces else ""
    if not country and len(fields) > 1 and fields[-1] and _is_country(fields[-1], len(fields)):
        country = fields.pop()
    name = ", ".join(part for part in fields if part)
    if mark is None and (not re.match(r"[^\W\d_]{2}", name) or any(c.isdigit() for c in name)):
        return None
    if rated is not None:
        rating = float(rated[1])
    return WrittenPlayer(
        player_id(match["id"]),
        name[:200],
        country[:40],
        half_points=half_points,
        rating=rating,
        new=bool(match["new"] or match["behind"]),
    )


def _is_country(said: str, fields: int) -> bool:
    """The third field is the country's; of two, a code in capitals."""
    if fields > 2:
        return len(said) <= 40
    return said.isupper() and 2 <= len(said) <= 5 and " " not in said


def _figures(numbers: list[str]) -> tuple[int | None, float | None]:
    """(half points, rating) of score, disc-count, rating; a comma in the score parts it in two."""
    if len(numbers) >= 4 and numbers[1] in ("5", "0"):
        numbers = [f"{numbers[0]}.{numbers[1]}", *numbers[2:]]
    half_points = None
    if numbers and (match := _POINTS.fullmatch(numbers[0])) is not None:
        half = match[3] is not None or (match[2] or "0").startswith("5")
        half_points = 2 * int(match[1]) + half
    rating = None
    if len(numbers) >= 3 and re.fullmatch(r"[-+]?\d{1,5}(?:\.\d{1,3})?", numbers[-1]):
        rating = float(numbers[-1])
    return half_points, rating


def heading_of(line: str) -> tuple[str, str] | None:
    """(tournament, country, date or sender; what it says)."""
    match = _HEADING.match(line)
    if match is None:
        return None
    word = "".join(c for c in unicodedata.normalize("NFKD", match[1].lower()) if not unicodedata.combining(c))
    key = _HEADING_KEYS.get(word)
    return None if key is None else (key, match[2].strip()[:200])


def is_round(line: str) -> bool:
    return _ROUND.match(line[:120]) is not None


def is_added(line: str) -> bool:
    return _ADDED.match(line[:120]) is not None


def is_comment(line: str) -> bool:
    return _NUMBER_SIGNS.match(line) is None and (
        line[:1] in "%#;*!'\"" or line.startswith(("//", "--", "=="))
    )
