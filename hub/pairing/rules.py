"""What system and rulebook ask of a pairing (woc-2019 II.7, woc-2017 II.6, woc-classic II.5, cc-2024 II.4)."""

from __future__ import annotations

import msgspec

from hub.pairing.round import PairingError
from hub.ranking.systems import BY_SYSTEM, SystemRules
from hub.rulebook import FORMAT_RULES, SwissRules
from hub.tournament import Tournament


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
