"""Sixteen players in leagues of four, from the empty hub to the champion, as a director does it at the console."""

from __future__ import annotations

import re
from pathlib import Path

from helpers.console_director import Director, director_at, paired
from helpers.hub_served import Served

from hub.ranking.leagues import leagues_of
from hub.ranking.standings import league_tables

# Four blocks of the federation, four players of each.
PLAYERS = "\n".join(f"Player {n:02}; JPN" for n in range(1, 17))


async def enter_all(director: Director) -> None:
    """Type the results of the games at the tables: the player who comes first in the list wins by 16."""
    for game in director.state.present_games:
        if game.score is None:
            black, white = ("40", "24") if game.black < game.white else ("24", "40")
            shown = re.search(r'name="shown" value="(\w+)"', (await director.page("round")) and director.sent)
            await director.send(
                "result",
                table=game.table,
                black=black,
                white=white,
                in_order="1",
                had_black="first",
                shown=shown[1] if shown else "",
            )


async def play_round(director: Director) -> None:
    """Pair the next round, publish it, and type its results."""
    await director.send("draft/pair")
    await director.page("draft")
    revision = re.search(r'name="revision" value="(\d+)"', director.sent)
    assert revision is not None
    await director.send("draft/publish", revision=revision[1])
    await enter_all(director)


async def play_finals(director: Director) -> int:
    """Publish the games that are due as the page proposes them, and type their results. Return their number."""
    await director.page("finals")
    matches = re.findall(r'name="(m\d+)-match" value="([^"]*)"', director.sent)
    fields = {
        f"{key}-{name}": value
        for table, (key, match) in enumerate(matches, start=1)
        for name, value in (("match", match), ("play", "1"), ("way", "0"), ("table", str(table)))
    }
    if matches:
        await director.send("finals", **fields)
        await enter_all(director)
    return len(matches)


async def test_sixteen_players_from_the_empty_hub_to_the_champion(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path, pair=paired)) as director:
        await director.send(
            "/desk/new", name="Open", rulebook="jof", system="leagues", rounds_planned="", players=PLAYERS
        )
        state = director.state
        assert (state.tournament.system, state.tournament.rounds_planned) == ("leagues", 3)
        blocks = {player.id: "NSEW"[nth % 4] for nth, player in enumerate(state.tournament.players)}
        await director.served.run("set-teams", teams=blocks)
        assert "As they are drawn so far" in await director.page("leagues")
        await director.send("leagues", draw="1", shown="")
        drawn = director.state.tournament.leagues
        for league in drawn:
            assert {blocks[player] for player in league} == set("NSEW"), "blocks are apart"
        # The director exchanges two players of one block.
        first, second = (next(p for p in league if blocks[p] == "N") for league in drawn[:2])
        typed = {f"league-{p}": str(nth) for nth, league in enumerate(drawn, start=1) for p in league}
        await director.send("leagues", **{**typed, f"league-{first}": "2", f"league-{second}": "1"})
        assert (
            second in director.state.tournament.leagues[0] and first in director.state.tournament.leagues[1]
        )
        small = {**typed, **{f"league-{player}": "" for player in drawn[0][:2]}}
        page = await director.send("leagues", 400, **small)
        assert "That did not work." in page and "three or four players" in page

        for _ in range(3):
            await play_round(director)
        tournament = director.state.tournament
        assert leagues_of(tournament) == tournament.leagues
        assert "expected no change" in await director.send("leagues", 400, draw="1")
        page = await director.page("leagues")
        assert page.count("<h2>League ") == 4 and "plays the knockout" in page
        for where in ("/t/open/standings", "/print/open/standings"):
            assert (await director.page(where)).count(">League ") == 4
        winners = {league[0].player for league in league_tables(tournament)}

        assert "The players draw the colours at the table." in await director.page("finals")
        assert await play_finals(director) == 2, "semi-finals"
        assert await play_finals(director) == 2, "final and third place"
        assert await play_finals(director) == 0
        champion = tournament.name_of(min(winners))
        public = await director.page("/t/open/finals")
        assert champion in public.split("Matches")[0] and "Semi-final" in public and "Third place" in public
        assert champion in await director.page("/print/open/lists")
        await director.send("close")
        assert director.state.closed


async def test_a_latecomer_is_in_no_league_until_the_director_says_which(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path, pair=paired)) as director:
        await director.send("/desk/new", name="Open", rulebook="jof", system="leagues", players=PLAYERS[:-16])
        await director.send("leagues", draw="1")
        await director.send("players", name="Late", country="JPN")
        late = director.state.tournament.players[-1].id
        assert "Not in a league" in await director.page("leagues")
        refused = await director.send("draft/pair", 400)
        assert "each player in a league" in refused and "Late" in refused
        short = next(
            nth for nth, league in enumerate(director.state.tournament.leagues, start=1) if len(league) == 3
        )
        typed = {
            f"league-{p}": str(nth)
            for nth, league in enumerate(director.state.tournament.leagues, start=1)
            for p in league
        }
        await director.send("leagues", **typed, **{f"league-{late}": str(short)})
        await director.send("draft/pair")


async def test_a_late_entry_during_the_leagues_gets_a_free_place_or_begins_after_them(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path, pair=paired)) as director:
        await director.send(
            "/desk/new",
            name="Open",
            rulebook="jof",
            system="leagues",
            rounds_planned="4",
            players=PLAYERS[:-16],
        )
        await play_round(director)
        for name in ("Cid", "Dot", "Eve"):
            await director.send("players", name=name, country="JPN")
        cid, dot, eve = (player.id for player in director.state.tournament.players[-3:])
        refused = await director.send("draft/pair", 400)
        assert "is in no league" in refused and "3 late entries" in refused
        assert 'href="/desk/t/open/leagues"' in director.sent
        leagues = director.state.tournament.leagues
        short = next(nth for nth, league in enumerate(leagues, start=1) if len(league) == 3)
        whole = next(nth for nth, league in enumerate(leagues, start=1) if len(league) == 4)
        assert f"Into league {short}" in await director.page("leagues")
        assert "a league of three players" in await director.send(
            "leagues/late", 400, player=cid, league=whole
        )
        await director.send("leagues/late", player=cid, league=short)
        assert leagues_of(director.state.tournament)[short - 1] == (*leagues[short - 1], cid)
        assert "Into league" not in await director.page("leagues"), "the place is taken"
        await director.send("leagues/late", player=dot, league="")
        await director.send("leagues/late", player=eve, league="")
        # The placing is taken back as every entry can be.
        await director.send("undo")
        assert "1 late entry is in no league" in await director.page("draft")
        await director.send("leagues/late", player=eve, league="")
        for _ in range(2):
            await play_round(director)
        seen = {player for round_ in director.state.tournament.rounds[1:] for player in round_.players}
        assert cid in seen and seen.isdisjoint((dot, eve))
        await director.send("draft/pair")
        draft = director.served.hub.drafting.of("open")
        assert draft is not None
        assert {dot, eve} <= {player for game in draft.games for player in game.players} | set(draft.byes)
