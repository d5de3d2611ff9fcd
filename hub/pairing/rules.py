"""What system and rulebook ask of a pairing (woc-2019 II.7, woc-2017 II.6, woc-classic II.5, cc-2024 II.4)."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from hub.pairing.round import PairingError
from hub.rulebook import FORMAT_RULES, SwissRules
from hub.tournament import Tournament


@dataclass(frozen=True, slots=True)
class SystemRules:
    """How a system's rounds follow each other: `cycles` of a round robin first, then a Swiss part.

    `cycles` None: Swiss from the first round. `part_two`: who plays on after the round robin: nobody
    ("none"), everybody ("all"), or everybody but the four semi-finalists ("list of six"). `part_two_rounds`
    None: up to the planned number of rounds.
    """

    cycles: int | None = None
    modified: bool = False
    part_two: str = "none"
    part_two_rounds: int | None = None


BY_SYSTEM = {
    "swiss": SystemRules(),
    "modified_swiss": SystemRules(modified=True),
    "round_robin": SystemRules(cycles=1),
    "double_round_robin": SystemRules(cycles=2),
    "triple_round_robin": SystemRules(cycles=3),
    "round_robin_then_swiss": SystemRules(cycles=1, part_two="all"),
    "round_robin_with_semifinals": SystemRules(cycles=1, part_two="list of six", part_two_rounds=2),
}


def system_rules(tournament: Tournament) -> SystemRules:
    try:
        return BY_SYSTEM[tournament.system]
    except KeyError:
        known = ", ".join(BY_SYSTEM)
        raise PairingError(
            "system: expected one of {known}, got {system!r}", known=known, system=tournament.system
        ) from None


def swiss_rules(tournament: Tournament, number: int) -> SwissRules:
    """The rulebook's rules as they bind in round `number` of this system; `team_free_rounds` is 0 where it is
    too early.
    """
    system = system_rules(tournament)
    try:
        rules = FORMAT_RULES[tournament.rulebook].swiss
    except KeyError:
        known = ", ".join(FORMAT_RULES)
        raise PairingError(
            "rulebook: expected one of {known}, got {rulebook!r}", known=known, rulebook=tournament.rulebook
        ) from None
    team_rule = number > tournament.rounds_planned - rules.team_free_rounds
    return msgspec.structs.replace(
        rules,
        team_free_rounds=rules.team_free_rounds if team_rule else 0,
        modified=system.modified,
        reverse_colours=system.part_two != "none",
    )
