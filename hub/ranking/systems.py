"""The systems, the choice for a number of players, and their numbers of rounds (`woc-2019` II.2, `cc-2024` II.2)."""

from __future__ import annotations

from typing import Literal

import msgspec

from hub.rulebook import FormatRules, choice_for

SWISS = "swiss"
ROUND_ROBIN = "round_robin"
ROUND_ROBIN_WITH_SEMIFINALS = "round_robin_with_semifinals"


class SystemRules(msgspec.Struct, frozen=True):
    """The order of a system's rounds: `cycles` of a round robin first, then a Swiss part."""

    # 0: Swiss from the first round.
    cycles: int = 0
    modified: bool = False
    # Players after the round robin: nobody, everybody, or everybody but the four semi-finalists ("list of six").
    part_two: Literal["none", "all", "list of six"] = "none"
    part_two_rounds: int = 0


BY_SYSTEM = {
    SWISS: SystemRules(),
    "modified_swiss": SystemRules(modified=True),
    ROUND_ROBIN: SystemRules(cycles=1),
    "double_round_robin": SystemRules(cycles=2),
    "triple_round_robin": SystemRules(cycles=3),
    "round_robin_then_swiss": SystemRules(cycles=1, part_two="all", part_two_rounds=4),
    ROUND_ROBIN_WITH_SEMIFINALS: SystemRules(cycles=1, part_two="list of six", part_two_rounds=2),
}
SYSTEMS = tuple(BY_SYSTEM)


def cycle_rounds(players: int) -> int:
    """Return the number of rounds in which everybody meets everybody once. An odd number adds a bye (`cc-2024`
    II.4.2)."""
    return players - 1 + players % 2 if players > 1 else 0


def rounds_needed(system: str, players: int, swiss_rounds: int) -> int:
    """Return the number of all rounds of `system` for so many players: `swiss_rounds` if the system itself does not
    tell."""
    rules = BY_SYSTEM[system]
    return rules.cycles * cycle_rounds(players) + rules.part_two_rounds if rules.cycles else swiss_rounds


def planned(rules: FormatRules, players: int, system: str = "") -> tuple[str, int] | None:
    """Return (system, rounds) of a new event of so many players, or None if the text itself has them.

    A `system` that is given is kept. Players who are few enough to meet each other do so in a Swiss too.
    """
    if not rules.plan:
        return None
    choice = choice_for(rules.plan, players)
    system = system or choice.system
    return system, rounds_needed(system, players, choice.rounds or cycle_rounds(players))


def qualifying_rounds(system: str, players: int, rounds_planned: int) -> int:
    """Return the number of rounds that decide who plays the finals: all, but not the list of six of `cc-2024` II.2
    [9-10]."""
    if system == ROUND_ROBIN_WITH_SEMIFINALS:
        return min(cycle_rounds(players), rounds_planned)
    return rounds_planned
