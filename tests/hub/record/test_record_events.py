"""The body of an entry: each happening has one text for one content."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from flagfall.ledger.entry import START, canonical, place
from hub.record.codec import draft, happening
from hub.record.events import ResultReceived

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(
    result=st.builds(
        ResultReceived,
        game=TEXTS,
        revision=st.integers(min_value=1),
        device=TEXTS,
        score=st.tuples(st.integers(0, 64), st.integers(0, 64)),
        reason=TEXTS,
        winner=st.none() | TEXTS,
        transcript=TEXTS,
        signed=st.tuples(st.booleans(), st.booleans()),
        closed=st.booleans(),
        no_show=st.none() | st.booleans(),
        differences=st.lists(TEXTS, max_size=2).map(tuple),
        signature=TEXTS,
        message=TEXTS,
    )
)
def test_a_result_is_written_as_every_entry_is(result: ResultReceived) -> None:
    """The same result sent again after an update of the hub must not be another one under its id."""
    written = draft(result, "result.1", "open", "t1", "2026-11-22T10:00:00Z")
    assert written.body == canonical(msgspec.to_builtins(result, str_keys=True))
    assert happening(place(written, START)) == result
