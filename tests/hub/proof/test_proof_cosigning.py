"""The hub and its witnesses: when it sends its heads, what it keeps of their answers, and what a proof says then."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from helpers.forty_line_witness import FortyLineWitness
from helpers.hub_commands import flagfall_hub
from helpers.hub_files import result_of, tournament_file
from helpers.hub_in_one import taken
from helpers.hub_served import Served
from helpers.waiting import PATIENCE_S

from flagfall.base.errors import Failed, Invalid
from flagfall.link.cosignature import cosigners
from flagfall.link.keys import public_key
from flagfall.link.messages import encode
from flagfall.link.signed_note import COSIGNS, VerifierKey, open_note, read_checkpoint
from flagfall.link.topics import Arrival
from flagfall.othello.gamefile import header_object
from hub.config import WitnessAddress, read_config
from hub.desk.accounts import Role
from hub.proof import witness_client
from hub.proof.cosigned import CosignedHeads
from hub.proof.cosigning import AGAIN_S, EVERY_S, Cosigning
from hub.proof.witness_client import Away, Witness, witnesses_of
from hub.record.acts.event import JudgesSet
from hub.record.header import header_of

SEEDS = {"north.example": b"n" * 32, "south.example": b"s" * 32}
Answerer = Callable[[str], tuple[int, str]]


def vkey(name: str) -> VerifierKey:
    return VerifierKey(name, public_key(SEEDS[name]), COSIGNS)


@contextmanager
def running(name: str, answer: Answerer | None = None) -> Iterator[tuple[FortyLineWitness, Witness]]:
    """Run a witness, whose answers may be others, and yield it with the hub's view of it."""
    server = FortyLineWitness(name, SEEDS[name])
    if answer is not None:
        server.answering = answer
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server, Witness(f"http://127.0.0.1:{server.server_port}", vkey(name))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class HubWithWitnesses(Served):
    """A hub with an event, whose witnesses are asked by hand."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.lines: list[str] = []

    def cosigning(self, *witnesses: Witness) -> Cosigning:
        def log(level: str, message: str) -> None:
            self.lines.append(f"{level} {message}")

        return Cosigning(
            self.store, self.hub.key, self.hub.cosigned, witnesses, now_ns=lambda: self.now_ns, log=log
        )

    async def grow(self, entries: int = 1, judge: str = "J") -> None:
        for _ in range(entries):
            await self.record(JudgesSet(judges={1: f"{judge}{self.store.entries_of('open')}"}))

    def know(self, *servers: FortyLineWitness, name: str = "") -> None:
        key = self.hub.key.verifier_of("open")
        for server in servers:
            server.logs[name or key.name, key.name] = key.public


@pytest.fixture
def event(tmp_path: Path) -> HubWithWitnesses:
    return HubWithWitnesses(tmp_path)


async def result_at(served: HubWithWitnesses, identity: Any) -> str:
    """Publish a round and play its game; return the game's id."""
    await served.run("publish-round")
    await served.run("start-round")
    game = served.store.states["open"].games_of(served.store.states["open"].round)[0]
    header = header_object(header_of(served.store.states["open"], game))
    result = result_of(header, game.id, identity, (40, 24), signed=True)
    await taken(served.hub.inbound, [Arrival("flagfall/1/open/table/t1/result", encode(result))])
    return game.id


async def test_a_witness_made_from_the_specification_cosigns_and_command_and_address_say_so(
    event: HubWithWitnesses, tmp_path: Path
) -> None:
    with running("north.example") as (north, n), running("south.example") as (south, s):
        async with event as client:
            identity = await event.enroll("t1", 1)
            await event.create("open", tournament_file(2))
            game = await result_at(event, identity)
            event.know(
                north, name=str(event.hub.key.verifier.name)
            )  # one knows the hub's key, one the record's
            event.know(south)
            assert (await client.get("/t/open/cosigned")).status_code == 404
            cosigning = event.cosigning(n, s)
            assert cosigning.due() == ["open"]
            await cosigning.send("open")
            assert cosigning.due() == [] and cosigning.troubles == {}
            size = event.store.entries_of("open")
            for grown in (1, 2, 6):  # and from every size on
                await event.grow(grown)
                await cosigning.send("open")
                size += grown
                origin = event.hub.key.origin("open")
                assert north.heads[origin] == south.heads[origin] == (size, event.store.tree("open").root)
            await event.grow(3)
            note = (await client.get("/t/open/cosigned")).text
            assert cosigners(note, [vkey("north.example"), vkey("south.example")])
            for key in (event.hub.key.verifier, event.hub.key.verifier_of("open")):
                assert read_checkpoint(open_note(note, key)).size == size < event.store.entries_of("open")
            proof = await client.get(f"/t/open/games/{game}/proof")
            (tmp_path / "proof.json").write_bytes(proof.content)
            assert json.loads(proof.content)["checkpoint"].split("\n")[1] == str(size)
            vkeys = [str(vkey(name)) for name in SEEDS]
            key_of_hub = str(event.hub.key.verifier)
    given = ("verify", "--proof", tmp_path / "proof.json", "--key", key_of_hub)
    done = flagfall_hub(*given, "--witness", vkeys[0], "--witness", vkeys[1])
    assert done.returncode == 0, done.stdout
    assert "2 witnesses have seen a head that contains it: north.example, south.example" in done.stdout
    assert "the hub says so" not in done.stdout
    other = str(VerifierKey("east.example", public_key(b"e" * 32), COSIGNS))
    done = flagfall_hub(*given, "--witness", vkeys[0], "--witness", other)
    assert done.returncode == 1 and "got 1 of them: north.example" in done.stdout
    (tmp_path / "policy").write_text(
        f"witness n {vkeys[0]}\nwitness e {other}\ngroup g 1 n e\nquorum g\n", "utf-8"
    )
    assert flagfall_hub(*given, "--policy", tmp_path / "policy").returncode == 0
    # The command makes the same proof in the hub's folder.
    made = flagfall_hub("proof", "open", game, "-o", tmp_path / "again.json", "--state-dir", tmp_path)
    assert made.returncode == 0 and (tmp_path / "again.json").read_bytes() == proof.content
    printed = flagfall_hub("key", "open", "--state-dir", tmp_path).stdout.strip()
    assert printed == str(event.hub.key.verifier_of("open"))


async def test_heads_go_when_a_round_ends_and_else_every_ten_minutes_while_something_changes(
    event: HubWithWitnesses,
) -> None:
    with running("north.example") as (north, n):
        async with event:
            identity = await event.enroll("t1", 1)
            await event.create("open", tournament_file(2))
            event.know(north)
            cosigning = event.cosigning(n)
            await cosigning.send("open")
            event.now_ns = int(EVERY_S * 2e9)
            assert cosigning.due() == []  # nothing has changed
            event.now_ns = 0
            await event.grow()
            assert cosigning.due() == []
            event.now_ns = int(EVERY_S * 1e9)
            assert cosigning.due() == ["open"]
            await cosigning.send("open")
            await result_at(event, identity)  # the only game of the round
            assert cosigning.due() == ["open"]
            await cosigning.send("open")
            assert cosigning.due() == []


async def test_a_witness_that_is_away_gets_the_head_later_and_nothing_else_waits(
    event: HubWithWitnesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken_port:
        taken_port.bind(("127.0.0.1", 0))
        nobody = Witness(f"http://127.0.0.1:{taken_port.getsockname()[1]}", vkey("south.example"))
        with running("north.example") as (north, n):
            async with event:
                await event.create("open", tournament_file(2))
                event.know(north)
                cosigning = event.cosigning(n, nobody)
                await cosigning.send("open")
                assert list(cosigning.troubles) == [("south.example", "open")]
                assert [len(head.cosignatures) for head in event.hub.cosigned.of("open")] == [1]
                assert cosigning.due() == []
                event.now_ns = int(AGAIN_S * 1e9)
                assert cosigning.due() == ["open"]
                with running("south.example") as (south, s):
                    event.know(south)
                    nobody.url = s.url
                    await cosigning.send("open")
                    assert cosigning.troubles == {} and cosigning.due() == []
                (head,) = event.hub.cosigned.of("open")
                assert set(head.cosignatures) == {"north.example", "south.example"}
    assert sum(line.startswith("warning") for line in event.lines) == 1


async def test_a_witness_that_never_answers_holds_one_thread_and_no_more(
    event: HubWithWitnesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witness_client, "ANSWER_S", 0.05)
    let_go = Event()

    def silent(_: str) -> tuple[int, str]:
        let_go.wait(60)
        return 500, ""

    with running("north.example") as (north, n), running("south.example", silent) as (_, s):
        async with event:
            await event.create("open", tournament_file(2))
            event.know(north)
            cosigning = event.cosigning(n, s)
            await cosigning.send("open")
            assert "no answer within" in cosigning.troubles["south.example", "open"]
            await event.grow()
            await cosigning.send("open")
            assert cosigning.troubles["south.example", "open"] == "it has not answered yet"
            assert event.hub.cosigned.seen_by("open", "north.example") == event.store.entries_of("open")
        let_go.set()


LIES: dict[str, tuple[int, str, str]] = {
    "nothing": (200, "", "not its cosignature"),
    "a page": (200, "<!doctype html>\n", "not its cosignature"),
    "the cosignature of another": (200, "\N{EM DASH} south.example AAAAAAAA\n", "not its cosignature"),
    "its name under nothing": (200, "OWN", "not its cosignature"),
    "a size that is ahead": (409, "1000\n", "it has seen 1000 entries of this record, which has"),
    "no size": (409, "x\n", "not which one"),
    "the same size again": (409, "0\n", "not which one"),
    "another record": (422, "no\n", "another record than this one"),
    "an unknown record": (404, "no\n", "witness logs add"),
    "a key that it does not trust": (403, "no\n", "does not trust"),
    "an error": (500, "oops\nand more", "it answers 500: oops and more"),
    "a limit": (429, "", "it answers 429"),
}


@pytest.mark.parametrize("lie", LIES)
async def test_whatever_a_witness_answers_is_one_line_and_no_cosignature(
    event: HubWithWitnesses, lie: str
) -> None:
    status, text, why = LIES[lie]
    text = vkey("north.example").line(bytes(72)) if text == "OWN" else text
    with running("north.example", lambda _: (status, text)) as (_, n):
        async with event as client:
            await event.create("open", tournament_file(2))
            cosigning = event.cosigning(n)
            await cosigning.send("open")
            assert why in cosigning.troubles["north.example", "open"]
            assert (await client.get("/t/open/cosigned")).status_code == 404
            await cosigning.send("open")
    assert len(event.lines) == 1 and "\n" not in event.lines[0], "the same trouble is logged once"


async def test_after_a_restore_the_witness_has_seen_more_and_no_proof_stands_on_a_head_that_is_gone(
    event: HubWithWitnesses, tmp_path: Path
) -> None:
    with running("north.example") as (north, n):
        async with event as client:
            await event.create("open", tournament_file(2))
            await event.grow(4)
            event.know(north)
            await event.cosigning(n).send("open")
        restored = HubWithWitnesses(tmp_path / "restored")
        restored.folder.mkdir()
        for name in ("hub-key", "cosigned.json"):
            shutil.copy2(tmp_path / name, restored.folder / name)
        async with restored as client:  # a record of the same name, that has gone another way
            await restored.create("open", tournament_file(2))
            cosigning = restored.cosigning(n)
            await cosigning.send("open")
            assert "cut, or restored" in cosigning.troubles["north.example", "open"]
            await restored.grow(8, judge="another ")
            await cosigning.send("open")
            assert "another record than this one" in cosigning.troubles["north.example", "open"]
            assert (await client.get("/t/open/cosigned")).status_code == 404
            tree = restored.store.tree("open")
            assert restored.hub.cosigned.best("open", 1, tree) is None


async def test_the_last_head_is_kept_and_an_earlier_one_that_more_have_seen(
    event: HubWithWitnesses, tmp_path: Path
) -> None:
    async with event:
        await event.create("open", tournament_file(2))
        heads = event.hub.cosigned
        sizes = []
        for witnesses in (("a", "b", "c"), ("a",), ("a", "b"), ("c",), ("b",)):
            await event.grow()
            note = event.hub.key.checkpoint("open", event.store.tree("open"))
            heads.add("open", note, [(name, f"\N{EM DASH} {name} AAAA\n") for name in witnesses])
            sizes.append(event.store.entries_of("open"))
        heads.add("open", note, [("c", "\N{EM DASH} c AAAA\n")])
        tree = event.store.tree("open")
        kept = [(head.size, len(head.cosignatures)) for head in heads.of("open")]
        assert kept == [(sizes[4], 2), (sizes[0], 3)]
        best = [heads.best("open", entries, tree) for entries in (1, sizes[0], sizes[0] + 1, sizes[4] + 1)]
        assert [head and head.size for head in best] == [sizes[0], sizes[0], sizes[4], None]
        heads.write()
        again = CosignedHeads(heads.path)
        assert again.of("open") == heads.of("open") and again.seen_by("open", "a") == sizes[0]
        for content in (b"", b"{}", b"[" * 5000, b'{"format":"flagfall-cosigned/1","heads":{"open":[{}]}}'):
            heads.path.write_bytes(content)
            with pytest.raises(Failed, match="remove it"):
                CosignedHeads(heads.path)


async def test_a_backup_brings_the_cosigned_heads_along(event: HubWithWitnesses, tmp_path: Path) -> None:
    with running("north.example") as (north, n):
        async with event:
            await event.create("open", tournament_file(2))
            event.know(north)
            await event.cosigning(n).send("open")
            cosigned = event.hub.cosigned.of("open")
    backup, restored = tmp_path / "backup.tar", tmp_path / "restored"
    assert flagfall_hub("backup", backup, "--state-dir", tmp_path).returncode == 0
    assert flagfall_hub("restore", backup, "--state-dir", restored).returncode == 0
    assert CosignedHeads(restored / "cosigned.json").of("open") == cosigned
    # A backup from before there were witnesses leaves the present heads where they are.
    (tmp_path / "cosigned.json").unlink()
    older = tmp_path / "older.tar"
    assert flagfall_hub("backup", older, "--state-dir", tmp_path).returncode == 0
    assert flagfall_hub("restore", "--aside", older, "--state-dir", restored).returncode == 0
    assert CosignedHeads(restored / "cosigned.json").of("open") == cosigned


async def test_the_hub_runs_them_beside_everything_else(event: HubWithWitnesses) -> None:
    with running("north.example") as (north, n):
        async with event:
            await event.create("open", tournament_file(2))
            event.know(north)
            cosigning = event.cosigning(n)
            task = asyncio.create_task(cosigning.run())
            async with asyncio.timeout(PATIENCE_S):
                while not event.hub.cosigned.of("open"):
                    await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def test_the_console_says_what_each_witness_has_seen(event: HubWithWitnesses) -> None:
    with running("north.example") as (north, n), running("south.example", lambda _: (404, "")) as (_, s):
        async with event:
            await event.create("open", tournament_file(2))
            event.know(north)
            director, _csrf = await event.entered(Role.DIRECTOR)
            assert "No witness sees this record yet" in (await director.get("/desk/t/open/lists")).text
            event.hub.cosigning.witnesses = (n, s)
            await event.hub.cosigning.send("open")
            page = (await director.get("/desk/t/open/lists")).text
            entries = event.store.entries_of("open")
            await director.aclose()
    assert f"north.example: has seen {entries} entr" in page and "south.example: has seen 0" in page
    assert "it does not know this record" in page


def test_witnesses_stand_in_the_settings_on_the_command_line_and_in_a_policy(tmp_path: Path) -> None:
    north, south = (str(vkey(name)) for name in SEEDS)
    file = tmp_path / "hub.toml"
    file.write_text(f'witnesses = [{{url = "https://n.example/", key = "{north}"}}]\n', "utf-8")
    wanted = (WitnessAddress("https://n.example", north),)
    assert read_config(["--config", str(file)], {}).witnesses == wanted
    line = f"https://n.example {north} http://127.0.0.1:7380 {south}"
    assert len(read_config(["--witnesses", line], {}, tmp_path / "none").witnesses) == 2
    for wrong in (f"https://n.example {south[:-4]}", "https://n.example", f"n.example {north}", f"{north} https://n",
                  f"https://a {north} https://b {north}"):  # fmt: skip
        with pytest.raises(Invalid, match="--witnesses"):
            read_config(["--witnesses", wrong], {}, tmp_path / "none")
    policy = tmp_path / "policy"
    policy.write_text(
        f"witness n {north} https://other\nwitness s {south} https://s/\nquorum none\n", "utf-8"
    )
    made = witnesses_of([("https://n.example", north)], policy)
    assert [(of.url, of.name) for of in made] == [
        ("https://n.example", "north.example"),
        ("https://s", "south.example"),
    ]
    policy.write_text("quorum\n", "utf-8")
    for bad in (policy, tmp_path / "missing"):
        with pytest.raises(Invalid, match=r"policy|missing"):
            witnesses_of([], bad)


async def test_an_address_where_nothing_is_is_one_line_in_the_systems_words() -> None:
    from flagfall.link.add_checkpoint import AddCheckpoint

    for url, words in (
        ("http://127.0.0.1:1", "cannot be reached: Connection refused"),
        ("http://nowhere.invalid", "cannot be reached: "),
        ("nowhere", "cannot be reached: unknown url type"),
    ):
        with pytest.raises(Away) as away:
            await Witness(url, vkey("north.example")).ask(AddCheckpoint(0, (), "x\n"))
        line = str(away.value)
        assert line.startswith(words) and not {"\n", "<"} & {*line}, line
