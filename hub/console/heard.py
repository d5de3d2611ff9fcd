"""Finds an English text of a table among the texts that tables can send, so that it can be shown in the reader's
language.

Tables of 0.1.0 send English only, and messages keep their form (docs/decisions/0007-what-is-said.md).
"""

from __future__ import annotations

import re
from enum import StrEnum
from string import Formatter

from hub.console.translate import FIGURES, WORDED
from hub.text import Text
from link.words import N_
from othello.game import State
from othello.inputs import Rule
from othello.reason import Reason
from othello.refusals import TEXTS
from othello.side import Side

OF_TABLES = (
    *(
        N_("called at the table"),
        N_("this game is not at this table"),
        N_("not possible now"),
        N_("undo {rule}"),
        N_("judge"),
    ),
    *(N_("black"), N_("white"), N_("waiting"), N_("running")),
    *(N_("stopped"), N_("correcting"), N_("finished"), N_("signed")),
)
"""Texts of tables other than the referee's refusals; sides and states are values of other texts."""

TOLD = (*TEXTS.values(), *OF_TABLES)
"""All of these texts that the catalogues have."""

_ONE_OF: dict[str, type[StrEnum]] = {"player": Side, "state": State, "reason": Reason, "rule": Rule}


def heard(said: str) -> Text | str:
    """The translatable text that `said` is in English; `said` itself if it is none of the known texts."""
    for text, pattern in _PATTERNS:
        found = pattern.fullmatch(said)
        if found is not None:
            return Text(text, {name: _value(name, one) for name, one in found.groupdict().items()})
    return said


def _value(name: str, said: str) -> str | Text:
    """A text of its own, so that a side, or discs under a side's name, is not taken for a player's id."""
    return said if name in FIGURES or name in WORDED else Text(said)


def _pattern(text: str) -> re.Pattern[str]:
    parts = []
    for before, name, _, _ in Formatter().parse(text):
        parts.append(re.escape(before))
        if name is not None:
            parts.append(f"(?P<{name}>{'|'.join(_ONE_OF[name]) if name in _ONE_OF else '.{1,80}'})")
    return re.compile("".join(parts))


_PATTERNS = tuple((text, _pattern(text)) for text in TOLD)
