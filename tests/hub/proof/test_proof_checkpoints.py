"""The signed head of an event's record: at its address, from the command, in a backup; and that it only grows."""

from __future__ import annotations

import base64
import json
import stat
import tarfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from helpers.hub_commands import flagfall_hub
from helpers.hub_files import tournament_file
from helpers.hub_served import Served
from helpers.kept_cases import Record, short_link
from helpers.proof_cases import VKEY, proof

from flagfall.ledger.merkle import is_consistent
from flagfall.link.signed_note import Checkpoint, open_note, read_checkpoint, read_key
from hub.proof.hub_key import hub_key
from hub.proof.kept_head import read_path
from hub.record.acts.event import JudgesSet


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


async def test_the_path_between_two_heads_is_text_with_a_hash_on_each_line(tmp_path: Path) -> None:
    served = Served(tmp_path)
    async with served as client:
        await with_entries(served, 13)
        tree = served.store.tree("open")
        entries = len(tree.hashes)
        for earlier, later in ((1, 1), (3, 5), (4, 8), (7, entries), (entries, entries)):
            answer = await client.get("/t/open/consistency.txt", params={"from": earlier, "to": later})
            assert answer.headers["content-type"].startswith("text/plain")
            nodes = read_path(answer.text)
            heads = (tree.root_of(0, earlier), tree.root_of(0, later))
            assert is_consistent(earlier, heads[0], later, heads[1], nodes), (earlier, later)
        whole = (await client.get("/t/open/consistency.txt?from=3")).text
        assert whole == (await client.get(f"/t/open/consistency.txt?from=3&to={entries}")).text
        wrong = (
            "",
            "from=0",
            "from=5&to=3",
            f"from=1&to={entries + 1}",
            "from=x",
            f"from={'9' * 40}",
            "from=1&to=",
        )
        for query in wrong:
            answer = await client.get(f"/t/open/consistency.txt?{query}")
            assert answer.status_code == 400 and "expected two sizes of this record" in answer.text
            assert answer.text.count("\n") == 1
        assert (await client.get("/t/nothing/consistency.txt?from=1")).status_code == 404


async def test_paths_of_a_record_of_more_than_a_thousand_entries_are_given(tmp_path: Path) -> None:
    served = Served(tmp_path)
    async with served as client:
        await with_entries(served, 6)
        tree = served.store.tree("open")
        for number in range(1_100):
            tree.add(number.to_bytes(32))
        for address in ("consistency.txt?from=1050&to=1100", "consistency?from=1050"):
            assert (await client.get(f"/t/open/{address}")).status_code == 200


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, dict[str, tuple[int, str]]]]:
    """Serve answers at an address. Yield it, and the answers by path; others are 404."""
    answers: dict[str, tuple[int, str]] = {}

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, text = answers.get(self.path, (404, "<p>no such page"))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", answers
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_command_fetches_the_path_from_the_hubs_address(tmp_path: Path, elsewhere: Any) -> None:
    hub, answers = elsewhere
    (tmp_path / "proof.json").write_bytes(proof())
    record = Record(proof(), more=4)

    def answer(kept: int, address: str = hub) -> tuple[int, str]:
        given = ("--checkpoint", short_link("http://h", record.head(kept)), "--path", address)
        done = flagfall_hub("verify", "--proof", tmp_path / "proof.json", "--key", VKEY, *given)
        assert done.stdout.startswith("NOT") == (done.returncode == 1)
        return done.returncode, done.stdout + done.stderr

    for sizes in ((4, 5), (5, 8)):
        answers["/t/open/consistency.txt?from={}&to={}".format(*sizes)] = 200, record.path(*sizes)
    for kept, address in ((4, hub), (5, hub), (8, f"{hub}/")):
        status, text = answer(kept, address)
        assert status == 0 and "the result was already in it" in text, text
    # A hub that was restored has fewer entries than were kept.
    answers["/t/open/consistency.txt?from=5&to=9"] = 400, "from, to: this record has 1 to 7\n"
    status, text = answer(9)
    assert status == 1 and "this record has 1 to 7" in text and text.count("\n") == 1
    status, text = answer(3)
    assert status == 2 and "got the answer 404" in text
    answers["/t/open/consistency.txt?from=3&to=5"] = 200, "x" * 200_000
    assert answer(3)[0] == 2
    answers["/t/open/consistency.txt?from=3&to=5"] = 200, record.path(4, 5)
    assert answer(3)[0] == 1


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
    assert "flagfall/" in key and (old / "hub-key").read_bytes().find(key.split("+", 2)[2].encode()) < 0
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
