"""The waiting times between connections: a connection that another device ends at once is no success."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

from flagfall.link.client import client
from flagfall.link.client.client import Link


async def attempts_of(monkeypatch: pytest.MonkeyPatch, lasts_s: list[float]) -> list[int]:
    """Return the attempts for which the link waits, after connections that were up for so long."""
    link = Link("h", 1, "t1", "token", ["t"], inbox=print, on_state=lambda up: None, random=Random(1))
    seen: list[int] = []
    ended, now_s = iter(lasts_s), [0.0]

    async def live_once() -> bool:
        lasted_s = next(ended, None)
        if lasted_s is None:
            raise asyncio.CancelledError
        now_s[0] += lasted_s
        return lasted_s > 0

    def waiting(attempt: int, *_: Any) -> float:
        seen.append(attempt)
        return 0.0

    monkeypatch.setattr(link, "_live_once", live_once)
    monkeypatch.setattr(client, "delay_s", waiting)
    monkeypatch.setattr(client, "monotonic", lambda: now_s[0])
    with pytest.raises(asyncio.CancelledError):
        await link.keep_up()
    return seen


@pytest.mark.parametrize(
    ("lasts_s", "attempts"),
    [
        ([0.0, 0.0, 0.0], [1, 2, 3]),
        ([2.0, 2.0, 2.0, 2.0], [1, 2, 3, 4]),
        ([2.0, 2.0, 40.0, 2.0], [1, 2, 1, 2]),
    ],
    ids=["never up", "ended at once by a twin", "steady between"],
)
async def test_short_connections_are_tried_again_ever_later(
    monkeypatch: pytest.MonkeyPatch, lasts_s: list[float], attempts: list[int]
) -> None:
    assert await attempts_of(monkeypatch, lasts_s) == attempts
