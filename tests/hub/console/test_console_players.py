"""Players at the console: typed and from files, late, absent, withdrawn, removed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from helpers.console_director import PLAYED, director_at, one_game, paired
from helpers.hub_files import tournament_file
from helpers.hub_served import Served

from hub.console.player_lists import event_of, players_of, read_tournament, world_players_of
from hub.form.tournament import FORMAT
from hub.formats.reading import ReadTournament, Source
from hub.formats.spreadsheets.understood import Answers
from hub.model.players import Player
from hub.ranking.standings import standings
from hub.text import Refused


def test_players_come_from_files() -> None:
    csv = b"id,name,country\n7,Ada,FRA\n9,Bob,JPN\n"
    assert [p.id for p in read_tournament("a.csv", csv).tournament.players] == ["7", "9"]
    papp = "pays = ARG\n5083 SNEEK, Marcel %_<1720>\n".encode("latin-1")
    (player,) = read_tournament("joueurs.txt", papp).tournament.players
    assert (player.country, player.rating) == ("ARG", 1720)
    with pytest.raises(Refused, match=r"file: bad\.csv: line 1: expected columns"):
        read_tournament("bad.csv", b"nothing,here\n")
    typed = typed_players("Cid, ita, f, 1500\n12; Dot")
    assert [(p.id, p.name, p.country) for p in typed] == [("900001", "Cid", "ITA"), ("12", "Dot", "")]
    assert (typed[0].gender, typed[0].rating) == ("f", 1500)
    assert typed_players("Cid; -200\nDot")[0].rating == -200, "the world list goes from -1,400"
    for line in ("NOBODY, Ann", "NOBODY, Ann, GBR, f", "5, NOBODY, Ann, 1500", "NOBODY, Ann; GBR"):
        assert typed_players(line)[0].name == "NOBODY, Ann"


def typed_players(text: str) -> tuple[Player, ...]:
    read = players_of(None, text, Answers(), None)
    assert isinstance(read, ReadTournament)
    return read.tournament.players


async def test_a_late_player_is_entered_with_a_grade(served: Any) -> None:
    async with director_at(served, tournament_file(4, rulebook="jof")) as director:
        assert 'name="grade"' in await director.page("players")
        await director.send("players", name="Ann", grade="1dan")
        assert director.state.tournament.players[-1].grade == "1dan"
        assert "1 dan" in await director.page("players")


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("1\n3", ["Adéle", "Cid"]),
        ("Dot\n12", ["Adéle", "Bob", "Cid", "Dot", "Listed"]),
        ("3\nDot", ["Cid", "Dot"]),
        ("", ["Adéle", "Bob", "Cid"]),
    ],
)
async def test_players_of_a_file_and_typed_ones_both_enter(served: Any, typed: str, names: list[str]) -> None:
    async with director_at(served) as director:
        list_form = {"list": ("joueurs.txt", b"pays = ARG\n12 Listed\n", "text/plain")}
        await director.send_list("/desk/new/list", list_form)
        files = {"file": ("list.csv", b"id,name\n1,Ad\xc3\xa9le\n2,Bob\n3,Cid\n", "text/csv")}
        await director.send_list("/desk/new", files, name="Open", rulebook="cc-2024", players=typed)
        assert [player.name for player in director.state.tournament.players] == names


async def test_players_enter_late_miss_leave_and_are_put_right(served: Any) -> None:
    async with director_at(served) as director:
        await one_game(director, device=False)
        refused = await director.send("players", 400, name="Late <i>Comer", country="AAA")
        assert "Admitted because: expected" in refused and "Late &lt;i&gt;Comer" in director.sent
        await director.send("players", name="Late Comer", country="AAA", admitted_because="train was late")
        late = director.state.tournament.players[-1]
        assert (late.id, late.from_round, late.country) == ("900001", 2, "AAA")
        await director.send("player/p1", name="Renamed", country="DDD", gender="f", rating="1500")
        renamed = director.state.tournament.player("p1")
        assert (renamed.name, renamed.team, renamed.rating) == ("Renamed", "DDD", 1500)
        refused = await director.send("player/p1", 400, name="Renamed", rating="high")
        assert "Rating: expected" in refused and 'value="high"' in refused
        await director.send("player/p2/absent", round="2")
        assert "misses the next round" in await director.page("players")
        assert "Round: expected a whole number" in await director.send("player/p2/absent", 400, round="99")
        page = await director.page("player/p2")
        assert "Plays in round 2 after all" in page and "Note the absence" in page
        await director.send("player/p2/present", round="2")
        assert director.state.tournament.absences == ()
        assert "after all" not in await director.page("player/p2")
        await director.send("player/p2/absent", round="2")
        await director.send("result", table=1, black=40, white=24)
        await director.send("player/p2/withdraw")
        assert director.state.tournament.withdrawn_after("p2") == 1
        await director.send("player/p1/expel", 400)
        await director.send("player/p1/expel", why="hit the clock")
        assert "expelled" in await director.page("player/p1")


async def test_a_mistaken_entry_is_removed_until_it_is_paired(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path, paired), tournament_file(7)) as director:
        for name, number in (("Mistake", "900001"), ("Another", "900002")):
            await director.send("players", name=name)
            await director.send(f"player/{number}/remove")
        log = await director.page("audit")
        assert log.count("Mistake") == log.count("Another") == 2, "no removed player's number is another's"
        await director.send("draft/ban", one="p1", other="p5")
        await director.send("player/p5/absent", round=1)
        await director.send("player/p6/withdraw")
        await director.send("draft/pair")
        for player in ("p5", "p6"):
            assert "Remove the player" in await director.page(f"player/{player}")
            await director.send(f"player/{player}/remove")
        tournament = director.state.tournament
        assert [player.id for player in tournament.players] == ["p1", "p2", "p3", "p4", "p7"]
        assert not (tournament.bans or tournament.absences or tournament.withdrawals)
        assert "Player removed" in await director.page("audit")
        await director.send("draft/pair")
        await director.send("draft/publish", revision=director.served.hub.drafting.of("open").revision)
        for table in (1, 2):
            await director.send("result", table=table, black=0, white=0, reason="forfeit")
        listed = {line.player for line in standings(director.state.tournament)}
        assert listed == {"p1", "p2", "p3", "p4", "p7"}
        assert "5 players" in await director.page("players") and "forfeit · " in await director.page("round")
        for player in listed:
            assert "Remove the player" not in await director.page(f"player/{player}"), "nor who had the bye"
        assert "never paired" in await director.send("player/p1/remove", 400)


async def test_boxes_of_a_refused_form_stay_as_they_were(served: Any) -> None:
    box = re.compile(r'<input type="checkbox" name="(\w+)" value="1"( checked)?>')

    async with director_at(served) as director:
        await one_game(director, device=False)
        form = {
            "name": "Player 1",
            "rating": "high",
            "boxes": ["past_semifinalist", "additional"],
            "additional": "1",
        }
        refused = dict(box.findall(await director.send("player/p1", 400, **form)))
        assert (refused["additional"], refused["past_semifinalist"]) == (" checked", "")
        await director.send("player/p1", name="Player 1", past_semifinalist="1")
        page = dict(box.findall(await director.page("player/p1")))
        assert (page["additional"], page["past_semifinalist"]) == ("", " checked")
        other = dict(box.findall(await director.send("player/p1/absent", 400, round="x")))
        assert other["past_semifinalist"] == " checked", "another form was refused"


@pytest.mark.parametrize(("planned", "offered"), [(3, True), (2, False)])
async def test_nobody_misses_a_round_after_the_last(served: Any, planned: int, offered: bool) -> None:
    async with director_at(
        served, {**tournament_file(4, rounds=PLAYED), "rounds_planned": planned}
    ) as director:
        assert ("Note the absence" in await director.page("player/p1")) is offered


async def test_a_late_entry_gets_no_number_that_is_anothers(served: Any) -> None:
    async with director_at(served) as director:
        listed = b"pays = FRA\n12 AMBER, Ann\n13 BERYL, Bo\n14 BERYL, Bo\n"
        await director.send_list("/desk/new/list", {"list": ("joueurs.txt", listed)})
        await director.served.create("open", tournament_file(2))
        refused = await director.send("players", 400, name="Dan Doe", id="12")
        assert "Number: expected a number of Dan Doe, got 12 of AMBER, Ann" in refused
        refused = await director.send("players", 400, name="Dan Doe", id="77")
        assert "Number: expected a number of the world list, or none" in refused
        offered = await director.send("players", 400, name="Bo Beryl")
        assert "Bo Beryl stands in the world list" in offered
        assert '<option value="13">' in offered and '<option value="14">' in offered
        await director.send("players", name="Bo Beryl", listed="14")
        again = await director.send("players", 400, name="Bo Beryl", listed="new")
        assert "Bo Beryl is entered already, number 14" in again
        await director.send("players", name="Bo Beryl", listed="new", another_person="1")
        await director.send("players", name="Ann Amber", id="12")
        await director.send("players", name="An\u200bna\u200b  Ｄｏｅ")
        added = director.state.tournament.players[2:]
        assert [(player.id, player.name) for player in added] == [
            ("14", "Bo Beryl"),
            ("900001", "Bo Beryl"),
            ("12", "Ann Amber"),
            ("900002", "Anna Doe"),
        ]


async def test_a_name_that_is_entered_already_is_asked_about_at_every_door(served: Any) -> None:
    async with director_at(served, tournament_file(4, rulebook="club", rounds_planned=3)) as director:
        await director.served.run("publish-round")
        await director.send("players", name="Ann Amber", country="FRA")
        for name in ("Ann Amber", "AMBER, Ann", "ann  âmber", "Ａｎｎ Amber"):
            page = await director.send("players", 400, name=name, country="ITA")
            assert "is entered already, number 900001" in page and "another person of this name" in page
            assert 'value="ITA"' in director.sent, "what was typed stays"
        assert len(director.state.tournament.players) == 5
        await director.send("players", name="Ann Amber", another_person="1")
        assert [player.name for player in director.state.tournament.players[4:]] == ["Ann Amber"] * 2

        async def added(**player: Any) -> Any:
            return await served.run("add-player", fields=player)

        with pytest.raises(Refused, match="Ann Amber is entered already, number 900001"):
            await added(id="x", name="Ann Amber")
        await added(id="x", name="Ann Amber", another_person=True)
        assert "another_person" not in director.state.tournament.players[-1].extra
        # Different numbers of the rating list are different people.
        await added(id="12", name="Bo Beryl")
        await added(id="14", name="Bo Beryl")
        await director.send("player/14/withdraw")
        with pytest.raises(Refused, match="Bo Beryl is entered already, number 12"):
            await added(id="y", name="Bo Beryl")
        await director.send("player/x/withdraw")


async def test_a_name_typed_twice_in_a_list_is_shown_before_it_is_kept(served: Any) -> None:
    async with director_at(served) as director:
        form = {"name": "Open", "rulebook": "club", "players": "Ann Amber\nBo\nAMBER, Ann"}
        page = await director.send("/desk/new", 400, **form)
        assert "Ann Amber stands in the list 2 times" in page
        seen = re.search(r'name="seen" value="(\w+)"', director.sent)
        assert seen is not None
        await director.send("/desk/new", **form, seen=seen[1])
        assert len(director.state.tournament.players) == 3


def listed(players: int, rounds: int = 0) -> Source:
    """Return an event's file with so many players and empty rounds."""
    names = [{"id": str(number), "name": f"N{number}"} for number in range(1, players + 1)]
    file = {"format": FORMAT, "rulebook": "open", "players": names, "rounds": [{"games": []}] * rounds}
    return Source("a.json", json.dumps(file).encode())


def test_what_a_hub_does_not_take_is_counted_in_the_child() -> None:
    """The hub's loop unpacks what a child answers: 280,000 players of a file held receipts and pages for 5 s."""
    assert isinstance(players_of(listed(2_000), "", Answers(), None), ReadTournament)
    assert "at most 2000 players, got 2001" in str(players_of(listed(2_001), "", Answers(), None))
    assert isinstance(event_of(listed(2_000, 100), Answers(), None, "open"), ReadTournament)
    for many, place in ((listed(2_001), "players"), (listed(2, 101), "rounds")):
        assert f"a.json: {place}: expected at most" in str(event_of(many, Answers(), None, "open"))
    assert isinstance(world_players_of(listed(20_000), Answers()), ReadTournament)
    assert "players: expected at most 20000 entries" in str(world_players_of(listed(20_001), Answers()))
