"""The journal after a power cut: whatever was torn, what was durable is there and nothing else is."""

from __future__ import annotations

import errno
import json
import threading
from functools import partial
from pathlib import Path

import pytest
from helpers.waiting import PATIENCE_S
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.errors import Failed, Invalid
from flagfall.base.message import Message
from flagfall.link.messages import Receipt
from flagfall.othello.board import START, parse_transcript
from flagfall.othello.game import Header, Player, State
from flagfall.othello.gamefile import format_game, parse_game
from flagfall.othello.inputs import Input, Power, Press, Resign, Shown, Sign, Start
from flagfall.othello.referee import judge, new_game
from flagfall.othello.rulebook import rulebook
from flagfall.othello.side import Side
from table_app.game.table_game import UNCERTAIN_NS, GameSession
from table_app.record.journal import (
    JournalWriter,
    SyncedDisk,
    batch,
    input_line,
    of_disk,
    read,
    receipt_object,
)

S = 1_000_000_000
HEADER = Header(rulebook("woc-2019"), 30, black=Player("P01", "Ａ 蘭"), white=Player("P02"))


def short_game() -> list[Input]:
    """Return six moves on a board, then a resignation and the signatures."""
    inputs: list[Input] = [Start(0), Press(S, Side.WHITE)]
    position, at_ns, side = START, S, Side.BLACK
    for square in parse_transcript("f5d6c3d3c4f4"):
        at_ns += S
        position = position.played(side is Side.BLACK, square)
        inputs += [Shown(at_ns, position), Press(at_ns + 1, side)]
        side = side.other
    return [*inputs, Resign(at_ns + S, side), Sign(at_ns + S, Side.BLACK), Sign(at_ns + 2 * S, Side.WHITE)]


def played(inputs: list[Input]) -> GameSession:
    play = GameSession.new("1-1-a", "woc", HEADER)
    for input in inputs:
        play.judge(input)
    return play


def journal_bytes(inputs: list[Input], every: int = 2) -> tuple[bytes, list[tuple[int, int]]]:
    """Return a journal in batches of so many inputs, and after each batch its length and the inputs in it so far."""
    play = GameSession.new("1-1-a", "woc", HEADER)
    content = batch([play.header_line()], 0)
    ends = [(len(content), 0)]
    for number in range(0, len(inputs), every):
        part = inputs[number : number + every]
        content += batch([input_line(input, f"r{number}") for input in part], part[-1].at_ns)
        ends.append((len(content), number + len(part)))
    return content, ends


def test_cut_at_every_byte_what_was_synced_is_there_and_nothing_else() -> None:
    inputs = short_game()
    content, ends = journal_bytes(inputs)
    assert content
    for length in range(len(content) + 1):
        journal = read(content[:length])
        whole = [count for end, count in ends if end <= length]
        if not whole:
            assert journal is None
            continue
        assert journal is not None
        assert [entry.input for entry in journal.entries] == inputs[: whole[-1]]
        assert journal.good_bytes == max(end for end, _ in ends if end <= length)
        assert journal.last_ns == (inputs[whole[-1] - 1].at_ns if whole[-1] else 0)


@given(st.data())
def test_a_torn_last_batch_is_cut_off_whatever_its_bytes_became(data: st.DataObject) -> None:
    inputs = short_game()
    content, ends = journal_bytes(inputs)
    whole, count = ends[-2]
    torn = data.draw(st.binary(max_size=len(content) - whole + 200))
    journal = read(content[:whole] + torn)
    assert journal is not None
    assert [entry.input for entry in journal.entries] == inputs[:count]
    assert journal.good_bytes == whole


def test_a_hole_in_the_last_batch_is_torn_too() -> None:
    content, ends = journal_bytes(short_game())
    start, count = ends[-2]
    hole = bytearray(content)
    hole[start + 3 : start + 20] = bytes(17)
    journal = read(bytes(hole))
    assert journal is not None and len(journal.entries) == count


@pytest.mark.parametrize("batch_number", range(1, 5))
def test_damage_before_a_whole_batch_loses_what_follows_and_no_more(batch_number: int) -> None:
    inputs = short_game()
    content, ends = journal_bytes(inputs)
    good, count = ends[batch_number]
    bad = bytearray(content)
    bad[good + 5] ^= 0x40
    journal = read(bytes(bad))
    assert journal is not None and journal.damage is not None
    assert [entry.input for entry in journal.entries] == inputs[:count]
    assert journal.good_bytes == good
    assert journal.damage.why.startswith("line ") and "damaged" in journal.damage.why
    assert journal.damage.lost_ns == inputs[-1].at_ns - journal.last_ns
    shown = [input.position for input in inputs if isinstance(input, Shown)]
    assert journal.damage.shown == shown[-1]


def test_damage_in_the_header_is_one_clear_error() -> None:
    content, _ = journal_bytes(short_game())
    with pytest.raises(Failed, match="line 1: damaged"):
        read(content.replace(b"flagfall-game", b"flagfell-game", 1))


@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_else(content: bytes) -> None:
    try:
        read(content)
    except (Invalid, Failed) as error:
        assert "\n" not in str(error)


def test_receipts_and_ruling_ids_come_back() -> None:
    content, _ = journal_bytes(short_game())
    receipt = Receipt(id="1-1-a.1", accepted=True, head="ab" * 32)
    journal = read(content + batch([receipt_object(receipt)], 20 * S))
    assert journal is not None
    assert journal.receipts == (receipt,)
    assert journal.game_id == "1-1-a" and journal.tournament == "woc" and journal.header == HEADER
    assert journal.entries[0].ruling_id == "r0"


def test_restored_it_is_the_game_that_was_played() -> None:
    inputs = short_game()
    content, _ = journal_bytes(inputs)
    journal = read(content)
    assert journal is not None
    play, before = GameSession.restored(journal), played(inputs)
    assert play.game == before.game
    assert play.revision == before.revision == 2
    assert play.outcome == before.outcome


def test_the_export_is_a_game_file_that_gives_the_same_outcome() -> None:
    play = played(short_game())
    assert play.outcome is not None
    header, inputs = parse_game(format_game(play.outcome.game.header, play.outcome.inputs))
    assert header == HEADER
    game = new_game(header)
    for input in inputs:
        game = judge(game, input)
    assert game == play.game and game.state is State.SIGNED


def test_after_a_power_cut_the_game_stands_still_at_the_last_durable_instant() -> None:
    play = played(short_game()[:6])
    (power,) = play.power_back(5 * S)
    assert isinstance(power, Power) and power.uncertain_ns == UNCERTAIN_NS
    play.judge(power)
    assert play.game.state is State.STOPPED and play.uncertain_ns == UNCERTAIN_NS
    assert play.game.clock.charged_ns.black + play.game.clock.charged_ns.white == 4 * S


class CutDisk(SyncedDisk):
    """A disk whose power is cut at one write: nothing after the last sync need be there, all before it is."""

    def __init__(self, cut_at: int) -> None:
        self.files: dict[Path, bytes] = {}
        self.cut_at = cut_at
        self.writes = 0
        self.torn: tuple[Path, int, bytes] | None = None
        self.passed = threading.Semaphore(0)

    def write(self, path: Path, offset: int, content: bytes) -> None:
        self.writes += 1
        if self.writes == self.cut_at:
            self.torn = (path, offset, content)
            self.passed.release()
            raise OSError(5, "power cut")
        if self.torn is not None:
            raise OSError(5, "no power")
        self.files[path] = self.files.get(path, b"")[:offset] + content

    def replace(self, path: Path, content: bytes) -> None:
        self.write(path, 0, content)

    def rebuilt(self, kept: int) -> bytes:
        """Return the journal with so many bytes of the write in which the power was cut."""
        if self.torn is None:
            return b"".join(self.files.values())
        path, offset, content = self.torn
        return self.files.get(path, b"")[:offset] + content[:kept]


def test_power_cut_at_every_write_boundary_loses_nothing_that_was_acted_upon() -> None:
    inputs = short_game()
    play = GameSession.new("1-1-a", "woc", HEADER)
    path = Path("j")
    assert inputs
    for cut_at in range(1, len(inputs) + 3):
        disk = CutDisk(cut_at)
        recorder = JournalWriter(disk, lambda why: None)
        durable: list[Input] = []
        recorder.start()
        recorder.begin(path, play.header_line(), 0)
        for input in inputs:
            recorder.append(path, [input_line(input)], input.at_ns)
            recorder.after_durable(partial(durable.append, input))
            recorder.after_durable(disk.passed.release)
            # One batch an input: the disk lets go at each write, and for good when its power is cut.
            disk.passed.acquire(timeout=PATIENCE_S)
            if disk.torn:
                break
        recorder.close()
        torn_bytes = len(disk.torn[2]) if disk.torn else 0
        for kept in {0, 1, torn_bytes // 2, max(0, torn_bytes - 1), torn_bytes}:
            journal = read(disk.rebuilt(kept))
            inputs_found = [entry.input for entry in journal.entries] if journal else []
            assert inputs_found == inputs[: len(inputs_found)]
            assert len(inputs_found) >= len(durable)


def test_a_disk_that_fails_is_told_and_nothing_is_called_back_until_it_works(tmp_path: Path) -> None:
    class FullDisk(SyncedDisk):
        full = True

        def write(self, path: Path, offset: int, content: bytes) -> None:
            if self.full:
                raise OSError(28, "No space left on device")
            super().write(path, offset, content)

    disk = FullDisk()
    troubles: list[Message | None] = []
    failed, works, done = threading.Event(), threading.Event(), threading.Event()

    def trouble(why: Message | None) -> None:
        troubles.append(why)
        (failed if why else works).set()

    recorder = JournalWriter(disk, trouble)
    recorder.start()
    path = tmp_path / "j.jsonl"
    recorder.begin(path, {"type": "game"}, 0)
    recorder.append(path, [{"a": 1}], 5)
    recorder.after_durable(done.set)
    assert failed.wait(PATIENCE_S)
    assert not done.is_set() and list(map(str, troubles)) == [
        "The disk is full: j.jsonl. Until there is room the game is kept in memory alone"
    ]
    disk.full = False
    assert done.wait(PATIENCE_S) and works.wait(PATIENCE_S)
    recorder.close()
    assert [json.loads(line).get("a") for line in path.read_text("utf-8").splitlines()][1:2] == [1]


@pytest.mark.parametrize(
    ("code", "key"), [(errno.ENOSPC, "disk_full"), (errno.EROFS, "disk_read_only"), (errno.EIO, "disk_fails")]
)
def test_why_a_disk_fails_has_its_own_name(code: int, key: str) -> None:
    trouble = of_disk("j.jsonl", OSError(code, "so"))
    assert trouble.key == key and "j.jsonl" in str(trouble)


def test_what_a_failed_write_left_behind_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "j"
    disk = SyncedDisk()
    disk.write(path, 0, b"whole\n")
    with path.open("ab") as file:
        file.write(b"torn by a full disk")
    disk.write(path, 6, b"next\n")
    assert path.read_bytes() == b"whole\nnext\n"
    disk.replace(path, b"all new")
    assert path.read_bytes() == b"all new"
