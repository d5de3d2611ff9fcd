"""The witness: what it answers to published requests, to wrong ones, to two at once, and what it bounds."""

from __future__ import annotations

import base64
import hashlib
import itertools
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from helpers.hub_commands import flagfall_hub
from helpers.kept_cases import Record
from helpers.proof_cases import HUB_KEY, NAME, VKEY, proof

from flagfall.ledger.merkle import consistency_path, root
from flagfall.link.add_checkpoint import AddCheckpoint
from flagfall.link.cosignature import cosigners
from flagfall.link.keys import public_key
from flagfall.link.signed_note import Checkpoint, VerifierKey, open_note, read_checkpoint, read_key, sign_note
from hub.witness import logs as logs_of_witness
from hub.witness.key import witness_key
from hub.witness.logs import HeadRefused, WitnessLogs, origin_hash
from hub.witness.server import application

# The requests of litewitness's own test (of C2SP's protocol) and what it answers: facts of the protocol. The log is
# one whose leaves are known; the answer to an unknown record and to a size is that of the present specification.
ORIGIN = "sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562"
LOG_KEY = bytes.fromhex("ffdc2d4d98e4124d3feaf788c0c2f9abfd796083d1f0495437f302ec79cf100f")
ONE = f"""{ORIGIN}
1
KgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=

— {ORIGIN} UgIom7fPZTqpxWWhyjWduBvTvGVqsokMbqTArsQilegKoFBJQjUFAmQ0+YeSPM3wfUQMFSzVnnNuWRTYrajXpNUbIQY=
"""
THREE = f"""{ORIGIN}
3
RcCI1Nk56ZcSmIEfIn0SleqtV7uvrlXNccFx595Iwl0=

— {ORIGIN} UgIom2VbtIcdFbwFAy1n7s6IkAxIY6J/GQOTuZF2ORV39d75cbAj2aQYwyJre36kezNobZs4SUUdrcawfAB8WVrx6go=
"""
FIVE = f"""{ORIGIN}
5
QrtXrQZCCvpIgsSmOsah7HdICzMLLyDfxToMql9WTjY=

— {ORIGIN} UgIomw/EOJmWi0i1FQsOj+etB7F8IccFam/jgd6wzRns4QPVmyEZtdvl1U2KEmLOZ/ASRcWJi0tW90dJWAShei7sDww=
"""
ONE_TO_THREE = "KgEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nKgIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
ONE_TO_FIVE = (
    "KgEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n+fUDV+k970B4I3uKrqJM4aP1lloPZP8mvr2Z4wRw2LI=\n"
    "KgQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
)
THREE_TO_FIVE = (
    "KgIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nKgMAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
    "wgiIFdZfYNv6WU1OllBKsWnLYIS/DBMqt8Uh/S4OukE=\nKgQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
)
SUMDB_KEY = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"
SUMDB = """go.sum database tree
35225469
vt5T6GaLCXvyHFl9VUvvItR43XZxfLgftEcTyO3eJCQ=

— sum.golang.org Az3grpukl5AXaVfYkLiDGORx/DN2nlcS5kZHR5uYOBV2KA2HgXpD+gu9HHONebHLAyaKbbTM75QTtPydhKCExixSfwQ=
"""
FORGED = THREE.replace("WVrx6go=", "WVrx6gw=")


def asked(folder: Path, *, now_ns: Callable[[], int] = lambda: 0) -> tuple[WitnessLogs, httpx.AsyncClient]:
    """Return a witness's records and a client of its server."""
    known, key = WitnessLogs(folder), witness_key(folder, "w.example")
    transport = httpx.ASGITransport(application(known, key, lambda: 1_700_000_000.9, now_ns))
    return known, httpx.AsyncClient(transport=transport, base_url="http://w.example")


async def post(client: httpx.AsyncClient, body: str | bytes) -> tuple[int, str]:
    answer = await client.post("/add-checkpoint", content=body)
    if answer.status_code == 409:
        assert answer.headers["content-type"] == "text/x.tlog.size"
    return answer.status_code, answer.text


async def test_published_requests_get_the_published_answers(tmp_path: Path) -> None:
    known, client = asked(tmp_path)
    witness = witness_key(tmp_path).verifier
    with closing(known):
        known.trust(VerifierKey(ORIGIN, LOG_KEY))
        known.trust(read_key(SUMDB_KEY), "go.sum database tree")
        for body, status in (
            (f"old 0\n\n{ONE}", 200),
            (f"old 1\n{ONE_TO_THREE}\n{FORGED}", 403),
            (f"old 1\n{ONE_TO_THREE}\n{THREE.replace('e562', 'e563')}", 404),
            (f"old 1\n\n{THREE}", 422),
            (f"old 1\n{ONE_TO_THREE.replace('AAA=', 'ABA=')}\n{THREE}", 422),
            (f"old 1\n{ONE_TO_THREE}\n{THREE}", 200),
            (f"old 4\n\n{THREE}", 400),
            (f"old 3\n\n{THREE}", 200),
            (f"old 3\n{THREE_TO_FIVE}\n{FIVE}", 200),
            (f"old 0\n\n{SUMDB}", 200),
            (f"old 0\n{ONE_TO_THREE}\n{FIVE}", 409),
        ):
            assert (await post(client, body))[0] == status, body
        assert await post(client, f"old 1\n{ONE_TO_FIVE}\n{FIVE}") == (409, "5\n")
        assert await post(client, f"old 0\n\n{FIVE}") == (409, "5\n")
        status, line = await post(client, f"old 5\n\n{FIVE}")
        assert status == 200 and cosigners(FIVE + line, [witness]) == (witness,)
        assert line.startswith("\N{EM DASH} w.example ") and line.count("\n") == 1
        kept = await client.get(f"/{hashlib.sha256(ORIGIN.encode()).hexdigest()}/checkpoint")
        assert kept.text == FIVE + line and cosigners(kept.text, [witness]) == (witness,)
        assert (await client.get(f"/{origin_hash('unknown')}/checkpoint")).status_code == 404
        assert (await client.get("/add-checkpoint")).status_code == 405
    await client.aclose()


async def test_a_hubs_key_is_for_all_its_events_and_a_records_key_for_one(tmp_path: Path) -> None:
    record = Record(proof(), more=3)
    other = sign_note(Checkpoint(f"{NAME}/other", 1, bytes(32)).text, NAME, HUB_KEY)
    under_own_name = sign_note(Checkpoint(f"{NAME}/other", 1, bytes(32)).text, f"{NAME}/other", HUB_KEY)
    for folder, key, answers in (
        (tmp_path / "hub", read_key(VKEY), (200, 200, 403)),
        (tmp_path / "one", VerifierKey(f"{NAME}/other", public_key(HUB_KEY)), (404, 403, 200)),
    ):
        known, client = asked(folder)
        with closing(known):
            known.trust(key)
            heads = (record.head(3), other, under_own_name)
            statuses = []
            for note in heads:
                status, text = await post(client, f"old 0\n\n{note}")
                statuses.append(200 if (status, text) == (409, "1\n") else status)
            # A key of the hub does not sign under the record's name for this witness, and the other way round.
            assert tuple(statuses) == answers
            for deeper in (f"{NAME}/a/b", NAME, f"{NAME}x/open", "flagfall/"):
                note = sign_note(Checkpoint(deeper, 1, bytes(32)).text, NAME, HUB_KEY)
                assert (await post(client, f"old 0\n\n{note}"))[0] in (
                    (404, 200) if deeper == NAME else (404,)
                )
        await client.aclose()


async def test_a_forged_record_a_rollback_and_a_split_view_are_not_cosigned(tmp_path: Path) -> None:
    known, client = asked(tmp_path)
    honest, forged = Record(proof(), more=20), Record(proof(table_key=b"f" * 32), more=20)

    def request(record: Record, old: int, size: int, path_of: Record | None = None) -> str:
        path = (path_of or record).path(old, size) if old else ""
        return f"old {old}\n{path}\n{record.head(size)}"

    with closing(known):
        known.trust(read_key(VKEY))
        assert (await post(client, request(honest, 0, 9)))[0] == 200
        before = known.heads
        for body, status in (
            (request(forged, 9, 12), 422),
            (request(forged, 9, 12, honest), 422),
            (request(honest, 9, 12, forged), 422),
            (request(forged, 9, 9), 422),  # a split view: another record of the same size
            (request(honest, 0, 5), 409),  # a rollback after a restore
            (request(honest, 5, 12), 409),
            (f"old 9\n\n{honest.head(5)}", 400),
            (f"old 9\n{honest.path(8, 12)}\n{honest.head(12)}", 422),  # a swapped path
            (f"old 9\n{honest.path(9, 12)}\n{honest.head(12, key=b'x' * 32)}", 403),
            (f"old 9\n{honest.path(9, 12)}\n{honest.head(12).partition(chr(10) * 2)[0]}\n", 400),
        ):
            assert (await post(client, body))[0] == status, body
            assert known.heads == before
        assert (await post(client, request(honest, 9, 12)))[0] == 200
        assert read_checkpoint(open_note(honest.head(12), read_key(VKEY))) in known.heads
    await client.aclose()


async def test_a_record_of_nothing_has_the_hash_of_nothing(tmp_path: Path) -> None:
    known, client = asked(tmp_path)
    with closing(known):
        known.trust(read_key(VKEY))
        for head, status in ((bytes(32), 422), (root(()), 200)):
            note = sign_note(Checkpoint(f"{NAME}/open", 0, head).text, NAME, HUB_KEY)
            assert (await post(client, f"old 0\n\n{note}"))[0] == status
        assert (await post(client, f"old 0\n\n{Record(proof()).head(5)}"))[0] == 200
    await client.aclose()


def test_of_two_requests_at_once_the_shorter_does_not_take_the_record_back(tmp_path: Path) -> None:
    record, key = Record(proof(), more=60), witness_key(tmp_path)
    with closing(WitnessLogs(tmp_path)) as known:
        known.trust(read_key(VKEY))
        known.add(AddCheckpoint(0, (), record.head(1)), lambda text: key.cosign(text, 1))
    start, cosigned = threading.Barrier(6), []

    def ask(size: int) -> None:
        path = consistency_path(record.tree(size), 1)
        with closing(WitnessLogs(tmp_path)) as own:
            start.wait()
            try:
                own.add(AddCheckpoint(1, path, record.head(size)), lambda text: key.cosign(text, 1))
                cosigned.append(size)
            except HeadRefused as refused:
                assert refused.status == 409

    threads = [threading.Thread(target=ask, args=(size,)) for size in range(20, 26)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with closing(WitnessLogs(tmp_path)) as known:
        assert len(cosigned) == 1 and [head.size for head in known.heads] == cosigned


async def test_records_keys_bytes_and_requests_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs_of_witness, "MOST_OF_KEY", 3)
    monkeypatch.setattr(logs_of_witness, "MOST_KEYS", 2)
    now_ns = itertools.count(0, 0)
    known, client = asked(tmp_path, now_ns=lambda: next(now_ns))
    with closing(known):
        known.trust(read_key(VKEY))
        answers = []
        for number in range(5):
            note = sign_note(Checkpoint(f"{NAME}/event-{number}", 1, bytes(32)).text, NAME, HUB_KEY)
            answers.append((await post(client, f"old 0\n\n{note}"))[0])
        assert answers == [200, 200, 200, 404, 404] and len(known.heads) == 3
        # A record that it has goes on.
        note = sign_note(Checkpoint(f"{NAME}/event-0", 1, bytes(32)).text, NAME, HUB_KEY)
        assert (await post(client, f"old 1\n\n{note}"))[0] == 200
        known.trust(VerifierKey(ORIGIN, LOG_KEY))
        with pytest.raises(ValueError, match="2 keys at most"):
            known.trust(read_key(SUMDB_KEY))
        assert (await post(client, b"x" * 300_000))[0] == 400
        assert (await post(client, b"old 0\n\n" + b"\xff" * 100))[0] == 400
        statuses = [(await post(client, b""))[0] for _ in range(130)]
        assert statuses[0] == 400 and statuses[-1] == 429
    await client.aclose()


async def test_behind_a_web_server_a_stranger_uses_up_their_own_requests_alone(tmp_path: Path) -> None:
    known, client = asked(tmp_path)
    at, statuses = f"/{'0' * 64}/checkpoint", list[int]()
    for headers in (
        *[{"X-Forwarded-For": f"203.0.113.{number}, 198.51.100.9"} for number in range(150)],
        {"X-Forwarded-For": "198.51.100.7"},
        {},
    ):
        statuses.append((await client.get(at, headers=headers)).status_code)
    assert statuses[-3:] == [429, 404, 404], (
        "the last address is the web server's word, those before are claims"
    )
    elsewhere = httpx.ASGITransport(client._transport.app, client=("198.51.100.20", 1))  # type: ignore[attr-defined]
    async with httpx.AsyncClient(transport=elsewhere, base_url="http://w.example") as stranger:
        forged = [await stranger.get(at, headers={"X-Forwarded-For": f"192.0.2.{n}"}) for n in range(150)]
    assert forged[-1].status_code == 429, "from elsewhere nobody claims another address"
    known.close()


def test_the_command_makes_a_key_and_knows_records(tmp_path: Path) -> None:
    def run(*words: object) -> tuple[int, str]:
        done = flagfall_hub("witness", *map(str, words), "--state-dir", str(tmp_path / "w"))
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout + done.stderr

    status, key = run("key", "--name", "witness.example.org")
    assert status == 0 and key.startswith("witness.example.org+") and run("key") == (0, key)
    data = base64.b64decode(key.strip().split("+", 2)[2])
    assert data[0] == 4 and data[1:] == witness_key(tmp_path / "w").verifier.public
    assert (tmp_path / "w" / "witness-key").stat().st_mode & 0o777 == 0o600
    assert run("logs") == (0, "")
    assert run("logs", "add", VKEY) == (0, "") == run("logs", "add", VKEY)
    assert run("logs", "add", SUMDB_KEY, "--origin", "go.sum database tree")[0] == 0
    assert run("logs") == (0, f"trusts {VKEY} for {NAME}\ntrusts {SUMDB_KEY} for go.sum database tree\n")
    assert run("logs", "remove", VKEY)[0] == 0 and run("logs", "remove", VKEY)[0] == 1
    for words in (
        ("key", "--name", "other.example"),
        ("key", "--name", "two words"),
        ("logs", "add"),
        ("logs", "add", key.strip()),
        ("logs", "remove", VKEY, "--origin", "x"),
        ("run", "--listen", "7380"),
        (),
    ):
        status, text = run(*words)
        assert status == 2 and text.count("\n") == 1, (words, text)
