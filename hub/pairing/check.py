"""A second implementation of the pairing, which checks every round of a tournament against the best one possible then.

It shares no cost and no solver with the pairing: it derives the players' histories from the games, fills the fields for
all pairs, and finds the lexicographically least totals by rustworkx. As many fields as fit are packed into one weight.
When they are settled, pairs that alone exceed a settled total are dropped, which makes room for the next fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import rustworkx

from hub.model.games import Round
from hub.model.tournament import Tournament
from hub.pairing.cost import COST_FIELDS, Cost
from hub.pairing.round import RoundCheck
from hub.pairing.state import (
    cycle_length,
    ranks_after,
    require_scores,
    stage_of,
    starters,
    swiss_rules,
    was_played,
)
from hub.ranking.leagues import league_games, leagues_of
from hub.ranking.scores import half_points_of_game
from hub.ranking.teams import boards_of, matches, team_tournament
from hub.rulebook import SwissRules, rules_of
from hub.text import Refused


@dataclass(slots=True)
class History:
    """A player's rounds before the present one; points are half points."""

    points: int = 0
    blacks: int = 0
    whites: int = 0
    ups: int = 0
    downs: int = 0
    colour: str = ""
    byes: int = 0


def check(tournament: Tournament) -> tuple[RoundCheck, ...]:
    """Return a check of every round of the file, of team matches by their teams. Raise Refused if a game before the
    last round has no score."""
    require_scores(tournament.rounds[:-1])
    if boards_of(tournament):
        paired = check(team_tournament(tournament))
        return tuple(_with_boards(round_check, tournament) for round_check in paired)
    return tuple(_check_round(tournament, number) for number in range(1, len(tournament.rounds) + 1))


def _check_round(tournament: Tournament, number: int) -> RoundCheck:
    stage = stage_of(tournament, number)
    played = tournament.rounds[number - 1]
    if stage.kind == "first":
        fault = _first_round_fault(tournament, played)
        return RoundCheck(number, not fault, fault=fault)
    if stage.kind == "leagues":
        fault = _league_fault(tournament, number)
        return RoundCheck(number, not fault, fault=fault)
    if stage.kind == "round robin":
        fault = _round_robin_fault(tournament, number)
        return RoundCheck(number, not fault, fault=fault)
    rules = swiss_rules(tournament, number)
    pairs = _Pairs(tournament, number, stage.part_from, rules)
    cost = pairs.cost_of(played)
    best = pairs.best()
    due = len(pairs.players) % 2
    fault = "" if len(played.byes) == due else f"{len(played.byes)} byes where {due} would do"
    return RoundCheck(number, not fault and cost <= best, cost, best, fault)


def _with_boards(round_check: RoundCheck, tournament: Tournament) -> RoundCheck:
    """Return the check of a round of teams, with the fault of its boards if there is one: nobody meets their own team,
    and colours alternate from board to board."""
    team = {player.id: player.team for player in tournament.players}
    met = {frozenset(match.teams): match for match in matches(tournament) if match.round == round_check.round}
    for nth, game in enumerate(tournament.rounds[round_check.round - 1].games, start=1):
        match = met.get(frozenset((team[game.black], team[game.white])))
        if match is None:
            return replace(round_check, optimal=False, fault=f"{game.black} and {game.white} are of one team")
        board = (game.table or nth) - match.table
        due = match.teams[board % 2]
        if team[game.black] != due:
            return replace(
                round_check, optimal=False, fault=f"{due} is due to have Black on board {board + 1}"
            )
    return round_check


def _first_round_fault(tournament: Tournament, played: Round) -> str:
    players = [p for game in played.games for p in game.players]
    if len(played.byes) != (len(players) + len(played.byes)) % 2:
        return f"{len(played.byes)} byes among {len(players) + len(played.byes)} players"
    if not swiss_rules(tournament, 1).groups_first_round:
        return ""
    past = {player.id for player in tournament.players if player.past_semifinalist}
    group_a = sum(player in past for player in players)
    across = [game for game in played.games if (game.black in past) != (game.white in past)]
    due = min(group_a, len(players) - group_a)
    if len(across) != due:
        return f"{len(across)} games of past semi-finalists against others, {due} are due"
    blacks = sum(game.black in past for game in across)
    if blacks != (due + 1) // 2:
        return f"past semi-finalists have black in {blacks} of these games, {(due + 1) // 2} are due"
    return ""


def _round_robin_fault(tournament: Tournament, number: int) -> str:
    seated = {*starters(tournament)}
    if any(player.from_round > 1 and player.id in seated for player in tournament.players):
        return ""  # after a late entry the rounds left are drawn anew, across the cycles, and give byes twice
    length = cycle_length(tournament)
    cycle, index = divmod(number - 1, length)
    before = tournament.rounds[: number - 1]
    played = tournament.rounds[number - 1]
    met = Counter(
        frozenset(g.players) for round_ in before for g in round_.games if was_played(tournament, g)
    )
    # After a withdrawal all may have met before the last round: then somebody meets again.
    all_met = all(met[frozenset(pair)] > cycle for pair in combinations(sorted(played.players), 2))
    for game in played.games:
        pair = {*game.players}
        alike = [g for round_ in before for g in round_.games if {*g.players} == pair]
        earlier = [g for g in alike if was_played(tournament, g)]
        if len(earlier) > cycle and not all_met:
            return f"{game.black}-{game.white} have met in this cycle already"
        if cycle == 1 and earlier and earlier[-1].black == game.black:
            return f"{game.black}-{game.white} have not changed colours"
    everybody = len(seated)
    full = [round_ for round_ in before[number - 1 - index :] if 2 * len(round_.games) + 1 == everybody]
    if 2 * len(played.games) + 1 == everybody:
        for player in played.byes:
            if any(player in round_.byes for round_ in full):
                return f"{player} has a second bye in this cycle"
    return ""


def _league_fault(tournament: Tournament, number: int) -> str:
    """Return the fault of a round of leagues: a game of two leagues or out of its order, or a bye that was not due."""
    leagues, played = leagues_of(tournament), tournament.rounds[number - 1]
    league_of = {player: nth for nth, league in enumerate(leagues, start=1) for player in league}
    due: dict[str, str] = {}
    for league in leagues:
        for a, b in league_games(league, number):
            due |= {a: b, b: a}
    for game in played.games:
        if league_of.get(game.black) != league_of.get(game.white):
            return f"{game.black} and {game.white} are of different leagues"
        if due.get(game.black) != game.white:
            return f"{game.black}-{game.white} is not due in round {number} of their league"
    present = {player.id for player in tournament.players_in(number)}
    for player in played.byes:
        if due.get(player) in present:
            return f"{player} has a bye, though {due[player]} is there"
    return ""


class _Pairs:
    """Fields of all pairs of one round. With an odd number of players the bye is the last vertex."""

    def __init__(self, tournament: Tournament, number: int, part_from: int, rules: SwissRules) -> None:
        played = tournament.rounds[number - 1]
        self.rules = rules
        self.players = sorted(played.players)
        self.histories, self.games = _histories_before(tournament, number, part_from)
        earlier, _ = _histories_before(tournament, part_from, 1)
        # What a round robin gave to everybody here makes no bye of the next part a second one.
        self.shared_byes = min((earlier[player].byes for player in self.players), default=0)
        self.entries = {player.id: player for player in tournament.players}
        actual = {frozenset(g.players) for g in played.games}
        self.ranks = ranks_after(tournament, number - 1)
        # A ban that this round breaks was not in force when it was drawn.
        self.banned = {frozenset(ban) for ban in tournament.bans} - actual

    def game_cost(self, black: str, white: str) -> Cost:
        b, w = self.histories.get(black, History()), self.histories.get(white, History())
        met = [g for g in self.games.get(frozenset((black, white)), []) if g[1]]
        gap = abs(b.points - w.points)
        allowed = 1 if self.rules.modified else 0
        b_ups, b_downs = b.ups + (w.points > b.points), b.downs + (w.points < b.points)
        w_ups, w_downs = w.ups + (b.points > w.points), w.downs + (b.points < w.points)
        eb, ew = self.entries[black], self.entries[white]
        team_b, team_w = eb.team or eb.country, ew.team or ew.country
        return Cost(
            same_team=int(bool(self.rules.team_free_rounds) and bool(team_b) and team_b == team_w),
            rematches=int(len(met) > allowed),
            gap=gap,
            gap_squared=gap**2,
            repeats=int(self.rules.modified and len(met) == 1),
            colours=(b.blacks + 1 - b.whites) ** 2 + (w.blacks - w.whites - 1) ** 2,
            floats=(b_ups - b_downs) ** 2 + (w_ups - w_downs) ** 2,
            same_colour=int(b.colour == "black") + int(w.colour == "white"),
            same_country=int(self.rules.country_rule and bool(eb.country) and eb.country == ew.country),
            ranks=(self.ranks.get(black, 0) - self.ranks.get(white, 0)) ** 2,
        )

    def bye_cost(self, player: str) -> Cost:
        h = self.histories.get(player, History())
        return Cost(
            second_byes=int(h.byes > self.shared_byes),
            bye_points=h.points,
            colours=(h.blacks - h.whites) ** 2,
            floats=(h.ups - h.downs) ** 2,
        )

    def better_way(self, a: str, b: str) -> Cost:
        """Return the cost of a and b with the better colours; in a second part, with the colours of their last game
        reversed."""
        if self.rules.reverse_colours and (last := self.games.get(frozenset((a, b)))):
            return self.game_cost(b, a) if last[-1][0] == a else self.game_cost(a, b)
        as_black, as_white = self.game_cost(a, b), self.game_cost(b, a)
        return min(as_black, as_white, key=lambda cost: (cost.colours, cost.same_colour))

    def cost_of(self, played: Round) -> Cost:
        total = Cost()
        for game in played.games:
            total += self.game_cost(*game.players)
        for player in played.byes:
            total += self.bye_cost(player)
        return total

    def best(self) -> Cost:
        players = self.players
        edges: list[tuple[int, int]] = []
        costs: list[Cost] = []
        banned: list[int] = []
        for i, a in enumerate(players):
            for j in range(i + 1, len(players)):
                edges.append((i, j))
                costs.append(self.better_way(a, players[j]))
                banned.append(int(frozenset((a, players[j])) in self.banned))
            if len(players) % 2:
                edges.append((i, len(players)))
                costs.append(self.bye_cost(a))
                banned.append(0)
        if not edges:
            return Cost()
        fields: list[Field] = [banned, *([getattr(cost, name) for cost in costs] for name in COST_FIELDS)]
        totals = best_totals(len(players) + len(players) % 2, edges, fields)
        return Cost(*totals[1:])


def _histories_before(
    tournament: Tournament, number: int, part_from: int
) -> tuple[dict[str, History], dict[frozenset[str], list[tuple[str, bool]]]]:
    """Return everybody's history before round `number`, and the games of each two: (black, whether in this part)."""
    histories = {player.id: History() for player in tournament.players}
    games: dict[frozenset[str], list[tuple[str, bool]]] = {}
    balanced = (
        rules_of(tournament).swiss.colours == "balanced"
    )  # drawn ones are at the table's, not the pairing's
    for r in range(1, number):
        round_ = tournament.rounds[r - 1]
        points = {player: history.points for player, history in histories.items()}
        for game in round_.games:
            black, white = histories[game.black], histories[game.white]
            if game.score is not None:
                for_black, for_white = half_points_of_game(game)
                black.points += for_black
                white.points += for_white
            if not was_played(tournament, game):
                continue
            if balanced:
                black.blacks += 1
                white.whites += 1
                black.colour, white.colour = "black", "white"
            if points[game.black] < points[game.white]:
                black.ups += 1
                white.downs += 1
            elif points[game.white] < points[game.black]:
                white.ups += 1
                black.downs += 1
            games.setdefault(frozenset(game.players), []).append((game.black, r >= part_from))
        for player in round_.byes:
            histories[player].points += 2
            histories[player].byes += 1
        for absence in tournament.absences:
            if absence.half_point and absence.round == r:
                histories[absence.player].points += 1
    return histories, games


# One value for each edge.
Field = Sequence[int]

# rustworkx computes in 128 bits and wraps silently; its sums need some of them.
LONGEST_WEIGHT_BITS = 116


def best_totals(size: int, edges: Sequence[tuple[int, int]], fields: Sequence[Field]) -> list[int]:
    """Return the totals of `fields`, most important first, of the best perfect matching of `size` vertices."""
    pairs = size // 2
    kept = list(range(len(edges)))
    lowest = [min(field) for field in fields]
    settled: list[int] = []
    while len(settled) < len(fields):
        weights, taken = _pack([[field[e] for e in kept] for field in fields], pairs)
        if taken <= len(settled):
            raise Refused("{size} players in one round are too many to check", field="rounds", size=size)
        chosen = [kept[index] for index in _least_matching(size, [edges[e] for e in kept], weights)]
        settled = [sum(field[e] for e in chosen) for field in fields[:taken]]
        for field, total, least in zip(fields, settled, lowest, strict=False):
            most = total - (pairs - 1) * least
            kept = [e for e in kept if field[e] <= most]
    return settled


def _pack(fields: Sequence[Field], pairs: int) -> tuple[list[int], int]:
    """Return (weights, how many fields they hold), with as many fields as fit."""
    total, most, taken = [0] * len(fields[0]), 1, 0
    for field in fields:
        least = min(field)
        room = (max(field) - least) * pairs + 1
        most *= room
        if most.bit_length() > LONGEST_WEIGHT_BITS:
            break
        if room > 1:
            total = [sum_ * room + value - least for sum_, value in zip(total, field, strict=True)]
        taken += 1
    return total, taken


def _least_matching(size: int, edges: Sequence[tuple[int, int]], weights: Sequence[int]) -> list[int]:
    """Return the indices of the edges of the perfect matching of least weight."""
    top = max(weights) + 1
    index = {edge: e for e, edge in enumerate(edges)}
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * size)
    graph.add_edges_from([(i, j, top - w) for (i, j), w in zip(edges, weights, strict=True)])
    mates = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return [index[min(i, j), max(i, j)] for i, j in mates]
