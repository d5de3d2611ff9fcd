"""The faults of the device itself: disk, outbox, clock, power, screen. They are told to the judge, the hub and the
record."""

from __future__ import annotations

from flagfall.othello.gamefile import LONGEST_REMARK
from flagfall.othello.inputs import Note
from flagfall.othello.message import Message
from table_app.events import Part
from table_app.health import throttling
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

    def look(self) -> tuple[Note, ...]:
        """Check the clock's slew and throttling; to be called every `LOOK_NS`."""
        slowed = throttling.slowed(throttling.bits_of() or 0)
        notes = self.report(Part.CLOCK, self._slew.look()), self.report(Part.POWER, slowed)
        return tuple(note for note in notes if note is not None)


def as_remark(text: str) -> str:
    """Return a remark in the form in which the game file allows it."""
    return "".join(sign if sign.isprintable() else " " for sign in text)[:LONGEST_REMARK]
