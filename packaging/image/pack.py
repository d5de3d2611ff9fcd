"""The image as one file: partition table, the firmware's partition with what firmware and people read there, and
the root as a file system that nobody can write."""

from __future__ import annotations

import shutil
from pathlib import Path

from deb.programs import run

from flagfall.base.errors import Failed
from image import layout

COMMAND_LINE = (
    f"console=tty0 root={layout.ROOT} rootfstype=squashfs ro rootwait quiet loglevel=3 panic=10 fsck.mode=skip "
    "systemd.show_status=no systemd.getty_auto=no vt.global_cursor_default=0 consoleblank=0 "
    # Firmware of the Pi hands over a frame buffer, and has its own idea of the memory that the screen may have.
    "cma=128M"
)
CONFIG = """\
# Made with the image. What a card is to be stands in flagfall.toml (flagfall.example.txt shows one).
arm_64bit=1
enable_uart=0
disable_overscan=1
disable_splash=1
boot_delay=0
upstream_kernel=1
kernel=vmlinuz-{release}
initramfs initrd.img-{release} followkernel
"""
EXAMPLE = """\
# Save this file as flagfall.toml on this partition, changed to your needs. Without it the card asks on its screen.
# flagfall-hub cards writes one for each card of a room.
role = "table"                 # or "hub"
seat = 1                       # the table's number
network = "cable"              # or "wifi"; for a hub also "access-point"
# wifi_name = "Othello"
# wifi_password = "at least eight"
# wifi_country = "FR"
hub = "flagfall-hub.local"     # leave it out for a clock without a tournament
# code = "K7QD-3MR9-0XTA-5WNE" # from the console's page Room; makes this card one of its tables
# judge_pin = "4711"
# [table]                      # any key of table.toml, as
# language = "fr"
"""


def pack(root: Path, level: str, image: Path, scratch: Path) -> None:
    """Write `image`, its root packed at zstd's `level`; `root` loses what the image has elsewhere."""
    firmware = scratch / "firmware"
    shutil.copytree(root / "boot/firmware", firmware)
    kernels = sorted((root / "boot").glob("vmlinuz-*"))
    if len(kernels) != 1:
        raise Failed(f"expected one kernel, got {len(kernels)}")
    release = kernels[0].name.removeprefix("vmlinuz-")
    for name in ("vmlinuz", "initrd.img"):
        shutil.copyfile(root / "boot" / f"{name}-{release}", firmware / f"{name}-{release}")
    (firmware / "cmdline.txt").write_text(COMMAND_LINE + "\n", "ascii")
    (firmware / "config.txt").write_text(CONFIG.format(release=release), "ascii")
    (firmware / "flagfall.example.txt").write_text(EXAMPLE, "ascii")
    fat, packed = scratch / "fat.img", scratch / "root.img"
    run(
        *("mkfs.vfat", "-F", "32", "-n", layout.BOOT_LABEL, "-i", f"{layout.DISK_ID:08x}", "-C", fat),
        str(layout.BOOT.size * layout.SECTOR // 1024),
    )
    run("mcopy", "-s", "-Q", "-i", fat, *sorted(firmware.iterdir()), "::")
    for path in (root / "boot").iterdir():
        if path.is_file():
            path.unlink()
    shutil.rmtree(root / "boot/firmware")
    (root / "boot/firmware").mkdir()
    for folder in ("var/lib/apt/lists", "var/cache/apt", "var/log"):
        shutil.rmtree(root / folder, ignore_errors=True)
        (root / folder).mkdir()
    packing = ("-quiet", "-no-progress", "-comp", "zstd", "-Xcompression-level", level, "-b", "128K")
    run("mksquashfs", root, packed, *packing)
    part = layout.root_part(packed.stat().st_size)
    image.unlink(missing_ok=True)
    with image.open("wb") as file:
        file.write(layout.partition_table(part))
        file.truncate(part.end * layout.SECTOR)
    for source, start in ((fat, layout.BOOT.start), (packed, part.start)):
        at_mib = start * layout.SECTOR // layout.MIB
        run("dd", f"if={source}", f"of={image}", "bs=1M", f"seek={at_mib}", "conv=notrunc,sparse")
