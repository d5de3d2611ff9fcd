"""Who may send and hear what."""

from __future__ import annotations

import pytest

from link.access import Access
from link.topics import FROM_HUB, FROM_TABLE, Kind, Topic

ACCESS = Access("hub")


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("tournament", ["woc", None])
def test_a_device_sends_what_tables_send_under_its_own_name(kind: Kind, tournament: str | None) -> None:
    own, other = str(Topic(tournament, "t7", kind)), str(Topic(tournament, "t8", kind))
    assert ACCESS.may_send("t7", own) == (kind in FROM_TABLE)
    assert not ACCESS.may_send("t7", other)
    assert ACCESS.may_send("hub", own)


@pytest.mark.parametrize("kind", Kind)
def test_a_device_hears_the_hub_and_its_own_status(kind: Kind) -> None:
    own, other = str(Topic("woc", "t7", kind)), str(Topic("woc", "t8", kind))
    assert ACCESS.may_hear("t7", own) == (kind in FROM_HUB or kind is Kind.STATUS)
    assert not ACCESS.may_hear("t7", other)
    assert ACCESS.may_hear("hub", other)


@pytest.mark.parametrize(
    ("topic_filter", "allowed"),
    [
        ("flagfall/1/+/table/t7/#", True),
        ("flagfall/1/woc/table/t7/assignment", True),
        ("flagfall/1/+/table/t7/+", True),
        ("flagfall/1/+/table/+/#", False),
        ("flagfall/1/+/table/t8/#", False),
        ("flagfall/1/+/table/t7", False),
        ("flagfall/1/+/table/#", False),
        ("flagfall/1/#", False),
        ("+/1/+/table/t7/#", False),
        ("#", False),
        ("$share/x/flagfall/1/+/table/t7/#", False),
        ("", False),
    ],
)
def test_a_device_subscribes_to_its_own_topics(topic_filter: str, allowed: bool) -> None:
    assert ACCESS.may_subscribe("t7", topic_filter) is allowed
    assert ACCESS.may_subscribe("hub", topic_filter)


@pytest.mark.parametrize(
    "topic", ["", "#", "$SYS/x", "flagfall/1/woc/table/t7/gossip", "flagfall/2/woc/table/t7/status"]
)
def test_foreign_topics_are_nobodys(topic: str) -> None:
    assert not ACCESS.may_send("t7", topic)
    assert not ACCESS.may_hear("t7", topic)
