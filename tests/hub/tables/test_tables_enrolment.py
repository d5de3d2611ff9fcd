"""Codes for new devices: used once, short-lived, of no use to a listener on the network."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_files import tournament_file
from helpers.hub_process import Table
from helpers.waiting import PATIENCE_S, until

from flagfall.base.pin import is_pin
from flagfall.link.enrolment import OTHER_SEAL, SEAL, digest, new_code, read_stick, seal_key, unseal
from flagfall.link.identity import Identity
from flagfall.link.keys import new_key, public_key
from hub.form.tournament import tournament_from_json
from hub.main import main
from hub.record.acts.devices import DeviceEnrolled
from hub.record.state import TournamentState
from hub.tables.devices import Devices, Offers, key_entries
from hub.text import Refused
from hub.venue.names import network_name

S = 1_000_000_000


@pytest.fixture
def devices(tmp_path: Path) -> Devices:
    return Devices(tmp_path / "devices.json")


def test_a_code_is_claimed_once_and_in_time(devices: Devices) -> None:
    now_ns = [0]
    offers = Offers(lambda: now_ns[0], devices)
    offer = offers.offer("t1", 1, False, 60)
    other = offers.offer("t2", None, True, 60)
    assert offer.code not in repr(offer)
    assert offers.find(digest(new_code())) is None
    assert offers.find(digest(offer.code)) == offer
    offers.use_up(offer)
    assert offers.find(digest(offer.code)) is None
    now_ns[0] = 60 * S
    assert offers.find(digest(other.code)) is None


def test_a_new_code_for_a_device_ends_the_old_one(devices: Devices) -> None:
    offers = Offers(lambda: 0, devices)
    old, new = offers.offer("t1", 1, False, 60), offers.offer("t1", 1, False, 60)
    assert offers.find(digest(old.code)) is None
    assert offers.find(digest(new.code)) == new


def test_who_gave_a_key_to_the_hub_stays_with_the_device(devices: Devices, tmp_path: Path) -> None:
    offer = Offers(lambda: 0, devices).offer("t1", 1, False, 60)
    devices.claim(offer, public_key(new_key()), lambda token, pins: "sealed")
    devices.enroll("t2", public_key(new_key()), 2)
    devices.forget_answer("t1")
    devices.prepare("t1", 1, again=True)  # keeps its key until it has enrolled itself again
    state = TournamentState("open", tournament_from_json(tournament_file(2)), enrolled={"t1": "", "t2": ""})
    for known in (devices, Devices(tmp_path / "devices.json")):
        recorded = {
            entry.device: entry.by for entry in key_entries(state, known) if isinstance(entry, DeviceEnrolled)
        }
        assert recorded == {"t1": "device", "t2": "api"}
    devices.enroll("t1", public_key(new_key()), 1, again=True)
    assert devices.enrolled_by("t1") == "api" and devices.enrolled_by("nobody") is None


@pytest.mark.parametrize(
    ("device", "seat"), [("a:b", 1), ("x/y", 1), ("t1\n", 1), ("hub", 1), ("t1", 10_001), ("t1", 2)]
)
def test_no_code_is_made_for_what_could_not_be_enrolled_with_it(
    devices: Devices, device: str, seat: int
) -> None:
    devices.enroll("t2", bytes(32), 2)
    with pytest.raises(Refused, match=r"^(device|seat): expected "):
        Offers(lambda: 0, devices).offer(device, seat, False, 60)


def test_no_more_codes_are_open_than_a_hub_can_mean(devices: Devices) -> None:
    offers = Offers(lambda: 0, devices)
    for number in range(1000):
        offers.offer(f"t{number}", None, False, 60)
    with pytest.raises(ValueError, match="1000"):
        offers.offer("one more", None, False, 60)


KEY = new_key()


def shown(code: str, key: bytes = KEY) -> bytes:
    """Return what a device with this private key shows to claim a code."""
    sealed = base64.b64encode(seal_key(code, public_key(key))).decode()
    return json.dumps({"digest": digest(code), "key": sealed, "seal": SEAL}).encode()


def claim(hub: Any, body: bytes, host: str | None = None) -> tuple[int, Any]:
    headers = {} if host is None else {"Host": host}
    request = urllib.request.Request(f"{hub.page}/enrol", body, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.load(refusal)


def test_a_device_gets_its_package_with_the_code_and_is_shut_out_when_lost(hub: Any) -> None:
    assert hub.ask("POST", "enrolments", {"device": "t1"}, token="wrong")[0] == 401
    enrolment = hub.call("POST", "enrolments", {"device": "t1", "seat": 1})
    code = enrolment["code"]
    status, answer = claim(hub, shown(code))
    assert status == 200
    package = unseal(code, base64.b64decode(answer["sealed"]))
    assert (package.device, package.broker_host) == ("t1", "127.0.0.1")
    assert package.broker_port == hub.ports["broker_port"] and not package.tls
    # Its PIN is told to whoever made the code, to the table, and to nobody else who asks or reads the log.
    assert package.settings["judge_pin"] == enrolment["judge_pin"] and is_pin(enrolment["judge_pin"])
    assert (
        is_pin(package.settings["director_pin"])
        and package.settings["director_pin"] != enrolment["judge_pin"]
    )
    assert enrolment["judge_pin"] not in json.dumps(hub.call("GET", "devices"))
    kept = Devices(hub.folder / "devices.json")
    # The broker's address is the hub's own: its name travels too, since the address may be another tomorrow.
    assert package.settings == {**kept.settings("t1"), "broker_name": network_name()}
    assert (hub.folder / "devices.json").stat().st_mode & 0o077 == 0
    assert claim(hub, shown(code)) == (200, answer), "the answer may have been lost"
    assert claim(hub, shown(code, new_key()))[0] == 404

    table = Table(Identity(package.device, KEY, package.token, package.hub), hub.ports["broker_port"])
    hub.tables.append(table)
    table.wait_up()
    assert hub.ask("POST", "enrolments", {"device": "t1"})[0] == 400, "enrolled already"
    assert main(["venue", "revoke", "t1", "--state-dir", str(hub.folder)]) == 0
    assert hub.call("GET", "devices")["devices"] == []
    until(lambda: "refuses" in table.link.problem)
    assert hub.ask("DELETE", "devices/t1")[0] == 400


def test_a_hub_seals_no_brokers_address_that_is_not_its_own(hub: Any) -> None:
    # Whoever stands between a table and the hub can write any Host into a plain request.
    for number, (named, sealed) in enumerate(
        (
            ("localhost:8000", "localhost"),
            ("127.0.0.1", "127.0.0.1"),
            ("broker.attacker.example", "127.0.0.1"),
            ("10.9.8.7:8000", "127.0.0.1"),
            ("flagfall-hub.local.attacker.example", "127.0.0.1"),
            ("[::1", "127.0.0.1"),
            ("", "127.0.0.1"),
        )
    ):
        code = hub.call("POST", "enrolments", {"device": f"t{number}"})["code"]
        status, answer = claim(hub, shown(code), named)
        assert status == 200, (named, answer)
        assert unseal(code, base64.b64decode(answer["sealed"])).broker_host == sealed, named


def test_a_table_with_another_seal_is_told_so_and_its_code_stays_open(hub: Any) -> None:
    code = hub.call("POST", "enrolments", {"device": "t1", "seat": 1})["code"]
    status, answer = claim(hub, json.dumps({"digest": digest(code)}).encode())
    assert (status, answer) == (409, {"error": OTHER_SEAL})
    assert claim(hub, shown(code))[0] == 200


def test_whatever_is_claimed_is_answered_in_one_line(hub: Any) -> None:
    for body in (
        b"",
        b"{}",
        b"\xff",
        b"[1]",
        b'{"digest": 5}',
        b'{"digest": "x", "seal": 3}',
        b"[" * 900,
        b"x" * 5000,
    ):
        status, answer = claim(hub, body)
        assert status in (400, 404, 413), body
        assert "\n" not in answer["error"]
    asked: tuple[dict[str, Any], ...] = (
        {},
        {"device": "a/b"},
        {"device": "t1", "lifetime_s": 10**9},
        {"device": "t1", "again": "yes"},
    )
    for wanted in asked:
        status, answer = hub.ask("POST", "enrolments", wanted)
        if status == 201:  # the name is looked at when the code is claimed
            status, answer = claim(hub, shown(answer["code"]))
        assert status >= 400 and "\n" not in answer["error"], wanted


def test_venue_commands_with_bad_arguments_are_one_line(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    state = f"--state-dir={tmp_path / 'state'}"
    stick = ["venue", "stick", str(tmp_path), "--host", "h", state]
    password = tmp_path / "password"
    password.write_text("short\n")
    for arguments in (
        ["venue"],
        ["venue", "init"],
        ["venue", "init", str(tmp_path / "v"), "--port", "0"],
        ["venue", "init", str(tmp_path / "v"), "--nonsense"],
        [*stick, "--tables", "0"],
        [*stick, "--tables", "many"],
        [*stick, "--tables", "1", "--judge-pin", "4711"],
        [*stick, "--tables", "1", "--judge-pin-file", str(tmp_path / "none")],
        [*stick, "--tables", "1", "--judge-pin-file", str(password)],
        [*stick, "--tables", "1", "--network", "Hall"],
        [*stick, "--tables", "1", "--network", "Hall", "--network-password", str(password)],
        [*stick, "--tables", "1", "--venue", str(tmp_path / "no-venue")],
        ["venue", "stick", str(tmp_path / "nowhere"), "--tables", "1", "--host", "h", state],
        ["venue", "revoke", "nobody", state],
    ):
        assert main(arguments) == 2, arguments
        assert capsys.readouterr().err.count("\n") == 1, arguments
    assert main([*stick, "--tables", "3"]) == 0
    made = [read_stick(file.read_bytes()) for file in (tmp_path / "flagfall").glob("*.enrolment")]
    assert {file.hub for file in made} == {"http://h:8000"} and len({file.code for file in made}) == 3
    devices = Devices(tmp_path / "state" / "devices.json")
    settings = [devices.settings(file.device) for file in made]
    assert len({pins["judge_pin"] for pins in settings}) == 3, "each has its own"
    assert len({pins["director_pin"] for pins in settings}) == 1, "the director has one"
    assert main([*stick, "--tables", "1"]) == 0, "a table that has not enrolled itself gets another code"
    devices = Devices(tmp_path / "state" / "devices.json")
    devices.enroll("table-01", bytes(32), 1)
    assert main([*stick, "--tables", "1"]) == 2, "an enrolled table keeps its key unless it is meant"
    assert main([*stick, "--tables", "1", "--again"]) == 0


def test_a_pin_is_made_chosen_and_changed(tmp_path: Path) -> None:
    devices = Devices(tmp_path / "devices.json")
    devices.enroll("t1", bytes(32))
    first = devices.settings("t1")
    assert is_pin(first["judge_pin"]) and len(first["judge_pin"]) == 6
    devices.enroll("t1", bytes(32), again=True, judge_pin="4711")
    assert devices.settings("t1") == {"judge_pin": "4711", "director_pin": first["director_pin"]}
    devices.enroll("t2", bytes(32), director_pin="99887766")
    pins: tuple[dict[str, Any], ...] = (
        {"judge_pin": "99887766"},
        {"judge_pin": "47"},
        {"director_pin": "abcd"},
    )
    for wrong in pins:
        with pytest.raises(Refused, match="_pin: expected"):
            devices.enroll("t3", bytes(32), **wrong)
    assert Devices(tmp_path / "devices.json").settings("t1") == {
        "judge_pin": "4711",
        "director_pin": "99887766",
    }
    assert "4711" not in repr(devices.all)


def test_a_code_on_a_card_holds_over_restarts_until_its_table_has_enrolled_itself(
    new_hub: Any, tmp_path: Path
) -> None:
    hub = new_hub(tmp_path / "hub")
    assert (
        main(["venue", "stick", str(tmp_path), "--tables", "1", "--host", "h", f"--state-dir={hub.folder}"])
        == 0
    )
    (file,) = (tmp_path / "flagfall").glob("*.enrolment")
    text = file.read_text("utf-8")
    code = read_stick(text.encode()).code
    hub.start()
    assert hub.call("GET", "devices")["devices"] == [{"device": "table-01", "seat": 1}]
    stolen = shown(code)[:-30] + b'AAAA","seal":3}'
    assert claim(hub, stolen)[0] in (400, 409), (
        "whoever has only seen the digest puts no key of their own there"
    )
    status, answer = claim(hub, shown(code))
    assert status == 200
    package = unseal(code, base64.b64decode(answer["sealed"]))
    assert package.device == "table-01" and package.token not in text
    assert claim(hub, shown(code, new_key()))[0] == 404, "used up"
    kept = (hub.folder / "devices.json").read_text()
    assert public_key(KEY).hex() in kept and KEY.hex() not in kept, "the private key never leaves the table"


def test_a_device_of_the_version_before_keeps_seat_and_pin_and_enrols_again(tmp_path: Path) -> None:
    before = {"device": "t1", "key": "00" * 32, "seat": 4, "judge_pin": "4711"}
    content = {"format": "flagfall-devices/1", "seq": 7, "director_pin": "8822", "devices": [before]}
    file = tmp_path / "devices.json"
    file.write_text(json.dumps(content))
    file.chmod(0o600)
    devices = Devices(file)
    assert (devices.key("t1"), devices.seats, devices.seq, devices.tokens) == (None, {4: "t1"}, 7, {})
    devices.enroll("t1", bytes(range(32)), 4, judge_pin="4711")
    assert Devices(file).key("t1") == bytes(range(32)) and Devices(file).director_pin == "8822"
