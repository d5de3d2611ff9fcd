"""Cosignatures of witnesses: a head of a public log that four public witnesses have cosigned, and requests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.errors import Invalid
from flagfall.link.add_checkpoint import AddCheckpoint, read_request
from flagfall.link.cosignature import cosignature, cosigners
from flagfall.link.keys import public_key
from flagfall.link.signed_note import COSIGNS, VerifierKey, open_note, read_checkpoint, read_key

# A head of a public log of Certificate Transparency, cosigned by witnesses of C2SP's protocol, and the keys that they
# and the log publish: facts of the format.
NOTE = """arche2025h1.staging.ct.transparency.dev
1432088532
U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=

— arche2025h1.staging.ct.transparency.dev zTM8sQAAAZ5W0WdjBAMARjBEAiBjW5IQf9pvsYLfQFX6hoGREPMHbdQ3urbllzalApkptQIgIpwtEroeW2BXaHAI4kJXFbon5Ch9MNL5zRNZ55lvGt0=
— arche2025h1.staging.ct.transparency.dev ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=
— transparency.dev/DEV:witness-little-garden 2AQqhwAAAABqEiEgzgFIqqhbUoDwjMWE6UP8nd8/KYTzwZ2rhIgcqoXHAwVkjZr4AscylP3v7sEodkRAErumC2q44vdgJY096st5BQ==
— witness1.smartit.nu/witness1 pIyCDwAAAABqEiEghIp82KWebrw7/oHQwlTAm3g2RKS4+eebl8eO0WH+/iEcxZ75W3u5hNI7TOQtmJbqmNWVuE0tgh0XwzdZsDsUAQ==
— remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==
— witness.stagemole.eu Z/euoAAAAABqEiEgw0i+7g2ENfDAWHmtRzCfKTHSDwYDJA2NmKeGi9Y8FtEyOUvVr+AJmIY/2TUFucgKi7lI7cUiOvKFYe/TmN9DAg==
"""  # noqa: E501
LOG = "arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f"
WITNESSES = (
    "transparency.dev/DEV:witness-little-garden+d8042a87+BCtusOxINQNUTN5Oj8HObRkh2yHf/MwYaGX4CPdiVEPM",
    "witness1.smartit.nu/witness1+a48c820f+BPSFWg9G6KPiO7QPryYO5Xq4oYJJ+kAvLKLSimDhoxMO",
    "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2",
    "witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv",
)
AWAY = "rgdd.se/poc-witness+db03732e+BCjJKlo6BU0xfIb8LutqerIFTWIXEA0L5n3tW3QyPFgG"
KEY = b"w" * 32


def test_four_public_witnesses_have_cosigned_a_public_head() -> None:
    keys = [read_key(line, COSIGNS) for line in WITNESSES]
    assert [str(key) for key in keys] == list(WITNESSES)
    assert read_checkpoint(open_note(NOTE, read_key(LOG))).size == 1_432_088_532
    assert cosigners(NOTE, [read_key(AWAY, COSIGNS), *keys]) == tuple(keys)
    later = NOTE.replace("1432088532", "1432088533")
    for key in keys:
        with pytest.raises(Invalid, match="the cosignature of"):
            cosigners(later, [key])


def test_a_key_of_one_kind_is_none_of_the_other() -> None:
    with pytest.raises(Invalid, match="witness key"):
        read_key(LOG, COSIGNS)
    with pytest.raises(Invalid, match="flagfall-hub key"):
        read_key(WITNESSES[0])


@given(st.integers(1, 2**63 - 1), st.integers(0, 10**15 - 1))
def test_what_is_cosigned_counts_and_no_other_head_or_time_does(time_s: int, size: int) -> None:
    key = VerifierKey("w.example", public_key(KEY), COSIGNS)
    text = f"log\n{size}\n{'A' * 43}=\n"
    line = cosignature(text, "w.example", KEY, time_s)
    assert line == cosignature(text, "w.example", KEY, time_s)
    assert cosigners(f"{text}\n{line}", [key]) == (key,)
    other_time = cosignature(text, "w.example", KEY, time_s % 1000 + 1)
    for wrong in (f"x{text}\n{line}", f"{text}\n{line[:30]}{other_time[30:]}"):
        if wrong != f"{text}\n{line}":
            with pytest.raises(Invalid):
                cosigners(wrong, [key])


@given(st.integers(0, 10**15 - 1), st.lists(st.binary(min_size=32, max_size=32), max_size=63))
def test_a_request_that_is_written_is_read(old_size: int, path: list[bytes]) -> None:
    request = AddCheckpoint(old_size, tuple(path), NOTE)
    assert read_request(request.body) == request


HASH = "A" * 43 + "=\n"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"old 1\n",
        b"old 1\n\n",
        b"old\n\nnote\n",
        b"old -1\n\nnote\n",
        b"old 01\n\nnote\n",
        b"old 1 \n\nnote\n",
        b"old  1\n\nnote\n",
        b"OLD 1\n\nnote\n",
        b"old 1\r\n\r\nnote\n",
        b"old 1\n\nnote",
        b"old 1\nAAAA\n\nnote\n",
        b"old 1\n\xff\n\nnote\n",
        f"old 1\n{HASH * 64}\nnote\n".encode(),
        b"old " + b"9" * 5000 + b"\n\nnote\n",
        b"old 1\n\n" + b"x" * 200_000 + b"\n",
    ],
)
def test_what_is_no_request_is_refused_in_one_line(body: bytes) -> None:
    with pytest.raises(Invalid) as refused:
        read_request(body)
    assert "\n" not in str(refused.value)
