"""A round before it is paired: its part of the system, its rules, and its players."""

from __future__ import annotations

from typing import Literal

import msgspec

from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.ranking.standings import semi_finalists
from hub.ranking.systems import BY_SYSTEM, cycle_rounds
from hub.rulebook import FORMAT_RULES, SwissRules


def starters(tournament: Tournament) -> tuple[str, ...]:
    """Return the ids of the players with a seat in the circle: everybody but those who withdrew before the first
    round."""
    return tuple(player.id for player in tournament.starters)


def cycle_length(tournament: Tournament) -> int:
    """Return the number of rounds in which all meet once: N - 1, or N if N is odd (cc-2024 II.4.2)."""
    return max(1, cycle_rounds(len(starters(tournament))))


StageKind = Literal["first", "round robin", "swiss"]


class RoundStage(msgspec.Struct, frozen=True):
    """The part of a system to which a round belongs, and that part's first round."""

    kind: StageKind
    part_from: int = 1


def stage_of(tournament: Tournament, number: int) -> RoundStage:
    """Return the part of the tournament to which round `number` belongs."""
    system = BY_SYSTEM[tournament.system]
    if not system.cycles:
        return RoundStage("swiss" if number > 1 else "first")
    part_one = cycle_length(tournament) * system.cycles
    if system.part_two != "none" and number > part_one:
        return RoundStage("swiss", part_one + 1)
    return RoundStage("round robin")


def last_round(tournament: Tournament) -> int:
    """Return the number of the last round that will be paired."""
    system = BY_SYSTEM[tournament.system]
    if system.part_two == "list of six":
        return cycle_length(tournament) * system.cycles + system.part_two_rounds
    return tournament.rounds_planned


def swiss_rules(tournament: Tournament, number: int) -> SwissRules:
    """Return the rulebook's rules (woc-2019 II.7, woc-2017 II.6, woc-classic II.5, cc-2024 II.4) as they bind in this
    round of this system. `team_free_rounds` is 0 before those rounds."""
    system, rules = BY_SYSTEM[tournament.system], FORMAT_RULES[tournament.rulebook].swiss
    team_rule = number > tournament.rounds_planned - rules.team_free_rounds
    return msgspec.structs.replace(
        rules,
        team_free_rounds=rules.team_free_rounds if team_rule else 0,
        modified=system.modified,
        reverse_colours=system.part_two != "none",
    )


def players_of_round(tournament: Tournament, number: int) -> tuple[Player, ...]:
    """Return the players to be paired: everybody, but in the list of six not the four semi-finalists (cc-2024 II.2
    [9-10])."""
    present, stage = tournament.players_in(number), stage_of(tournament, number)
    if BY_SYSTEM[tournament.system].part_two != "list of six" or stage.kind != "swiss":
        return present
    four = {line.player for line in semi_finalists(tournament, tournament.rounds[stage.part_from - 1 :])}
    return tuple(player for player in present if player.id not in four)
