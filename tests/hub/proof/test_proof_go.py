"""Go's own `note` and `tlog` (golang.org/x/mod/sumdb) accept our checkpoints and proofs, and refuse changed ones."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.hub_files import result_of, tournament_file
from helpers.hub_in_one import taken
from helpers.hub_served import Served

from flagfall.ledger.entry import canonical
from flagfall.link.messages import encode
from flagfall.link.topics import Arrival
from flagfall.othello.gamefile import header_object
from hub.record.acts.event import JudgesSet
from hub.record.header import header_of

pytestmark = pytest.mark.needs("go")
SOURCE = Path(__file__).parents[2] / "data" / "check_proof.go"
# Where Debian's packages of Go libraries have their sources.
LIBRARIES = "/usr/share/gocode"
Checked = Callable[..., subprocess.CompletedProcess[str]]


def canonical_text(fields: object) -> str:
    return canonical(fields).decode() + "\n"


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    """Return the Go program, called with its arguments."""
    folder = tmp_path_factory.mktemp("go")
    environment = os.environ | {
        "GO111MODULE": "off",
        "GOPATH": LIBRARIES,
        "GOCACHE": str(folder / "cache"),
        "GOFLAGS": "",
    }
    program = folder / "check_proof"
    subprocess.run(["go", "build", "-o", program, SOURCE], check=True, env=environment)

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)

    return run


async def test_go_accepts_a_proof_and_a_later_head_and_refuses_changed_ones(
    tmp_path: Path, checked: Checked
) -> None:
    served = Served(tmp_path / "hub")
    served.folder.mkdir()
    proof, later = tmp_path / "proof.json", tmp_path / "later.json"
    async with served as client:
        identity = await served.enroll("t1", 1)
        await served.create("open", tournament_file(2))
        await served.run("publish-round", broadcast=True)
        await served.run("start-round")
        (game,) = served.store.states["open"].games.values()
        header = header_object(header_of(served.store.states["open"], game))
        result = result_of(header, game.id, identity, (40, 24), signed=True)
        await taken(served.hub.inbound, [Arrival("flagfall/1/open/table/t1/result", encode(result))])
        proof.write_bytes((await client.get(f"/t/open/games/{game.id}/proof")).content)
        size = served.store.entries_of("open")
        for number in range(5):
            await served.record(JudgesSet(judges={1: f"J{number}"}))
        later.write_bytes((await client.get(f"/t/open/consistency?from={size}")).content)
        key = str(served.hub.key.verifier)
    done = checked(key, proof, later)
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["score"] == {"black": 40, "white": 24}
    text = proof.read_text("utf-8")
    fields = json.loads(text)
    changed = tmp_path / "changed.json"
    for at in range(0, len(text), max(1, len(text) // 80)):
        changed.write_bytes(text.encode()[:at] + bytes([text.encode()[at] ^ 1]) + text.encode()[at + 1 :])
        assert checked(key, changed).returncode == 1, at
    for part in ("result", "enrolment"):
        for name in ("entry", "path"):
            value = fields[part][name]
            first = value if isinstance(value, str) else value[0]
            other = first[:40] + ("A" if first[40] != "A" else "B") + first[41:]
            changed.write_text(text.replace(first, other))
            assert checked(key, changed).returncode == 1, (part, name)
        changed.write_text(
            canonical_text(fields | {part: fields[part] | {"index": fields[part]["index"] + 1}})
        )
        assert checked(key, changed).returncode == 1
    note = fields["checkpoint"]
    for at in range(0, len(note), 7):
        other = note[:at] + ("x" if note[at] != "x" else "y") + note[at + 1 :]
        changed.write_text(canonical_text(fields | {"checkpoint": other}))
        assert checked(key, changed).returncode == 1, at
    grown = json.loads(later.read_text())
    for wrong in (grown["path"][1:], [*grown["path"], grown["path"][0]]):
        changed.write_text(json.dumps(grown | {"path": wrong}))
        assert checked(key, proof, changed).returncode == 1
