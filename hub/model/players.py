"""Entrants of a tournament, and the order of their names."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field

from hub.model.letters import plain_letters

# Numbers that an event makes up for players without one of the rating list begin here, in six digits for `.ELO`: far
# above every number in use. They are nobody's outside the event.
FIRST_NEW = 900_001


@dataclass(frozen=True, slots=True)
class Player:
    """One entrant. Facts that no program can know are declared (`hub.entries.findings`)."""

    id: str
    name: str = ""
    country: str = ""
    # The country if the file names no team.
    team: str = ""
    gender: str = ""
    born: str | None = None
    rating: float | None = None
    past_semifinalist: bool = False
    additional: bool = False
    extra_young: bool = False
    # Above 1: a late entry.
    from_round: int = 1
    division: str = ""
    categories: tuple[str, ...] = ()
    _: KW_ONLY
    represents: str = ""  # "citizen", "resident" for six of the last twelve months, "wof-flag"
    registered: str = ""  # a day
    admitted_because: str = ""  # the director's reason for an entry after the closing
    credentials: str = ""  # "requested" or "shown"
    needs: str = ""
    extra_minutes: float | None = None
    hands_commit: bool | None = None
    grade: str = ""  # "3dan", "2kyu"
    new: bool = False  # without a number of the rating list: "+" in a .ELO file
    # `extra_minutes` and `hands_commit` of an older record that are no such values: no game is published with them.
    misfits: Mapping[str, object] = field(default_factory=dict, hash=False)
    # Unknown fields of the file, written back unchanged; no code looks into it.
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        """Replace what breaks a line or controls a terminal in the names: every file, form and message ends here."""
        for name in ("name", "country", "team", "division"):
            text = getattr(self, name)
            if not text.isprintable():
                object.__setattr__(self, name, printable(text))


def has_own_number(player: Player) -> bool:
    """Return True if the player's id says who they are in other events too: it was not made up for one event."""
    return not player.new and not is_made_up(player.id)


def is_made_up(number: str) -> bool:
    """Return True if this is a number as events make them up for players without one."""
    return number.isascii() and number.isdecimal() and len(number) < 20 and int(number) >= FIRST_NEW


def printable(text: str) -> str:
    """Return the text on one line. Control characters, lone surrogates and runs of whitespace become one space."""
    return " ".join("".join(c if c.isprintable() else " " for c in visible(text)).split())


def visible(text: str) -> str:
    """Return the text without characters that nobody sees: blanks of no width, marks of direction, soft hyphens."""
    return text if text.isprintable() else "".join(c for c in text if unicodedata.category(c) != "Cf")


def clean_name(text: str) -> str:
    """Return a name as every file, list and form gives it: visible, on one line, full-width letters plain."""
    return printable(unicodedata.normalize("NFKC", text))


def alphabetical(players: Iterable[Player]) -> list[Player]:
    """Return the players by name; a player without a name by id."""
    return sorted(players, key=lambda player: (*sorted_as(player.name or player.id), player.id))


def sorted_as(name: str) -> tuple[str, str]:
    """Return the key of a name in every list: its plain letters first, so that Łukasz stands after Luis; then its
    marks."""
    return plain_letters(name), name
