"""`flagfall-hub cards`: one settings file a card, each table known to its hub; into copies of an image too."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
from pathlib import Path

import pytest
from helpers.night import by_night
from image.layout import BOOT, SECTOR, partition_table, root_part

from flagfall.base.pin import is_pin
from flagfall.base.private_file import write_private
from flagfall.link.card import ACCESS_POINT, HUB, TABLE, WIFI, read_card
from flagfall.link.enrolment import digest
from hub.main import main
from hub.tables.devices import Devices


def _cards(folder: Path, *more: str) -> int:
    return main(["cards", str(folder / "cards"), "--state-dir", str(folder / "hub"), *more])


def test_each_table_is_enrolled_and_has_its_file(tmp_path: Path) -> None:
    pin = tmp_path / "pin"
    write_private(pin, b"4711\n")
    assert _cards(tmp_path, "--tables", "3", "--first", "5", "--judge-pin-file", str(pin)) == 0
    devices = Devices(tmp_path / "hub/devices.json")
    for number in (5, 6, 7):
        file = tmp_path / f"cards/table-0{number}/flagfall.toml"
        card = read_card(file.read_bytes())
        assert (card.role, card.seat, card.hub) == (TABLE, number, "flagfall-hub.local")
        device = devices.with_code(digest(card.code))
        assert device is not None and (device.device, device.seat) == (f"table-0{number}", number)
        assert device.key is None, "it makes its key itself"
        assert file.stat().st_mode & 0o077 == 0
        assert devices.settings(device.device)["judge_pin"] == "4711"


@pytest.mark.parametrize("command", [["cards"], ["venue", "stick"]])
def test_the_help_says_that_codes_are_made_again_and_not_keys(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    assert "--again new codes for" in " ".join(capsys.readouterr().out.split())


def test_without_a_file_each_card_has_a_pin_of_its_own(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("998877\n"))
    assert _cards(tmp_path, "--tables", "3", "--director-pin-file", "-") == 0
    devices = Devices(tmp_path / "hub/devices.json")
    pins = [device.judge_pin for device in devices.all]
    assert len(set(pins)) == 3 and all(map(is_pin, pins)) and devices.director_pin == "998877"
    shown = "".join(capfd.readouterr())
    shown += "".join(file.read_text() for file in (tmp_path / "cards").glob("*/flagfall.toml"))
    assert not [pin for pin in pins if pin in shown] and "998877" not in shown


def test_a_hubs_card_knows_the_tables_and_this_machine_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "password").write_text("eight letters\n")
    more = (
        "--network",
        "Hall",
        "--network-password",
        str(tmp_path / "password"),
        "--access-point",
        "--country",
        "FR",
    )
    assert _cards(tmp_path, "--tables", "2", "--hub-card", *more) == 0
    hub = read_card((tmp_path / "cards/hub/flagfall.toml").read_bytes())
    table = read_card((tmp_path / "cards/table-02/flagfall.toml").read_bytes())
    assert (hub.role, hub.network, hub.wifi_name, hub.wifi_country) == (HUB, ACCESS_POINT, "Hall", "FR")
    assert (table.network, table.wifi_password) == (WIFI, "eight letters")
    known = {device["device"]: device for device in json.loads(hub.devices)["devices"]}
    assert known["table-02"]["code"] == table.code and known["table-02"]["key"] is None
    assert not (tmp_path / "hub/devices.json").exists()
    assert hub.setup_code and hub.setup_code in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (("--tables", "0"), "--tables: expected 1 to 500, got 0"),
        (("--tables", "1", "--access-point"), "--access-point: expected --hub-card"),
        (("--tables", "1", "--judge-pin", "4711"), "put the digits into a file: --judge-pin-file FILE"),
        (("--tables", "1", "--judge-pin-file", "/dev/null"), "--judge-pin-file: expected 4 to 8 digits"),
        (("--tables", "1", "--country", "france"), "wifi_country: expected two capital letters"),
        (("--tables", "1", "--network", "Hall"), "--network-password: expected a file"),
        (("--tables", "1", "--image", "none.img"), "none.img: No such file"),
    ],
)
def test_bad_arguments_are_one_line(
    more: tuple[str, ...], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _cards(tmp_path, *more) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and reason in error


@pytest.mark.needs("mtools")
@pytest.mark.parametrize("packed", [True, *by_night(False)])
def test_it_is_put_into_a_copy_of_the_image(packed: bool, tmp_path: Path) -> None:
    root = root_part(1)
    image = tmp_path / "card.img"
    image.write_bytes(partition_table(root))
    subprocess.run(["truncate", "-s", str(root.end * SECTOR), image], check=True)
    formatted = ["mformat", "-i", f"{image}@@{BOOT.start * SECTOR}", "-T", str(BOOT.size), "-F", "::"]
    subprocess.run(formatted, check=True)
    if packed:
        with image.open("rb") as plain, gzip.open(tmp_path / "card.img.gz", "wb", compresslevel=1) as target:
            while piece := plain.read(1 << 22):
                target.write(piece)
        image = tmp_path / "card.img.gz"
    assert _cards(tmp_path, "--tables", "2", "--image", str(image)) == 0
    for number in (1, 2):
        copy = tmp_path / f"cards/table-0{number}.img"
        assert copy.stat().st_size == root.end * SECTOR
        settings = subprocess.run(
            ["mtype", "-i", f"{copy}@@{BOOT.start * SECTOR}", "::flagfall.toml"],
            capture_output=True,
            check=True,
        )
        assert read_card(settings.stdout).seat == number


def test_what_is_no_image_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.img").write_bytes(b"no image" * 1000)
    assert _cards(tmp_path, "--tables", "1", "--image", str(tmp_path / "x.img")) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "expected" in error
