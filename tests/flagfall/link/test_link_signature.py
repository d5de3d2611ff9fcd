"""Signatures: right for what was signed, wrong for anything else, and open to fields of later versions."""

from __future__ import annotations

import base64
import dataclasses
import json
import tracemalloc
import zlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.errors import Invalid
from flagfall.link.keys import is_signed, public_key
from flagfall.link.messages import Assignment, Receipt, Result, RulingMessage, encode
from flagfall.link.packed_file import LARGEST_FILE_BYTES, PackedFile, check_digest, pack, unpack
from flagfall.link.signature import sign, signed_text, verify, verify_text
from flagfall.link.topics import Kind
from flagfall.othello.side import Both

KEY = b"k" * 32
PUBLIC = public_key(KEY)


def test_a_signed_message_verifies_and_nothing_else_does(result: Result) -> None:
    signed = sign(result, KEY)
    payload = encode(signed)
    assert len(base64.b64decode(signed.signature)) == 64
    assert verify(Kind.RESULT, payload, PUBLIC)
    assert not verify(Kind.RESULT, payload, b"x" * 32)
    assert not verify(Kind.RECEIPT, payload, PUBLIC)
    assert not verify(Kind.RESULT, encode(result), PUBLIC)
    forged = msgspec.structs.replace(signed, score=Both(24, 40))
    assert not verify(Kind.RESULT, encode(forged), PUBLIC)


def test_signing_twice_gives_the_same(result: Result) -> None:
    assert sign(sign(result, KEY), KEY) == sign(result, KEY)


def test_what_the_hub_sends_is_signed_the_same_way() -> None:
    for message in (
        Assignment(seq=1, header={"minutes": 30, "black": {"id": "ü"}}),
        Receipt(id="g.1", accepted=True),
        RulingMessage(id="r", game="g", expires_s=9, rule="stop"),
    ):
        assert verify(message.kind, encode(sign(message, KEY)), PUBLIC)


def test_spacing_and_order_do_not_matter_but_every_field_does(result: Result) -> None:
    fields = json.loads(encode(sign(result, KEY)))
    turned = dict(reversed(fields.items()))
    assert verify(Kind.RESULT, json.dumps(turned, indent=2).encode(), PUBLIC)
    assert not verify(Kind.RESULT, json.dumps({**fields, "later": 1}).encode(), PUBLIC)


def test_a_field_of_a_later_version_is_covered(result: Result) -> None:
    class Later(Result, frozen=True, kw_only=True):
        more: int = 7

    later = Later(**{name: getattr(result, name) for name in result.__struct_fields__})
    payload = encode(sign(later, KEY))
    assert b'"more":7' in payload
    assert verify(Kind.RESULT, payload, PUBLIC)
    assert not verify(Kind.RESULT, payload.replace(b'"more":7', b'"more":8'), PUBLIC)


@given(st.binary(max_size=100))
def test_no_bytes_verify_or_raise(payload: bytes) -> None:
    assert not verify(Kind.RESULT, payload, PUBLIC)


@pytest.mark.parametrize(
    "payload", [b"[]", b'{"signature":5}', b'{"signature":"\xc3\xbc"}', b'{"a":' * 100_000, b"{}"]
)
def test_odd_payloads_do_not_verify(payload: bytes) -> None:
    assert not verify(Kind.RESULT, payload, PUBLIC)


@given(st.binary(max_size=500))
def test_a_file_is_unpacked_as_it_was_packed(content: bytes) -> None:
    assert unpack(pack(content)) == content


def test_a_file_that_is_not_the_one_named_is_refused() -> None:
    packed = pack(b"game")
    other = pack(b"other")
    for bad in (
        dataclasses.replace(packed, sha256=other.sha256),
        dataclasses.replace(packed, file=packed.file[:-8]),
        dataclasses.replace(packed, file="not base64!"),
        dataclasses.replace(packed, file="AAAA"),
        dataclasses.replace(packed, file="ü"),
        PackedFile("", packed.sha256),
    ):
        with pytest.raises(Invalid) as refused:
            unpack(bad)
        assert "\n" not in str(refused.value)


def test_a_bomb_is_not_unpacked() -> None:
    bomb = zlib.compress(b"0" * (LARGEST_FILE_BYTES + 1))
    with pytest.raises(Invalid, match="at most when unpacked"):
        unpack(PackedFile(base64.b64encode(bomb).decode(), "0" * 64))
    with pytest.raises(Invalid, match="at most, got"):
        pack(b"0" * (LARGEST_FILE_BYTES + 1))
    assert len(unpack(pack(b"0" * LARGEST_FILE_BYTES))) == LARGEST_FILE_BYTES


def test_a_result_is_checked_without_its_file_which_its_digest_names(result: Result) -> None:
    signed = sign(result, KEY)
    text = signed_text(Kind.RESULT, encode(signed))
    assert b'"file"' not in text and result.sha256.encode() in text
    assert verify_text(Kind.RESULT, text, signed.signature, PUBLIC)
    assert not verify_text(Kind.STATUS, text, signed.signature, PUBLIC)
    assert not verify_text(Kind.RESULT, text.replace(b"40", b"41"), signed.signature, PUBLIC)
    assert verify(Kind.RESULT, encode(msgspec.structs.replace(signed, file="")), PUBLIC)
    assert not verify(Kind.RESULT, encode(msgspec.structs.replace(signed, sha256="0" * 64)), PUBLIC)


def test_the_signature_is_over_the_kind_and_the_canonical_json(result: Result) -> None:
    # Written out once, as another program would check it.
    signed = sign(Receipt(id="g.1", accepted=True, device="t1"), KEY)
    text = b'{"accepted":true,"again":false,"device":"t1","head":"","id":"g.1","record":null,"v":2,"why":""}'
    assert is_signed(b"flagfall/2/receipt\n" + text, base64.b64decode(signed.signature), PUBLIC)


@given(st.binary(max_size=2_000), st.integers(0, 3), st.binary(max_size=3))
def test_a_digest_is_checked_in_pieces_as_the_whole_is(content: bytes, times: int, more: bytes) -> None:
    whole = content * 10 ** (2 * times) if len(content) < 3 else content
    packed = pack(whole)
    check_digest(packed)
    data = base64.b64decode(packed.file)
    for file in (data + b"x", data[:-1], data[:-4] + b"AAAA", zlib.compress(whole + b"x"), more):
        other = PackedFile(base64.b64encode(file).decode(), packed.sha256)
        for check in (check_digest, unpack):
            with pytest.raises(Invalid):
                check(other)


def test_what_unpacks_to_more_than_a_file_may_have_ends_early_and_in_little_memory() -> None:
    bomb = zlib.compress(b"0" * (8 * LARGEST_FILE_BYTES), 9)
    packed = PackedFile(base64.b64encode(bomb).decode(), "0" * 64)
    tracemalloc.start()
    try:
        with pytest.raises(Invalid, match="at most when unpacked"):
            check_digest(packed)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2 << 20
