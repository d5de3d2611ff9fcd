"""Public keys and signatures that libraries take differently: ours are refused or taken the same everywhere."""

from __future__ import annotations

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.errors import Invalid
from flagfall.link.enrolment import Package, encode, new_code, seal_key, unseal_key
from flagfall.link.enrolment import decode as decode_package
from flagfall.link.keys import is_public_key, is_signed, new_key, public_key, signature_of
from flagfall.link.signature import verify_text
from flagfall.link.signed_note import read_key
from flagfall.link.topics import Kind

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
OF_ORDER_8 = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)


def encoded(y: int, sign: int = 0) -> bytes:
    return (y | sign << 255).to_bytes(32, "little")


# The fourteen encodings of points of small order that a decoder may take, and every y that is not below the prime.
SMALL = {
    encoded(y, sign)
    for y in (0, 1, PRIME - 1, OF_ORDER_8, PRIME - OF_ORDER_8, PRIME, PRIME + 1)
    for sign in (0, 1)
}
NOT_CANONICAL = {encoded(y, sign) for y in range(PRIME, 2**255) for sign in (0, 1)}
KEY = b"k" * 32


def test_there_are_fourteen() -> None:
    assert len(SMALL) == 14 and len(SMALL & NOT_CANONICAL) == 4


@pytest.mark.parametrize("public", sorted(SMALL | NOT_CANONICAL), ids=bytes.hex)
def test_no_key_of_small_order_or_in_another_form_is_taken_anywhere(public: bytes) -> None:
    assert not is_public_key(public)
    # R = the point itself or nothing, S = 0: under such a key many messages have this signature.
    for point in (public, encoded(1)):
        for message in (b"", b"a", b"b", b"c"):
            assert not is_signed(message, point + bytes(32), public)
    code = new_code()
    with pytest.raises(Invalid, match="not of small order"):
        unseal_key(code, seal_key(code, public))
    with pytest.raises(Invalid, match="not of small order"):
        decode_package(encode(Package("t1", "token", public, "hub", 1883)))
    data = b"\x01" + public
    digits = hashlib.sha256(b"flagfall/hub\n" + data).hexdigest()[:8]
    with pytest.raises(Invalid, match="not of small order"):
        read_key(f"flagfall/hub+{digits}+{base64.b64encode(data).decode()}")


def test_the_library_alone_takes_one_signature_for_every_message() -> None:
    everybodys = Ed25519PublicKey.from_public_bytes(encoded(1))
    for message in (b"40-24", b"0-64"):
        everybodys.verify(encoded(1) + bytes(32), message)  # raises nothing


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=20))
def test_every_key_of_ours_is_taken_and_its_signatures_are(key: bytes, message: bytes) -> None:
    public = public_key(key)
    assert is_public_key(public) and is_signed(message, signature_of(message, key), public)


def test_a_signature_has_one_form() -> None:
    public, signature = public_key(KEY), signature_of(b"m", KEY)
    scalar = int.from_bytes(signature[32:], "little")
    assert is_signed(b"m", signature, public)
    for other in range(scalar + ORDER, 2**256, ORDER):
        assert not is_signed(b"m", signature[:32] + other.to_bytes(32, "little"), public)
    for point in SMALL:
        assert not is_signed(b"m", point + signature[32:], public)


def test_a_signature_in_another_form_of_base64_is_none() -> None:
    text = b"{}"
    signature = base64.b64encode(signature_of(b"flagfall/2/status\n" + text, KEY)).decode()
    assert verify_text(Kind.STATUS, text, signature, public_key(KEY))
    last = signature[-3]  # of its six bits two are of no byte
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    start = alphabet.index(last) & ~15
    for letter in set(alphabet[start : start + 16]) - {last}:
        assert not verify_text(Kind.STATUS, text, f"{signature[:-3]}{letter}==", public_key(KEY))


def test_a_key_of_another_length_is_none() -> None:
    for length in (0, 31, 33, 64):
        assert not is_public_key(new_key() * 2 if length == 64 else bytes([9]) * length)
