"""The settings file of a card: what is written is read again, and each fault is one line that names its key."""

from __future__ import annotations

import configparser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.errors import Invalid
from flagfall.link.card import (
    ACCESS_POINT,
    CABLE,
    HUB,
    TABLE,
    WIFI,
    CardSettings,
    connection,
    read_card,
    write_card,
)

_NAME = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8)
_PASSWORD = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=63)


@st.composite
def cards(draw: st.DrawFn) -> CardSettings:
    role = draw(st.sampled_from((TABLE, HUB)))
    network = draw(st.sampled_from((CABLE, WIFI) if role == TABLE else (CABLE, WIFI, ACCESS_POINT)))
    wireless = network != CABLE
    return CardSettings(
        role,
        seat=draw(st.none() | st.integers(1, 999)) if role == TABLE else None,
        network=network,
        wifi_name=draw(_NAME) if wireless else "",
        wifi_password=draw(_PASSWORD) if wireless else "",
        wifi_country=draw(st.sampled_from(("", "FR", "JP"))),
        time_zone=draw(st.sampled_from(("", "Europe/Paris", "Asia/Tokyo"))),
        hub=draw(st.sampled_from(("", "flagfall-hub.local"))) if role == TABLE else "",
        judge_pin=draw(st.sampled_from(("", "4711"))) if role == TABLE else "",
        code=draw(st.sampled_from(("", "K7QD-3MR9-0XTA-5WNE"))) if role == TABLE else "",
        program=draw(st.dictionaries(st.sampled_from(("language", "theme")), _NAME, max_size=2)),
    )


@given(cards())
def test_what_is_written_is_read_again(card: CardSettings) -> None:
    assert read_card(write_card(card)) == card


@given(st.binary(max_size=400) | st.text(max_size=200).map(str.encode))
def test_whatever_is_no_card_is_one_line(content: bytes) -> None:
    try:
        read_card(content)
    except Invalid as fault:
        assert str(fault) and "\n" not in str(fault)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 'role: expected "table" or "hub", got nothing'),
        ('role = "clock"', "role: expected"),
        ('role = "table"\nseat = "seven"', "seat: expected a table's number from 1 to 999, got 'seven'"),
        ('role = "table"\nseat = 0', "seat: expected"),
        ('role = "table"\nseats = 1', "seats: unknown key"),
        ('role = "table"\nnetwork = "wifi"', "wifi_name: expected the name"),
        ('role = "table"\nnetwork = "access-point"\nwifi_name = "a"', "network: expected"),
        ('role = "hub"\nnetwork = "access-point"\nwifi_name = "a"', "wifi_password: expected"),
        ('role = "hub"\nseat = 1', 'seat: expected no such key where role = "hub"'),
        ('role = "table"\njudge_pin = 4711', "judge_pin: expected 4 to 8 digits in quotes"),
        ('role = "table"\njudge_pin = "4711"\ndirector_pin = "4711"', "director_pin: expected other digits"),
        ('role = "table"\ncode = "K7QD"', "code: expected 16 letters"),
        ('role = "table"\nenrolment = "{}"', "enrolment: unknown key"),
        ('role = "table"\nwifi_country = "fr"', "wifi_country: expected two capital letters"),
        ('role = "hub"\ntime_zone = "Tokyo"', "time_zone: expected a time zone such as Europe/Paris"),
        ('role = "table"\ntime_zone = "../../etc/passwd"', "time_zone: expected a time zone"),
        ("role = table", "expected TOML"),
        ('role = "hub"\n[table]\nlanguage = "fr"', "table: unknown key"),
    ],
)
def test_each_fault_is_one_line_with_its_key(text: str, line: str) -> None:
    with pytest.raises(Invalid) as fault:
        read_card(text.encode())
    assert str(fault.value).startswith(line) and "\n" not in str(fault.value)


def test_a_secret_is_not_repeated() -> None:
    with pytest.raises(Invalid) as fault:
        read_card(b'role = "table"\njudge_pin = "47112222222"')
    assert "4711" not in str(fault.value)


def test_an_editor_of_windows_may_have_written_it() -> None:
    text = '\ufeffrole = "table"\r\nseat = 7\r\n'
    assert read_card(text.encode()) == CardSettings(TABLE, seat=7)


def test_too_long_a_file_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(Invalid, match="expected at most"):
        read_card(b"#" * ((1 << 20) + 1))


@given(cards())
def test_the_network_managers_file_names_the_network_byte_for_byte(card: CardSettings) -> None:
    file = configparser.RawConfigParser()
    file.read_string(connection(card))
    if card.network == CABLE:
        assert not file.sections()
        return
    assert bytes(int(part) for part in file["wifi"]["ssid"].split(";")[:-1]) == card.wifi_name.encode()
    assert file["wifi"]["mode"] == ("ap" if card.network == ACCESS_POINT else "infrastructure")
    assert file["wifi-security"]["psk"].replace("\\\\", "\\") == card.wifi_password
    assert file["ipv4"]["method"] == ("shared" if card.network == ACCESS_POINT else "auto")


def test_a_card_is_found_by_its_name() -> None:
    assert CardSettings(HUB).host_name == "flagfall-hub"
    assert CardSettings(TABLE, seat=7).host_name == "flagfall-table-07"
