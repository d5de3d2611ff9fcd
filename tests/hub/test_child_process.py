"""Work in a child process of the hub."""

from __future__ import annotations

import asyncio
import os
import time

from hub.child_process import NICE, Aside, within_processor_s


def _priority() -> tuple[int, int]:
    return os.nice(0), os.sched_getscheduler(0)


def test_a_child_stands_back_but_is_not_left_without_time() -> None:
    nice, policy = asyncio.run(Aside().run(60, _priority))
    assert nice == min(os.nice(0) + NICE, 19)
    assert policy == os.sched_getscheduler(0)


def _wait() -> str:
    time.sleep(0.3)  # fixed: a child that is kept waiting
    return "done"


def _work_for_ever() -> str:
    while True:
        try:
            sum(range(1000))
        except Exception:  # work that survives everything of its own
            continue


def test_the_processors_time_is_limited_and_not_the_clocks() -> None:
    """A busy machine keeps a child waiting, which says nothing about its work."""

    async def story() -> None:
        aside = Aside()
        assert await aside.run(60, within_processor_s, 0.2, _wait) == "done"
        assert await aside.run(60, within_processor_s, 0.2, _work_for_ever) is None
        assert await aside.run(60, within_processor_s, 0.2, _wait) == "done", "by the same child"

    asyncio.run(story())
