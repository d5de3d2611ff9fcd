"""A table that was taken over, at the hub's own broker: what it sends costs others nothing, and is gone with it."""

from __future__ import annotations

import json
import queue
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from helpers.hub_attacks import bomb_of
from helpers.hub_files import result_of, tournament_file
from helpers.hub_in_one import Room, first_round, play, taken
from helpers.waiting import PATIENCE_S, until
from msgspec import structs
from paho.mqtt.enums import CallbackAPIVersion

from flagfall.link.client.client import LinkClient, Will
from flagfall.link.identity import Identity
from flagfall.link.messages import Status, encode
from flagfall.link.signature import sign
from flagfall.link.topics import Arrival, Kind, Topic, device_filter
from hub.limits import COMMON_S, DEVICE_S, DEVICE_S_PER_S, FREE_S, Abuse, WorkShares
from hub.tables import outbound
from hub.tables.inbound import RECORDED_BYTES
from hub.tables.result_check import LARGEST_RESULT_BYTES, result_fault

pytestmark = pytest.mark.needs("mosquitto")


NewRound = Callable[..., tuple[Any, Any, Any]]


@pytest.fixture
def new_round(tmp_path: Path, new_hub: Any) -> NewRound:
    """Return a starter of a hub with a published round, a bad table (with a game if `bad_plays`) and a good one."""

    def begun(bad_plays: bool = False) -> tuple[Any, Any, Any]:
        hub = new_hub(tmp_path / "state")
        hub.start()
        bad = hub.table("bad", *((1,) if bad_plays else ()))
        good = hub.table("good", 2 if bad_plays else 1)
        hub.call("PUT", "tournaments/open", tournament_file(4 if bad_plays else 2))
        hub.call("POST", "tournaments/open/pairings", {})
        return hub, bad, good

    return begun


def megabytes_of_broker(hub: Any) -> int:
    for children in Path(f"/proc/{hub.process.pid}/task").glob("*/children"):
        for child in children.read_text().split():
            status = Path(f"/proc/{child}/status").read_text()
            if "Name:\tmosquitto" in status:
                return int(status.partition("VmRSS:")[2].split()[0]) // 1024
    raise AssertionError("no broker")


def entered(
    identity: Identity, port: int, will: Will | None = None
) -> tuple[LinkClient, queue.Queue[Arrival]]:
    """Return another open connection of a device."""
    heard: queue.Queue[Arrival] = queue.Queue()
    up = threading.Event()
    client = LinkClient(
        "127.0.0.1",
        port,
        identity.device,
        identity.token,
        (device_filter(identity.device),),
        inbox=heard.put,
        on_state=lambda is_up: up.set() if is_up else None,
        random=Random(2),
        will=will,
    )
    client.start()
    assert up.wait(PATIENCE_S)
    return client, heard


def kept_of(identity: Identity, port: int) -> set[str]:
    """Return the status topics that the broker retains of a device: it sends them before it hears a new one."""
    client, heard = entered(identity, port)
    last = str(Topic(None, identity.device, Kind.STATUS))
    assert client.publish(last, b"", 1, True)
    topics = set()
    while (arrival := heard.get(timeout=PATIENCE_S)).topic != last:
        if arrival.topic.endswith("/status"):
            topics.add(arrival.topic)
    client.stop()
    return topics


def test_nobody_keeps_words_in_the_broker_for_events_that_are_none(new_round: NewRound) -> None:
    hub, bad, good = new_round()
    before_mb = megabytes_of_broker(hub)
    for number in range(1_500):
        for kind in (Kind.STATUS, Kind.RESULT):
            topic = f"flagfall/1/invented {number}/table/bad/{kind}"
            assert bad.link.publish(topic, b"x" * 8_000, 0, True)

    def heard() -> bool:
        # What the flood leaves no room for is dropped.
        bad.say(Topic("open", "bad", Kind.STATUS), b"{}")
        return "bad message" in hub.lines()

    until(heard)
    assert kept_of(bad.identity, hub.ports["broker_port"]) == {"flagfall/1/open/table/bad/status"}
    assert megabytes_of_broker(hub) < before_mb + 12
    assert good.receipt(good.play("open", (40, 24)).id).accepted


def test_who_is_set_aside_leaves_no_word_in_the_broker(tmp_path: Path, new_hub: Any) -> None:
    hub = new_hub(tmp_path / "state")
    hub.start()
    bad = hub.table("bad")
    for event in ("one", "two"):
        hub.call("PUT", f"tournaments/{event}", tournament_file(2))
    port = hub.ports["broker_port"]

    def both_are_kept() -> bool:
        bad.link.stop()  # a device has one connection
        bad.link, _ = entered(bad.identity, port)
        for event in ("one", "two"):
            bad.status(event)
        return len(kept_of(bad.identity, port)) == 2

    until(both_are_kept)
    hub.call("DELETE", "devices/bad")
    anew = hub.enrol("bad")
    assert kept_of(anew, port) == set()


def test_a_table_that_was_elsewhere_enters_with_a_will_for_that_event(tmp_path: Path, new_hub: Any) -> None:
    hub = new_hub(tmp_path / "state")
    hub.start()
    table = hub.table("t1", 1)
    port = hub.ports["broker_port"]
    table.link.stop()
    will = Will("flagfall/1/elsewhere/table/t1/status", b"{}")
    table.link, table._inbox = entered(table.identity, port, will)
    hub.call("PUT", "tournaments/100%25%20open", tournament_file(2))
    hub.call("POST", "tournaments/100%25%20open/pairings", {})
    assert table.receipt(table.play("100% open", (40, 24)).id).accepted
    assert table.heard[Kind.ASSIGNMENT]


def test_a_flood_of_rubbish_ends_with_its_table_kept_out_and_play_goes_on(new_round: NewRound) -> None:
    hub, bad, good = new_round()
    topic = str(Topic("open", "bad", Kind.CLOCK))
    for _ in range(20_000):
        bad.link.publish(topic, b"{", 0, False)
    assert good.receipt(good.play("open", (40, 24)).id).accepted
    until(lambda: "kept out device='bad'" in hub.lines())
    until(lambda: not bad.up.is_set())
    assert good.up.is_set() and len(hub.lines()) < 100_000


def test_no_number_of_a_table_is_longer_than_the_hub_can_count(new_round: NewRound) -> None:
    """Python refuses to write a whole number of more than 4,300 digits, and JSON may bring one."""
    hub, bad, good = new_round(bad_plays=True)
    game = bad.assignment(lambda assignment: assignment.game is not None).game
    values = {"v": 1, "game": game, "state": "running", "running": "black", "to_move": "black", "moves": 0}
    values |= {"position": "-" * 64, "transcript": "", "flags": {"black": 0, "white": 0}}
    clock = json.dumps({**values, "clocks_ns": {"black": 0, "white": 0}, "at_ns": 0})
    bad.say(Topic("open", "bad", Kind.CLOCK), clock.replace(": 0", ": " + "9" * 4_300).encode())
    bad.status("open", game=game, seat=1)
    until(lambda: hub.call("GET", "live")["devices"]["bad"]["online"])
    hub.call("POST", "tournaments/open/rulings", {"rule": "stop"})
    assert bad.ruling("stop").at_ns is None
    assert good.receipt(good.play("open", (40, 24)).id).accepted


def test_what_a_table_does_not_read_fills_no_broker(new_round: NewRound) -> None:
    """The broker keeps it for each of its sessions; they had no end, and took all the memory that it may have."""
    hub, bad, good = new_round()
    bad.link.stop()
    before_mb = megabytes_of_broker(hub)
    status = str(Topic("open", "bad", Kind.STATUS))
    word = encode(sign(Status(online=True), bad.identity.key)) + b" " * 500_000
    for number in range(40):
        client = mqtt.Client(CallbackAPIVersion.VERSION2, f"bad/{number}", clean_session=False)
        client.username_pw_set("bad", bad.identity.token)
        heard: queue.Queue[None] = queue.Queue()
        client.on_subscribe = lambda *_, heard=heard: heard.put(None)
        client.on_connect = lambda client, *_: client.subscribe(status, 1)
        client.on_disconnect = lambda *_, heard=heard: heard.put(None)
        client.connect("127.0.0.1", hub.ports["broker_port"])
        client.loop_start()
        heard.get(timeout=PATIENCE_S)  # it hears its own word, or is out already
        client.manual_ack_set(True)
        for _ in range(8):
            client.publish(status, word, 1)
        until(lambda client=client: not client.want_write() or not client.is_connected())
        client.disconnect()
        client.loop_stop()
        if "kept out device='bad'" in hub.lines():
            break
    assert megabytes_of_broker(hub) < before_mb + 48
    assert good.receipt(good.play("open", (40, 24)).id).accepted


def test_a_table_makes_the_hub_write_so_much_and_is_heard_again_later(tmp_path: Path) -> None:
    async def story(room: Room) -> None:
        identity, assigned = await first_round(room)
        topic = str(Topic("open", "t1", Kind.RESULT))
        small = result_of(assigned.header, assigned.game, identity, (40, 24))

        def large(revision: int) -> Arrival:
            """Return a signed result of the largest size: blanks change no message."""
            signature = {"id": f"{assigned.game}.{revision}", "revision": revision, "signature": ""}
            signed = encode(sign(structs.replace(small, **signature), identity.key))
            return Arrival(topic, signed + b" " * (LARGEST_RESULT_BYTES - len(signed)))

        for revision in range(2, 100):
            await taken(room.reception, [large(revision)])
        accepted = len([receipt for receipt in room.receipts() if receipt.accepted])
        assert accepted == RECORDED_BYTES // LARGEST_RESULT_BYTES == len(room.receipts())
        written = sum(file.stat().st_size for file in tmp_path.glob("ledger.sqlite*"))
        assert written < 4 * RECORDED_BYTES, "what came, once more in the log of writes"
        room.now_ns = 60 * 1_000_000_000
        await room.arrives(small)
        assert room.receipts()[-1].accepted and room.receipts()[-1].id == small.id

    play(tmp_path, story)


def test_a_signed_result_that_is_put_aside_counts_against_its_table(tmp_path: Path) -> None:
    async def story(room: Room) -> None:
        identity, assigned = await first_round(room)
        right = result_of(assigned.header, assigned.game, identity, (40, 24))
        await room.arrives(structs.replace(right, signature="A" * 86 + "=="))
        assert not room.hub.abuses.present, "anybody else may have sent it"
        await room.arrives(sign(structs.replace(right, sha256="0" * 64, signature=""), identity.key))
        assert [(count.abuse, count.who) for count in room.hub.abuses.present] == [(Abuse.FAULTS, "t1")]

    play(tmp_path, story)


def test_a_flood_of_results_keeps_no_honest_one_waiting_and_is_bounded(new_round: NewRound) -> None:
    _, bad, good = new_round(bad_plays=True)
    assigned = bad.assignment(lambda assignment: assignment.game is not None)
    topic = str(Topic("open", "bad", Kind.RESULT))
    for revision in range(1, 401):
        many = result_of(assigned.header, assigned.game, bad.identity, (40, 24), revision=revision)
        assert bad.link.publish(topic, encode(many), 1, False)
    assert good.receipt(good.play("open", (40, 24)).id).accepted
    assert not bad.receipt(f"{assigned.game}.400").accepted
    bad.listen()
    assert len({receipt.id for receipt in bad.heard[Kind.RECEIPT] if receipt.accepted}) == 200


def test_results_that_unpack_to_16_mb_cost_their_table_its_place(new_round: NewRound) -> None:
    # 26 a second of them made honest receipts wait for 52 s.
    hub, bad, good = new_round(bad_plays=True)
    assigned = bad.assignment(lambda assignment: assignment.game is not None)
    first = result_of(assigned.header, assigned.game, bad.identity, (40, 24))
    topic = str(Topic("open", "bad", Kind.RESULT))
    honest = good.play("open", (40, 24))
    revision = 0

    def kept_out() -> bool:
        nonlocal revision
        for _ in range(10):
            revision += 1
            bad.link.publish(topic, encode(bomb_of(first, revision, bad.identity.key)), 1, False)
        good.heard[Kind.RECEIPT].clear()
        good.send("open", honest)
        assert good.receipt(honest.id).accepted
        return "kept out device='bad'" in hub.lines()

    until(kept_out)
    good.heard[Kind.RECEIPT].clear()
    good.send("open", honest)
    assert good.receipt(honest.id).accepted


async def test_of_a_result_that_unpacks_to_16_mb_the_start_alone_is_unpacked_in_the_loop(room: Room) -> None:
    # 4 MB of each took 13 ms of the hub's loop, and honest receipts beside 26 a second 2.3 s.
    identity, assigned = await first_round(room)
    bomb = bomb_of(result_of(assigned.header, assigned.game, identity, (40, 24)), 1, identity.key)
    payload, topic = encode(bomb), Topic("open", identity.device, Kind.RESULT)
    game = room.store.states["open"].games[assigned.game]
    tracemalloc.start()
    try:
        fault = result_fault(topic, payload, bomb, game, key=identity.public, hub=identity.hub, signatures={})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert fault is None, "it is recorded, and its game is in question"
    assert peak < 1 << 20


async def test_a_device_is_charged_for_the_time_that_its_messages_took(room: Room) -> None:
    identity, assigned = await first_round(room)
    inbound, worked_ns = room.reception, 0

    def work_ns() -> int:
        nonlocal worked_ns
        worked_ns += int(DEVICE_S * 1e9)  # each look at the clock finds that long a work
        return worked_ns

    inbound.work_ns = work_ns
    result = result_of(assigned.header, assigned.game, identity, (40, 24))
    await room.arrives(result)
    assert room.receipts()[-1].accepted
    room.sent.clear()
    await room.arrives(result)
    assert not room.receipts() and [(count.abuse, count.who) for count in room.hub.abuses.present] == [
        (Abuse.WORK, "t1")
    ]
    room.now_ns += int(60 * 1e9)
    inbound.work_ns = lambda: 0
    await room.arrives(result)
    assert room.receipts()[-1].accepted, "it is heard again once its share is there"


def test_what_is_beyond_a_devices_free_share_is_shared_by_all() -> None:
    now_ns = 0
    shares = WorkShares(lambda: now_ns)
    for number in range(20):
        shares.charge(f"bad{number}", FREE_S + COMMON_S / 19)
    assert not any(shares.is_left(f"bad{number}") for number in range(20)), "the common share is spent"
    assert shares.is_left("good")
    for _ in range(30):
        now_ns += 1_000_000_000
        shares.charge("good", DEVICE_S_PER_S)
        shares.charge("bad0", COMMON_S)
        assert shares.is_left("good"), "who sends little is heard whatever others do"
    now_ns += 1_000 * 1_000_000_000
    assert all(shares.is_left(f"bad{number}") for number in range(20))


async def test_what_it_says_to_keep_is_not_remembered_without_end(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ever new results in its statuses: what was asked is forgotten beyond a number, and asked again."""
    monkeypatch.setattr(outbound, "MOST_REMEMBERED", 9)
    _, assigned = await first_round(room)
    looks = outbound.Recovery(room.store, room.outbound, room.live, lambda: room.now_ns)
    room.live.statuses["t1"] = {
        "open": Status(online=True, receipts={f"{assigned.game}.{number}": "" for number in range(1, 11)})
    }
    for expected in (10, 20):
        looks.compare_records()
        assert len([receipt for receipt in room.receipts() if receipt.again]) == expected
