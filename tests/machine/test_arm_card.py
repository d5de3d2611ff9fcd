"""The image for a Raspberry Pi itself, as `make image` makes it, in a machine of virtual parts to its clock, and in an
imitated Pi 3 as far as that goes (it has neither a display that Linux knows, nor edges at its pins).
"""

from __future__ import annotations

import base64
import os
import re
import statistics
import subprocess
from pathlib import Path

import pytest
from helpers.card_play import LOG, ON_A_MACHINE, PICTURE, colours, late_ns, play, pressed_ns, start_game
from helpers.prepared import absent
from helpers.virtual_machine import Machine, boot_files
from helpers.waiting import until
from image.build import CACHE, build
from image.layout import BOOT, SECTOR
from image.recipe import ARCHITECTURES

from flagfall.link.card import TABLE, CardSettings, write_card
from hub.cli.cards import into_copy

pytestmark = ON_A_MACHINE
SLOW = {"screen_open_s": 1200, "screen_hung_s": 600}
PI_3 = "bcm2837-rpi-3-b.dtb"
_ASKED = (
    "systemctl is-active flagfall-kept flagfall-card flagfall-table | tr '\\n' ' '",
    "journalctl -b -u flagfall-table -o cat --no-pager | grep -o 'running device=table'",
    "ls /dev/gpiochip0 /dev/watchdog0",
)


@pytest.fixture(scope="session")
def arm_card(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the card of a table without a hub. FLAGFALL_TEST_ARM_IMAGE names an image that is there already."""
    if os.geteuid() != 0:
        absent("needs root: images are built by root (sudo make vm-test)")
    path = os.environ.get("FLAGFALL_TEST_ARM_IMAGE")
    if path:
        image = Path(path)
    else:
        (image,) = build(ARCHITECTURES["arm64"], CACHE, tmp_path_factory.mktemp("arm"), raw=True)
    made = tmp_path_factory.mktemp("card") / "card.img"
    into_copy(image, made, write_card(CardSettings(TABLE, seat=7, judge_pin="4711", program=SLOW)))
    return made


def test_it_boots_to_the_clock_and_is_played(arm_card: Path, tmp_path: Path) -> None:
    table = Machine(arm_card, tmp_path, "arm64")
    table.start()
    try:
        table.sh("true", within_s=1800)
        assert table.sh("uname -m").strip() == "aarch64"
        table.wait_for(PICTURE, within_s=1800)
        pixels = re.search(r"(\d+) of (\d+) pixels read back are as drawn", table.sh(LOG))
        assert pixels is not None and int(pixels[1]) >= 0.98 * int(pixels[2])
        assert len(set(colours(table.picture("clock")))) > 2
        assert table.sh("systemctl is-active flagfall-table").strip() == "active"
        assert table.sh("systemctl --failed --no-legend").strip() == ""
        assert table.sh("findmnt -n -o FSTYPE /").strip() == "squashfs"
        start_game(table)
        falls = play(table, 20, each_s=1.0, bounces=2)
        late = late_ns(falls, pressed_ns(table, 20))
        print(f"median {statistics.median(late) / 1e6:.3f} ms, worst {max(late) / 1e6:.3f} ms")
        print(table.sh(f"{LOG}; systemd-analyze"))
    finally:
        table.cut()


def test_an_imitated_pi_3_reads_its_card_and_starts_the_table(arm_card: Path, tmp_path: Path) -> None:
    """It boots the card in the Pi's own reader by the Pi's own device tree, and answers at its second serial port."""
    kernel, initrd, line = boot_files(arm_card, tmp_path)
    place = f"{arm_card}@@{BOOT.start * SECTOR}"
    subprocess.run(["mcopy", "-n", "-i", place, f"::{PI_3}", tmp_path / PI_3], check=True)
    overlay = tmp_path / "card.qcow2"
    # The reader takes only sizes that are a power of two.
    making = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", str(arm_card), str(overlay), "4G"]
    subprocess.run(making, check=True)
    report = "; ".join(("echo ASKED", *_ASKED, "echo ANSWERED"))
    units = {
        "systemd.extra-unit.tests.service": "[Unit]\nDefaultDependencies=no\n[Service]\nStandardOutput=tty\n"
        # fixed: how often it reports
        f'TTYPath=/dev/console\nExecStart=/bin/sh -c "while sleep 10; do {report}; done"\n',
        "systemd.unit-dropin.flagfall-table.service": "[Service]\nTimeoutStartSec=1800\nWatchdogSec=600\n",
    }
    credentials = " ".join(
        f"systemd.set_credential_binary={name}:{base64.b64encode(text.encode()).decode()}"
        for name, text in units.items()
    )
    console = tmp_path / "console"
    # QEMU's Pi has no count for its watchdog: whoever starts it, resets the machine at once.
    line = line.replace("console=tty0 ", "")
    line = f"systemd.watchdog_sec=0 console=ttyS1,115200 {line} {credentials} systemd.wants=tests.service"
    command = [
        "qemu-system-aarch64", "-M", "raspi3b", "-accel", "tcg,thread=multi", "-display", "none", "-nodefaults",
        "-serial", "null", "-serial", f"file:{console}", "-kernel", str(kernel), "-initrd", str(initrd),
        "-dtb", str(tmp_path / PI_3), "-append", line, "-drive", f"if=sd,format=qcow2,file={overlay}",
    ]  # fmt: skip
    with (tmp_path / "qemu.log").open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:

        def is_up() -> bool:
            assert process.poll() is None, (tmp_path / "qemu.log").read_text()[-500:]
            return re.search(r"active active active[^E]*running device=table", _read(console)) is not None

        until(is_up, lambda: _read(console)[-3000:], 3600, (), every_s=1)
    finally:
        process.kill()
        process.wait()
    print(_read(console)[-1500:])


def _read(console: Path) -> str:
    return console.read_text("utf-8", errors="replace") if console.exists() else ""
