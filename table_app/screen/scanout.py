"""The pixels that a display really shows: the frame buffer that the kernel scans out, read through the
drawing process's own device (DRM, the kernel's `drm_mode.h`). A renderer may draw without an error while the
display stays black."""

from __future__ import annotations

import ctypes
import mmap
import re
import struct
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

GETRESOURCES, GETCRTC, MAP_DUMB, GETFB2, GEM_CLOSE = 0xA0, 0xA1, 0xB3, 0xCE, 0x09
RESOURCES, CRTC, FRAMEBUFFER, DUMB = "4Q8I", "Q7I68x", "5I4I4I4I4x4Q", "IIQ"
DRM = Path("/sys/class/drm")
_NAME = re.compile(r"card(\d+)-(.+)")
_TYPE = 0x64
_READ_WRITE, _WRITE = 3, 1
_PIXEL_BYTES = 4


def device(descriptors: Path = Path("/proc/self/fd")) -> int | None:
    """Return the graphics device that this process has open, None if there is none."""
    for entry in descriptors.iterdir():
        try:
            if str(entry.readlink()).startswith("/dev/dri/card"):
                return int(entry.name)
        except OSError:
            continue
    return None


def pixels(fd: int, points: Sequence[tuple[float, float]]) -> list[bytes] | None:
    """Return four bytes of the frame buffer at each point (shares of its width and height), None if it cannot be
    read: another program controls the display, or its memory cannot be mapped."""
    try:
        framebuffer = _framebuffer(fd)
        if framebuffer is None:
            return None
        _, width, height, _, _, handle, *rest = framebuffer
        pitch, start = rest[3], rest[7]
        try:
            offset = _ask(fd, MAP_DUMB, DUMB, handle, 0, 0)[2]
            size = start + pitch * height
            with closing(mmap.mmap(fd, size, mmap.MAP_SHARED, mmap.PROT_READ, offset=offset)) as memory:
                places = [
                    start + int(y * (height - 1)) * pitch + int(x * (width - 1)) * _PIXEL_BYTES
                    for x, y in points
                ]
                return [memory[place : place + _PIXEL_BYTES] for place in places]
        finally:
            _ask(fd, GEM_CLOSE, "II", handle, 0, direction=_WRITE)
    except (OSError, ValueError, OverflowError):
        return None


def _framebuffer(fd: int) -> tuple[int, ...] | None:
    """Return the frame buffer of the first display in use; the caller closes its handle."""
    crtcs = _ask(fd, GETRESOURCES, RESOURCES, *(0,) * 12)[5]
    ids = (ctypes.c_uint32 * crtcs)()
    _ask(fd, GETRESOURCES, RESOURCES, 0, ctypes.addressof(ids), 0, 0, 0, crtcs, *(0,) * 6)
    for crtc in ids:
        shown = _ask(fd, GETCRTC, CRTC, 0, 0, crtc, *(0,) * 5)[3]
        if shown:
            framebuffer = _ask(fd, GETFB2, FRAMEBUFFER, shown, *(0,) * 20)
            return framebuffer if framebuffer[5] else None
    return None


def _ask(fd: int, number: int, fields: str, *values: int, direction: int = _READ_WRITE) -> tuple[int, ...]:
    import fcntl

    buffer = bytearray(struct.pack(fields, *values))
    request = direction << 30 | len(buffer) << 16 | _TYPE << 8 | number
    fcntl.ioctl(fd, request, buffer)
    return struct.unpack(fields, bytes(buffer))


def connected(folder: Path = DRM) -> Iterator[tuple[int, str]]:
    """Yield the number of the device and name of each connector with a display, in the order of their names."""
    for path in sorted(folder.glob("card*-*/status")):
        match = _NAME.fullmatch(path.parent.name)
        try:
            there = path.read_text("ascii").strip() == "connected"
        except (OSError, ValueError):
            continue
        if match is not None and there:
            yield int(match.group(1)), match.group(2)


def device_of(connector: str, folder: Path = DRM) -> int | None:
    """Return the device of the display at `connector`, "" for the first that is there; None if there is none."""
    return next((number for number, name in connected(folder) if connector in ("", name)), None)
