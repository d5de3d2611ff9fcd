"""The director at the console of a running hub: pages read, forms sent."""

from __future__ import annotations

import asyncio
import html
from collections.abc import Awaitable, Callable
from typing import Any

from hub.console.login.accounts import Role
from hub.console.pages.corrections import seen


class Director:
    def __init__(self, served: Any, client: Any, csrf: str) -> None:
        self.served, self.client, self.csrf = served, client, csrf

    async def send(self, where: str, status: Any = 303, **form: Any) -> str:
        if "game" in form:
            form = {"seen": seen(self.state.games[form["game"]]), **form}
        answer = await self.client.post(f"/desk/t/open/{where}", data={"csrf": self.csrf, **form})
        assert answer.status_code == status, answer.text
        return html.unescape(answer.text)

    async def page(self, where: str, **asked: Any) -> str:
        answer = await self.client.get(f"/desk/t/open/{where}", params=asked)
        assert answer.status_code == 200, answer.text
        return html.unescape(answer.text)

    @property
    def state(self) -> Any:
        return self.served.book.states["open"]

    def game(self, round_: int, table: int) -> Any:
        return next(game for game in self.state.games_of(round_) if game.table == table)


class Here:
    """In place of the child process, which gives way to everything else on a busy machine."""

    async def run(self, longest_s: float, work: Callable[..., Any], *arguments: Any) -> Any:
        return work(*arguments)


def told(
    served: Any,
    file: Any,
    story: Callable[[Director], Awaitable[None]],
    role: Role = Role.DIRECTOR,
) -> None:
    async def run() -> None:
        async with served:
            await served.operations.create("open", file, "o")
            await story(Director(served, *await served.entered(role)))

    asyncio.run(run())
