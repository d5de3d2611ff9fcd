"""The cost of a pair, a bye and a whole round, and the colours of a pair (reading 23).

Each field of a cost is declared once, with its clause, its value and the weight of those above it. Decision 23 gives
the order. A new field needs its line here, and its word in `hub/console/texts.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

from hub.model.tournament import Tournament
from hub.pairing.lots import Lots
from hub.pairing.state import Entrant, RoundState, players_of_round, stage_of, state_before, swiss_rules
from hub.rulebook import SwissRules
from hub.text import Refused


class Field(NamedTuple):
    """The rules by which one field is filled. A rule that does not apply is None."""

    clause: str
    # The largest value that a whole round can add up to.
    most: Callable[[Widest], int]
    # The value for (black, white) after the rounds so far. Works on one pair's integers and on whole arrays.
    of_colours: Callable[[Any, Any], Any] | None = None
    # The value for the number of times that the two have met in this part.
    of_meetings: Callable[[SwissRules, int], bool] | None = None
    # The attribute of an entrant that two may not share, "" if the rules have none.
    group: Callable[[SwissRules], str] | None = None
    # The value that a bye adds.
    of_bye: Callable[[Entrant], int] | None = None


@dataclass(frozen=True, slots=True)
class Widest:
    """Bounds of the fields of a round: the number of players, and the largest value of any entrant."""

    rules: SwissRules
    players: int
    any_met: bool
    any_byes: bool
    gap: int
    half_points: int
    balance: int
    floats: int

    @property
    def pairs(self) -> int:
        return (self.players + 1) // 2

    @property
    def byes(self) -> int:
        """Return 1 if the number of players is odd, else 0."""
        return self.players % 2


def _field(clause: str, most: Callable[[Widest], int], **ways: Any) -> Any:
    return field(default=0, metadata={"field": Field(clause, most, **ways)})


def _up(black: Any, white: Any) -> Any:
    """Return 1 if Black meets somebody with more points, -1 if with less, else 0."""
    return 1 * (white.half_points > black.half_points) - 1 * (white.half_points < black.half_points)


def _floats(black: Any, white: Any) -> Any:
    up = _up(black, white)
    return (black.floats + up) ** 2 + (white.floats - up) ** 2


def colour_balance(black: Any, white: Any) -> Any:
    """Return the sum over both players of (blacks minus whites after this game) squared."""
    return (black.balance + 1) ** 2 + (white.balance - 1) ** 2


def same_colour(black: Any, white: Any) -> Any:
    """Return the number of players (0 to 2) who have the colour of their last game again."""
    return 1 * (black.last_colour == 1) + 1 * (white.last_colour == -1)


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """The cost of a pairing. The lower value in the first field that differs is the better pairing.

    The fields are those of `pair --json` (docs of the tournament file). All are sums over the round's games
    and its bye, so the cost of a round is the sum of the costs of its parts. Points are half points.
    """

    same_team: int = _field(
        "woc-classic II.5.2.i",
        lambda widest: widest.pairs if widest.rules.team_free_rounds else 0,
        group=lambda rules: "team" if rules.team_free_rounds else "",
    )
    rematches: int = _field(
        "woc-2019 II.7.2.a",
        lambda widest: widest.pairs if widest.any_met else 0,
        of_meetings=lambda rules, met: met > rules.meetings_allowed,
    )
    second_byes: int = _field(
        "reading 21",
        lambda widest: widest.byes * widest.any_byes,
        of_bye=lambda entrant: int(entrant.byes > 0),
    )
    bye_points: int = _field(
        "reading 21",
        lambda widest: widest.byes * widest.half_points,
        of_bye=lambda entrant: entrant.half_points,
    )
    gap: int = _field(
        "woc-2019 II.7.2.b",
        lambda widest: widest.gap * widest.pairs,
        of_colours=lambda black, white: abs(black.half_points - white.half_points),
    )
    gap_squared: int = _field(
        "woc-2019 II.7.2.b",
        lambda widest: widest.gap**2 * widest.pairs,
        of_colours=lambda black, white: (black.half_points - white.half_points) ** 2,
    )
    repeats: int = _field(
        "woc-2019 II.7.2.c",
        lambda widest: widest.pairs if widest.rules.modified and widest.any_met else 0,
        of_meetings=lambda rules, met: rules.modified and met == 1,
    )
    colours: int = _field(
        "woc-2019 II.7.2.d",
        lambda widest: (widest.balance + 1) ** 2 * widest.players,
        of_colours=colour_balance,
        of_bye=lambda entrant: entrant.balance**2,
    )
    floats: int = _field(
        "woc-2019 II.7.2.e",
        lambda widest: (widest.floats + 1) ** 2 * widest.players,
        of_colours=_floats,
        of_bye=lambda entrant: entrant.floats**2,
    )
    same_colour: int = _field("woc-2019 II.7.2.f", lambda widest: widest.players, of_colours=same_colour)
    same_country: int = _field(
        "woc-2019 II.7.2.g",
        lambda widest: widest.pairs if widest.rules.country_rule else 0,
        group=lambda rules: "country" if rules.country_rule else "",
    )
    ranks: int = _field(
        "jof",
        lambda widest: widest.players**2 * widest.pairs if widest.rules.neighbours else 0,
        of_colours=lambda black, white: (black.rank - white.rank) ** 2,
    )

    def __add__(self, other: Cost) -> Cost:
        return total((self, other))

    def as_dict(self) -> dict[str, int]:
        """Return the fields in the order of their weight; `ranks` only where the rulebook pairs neighbours."""
        return {name: getattr(self, name) for name in COST_FIELDS if name != "ranks" or self.ranks}


DECLARED: dict[str, Field] = {entry.name: entry.metadata["field"] for entry in fields(Cost)}
# Most important first.
COST_FIELDS = tuple(DECLARED)

_VALUES = attrgetter(*COST_FIELDS)

OF_COLOURS = {name: field_.of_colours for name, field_ in DECLARED.items() if field_.of_colours}
OF_MEETINGS = {name: field_.of_meetings for name, field_ in DECLARED.items() if field_.of_meetings}
OF_BYE = {name: field_.of_bye for name, field_ in DECLARED.items() if field_.of_bye}
_GROUPS = {name: field_.group for name, field_ in DECLARED.items() if field_.group}


def total(costs: Iterable[Cost]) -> Cost:
    """Return the sum of each field."""
    return Cost(*map(sum, zip(*map(_VALUES, costs), strict=True)))


@cache
def groups(rules: SwissRules) -> dict[str, str]:
    """Return {field: attribute of an entrant} for the groups whose members these rules keep apart."""
    return {name: attribute for name, group in _GROUPS.items() if (attribute := group(rules))}


def orient(state: RoundState, rules: SwissRules, a: Entrant, b: Entrant) -> tuple[Entrant, Entrant] | None:
    """Return (black, white) as the rules want it, or None if both ways are equal and the lot decides."""
    if rules.reverse_colours:
        was_black = state.last_black.get((a.id, b.id))
        if was_black is not None:
            return (b, a) if was_black == a.id else (a, b)
    a_black = colour_balance(a, b), same_colour(a, b)
    b_black = colour_balance(b, a), same_colour(b, a)
    if a_black == b_black:
        return None
    return (a, b) if a_black < b_black else (b, a)


def with_colours(state: RoundState, rules: SwissRules, lots: Lots, a: Entrant, b: Entrant) -> tuple[str, str]:
    """Return the ids of (black, white), by lot if both ways are equal."""
    black, white = orient(state, rules, a, b) or ((a, b) if lots.coin() else (b, a))
    return black.id, white.id


def game_cost(state: RoundState, rules: SwissRules, black: Entrant, white: Entrant) -> Cost:
    """Return the cost of this game with these colours."""
    fields = {name: value(black, white) for name, value in OF_COLOURS.items()}
    met = state.met(black.id, white.id)
    fields |= {name: int(value(rules, met)) for name, value in OF_MEETINGS.items()}
    for name, attribute in groups(rules).items():
        black_group, white_group = getattr(black, attribute), getattr(white, attribute)
        fields[name] = int(black_group != "" and black_group == white_group)
    return Cost(**fields)


def pair_cost(state: RoundState, rules: SwissRules, a: Entrant, b: Entrant) -> Cost:
    """Return the cost of a and b with the better colours."""
    black, white = orient(state, rules, a, b) or (a, b)
    return game_cost(state, rules, black, white)


def bye_cost(entrant: Entrant) -> Cost:
    return Cost(**{name: value(entrant) for name, value in OF_BYE.items()})


def round_cost(
    state: RoundState, rules: SwissRules, games: Iterable[tuple[str, str]], byes: Iterable[str]
) -> Cost:
    """Return the cost of a whole round of games (black, white) and byes."""
    by_id = {entrant.id: entrant for entrant in state.entrants}
    costs = [game_cost(state, rules, by_id[black], by_id[white]) for black, white in games]
    costs += [bye_cost(by_id[player]) for player in byes]
    return total(costs)


def cost_of_draft(
    tournament: Tournament, games: Sequence[tuple[str, str]], byes: Sequence[str]
) -> Cost | None:
    """Return the cost of a draft of the next round as the director has changed it, or None if such rounds have no cost.

    Raise Refused if it names somebody who is not there, names somebody twice, or leaves somebody out.
    """
    number = len(tournament.rounds) + 1
    stage = stage_of(tournament, number)
    players = players_of_round(tournament, number)
    named = sorted([*byes, *(player for game in games for player in game)])
    expected = sorted(player.id for player in players)
    if named != expected:
        wrong = sorted({p for p in {*named, *expected} if named.count(p) != expected.count(p)})
        raise Refused(
            "round {number}: expected everybody there once, got otherwise for {players}",
            number=number,
            players=tuple(wrong),
        )
    if stage.kind != "swiss":
        return None
    state = state_before(tournament, number, players, stage.part_from)
    return round_cost(state, swiss_rules(tournament, number), games, byes)
