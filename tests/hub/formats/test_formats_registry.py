"""The one table of formats: recognised by bytes, whatever a file is called; who may download what."""

from __future__ import annotations

import datetime
import json

import pytest

from hub.console.player_lists import read_tournament
from hub.formats.reading import Source
from hub.formats.registry import (
    DOWNLOADS,
    FORMATS,
    Audience,
    ReadOptions,
    downloads_for,
    format_of,
    readable,
    writable,
)
from hub.formats.spreadsheets.csv_file import TABLES
from hub.formats.tournament_file import write_tournament
from hub.formats.wthor import WthorGame, write_wtb
from hub.model.players import Player
from hub.model.tournament import Tournament

JOUEURS = b"""% Liste des joueurs par pays
%% 2026/11/01

pays = ARG

280016 NOBODY, Ann                       %_<1714>
   692 NOBODY, Bo                        %_<1489>
"""
SAMPLES = {
    "papp": JOUEURS,
    "elo": b"%%Tournament: Club\n%%Country: NOR\n%_%  12, NOBODY, Ann, NOR, 1, 40, 1700\n12 (40)>(24) 7 B\n",
    "tournament": write_tournament(Tournament("woc-2019", (Player("1"), Player("2")))),
    "papp-work": b'#_Nom-Tournoi "x"\n& +1 +2;\n(1 40 2 24);\nronde-suivante;\n',
    "wthor": write_wtb([WthorGame(3, 1, 2, 64, (37, 43))], 2026, datetime.date(2026, 11, 5)),
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("called", ["list", "list.txt", "list.elo", "LIST.CSV"])
def test_a_file_is_what_it_says_whatever_it_is_called(name: str, called: str) -> None:
    recognised = format_of(called, SAMPLES[name])
    assert recognised is not None and recognised.name == name


def test_what_nobody_recognises_goes_by_its_ending() -> None:
    by_ending = format_of("a.csv", b"id;name\n1;Ann\n")
    assert by_ending is not None and by_ending.name == "csv"
    assert format_of("a.doc", b"id;name\n1;Ann\n") is None


def test_the_world_players_list_begins_with_a_comment_and_is_read() -> None:
    assert [
        (p.id, p.name, p.country) for p in read_tournament("joueurs.txt", JOUEURS).tournament.players
    ] == [("280016", "NOBODY, Ann", "ARG"), ("692", "NOBODY, Bo", "ARG")]
    assert len(read_tournament("list", JOUEURS.replace(b"\n", b"\r")).tournament.players) == 2


def test_every_format_is_read_or_written_and_every_download_has_one_audience() -> None:
    assert set(FORMATS) == {*readable(), *writable()}
    assert downloads_for(Audience.OPERATOR) == ("tournament", "elo", "flip-the-disc-lines", *TABLES)
    assert downloads_for(Audience.EVERYBODY) == ("transcripts", "games", "wthor")
    assert all(download.who in Audience for download in DOWNLOADS.values())


def test_a_rating_of_a_tournament_file_that_is_none_is_left_out_and_told() -> None:
    players = [{"id": "1", "rating": 39757}, {"id": "2", "rating": 1500.5}]
    file = {"format": "flagfall-tournament/1", "rulebook": "open", "players": players, "rounds": []}
    assert FORMATS["tournament"].read is not None
    reading = FORMATS["tournament"].read([Source("", json.dumps(file).encode())], ReadOptions())
    assert [player.rating for player in reading.tournament.players] == [None, 1500.5]
    assert [str(note) for note in reading.notes] == [
        "players[0]: rating: expected a number from -5000 to 5000, got 39757: entered without it"
    ]
