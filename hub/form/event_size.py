"""The largest size of an event of this hub, counted before any of it is read.

An event is folded, shown and paired in the hub's own process, so the time for it must stay below a second: 100,000
players or bans took ten. Files that are only converted at the command line have no such limits.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from flagfall.base.message import Message
from hub.text import FormatError

# The most items of each list or object.
MOST = MappingProxyType(
    {
        "players": 2_000,
        "withdrawals": 2_000,
        "absences": 10_000,
        "half_byes": 10_000,
        "bans": 10_000,
        "pins": 2_000,
        "rounds": 100,
        "finals": 1_000,
        "contact_nations": 2_000,
        "lots": 2_000,
        "openings": 200,
        "finals_openings": 200,
        "line_ups": 2_000,
    }
)
MOST_OF_A_ROUND = MappingProxyType({"games": 1_000, "byes": 2_000})
MOST_GAMES = 20_000
_MOST_OF_A_TEAM = 1_000
_MOST_PLAYER_BYTES = 64 << 10


def check_counts(file: Mapping[str, Any]) -> None:
    """Raise FormatError for an event with more of something than a hub takes."""
    _check(file, MOST, "")
    rounds = file.get("rounds")
    games = 0
    for number, round_ in enumerate(rounds if isinstance(rounds, list) else ()):
        if isinstance(round_, Mapping):
            _check(round_, MOST_OF_A_ROUND, f"rounds[{number}].")
            listed = round_.get("games")
            games += len(listed) if isinstance(listed, list) else 0
    if games > MOST_GAMES:
        raise FormatError("rounds", Message.of("at most {most} games", most=MOST_GAMES), str(games))
    line_ups = file.get("line_ups")
    if isinstance(line_ups, Mapping):
        for team, players in line_ups.items():
            if isinstance(players, list):
                _check_number(f"line_ups.{team[:40]}", len(players), _MOST_OF_A_TEAM)


def check_number(name: str, number: int) -> None:
    """Raise FormatError if the list of this name would have `number` entries and a hub takes fewer."""
    _check_number(name, number, MOST[name])


def check_player(player: object) -> None:
    """Raise FormatError for a player whose object is larger than a hub keeps."""
    size = len(msgspec.json.encode(player))
    if size > _MOST_PLAYER_BYTES:
        raise FormatError("player", Message.of("at most {most} bytes", most=_MOST_PLAYER_BYTES), str(size))


def _check(fields: Mapping[str, Any], most_of: Mapping[str, int], path: str) -> None:
    for name, most in most_of.items():
        items = fields.get(name)
        if isinstance(items, list | tuple | Mapping):
            _check_number(f"{path}{name}", len(items), most)


def _check_number(where: str, number: int, most: int) -> None:
    if number > most:
        raise FormatError(where, Message.of("at most {most} entries", most=most), str(number))
