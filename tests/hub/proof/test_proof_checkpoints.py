"""The signed head of an event's record: at its address, from the command, in a backup; and that it only grows."""

from __future__ import annotations

import base64
import json
import stat
import tarfile
from pathlib import Path

from helpers.hub_commands import flagfall_hub
from helpers.hub_files import tournament_file
from helpers.hub_served import Served

from flagfall.ledger.merkle import is_consistent
from flagfall.link.signed_note import Checkpoint, open_note, read_checkpoint, read_key
from hub.proof.hub_key import hub_key
from hub.record.events import JudgesSet


async def with_entries(served: Served, entries: int) -> None:
    await served.create("open", tournament_file(4))
    while served.store.entries_of("open") < entries:
        await served.record(JudgesSet(judges={1: f"J{served.store.entries_of('open')}"}))


def key_of(folder: Path) -> str:
    return flagfall_hub("key", "--state-dir", folder).stdout.strip()


def head_in(note: str, key: str) -> Checkpoint:
    return read_checkpoint(open_note(note, read_key(key)))


async def test_the_head_at_the_address_is_that_of_the_command_and_later_heads_grow_from_it(
    tmp_path: Path,
) -> None:
    served = Served(tmp_path)
    async with served as client:
        await with_entries(served, 13)
        key = key_of(tmp_path)
        answer = await client.get("/t/open/checkpoint")
        note = answer.text
        assert answer.headers["content-type"].startswith("text/plain")
        assert flagfall_hub("checkpoint", "open", "--state-dir", tmp_path).stdout == note
        before = head_in(note, key)
        assert before.origin == f"flagfall/{hub_key(tmp_path).name}/open"
        assert before.size == served.store.entries_of("open") == 13
        await with_entries(served, 14)
        for size in (1, before.size // 2, before.size, before.size + 1):
            grown = (await client.get("/t/open/consistency", params={"from": size})).json()
            after = head_in(grown["checkpoint"], key)
            path = [base64.b64decode(node) for node in grown["path"]]
            assert (grown["from"], grown["to"], after.size) == (size, before.size + 1, before.size + 1)
            if size == before.size:
                assert is_consistent(size, before.root, after.size, after.root, path)
                assert not is_consistent(size, after.root, after.size, after.root, path)


async def test_a_size_that_the_record_never_had_is_refused_by_a_line(tmp_path: Path) -> None:
    served = Served(tmp_path)
    async with served as client:
        await with_entries(served, 3)
        for size in ("", "0", "-1", "x", "1000000", "9" * 40):
            answer = await client.get("/t/open/consistency", params={"from": size})
            assert answer.status_code == 400 and "expected the size of an earlier checkpoint" in answer.text
        assert (await client.get("/t/nothing/checkpoint")).status_code == 404


def test_the_key_stays_is_the_owners_alone_and_comes_back_with_a_backup(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    key = key_of(old)
    assert key == key_of(old) and str(read_key(key)) == key
    assert stat.S_IMODE((old / "hub-key").stat().st_mode) == 0o600
    assert "flagfall/" in key and (old / "hub-key").read_bytes().find(key.rpartition("+")[2].encode()) < 0
    exposed = old / "hub-key"
    exposed.chmod(0o644)
    assert "others can read this key" in flagfall_hub("key", "--state-dir", old).stderr
    exposed.chmod(0o600)
    exposed.write_bytes(b"{}")
    assert flagfall_hub("key", "--state-dir", old).returncode == 2
    assert key_of(new) != key


async def test_each_backup_names_the_signed_heads(tmp_path: Path) -> None:
    state, backup = tmp_path / "hub", tmp_path / "backup.tar"
    state.mkdir()
    served = Served(state)
    async with served:
        await with_entries(served, 5)
        key = key_of(state)
    assert flagfall_hub("backup", backup, "--state-dir", state).returncode == 0
    with tarfile.open(backup) as archive:
        manifest = json.loads(archive.extractfile("manifest.json").read())  # type: ignore[union-attr]
    note = manifest["checkpoints"]["open"]
    assert head_in(note, key).size == manifest["heads"]["open"]["entries"]
    restored = tmp_path / "restored"
    assert flagfall_hub("restore", backup, "--state-dir", restored).returncode == 0
    assert key_of(restored) == key
    assert flagfall_hub("checkpoint", "open", "--state-dir", restored).stdout == note


def test_an_unknown_event_has_no_head(tmp_path: Path) -> None:
    assert "expected a ledger" in flagfall_hub("checkpoint", "open", "--state-dir", tmp_path).stderr
