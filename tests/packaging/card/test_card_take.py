"""The settings file of a card: network, table and hub find what they read; a fault loses nothing."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path

import pytest
from card.take import SETUP, CardPlaces, settle, take
from image.build import FILES

from flagfall.base.errors import Invalid
from flagfall.link.card import ACCESS_POINT, HUB, TABLE, WIFI, CardSettings, read_card, write_card
from flagfall.link.enrolment import new_code
from hub.config import read_config
from hub.tables.devices import Devices
from table_app.adapters import card_troubles
from table_app.config import load as load_config
from table_app.screen.kit.catalogue import load_words, message_text
from table_app.tools.checks import machine

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def places(tmp_path: Path) -> CardPlaces:
    made = CardPlaces(
        *(tmp_path / name for name in ("boot", "kept", "etc", "usual", "state", "networks", "run"))
    )
    for folder in (made.boot, made.kept, made.etc, made.usual, made.state, made.networks, made.run):
        folder.mkdir()
    for role in (TABLE, HUB):
        for folder in (made.etc, made.usual):
            (folder / f"{role}.toml").write_bytes((ROOT / f"systemd/{role}.toml").read_bytes())
    return made


def _say(places: CardPlaces, card: CardSettings) -> None:
    (places.boot / "flagfall.toml").write_bytes(write_card(card))


def test_a_table_finds_its_hub_its_pin_and_who_it_is(places: CardPlaces) -> None:
    code = new_code()
    _say(
        places,
        CardSettings(TABLE, 7, WIFI, "Hall", "eight letters", hub="10.42.0.1", judge_pin="4711", code=code),
    )
    assert take(places).fault == ""
    config = load_config({}, {}, places.etc / "table.toml")
    assert (config.broker_host, config.judge_pin, config.black_pin) == ("10.42.0.1", "4711", 17)
    assert (places.run / "code").read_text() == f"{code} http://10.42.0.1:8000\n"
    assert "mode=infrastructure" in (places.networks / "flagfall.nmconnection").read_text()
    assert (places.networks / "flagfall.nmconnection").stat().st_mode & 0o077 == 0
    assert (places.run / TABLE).exists() and not (places.run / HUB).exists()
    assert (places.run / "host-name").read_text() == "flagfall-table-07\n"


def test_a_hub_knows_its_tables_and_makes_their_network(places: CardPlaces, tmp_path: Path) -> None:
    Devices(tmp_path / "devices.json").prepare("table-01", 1)
    devices = (tmp_path / "devices.json").read_text()
    _say(
        places,
        CardSettings(
            HUB, network=ACCESS_POINT, wifi_name="Hall", wifi_password="eight letters", devices=devices
        ),
    )
    take(places)
    assert Devices(places.state / "devices.json").seats == {1: "table-01"}
    config = read_config(["--config", str(places.etc / "hub.toml")], {})
    assert (config.web_host, config.broker_host) == ("0.0.0.0", "0.0.0.0")
    assert config.web_socket == Path("/run/flagfall-hub/web.sock") and config.web_tls_port is None
    assert "mode=ap" in (places.networks / "flagfall.nmconnection").read_text()
    # What the hub has learned since is not undone at the next start.
    Devices(places.state / "devices.json").enroll("table-02", bytes(32), 2)
    take(places)
    assert set(Devices(places.state / "devices.json").seats) == {1, 2}


def test_a_cards_time_zone_is_in_the_environment_of_its_programs(places: CardPlaces) -> None:
    _say(places, CardSettings(HUB, time_zone="Asia/Tokyo"))
    take(places)
    assert (places.run / "time-zone").read_text() == "TZ=Asia/Tokyo\n"
    for role in (HUB, TABLE):
        unit = (FILES / f"etc/systemd/system/flagfall-{role}.service.d/card.conf").read_text()
        assert "[Service]" in unit and "EnvironmentFile=-/run/flagfall-card/time-zone\n" in unit
    _say(places, CardSettings(HUB))
    take(places)
    assert (places.run / "time-zone").read_text() == ""


def test_a_card_without_a_file_asks(places: CardPlaces) -> None:
    assert take(places).card is None
    assert (places.run / "setup").read_text() == ""


def test_a_card_flashed_anew_is_what_it_was(places: CardPlaces) -> None:
    _say(places, CardSettings(TABLE, seat=7))
    take(places)
    (places.boot / "flagfall.toml").unlink()
    outcome = take(places)
    assert outcome.card == CardSettings(TABLE, seat=7) and outcome.fault == ""


def test_a_faulty_file_is_told_and_the_last_good_one_holds(places: CardPlaces) -> None:
    _say(places, CardSettings(TABLE, seat=7))
    take(places)
    (places.boot / "flagfall.toml").write_text('role = "table"\nseat = "seven"\n')
    outcome = take(places)
    assert outcome.card == CardSettings(TABLE, seat=7)
    assert "seat: expected" in (places.run / TABLE).read_text()


def test_a_faulty_file_on_a_new_card_is_told_on_the_screen(places: CardPlaces) -> None:
    (places.boot / "flagfall.toml").write_text('role = "clock"\n')
    assert take(places).card is None
    assert (places.run / "setup").read_text().startswith("flagfall.toml: role: expected")


def test_a_key_that_the_table_does_not_know_is_told(places: CardPlaces) -> None:
    (places.boot / "flagfall.toml").write_text('role = "table"\n[table]\nblack_pin = 99\n')
    outcome = take(places)
    assert outcome.card is None and "[table] black_pin: expected a GPIO number" in outcome.fault
    assert tomllib.loads((places.etc / "table.toml").read_text())["black_pin"] == 17
    assert not (places.kept / "flagfall.toml").exists()
    _say(places, CardSettings(TABLE, seat=7))
    take(places)
    (places.boot / "flagfall.toml").write_text('role = "table"\n[table]\nlangauge = "fr"\n')
    outcome = take(places)
    assert outcome.card == CardSettings(TABLE, seat=7) and "[table] langauge: unknown key" in outcome.fault


def test_a_key_that_the_hub_does_not_know_is_told(places: CardPlaces) -> None:
    (places.boot / "flagfall.toml").write_text('role = "hub"\n[hub]\nweb_port = 99999\n')
    assert take(places).fault == "flagfall.toml: [hub] web_port: expected a port 0 to 65535, got 99999"


def test_windows_name_marks_and_line_ends_are_taken(places: CardPlaces) -> None:
    """Notepad adds a second ending that Windows hides, CR LF, and a mark in any of its encodings."""
    for coding in ("utf-8-sig", "utf-16"):
        text = 'role = "table"\r\nseat = 7\r\nnetwork = "wifi"\r\nwifi_name = "Café"\r\n'
        (places.boot / "flagfall.toml.txt").write_bytes(text.encode(coding))
        outcome = take(places)
        assert outcome.card == CardSettings(TABLE, 7, WIFI, "Café") and not outcome.fault, coding
    (places.boot / "flagfall.toml.txt").write_bytes(text.encode("cp1252"))
    assert take(places).fault == "flagfall.toml.txt: expected UTF-8, got something else in line 4"
    # Where both are there, the one with the right name holds.
    _say(places, CardSettings(TABLE, seat=8))
    assert take(places).card == CardSettings(TABLE, seat=8)


@pytest.mark.parametrize(
    "role, program, eye", [(TABLE, {"eye": "pi"}, True), (TABLE, {}, False), (HUB, {}, False)]
)
def test_a_camera_that_the_settings_name_has_its_program_started(
    places: CardPlaces, role: str, program: dict[str, str], eye: bool
) -> None:
    _say(places, CardSettings(role, program=program))
    assert take(places).fault == ""
    unit = ROOT / "packaging/image/files/etc/systemd/system/flagfall-eye.service.d/card.conf"
    (awaited,) = re.findall("^ConditionPathExists=/run/flagfall-card/(.*)$", unit.read_text(), re.M)
    assert (places.run / awaited).exists() == eye


def test_a_key_taken_out_of_the_file_is_as_it_was_shipped(places: CardPlaces) -> None:
    _say(places, CardSettings(TABLE, hub="10.42.0.1", judge_pin="4711", program={"black_pin": 5}))
    take(places)
    assert load_config({}, {}, places.etc / "table.toml").black_pin == 5
    _say(places, CardSettings(TABLE))
    take(places)
    config = load_config({}, {}, places.etc / "table.toml")
    assert (config.broker_host, config.judge_pin, config.black_pin) == ("", "", 17)
    now, usual = ((folder / "table.toml").read_text() for folder in (places.etc, places.usual))
    assert tomllib.loads(now) == tomllib.loads(usual)


def test_a_card_that_is_full_starts_as_what_it_was(
    places: CardPlaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    _say(places, CardSettings(TABLE, seat=7, judge_pin="4711"))
    take(places)

    def full(file: Path, content: bytes) -> None:
        raise OSError(ENOSPC, "No space left on device", str(file))

    monkeypatch.setattr("card.take.write_private", full)
    assert take(places).fault == "", "a start that changes nothing writes nothing"
    _say(places, CardSettings(TABLE, seat=8, judge_pin="0815"))
    outcome = take(places)
    assert outcome.card is not None and outcome.fault.endswith("table.toml: No space left on device")
    assert load_config({}, {}, places.etc / "table.toml").judge_pin == "4711"


def test_what_is_wrong_with_a_card_is_told_by_the_table_and_by_the_set_up(places: CardPlaces) -> None:
    (places.run / "not-kept").write_text("the card cannot be written: take another one\n")
    old = os.umask(0o077)  # the unit's
    try:
        take(places)
        _say(places, CardSettings(TABLE))
        take(places)
    finally:
        os.umask(old)
    # Other users read them.
    assert {(places.run / name).stat().st_mode & 0o777 for name in (SETUP, TABLE)} == {0o644}
    assert (places.run / SETUP).read_text() == (places.run / TABLE).read_text()
    (why,) = card_troubles(places.run)
    assert message_text(why, load_words()) == "This card: the card cannot be written: take another one"
    (places.run / TABLE).write_text("")
    assert card_troubles(places.run) == card_troubles(places.run / "nowhere") == ()


def test_a_card_that_becomes_another_device_is_that_one(places: CardPlaces) -> None:
    for name in ("table-01", "table-02"):
        code = new_code()
        _say(places, CardSettings(TABLE, code=code))
        take(places)
        assert (places.run / "code").read_text().startswith(code), f"{name} is to enrol itself"
        (places.run / "code").rename(places.kept / "claimed")
        take(places)
        assert not (places.run / "code").exists(), "it has"


def test_a_card_taken_off_the_wireless_network_forgets_it(places: CardPlaces) -> None:
    _say(places, CardSettings(TABLE, network=WIFI, wifi_name="Hall"))
    take(places)
    _say(places, CardSettings(TABLE))
    take(places)
    assert not (places.networks / "flagfall.nmconnection").exists()


def test_the_screens_answers_become_the_file_and_a_faulty_one_stays_beside_it(
    places: CardPlaces, tmp_path: Path
) -> None:
    (places.boot / "flagfall.toml").write_text("role = clock\n")
    (tmp_path / "answers").write_bytes(write_card(CardSettings(TABLE, seat=3)))
    settle(places, tmp_path / "answers")
    assert take(places).card == CardSettings(TABLE, seat=3)
    assert (places.boot / "flagfall.before").read_text() == "role = clock\n"
    assert read_card((places.boot / "flagfall.toml").read_bytes()).seat == 3


def test_the_screens_answers_hold_though_the_first_partition_cannot_be_written(
    places: CardPlaces, tmp_path: Path
) -> None:
    (places.boot / "flagfall.toml").mkdir()  # nothing can be written there, by root neither
    (tmp_path / "answers").write_bytes(write_card(CardSettings(TABLE, seat=3)))
    settle(places, tmp_path / "answers")
    assert "flagfall.toml: " in (places.run / SETUP).read_text()
    outcome = take(places)
    assert outcome.card == CardSettings(TABLE, seat=3) and "Is a directory" in outcome.fault


def test_answers_that_are_none_do_not_get_there(places: CardPlaces, tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("role = clock\n")
    with pytest.raises(Invalid):
        settle(places, tmp_path / "answers")
    assert not (places.boot / "flagfall.toml").exists()


def test_a_code_is_claimed_once(places: CardPlaces) -> None:
    _say(places, CardSettings(TABLE, hub="10.42.0.1", code="K7QD-3MR9-0XTA-5WNE"))
    take(places)
    assert (places.run / "code").read_text() == "K7QD-3MR9-0XTA-5WNE http://10.42.0.1:8000\n"
    # /usr/lib/flagfall/claim keeps it when the hub has taken it.
    (places.run / "code").replace(places.kept / "claimed")
    take(places)
    assert not (places.run / "code").exists()
    _say(places, CardSettings(TABLE, code="0000-3MR9-0XTA-5WNE"))
    take(places)
    assert (places.run / "code").read_text() == "0000-3MR9-0XTA-5WNE http://flagfall-hub.local:8000\n"


def _machine(proc: Path, model: str, memory_kb: int) -> None:
    (proc / "device-tree").mkdir(parents=True)
    (proc / "device-tree" / "model").write_text(f"{model}\0", "ascii")
    (proc / "meminfo").write_text(f"MemTotal:       {memory_kb:>7} kB\nMemFree:          1234 kB\n", "ascii")


@pytest.mark.parametrize(
    ("model", "memory_kb"),
    [("Raspberry Pi Zero 2 W Rev 1.0", 435_020), ("Raspberry Pi 3 Model A Plus Rev 1.0", 462_000)],
)
def test_a_pi_with_too_little_memory_is_refused_in_one_line(
    places: CardPlaces, tmp_path: Path, model: str, memory_kb: int
) -> None:
    _say(places, CardSettings(TABLE, 7))
    _machine(tmp_path / "proc", model, memory_kb)
    taken = take(replace(places, proc=tmp_path / "proc"))
    line = f"{model}: {memory_kb // 1000} MB of memory, expected 1 GB: a Raspberry Pi 3 B, 4 or 5"
    assert (taken.card, taken.fault) == (None, line)
    assert (places.run / SETUP).read_text("utf-8") == line + "\n"
    assert not (places.run / TABLE).exists()
    check = machine(tmp_path / "proc")
    assert (check.ok, check.what) == (False, line)
    # The settings are untouched: the same card works in a larger machine.
    assert take(places).card == CardSettings(TABLE, 7)


@pytest.mark.parametrize("meminfo", [None, "", "MemTotal:", "MemTotal: x kB", "MemTotal:  905000 kB"])
def test_a_machine_that_is_large_enough_or_does_not_say_is_taken(
    places: CardPlaces, tmp_path: Path, meminfo: str | None
) -> None:
    _say(places, CardSettings(TABLE, 7))
    if meminfo is not None:
        (tmp_path / "meminfo").write_text(meminfo, "ascii")
    assert take(replace(places, proc=tmp_path)).fault == ""
    assert machine(tmp_path).ok
