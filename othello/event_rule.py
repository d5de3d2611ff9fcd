"""What the hub asks of a text beyond pairing, lists and finals: one part of a rulebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

TOLD: Mapping[str, str] = {
    "consultation": "pairing",
    "notes": "pairing",
    "reference": "pairing",
    "devices": "pairing",
    "spectators": "pairing",
    "system": "pairing",
    "ignorance": "pairing",
    "clear_board": "start",
    "objects": "start",
    "discs": "start",
    "clock_side": "start",
    "clock_view": "start",
    "leaving": "start",
    "conduct": "start",
    "quotient": "standings",
}
"""What players are told, and when the console says it: before a "pairing" is announced, before the "start" of a round,
beside the "standings". The console's catalogue has the words."""


@dataclass(frozen=True, slots=True)
class EventRule:
    """`no_show`: what a game forfeited, or lost on time, without a move on record is; after "no game" the two may meet,
    and nobody has had a colour. `unplayed_round`: how it counts in the Brightwell quotient.
    `choice_s`: how long before the start a choice of colour is to be announced, 0 where the text sets no time.
    `world_places`: how many qualify for the world championship at least, 0 where it speaks of none. `told`: clause
    -> what it says (`TOLD`).
    """

    no_show: Literal["no game", "a game"]
    unplayed_round: Literal["as a bye", "nothing"]
    choice_s: int
    world_places: int
    told: Mapping[str, str] = field(default_factory=dict)
