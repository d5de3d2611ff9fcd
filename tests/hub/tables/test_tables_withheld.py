"""Results of tables whose game the director has changed while it was played, and those that a lost receipt brings
again: none is refused for good, because a table sends a refused result no more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import pytest
from helpers.hub_files import result_of, tournament_file
from helpers.hub_in_one import Room

from flagfall.link.topics import Kind
from hub.console.views.alerts import alerts_of
from hub.limits import Abuse
from hub.record.acts.devices import SeatAssigned

Act: TypeAlias = Callable[[Room], Awaitable[Any]]


def exchanged(kind: str, **change: Any) -> Act:
    """Return the correction, which is also the one that takes it back."""

    async def act(room: Room) -> None:
        asked = {"kind": kind, "round": 1, **change}
        await room.run("correct-game", change=asked, why="a mistake")

    return act


def seated(*seats: tuple[int, str | None]) -> Act:
    async def act(room: Room) -> None:
        for seat, device in seats:
            await room.act(SeatAssigned(seat=seat, device=device))

    return act


# Name -> what the director does while the game is played, and how it is put right. p1 and p2 play at table 1.
MISTAKES: dict[str, tuple[Act, Act, str]] = {
    "colours": (
        exchanged("colours", player="p1"),
        exchanged("colours", player="p1"),
        "has a result of Player 1 (Black) against Player 2 (White). Exchange them back",
    ),
    "players": (
        exchanged("players", player="p1", other="p3"),
        exchanged("players", player="p1", other="p3"),
        "has a result of Player 1 (Black) against Player 2 (White). Exchange them back",
    ),
    "another device": (
        seated((1, "spare")),
        seated((1, "t1")),
        "has a result from t1, which has lost this seat. Assign it to the seat again",
    ),
    "two devices change places": (
        seated((1, "t2"), (2, "t1")),
        seated((1, "t1"), (2, "t2")),
        "has a result from t1, which has lost this seat. Assign it to the seat again",
    ),
}


async def in_play(room: Room) -> Any:
    """Publish a round of two games at t1 and t2, with a spare device. Return the result of the first."""
    identity = await room.enroll("t1", 1)
    await room.enroll("t2", 2)
    await room.enroll("spare")
    await room.create("open", tournament_file(4))
    await room.run("publish-round")
    assigned = room.of(Kind.ASSIGNMENT)[-1]
    return result_of(assigned.header, assigned.game, identity, (40, 24))


def alerts(room: Room) -> list[str]:
    return [str(alert.text) for alert in alerts_of(room.store.states["open"], room.live, {}) if alert.urgent]


@pytest.mark.parametrize("name", MISTAKES)
async def test_a_result_waits_at_its_table_until_its_game_stands_as_before(room: Room, name: str) -> None:
    faults: list[str] = []
    room.reception.fault = lambda device, abuse, weight: faults.append(device)
    mistake, put_right, text = MISTAKES[name]
    result = await in_play(room)
    room.live.hear_link(True)
    await mistake(room)
    for _ in range(3):
        await room.arrives(result)
    assert room.receipts() == [], "a refused result would be sent no more"
    assert room.store.states["open"].games[result.game].score is None
    (alert,) = alerts(room)
    assert alert.startswith(text)
    assert room.live.dropped == {"result put aside": 1} and not faults, (
        "an honest table is blamed for nothing"
    )
    await put_right(room)
    assert alerts(room) == []
    await room.arrives(result)
    assert [receipt.accepted for receipt in room.receipts()] == [True]
    assert room.store.states["open"].games[result.game].score == (40, 24)
    assert alerts(room) == []


@pytest.mark.parametrize("name", MISTAKES)
async def test_a_result_on_record_has_its_receipt_again_whatever_was_changed_since(
    room: Room, name: str
) -> None:
    """The receipt was lost with the network."""
    result = await in_play(room)
    await room.arrives(result)
    await MISTAKES[name][0](room)
    await room.arrives(result)
    assert [receipt.accepted for receipt in room.receipts()] == [True, True]
    assert room.live.dropped == {}


async def test_a_score_that_the_director_enters_ends_the_line_and_a_device_that_is_revoked_too(
    room: Room,
) -> None:
    result = await in_play(room)
    room.live.hear_link(True)
    await MISTAKES["colours"][0](room)
    await room.arrives(result)
    assert len(alerts(room)) == 1
    room.live.forget("t1")
    assert alerts(room) == []
    await room.arrives(result)
    assert len(alerts(room)) == 1
    await room.run("enter-result", game=result.game, score=(24, 40))
    assert alerts(room) == []


async def test_a_device_that_never_had_the_game_is_refused(room: Room) -> None:
    faults: list[Abuse] = []
    room.reception.fault = lambda device, abuse, weight: faults.append(abuse)
    await in_play(room)
    assigned = room.of(Kind.ASSIGNMENT)[-1]
    await room.arrives(result_of(assigned.header, assigned.game, room.people["t2"], (64, 0)), device="t2")
    (receipt,) = room.of(Kind.RECEIPT, "t2")
    assert not receipt.accepted and "is played at t1" in receipt.why
    assert faults == [Abuse.FAULTS] and room.live.withheld == {}
