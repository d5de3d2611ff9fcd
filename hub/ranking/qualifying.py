"""The result of the qualifying rounds: the provisional list, and the candidates for each title."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import cached_property

from hub.model.games import OPEN
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.ranking.places import ListPlace, distinct_places, shared_places
from hub.ranking.standings import Standing, qualifying_round_count, qualifying_standings, standings
from hub.rulebook import FORMAT_RULES, FormatRules
from hub.text import FormatError


@dataclass(frozen=True)
class Qualifying:
    """A tournament at the end of its qualifying rounds, or at the present round before it."""

    tournament: Tournament

    @property
    def rules(self) -> FormatRules:
        return FORMAT_RULES[self.tournament.rulebook]

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """All players, also the withdrawn ones."""
        return qualifying_standings(self.tournament)

    @cached_property
    def standing_of(self) -> dict[str, Standing]:
        return {line.player: line for line in self.standings}

    @cached_property
    def total_half_points(self) -> dict[str, int]:
        """Half points of all rounds of the file: more than in the qualification only for a list of six."""
        return {line.player: line.half_points for line in standings(self.tournament)}

    @cached_property
    def complete(self) -> bool:
        """Return True if every planned qualifying round is complete and scored."""
        count = qualifying_round_count(self.tournament)
        rounds = self.tournament.rounds[:count]
        return len(rounds) == count and all(g.score is not None for round_ in rounds for g in round_.games)

    def numbered(self, title: str, candidates: tuple[str, ...]) -> tuple[str, ...]:
        """Return the candidates who have a number for this title: all but those who withdrew before its first game.

        A player who withdraws later keeps their number, which leaves a gap (reading 34); so does a player who has a
        game of it.
        """
        finals = self.tournament.finals
        playing = {p for game in finals if game.title == title for p in game.players}
        withdrawn = {
            withdrawal.player
            for withdrawal in self.tournament.withdrawals
            if all(game.title != title for game in finals[: withdrawal.after_finals])
        } - playing
        return tuple(player for player in candidates if player not in withdrawn)

    @cached_property
    def provisional(self) -> tuple[str, ...]:
        """The qualifying order of the open title, without those who withdrew before it began."""
        return self.numbered(OPEN, tuple(line.player for line in self.standings))

    @cached_property
    def rank(self) -> dict[str, int]:
        """The number of players before this one, withdrawn ones too."""
        return {line.player: i for i, line in enumerate(self.standings)}

    def half_points(self, player: str) -> int:
        return self.standing_of[player].half_points

    @cached_property
    def women(self) -> tuple[str, ...]:
        """All women, withdrawn ones too, in the order of the standings."""
        return tuple(
            line.player for line in self.standings if self.tournament.player(line.player).gender == "f"
        )

    @cached_property
    def young(self) -> tuple[str, ...]:
        """All young players (`woc-2019` I.2.2: at most 14 on 31 December), in the order of the standings."""
        return tuple(
            line.player for line in self.standings if self._is_young(self.tournament.player(line.player))
        )

    def _is_young(self, player: Player) -> bool:
        if player.born is None:
            return player.extra_young
        if self.tournament.date is None:
            raise FormatError("date", "the first day, since ages decide who is young", "nothing")
        year = datetime.date.fromisoformat(self.tournament.date).year
        return year - datetime.date.fromisoformat(player.born).year <= self.rules.young_age

    def list_behind(self, first: tuple[str, ...], candidates: tuple[str, ...]) -> tuple[ListPlace, ...]:
        """Return `first` with a place each, then the other candidates by their points, level ones equal."""
        points = self.total_half_points
        others = [player for player in candidates if player not in first]
        others.sort(key=lambda player: -points[player])
        return distinct_places(first) + shared_places(others, points.__getitem__, len(first) + 1)
