"""Round robins, single to triple: the circle, its cycles, and what becomes of it when players are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from flagfall.base.message import Message
from hub.model.tournament import Tournament
from hub.pairing.cost import with_colours
from hub.pairing.lots import Lots
from hub.pairing.matching import Matching
from hub.pairing.remaining_rounds import Pair, Schedule, most_games, schedule
from hub.pairing.round import Game
from hub.pairing.state import RoundState, cycle_length, last_round, starters
from hub.ranking.systems import BY_SYSTEM
from hub.rulebook import SwissRules

# Pairs that a warning names, and rounds more with which all might meet.
_MOST_NAMED, _MORE_ROUNDS = 12, 3


@dataclass(frozen=True, slots=True)
class RoundRobinRound:
    games: tuple[Game, ...]
    byes: tuple[str, ...]
    warnings: tuple[Message, ...] = ()


def pair_round_robin(
    tournament: Tournament, state: RoundState, pinned: Mapping[str, str], lots: Lots
) -> RoundRobinRound:
    """Return round `state.round`, with the pinned games (`pinned[black] = white`) among its games.

    Colours of the second cycle are those of the first reversed, of later ones by lot. Whoever has nobody
    opposite (the bye, a player who withdrew or is absent) has a bye. Where the rounds so far follow no circle, or
    players have entered since and do not all meet in it, the rounds left are drawn so that as many as possible
    meet. Where pins break the circle, the round has the fewest games that have been played already. Both warn.
    """
    cycle, r = divmod(state.round - 1, cycle_length(tournament))
    circle, by_circle = _circle(tournament)
    present = {entrant.id for entrant in state.entrants}
    due = [] if circle is None else [(a, b) for a, b in circle.pairs(r) if a in present and b in present]
    why = None
    warnings: list[Message] = []
    rest = _Rest(tournament, state, pinned)
    drawn = rest.drawn() if circle is None or rest.has_late_entries else None
    if drawn is not None and (circle is None or len(drawn.unmet) < len(rest.unmet_in(circle))):
        by_circle, due = False, [*pinned.items(), *map(_as_game, drawn.rounds[0])]
        late = Message("players have entered after the first round")
        why = late if rest.has_late_entries else Message("the rounds so far follow no such order")
        if not due:  # all have met
            due = _fewest_repeats(state, due, pinned, cycle)
    elif not set(map(frozenset, pinned.items())) <= set(map(frozenset, due)):
        why = Message("a pinned game is not of this round")
        by_circle, due = False, _fewest_repeats(state, due, pinned, cycle)
    if why is not None:
        warnings.append(
            Message.of(
                "round {number} does not follow the order of the round robin: {why}",
                number=state.round,
                why=why,
            )
        )
        warnings += [
            Message.of("{black}-{white} have played already", black=a, white=b)
            for a, b in due
            if state.met(a, b) > cycle
        ]
    if drawn is not None:
        kept = circle is not None and why is None
        warnings += rest.warnings(rest.unmet_in(circle) if circle is not None and kept else drawn.unmet)
    colours = _Colours(state, pinned, lots, cycle, by_circle)
    games = tuple(colours.of(a, b) for a, b in due)
    busy = {player for game in games for player in game}
    byes = tuple(entrant.id for entrant in state.entrants if entrant.id not in busy)
    return RoundRobinRound(games, byes, (*warnings, *_banned(tournament, games)))


def _as_game(pair: Pair) -> Game:
    a, b = sorted(pair)
    return a, b


# Stands opposite the player who has the bye of a round.
_BYE = ""


def _with_bye(players: set[str]) -> set[str]:
    return {*players, _BYE} if len(players) % 2 else players


def _without_byes(drawn: Schedule) -> Schedule:
    """Return the games alone."""
    games = [tuple(pair for pair in pairs if _BYE not in pair) for pairs in drawn.rounds]
    return Schedule(tuple(games), tuple(pair for pair in drawn.unmet if _BYE not in pair))


@dataclass(frozen=True, slots=True)
class _Rest:
    """The rounds left of a cycle, from the one to be paired, and the games that are due in them.

    The last cycle goes on to the last round: rounds that the director has added are for games that are still due.
    """

    tournament: Tournament
    state: RoundState
    pinned: Mapping[str, str]

    @property
    def has_late_entries(self) -> bool:
        seated = {*starters(self.tournament)}
        return any(player.from_round > 1 and player.id in seated for player in self.tournament.players)

    @property
    def cycle(self) -> int:
        """The cycle, from 0, whose games are due."""
        length, system = cycle_length(self.tournament), BY_SYSTEM[self.tournament.system]
        cycles = system.cycles if system.part_two != "none" else last_round(self.tournament) // length
        return min((self.state.round - 1) // length, max(system.cycles, cycles) - 1)

    @property
    def numbers(self) -> range:
        """The rounds left."""
        length, system = cycle_length(self.tournament), BY_SYSTEM[self.tournament.system]
        last, end = last_round(self.tournament), (self.cycle + 1) * length
        if end < last and system.part_two == "none" and last - end < length:
            end = last
        return range(self.state.round, max(self.state.round, min(end, last)) + 1)

    def due(self) -> dict[Pair, int]:
        """Return how often each two still have to meet."""
        here = [p.id for p in self.tournament.players if p.id not in self.tournament.withdrawn]
        due = {frozenset(pair): self.cycle + 1 - self.state.met(*pair) for pair in combinations(here, 2)}
        return {pair: count for pair, count in due.items() if count > 0}

    def drawn(self, more: int = 0) -> Schedule:
        """Return the order of the rounds left and of so many more, with the pinned games in its first one."""
        due, pins = self.due(), [frozenset(pin) for pin in self.pinned.items()]
        for pin in pins:
            due[pin] = due.get(pin, 0) - 1
        numbers = range(self.numbers.start, self.numbers.stop + more)
        present = [{player.id for player in self.tournament.players_in(number)} for number in numbers]
        present[0] = {entrant.id for entrant in self.state.entrants}.difference(*pins)
        lots = Lots(self.tournament.seed, "rest of the round robin", self.state.round)
        fair = _without_byes(schedule(due | self._byes_due(), [_with_bye(here) for here in present], lots))
        if sum(map(len, fair.rounds)) >= most_games(due, present):
            return fair
        most = schedule(due, present, lots)
        return fair if len(fair.unmet) <= len(most.unmet) else most

    def _byes_due(self) -> dict[Pair, int]:
        """Return one bye for everybody who has missed no round of this cycle yet."""
        first = self.cycle * cycle_length(self.tournament)
        had = {player for played in self.tournament.rounds[first:] for player in played.byes}
        here = (entrant.id for entrant in self.state.entrants)
        return {
            frozenset((player, _BYE)): 1
            for player in here
            if player not in had and self.tournament.player(player).from_round <= first + 1
        }

    def unmet_in(self, circle: Circle) -> tuple[Pair, ...]:
        """Return the pairs that do not meet if the rounds left are those of the circle."""
        due, length = self.due(), cycle_length(self.tournament)
        for number in self.numbers:
            here = {player.id for player in self.tournament.players_in(number)}
            for a, b in circle.pairs((number - 1) % length):
                if a is not None and b is not None and {a, b} <= here:
                    pair = frozenset((a, b))
                    due[pair] = max(0, due.get(pair, 0) - 1)
        return tuple(pair for pair, count in due.items() for _ in range(count))

    def warnings(self, unmet: Sequence[Pair]) -> Iterator[Message]:
        """Yield which pairs do not meet in the rounds left, and in how many rounds all would."""
        if not unmet:
            return
        named = tuple(
            Message.of("{black}-{white}", black=a, white=b)
            for a, b in sorted(map(_as_game, unmet))[:_MOST_NAMED]
        )
        if len(named) < len(unmet):
            named = (*named, Message.of("{count} more", count=len(unmet) - len(named)))
        yield Message.of(
            "not everybody meets everybody in {rounds} rounds, left out: {games}",
            rounds=self.numbers.stop - 1,
            games=named,
        )
        if BY_SYSTEM[self.tournament.system].part_two != "none" or self.numbers.stop <= last_round(
            self.tournament
        ):
            return
        games_of = Counter(player for pair, count in self.due().items() for player in [*pair] * count)
        least = max(1, max(games_of.values()) - len(self.numbers))
        for more in range(least, least + _MORE_ROUNDS):
            if not self.drawn(more).unmet:
                yield Message.of(
                    "in {rounds} rounds all would meet: set this number under Event",
                    rounds=self.numbers.stop - 1 + more,
                )
                return


def _circle(tournament: Tournament) -> tuple[Circle | None, bool]:
    """Return the circle that all rounds so far follow, if any, and whether it is the tournament's own by lot."""
    seated, lots = starters(tournament), Lots(tournament.seed, "round robin")
    played = [[game.players for game in done.games] for done in tournament.rounds]
    circle = circle_by_lot(seated, lots)
    return (circle, True) if circle.agrees(played) else (circle_of(seated, played, lots), False)


@dataclass(frozen=True, slots=True)
class _Colours:
    """The rule for the colours of a round's games."""

    state: RoundState
    pinned: Mapping[str, str]
    lots: Lots
    cycle: int
    # The circle gives the first cycle's colours, which are then fixed for the second cycle too.
    by_circle: bool

    def of(self, a: str, b: str) -> Game:
        """Return (black, white) of the two. In the first cycle `a` is Black by the circle."""
        for black, white in ((a, b), (b, a)):
            if self.pinned.get(black) == white:
                return black, white
        if self.cycle > 1:
            return (a, b) if self.lots.coin() else (b, a)
        if self.by_circle and self.cycle == 0:
            return a, b
        if self.by_circle and (a, b) not in self.state.last_black:
            return b, a
        by_id = {entrant.id: entrant for entrant in self.state.entrants if entrant.id in (a, b)}
        rules = SwissRules(reverse_colours=self.cycle == 1)
        return with_colours(self.state, rules, self.lots, by_id[a], by_id[b])


def _banned(tournament: Tournament, games: Sequence[Game]) -> Iterator[Message]:
    met = set(map(frozenset, games))
    for black, white in tournament.bans:
        if frozenset((black, white)) in met:
            yield Message.of(
                "{black}-{white} is banned, but in a round robin all meet", black=black, white=white
            )


def _fewest_repeats(
    state: RoundState, expected: Sequence[Game], pinned: Mapping[str, str], cycle: int
) -> list[Game]:
    """Return the pinned games and games for the other players, with the fewest repeats, then the most expected
    games."""
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


# A player, or None: the bye that an odd number adds.
Seat = str | None


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle of seats: `rotating` an odd number of them, `reference` the seat that stays.

    Round r (from 0) puts rotating[r] opposite the reference, and the seats at equal distance before and
    after r opposite each other. Colours come from the distance, so that each player has as many blacks as
    whites but for their game with the reference.
    """

    reference: Seat
    rotating: tuple[Seat, ...]

    @property
    def rounds(self) -> int:
        return len(self.rotating)

    def pairs(self, r: int) -> list[tuple[Seat, Seat]]:
        """Return (black, white) of round r; None is the bye."""
        count = len(self.rotating)
        first = self.rotating[r % count]
        seats = [(self.reference, first) if r % 2 == 0 else (first, self.reference)]
        for distance in range(1, count // 2 + 1):
            after, before = self.rotating[(r + distance) % count], self.rotating[(r - distance) % count]
            seats.append((after, before) if distance % 2 else (before, after))
        return seats

    def agrees(self, played: Sequence[Iterable[tuple[str, str]]]) -> bool:
        """Return True if every game of every round played, whatever its colours, is a game of this circle in that
        round."""
        for r, games in enumerate(played):
            expected = {frozenset(pair) for pair in self.pairs(r)}
            if any(frozenset(game) not in expected for game in games):
                return False
        return True


def circle_by_lot(players: Iterable[str], lots: Lots) -> Circle:
    """Return a circle with everybody seated by lot. With an odd number the bye is the reference."""
    seats: list[Seat] = list(lots.shuffled(sorted(players)))
    reference = seats.pop() if len(seats) % 2 == 0 else None
    return Circle(reference, tuple(seats))


def circle_of(
    players: Sequence[str], played: Sequence[Sequence[tuple[str, str]]], lots: Lots
) -> Circle | None:
    """Return a circle whose first rounds are the rounds played, whoever drew them, or None if there is none.

    Round 0 pairs seat x with -x and round 1 pairs x with 2 - x, counted round the circle: from the
    reference's first partner (0) the pairs lead over all seats: 0, 2, -2, 4, -4, ...
    """
    everybody: list[Seat] = [*lots.shuffled(sorted(players)), *([None] if len(players) % 2 else [])]
    count = len(everybody) - 1
    first = _partners(everybody, played[0])
    if first is None:
        return None
    if len(played) == 1:
        return _any_circle(everybody, list(played[0]), first)
    second = _partners(everybody, played[1])
    if second is None:
        return None
    for reference in everybody[::-1]:
        seats: dict[int, Seat] = {}
        place, seat = 0, first[reference]
        while place % count not in seats:
            seats[place % count] = seat
            seat = second[seat] if place <= 0 else first[seat]
            place = 2 - place if place <= 0 else -place
        if len(seats) == count and len(set(seats.values())) == count and reference not in seats.values():
            circle = Circle(reference, tuple(seats[place] for place in range(count)))
            if circle.agrees(played):
                return circle
    return None


def _partners(everybody: Sequence[Seat], games: Iterable[tuple[str, str]]) -> dict[Seat, Seat] | None:
    """Return everybody's partner, or None if too many are left over. With an odd number the one player left over has
    the bye."""
    partner: dict[Seat, Seat] = {}
    for a, b in games:
        partner[a], partner[b] = b, a
    left = [seat for seat in everybody if seat not in partner]
    if len(left) > 2 or (len(left) == 2 and None not in left):
        return None
    if len(left) == 2:
        partner[left[0]], partner[left[1]] = left[1], left[0]
    return partner if all(seat in partner for seat in everybody) and len(partner) == len(everybody) else None


def _any_circle(everybody: Sequence[Seat], games: list[tuple[str, str]], partner: dict[Seat, Seat]) -> Circle:
    """Return a circle whose round 0 is this one, with its colours."""
    reference = everybody[-1] if everybody[-1] is None else games[0][0]
    count = len(everybody) - 1
    seats: dict[int, Seat] = {0: partner[reference]}
    others = [game for game in games if reference not in game and seats[0] not in game]
    for distance, (black, white) in enumerate(others, 1):
        after, before = (black, white) if distance % 2 else (white, black)
        seats[distance], seats[count - distance] = after, before
    return Circle(reference, tuple(seats[place] for place in range(count)))
