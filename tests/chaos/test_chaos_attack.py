"""A stranger in the hall asks for everything at once, each way for some seconds: of a club's hub alone, with the usual
1,024 open files, and of a venue's behind nginx."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.hub_attacks import ATTACKS, CLUB, LARGEST_MB, PLAIN, SECONDS, VENUE, AttackedHub, Swarm
from helpers.waiting import PATIENCE_S, until


@pytest.fixture
def attacked(tmp_path: Path, kind: str) -> Iterator[AttackedHub]:
    hub = AttackedHub(tmp_path, kind)
    yield hub
    hub.stop()


@pytest.mark.long
@pytest.mark.needs("mosquitto", "nginx")
@pytest.mark.parametrize(
    ("kind", "name"), [(CLUB, name) for name in PLAIN] + [(VENUE, name) for name in ATTACKS]
)
def test_the_hall_has_its_page_whatever_a_stranger_asks(attacked: AttackedHub, kind: str, name: str) -> None:
    async def story() -> None:
        largest_mb = 0
        until_s = asyncio.get_running_loop().time() + SECONDS
        answers = []
        while asyncio.get_running_loop().time() < until_s:
            answers.append(await asyncio.wait_for(attacked.page(), PATIENCE_S))
            largest_mb = max(largest_mb, attacked.megabytes())
        assert answers and set(answers) == {b"200"}
        assert largest_mb < LARGEST_MB[kind]
        assert attacked.log_bytes() < 100_000

    with Swarm(name, attacked) as swarm:
        until(lambda: swarm.asked, "the attack")
        asyncio.run(story())
