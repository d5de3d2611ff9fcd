"""The queue of messages: devices take turns, lose only their own surplus, and are named; the log stays short."""

from __future__ import annotations

from flagfall.link.topics import Arrival
from hub.limits.abuses import Abuse, Abuses
from hub.log import Log
from hub.tables.intake import MOST_WAITING, SENT_BYTES, Intake


def status_of(device: str) -> Arrival:
    return Arrival(f"flagfall/1/open/table/{device}/status", b"{}", False)


async def test_a_flood_delays_nobody_else_and_ends_with_its_device_kept_out() -> None:
    out: list[str] = []
    abuses = Abuses(lambda: 0)
    intake = Intake(abuses, lambda: 0, out.append)
    for _ in range(MOST_WAITING + 400):
        intake.put(status_of("bad"))
    assert out == [] and abuses.present[0].who == "bad" and abuses.present[0].times == 400
    intake.put(status_of("good"))
    _, batch = await intake.batch()
    taken = [arrival.topic.split("/")[4] for arrival in batch]
    assert taken.count("good") == 1 and taken.count("bad") == 16
    for _ in range(1_000):
        intake.put(status_of("bad"))
    assert out == ["bad"]


def test_who_sends_more_bytes_than_a_table_has_to_tell_is_kept_out_however_fast_they_are_taken() -> None:
    # The broker has a copy of each for whoever does not read.
    now_ns, out = [0], []
    intake = Intake(Abuses(lambda: 0), lambda: now_ns[0], out.append)
    large = status_of("bad")._replace(payload=b" " * 900_000)
    sent = 0
    while not out:
        intake.put(large)
        sent += len(large.payload)
        intake.forget("bad")  # taken at once
    assert out == ["bad"] and SENT_BYTES < sent < 2 * SENT_BYTES
    for _ in range(24 * 60):
        now_ns[0] += 60_000_000_000
        intake.put(status_of("good")._replace(payload=b" " * 60 * 4_000))
        intake.forget("good")
    assert out == ["bad"]


async def test_who_has_little_to_say_waits_for_no_more_than_256_kb_of_others() -> None:
    # Twelve tables with two results of 22 kB each filled a batch, and honest receipts waited behind all of them.
    intake = Intake(Abuses(lambda: 0), lambda: 0, lambda device: None)
    for number in range(12):
        for _ in range(3):
            intake.put(status_of(f"bad{number}")._replace(payload=b" " * 22_000))
    intake.put(status_of("good"))
    _, batch = await intake.batch()
    assert batch[0].topic.split("/")[4] == "good"
    assert sum(len(arrival.payload) for arrival in batch) < 256 * 1024 + 3 * 22_000
    rest = 0
    while len(batch) > rest:  # all are heard, each in its turn
        rest = len(batch)
        intake.put(status_of("good"))
        batch += (await intake.batch())[1]
        if sum("bad" in arrival.topic for arrival in batch) == 36:
            break
    assert sum("bad" in arrival.topic for arrival in batch) == 36


async def test_everything_of_a_calm_room_is_taken_in_its_order() -> None:
    intake = Intake(Abuses(lambda: 0), lambda: 0, lambda device: None)
    intake.put(True)
    for number in range(50):
        intake.put(Arrival("flagfall/1/open/table/t1/clock", b"%d" % number, False))
    link_states, taken = [], []
    while len(taken) < 50:
        link, batch = await intake.batch()
        link_states += link
        taken += [int(arrival.payload) for arrival in batch]
    assert link_states == [True] and taken == list(range(50))


def test_abuses_stay_few_and_are_forgotten_in_time() -> None:
    now = [0]
    abuses = Abuses(lambda: now[0])
    for number in range(5_000):
        abuses.note(Abuse.SLOW, f"10.0.{number // 250}.{number % 250}")
    assert len(abuses.present) == 256
    now[0] = 601 * 1_000_000_000
    assert abuses.present == ()


def test_lines_of_one_kind_are_counted_instead_of_written() -> None:
    now, lines = [0], []
    log = Log(lambda: now[0], lines.append)
    for number in range(10_000):
        log("warning", f"dropped kind={number}")
    log("error", "another kind=1")
    assert len(lines) == 61
    log("info", "name='a\nerror hub made up\x1b[2J'")
    assert lines[-1] == "info hub name='a?error hub made up?[2J'"
    now[0] = 10_000_000_000
    log("warning", "dropped kind=1")
    assert lines[-1].endswith("left_out=9940")
