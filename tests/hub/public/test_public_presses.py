"""Few presses and little to load: what a visitor wants to see is near."""

from __future__ import annotations

import re
from pathlib import Path

from helpers.hub_served import Shown
from samples.exhibition import TOURNAMENT, Scene

from hub.web.app import STATIC


async def test_a_page_is_painted_one_round_trip_after_its_html(tmp_path: Path) -> None:
    # Styles are named in the page itself, and no script stands in their way.
    async with Shown(tmp_path, Scene(players=9, rounds_planned=4, rounds_played=2)) as opened:
        for name in (
            "",
            "/players",
            "/standings",
            "/games",
            "/event",
            "/games/2-1-star",
            "/players/103",
            "/tables/1",
        ):
            html = await opened.text(f"/t/{TOURNAMENT}{name}")
            scripts = re.findall(r"<script[^>]*>", html)
            assert all(" defer" in script or "module" in script for script in scripts), (name, scripts)
            sheets = re.findall(r'<link rel="stylesheet" href="/static/([^"]+)">', html)
            assert len(sheets) == 4 + ("/games/" in name) and html.index("<body") > html.rindex("stylesheet")
            assert not any("@import" in (STATIC / sheet).read_text("utf-8") for sheet in sheets)


async def test_a_visitor_needs_two_presses_for_a_players_last_game_and_for_any_result(tmp_path: Path) -> None:
    async with Shown(tmp_path, Scene(players=9, rounds_planned=4, rounds_played=2)) as opened:
        links = {
            name: set(re.findall(r'href="/t/stars/([^"?]+)', await opened.text(f"/t/{TOURNAMENT}{name}")))
            for name in ("", "/standings", "/games")
        }
        state = opened.exhibition.state
        scored = [game for game in state.games.values() if game.score is not None]
        assert {"standings", "games"} <= links[""], "one press"
        # The second press: on the game in the row of its player, or on its round in the list of games.
        assert {f"games/{game.id}" for game in scored} <= links["/standings"]
        assert {f"rounds/{number}" for number in range(1, state.round + 1)} <= links["/games"]
        for game in scored:
            assert f"{game.score[0]}–{game.score[1]}" in await opened.text(
                f"/t/{TOURNAMENT}/rounds/{game.round}"
            )
