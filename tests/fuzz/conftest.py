"""Hostile input made by changing valid input, and the check of a command's answer to it."""

from __future__ import annotations

import contextlib
import copy
import io
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import strategies as st

NASTY_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**9,
    10**40,
    -(10**40),
    1.5,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x" * 5000,
    "\ud800",
    "\0",
    "\u202e\x1b[2J\n",
    "é",
    [],
    {},
    [[]],
    [None],
    {"": {}},
    [10**9, -1],
)
NASTY_BYTES = (
    b"",
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\n",
    b"\r",
    b"[" * 3000,
    b'{"a":' * 3000,
    b"9" * 5000,
    b"-1",
    b"1e999",
    b"NaN",
    b'"',
    b"%",
    b";",
    b"(64)>(00)",
    b"\xef\xbb\xbf",
    b"=" * 3000,
)


@st.composite
def bent_bytes(draw: st.DrawFn, seeds: Sequence[bytes]) -> bytes:
    """Draw a seed with some stretches cut out, doubled, or written over."""
    data = draw(st.sampled_from(list(seeds)) | st.binary(max_size=300))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 80)))
        instead = draw(st.sampled_from(NASTY_BYTES) | st.binary(max_size=12) | st.just(data[start:end] * 2))
        data = data[:start] + instead + data[end:]
    return data


@st.composite
def bent_value(draw: st.DrawFn, seed: Any) -> Any:
    """Draw a JSON value with some of its parts replaced, taken out, or doubled."""
    value = json.loads(json.dumps(seed))
    for _ in range(draw(st.integers(1, 3))):
        value = _bent(draw, value)
    return value


def _bent(draw: st.DrawFn, value: Any) -> Any:
    places: list[Any] = list(value) if isinstance(value, dict) else []
    if isinstance(value, list):
        places = list(range(min(len(value), 200)))
    if not places or draw(st.integers(0, 5)) == 0:
        # A copy: what is put in may be bent in its turn.
        return copy.deepcopy(draw(st.sampled_from(NASTY_VALUES) | st.integers() | st.text(max_size=8)))
    place = draw(st.sampled_from(places))
    change = draw(st.integers(0, 9))
    if change == 0:
        del value[place]
    elif change == 1 and isinstance(value, list):
        value.append(copy.deepcopy(value[place]))
    else:
        value[place] = _bent(draw, value[place])
    return value


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.fixture
def takes_it_well() -> Callable[[Callable[[list[str]], int], list[str]], int]:
    """Return a function that runs a command and checks its answer.

    It allows no traceback, only the exit statuses of the contract, and one line where the input was bad.
    """

    def run(main: Callable[[list[str]], int], arguments: list[str]) -> int:
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = main(arguments)
            except SystemExit as ended:
                status = ended.code if isinstance(ended.code, int) else 2
        errors = err.getvalue()
        assert "Traceback" not in errors
        assert status in (0, 1, 2), errors
        if status == 2:
            assert errors.strip() and errors.count("\n") == 1, errors
            out.flush()
            assert out.buffer.tell() == 0, "nothing on standard output"
        return status

    return run


@pytest.fixture(scope="session")
def bent() -> Any:
    """Return the strategies `bent.bytes(seeds)` and `bent.json(seed)`."""

    class Bent:
        bytes = staticmethod(bent_bytes)
        value = staticmethod(bent_value)

        @staticmethod
        def json(seed: Any) -> st.SearchStrategy[bytes]:
            return bent_value(seed).map(as_json)

    return Bent
