"""A device becomes one of a hub's: from a stick, or with a code."""

from __future__ import annotations

import base64
import json
import threading
import tomllib
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest
from helpers.no_files import NO_FILES

import table_app.hub_link.enrol
from flagfall.base.errors import Failed, Invalid
from flagfall.link import identity as identities
from flagfall.link.enrolment import OTHER_SEAL, SEAL, Package, Stick, digest, new_code, seal, unseal_key
from flagfall.link.identity import ALONE, Identity, create, load, save
from table_app.adapters import identity
from table_app.config import load as load_config
from table_app.config import simulated
from table_app.hub_link.claim_key import ClaimKey
from table_app.hub_link.enrol import NO_ANSWER, NoAnswer, enrol, state_dir_of, with_settings
from table_app.main import main
from table_app.options import config_of, run_parser
from table_app.record.state_dir import StateDirectory
from table_app.update.versions import InstalledVersions, VersionChoice, name_of

HUB = bytes(range(32))


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def package(device: str = "table-01", **settings: str) -> Package:
    tls = {"ca.pem": "authority", "certificate.pem": "certificate", "key.pem": "key"}
    return Package(device, "a token", HUB, "hub.local", 8883, tls, settings)


def on_stick(folder: Path, hub: str, device: str = "table-01", **settings: str) -> None:
    """Put a table's code on a stick; the hub answers it with a package."""
    code = new_code()
    FakeHub.packages[code] = package(device, **settings)
    file = Stick(device=device, code=code, hub=hub, network="Hall", network_password="a;b\\c 12")
    (folder / f"{device}.enrolment").write_bytes(msgspec.json.encode(file))


@pytest.fixture
def stick(tmp_path: Path, hub: str) -> Path:
    folder = tmp_path / "stick" / "flagfall"
    folder.mkdir(parents=True)
    for number in (1, 2):
        on_stick(folder, hub, f"table-{number:02}", judge_pin="1234")
    return tmp_path / "stick"


def test_each_device_takes_its_own_from_the_stick(stick: Path, tmp_path: Path) -> None:
    networks = tmp_path / "networks"
    networks.mkdir()
    for number in (1, 2):
        state, config_file = tmp_path / f"state{number}", tmp_path / f"etc{number}" / "table.toml"
        line = enrol(str(stick), "", state, config_file, again=False, networks=networks)
        assert line == f"this is table-{number:02} of the hub at hub.local:8883"
        assert load(state / "identity").device == f"table-{number:02}"
        key = state / "tls" / "key.pem"
        assert key.read_text() == "key" and key.stat().st_mode & 0o777 == 0o600
        config = load_config({"buttons": "keys", "screen": "none", "state_dir": str(state)}, {}, config_file)
        assert (config.broker_host, config.broker_port, config.judge_pin) == ("hub.local", 8883, "1234")
        assert config.tls == state / "tls"
    assert list((stick / "flagfall").iterdir()) == [], "nobody finds a key on the stick afterwards"
    network = networks / "flagfall.nmconnection"
    assert network.stat().st_mode & 0o777 == 0o600
    assert f"ssid={';'.join(str(byte) for byte in b'Hall')};\n" in network.read_text()
    assert "psk=a;b\\\\c 12\n" in network.read_text()
    with pytest.raises(Invalid, match="there is none"):
        enrol(str(stick), "", tmp_path / "state3", tmp_path / "c", again=False)


def test_a_table_waits_for_a_hub_that_is_not_there_yet(
    stick: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The code stays on the stick, so that the service can show it again; a refusal is final."""
    enrolment = stick / "flagfall" / "table-01.enrolment"
    fields = json.loads(enrolment.read_bytes())
    command = ["enrol", str(stick), "--state-dir", str(tmp_path / "s")]
    enrolment.write_text(json.dumps(fields | {"hub": "http://127.0.0.1:9"}))
    assert main(command) == NO_ANSWER
    line = capsys.readouterr().err
    assert line == "flagfall-table enrol: http://127.0.0.1:9: no answer: Connection refused\n"
    assert sorted(file.name for file in enrolment.parent.iterdir()) == [
        "table-01.enrolment",
        "table-02.enrolment",
    ]
    enrolment.write_text(json.dumps(fields))
    assert main(command) == 0
    assert load(tmp_path / "s" / "identity").device == "table-01"
    assert main(command) == 2, "it is enrolled now"


def test_an_enrolled_device_stays_what_it_is(stick: Path, tmp_path: Path) -> None:
    """Unless it was a clock without a hub before, which has a key of its own making."""
    state, config_file = tmp_path / "state", tmp_path / "table.toml"
    state.mkdir()
    alone = create(ALONE)
    save(alone, state / "identity")
    enrol(str(stick), "", state, config_file, again=False, networks=tmp_path)
    with pytest.raises(Failed, match="enrolled already"):
        enrol(str(stick), "", state, config_file, again=False, networks=tmp_path)
    enrolled = load(state / "identity")
    assert enrolled == Identity("table-01", alone.key, "a token", HUB), (
        "the key that it made at its first start"
    )
    assert FakeHub.keys == {"table-01": alone.public}
    enrol(str(stick), "", state, config_file, again=True, networks=tmp_path)
    again = load(state / "identity")
    assert again.device == "table-02" and again.key != alone.key, "new keys"


def test_what_the_hub_before_had_said_is_forgotten(stick: Path, tmp_path: Path) -> None:
    """A new hub counts from the start, and so would go unheard: after games of its own a table has counted on."""
    state = tmp_path / "state"
    state.mkdir()
    (state / "table.json").write_text('{"seq": 50}')
    versions = InstalledVersions(state)
    versions.folder.mkdir()
    good = name_of("0.2.0", "a" * 64)
    versions.keep(VersionChoice(good=good, seq=70))
    enrol(str(stick), "", state, tmp_path / "table.toml", again=False, networks=tmp_path)
    assert not (state / "table.json").exists()
    assert versions.choice() == VersionChoice(good=good)
    versions.choice_path.write_text("nonsense")
    enrol(str(stick), "", state, tmp_path / "table.toml", again=True, networks=tmp_path)
    assert versions.choice() == VersionChoice()


def test_what_stands_in_the_configuration_stays(tmp_path: Path) -> None:
    before = (
        '# pins of this case\nblack_pin = 17\nbroker_host = "old"\n  judge_pin="0000"\nstate_dir = "/s"\n'
    )
    after = with_settings(before, {"broker_host": 'a"b\\', "broker_port": 8883, "judge_pin": "1234"})
    assert tomllib.loads(after) == {
        "black_pin": 17,
        "broker_host": 'a"b\\',
        "broker_port": 8883,
        "judge_pin": "1234",
        "state_dir": "/s",
    }
    assert "# pins of this case" in after
    assert with_settings(after, {"broker_port": 1}).count("broker_port") == 1
    for text in ("two\nlines\n", "a\x7fb", "a\u2028b", "\\n'''"):
        written = with_settings(after, {"language": text})
        assert tomllib.loads(written)["language"] == text
        assert tomllib.loads(with_settings(written, {"broker_port": 1}))["language"] == text
        assert "language" not in tomllib.loads(with_settings(written, {}, ["language"])), "it is one line"
    file = tmp_path / "table.toml"
    file.write_text(after)
    assert state_dir_of(None, {}, file) == Path("/s")
    assert state_dir_of(None, {"FLAGFALL_STATE_DIR": "/e"}, file) == Path("/e")
    assert state_dir_of("/g", {"FLAGFALL_STATE_DIR": "/e"}, file) == Path("/g")


class FakeHub(BaseHTTPRequestHandler):
    code = ""
    content = b""
    shown: list[str] = []  # noqa: RUF012 (emptied by the fixture)
    packages: dict[str, Package] = {}  # noqa: RUF012 (emptied by the fixture)
    keys: dict[str, bytes] = {}  # noqa: RUF012 (emptied by the fixture)
    # Answers that are given in place of the right ones: status (0: none comes) and body.
    instead: list[tuple[int, bytes]] = []  # noqa: RUF012 (emptied by the fixture)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.shown.append(body["digest"])
        fits, answer = body["digest"] == digest(self.code), self.content
        for code, enrolled in self.packages.items():
            if body["digest"] == digest(code):
                shown = unseal_key(code, base64.b64decode(body["key"]))
                fits = self.keys.setdefault(enrolled.device, shown) == shown
                answer = sealed(code, enrolled)
        status, answer = (200, answer) if fits else (404, b'{"error": "code: expected one that is open"}')
        if self.instead:
            status, answer = self.instead.pop(0)
            if not status:
                return  # the answer is lost
        self.send_response(status)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[str]:
    FakeHub.code, FakeHub.shown, FakeHub.packages, FakeHub.keys = new_code(), [], {}, {}
    FakeHub.instead = []
    server = HTTPServer(("127.0.0.1", 0), FakeHub)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def sealed(code: str, content: Package) -> bytes:
    return json.dumps({"sealed": base64.b64encode(seal(code, content)).decode(), "seal": SEAL}).encode()


def test_a_code_brings_the_package_and_is_never_shown_itself(hub: str, tmp_path: Path) -> None:
    FakeHub.content = sealed(FakeHub.code, package())
    line = enrol(FakeHub.code.lower(), hub, tmp_path / "s", tmp_path / "c", again=False)
    assert "table-01" in line
    (shown,) = FakeHub.shown
    assert FakeHub.code.replace("-", "") not in shown.upper()


def test_a_hub_that_does_not_know_the_code_cannot_answer(
    hub: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody else answers in the hub's place: he does not know what to seal with."""
    answers = [
        sealed(new_code(), package()),
        sealed(FakeHub.code, package(judge_pin="12")),
        b"{}",
        b"\xff",
        b'{"sealed": 5}',
        b'{"sealed": "=="}',
    ]
    state = tmp_path / "s"
    for FakeHub.content in answers:
        arguments = [
            "enrol",
            FakeHub.code,
            "--hub",
            hub,
            "--state-dir",
            str(state),
            "--config",
            str(tmp_path / "c"),
        ]
        assert main(arguments) == 2
        assert capsys.readouterr().err.count("\n") == 1
    wrong = ["enrol", new_code(), "--hub", hub, "--state-dir", str(state), "--config", str(tmp_path / "c")]
    assert main(wrong) == 2
    assert "code: expected" in capsys.readouterr().err
    for code, address in (("nonsense", hub), (FakeHub.code, "http://127.0.0.1:9"), (FakeHub.code, "ftp://x")):
        arguments = [
            "enrol",
            code,
            "--hub",
            address,
            "--state-dir",
            str(state),
            "--config",
            str(tmp_path / "c"),
        ]
        assert main(arguments) == (NO_ANSWER if code == FakeHub.code and address.endswith(":9") else 2)
        assert capsys.readouterr().err.count("\n") == 1
    assert not (state / "identity").exists()


def test_a_hub_with_another_seal_is_refused(hub: str, tmp_path: Path) -> None:
    FakeHub.content = json.dumps({"sealed": base64.b64encode(b"x" * 80).decode()}).encode()
    with pytest.raises(Failed, match=OTHER_SEAL):
        enrol(FakeHub.code, hub, tmp_path / "s", tmp_path / "c", again=False)


def test_a_strange_package_changes_nothing(tmp_path: Path, hub: str) -> None:
    folder = tmp_path / "stick"
    folder.mkdir()
    on_stick(folder, hub, judge_pin="12")
    with pytest.raises(Invalid) as refused:
        enrol(str(folder), "", tmp_path / "s", tmp_path / "c", again=False)
    assert "\n" not in str(refused.value)
    assert names(folder) == ["table-01.enrolment"]
    assert not (tmp_path / "s" / "identity").exists()
    assert not (tmp_path / "c").exists()


def test_with_a_state_folder_nothing_is_written_elsewhere_and_a_simulated_table_is_the_same(
    tmp_path: Path, hub: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usual, state = tmp_path / "etc" / "table.toml", tmp_path / "s"
    for place in ("table_app.config", "table_app.hub_link.enrol"):
        monkeypatch.setattr(f"{place}.DEFAULT_FILE", usual)
    stick = tmp_path / "stick"
    stick.mkdir()
    on_stick(stick, hub)
    assert main(["enrol", str(stick), "--state-dir", str(state)]) == 0
    assert f"next: flagfall-table run --state-dir {state} " in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s", "stick"]
    simulated_ones = config_of(run_parser().parse_args(["--simulate", "--state-dir", str(state)]))
    assert simulated_ones.broker_host == "hub.local"
    there = simulated(simulated_ones)
    assert identity(there, StateDirectory(there.state_dir)).device == "table-01"
    alone = config_of(run_parser().parse_args(["--simulate", "--state-dir", str(tmp_path / "other")]))
    assert simulated(alone).state_dir == tmp_path / "other" / "simulate"


class Killed(BaseException):
    """The end of the table's power at some instant."""


def dies(work: Callable[..., Any], after: bool) -> Callable[..., Any]:
    def dead(*arguments: Any, **named: Any) -> Any:
        if after:
            work(*arguments, **named)
        raise Killed

    return dead


STEPS: list[tuple[Any, str]] = [
    (ClaimKey, "show"),
    (urllib.request, "urlopen"),
    (table_app.hub_link.enrol, "install"),
    (identities, "save"),
    (ClaimKey, "installed"),
    (table_app.hub_link.enrol, "_claim"),
    (Path, "unlink"),
]


@pytest.mark.parametrize("way", ["typed", "card", "stick"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS, ids=[name for _, name in STEPS])
def test_a_table_that_loses_its_power_at_any_step_enrols_with_the_same_code_and_key(
    stick: Path, tmp_path: Path, step: tuple[Any, str], after: bool, way: str
) -> None:
    code = str(stick)
    if way != "stick":
        fields = json.loads((stick / "flagfall" / "table-01.enrolment").read_bytes())
        code, hub = fields["code"], fields["hub"]
    else:
        hub = ""
    state, config = tmp_path / "s", tmp_path / "c"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(*step, dies(getattr(*step), after))
        with suppress(Killed):
            enrol(code, hub, state, config, again=way == "card", networks=tmp_path)
    line = enrol(code, hub, state, config, again=way == "card", networks=tmp_path)
    assert line.startswith("this is table-01")
    enrolled = load(state / "identity")
    assert FakeHub.keys == {"table-01": enrolled.public}, "no second code and no second key was used"
    assert enrolled.token == "a token" and tomllib.loads(config.read_text())["broker_host"] == "hub.local"
    assert enrolled.key.hex().encode() not in (state / "claim").read_bytes()
    if way == "stick":
        assert names(stick / "flagfall") == ["table-02.enrolment"]
        assert "table-02" in enrol(code, hub, tmp_path / "s2", tmp_path / "c2", networks=tmp_path)


def test_a_lost_answer_leaves_the_file_to_its_table_and_blocks_nobody(stick: Path, tmp_path: Path) -> None:
    folder = stick / "flagfall"
    FakeHub.instead = [(0, b"")]
    with pytest.raises(NoAnswer):
        enrol(str(stick), "", tmp_path / "s1", tmp_path / "c1", networks=tmp_path)
    ours, free = names(folder)
    assert ours.startswith("table-01.") and ours.endswith(".taken") and free == "table-02.enrolment"
    assert "table-02" in enrol(str(stick), "", tmp_path / "s2", tmp_path / "c2", networks=tmp_path)
    assert "table-01" in enrol(str(stick), "", tmp_path / "s1", tmp_path / "c1", networks=tmp_path)
    assert names(folder) == []


def test_a_used_or_damaged_file_is_put_aside_and_the_next_is_tried(stick: Path, tmp_path: Path) -> None:
    folder = stick / "flagfall"
    FakeHub.keys["table-01"] = b"another table's"
    (folder / "broken.enrolment").write_bytes(b"\0" * 50)
    line = enrol(str(stick), "", tmp_path / "s", tmp_path / "c", networks=tmp_path)
    assert line.startswith("this is table-02 of ")
    assert "put aside: broken: " in line and "put aside: table-01: " in line and line.count("\n") == 0
    assert names(folder) == ["broken.aside", "table-01.aside"]
    with pytest.raises(Invalid, match="there is none"):
        enrol(str(stick), "", tmp_path / "s3", tmp_path / "c3", networks=tmp_path)


@pytest.mark.parametrize("kind", NO_FILES)
def test_a_name_that_leads_to_no_file_is_put_aside_and_the_next_is_tried(
    stick: Path, tmp_path: Path, kind: str
) -> None:
    NO_FILES[kind](stick / "flagfall" / "table-00.enrolment")
    line = enrol(str(stick), "", tmp_path / "state", tmp_path / "table.toml", again=False)
    assert line.startswith("this is table-01") and "table-00: expected a file made by" in line


def test_a_file_that_the_hub_does_not_take_now_stays_and_the_next_is_tried(
    stick: Path, tmp_path: Path
) -> None:
    taken = 409, b'{"error": "seat: expected a free seat, got 1, which has t9"}'
    FakeHub.instead = [taken]
    line = enrol(str(stick), "", tmp_path / "s", tmp_path / "c", networks=tmp_path)
    assert line == "this is table-02 of the hub at hub.local:8883"
    assert names(stick / "flagfall") == ["table-01.enrolment"]
    FakeHub.instead = [taken]
    with pytest.raises(Failed, match="expected a free seat"):
        enrol(str(stick), "", tmp_path / "s2", tmp_path / "c2", networks=tmp_path)
    assert names(stick / "flagfall") == ["table-01.enrolment"]


@pytest.mark.parametrize("status", [400, 404, 405, 500])
def test_something_else_at_the_hubs_address_uses_no_file_up(stick: Path, tmp_path: Path, status: int) -> None:
    FakeHub.instead = [(status, b"<html>Not found</html>")] * 2
    with pytest.raises(Failed, match="refused"):
        enrol(str(stick), "", tmp_path / "s", tmp_path / "c", networks=tmp_path)
    assert names(stick / "flagfall") == ["table-01.enrolment", "table-02.enrolment"]
    assert not (tmp_path / "s" / "identity").exists()


def test_a_hub_that_was_restored_enrols_a_table_with_its_key_again(hub: str, tmp_path: Path) -> None:
    code = new_code()
    FakeHub.packages[code] = package()
    for _ in range(2):
        enrol(code, hub, tmp_path / "s", tmp_path / "c", again=True)
        FakeHub.keys, before = {}, FakeHub.keys
        enrol(code, hub, tmp_path / "s", tmp_path / "c", again=True)
        assert before == FakeHub.keys
