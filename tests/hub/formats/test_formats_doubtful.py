"""A file with odd lines: which of them cost a cell or a line, and what the console asks before it keeps anything."""

from __future__ import annotations

import html
from typing import Any

import pytest
from helpers.console_director import Here, director_at, shown_answers
from helpers.spreadsheets import noted, packed, tables, written

from hub.console.pages import event as event_pages
from hub.console.player_lists import read_tournament
from hub.formats.papp import joueurs_reading
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.text import FormatError

THIRTY_NINE = "".join(f"{number},P{number}\n" for number in range(101, 140))


@pytest.mark.parametrize(
    ("table", "odd", "expected"),
    [
        ("id,name,rating\n1,A,many\n", "A", '2: rating: expected a number, got "many": entered without it'),
        ("id,name,born\n1,A,2011\n", "A", "2: born: the year alone is told: entered as its first day"),
        (
            "id,name,rating\n1,A,39757\n",
            "A",
            "2: rating: expected a number from -5000 to 5000, got 39757: entered without it",
        ),
        ("id,name,additional\n1,A,perhaps\n", "A", "2: additional: expected true or false"),
        ("id,name,from_round\n1,A,last\n", "A", "2: from_round: expected a whole number from 1"),
        ("id,name,withdrawn_after\n1,A,x\n", "A", "2: withdrawn_after: expected a whole number"),
        ("id,name,gender\n1,A,who\n", "A", "2: gender: expected one of f, m, x"),
        ("id,name,rating\n1.5,A,\n", "A", "2: id: expected a number, no fraction and no day, got 1.5"),
        ("id,name,rating\n2026-10-24,A,\n", "A", "2: id: expected a number, no fraction and no day"),
        ("id,name,rating\n101,A,\n", "A", "3: player 101 stands in the list before: left out"),
        (f"id,name,rating\n{'9' * 70},A,\n", "A", "2: id: expected all digits of a number, at most 10"),
        ("id,name,rating\n,,1500\n", None, "2: expected an id or a name: left out"),
        ("id,name,rating\n1,A,1500,more\n", "A", '2: behind the last column: left out: "more"'),
        (
            "id,name,rating\n1,AMBER, Ann,1500\n",
            "AMBER, Ann",
            "2: one cell too many: the name is entered as AMBER, Ann",
        ),
        ("id,name,rating,name\n1,A,1500,B\n", "A", "1: the second column name: left out"),
        ('id,name,rating\n1,"A,1500\n', "A", "2: a quotation mark without its other one: read without"),
        ("id,name,rating\ntotal 13,,\n", None, '2: a total, no player: left out: "total 13"'),
        (
            "id,name,rating\n,Ann AMBER,\n,Ann Amber,\n",
            "AMBER, Ann",
            "3: Ann Amber stands in line 2 too: both are entered",
        ),
    ],
)
def test_one_odd_line_costs_that_cell_or_that_line_and_nobody_else(
    table: str, odd: str | None, expected: str
) -> None:
    reading = tables((table + THIRTY_NINE).encode())
    names = [player.name for player in reading.tournament.players]
    assert {f"P{number}" for number in range(102, 140)} <= {*names}
    assert odd is None or odd in names
    (note,) = noted(reading)
    assert note.startswith(expected)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("x,3,4,40,24,,", 'round: expected a whole number from 1 to 1000, got "x": left out'),
        ("99999,3,4,40,24,,", "round: expected a whole number from 1 to 1000, got 99999: left out"),
        (",3,4,40,24,,", "round: expected a whole number from 1 to 1000, got nothing: left out"),
        ("1,3,4,40,,,", 'score[1]: expected a whole number from 0 to 64, got "": entered without it'),
        ("1,3,4,60,60,,", "score: expected at most 64 discs together, got 60-60: entered without it"),
        ("1,1,4,40,24,,", "player 1 has a game or a bye in this round already: left out"),
        ("1,3,3,40,24,,", "expected two players, or one for a bye: left out"),
        ("1,5,4,40,24,,", "player 5 is not there in round 1: left out"),
        ("1,3,4,40,24,7,", "table 7 stands in this round before: entered without it"),
        ("1,3,4,40,24,,tired", "reason: expected one of board, "),
        ("1,3,99,40,24,,", "player 99 is not in the list: known by number only"),
    ],
)
def test_one_odd_result_costs_that_cell_or_that_line(row: str, expected: str) -> None:
    players = b"id,name,from_round\n1,A,\n2,B,\n3,C,\n4,D,\n5,E,2\n"
    first = "round,black,white,black_score,white_score,table,reason\n1,1,2,40,24,7,\n"
    reading = tables(players, f"{first}{row}\n2,1,3,40,24,,\n".encode())
    assert [len(round_.games) for round_ in reading.tournament.rounds] in ([1, 1], [2, 1])
    (note,) = noted(reading)
    assert note.startswith(f"1.csv: 3: {expected}")


def test_finals_that_cannot_be_are_named_and_the_others_stay() -> None:
    reading = tables(
        b"id,name\n1,A\n2,B\n",
        b"title,stage,black,white,black_score,white_score,draw_win\n"
        b"open,final,1,2,32,32,1\nopen,final,1,1,40,24,\nopen,nowhere,1,2,40,24,\nopen,playoff,1,2,32,32,7\n",
    )
    assert [final.draw_win for final in reading.tournament.finals] == ["1", None]
    assert [note.split(": ", 2)[1] for note in noted(reading)] == ["3", "4", "5", "5"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b"id,name,country\n1,A\x1b[2J\0B,\x07\n2,C,\n"),
        ("a.csv", "id,name\n1,A\u202eB\u2028C\n2,C\n".encode()),
        ("a.elo", b"%%Tournament: T\x07\n%_% 1, A\x1b[2J, \x08B, FRA, 1, 40\n1 (40)>(24) 2 B\n"),
        ("joueurs.txt", b"pays = F\x1bRA\n1 A\x07B %_<1700>\n2 C\n"),
        (
            "a.json",
            b'{"format":"flagfall-tournament/1","rulebook":"open","rounds":[],"name":"\\u001b",'
            b'"players":[{"id":"1","name":"A\\u0007\\u202eB","team":"\\u0000"}]}',
        ),
    ],
)
def test_no_name_of_any_file_controls_a_terminal_or_turns_a_line(name: str, data: bytes) -> None:
    players = read_tournament(name, data).tournament.players
    assert players
    for player in players:
        assert all(text.isprintable() for text in (player.name, player.country, player.team))
        assert player.name == " ".join(player.name.split())


def test_who_makes_a_player_by_hand_makes_a_printable_one() -> None:
    assert Player("1", "A\ud800\tB").name == "A B"
    assert Tournament("open", (), name="A\x1bB").name == "A B"


def test_one_broken_line_of_the_world_list_costs_that_line() -> None:
    data = (
        b"pays = FRA\n1 A, One %_<1700>\nwhat is this\n1 A, Again\n3 C, Three\n"
        + b"x" * 5_000
        + b"\n4 D, Four\n"
    )
    players, notes = joueurs_reading(data)
    assert [player.id for player in players] == ["1", "3", "4"]
    assert [note.line for note in notes] == [3, 4, 6]
    assert "what is this" in str(notes[0]) and "stands before" in str(notes[1])
    with pytest.raises(FormatError, match="line 1"):
        joueurs_reading(b"no list at all\n")


async def test_every_doubtful_line_is_shown_before_anything_is_kept(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_pages, "_ASIDE", Here())
    async with director_at(served) as director:
        odd = ("id,name,rating\n1,A,many\n2,B,1500\n3,C,<b>few</b>\n,,7\n" + THIRTY_NINE).encode()
        form = {"csrf": director.csrf, "name": "Odd", "rulebook": "open", "rounds_planned": "5"}

        async def send(file: bytes | None = None, **more: str) -> Any:
            files = None if file is None else {"file": ("odd.csv", file)}
            return await director.client.post("/desk/new", data={**form, **more}, files=files)

        answer = await send(odd)
        assert answer.status_code == 400 and not director.served.store.states
        page = html.unescape(answer.text)
        for line in (
            'line 2: Rating: expected a number, got "many"',
            "line 4: ",
            "line 5: expected an id or a name",
        ):
            assert line in page
        assert "3 lines to check" in page and "<b>few" not in answer.text
        assert 'value="Odd"' in answer.text and 'value="5"' in answer.text
        assert (await send(seen="another file")).status_code == 400 and not director.served.store.states
        answers = dict[str, Any](shown_answers(answer.text))
        done = await send(**answers)
        assert done.headers["location"] == "/desk/t/odd/draft"
        assert len(director.served.store.states["odd"].tournament.players) == 42
        again = await send(odd, **answers | {"name": "Again"})  # the same file, chosen anew
        assert again.status_code == 303
        mended = await send(odd.replace(b"many", b"1700"), **answers | {"name": "Mended"})
        assert mended.status_code == 400 and "2 lines to check" in mended.text
        for nth in range(5):  # only the last few are kept
            await send(odd + f"200,Z,{nth}x\n".encode(), name="Other")
        answers = dict[str, Any](shown_answers(mended.text))
        late = await send(**answers | {"name": "Late"})
        assert late.status_code == 400


async def test_a_workbook_makes_an_event_and_a_list_with_a_broken_line_is_kept(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_pages, "_ASIDE", Here())

    empty = {"format": "flagfall-tournament/1", "rulebook": "open", "players": [{"id": "1"}, {"id": "2"}]}
    async with director_at(served, {**empty, "rounds": []}) as director:
        sheet = written(("Nom", "Pays", "Elo"), ("Ann", "FRA", 1714), ("Bo", "SWE", 1500))
        form = {"csrf": director.csrf, "name": "From a sheet", "rulebook": "open"}
        made_at = await director.send_list("/desk/new", {"file": ("a.xlsx", sheet)}, **form)
        assert made_at == "/desk/t/from-a-sheet/draft"
        made = director.served.store.states["from-a-sheet"].tournament
        assert [player.name for player in made.players] == ["Ann", "Bo"]
        assert (made.system, made.rounds_planned) == ("double_round_robin", 2)
        broken = b"pays = FRA\n900001 A, One\n2 B, Two\nwhat is this\n"
        answer = await director.client.post(
            "/desk/new/list", data={"csrf": director.csrf}, files={"list": ("joueurs.txt", broken)}
        )
        assert answer.status_code == 400 and "line 4: neither a country nor a player" in answer.text
        seen = {"csrf": director.csrf, **shown_answers(answer.text)}
        assert (await director.client.post("/desk/new/list", data=seen)).status_code == 303
        form["name"] = "After the list"
        await director.send_list("/desk/new", {"file": ("a.xlsx", sheet)}, **form)
        made = director.served.store.states["after-the-list"].tournament
        assert [player.id for player in made.players] == ["900002", "900003"]
        bomb = packed(sheet1=b" " * (64 << 20))
        answer = await director.client.post("/desk/new", data=form, files={"file": ("b.xlsx", bomb)})
        assert answer.status_code == 400 and "at most 32 MB unpacked" in answer.text
