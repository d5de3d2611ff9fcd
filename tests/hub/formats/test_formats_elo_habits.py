"""`.ELO` files once more: what other hands, programs and countries write, line by line and as files."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from helpers.elo_made import FULL_WIDTH, PLAYER, RESULT, ROUNDS, Change, each, event

from hub.formats.elo.reader import elo_reading
from hub.formats.registry import format_of
from hub.ranking.standings import standings

ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh")
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII")
MARKS = {
    "in words": lambda n: f"% {ORDINALS[n - 1]} round",
    "Roman": lambda n: f"%Round {ROMAN[n - 1]}",
    "underlined": lambda n: f"% ROUND {n}\n% =======",
    "Italian": lambda n: f"% {n}° turno",
    "Spanish": lambda n: f"% Ronda nº {n}",
    "Swedish": lambda n: f"% Rond {n}",
    "Danish": lambda n: f"% {n}. runde",
    "Finnish": lambda n: f"% {n}. kierros",
    "Polish": lambda n: f"% Runda {n}",
    "Portuguese": lambda n: f"% {n}ª rodada",
    "Chinese": lambda n: f"% 第{'一二三四五六七'[n - 1]}輪",
    "Japanese": lambda n: f"% {'一二三四五六七'[n - 1]}回戦",
    "Korean": lambda n: f"% {n}라운드",
    "Russian": lambda n: f"% Тур {n}",
    "Greek": lambda n: f"% Γύρος {n}",
    "Hungarian": lambda n: f"% {n}. forduló",
    "with a date behind": lambda n: f"%Round {n} - 24/10/2013 10:30",
    "with a date before": lambda n: f"% 24.10.2013 Round {n}",
    "of how many": lambda n: f"%Round {n}/7",
    "with a hash": lambda n: f"%Round #{n}",
    "in brackets": lambda n: f"%(Round {n})",
    "in stars": lambda n: f"%*** Round {n} ***",
    "apart by tabs": lambda n: f"%\tRound\t{n}",
    "with a form feed": lambda n: f"\f%Round: {n}",
    "with days": lambda n: ("% Morning of the first day\n" if n == 1 else "") + f"%Round: {n}",
    "with the headings again": lambda n: f"%%Tournament: Club Open\n%Round: {n}",
    "behind standings": lambda n: f"% After round {n - 1}\n% 1. NOBODYA 3.5\n% 2. NOBODYB 3\n\n%Round: {n}",
    "of teams": lambda n: f"%Round: {n}\n%Team: FRA 3-1 GBR\n%Team: JPN 4-0 USA",
}
LINES: dict[str, str | Callable[[re.Match[str]], str]] = {
    "score behind, with a comma": r"\1 \3 \5 (\2,\4)",
    "score with a slash": r"\1 (\2/\4) \5 B",
    "score in one pair of brackets": r"\1 (\2-\4) \5 B",
    "no sign": r"\1 (\2) (\4) \5 B",
    "zeros in front of scores": r"\1 (0\2)\3(0\4) \5 B",
    "a colour for both": r"\1 B (\2)\3(\4) \5 W",
    "a colour in front": r"B \1 (\2)\3(\4) \5 W",
    "the colour in brackets": r"\1 (\2)\3(\4) \5 (B)",
    "a table with a letter": r"T1: \1 (\2)\3(\4) \5 B",
    "a table in German": r"Tisch 1: \1 (\2)\3(\4) \5 B",
    "a table in Japanese": r"台1: \1 (\2)\3(\4) \5 B",
    "a table in brackets": r"[1] \1 (\2)\3(\4) \5 B",
    "a table without a sign": r"3 \1 (\2)\3(\4) \5 B",
    "a bullet": r"- \1 (\2)\3(\4) \5 B",
    "a star": r"* \1 (\2)\3(\4) \5 B",
    "quotation marks": r'"\1 (\2)\3(\4) \5 B"',
    "a dot behind": r"\1 (\2)\3(\4) \5 B.",
    "names beside numbers": r"\1 NOBODY, Ann (\2)\3(\4) \5 NOBODY, Bo B",
    "names in a comment": r"\1 (\2)\3(\4) \5 B % NOBODY, Ann - NOBODY, Bo",
    "a comment with slashes": r"\1 (\2)\3(\4) \5 B // seen",
    "a comment with a hash": r"\1 (\2)\3(\4) \5 B # seen",
    "discs behind each player": r"\1: \2 \5: \4",
    "discs behind each, with a sign of equality": r"\1 = \2, \5 = \4",
    "numbers first": r"\1;\5;\2;\4",
    "numbers first, then a dash": r"\1 \5  \2-\4",
    "numbers first, with the sign": r"\1 \3 \5  \2 \4",
    "cells in quotation marks": r'"\1","\2","\4","\5"',
    "signs of a number": r"#\1 (\2)\3(\4) #\5 B",
    "a letter's code": lambda m: m.expand(r"\1 (\2)\3(\4) \5 B").replace("=", "=3D"),
    "versus": r"\1 vs. \5 \2-\4",
    "an answer's mark": r"> \1 (\2)\3(\4) \5 B",
}
PLAYERS = {
    "provisional, -1": r"%_%  \1, \2, \3, \4, \5, \6, -1",
    "provisional, p": r"%_%  \1, \2, \3, \4, \5, \6, \7p",
    "provisional, in brackets": r"%_%  \1, \2, \3, \4, \5, \6, (\7)",
    "a remark behind": r"%_%  \1, \2, \3, \4, \5, \6, \7 (junior)",
    "digits in names": r"%_%  \1, \2, \3 2nd, \4, \5, \6, \7",
    "brackets in names": r"%_%  \1, \2 (born NOBODY), \3, \4, \5, \6, \7",
    "quotation marks": r'%_%  \1, "\2", "\3", \4, \5, \6, \7',
    "the whole name in one": r"%_%  \1, \2 \3, \4, \5, \6, \7",
    "no commas": r"%_% \1 \2 \3",
    "a rank in front": r"%_% 3. \1, \2, \3, \4, \5, \6, \7",
    "a rank without a dot": r"%_% 3 \1, \2, \3, \4, \5, \6, \7",
    "points in front": r"%_% \5  \1, \2, \3, \4",
    "figures before the name": r"%_%  \1, \5, \6, \2, \3, \4",
    "tabs": r"%_%\t\1\t\2\t\3\t\4\t\5\t\6\t\7",
    "a comma at the end": r"%_%  \1, \2, \3, \4, \5, \6, \7,",
    "a plus behind the number": r"%_%  \1+, \2, \3, \4, \5, \6, \7",
}
FILES: dict[str, Change] = {
    "no colon in headings": lambda text: text.replace("Tournament:", "Tournament").replace("Date:", "Date"),
    "headings in Japanese": lambda text: text.replace("Tournament:", "大会名：").replace("Date:", "日付："),
    "full-width as a whole": lambda text: text.translate(FULL_WIDTH),
    "Ctrl-Z in the middle": lambda text: text.replace("\n", "\r\n").replace("%Round: 4", "\x1a%Round: 4"),
    "line ends doubled": lambda text: text.replace("\n", "\r\r\n"),
    "nulls": lambda text: text.replace(" ", "\0 "),
    "vertical tabs": lambda text: text.replace("\n\n", "\n\v\n"),
    "a byte order mark in the middle": lambda text: text.replace("%Round: 1", "\ufeff%Round: 1"),
    "no-break blanks": lambda text: text.replace(" ", "\u00a0"),
    "no newline at the end": lambda text: text.rstrip("\n"),
    "as it was answered": each(r"^", "> "),
    "rounds in two parts": each(r"^(%Round: \d+)\n\n(.*\n.*\n)", r"\1\n\n\2\n\1 (continued)\n"),
    "an end": lambda text: text + "%%End\n",
}
CHANGES = (
    {f"round {name}": each(r"^%Round: (\d+)$", lambda m, f=f: f(int(m[1]))) for name, f in MARKS.items()}
    | {f"line: {name}": each(RESULT, line) for name, line in LINES.items()}
    | {f"player: {name}": each(PLAYER, line) for name, line in PLAYERS.items()}
    | {f"file: {name}": change for name, change in FILES.items()}
)


@pytest.mark.parametrize("name", CHANGES)
def test_a_habit_costs_nothing(name: str) -> None:
    text, half_points = event(15, seed=7)
    data = CHANGES[name](text).encode()
    assert data != text.encode()
    reading = elo_reading(data)
    assert {player.id for player in reading.tournament.players} == set(half_points)
    assert len(reading.tournament.rounds) == ROUNDS
    assert {line.player: line.half_points for line in standings(reading.tournament)} == half_points
    recognised = format_of("any.dat", data)
    assert recognised is not None and recognised.name == "elo"
    assert [str(note) for note in reading.notes] == []
    assert all(player.name.startswith(("NOBODY", '"NOBODY')) for player in reading.tournament.players)


@pytest.mark.parametrize(
    ("line", "score"),
    [
        *(("12: 40 34: 24", (40, 24)), ("12 : 40 - 34 : 24", (40, 24)), ("12 34: 40 24", (40, 24))),
        *(("12 - 34 40 - 24", (40, 24)), ("12 40 34 24", (40, 24)), ("12:34 - 40:24", (40, 24))),
        *(("12 1/2-1/2 34", (32, 32)), ("12 - 34 ½-½", (32, 32)), ("12 (42½)>(21½) 34", (43, 21))),
        *(("42-22 12-34", None), ("42-22: 12 - 34", None), ("42 12 - 34 22", None), ("12-34 1/2", None)),
        *(("12 : 34 = 42 : 22", None), ("12:40 34:20", None)),
    ],
)
def test_of_four_figures_those_are_discs_that_are_64(line: str, score: tuple[int, int] | None) -> None:
    """A line that two readings fit, or none, is named and left out."""
    reading = elo_reading(f"%Round: 1\n7 (40)>(24) 9 B\n{line}\n".encode())
    games = [(game.black, game.white, game.score) for game in reading.tournament.rounds[0].games[1:]]
    assert games == ([] if score is None else [("12", "34", score)])
    assert score is not None or {note.line for note in reading.notes} == {3}


BYES = """BYE|(64)>(00) 0 B|(64)>(00) BYE|(64)>(00) -1|(64)>(00) *|(64)>(00) ----|> bye|Freilos|exempt|riposa|descansa|
frirond|oversidder|vapaa|不戦勝|抜け番"""


@pytest.mark.parametrize("line", [*(f"12 {bye.strip()}" for bye in BYES.split("|")), "bye: 12", "exempt 12"])
def test_a_bye_in_any_spelling(line: str) -> None:
    reading = elo_reading(f"%Round: 1\n7 (40)>(24) 9 B\n{line}\n".encode())
    assert reading.tournament.rounds[0].byes == ("12",) and reading.notes == ()
    assert {player.name for player in reading.tournament.players} == {""}


@pytest.mark.parametrize(
    "line",
    [
        *("12 (40)>(2", "12 (40)>", "12 (4O)>(24) 34", "12 (I0)<(54) 34", "A (40)>(24) B", "? (40)>(24) 12"),
        *("12 wins by forfeit against 34", "(12) 40-24 (34)", "12 (+16) 34", "12 + 34", "To: you", "bye"),
        *("%_% , NOBODY, X, FRA, 1, 30", "%_% 12.5, NOBODY, X, FRA, 1, 30", "Best wishes", "see <12>"),
        *("12 NOBODY 40>24 SOMEBODY 34", "(32) 12 = 34 (32)", "12", "12 (64)>(00) 12", "x" * 3_000),
    ],
)
def test_what_is_not_certain_is_named_by_its_line_and_costs_no_other(line: str) -> None:
    reading = elo_reading(f"%Round: 1\n7 (40)>(24) 9 B\n{line}\n5 (30)<(34) 8 B\n".encode())
    assert [(game.black, game.white) for game in reading.tournament.rounds[0].games] == [
        ("7", "9"),
        ("5", "8"),
    ]
    assert {note.line for note in reading.notes} == {3}


@pytest.mark.parametrize(
    "encoding", ["cp437", "cp850", "cp1252", "latin-1", "utf-8-sig", "utf-16", "utf-16-be"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_file_cut_off_anywhere_gives_what_stands_before(encoding: str, end: str) -> None:
    text, half_points = event()
    data = text.replace("NOBODYA", "NÖBÖDY").replace("\n", end).encode(encoding)
    whole = elo_reading(data).tournament
    assert {player.id for player in whole.players} == set(half_points)
    for share in range(40, 100, 7):
        reading = elo_reading(data[: len(data) * share // 100])
        games = [game for round_ in reading.tournament.rounds for game in round_.games]
        assert (
            games[:-1] == [game for round_ in whole.rounds for game in round_.games][: max(0, len(games) - 1)]
        )
        assert len([note for note in reading.notes if not note.changed]) <= 2
    names = re.findall("N[^,]*DY(?=,)", " ".join(player.name for player in whole.players))
    assert names == ["NÖBÖDY"] or end == "\r", "old Macs had an encoding of their own"
