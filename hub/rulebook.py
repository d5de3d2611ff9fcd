"""Rules for a whole tournament: systems, lists and finals, pairing, entries, the day of the finals.

Read from the table `tournament` of the rulebook's file (`flagfall/othello/rulebooks`, which cites the clauses). No
other module of the hub asks for a rulebook by name: it reads these values.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from flagfall.base.convert import A_TABLE, convert, one_of
from flagfall.base.errors import Invalid, shown
from flagfall.othello.colour_choice import May
from flagfall.othello.rulebook import (
    BUILT_IN,
    Minutes,
    Rulebook,
    merged,
    parse_rulebook,
    rulebook,
    tournament_table,
    tournament_table_of,
)
from hub.model.tournament import Tournament

SMALLEST_LIST = 6  # cc-2024 II.6.1 (categories, but for the youth), II.7.1 (divisions)


class _Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One table of a rulebook's file."""


class MatchRules(_Rules, frozen=True):
    """One kind of match.

    A single game with `may` "colour-or-draw-win" needs a draw-win; with "colour-and-draw-win" a draw is the
    better-placed player's; matches of two or three games take points, then discs, then the better place.
    """

    games: int  # the most that can be played
    minutes: Minutes  # for each player
    may: May = May.COLOUR  # the chooser's options
    # The colours of a game: "chosen" by a player, or "drawn" at the table (jof J1), where nobody chooses.
    colours: Literal["chosen", "drawn"] = "chosen"


class TitleRules(_Rules, frozen=True):
    """The finals of one title."""

    qualifiers: int  # 4: semi-finals, third place, final; 2: no semi-finals are played
    final: MatchRules
    # None: four qualifiers go straight to the final (1-2) and the third place (3-4), as in `cc-2024` II.2.
    semi_final: MatchRules | None = None
    third_place: MatchRules | None = None  # None with two qualifiers
    playoffs: tuple[tuple[int, int], ...] = ()
    playoff: MatchRules | None = None
    chooser_by_rating: bool = False
    level_with_first: bool = False  # of the qualifiers only those with as many points as the first
    # The places behind the qualifiers: players level on points share one, or all stand in the order of the standings.
    behind: Literal["shared", "in order"] = "shared"


class TeamRules(_Rules, frozen=True):
    """Rules for totals of teams.

    An additional player, and an extra young one, counts where the team has fewer regular members than the figure; None:
    the additional player never does, the extra young one always.
    """

    best: int | None = None  # the number of totals that count, None: all members'
    ties_for_first_only: bool = False  # ties are broken for the first place only
    additional_counts_below: int | None = None
    extra_young_counts_below: int | None = None
    extra_young_counts_below_contact: int | None = None


class SystemChoice(_Rules, frozen=True):
    """A system for a number of players."""

    system: str
    most: int | None = None  # the most players, None: any number
    rounds: int | None = None  # the rounds of its Swiss part, None: the text's number


class SwissRules(_Rules, frozen=True):
    """Rules of a Swiss system."""

    # Countrymen are kept apart where an equivalent pairing exists (woc-2019 II.7.2.g).
    country_rule: bool = False
    # Members of one team must not meet in that many last rounds (woc-classic II.5.2.i).
    team_free_rounds: int = 0
    groups_first_round: bool = False  # past semi-finalists are drawn against the others (woc-2019 II.7.1)
    # Set by the system: two meetings are allowed, a third is not (woc-2019 II.7.2.a, c).
    modified: bool = False
    # The colours of a game: "balanced" by the pairing, or "drawn" at the table, so that the pairing regards none.
    colours: Literal["balanced", "drawn"] = "balanced"
    # Players with the same points meet their neighbours in the standings, as far as they have not met.
    neighbours: bool = False
    # Set by the system: players who have met before change colours, before anything else about colours
    # (cc-2024 II.2 [7-8]).
    reverse_colours: bool = False

    @property
    def meetings_allowed(self) -> int:
        """Return how often two who are paired may have met before."""
        return 1 if self.modified else 0


class TeamSize(_Rules, frozen=True):
    """The size of a team."""

    most: int  # regular members
    most_of_one_gender: int | None = None
    extra_young: int = 0  # additional members of young age


class Clauses(_Rules, frozen=True):
    """The clause of each rule about entries; "" where the text has none."""

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


class EntryRules(_Rules, frozen=True):
    """Rules for entries. After the end of registration a player enters only by permission."""

    clauses: Clauses = Clauses()
    team: TeamSize | None = None  # None: players enter for themselves
    contact: TeamSize | None = None
    last_day: tuple[int, int] | None = None  # of registration: month, day
    month_before: bool = False  # registration ends a month before the first day
    closes_with_first_round: bool = False  # nobody enters after it
    federations_report: bool = False  # federations must have sent their results by the last day
    credentials: bool = False  # a player may be asked for them
    # Only players of the countries that the tournament names, residents and flag players.
    confederation: bool = False
    director_reports: bool = False  # the final standings go to the rating committee
    smallest_category: int = 0
    categories: tuple[str, ...] = ()
    # Minutes for a player with special needs; None: the text does not mention them.
    minutes_for_needs: int | None = None

    def closes_on(self, first_day: datetime.date) -> datetime.date | None:
        """Return the last day of registration."""
        if self.last_day is not None:
            return datetime.date(first_day.year, *self.last_day)
        if not self.month_before or (first_day.year, first_day.month) == (1, 1):
            return None
        last_of_month_before = first_day.replace(day=1) - datetime.timedelta(1)
        return last_of_month_before.replace(day=min(first_day.day, last_of_month_before.day))


class PlannedGame(_Rules, frozen=True):
    """One game of each match of a title and stage."""

    title: str
    stage: str
    game: int = 1  # the number of the game in the match
    if_needed: bool = False  # played only where the match is still open then
    only: tuple[int, int] | None = None  # the seeds of the only match that plays it


class PlannedSession(_Rules, frozen=True):
    """Games that start together."""

    games: tuple[PlannedGame, ...]
    start: str | None = None  # HH:MM where the text gives times
    end: str | None = None  # likewise


# Breaks a tie of points: the quotient, all discs, the difference of discs, or the game of two who are level.
Tie = Literal["bq", "discs", "difference", "mutual"]


class FormatRules(_Rules, frozen=True):
    """The table `tournament` of one rulebook's file."""

    systems: tuple[SystemChoice, ...]  # for growing numbers of players, the last one for any
    swiss_rounds: int
    rulebook: str = ""
    own_text: str = ""  # of a director's own rulebook, "" for those that Flagfall ships
    ties: Annotated[tuple[Tie, ...], Meta(min_length=1)] = (
        "bq",
        "discs",
    )  # in their order; the last one is the lot
    bye_discs: Annotated[int, Meta(ge=0, le=64)] = 32  # of the 64 of a bye
    # A round without a game, a bye or half a point: "nothing", or the discs of a "walkover" that is lost.
    missed_round: Literal["nothing", "walkover"] = "nothing"
    # Of a Swiss: a player with so many wins plays no further round; 0: nobody leaves.
    leave_after_wins: Annotated[int, Meta(ge=0, le=99)] = 0
    # After the rounds: a play-off of all who are level with the first, at most so many; 0: none.
    level_playoff: Literal[0, 2, 3, 4] = 0
    open: TitleRules | None = None
    women: TitleRules | None = None
    young: TitleRules | None = None
    # The finals of the open title where they depend on the system (`cc-2024` II.2).
    open_by_system: dict[str, TitleRules] = {}
    division: TitleRules | None = None
    teams: TeamRules | None = None
    # Points of the places of the open list, the last ones for every place behind; empty: no Grand Prix.
    grand_prix: tuple[Annotated[int, Meta(ge=0)], ...] = ()
    young_age: Annotated[int, Meta(ge=0, le=150)] = 14  # the highest age of a young player ...
    # ... on this month and day of the event's year, or on its first day.
    young_on: Annotated[
        tuple[int, int] | Literal["first day"],
        Meta(description='a month and a day, as [12, 31], or "first day"'),
    ] = (12, 31)
    plan: tuple[SystemChoice, ...] = ()  # the usual systems of a new event; empty: the text's
    free_absences: bool = False  # the director may give half-point byes and let withdrawn players return
    players_pages: bool = False  # players may open their own pages unless the director decides otherwise
    swiss: SwissRules = SwissRules()
    entry: EntryRules = EntryRules()
    third_day: tuple[PlannedSession, ...] = ()

    @property
    def law(self) -> Rulebook:
        """The rules at the tables."""
        return _parsed(self.own_text) if self.own_text else rulebook(self.rulebook)

    @property
    def empties_to_winner(self) -> bool:
        return self.law.score.empties == "winner"

    def young_day(self, first_day: datetime.date) -> datetime.date:
        """Return the day that decides who is young in an event with this first day."""
        return (
            first_day
            if self.young_on == "first day"
            else first_day.replace(month=self.young_on[0], day=self.young_on[1])
        )

    @property
    def has_finals(self) -> bool:
        """Return whether anything follows the rounds, or there are more lists than one."""
        return any((self.open, self.women, self.young, self.division, self.teams, self.open_by_system))

    def system_for(self, players: int) -> str:
        """Return the system of the text for so many players."""
        return choice_for(self.systems, players).system

    def open_title(self, system: str) -> TitleRules | None:
        """Return the rulebook's own finals of the open title in an event of this system."""
        return self.open_by_system.get(system, self.open)


def age_on(day: datetime.date, born: datetime.date) -> int:
    """Return the age on a day in whole years; nobody is younger than 0."""
    return max(0, day.year - born.year - ((day.month, day.day) < (born.month, born.day)))


def choice_for(choices: Iterable[SystemChoice], players: int) -> SystemChoice:
    """Return the first of `choices` that is for so many players."""
    return next(choice for choice in choices if choice.most is None or players <= choice.most)


# Fields of the table `tournament` that a director's own rulebook may set (decision 4.12); everything else follows the
# text that it is based on.
OWN_FIELDS = (
    "ties",
    "bye_discs",
    "missed_round",
    "leave_after_wins",
    "level_playoff",
    "young_age",
    "young_on",
    "entry.categories",
    "entry.smallest_category",
    "swiss.colours",
    "swiss.neighbours",
)


def format_rules(name: str, own_text: str = "") -> FormatRules:
    """Return the rules of a shipped rulebook, or of a director's own one over it. Invalid names the field of its
    table."""
    table = tournament_table(name)
    own = tournament_table_of(own_text) if own_text else {}
    for field in _names(own):
        if field not in OWN_FIELDS:
            raise Invalid(f"tournament.{field}"[:80], one_of(OWN_FIELDS), unknown="field")
    try:
        rules = convert({"rulebook": name, "own_text": own_text} | merged(table, own), FormatRules, A_TABLE)
    except Invalid as fault:
        raise fault.of("tournament") from None
    return _checked(rules)


def _names(table: Mapping[str, object]) -> list[str]:
    """Return the names of the fields, those of a table inside after its own name and a point."""
    return [
        ".".join((name, inner)) if inner else name
        for name, value in table.items()
        for inner in (_names(value) if isinstance(value, dict) and value else [""])
    ]


def _checked(rules: FormatRules) -> FormatRules:
    """Return the rules. Invalid if a day is none, a tie is broken twice in the same way, a worse place has more Grand
    Prix points, or a play-off stands beside other finals."""
    if list(rules.grand_prix) != sorted(rules.grand_prix, reverse=True):
        raise Invalid("tournament.grand_prix", "the best place's points first", shown(list(rules.grand_prix)))
    if rules.level_playoff and rules.has_finals:
        expected = f"0, as {rules.rulebook} has finals of its own"
        raise Invalid("tournament.level_playoff", expected, shown(rules.level_playoff))
    if len(set(rules.ties)) < len(rules.ties):
        raise Invalid("tournament.ties", "each way once", ", ".join(rules.ties))
    if rules.young_on != "first day":
        try:
            rules.young_day(datetime.date(2001, 1, 1))
        except ValueError:
            raise Invalid(
                "tournament.young_on", "month and day, as [12, 31]", shown(list(rules.young_on))
            ) from None
    return rules


def rules_of(tournament: Tournament) -> FormatRules:
    """Return the rules of the event: its own rulebook's where it has one."""
    return rules_named(tournament.rulebook, tournament.rulebook_text)


@lru_cache(64)
def rules_named(name: str, own_text: str) -> FormatRules:
    """Return the rules of a shipped rulebook, or of a director's own one over it if that is valid."""
    if own_text:
        try:
            _parsed(own_text)
            return format_rules(name, own_text)
        except Invalid:
            pass  # kept by an older ledger: the event goes on under the text that it is based on
    return FORMAT_RULES[name]


def rules_at_tables(tournament: Tournament) -> Rulebook | None:
    """Return the referee's rulebook: the director's own one if the event has one. None if that is no rulebook."""
    try:
        return (
            _parsed(tournament.rulebook_text) if tournament.rulebook_text else rulebook(tournament.rulebook)
        )
    except Invalid:
        return None


_parsed = lru_cache(32)(parse_rulebook)

TIE_BREAKS = ("bq", "disc-difference")
CHOSEN_TIES: Mapping[str, tuple[Tie, ...]] = {"bq": ("bq", "discs"), "disc-difference": ("difference",)}


def tie_break_of(rules: FormatRules) -> str:
    """Return the name of the rulebook's own way among `TIE_BREAKS`, or "" for another one."""
    return {"bq": "bq", "difference": "disc-difference"}.get(rules.ties[0], "")


def ties_of(tournament: Tournament) -> tuple[Tie, ...]:
    """Return the ways to break a tie of points before the lot: the rulebook's, unless the event chose others."""
    rules, chosen = rules_of(tournament), tournament.tie_break
    return rules.ties if chosen in ("", tie_break_of(rules)) else CHOSEN_TIES[chosen]


def by_difference(tournament: Tournament) -> bool:
    """Return True if the lists show the difference of discs in place of the quotient."""
    ties = ties_of(tournament)
    return "difference" in ties and "bq" not in ties[: ties.index("difference")]


class _ShippedRules(Mapping[str, FormatRules]):
    """The rules of the shipped rulebooks by name, each read at its first use: an event has one of them."""

    def __getitem__(self, name: str) -> FormatRules:
        if name not in BUILT_IN:
            raise KeyError(name)
        return _shipped(name)

    def __iter__(self) -> Iterator[str]:
        return iter(BUILT_IN)

    def __len__(self) -> int:
        return len(BUILT_IN)


_shipped = cache(format_rules)
FORMAT_RULES: Mapping[str, FormatRules] = _ShippedRules()
