"""The file for support: nothing secret is in it, whatever the log repeats, and every hub has one."""

from __future__ import annotations

import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_files import tournament_file
from hypothesis import given
from hypothesis import strategies as st

from flagfall.link.identity import create
from hub.commands.support import LARGEST_BYTES, Running, Scrubber, running_facts, support_file
from hub.config import Config
from hub.desk.setup_code import new_setup
from hub.record.heads import SignedHeads
from hub.role import Role
from hub.venue.folder import VenueAddresses, make

BORN = "2014-03-02"
MAIL = "jiri.dvorak@example.org"


def texts_of(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return {name: packed.read(name).decode() for name in packed.namelist()}


def words_of_secret_files(folder: Path) -> Iterator[str]:
    """Yield every long word of every file that only its owner may read, but for the record and what names nothing."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.stat().st_mode & 0o077 and path.suffix not in (".sqlite", ".lock"):
            text = path.read_bytes().decode("utf-8", "ignore")
            yield from re.findall(r"[A-Za-z0-9_+/=-]{20,}", text)


def is_random(word: str) -> bool:
    """Return True for a word of a key, token or hash: half of its letters are others, and a digit is among them."""
    return len(set(word)) >= 10 and any(letter.isdigit() for letter in word)


async def hub_with_secrets(served: Any) -> tuple[Config, set[str]]:
    """Return a hub's settings, and its secrets of every kind."""
    folder, hub = served.folder, served.hub
    venue = folder / "venue"
    make(venue, VenueAddresses())
    config = Config(
        folder,
        folder / "ledger.sqlite",
        folder / "api-token",
        venue=venue,
        outside_command=("curl", "--user", "vega:geheim-und-lang"),
    )
    config.api_token.write_text(f"{hub.token}\n")
    players = [
        {"id": f"{n}", "name": f"Player {n}", "born": BORN, "country": "CZE", "needs": f"write to {MAIL}"}
        for n in range(1, 5)
    ]
    await served.create("open", tournament_file(4, players=players, sender=MAIL, date="2026-11-05"))
    tokens = [
        hub.devices.enroll(f"t{seat}", create(f"t{seat}").public, seat, judge_pin=f"73{seat}9{seat}")
        for seat in (1, 2)
    ]
    code = (await served.run("prepare-device", device="t3", seat=3, again=False)).code
    hub.accounts.put("Vega", Role.DIRECTOR, "a password of Vega's")
    csrf = hub.sessions.session(hub.sessions.begin("Vega")).csrf
    session = "Qm5vdCBhIHJlYWwgc2Vzc2lvbiBvZiBhbnlib2R5"  # as `fresh_secret` of a running hub makes it
    setup = new_setup(folder, needed=True).code
    SignedHeads(folder).remember(hub.store.heads)
    state = hub.store.states["open"]
    links = [hub.player_links.path(state, player.id) for player in state.tournament.players]
    assert all(links) or not state.has_players_pages
    accounts = json.loads((folder / "accounts.json").read_text())
    hashes = re.findall(r"\$argon2id\$[^\"]+", json.dumps(accounts))
    assert hashes and code and setup
    secrets = {hub.token, hub.site.key, *tokens, code, session, csrf, setup, BORN, MAIL, *hashes}
    secrets |= {hub.devices.director_pin, "73191", "73292", "vega:geheim-und-lang", "geheim-und-lang"}
    secrets |= {link.rpartition("/")[2] for link in links if link}
    secrets |= set(filter(is_random, words_of_secret_files(folder)))
    heads = {head.head for head in hub.store.heads.values()}
    public = {device.key.hex() for device in hub.devices.all if device.key is not None}
    return config, secrets - heads - public


@pytest.mark.parametrize(
    "line",
    [
        "warning hub dropped what={secret!r}",
        "error hub fault what='... token={secret} ...'",
        "info hub setup code={secret} page=http://127.0.0.1:8000/desk/setup",
        'error hub fault what=\'{{"born": "{secret}", "pin": "{secret}"}}\'',
        "warning hub GET /me/{secret}?lang=fr",
        "warning hub GET /arrival/{secret}?lang=fr",
        "warning hub POST /scribe/{secret}/moves",
        "warning hub page=http://hub:8000/hall/open?key={secret}",
        "error hub said=Authorization: Bearer {secret}",
        "error hub {secret}, then more",
    ],
)
async def test_no_secret_of_any_kind_is_in_the_file_even_if_the_log_repeats_it(
    served: Any, line: str
) -> None:
    async with served:
        config, secrets = await hub_with_secrets(served)
        assert len(secrets) > 30, "the keys of a venue are among them"
        log = tuple(f"2026-11-05T10:00:00+00:00 {line.format(secret=secret)}" for secret in sorted(secrets))
        data = support_file(config, replaced_log(running_facts(served.hub), log))
        for name, text in texts_of(data).items():
            repeated = [secret for secret in secrets if is_in(secret, text)]
            assert not repeated, (name, repeated[:3])
        assert "vega" not in texts_of(data)["settings.txt"]
        alone = texts_of(support_file(config))
        assert not any(is_in(secret, text) for secret in secrets for text in alone.values())


def replaced_log(running: Running, log: tuple[str, ...]) -> Running:
    return Running(log, running.tables)


def is_in(secret: str, text: str) -> bool:
    """Return True if the secret stands in the text, not as part of a longer number or word."""
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])", text) is not None


async def test_what_helps_is_in_the_file(served: Any) -> None:
    async with served:
        config, _ = await hub_with_secrets(served)
        log = (
            "2026-11-05T10:00:00+00:00 info hub ready page=http://127.0.0.1:8000/ broker=127.0.0.1:1883",
            "2026-11-05T10:00:01+00:00 info hub result recorded id=open-r1-t1.1 device=t1",
        )
        texts = texts_of(support_file(config, replaced_log(running_facts(served.hub), log)))
        assert texts["log.txt"].splitlines() == list(log)
        record = json.loads(texts["record.json"])["open"]
        assert record["players"] == 4 and record["head"] == served.hub.store.head("open")
        note = record["checkpoint"]
        assert note == served.hub.key.checkpoint("open", served.hub.store.tree("open"))
        tables = json.loads(texts["tables.json"])
        assert set(tables["devices"]) == {"t1", "t2", "t3"} and tables["in_outbox"] == 0
        assert re.search(r"^package flagfall \d", texts["versions.txt"], re.M)
        assert "python 3." in texts["versions.txt"] and "web_port = 8000" in texts["settings.txt"]
        assert "ok  ledger: 1 events, each chain is whole" in texts["doctor.txt"]
        assert "ok  devices: 3 devices" in texts["doctor.txt"]


async def test_a_hub_that_does_not_start_has_a_file_that_says_why(served: Any) -> None:
    async with served:
        config, _ = await hub_with_secrets(served)
    (served.folder / "devices.json").write_text("{")
    (served.folder / "heads.json").write_text("nothing")
    (served.folder / "accounts.json").chmod(0o644)
    ledger = served.folder / "ledger.sqlite"
    ledger.write_bytes(b"SQLite no more" + ledger.read_bytes()[14:])
    texts = texts_of(support_file(config))
    for check in ("devices", "heads", "private files", "ledger", "the hub answers"):
        assert f"NOT {check}" in texts["doctor.txt"], check
    assert "not_read" in json.loads(texts["record.json"]) and "not_read" in json.loads(texts["tables.json"])
    without = texts_of(support_file(None, None, "hub.toml: web_port: expected a port", guessed=served.folder))
    assert "NOT settings: hub.toml: web_port: expected a port" in without["doctor.txt"]
    nowhere = texts_of(support_file(replace(config, state_dir=Path("/nowhere"), ledger=Path("/nowhere/l"))))
    assert "NOT state directory" in nowhere["doctor.txt"]


async def test_one_event_that_cannot_be_read_keeps_no_other_one_away(served: Any) -> None:
    async with served:
        config, _ = await hub_with_secrets(served)
        await served.create("second", tournament_file(4))
    with sqlite3.connect(served.folder / "ledger.sqlite") as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE entry SET body = ? WHERE tournament = 'open'", (b'{"file":3}',))
    texts = texts_of(support_file(config))
    record = json.loads(texts["record.json"])
    assert "fault" in record["open"] and record["second"]["players"] == 4
    assert "NOT ledger" in texts["doctor.txt"]


def test_the_file_stays_small_whatever_the_log() -> None:
    line = "2026-11-05T10:00:00+00:00 warning hub " + "ünï " * 240
    log = tuple(f"{line} {number}" for number in range(5_000))
    data = support_file(
        None, Running(log, {"devices": {f"t{n}": "x" * 900 for n in range(500)}}), "no settings"
    )
    assert len(data) <= LARGEST_BYTES
    texts = texts_of(data)
    assert sum(len(text.encode()) for text in texts.values()) <= LARGEST_BYTES
    assert texts["log.txt"].endswith("4999\n"), "the end of a log is kept"


@given(
    st.text(alphabet="abcXYZ019-_./=&?,;:'\"()[] \n", max_size=60),
    st.sampled_from(["73191", "Zx9-token-of-device"]),
)
def test_a_known_value_is_removed_wherever_it_stands_as_a_word(around: str, secret: str) -> None:
    scrub = Scrubber([secret])
    for text in (f"{around} {secret} {around}", f"{around}={secret}&{around}", f"({secret})", f"'{secret}',"):
        assert not is_in(secret, scrub(text)) or is_in(secret, around)


async def test_a_director_takes_the_file_from_the_console_and_nobody_else_does(served: Any) -> None:
    async with served:
        await served.create("open", tournament_file(4))
        director, _ = await served.entered(Role.DIRECTOR)
        for role in (Role.VIEWER, Role.ASSISTANT):
            client, _ = await served.entered(role)
            assert (await client.get("/desk/support")).status_code == 403
            assert "/desk/support" not in (await client.get("/desk")).text
        assert "/desk/support" in (await director.get("/desk")).text
        answer = await director.get("/desk/support")
        assert answer.status_code == 200 and answer.headers["content-type"] == "application/zip"
        assert answer.headers["cache-control"] == "no-store"
        assert "flagfall-support-20261105-1000.zip" in answer.headers["content-disposition"]
        assert "ok  the hub answers" in texts_of(answer.content)["doctor.txt"]
        assert (await served.browser().get("/desk/support")).status_code == 303
