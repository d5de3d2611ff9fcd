"""Times at the console are those of the event, wherever the hub's machine thinks it is."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import Any

import pytest
from helpers.console_director import Director, director_at, one_game
from helpers.console_operator import Operator
from helpers.hub_files import tournament_file
from helpers.hub_served import Served
from helpers.night import by_night

from hub.formats.tournament_file import read_tournament, write_tournament
from hub.text import FormatError
from hub.zones import own_zone_name

NEW = {"name": "Open", "rulebook": "woc-2019", "date": "2026-11-05", "players": "Ada\nBob\nCid\nDan"}


async def tokyo(director: Director) -> None:
    await director.send("/desk/new", **NEW, time_zone="Asia/Tokyo")


async def test_an_event_has_the_zone_that_was_chosen_and_it_can_be_changed(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path)) as director:
        await tokyo(director)
        assert director.state.tournament.time_zone == "Asia/Tokyo"
        assert b'"time_zone": "Asia/Tokyo"' in write_tournament(director.state.tournament)
        assert 'value="Asia/Tokyo"' in await director.page("event")
        await director.send("event", time_zone="Europe/Paris")
        assert director.state.tournament.time_zone == "Europe/Paris"
        for bad in ("Europe", "Europe/Nowhere", "../Paris"):
            page = await director.send("event", 400, time_zone=bad)
            assert (
                "Time zone: expected a time zone of the list, such as Europe/Paris or Asia/Tokyo, got" in page
            )
            assert 'aria-invalid="true"' in director.sent
        assert "Time zone Europe/Paris" in await director.page("audit")
        assert 'value="Europe/Paris"' in await director.page("/desk/new?like=open")
        await director.send("event", time_zone="")
        assert director.state.tournament.time_zone == ""
        refused = await director.send("/desk/new", 400, **{**NEW, "name": "Other"}, time_zone="Nowhere")
        assert "Time zone: expected" in refused and len(director.served.store.states) == 1


def test_a_file_with_a_zone_that_this_machine_does_not_know_can_be_read() -> None:
    file = write_tournament(read_tournament(b"%s" % _file("Moon/Tranquillity")))
    assert b'"time_zone": "Moon/Tranquillity"' in file
    for bad in ('"../etc"', "5", '"a b"'):
        with pytest.raises(FormatError, match="time_zone"):
            read_tournament(_file("Moon/Tranquillity").replace(b'"Moon/Tranquillity"', bad.encode()))


def _file(zone: str) -> bytes:
    return (
        '{"format":"flagfall-tournament/1","rulebook":"woc-2019","players":[{"id":"1"},{"id":"2"}],"rounds":[],'
        f'"time_zone":"{zone}"}}'
    ).encode()


async def test_in_tokyo_the_next_start_is_what_the_clock_there_shows(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path)) as director:
        await tokyo(director)
        served = director.served
        served.wall = datetime.datetime(2026, 11, 4, 22, 40, tzinfo=datetime.UTC)  # 07:40 on the 5th
        await director.send("show", starts="07:43")
        assert director.state.showing.starts_at == "2026-11-05T07:43:00+09:00"
        page = await director.page("lists")
        assert 'name="starts" type="time" value="07:43"' in page and "Asia/Tokyo" in page
        assert "The next round starts at 2026-11-05 07:43" in await director.page("audit")
        made = re.search(r'<small title="([^"]+)">(\d\d:\d\d:\d\d)</small>', director.sent)
        assert made is not None and made[1].endswith("+09:00")
        # The projector counts down to the same instant.
        hall = await served.browser().get("/hall/open", params={"key": served.site.key})
        assert 'data-starts-ms="180000"' in hall.text, "in three minutes"


@pytest.mark.parametrize(
    "typed", ["2:30 pm", "14時30分", *by_night("14.30", "14,30", "14h30", "1430", "１４：３０")]
)
async def test_half_past_two_is_half_past_two_in_every_spelling(tmp_path: Path, typed: str) -> None:
    async with director_at(Served(tmp_path)) as director:
        await tokyo(director)
        await director.send("show", starts=typed)
        assert director.state.showing.starts_at == "2026-11-06T14:30:00+09:00"  # 19:00 on the 5th there


@pytest.mark.parametrize("typed", ["24:00", "noon", *by_night("14", "14.3", "14:30:20", "x" * 21)])
async def test_what_is_no_time_is_refused_and_changes_nothing(tmp_path: Path, typed: str) -> None:
    async with director_at(Served(tmp_path)) as director:
        await tokyo(director)
        await director.send("show", starts="14:30")
        before = director.state.showing
        assert "The next round starts at: expected" in await director.send("show", 400, starts=typed)
        assert director.state.showing is before


async def test_nights_with_an_hour_too_few_or_too_many(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path)) as director:
        await director.send("/desk/new", **NEW, time_zone="Europe/Paris")
        director.served.wall = datetime.datetime(2026, 3, 28, 20, 0, tzinfo=datetime.UTC)
        page = await director.send("show", 400, starts="02:30")
        assert "The next round starts at: 02:30 does not exist on 2026-03-29: clocks go forward" in page
        director.served.wall = datetime.datetime(2026, 10, 24, 20, 0, tzinfo=datetime.UTC)
        await director.send("show", starts="02:30")
        assert director.state.showing.starts_at == "2026-10-25T02:30:00+02:00"
        assert "This time occurs twice that night; 02:30 (UTC+02:00) is used." in await director.page("lists")


async def test_when_the_round_is_over_is_told_in_the_events_time(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path)) as director:
        await one_game(director)
        await director.send("event", time_zone="Asia/Tokyo")
        # 10:00 UTC, 30 minutes for each player.
        assert "The round ends by 20:00 if no flag falls" in await director.page("round")
        await director.send("event", time_zone="America/New_York")
        assert "The round ends by 06:00 if no flag falls" in await director.page("round")


async def test_without_a_zone_times_are_those_of_the_hubs_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    own_zone_name.cache_clear()
    try:
        async with director_at(Served(tmp_path)) as director:
            await director.served.create("open", tournament_file(4))
            director.served.wall = datetime.datetime(2026, 11, 4, 22, 40, tzinfo=datetime.UTC)
            page = await director.page("/desk/new")
            assert 'name="date" type="date" value="2026-11-05"' in page and 'value="Asia/Tokyo"' in page
            await director.send("show", starts="07:43")
            assert director.state.showing.starts_at == "2026-11-05T07:43:00+09:00"
    finally:
        own_zone_name.cache_clear()


@pytest.mark.needs("chromium")
def test_the_browser_proposes_its_zone_and_its_day_and_tells_of_a_wrong_clock(hub: Any, browser: Any) -> None:
    director = Operator(browser, hub)
    director.set_up()
    state = director.page.context.storage_state()
    there = browser.new_context(timezone_id="Pacific/Kiritimati", locale="en", storage_state=state)
    try:
        page = there.new_page()
        page.goto(f"{hub.page}/desk/new")
        assert page.locator("input[name=time_zone]").input_value() == "Pacific/Kiritimati"
        today = page.evaluate("new Intl.DateTimeFormat('en-CA', {timeZone: 'Pacific/Kiritimati'}).format()")
        assert page.locator("input[name=date]").input_value() == today
        # Who chooses another zone gets the day there; a day that was typed stays.
        page.get_by_text("System, rounds, time zone").click()
        page.locator("input[name=time_zone]").fill("Pacific/Pago_Pago")
        page.locator("input[name=time_zone]").blur()
        there_today = page.evaluate(
            "new Intl.DateTimeFormat('en-CA', {timeZone: 'Pacific/Pago_Pago'}).format()"
        )
        assert page.locator("input[name=date]").input_value() == there_today != today
        page.locator("input[name=date]").fill("2027-01-02")
        page.locator("input[name=time_zone]").fill("Pacific/Kiritimati")
        page.locator("input[name=time_zone]").blur()
        assert page.locator("input[name=date]").input_value() == "2027-01-02"
        assert page.locator("#clocks").is_hidden()

        wrong = there.new_page()
        now = datetime.datetime.now(datetime.UTC)
        wrong.clock.set_fixed_time(now + datetime.timedelta(minutes=7))
        wrong.goto(f"{hub.page}/desk")
        wrong.locator("#clocks").wait_for()
        assert "Flagfall's computer shows" in wrong.locator("#clocks").inner_text()
    finally:
        there.close()
