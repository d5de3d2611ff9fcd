"""The reasons why a player has no game in a round, inferred from the player's points if the file does not say.

More points than the player's games gave mean byes. Otherwise rounds were missed: before the first game a late entry,
after the last one a withdrawal, between them absences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hub.model.games import Round
from hub.ranking.scores import half_points_of_games


@dataclass(frozen=True, slots=True)
class Missed:
    """Missed rounds, counted from 1."""

    # Round -> players.
    byes: Mapping[int, tuple[str, ...]]
    from_round: tuple[tuple[str, int], ...]
    # (player, last round).
    withdrawn: tuple[tuple[str, int], ...]
    absent: tuple[tuple[str, int], ...]


def missed_rounds(
    players: Sequence[str], rounds: Sequence[Round], half_points: Mapping[str, int], lone_byes: bool = True
) -> Missed:
    """Return the missed rounds of all players; `half_points` come from the file's list.

    A player who is not in it had a bye in a round in which only they have no game and no bye is given, if `lone_byes`
    (the rounds are the file's own). A player who misses several rounds in a row was away.
    """
    seated = [set(round_.players) for round_ in rounds]
    odd = lone_byes and len(players) % 2 == 1
    alone = {
        number
        for number, (round_, seats) in enumerate(zip(rounds, seated, strict=True), start=1)
        if odd and len(seats) == len(players) - 1 and not round_.byes
    }
    earned = earned_half_points(rounds)
    byes: dict[int, list[str]] = {}
    from_round: list[tuple[str, int]] = []
    withdrawn: list[tuple[str, int]] = []
    absent: list[tuple[str, int]] = []
    gaps = {
        player: [number for number, seats in enumerate(seated, start=1) if player not in seats]
        for player in players
    }
    # Players whose every gap is a bye come first: their byes are then no longer available to the others.
    spare = {p: (half_points.get(p, earned.get(p, 0)) - earned.get(p, 0)) // 2 for p in players}
    for player in sorted(players, key=lambda p: len(gaps[p]) - spare[p]):
        missing = gaps[player]
        if player not in half_points:
            had_bye = [n for n in missing if n in alone and not {n - 1, n + 1} & {*missing}]
        else:
            free = sorted(missing, key=lambda n: (n in byes, n))
            had_bye = free[: max(0, spare[player])]
        for number in had_bye:
            byes.setdefault(number, []).append(player)
        missing = [number for number in missing if number not in had_bye]
        played = [n for n in range(1, len(rounds) + 1) if n not in missing]
        first, last = (played[0], played[-1]) if played else (1, 0)
        if first > 1:
            from_round.append((player, first))
        if last < len(rounds):
            withdrawn.append((player, last))
        absent += [(player, number) for number in missing if first < number < last]
    return Missed(
        {number: tuple(bye_players) for number, bye_players in byes.items()},
        tuple(from_round),
        tuple(withdrawn),
        tuple(absent),
    )


def earned_half_points(rounds: Sequence[Round]) -> Counter[str]:
    """Return half points per player with a game or a bye in the rounds."""
    earned = half_points_of_games(game for round_ in rounds for game in round_.games)
    for round_ in rounds:
        for player in round_.byes:
            earned[player] += 2
    return earned
