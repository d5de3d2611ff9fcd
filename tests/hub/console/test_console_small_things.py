"""Small things that a director met: each had a page that misled, or a file that lacked what its reader looks for."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from helpers.console_director import PLAYED, Director, director_at, one_game
from helpers.finals_values import EIGHT, SEMI_FINALS, of_points, win
from helpers.hub_files import tournament_file

from hub.form.tournament import tournament_from_json
from hub.formats.elo.writer import elo_doubts, write_elo
from hub.formats.names import split_name
from hub.formats.reading import Source
from hub.formats.spreadsheets.csv_file import read_csv, write_csv
from hub.ranking.standings import standings

NAMES = {letter: {"name": f"Player {letter}"} for letter in "abcdefgh"}


def decided() -> Any:
    """Return an event in which all games of the finals of eight players are played, and Bea has won."""
    file = of_points(EIGHT, players=NAMES, name="Open")
    final = {"title": "open", "stage": "final"}
    file["finals"] = [
        *SEMI_FINALS,
        win("open", "third-place", "d", "b"),
        {**final, "black": "c", "white": "a", "score": [40, 24]},
        {**final, "black": "a", "white": "c", "score": [24, 40]},
    ]
    return file


async def test_every_final_list_has_points(served: Any) -> None:
    async with director_at(served, decided()) as director:
        points = {str(line.points) for line in standings_of(director)}
        for page in ("lists", "/t/open/finals", "/hall/open?show=final_list"):
            sent = await director.page(page)
            assert all(point in sent for point in points), page
        lists = list(csv.DictReader(io.StringIO(write_csv(director.state.tournament, "lists"))))
        assert [row["points"] for row in lists if row["list"] == "open"].count("") == 0


def standings_of(director: Director) -> Any:
    return standings(director.state.tournament)


def test_csv_files_have_names_and_are_read_as_before() -> None:
    tournament = tournament_from_json(tournament_file(4, rounds=PLAYED))
    for table, column in (("results", "black_name"), ("cross", "name"), ("standings", "name")):
        rows = list(csv.DictReader(io.StringIO(write_csv(tournament, table))))
        assert all(row[column].startswith("Player ") for row in rows), table
    sources = [Source(f"{kind}.csv", write_csv(tournament, kind).encode()) for kind in ("players", "results")]
    assert read_csv(sources).tournament.rounds == tournament.rounds


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("SMITH John", ("SMITH", "John", False)),
        ("Smith, John", ("Smith", "John", False)),
        ("John Smith", ("Smith", "John", True)),
        ("Anna Maria van der Berg", ("van der Berg", "Anna Maria", True)),
        ("山田 太郎", ("山田", "太郎", True)),
        ("Plato", ("Plato", "", False)),
        ("", ("", "", False)),
    ],
)
def test_a_name_is_family_and_given_name(name: str, parts: tuple[str, str, bool]) -> None:
    assert split_name(name) == parts


def test_an_elo_file_splits_names_and_says_which_it_cannot_hold() -> None:
    names = ("John Smith", "山田 太郎", "Łukasz Żak", "SMITH Jane", "Is it?, Really")
    players = [{"id": str(n), "name": name} for n, name in enumerate(names, 1)]
    tournament = tournament_from_json(tournament_file(0, players=players))
    text = write_elo(tournament).decode()
    assert ", Smith, John," in text and ", Zak, Lukasz," in text and ", SMITH, Jane," in text
    doubts = [str(line) for line in elo_doubts(tournament)]
    assert [doubt.partition(":")[0] for doubt in doubts] == ["John Smith", "山田 太郎", "Łukasz Żak"]
    assert "??, ??" in doubts[1] and "Latin letters" in doubts[1]


async def test_the_console_warns_of_names_before_the_elo_is_sent(served: Any) -> None:
    async with director_at(served, tournament_file(2)) as director:
        assert "2 names to check in the .ELO file" in await director.page("lists")
        await director.send("player/p1", name="ONE Ann")
        assert "1 name to check in the .ELO file" in await director.page("lists")


async def test_the_front_page_of_a_finished_event_has_its_champion(served: Any) -> None:
    async with director_at(served, decided()) as director:
        await director.send("close")
        page = await director.page("/t/open")
        assert "Champion" in page and "<b><bdi>Player c</bdi></b>" in page


async def test_without_finals_the_only_first_of_a_closed_event_is_champion(served: Any) -> None:
    file = tournament_file(4, rulebook="usoa", rounds=PLAYED, rounds_planned=2)
    async with director_at(served, file) as director:
        assert 'class="champion"' not in await director.page("/t/open")
        await director.send("close")
        page = await director.page("/t/open")
        assert 'class="champion"' in page and "<b><bdi>Player 1</bdi></b>" in page


async def test_a_game_on_paper_has_nothing_to_be_seen_until_its_moves_are_typed(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_game(director, device=False)
        await director.send("start")
        await director.send("result", table=1, black=40, white=24)
        see = f"games/{game.id}"
        pages = ("/t/open", "/t/open/players/p1", "/t/open/games", "/t/open/standings")
        for page in pages:
            sent = await director.page(page)
            assert see not in sent and "View game" not in sent, page
            assert "40" in sent, page
        assert "Replay the game" not in await director.page(f"game/{game.id}")
        await director.send(f"game/{game.id}", transcript="f5d6")
        for page in pages:
            assert see in await director.page(page), page
        assert "View game" in await director.page("/t/open/players/p1")


async def test_a_players_page_shows_all_their_games(served: Any) -> None:
    async with director_at(served, tournament_file(4, rounds=PLAYED)) as director:
        for page in ("/t/open/players/p1", "player/p1"):
            sent = await director.page(page)
            assert "Player 2" in sent and "Player 3" in sent and "40–24" in sent and "44–20" in sent, page


async def test_a_latecomer_plays_who_had_the_bye_after_the_first_result(served: Any) -> None:
    async with director_at(served) as director:
        for seat in (1, 2):
            await served.enroll(f"t{seat}", seat)
        await served.create("open", tournament_file(3))
        await director.served.run("publish-round")
        await director.send("start")
        await director.send("result", table=1, black=40, white=24)
        await director.send("players", name="Late Comer", admitted_because="the train")
        late = director.state.tournament.players[-1].id
        assert director.state.tournament.player(late).from_round == 2
        assert "Add a game to this round" in await director.page("round")
        await director.send("add-game", black="p3", white=late, table=2)
        state = director.state
        game = director.game(1, 2)
        assert game.players == ("p3", late) and game.device == "t2" and state.present_byes == ()
        assert state.tournament.rounds[0].byes == () and state.tournament.player(late).from_round == 1
        # It waits for a start of its own, which goes to its table alone.
        assert [waiting.id for waiting in state.not_started] == [game.id]
        await director.send("start")
        assert director.state.rulings[-1].games == (game.id,) and not director.state.not_started
        page = await director.page("round")
        assert "Add a game to this round" not in page, "nobody is left"
        assert "Late Comer" in await director.page("/t/open")
        assert "Game added to a round" in await director.page("audit")
        await director.send("result", table=2, black=20, white=44)
        assert director.state.tournament.rounds[0].games[1].score == (20, 44)
        for black, white, table, why in (
            ("p3", late, 3, "Black: expected one of"),
            ("p1", "p2", 3, "Black: expected one of"),
        ):
            assert why in await director.send("add-game", 400, black=black, white=white, table=table)


async def test_a_game_is_added_only_where_it_can_be_played(served: Any) -> None:
    async with director_at(served) as director:
        await served.create("open", tournament_file(4))
        await served.run("publish-round")  # one game and two byes
        for form, why in (
            ({"black": "p3", "white": "p3", "table": 2}, "another player"),
            ({"black": "p3", "white": "p4", "table": 1}, "table 1"),
        ):
            assert why in await director.send("add-game", 400, **form)
        await director.send("add-game", black="p3", white="p4", table=2)
        assert director.state.tournament.rounds[0].byes == ()
        await director.send("undo", to="round")
        assert director.state.tournament.rounds[0].byes == ("p3", "p4")
        assert len(director.state.present_games) == 1


async def test_an_event_that_was_put_away_frees_its_address(served: Any) -> None:
    async with director_at(served) as director:

        async def create() -> str:
            form = {"name": "Club Evening", "rulebook": "woc-2019", "players": "Ann\nBo\nCy\nDi"}
            return (await director.send("/desk/new", **form)).split("/")[3]

        first = await create()
        assert first == "club-evening"
        await director.send(f"/desk/t/{first}/event/away")
        second = await create()
        answer = await director.client.get(f"/t/{first}/players?lang=fr")
        assert answer.status_code == 307 and answer.headers["location"] == f"/t/{second}/players?lang=fr"
        await director.send(f"/desk/t/{first}/event/away")
        assert (await director.client.get(f"/t/{first}/players")).status_code == 200, "brought back"


async def test_before_any_result_nobody_has_a_place(served: Any) -> None:
    async with director_at(served) as director:
        await served.create("open", tournament_file(4))
        await served.run("publish-round")
        await director.send("start")
        pages = ("players", "/t/open/standings", "/t/open", "/t/open/finals", "/print/open/standings")
        for page in pages:
            assert "settled by lot" not in await director.page(page), page
        assert "place 1" not in await director.page("/t/open/players/p1")
        await director.send("result", table=1, black=40, white=24)
        assert "place 1" in await director.page("/t/open/players/p1")


async def test_teams_of_nobody_have_not_met_after_minus_one(served: Any) -> None:
    nobody = [{"id": f"p{n}", "name": f"Player {n}"} for n in range(1, 5)]
    async with director_at(served, tournament_file(0, players=nobody, team_matches=2)) as director:
        page = await director.page("teams")
        assert "after -1" not in page and "Every team has met" not in page and "Rounds planned: 3." in page


async def test_an_event_on_paper_has_no_rulings_no_devices_and_no_records_at_tables(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_game(director, device=False)
        await director.send("start")
        page = await director.page("round")
        for words in ("Send a ruling", "Stop the clocks", "no table has a device", 'name="pick"'):
            assert words not in page, words
        assert "Ruling for this table" not in await director.page(f"game/{game.id}")
        assert "no device" not in await director.page("room")
        assert "Tables: expected at least one table with a device" in await director.send(
            "ruling", 400, rule="stop", tables="all"
        )
        await director.send("result", table=1, black=40, white=24)
        assert "delete their records" not in await director.page("finals")


async def test_a_prepared_table_has_not_enrolled_yet_and_then_not_reported(served: Any) -> None:
    async with director_at(served, tournament_file(4)) as director:
        served.hub.devices.prepare("t7")
        assert "t7: not enrolled yet" in await director.page("room")
        await served.enroll("t7", None, again=True)
        page = await director.page("room")
        assert "t7: no report yet" in page and "not enrolled yet" not in page


async def test_the_page_of_a_closed_event_draws_no_disabled_form(served: Any) -> None:
    async with director_at(
        served, tournament_file(4, rounds=PLAYED, rounds_planned=2, rulebook="usoa")
    ) as director:
        assert "<input name=" in director_form(await director.page("event"))
        await director.send("close")
        page = await director.page("event")
        assert " disabled" not in page and "<dt>Rounds</dt><dd>2</dd>" in page


def director_form(page: str) -> str:
    return page[page.index("<main") :]


async def test_the_projector_does_not_say_round_complete_between_games_of_the_finals(served: Any) -> None:
    file = of_points(EIGHT, players=NAMES, name="Open")
    async with director_at(served, file) as director:
        await director.page("finals")
        (match,) = re.findall(r'name="m0-match" value="([^"]+)"', director.sent)
        await director.send("finals", **{"m0-play": "1", "m0-match": match, "m0-way": "0", "m0-table": "1"})
        await director.send("start")
        await director.send("result", table=1, black=40, white=24)
        page = await director.page("/hall/open?show=standings")
        assert "Round complete" not in page and "Games finished" in page
