"""All final lists as they stand, and the games that are due next, from the tournament alone (rulebooks.md readings
27-30)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product

from flagfall.othello.message import Message
from flagfall.othello.rulebook import rulebook
from hub.model.games import DIVISION, OPEN, WOMEN, YOUNG, Game
from hub.ranking.bracket import (
    Bracket,
    Chooser,
    MakeMatch,
    better_placed_chooses,
    bracket,
    champion,
    match_of,
    possible_orders,
)
from hub.ranking.matches import PLAYOFF, Match, MatchKey
from hub.ranking.places import ListPlace, distinct_places
from hub.ranking.qualifying import Qualifying
from hub.ranking.teams import TeamPlace, team_list
from hub.rulebook import SMALLEST_LIST, TitleRules


@dataclass(frozen=True)
class Finals:
    """Playoffs and finals after `played`: for every match its games, in the order played."""

    qualifying: Qualifying
    played: Mapping[MatchKey, Sequence[Game]]

    @property
    def open_rules(self) -> TitleRules | None:
        return self.qualifying.rules.open_title(self.qualifying.tournament.system)

    # Playoffs and the four

    @cached_property
    def playoffs(self) -> tuple[Match, ...]:
        """The playoff games that level points ask for (`woc-2019` II.3.2), the last qualifier's first."""
        rules, provisional = self.open_rules, self.qualifying.provisional
        if rules is None or rules.playoff is None:
            return ()
        points, match = self.qualifying.half_points, self._match_maker(OPEN)
        pairs = (
            (provisional[better - 1], provisional[other - 1])
            for better, other in rules.playoffs
            if other <= len(provisional)
        )
        return tuple(
            match(PLAYOFF, pair, rules.playoff) for pair in pairs if points(pair[0]) == points(pair[1])
        )

    @cached_property
    def four(self) -> tuple[str, ...]:
        """The players for the open title, in provisional order; the better-placed one while a playoff is undecided."""
        return self._last_four({match.key: match.winner() or match.players[0] for match in self.playoffs})

    def _last_four(self, winners: Mapping[MatchKey, str]) -> tuple[str, ...]:
        if self.open_rules is None:
            return ()
        four = set(self.qualifying.provisional[: self.open_rules.qualifiers])
        for match in self.playoffs:
            four -= set(match.players)
            four.add(winners[match.key])
        return tuple(sorted(four, key=self.qualifying.rank.__getitem__))

    @cached_property
    def playoffs_decided(self) -> bool:
        return all(match.winner() is not None for match in self.playoffs)

    # Titles

    @cached_property
    def brackets(self) -> dict[str, Bracket]:
        """Title -> its finals. A title that the open finals decide has no finals of its own."""
        brackets: dict[str, Bracket] = {}
        if self.open_rules is not None:
            brackets[OPEN] = self._bracket(OPEN, self.four, self.open_rules)
        for title, rules, candidates in self._other_titles():
            if set(self.four).isdisjoint(candidates) or title.startswith(DIVISION):
                brackets[title] = self._bracket(title, self._first(title, candidates, rules), rules)
        return brackets

    def _bracket(self, title: str, qualifiers: Sequence[str], rules: TitleRules) -> Bracket:
        chooser = self._higher_rated if rules.chooser_by_rating else better_placed_chooses
        return bracket(qualifiers, rules, self._match_maker(title, chooser))

    def _match_maker(self, title: str, chooser: Chooser = better_placed_chooses) -> MakeMatch:
        gone = self.qualifying.tournament.withdrawn
        return partial(match_of, title=title, played=self.played, withdrawn=gone, chooser=chooser)

    def _other_titles(self) -> Iterator[tuple[str, TitleRules, tuple[str, ...]]]:
        """Yield (title, rules, candidates in the order of the standings, withdrawn ones too)."""
        rules = self.qualifying.rules
        if rules.women is not None:
            yield WOMEN, rules.women, self.qualifying.women
        if rules.young is not None:
            yield YOUNG, rules.young, self.qualifying.young
        if rules.division is not None:
            for name, candidates in self.divisions.items():
                yield DIVISION + name, rules.division, candidates

    @cached_property
    def divisions(self) -> dict[str, tuple[str, ...]]:
        """`cc-2024` II.7: division -> its players in the order of the standings, by name."""
        members: dict[str, list[str]] = {}
        if self.qualifying.rules.division is not None:
            for line in self.qualifying.standings:
                name = self.qualifying.tournament.player(line.player).division
                if name:
                    members.setdefault(name, []).append(line.player)
        return {name: tuple(members[name]) for name in sorted(members)}

    def _first(self, title: str, candidates: tuple[str, ...], rules: TitleRules) -> tuple[str, ...]:
        return self.qualifying.numbered(title, candidates)[: rules.qualifiers]

    def _higher_rated(self, better: str, other: str) -> str:
        ratings = [self.qualifying.tournament.player(player).rating or 0 for player in (better, other)]
        return other if ratings[1] > ratings[0] else better

    # What is due, what is decided

    @cached_property
    def due(self) -> tuple[Match, ...]:
        """Matches that can be played now; none before every round is complete, then playoffs before all others."""
        if not self.qualifying.complete:
            return ()
        if not self.playoffs_decided:
            return tuple(match for match in self.playoffs if match.winner() is None)
        return tuple(
            m for title_bracket in self.brackets.values() for m in title_bracket.matches if m.winner() is None
        )

    @cached_property
    def decided(self) -> tuple[Match, ...]:
        """Matches with a winner: playoffs, then title by title."""
        matches = [
            *self.playoffs,
            *(match for title_bracket in self.brackets.values() for match in title_bracket.matches),
        ]
        return tuple(match for match in matches if match.winner() is not None)

    def gap(self, match: Match) -> Message | None:
        """Return the clause and the settlement for an undecided match whose player has withdrawn, else None."""
        if not match.withdrawn or match.winner() is not None:
            return None
        tournament = self.qualifying.tournament
        clause = " ".join((tournament.rulebook, *rulebook(tournament.rulebook).cites.get("withdrawal", ())))
        if len(match.withdrawn) == 2:
            return Message.of(
                "{black} and {white} have withdrawn and may not return ({clause}): scored 0-0, the better place stands",
                black=match.players[0],
                white=match.players[1],
                clause=clause,
            )
        return Message.of(
            "{player} has withdrawn and may not return ({clause}): scored 64-0, {other} goes on",
            player=match.withdrawn[0],
            clause=clause,
            other=match.may_win[0],
        )

    # Lists

    @cached_property
    def lists(self) -> dict[str, tuple[ListPlace, ...]]:
        """Title -> final list as it stands, for the titles of the rulebook."""
        lists: dict[str, tuple[ListPlace, ...]] = {}
        all_players = tuple(line.player for line in self.qualifying.standings)
        if self.open_rules is None:
            return {OPEN: distinct_places(all_players)}
        lists[OPEN] = self.qualifying.list_behind(self.brackets[OPEN].order, all_players)
        for title, _, candidates in self._other_titles():
            if title in self.brackets:
                first = self.brackets[title].order
            else:
                first = tuple(player for player in self.brackets[OPEN].order if player in candidates)
            lists[title] = self.qualifying.list_behind(first, candidates)
        return lists

    @cached_property
    def teams(self) -> tuple[TeamPlace, ...] | None:
        """The team list, or None where the rulebook has no teams."""
        rules = self.qualifying.rules.teams
        return None if rules is None else team_list(self.qualifying, rules, self.four)

    # Champions

    @cached_property
    def champions(self) -> dict[str, str | None]:
        """Title (open, women, young, teams) -> its holder, None while it is undecided, shared or not held."""
        champions: dict[str, str | None] = dict.fromkeys((OPEN, WOMEN, YOUNG, "teams"))
        if not self.qualifying.complete:
            return champions
        fours = tuple(self._possible_fours())
        if OPEN in self.brackets and self.playoffs_decided:
            champions[OPEN] = champion(self.brackets[OPEN])
        for title, rules, candidates in self._other_titles():
            if title in champions:
                champions[title] = _same_name(
                    self._title_holder(title, rules, candidates, four) for four in fours
                )
        champions["teams"] = _same_name(self._best_team(four) for four in fours)
        return champions

    def _possible_fours(self) -> Iterator[tuple[str, ...]]:
        for winners in product(*(match.may_win for match in self.playoffs)):
            yield self._last_four({m.key: winner for m, winner in zip(self.playoffs, winners, strict=True)})

    def _title_holder(
        self, title: str, rules: TitleRules, candidates: tuple[str, ...], four: tuple[str, ...]
    ) -> str | None:
        """Return the holder of the title if these four play: by the open finals, or by the title's own."""
        if set(four).isdisjoint(candidates):
            return champion(self._bracket(title, self._first(title, candidates, rules), rules))
        assert self.open_rules is not None
        orders = possible_orders(four, self.open_rules, self._match_maker(OPEN))
        return _same_name(next(player for player in order if player in candidates) for order in orders)

    def _best_team(self, four: tuple[str, ...]) -> str | None:
        rules = self.qualifying.rules.teams
        if rules is None:
            return None
        first = [place.team for place in team_list(self.qualifying, rules, four) if place.place == 1]
        return first[0] if len(first) == 1 else None

    @cached_property
    def warnings(self) -> tuple[Message, ...]:
        """Remarks for the director."""
        small = tuple(
            Message.plural(
                "division {name} has {count} player, fewer than {least} (cc-2024 II.7.1)",
                "division {name} has {count} players, fewer than {least} (cc-2024 II.7.1)",
                len(players),
                name=name,
                least=SMALLEST_LIST,
            )
            for name, players in self.divisions.items()
            if len(players) < SMALLEST_LIST
        )
        matches = [match for title_bracket in self.brackets.values() for match in title_bracket.matches]
        return small + tuple(
            Message.of("{match}: colours not reversed for the second game", match=named(match))
            for match in matches
            if len(match.games) > 1 and match.games[0].black == match.games[1].black
        )


def named(game: Match | Game) -> Message:
    """Return the title, stage and players of a game or match."""
    black, white = game.players
    return Message.of(
        "{title} {stage} {black}-{white}", title=game.title, stage=game.stage, black=black, white=white
    )


def _same_name(names: Iterator[str | None]) -> str | None:
    """Return the name on which all agree, or None."""
    different = set(names)
    return different.pop() if len(different) == 1 else None
