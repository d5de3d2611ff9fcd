"""The systems, the choice for a number of players, and their numbers of rounds (`woc-2019` II.2, `cc-2024` II.2)."""

from __future__ import annotations

from typing import Literal

import msgspec

from hub.ranking.leagues import LEAGUE_ROUNDS
from hub.rulebook import FormatRules, choice_for

SWISS = "swiss"
ROUND_ROBIN = "round_robin"
ROUND_ROBIN_WITH_SEMIFINALS = "round_robin_with_semifinals"
LEAGUES = "leagues"


class SystemRules(msgspec.Struct, frozen=True):
    """The order of a system's rounds: `cycles` of a round robin first, then a Swiss part."""

    # 0: Swiss from the first round, or leagues.
    cycles: int = 0
    modified: bool = False
    leagues: bool = False  # its first rounds are those of leagues of four
    # Players after the first part: nobody, everybody, everybody but the four semi-finalists ("list of six"), or
    # everybody but the players of the knockout ("others").
    part_two: Literal["none", "all", "list of six", "others"] = "none"
    part_two_rounds: int = 0

    @property
    def is_swiss(self) -> bool:
        """Return True if it is a Swiss from its first round to its last one."""
        return not self.cycles and not self.leagues


BY_SYSTEM = {
    SWISS: SystemRules(),
    "modified_swiss": SystemRules(modified=True),
    ROUND_ROBIN: SystemRules(cycles=1),
    "double_round_robin": SystemRules(cycles=2),
    "triple_round_robin": SystemRules(cycles=3),
    "round_robin_then_swiss": SystemRules(cycles=1, part_two="all", part_two_rounds=4),
    ROUND_ROBIN_WITH_SEMIFINALS: SystemRules(cycles=1, part_two="list of six", part_two_rounds=2),
    LEAGUES: SystemRules(leagues=True, part_two="others"),
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
    if rules.leagues:
        return LEAGUE_ROUNDS
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
    """Return the number of rounds that decide who plays the finals: all, but not those of the others after leagues, nor
    the list of six of `cc-2024` II.2 [9-10]."""
    if BY_SYSTEM[system].leagues:
        return min(LEAGUE_ROUNDS, rounds_planned)
    if system == ROUND_ROBIN_WITH_SEMIFINALS:
        return min(cycle_rounds(players), rounds_planned)
    return rounds_planned
