"""The hubs of the tests: as a process, as parts without sockets, as the pages of an exhibition."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from helpers import prepared
from helpers.browsing import OpenBrowser, opened
from helpers.hub_in_one import Room, open_room
from helpers.hub_process import Hub, hubs
from helpers.hub_served import Served

from hub.desk import accounts

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make hashes cheap, because hundreds of tests sign in; tests of the passwords themselves
    (test_console_accounts.py) take the real ones."""
    monkeypatch.setattr(accounts, "_hasher", lambda: CHEAP)


# No host that a browser trusts without a certificate: what it keeps for those is not there.
HALL = "hall.test"


@pytest.fixture(scope="session")
def open_browser() -> Iterator[OpenBrowser]:
    with opened(f"--host-resolver-rules=MAP {HALL} 127.0.0.1") as browser:
        yield browser


@pytest.fixture
def browser(open_browser: OpenBrowser) -> Iterator[Any]:
    """Yield the browser of all tests, in which nothing is open."""
    with open_browser.in_use() as browser:
        yield browser
        for context in browser.contexts:
            context.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """Return the source of axe-core."""
    return prepared.had(prepared.axe).read_text("utf-8")


@pytest.fixture
def new_hub() -> Iterator[Callable[[Path], Hub]]:
    with hubs() as make:
        yield make


@pytest.fixture(scope="module")
def new_hub_of_module() -> Iterator[Callable[[Path], Hub]]:
    with hubs() as make:
        yield make


@pytest.fixture
def hub(tmp_path: Path, new_hub: Callable[[Path], Hub]) -> Hub:
    running = new_hub(tmp_path)
    running.start()
    return running


@pytest.fixture
def served(tmp_path: Path) -> Served:
    """Return a hub without a socket; entered, it gives a client that holds the token."""
    return Served(tmp_path)


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    """Yield a hub's parts without a socket, in the loop of the test."""
    opened = await open_room(tmp_path)
    yield opened
    await opened.store.close()
