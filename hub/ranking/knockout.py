"""The knockout after leagues: a bracket of single games in a drawn order; places 3-4 and 5-8 are played too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hub.model.games import EventStage
from hub.ranking.matches import FINAL, SEMI_FINAL, THIRD_PLACE, Bracket, MakeMatch, Match
from hub.rulebook import MatchRules, TitleRules

# (best place that is played for, players and free places) -> the stage.
_STAGES: dict[tuple[int, int], str] = {
    (1, 32): EventStage.ROUND_OF_32,
    (1, 16): EventStage.ROUND_OF_16,
    (1, 8): EventStage.QUARTER_FINAL,
    (1, 4): EventStage.SEMI_FINAL,
    (1, 2): EventStage.FINAL,
    (3, 2): EventStage.THIRD_PLACE,
    (5, 4): EventStage.PLACES_5_8,
    (5, 2): EventStage.FIFTH_PLACE,
    (7, 2): EventStage.SEVENTH_PLACE,
}
_Slots = Sequence[str | None]


def knockout(slots: _Slots, rules: TitleRules, rank: Callable[[str], int], match: MakeMatch) -> Bracket:
    """Return the knockout of these players, in their drawn order, as it stands.

    Neighbours meet, and who has nobody goes on. `rank` tells who is the better-placed of two. The next matches follow
    when all of a stage are decided; until then its players stand in the order of their ranks, losers last.
    """
    played = _Knockout(rules, rank, match)
    order = played.order(slots, 1)
    return Bracket(tuple(played.matches), order)


@dataclass
class _Knockout:
    rules: TitleRules
    rank: Callable[[str], int]
    match: MakeMatch
    matches: list[Match] = field(default_factory=list)

    def order(self, slots: _Slots, place: int) -> tuple[str, ...]:
        """Return the order of these players, who play for the places from `place` on, and collect their matches."""
        players = tuple(sorted((player for player in slots if player is not None), key=self.rank))
        stage = _STAGES.get((place, len(slots)))
        if len(players) < 2 or stage is None:
            return players
        winners: list[str | None] = []
        losers: list[str | None] = []
        waiting = False
        for first, second in zip(slots[::2], slots[1::2], strict=True):
            if first is None or second is None:
                winners.append(first if second is None else second)
                losers.append(None)
                continue
            better, other = sorted((first, second), key=self.rank)
            met = self.match(stage, (better, other), _rules_of(self.rules, stage))
            self.matches.append(met)
            winner, loser = met.winner(), met.loser()
            waiting = waiting or winner is None
            winners.append(winner)
            losers.append(loser)
        if waiting:
            return tuple(sorted(players, key=lambda player: (player in losers, self.rank(player))))
        return (*self.order(winners, place), *self.order(losers, place + len(slots) // 2))


def _rules_of(rules: TitleRules, stage: str) -> MatchRules:
    of_stage = {FINAL: rules.final, SEMI_FINAL: rules.semi_final, THIRD_PLACE: rules.third_place}
    return of_stage.get(stage) or rules.playoff or rules.final
