"""Signed notes and checkpoints: the vectors of Go's `golang.org/x/mod/sumdb/note`, properties, and Go itself."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.errors import Invalid
from flagfall.link.keys import public_key
from flagfall.link.signed_note import Checkpoint, VerifierKey, open_note, read_checkpoint, read_key, sign_note

# From the tests of golang.org/x/mod/sumdb/note (BSD licence): facts of the format.
SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
LINE = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
SIGNED = (
    f"{TEXT}\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
LINES = st.lists(st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), max_size=30), min_size=1)


def test_gos_vector_is_signed_and_opened() -> None:
    key = read_key(LINE)
    assert (key.name, str(key)) == ("PeterNeumann", LINE)
    assert sign_note(TEXT, "PeterNeumann", SEED) == SIGNED
    assert open_note(SIGNED, key) == TEXT


@given(LINES)
def test_whatever_is_signed_is_opened_and_no_changed_character_is(lines: list[str]) -> None:
    text = "\n".join(line for line in lines) + "\n"
    note = sign_note(text, "hub", SEED)
    key = VerifierKey("hub", public_key(SEED))
    assert open_note(note, key) == text
    for at in range(0, len(note), max(1, len(note) // 12)):
        changed = note[:at] + ("X" if note[at] != "X" else "Y") + note[at + 1 :]
        with pytest.raises(Invalid):
            open_note(changed, key)


def test_the_signature_of_another_key_is_none() -> None:
    other = VerifierKey("PeterNeumann", bytes(range(32)))
    with pytest.raises(Invalid, match="a signature of PeterNeumann"):
        open_note(SIGNED, other)
    renamed = VerifierKey("Somebody", public_key(SEED))
    with pytest.raises(Invalid, match="a signature of Somebody"):
        open_note(SIGNED, renamed)


@pytest.mark.parametrize(
    "note",
    [
        "",
        "\n\n",
        TEXT,
        SIGNED.replace("\n\n", "\n"),
        SIGNED.replace("— ", "- "),
        SIGNED.replace("think", "th\x07nk"),
        f"{TEXT}\n" + "— a AAAA\n" * 17,
        "x" * 100_000 + "\n\n— PeterNeumann AAAA\n",
    ],
)
def test_what_is_no_note_is_refused(note: str) -> None:
    with pytest.raises(Invalid, match="checkpoint"):
        open_note(note, read_key(LINE))


@pytest.mark.parametrize(
    "copy",
    [
        SIGNED.rstrip("\n"),
        SIGNED + "\n\n",
        "\ufeff" + SIGNED,
        SIGNED.replace("\n", "\r\n"),
        "\ufeff" + SIGNED.replace("\n", "\r\n").rstrip(),
    ],
)
def test_a_copy_with_other_line_ends_or_a_byte_order_mark_is_the_same_note(copy: str) -> None:
    assert open_note(copy, read_key(f"\ufeff{LINE}\r\n")) == TEXT


@pytest.mark.parametrize(
    "line",
    [
        "",
        "PeterNeumann",
        "PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq",
        "PeterNeumann+c74f20a3+é",
    ],
)
def test_what_is_no_key_is_refused(line: str) -> None:
    with pytest.raises(Invalid, match="key: expected a key as flagfall-hub key prints it"):
        read_key(line)


@given(st.integers(0, 10**15 - 1), st.binary(min_size=32, max_size=32))
def test_a_checkpoint_is_read_as_it_was_written(size: int, root: bytes) -> None:
    head = Checkpoint("flagfall/venue/open", size, root)
    assert read_checkpoint(head.text) == head
    assert read_checkpoint(f"{head.text}an extension\n") == head


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\n1\n",
        "a\n1\nAAAA\n",
        f"a\n01\n{base64.b64encode(bytes(32)).decode()}\n",
        f"a\n-1\n{base64.b64encode(bytes(32)).decode()}\n",
        f"a\n١\n{base64.b64encode(bytes(32)).decode()}\n",
        f"\n1\n{base64.b64encode(bytes(32)).decode()}\n",
        f"a\n1\n{base64.b64encode(bytes(32)).decode()}",
        f"a\n1\n{base64.b64encode(bytes(32)).decode()[:-2]}B=\n",
    ],
)
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="an origin, a size and a root"):
        read_checkpoint(text)
