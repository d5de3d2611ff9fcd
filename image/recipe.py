"""What the image is made of: Debian's packages by name, and what differs between the architectures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SUITE = "trixie"
BACKPORTS = f"{SUITE}-backports"
PYTHON = "3.13"
"""Of that suite."""

_SYSTEM = (
    "systemd-sysv",
    "systemd-timesyncd",
    "dbus",
    "udev",
    "kmod",
    "initramfs-tools",
    "zstd",  # packs what the firmware loads beside the kernel
    "e2fsprogs",
    "fdisk",
    "python3",
    "openssl",
)
_NETWORK = (
    "network-manager",
    "wpasupplicant",
    "wireless-regdb",
    "iw",
    "dnsmasq-base",  # gives addresses out where the hub is the access point
    "avahi-daemon",
    "libnss-mdns",
    "iproute2",
    "mosquitto",  # the hub's child
)
_LISTED = Path(__file__).resolve().parents[1] / "systemd/packages"
DRAWN = tuple(line for line in _LISTED.read_text("utf-8").splitlines() if not line.startswith("#"))
"""The packages with which a table's screen is drawn."""
_SPEECH = ("espeak-ng",)
# The kernel is the backports' one: the stable one has no drivers for the Pi 5's RP1.
_BACKPORTED = ("linux-base",)

LEFT_OUT = ("doc", "man", "info", "locale", "lintian", "bug")
"""Folders of /usr/share that a card does not need."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """`wheels` is the platform of PyPI's wheels, `interpreter` runs its programs on another machine."""

    name: str
    kernel: str
    firmware: tuple[str, ...]
    wheels: str
    interpreter: str


ARCHITECTURES = {
    one.name: one
    for one in (
        Architecture(
            "arm64",
            "linux-image-arm64",
            ("raspi-firmware", "firmware-brcm80211"),
            "aarch64-manylinux_2_31",
            "qemu-aarch64-static",
        ),
        Architecture("amd64", "linux-image-amd64", (), "x86_64-manylinux_2_31", "qemu-x86_64-static"),
    )
}


def packages(architecture: Architecture) -> tuple[str, ...]:
    """What mmdebstrap includes."""
    backported = tuple(f"{name}/{BACKPORTS}" for name in (architecture.kernel, *_BACKPORTED))
    return (*_SYSTEM, *_NETWORK, *DRAWN, *_SPEECH, *architecture.firmware, *backported)


PROGRAMS = {
    "mmdebstrap": "mmdebstrap",
    "mksquashfs": "squashfs-tools",
    "mkfs.vfat": "dosfstools",
    "mcopy": "mtools",
    "systemd-sysusers": "systemd",
    "gzip": "gzip",
}
"""Program that the builder needs -> Debian package that has it."""
