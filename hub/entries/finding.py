"""A finding about the entries with its clause, and the common base of the checks."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from enum import StrEnum

from hub.model.tournament import Tournament
from hub.rulebook import FORMAT_RULES, EntryRules
from othello.message import Message

WOF = "WOF"


class FindingKind(StrEnum):
    """`AGAINST` a rule; `OPEN`: a fact is not declared; `ALLOWED`: against a rule, but permitted."""

    AGAINST = "against"
    OPEN = "open"
    ALLOWED = "allowed"


@dataclass(frozen=True, slots=True)
class Finding:
    """`clause` as `woc-2019 I.2.1`; `about` is a player's id, a team or a category, "" for the whole tournament; `text`
    is the line in English."""

    clause: str
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

    def found(
        self, clause: str, about: str, text: Message, kind: FindingKind = FindingKind.AGAINST
    ) -> Finding:
        return Finding(f"{self.tournament.rulebook} {clause}", about, text, kind)


def declared_day(value: str | None) -> datetime.date | None:
    """Return the day that is declared, or None if none is, or the text is none."""
    if not value:
        return None
    try:
        return datetime.date.fromisoformat(value)
    except ValueError:
        return None
