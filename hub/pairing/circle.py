"""The circle of a round robin: one player stays, the others rotate (cc-2024 II.4.2; decision 31)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hub.pairing.lots import Lots

Seat = str | None
"""A player, or None: the bye that an odd number adds."""


@dataclass(frozen=True, slots=True)
class Circle:
    """`rotating` an odd number of seats, `reference` the one that stays.

    Round r (from 0) puts rotating[r] opposite the reference, and the seats at equal distance before and
    after r opposite each other. Colours come from the distance, so that each player has as many blacks as
    whites but for his game with the reference.
    """

    reference: Seat
    rotating: tuple[Seat, ...]

    @property
    def rounds(self) -> int:
        return len(self.rotating)

    def pairs(self, r: int) -> list[tuple[Seat, Seat]]:
        """(black, white) of round r; None is the bye."""
        count = len(self.rotating)
        first = self.rotating[r % count]
        found = [(self.reference, first) if r % 2 == 0 else (first, self.reference)]
        for distance in range(1, count // 2 + 1):
            after, before = self.rotating[(r + distance) % count], self.rotating[(r - distance) % count]
            found.append((after, before) if distance % 2 else (before, after))
        return found

    def agrees(self, played: Sequence[Iterable[tuple[str, str]]]) -> bool:
        """Every game of every round played, whatever its colours, is one of this circle's in that round."""
        for r, games in enumerate(played):
            expected = {frozenset(pair) for pair in self.pairs(r)}
            if any(frozenset(game) not in expected for game in games):
                return False
        return True


def circle_by_lot(players: Iterable[str], lots: Lots) -> Circle:
    """Everybody seated by lot; with an odd number the bye is the reference."""
    seats: list[Seat] = list(lots.shuffled(sorted(players)))
    reference = seats.pop() if len(seats) % 2 == 0 else None
    return Circle(reference, tuple(seats))


def circle_of(
    players: Sequence[str], played: Sequence[Sequence[tuple[str, str]]], lots: Lots
) -> Circle | None:
    """A circle in which the rounds played were the first ones, whoever drew them; None if there is none.

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
        at, seat = 0, first[reference]
        while at % count not in seats:
            seats[at % count] = seat
            seat = second[seat] if at <= 0 else first[seat]
            at = 2 - at if at <= 0 else -at
        if len(seats) == count and len(set(seats.values())) == count and reference not in seats.values():
            circle = Circle(reference, tuple(seats[at] for at in range(count)))
            if circle.agrees(played):
                return circle
    return None


def _partners(everybody: Sequence[Seat], games: Iterable[tuple[str, str]]) -> dict[Seat, Seat] | None:
    """Everybody's partner; one player left over with an odd number has the bye; None if more are left over."""
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
    """A circle whose round 0 is this one, colours too."""
    reference = everybody[-1] if everybody[-1] is None else games[0][0]
    count = len(everybody) - 1
    seats: dict[int, Seat] = {0: partner[reference]}
    others = [game for game in games if reference not in game and seats[0] not in game]
    for distance, (black, white) in enumerate(others, 1):
        after, before = (black, white) if distance % 2 else (white, black)
        seats[distance], seats[count - distance] = after, before
    return Circle(reference, tuple(seats[at] for at in range(count)))
