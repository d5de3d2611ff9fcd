"""Codes and packages of enrolment: what is sealed stays closed, what is not as expected is one line."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.errors import Invalid
from flagfall.link.enrolment import (
    Package,
    Stick,
    decode,
    digest,
    encode,
    new_code,
    read_code,
    read_stick,
    seal,
    seal_key,
    unseal,
    unseal_key,
)

HUB = bytes(range(32))
PACKAGE = Package("t1", "a token", HUB, "hub.local", 8883, {"ca.pem": "-----"}, {"judge_pin": "1234"})


def test_a_code_is_read_however_it_is_typed() -> None:
    code = new_code()
    assert len(code) == 19 and code != new_code()
    plain = code.replace("-", "")
    for typed in (code, code.lower(), plain, f" {plain[:8]} {plain[8:]} ", plain.replace("0", "o")):
        assert read_code(typed) == plain
        assert digest(typed) == digest(code)
    assert read_code("iL00-0000-0000-0000") == "1100000000000000"
    for bad in ("", "K7QD", plain + "0", plain[:-1] + "U", "é" * 16, plain[:-1] + "!"):
        with pytest.raises(Invalid, match="code: expected"):
            read_code(bad)


def test_only_the_code_opens_what_was_sealed_with_it() -> None:
    code, other = new_code(), new_code()
    sealed = seal(code, PACKAGE)
    assert unseal(code.lower(), sealed) == PACKAGE
    assert seal(code, PACKAGE) != sealed
    assert PACKAGE.token.encode() not in sealed and b"hub.local" not in sealed
    with pytest.raises(Invalid, match="sealed"):
        unseal(other, sealed)
    for at in (0, 15, 16, len(sealed) // 2, len(sealed) - 33, len(sealed) - 1):
        changed = sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :]
        with pytest.raises(Invalid):
            unseal(code, changed)
    for length in (0, 16, 31, 47, len(sealed) - 1):
        with pytest.raises(Invalid):
            unseal(code, sealed[:length])


def test_the_token_shows_in_no_log() -> None:
    shown = repr(PACKAGE)
    assert PACKAGE.token not in shown and "1234" not in shown


@given(st.one_of(st.binary(max_size=300), st.just(encode(PACKAGE)).map(lambda good: good[:-2])))
def test_rubbish_is_one_line(content: bytes) -> None:
    with pytest.raises(Invalid) as refused:
        decode(content)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"broker_port": 8883', '"broker_port": 0'),
        ('"broker_port": 8883', '"broker_port": true'),
        ('"hub.local"', '""'),
        ('"device": "t1"', '"device": "a/b"'),
        ('"ca.pem": "-----"', '"ca.pem": 1'),
        ('"flagfall-enrolment/2"', '"flagfall-enrolment/1"'),
        ('"hub": "', '"hub": "zz'),
        ('"settings": {', '"settings": [{'),
    ],
)
def test_a_wrong_field_is_named(old: str, new: str) -> None:
    text = encode(PACKAGE).decode()
    assert old in text
    with pytest.raises(Invalid):
        decode(text.replace(old, new).encode())


def test_a_key_is_sealed_with_the_code_too_and_neither_passes_for_the_other() -> None:
    code = new_code()
    sealed = seal_key(code, HUB)
    assert unseal_key(code, sealed) == HUB and HUB not in sealed
    for wrong, other in (
        (code, sealed[:-1] + bytes([sealed[-1] ^ 1])),
        (new_code(), sealed),
        (code, seal(code, PACKAGE)),
    ):
        with pytest.raises(Invalid):
            unseal_key(wrong, other)
    with pytest.raises(Invalid):
        unseal_key(code, seal_key(code, HUB[:31]))
    with pytest.raises(Invalid):
        unseal(code, sealed)


@pytest.mark.parametrize(
    "change",
    [{"format": "flagfall-stick/2"}, {"code": "K7QD"}, {"hub": ""}, {"device": 7}, {"network": "n" * 33}],
)
def test_a_file_of_a_stick_is_read_or_refused_in_one_line(change: dict[str, object]) -> None:
    file = Stick(device="t1", code=new_code(), hub="http://h:8000", network="Hall")
    content = msgspec.json.encode(file)
    assert read_stick(content) == file
    with pytest.raises(Invalid) as refused:
        read_stick(msgspec.json.encode(msgspec.to_builtins(file) | change))
    assert "\n" not in str(refused.value)
