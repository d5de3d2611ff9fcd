"""Round robins, single to triple: the circle, its cycles, and what becomes of it when players are missing."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hub.pairing.circle import Circle, circle_by_lot, circle_of
from hub.pairing.lots import Lots
from hub.pairing.matching.blossom import Matching
from hub.pairing.round import Game
from hub.pairing.round_cost import with_colours
from hub.pairing.stages import cycle_length, starters
from hub.pairing.state import RoundState
from hub.rulebook import SwissRules
from hub.text import Text, line
from hub.tournament import Tournament


@dataclass(frozen=True, slots=True)
class RoundRobinRound:
    games: tuple[Game, ...]
    byes: tuple[str, ...]
    warnings: tuple[Text, ...] = ()


def pair_round_robin(
    tournament: Tournament, state: RoundState, pinned: Mapping[str, str], lots: Lots
) -> RoundRobinRound:
    """Round `state.round`, pinned games (`pinned[black] = white`) among them.

    Colours of the second cycle are those of the first reversed, of later ones by lot. Whoever has nobody
    opposite (the bye, a player who withdrew or is absent) has a bye. Where the rounds so far follow no
    circle, or pins break it, the round has the fewest games that have been played already, and a warning.
    """
    seats_lots = Lots(tournament.seed, "round robin")
    seated = starters(tournament)
    cycle, r = divmod(state.round - 1, cycle_length(tournament))
    played = [[(g.black, g.white) for g in done.games] for done in tournament.rounds]
    own = circle_by_lot(seated, seats_lots)
    circle: Circle | None = own
    if not own.agrees(played):
        circle = circle_of(seated, played, seats_lots)
    here = {entrant.id: entrant for entrant in state.entrants}
    expected = None if circle is None else _expected(circle, r, here)
    warnings: list[Text] = []
    if expected is None or not set(map(frozenset, pinned.items())) <= set(map(frozenset, expected)):
        why = Text("a pinned game is not of this round")
        if expected is None:
            why = Text("the rounds so far follow no circle")
        expected = _fewest_repeats(state, expected or [], pinned, cycle)
        warnings.append(line("round {number} is not the circle's: {why}", number=state.round, why=why))
        warnings += [
            line("{black}-{white} have played already", black=a, white=b)
            for a, b in expected
            if state.met(a, b) > cycle
        ]
        circle = None
    rules = SwissRules(reverse_colours=cycle == 1)

    def coloured(a: str, b: str) -> Game:
        if pinned.get(a) == b or pinned.get(b) == a:
            return (a, b) if pinned.get(a) == b else (b, a)
        if cycle > 1:
            return (a, b) if lots.coin() else (b, a)
        if circle is own and cycle == 0:
            return a, b
        if circle is own and (a, b) not in state.last_black:
            return b, a
        return with_colours(state, rules, lots, here[a], here[b])

    games = tuple(coloured(a, b) for a, b in expected)
    busy = {player for game in games for player in game}
    byes = tuple(player for player in here if player not in busy)
    return RoundRobinRound(games, byes, (*warnings, *_banned(tournament, games)))


def _expected(circle: Circle, r: int, here: Container[str]) -> list[Game]:
    return [(a, b) for a, b in circle.pairs(r) if a is not None and b is not None and a in here and b in here]


def _banned(tournament: Tournament, games: Sequence[Game]) -> Iterator[Text]:
    met = set(map(frozenset, games))
    for black, white in tournament.bans:
        if frozenset((black, white)) in met:
            yield line("{black}-{white} is banned, but in a round robin all meet", black=black, white=white)


def _fewest_repeats(
    state: RoundState, expected: Sequence[Game], pinned: Mapping[str, str], cycle: int
) -> list[Game]:
    """Keeps the pinned games; of the others minimises repeats, then maximises the expected games."""
    busy = {player for pin in pinned.items() for player in pin}
    names = [e.id for e in state.entrants if e.id not in busy]
    if len(names) % 2:
        names.append("")
    due = {frozenset(game) for game in expected}
    near: list[dict[int, int]] = [{} for _ in names]
    idle = {e.id: e.byes for e in state.entrants}
    for i, a in enumerate(names):
        for j in range(i + 1, len(names)):
            b = names[j]
            repeated = state.met(a, b) - cycle if b else idle[a]
            cost = max(0, repeated + 1) * len(names) * 2 + (frozenset((a, b)) not in due)
            near[i][j] = near[j][i] = 2 * cost
    rest: list[Game] = []
    if names:
        mate = Matching(near).solve()
        rest = [(names[i], names[j]) for i, j in enumerate(mate) if i < j and names[j]]
    return [*pinned.items(), *rest]
