"""Results that anybody can check, and what an attacker with all files of a hub can still do: be seen."""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from helpers.hub_commands import flagfall_hub
from helpers.hub_files import result_of, tournament_file
from helpers.hub_in_one import Room, first_round, play, taken
from helpers.night import by_night

from flagfall.base.errors import Invalid
from flagfall.ledger.entry import Entry, EntryDraft, canonical, chain, leaf, place
from flagfall.ledger.merkle import Tree, consistency_path, leaf_hash
from flagfall.ledger.sqlite import SqliteLedger
from flagfall.link.identity import Identity, create
from flagfall.link.keys import fingerprint, signature_of
from flagfall.link.messages import Result, encode
from flagfall.link.packed_file import pack
from flagfall.link.signature import sign
from flagfall.link.topics import Arrival, Kind
from flagfall.othello.gamefile import header_object
from hub.proof.cosigned import CosignedHeads
from hub.proof.hub_key import HubKey, hub_key
from hub.proof.result_proof import check_proof, make_proof
from hub.record.acts.devices import DeviceRevoked
from hub.record.acts.event import JudgesSet
from hub.record.codec import draft
from hub.record.fold import fold
from hub.record.header import header_of
from hub.tables.inbound import received_result
from hub.text import Refused


def proof_of(entries: list[Entry], game: str, key: HubKey) -> bytes:
    tree = Tree()
    for entry in entries:
        tree.add(leaf_hash(leaf(entry)))
    placed = {entry.id: (position, entry) for position, entry in enumerate(entries, 1)}
    return make_proof(fold(entries), game, placed, tree, key=key, cosigned=CosignedHeads(Path("none")))


@dataclasses.dataclass
class Played:
    """A hub's folder after a game at one table, closed; with the device's identity, which the hub never had."""

    folder: Path
    entries: list[Entry]
    device: Identity
    game: str

    @property
    def key(self) -> HubKey:
        return hub_key(self.folder)

    def proof(self) -> bytes:
        return proof_of(self.entries, self.game, self.key)


def played_in(
    folder: Path, then: Callable[[Room, Identity, Any], Any] | None = None, **conditions: Any
) -> Played:
    """Play a game at a hub in `folder`, and let `then` go on with (room, identity, assignment)."""
    made: list[Played] = []

    async def story(room: Room) -> None:
        identity = await room.enroll("t1", 1)
        await room.create("open", tournament_file(2))
        await room.run("publish-round", **conditions)
        assigned = room.of(Kind.ASSIGNMENT)[-1]
        await room.arrives(result_of(assigned.header, assigned.game, identity, (40, 24), signed=True))
        if then is not None:
            await then(room, identity, assigned)
        made.append(Played(folder, await room.store.entries("open"), identity, assigned.game))

    folder.mkdir(exist_ok=True)
    play(folder, story)
    return made[0]


def test_a_result_is_proved_by_the_command_in_a_folder_without_a_hub(tmp_path: Path) -> None:
    played = played_in(tmp_path / "hub")
    key = flagfall_hub("key", "--state-dir", played.folder).stdout.strip()
    file = tmp_path / "empty" / "game.json"
    file.parent.mkdir()
    made = flagfall_hub("proof", "open", played.game, "-o", file, "--state-dir", played.folder)
    assert made.returncode == 0, made.stderr
    done = flagfall_hub("verify", "--proof", file, "--key", key)
    assert done.returncode == 0, done.stdout
    result, signed, record, ground = done.stdout.splitlines()
    assert result == f"open, game {played.game}: p1 40-24 p2 (board), confirmed by both players"
    seen_at_table = fingerprint(played.device.public)
    assert signed.startswith(f"signed by table t1, whose key {seen_at_table} is entry 2")
    assert f"in the record flagfall/{played.key.name}/open" in record
    assert ground.startswith("the hub says so")
    facts = json.loads(flagfall_hub("verify", "--proof", file, "--key", key, "--json").stdout)
    assert facts["holds"] and facts["score"] == [40, 24] and facts["device_key"] == played.device.public.hex()
    assert (facts["table_key"], facts["kept_size"], facts["in_kept"]) == (seen_at_table, None, None)
    assert facts["enrolled_by"] == "api" and "the hub says that it was entered by the API" in signed
    other = flagfall_hub("key", "--state-dir", tmp_path / "other").stdout.strip()
    refused = flagfall_hub("verify", "--proof", file, "--key", other)
    assert refused.returncode == 1 and refused.stdout.startswith("NOT ") and refused.stdout.count("\n") == 1
    assert (
        json.loads(flagfall_hub("verify", "--proof", file, "--key", other, "--json").stdout)["holds"] is False
    )
    for wrong in (("--key", "x"), ()):
        assert flagfall_hub("verify", "--proof", file, *wrong).returncode == 2
    assert flagfall_hub("verify", "--proof", tmp_path / "none", "--key", key).returncode == 2


@pytest.mark.parametrize("broadcast", [True, *by_night(False)])
def test_no_byte_of_a_proof_can_be_changed(tmp_path: Path, broadcast: bool) -> None:
    played = played_in(tmp_path / "hub", broadcast=broadcast)
    proof, key = played.proof(), played.key.verifier
    proven = check_proof(proof, key)
    # The game file names the players, and stands in the proof only if the event publishes it.
    assert proven.names == (("Player 1", "Player 2") if broadcast else ("", ""))
    assert (b"Player 1" in proof) == broadcast
    for at in range(len(proof)):
        changed = proof[:at] + bytes([proof[at] ^ 1]) + proof[at + 1 :]
        with pytest.raises(Invalid) as refused:
            check_proof(changed, key)
        assert str(refused.value).isprintable()
    for changed in (proof[:-1], proof + b"\n", b"", b"{}", b"[" * 100_000, b"\xff", b" " * (9 << 20)):
        with pytest.raises(Invalid):
            check_proof(changed, key)


def test_a_game_with_a_random_opening_is_proved_with_the_moves_that_were_set_up(tmp_path: Path) -> None:
    played = played_in(tmp_path / "hub", opening="f5d6c4d3c2b3b4b5")
    proof = played.proof()
    check_proof(proof, played.key.verifier)
    entry = base64.b64decode(json.loads(proof)["result"]["entry"])
    assert b"f5d6c4d3c2b3b4b5" in entry


def test_a_game_without_a_tables_result_or_with_another_decision_has_no_proof(tmp_path: Path) -> None:
    async def decided(room: Room, identity: Identity, assigned: Any) -> None:
        await room.run("enter-result", game=assigned.game, score=(33, 31))
        await room.run("decide-result", game=assigned.game, score=(33, 31))

    played = played_in(tmp_path / "hub", decided)
    with pytest.raises(Refused, match="director has decided"):
        played.proof()
    with pytest.raises(Refused, match="expected a game of this event"):
        proof_of(played.entries, "nothing", played.key)
    done = flagfall_hub("proof", "open", played.game, "-o", tmp_path / "f", "--state-dir", played.folder)
    assert done.returncode == 2 and "director has decided" in done.stderr and done.stderr.count("\n") == 1


def test_a_result_of_the_version_before_is_read_and_not_proved(tmp_path: Path) -> None:
    played = played_in(tmp_path / "hub")
    old = []
    for entry in played.entries:
        if entry.type == "result_received":
            body = json.loads(entry.body)
            body["signature"] = "0" * 64
            entry = msgspec.structs.replace(entry, version=1, body=canonical(body))
        if entry.type not in ("device_enrolled", "game_file_received"):
            old.append(entry)
    with pytest.raises(Refused, match=r"version 0\.2\.0"):
        proof_of(rechained(old), played.game, played.key)


def rechained(entries: list[Entry]) -> list[Entry]:
    """Return the same contents as a chain of their own, as somebody with the files could make it."""
    fields = EntryDraft.__struct_fields__
    return list(
        chain([EntryDraft(**{name: getattr(entry, name) for name in fields}) for entry in entries], "")
    )


def write_ledger(folder: Path, entries: list[Entry]) -> None:
    """Put this record in place of the hub's own, whose remembered heads go too."""
    for file in [*folder.glob("ledger.sqlite*"), folder / "heads.json", folder / "record-key"]:
        file.unlink(missing_ok=True)
    ledger = SqliteLedger(folder / "ledger.sqlite")
    ledger.append(entries, "")
    ledger.close()


def forged_result(played: Played, key: bytes, score: tuple[int, int]) -> list[Entry]:
    """Return the record with another result in the place of the first, signed with `key`."""
    entries = []
    for entry in played.entries:
        if entry.type == "result_received":
            body = json.loads(entry.body)
            message = json.loads(body["message"]) | {"score": {"black": score[0], "white": score[1]}}
            signed = sign(msgspec.convert({**message, "file": "", "signature": ""}, type=Result), key)
            received, _ = received_result(signed, encode(signed))
            made = draft(received, entry.id, "open", "t1", entry.at)
            entry = msgspec.structs.replace(entry, body=made.body)
        entries.append(entry)
    return rechained(entries)


def test_with_all_files_of_a_hub_nobody_makes_a_result_of_a_table(tmp_path: Path) -> None:
    played = played_in(tmp_path / "hub")
    for file in played.folder.rglob("*"):
        if file.is_file():
            assert (
                played.device.key not in file.read_bytes()
                and played.device.key.hex() not in file.read_text("latin-1")
            )
    hubs = played.key
    entries = forged_result(played, hubs.key, (0, 64))
    with pytest.raises(Invalid, match="the signature of table t1"):
        check_proof(proof_of(entries, played.game, hubs), hubs.verifier)
    write_ledger(played.folder, entries)
    done = flagfall_hub("verify", "--state-dir", played.folder)
    assert done.returncode == 1 and "not signed by t1" in done.stdout


def test_a_record_made_anew_and_a_swapped_enrolment_fail_against_a_head_held_outside(tmp_path: Path) -> None:
    played = played_in(tmp_path / "hub")
    held = tmp_path / "held.txt"
    held.write_text(flagfall_hub("checkpoint", "open", "--state-dir", played.folder).stdout)
    assert flagfall_hub("verify", "--checkpoint", held, "--state-dir", played.folder).returncode == 0
    # Whoever has the hub's files enrols a key of their own under the table's name, and signs with it.
    other = create("t1", played.key.public)
    swapped = [
        msgspec.structs.replace(entry, body=canonical({"device": "t1", "public_key": other.public.hex()}))
        if entry.type == "device_enrolled"
        else entry
        for entry in played.entries
    ]
    entries = forged_result(dataclasses.replace(played, entries=swapped), other.key, (0, 64))
    assert check_proof(proof_of(entries, played.game, played.key), played.key.verifier).score == (0, 64)
    write_ledger(played.folder, entries)
    assert flagfall_hub("verify", "--state-dir", played.folder).returncode == 0, "in itself it is whole"
    done = flagfall_hub("verify", "--checkpoint", held, "--state-dir", played.folder)
    assert done.returncode == 1 and "it was rewritten" in done.stdout
    assert (
        flagfall_hub("verify", "--checkpoint", held.read_text(), "--state-dir", played.folder).returncode == 1
    )


def forged_64_0(played: Played) -> list[Entry]:
    """Return the record with a result of 64-0, signed with a key that somebody with the hub's files has invented."""
    other = create("t1", played.key.public)
    body = canonical({"device": "t1", "public_key": other.public.hex()})
    entries = [
        msgspec.structs.replace(entry, body=body) if entry.type == "device_enrolled" else entry
        for entry in played.entries
    ]
    return forged_result(dataclasses.replace(played, entries=entries), other.key, (64, 0))


def tree_over(entries: list[Entry]) -> Tree:
    tree = Tree()
    for entry in entries:
        tree.add(leaf_hash(leaf(entry)))
    return tree


def test_a_forged_64_0_does_not_hold_against_a_head_that_was_kept_whatever_path_is_shown(
    tmp_path: Path,
) -> None:
    played = played_in(tmp_path / "hub")
    honest, forged = played.entries, forged_64_0(played)
    key = str(played.key.verifier)
    proofs = {True: tmp_path / "honest.json", False: tmp_path / "forged.json"}
    for is_honest, entries in ((True, honest), (False, forged)):
        proofs[is_honest].write_bytes(proof_of(entries, played.game, played.key))
    path = tmp_path / "path.txt"
    result = next(at for at, entry in enumerate(honest) if entry.type == "result_received")
    assert 0 < result < len(honest)
    for size in range(1, len(honest) + 1):
        kept = tmp_path / f"kept-{size}.txt"
        kept.write_text(played.key.checkpoint("open", tree_over(honest[:size])))
        for is_honest, proof in proofs.items():
            for shown in (honest, forged):
                nodes = consistency_path(tree_over(shown), size)
                path.write_text("".join(f"{base64.b64encode(node).decode()}\n" for node in nodes))
                done = flagfall_hub(
                    "verify", "--proof", proof, "--key", key, "--checkpoint", kept, "--path", path, "--json"
                )
                answer = json.loads(done.stdout)
                own = honest if is_honest else forged
                # A head of entries before the first one that was changed is contained in the forged record too.
                contained = own[:size] == honest[:size] and nodes == consistency_path(tree_over(own), size)
                assert answer["holds"] == (done.returncode == 0) == contained, (size, is_honest)
                if contained:
                    assert answer["kept_size"] == size
                    assert answer["in_kept"] == (result < size)
                    assert is_honest or not answer["in_kept"], "a forged result is in no head that was kept"


def test_options_that_do_not_fit_together_are_refused_and_not_ignored(tmp_path: Path) -> None:
    played = played_in(tmp_path / "hub")
    key, state = str(played.key.verifier), played.folder
    proof, kept, path = (tmp_path / name for name in ("proof.json", "kept.txt", "path.txt"))
    proof.write_bytes(played.proof())
    kept.write_text(played.key.checkpoint("open", tree_over(played.entries[:-1])))
    path.write_text("")
    for options, words in (
        (("--proof", proof, "--key", key, "--path", path), "--checkpoint: expected the head that you kept"),
        (("--proof", proof, "--key", key, "--tables", state), "--tables: not for a check of a proof"),
        (("--proof", proof, "--key", key, "--head", "0" * 8), "--head: not for"),
        (("--proof", proof, "--key", key, "--state-dir", state), "--state-dir: not for"),
        (("--proof", proof, "--checkpoint", kept), "--key: expected the hub's key"),
        (("--key", key, "--state-dir", state), "--key: not for a check of a hub's own record"),
        (("--path", path, "--checkpoint", kept, "--state-dir", state), "--path: not for"),
        (
            ("--proof", proof, "--key", key, "--checkpoint", kept),
            "--path: expected the hashes between the heads",
        ),
        (("--proof", proof, "--key", key, "--checkpoint", tmp_path / "none"), "none: cannot be read"),
        (("--proof", proof, "--key", key, "--checkpoint", kept, "--path", tmp_path), "cannot be read"),
        (
            ("--proof", proof, "--key", key, "--checkpoint", kept, "--path", "http://127.0.0.1:1"),
            "cannot be fetched: Connection refused",
        ),
    ):
        done = flagfall_hub("verify", *options)
        assert (done.returncode, done.stdout) == (2, ""), options
        assert words in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_what_a_table_signs_after_its_revocation_is_refused_by_the_record_and_not_by_a_proof_alone(
    tmp_path: Path,
) -> None:
    async def revoked(room: Room, identity: Identity, assigned: Any) -> None:
        await room.run("revoke-device", device="t1")

    played = played_in(tmp_path / "hub", revoked)
    assert [entry.type for entry in played.entries][-1] == "device_revoked"
    assert flagfall_hub("verify", "--state-dir", played.folder).returncode == 0, "signed before"
    check_proof(played.proof(), played.key.verifier)
    # Whoever has the lost table and the hub's files puts a later result into the record.
    (result,) = (entry for entry in played.entries if entry.type == "result_received")
    body = json.loads(result.body)
    message = json.loads(body["message"]) | {"id": f"{played.game}.2", "revision": 2}
    signed = sign(msgspec.convert({**message, "file": "", "signature": ""}, type=Result), played.device.key)
    received, _ = received_result(signed, encode(signed))
    late = draft(received, f"result.{signed.id}", "open", "t1", "later")
    entries = [*played.entries, *chain([late], played.entries[-1].hash)]
    check_proof(proof_of(entries, played.game, played.key), played.key.verifier)
    write_ledger(played.folder, entries)
    done = flagfall_hub("verify", "--state-dir", played.folder)
    revocation = len(entries) - 1
    assert done.returncode == 1 and f"t1 was revoked in entry {revocation}" in done.stdout


def test_a_result_of_another_event_or_hub_does_not_pass_for_one_of_this(tmp_path: Path) -> None:
    played = played_in(tmp_path / "hub")
    for change in ({"tournament": "other"}, {"hub": "0" * 64}, {"game": "1-9-z"}, {"device": "t2"}):
        entries = []
        for entry in played.entries:
            if entry.type == "result_received":
                body = json.loads(entry.body)
                fields = json.loads(body["message"]) | change | {"file": "", "signature": ""}
                signed = sign(msgspec.convert(fields, type=Result), played.device.key)
                body |= {"signature": signed.signature}
                body["message"] = received_result(signed, encode(signed))[0].message
                entry = msgspec.structs.replace(entry, body=canonical(body))
            entries.append(entry)
        with pytest.raises(Invalid, match=next(iter(change))):
            check_proof(proof_of(rechained(entries), played.game, played.key), played.key.verifier)


def test_backdating_is_bounded_by_the_neighbours(tmp_path: Path) -> None:
    # An entry cannot be put before one that a checkpoint held outside contains.
    played = played_in(tmp_path / "hub")
    tree = Tree()
    for entry in played.entries:
        tree.add(leaf_hash(leaf(entry)))
    head = played.key.checkpoint("open", tree)
    inserted = draft(JudgesSet(judges={1: "J"}), "late", "open", "o", "2020-01-01T00:00:00Z")
    assert len(played.entries) > 1
    for at in range(1, len(played.entries)):
        entries = [*played.entries[:at], place(inserted, ""), *played.entries[at:]]
        write_ledger(played.folder, rechained(entries))
        held = tmp_path / "held"
        held.write_text(head)
        assert flagfall_hub("verify", "--checkpoint", held, "--state-dir", played.folder).returncode == 1


def test_each_key_is_on_record_before_the_first_assignment_and_its_end_too(tmp_path: Path) -> None:
    async def story(room: Room) -> None:
        first, assigned = await first_round(room)
        types = [(entry.type, entry.who) for entry in await room.store.entries("open")]
        assert types == [("tournament_created", "o"), ("device_enrolled", "hub"), ("pairing_published", "o")]
        assert room.store.states["open"].enrolled == {"t1": first.public.hex()}
        second = await room.enroll("t1", 1, again=True)
        assert room.store.states["open"].enrolled == {"t1": second.public.hex()}
        await room.arrives(result_of(assigned.header, assigned.game, first, (40, 24)))
        assert room.store.states["open"].games[assigned.game].score is None, "the old key counts no more"
        await room.arrives(result_of(assigned.header, assigned.game, second, (40, 24)))
        assert room.store.states["open"].games[assigned.game].score == (40, 24)
        await room.run("revoke-device", device="t1")
        (*_, last) = await room.store.entries("open")
        assert last.type == DeviceRevoked.TYPE and room.store.states["open"].enrolled == {}

    play(tmp_path, story)


def test_nothing_is_assigned_to_a_device_whose_key_is_not_on_record(tmp_path: Path) -> None:
    async def story(room: Room) -> None:
        room.store.companions = lambda state: ()
        await room.enroll("t1", 1)
        await room.create("open", tournament_file(2))
        await room.run("publish-round")
        assert room.sent == []

    play(tmp_path, story)


async def test_a_public_page_offers_the_proof_of_its_game(served: Any) -> None:
    async with served as client:
        identity = await served.enroll("t1", 1)
        await served.create("open", tournament_file(2))
        await served.run("publish-round")
        await served.run("start-round")
        (game,) = served.store.states["open"].games.values()
        address = f"/t/open/games/{game.id}"
        assert (await client.get(f"{address}/proof")).status_code == 404
        header = header_object(header_of(served.store.states["open"], game))
        result = result_of(header, game.id, identity, (40, 24), signed=True)
        topic = "flagfall/1/open/table/t1/result"
        await taken(served.hub.inbound, [Arrival(topic, encode(result))])
        page = (await client.get(address)).text
        assert f'href="{address}/proof"' in page and 'href="/verify.html"' in page
        answer = await client.get(f"{address}/proof")
        assert answer.headers["content-disposition"] == f'attachment; filename="{game.id}.proof.json"'
        assert check_proof(answer.content, served.hub.key.verifier).score == (40, 24)


def test_a_record_with_a_message_that_is_no_result_or_a_key_that_is_none_is_named(tmp_path: Path) -> None:
    played = played_in(tmp_path / "hub")
    text = "[]"
    signature = signature_of(b"flagfall/2/result\n" + text.encode(), played.device.key)
    changes = {
        "signed by t1, but no result": (
            "result_received",
            {"message": text, "signature": base64.b64encode(signature).decode()},
        ),
        "no public key of t1": ("device_enrolled", {"public_key": "00" * 32}),
        "entry 2 (": ("device_enrolled", {"public_key": "no digits"}),
    }
    for why, (kind, change) in changes.items():
        entries = [
            msgspec.structs.replace(entry, body=canonical(json.loads(entry.body) | change))
            if entry.type == kind
            else entry
            for entry in played.entries
        ]
        write_ledger(played.folder, rechained(entries))
        done = flagfall_hub("verify", "--state-dir", played.folder)
        assert done.returncode == 1 and why in done.stdout, done


def test_a_record_with_another_game_file_than_the_signed_one_is_named(tmp_path: Path) -> None:
    played = played_in(tmp_path / "hub")
    other = pack(b"another game")
    entries = [
        msgspec.structs.replace(
            entry, body=canonical(json.loads(entry.body) | {"file": other.file, "sha256": other.sha256})
        )
        if entry.type == "game_file_received"
        else entry
        for entry in played.entries
    ]
    write_ledger(played.folder, rechained(entries))
    done = flagfall_hub("verify", "--state-dir", played.folder)
    assert done.returncode == 1 and "not the game file whose digest the table signed" in done.stdout
