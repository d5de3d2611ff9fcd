"""A round before it is paired: its part of the system, its rules, and its players with their history."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from hub.model.games import Game, Round
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.ranking.leagues import LEAGUE_ROUNDS
from hub.ranking.scores import half_points_of_game
from hub.ranking.standings import as_after, league_winners, semi_finalists, standings
from hub.ranking.switches import leavers
from hub.ranking.systems import BY_SYSTEM, cycle_rounds
from hub.rulebook import SwissRules, rules_of
from hub.text import Refused


def starters(tournament: Tournament) -> tuple[str, ...]:
    """Return the ids of the players with a seat in the circle: everybody but those who withdrew before their first
    round."""
    last = {withdrawal.player: withdrawal.after_round for withdrawal in tournament.withdrawals}
    return tuple(p.id for p in tournament.starters if last.get(p.id, p.from_round) >= p.from_round)


def cycle_length(tournament: Tournament) -> int:
    """Return the number of rounds in which all meet once: N - 1, or N if N is odd (cc-2024 II.4.2)."""
    return max(1, cycle_rounds(len(starters(tournament))))


StageKind = Literal["first", "round robin", "leagues", "swiss"]


class RoundStage(msgspec.Struct, frozen=True):
    """The part of a system to which a round belongs, and that part's first round."""

    kind: StageKind
    part_from: int = 1


def stage_of(tournament: Tournament, number: int) -> RoundStage:
    """Return the part of the tournament to which round `number` belongs."""
    system = BY_SYSTEM[tournament.system]
    if system.leagues:  # in the Swiss after them nobody meets again whom they have met in their league
        return RoundStage("leagues" if number <= LEAGUE_ROUNDS else "swiss")
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
    system, rules = BY_SYSTEM[tournament.system], rules_of(tournament).swiss
    team_rule = number > tournament.rounds_planned - rules.team_free_rounds
    return msgspec.structs.replace(
        rules,
        team_free_rounds=rules.team_free_rounds if team_rule else 0,
        modified=system.modified,
        reverse_colours=system.cycles > 0 and system.part_two != "none",
    )


def players_of_round(tournament: Tournament, number: int) -> tuple[Player, ...]:
    """Return the players to be paired: everybody who has not left with enough wins, but in the list of six not the four
    semi-finalists (cc-2024 II.2 [9-10]), and after leagues not the players of the knockout."""
    rounds = tournament.rounds[: number - 1]
    left = leavers(tournament, rounds)
    present = tuple(player for player in tournament.players_in(number) if player.id not in left)
    stage = stage_of(tournament, number)
    if BY_SYSTEM[tournament.system].part_two == "others" and stage.kind == "swiss":
        goes_on = {player for round_ in rounds[LEAGUE_ROUNDS:] for player in round_.players}
        knocked = set(league_winners(tournament)) - goes_on
        return tuple(player for player in present if player.id not in knocked)
    if BY_SYSTEM[tournament.system].part_two != "list of six" or stage.kind != "swiss":
        return present
    four = {line.player for line in semi_finalists(tournament, tournament.rounds[stage.part_from - 1 :])}
    return tuple(player for player in present if player.id not in four)


BLACK, WHITE = 1, -1


class Entrant(msgspec.Struct, frozen=True):
    """A player before a round. A bye is neither a colour nor a float."""

    id: str
    half_points: int = 0
    # Blacks minus whites.
    balance: int = 0
    # Games against higher-scored players minus games against lower-scored ones.
    floats: int = 0
    # Colour of the last game: BLACK, WHITE, or 0 before the first.
    last_colour: int = 0
    byes: int = 0
    country: str = ""
    team: str = ""
    # The place in the standings, where neighbours are paired; else 0.
    rank: int = 0


@dataclass(frozen=True, slots=True)
class RoundState:
    """The players of a round in the order of the tournament file, and their meetings."""

    round: int
    entrants: tuple[Entrant, ...]
    # meetings[a][b]: games of a and b so far in this part of the tournament.
    meetings: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    # last_black[a, b]: the player who was black when they last met in any part, under both orders of the key. Empty if
    # the system has no round robin.
    last_black: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def met(self, a: str, b: str) -> int:
        return self.meetings.get(a, {}).get(b, 0)


def was_played(tournament: Tournament, game: Game) -> bool:
    """Return True if the two have met and had their colours: not if one or both never came (reading 33)."""
    return not game.is_no_show or rules_of(tournament).law.event.no_show == "a game"


def require_scores(rounds: tuple[Round, ...]) -> None:
    """Raise Refused naming the first game without a score."""
    for r, played in enumerate(rounds, 1):
        for g, game in enumerate(played.games):
            if game.score is None:
                raise Refused(
                    "rounds[{r}].games[{g}].score: expected the score of {black}-{white} in round {r2}, got none",
                    r=r - 1,
                    g=g,
                    black=game.black,
                    white=game.white,
                    r2=r,
                )


def state_before(
    tournament: Tournament, number: int, players: tuple[Player, ...] | None = None, part_from: int = 1
) -> RoundState:
    """Return the state of `players` (by default everybody who is there) before round `number`. Meetings count from
    round `part_from`.

    Raise Refused if an earlier game has no score.
    """
    rounds = tournament.rounds[: number - 1]
    require_scores(rounds)
    tallies = _tallies(tournament, rounds, part_from)
    if players is None:
        players = tournament.players_in(number)
    shared = _shared_byes(rounds[: part_from - 1], players)
    ranks = ranks_after(tournament, number - 1)
    entrants = []
    for p in players:
        tally = tallies[p.id]
        so_far = tally.half_points, tally.balance, tally.floats, tally.last_colour, tally.byes - shared
        entrants.append(Entrant(p.id, *so_far, p.country, p.team or p.country, ranks.get(p.id, 0)))
    meetings = {player: tally.met for player, tally in tallies.items() if tally.met}
    last_black = {}
    if BY_SYSTEM[tournament.system].cycles:
        games = [game for played in rounds for game in played.games if was_played(tournament, game)]
        last_black = {pair: g.black for g in games for pair in (g.players, (g.white, g.black))}
    return RoundState(number, tuple(entrants), meetings, last_black)


def ranks_after(tournament: Tournament, rounds: int) -> dict[str, int]:
    """Return each player's place in the standings after so many rounds, where neighbours are paired; else nothing."""
    if not rounds or not rules_of(tournament).swiss.neighbours:
        return {}
    return {line.player: place for place, line in enumerate(standings(as_after(tournament, rounds)), start=1)}


@dataclass(slots=True)
class _Tally:
    """Totals of one player over the rounds so far."""

    half_points: int = 0
    balance: int = 0
    floats: int = 0
    last_colour: int = 0
    byes: int = 0
    # Opponent -> number of games in this part.
    met: dict[str, int] = field(default_factory=dict)


def _tallies(tournament: Tournament, rounds: tuple[Round, ...], part_from: int) -> defaultdict[str, _Tally]:
    tallies: defaultdict[str, _Tally] = defaultdict(_Tally)
    # Colours that are drawn at the table are nobody's to balance: then each pairing has them by lot.
    balanced = rules_of(tournament).swiss.colours == "balanced"
    for r, played in enumerate(rounds, 1):
        for game in played.games:
            assert game.score is not None
            black, white = tallies[game.black], tallies[game.white]
            up = (white.half_points > black.half_points) - (white.half_points < black.half_points)
            black_half_points, white_half_points = half_points_of_game(game)
            black.half_points += black_half_points
            white.half_points += white_half_points
            if not was_played(tournament, game):
                continue
            black.floats += up
            white.floats -= up
            if balanced:
                black.balance += BLACK
                white.balance += WHITE
                black.last_colour, white.last_colour = BLACK, WHITE
            if r >= part_from:
                black.met[game.white] = black.met.get(game.white, 0) + 1
                white.met[game.black] = white.met.get(game.black, 0) + 1
        for player in played.byes:
            tallies[player].half_points += 2
            tallies[player].byes += 1
        for absence in tournament.absences:
            if absence.half_point and absence.round == r:
                tallies[absence.player].half_points += 1
    return tallies


def _shared_byes(part_one: tuple[Round, ...], players: tuple[Player, ...]) -> int:
    """Return the number of byes that every player here had in an earlier part. The next part ignores them.

    A round robin of an odd number gives one to each; else the last of seven would sit out every round after it.
    """
    had = Counter(player for played in part_one for player in played.byes)
    return min((had[player.id] for player in players), default=0)
