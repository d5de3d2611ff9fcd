"""Topics are built and read in one place; no foreign topic is accepted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.link.topics import FROM_HUB, FROM_TABLE, Kind, Topic, device_filter, hub_filters, is_id, parse

ids = st.text(min_size=1, max_size=64).filter(is_id)


@given(st.none() | ids, ids, st.sampled_from(Kind))
def test_what_is_built_is_read_back(tournament: str | None, device: str, kind: Kind) -> None:
    topic = Topic(tournament, device, kind)
    assert parse(str(topic)) == topic


def test_a_device_without_a_tournament() -> None:
    assert str(Topic(None, "t7", Kind.STATUS)) == "flagfall/1/-/table/t7/status"
    assert parse("flagfall/1/-/table/t7/status") == Topic(None, "t7", Kind.STATUS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "flagfall",
        "flagfall/1/woc/table/t7",
        "flagfall/1/woc/table/t7/status/more",
        "flagfall/2/woc/table/t7/status",
        "flagfall/1/woc/board/t7/status",
        "flagfall/1/woc/table/t7/STATUS",
        "flagfall/1/woc/table/t7/gossip",
        "flagfall/1//table/t7/status",
        "flagfall/1/woc/table//status",
        "flagfall/1/woc/table/-/status",
        "flagfall/1/+/table/t7/status",
        "flagfall/1/woc/table/t7/#",
        "flagfall/1/woc/table/t\n7/status",
        "flagfall/1/woc/table/" + "t" * 65 + "/status",
        "$SYS/broker",
    ],
)
def test_foreign_topics_are_none(text: str) -> None:
    assert parse(text) is None


@given(st.text())
def test_reading_never_raises(text: str) -> None:
    assert parse(text) is None or str(parse(text)) == text


@pytest.mark.parametrize("bad", ["", "-", ".", "..", "a/b", "a+", "#", "t" * 65, "a\tb", "a\x00"])
def test_ids_that_no_topic_can_carry(bad: str) -> None:
    for make in (
        lambda: Topic("woc", bad, Kind.STATUS),
        lambda: Topic(bad, "t7", Kind.STATUS),
        lambda: device_filter(bad),
    ):
        with pytest.raises(ValueError, match="expected 1 to 64"):
            make()


def test_subscriptions() -> None:
    assert device_filter("t7") == "flagfall/1/+/table/t7/#"
    assert hub_filters() == (
        "flagfall/1/+/table/+/call",
        "flagfall/1/+/table/+/clock",
        "flagfall/1/+/table/+/move",
        "flagfall/1/+/table/+/result",
        "flagfall/1/+/table/+/status",
    )


def test_the_table_of_the_contract() -> None:
    assert set(Kind) == FROM_TABLE | FROM_HUB
    assert not FROM_TABLE & FROM_HUB
    assert {kind: (Topic("w", "t", kind).retained, Topic("w", "t", kind).qos) for kind in Kind} == {
        Kind.STATUS: (True, 1),
        Kind.ASSIGNMENT: (True, 1),
        Kind.CLOCK: (True, 0),
        Kind.MOVE: (False, 1),
        Kind.CALL: (True, 1),
        Kind.RESULT: (False, 1),
        Kind.RECEIPT: (False, 1),
        Kind.RULING: (False, 1),
        Kind.UPDATE: (True, 1),
    }
