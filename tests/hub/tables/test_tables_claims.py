"""Claims of one-time codes whose answer is lost, whose hub is ended, whose seat is taken, whose device is revoked."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_files import result_of, tournament_file
from helpers.hub_in_one import Room, first_round
from helpers.hub_served import Served

import hub.api.app
import hub.commands.tables
import hub.tables.devices
from flagfall.link.enrolment import SEAL, Package, digest, seal_key, unseal
from flagfall.link.identity import Identity
from flagfall.link.keys import new_key, public_key
from flagfall.link.messages import Status, encode
from flagfall.link.signature import sign
from flagfall.link.topics import Arrival, Kind, Topic
from hub.api.app import Api
from hub.record.acts.devices import SeatAssigned
from hub.record.store import TournamentStore
from hub.tables.devices import Devices
from hub.text import Refused

KEY, OTHER = new_key(), new_key()
TYPED, CARD = "offer-enrolment", "prepare-device"


async def claim(served: Served, code: str, key: bytes = KEY) -> tuple[int, Any]:
    sealed = base64.b64encode(seal_key(code, public_key(key))).decode()
    body = {"digest": digest(code), "key": sealed, "seal": SEAL}
    async with served.browser() as device:
        answer = await device.post("/enrol", json=body)
    return answer.status_code, answer.json()


async def package(served: Served, code: str, key: bytes = KEY) -> Package:
    status, answer = await claim(served, code, key)
    assert status == 200, answer
    return unseal(code, base64.b64decode(answer["sealed"]))


async def code_of(served: Served, way: str, device: str = "t1", seat: int | None = 1, **more: Any) -> str:
    return str((await served.run(way, device=device, seat=seat, **more)).code)


class Hall(Served):
    """A hub with an event of two players."""

    async def __aenter__(self) -> Any:
        client = await super().__aenter__()
        if "open" not in self.store.states:
            await self.create("open", tournament_file(2))
        return client

    async def hears(self, identity: Identity, **status: Any) -> None:
        message = sign(Status(online=True, start="a" * 16, **status), identity.key)
        await self.hub.inbound.take(
            [Arrival(str(Topic("open", identity.device, Kind.STATUS)), encode(message))]
        )


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    return Hall(tmp_path)


def identity(enrolled: Package, key: bytes = KEY) -> Identity:
    return Identity(enrolled.device, key, enrolled.token, enrolled.hub)


@pytest.mark.parametrize("way", [TYPED, CARD])
async def test_a_lost_answer_is_given_again_to_the_same_key_until_its_device_is_online(
    hall: Hall, way: str
) -> None:
    async with hall:
        code = await code_of(hall, way)
        first = await package(hall, code)
        assert await package(hall, code) == first
        assert (await claim(hall, code, OTHER))[0] == 404, "the code is used up for everybody else"
        assert hall.devices.key("t1") == public_key(KEY) and hall.devices.tokens == {"t1": first.token}
    async with hall:
        assert await package(hall, code) == first, "also after the hub was ended"
        await hall.hears(identity(first, OTHER))
        assert await package(hall, code) == first, "nobody else ends it"
        await hall.hears(identity(first))
        assert (await claim(hall, code))[0] == 404
        text = (hall.folder / "devices.json").read_text()
        assert code not in text and public_key(KEY).hex() in text


class Killed(BaseException):
    """The end of the hub at some instant."""


def dies(after: bool) -> Callable[[Any], Any]:
    """Return what makes of a function one that ends the hub before its work, or after it."""

    def made(work: Any) -> Any:
        if asyncio.iscoroutinefunction(work):

            async def later(*arguments: Any, **named: Any) -> Any:
                if after:
                    await work(*arguments, **named)
                raise Killed

            return later

        def now(*arguments: Any, **named: Any) -> Any:
            if after:
                work(*arguments, **named)
            raise Killed

        return now

    return made


STEPS = [
    (Api, "_certificate"),
    (hub.tables.devices, "write_private"),
    (Devices, "claim"),
    (hub.commands.tables, "_take_seat"),
    (TournamentStore, "record_companions"),
    (hub.api.app, "claim_device"),
]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("owner", "name"), STEPS, ids=[name for _, name in STEPS])
async def test_a_hub_that_is_killed_at_any_step_has_used_nothing_up_in_vain(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, after: bool
) -> None:
    async with hall:
        code = await code_of(hall, CARD)
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, dies(after)(getattr(owner, name)))
            with pytest.raises(Killed):
                await claim(hall, code)
    async with hall:
        enrolled = await package(hall, code)
        assert hall.devices.key("t1") == public_key(KEY) and hall.devices.tokens == {"t1": enrolled.token}
        assert hall.store.states["open"].seats == {1: "t1"}
        await hall.run("publish-round")
        assert hall.store.states["open"].enrolled == {"t1": public_key(KEY).hex()}


async def test_a_disk_that_is_full_is_an_answer_for_now_and_uses_nothing_up(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    async with hall:
        code = await code_of(hall, TYPED)
        with monkeypatch.context() as patched:
            patched.setattr(hub.tables.devices, "write_private", full)
            status, answer = await claim(hall, code)
        assert status == 503 and "No space left" in answer["error"]
        await package(hall, code, OTHER)


async def test_a_taken_seat_uses_nothing_up(hall: Hall) -> None:
    async with hall:
        code = await code_of(hall, TYPED, "t1", 1)
        await hall.enroll("t2", 1)
        status, answer = await claim(hall, code)
        assert status == 409 and "expected a free seat" in answer["error"]
        assert hall.devices.key("t1") is None
        hall.devices.revoke("t2")
        assert (await package(hall, code)).device == "t1"


async def test_of_two_claims_at_one_moment_one_key_is_taken(hall: Hall) -> None:
    async with hall:
        code = await code_of(hall, CARD)
        answers = await asyncio.gather(*(claim(hall, code, key) for key in (KEY, OTHER, KEY, OTHER)))
        assert sorted(status for status, _ in answers) == [200, 200, 404, 404]
        right = [answer for status, answer in answers if status == 200]
        assert right[0] == right[1]
        assert await package(hall, code, KEY if answers[0][0] == 200 else OTHER)


async def test_a_repeated_claim_leaves_a_seat_that_was_given_away_since(hall: Hall) -> None:
    async with hall:
        code = await code_of(hall, TYPED)
        await package(hall, code)
        await hall.enroll("t2")
        await hall.act(SeatAssigned(seat=1, device="t2"))
        await package(hall, code)
        assert hall.store.states["open"].seats == {1: "t2"}


@pytest.mark.parametrize("way", [TYPED, CARD])
async def test_another_code_ends_the_answer_to_the_one_before(hall: Hall, way: str) -> None:
    async with hall:
        code = await code_of(hall, way)
        await package(hall, code)
        new = await code_of(hall, way, again=True)
        assert (await claim(hall, code))[0] == 404
        await package(hall, new, OTHER)
        assert (await claim(hall, code))[0] == 404


@pytest.mark.parametrize("way", [TYPED, CARD])
async def test_a_revoked_devices_codes_are_closed_open_ones_and_used_ones(hall: Hall, way: str) -> None:
    async with hall:
        used = await code_of(hall, way)
        await package(hall, used)
        again = await code_of(hall, way, again=True)
        await hall.run("revoke-device", device="t1")
        for code, key in ((used, KEY), (again, KEY), (again, OTHER)):
            assert (await claim(hall, code, key))[0] == 404
        assert hall.devices.all == ()
        with pytest.raises(Refused, match="expected an enrolled device"):
            await hall.run("revoke-device", device="t1")


async def test_revoking_ends_the_codes_for_its_seats_and_a_code_of_nobody_yet(hall: Hall) -> None:
    async with hall:
        others = [await code_of(hall, TYPED, "t2", 1), await code_of(hall, TYPED, "t3", 5)]
        free = await code_of(hall, TYPED, "t4", 6)
        await hall.enroll("t1", 1)
        await hall.act(SeatAssigned(seat=5, device="t1"))
        await hall.run("revoke-device", device="t1")
        for code in others:
            assert (await claim(hall, code))[0] == 404
        await hall.run("revoke-device", device="t4")
        assert (await claim(hall, free))[0] == 404


async def test_a_device_that_is_revoked_while_its_certificate_is_made_is_not_enrolled(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall:
        code = await code_of(hall, CARD)

        async def certified(*_: Any) -> dict[str, str]:
            await hall.run("revoke-device", device="t1")
            return {}

        monkeypatch.setattr(Api, "_certificate", certified)
        assert (await claim(hall, code))[0] == 404
        assert hall.devices.all == ()


async def test_what_a_revoked_device_had_under_way_is_not_recorded(room: Room) -> None:
    device, assigned = await first_round(room)
    result = result_of(assigned.header, assigned.game, device, (40, 24))
    due = await room.reception.take([Arrival(str(Topic("open", "t1", Kind.RESULT)), encode(result))])
    assert due, "decided"
    await room.run("revoke-device", device="t1")
    await room.reception.record(due)
    assert room.receipts() == []
    types = [entry.type for entry in await room.store.entries("open")]
    assert types[-1] == "device_revoked" and "result_received" not in types


async def test_what_a_device_said_ends_with_its_key(room: Room) -> None:
    await first_round(room)
    for start in ("a" * 16, "b" * 16, "a" * 16):
        await room.arrives(Status(online=True, start=start, answers={"a ruling": "applied"}))
    assert room.live.twins.disputed("t1") and room.live.has_answered("t1", "a ruling")
    await room.enroll("t1", 1, again=True)
    assert not room.live.twins.disputed("t1") and not room.live.online("t1")
    assert not room.live.has_answered("t1", "a ruling") and room.live.statuses == {}
