"""What the five rulebooks say about systems, lists and finals, as frozen data that cites its clauses.

No algorithm of this room asks for a rulebook by name: it reads these values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from hub.ranking.systems import (
    DOUBLE_ROUND_ROBIN,
    MODIFIED_SWISS,
    ROUND_ROBIN,
    ROUND_ROBIN_THEN_SWISS,
    ROUND_ROBIN_WITH_SEMIFINALS,
    SWISS,
    TRIPLE_ROUND_ROBIN,
    rounds_needed,
)
from othello.colour_choice import May


@dataclass(frozen=True, slots=True)
class MatchRules:
    """One kind of match: `games` is the most that can be played; `minutes` each; `may` what the chooser gets.

    A single game with `may` "colour-or-draw-win" needs a draw-win; with "colour-and-draw-win" a draw is the
    better-placed player's; matches of two or three games take points, then discs, then the better place.
    """

    games: int
    minutes: int
    may: May = May.COLOUR


@dataclass(frozen=True, slots=True)
class TitleRules:
    """The finals of one title. `qualifiers` 4: semi-finals, third place, final; 2: no semi-finals are played.

    `third_place` of two qualifiers does not exist; with `semi_final` None four qualifiers go straight to the
    final (1-2) and the third place (3-4), as in `cc-2024` II.2.
    """

    qualifiers: int
    final: MatchRules
    semi_final: MatchRules | None = None
    third_place: MatchRules | None = None
    playoffs: tuple[tuple[int, int], ...] = ()
    playoff: MatchRules | None = None
    chooser_by_rating: bool = False


@dataclass(frozen=True, slots=True)
class TeamRules:
    """`best` totals count (None: all members'); ties are broken everywhere or for the first place only.

    An additional player, and an extra young one, counts where the team has fewer regular members than told;
    None: the additional player never does, the extra young one always.
    """

    best: int | None
    ties_for_first_only: bool = False
    additional_counts_below: int | None = None
    extra_young_counts_below: int | None = None
    extra_young_counts_below_contact: int | None = None


@dataclass(frozen=True, slots=True)
class FormatRules:
    """`systems`: (up to so many players, system), the last without a bound.

    `young_age`: the most a young player may be on 31 December of the year. `plan`: what a new event is given where
    nobody said otherwise, (up to so many players, system, Swiss rounds); empty: the text's systems. `free_absences`:
    half-point byes on request, and the return of who has withdrawn, are the director's to give.
    """

    rulebook: str
    systems: tuple[tuple[int | None, str], ...]
    swiss_rounds: int
    empties_to_winner: bool
    open: TitleRules | None = None
    women: TitleRules | None = None
    young: TitleRules | None = None
    open_by_system: Mapping[str, TitleRules] = field(default_factory=dict)
    division: TitleRules | None = None
    teams: TeamRules | None = None
    young_age: int = 14
    plan: tuple[tuple[int | None, str, int | None], ...] = ()
    free_absences: bool = False

    def system_for(self, players: int) -> str:
        """The system of the text for so many players."""
        for most, system in self.systems:
            if most is None or players <= most:
                return system
        raise AssertionError("the last system has no bound")

    def planned(self, players: int) -> tuple[str, int] | None:
        """(system, rounds) of a new event of so many players; None where the text itself has them."""
        for most, system, rounds in self.plan:
            if most is None or players <= most:
                return system, rounds_needed(system, players, rounds or self.swiss_rounds)
        return None

    def open_title(self, system: str) -> TitleRules | None:
        """The finals of the open title, which `cc-2024` II.2 lets depend on the system."""
        return self.open_by_system.get(system, self.open)


_WORLD_SYSTEMS = (
    (8, DOUBLE_ROUND_ROBIN),
    (14, ROUND_ROBIN),
    (24, MODIFIED_SWISS),
    (None, SWISS),
)
SMALLEST_LIST = 6  # cc-2024 II.6.1 (categories, but for the youth), II.7.1 (divisions)
_FOUR_PLAYOFFS = ((4, 5), (3, 6), (2, 7), (1, 8))

_WOC_2019 = FormatRules(
    rulebook="woc-2019",
    systems=_WORLD_SYSTEMS,  # II.2
    swiss_rounds=13,
    empties_to_winner=True,  # IV.8
    open=TitleRules(
        qualifiers=4,
        playoffs=_FOUR_PLAYOFFS,  # II.3.2
        playoff=MatchRules(games=1, minutes=30, may=May.COLOUR_OR_DRAW_WIN),
        semi_final=MatchRules(games=3, minutes=35),  # III.2.1
        third_place=MatchRules(games=1, minutes=35, may=May.COLOUR_OR_DRAW_WIN),  # III.2.2
        final=MatchRules(games=3, minutes=40),  # III.2.3
    ),
    women=TitleRules(
        qualifiers=4,
        semi_final=MatchRules(games=1, minutes=35, may=May.COLOUR_OR_DRAW_WIN),  # III.3.1
        third_place=MatchRules(games=1, minutes=35, may=May.COLOUR_OR_DRAW_WIN),  # III.3.2
        final=MatchRules(games=1, minutes=40, may=May.COLOUR_OR_DRAW_WIN),  # III.3.3
    ),
    young=TitleRules(
        qualifiers=4,
        semi_final=MatchRules(games=1, minutes=35, may=May.COLOUR_OR_DRAW_WIN),  # III.4.1
        third_place=MatchRules(games=1, minutes=35, may=May.COLOUR_OR_DRAW_WIN),  # III.4.2
        final=MatchRules(games=1, minutes=40, may=May.COLOUR_OR_DRAW_WIN),  # III.4.3
    ),
    teams=TeamRules(best=3),  # II.4
)

_WOC_2017 = FormatRules(
    rulebook="woc-2017",
    systems=_WORLD_SYSTEMS,  # II.2
    swiss_rounds=13,
    empties_to_winner=True,
    open=_WOC_2019.open,  # II.3.2, III.2-III.4
    women=_WOC_2019.women,  # III.5-III.7
    young=TitleRules(
        qualifiers=2,  # B.3.3, B.4
        final=MatchRules(games=1, minutes=40, may=May.COLOUR_OR_DRAW_WIN),
    ),
    teams=TeamRules(
        best=3,  # II.4
        extra_young_counts_below=3,  # B.2
        extra_young_counts_below_contact=1,
    ),
)

_WOC_CLASSIC = FormatRules(
    rulebook="woc-classic",
    systems=_WORLD_SYSTEMS,  # II.2
    swiss_rounds=13,
    empties_to_winner=True,
    open=TitleRules(
        qualifiers=4,
        playoffs=((4, 5),),  # II.3.1
        playoff=MatchRules(games=1, minutes=30, may=May.COLOUR_AND_DRAW_WIN),
        semi_final=MatchRules(games=3, minutes=35),  # III.2
        third_place=MatchRules(games=1, minutes=35, may=May.COLOUR_AND_DRAW_WIN),  # III.3
        final=MatchRules(games=3, minutes=40),  # III.4
    ),
    teams=TeamRules(best=None, ties_for_first_only=True, additional_counts_below=3),  # II.2, II.4
)

_CC_FINALS = TitleRules(
    qualifiers=4,
    third_place=MatchRules(games=1, minutes=30, may=May.COLOUR_OR_DRAW_WIN),  # III.2
    final=MatchRules(games=3, minutes=30),  # III.1
)

_CC_2024 = FormatRules(
    rulebook="cc-2024",
    systems=(
        (4, TRIPLE_ROUND_ROBIN),
        (6, DOUBLE_ROUND_ROBIN),
        (8, ROUND_ROBIN_THEN_SWISS),
        (10, ROUND_ROBIN_WITH_SEMIFINALS),
        (12, ROUND_ROBIN),
        (None, SWISS),
    ),
    swiss_rounds=11,
    empties_to_winner=True,
    open=_CC_FINALS,
    # II.5: semi-finals of two games with nine or ten players.
    open_by_system={
        ROUND_ROBIN_WITH_SEMIFINALS: replace(_CC_FINALS, semi_final=MatchRules(games=2, minutes=25))
    },
    division=TitleRules(
        qualifiers=4,
        semi_final=MatchRules(games=1, minutes=25, may=May.COLOUR_OR_DRAW_WIN),  # II.7.2
        final=MatchRules(games=1, minutes=25, may=May.COLOUR_OR_DRAW_WIN),
        chooser_by_rating=True,
    ),
)

_USOA = FormatRules(
    rulebook="usoa",
    systems=((None, SWISS),),
    swiss_rounds=13,
    empties_to_winner=False,  # 4.3
)

# A club evening knows neither teams nor finals; its systems and scores are those of the text it is based on. Thirteen
# rounds are no evening: a new one is planned for as many as its players need.
_CLUB = FormatRules(
    rulebook="club",
    systems=_WORLD_SYSTEMS,
    swiss_rounds=13,
    empties_to_winner=True,
    free_absences=True,
    plan=(
        (4, DOUBLE_ROUND_ROBIN, None),
        (8, ROUND_ROBIN, None),
        (16, SWISS, 6),
        (32, SWISS, 7),
        (None, SWISS, 8),
    ),
)
# An open is played by the world championship's text at the table; whoever comes may play, and no finals follow.
_OPEN = FormatRules(
    rulebook="open",
    systems=((8, ROUND_ROBIN), (None, SWISS)),
    swiss_rounds=11,
    empties_to_winner=True,
    free_absences=True,
    plan=(
        (4, DOUBLE_ROUND_ROBIN, None),
        (8, ROUND_ROBIN, None),
        (16, SWISS, 7),
        (32, SWISS, 9),
        (None, SWISS, 11),
    ),
)

FORMAT_RULES = MappingProxyType(
    {rules.rulebook: rules for rules in (_WOC_2019, _OPEN, _CLUB, _USOA, _WOC_2017, _WOC_CLASSIC, _CC_2024)}
)
RULEBOOKS = tuple(FORMAT_RULES)
