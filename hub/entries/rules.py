"""Who may enter, as the five texts say it: frozen data that cites its clauses."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hub.ranking.format_rules import SMALLEST_LIST

CITIZEN, RESIDENT, FLAG_PLAYER = "citizen", "resident", "wof-flag"


@dataclass(frozen=True, slots=True)
class TeamSize:
    """`most` regular members, of whom at most `most_of_one_gender`; `extra_young` more of young age."""

    most: int
    most_of_one_gender: int | None = None
    extra_young: int = 0


@dataclass(frozen=True, slots=True)
class Clauses:
    """Where each rule stands; "" where the text has none."""

    teams: str = ""
    players: str = ""
    young: str = ""
    additional: str = ""
    citizen: str = ""
    resident: str = ""
    results: str = ""
    late: str = ""
    categories: str = ""
    category_names: str = ""
    divisions: str = ""
    extra_minutes: str = ""
    hands: str = ""


@dataclass(frozen=True, slots=True)
class EntryRules:
    """`team` None: players enter for themselves. Registration ends on `last_day` (month, day) of the year, or a
    month before the first day; later only by permission. `closes_with_first_round`: then not at all.

    `federations_report`: federations must have sent their results by that day. `credentials`: a player may be
    asked for them. `confederation`: only players of the countries that the tournament names, residents and flag
    players. `director_reports`: the final standings go to the rating committee. `minutes_for_needs`: what a
    player with special needs may be given; None: the text says nothing of it.
    """

    clauses: Clauses
    team: TeamSize | None = None
    contact: TeamSize | None = None
    last_day: tuple[int, int] | None = None
    month_before: bool = False
    closes_with_first_round: bool = False
    federations_report: bool = False
    credentials: bool = False
    confederation: bool = False
    director_reports: bool = False
    smallest_category: int = 0
    categories: tuple[str, ...] = ()
    minutes_for_needs: int | None = None

    def closes_on(self, first_day: datetime.date) -> datetime.date | None:
        """The last day of registration."""
        if self.last_day is not None:
            return datetime.date(first_day.year, *self.last_day)
        if not self.month_before or (first_day.year, first_day.month) == (1, 1):
            return None
        last_of_month_before = first_day.replace(day=1) - datetime.timedelta(1)
        return last_of_month_before.replace(day=min(first_day.day, last_of_month_before.day))


_WOC_2019 = EntryRules(
    team=TeamSize(most=4, most_of_one_gender=3, extra_young=1),  # I.2.1
    contact=TeamSize(most=1, extra_young=1),
    last_day=(7, 31),  # I.2.2
    closes_with_first_round=True,
    federations_report=True,  # I.2.3
    minutes_for_needs=5,  # IV.10
    clauses=Clauses(
        teams="I.2.1",
        players="I.2.2",
        young="I.2.2",
        additional="II.2",
        citizen="I.2.3.a",
        resident="I.2.3.b",
        results="I.2.3",
        late="I.2.2",
        extra_minutes="IV.10",
    ),
)
_WOC_2017 = EntryRules(
    team=TeamSize(most=4, most_of_one_gender=3, extra_young=1),  # I.2.1, B.2
    contact=TeamSize(most=1, extra_young=1),
    month_before=True,  # I.2.2
    closes_with_first_round=True,
    federations_report=True,
    minutes_for_needs=5,  # IV.10
    clauses=Clauses(
        teams="I.2.1",
        players="I.2.2",
        young="B.2",
        additional="II.2",
        citizen="I.2.3.a",
        resident="I.2.3.b",
        results="I.2.3",
        late="I.2.2",
        extra_minutes="IV.10",
    ),
)
_WOC_CLASSIC = EntryRules(
    team=TeamSize(most=3),  # I.1
    credentials=True,
    clauses=Clauses(
        teams="I.1", players="I.1", additional="II.2", citizen="I.1", extra_minutes="IV.1", hands="IV.4"
    ),
)
_CC_2024 = EntryRules(
    confederation=True,
    director_reports=True,
    smallest_category=SMALLEST_LIST,
    categories=("youth", "50+", "60+", "female", "debutants"),  # II.6.2
    clauses=Clauses(
        citizen="I.2.4",
        resident="I.2.4",
        results="I.2.3",
        categories="II.6.1",
        category_names="II.6.2",
        divisions="II.7.1",
        extra_minutes="IV.1",
        hands="IV.4",
    ),
)

ENTRY_RULES: Mapping[str, EntryRules] = MappingProxyType(
    {
        "woc-2019": _WOC_2019,
        "woc-2017": _WOC_2017,
        "woc-classic": _WOC_CLASSIC,
        "cc-2024": _CC_2024,
        "usoa": EntryRules(clauses=Clauses()),
        "club": EntryRules(clauses=Clauses()),
        "open": EntryRules(clauses=Clauses()),
    }
)
