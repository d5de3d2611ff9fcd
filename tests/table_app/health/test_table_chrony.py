"""chrony's figure for the crystal: a real chronyd against a server of known rate, recorded answers, and any bytes."""

from __future__ import annotations

import getpass
import math
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.waiting import until
from hypothesis import given
from hypothesis import strategies as st

from simulator.program import free_port
from table_app.health import clock_rate
from table_app.health.clock_rate import ChronyRate, chrony_rate, rate_in
from table_app.tools.checks import clock

# By chrony 4.3, whose text for people beside it was `101.840 ppm slow`, skew 6.796 ppm.
SLOW = (
    b"7F000001,127.0.0.1,2,1795665326.145161501,0.000811942,-0.000000614,0.000001068,"
    b"-101.840,-0.193,6.796,0.000089852,0.000022765,0.1,Normal\n"
)
NO_FIGURE = [
    b"506 Cannot talk to daemon\n",
    b"00000000,,0,0.000000000,0.000000000,0.000000000,0.000000000,0.000,0.000,0.000,1.000000000,1.000000000,0.0,"
    b"Not synchronised\n",
    # `local stratum 10` without a source
    b"7F7F0101,,10,1795665422.000502394,0.000000000,0.000000000,0.000000000,0.000,0.000,0.000,0.000000000,"
    b"0.000000000,0.0,Normal\n",
    b"",
    SLOW * 2,
    SLOW[:-20],
    SLOW.replace(b"Normal", b"Not synchronised"),
    SLOW.replace(b"6.796", b"10.001"),
    SLOW.replace(b"6.796", b"-1"),
    SLOW.replace(b"6.796", b"nan"),
    SLOW.replace(b"-101.840", b"inf"),
    SLOW.replace(b"-101.840", b"1e9"),
    SLOW.replace(b"-101.840", b"slow"),
    SLOW.replace(b"-101.840", b""),
]


def test_a_clock_that_chrony_calls_slow_loses_time() -> None:
    rate = rate_in(SLOW)
    assert rate is not None and str(rate) == "-0.367 s/h by chrony, within 0.024"
    leap = rate_in(SLOW.replace(b"-101.840", b"3.000").replace(b"Normal", b"Insert second"))
    assert leap is not None and round(leap.s_per_hour, 6) == 0.0108


@pytest.mark.parametrize("answer", NO_FIGURE)
def test_without_a_settled_figure_there_is_none(answer: bytes) -> None:
    assert rate_in(answer) is None


pieces = st.sampled_from([*SLOW.split(b","), b",", b"\xff", b"nan", b"-0", b"1e400", b"\n"])


@given(st.binary(max_size=200) | st.lists(pieces, max_size=20).map(b",".join))
def test_no_answer_raises_or_gives_an_impossible_rate(answer: bytes) -> None:
    rate = rate_in(answer)
    assert rate is None or (math.isfinite(rate.s_per_hour) and 0 <= rate.within_s_per_hour <= 0.036)


@given(st.floats(-100_000, 100_000), st.floats(0, 10))
def test_the_frequency_is_the_rate(fast_ppm: float, skew_ppm: float) -> None:
    fields = SLOW.split(b",")
    fields[7], fields[9] = b"%.3f" % fast_ppm, b"%.3f" % skew_ppm
    rate = rate_in(b",".join(fields))
    assert rate is not None
    assert math.isclose(rate.s_per_hour, fast_ppm * 0.0036, abs_tol=2e-6)
    assert math.isclose(rate.within_s_per_hour, skew_ppm * 0.0036, abs_tol=2e-6)


# fixed: a program that never answers; it is killed after 0.2 s
@pytest.mark.parametrize("script", ["sleep 60", "cat /dev/zero", "yes Normal,", "exit 1"])
def test_a_program_that_answers_late_or_without_end_costs_little(
    script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock_rate, "CHRONY_COMMAND", ("sh", "-c", f"exec {script}"))
    monkeypatch.setattr(clock_rate, "_CHRONY_PATIENCE_S", 0.2)
    assert chrony_rate() is None


def test_without_chrony_there_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_rate, "CHRONY_COMMAND", ("no-such-program",))
    assert chrony_rate() is None


@pytest.mark.parametrize(("s_per_hour", "fit"), [(-0.367, True), (0.51, False), (-0.51, False)])
def test_doctor_says_what_it_used(
    s_per_hour: float, fit: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("table_app.tools.checks.chrony_rate", lambda: ChronyRate(s_per_hour, 0.024))
    check = clock(tmp_path)
    assert check.ok == fit and f"{s_per_hour:+.3f} s/h by chrony, within 0.024" in check.what
    (tmp_path / "clock_rate.json").write_text('{"s_per_hour":0.1,"measured_on":"2026-11-05","hours":12}')
    both = clock(tmp_path)
    assert both.ok == fit and ("+0.100 s/h, measured on 2026-11-05 over 12 h" in both.what) == fit
    monkeypatch.setattr("table_app.tools.checks.chrony_rate", lambda: None)
    assert clock(tmp_path).what.endswith("; +0.100 s/h, measured on 2026-11-05 over 12 h")


@contextmanager
def time_server(gains_ppm: float) -> Iterator[int]:
    """Serve NTP on the port that it yields, by a clock that gains so much on this machine's."""
    begun_ns = time.time_ns()

    def stamp() -> bytes:
        now_ns = time.time_ns()
        seconds, rest_ns = divmod(now_ns + int((now_ns - begun_ns) * gains_ppm / 1e6), 1_000_000_000)
        return struct.pack("!II", seconds + 2_208_988_800, (rest_ns << 32) // 1_000_000_000)

    def serve() -> None:
        while True:
            question, asker = link.recvfrom(512)
            if not question:
                return
            received = stamp()
            head = bytes([4 << 3 | 4, 1, question[2], 0xEC]) + struct.pack("!II4s", 0, 1, b"TEST")
            link.sendto(head + received + question[40:48] + received + stamp(), asker)

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=serve)
        thread.start()
        yield link.getsockname()[1]
        link.sendto(b"", link.getsockname())
        thread.join()


@pytest.mark.needs("chrony")
@pytest.mark.parametrize(("gains_ppm", "fit"), [(100.0, True), (-250.0, False)])
def test_a_real_chronyd_gives_the_rate_with_its_sign(
    gains_ppm: float, fit: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that gains 100 ppm is one that this machine loses 0.36 s an hour on."""
    port = free_port()
    monkeypatch.setattr(
        clock_rate,
        "CHRONY_COMMAND",
        (*clock_rate.CHRONY_COMMAND[:-1], "-h", "127.0.0.1", "-p", str(port), "tracking"),
    )
    with time_server(gains_ppm) as served:
        settings = [f"server 127.0.0.1 port {served} minpoll -4 maxpoll -4 iburst maxsamples 64"]
        settings += ["port 0", f"cmdport {port}", "bindcmdaddress /", f"pidfile {tmp_path / 'pid'}"]
        # -x: without touching this machine's clock
        daemon = subprocess.Popen(
            ["chronyd", "-x", "-d", "-U", "-u", getpass.getuser(), *settings], stderr=subprocess.DEVNULL
        )
        try:

            def settled() -> bool:
                """Return whether the rate is the right one: on a busy machine the first estimates are rough."""
                rate = chrony_rate()
                return rate is not None and abs(rate.s_per_hour + gains_ppm * 0.0036) < 0.1

            until(settled, lambda: f"the rate is {chrony_rate()}")
            check = clock(tmp_path)
        finally:
            daemon.terminate()
            daemon.wait()
    assert check.ok == fit and "by chrony" in check.what
