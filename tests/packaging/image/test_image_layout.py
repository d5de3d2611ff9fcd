"""The recipe of the image: where partitions lie, what the table of them says, and what the card is built of."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from image.build import FILES, MASKED
from image.layout import (
    BOOT,
    DISK_ID,
    KEPT_LABEL,
    KEPT_START,
    MIB,
    ROOT_MOST,
    SECTOR,
    as_shell,
    partition_table,
    root_part,
)
from image.pack import COMMAND_LINE
from image.recipe import ARCHITECTURES, packages

from flagfall.base.errors import Invalid
from hub.cli.cards import first_partition

ROOT = Path(__file__).resolve().parents[3]


@given(st.integers(1, ROOT_MOST * SECTOR))
def test_the_root_never_reaches_what_is_kept(size_bytes: int) -> None:
    part = root_part(size_bytes)
    assert BOOT.end <= part.start and part.end <= KEPT_START
    assert part.size * SECTOR >= size_bytes
    assert part.start * SECTOR % MIB == 0


@pytest.mark.parametrize("size_bytes", [0, ROOT_MOST * SECTOR + 1])
def test_a_root_that_does_not_fit_is_refused(size_bytes: int) -> None:
    with pytest.raises(Invalid, match="expected at most 1024 MiB"):
        root_part(size_bytes)


@pytest.mark.needs("fdisk")
def test_others_read_the_table_as_it_is_meant(tmp_path: Path) -> None:
    image = tmp_path / "card.img"
    root = root_part(300 * MIB + 1)
    with image.open("wb") as file:
        file.write(partition_table(root))
        file.truncate(root.end * SECTOR)
    drive = json.loads(subprocess.run(["sfdisk", "--json", image], capture_output=True, check=True).stdout)
    table = drive["partitiontable"]
    assert (table["label"], int(table["id"], 16)) == ("dos", DISK_ID)
    assert [
        (partition["start"], partition["size"], partition["type"]) for partition in table["partitions"]
    ] == [(BOOT.start, BOOT.size, "c"), (root.start, root.size, "83")]
    assert first_partition(image) == BOOT.start * SECTOR


@pytest.mark.needs("fdisk")
def test_the_third_partition_is_put_where_it_belongs(tmp_path: Path) -> None:
    """The line that the card's first start says to sfdisk."""
    card = tmp_path / "card"
    with card.open("wb") as file:
        file.write(partition_table(root_part(300 * MIB)))
        file.truncate(4 << 30)
    script = (FILES / "usr/lib/flagfall/kept").read_text()
    (line,) = re.findall(r'echo "(start=.*?)" \| sfdisk (.*?) "\$disk"', script)
    asked = line[0].replace("$KEPT_START", str(KEPT_START))
    subprocess.run(
        ["sfdisk", *line[1].split(), card], input=asked, text=True, check=True, capture_output=True
    )
    drive = json.loads(subprocess.run(["sfdisk", "--json", card], capture_output=True, check=True).stdout)
    third = drive["partitiontable"]["partitions"][2]
    assert third["start"] == KEPT_START and (third["start"] + third["size"]) * SECTOR == 4 << 30


def test_the_place_of_what_is_kept_never_changes() -> None:
    """Cards in use have their record there, and their file system is known by its name."""
    assert (KEPT_START, KEPT_LABEL) == (2_629_632, "FLAGFALL-KEPT")
    assert as_shell() == "KEPT_START=2629632\nKEPT_LABEL=FLAGFALL-KEPT\n"
    assert len(KEPT_LABEL) <= 16


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_each_package_is_named_once_and_the_kernel_comes_from_backports(name: str) -> None:
    architecture = ARCHITECTURES[name]
    names = packages(architecture)
    assert len(set(names)) == len(names)
    assert f"{architecture.kernel}/trixie-backports" in names
    assert not {"openssh-server", "sudo", "xserver-xorg"} & set(names)


@pytest.mark.parametrize("script", sorted((FILES / "usr/lib/flagfall").iterdir()))
def test_each_script_is_one_that_a_plain_shell_reads(script: Path) -> None:
    subprocess.run(["sh", "-n", script], check=True)
    assert script.stat().st_mode & 0o111


def test_nobody_can_log_in() -> None:
    assert {"getty@.service", "serial-getty@.service", "debug-shell.service"} <= set(MASKED)
    assert "systemd.getty_auto=no" in COMMAND_LINE and " ro " in COMMAND_LINE


def test_every_unit_of_the_card_names_programs_that_it_has() -> None:
    units = list((FILES / "etc/systemd/system").glob("*.service"))
    assert units
    for unit in units:
        for program in re.findall(r"^Exec\w+=[+-]?(/\S+)", unit.read_text(), re.M):
            if program.startswith("/usr/lib/flagfall/"):
                assert (FILES / program[1:]).is_file(), (unit.name, program)
            else:
                assert program in ("/usr/lib/flagfall-table/bin/python", "/bin/systemctl"), (
                    unit.name,
                    program,
                )


def test_what_is_drawn_on_hears_of_a_touch_panel_that_is_plugged_in_late() -> None:
    """Messages of udev go by netlink, and not into a network of the unit's own."""
    units = [FILES / "etc/systemd/system/flagfall-setup.service", ROOT / "systemd/flagfall-table.service"]
    for unit in units:
        text = unit.read_text()
        assert re.search(r"^RestrictAddressFamilies=.*\bAF_NETLINK\b", text, re.M), unit
        assert not re.search(r"^PrivateNetwork=yes", text, re.M), unit
