"""Days that cannot be meant are refused by their field at every door; a file with them stays readable and says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.console_director import director_at
from helpers.hub_files import tournament_file

from hub.entries.days import birth_fault, event_day_faults
from hub.main import main
from hub.text import Refused


@pytest.mark.parametrize(
    ("date", "end_date", "fields"),
    [
        ("2026-11-05", "2026-11-07", []),
        ("2026-11-05", None, []),
        (None, None, []),
        ("2026-11-05", "later", []),
        ("2026-11-05", "2026-11-04", ["end_date"]),
        ("1926-11-05", "1926-11-07", ["date", "end_date"]),
        ("2026-11-05", "1926-11-07", ["end_date", "end_date"]),
        ("2206-11-05", None, ["date"]),
    ],
)
def test_days_of_an_event(date: str | None, end_date: str | None, fields: list[str]) -> None:
    assert [fault.field for fault in event_day_faults(date, end_date)] == fields


def test_a_day_of_birth_is_of_this_century_or_the_last_and_before_the_event() -> None:
    assert birth_fault("1990-01-01", "2026-11-05") is None
    assert birth_fault(None, None) is None
    for born, date in (("1826-01-01", None), ("2027-01-01", "2026-11-05"), ("2126-01-01", None)):
        fault = birth_fault(born, date)
        assert fault is not None and fault.field == "born"


async def test_the_event_page_and_the_form_of_a_new_event_name_the_field(served: Any) -> None:
    async with director_at(served, tournament_file(4, date="2026-11-05")) as director:
        for fields, told in (
            ({"end_date": "2026-11-04"}, "Last day: expected a day from 2026-11-05 on"),
            ({"date": "1926-11-05"}, "First day: expected a year from 1971 to 2100"),
            ({"date": "2026-12-01", "end_date": "2026-11-30"}, "Last day: expected a day from 2026-12-01 on"),
        ):
            assert told in await director.send("event", 400, **fields)
        await director.send("event", end_date="2026-11-06")
        assert "Last day" in await director.send("event", 400, date="2026-11-07"), "the other day alone"
        refused = await director.send(
            "/desk/new", 400, name="Old", rulebook="club", date="1926-11-05", players="Ann\nBo"
        )
        assert "First day: expected a year" in refused
        for where in ("players", "player/p1"):
            assert "Born: expected a day of birth" in await director.send(
                where, 400, name="Cid", born="2096-01-01"
            )


async def test_an_event_whose_file_has_such_days_can_still_be_changed(served: Any) -> None:
    async with director_at(served, tournament_file(4, date="1926-11-05", end_date="1926-11-01")) as director:
        await director.send("event", name="Renamed")
        assert director.state.tournament.name == "Renamed"
        await director.send("event", date="2026-11-05", end_date="2026-11-06")
        with pytest.raises(Refused):
            await served.run("change-event", end_date="2026-11-01")


async def test_the_api_refuses_them(served: Any) -> None:
    async with served as client:
        answer = await client.put(
            "/api/1/tournaments/old", json=tournament_file(4, date="2026-11-05", end_date="2026-11-04")
        )
        assert answer.status_code == 400 and "end_date: expected a day from 2026-11-05 on" in answer.text


def test_a_file_is_read_with_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "old.json"
    path.write_text(json.dumps(tournament_file(4, date="2026-11-05", end_date="2026-11-04")))
    assert main(["rank", str(path)]) == 0
    assert (
        "end_date: expected a day from 2026-11-05 on, the first day, got 2026-11-04"
        in capsys.readouterr().err
    )
    elo = tmp_path / "old.elo"
    elo.write_text("%%Tournament: Old\n%%Date: 05/11/1926\n%_% 12, AMBER, Ann, FRA\n%_% 13, BERYL, Bo, FRA\n")
    assert main(["import", str(elo), "-o", str(tmp_path / "again.json")]) == 0
    assert "date: expected a year from 1971 to 2100, got 1926-11-05" in capsys.readouterr().err
