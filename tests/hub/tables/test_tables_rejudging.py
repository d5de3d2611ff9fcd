"""The end of judging again, when the hub ends."""

from __future__ import annotations

import asyncio

from helpers.hub_in_one import Room


async def test_it_ends_at_whatever_instant_it_is_told_to(room: Room) -> None:
    for turns in range(8):
        judging = asyncio.create_task(room.rejudging.run())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        room.rejudging.add("open", "a game that is not there")
        for _ in range(turns):
            await asyncio.sleep(0)
        judging.cancel()
        done, _ = await asyncio.wait({judging}, timeout=20)
        assert done, f"cancelled {turns} turns after there was more to judge, and still waiting"
