"""A finding about the entries with its clause, and the common base of the checks."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from enum import StrEnum

from flagfall.othello.message import Message
from hub.model.tournament import Tournament
from hub.rulebook import FORMAT_RULES, EntryRules

WOF = "WOF"


class FindingKind(StrEnum):
    """The kind of a finding."""

    AGAINST = "against"  # a rule is broken
    OPEN = "open"  # a fact is not declared
    ALLOWED = "allowed"  # against a rule, but permitted


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding about the entries; `text` is its line in English."""

    # Such as `woc-2019 I.2.1`.
    clause: str
    # A player's id, a team or a category, "" for the whole tournament.
    about: str
    line: Message
    kind: FindingKind = FindingKind.AGAINST

    @property
    def text(self) -> str:
        return str(self.line)


@dataclass(frozen=True)
class Entries:
    """A tournament's entries under check."""

    tournament: Tournament

    @property
    def rules(self) -> EntryRules:
        return FORMAT_RULES[self.tournament.rulebook].entry

    @property
    def first_day(self) -> datetime.date | None:
        return declared_day(self.tournament.date)

    def finding(
        self, clause: str, about: str, text: Message, kind: FindingKind = FindingKind.AGAINST
    ) -> Finding:
        return Finding(f"{self.tournament.rulebook} {clause}", about, text, kind)


def declared_day(value: str | None) -> datetime.date | None:
    """Return the day that is declared, or None if there is none or the text is not a day."""
    if not value:
        return None
    try:
        return datetime.date.fromisoformat(value)
    except ValueError:
        return None
