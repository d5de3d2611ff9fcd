"""The checks of `flagfall-table doctor`: whether this device is fit for play.

They change nothing of a game. While a table runs on the device, its own report is used for buttons, board, screen and
link.
"""

from __future__ import annotations

import shutil
import stat
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import msgspec
from msgspec import Struct

from flagfall.base.errors import Failed, Invalid
from flagfall.link.identity import Identity
from flagfall.othello.side import Both, Side
from table_app.board.port import BoardPort
from table_app.config import NO_PINS, Config
from table_app.events import BoardPresence, Event
from table_app.health.clock_rate import WORST_S_PER_HOUR, chrony_rate, read_rate
from table_app.health.machine import PROC, machine_fault
from table_app.health.watch import throttle_bits, throttling_in_words
from table_app.hub_link.sender import new_link
from table_app.judge_pin import Pins
from table_app.pins.buttons import input_pin
from table_app.pins.speech import missing_program
from table_app.record.journal import SyncedDisk
from table_app.screen.process import ScreenProcess
from table_app.table_view import TableView

LEAST_FREE_BYTES = 50_000_000
SLOWEST_SYNC_S = 0.5
BOARD_WAIT_S = 3.0
# The name alone may take six: where the network names a DNS server that does not answer, that server is asked
# first.
LINK_WAIT_S = 15.0
BUTTON_READINGS, BUTTON_STEP_S = 250, 0.002
PRESS_WITHIN_S = 15.0


class Check(Struct, frozen=True):
    """The state of one part of the device."""

    part: str
    ok: bool
    what: str  # a fault or remark


def running(status: str) -> Check:
    """Return the running table's own report (`watchdog.told_by_service`)."""
    return Check("table", status.startswith("fit"), f"runs: {status}")


def storage(state_dir: Path) -> Check:
    """Check whether a small file can be synced fast, and there is room on the disk."""
    trial = state_dir / "doctor.trial"
    begun_s = time.monotonic()
    try:
        SyncedDisk().write(trial, 0, b"flagfall\n" * 500)
        trial.unlink()
    except OSError as failure:
        return Check("storage", False, f"{state_dir}: {failure.strerror}")
    took_s = time.monotonic() - begun_s
    free_bytes = shutil.disk_usage(state_dir).free
    if free_bytes < LEAST_FREE_BYTES:
        return Check("storage", False, f"{state_dir}: {free_bytes // 1_000_000} MB free, expected 50")
    if took_s > SLOWEST_SYNC_S:
        return Check(
            "storage", False, f"{state_dir}: a sync took {took_s:.2f} s, expected {SLOWEST_SYNC_S} at most"
        )
    return Check("storage", True, f"synced in {took_s * 1000:.1f} ms, {free_bytes // 1_000_000} MB free")


def buttons(
    kind: str, factory: Callable[[], Any], pins: Both[int | None], press_within_s: float = 0.0
) -> Check:
    """Check that both contacts can be read and stay open; with `press_within_s`, that somebody presses both.

    A missing button looks like an open contact: only a press tells them apart.
    """
    if kind != "gpio":
        return Check("buttons", True, kind)
    if pins.black is None or pins.white is None:
        return Check("buttons", False, f"black_pin and white_pin are not set; {NO_PINS}")
    try:
        opened = factory()
        try:
            contacts = Both(*(input_pin(opened, number) for number in (pins.black, pins.white)))
            if press_within_s:
                return _pressed_and_released(contacts, press_within_s)
            return _open_and_still(contacts)
        finally:
            opened.close()
    except Exception as failure:  # gpiozero and its drivers raise exceptions of their own
        return Check("buttons", False, " ".join(str(failure).split()) or type(failure).__name__)


def _open_and_still(contacts: Both[Any]) -> Check:
    """Check that both contacts stay open during the check."""
    closed = dict.fromkeys(Side, 0)
    for _ in range(BUTTON_READINGS):
        for side in Side:
            closed[side] += not contacts.of(side).state
        time.sleep(BUTTON_STEP_S)
    down = [str(side) for side in Side if closed[side] == BUTTON_READINGS]
    if down:
        return Check("buttons", False, f"held down, or its wire touches ground: {', '.join(down)}")
    restless = [str(side) for side in Side if closed[side]]
    if restless:
        return Check("buttons", False, f"touched, or its contact chatters: {', '.join(restless)}")
    return Check("buttons", True, "both open")


def _pressed_and_released(contacts: Both[Any], within_s: float) -> Check:
    """Check that both buttons were pressed and released."""
    seen = {side: set[bool]() for side in Side}
    deadline_s = time.monotonic() + within_s
    while time.monotonic() < deadline_s:
        for side in Side:
            down = not contacts.of(side).state
            if down or True in seen[side]:
                seen[side].add(down)
        if all(states == {True, False} for states in seen.values()):
            return Check("buttons", True, "both work: pressed and released")
        time.sleep(BUTTON_STEP_S)
    missing_ones = [str(side) for side in Side if seen[side] != {True, False}]
    return Check("buttons", False, f"not pressed, or no wire: {', '.join(missing_ones)}")


def board(kind: str, port: BoardPort) -> Check:
    """Check that the board identifies itself and is calibrated."""
    if kind == "none":
        return Check("board", True, "none: played without a sensor board")
    heard: SimpleQueue[Event] = SimpleQueue()
    port.start(heard.put, time.monotonic_ns)
    why = "no answer"
    deadline_s = time.monotonic() + BOARD_WAIT_S
    try:
        while (left_s := deadline_s - time.monotonic()) > 0:
            try:
                event = heard.get(timeout=left_s)
            except Empty:
                break
            if isinstance(event, BoardPresence):
                if event.ok:
                    lacks = "" if event.calibrated else ": not calibrated"
                    return Check("board", event.calibrated, event.identity + lacks)
                why = event.why or why
    finally:
        port.close()
    return Check("board", False, why)


def clock(state_dir: Path) -> Check:
    """Check whether the clock's rate is good enough, by chrony's present figure and by the one measured."""
    resolution_ns = round(time.get_clock_info("monotonic").resolution * 1e9)
    if resolution_ns > 1_000_000:
        return Check(
            "clock", False, f"the monotonic clock's steps are {resolution_ns} ns, expected 1 ms at most"
        )
    source = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    name = source.read_text("ascii").strip() if source.exists() else "unknown"
    try:
        rates = [rate for rate in (chrony_rate(), read_rate(state_dir)) if rate is not None]
    except Failed as error:
        return Check("clock", False, str(error))
    for rate in rates:
        if abs(rate.s_per_hour) > WORST_S_PER_HOUR:
            return Check("clock", False, f"{rate}, expected {WORST_S_PER_HOUR} s/h at most")
    if not rates:
        return Check("clock", True, f"{name}; its rate has not been measured: run doctor --clock 12")
    return Check("clock", True, "; ".join([name, *map(str, rates)]))


def secrets(keys: Sequence[Path], settings: Path | None) -> Check:
    """Check that only their owner can read the keys, and no stranger the `settings` with the PINs."""
    files = [
        *((file, 0o077, "0600") for file in keys),
        *([] if settings is None else [(settings, 0o007, "0640")]),
    ]
    try:
        for file, strangers, expected in files:
            if file.exists() and stat.S_IMODE(file.stat().st_mode) & strangers:
                return Check("secrets", False, f"{file}: others can read it, expected mode {expected}")
    except OSError as failure:
        return Check("secrets", False, f"{failure.filename}: {failure.strerror}")
    return Check("secrets", True, "only their owner can read them")


def judge(pins: Pins) -> Check:
    """Check that the judge's corner has a PIN. A table without a hub may be played at without one."""
    if pins.judge or pins.director:
        return Check("judge", True, "the judge's panel opens with a PIN")
    if pins.alone:
        remark = "no PIN, so the judge's panel stays closed: touch the upper left corner between games and choose one"
        return Check("judge", True, remark)
    remark = "no PIN, so the judge's panel stays closed: enrol again, or set judge_pin in the configuration"
    return Check("judge", False, remark)


def power() -> Check:
    """Check for under-voltage and whether the processor is throttled. This is only a warning, since the clock stays
    right until the processor is very slow."""
    bits = throttle_bits()
    if bits is None:
        return Check("power", True, "unknown: this machine does not say whether it has enough power")
    return Check("power", True, throttling_in_words(bits) or "enough power, not too warm")


def machine(proc: Path = PROC) -> Check:
    """Check that this machine has the memory that a table needs."""
    fault = machine_fault(proc)
    return Check("machine", not fault, fault or "enough memory")


def voice(command: str) -> Check:
    """Check that the program that speaks is installed."""
    if not command:
        return Check("voice", True, "not used")
    absent = missing_program(command)
    return Check("voice", not absent, f"no program {absent}" if absent else command)


def screen(kind: str, made: Callable[[], ScreenProcess | None]) -> Check:
    """Check that a picture can be drawn."""
    try:
        trial = made()
        if trial is None:
            return Check("screen", True, "not used")
        try:
            trial.show(TableView())
            trial.start()
            drawn_by = trial.await_opened()
        finally:
            trial.close()
    except (Invalid, Failed) as failure:
        return Check("screen", False, str(failure).removeprefix("screen: "))
    return Check("screen", True, f"{kind}: {drawn_by}")


def page(kept: str | None) -> Check:
    """Say where the QR code between games leads; `kept` is the address in the last assignment, None without one."""
    if kept is None:
        return Check("page", True, "no event yet: no QR code between games")
    if kept:
        return Check("page", True, f"QR code between games: {kept}")
    why = "the hub knows no address for phones (public_address in hub.toml), or the rules forbid phones"
    return Check("page", True, f"no QR code between games: {why}")


def link(config: Config, identity: Identity | None) -> Check:
    """Check that the broker accepts this device."""
    if not config.broker_host:
        return Check("link", True, "not used: no hub is configured")
    if identity is None:
        return Check("link", False, "this device is not enrolled: run flagfall-table enrol CODE")
    up = threading.Event()
    try:
        client = new_link(config, identity, lambda _: None, lambda is_up: up.set() if is_up else None)
    except (Invalid, Failed) as fault:
        return Check("link", False, str(fault))
    client.start()
    try:
        connected = up.wait(LINK_WAIT_S)
        problem = client.problem
    finally:
        client.stop()
    if connected:
        return Check("link", True, f"{config.broker_host}:{config.broker_port} as {identity.device}")
    return Check("link", False, problem or "no answer")


def as_json(checks: list[Check]) -> str:
    return msgspec.json.encode({"fit": all(check.ok for check in checks), "checks": checks}).decode()


def as_text(checks: list[Check]) -> str:
    lines = [f"{'ok ' if check.ok else 'NOT'}  {check.part:<8} {check.what}" for check in checks]
    fit = all(check.ok for check in checks)
    return "\n".join([*lines, "", "fit for play" if fit else "not fit for play"])
