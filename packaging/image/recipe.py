"""The contents of the image: Debian's packages by name, and the differences between architectures."""

from __future__ import annotations

from dataclasses import dataclass

from deb.build import NEEDED

SUITE = "trixie"
BACKPORTS = f"{SUITE}-backports"
PYTHON = "3.13"
"""Of that suite."""

_SYSTEM = (
    "systemd-sysv",
    "systemd-timesyncd",
    "dbus",
    "initramfs-tools",
    "zstd",  # packs what the firmware loads beside the kernel
    "e2fsprogs",
    "fdisk",
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
)
_SPEECH = ("espeak-ng",)
# The kernel is the backports' one: the stable one has no drivers for the Pi 5's RP1.
_BACKPORTED = ("linux-base",)

LEFT_OUT = (
    *(f"/usr/share/{name}/*" for name in ("doc", "man", "info", "locale", "lintian", "bug")),
    "/usr/lib/flagfall-*/lib/python3.11/*",  # bookworm's
)
"""Files of the packages that a card does not need."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """One of a card's: `interpreter` runs its programs on another machine."""

    name: str
    kernel: str
    firmware: tuple[str, ...]
    interpreter: str


ARCHITECTURES = {
    architecture.name: architecture
    for architecture in (
        Architecture(
            "arm64", "linux-image-arm64", ("raspi-firmware", "firmware-brcm80211"), "qemu-aarch64-static"
        ),
        Architecture("amd64", "linux-image-amd64", (), "qemu-x86_64-static"),
    )
}


def packages(architecture: Architecture) -> tuple[str, ...]:
    """Return what mmdebstrap includes beside what our packages need."""
    backported = tuple(f"{name}/{BACKPORTS}" for name in (architecture.kernel, *_BACKPORTED))
    return (*_SYSTEM, *_NETWORK, *_SPEECH, *architecture.firmware, *backported)


PROGRAMS = NEEDED | {
    "mmdebstrap": "mmdebstrap",
    "mksquashfs": "squashfs-tools",
    "mkfs.vfat": "dosfstools",
    "mcopy": "mtools",
    "gzip": "gzip",
}
"""Program that the builder needs -> Debian package that has it."""
