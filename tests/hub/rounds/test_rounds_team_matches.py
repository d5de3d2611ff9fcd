"""Team matches: line-ups on boards, matches told from games, standings of teams, teams paired as players are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers.console_director import director_at
from helpers.hub_served import Served
from hypothesis import given
from hypothesis import strategies as st

from hub.form.tournament import tournament_from_json
from hub.main import main
from hub.model.tournament import Tournament
from hub.pairing.check import check
from hub.pairing.next_round import next_round
from hub.ranking.teams import (
    at_boards,
    boards_of,
    line_up,
    matches,
    team_standings,
    team_tournament,
    teams_of,
)
from hub.record.acts.event import EventChanged
from hub.rounds.draft import with_players_exchanged
from hub.rounds.paired import Paired, on_boards, paired_round


def file(teams: dict[str, int], boards: int = 3, **more: Any) -> dict[str, Any]:
    """Return a tournament file. `teams`: how many players each has; rated from the first board down."""
    players = [
        {"id": f"{team}{n}", "name": f"{team} {n}", "team": team, "rating": 2000 - 10 * n}
        for team, size in teams.items()
        for n in range(1, size + 1)
    ]
    return {
        "format": "flagfall-tournament/1",
        "name": "Teams",
        "rulebook": "open",
        "system": "swiss",
        "rounds_planned": 5,
        "seed": 3,
        "players": players,
        "rounds": [],
        "team_matches": boards,
        **more,
    }


def game(black: str, white: str, score: tuple[int, int] | None) -> dict[str, Any]:
    return {"black": black, "white": white, "score": None if score is None else list(score)}


async def in_this_process(tournament: Tournament) -> Paired:
    """Pair as `hub.rounds.paired.pair_in_child` does, without the child."""
    if boards_of(tournament):
        return on_boards(tournament, await in_this_process(team_tournament(tournament)))
    return paired_round(tournament)


def test_a_line_up_is_the_teams_order_and_who_is_absent_makes_room() -> None:
    line_ups = {"A": ["A4", "A2"]}
    tournament = tournament_from_json(
        file({"A": 5, "B": 2}, line_ups=line_ups, absences=[{"player": "A2", "round": 2}])
    )
    assert line_up(tournament, "A", 1) == ("A4", "A2", "A1")
    assert line_up(tournament, "A", 2) == ("A4", "A1", "A3")
    assert line_up(tournament, "B", 1) == ("B1", "B2")
    assert at_boards(tournament, 1) == {"A4", "A2", "A1", "B1", "B2"}


def test_matches_are_told_from_games_and_match_points_go_before_board_points_and_discs() -> None:
    first = [
        *(game(f"A{n}", f"B{n}", (33, 31)) for n in (1, 2)),
        game("B3", "A3", (64, 0)),
        *(game(f"C{n}", f"D{n}", (40, 24)) for n in (1, 2, 3)),
    ]
    second = [game("C1", "A1", (32, 32)), game("A2", "C2", (20, 44)), game("C3", "A3", (20, 44))]
    rounds = [{"games": first, "byes": []}, {"games": second, "byes": ["B1", "B2", "B3"]}]
    tournament = tournament_from_json(file({"A": 3, "B": 3, "C": 3, "D": 3}, rounds=rounds))
    played = [
        (match.round, match.teams, match.half_points, match.match_points) for match in matches(tournament)
    ]
    assert played == [
        (1, ("A", "B"), (4, 2), (2, 0)),
        (1, ("C", "D"), (6, 0), (2, 0)),
        (2, ("C", "A"), (3, 3), (1, 1)),
        (2, ("B", None), (6, 0), (2, 0)),
    ]
    lines = [
        (line.place, line.team, line.match_points, line.half_points) for line in team_standings(tournament)
    ]
    assert lines == [(1, "C", 3, 9), (2, "A", 3, 7), (3, "B", 2, 8), (4, "D", 0, 0)]


def test_a_match_is_open_while_a_board_is_and_an_empty_board_is_won() -> None:
    games = [game("A1", "B1", (40, 24)), game("B2", "A2", None)]
    tournament = tournament_from_json(file({"A": 3, "B": 2}, rounds=[{"games": games, "byes": ["A3"]}]))
    (match,) = matches(tournament)
    assert not match.over and match.half_points == (4, 0) and match.match_points == (0, 0)
    assert [line.match_points for line in team_standings(tournament)] == [0, 0]


@given(st.lists(st.integers(1, 5), min_size=2, max_size=7), st.integers(1, 4), st.integers(0, 1_000))
def test_whole_events_seat_every_line_up_once_and_never_a_team_against_itself(
    sizes: list[int], boards: int, seed: int
) -> None:
    import asyncio

    random = Random(seed)
    value = file({chr(65 + n): size for n, size in enumerate(sizes)}, boards, seed=seed)
    for number in range(1, min(4, len(sizes))):
        tournament = tournament_from_json(value)
        paired = asyncio.run(in_this_process(tournament))
        seated = [player for pair in paired.games for player in pair.players] + list(paired.byes)
        assert sorted(seated) == sorted(at_boards(tournament, number))
        assert all(pair.black[0] != pair.white[0] for pair in paired.games)
        assert len({pair.table for pair in paired.games}) == len(paired.games)
        assert len(paired.reasons) == len(paired.games) + len(paired.byes)
        games = [
            game(*pair.players, random.choice([(40, 24), (24, 40), (32, 32)])) | {"table": pair.table}
            for pair in paired.games
        ]
        value["rounds"].append({"games": games, "byes": list(paired.byes)})
    tournament = tournament_from_json(value)
    met = [frozenset(match.teams) for match in matches(tournament) if match.teams[1] is not None]
    if len(sizes) > 4:
        assert len(set(met)) == len(met), "no match twice while there are other teams"
    points = sum(line.match_points for line in team_standings(tournament))
    assert points == sum(sum(match.match_points) for match in matches(tournament))
    assert {line.team for line in team_standings(tournament)} == set(teams_of(tournament))
    assert all(line.optimal for line in check(tournament))


def test_banned_players_keep_their_teams_apart_where_they_would_sit_opposite_and_pinned_ones_join_them() -> (
    None
):
    teams = {"A": 3, "B": 3, "C": 3, "D": 3}
    names = sorted(teams)

    def met(**more: Any) -> set[tuple[str, str]]:
        tournament = tournament_from_json(file(teams, 2, **more))
        return {(game.black, game.white) for game in next_round(team_tournament(tournament)).games}

    def opponents(team: str, **more: Any) -> set[str]:
        return {
            opponent
            for seed in range(12)
            for pair in met(seed=seed, **more)
            if team in pair
            for opponent in pair
        } - {team}

    assert opponents("A") == {"B", "C", "D"}
    assert opponents("A", bans=[["A1", "B1"], ["C2", "A2"]]) == {"D"}
    assert opponents("A", bans=[["A1", "B2"], ["A3", "C3"]]) == {"B", "C", "D"}, "never at one board"
    absent = [{"player": "A1", "round": 1}]
    assert opponents("A", bans=[["A3", "B2"]], absences=absent) == {"C", "D"}, "A3 has come up"
    for black, white in (("A1", "D1"), ("D2", "A2"), ("A3", "D1")):
        assert ("A", "D") in met(pins=[{"black": black, "white": white}])
    both = [{"black": black, "white": white} for black, white in (("C1", "B1"), ("B2", "C2"))]
    assert met(pins=both) >= {("C", "B")} and {team for pair in met(pins=both) for team in pair} == set(names)


def test_what_is_wrong_with_a_round_of_teams_is_named() -> None:
    def faults(games: list[dict[str, Any]], **more: Any) -> list[str]:
        value = file({"A": 2, "B": 2, "C": 2, "D": 2}, 2, rounds=[{"games": games, "byes": []}], **more)
        return [line.fault for line in check(tournament_from_json(value)) if not line.optimal]

    right = [("A1", "B1"), ("B2", "A2"), ("C1", "D1"), ("D2", "C2")]
    assert faults([game(*pair, (40, 24)) for pair in right]) == []
    turned = [*right[:3], ("C2", "D2")]
    assert faults([game(*pair, (40, 24)) for pair in turned]) == ["D is due to have Black on board 2"]
    inside = [("A1", "A2"), *right[2:]]
    assert faults([game(*pair, (40, 24)) for pair in inside]) == ["A1 and A2 are of one team"]


def test_the_command_pairs_and_checks_teams(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = [game("A1", "B1", (40, 24)), game("B2", "A2", (24, 40))]
    games += [game("C1", "D1", (40, 24)), game("D2", "C2", (24, 40))]
    value = file({"A": 2, "B": 2, "C": 2, "D": 2}, 2, rounds=[{"games": games, "byes": []}])
    (tmp_path / "event.json").write_text(json.dumps(value))
    assert main(["check", str(tmp_path / "event.json")]) == 0
    assert capsys.readouterr().out == "round 1: follows the rules\n"
    assert main(["pair", str(tmp_path / "event.json")]) == 0
    output = capsys.readouterr().out
    seats = re.findall(r"^ +(\d)  \w \d \((\w\d)\)  -  \w \d \((\w\d)\)$", output, re.MULTILINE)
    assert [table for table, _, _ in seats] == ["1", "2", "3", "4"]
    assert {frozenset(seated) for _, *seated in seats[:2]} == {
        frozenset(("A1", "C1")),
        frozenset(("A2", "C2")),
    }, "who won his match meets who won his"
    assert "\n  match 1: " in output
    assert main(["pair", "--json", str(tmp_path / "event.json")]) == 0
    paired = json.loads(capsys.readouterr().out)
    assert [[str(pair["table"]), pair["black"], pair["white"]] for pair in paired["games"]] == list(
        map(list, seats)
    )
    assert main(["rank", str(tmp_path / "event.json")]) == 0
    assert re.findall(r"^ +(\d) +(\d) +(\d) +(\d+)  (\w)$", capsys.readouterr().out, re.MULTILINE) == [
        ("1", "2", "2", "80", "A"),
        ("1", "2", "2", "80", "C"),
        ("3", "0", "0", "48", "B"),
        ("3", "0", "0", "48", "D"),
    ]
    again = {"games": [game("A1", "B1", None), game("B2", "A2", None), *games[2:]], "byes": []}
    (tmp_path / "event.json").write_text(json.dumps(value | {"rounds": [value["rounds"][0], again]}))
    assert main(["check", str(tmp_path / "event.json")]) == 1
    assert "round 2: rematches 2, the best possible 0" in capsys.readouterr().out


async def test_a_team_event_at_the_console_from_line_ups_to_the_standings(tmp_path: Path) -> None:
    value = file({"Ants": 4, "Bees": 3, "Crows": 3, "Ducks": 3})
    del value["team_matches"]

    async with director_at(Served(tmp_path, pair=in_this_process), value) as director:
        assert "Players are paired individually" in await director.page("teams")
        await director.send("teams", team_matches="3")
        await director.send("teams/players", **{"team-Ants3": "", "team-Ants1": "Ants"})
        assert "Not paired, because without a team:" in await director.page("teams")
        await director.send("teams/players", **{"team-Ants3": "Ants"})
        page = await director.page("teams")
        assert "Not paired, because without a team" not in page and "has met every other after 3" in page
        await director.send(
            "teams/line-up", **{"team": "Ants", "board-Ants4": "1", "board-Ants1": "2", "board-Ants2": "3"}
        )
        assert line_up(director.state.tournament, "Ants", 1) == ("Ants4", "Ants1", "Ants2")
        await director.send("draft/pair")
        drafting = director.served.hub.drafting
        draft = drafting.of("open")
        black, white = draft.games[0].black, next(game.white for game in draft.games if game.table == 4)
        changed = drafting.change(
            director.state,
            draft.revision,
            lambda present: with_players_exchanged(present, draft.games[0].white, white),
        )
        await director.send("draft/pair", ticks="1", keep="1", revision=changed.revision)
        games = [(game.table, game.black, game.white) for game in drafting.of("open").games]
        assert games[0] == (1, black, white)
        teams = {player.id: player.team for player in director.state.tournament.players}
        assert {teams[player] for _, *players in games[:3] for player in players} == {
            teams[black],
            teams[white],
        }, "kept: they meet"
        page = await director.page("draft")
        assert (
            "against" in page
            and ", board 3" in page
            and "Ants 3" not in page[page.index("<tbody>") : page.index("</tbody>")]
        )
        draft = director.served.hub.drafting.of("open")
        await director.send("draft/publish", revision=draft.revision)
        assert len(director.state.present_games) == 6
        await director.send("start")
        for present in director.state.present_games:
            await director.send("result", table=present.table, black=40, white=24)
        page = await director.page("teams")
        assert "Match points" in page and "reserve" in page
        public = (await director.client.get("/t/open/standings")).text
        assert "Match points" in public and "<b>Ants</b>" in public
        for paper in ("standings", "lists"):
            printed = (await director.client.get(f"/print/open/{paper}")).text
            assert ">Country<" not in printed, "teams stand in that column"
            assert printed.index("Match points") < printed.index("Ants 4")
        assert re.search("Team matches</a></h2>.*<td>Ants</td>", await director.page("lists"), re.DOTALL)
        shown = (await director.client.get("/hall/open?show=teams")).text
        assert 'class="scene teams"' in shown and "<b>Crows</b>" in shown
        points = sorted(line.match_points for line in team_standings(director.state.tournament))
        assert points == [0, 0, 2, 2], "Black on two of three boards"
        before = director.state
        await director.send("teams/line-up", **{"team": "Ants", "board-Ants4": "1"})
        assert director.state == before, "saved without a change"
        await director.send("teams", 400, team_matches="99")
        await director.send("draft/pair")
        draft = director.served.hub.drafting.of("open")
        await director.send("draft/publish", revision=draft.revision)
        assert {match.teams for match in matches(director.state.tournament) if match.round == 2}
        before = director.state
        await director.send("event", line_ups="x")
        assert director.state == before, "no field of that form"


async def test_a_line_up_of_others_is_refused(served: Any) -> None:
    async with director_at(served, file({"A": 2, "B": 2})) as director:
        for ups in ({"A": ["B1"]}, {"A": "A1"}, []):
            with pytest.raises(Exception, match="line_ups: expected"):
                await director.served.record(EventChanged(fields={"line_ups": ups}, seq=9))
