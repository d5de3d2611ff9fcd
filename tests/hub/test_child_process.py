"""Work in a child process of the hub."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from hub.child_process import NICE, OUT_OF_MEMORY_FIRST, Aside


def _priority() -> tuple[int, int]:
    return os.nice(0), os.sched_getscheduler(0)


def test_a_child_stands_back_but_is_not_left_without_time() -> None:
    nice, policy = asyncio.run(Aside().run(60, _priority))
    assert nice == min(os.nice(0) + NICE, 19)
    assert policy == os.sched_getscheduler(0)


def _oom_score() -> int:
    return int(Path("/proc/self/oom_score_adj").read_text())


def test_where_memory_runs_out_a_child_goes_before_the_hub() -> None:
    """Two pictures that are made to take much and a large file at once take more than the hub's service may have."""
    assert asyncio.run(Aside().run(60, _oom_score)) == max(_oom_score(), OUT_OF_MEMORY_FIRST)
    service = Path(__file__).parents[2] / "systemd" / "flagfall-hub.service"
    assert "OOMPolicy=continue" in service.read_text("utf-8"), "else systemd stops the hub with its child"
