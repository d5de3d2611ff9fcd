"""The card as it is shipped, under a real kernel: its clock, its picture, its buttons, its touch, its board's cable."""

from __future__ import annotations

import json
import re
import statistics

import pygame
import pytest
from virtual_machine import Machine

pytestmark = [
    pytest.mark.long,
    pytest.mark.needs("qemu", "mtools"),
    pytest.mark.timeout(5400),
    pytest.mark.xdist_group("machine"),
]
BLACK, WHITE = 17, 27
"""GPIO numbers of the shipped table.toml; a button pulls its line down."""
_NEAR_NS = 50_000_000
GAMES = "/var/lib/flagfall/games"


def record(table: Machine) -> list[dict[str, object]]:
    """The lines of the newest game's journal."""
    told = table.sh(f"cat $(ls -t {GAMES}/* | head -n 1)")
    return [json.loads(line) for line in told.splitlines()]


def presses(table: Machine) -> list[dict[str, object]]:
    return [line for line in record(table) if line.get("type") == "press"]


def test_it_boots_to_a_picture_that_is_as_drawn(table: Machine) -> None:
    # The service is up before its picture is there: a clock waits for no screen.
    table.wait_for("journalctl -b -u flagfall-table -o cat --no-pager | grep 'pixels read back'", 900)
    picture = pygame.image.load(table.picture("clock"))
    colours = {picture.get_at((x, y))[:3] for x in range(0, 800, 8) for y in range(0, 480, 8)}
    assert picture.get_size() == (800, 480) and len(colours) > 2
    told = table.sh("journalctl -b -u flagfall-table -o cat --no-pager")
    found = re.search(r"(\d+) of (\d+) pixels read back are as drawn", told)
    assert found is not None and int(found[1]) >= 0.98 * int(found[2]), told[-2000:]


def test_nothing_of_the_root_can_be_written_and_nobody_can_log_in(table: Machine) -> None:
    assert table.ask(sh="touch /usr/x /opt/flagfall/x /boot/firmware/x")["rc"] != 0
    assert table.sh("findmnt -n -o FSTYPE,OPTIONS /").startswith("squashfs ro")
    assert table.sh("systemctl list-units --no-legend 'getty*' 'serial-getty*' | wc -l").strip() == "0"
    assert not re.findall(r"^[^:]+:[^!*:]", table.sh("cat /etc/shadow"), re.M)
    assert table.sh("cat /proc/sys/kernel/hostname").strip() == "flagfall-table-07"


def test_the_sandbox_is_the_shipped_one(table: Machine) -> None:
    told = table.sh(
        "systemctl show flagfall-table -p User,ProtectSystem,NoNewPrivileges,DevicePolicy,SystemCallFilter"
    )
    assert "User=flagfall" in told and "ProtectSystem=strict" in told and "DevicePolicy=closed" in told
    unit = table.sh("systemctl cat flagfall-table")
    drop_ins = re.findall(r"^# (/\S+)$", unit, re.M)[1:]
    assert all("card.conf" in one or "50-credential" in one for one in drop_ins), drop_ins


def test_presses_are_on_record_as_the_kernel_stamped_them(table: Machine) -> None:
    table.press((0, BLACK, 0), (0, WHITE, 0), (3, BLACK, 1), (0, WHITE, 1))
    table.wait_for(f"grep -q start {GAMES}/*")
    edges = []
    # White's press starts Black's clock; then by turns, each bouncing three times.
    for turn in range(20):
        button = BLACK if turn % 2 else WHITE
        bounce = [(0, button, level) for level in (1, 0, 1, 0)]
        steps = table.press((0.3, button, 0), *bounce, (0.15, button, 1))
        edges.append([(steps[at], steps[at + 1]) for at in (0, 4, 8)])
    table.sh("sleep 20")
    found = [int(str(line["at_ns"])) for line in presses(table)][2:]  # the first two started the game
    # The table counts from its own start: the first press tells where that was.
    zero_ns, late_ns = found[0] - edges[0][0][0], []
    for turn, falls in enumerate(edges):
        # A simulated processor may take so long for a bounce that it is a press of its own; never is one lost.
        mine = [
            at - zero_ns for at in found if falls[0][0] - _NEAR_NS <= at - zero_ns <= falls[-1][1] + _NEAR_NS
        ]
        assert mine, f"press {turn} is not on record"
        late_ns.append(mine[0] - falls[0][0])
        width = (falls[0][1] - falls[0][0]) + (edges[0][0][1] - edges[0][0][0])
        assert abs(late_ns[-1]) <= width, (turn, late_ns[-1], width)
    print(f"median {statistics.median(late_ns) / 1e6:.3f} ms, worst {max(map(abs, late_ns)) / 1e6:.3f} ms")


def test_a_touch_opens_the_judges_corner(table: Machine) -> None:
    before = pygame.image.load(table.picture("before"))
    table.touch(30, 25, held_s=2.5)
    table.sh("sleep 15")
    after = pygame.image.load(table.picture("judge"))
    different = sum(
        before.get_at((x, y)) != after.get_at((x, y)) for x in range(0, 800, 8) for y in range(0, 480, 8)
    )
    assert different > 300


def test_a_board_is_known_by_its_name_plugged_and_pulled(table: Machine) -> None:
    gadget = "/run/tests/gadget.sh"
    table.sh(f"sh {gadget} plug")
    table.wait_for("ls /dev/flagfall-board-*")
    assert table.sh("stat -L -c %G /dev/flagfall-board-*").strip() == "dialout"
    table.wait_for("ls -l /proc/$(systemctl show -P MainPID flagfall-table)/fd | grep -q ttyACM")
    table.sh(f"sh {gadget} pull")
    table.wait_for("! ls -l /proc/$(systemctl show -P MainPID flagfall-table)/fd | grep -q ttyACM")
    table.sh(f"sh {gadget} plug")
    table.wait_for("ls -l /proc/$(systemctl show -P MainPID flagfall-table)/fd | grep -q ttyACM")
    assert table.sh("systemctl is-active flagfall-table").strip() == "active"
