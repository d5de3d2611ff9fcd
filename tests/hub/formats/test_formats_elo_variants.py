"""`.ELO` files as five decades, two dozen countries, programs and hands write them: all made here, nobody is real.

Each variant changes one habit of a whole event; from it the players, the rounds and the standings come out as played.
"""

from __future__ import annotations

import re

import pytest
from helpers.elo_made import PLAYER, RESULT, ROUNDS, Change, each, event

from hub.formats.dates import written_days
from hub.formats.elo.reader import elo_reading
from hub.formats.registry import format_of
from hub.ranking.standings import standings


def turned(match: re.Match[str]) -> str:
    sign = {"<": ">", ">": "<", "=": "="}[match[3]]
    return f"{match[5]} ({match[4]}){sign}({match[2]}) {match[1]} W"


CERTAIN: dict[str, Change] = {
    "as Papp writes it": lambda text: text,
    "white first": each(RESULT, turned),
    "no colours": each(RESULT, r"\1 (\2)\3(\4) \5"),
    "small letters": lambda text: text.lower(),
    "no blanks": each(RESULT, r"\1(\2)\3(\4)\5 B"),
    "blanks inside the scores": each(RESULT, r"\1 ( \2 ) \3 ( \4 ) \5 B"),
    "tabs": each(RESULT, r"\t\1\t(\2)\3(\4)\t\5\tB"),
    "square brackets": each(RESULT, r"\1 [\2]\3[\4] \5 B"),
    "no brackets": each(RESULT, r"\1 \2\3\4 \5 B"),
    "a dash for the sign": each(RESULT, r"\1 (\2)-(\4) \5 B"),
    "a long dash": each(RESULT, "\\1 (\\2)–(\\4) \\5 B"),
    "a colon for the sign": each(RESULT, r"\1 \2:\4 \5"),
    "result before score": each(RESULT, r"\1 \3 \5 (\2-\4)"),
    "commas behind numbers": each(RESULT, r"\1, (\2)\3(\4), \5, B"),
    "numbers of six digits": each(RESULT, r"00\1 (\2)\3(\4) 00\5 B"),
    "as a table of semicolons": each(RESULT, r"\1;(\2);\3;(\4);\5;B"),
    "HTML entities": lambda text: text.replace(">", "&gt;").replace("<", "&lt;"),
    "full-width digits": each(
        RESULT, lambda m: m[0].translate(str.maketrans("0123456789()<>=", "０１２３４５６７８９（）＜＞＝"))
    ),
    "zeros in front": each(RESULT, lambda m: f"{m[1].zfill(6)} ({m[2]}){m[3]}({m[4]}) {m[5].zfill(6)} B"),
    "numbers of tables": each(RESULT, r"1. \1 (\2)\3(\4) \5 B"),
    "two results on a line": lambda text: re.sub(r" B\n +(\d+ \()", r" B   \1", text),
    "words for colours": each(RESULT, r"\1 (\2)\3(\4) \5 black"),
    "comments behind": each(RESULT, r"\1 (\2)\3(\4) \5 B % seen"),
    "a draw with a dash": each(r"\(32\)=\(32\)", "(32)-(32)"),
    "Windows line ends": lambda text: text.replace("\n", "\r\n"),
    "Macintosh line ends": lambda text: text.replace("\n", "\r"),
    "a DOS end of file": lambda text: text + "\x1a",
    "blank lines everywhere": lambda text: text.replace("\n", "\n\n"),
    "blanks at the ends": each(r"$", "   "),
    "no headings": lambda text: text[text.index("%  ") :],
    "single per cent signs": lambda text: text.replace("%%", "%"),
    "double per cent signs": lambda text: text.replace("%Round", "%%Round"),
    "headings in French": lambda text: text.replace("Tournament:", "Tournoi :").replace("Country:", "Pays :"),
    "rounds without a colon": lambda text: text.replace("Round: ", "Round "),
    "rounds in French": lambda text: text.replace("Round: ", " Ronde "),
    "rounds in Czech": each(r"%Round: (\d+)", r"% \1. kolo"),
    "rounds in Japanese": each(r"%Round: (\d+)", r"%第\1回戦"),
    "rounds between lines": each(r"%Round: (\d+)", r"% --- Round \1 ---"),
    "rounds by ordinals": each(r"%Round: (\d+)", r"%\1th round"),
    "rounds without a per cent sign": lambda text: text.replace("%Round", "Round"),
    "rounds by blank lines": each(r"^%Round: \d+\n\n", ""),
    "rounds by other comments": each(r"^%Round: \d+$", "% again"),
    "no rounds, no blank lines": lambda text: re.sub(r"^%Round: \d+$|^\n", "", text, flags=re.MULTILINE),
    "one mark for all": each(r"^%Round: ([2-9]).*\n", ""),
    "a timetable in front": lambda text: "% Round 1 at 10\n% Round 2 at 11\n" + text,
    "players at the end": lambda text: "\n".join(
        sorted(text.splitlines(), key=lambda line: line.startswith("%_%"))
    ),
    "no countries": each(PLAYER, r"%_%  \1, \2, \3, \5, \6, \7"),
    "empty countries": each(PLAYER, r"%_%  \1, \2, \3, , \5, \6, \7"),
    "five-letter countries": each(PLAYER, r"%_%  \1, \2, \3, ABCDE, \5, \6, \7"),
    "countries in full": each(PLAYER, r"%_%  \1, \2, \3, United Kingdom, \5, \6, \7"),
    "no ratings": each(PLAYER, r"%_%  \1, \2, \3, \4, \5, \6"),
    "a dash for a rating": each(PLAYER, r"%_%  \1, \2, \3, \4, \5, \6, -"),
    "no disc-counts": each(PLAYER, r"%_%  \1, \2, \3, \4, \5"),
    "comma for a half": each(r"(\d)\.5, ", r"\1,5, "),
    "one half as a sign": each(r"(\d)\.5, ", r"\1½, "),
    "one name only": each(PLAYER, r"%_%  \1, \2, , \4, \5, \6, \7"),
    "commas in names": each(PLAYER, r"%_%  \1, \2, Jr., \3, \4, \5, \6, \7"),
    "semicolons between fields": each(PLAYER, r"%_%  \1; \2; \3; \4; \5; \6; \7"),
    "new players": each(PLAYER, r"%_% +\1, \2, \3, \4, \5, \6, \7"),
    "players as plain comments": lambda text: text.replace("%_%", "% "),
    "blanks in the mark": lambda text: text.replace("%_%", "% _ %"),
    "finals behind": lambda text: text + "%%Added results\n",
    "remarks": lambda text: text.replace("%Round: 3", "% It rained, 12 people watched.\n%Round: 3"),
    "a plus before numbers": each(RESULT, r"+\1 (\2)\3(\4) +\5 B"),
}
POINTS = {">": "10", "<": "01", "=": "½½"}
DOUBTFUL: dict[str, Change] = {
    "results only": each(RESULT, r"\1 \3 \5"),
    "results only, with colours": each(RESULT, r"\1 \3 \5 B"),
    "empty brackets": each(RESULT, r"\1 ()\3() \5 B"),
    "points for discs": each(RESULT, lambda m: f"{m[1]} ({POINTS[m[3]][0]}){m[3]}({POINTS[m[3]][1]}) {m[5]}"),
    "fewer than 64 discs": each(RESULT, lambda m: m[0].replace("(00)", "(01)") if m[3] == "=" else short(m)),
    "discs exchanged": each(RESULT, lambda m: f"{m[1]} ({m[4]}){m[3]}({m[2]}) {m[5]} B"),
    "three figures": each(
        RESULT, lambda m: f"{m[1]} ({100 if m[3] == '>' else m[2]}){m[3]}({m[4]}) {m[5]} B"
    ),
    "words behind": each(RESULT, r"\1 (\2)\3(\4) \5 B seen by 2"),
    "winners in words": each(
        RESULT, lambda m: f"{m[1]} { {'>': 'beats', '<': 'lost to', '=': 'drew'}[m[3]] } {m[5]}"
    ),
    "a game twice": each(RESULT, lambda m: f"{m[0]}\n{turned(m)}"),
    "long lines": lambda text: text + "%" + "x" * 5_000 + "\n",
    "lines of something else": lambda text: text.replace("%Round: 2", "what is this\n%Round: 2\n12 ??? 13"),
    "nobody's number in the list": lambda text: text.replace(
        "%Round: 2", "%_% , NOBODY, X, FRA, 1, 30\n%Round: 2"
    ),
    "a player listed twice": lambda text: text.replace(
        "%Round: 1", re.findall(r"^%_%.*", text, re.MULTILINE)[0]
    ),
}


def short(match: re.Match[str]) -> str:
    a, b = int(match[2]), int(match[4])
    lower = (a - 1, b) if a > b and a - 1 > b else (a, b - 1) if b - 1 > a else (a, b)
    return f"{match[1]} ({lower[0]}){match[3]}({lower[1]}) {match[5]} B"


@pytest.mark.parametrize("players", [14, 15])
@pytest.mark.parametrize("name", [*CERTAIN, *DOUBTFUL])
def test_a_variant_gives_players_rounds_and_standings(name: str, players: int) -> None:
    text, half_points = event(players)
    changed = (CERTAIN | DOUBTFUL)[name](text)
    data = changed.encode()
    reading = elo_reading(data)
    played = reading.tournament
    assert {player.id for player in played.players} == set(half_points), reading.notes
    assert len(played.rounds) == ROUNDS, reading.notes
    assert {line.player: line.half_points for line in standings(played)} == half_points
    recognised = format_of("any.dat", data)
    assert recognised is not None and recognised.name == "elo"
    doubts = [note for note in reading.notes if note.line]
    assert bool(doubts) == (name in DOUBTFUL), reading.notes
    assert all(str(note).isprintable() for note in reading.notes)


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "cp850", "mac_roman", "utf-8", "utf-8-sig", "utf-16", "utf-16-le"]
)
def test_names_in_every_encoding(encoding: str) -> None:
    text, half_points = event()
    text = text.replace("NOBODYA", "NÖBÖDY").replace("Ann-0", "Zoé")
    if encoding == "mac_roman":
        text = text.replace("\n", "\r")
    names = [player.name for player in elo_reading(text.encode(encoding)).tournament.players]
    assert len(names) == len(half_points)
    assert "NÖBÖDY, Zoé" in names


@pytest.mark.parametrize("encoding", ["euc_jp", "cp932"])
def test_names_in_japanese(encoding: str) -> None:
    text, _ = event()
    text = re.sub(r"NOBODY\w, Ann-\d+", "誰でも, ない", text)
    assert elo_reading(text.encode(encoding)).tournament.players[0].name == "誰でも, ない"


def test_a_draw_that_somebody_won_is_a_win_where_the_lists_points_say_so() -> None:
    list_ = "%_% 1, A, Ann, FRA, {}, 32\n%_% 2, B, Bo, FRA, {}, 32\n%Round: 1\n1 (32)>(32) 2 B\n"
    won = elo_reading(list_.format(1, 0).encode())
    assert [line.half_points for line in standings(won.tournament)] == [2, 0]
    drawn = elo_reading(list_.format("0.5", "0.5").encode())
    assert [line.half_points for line in standings(drawn.tournament)] == [1, 1]
    assert [str(note)[:26] for note in (*won.notes, *drawn.notes)] == ["4: a draw that player 1 wo"] * 2


@pytest.mark.parametrize(
    "line", ["12 (64)>(00) 0 B", "12 BYE", "12 (64)>(00) BYE", "12 > bye", "12 - exempt"]
)
def test_a_bye_that_is_written(line: str) -> None:
    played = elo_reading(
        f"%Round: 1\n7 (40)>(24) 9 B\n{line}\n%Round: 2\n12 (40)>(24) 9\n".encode()
    ).tournament
    assert played.rounds[0].byes == ("12",)
    assert "0" not in {player.id for player in played.players}


@pytest.mark.parametrize("line", ["12 (-1)<(64) 7", "12 (0)<(64) 7 forfeit", "12 < 7 W.O."])
def test_a_forfeit(line: str) -> None:
    game = elo_reading(f"%Round: 1\n{line}\n".encode()).tournament.rounds[0].games[0]
    assert (game.score, game.reason) == ((0, 64), "forfeit")


def test_games_of_one_round_that_do_not_fit_make_nobody_absent_or_withdrawn() -> None:
    text, half_points = event()
    first = re.findall(RESULT, text, re.MULTILINE)[0]
    extra = f"{first[0]} (33)>(31) {first[4]} B\n"
    played = elo_reading(text.replace("%Round: 2", f"{extra}%Round: 2").encode()).tournament
    assert len(played.rounds) == ROUNDS + 1
    assert not played.withdrawals and not played.absences
    points = {line.player: line.half_points for line in standings(played)}
    assert points == half_points | {first[0]: half_points[first[0]] + 2}


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("24/10/2013 - 26/10/2013", ("2013-10-24", "2013-10-26")),
        ("24-26/10/2013", ("2013-10-24", "2013-10-26")),
        ("24.-26.10.2013", ("2013-10-24", "2013-10-26")),
        ("30/04-02/05/1999", ("1999-04-30", "1999-05-02")),
        ("24 & 25/10/2013", ("2013-10-24", "2013-10-25")),
        ("1/2/98", ("1998-02-01", None)),
        ("10/24/2013", ("2013-10-24", None)),
        ("2013-10-24", ("2013-10-24", None)),
        ("20131024", ("2013-10-24", None)),
        ("October 24, 2013", ("2013-10-24", None)),
        ("24th-26th Oct 2013", ("2013-10-24", "2013-10-26")),
        ("le 5 août 1999", ("1999-08-05", None)),
        ("10. května 2003", ("2003-05-10", None)),
        ("2013年10月24日", ("2013-10-24", None)),
        ("31/02/2013", (None, None)),
        ("1987", (None, None)),
        ("Oct 2013", (None, None)),
    ],
)
def test_days_as_people_write_them(text: str, days: tuple[str | None, str | None]) -> None:
    assert written_days(text) == days
