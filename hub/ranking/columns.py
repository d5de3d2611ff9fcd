"""The columns of an event's lists, and a player's value in each."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cached_property

from hub.model.lists import COLUMNS, Column
from hub.model.tournament import Tournament
from hub.ranking.scores import half_points_of_game
from hub.ranking.standings import Standing, standings
from hub.ranking.teams import boards_of
from hub.rulebook import by_difference

_RESULTS: tuple[Column, ...] = ("lost", "drawn", "won")


def columns_of(tournament: Tournament) -> tuple[Column, ...]:
    """Return the columns of the event's lists: those that the director chose, always with the
    name; else what all lists have, and grades if any player has one."""
    if tournament.list_columns:
        return tuple(column for column in COLUMNS if column == "name" or column in tournament.list_columns)
    beside: Column = "team" if boards_of(tournament) else "country"
    grade: tuple[Column, ...] = ("grade",) if is_graded(tournament) else ()
    return ("name", *grade, beside, "points", "difference" if by_difference(tournament) else "bq", "discs")


def is_graded(tournament: Tournament) -> bool:
    """Return True if any player has a dan or kyu grade."""
    return any(player.grade for player in tournament.players)


class Cells:
    """The cells of all players of a tournament, by column."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament

    @cached_property
    def standing_of(self) -> dict[str, Standing]:
        return {line.player: line for line in standings(self._tournament)}

    @cached_property
    def _played(self) -> Counter[tuple[str, Column]]:
        """Return the number of scored games of the rounds by player, and of those won, drawn and lost."""
        played: Counter[tuple[str, Column]] = Counter()
        for round_ in self._tournament.rounds:
            for game in round_.games:
                if game.score is None:
                    continue
                for player, half_points in zip(game.players, half_points_of_game(game), strict=True):
                    played[player, "games"] += 1
                    played[player, _RESULTS[half_points]] += 1
        return played

    def value(self, column: Column, player_id: str) -> str | Fraction | None:
        """Return the player's value: a text, a number, or None without one."""
        player, line = self._tournament.player(player_id), self.standing_of[player_id]
        match column:
            case "name":
                return self._tournament.name_of(player_id)
            case "team":
                return player.team
            case "country":
                return player.country
            case "division":
                return player.division
            case "grade":
                return player.grade
            case "rating":
                return None if player.rating is None else Fraction(repr(player.rating))
            case "points":
                return Fraction(line.half_points, 2)
            case "bq":
                return line.bq
            case "difference":
                return Fraction(line.difference)
            case "discs":
                return Fraction(line.discs)
            case _:
                return Fraction(self._played[player_id, column])
