"""Which system a number of players gets, and how many rounds it takes (`woc-2019` II.2, `cc-2024` II.2)."""

from __future__ import annotations

from hub.rulebook import FormatRules, choice_for

SWISS = "swiss"
MODIFIED_SWISS = "modified_swiss"
ROUND_ROBIN = "round_robin"
DOUBLE_ROUND_ROBIN = "double_round_robin"
TRIPLE_ROUND_ROBIN = "triple_round_robin"
ROUND_ROBIN_THEN_SWISS = "round_robin_then_swiss"
ROUND_ROBIN_WITH_SEMIFINALS = "round_robin_with_semifinals"

SYSTEMS = (
    SWISS,
    MODIFIED_SWISS,
    ROUND_ROBIN,
    DOUBLE_ROUND_ROBIN,
    TRIPLE_ROUND_ROBIN,
    ROUND_ROBIN_THEN_SWISS,
    ROUND_ROBIN_WITH_SEMIFINALS,
)

_CYCLES = {ROUND_ROBIN: 1, DOUBLE_ROUND_ROBIN: 2, TRIPLE_ROUND_ROBIN: 3}
_ROUNDS_AFTER_ONE_CYCLE = {ROUND_ROBIN_THEN_SWISS: 4, ROUND_ROBIN_WITH_SEMIFINALS: 2}


def cycle_rounds(players: int) -> int:
    """Rounds in which everyone meets everyone once; an odd number adds a bye (`cc-2024` II.4.2)."""
    if players < 2:
        return 0
    return players - 1 if players % 2 == 0 else players


def rounds_needed(system: str, players: int, swiss_rounds: int) -> int:
    """All rounds of `system` for so many players; `swiss_rounds` where the system itself does not tell."""
    if system in _CYCLES:
        return _CYCLES[system] * cycle_rounds(players)
    if system in _ROUNDS_AFTER_ONE_CYCLE:
        return cycle_rounds(players) + _ROUNDS_AFTER_ONE_CYCLE[system]
    return swiss_rounds


def planned(rules: FormatRules, players: int) -> tuple[str, int] | None:
    """(system, rounds) of a new event of so many players; None where the text itself has them."""
    if not rules.plan:
        return None
    choice = choice_for(rules.plan, players)
    return choice.system, rounds_needed(choice.system, players, choice.rounds or rules.swiss_rounds)


def qualifying_rounds(system: str, players: int, rounds_planned: int) -> int:
    """The rounds that decide who plays the finals: all, but for the list of six of `cc-2024` II.2 [9-10]."""
    if system == ROUND_ROBIN_WITH_SEMIFINALS:
        return min(cycle_rounds(players), rounds_planned)
    return rounds_planned
