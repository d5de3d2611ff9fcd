"""Work in a child process of the hub."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

from hub.child_process import NICE, OUT_OF_MEMORY_FIRST, Aside, within_processor_s


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


def _oom_score() -> int:
    return int(Path("/proc/self/oom_score_adj").read_text())


def test_where_memory_runs_out_a_child_goes_before_the_hub() -> None:
    """Two pictures that are made to take much and a large file at once take more than the hub's service may have."""
    assert asyncio.run(Aside().run(60, _oom_score)) == max(_oom_score(), OUT_OF_MEMORY_FIRST)
    service = Path(__file__).parents[2] / "systemd" / "flagfall-hub.service"
    assert "OOMPolicy=continue" in service.read_text("utf-8"), "else systemd stops the hub with its child"


def _end_by_processor_time() -> object:
    return signal.getsignal(signal.SIGPROF)


def test_no_work_finds_the_limit_of_the_work_before_it() -> None:
    async def after_limited_work() -> object:
        assert await Aside().run(60, within_processor_s, 5.0, os.getpid) == await Aside().run(60, os.getpid)
        return await Aside().run(60, _end_by_processor_time)

    assert asyncio.run(after_limited_work()) == signal.SIG_DFL
