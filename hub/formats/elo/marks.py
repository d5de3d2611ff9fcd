"""Lines of a `.ELO` file that are neither a player nor a result: a heading, the mark of a round, a bye."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum

from hub.formats.elo.results import BYE_WORDS, player_id


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
