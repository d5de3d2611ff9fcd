"""Results from arrival to receipt, and the hub's referee after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.hub_files import result_of
from helpers.hub_in_one import Room, first_round, judged_again, play, taken
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flagfall.ledger.sqlite import SqliteLedger
from flagfall.ledger.store import LedgerError, StoreFailed
from flagfall.link.messages import encode
from flagfall.link.signature import verify
from flagfall.link.topics import Arrival, Kind, Topic
from flagfall.othello.gamefile import parse_header
from hub.child_process import AsideFailed
from hub.tables.rejudging import RefereeAside


def differences_in(game: Any) -> list[str]:
    """Return the differences that the hub's referee found."""
    return [str(line) for line in game.reported.differences]


async def test_assignments_and_receipts_are_signed_with_the_devices_key(room: Room) -> None:
    identity, assigned = await first_round(room)
    await room.arrives(result_of(assigned.header, assigned.game, identity, (40, 24)))
    kinds = set()
    for topic, payload in room.sent:
        assert verify(topic.kind, payload, identity.key)
        assert not verify(topic.kind, payload, b"0" * 32)
        kinds.add(topic.kind)
    assert kinds == {Kind.ASSIGNMENT, Kind.RECEIPT}


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
            await room.run("withdraw-player", player="p1")
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


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
        assert len(entries) == len(set(entries)) == 2 + len(results)

    play(tmp_path_factory.mktemp("room"), story)


async def test_a_game_file_that_the_referee_cannot_bear_is_a_difference_not_an_end(
    room: Room, monkeypatch: Any
) -> None:
    def falls_over(*_: Any) -> None:
        raise RuntimeError("no")

    identity, assigned = await first_round(room)
    monkeypatch.setattr("hub.tables.rejudge.judge", falls_over)
    await room.arrives(result_of(assigned.header, assigned.game, identity, (40, 24)))
    game = room.store.states["open"].games[assigned.game]
    assert game.score == (40, 24)
    assert differences_in(game) == ["game file: cannot be judged: RuntimeError: no"]
