"""The reasons for a player's place, round by round: points, the parts of the Brightwell quotient, differences of discs.

The sums of the parts are the player's line of the standings (`hub.ranking.standings`); a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal

import msgspec

from hub.model.games import Game, Round
from hub.model.tournament import Tournament
from hub.ranking.scores import recorded
from hub.ranking.standings import (
    ALL_DISCS,
    UNPLAYED_DISCS,
    Standing,
    bq_constant,
    points,
    standings,
    standings_for,
)
from hub.ranking.switches import leavers
from hub.rulebook import FormatRules, Tie, rules_of, ties_of

# A round of a player: a game; one against a player who has withdrawn; one that is being played; a bye; a round missed
# with half a point, or without; or one after the player has left with enough wins.
Kind = Literal["game", "withdrawn", "playing", "bye", "half point", "missed", "left"]


class RoundPart(msgspec.Struct, frozen=True):
    """One round in a player's sums."""

    round: int
    kind: Kind
    opponent: str = ""
    half_points: int = 0
    discs: int = 0
    against: int = 0
    # The part of the quotient: discs, and the half points that count C/2 times each. None: nothing.
    quotient_discs: int | None = None
    quotient_half_points: int = 0

    @property
    def difference(self) -> int:
        return self.discs - self.against

    @property
    def quotient_points(self) -> int | float:
        """The points that count C times in the quotient: the opponent's, or the player's own."""
        return points(self.quotient_half_points)


class PlaceReasons(msgspec.Struct, frozen=True):
    """The reasons for the place of a player."""

    line: Standing
    # The number of players with more points; None where points alone do not decide who is ahead.
    better: int | None
    # Everybody with as many points, the player too, in their order; empty where points do not decide.
    level: tuple[Standing, ...]
    # The ways in which they are ordered; the lot is the last one.
    ties: tuple[Tie, ...]
    constant: Fraction
    parts: tuple[RoundPart, ...]

    def quotient(self, part: RoundPart) -> Fraction:
        """Return what a round adds to the quotient."""
        if part.quotient_discs is None:
            return Fraction(0)
        return part.quotient_discs + self.constant * part.quotient_half_points / 2


def place_reasons(tournament: Tournament, player: str) -> PlaceReasons:
    """Return the reasons for a player's place after the rounds."""
    rounds, lines = standings_for(tournament, player)
    final = standings(tournament)
    line = next(line for line in final if line.player == player)
    # Semi-finalists, winners of leagues and players who left with enough wins are ahead whatever their points.
    by_points = lines == final and not any(other.left_after for other in lines)
    return PlaceReasons(
        line,
        better=sum(other.half_points > line.half_points for other in lines) if by_points else None,
        level=tuple(other for other in lines if by_points and other.half_points == line.half_points),
        ties=ties_of(tournament),
        constant=bq_constant(tournament),
        parts=tuple(_parts(tournament, player, rounds, {other.player: other.half_points for other in lines})),
    )


def _parts(
    tournament: Tournament, player: str, rounds: Sequence[Round], half_points: Mapping[str, int]
) -> Iterator[RoundPart]:
    """Yield the player's rounds; `half_points` are everybody's."""
    rules = rules_of(tournament)
    gone = {
        withdrawal.player for withdrawal in tournament.withdrawals if withdrawal.after_round < len(rounds)
    }
    left_after = leavers(tournament, rounds).get(player, len(rounds))
    half_rounds = {
        entry.round for entry in tournament.absences if entry.player == player and entry.half_point
    }
    player_half_points = half_points[player]
    for number, round_ in enumerate(rounds, 1):
        game = next((game for game in round_.games if player in game.players), None)
        half = int(number in half_rounds)
        if player in round_.byes:
            yield RoundPart(
                number,
                "bye",
                half_points=2 + half,
                discs=rules.bye_discs,
                against=ALL_DISCS - rules.bye_discs,
                quotient_discs=rules.bye_discs,
                quotient_half_points=player_half_points,
            )
        elif game is not None and game.score is not None:
            yield _game_part(number, game, player, rules, gone=gone, half_points=half_points, half=half)
        elif game is None and number > left_after:
            yield RoundPart(number, "left", half_points=half)
        else:
            yield _unplayed_part(number, game, player, rules, half=half, half_points=player_half_points)


def _game_part(
    number: int,
    game: Game,
    player: str,
    rules: FormatRules,
    *,
    gone: set[str],
    half_points: Mapping[str, int],
    half: int,
) -> RoundPart:
    of_black, of_white = recorded(game, rules.law)
    result, opponent = (of_black, game.white) if game.black == player else (of_white, game.black)
    counts = opponent not in gone
    return RoundPart(
        number,
        "game" if counts else "withdrawn",
        opponent,
        half_points=result.half_points + half,
        discs=result.discs,
        against=result.against,
        quotient_discs=result.discs if counts else UNPLAYED_DISCS,
        quotient_half_points=half_points[opponent if counts else player],
    )


def _unplayed_part(
    number: int, game: Game | None, player: str, rules: FormatRules, *, half: int, half_points: int
) -> RoundPart:
    """Return the part of a round that has no score of this player: being played, or missed."""
    as_a_bye = rules.law.event.unplayed_round == "as a bye"
    lost = game is None and not half and rules.missed_round == "walkover"
    more, less = (rules.law.score.walkover_absent or (ALL_DISCS, 0)) if lost else (0, 0)
    opponent = "" if game is None else game.white if game.black == player else game.black
    return RoundPart(
        number,
        "playing" if game is not None else "half point" if half else "missed",
        opponent,
        half_points=half,
        discs=less,
        against=more,
        quotient_discs=UNPLAYED_DISCS if as_a_bye else None,
        quotient_half_points=half_points if as_a_bye else 0,
    )
