"""A stranger in the hall asks for everything at once, each way for some seconds, with the usual 1,024 open files."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
from attacks import ATTACKS, LARGEST_MB, SECONDS, AttackedHub, again_and_again


@pytest.fixture
def attacked(tmp_path: Path) -> Iterator[AttackedHub]:
    hub = AttackedHub(tmp_path)
    yield hub
    hub.stop()


@pytest.mark.long
@pytest.mark.parametrize("name", ATTACKS)
def test_the_hall_has_its_page_whatever_a_stranger_asks(attacked: AttackedHub, name: str) -> None:
    count, attack = ATTACKS[name]

    async def story() -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 8_192)), hard))
        swarm = [asyncio.create_task(again_and_again(attack, attacked)) for _ in range(count)]
        largest_mb = 0
        until_s = asyncio.get_running_loop().time() + SECONDS
        answers = []
        while asyncio.get_running_loop().time() < until_s:
            answers.append(await asyncio.wait_for(attacked.page(), 30))
            largest_mb = max(largest_mb, attacked.megabytes())
        for one in swarm:
            one.cancel()
        await asyncio.gather(*swarm, return_exceptions=True)
        assert answers and set(answers) == {b"200"}
        assert largest_mb < LARGEST_MB
        assert (attacked.folder / "log").stat().st_size < 100_000

    asyncio.run(story())
