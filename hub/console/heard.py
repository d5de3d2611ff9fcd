"""What a table says in English, found again among the texts it can say: so it is said in the reader's language."""

from __future__ import annotations

import re
from enum import StrEnum
from string import Formatter

from hub.console.speech import FIGURES, WORDED
from hub.line import Line
from othello.game import Reason, State
from othello.inputs import Rule
from othello.refusals import TEXTS
from othello.side import Side

OF_TABLES = ("called at the table", "this game is not at this table", "not possible now", "undo {rule}")
"""What tables word themselves, besides the referee's refusals."""

TOLD = (*TEXTS.values(), *OF_TABLES, *map(str, Side), *map(str, State))
"""Every text that has an entry in the catalogues; sides and states fill places of others."""

_ONE_OF: dict[str, type[StrEnum]] = {"player": Side, "state": State, "reason": Reason, "rule": Rule}


def heard(said: str) -> Line | str:
    """The line that `said` is in English; `said` itself where it is none of the known texts: people's own words."""
    for text, pattern in _PATTERNS:
        found = pattern.fullmatch(said)
        if found is not None:
            return Line(text, {name: _value(name, one) for name, one in found.groupdict().items()})
    return said


def _value(name: str, said: str) -> str | Line:
    """A line of its own, so that a side, or discs under a side's name, are not taken for a player's id."""
    return said if name in FIGURES or name in WORDED else Line(said)


def _pattern(text: str) -> re.Pattern[str]:
    parts = []
    for before, name, _, _ in Formatter().parse(text):
        parts.append(re.escape(before))
        if name is not None:
            parts.append(f"(?P<{name}>{'|'.join(_ONE_OF[name]) if name in _ONE_OF else '.{1,80}'})")
    return re.compile("".join(parts))


_PATTERNS = tuple((text, _pattern(text)) for text in TOLD)
