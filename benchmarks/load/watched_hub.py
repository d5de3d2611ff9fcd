"""The hub's program with a watch over its loop: it says in its log what each long turn has taken of the processor.

python -m benchmarks.load.watched_hub run ...
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any

from hub.main import main

HELD = "held the loop for"
# A turn of less is not worth a line.
WORTH_S = 0.002


def watch() -> None:
    """Measure each turn of the loop from now on, in its thread's processor time."""
    handle: Any = asyncio.Handle
    turn = handle._run

    def watched(self: Any) -> None:
        begun_s = time.thread_time()
        turn(self)
        taken_s = time.thread_time() - begun_s
        if taken_s >= WORTH_S:
            print(HELD, taken_s, file=sys.stderr, flush=True)

    handle._run = watched


if __name__ == "__main__":
    watch()
    main()
