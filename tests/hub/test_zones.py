"""The time of day at an event: what is typed, in every spelling, and what clocks show there."""

from __future__ import annotations

import datetime
from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.zone import is_zone_name, zone_of
from hub.text import Refused
from hub.zones import (
    checked_zone,
    clock_text,
    comes_twice,
    next_instant,
    own_zone_name,
    read_time,
    zone_names,
    zone_or_own,
)

HALF_PAST_TWO = (
    *(
        "14:30",
        "14.30",
        "14,30",
        "14h30",
        "14 h 30",
        "14H30",
        "14:30:00",
        "14 : 30",
        "1430",
        "14 30",
        " 14:30 ",
    ),
    *("2:30 pm", "2:30pm", "2.30 p.m.", "2:30 PM", "2h30 pm", "230 pm", "0230pm"),
    *(
        "１４：３０",
        "１４．３０",
        "1４3０",
        "14時30分",
        "14時３０分",
        "14時半",
        "午後2時30分",
        "午後2時半",
        "午後2:30",
    ),
    *("14 Uhr 30", "14.30 Uhr", "14h30min", "14点30", "١٤:٣٠"),
)


@pytest.mark.parametrize("text", HALF_PAST_TWO)
def test_every_spelling_of_half_past_two(text: str) -> None:
    assert read_time(text) == datetime.time(14, 30)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2 pm", (14, 0)),
        ("12 am", (0, 0)),
        ("12:30 am", (0, 30)),
        ("12:05 pm", (12, 5)),
        ("午前0時", (0, 0)),
        ("午後0時30分", (12, 30)),
        ("14h", (14, 0)),
        ("14時", (14, 0)),
        ("14 Uhr", (14, 0)),
        ("930", (9, 30)),
        ("9:05", (9, 5)),
        ("00:00", (0, 0)),
        ("23:59", (23, 59)),
    ],
)
def test_other_times(text: str, time: tuple[int, int]) -> None:
    assert read_time(text) == datetime.time(*time)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "14",
            "9",
            "14.3",
            "14:3",
            "14:300",
            "24:00",
            "14:60",
            "25.00",
            "14:30:15",
            "14:30Z",
            "14:30+09:00",
        ),
        *(
            "T14:30",
            "14-30",
            "14/30",
            "14;30",
            "14:30 pm",
            "0:30 pm",
            "13 pm",
            "pm",
            "noon",
            "-1:30",
            "1:2:3",
        ),
        *("14..30", "14:30.5", "2026-11-05T14:30", "12345", "14:30 14:30", "½", "14:\u0000"),
    ],
)
def test_what_is_no_time_or_could_be_two_is_not_read(text: str) -> None:
    assert read_time(text) is None


@given(st.times())
def test_a_time_as_a_browser_sends_it_is_that_time(time: datetime.time) -> None:
    time = time.replace(second=0, microsecond=0)
    for text in (
        f"{time:%H:%M}",
        f"{time:%H.%M}",
        f"{time:%H,%M}",
        f"{time:%H%M}",
        f"{time:%I:%M %p}",
        f"{time:%H時%M分}",
    ):
        assert read_time(text) == time


@given(st.text(max_size=20))
def test_any_text_is_a_time_or_none(text: str) -> None:
    time = read_time(text)
    assert time is None or (time.second, time.microsecond, time.tzinfo) == (0, 0, None)


TOKYO, PARIS, HOWE = ZoneInfo("Asia/Tokyo"), ZoneInfo("Europe/Paris"), ZoneInfo("Australia/Lord_Howe")


def at(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("now", "typed", "zone", "instant"),
    [
        ("2026-11-04T22:40Z", "07:43", TOKYO, "2026-11-05T07:43+09:00"),
        ("2026-11-05T10:00Z", "12:30", PARIS, "2026-11-05T12:30+01:00"),
        ("2026-11-05T22:30Z", "00:10", PARIS, "2026-11-06T00:10+01:00"),
        ("2026-11-05T23:20Z", "23:50", PARIS, "2026-11-05T23:50+01:00"),  # half an hour ago, yesterday
        ("2026-11-05T10:00Z", "10:05", PARIS, "2026-11-05T10:05+01:00"),  # 55 minutes ago
        ("2026-11-05T10:00Z", "09:55", PARIS, "2026-11-06T09:55+01:00"),  # an hour and five minutes ago
        # Clocks go forward on 29 March 2026 at 02:00 in Paris.
        ("2026-03-28T20:00Z", "03:30", PARIS, "2026-03-29T03:30+02:00"),
        ("2026-03-29T12:00Z", "02:30", PARIS, "2026-03-30T02:30+02:00"),
        # They go back on 25 October 2026 at 03:00.
        ("2026-10-24T20:00Z", "02:30", PARIS, "2026-10-25T02:30+02:00"),
        ("2026-10-25T01:29Z", "02:30", PARIS, "2026-10-25T02:30+02:00"),  # 59 minutes ago
        (
            "2026-10-25T01:45Z",
            "02:30",
            PARIS,
            "2026-10-25T02:30+01:00",
        ),  # the first is over for more than an hour
        ("2026-10-25T20:00Z", "02:30", PARIS, "2026-10-26T02:30+01:00"),
    ],
)
def test_the_next_instant_of_a_typed_time(now: str, typed: str, zone: ZoneInfo, instant: str) -> None:
    time = read_time(typed)
    assert time is not None
    next_time = next_instant(time, at(now), zone)
    # By their texts: values in the hour that comes twice are equal to nothing in another zone.
    assert next_time.isoformat(timespec="minutes") == instant


@pytest.mark.parametrize(
    ("now", "typed", "zone"),
    [
        ("2026-03-28T20:00Z", "02:30", PARIS),
        ("2026-03-29T00:30Z", "02:00", PARIS),
        ("2026-10-03T12:00Z", "02:15", HOWE),
    ],
)
def test_a_time_that_the_night_leaves_out_is_refused_with_its_reason(
    now: str, typed: str, zone: ZoneInfo
) -> None:
    time = read_time(typed)
    assert time is not None
    with pytest.raises(Refused, match=f"{typed} does not exist on 2026-.*: clocks go forward"):
        next_instant(time, at(now), zone)


@given(
    st.integers(946_684_800, 2_145_830_400).map(lambda second: datetime.datetime.fromtimestamp(second, UTC)),
    st.times().map(lambda time: time.replace(second=0, microsecond=0)),
    st.sampled_from((TOKYO, PARIS, HOWE, ZoneInfo("America/St_Johns"), ZoneInfo("UTC"))),
)
def test_clocks_there_show_what_was_typed_within_a_day(
    now: datetime.datetime, time: datetime.time, zone: ZoneInfo
) -> None:
    try:
        next_time = next_instant(time, now, zone)
    except Refused:
        return
    hour = datetime.timedelta(hours=1)
    assert -hour <= next_time.astimezone(UTC) - now <= 25 * hour
    assert clock_text(next_time, zone).startswith(f"{time:%H:%M}")


def test_of_a_time_that_comes_twice_the_offset_is_shown() -> None:
    assert clock_text(at("2026-10-25T00:30Z"), PARIS) == "02:30 (UTC+02:00)"
    assert clock_text(at("2026-10-25T01:30Z"), PARIS) == "02:30 (UTC+01:00)"
    assert clock_text(at("2026-10-25T02:30Z"), PARIS) == "03:30"
    assert not comes_twice(datetime.datetime(2026, 3, 29, 2, 30, tzinfo=PARIS)), "it does not come at all"


@pytest.mark.parametrize(
    "name",
    [
        "Europe",
        "../../etc/passwd",
        "/etc/localtime",
        "Europe/Nowhere",
        "",
        "x" * 99,
        "Europe/Par\0is",
        "é",
        "a//b",
    ],
)
def test_what_is_no_zone_is_none(name: str) -> None:
    assert zone_of(name) is None
    with pytest.raises(Refused, match="time_zone: expected a time zone"):
        checked_zone(name)
    assert zone_or_own(name) == zone_or_own("")


def test_zones_to_choose_from_are_known_and_have_the_form_of_names() -> None:
    assert {"UTC", "Asia/Tokyo", "America/Argentina/Buenos_Aires"} <= set(zone_names())
    for name in zone_names():
        assert is_zone_name(name) and zone_of(name) is not None


def test_the_machines_own_zone_is_one_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    own_zone_name.cache_clear()
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert own_zone_name() == "Asia/Tokyo"
    assert zone_or_own("") == TOKYO and zone_or_own("Europe/Paris") == PARIS
    own_zone_name.cache_clear()
