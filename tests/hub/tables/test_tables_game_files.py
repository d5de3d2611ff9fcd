"""A result's game file is not signed, its digest is: another file in its place counts as nothing, whatever its size."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_attacks import bomb_of
from helpers.hub_files import result_of
from helpers.hub_in_one import Room, first_round, play, taken
from msgspec import structs

from flagfall.link.messages import Result, encode
from flagfall.link.packed_file import LARGEST_FILE_BYTES, PackedFile, pack, unpack
from flagfall.link.signature import sign
from flagfall.link.topics import Arrival, Kind, Topic
from hub.child_process import Aside, AsideFailed
from hub.limits import WorkShares
from hub.record.codec import happening
from hub.record.events import GameFileReceived
from hub.tables.large_files import MOST_OF_ALL, MOST_OF_ONE, LargeFile, LargeFiles
from hub.tables.result_check import LARGEST_RESULT_BYTES

TOPIC = str(Topic("open", "t1", Kind.RESULT))
SIZES = {"small": 0, "large": 400_000, "of megabytes": 3_000_000}


def with_file(result: Result, filling: int, sign_with: bytes | None = None, end: bytes = b"") -> Result:
    """Return the result with its game file made longer by blanks, signed anew or not."""
    content = unpack(PackedFile(result.file, result.sha256)) + b" " * filling + end
    packed = pack(content)
    if sign_with is None:
        return structs.replace(result, file=packed.file)
    return sign(structs.replace(result, file=packed.file, sha256=packed.sha256, signature=""), sign_with)


async def recorded_files(room: Room) -> list[str]:
    entries = [happening(entry) for entry in await room.store.entries("open")]
    return [entry.file for entry in entries if isinstance(entry, GameFileReceived)]


async def send(room: Room, *results: Result) -> None:
    await taken(room.reception, [Arrival(TOPIC, encode(result)) for result in results])


@pytest.mark.parametrize("size", SIZES.values(), ids=list(SIZES))
@pytest.mark.parametrize("other", SIZES.values(), ids=[f"another {name}" for name in SIZES])
async def test_another_file_gets_no_receipt_and_the_true_one_is_stored(
    room: Room, size: int, other: int
) -> None:
    identity, assigned = await first_round(room)
    true = with_file(result_of(assigned.header, assigned.game, identity, (40, 24)), size, identity.key)
    false = with_file(true, other, end=b"x")
    assert false.signature == true.signature
    await send(room, false)
    assert room.receipts() == [], "a refusal would end the sending of the true one"
    assert room.live.dropped["result put aside"] == 1
    assert await recorded_files(room) == []
    await send(room, true)
    assert [receipt.accepted for receipt in room.receipts()] == [True]
    await send(room, false, true)
    assert [receipt.accepted for receipt in room.receipts()] == [True] * 3, "it is stored, and said again"
    assert await recorded_files(room) == [true.file]


async def test_both_at_one_moment_leave_the_true_one(room: Room) -> None:
    identity, assigned = await first_round(room)
    true = with_file(result_of(assigned.header, assigned.game, identity, (40, 24)), 400_000, identity.key)
    await send(room, with_file(true, 1), true, true, with_file(true, 2))
    assert await recorded_files(room) == [true.file]
    assert all(receipt.accepted for receipt in room.receipts()) and room.receipts()


async def test_what_a_listener_can_change_of_a_signed_result_gets_no_refusal(room: Room) -> None:
    identity, assigned = await first_round(room)
    true = result_of(assigned.header, assigned.game, identity, (40, 24))
    long = encode(true) + b" " * LARGEST_RESULT_BYTES
    junk = structs.replace(true, file=f"{true.file[:-4]}AAAA")
    for payload in (long, encode(junk)):
        await taken(room.reception, [Arrival(TOPIC, payload)])
        assert room.receipts() == []
    await send(room, true)
    assert [receipt.accepted for receipt in room.receipts()] == [True]


async def test_a_file_of_16_mb_is_checked_in_a_child_and_gets_its_receipt(tmp_path: Path) -> None:
    async def story(room: Room) -> None:
        identity, assigned = await first_round(room)
        first = result_of(assigned.header, assigned.game, identity, (40, 24))
        bomb = bomb_of(first, 1, identity.key)
        false = structs.replace(bomb, file=with_file(first, LARGEST_FILE_BYTES // 2).file)
        await send(room, false)
        assert room.receipts() == []
        await send(room, bomb)
        assert [receipt.accepted for receipt in room.receipts()] == [True]

    await asyncio.to_thread(play, tmp_path, story, aside=Aside())


class Answers(Aside):
    """A replacement of the child, whose answers are given."""

    def __init__(self, *answers: Any) -> None:
        super().__init__()
        self.answers = list(answers)

    async def run(self, longest_s: float, work: Any, *arguments: Any) -> Any:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def queue(aside: Aside) -> tuple[LargeFiles, list[str]]:
    refused: list[str] = []
    return LargeFiles(
        aside, WorkShares(lambda: 0), lambda file, why: refused.append(f"{file.device}: {why}")
    ), refused


def file_of(device: str, number: int = 0) -> LargeFile:
    return LargeFile(device, Arrival(TOPIC, f"{device} {number}".encode(), False), PackedFile("", ""))


async def test_devices_take_turns_and_the_same_message_waits_once() -> None:
    files, _ = queue(Answers(*[("", 0.0)] * 9))
    for device in ("bad", "bad", "good"):
        files.add(file_of(device))
    for number in range(9):
        files.add(file_of("bad", number))
    order = []
    while files.waiting:
        arrived = await files.checked()
        assert arrived is not None
        order.append(arrived.payload.decode())
    assert order == ["bad 0", "good 0", *(f"bad {number}" for number in range(1, MOST_OF_ONE))]
    for number in range(2 * MOST_OF_ALL):
        files.add(file_of(f"t{number}"))
    assert len(files._queues) == MOST_OF_ALL


async def test_a_check_that_failed_or_cost_too_much_is_no_answer_and_may_be_tried_again() -> None:
    files, refused = queue(Answers(AsideFailed("no child"), ("", 5.0), ("", 0.0)))
    for expected in (None, file_of("t1").arrived, None):
        files.add(file_of("t1"))
        assert await files.checked() == expected
    assert refused == ["t1: not checked: no child", "t1: its device has spent its share of the hub's time"]
    files.add(file_of("t2"))
    assert await files.checked() is not None, "another device has its own share"
