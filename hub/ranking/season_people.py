"""The people of a season: which entries of its events are of one person, and why.

A number of the rating list is one person's in every event, as long as the names agree. A number that was made up for
one event is nobody's outside it: there only the name can tell, and equal names are asked about, never joined unasked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Literal

from flagfall.base.message import Message
from hub.model.players import Player, has_own_number
from hub.model.same_names import key_of, same_name
from hub.text import Refused

EVERY_NAME = "all"
JoinedBy = Literal["", "number", "name", "answer"]


@dataclass(frozen=True, slots=True)
class SeasonEvent:
    """One event of a season: the name of its file, and its players with their points."""

    file: str
    players: tuple[Player, ...]
    points: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """A player of one event."""

    event: int
    player: Player


@dataclass(slots=True)
class Person:
    """Entries of one person, at most one of each event."""

    key: str
    entries: list[Entry]
    joined_by: JoinedBy = ""

    @property
    def name(self) -> str:
        return next((entry.player.name for entry in self.entries if entry.player.name), "")

    @property
    def number(self) -> str:
        """The person's number of the rating list, "" without one."""
        return next((e.player.id for e in self.entries if has_own_number(e.player)), "")

    def meets(self, other: Person) -> bool:
        """Return True if both play in one event."""
        return not {entry.event for entry in self.entries}.isdisjoint(entry.event for entry in other.entries)


@dataclass(slots=True)
class People:
    """The people of these events. `questions` say whom they keep apart though they may be one."""

    events: Sequence[SeasonEvent]
    persons: list[Person] = field(default_factory=list)
    questions: list[Message] = field(default_factory=list)

    def points(self) -> list[dict[str, int]]:
        """Return the points of each event by the keys of the persons."""
        points: list[dict[str, int]] = [{} for _ in self.events]
        for person in self.persons:
            for entry in person.entries:
                points[entry.event][person.key] = self.events[entry.event].points[entry.player.id]
        return points

    def where(self, person: Person) -> list[str]:
        """Return the entries of a person as FILE:NUMBER, as an answer names them."""
        return [f"{Path(self.events[e.event].file).name}:{e.player.id}" for e in person.entries]


def people_of(events: Sequence[SeasonEvent], same: Iterable[str] = (), apart: Iterable[str] = ()) -> People:
    """Return the people of these events.

    `same` joins: "NAME" or "NAME=NUMBER=FILE:NUMBER", or "all" equal names but those of `apart`. Raise Refused where an
    answer names nobody, or two players of one event.
    """
    people = People(events)
    for number, event in enumerate(events):
        for player in event.players:
            if player.id in event.points:
                _enter(people, Entry(number, player))
    answers, settled = [*same], {*map(key_of, apart)}
    for answer in answers:
        if answer != EVERY_NAME:
            _join(people, _named(people, answer), "answer")
            settled |= {key_of(part) for part in answer.split("=")}
    for key, group in _by_name(people).items():
        if key in settled or not any(not person.number for person in group):
            continue
        if EVERY_NAME in answers and not any(a.meets(b) for a, b in combinations(group, 2)):
            _join(people, group, "name")
        else:
            people.questions.append(_question(people, group))
    return people


def _enter(people: People, entry: Entry) -> None:
    """Add an entry to the person who has its number, if the names agree; else it is a new person's."""
    player = entry.player
    if has_own_number(player):
        alike = [person for person in people.persons if person.number == player.id]
        for person in alike:
            if not (person.name and player.name) or same_name(person.name, player.name):
                person.entries.append(entry)
                person.joined_by = "number"
                return
        if alike:
            people.questions.append(
                Message.of(
                    "{number} is {name} in {place} and {other_name} in {other_place}: kept apart",
                    number=player.id,
                    name=alike[0].name,
                    place=people.where(alike[0])[0].rpartition(":")[0],
                    other_name=player.name,
                    other_place=Path(people.events[entry.event].file).name,
                )
            )
    people.persons.append(Person(f"{entry.event}:{player.id}", [entry]))


def _by_name(people: People) -> dict[tuple[str, ...], list[Person]]:
    """Return the persons of each name that several have and that some event knows by the name alone."""
    named: dict[tuple[str, ...], list[Person]] = {}
    for person in people.persons:
        if person.name:
            named.setdefault(key_of(person.name), []).append(person)
    return {key: group for key, group in named.items() if key and len(group) > 1}


def _question(people: People, group: Sequence[Person]) -> Message:
    where = ", ".join(place for person in group for place in people.where(person))
    return Message.of(
        '{name}: {places} may be one person, and are kept apart; --same "{name}" joins them, --apart "{name}" ends '
        "this question",
        name=group[0].name,
        places=where,
    )


def _named(people: People, answer: str) -> list[Person]:
    """Return the persons whom the parts of an answer name."""
    found: list[Person] = []
    for part in (part.strip() for part in answer.split("=")):
        of_part = [
            person
            for person in people.persons
            if part in (person.number, *people.where(person))
            or (key_of(part) and key_of(part) == key_of(person.name))
        ]
        if not part or not of_part:
            raise Refused(
                "expected a name, a number or FILE:NUMBER of a player, got {said!r}", said=part[:60]
            )
        found += [person for person in of_part if person not in found]
    return found


def _join(people: People, group: Sequence[Person], why: JoinedBy) -> None:
    for one, other in combinations(group, 2):
        if one.meets(other):
            raise Refused(
                "{name} and {other_name} play in one event: name the entries, such as {places}",
                name=one.name or one.entries[0].player.id,
                other_name=other.name or other.entries[0].player.id,
                places="=".join(place for person in group for place in people.where(person)),
            )
    if len(group) > 1:
        first = group[0]
        for other in group[1:]:
            first.entries += other.entries
            people.persons.remove(other)
        first.entries.sort(key=lambda entry: entry.event)
        first.joined_by = why
