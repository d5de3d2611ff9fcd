"""Switches of an event beside its system, from its rulebook unless the event has set them: leaving after so many wins,
and a play-off of all who are level with the first."""

from __future__ import annotations

from collections.abc import Sequence

from flagfall.othello.colour_choice import May
from flagfall.othello.rulebook import Stage
from hub.model.games import Round
from hub.model.tournament import Tournament
from hub.ranking.scores import half_points_of_game
from hub.ranking.systems import BY_SYSTEM, LEAGUES
from hub.rulebook import FormatRules, MatchRules, TitleRules, rules_of

# The minutes of a game where the rulebook sets none for its stage.
_USUAL_MINUTES = 30


def wins_to_leave(tournament: Tournament) -> int:
    """Return the number of wins after which a player leaves, 0 if nobody does: in a round robin all meet."""
    if not BY_SYSTEM[tournament.system].is_swiss:
        return 0
    chosen = tournament.leave_after_wins
    return rules_of(tournament).leave_after_wins if chosen is None else chosen


def leavers(tournament: Tournament, rounds: Sequence[Round]) -> dict[str, int]:
    """Return the last round of each player who has left with enough wins in these rounds; a draw is half a win."""
    enough = 2 * wins_to_leave(tournament)
    if not enough:
        return {}
    half_points: dict[str, int] = {}
    left: dict[str, int] = {}
    for number, round_ in enumerate(rounds, start=1):
        earned = dict.fromkeys(round_.byes, 2)
        for game in round_.games:
            if game.score is not None:
                earned |= zip(game.players, half_points_of_game(game), strict=True)
        for absence in tournament.absences:
            if absence.half_point and absence.round == number:
                earned[absence.player] = 1
        for player, more in earned.items():
            half_points[player] = half_points.get(player, 0) + more
            if half_points[player] >= enough:
                left.setdefault(player, number)
    return left


def open_title_of(tournament: Tournament) -> TitleRules | None:
    """Return the finals of the open title: the rulebook's, the event's play-off, or the knockout after leagues."""
    rules = rules_of(tournament)
    if tournament.system == LEAGUES:
        return _single_games(rules, qualifiers=0, third_place=True)
    if most := most_in_playoff(tournament):
        return _single_games(rules, qualifiers=most, level_with_first=True)
    return rules.open_title(tournament.system)


def most_in_playoff(tournament: Tournament) -> int:
    """Return the most players of a play-off of all who are level with the first, 0 without one."""
    chosen = tournament.level_playoff
    return rules_of(tournament).level_playoff if chosen is None else chosen


def finals_follow(tournament: Tournament) -> bool:
    """Return True if anything follows the rounds, or there are more lists than one."""
    return rules_of(tournament).has_finals or open_title_of(tournament) is not None


def _single_games(
    rules: FormatRules, qualifiers: int, level_with_first: bool = False, third_place: bool = False
) -> TitleRules:
    """Return finals of single games with the rulebook's minutes, in which a draw has a winner."""
    semi_final, third, final = (
        _single_game(rules, stage) for stage in (Stage.SEMI_FINAL, Stage.THIRD_PLACE, Stage.FINAL)
    )
    return TitleRules(
        qualifiers=qualifiers,
        final=final,
        semi_final=semi_final,
        third_place=third if third_place else None,
        playoff=_single_game(rules, Stage.PLAYOFF),
        level_with_first=level_with_first,
        behind="in order",
    )


def _single_game(rules: FormatRules, stage: Stage) -> MatchRules:
    law = rules.law
    return MatchRules(
        games=1,
        minutes=law.minutes.get(stage, law.minutes.get(Stage.QUALIFYING, _USUAL_MINUTES)),
        may=May.COLOUR_OR_DRAW_WIN,
        colours="chosen" if law.hidden_disc == "no" else "drawn",
    )
