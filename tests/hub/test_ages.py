"""Ages that outlive the hub, whatever the wall clock says."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.ages import WRITTEN_AFTER_NS, Ages, MachineClock, machine_clock

SECOND = 10**9
HOUR = 3600 * SECOND
DAY = 24 * HOUR


@dataclass
class Machine:
    """A machine that is switched on and off, and whose wall clock anybody sets."""

    wall_ns: int = 1_800_000_000 * SECOND
    since_boot_ns: int = 0
    boots: int = 1
    clock: MachineClock = field(init=False)

    def on(self, folder: Path) -> Ages:
        """Start the program."""
        clock = MachineClock(f"boot {self.boots}", lambda: self.since_boot_ns, lambda: self.wall_ns)
        return Ages(folder / "ages.json", clock, DAY)

    def run(self, ns: int) -> None:
        """Let time pass while the machine is on."""
        self.since_boot_ns += ns
        self.wall_ns += ns

    def off(self, ns: int) -> None:
        """Switch the machine off for so long."""
        self.boots += 1
        self.since_boot_ns = 0
        self.wall_ns += ns


def test_an_age_is_counted_over_restarts_of_the_program(tmp_path: Path) -> None:
    machine = Machine()
    machine.on(tmp_path).begin("a", "note")
    machine.run(23 * HOUR)
    again = machine.on(tmp_path)
    assert again.age_ns("a") == 23 * HOUR and dict(again.notes) == {"a": "note"}
    machine.run(HOUR)
    assert again.age_ns("a") is None
    assert machine.on(tmp_path).age_ns("a") is None, "expired, and expired after a restart"


def test_what_is_too_old_is_deleted_from_the_file(tmp_path: Path) -> None:
    machine = Machine()
    ages = machine.on(tmp_path)
    ages.begin("old")
    machine.run(HOUR)
    ages.begin("new")
    machine.run(23 * HOUR)
    ages.keep_up()
    assert list(json.loads((tmp_path / "ages.json").read_text())["aged"]) == ["new"]


def test_the_time_while_the_machine_was_off_counts_by_the_wall_clock(tmp_path: Path) -> None:
    machine = Machine()
    machine.on(tmp_path).begin("a")
    machine.off(5 * HOUR)
    assert machine.on(tmp_path).age_ns("a") == 5 * HOUR
    machine.off(19 * HOUR)
    assert machine.on(tmp_path).age_ns("a") is None


@pytest.mark.parametrize("step_ns", [-20 * 365 * DAY, -HOUR, HOUR, 11 * 365 * DAY])
def test_a_wall_clock_that_is_set_changes_no_age(tmp_path: Path, step_ns: int) -> None:
    machine = Machine()
    ages = machine.on(tmp_path)
    ages.begin("a")
    machine.run(HOUR)
    machine.wall_ns += step_ns
    assert ages.age_ns("a") == HOUR
    assert machine.on(tmp_path).age_ns("a") == HOUR, "the same run of the machine"


def test_a_lost_power_supply_takes_back_ten_minutes_at_most(tmp_path: Path) -> None:
    machine = Machine()
    ages = machine.on(tmp_path)
    ages.begin("a")
    for _ in range(36):
        machine.run(WRITTEN_AFTER_NS)
        ages.keep_up()
    machine.off(-3 * 365 * DAY)  # no battery: the clock stands in the past
    assert machine.on(tmp_path).age_ns("a") == 36 * WRITTEN_AFTER_NS


@given(
    st.lists(
        st.tuples(st.sampled_from(("run", "step", "restart", "off")), st.integers(0, 8 * HOUR)), max_size=12
    )
)
def test_no_age_is_less_than_the_time_that_the_machine_was_on(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    folder, machine, on_ns = tmp_path_factory.mktemp("ages"), Machine(), 0
    ages = machine.on(folder)
    ages.begin("a")
    counted_ns: list[tuple[int, int | None]] = [(0, ages.age_ns("a"))]
    for step, ns in steps:
        if step == "run":
            machine.run(ns)
            on_ns += ns
        elif step == "step":
            machine.wall_ns -= ns
        elif step == "restart":
            ages = machine.on(folder)
        else:
            ages.write()
            machine.off(-ns)
            ages = machine.on(folder)
        counted_ns.append((on_ns, ages.age_ns("a")))
    assert counted_ns == [(on_ns, on_ns if on_ns < DAY else None) for on_ns, _ in counted_ns]


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"\xff", b'{"aged":{"a":{"age_ns":-1}}}', b'{"a":"Ada"}', b"{" * 9999]
)
def test_a_damaged_file_is_an_empty_one(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ages.json").write_bytes(content)
    assert not Machine().on(tmp_path).notes


def test_the_machine_has_such_a_clock() -> None:
    clock = machine_clock()
    assert clock.boot and 0 < clock.since_boot_ns() < clock.wall_ns()
