"""Work in a child process of the hub."""

from __future__ import annotations

import asyncio
import os

from hub.child_process import NICE, Aside


def _priority() -> tuple[int, int]:
    return os.nice(0), os.sched_getscheduler(0)


def test_a_child_stands_back_but_is_not_left_without_time() -> None:
    nice, policy = asyncio.run(Aside().run(60, _priority))
    assert nice == min(os.nice(0) + NICE, 19)
    assert policy == os.sched_getscheduler(0)
