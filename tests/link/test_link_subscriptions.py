"""No subscription is overlooked: whatever fits a topic is among its candidates."""

from __future__ import annotations

from amqtt.broker import Broker
from hypothesis import given
from hypothesis import strategies as st

from link.subscriptions import Subscriptions, device_of
from link.topics import Kind, Topic, device_filter, hub_filters

LEVEL = st.sampled_from(["flagfall", "1", "t", "table", "d1", "d2", "", "result"])
TOPICS = st.lists(LEVEL, min_size=1, max_size=7).map("/".join)
FILTERS = st.builds(
    lambda levels, end: "/".join([*levels, *end]),
    st.lists(st.one_of(LEVEL, st.just("+")), min_size=1, max_size=7),
    st.sampled_from([[], ["#"]]),
)


@given(st.lists(FILTERS, max_size=12), st.lists(st.integers(0, 11), max_size=6), TOPICS)
def test_what_fits_is_among_the_candidates(filters: list[str], gone: list[int], topic: str) -> None:
    subscriptions = Subscriptions()
    for one in filters:
        subscriptions[one] = [one]
    for at in gone:
        if at < len(filters) and filters[at] in subscriptions:
            del subscriptions[filters[at]]
    candidates = subscriptions.candidates(topic)
    assert set(candidates) <= set(subscriptions)
    assert len(candidates) == len(set(candidates))
    for one in subscriptions:
        if Broker._matches(None, topic, one):  # type: ignore[arg-type]
            assert one in candidates


def test_of_a_thousand_tables_one_is_looked_at() -> None:
    subscriptions = Subscriptions()
    for number in range(1000):
        subscriptions[device_filter(f"table-{number}")] = []
    for one in hub_filters():
        subscriptions[one] = []
    topic = str(Topic("open", "table-7", Kind.RECEIPT))
    assert set(subscriptions.candidates(topic)) == {device_filter("table-7"), *hub_filters()}
    del subscriptions[device_filter("table-7")]
    assert set(subscriptions.candidates(topic)) == set(hub_filters())
    subscriptions.clear()
    assert subscriptions.candidates(topic) == []


def test_a_wildcard_in_the_place_of_the_device_is_none() -> None:
    assert device_of("flagfall/1/t/table/d1/result") == "d1"
    assert device_of("flagfall/1/+/table/+/result") == ""
    assert device_of("flagfall/1/+/table/#") == ""
    assert device_of("flagfall/#") == ""
