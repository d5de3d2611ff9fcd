"""The director at the console of a running hub: pages read, forms sent."""

from __future__ import annotations

import html
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from typing import Any

from helpers.hub_files import tournament_file
from hub.console.pages.corrections import shown_game_state
from hub.model.tournament import Tournament
from hub.role import Role
from hub.rounds.paired import Paired, paired_round

# Two rounds of four players, for the tournament file.
PLAYED = [
    {
        "games": [
            {"black": "p1", "white": "p2", "score": [40, 24]},
            {"black": "p3", "white": "p4", "score": [34, 30]},
        ]
    },
    {
        "games": [
            {"black": "p3", "white": "p1", "score": [20, 44]},
            {"black": "p2", "white": "p4", "score": [50, 14]},
        ]
    },
]


class Director:
    """A signed-in client with the secret of its forms. Addresses are those of the event `open`, or begin with /.

    Pages are returned as a reader sees them. `sent` is the last page as it was sent, with its escapes.
    """

    sent = ""

    def __init__(self, served: Any, client: Any, csrf: str) -> None:
        self.served, self.client, self.csrf = served, client, csrf

    async def send(self, where: str, status: Any = 303, **form: Any) -> str:
        """Send a form. Return the address to which it leads, or the page that says why it does not."""
        if where == "corrections":
            form = {"seen": shown_game_state(self.state.games[form["game"]]), **form}
        answer = await self.client.post(_address(where), data={"csrf": self.csrf, **form})
        assert answer.status_code == status, answer.text
        return answer.headers["location"] if answer.status_code == 303 else self._read(answer)

    async def send_list(self, where: str, files: Any = None, **form: Any) -> str:
        """Send a form with a list of players and confirm its reading. Return the address to which it leads."""
        data = {"csrf": self.csrf, **form}
        answer = await self.client.post(where, data=data, files=files)
        if answer.status_code == 400:
            answer = await self.client.post(where, data=data | shown_answers(answer.text))
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])

    async def page(self, where: str, **asked: Any) -> str:
        answer = await self.client.get(_address(where), params=asked or None)
        assert answer.status_code == 200, answer.text
        return self._read(answer)

    def _read(self, answer: Any) -> str:
        self.sent = answer.text
        return html.unescape(answer.text)

    @property
    def state(self) -> Any:
        return self.served.store.states["open"]

    def game(self, round_: int, table: int) -> Any:
        return next(game for game in self.state.games_of(round_) if game.table == table)


class _Shown(HTMLParser):
    """The parser for the fields of a form that shows how a list was understood."""

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self._inside = 0
        self._select = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        attributes = dict(attrs)
        if tag == "section":
            self._inside += self._inside > 0 or attributes.get("id") == "understood"
        if not self._inside:
            return
        if tag == "input" and attributes.get("type") == "hidden":
            self.fields[attributes["name"]] = attributes["value"]
        elif tag == "select":
            self._select = attributes["name"]
        elif tag == "option" and ("selected" in attributes or self._select not in self.fields):
            self.fields[self._select] = attributes["value"]

    def handle_endtag(self, tag: str) -> None:
        self._inside -= tag == "section" and self._inside > 0


def shown_answers(page: str) -> dict[str, str]:
    """Return the fields of a form that shows how a list was understood, as they stand on the page."""
    shown = _Shown()
    shown.feed(page)
    assert "seen" in shown.fields, page
    return shown.fields


def _address(where: str) -> str:
    return where if where.startswith("/") else f"/desk/t/open/{where}"


class Here:
    """A replacement of the child process, which gives way to everything else on a busy machine."""

    async def run(self, longest_s: float, work: Callable[..., Any], *arguments: Any) -> Any:
        return work(*arguments)


async def paired(tournament: Tournament) -> Paired:
    """Return the pairing, made in this process."""
    return paired_round(tournament)


@asynccontextmanager
async def director_at(served: Any, file: Any = None, role: Role = Role.DIRECTOR) -> AsyncIterator[Director]:
    """Enter a hub's console with this role. The hub has an event of `file`, if there is one."""
    async with served:
        if file is not None:
            await served.create("open", file)
        yield Director(served, *await served.entered(role))


async def one_game(director: Director, device: bool = True) -> Any:
    """Publish a round of one game at table 1, with a device or without, and return the game."""
    if device:
        await director.served.enroll("t1", 1)
    await director.served.create("open", tournament_file(2))
    await director.served.run("publish-round")
    return director.state.present_games[0]
