"""The WOF rating list's `.ELO` files, read into a tournament.

A file names its players in comments (`%_%  id, NAME, First, COUNTRY, points, discs, rating`, `+` before the id
of a new one), its rounds in comments (`%Round: n`), and its games as `id (64)>(00) id B`, the letter being the
first player's colour. Byes and missed rounds are not written; they follow from the points of the player list.
Games under `%%Added results` belong to no round and no stage: they are kept in `extra["added_results"]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from hub.formats.consistency import check_consistency
from hub.formats.missed_rounds import Missed, missed_rounds
from hub.formats.text_lines import line_error, text_lines
from hub.ranking.format_rules import FORMAT_RULES, FormatRules
from hub.ranking.scores import score_fault
from hub.ranking.systems import SWISS
from hub.text import FormatError
from hub.tournament import Absence, Game, Player, Round, Tournament, Withdrawal

MOST_PLAYERS = 20_000
_TOP = re.compile(r"%%\s*(\w+)\s*:\s*(.*)", re.ASCII)
_PLAYER = re.compile(r"%_%\s*(\+?)\s*(\d{1,10})\s*,(.*)", re.ASCII)
_POINTS = re.compile(r"\d{1,3}(\.[05])?", re.ASCII)
_DISCS = re.compile(r"\d{1,5}(\.\d)?", re.ASCII)
_ROUND = re.compile(r"%+\s*round\s*:?\s*\d+", re.IGNORECASE | re.ASCII)
_ADDED = re.compile(r"%+\s*(added results|finals?)\b", re.IGNORECASE | re.ASCII)
_RESULT = re.compile(
    r"(\d{1,10})\s*\(\s*(\d{1,2})\)\s*([<>=])\s*\(\s*(\d{1,2})\)\s*(\d{1,10})(?:\s+([BbWw]))?", re.ASCII
)
_DATES = re.compile(r"(\d{2})/(\d{2})/(\d{4})(?:\s*-\s*(\d{2})/(\d{2})/(\d{4}))?", re.ASCII)
_RESULT_EXPECTED = "a result as 3752 (42)>(22) 1024 B"


@dataclass(frozen=True, slots=True)
class _Result:
    """One game, black first; `sign` is black's: > for a win, = for a draw."""

    line: int
    black: str
    white: str
    score: tuple[int, int]
    sign: str


@dataclass(slots=True)
class _Reading:
    top: dict[str, str] = field(default_factory=dict)
    players: dict[str, Player] = field(default_factory=dict)
    half_points: dict[str, int] = field(default_factory=dict)
    rounds: list[list[_Result]] = field(default_factory=list)
    added: list[_Result] = field(default_factory=list)


_ELO = re.compile(
    rb"^[ \t]*%[ \t]*_[ \t]*%[ \t]*\+?[ \t]*\d|^[ \t]*%%?[ \t]*(?:tournament|sender)[ \t]*:"
    rb"|^[ \t]*\d{1,10}[ \t]*\(?[ \t\d]{0,5}\)?[ \t]*[<>=][ \t]*\(?[ \t\d]{0,5}\)?[ \t]*\d{1,10}",
    re.IGNORECASE | re.MULTILINE,
)


def is_elo(head: bytes) -> bool:
    """Whether a player of the list, a heading or a result stands on a line."""
    return _ELO.search(head.replace(b"\r", b"\n")) is not None


def read_elo(data: bytes, rulebook: str = "woc-2019") -> Tournament:
    """The tournament of a `.ELO` file under `rulebook`; FormatError naming the line."""
    rules = FORMAT_RULES[rulebook]
    reading = _read_lines(text_lines(data), rules)
    if not reading.players:
        raise FormatError("", "players or results of a .ELO file", "none")
    rounds = tuple(
        Round(tuple(Game(result.black, result.white, result.score) for result in results))
        for results in reading.rounds
    )
    missed = missed_rounds(tuple(reading.players), rounds, reading.half_points)
    tournament = _tournament(reading, rulebook, rounds, missed)
    check_consistency(tournament, rules)
    return tournament


def _read_lines(lines: Sequence[str], rules: FormatRules) -> _Reading:
    reading = _Reading()
    marked = False  # by %Round comments, which a file need not have
    in_added = False
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if not line:
            continue
        if line.startswith("%"):
            if match := _PLAYER.match(line):
                _read_player(reading, number, match)
            elif _ROUND.match(line):
                marked, in_added, seen = True, False, set()
                reading.rounds.append([])
            elif _ADDED.match(line):
                in_added = True
            elif match := _TOP.match(line):
                reading.top.setdefault(match[1].lower(), match[2].strip())
            continue
        result = _result(line, number)
        for player in (result.black, result.white):
            if player not in reading.players:
                reading.players[player] = Player(player)
        if in_added:
            reading.added.append(result)
            continue
        if not reading.rounds or (not marked and {result.black, result.white} & seen):
            reading.rounds.append([])
            seen = set()
        _check_result(result, seen, rules)
        seen |= {result.black, result.white}
        reading.rounds[-1].append(result)
        if len(reading.players) > MOST_PLAYERS:
            raise line_error(number, f"at most {MOST_PLAYERS} players", len(reading.players))
    return reading


def _read_player(reading: _Reading, number: int, match: re.Match[str]) -> None:
    new, player_id, rest = match.groups()
    fields = [part.strip() for part in rest.split(",")]
    # Names may hold commas: points and discs are looked for from the end, with a rating behind them or not.
    rated = len(fields) >= 6 and _POINTS.fullmatch(fields[-3]) and _DISCS.fullmatch(fields[-2])
    tail = fields[-4:] if rated else fields[-3:]
    if len(fields) < 5 or not _POINTS.fullmatch(tail[1]) or not _DISCS.fullmatch(tail[2]):
        raise line_error(number, "%_% id, NAME, First, COUNTRY, points, discs[, rating]", match[0])
    country, points_said = tail[0], tail[1]
    names = fields[: -len(tail)]
    rating = float(tail[3]) if rated and re.fullmatch(r"-?\d{1,5}(\.\d+)?", tail[3]) else None
    if player_id in reading.players:
        raise line_error(number, "a player once in the list", player_id)
    reading.players[player_id] = Player(
        id=player_id,
        name=", ".join(part for part in names if part),
        country=country,
        team=country,
        rating=rating if rating is None or rating % 1 else int(rating),
        extra={"new": True} if new else {},
    )
    reading.half_points[player_id] = int(Fraction(points_said) * 2)


def _result(line: str, number: int) -> _Result:
    match = _RESULT.fullmatch(line)
    if match is None:
        raise line_error(number, _RESULT_EXPECTED, line)
    first, first_discs, sign, second_discs, second, colour = match.groups()
    score = int(first_discs), int(second_discs)
    if first == second:
        raise line_error(number, "two different players", line)
    if (colour or "B").upper() == "W":
        turned = {"<": ">", ">": "<", "=": "="}
        return _Result(number, second, first, (score[1], score[0]), turned[sign])
    return _Result(number, first, second, score, sign)


def _check_result(result: _Result, seen: set[str], rules: FormatRules) -> None:
    black, white = result.score
    fitting = ">" if black > white else "<" if black < white else "="
    if result.sign != fitting:
        raise line_error(result.line, f"the sign {fitting} between {black} and {white}", result.sign)
    fault = score_fault(rules, result.score, "board")
    if fault is not None:
        raise line_error(result.line, fault, f"{black}-{white}")
    for player in (result.black, result.white):
        if player in seen:
            raise line_error(result.line, "a player in one game of the round", f"{player} again")


def _tournament(reading: _Reading, rulebook: str, rounds: tuple[Round, ...], missed: Missed) -> Tournament:
    extra: dict[str, object] = {}
    for name in ("country", "sender"):
        if reading.top.get(name):
            extra[name] = reading.top[name]
    date, end_date = _dates(reading.top.get("date", ""))
    if end_date is not None:
        extra["end_date"] = end_date
    if reading.added:
        extra["added_results"] = [
            {"black": r.black, "white": r.white, "score": list(r.score), "sign": r.sign}
            for r in reading.added
        ]
    entered = dict(missed.from_round)
    players = tuple(
        Player(
            player.id,
            player.name,
            player.country,
            player.team,
            rating=player.rating,
            from_round=entered.get(player.id, 1),
            extra=player.extra,
        )
        for player in reading.players.values()
    )
    return Tournament(
        rulebook=rulebook,
        players=players,
        rounds=tuple(Round(round_.games, missed.byes.get(i, ())) for i, round_ in enumerate(rounds, start=1)),
        name=reading.top.get("tournament", ""),
        date=date,
        system=SWISS,
        rounds_planned=max(1, len(rounds)),
        withdrawals=tuple(Withdrawal(player, last) for player, last in missed.withdrawn),
        absences=tuple(Absence(player, number) for player, number in missed.absent),
        extra=extra,
    )


def _dates(said: str) -> tuple[str | None, str | None]:
    """First and last day; a date that cannot be read is left out: nothing of the results depends on it."""
    match = _DATES.fullmatch(said.strip())
    if match is None:
        return None, None
    day, month, year, last_day, last_month, last_year = match.groups()
    if not 1 <= int(month) <= 12 or not 1 <= int(day) <= 31:
        return None, None
    return f"{year}-{month}-{day}", f"{last_year}-{last_month}-{last_day}" if last_day else None
