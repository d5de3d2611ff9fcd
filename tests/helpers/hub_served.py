"""The hub's whole web application without sockets, and an exhibition's public pages."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from samples.exhibition import Exhibition, Scene

from helpers.hub_in_one import InThread, Operated, hub_of, opened_store
from hub.assembly import web_application
from hub.model.tournament import Tournament
from hub.pairing.round import PairedGame
from hub.public.outside.static_site import FolderSite
from hub.role import Role
from hub.rounds.paired import Paired


class Served(Operated):
    """The hub's whole web application without sockets. Entered, it is a client that carries the token."""

    PASSWORD = "a password of this hub"

    def __init__(self, folder: Path, pair: Callable[[Tournament], Any] | None = None) -> None:
        """Prepare the hub. `pair` makes the rounds; `now_ns` and `wall` are the hub's clocks."""
        self.folder = folder
        self.pair = pair or first_against_second
        self.now_ns = 0
        self.wall = datetime.datetime(2026, 11, 5, 10, 0, tzinfo=datetime.UTC)

    def browser(self) -> httpx.AsyncClient:
        """Return another client, without a token."""
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=True)
        return httpx.AsyncClient(transport=transport, base_url="http://hub")

    async def entered(self, role: Role) -> tuple[httpx.AsyncClient, str]:
        """Return a client that has signed in with this role, and the secret of its forms."""
        if self.accounts.role(role.word) is None:
            self.accounts.put(role.word, role, self.PASSWORD)
        client = self.browser()
        form = {"name": role.word, "password": self.PASSWORD}
        answer = await client.post("/desk/enter", data=form)
        assert answer.status_code == 303, answer.text
        sessions = self.hub.sessions
        session = sessions.session(client.cookies[sessions.cookie])
        assert session is not None
        return client, session.csrf

    async def __aenter__(self) -> httpx.AsyncClient:
        self.store = await opened_store(self.folder, lambda: self.wall.isoformat())
        self.hub = hub_of(
            self.folder, self.store, pair=self.pair, now_ns=lambda: self.now_ns, wall=lambda: self.wall
        )
        self.devices, self.accounts, self.setup = self.hub.devices, self.hub.accounts, self.hub.setup
        self.live = self.hub.live
        self.site, self.abuses = self.hub.site, self.hub.abuses
        self.app = web_application(self.hub)
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app, raise_app_exceptions=True),
            base_url="http://hub",
            headers={"Authorization": f"Bearer {self.hub.token}"},
        )
        return self.client

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()
        await self.store.close()


async def first_against_second(tournament: Tournament) -> Paired:
    """Pair the first two players; the others have byes."""
    ids = [player.id for player in tournament.players]
    return Paired(len(tournament.rounds) + 1, (PairedGame(1, ids[0], ids[1]),), tuple(ids[2:]), None, ())


class Shown:
    """An exhibition's public pages without a socket."""

    def __init__(self, folder: Path, scene: Scene) -> None:
        self._folder, self._scene = folder, scene
        self.now_ns = 0

    async def __aenter__(self) -> Shown:
        self.exhibition = await Exhibition.opened(
            self._folder, self._scene, now_ns=lambda: self.now_ns, aside=InThread()
        )
        self.site = self.exhibition.hub.site
        self.folder_site = FolderSite(self.site.pages, self.site.records)
        pages = web_application(self.exhibition.hub).inner
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(pages), base_url="http://hub")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()
        await self.exhibition.store.close()

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.client.get(path, headers={"accept-language": "en", **headers})

    async def text(self, path: str, **headers: str) -> str:
        answer = await self.get(path, **headers)
        assert answer.status_code == 200, (path, answer.status_code)
        return answer.text
