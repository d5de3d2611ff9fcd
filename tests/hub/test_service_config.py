"""Tests of a hub's settings: the order of places, and one line for whatever is wrong."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from helpers.night import rows_by_night
from helpers.waiting import PATIENCE_S

from flagfall.base.errors import Failed, Invalid
from hub.config import Config, read_config
from hub.tables.devices import Devices
from hub.web.serving import reachable_address


def config_of(arguments: list[str], environment: dict[str, str], file: Path) -> object:
    return read_config(arguments, environment, system_file=file)


def test_command_line_before_environment_before_file_before_default(tmp_path: Path) -> None:
    file = tmp_path / "hub.toml"
    file.write_text('state_dir = "/a"\nweb_port = 1\nbroker_port = 2\nweb_host = "0.0.0.0"\n')
    environment = {"FLAGFALL_WEB_PORT": "3", "FLAGFALL_BROKER_PORT": "4"}
    config = read_config(["--broker-port", "5"], environment, system_file=file)
    assert (config.web_port, config.broker_port, config.web_host) == (3, 5, "0.0.0.0")
    assert (config.ledger, config.broker_host) == (Path("/a/ledger.sqlite"), "127.0.0.1")
    other = tmp_path / "other.toml"
    other.write_text("web_port = 9\n")
    assert read_config(["--config", str(other)], {}, system_file=file).web_host == "127.0.0.1"


def test_the_address_that_is_told_is_one_that_a_phone_can_go_to() -> None:
    assert [reachable_address(host) for host in ("10.0.0.2", "::1")] == ["10.0.0.2", "::1"]
    assert {reachable_address(host) for host in ("0.0.0.0", "::")}.isdisjoint({"0.0.0.0", "::"})


def test_help_names_every_key_and_says_what_it_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read_config(["--help"], {})
    output = " ".join(capsys.readouterr().out.split())
    for key in fields(Config):
        option = f"--{key.name.replace('_', '-')} {key.name.rpartition('_')[2].upper()}"
        assert re.search(rf"{option} [a-z]", output), option


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("colour = 1", "colour: unknown key"),
        ("web_port = 70000", "web_port: expected a port 0 to 65535, got 70000"),
        ("web_port = true", "web_port: expected a port"),
        ('web_port = "http"', "web_port: expected a port"),
        ("state_dir = 3", "state_dir: expected a text"),
        ('broker = "best"', "broker: expected one of embedded, external"),
        ('broker = "external"', "broker_identity: expected a file"),
        ("web_port = ", "expected TOML"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "hub.toml"
    file.write_text(text)
    with pytest.raises(Invalid) as fault:
        read_config(["--config", str(file)], {})
    assert reason in str(fault.value) and "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--config", "/nowhere/hub.toml"], "/nowhere/hub.toml: expected a readable file"),
        *rows_by_night(
            (["--web-port", "many"], "--web-port: expected a port"),
            (["--speed", "9"], "unrecognized arguments"),
        ),
        (["--state-dir", "/proc/nothing"], "state_dir: expected a folder to write to"),
    ],
)
def test_the_program_ends_with_status_2_and_one_line(arguments: list[str], reason: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FLAGFALL_")}
    done = subprocess.run(
        [sys.executable, "-m", "hub.main", "run", "--web-port", "0", *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env=environment,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 2, done.stderr
    assert reason in done.stderr and done.stderr.count("\n") == 1 and done.stdout == ""


def test_the_registry_keeps_keys_to_itself_and_its_count_for_good(tmp_path: Path) -> None:
    file = tmp_path / "devices.json"
    devices = Devices(file)
    key = bytes(range(32))
    token = devices.enroll("t1", key, 1)
    devices.enroll("t2", bytes(32))
    assert file.stat().st_mode & 0o777 == 0o600
    assert devices.tokens["t1"] == token and token not in repr(devices.all)
    assert [devices.reserve_seq(), devices.reserve_seq(above=10), devices.reserve_seq()] == [1, 11, 12]
    again = Devices(file)
    assert (again.reserve_seq(), again.seats, again.key("t1")) == (13, {1: "t1"}, key)
    file.chmod(0o644)
    with pytest.raises(Failed, match="chmod 600"):
        Devices(file)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format":"flagfall-devices/1"}',
        '{"format":"flagfall-devices/1","seq":1,"devices":[{}]}',
    ],
)
def test_a_broken_registry_is_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "devices.json"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(Invalid) as fault:
        Devices(file)
    assert str(fault.value).startswith(f"{file}: ") and "\n" not in str(fault.value)
