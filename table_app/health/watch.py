"""The faults of the device itself, told to judge, hub and record: disk, outbox, clock, power, screen.

A Raspberry Pi is throttled for lack of power or by heat: below about 600 MHz a Pi 4 loses time in all its clocks. Its
firmware has bits for the present and for the time since the start, which only Raspberry Pi's kernel shows in a file.
Debian's kernel, which a card has, tells under-voltage alone, by the sensor `rpi_volt`; other computers tell nothing.
"""

from __future__ import annotations

from pathlib import Path

from flagfall.base.fields import LONGEST_REMARK
from flagfall.base.message import Message
from flagfall.base.trouble import trouble
from flagfall.othello.inputs import Note
from table_app.events import Part
from table_app.health.clock_rate import SlewWatch
from table_app.log import Log

LOOK_NS = 10_000_000_000
_OTHERS = (Part.BUTTONS, Part.CLOCK, Part.POWER, Part.SCREEN)


class HealthWatch:
    """The troubles of the device's parts."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.why: dict[Part, Message | None] = {}  # the reason for which each part fails, None while it works
        self._slew = SlewWatch()
        self.power_known = False  # this machine tells whether it has enough power
        self.damage: tuple[Message, ...] = ()  # files that could not be read at the start
        self.storage: Message | None = None  # the reason for which disk or outbox fails
        self.others: tuple[Message, ...] = ()  # the reasons for which other parts fail

    def damaged(self, why: Message) -> None:
        self.damage = (*self.damage, why)
        self._log.error("state damaged", what=why)

    def report(self, part: Part, why: Message | None) -> Note | None:
        """Record that a part fails or works again. Return the note for the game's record, None if nothing is new."""
        if self.why.get(part) == why:
            return None
        self.why[part] = why
        self.storage = self.why.get(Part.DISK) or self.why.get(Part.OUTBOX)
        self.others = tuple(reason for other in _OTHERS if (reason := self.why.get(other)))
        if why:
            self._log.error(f"{part} fails", why=why)
        else:
            self._log.info(f"{part} works")
        return Note(part, detail=as_remark(str(why or "works")))

    @property
    def power(self) -> str:
        """The state of the power in a few words of English: "ok", what is wrong, or "unknown"."""
        why = self.why.get(Part.POWER)
        return str(why) if why else "ok" if self.power_known else "unknown"

    def look(self) -> tuple[Note, ...]:
        """Check the clock's slew and throttling; to be called every `LOOK_NS`."""
        bits = throttle_bits()
        self.power_known = bits is not None
        slowed = slowed_by(bits or 0)
        notes = self.report(Part.CLOCK, self._slew.look()), self.report(Part.POWER, slowed)
        return tuple(note for note in notes if note is not None)


def as_remark(text: str) -> str:
    """Return a remark in the form in which the game file allows it."""
    return "".join(sign if sign.isprintable() else " " for sign in text)[:LONGEST_REMARK]


THROTTLED_FILE = Path("/sys/devices/platform/soc/soc:firmware/get_throttled")
# The sensor of the kernel's driver raspberrypi-hwmon, among the others in this folder.
HWMON = Path("/sys/class/hwmon")
_VOLTAGE_SENSOR, _VOLTAGE_ALARM = "rpi_volt", "in0_lcrit_alarm"
_THROTTLED_NOW = ((0, "under_voltage"), (1, "frequency_capped"), (2, "throttled"), (3, "too_warm"))
# The bits for the time since the start lie this much higher.
_THROTTLED_SINCE = 16


def throttle_bits(file: Path = THROTTLED_FILE, hwmon: Path = HWMON) -> int | None:
    """Return the firmware's bits, or the one for under-voltage by the sensor of Debian's kernel; None where there is
    neither."""
    try:
        return int(file.read_text("ascii").strip(), 16)
    except (OSError, ValueError):
        return _under_voltage(hwmon)


def _under_voltage(hwmon: Path) -> int | None:
    """Return 1 if the sensor has seen under-voltage in the last seconds, 0 if not, None without such a sensor."""
    for name in sorted(hwmon.glob("*/name")):
        try:
            if name.read_text("ascii").strip() == _VOLTAGE_SENSOR:
                return int(int((name.parent / _VOLTAGE_ALARM).read_text("ascii")) != 0)
        except (OSError, ValueError):
            continue
    return None


def throttling_in_words(bits: int) -> str:
    """Return in words what slows the processor now, and what did since the start; "" if nothing."""
    present, since = _throttled_by(bits), _throttled_by(bits >> _THROTTLED_SINCE & ~bits)
    parts = [", ".join(map(str, present))] if present else []
    parts += [f"{', '.join(map(str, since))} since the start"] if since else []
    return "; ".join(parts)


def slowed_by(bits: int) -> Message | None:
    """Return the reason for which the processor is slow at present, None if it is not."""
    why = _throttled_by(bits)
    return trouble("slowed", why=why) if why else None


def _throttled_by(bits: int) -> tuple[Message, ...]:
    return tuple(trouble(key) for bit, key in _THROTTLED_NOW if bits >> bit & 1)
