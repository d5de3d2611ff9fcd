"""The outbox: nothing is forgotten before its receipt, and nothing is sent in a storm."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flagfall.base.errors import Failed
from flagfall.link.client.backoff import LONGEST_S, LONGEST_TO_BROKER_S, delay_s
from table_app.hub_link.outbox import Letter, Outbox

S = 1_000_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "outbox.sqlite"


def letter(number: int) -> Letter:
    return Letter(f"g1.{number}", "topic", b"%d" % number)


def put(outbox: Outbox, mail: Letter) -> bool:
    return outbox.put(mail.id, mail.topic, mail.payload)


def test_a_letter_is_due_until_its_receipt(path: Path) -> None:
    outbox = Outbox(path, Random(1))
    assert outbox.next_due_ns() is None
    assert put(outbox, letter(1))
    assert outbox.due(0) == (letter(1),)
    assert outbox.next_due_ns() == 0
    outbox.sent("g1.1", 10 * S)
    assert outbox.due(10 * S) == ()
    due_ns = outbox.next_due_ns()
    assert due_ns is not None
    assert 11 * S <= due_ns <= 12 * S
    assert outbox.due(due_ns) == (letter(1),)
    assert outbox.receipt("g1.1")
    assert not outbox.receipt("g1.1")
    assert outbox.due(due_ns) == outbox.pending() == ()
    outbox.close()


def test_a_higher_revision_leaves_the_lower_one_in_its_place(path: Path) -> None:
    outbox = Outbox(path, Random(1))
    for number in (1, 2, 3):
        put(outbox, letter(number))
    assert outbox.due(0) == outbox.pending() == (letter(1), letter(2), letter(3))
    outbox.receipt("g1.2")
    assert outbox.pending() == (letter(1), letter(3))
    outbox.close()


def test_the_same_id_is_kept_once(path: Path) -> None:
    outbox = Outbox(path, Random(1))
    assert put(outbox, letter(1))
    assert not outbox.put("g1.1", "other", b"other")
    assert outbox.pending() == (letter(1),)
    outbox.close()


def test_after_a_restart_everything_is_due_in_its_order(path: Path) -> None:
    outbox = Outbox(path, Random(1))
    for number in (3, 1, 2):
        put(outbox, letter(number))
        outbox.sent(letter(number).id, 0)
    assert outbox.due(0) == ()
    outbox.close()
    again = Outbox(path, Random(2))
    assert again.due(0) == (letter(3), letter(1), letter(2))
    again.close()


def test_a_new_connection_makes_everything_due(path: Path) -> None:
    outbox = Outbox(path, Random(1))
    put(outbox, letter(1))
    outbox.sent("g1.1", 0)
    outbox.reconnected()
    assert outbox.due(0) == (letter(1),)
    outbox.close()


def test_waiting_doubles_from_a_second_to_a_minute_and_is_spread() -> None:
    random = Random(3)
    for attempt in range(1, 40):
        whole_s = min(60, 2**attempt)
        assert whole_s / 2 <= delay_s(attempt, random) <= whole_s <= LONGEST_S
        assert delay_s(attempt, random, LONGEST_TO_BROKER_S) <= 8
    assert len({delay_s(3, random) for _ in range(20)}) > 10
    assert [delay_s(n, Random(4)) for n in range(9)] == [delay_s(n, Random(4)) for n in range(9)]


actions = st.tuples(st.sampled_from(["put", "receipt", "sent", "restart"]), st.integers(1, 4))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(actions, min_size=1, max_size=20))
def test_what_was_put_is_pending_until_its_receipt(path: Path, steps: list[tuple[str, int]]) -> None:
    path.unlink(missing_ok=True)
    outbox = Outbox(path, Random(1))
    expected: dict[str, Letter] = {}
    for action, number in steps:
        mail = letter(number)
        if action == "put":
            assert put(outbox, mail) == (mail.id not in expected)
            expected.setdefault(mail.id, mail)
        elif action == "receipt":
            assert outbox.receipt(mail.id) == (expected.pop(mail.id, None) is not None)
        elif action == "sent":
            outbox.sent(mail.id, 0)
        else:
            outbox.close()
            outbox = Outbox(path, Random(1))
        assert outbox.pending() == tuple(expected.values())
        assert outbox.due(61 * S) == tuple(expected.values())
    outbox.close()


KILLED = """
import sys
from pathlib import Path
from random import Random
from table_app.hub_link.outbox import Outbox
outbox = Outbox(Path(sys.argv[1]), Random(1))
number = 0
while True:
    number += 1
    outbox.put(f"g{number}.1", "topic", b"x" * 3000)
    print(number, flush=True)
"""


def test_what_was_put_survives_a_kill(path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 20:
            break
    os.kill(process.pid, signal.SIGKILL)
    put_before = max([20, *(int(line) for line in process.stdout.read().split("\n") if line)])
    process.wait()
    process.stdout.close()
    outbox = Outbox(path, Random(1))
    assert len(outbox.pending()) >= put_before
    outbox.close()


def test_a_strange_file_is_one_line(path: Path, tmp_path: Path) -> None:
    path.write_bytes(b"something else entirely" * 50)
    for bad in (path, tmp_path / "none" / "outbox.sqlite"):
        with pytest.raises(Failed) as refused:
            Outbox(bad, Random(1))
        assert str(bad) in str(refused.value)
        assert "\n" not in str(refused.value)


def test_what_the_hub_has_is_kept_and_sent_again_when_it_asks(path: Path) -> None:
    outbox = Outbox(path, Random(1))
    for number in (1, 2, 3):
        put(outbox, letter(number))
    outbox.put("elsewhere.1", "another topic", b"")
    assert outbox.receipt("g1.1", "aa") and outbox.receipt("g1.2", "bb") and outbox.receipt("g1.3")
    outbox.receipt("elsewhere.1", "cc")
    outbox.close()
    outbox = Outbox(path, Random(1))
    assert outbox.pending() == ()
    assert outbox.kept("topic") == {"g1.2": "bb", "g1.1": "aa"}, "a refused one is not kept"
    assert list(outbox.kept("topic", most=1)) == ["g1.2"]
    assert outbox.again("g1.1") and outbox.again("g1.1")
    assert not outbox.again("g1.3")
    assert outbox.due(0) == (letter(1),)
    outbox.sent("g1.1", 0)
    assert outbox.due(0) == ()
    assert outbox.again("g1.1") and outbox.due(0) == (letter(1),), "a hub that asks does not wait"
    assert outbox.receipt("g1.1")  # a hub that does not know the game yet refuses it
    assert outbox.kept("topic")["g1.1"] == "aa"
    assert outbox.again("g1.1")
    assert outbox.receipt("g1.1", "dd")
    assert outbox.kept("topic") == {"g1.1": "dd", "g1.2": "bb"}
    outbox.close()


def test_no_more_is_kept_than_anybody_can_want(path: Path) -> None:
    outbox = Outbox(path, Random(1))
    for number in range(510):
        put(outbox, letter(number))
        outbox.receipt(letter(number).id, "aa")
    kept = outbox.kept("topic", most=1000)
    assert len(kept) == 500
    assert "g1.509" in kept and "g1.9" not in kept
    outbox.close()
