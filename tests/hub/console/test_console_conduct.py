"""Conduct and prizes at the console: on record of a player, out of the room, qualified, told to the players."""

from __future__ import annotations

import csv
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from helpers.console_director import PLAYED, director_at
from helpers.hub_files import tournament_file

from flagfall.base.words import all_words
from flagfall.othello.rulebook import TEXTS, TOLD, rulebook
from hub.console import texts
from hub.console.views.conduct import conduct_lines
from hub.console.views.table_record import RecordLine, TableRecord
from hub.event_words import clauses_at
from hub.record.acts.players import clause_of
from hub.record.fold import fold
from hub.role import Role

ROWS = Path(__file__).parents[3] / "docs" / "clauses.csv"


@pytest.mark.clause("usoa 9.5", "usoa 9.1")
@pytest.mark.parametrize("name", ["usoa"])
async def test_everything_on_record_of_a_player_stands_on_his_page_with_its_clause_until_it_is_taken_back(
    served: Any, name: str
) -> None:
    async with director_at(served, tournament_file(4, rounds=PLAYED, rulebook=name)) as director:
        assert '<p class="hint">None.</p>' in await director.page("player/p1")
        await director.send("player/p1/note", kind="warning", why="late twice")
        await director.send("player/p1/note", 400, kind="warning", why="")
        game = director.game(1, 1)
        await director.send(
            "corrections", game=game.id, change="penalty", player="black", discs="10", why="argued"
        )
        award = director.game(2, 1)  # p3 against p1
        await director.send(
            "corrections", game=award.id, change="award", player="black", why="left the table"
        )
        page = await director.page("player/p1")
        for line in ("Warning</b> 9.1 – late twice", "– argued", "– left the table"):
            assert line in page
        for other in ("p2", "p3"):
            assert '<p class="hint">None.</p>' in await director.page(f"player/{other}")
        undo = next(e.id for e in await director.served.store.entries("open") if e.type == "conduct_noted")
        await director.send("undo", entry=undo)
        assert "late twice" not in await director.page("player/p1")
        assert asdict(fold(await director.served.store.entries("open"))) == asdict(director.state)


@pytest.mark.clause("usoa 9.5")
async def test_incidents_and_penalties_at_tables_are_told_of_their_player_only(served: Any) -> None:
    async with director_at(served, tournament_file(4, rounds=PLAYED, rulebook="usoa")) as director:
        game = director.game(2, 1)  # p3 black, p1 white
        record = TableRecord(
            (
                RecordLine(1, "incident", "misflip", by="white", details="c4"),
                RecordLine(2, "incident", "flag", by="black"),
                RecordLine(3, "incident", "refused", by="white"),
                RecordLine(
                    4, "rule", "adjust_time", by="white", details="seconds -60", who="judge", why="slow"
                ),
                RecordLine(5, "rule", "award", by="white"),
            )
        )
        keys = {
            player: [
                line.key for line in conduct_lines(director.state, player, (), frozenset(), {game.id: record})
            ]
            for player in ("p1", "p3", "p2")
        }
        assert keys == {"p1": ["incident.misflip", "rule.adjust_time"], "p3": ["incident.flag"], "p2": []}


@pytest.mark.clause("woc-2019 V.2.d", "usoa 9.2", "woc-2017 V.2.d", "woc-classic VI.2.d", "cc-2024 VI.2.d")
@pytest.mark.parametrize(
    ("name", "clause"),
    [
        ("woc-2019", "V.2.d"),
        ("woc-2017", "V.2.d"),
        ("woc-classic", "VI.2.d"),
        ("cc-2024", "VI.2.d"),
        ("usoa", "9.2"),
    ],
)
async def test_who_is_expelled_from_the_room_is_named_with_clause_reason_and_end(
    served: Any, name: str, clause: str
) -> None:
    async with director_at(served, tournament_file(4, rounds=PLAYED, rulebook=name)) as director:
        assert "Nobody has been expelled from the room" in await director.page("players")
        await director.send("note", kind="room", person="Ann Onlooker", why="flash", until="end of round 3")
        await director.send("player/p2/note", kind="room", why="shouted")
        page = await director.page("players")
        assert f"Ann Onlooker</b> {clause} · end of round 3 – flash" in page
        assert f"</b> {clause} · permanently – shouted" in page
        assert "shouted" in await director.page("player/p2")
        assert "Ann Onlooker" in await director.page("audit")
        await director.send("note", kind="let_in", person="Ann Onlooker", why="apologised")
        page = await director.page("players")
        assert "flash" not in page and "shouted" in page
        await director.send("note", 400, kind="room", person="", why="x")


@pytest.mark.clause("woc-2019 V.1", "woc-2017 V.1", "woc-classic VI.1", "cc-2024 VI.1")
@pytest.mark.parametrize("name", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
async def test_only_the_director_notes_conduct(served: Any, name: str) -> None:
    async with director_at(
        served, tournament_file(4, rounds=PLAYED, rulebook=name), Role.ASSISTANT
    ) as assistant:
        await assistant.send("player/p1/note", 403, kind="warning", why="x")
        await assistant.send("note", 403, kind="room", person="x", why="x")
        assert assistant.state.conduct == ()


@pytest.mark.clause("woc-2019 I.4.2", "woc-2017 I.4.2", "woc-classic I.3.2", "cc-2024 I.3.2")
@pytest.mark.parametrize(
    ("name", "clause", "word"),
    [
        ("woc-2019", "I.4.2", "consultation"),
        ("woc-2017", "I.4.2", "consultation"),
        ("woc-classic", "I.3.2", "notes"),
        ("cc-2024", "I.3.2", "consultation"),
        ("usoa", "8.2", "reference"),
    ],
)
async def test_before_pairings_are_announced_players_are_told_and_an_abuse_is_put_on_record(
    served: Any, name: str, clause: str, word: str
) -> None:
    async with director_at(
        served, tournament_file(4, rounds=PLAYED, rulebook=name, rounds_planned=3, system="swiss")
    ) as director:
        page = await director.page("draft")
        assert f"<b>{clause}</b> " + texts.TEXTS[f"told.{word}"] in page
        await director.send("player/p4/note", kind="consultation", why="read a telephone")
        assert f"in use</b> {clause} – read a telephone" in await director.page("player/p4")


@pytest.mark.clause("usoa 1.3", "usoa 5.4", "usoa 5.12")
async def test_before_the_start_the_desk_tells_what_the_text_asks_of_players(served: Any) -> None:
    async with director_at(served, tournament_file(4, rulebook="usoa")) as director:
        await director.served.run("publish-round", minutes=30)
        page = await director.page("round")
        assert "<b>1.3</b> Divide the discs equally: 32 each." in page
        assert "<b>5.4</b> Black chooses the side of the clock" in page
        assert "<b>5.12</b> Both players must see the clock" in page


@pytest.mark.clause("jof J3", "jof J7", "jof J24", "jof J25", "jof J29", "jof J30")
async def test_under_the_japanese_rules_players_are_told_of_clock_board_and_hall(served: Any) -> None:
    async with director_at(served, tournament_file(4, rulebook="jof")) as director:
        page = await director.page("draft")
        for clause, word in (("J24", "spectators"), ("J29", "devices"), ("J30", "pictures")):
            assert f"<b>{clause}</b> " + texts.TEXTS[f"told.{word}"] in page
        await director.served.run("publish-round", minutes=20)
        page = await director.page("round")
        for clause, word in (("J3", "clock_side"), ("J7", "clock_view"), ("J25", "clear_board")):
            assert f"<b>{clause}</b> " + texts.TEXTS[f"told.{word}"] in page


def informed() -> list[tuple[str, str]]:
    with ROWS.open(newline="", encoding="utf-8") as lines:
        return [
            (row["rulebook"], row["clause"]) for row in csv.DictReader(lines) if row["class"] == "informed"
        ]


@pytest.mark.clause("woc-2019 I.4.5", "woc-2017 I.4.5", "cc-2024 I.3.5")
@pytest.mark.parametrize(
    ("name", "clause"), [("woc-2019", "I.4.5"), ("woc-2017", "I.4.5"), ("cc-2024", "I.3.5")]
)
async def test_before_the_start_players_are_told_to_leave_the_board_as_it_ends(
    served: Any, name: str, clause: str
) -> None:
    async with director_at(served, tournament_file(4, rulebook=name)) as director:
        await director.served.run("publish-round", minutes=30)
        page = await director.page("round")
        assert f"<b>{clause}</b> " + texts.TEXTS["told.clear_board"] in page


@pytest.mark.clause("woc-2019 I.5", "woc-2017 I.5", "cc-2024 I.3.6")
@pytest.mark.parametrize(("name", "clause"), [("woc-2019", "I.5"), ("woc-2017", "I.5"), ("cc-2024", "I.3.6")])
async def test_spectators_are_asked_for_silence_before_pairings_are_announced(
    served: Any, name: str, clause: str
) -> None:
    file = tournament_file(4, rounds=PLAYED, rulebook=name, rounds_planned=3, system="swiss")
    async with director_at(served, file) as director:
        page = await director.page("draft")
        assert f"<b>{clause}</b> " + texts.TEXTS["told.spectators"] in page


@pytest.mark.parametrize(("name", "clause"), informed())
def test_every_clause_of_which_players_are_informed_is_told_in_every_language(name: str, clause: str) -> None:
    word = rulebook(name).event.told[clause]
    assert TOLD[word] in ("pairing", "start", "standings")
    for words in all_words().values():
        assert words(texts.TEXTS[f"told.{word}"])


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_told_and_noted_names_clauses_of_the_text(name: str) -> None:
    with ROWS.open(newline="", encoding="utf-8") as lines:
        known = {row["clause"] for row in csv.DictReader(lines) if row["rulebook"] == name}
    rules = rulebook(name)
    assert set(rules.event.told) <= known
    for kind in ("warning", "room", "consultation"):
        assert clause_of(rules, kind) in known


@pytest.mark.clause("cc-2024 V.1", "cc-2024 V.2", "cc-2024 V.3", "cc-2024 V.4")
async def test_who_qualifies_and_who_has_a_prize_in_a_confederation_championship(served: Any) -> None:
    file = tournament_file(6, rulebook="cc-2024", rounds_planned=1, system="swiss")
    for at, player in enumerate(file["players"]):
        player |= {"division": "low"} if at > 3 else {}
        player |= {"categories": ["female"]} if at > 4 else {}
    file["rounds"] = [
        {
            "games": [
                {"black": "p1", "white": "p4", "score": [60, 4]},
                {"black": "p2", "white": "p5", "score": [50, 14]},
                {"black": "p3", "white": "p6", "score": [40, 24]},
            ]
        }
    ]
    async with director_at(served, file | {"lots": [f"p{n}" for n in range(1, 7)]}) as director:
        first = await director.page("lists")
        assert "Games are still due" in first and first.count("<ol>") == 1
        qualified = first[first.index("<ol>") : first.index("</ol>")]
        assert qualified.count("<li>") == 1 and "/player/p1" in qualified and "Champion" in qualified
        await director.send("prizes", world_places="2")
        page = await director.page("lists")
        assert page[page.index("<ol>") : page.index("</ol>")].count("<li>") == 2
        refused = await director.send("prizes", 400, world_places="0")
        assert "expected at least 1" in refused
        for heading in ("Open <small>places", "low <small>division", "female <small>category"):
            assert heading in page
        places = page[page.index("Open <small>") :]
        places = places[: places.index("</table>")]
        assert [f"/player/p{n}" in places for n in (1, 2, 3, 6, 4, 5)] == [True] * 4 + [False] * 2
        female = page[page.index("female <small>") :]
        assert "/player/p6" in female[: female.index("</table>")]
        assert "Places at the World Championship 2" in await director.page("audit")
        assert asdict(fold(await director.served.store.entries("open"))) == asdict(director.state)


async def test_other_texts_give_no_places_at_the_world_championship(served: Any) -> None:
    async with director_at(served, tournament_file(4, rounds=PLAYED)) as director:
        assert "Qualified for the World Championship" not in await director.page("lists")
        await director.send("prizes", 400, world_places="2")
        assert clauses_at(director.state, "start")
        assert "devices" not in rulebook("club").event.told.values()
