"""The faults of the device itself: disk, outbox, clock, power, screen. They are told to the judge, the hub and the
record."""

from __future__ import annotations

from othello.gamefile import LONGEST_REMARK
from othello.inputs import Note
from othello.message import Message
from table_app.events import Part
from table_app.health import throttling
from table_app.health.clock_rate import SlewWatch
from table_app.log import Log

LOOK_NS = 10_000_000_000
_OTHERS = (Part.BUTTONS, Part.CLOCK, Part.POWER, Part.SCREEN)


class HealthWatch:
    """`why`: for each part why it fails, None while it works. `storage`: why disk or outbox
    does; `others`: why any other part does. `damage`: what could not be read at the start."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.why: dict[Part, Message | None] = {}
        self._slew = SlewWatch()
        self.damage: tuple[Message, ...] = ()
        self.storage: Message | None = None
        self.others: tuple[Message, ...] = ()

    def damaged(self, why: Message) -> None:
        self.damage = (*self.damage, why)
        self._log.error("state damaged", what=why)

    def found(self, part: Part, why: Message | None) -> Note | None:
        """A part fails, or works again; returns the note for the game's record, None if nothing is new."""
        if self.why.get(part) == why:
            return None
        self.why[part] = why
        self.storage = self.why.get(Part.DISK) or self.why.get(Part.OUTBOX)
        self.others = tuple(one for other in _OTHERS if (one := self.why.get(other)))
        if why:
            self._log.error(f"{part} fails", why=why)
        else:
            self._log.info(f"{part} works")
        return Note(part, detail=as_remark(str(why or "works")))

    def look(self) -> tuple[Note, ...]:
        """To be called every `LOOK_NS`: looks at the clock's slew and at throttling."""
        slowed = throttling.slowed(throttling.bits_of() or 0)
        notes = self.found(Part.CLOCK, self._slew.look()), self.found(Part.POWER, slowed)
        return tuple(note for note in notes if note is not None)


def as_remark(text: str) -> str:
    """A remark in the form in which the game file allows it."""
    return "".join(sign if sign.isprintable() else " " for sign in text)[:LONGEST_REMARK]
