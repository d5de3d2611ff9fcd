"""The time until a reading is right after its channel is chosen, as ngspice computes it for the board's lines."""

from __future__ import annotations

import dataclasses
import math

import centre
import pytest
import settling

LINE = settling.Line()


def test_the_line_has_the_boards_resistor() -> None:
    assert centre.kind(centre.drawing(), "RN1")["value"] == "4x 1k"
    assert LINE.series_ohm == 1_000


@pytest.mark.needs("ngspice")
@pytest.mark.parametrize(("before_v", "after_v"), [(0.2, 3.1), (3.1, 0.2), (1.5, 1.8)])
def test_a_reading_is_right_within_one_conversion(before_v: float, after_v: float) -> None:
    assert 0 < settling.settle_ns(LINE, before_v, after_v) < settling.BUDGET_NS


@pytest.mark.needs("ngspice")
def test_ten_times_the_resistor_would_be_too_slow() -> None:
    slow = dataclasses.replace(LINE, series_ohm=10_000)
    assert settling.settle_ns(slow, 0.2, 3.1) > settling.BUDGET_NS


@pytest.mark.needs("ngspice")
def test_a_line_of_one_resistor_and_one_capacitor_settles_by_the_formula() -> None:
    line = settling.Line(
        sensor_ohm=0.1,
        cable_pf=0.01,
        esd_pf=0.0,
        series_ohm=1_000,
        channel_pf=0.01,
        switch_ohm=0.1,
        common_pf=100,
        adc_pf=0,
    )
    wanted = 1_000 * 100e-12 * 1e9 * math.log(2.9 / (3.3 / 4096 / 2))
    # Break before make, and the edges of the two switches.
    assert settling.settle_ns(line, 0.2, 3.1) == pytest.approx(wanted, abs=15)
