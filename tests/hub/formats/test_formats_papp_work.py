"""Papp's work file: rounds, presence, byes; what is not understood is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.formats.papp import is_work_file, joueurs_reading, read_work_file
from hub.main import main
from hub.model.tournament import Absence, Tournament, Withdrawal
from hub.ranking.standings import standings
from hub.text import FormatError

# As Papp 1.37 writes it: its headings, presence, new players in comments, pairs, results.
WORK = """#########################################
# Papp 1.37, Feb 19 2019
#########################################
#_Nom-Tournoi   = "Spring % #1 Open" ;
#_Nombre-Rondes = 3 ;
#_BQ-double = 6.000000 ;
#_Date = "5/11/2026" ;
#########################################

% Players inscribed for round 1

& +005083 +001492 +280016
  +000007 +000008;

%%  New players, round 1
%
%_%      7 NEWCOMER, Ann\t{F}
%_%      8 NEWCOMER, Bo\t{GB}
%
% End of new players for round 1


% Pairings of round 1

raz-couplage;
(005083 001492);
(280016 000007);
(000008 000000);

% Results of round 1

raz-couplage;
(005083 40    001492 24);
(280016 20    000007 44);
(000008 40    000000 24);
ronde-suivante;

& +005083 +001492 -280016 +000007 +000008;

raz-couplage;
(000007 001492);
(000008 005083 33);
"""
JOUEURS = b"pays = SWE\n  1492 NOBODY, Cy   %_<1720>\n  5083 NOBODY, Di\n"


def read(text: str, known: bytes | None = None) -> Tournament:
    return read_work_file(text.encode(), joueurs_reading(known)[0] if known else ())


def test_the_day_is_read_as_papp_writes_it() -> None:
    played = read(WORK)
    assert (played.date, played.papp_date) == ("2026-11-05", "5/11/2026")


def test_a_tournament_in_its_second_round() -> None:
    tournament = read(WORK, JOUEURS)
    assert (tournament.name, tournament.rounds_planned, tournament.bq_constant) == ("Spring % #1 Open", 3, 6)
    assert [(p.id, p.name, p.country) for p in tournament.players] == [
        ("5083", "NOBODY, Di", "SWE"),
        ("1492", "NOBODY, Cy", "SWE"),
        ("280016", "", ""),
        ("7", "NEWCOMER, Ann", "F"),
        ("8", "NEWCOMER, Bo", "GB"),
    ]
    first, second = tournament.rounds
    assert [(g.black, g.white, g.score) for g in first.games] == [
        ("5083", "1492", (40, 24)),
        ("280016", "7", (20, 44)),
    ]
    assert first.byes == ("8",)
    assert [(g.black, g.white, g.score) for g in second.games] == [
        ("7", "1492", None),
        ("8", "5083", (33, 31)),
    ]
    assert tournament.withdrawals == (Withdrawal("280016", 1),)
    assert {line.player: line.points for line in standings(tournament)}["8"] == 2


def test_late_entries_and_absences_follow_from_who_was_there() -> None:
    rounds = """& +1 +2;
        (1 40 2 24); ronde-suivante;
        & +1 -2 +3;
        raz-couplage; (1 40 3 24); ronde-suivante;
        & +1 +2 +3 +4;
        (2 40 1 24); (3 32 0 32); ronde-suivante;
        """
    tournament = read("raz-couplage;" + rounds)
    assert {p.id: p.from_round for p in tournament.players} == {"1": 1, "2": 1, "3": 2, "4": 4}
    assert tournament.absences == (Absence("2", 2),)
    assert tournament.withdrawals == ()


def test_pairs_of_who_has_left_are_dropped_and_results_said_anew_replace() -> None:
    tournament = read(
        "& +1 +2 +3 +4; (1 2); (3 4); & -4; (3 50 0 14); raz-couplage; (1 33 2 31); ronde-suivante;"
    )
    assert len(tournament.rounds) == 1 and [(g.black, g.score) for g in tournament.rounds[0].games] == [
        ("1", (33, 31))
    ]
    assert Absence("3", 1) not in tournament.absences and tournament.players[2].from_round == 2


def test_a_table_of_all_against_all_tells_the_system() -> None:
    table = "& +1 +2;\nround-robin-table [2] = {\n\t000001 000002\n};\n(1 40 2 24); ronde-suivante;"
    assert read(table).system == "round_robin"
    assert read(table.replace("round-robin-table", "table-toutes-rondes")).system == "round_robin"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("& +1 +2;\nweather = fine;", "line 2: expected a heading"),
        ("& +1 +2;\n\n(1 65 2 0);", "line 3: expected at most 64 discs"),
        ("& +1 +2;\n(1 40 2 20);", "line 2: expected 64 discs together"),
        ("& +1 +2;\n(1 40 3 24);", "line 2: expected a player who is there (& +number), got 3"),
        ("& +1 -2;\n(1 2);", "line 2: expected a player who is there"),
        ("& +1 +2 +3;\n(1 2);\n(3 1);", "line 3: expected a player in one pair of the round, got 1"),
        ("& +1;\n(1 1);", "line 2: expected two different players"),
        ("& +1 +2;\n(1 2);\nronde-suivante;", "line 2: expected a result, as the round ends"),
        ("& +1 two;", "line 1: expected & with +number or -number"),
        ("& +0;", "line 1: expected a number above 0"),
        ("& +1 +2;\n(1 24.5 2 39.5);", "line 2: expected a heading"),
        ("& +1 +2;\n(1 2)", "line 2: expected a semicolon at the end"),
        ("raz-couplage;", "expected players of a work file"),
        ("#_Nombre-Rondes = 1.5 ;\n& +1;", "#_Nombre-Rondes: expected a number of rounds"),
        ("#_BQ-double = 1.2.3 ;\n& +1;", "#_BQ-double: expected a number"),
        ('#_BQ-double = "1e99999999" ;\n& +1;', "#_BQ-double: expected a number"),
        ("& +1\n" + "x\n" * 90_000, "line 1: expected a semicolon at the end"),
        ("x\n" * 110_000, "expected at most 100000 lines"),
        ("%_% 0 NOBODY, {F}\n& +1;", "line 1: expected a number above 0"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(FormatError) as refusal:
        read(text)
    assert str(refusal.value).startswith(message) and "\n" not in str(refusal.value)


def test_the_command_knows_it_from_a_list_of_players(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work, joueurs = tmp_path / "papp-internal-workfile.txt", tmp_path / "joueurs.txt"
    work.write_text(WORK)
    joueurs.write_bytes(JOUEURS)
    assert is_work_file(WORK.encode()) and not is_work_file(JOUEURS)
    assert main(["import", str(work), "--players", str(joueurs)]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["players"][1] == {"id": "1492", "name": "NOBODY, Cy", "country": "SWE", "rating": 1720}
    assert len(output["rounds"]) == 2
    assert main(["import", str(joueurs)]) == 0
    assert json.loads(capsys.readouterr().out)["rounds"] == []
    work.write_text("& +1 +2;\n(1 65 2 0);\nronde-suivante;\n")
    assert main(["import", str(work)]) == 2
    err = capsys.readouterr().err
    assert f"{work}: line 2: expected at most 64 discs" in err and err.count("\n") == 1


PIECES = st.sampled_from(
    [
        *("& ", "+1 ", "-1 ", "+2 ", ";", "\n", "(1 40 2 24)", "(1 0)", "(1 2)", "raz-couplage"),
        *("ronde-suivante", "#_Nom-Tournoi = ", '"', "%", "#", "#_", "%_% 3 X, {F}", "é", "0"),
        "round-robin-table [2] = {1 2}",
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join) | st.text())
def test_any_text_is_a_tournament_or_one_line(text: str) -> None:
    try:
        read(text)
    except FormatError as fault:
        assert "\n" not in str(fault)
