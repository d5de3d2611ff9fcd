"""The world list that a hub keeps: found by typing, replaced by a newer file; newcomers get numbers that nobody has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hub.console.player_lists import players_of
from hub.desk.world_list import WorldList, new_player
from hub.formats.elo.writer import write_elo
from hub.formats.reading import ReadTournament
from hub.formats.spreadsheets.understood import Answers
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.role import Role

LIST = b"pays = LYR\n1 VEGA, Alpha %_<1800>\n12 SHELIAK, Beta\n%\npays = CYG\n120 D\xc9NEB, Anna %_<1500>\n"


def test_a_player_is_found_by_the_beginnings_of_names_or_number(tmp_path: Path) -> None:
    kept = WorldList(tmp_path / "list.json")
    assert kept.find_players("a") == () and not kept.players
    kept.replace([Player("1", name="VEGA, Alpha"), Player("12", name="DÉNEB, Anna", rating=1500.0)])
    again = WorldList(tmp_path / "list.json")
    for typed, numbers in (
        ("deneb", ["12"]),
        ("an den", ["12"]),
        ("a", ["1", "12"]),
        ("1", ["1", "12"]),
        ("12", ["12"]),
        ("eneb", []),
        (" ", []),
        ("–", []),
    ):
        assert [player.id for player in again.find_players(typed)] == numbers, typed
    assert [player.id for player in again.find_players("１２")] == ["12"]
    assert again.find_players("12")[0].line == "12; DÉNEB, Anna; 1500"
    again.replace(
        [Player("7", name="NOBODY-ODE, Ann"), Player("8", name="ODE, Ann"), Player("9", name="名無, 太郎")]
    )
    for typed, first in (("Øde, Ann", "8"), ("ann ode", "8"), ("nobody ode", "7"), ("太郎 名", "9")):
        assert again.find_players(typed)[0].id == first, typed
    (tmp_path / "list.json").write_bytes(b"\xff")
    assert not WorldList(tmp_path / "list.json").players


def test_a_newcomer_takes_no_number_that_somebody_has_and_is_new_in_elo(tmp_path: Path) -> None:
    kept = WorldList(tmp_path / "list.json")
    kept.replace([Player("900001", name="Somebody"), Player("900002", name="GIVEN, Ann")])
    read = players_of(None, "Nova, Nina; LYR\n900002; Given, Ann\n", Answers(), kept.file)
    assert isinstance(read, ReadTournament)
    newcomer, listed = read.tournament.players
    assert (newcomer.id, newcomer.new) == ("900003", True) and listed.id == "900002" and not listed.new
    assert new_player({"900003"}, kept.players).id == "900004"
    assert b"+900003" in write_elo(Tournament("club", (newcomer, listed)))


async def test_the_list_is_loaded_once_and_found_while_typing(served: Any) -> None:
    async with served:
        client, csrf = await served.entered(Role.DIRECTOR)

        async def load(data: bytes) -> Any:
            file = {"list": ("joueurs.txt", data)}
            return await client.post("/desk/new/list", data={"csrf": csrf}, files=file)

        assert (await load(b"\x00\x01")).status_code == 400
        stained = (await load(LIST + b"no player\n1 VEGA, Alpha\n")).text
        assert "2 lines to check" in stained
        assert (
            "line 7: neither a country nor a player" in stained
            and "line 8: player 1 stands before" in stained
        )
        assert "3 players in the saved list" not in (await client.get("/desk/new")).text
        assert (await load(LIST)).headers["location"] == "/desk/new"
        page = (await client.get("/desk/new")).text
        assert "3 players in the saved list" in page and "data-find" in page
        listed = (await client.get("/desk/find", params={"q": "deneb"})).json()
        assert [(player["id"], player["line"]) for player in listed] == [
            ("120", "120; DÉNEB, Anna; CYG; 1500")
        ]
        form = {"csrf": csrf, "name": "Open", "rulebook": "woc-2019", "players": "120\n12\nNova, Nina; LYR"}
        assert (await client.post("/desk/new", data=form)).status_code == 303
        players = served.store.states["open"].tournament.players
        assert [player.id for player in players] == ["120", "12", "900001"]
        assert players[0].name == "DÉNEB, Anna" and players[2].new
        viewer, _ = await served.entered(Role.VIEWER)
        assert (await viewer.get("/desk/find", params={"q": "a"})).status_code == 403
        assert (await served.browser().get("/desk/find", params={"q": "a"})).status_code in (303, 403)
