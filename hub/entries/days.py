"""Days that cannot be meant: a last day before the first, a year of another century, a player born after the event.

A form and the API refuse them by their field. A file stays readable, and says so in a note.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from flagfall.base.message import Message
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.text import Refused

# Years of an event: Othello has been sold since 1973, under its older names since 1971.
FIRST_YEAR, LAST_YEAR = 1971, 2100
FIRST_BIRTH = 1890


def declared_day(value: str | None) -> datetime.date | None:
    """Return the day that is declared, or None if there is none or the text is not a day."""
    if not value:
        return None
    try:
        return datetime.date.fromisoformat(value)
    except ValueError:
        return None


def event_day_faults(date: str | None, end_date: str | None) -> Iterator[Message]:
    """Yield what is wrong with the days of an event, with the field."""
    first, last = declared_day(date), declared_day(end_date)
    for field, day in (("date", first), ("end_date", last)):
        if day is not None and not FIRST_YEAR <= day.year <= LAST_YEAR:
            yield Message.of(
                "expected a year from {least} to {most}, got {said}",
                field=field,
                least=FIRST_YEAR,
                most=LAST_YEAR,
                said=day.isoformat(),
            )
    if first is not None and last is not None and last < first:
        yield Message.of(
            "expected a day from {first_day} on, the first day, got {said}",
            field="end_date",
            first_day=first.isoformat(),
            said=last.isoformat(),
        )


def birth_fault(born: str | None, date: str | None) -> Message | None:
    """Return what is wrong with a day of birth in an event of this day, None if nothing is."""
    day, first = declared_day(born), declared_day(date)
    latest = datetime.date(LAST_YEAR, 12, 31) if first is None else first
    if day is None or (day.year >= FIRST_BIRTH and day < latest):
        return None
    return Message.of(
        "expected a day of birth from {least} to the event, got {said}",
        field="born",
        least=FIRST_BIRTH,
        said=day.isoformat(),
    )


def expect_event_days(date: str | None, end_date: str | None) -> None:
    """Raise Refused naming the field of a day of the event that cannot be meant."""
    for fault in event_day_faults(date, end_date):
        raise Refused(fault)


def expect_birth(born: object, date: str | None) -> None:
    """Raise Refused for a day of birth that cannot be meant."""
    fault = birth_fault(born if isinstance(born, str) else None, date)
    if fault is not None:
        raise Refused(fault)


def day_faults(tournament: Tournament) -> Iterator[tuple[Player | None, Message]]:
    """Yield every fault of the days in a tournament, with the player whom it is about."""
    for fault in event_day_faults(tournament.date, tournament.end_date):
        yield None, fault
    for player in tournament.players:
        birth = birth_fault(player.born, tournament.date)
        if birth is not None:
            yield player, birth
