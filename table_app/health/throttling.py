"""The check whether a Raspberry Pi is throttled, for lack of power or by heat.

Below about 600 MHz a Pi 4 loses time in all its clocks. The firmware has bits for the present and for the time since
the start; other computers have no such file, and nothing is reported.
"""

from __future__ import annotations

from pathlib import Path

from flagfall.link.trouble import trouble
from flagfall.othello.message import Message

FILE = Path("/sys/devices/platform/soc/soc:firmware/get_throttled")
_NOW = ((0, "under_voltage"), (1, "frequency_capped"), (2, "throttled"), (3, "too_warm"))
# The bits for the time since the start lie this much higher.
_SINCE = 16


def bits_of(file: Path = FILE) -> int | None:
    """Return the firmware's bits, None where there are none."""
    try:
        return int(file.read_text("ascii").strip(), 16)
    except (OSError, ValueError):
        return None


def described(bits: int) -> str:
    """Return in words what slows the processor now, and what did since the start; "" if nothing."""
    present, since = _reasons(bits), _reasons(bits >> _SINCE & ~bits)
    parts = [", ".join(map(str, present))] if present else []
    parts += [f"{', '.join(map(str, since))} since the start"] if since else []
    return "; ".join(parts)


def slowed(bits: int) -> Message | None:
    """Return the reason for which the processor is slow at present, None if it is not."""
    why = _reasons(bits)
    return trouble("slowed", why=why) if why else None


def _reasons(bits: int) -> tuple[Message, ...]:
    return tuple(trouble(key) for bit, key in _NOW if bits >> bit & 1)
