"""An event put right after its creation, or put away; a rulebook of its own; absences as the director gives them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.console_director import Director, director_at, paired
from helpers.hub_served import Served

from flagfall.othello import rulebook as rulebooks
from flagfall.othello.board import format_transcript
from flagfall.othello.rulebook import Stage, parse_rulebook
from hub.desk.own_rules import OwnRules, new_rulebook_text
from hub.formats.elo.writer import write_elo
from hub.formats.tournament_file import read_tournament, write_tournament
from hub.pairing.state import state_before
from hub.ranking.cross_table import cross_table
from hub.ranking.standings import standings
from hub.record.header import header_of
from hub.rounds.openings import draw
from hub.text import Refused


def file(rulebook: str = "open", players: int = 4, **more: Any) -> dict[str, Any]:
    return {
        "format": "flagfall-tournament/1",
        "name": "Opne",
        "date": "2026-11-05",
        "rulebook": rulebook,
        "system": "swiss",
        "rounds_planned": 3,
        "seed": 7,
        "players": [{"id": str(n), "name": f"Player {n}"} for n in range(1, players + 1)],
        "rounds": [],
        **more,
    }


async def publish(director: Director) -> None:
    await director.served.run("publish-round")


async def score(director: Director) -> None:
    for game in director.state.present_games:
        await director.served.run("enter-result", game=game.id, score=(40, 24), reason="board")


OPENINGS = "f5d6c4d3c2b3b4b5\nf5d6\nf5d6c3d3\nf5f6e6f4\n"


async def test_openings_are_drawn_from_a_pasted_list_and_go_with_each_round(served: Any) -> None:
    async with director_at(served, file()) as director:
        assert "line 2" in await director.send("event", 400, opening_list="f5d6\nf5d7")
        await director.send("event", opening_list=OPENINGS)
        drawn = director.state.tournament.openings
        assert drawn is not None and len(set(drawn)) == 3 and set(drawn) <= set(OPENINGS.split())
        about = director.state.tournament.opening_draw
        assert about is not None and about["list_count"] == 4 and about["from_round"] == 1
        assert drawn == draw(OPENINGS.split(), (), 3, int(str(about["seed"])))
        await publish(director)
        for game in director.state.present_games:
            assert format_transcript(header_of(director.state, game).opening) == drawn[0]
        await director.served.run("start-round")
        for page in ("/hall/open", "/print/open/by-table"):
            assert f"Opening: {drawn[0]}" in await director.page(page)
        await score(director)
        await director.send("event", opening_list=OPENINGS)
        again = director.state.tournament.openings
        assert again is not None and again[0] == drawn[0] and len(set(again)) == 3
        assert read_tournament(write_tournament(director.state.tournament)).openings == again


async def test_a_file_of_openings_is_drawn_from_once_its_unusable_lines_are_left_out(served: Any) -> None:
    lines = OPENINGS + "f5d7\nnonsense\nc4e3\n" + "f5d6c3d3c4f4\n"
    async with director_at(served, file()) as director:
        where = f"/desk/t/{director.state.id}/event"
        form = {"csrf": director.csrf, "with_finals": "1"}
        chosen = {"opening_file": ("xot.txt", lines.encode(), "text/plain")}
        answer = await director.client.post(where, data=form, files=chosen)
        assert answer.status_code == 400 and director.state.tournament.openings is None
        for named in (
            "Line 5",
            "Line 6",
            "the same position as line 2",
            "move 2: expected a legal move, got d7",
        ):
            assert named in answer.text
        assert "f5d6c3d3c4f4" in answer.text.split("<textarea")[1], "they need not be chosen again"
        again = form | {"leave_out": "1", "opening_list": lines}
        assert (await director.client.post(where, data=again)).status_code == 303
        tournament = director.state.tournament
        assert (len(tournament.openings), len(tournament.finals_openings)) == (3, 2)
        assert not set(tournament.openings) & set(tournament.finals_openings)
        about = tournament.opening_draw
        assert about is not None and (about["list_count"], about["finals"]) == (5, 2)
        page = await director.page(where)
        assert "Playoffs and finals begin with an opening too." in page
        await director.send("event", name="Renamed")
        assert director.state.tournament.finals_openings == tournament.finals_openings, (
            "another form of the page"
        )
        await director.send("event", without="finals")
        assert director.state.tournament.finals_openings is None
        assert "Playoffs and finals begin from the start position." in await director.page(where)


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"f5\xff\n", "a text file"), (b"f" * 600_001, "at most 20000 openings"), (b"\n", "an opening")],
)
async def test_a_file_that_is_no_list_is_refused(served: Any, data: bytes, why: str) -> None:
    async with director_at(served, file()) as director:
        where = f"/desk/t/{director.state.id}/event"
        form = {"csrf": director.csrf, "with_finals": "1"}
        answer = await director.client.post(
            where, data=form, files={"opening_file": ("x.txt", data, "text/plain")}
        )
        assert (
            answer.status_code == 400
            and why.replace("an opening", "expected a list of openings") in answer.text
        )
        assert director.state.tournament.openings is None


async def test_openings_come_before_the_first_round_or_not_at_all(served: Any) -> None:
    async with director_at(served, file()) as director:
        await publish(director)
        assert "before the first round" in await director.send("event", 400, opening_list=OPENINGS)


async def test_what_was_typed_wrong_at_the_creation_is_put_right(served: Any) -> None:
    async with director_at(served, file()) as director:
        await director.send(
            "event", name="Open", date="2026-11-06", end_date="2026-11-07", country="FRA", sender="Ada"
        )
        await director.send(
            "event", rulebook="club", system="round_robin", rounds_planned="3", tie_break="disc-difference"
        )
        now = director.state.tournament
        assert (now.name, now.date, now.rulebook, now.system) == ("Open", "2026-11-06", "club", "round_robin")
        assert now.tie_break == "disc-difference"
        elo = write_elo(now).decode()
        assert "%%Country: FRA" in elo and "%%Date: 06/11/2026 - 07/11/2026" in elo and "%%Sender: Ada" in elo
        await director.send("event", name="Open", rounds_planned="3")
        assert director.state.tournament == now, "saved without a change"
        assert "expected a date" in await director.send("event", 400, date="tomorrow")
        log = await director.page("audit")
        assert "Event changed" in log and "Sender Ada" in log
        await director.send("undo", entry="", to="audit")
        assert director.state.tournament.rulebook == "open"


@pytest.mark.parametrize(("rounds", "system"), [("", "round_robin"), ("3", "swiss")])
async def test_fewer_rounds_than_everyone_needs_to_meet_are_swiss(
    served: Any, rounds: str, system: str
) -> None:
    async with director_at(served) as director:
        players = "\n".join(f"Name {n}" for n in range(1, 7))
        typed = {"name": "Open", "rulebook": "open", "rounds_planned": rounds, "players": players}
        await director.send("/desk/new", **typed)
        assert director.state.tournament.system == system


async def test_rulebook_and_system_stand_once_a_round_was_started_the_name_does_not(served: Any) -> None:
    async with director_at(served, file()) as director:
        await director.served.enroll("t1", 1)
        await publish(director)
        before = {device: order.seq for device, order in director.state.assigned.items()}
        await director.send("event", rulebook="club")
        assert director.state.tournament.rulebook == "club"
        assert all(order.seq > before[device] for device, order in director.state.assigned.items()), (
            "tables are told"
        )
        await director.send("start")
        page = await director.send("event", 400, rulebook="open")
        assert "once a round was started" in page
        await director.send("event", name="Renamed", rounds_planned="5")
        assert director.state.tournament.rounds_planned == 5
        await score(director)
        await publish(director)
        assert "at most 1 rounds" in await director.send("event", 400, rounds_planned="1")


async def test_an_event_put_away_is_for_the_desk_alone_until_it_is_brought_back(served: Any) -> None:
    async with director_at(served, file()) as director:
        assert (await director.client.get("/t/open")).status_code == 200
        await director.send("event/away")
        assert (await director.client.get("/t/open")).status_code == 404
        listed = (await director.client.get("/desk")).text
        assert "Hidden events: 1" in listed and "No event is under way." in listed
        await director.send("event/away")
        assert (await director.client.get("/t/open")).status_code == 200
        await publish(director)
        assert "expected no game at the tables" in await director.send("event/away", 400)


# A rulebook of the hub's own


async def test_a_rulebook_made_at_the_console_is_chosen_and_travels_with_the_event(served: Any) -> None:
    async with director_at(served, file()) as director:
        form = {
            "csrf": director.csrf,
            "title": "Blitz Été",
            "based_on": "club",
            "minutes": "5",
            "flag": "loses",
            "empties": "",
        }
        assert (await director.client.post("/desk/rules", data=form)).status_code == 303
        page = (await director.client.get("/desk/new")).text
        assert '<option value="own:own-blitz-ete">Blitz Été</option>' in page
        await director.send("event", rulebook="own:own-blitz-ete")
        now = director.state.tournament
        assert now.rulebook == "club" and "Blitz Été" in now.rulebook_text
        assert "Blitz Été" in await director.page("round")
        await publish(director)
        rules = parse_rulebook(now.rulebook_text)
        assert rules.minutes[Stage.QUALIFYING] == 5 and rules.flag.first == "loses"
        form = {"csrf": director.csrf, "id": "own-blitz-ete"}
        await director.client.post("/desk/rules/remove", data=form)
        assert "Blitz Été" in await director.page("event"), "the event keeps what it has"
        await director.send("event", name="Renamed", rulebook="as_it_is")
        await director.send("event", rulebook="open")
        assert not director.state.tournament.rulebook_text


def test_own_rulebooks_are_checked_numbered_and_kept(tmp_path: Path) -> None:
    rules = OwnRules(tmp_path / "own.json")
    for based_on in ("woc-2019", "usoa", "cc-2024", "club", "open"):
        for flag in ("as_the_text", "loses", "extension"):
            rules.keep(
                new_rulebook_text(
                    based_on,
                    'A "title" \\ 規則',
                    15,
                    flag=flag,
                    extension_s=60,
                    empties="nobody",
                    tournament={"bye_discs": 40},
                    taken=rules.texts,
                )
            )
    assert OwnRules(tmp_path / "own.json").texts == rules.texts and len(rules.texts) == 15
    with pytest.raises(Refused, match="text: based_on"):
        rules.keep('based_on = "nothing"\n')
    with pytest.raises(Refused, match=r"tournament.swiss_rounds: unknown field, expected one of ties"):
        rules.keep('based_on = "club"\nid = "own"\ntitle = "Own"\n[tournament]\nswiss_rounds = 3\n')
    with pytest.raises(Refused, match="text: id"):
        rules.keep('based_on = "club"\n')
    whole = Path(rulebooks.__file__).with_name("rulebooks") / "woc-2019.toml"
    with pytest.raises(Refused, match="based_on: expected the rulebook that it differs from"):
        rules.keep(
            whole.read_text("utf-8").replace('id = "woc-2019"', 'id = "mine"').split("[tournament", 1)[0]
        )
    (tmp_path / "own.json").write_text('{"a": "no rulebook", "b": 5}')
    assert OwnRules(tmp_path / "own.json").titles == {}
    (tmp_path / "own.json").write_text('{"a": "no rulebook"}')
    assert OwnRules(tmp_path / "own.json").titles == {}
    (tmp_path / "own.json").write_text("no json")
    assert OwnRules(tmp_path / "own.json").texts == {}


# Half-point byes and a return


def test_half_a_point_counts_in_standings_pairing_and_cross_table() -> None:
    rounds = [
        {"games": [{"black": "1", "white": "2", "score": [40, 24]}], "byes": []},
        {"games": [{"black": "2", "white": "3", "score": [40, 24]}], "byes": []},
    ]
    value = file(
        players=3,
        rounds=rounds,
        absences=[{"player": "1", "round": 2}],
        half_byes=[{"player": "3", "round": 1}],
    )
    written = write_tournament(read_tournament(_json(value)))
    assert json.loads(written)["half_byes"] == value["half_byes"]
    tournament = read_tournament(written)
    assert {line.player: line.points for line in standings(tournament)} == {"1": 1, "2": 1, "3": 0.5}
    assert {entrant.id: entrant.half_points for entrant in state_before(tournament, 3).entrants} == {
        "1": 2,
        "2": 2,
        "3": 1,
    }
    row = next(row for row in cross_table(tournament) if row.standing.player == "3")
    assert [cell.kind for cell in row.cells] == ["half", "game"]
    quotient = {line.player: line.bq for line in standings(tournament)}
    assert quotient["3"] == 24 + 6 * 1 + 32 + 6 * 0.5, "an unplayed round adds 32 and C times his own points"


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode()


async def test_half_points_and_a_return_are_given_where_the_rulebook_leaves_them_to_the_director(
    tmp_path: Path,
) -> None:
    async with director_at(Served(tmp_path, pair=paired), file(players=5)) as director:
        await director.send("player/4/absent", round="1", half_point="1")
        await publish(director)
        await score(director)
        assert "half a point" in await director.page("player/4")
        points = {line.player: line.points for line in standings(director.state.tournament)}
        assert points["4"] == 0.5
        await director.send("player/3/withdraw")
        await publish(director)
        await score(director)
        assert "Let the player return" in await director.page("player/3")
        await director.send("player/3/return")
        tournament = director.state.tournament
        assert tournament.withdrawals == ()
        assert [(absence.player, absence.round) for absence in tournament.absences] == [("4", 1), ("3", 2)]
        await publish(director)
        (*_, round_) = director.state.tournament.rounds
        assert "3" in {player for game in round_.games for player in (game.black, game.white)} | {
            *round_.byes
        }
        await director.send("player/3/return", 400)


async def test_where_the_text_settles_absences_nobody_gives_half_points_or_a_way_back(served: Any) -> None:
    async with director_at(served, file("woc-2019")) as director:
        page = await director.send("player/4/absent", 400, round="1", half_point="1")
        assert "expected a rulebook that leaves this to the director" in page
        await director.send("player/4/withdraw")
        assert "Let the player return" not in await director.page("player/4")
        assert "leaves this to the director" in await director.send("player/4/return", 400)
