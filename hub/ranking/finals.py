"""All final lists as they stand, the games that are due next, and the day of the finals, from the tournament alone.

The games of the finals are taken in the order played, and each must have been due then (rulebooks.md readings 27-30).
`woc-2019` Appendix B gives times for the day; `woc-2017` III and B.4 and `cc-2024` III.2 only say what starts together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product

import msgspec

from flagfall.base.message import Message
from hub.model.games import DIVISION, OPEN, WOMEN, YOUNG, Game
from hub.model.tournament import Tournament
from hub.ranking.grand_prix import shared_points
from hub.ranking.knockout import knockout
from hub.ranking.leagues import knockout_slots
from hub.ranking.matches import (
    FINAL,
    PLAYOFF,
    SEMI_FINAL,
    THIRD_PLACE,
    Bracket,
    Chooser,
    MakeMatch,
    Match,
    MatchKey,
    better_placed_chooses,
    bracket,
    champion,
    match_of,
    possible_orders,
)
from hub.ranking.places import ListPlace, distinct_places
from hub.ranking.standings import (
    Qualifying,
    Standing,
    league_winners,
    qualifying_round_count,
    standings,
    with_number,
)
from hub.ranking.switches import open_title_of
from hub.ranking.systems import LEAGUES
from hub.ranking.teams import TeamPlace, team_list
from hub.rulebook import SMALLEST_LIST, PlannedGame, TitleRules, rules_of
from hub.text import FormatError


@dataclass(frozen=True)
class Finals:
    """Playoffs and finals after `played`: for every match its games, in the order played."""

    qualifying: Qualifying
    played: Mapping[MatchKey, Sequence[Game]]

    @property
    def open_rules(self) -> TitleRules | None:
        return open_title_of(self.qualifying.tournament)

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
        if self.qualifying.tournament.system == LEAGUES:
            return tuple(
                player for player in league_winners(self.qualifying.tournament) if player is not None
            )
        points, first = self.qualifying.half_points, self.qualifying.provisional[:1]
        four = {
            player
            for player in self.qualifying.provisional[: self.open_rules.qualifiers]
            if not self.open_rules.level_with_first or points(player) == points(first[0])
        }
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
            brackets[OPEN] = self._open_bracket(self.open_rules)
        for title, rules, candidates in self._other_titles():
            if set(self.four).isdisjoint(candidates) or title.startswith(DIVISION):
                brackets[title] = self._bracket(title, self._first(title, candidates, rules), rules)
        return brackets

    def deciding(self, title: str) -> frozenset[str]:
        """Return the players whose places in a title's list games after the rounds have decided, not points."""
        bracket = self.brackets.get(title) or self.brackets.get(OPEN)
        matches = (*self.playoffs, *(bracket.matches if bracket is not None else ()))
        return frozenset(
            player for match in matches if match.winner() is not None for player in match.players
        )

    def _open_bracket(self, rules: TitleRules) -> Bracket:
        tournament = self.qualifying.tournament
        if tournament.system != LEAGUES:
            return self._bracket(OPEN, self.four, rules)
        slots = knockout_slots(tournament.seed, league_winners(tournament))
        return knockout(slots, rules, self.qualifying.rank.__getitem__, self._match_maker(OPEN))

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
        return with_number(self.qualifying.tournament, title, candidates)[: rules.qualifiers]

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
        clause = " ".join((tournament.rulebook, *rules_of(tournament).law.cites.get("withdrawal", ())))
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
        in_order = self.open_rules is not None and self.open_rules.behind == "in order"
        lines = standings(self.qualifying.tournament) if in_order else self.qualifying.standings
        all_players = tuple(line.player for line in lines)
        if self.open_rules is None:
            return {OPEN: distinct_places(all_players)}
        first = self.brackets[OPEN].order
        lists[OPEN] = self.qualifying.list_behind(first, all_players, in_order)
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

    @cached_property
    def grand_prix(self) -> Mapping[str, int]:
        """Grand Prix points by player; empty before the rounds are complete, and where the rulebook has none.

        While no final has decided the first places, they are shared like all others.
        """
        points = self.qualifying.rules.grand_prix
        if not points or not self.qualifying.complete:
            return {}
        places = self.lists[OPEN]
        if self.champions[OPEN] is None:
            places = self.qualifying.list_behind((), tuple(line.player for line in self.qualifying.standings))
        return shared_points(places, points)

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


def finals_of(tournament: Tournament) -> Finals:
    """Return the state of playoffs and finals. Raise FormatError naming a game that was not due or has no winner."""
    try:
        return _finals_from_games(tournament)
    except FormatError:
        # If the file does not say after which games of the finals its players left, they left after these.
        with suppress(FormatError):
            return _finals_from_games(_left_during_finals(tournament))
        raise


def finals_and_fault(tournament: Tournament) -> tuple[Finals | None, Message | None]:
    """Return the finals with their lists, or the fault that prevents them: a game was not due, or an age is not
    known."""
    try:
        finals = finals_of(tournament)
        finals.lists  # noqa: B018  (it needs the players' ages)
    except FormatError as fault:
        return None, fault.message
    return finals, None


def finals_or_none(tournament: Tournament) -> Finals | None:
    return finals_and_fault(tournament)[0]


def placed_at_the_end(tournament: Tournament) -> tuple[Standing, ...]:
    """Return the standings. Once the rounds are played, they have the order and the places of the final list."""
    lines = standings(tournament)
    finals = finals_or_none(tournament)
    if finals is None or not finals.qualifying.complete:
        return lines
    line_of = {line.player: line for line in lines}
    return tuple(
        msgspec.structs.replace(line_of[entry.player], place=entry.place, by_lot=False)
        for entry in finals.lists[OPEN]
    )


def _left_during_finals(tournament: Tournament) -> Tournament:
    last = qualifying_round_count(tournament)
    withdrawals = tuple(
        replace(withdrawal, after_finals=len(tournament.finals))
        if withdrawal.after_round >= last and not withdrawal.after_finals
        else withdrawal
        for withdrawal in tournament.withdrawals
    )
    return replace(tournament, withdrawals=withdrawals)


def _finals_from_games(tournament: Tournament) -> Finals:
    qualifying = Qualifying(tournament)
    played: dict[MatchKey, tuple[Game, ...]] = {}
    finals = Finals(qualifying, played)
    for i, game in enumerate(tournament.finals):
        match = _match_played(finals, game, f"finals[{i}]")
        played = {**played, match.key: (*played.get(match.key, ()), game)}
        finals = Finals(qualifying, played)
    return finals


def _match_played(finals: Finals, game: Game, path: str) -> Match:
    key = game.title, game.stage, frozenset(game.players)
    match = next((match for match in finals.due if match.key == key), None) or _walked_over(finals, key)
    if match is None:
        raise FormatError(path, _due_text(finals.due), named(game))
    if match.playing:
        raise FormatError(
            path,
            "a score of this match's game before the next one",
            Message.of("{stage} again", stage=game.stage),
        )
    if (
        game.score is not None
        and game.score[0] == game.score[1]
        and match.draw_needs_a_winner()
        and game.draw_win is None
        and not (game.reason == "forfeit" and len(match.withdrawn) == 2)
    ):
        raise FormatError(f"{path}.draw_win", "the player who wins the draw", "nothing")
    return match


def _walked_over(finals: Finals, key: MatchKey) -> Match | None:
    """Return the match of a further game after a forfeited one had settled it: its player may have withdrawn later."""
    for match in finals.decided:
        if match.key == key and match.walked_over and len(match.games) < match.rules.games:
            return match
    return None


def _due_text(due: Sequence[Match]) -> Message:
    if not due:
        return Message("no game, as none was due")
    return Message.of("a game that was due ({games})", games=tuple(map(named, due[:5])))


class SessionGame(msgspec.Struct, frozen=True):
    """A game of a session."""

    table: int
    title: str
    stage: str
    game: int
    if_needed: bool
    # None while an earlier session has not decided them.
    players: tuple[str, str] | None


class FinalsSession(msgspec.Struct, frozen=True):
    start: str | None
    end: str | None
    games: tuple[SessionGame, ...]


def third_day(finals: Finals) -> tuple[FinalsSession, ...]:
    """Return the sessions that these finals need, with tables from 1 in each.

    There are none for a rulebook without finals, nor before the playoffs, which decide who plays, are over.
    """
    if not finals.playoffs_decided:
        return ()
    sessions = []
    for planned in finals.qualifying.rules.third_day:
        games: list[SessionGame] = []
        for game in planned.games:
            for players in _matches(finals, game):
                table = len(games) + 1
                games.append(
                    SessionGame(
                        table,
                        game.title,
                        game.stage,
                        game=game.game,
                        if_needed=game.if_needed,
                        players=players,
                    )
                )
        if games:
            sessions.append(FinalsSession(planned.start, planned.end, tuple(games)))
    return tuple(sessions)


def _matches(finals: Finals, game: PlannedGame) -> list[tuple[str, str] | None]:
    """Return the players of each match that has such a game; None for a match whose players are not known yet."""
    bracket = finals.brackets.get(game.title)
    if bracket is None:
        return []
    known = [match for match in bracket.matches if match.stage == game.stage]
    seeds = {
        player: seed
        for seed, player in enumerate(sorted(bracket.order, key=finals.qualifying.rank.__getitem__), start=1)
    }
    if known:
        wanted = [m for m in known if game.only is None or {seeds[p] for p in m.players} == set(game.only)]
        return [match.players for match in wanted if _still_played(match, game)]
    waits = any(match.stage == SEMI_FINAL for match in bracket.matches)
    has_third = len(bracket.order) == 4
    return [None] if waits and (game.stage == FINAL or (game.stage == THIRD_PLACE and has_third)) else []


def _still_played(match: Match, game: PlannedGame) -> bool:
    return game.game <= match.rules.games and (match.winner() is None or game.game <= len(match.games))
