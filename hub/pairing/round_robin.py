"""Round robins, single to triple: the circle, its cycles, and what becomes of it when players are missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    cycle, r = divmod(state.round - 1, cycle_length(tournament))
    circle, own = _circle(tournament)
    here = {entrant.id for entrant in state.entrants}
    due = [] if circle is None else [(a, b) for a, b in circle.pairs(r) if a in here and b in here]
    why = None
    if circle is None:
        why = Text("the rounds so far follow no such order")
    elif not set(map(frozenset, pinned.items())) <= set(map(frozenset, due)):
        why = Text("a pinned game is not of this round")
    warnings: list[Text] = []
    if why is not None:
        own, due = False, _fewest_repeats(state, due, pinned, cycle)
        warnings.append(
            line(
                "round {number} does not follow the order of the round robin: {why}",
                number=state.round,
                why=why,
            )
        )
        warnings += [
            line("{black}-{white} have played already", black=a, white=b)
            for a, b in due
            if state.met(a, b) > cycle
        ]
    colours = _Colours(state, pinned, lots, cycle, own)
    games = tuple(colours.of(a, b) for a, b in due)
    busy = {player for game in games for player in game}
    byes = tuple(entrant.id for entrant in state.entrants if entrant.id not in busy)
    return RoundRobinRound(games, byes, (*warnings, *_banned(tournament, games)))


def _circle(tournament: Tournament) -> tuple[Circle | None, bool]:
    """The circle that all rounds so far follow, if any; whether it is the one that the tournament's lot gives."""
    seated, lots = starters(tournament), Lots(tournament.seed, "round robin")
    played = [[(game.black, game.white) for game in done.games] for done in tournament.rounds]
    own = circle_by_lot(seated, lots)
    return (own, True) if own.agrees(played) else (circle_of(seated, played, lots), False)


@dataclass(frozen=True, slots=True)
class _Colours:
    """`by_circle`: the circle gives the first cycle's colours, which are then fixed for the second one too."""

    state: RoundState
    pinned: Mapping[str, str]
    lots: Lots
    cycle: int
    by_circle: bool

    def of(self, a: str, b: str) -> Game:
        """(black, white) of the two; in the first cycle `a` is Black by the circle."""
        for black, white in ((a, b), (b, a)):
            if self.pinned.get(black) == white:
                return black, white
        if self.cycle > 1:
            return (a, b) if self.lots.coin() else (b, a)
        if self.by_circle and self.cycle == 0:
            return a, b
        if self.by_circle and (a, b) not in self.state.last_black:
            return b, a
        entrant = {one.id: one for one in self.state.entrants if one.id in (a, b)}
        rules = SwissRules(reverse_colours=self.cycle == 1)
        return with_colours(self.state, rules, self.lots, entrant[a], entrant[b])


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
