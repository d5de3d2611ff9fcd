"""All rounds of a round robin on one sheet: what will be paired, who may see it, and how it comes out of a printer."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from helpers.browsing import barriers, chromium
from helpers.hub_files import tournament_file
from helpers.hub_served import Served
from hypothesis import given
from hypothesis import strategies as st

from hub.form.tournament import tournament_from_json
from hub.model.games import Game, Pin, Round
from hub.model.players import Player
from hub.model.tournament import Absence, Tournament
from hub.pairing.next_round import next_round, planned_round_robin
from hub.public.round_robin_sheet import MOST_PLAYERS, round_robin_sheet

CYCLES = {"round_robin": 1, "double_round_robin": 2, "triple_round_robin": 3}


def field(count: int, system: str = "round_robin", seed: int = 1) -> Tournament:
    rounds = CYCLES[system] * (count - 1 + count % 2)
    players = tuple(Player(f"p{n}") for n in range(count))
    return Tournament("cc-2024", players, system=system, rounds_planned=rounds, seed=seed)


def played(tournament: Tournament, rounds: int, score: tuple[int, int]) -> Tournament:
    for _ in range(rounds):
        pairing = next_round(tournament)
        games = tuple(Game(g.black, g.white, score, table=g.table) for g in pairing.games)
        tournament = replace(tournament, pins=(), rounds=(*tournament.rounds, Round(games, pairing.byes)))
    return tournament


@given(
    st.integers(2, 9), st.sampled_from(sorted(CYCLES)), st.integers(0, 99), st.integers(0, 6), st.booleans()
)
def test_the_sheet_shows_the_rounds_as_they_are_paired_later_whatever_the_results(
    count: int, system: str, seed: int, begun: int, black_wins: bool
) -> None:
    start = field(count, system, seed)
    begun = min(begun, start.rounds_planned)
    score = (40, 24) if black_wins else (20, 44)
    sheet = round_robin_sheet(played(start, begun, score), with_planned=True)
    assert sheet is not None
    at_the_end = played(start, start.rounds_planned, score)
    for on_sheet, round_ in zip(sheet.rounds, at_the_end.rounds, strict=True):
        assert {(g.black, g.white) for g in on_sheet.games} == {(g.black, g.white) for g in round_.games}
        assert set(on_sheet.byes) == set(round_.byes)
        assert on_sheet.planned == (on_sheet.number > begun)
        assert all((game.table is None) == on_sheet.planned for game in on_sheet.games)
    for player, opponent in combinations((player.id for player in start.players), 2):
        mine, theirs = sheet.meetings[player, opponent], sheet.meetings[opponent, player]
        assert len(mine) == len(theirs) == CYCLES[system]
        assert all({a.colour, b.colour} == {"black", "white"} for a, b in zip(mine, theirs, strict=True))


def test_a_game_in_play_an_absence_and_a_pin_that_cannot_stand_keep_no_sheet_away() -> None:
    begun = played(field(6), 1, (40, 24))
    (game, *others) = begun.rounds[0].games
    going_on = replace(
        begun,
        rounds=(Round((replace(game, score=None), *others)),),
        absences=(Absence("p0", 2),),
        pins=(Pin("p0", "p1"),),
    )
    second, *later = planned_round_robin(going_on)
    assert "p0" not in {player for paired in second.games for player in paired.players}
    assert len(second.byes) == 1 and all(len(pairing.games) == 3 for pairing in later)
    sheet = round_robin_sheet(going_on, with_planned=True)
    assert sheet is not None and sheet.meetings[game.black, game.white][0].discs is None


def test_the_swiss_part_is_not_on_the_sheet_and_a_crowd_is_refused() -> None:
    file = tournament_file(7, rulebook="cc-2024", system="round_robin_then_swiss", rounds_planned=11)
    sheet = round_robin_sheet(tournament_from_json(file), with_planned=True)
    assert sheet is not None and len(sheet.rounds) == 7
    crowd = round_robin_sheet(field(MOST_PLAYERS + 1), with_planned=True)
    assert crowd is not None and crowd.too_many and not crowd.rounds
    assert round_robin_sheet(tournament_from_json(tournament_file(4)), with_planned=True) is None


async def test_rounds_that_are_not_paired_are_for_holders_of_the_halls_key(served: Any) -> None:
    async with served as client:
        await served.create("open", tournament_file(4, system="round_robin", rounds_planned=3))
        key = served.site.key
        assert "○" not in (await client.get("/print/open/all-rounds")).text
        early = (await client.get(f"/print/open/all-rounds?key={key}")).text
        assert early.count("○") == 1 + 3 and early.count("Player 1") > 3
        await served.run("publish-round")
        assert ">Round 1<" not in (await client.get("/print/open/all-rounds")).text
        await served.run("start-round")
        public = (await client.get("/print/open/all-rounds")).text
        assert ">Round 1<" in public and "Round 2" not in public
        assert "all-rounds" in (await client.get("/print/open")).text
        await served.create("swiss", tournament_file(4))
        assert "all-rounds" not in (await client.get("/print/swiss")).text
        assert "no round robin" in (await client.get("/print/swiss/all-rounds")).text


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served(tmp_path)


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("paper", ["a4", pytest.param("letter", marks=pytest.mark.long)])
async def test_fourteen_players_fit_one_sheet_of_paper_on_both_sides(
    served: Any, axe: str, paper: str
) -> None:
    static = Path(__file__).parents[3] / "hub" / "web" / "static"
    style = "".join((static / name).read_text("utf-8") for name in ("print.css", f"print-{paper}.css"))
    names = [
        {"id": f"{n}", "name": f"佐藤 太郎 {n}" if n % 2 else f"Procházka Jiří {n}"} for n in range(1, 15)
    ]
    file = tournament_file(14, players=names, system="round_robin", rounds_planned=13)
    async with served as client:
        await served.create("open", file)
        html = (await client.get(f"/print/open/all-rounds?key={served.site.key}&paper={paper}")).text

    def printed() -> tuple[int, object]:
        with chromium() as browser:
            context = browser.new_context(bypass_csp=True)
            page: Any = context.new_page()
            page.set_content(html.replace("</head>", f"<style>{style}</style></head>"))
            faults = barriers(page, axe)
            data = page.pdf(prefer_css_page_size=True, print_background=True)
            context.close()
        return len(re.findall(rb"/Type\s*/Page\b", data)), faults

    pages, faults = await asyncio.to_thread(printed)
    assert pages == 2 and not faults
