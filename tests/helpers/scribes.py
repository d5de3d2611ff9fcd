"""A scribe with a link in their hands."""

from __future__ import annotations

from typing import Any

from helpers.console_director import Director
from helpers.people import club

# The first fourteen moves of a game.
LINE = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8"


async def begun(director: Director, *, broadcast: bool = True, scribe: bool = True, **more: Any) -> str:
    """Start a round on paper and return the id of the game at table 1, with a link for its scribe."""
    await director.served.create("open", club(**more))
    await director.served.run("publish-round", broadcast=broadcast)
    await director.send("start")
    game = str(director.state.present_games[0].id)
    if scribe:
        await director.send(f"game/{game}/scribe")
    return game


def scribes_link(served: Any, game: str) -> str:
    """Return the address of a game's scribe, "" without one."""
    state = served.store.states["open"]
    return str(served.hub.player_links.scribe_path(state, state.games[game]))


async def tap(served: Any, game: str, moves: str, before: str = "", path: str = "") -> tuple[int, Any]:
    """Send a line as the page's script does; return the status and what the script is told."""
    answer = await served.browser().post(
        f"{path or scribes_link(served, game)}/moves",
        data={"moves": moves, "before": before},
        headers={"x-flagfall-form": "1"},
    )
    return answer.status_code, answer.json()
