"""The card when what it rests on fails: storage, time, its own program, its kernel."""

from __future__ import annotations

import statistics

from helpers.card_play import GAMES, LOG, ON_A_MACHINE, late_ns, play, pressed_ns, start_game
from helpers.virtual_machine import Machine

pytestmark = ON_A_MACHINE
CARD = "/machine/peripheral/card-disk/virtio-backend"


def test_a_full_partition_delays_the_record_and_nothing_else(table: Machine) -> None:
    start_game(table)
    falls = play(table, 2)
    pressed_ns(table, 2)
    table.sh(
        "fallocate -l $(df --output=avail -B1 /data | tail -n 1) /data/full; cat /dev/zero >/data/more || true"
    )
    table.wait_for(f"{LOG} | grep -q 'The disk is full'")
    falls += play(table, 4)
    assert table.sh("systemctl show -P NRestarts flagfall-table").strip() == "0"
    table.sh("rm /data/full /data/more")
    late_ns(falls, pressed_ns(table, 6))


def test_the_first_answer_about_the_time_of_day_changes_no_clock(table: Machine) -> None:
    start_game(table)
    falls = play(table, 3)
    table.sh("date -s '2031-05-01 12:00'")
    falls += play(table, 2)
    table.sh("date -s '2001-05-01 12:00'")
    falls += play(table, 2)
    late_ns(falls, pressed_ns(table, 7))


def test_a_thousand_presses_on_a_slow_card_are_stamped_by_the_kernel(table: Machine) -> None:
    start_game(table)
    free = {"bps": 0, "bps_rd": 0, "bps_wr": 0, "iops": 0, "iops_rd": 0, "iops_wr": 0}
    # What a bad card does with small synced writes.
    table.monitor("block_set_io_throttle", id=CARD, **free | {"bps_wr": 30_000, "iops_wr": 5})
    try:
        falls = play(table, 1000, each_s=0.1)
        written = int(table.sh(f"cat {GAMES}/* | grep -c press"))
    finally:
        table.monitor("block_set_io_throttle", id=CARD, **free)
    late = late_ns(falls, pressed_ns(table, 1000, within_s=1800))
    print(
        f"median {statistics.median(late) / 1e6:.3f} ms, worst {max(late) / 1e6:.3f} ms; "
        f"{max(0, 1000 - written)} waited for the card"
    )
    assert table.sh("systemctl show -P NRestarts flagfall-table").strip() == "0"


def test_a_table_that_hangs_is_started_again_with_its_game(table: Machine) -> None:
    start_game(table)
    play(table, 3)
    pressed_ns(table, 3)
    hung = table.sh("systemctl show -P MainPID flagfall-table").strip()
    table.sh(f"kill -STOP {hung}")
    table.wait_for(f"p=$(systemctl show -P MainPID flagfall-table); [ $p != {hung} ] && [ $p != 0 ]", 900)
    assert (
        "watchdog" in table.sh("journalctl -b --no-pager -o cat | grep -i 'flagfall-table.*watchdog'").lower()
    )
    table.wait_for(f"grep -q power {GAMES}/*", 900)
    assert len(pressed_ns(table, 3)) >= 3


def test_a_kernel_that_hangs_is_reset(table: Machine) -> None:
    before = table.sh("cat /proc/sys/kernel/random/boot_id")
    assert table.sh("cat /sys/class/watchdog/watchdog0/state").strip() == "active"
    # A kernel that is lost would start again by itself (kernel.panic): this one stays where it is.
    table.sh("echo 0 >/proc/sys/kernel/panic")
    table.sh("(sleep 2; echo c >/proc/sysrq-trigger) >/dev/null 2>&1 &")  # fixed: its answer goes first
    assert table.event("WATCHDOG", within_s=600)["data"] == {"action": "reset"}
    assert table.sh("cat /proc/sys/kernel/random/boot_id", within_s=900) != before
