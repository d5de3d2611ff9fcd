"""The hub's handling of results: wrong ones are put aside, and order and number do not matter."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flagfall.link.keys import public_key
from flagfall.link.messages import Result, encode
from flagfall.link.packed_file import pack
from flagfall.link.signature import sign
from flagfall.link.topics import Kind, Topic
from flagfall.othello.side import Both
from hub.model.games import Game
from hub.tables.result_check import NotNow, Unsigned, result_fault

KEY, HUB = b"k" * 32, b"h" * 32
PUBLIC = public_key(KEY)
TOPIC = Topic("woc", "t7", Kind.RESULT)
GAME = Game("11", "22", table=1, id="woc-r1-t1", round=1, device="t7")


def revision(result: Result, number: int, score: tuple[int, int] = (40, 24)) -> Result:
    return msgspec.structs.replace(
        result, id=f"{result.game}.{number}", revision=number, score=Both(*score), signature=""
    )


def arrive(
    result: Result,
    signatures: Mapping[int, str] = MappingProxyType({}),
    topic: Topic = TOPIC,
    key: bytes | None = PUBLIC,
    signing_key: bytes = KEY,
) -> str | None:
    signed = sign(result, signing_key)
    return result_fault(topic, encode(signed), signed, GAME, key=key, hub=HUB, signatures=signatures)


def stored(signatures: Mapping[int, str], result: Result) -> Mapping[int, str]:
    return {**signatures, result.revision: sign(result, KEY).signature}


def test_every_revision_is_right_in_any_order_and_again(result: Result) -> None:
    assert arrive(result) is None
    signatures = stored({}, revision(result, 3, (64, 0)))
    assert arrive(revision(result, 4), signatures) is None
    assert arrive(revision(result, 2), signatures) is None
    signatures = stored(signatures, revision(result, 2))
    assert arrive(revision(result, 2), signatures) is None
    assert arrive(revision(result, 3, (64, 0)), signatures) is None
    assert arrive(revision(result, 3, (60, 4)), signatures) is not None


def test_what_was_right_before_is_not_unpacked_again(monkeypatch: pytest.MonkeyPatch, result: Result) -> None:
    """16 MB of blanks, packed into 22 kB, cost the hub 60 ms."""
    monkeypatch.delattr("hub.tables.result_check.unpack_start")
    assert arrive(result, stored({}, result)) is None


def test_an_id_with_other_content_is_put_aside(result: Result) -> None:
    fault = arrive(revision(result, 1, (33, 31)), stored({}, result))
    assert fault == "result woc-r1-t1.1 is stored with other content"


def changed(result: Result, **fields: object) -> Result:
    return msgspec.structs.replace(result, **fields)


def test_what_does_not_agree_is_put_aside_with_the_reason(result: Result) -> None:
    other_file = pack(b'{"type":"game","black":{"id":"11"},"white":{"id":"33"}}\n')
    cases = {
        "not enrolled": arrive(result, key=None),
        "signature": arrive(result, signing_key=b"x" * 32),
        "device: expected t7": arrive(changed(result, device="t8")),
        "is played at t7": arrive(changed(result, device="t8"), topic=Topic("woc", "t8", Kind.RESULT)),
        "id: expected woc-r1-t1.1": arrive(changed(result, id="woc-r1-t1.01")),
        "hub: expected": arrive(changed(result, hub="0" * 64)),
        "tournament: expected woc": arrive(changed(result, tournament="other")),
        "players: expected 11 and 22": arrive(changed(result, players=Both("22", "11"))),
        "sha256": arrive(changed(result, sha256="0" * 64)),
        "file: expected a game file": arrive(changed(result, file="?")),
        "against 22": arrive(changed(result, file=other_file.file, sha256=other_file.sha256)),
        "topic": arrive(result, topic=Topic("woc", "t7", Kind.CLOCK)),
    }
    for words, fault in cases.items():
        assert fault is not None, words
        assert words in fault
        assert fault.isprintable()
    by_anybody = {words for words, fault in cases.items() if isinstance(fault, Unsigned)}
    assert by_anybody == {"signature", "tournament: expected woc", "sha256", "file: expected a game file"}
    assert {words for words, fault in cases.items() if isinstance(fault, NotNow)} == {
        "players: expected 11 and 22"
    }


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"black":1,"white":2}', b"[" * 100_000, b"\xff"])
def test_a_file_without_a_header_is_put_aside(result: Result, content: bytes) -> None:
    packed = pack(content)
    fault = arrive(changed(result, file=packed.file, sha256=packed.sha256))
    assert fault is not None
    assert fault.startswith("file: expected a game of 11 against 22")


scores = st.sampled_from([(40, 24), (64, 0), (32, 32)])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(by_revision=st.dictionaries(st.integers(1, 4), scores, min_size=1), data=st.data())
def test_order_and_number_of_deliveries_do_not_matter(
    result: Result, by_revision: dict[int, tuple[int, int]], data: st.DataObject
) -> None:
    """Every revision comes at least once, in any order, any number of times: one final state."""
    each_once = data.draw(st.permutations(list(by_revision)))
    more = data.draw(st.lists(st.sampled_from(sorted(by_revision)), max_size=6))
    signatures: Mapping[int, str] = {}
    for number in data.draw(st.permutations([*each_once, *more])):
        sent = revision(result, number, by_revision[number])
        assert arrive(sent, signatures) is None
        signatures = stored(signatures, sent)
    in_order: Mapping[int, str] = {}
    for number in sorted(by_revision):
        in_order = stored(in_order, revision(result, number, by_revision[number]))
    assert signatures == in_order
