"""Shapes of files in the WOF rating list's public archive, 1977 to 2026, with nobody's name and made results."""

from __future__ import annotations

import pytest

from hub.console.player_lists import players_of
from hub.formats.elo.reader import elo_reading
from hub.formats.elo.writer import write_elo
from hub.formats.reading import ReadTournament, Source, group_alike
from hub.formats.spreadsheets.understood import Answers
from hub.ranking.standings import standings

LIST = """%_%   12, ALFA, Ann, {a}, 2, 90
%_%    7, BETA, Bo, {b}, 1, 70
%_%  345, GAMMA, Cid, {c}, 0, 32
"""
ROUNDS = """%Round: 1
    12 (40)>(24)     7  B
%Round: 2
     7 (36)>(28)   345  B
%Round: 3
   345 (14)<(50)    12  B
"""


def read(text: str) -> ReadTournament:
    return elo_reading(text.encode())


def points(reading: ReadTournament) -> dict[str, float]:
    return {line.player: line.half_points / 2 for line in standings(reading.tournament)}


def names(reading: ReadTournament) -> dict[str, tuple[str, str]]:
    return {player.id: (player.name, player.country) for player in reading.tournament.players}


THREE = {"12": ("ALFA, Ann", "FRA"), "7": ("BETA, Bo", "GBR"), "345": ("GAMMA, Cid", "JPN")}
ANONYMOUS = {player: (name, "") for player, (name, _) in THREE.items()}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("%_% 12, FRA, ALFA, Ann\n%_% 7, GBR, BETA, Bo\n%_% 345, JPN, GAMMA, Cid\n", THREE),
        (
            "%_% 12, FRA, ALFA, Ann, 2, 90\n%_% 7, GBR, BETA, Bo, 1, 70\n%_% 345, JPN, GAMMA, Cid, 0, 32\n",
            THREE,
        ),
        (
            "% ID, COUNTRY, NAME, Firstname\n%_% 12, FRA, ALFA, Ann\n%_% 7, GBR, BETA, Bo\n%_% 345, JPN, GAMMA, Cid",
            THREE,
        ),
        (
            "% ID, Firstname, NAME, COUNTRY\n%_% 12, Ann, ALFA, FRA\n%_% 7, Bo, BETA, GBR\n%_% 345, Cid, GAMMA, JPN",
            THREE,
        ),
        (
            "% NAME, Firstname, COUNTRY, ID\n%_% ALFA, Ann, FRA, 12\n%_% BETA, Bo, GBR, 7\n%_% GAMMA, Cid, JPN, 345",
            THREE,
        ),
        ("%_% 1, 12, ALFA, Ann, FRA\n%_% 2, 7, BETA, Bo, GBR\n%_% 3, 345, GAMMA, Cid, JPN\n", THREE),
        ("%_% ID,\tNAME,\tFirstname,\tCOUNTRY\n" + LIST.format(a="FRA", b="GBR", c="JPN"), THREE),
        (
            "%\tID,\tFAMILY NAME,\tFirstname,\tCOUNTRY,\tScore,\tMBQ\tID again\n"
            + LIST.format(a="FRA", b="GBR", c="JPN").replace("2, 90", "2  90.5").replace("BETA,", "BETA"),
            THREE | {"7": ("BETA Bo", "GBR")},
        ),
        ("%_% 12, ALFA, Ann (FRA)\n%_% 7, BETA, Bo (GBR)\n%_% 345, GAMMA, Cid (JPN)\n", THREE),
        ("%_%;12;ALFA;Ann;FRA;2,0;90\n%_%;7;BETA;Bo;GBR;1,0;70\n%_%;345;GAMMA;Cid;JPN;0,0;32\n", THREE),
        (
            "%pays = FRA\n%_% 12 ALFA, Ann\n%pays = GBR\n%_% 7 BETA, Bo\n%pays = JPN\n%_% 345 GAMMA, Cid\n",
            THREE,
        ),
        (LIST.format(a="FRA", b="GBR", c="JPN").replace("2, 90", "2? 90"), THREE),
        ("% ID, NAME, Firstname\n" + LIST.format(a="FRA", b="GBR", c="JPN"), THREE),
        (
            "% ID, Family_Name, Firstname, COUNTRY, Score, MBQ\n"
            + LIST.format(a="FRA", b="GBR", c="JPN").replace(" 90", " 446.0"),
            THREE,
        ),
        (LIST.format(a="?", b="?", c="?"), ANONYMOUS),
        ("%players\n%1 12\tALFA\tAnn\n%2 7\tBETA\tBo\n%3 345\tGAMMA\tCid\n", ANONYMOUS),
        ("%1. 12 ALFA, Ann  2/3\n%2. 7 BETA, Bo  1/3\n%3. 345 GAMMA, Cid  0/3\n", ANONYMOUS),
        ("%01 00012 ALFA, Ann    %_<2238>\n%02 00007 BETA, Bo\n%03 00345 GAMMA, Cid\n", ANONYMOUS),
        ("%ALFA, Ann [id: 12]\n%BETA, Bo [id:7]\n%GAMMA, Cid (345)\n", ANONYMOUS),
        ("%players\n%1 ALFA, Ann[id: 12]\n%2 BETA, Bo [id: 7]\n%3. GAMMA, Cid [id: 345]\n", ANONYMOUS),
        ("%12 ALFA, Ann 2.5/3\n%7 BETA, Bo\n%345 GAMMA, Cid 1 + 2 + 0\n", ANONYMOUS),
        ("%A1 12\tALFA\tAnn\n%B1 7\t\tBETA\tBo\n%C10 345\tGAMMA\tCid\n", ANONYMOUS),
        (
            "% ID, Family_Name, Firstname, COUNTRY, Rank\n"
            "%_% 12, ALFA, Ann, FRA, 1\n%_% 7, BETA, Bo, GBR, 2-3\n%_% 345, GAMMA, Cid, JPN\n",
            THREE,
        ),
        (
            "%_% 12, ALFA, Ann, ,FRA, 2, 90\n%_% 7, BETA, Bo, GBR, 1, 70\n%_% 345, GAMMA, Cid, JPN, 0, 32\n",
            THREE,
        ),
    ],
)
@pytest.mark.parametrize("behind", [False, True])
def test_the_columns_of_a_list(rows: str, expected: dict[str, tuple[str, str]], behind: bool) -> None:
    reading = read(f"{ROUNDS}\n{rows}\n" if behind else f"{rows}\n{ROUNDS}")
    assert names(reading) == expected
    assert reading.notes == ()
    assert {player.rating for player in reading.tournament.players} <= {None, 2238}


def test_surnames_as_short_as_codes_are_no_countries() -> None:
    rows = "%_% 12, LI, Ann\n%_% 7, NG, Bo\n%_% 345, KIM, Cid\n"
    assert names(read(rows + ROUNDS)) == {"12": ("LI, Ann", ""), "7": ("NG, Bo", ""), "345": ("KIM, Cid", "")}


@pytest.mark.parametrize("mark", ["%_%", "%"])
def test_given_names_in_capitals_are_no_countries(mark: str) -> None:
    rows = f"{mark} 12, ALFA, ANN\n{mark} 7, BETA, BO\n{mark} 345, GAMMA, Cid\n"
    assert names(read(rows + ROUNDS)) == {
        "12": ("ALFA, ANN", ""),
        "7": ("BETA, BO", ""),
        "345": ("GAMMA, Cid", ""),
    }


FINALS = """3/4|5/6:|Semis|Quarters|QF|Quarter-finals|Quarterfinal|Round of 16|3rd/4th Match|
Final|%Final results|Finals|Finals: 1|Finals round 1|Day 2 - division 1 - Final|Grand Final|Finalissima|Finaali|SF|
Demi-finales|Semi-finals|Semifinali|Halbfinale|Wielki finał|3/4 play-off|3/4 Playoff|%4th place playoff|
Play off|Third place|3rd place|Finale 3 posto|3.-4. place|Platz 3|Spiel um Platz 3|Bronze match|
Consolation final|Match for third place|準決勝|3位決定戦|Final (best of three)"""


@pytest.mark.parametrize("heading", [heading.strip() for heading in FINALS.split("|")])
def test_games_of_the_finals_belong_to_no_round(heading: str) -> None:
    reading = read(f"{ROUNDS}\n%{heading}\n 12 (20)<(44) 7 B\n 7 (30)<(34) 12 B\n")
    assert len(reading.tournament.rounds) == 3
    added = reading.tournament.added_results or ()
    assert [result.sign for result in added] == ["<", "<"]
    assert points(reading) == {"12": 3, "7": 2, "345": 1}, "each had a bye"
    assert reading.notes == ()


@pytest.mark.parametrize("heading", ["%Rounds ", "Swiss", "Group A", "Preliminary rounds", "Round: 1"])
def test_rounds_may_stand_behind_the_finals(heading: str) -> None:
    reading = read(f"%Final\n12 (40)>(24) 7 B\n\n%{heading}\n7 (40)>(24) 345 B\n12 (41)>(23) 8 B\n")
    assert [len(round_.games) for round_ in reading.tournament.rounds] == [2]
    assert len(reading.tournament.added_results or ()) == 1


@pytest.mark.parametrize(
    "mark",
    ["%%Day 1 - round {}", "%Day 2 - division 1 - round {}", "%Round{}", "% {} rd", "%24.10. Round {}"],
)
def test_a_round_is_marked_behind_something_else(mark: str) -> None:
    lines = "".join(
        f"{mark.format(n)}\n12 (40)>(24) 7 B\n8 (40)>(24) 9 B\n% the same table\n" for n in (1, 2)
    )
    assert [len(round_.games) for round_ in read(lines).tournament.rounds] == [2, 2]


@pytest.mark.parametrize(
    ("remark", "byes"),
    [
        *(("%345 had a bye", ("345",)), ("% 345 and 12 bye", ("345", "12")), ("% bye: 345", ("345",))),
        *(("345 - bip", ("345",)), ("345 >      0", ("345",)), ("%345 left the tournament", ())),
        *(("% 2 byes in all, 3 people away", ()), ("%345 withdrew", ())),
    ],
)
def test_who_had_a_bye_is_told(remark: str, byes: tuple[str, ...]) -> None:
    reading = read(
        f"%Round 1\n7 (40)>(24) 12 B\n345 (40)>(24) 8 B\n9 (33)>(31) 5 B\n%Round 2\n9 > 5\n7 > 8\n{remark}\n"
    )
    assert reading.tournament.rounds[1].byes == byes
    assert {player.id: player.name for player in reading.tournament.players} == dict.fromkeys(
        ("7", "12", "345", "8", "9", "5"), ""
    )


def test_nobody_had_a_bye_in_rounds_that_the_file_does_not_have() -> None:
    """A team match: everybody plays everybody, in the order of one player."""
    reading = read("12 > 7\n12 > 345\n7 > 345\n7 < 12\n345 > 12\n345 < 7\n")
    assert points(reading) == {"12": 3, "7": 2, "345": 1}


def test_points_of_a_list_made_before_the_first_round_say_nothing() -> None:
    rows = (
        LIST.format(a="F", b="GB", c="J")
        .replace(" 2, 90", " 0, 0")
        .replace(" 1, 70", " 0, 0")
        .replace(" 0, 32", " 0, 0")
    )
    reading = read(rows + ROUNDS)
    assert points(reading) == {"12": 3, "7": 2, "345": 1}
    assert not reading.tournament.withdrawals


def test_one_player_without_a_number_is_told_by_the_list_and_several_are_left_out() -> None:
    rows = LIST.format(a="FRA", b="GBR", c="JPN").replace(" 345,", "?????,")
    reading = read(rows + ROUNDS.replace("345", "?????"))
    assert names(reading)["900001"] == ("GAMMA, Cid", "JPN")
    assert points(reading) == {"12": 2, "7": 1, "900001": 0}
    assert [note.line for note in reading.notes] == [3]
    several = read(rows.replace("  7,", "???,") + ROUNDS.replace("345", "?????"))
    assert {note.line for note in several.notes} == {2, 3, 5, 7, 9}
    assert {"900001", "900002", "12"} <= {player.id for player in several.tournament.players}


def test_parts_that_are_no_rounds_stay_apart() -> None:
    play_off, everybody = "12 (40)>(24) 7\n12 (41)>(23) 7\n", "12 (42)>(22) 7\n7 (43)>(21) 345\n"
    reading = read(f"%Round PO\n{play_off}\n%Round RR\n{everybody}")
    assert [[game.score for game in round_.games] for round_ in reading.tournament.rounds] == [
        [(40, 24)],
        [(41, 23)],
        [(42, 22)],
        [(43, 21)],
    ]


def test_the_same_result_of_a_match_again_is_another_game() -> None:
    reading = read("%Champion against challenger\n12 (64)>(00) 7\n12 (64)>(00) 7\n12 (64)>(00) 7\n")
    assert len(reading.tournament.rounds) == 3 and points(reading) == {"12": 3, "7": 0}


def test_a_second_tournament_in_the_file_is_named_and_not_mixed_with_the_first() -> None:
    reading = read(f"%%Tournament: One\n{ROUNDS}%%Tournament: Two\n{ROUNDS}")
    assert len(reading.tournament.rounds) == 3
    assert [str(note) for note in reading.notes] == ['8: another tournament begins, "Two": not read']


def test_a_page_of_the_web_around_it_is_nothing() -> None:
    page = (
        "<html><body><pre>\n"
        + (LIST.format(a="FRA", b="GBR", c="JPN") + ROUNDS).replace("<", "&lt;")
        + "</pre>"
    )
    reading = read(page)
    assert names(reading) == THREE and reading.notes == ()


def test_no_rating_is_written_as_0() -> None:
    reading = read("%_% 12, ALFA, Ann, FRA, 1, 40, 0\n%_% 7, BETA, Bo, GBR, 0, 24, -1307\n12 (40)>(24) 7 B\n")
    assert [player.rating for player in reading.tournament.players] == [None, -1307]
    reading = read(
        "%_% 12, ALFA, Ann, FRA, 1, 40, 17140\n%_% 7, BETA, Bo, GBR, 0, 24, 1500\n12 (40)>(24) 7 B\n"
    )
    assert [player.rating for player in reading.tournament.players] == [None, 1500]
    assert str(reading.notes[0]).startswith("1: rating: expected a number from -5000 to 5000, got 17140")


def test_an_old_macintosh_writes_its_own_letters() -> None:
    data = "%_% 12, ØSTBY, Zoé, NOR\r12 (40)>(24) 7 B\r".encode("mac_roman")
    assert elo_reading(data).tournament.players[0].name == "ØSTBY, Zoé"


def test_who_came_late_to_the_rounds_of_a_file_is_there_when_its_players_begin_anew() -> None:
    played = (
        LIST.format(a="FRA", b="GBR", c="JPN")
        + "%Round: 1\n12 > 7\n%Round: 2\n12 > 345\n%Round: 3\n7 > 345\n"
    )
    assert [player.from_round for player in read(played).tournament.players] == [1, 1, 2]
    chosen = players_of(Source("any.ELO", played.encode()), "", Answers(), None)
    assert isinstance(chosen, ReadTournament)
    assert [player.from_round for player in chosen.tournament.players] == [1, 1, 1]


def test_results_in_comments_are_the_forfeits_of_those_who_have_no_other_game() -> None:
    """The list does not rate them; the players' points count them, and nobody had a bye for them."""
    reading = read(
        LIST.format(a="FRA", b="GBR", c="JPN").replace(" 0, 32", "0.5, 32")
        + "%_% 8, DELTA, Di, ITA, 0.5, 32\n%Round: 1\n12 (40)>(24) 7 B\n%  345 (32)=(32) 8 B\n"
        + "%Round: 2\n7 (36)>(28) 345 B\n% 12 (64)>(00) 8 B\n% 7 (20)<(44) 12 B\n"
        + "%Round: 3\n% 12 (40)>(24) 345 B\n"
    )
    rounds = [
        [(game.black, game.white, game.score, game.reason) for game in round_.games]
        for round_ in reading.tournament.rounds
    ]
    assert rounds == [
        [("12", "7", (40, 24), "board"), ("345", "8", (32, 32), "forfeit")],
        [("7", "345", (36, 28), "board"), ("12", "8", (64, 0), "forfeit")],
        [],
    ]
    assert points(reading) == {"12": 2, "7": 1, "345": 0.5, "8": 0.5}
    assert [str(note) for note in reading.notes] == [
        "7: a result in a comment: entered as a forfeit",
        "10: a result in a comment: entered as a forfeit",
        "13: a result in a comment: left out",
    ]
    assert elo_reading(write_elo(reading.tournament)).tournament.rounds == reading.tournament.rounds


@pytest.mark.parametrize(
    ("printed", "notes"),
    [
        (LIST.replace(" 2,", " 2.5,"), ["1: player 12: 2.5 points in the list, 2 in the rounds"]),
        (
            LIST.replace(" 2,", " 9,").replace(" 1,", " 8,"),
            ["1: the list's points are not those of the rounds: 2 of 3 players differ"],
        ),
        (LIST.replace(" 2,", " 3,"), []),
    ],
)
def test_points_of_the_list_that_the_rounds_do_not_give_are_named(printed: str, notes: list[str]) -> None:
    """Those that the finals explain are right."""
    reading = read(printed.format(a="FRA", b="GBR", c="JPN") + ROUNDS + "%Final\n12 (40)>(24) 7 B\n")
    assert [str(note) for note in reading.notes] == notes


def test_games_of_finals_stay_apart_where_nobody_came_to_the_rounds() -> None:
    rounds = "%Round: 1\n\n% no-show: 12 (64)>(00) 7 B\n\n%%Added results\n\n12 (32)>(32) 7 B\n"
    reading = read(LIST.format(a="FRA", b="GBR", c="JPN") + rounds)
    assert [[game.reason for game in round_.games] for round_ in reading.tournament.rounds] == [["forfeit"]]
    assert len(reading.tournament.added_results or ()) == 1


def test_a_match_for_third_place_is_no_round() -> None:
    """A file of 2003 has it under `%%Round: 11`."""
    for heading in ("%%Match 3/4", "%match 5/6", "%3/4", "%%Finale", "%Play off"):
        reading = read(f"%%Round: 1\n\n 12 > 34\n 56 < 78\n\n{heading}\n  12 <   34\n")
        assert points(reading) == {"12": 1, "34": 0, "56": 0, "78": 1}, heading
        assert len(reading.tournament.added_results or ()) == 1


def test_a_newcomer_in_a_comment_is_new() -> None:
    """A file of 2012 has players without `%_%`, some with a word behind the name."""
    reading = read("%Round1\n 12 (40)>(24) 34\n\n%1 12 ALFA Ann\n%2 34  BETA Bo NEW\n")
    assert [(player.name, player.new) for player in reading.tournament.players] == [
        ("ALFA Ann", False),
        ("BETA Bo", True),
    ]


def test_who_misses_several_rounds_on_end_was_away_and_not_free() -> None:
    """Somebody in a file of 2012 without a list joined for the second day, and was free in each round of the first."""
    day_one = "".join(f"%Round {n}\n12 (40)>(24) 34\n56 (40)>(24) 78\n\n" for n in (1, 2))
    reading = read(f"{day_one}%Day 2 - round 1\n90 (40)>(24) 12\n34 (40)>(24) 56\n")
    assert points(reading)["90"] == 1
    assert {player.id: player.from_round for player in reading.tournament.players}["90"] == 3


@pytest.mark.parametrize("mark", ["%Division 2\n", ""])
@pytest.mark.parametrize(
    ("other", "rounds", "noted"),
    [("78", 2, "a division beside the first"), ("12", 4, "entered as later rounds")],
)
def test_rounds_that_are_counted_anew_are_another_divisions_or_later_ones(
    mark: str, other: str, rounds: int, noted: str
) -> None:
    first = "%Round: 1\n12 (40)>(24) 34\n%Round: 2\n12 (41)>(23) 34\n"
    reading = read(f"{first}{mark}%Round: 1\n56 (40)>(24) {other}\n%Round: 2\n56 (42)>(22) {other}\n")
    assert len(reading.tournament.rounds) == rounds and sum(points(reading).values()) == 4
    assert [noted in str(note) for note in reading.notes] == [True]


def test_half_a_point_may_lack_its_nought() -> None:
    reading = read(
        "%_% 12, ALFA, Ann, FRA, .5, 32\n%_% 34, BETA, Bo, FRA, 0.5, 32\n\n%Round 1\n12 (32)=(32) 34\n"
    )
    assert names(reading) == {"12": ("ALFA, Ann", "FRA"), "34": ("BETA, Bo", "FRA")} and not reading.notes


def test_each_line_is_named_and_a_page_says_once_what_is_the_same_of_many() -> None:
    lines = "".join(f"{number} > {number + 1}\n" for number in range(10, 30, 2))
    reading = read(f"%Round 1\n{lines}nonsense here\n98 > 99\n")
    assert [note.line for note in reading.notes] == list(range(2, 14))
    assert [str(note) for note in group_alike(reading.notes)] == [
        "2: a result without discs: entered as 33-31; the same in lines 3-11, 13",
        '12: expected a result as 3752 (42)>(22) 1024 B, got "nonsense here": left out',
    ]
