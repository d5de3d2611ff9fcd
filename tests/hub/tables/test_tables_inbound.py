"""Messages of tables: the queue in which devices take turns and lose only their own surplus, results from arrival to
receipt, and the hub's referee after it."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_files import result_of
from helpers.hub_in_one import Room, first_round, judged_again, play, taken
from helpers.waiting import PATIENCE_S
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flagfall.ledger.merkle import root
from flagfall.ledger.sqlite import SqliteLedger
from flagfall.ledger.store import LedgerError, StoreFailed
from flagfall.link.messages import decode, encode
from flagfall.link.signature import verify
from flagfall.link.topics import Arrival, Kind, Topic
from flagfall.othello.gamefile import parse_header
from hub.child_process import AsideFailed
from hub.limits import Abuse, Abuses
from hub.log import Log
from hub.record.acts.players import PlayerWithdrawn
from hub.tables.inbound import MOST_WAITING, SENT_BYTES, Intake
from hub.tables.rejudging import RefereeAside


def differences_in(game: Any) -> list[str]:
    """Return the differences that the hub's referee found."""
    return [str(line) for line in game.reported.differences]


async def test_assignments_and_receipts_are_signed_with_the_hubs_key_for_their_device(room: Room) -> None:
    identity, assigned = await first_round(room)
    await room.arrives(result_of(assigned.header, assigned.game, identity, (40, 24)))
    kinds = set()
    for topic, payload in room.sent:
        assert verify(topic.kind, payload, room.hub.key.public)
        assert not verify(topic.kind, payload, identity.public)
        assert decode(topic, payload).device == topic.device  # type: ignore[union-attr]
        kinds.add(topic.kind)
    assert kinds == {Kind.ASSIGNMENT, Kind.RECEIPT}


async def test_of_a_revoked_device_no_warning_is_made_of_what_the_hub_itself_clears(room: Room) -> None:
    topic = str(Topic("open", "t9", Kind.STATUS))
    await taken(room.reception, [Arrival(topic, b"", True)])
    assert room.reception.live.dropped == {}
    await taken(room.reception, [Arrival(topic, b"{}")])
    assert room.reception.live.dropped == {"unknown device": 1}


async def test_a_receipt_tells_the_table_the_size_and_root_of_the_checkpoint(room: Room) -> None:
    identity, assigned = await first_round(room)
    await room.arrives(result_of(assigned.header, assigned.game, identity, (40, 24)))
    record = room.receipts()[-1].record
    leaves = room.store.tree("open").hashes[: record.entries]
    assert record.entries > 2 and b64decode(record.root) == root(leaves)


async def test_a_result_that_its_game_file_does_not_bear_out_is_shown(room: Room) -> None:
    identity, assigned = await first_round(room)
    await room.arrives(result_of(assigned.header, assigned.game, identity, (40, 24), claimed=(44, 20)))
    game = room.store.states["open"].games[assigned.game]
    assert differences_in(game) == ["score: the table says 44-20, its game file gives 40-24"]
    other = {**assigned.header, "minutes": 25}
    await room.arrives(result_of(other, assigned.game, identity, (40, 24), revision=2))
    game = room.store.states["open"].games[assigned.game]
    assert differences_in(game) == ["minutes: 30 was assigned, the game file has 25"]
    other = {**assigned.header, "rulebook": "club", "increment_s": 2}
    await room.arrives(result_of(other, assigned.game, identity, (40, 24), revision=3))
    lines = differences_in(room.store.states["open"].games[assigned.game])
    assert "increment_s: 0 was assigned, the game file has 2" in lines


def test_the_receipt_comes_before_the_judging_which_a_restart_does_again(tmp_path: Path) -> None:
    async def recorded(room: Room) -> None:
        identity, assigned = await first_round(room)
        result = result_of(assigned.header, assigned.game, identity, (40, 24), claimed=(44, 20))
        await taken(room.reception, [Arrival(str(Topic("open", "t1", Kind.RESULT)), encode(result))])
        assert [receipt.accepted for receipt in room.receipts()] == [True]
        assert room.store.states["open"].games[assigned.game].reported.differences == ()

    async def judged(room: Room) -> None:
        for _ in range(2):
            room.rejudging.add_all()
            await judged_again(room.rejudging)
        (game,) = room.store.states["open"].games.values()
        assert game.reported is not None and len(game.reported.differences) == 1
        types = [entry.type for entry in await room.store.entries("open")]
        assert types.count("result_judged") == 1

    play(tmp_path, recorded)
    play(tmp_path, judged)
    play(tmp_path, judged)


def full(*_: Any) -> None:
    raise StoreFailed("ledger.sqlite: database or disk is full")


async def test_what_is_decided_while_the_disk_is_at_work_is_recorded_once_and_says_one_thing(
    room: Room, monkeypatch: Any
) -> None:
    identity, assigned = await first_round(room)
    result = result_of(assigned.header, assigned.game, identity, (40, 24))
    other = result_of(assigned.header, assigned.game, identity, (44, 20))
    assert result.id == other.id
    topic = str(Topic("open", "t1", Kind.RESULT))
    batches = [[Arrival(topic, encode(sent))] for sent in (result, result, other)]
    due = [await room.reception.take(batch) for batch in batches]
    assert [receipt.accepted for receipt in room.receipts()] == [False], "the other one"
    with monkeypatch.context() as patched:
        patched.setattr(SqliteLedger, "append", full)
        for results in due:
            await room.reception.record(results)
    assert len(room.receipts()) == 1, "no word of what is not on record"
    for results in [await room.reception.take(batch) for batch in batches[:2]]:
        await room.reception.record(results)
    assert [receipt.accepted for receipt in room.receipts()] == [False, True, True]
    assert room.store.states["open"].games[assigned.game].score == (40, 24)
    assert [entry.type for entry in await room.store.entries("open")].count("result_received") == 1
    assert room.live.dropped == {"result put aside": 1}


async def test_a_clean_result_leaves_no_entry_and_a_replaced_one_is_not_judged(room: Room) -> None:
    identity, assigned = await first_round(room)
    wrong = result_of(assigned.header, assigned.game, identity, (40, 24), claimed=(44, 20))
    right = result_of(assigned.header, assigned.game, identity, (40, 24), revision=2)
    await room.arrives(wrong, right)
    assert "result_judged" not in [entry.type for entry in await room.store.entries("open")]


async def test_the_child_that_judges_answers_and_may_be_too_slow(room: Room) -> None:
    identity, assigned = await first_round(room)
    result = result_of(assigned.header, assigned.game, identity, (40, 24), claimed=(44, 20))
    message, header = encode(result).decode(), parse_header(assigned.header)
    referee = RefereeAside()
    for _ in range(2):
        assert len(await referee.differences(message, header, 60)) == 1
    assert str((await referee.differences("[]", header, 60))[0]).startswith("result: ")
    with pytest.raises(AsideFailed, match="within 0 s"):
        await referee.differences(message, header, 0)
    assert len(await referee.differences(message, header, 60)) == 1, "after one that was killed"


async def test_no_receipt_without_the_record(room: Room, monkeypatch: Any) -> None:
    identity, assigned = await first_round(room)
    result = result_of(assigned.header, assigned.game, identity, (40, 24))

    with monkeypatch.context() as patched:
        patched.setattr(SqliteLedger, "append", full)
        await room.arrives(result, result)
        assert room.receipts() == [] and room.store.states["open"].games[assigned.game].score is None
        with pytest.raises(LedgerError):
            await room.act(PlayerWithdrawn(player="p1"))
    await room.arrives(result)
    assert [receipt.accepted for receipt in room.receipts()] == [True]
    assert room.receipts()[0].head == room.store.head("open")


async def test_an_impossible_score_is_put_aside_and_said_to_the_table(room: Room) -> None:
    identity, assigned = await first_round(room)
    await room.arrives(result_of(assigned.header, assigned.game, identity, (40, 24), claimed=(40, 20)))
    (receipt,) = room.receipts()
    assert not receipt.accepted and "64 discs together" in receipt.why
    assert room.live.dropped["result put aside"] == 1
    assert room.store.states["open"].games[assigned.game].score is None


async def test_a_result_of_no_game_of_its_topics_tournament_gets_no_answer_and_may_come_again(
    room: Room,
) -> None:
    identity, assigned = await first_round(room)
    right = Topic("open", "t1", Kind.RESULT)
    for topic, game in ((right, "other"), (Topic(None, "t1", Kind.RESULT), assigned.game)):
        result = result_of(assigned.header, game, identity, (40, 24))
        await taken(room.reception, [Arrival(str(topic), encode(result))])
    assert room.receipts() == []
    assert room.live.dropped == {"result put aside": 2}
    assert [line.rpartition(": ")[2] for line in room.live.last_dropped] == [
        "game other is not known here",
        f"game {assigned.game} is not known here",
    ]
    assert room.store.states["open"].games[assigned.game].score is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(1, 3), min_size=1, max_size=8), st.data())
def test_any_order_and_number_of_deliveries_ends_the_same(
    tmp_path_factory: Any, order: list[int], data: Any
) -> None:
    # Three revisions of one game, delivered in any order, any number of times, in batches of any size.
    scores = {1: (40, 24), 2: (33, 31), 3: (33, 31)}

    async def story(room: Room) -> None:
        identity, assigned = await first_round(room)
        results = {
            n: result_of(assigned.header, assigned.game, identity, scores[n], revision=n, signed=n == 3)
            for n in scores
        }
        deliveries = [*order, *results]
        while deliveries:
            size = data.draw(st.integers(1, len(deliveries)))
            await room.arrives(*(results[n] for n in deliveries[:size]))
            del deliveries[:size]
        game = room.store.states["open"].games[assigned.game]
        assert (game.score, game.signed, set(game.revisions)) == ((33, 31), True, {1, 2, 3})
        assert all(receipt.accepted for receipt in room.receipts())
        assert {receipt.id for receipt in room.receipts()} == {result.id for result in results.values()}
        entries = [entry.id for entry in await room.store.entries("open")]
        assert len(entries) == len(set(entries)) == 3 + 2 * len(results)

    play(tmp_path_factory.mktemp("room"), story)


async def test_a_game_file_that_the_referee_cannot_bear_is_a_difference_not_an_end(
    room: Room, monkeypatch: Any
) -> None:
    def falls_over(*_: Any) -> None:
        raise RuntimeError("no")

    identity, assigned = await first_round(room)
    monkeypatch.setattr("flagfall.othello.referee.judge", falls_over)
    await room.arrives(result_of(assigned.header, assigned.game, identity, (40, 24)))
    game = room.store.states["open"].games[assigned.game]
    assert game.score == (40, 24)
    assert differences_in(game) == ["game file: cannot be judged: RuntimeError: no"]


async def test_it_ends_at_whatever_instant_it_is_told_to(room: Room) -> None:
    for turns in range(8):
        judging = asyncio.create_task(room.rejudging.run())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        room.rejudging.add("open", "a game that is not there")
        for _ in range(turns):
            await asyncio.sleep(0)
        judging.cancel()
        done, _ = await asyncio.wait({judging}, timeout=PATIENCE_S)
        assert done, f"cancelled {turns} turns after there was more to judge, and still waiting"


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
