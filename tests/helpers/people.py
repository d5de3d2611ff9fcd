"""Players with their private pages in their hands."""

from __future__ import annotations

from typing import Any

from helpers.hub_files import tournament_file
from hub.people.acts import shown_game


def club(players: int = 4, **more: Any) -> dict[str, Any]:
    """Return the file of a club's event, whose rulebook lets players have pages."""
    return tournament_file(players, **{"rulebook": "club", **more})


def link(served: Any, player: str = "p1", event: str = "open") -> str:
    """Return the address of a player's own page, "" without one."""
    return str(served.hub.player_links.path(served.store.states[event], player))


async def my_page(served: Any, player: str = "p1", **asked: str) -> str:
    """Return the page as the player sees it."""
    answer = await served.browser().get(link(served, player), params=asked)
    assert answer.status_code == 200, answer.text
    return str(answer.text)


async def sends(served: Any, act: str, player: str = "p1", **form: str) -> tuple[int, str]:
    """Send a form of a player's own page, which shows the game as it is unless `shown` is given.

    Return the status and the page, or the address to which it leads.
    """
    path, games = link(served, player), served.store.states["open"].games
    form = {"shown": shown_game(games[form["game"]])} | form if form.get("game") in games else form
    answer = await served.browser().post(f"{path}/{act}", data=form)
    assert answer.headers["cache-control"] == "private, no-store"
    return answer.status_code, answer.headers.get("location", answer.text)
