"""The card as it is shipped, under a real kernel: its clock, its picture, its buttons, its touch, its board's cable."""

from __future__ import annotations

import re
import statistics
from pathlib import Path

from helpers.card_play import (
    GAMES,
    LOG,
    ON_A_MACHINE,
    PICTURE,
    await_picture,
    colours,
    late_ns,
    play,
    pressed_ns,
    record,
    start_game,
    tap,
    touch,
)
from helpers.virtual_machine import Machine

from flagfall.othello.inputs import Rule
from flagfall.othello.side import Side
from table_app.screen.judge.page import GiveRuling, PlayerIs
from table_app.screen.judge.pages.clock import MoreSeconds
from table_app.screen.judge.panel import DialogPage, OpenPage
from table_app.screen.kit.scene import Enter, Key

pytestmark = ON_A_MACHINE
EMPTY_WINDOW = """
Type=exec
ExecStart=
ExecStart=/usr/lib/flagfall-table/bin/python -P /run/tests/empty_window.py
"""
DESCRIPTORS = "ls -l /proc/$(systemctl show -P MainPID flagfall-table)/fd"


def test_it_boots_to_a_picture_that_is_as_drawn(table: Machine) -> None:
    shown = colours(table.picture("clock"))
    log = table.sh(LOG)
    pixels = re.search(r"(\d+) of (\d+) pixels read back are as drawn", log)
    assert pixels is not None and int(pixels[1]) >= 0.98 * int(pixels[2]), log[-2000:]
    # The same program, told to keep its pictures, draws the same.
    folder = "/run/own"
    table.sh(
        f"mkdir -p {folder} && cp -r /etc/flagfall/table.toml {folder} && cd {folder} && (timeout 300 "
        f"/usr/lib/flagfall-table/bin/flagfall-table run --config {folder}/table.toml --state-dir {folder}/state "
        f"--buttons virtual --screen pictures --pictures-dir {folder}/drawn >{folder}/log 2>&1 &)"
    )
    table.wait_for(f"ls {folder}/drawn/*.png")
    drawn = table.folder / "drawn.png"
    # fixed: nothing says whether a second picture follows the first
    newest = table.sh(f"sleep 2; od -An -v -tx1 $(ls {folder}/drawn/*.png | tail -n 1)")
    drawn.write_bytes(bytes.fromhex(newest))
    different = sum(
        max(abs(a - b) for a, b in zip(colour, other, strict=True)) > 8
        for colour, other in zip(shown, colours(drawn), strict=True)
    )
    print(f"{different} of {len(shown)} points of the scanned-out picture differ from what is drawn")
    assert len(set(shown)) > 2 and different < 0.02 * len(shown)


def test_a_card_needs_little_more_than_an_empty_window(card: Path, booted: Machine, tmp_path: Path) -> None:
    """The time from the kernel's start to a picture, beside the same card with a program that opens a window."""
    empty = Machine(card, tmp_path, booted.arch, service=EMPTY_WINDOW)
    empty.start()
    try:
        empty_s = seconds(await_picture(empty))
    finally:
        empty.cut()
    own_s, ratio = seconds(booted.sh(PICTURE)), booted.to_picture_s / empty.to_picture_s
    print(
        f"processor time to the clock {booted.to_picture_s:.0f} s, to an empty window "
        f"{empty.to_picture_s:.0f} s: {ratio:.2f}; "
        f"on the guest's clock {own_s:.0f} s and {empty_s:.0f} s, one after the other, whatever else this machine did"
    )
    assert ratio <= 2


def seconds(log: str) -> float:
    stamp = re.search(r"^\[\s*([\d.]+)\]", log)
    assert stamp is not None, log
    return float(stamp[1])


def test_nothing_of_the_root_can_be_written_and_nobody_can_log_in(table: Machine) -> None:
    assert table.ask(sh="touch /usr/x /usr/lib/flagfall-table/x /boot/firmware/x")["rc"] != 0
    assert table.sh("findmnt -n -o FSTYPE,OPTIONS /").startswith("squashfs ro")
    assert table.sh("systemctl list-units --no-legend 'getty*' 'serial-getty*' | wc -l").strip() == "0"
    assert not re.findall(r"^[^:]+:[^!*:]", table.sh("cat /etc/shadow"), re.M)
    assert table.sh("cat /proc/sys/kernel/hostname").strip() == "flagfall-table-07"


def test_the_sandbox_is_the_shipped_one(table: Machine) -> None:
    unit = table.sh(
        "systemctl show flagfall-table -p User,ProtectSystem,NoNewPrivileges,DevicePolicy,SystemCallFilter"
    )
    assert "User=flagfall" in unit and "ProtectSystem=strict" in unit and "DevicePolicy=closed" in unit
    unit = table.sh("systemctl cat flagfall-table")
    drop_ins = re.findall(r"^# (/\S+)$", unit, re.M)[1:]
    assert all("card.conf" in path or "50-credential" in path for path in drop_ins), drop_ins


def test_presses_are_on_record_as_the_kernel_stamped_them(table: Machine) -> None:
    start_game(table)
    falls = play(table, 20, bounces=2)
    late = late_ns(falls, pressed_ns(table, 20))
    print(f"median {statistics.median(late) / 1e6:.3f} ms, worst {max(late) / 1e6:.3f} ms")


def test_a_correction_by_touch(table: Machine) -> None:
    start_game(table)
    play(table, 1)
    touch(table, 30, 25, held_s=2.5)
    for digit in "4711":
        tap(table, "pin", Key(digit))
    tap(table, "pin", Enter())
    tap(table, "panel-nothing", OpenPage(DialogPage.CLOCK))
    tap(table, "panel-time", PlayerIs(Side.WHITE), as_drawn=False)
    tap(table, "panel-time", MoreSeconds(60))
    # Twice: the first asks whether it is meant.
    tap(table, "panel-time", GiveRuling(Rule.ADJUST_TIME), as_drawn=False)
    tap(table, "panel-time", GiveRuling(Rule.ADJUST_TIME), as_drawn=False)
    table.wait_for(f"grep -q adjust_time {GAMES}/*")
    (ruled,) = (line for line in record(table) if "adjust_time" in line.values())
    print(ruled)


def test_a_board_is_known_by_its_name_and_may_be_pulled_in_mid_move(table: Machine) -> None:
    gadget = "sh /run/tests/gadget.sh"
    table.sh(f"{gadget} plug")
    table.wait_for("ls /dev/flagfall-board-*")
    assert table.sh("stat -L -c %G /dev/flagfall-board-*").strip() == "dialout"
    table.wait_for(f"{DESCRIPTORS} | grep -q ttyACM")
    # A board of the simulator speaks at the cable's other end.
    program = "/usr/lib/flagfall-table/bin/python -P /run/tests/board.py"
    table.sh(f"systemd-run --quiet -p Restart=always -p RestartSec=1 -p StartLimitIntervalSec=0 {program}")
    table.wait_for(f"{LOG} | grep -q 'board there'")
    start_game(table)
    play(table, 1)
    table.sh(f"{gadget} pull")
    table.wait_for(f"{LOG} | grep -q 'board gone.*pulled'")
    stamps = pressed_ns(table, 1)
    table.press((0.3, 17, 0), (0.1, 17, 1))
    assert len(pressed_ns(table, 2)) > len(stamps), "the clock goes on without the board"
    table.sh(f"{gadget} plug")
    table.wait_for(f"[ $({LOG} | grep -c 'board there') -ge 2 ]")
    assert table.sh("systemctl is-active flagfall-table").strip() == "active"
