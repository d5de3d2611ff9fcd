"""What the law lets pass but the director should know: every warning by its name, with its English text."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from othello.told import Told


class LawWarning(Told):
    """One warning of a game."""

    TEXTS: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "time_too_short": "{minutes:g} minutes each: {rulebook} never plays with less than {least:g}",
            "resigned_after_default": "{player} resigned after winning by default: the guaranteed score stands, "
            "tell the director",
        }
    )
