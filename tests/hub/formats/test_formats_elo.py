"""The WOF rating list's `.ELO` files, in and out."""

from __future__ import annotations

import dataclasses
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hub.form.tournament import tournament_from_json
from hub.formats.elo.reader import elo_reading
from hub.formats.elo.rounds import missed_rounds
from hub.formats.elo.writer import elo_file_name, plain_letters, write_elo
from hub.model.games import FinalPlace, Game, Round
from hub.model.players import Player
from hub.model.tournament import AddedResult, Tournament
from hub.ranking.standings import standings
from hub.text import FormatError


def read_elo(data: bytes, rulebook: str = "woc-2019") -> Tournament:
    return elo_reading(data, rulebook).tournament


TOURNAMENTS = Path(__file__).parents[2] / "data" / "tournaments"

SMALL = b"""%%Tournament: A club's evening
%%Country: Norway
%%Date: 05/11/2026 - 06/11/2026
%%Sender: the secretary

%%Creator: by hand
%        ID, NAME, Firstname, COUNTRY, score, disc-count, rating
%_%      12, NOBODY, Ann, NOR,  2, 72, 1700
%_% +990001, NOBODY, Bo, Jr., NOR, 2, 65
%_%       7, NOBODY, Cid, SWE,  0.5, 87, -
%_%_______
%_% See: elsewhere

%Round: 1

    12 (40)>(24)      7  B

%Round: 2
     7 (31)<(33) 990001  W

%Round: 3
    12 (00)<(64) 990001  B
%%Added results
 990001 (32)<(32)    12 B
"""


def test_players_rounds_colours_dates_and_added_results() -> None:
    read = read_elo(SMALL.replace(b"0.5, 87", b"  1, 87"))
    assert (read.name, read.date) == ("A club's evening", "2026-11-05")
    assert (read.country, read.sender, read.end_date) == ("Norway", "the secretary", "2026-11-06")
    assert read.added_results == (AddedResult("990001", "12", (32, 32), "<"),)
    assert read.players[1] == Player("990001", "NOBODY, Bo, Jr.", "NOR", "NOR", from_round=2, new=True)
    assert (read.players[0].rating, read.players[2].rating) == (1700, None)
    assert read.rounds[1].games == (Game("990001", "7", (33, 31)),)


def test_byes_and_missed_rounds_follow_from_the_points_told() -> None:
    read = read_elo(SMALL.replace(b"0.5, 87", b"  1, 87"))
    assert [round_.byes for round_ in read.rounds] == [(), ("12",), ("7",)]
    assert read.players[1].from_round == 2  # two wins, two points: the first round was missed
    assert {line.player: line.points for line in standings(read)} == {"12": 2, "990001": 2, "7": 1}
    gone = read_elo(SMALL.replace(b"0.5, 87", b"  0, 55"))
    assert [(w.player, w.after_round) for w in gone.withdrawals] == [("7", 2)]


def test_a_bye_goes_to_the_round_in_which_nobody_else_has_one() -> None:
    rounds = [
        Round((Game("3", "4", (40, 24)),)),
        Round((Game("2", "3", (40, 24)),)),
        Round((Game("1", "2", (40, 24)),)),
    ]
    missed = missed_rounds(("1", "2", "3", "4"), rounds, {"1": 4, "2": 4, "3": 2, "4": 0})
    assert missed.byes == {1: ("2",), 2: ("1",)}
    assert missed.absent == ()
    assert set(missed.withdrawn) == {("4", 1), ("3", 2)}
    assert missed.from_round == (("1", 2),)


def test_without_comments_a_round_ends_where_a_player_comes_again() -> None:
    lines = b"1 (40)>(24) 2 B\n3 (33)>(31) 4 B\n1 (40)>(24) 3\n2 (32)=(32) 4 B\n"
    read = read_elo(b"%%Tournament: x\n%%Country: y\n%%Date: z\n%%Sender: w\n" + lines)
    assert [len(round_.games) for round_ in read.rounds] == [2, 2]
    assert read.date is None


@pytest.mark.parametrize("name", ["woc-2013", "woc-2018", "woc-2023", "eoc-2025"])
def test_real_tournaments_written_and_read_back_are_the_same(name: str) -> None:
    value = json.loads(gzip.decompress((TOURNAMENTS / f"{name}.json.gz").read_bytes()))
    played = tournament_from_json(value["tournament"] | {"added_results": value["added_results"]})
    back = read_elo(write_elo(played), played.rulebook)
    assert back.rounds == played.rounds
    assert back.added_results == played.added_results
    assert (back.country, back.sender, back.end_date) == (played.country, played.sender, played.end_date)
    assert {p.id: p.country for p in back.players} == {p.id: p.country for p in played.players}
    assert [line.player for line in standings(back)] == [p.id for p in back.players]
    assert write_elo(back) == write_elo(played)


def test_written_as_the_list_wants_it() -> None:
    played = Tournament(
        rulebook="usoa",
        players=(Player("12", "Müller-Øst, Zoë", "DEU", rating=1700), Player("guest", "石川", "JPN")),
        rounds=(
            Round((Game("12", "guest", (32, 31), "default"),)),
            Round((Game("guest", "12", (0, 64), "forfeit"),)),
            Round((Game("guest", "12"),)),
            Round((), ("12",)),
        ),
        name="  8th Düsseldorf Open: the long one of the year!",
        date="2026-11-05",
        finals=(Game("12", "guest", (32, 32), final=FinalPlace("open", "final"), draw_win="guest"),),
        country="Germany",
        sender="me",
        end_date="2026-11-06",
    )
    assert elo_file_name(played) == "20261105_8th_Dusseldorf_Open_the_long_o.ELO"
    assert elo_file_name(dataclasses.replace(played, name="")) == "20261105_TOURNAMENT.ELO"
    assert write_elo(played).decode("ascii") == (
        "%%Tournament: 8th Dusseldorf Open: the long one of the year!\n"
        "%%Country: Germany\n"
        "%%Date: 05/11/2026 - 06/11/2026\n"
        "%%Sender: me\n"
        "\n"
        "%%Creator: Flagfall\n"
        "\n"
        "%        ID, NAME, Firstname, COUNTRY, score, disc-count, rating\n"
        "%_%      12, Muller-Ost, Zoe, DEU,  3, 128, 1700\n"
        "%_% +990001, ??, , JPN,  0, 31\n"
        "\n%Round: 1\n\n"
        "    12 (32)>(31) 990001  B\n"
        "\n%Round: 2\n\n"
        "% no-show: 990001 (00)<(64)     12  B\n"
        "\n%Round: 3\n\n"
        "% being played: 990001 - 12\n"
        "\n%Round: 4\n\n"
        "\n%%Added results\n\n"
        "    12 (32)<(32) 990001  B\n"
    )
    (noted, *_) = elo_reading(write_elo(played), "woc-2019").notes
    assert str(noted) == "14: 32-31 is not 64 discs: entered as 33-31"
    assert len(read_elo(write_elo(played), "usoa").rounds) == 4


@given(st.text(max_size=20))
def test_plain_letters_are_printable_ascii(text: str) -> None:
    assert all(" " <= letter <= "~" for letter in plain_letters(text))


FIRST = b"12 (40)>(24)      7  B"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (FIRST, b"12 (40)<(24) 7 B", "16: the sign < between 40 and 24: entered as 24-40"),
        (FIRST, b"12 (40)>(20) 7 B", "16: 40-20 is not 64 discs: entered as 44-20"),
        (FIRST, b"12 (50)>(24) 7 B", "16: 50-24 is more than 64 discs: entered as 33-31"),
        (FIRST, b"12 > 7", "16: a result without discs: entered as 33-31"),
        (FIRST, b"12 - 7", "16: expected a result as 3752 (42)>(22) 1024 B, got"),
        (FIRST, b"12 (40)>(24) 12 B", "16: player 12 against themselves: left out"),
        (FIRST, b"12 (40)>(24) 7 B nonsense", '16: expected nothing behind the result, got "nonsense"'),
        (FIRST, FIRST + b"\n7 (24)<(40) 12 W", "17: the same game stands before: left out"),
        (FIRST, FIRST + b"\n12 (40)>(24) 8 B", "17: a player has a game in this round already"),
        (FIRST, FIRST + b"\n12 (40)>(24) 8 B", "17: player 8 is not in the list"),
        (b"%_%       7,", b"%_%      12,", "10: player 12 stands in the list before: left out"),
        (b"05/11/2026 - 06/11/2026", b"in autumn", '3: the date "in autumn" is not certain: left out'),
    ],
)
def test_what_is_not_certain_is_named_by_its_line_and_the_rest_is_read(
    old: bytes, new: bytes, expected: str
) -> None:
    assert old in SMALL
    reading = elo_reading(SMALL.replace(old, new))
    assert any(str(note).startswith(expected) for note in reading.notes), reading.notes
    assert {"12", "990001"} <= {player.id for player in reading.tournament.players}
    assert len(reading.tournament.rounds) >= 3


def test_a_file_of_something_else() -> None:
    with pytest.raises(FormatError, match="expected players or results"):
        read_elo(b"x" * 3000)
    with pytest.raises(FormatError, match="expected players or results"):
        read_elo(b"\n%nothing\n")


@given(st.binary(max_size=40), st.integers(0, len(SMALL)), st.integers(0, len(SMALL)))
@example(damage=b"", where=0, cut=len(SMALL))
def test_damaged_files_are_read_or_refused_in_one_line(damage: bytes, where: int, cut: int) -> None:
    try:
        read = read_elo(SMALL[:where] + damage + SMALL[where + cut :])
    except FormatError as fault:
        assert str(fault).isprintable()
    else:
        read_elo(write_elo(read))


NAMES = st.sampled_from(("NOBODY, Ann", "KIM, LEE", "O'NIL, Bo", "VAN DE NOBODY, Cid", "SOLO"))
PLAYED = st.tuples(st.integers(0, 64), st.sampled_from(("board", "board", "forfeit", "unknown")))


@given(st.data(), st.integers(2, 7), st.integers(1, 4))
def test_what_is_written_is_read_back_the_same(drawn: st.DataObject, count: int, number: int) -> None:
    """Players, games in their order, forfeits in comments, results without discs, byes; nothing else is noted."""
    players = tuple(
        Player(
            str(100 + i), drawn.draw(NAMES), country, country, rating=drawn.draw(st.none() | st.just(1500))
        )
        for i in range(count)
        for country in [drawn.draw(st.sampled_from(("FRA", "GBR", "")))]
    )
    rounds = []
    for _ in range(number):
        order = drawn.draw(st.permutations([player.id for player in players]))
        games = []
        for black, white in zip(order[::2], order[1::2], strict=False):
            discs, kind = drawn.draw(PLAYED)
            if kind == "forfeit":
                games.append(Game(black, white, (64, 0) if discs > 31 else (0, 64), kind))
            elif kind == "unknown":
                games.append(Game(black, white, (33, 31), discs="unknown"))
            else:
                games.append(Game(black, white, (discs, 64 - discs)))
        rounds.append(Round(tuple(games), tuple(order[len(order) - len(order) % 2 :])))
    event = Tournament("woc-2019", players, tuple(rounds), name="Event", rounds_planned=number)
    reading = elo_reading(write_elo(event))
    read = reading.tournament
    assert {p.id: (p.name, p.country, p.rating) for p in read.players} == {
        p.id: (p.name, p.country, p.rating) for p in players
    }
    assert read.rounds == event.rounds
    assert all("discs" in str(note) or "in a comment" in str(note) for note in reading.notes)
