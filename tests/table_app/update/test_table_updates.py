"""Another version: fetched while nothing is played, tried, proved or given up; and nothing but what the hub signed."""

from __future__ import annotations

import hashlib
import http.server
import io
import json
import os
import queue
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers.prepared import needs_machine
from helpers.waiting import PATIENCE_S, until
from helpers.wheels import wheel_of

from flagfall.base.errors import Invalid
from flagfall.link.identity import Identity
from flagfall.link.keys import public_key
from flagfall.link.messages import BadMessage, Update, encode
from flagfall.link.signature import sign
from flagfall.link.topics import Kind, Topic
from table_app.events import Close, UpdateFetched
from table_app.hub_link.incoming import read_order
from table_app.log import Log
from table_app.update.fetch import AGAIN_NS, TRIAL_NS, Programs, UpdateFetcher
from table_app.update.versions import (
    INSTALLED,
    TRIES,
    InstalledVersions,
    VersionChoice,
    choice_bytes,
    name_of,
)

SECOND_NS = 1_000_000_000
NEEDS = frozenset({"Python >=3.11"})


def wheel(version: str, needs: str = "") -> bytes:
    more = f"Requires-Python: >=3.11\n{needs}"
    return wheel_of(version, more, {"flagfall/othello/board.py": "X = 1\n" * 50_000})


def test_a_version_is_tried_then_proved_and_the_one_before_is_kept() -> None:
    tried = VersionChoice(next="2-a").after_start()
    assert (tried.runs, tried.tries, tried.next) == ("2-a", 1, "")
    good = tried.after_success()
    assert (good.runs, good.before, good.trying) == ("2-a", INSTALLED, "")
    assert good.after_start() == good
    later = replace(good, next="3-b").after_start().after_success()
    assert (later.runs, later.before) == ("3-b", "2-a")


def test_a_version_that_does_not_prove_itself_is_given_up() -> None:
    choice = VersionChoice(good="2-a", next="3-b").after_start()
    for _ in range(TRIES - 1):
        choice = choice.after_start()
        assert choice.runs == "3-b", "a power cut does not speak against it"
    given_up = choice.after_start()
    assert (given_up.runs, given_up.failed) == ("2-a", ("3-b",))
    assert given_up.after_start() == given_up


def test_the_choice_is_kept_and_what_it_does_not_name_goes(tmp_path: Path) -> None:
    versions = InstalledVersions(tmp_path)
    assert versions.choice() == VersionChoice()
    versions.folder.mkdir()
    first, second, third = (name_of(f"{number}.0", f"{number}" * 64) for number in (1, 2, 3))
    for name in (first, second, third, f"{third}.part"):
        (versions.folder / name).mkdir()
    choice = VersionChoice(good=second, before=first, failed=(third,), seq=9, must_fit=True)
    versions.keep(choice)
    assert InstalledVersions(tmp_path).choice() == choice
    assert stat.S_IMODE(versions.choice_path.stat().st_mode) == 0o600
    versions.clear(choice)
    assert {path.name for path in versions.folder.iterdir()} == {first, second, "choice.json"}
    assert versions.running(versions.folder / second / "table_app" / "main.py") == second
    assert versions.running(Path(__file__)) == INSTALLED


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"[" * 9000, b'{"failed":[],"good":"../x"}', b'{"failed":[],"seq":"1"}', b"\xff"]
)
def test_a_choice_that_makes_no_sense_is_one_line(tmp_path: Path, content: bytes) -> None:
    versions = InstalledVersions(tmp_path)
    versions.folder.mkdir()
    versions.choice_path.write_bytes(content)
    with pytest.raises(Invalid) as fault:
        versions.choice()
    assert str(versions.choice_path) in str(fault.value) and "\n" not in str(fault.value)


def test_an_order_counts_only_with_the_hubs_signature() -> None:
    hub = b"h" * 32
    identity = Identity("t1", b"k" * 32, "token", public_key(hub))
    order = Update(device="t1", seq=1, version="0.2.0", size_bytes=5, sha256="0" * 64, port=80)
    topic = str(Topic(None, "t1", Kind.UPDATE))
    assert read_order(topic, encode(sign(order, hub)), identity) == sign(order, hub)
    assert read_order(topic, b"", identity) is None, "taken back"
    forged = replace_struct(sign(order, hub), sha256="1" * 64)
    for payload in (encode(order), encode(sign(order, identity.key)), encode(forged)):
        with pytest.raises(BadMessage, match="signature"):
            read_order(topic, payload, identity)
    other = encode(sign(replace_struct(order, device="t2"), hub))
    with pytest.raises(BadMessage, match="device: expected t1"):
        read_order(topic, other, identity)


def replace_struct(order: Update, **changes: Any) -> Update:
    from msgspec import structs

    return structs.replace(order, **changes)


class Hub:
    """Serves bytes under the path of an order."""

    def __init__(self) -> None:
        self.content: dict[str, bytes] = {}
        self.asked = 0
        self.may_answer = threading.Event()
        self.may_answer.set()
        served = self

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                served.asked += 1
                content = served.content.get(self.path)
                self.send_response(200 if content is not None else 404)
                self.end_headers()
                served.may_answer.wait(PATIENCE_S)
                self.wfile.write(content or b"")

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def order(self, content: bytes, version: str, seq: int = 1, served: bytes | None = None) -> Update:
        """Return an order for `content`; the hub serves `served`, if that is something else."""
        order = Update(
            seq=seq,
            version=version,
            size_bytes=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            port=self.server.server_port,
        )
        self.content[order.path] = content if served is None else served
        return order


class Table:
    """An `UpdateFetcher` as a loop uses it."""

    def __init__(self, folder: Path, runs: str = INSTALLED, version: str = "0.1.0") -> None:
        self.versions = InstalledVersions(folder)
        self.versions.folder.mkdir(exist_ok=True)
        self.heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.updates = UpdateFetcher(
            self.versions,
            Programs(runs, version),
            "127.0.0.1",
            keep=self._keep,
            put=self.heard.put,
            log=Log("table", io.StringIO()),
            random=Random(1),
        )

    def _keep(self, content: bytes, then: Callable[[], None]) -> None:
        self.versions.choice_path.write_bytes(content)
        then()

    def fetched(self, now_ns: int = 0) -> UpdateFetched:
        event = self.heard.get(timeout=PATIENCE_S)
        assert isinstance(event, UpdateFetched)
        self.updates.take_fetched(event, now_ns)
        return event


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub()
    yield hub
    hub.server.shutdown()
    hub.server.server_close()


def test_at_rest_a_version_is_fetched_and_the_program_ends_for_it(tmp_path: Path, hub: Hub) -> None:
    table, content = Table(tmp_path), wheel("0.2.0")
    order = hub.order(content, "0.2.0", seq=4)
    table.updates.take_order(order)
    table.updates.pass_time(False, True, 0)
    assert hub.asked == 0 and "waits" in str(table.updates.state)
    table.updates.pass_time(True, True, 0)
    assert table.fetched().why == ""
    table.updates.pass_time(False, True, 0)
    assert table.heard.empty(), "a game has begun meanwhile"
    table.updates.pass_time(True, True, 0)
    assert isinstance(table.heard.get(timeout=PATIENCE_S), Close)
    name = name_of("0.2.0", order.sha256)
    assert table.versions.choice() == VersionChoice(next=name, must_fit=True, seq=4)
    assert (table.versions.place(name) / "flagfall" / "othello" / "board.py").is_file()
    table.updates.pass_time(True, True, 0)
    assert table.heard.empty(), "once is enough"


def test_fetching_rests_while_a_game_is_on(tmp_path: Path, hub: Hub) -> None:
    table = Table(tmp_path)
    table.updates.take_order(hub.order(wheel("0.2.0"), "0.2.0"))
    hub.may_answer.clear()
    table.updates.pass_time(True, True, 0)
    until(lambda: hub.asked, "the hub is asked")
    table.updates.pass_time(False, True, 0)
    hub.may_answer.set()
    with pytest.raises(queue.Empty):
        table.heard.get(timeout=0.3)
    assert not list(table.versions.folder.iterdir())
    table.updates.pass_time(True, True, 0)
    assert table.fetched().why == ""


@pytest.mark.parametrize(
    ("content", "served", "why"),
    [
        (wheel("0.2.0"), wheel("0.2.0")[:-1] + b"x", "what the hub has signed"),
        (wheel("0.2.0"), wheel("0.2.0") + b"x", "what the hub has signed"),
        (wheel("0.2.0"), b"", "what the hub has signed"),
        (wheel("0.2.1"), None, "expected version 0.2.0, got 0.2.1"),
        (
            wheel("0.2.0", "Requires-Dist: another>=1\n"),
            None,
            "parts that are not installed (another>=1): install the package flagfall-table 0.2.0",
        ),
        (
            wheel(
                "0.2.0",
                'Requires-Dist: msgspec>=99; extra == "table"\nRequires-Dist: hub-only; extra == "hub"\n',
            ),
            None,
            "parts that are not installed (msgspec>=99)",
        ),
        (b"no wheel", None, "expected a wheel"),
    ],
)
def test_what_is_not_what_was_signed_is_not_taken(
    tmp_path: Path, hub: Hub, content: bytes, served: bytes | None, why: str
) -> None:
    table = Table(tmp_path)
    table.updates.take_order(hub.order(content, "0.2.0", served=served))
    table.updates.pass_time(True, True, 0)
    assert why in table.fetched().why and why in str(table.updates.state)
    table.updates.pass_time(True, True, SECOND_NS)
    assert table.heard.empty() and not list(table.versions.folder.iterdir()), "nothing is kept of it"
    assert hub.asked == 1
    table.updates.pass_time(True, True, 2 * AGAIN_NS)
    assert why in table.fetched().why, "asked for once more, later"


def test_a_hub_that_is_away_is_one_line(tmp_path: Path, hub: Hub) -> None:
    table = Table(tmp_path)
    order = hub.order(wheel("0.2.0"), "0.2.0")
    hub.content.clear()
    table.updates.take_order(order)
    table.updates.pass_time(True, True, 0)
    assert table.fetched().why == "0.2.0: Not Found"
    hub.server.shutdown()
    hub.server.server_close()
    table.updates.pass_time(True, True, 2 * AGAIN_NS)
    assert table.fetched().why == "0.2.0: Connection refused", "the system's words, without its number"


def test_neither_what_runs_nor_what_failed_nor_what_is_old_is_taken(tmp_path: Path, hub: Hub) -> None:
    table = Table(tmp_path)
    table.updates.take_order(hub.order(wheel("0.1.0"), "0.1.0"))
    assert table.updates.state is None
    bad = hub.order(wheel("0.3.0"), "0.3.0", seq=6)
    table.versions.keep(VersionChoice(failed=(name_of("0.3.0", bad.sha256),), seq=5))
    table = Table(tmp_path)
    table.updates.take_order(bad)
    assert str(table.updates.state) == "0.3.0 did not come up here"
    table = Table(tmp_path)
    table.updates.take_order(hub.order(wheel("0.2.0"), "0.2.0", seq=4))
    table.updates.pass_time(True, True, 0)
    assert hub.asked == 0, "an order of before is a replay"


def trial(folder: Path, must_fit: bool) -> Table:
    name = name_of("0.2.0", "a" * 64)
    versions = InstalledVersions(folder)
    versions.folder.mkdir()
    versions.keep(VersionChoice(trying=name, tries=1, must_fit=must_fit, seq=3))
    return Table(folder, name, "0.2.0")


@pytest.mark.parametrize(("must_fit", "fit"), [(True, True), (False, False), (False, True)])
def test_a_version_as_fit_as_the_one_before_is_proved(tmp_path: Path, must_fit: bool, fit: bool) -> None:
    table = trial(tmp_path, must_fit)
    table.updates.pass_time(True, fit, 0)
    choice = table.versions.choice()
    assert choice.good == name_of("0.2.0", "a" * 64) and not choice.trying and choice.seq == 3
    assert table.heard.empty()


def test_a_version_that_does_not_become_fit_gives_itself_up(tmp_path: Path) -> None:
    table = trial(tmp_path, must_fit=True)
    table.updates.pass_time(True, False, 0)
    table.updates.pass_time(True, False, TRIAL_NS - 1)
    table.updates.pass_time(False, False, TRIAL_NS + 1)
    assert table.heard.empty(), "not yet; and not while a game is on, which has come meanwhile"
    table.updates.pass_time(True, False, TRIAL_NS)
    assert isinstance(table.heard.get(timeout=PATIENCE_S), Close)
    choice = table.versions.choice()
    assert choice.runs == INSTALLED and choice.failed == (name_of("0.2.0", "a" * 64),)


STARTER = [sys.executable, "-P", "-m", "table_app.starter", "--help"]


def starter_environment(state: Path) -> dict[str, str]:
    return {**os.environ, "FLAGFALL_STATE_DIR": str(state), "PYTHONPATH": ""}


def started(state: Path) -> tuple[list[str], str]:
    """Start the starter's program, which prints where it came from; return its lines and the log."""
    done = subprocess.run(
        STARTER,
        env=starter_environment(state),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.stdout.splitlines(), done.stderr


def test_the_starter_runs_what_is_chosen_and_the_installed_one_whatever_is_wrong(tmp_path: Path) -> None:
    name = name_of("9.0", "9" * 64)
    assert "flagfall-table" in started(tmp_path)[0][0]
    versions = InstalledVersions(tmp_path)
    package = versions.place(name) / "table_app"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "main.py").write_text("print('the other one')\n")
    versions.keep(VersionChoice(next=name))
    for _ in range(TRIES):
        assert started(tmp_path)[0] == ["the other one"]
    words, log = started(tmp_path)
    assert "flagfall-table" in words[0] and "given up" in log
    assert versions.choice().failed == (name,) and not versions.place(name).exists()
    for wrong in (b"nonsense", choice_bytes(VersionChoice(good=name)), json.dumps({"failed": []}).encode()):
        versions.choice_path.write_bytes(wrong)
        assert "flagfall-table" in started(tmp_path)[0][0]
    assert "flagfall-table" in started(Path("/dev/null"))[0][0]


def test_on_a_disk_that_cannot_be_written_nothing_new_is_tried(tmp_path: Path) -> None:
    needs_machine("it makes a file system read-only")
    versions = InstalledVersions(tmp_path)
    good, new = (name_of(version, "a" * 64) for version in ("9.0", "9.1"))
    for name in (good, new, "left-over"):
        package = versions.place(name) / "table_app"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "main.py").write_text(f"print({name!r})\n")
    versions.keep(VersionChoice(good=good, next=new))
    readonly = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", readonly, str(tmp_path), *STARTER],
        env=starter_environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.stdout == f"{good}\n" and "nothing new is tried" in done.stderr
