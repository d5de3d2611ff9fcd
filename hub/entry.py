"""Entries checked against the rulebook, each finding with its clause; a person decides what comes of it.

Facts that no program can know are declared in the tournament file. A player: `represents` ("citizen", "resident"
for six of the last twelve months, "wof-flag"), `registered` (a day), `admitted_because` (the director's reason for
an entry that the text closes), `credentials` ("requested" or "shown"), `needs`, `extra_minutes`, `hands_commit`.
The tournament: `host`, `federations`, `admitted_nations`, `federations_reporting` (who sent their results in
time), `confederation` (its countries), `results_sent` (a day), `merged_categories` {from: into},
`allowed_categories`.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from hub.entry_rules import CITIZEN, ENTRY_RULES, FLAG_PLAYER, RESIDENT, EntryRules, TeamSize
from hub.formats.errors import shown
from hub.line import Line, line
from hub.ranking.categories import YOUTH, allowed_categories, category_names
from hub.ranking.format_rules import FORMAT_RULES
from hub.tournament import Player, Tournament

WOF = "WOF"
_GENDERS = {"f": Line("women"), "m": Line("men"), "x": Line("of gender x")}
_TEAM, _CONTACT = Line("team"), Line("nation with a contact person")
_NO_COUNTRY, _HIS_COUNTRY = Line("no country"), Line("his country")


class Kind(StrEnum):
    """`AGAINST` a rule; `OPEN`: a fact that nobody has declared; `ALLOWED`: against it, but by leave."""

    AGAINST = "against"
    OPEN = "open"
    ALLOWED = "allowed"


@dataclass(frozen=True, slots=True)
class Finding:
    """`clause` as `woc-2019 I.2.1`; `about` is a player's id, a team or a category, "" for the whole tournament."""

    clause: str
    about: str
    line: Line
    kind: Kind = Kind.AGAINST

    @property
    def text(self) -> str:
        return str(self.line)


def findings(tournament: Tournament) -> tuple[Finding, ...]:
    """Everything that its rulebook has to say of the entries: teams first, then players, then categories."""
    return tuple(_Check(tournament).everything())


def late_entry_fault(tournament: Tournament, player: Mapping[str, object], rounds_paired: int) -> Line | None:
    """Why the text admits nobody any more, or None; `player` is the object of the tournament file."""
    rules = ENTRY_RULES[tournament.rulebook]
    if not rules.closes_with_first_round or rounds_paired == 0 or _said(player, "admitted_because"):
        return None
    clause = f"{tournament.rulebook} {rules.clauses.late}"
    return line(
        "admitted_because: expected the director's reason, as {clause} closes entries with the first round",
        clause=clause,
    )


@dataclass(frozen=True)
class _Check:
    tournament: Tournament

    @property
    def rules(self) -> EntryRules:
        return ENTRY_RULES[self.tournament.rulebook]

    @property
    def first_day(self) -> datetime.date | None:
        return _day(self.tournament.date)

    def everything(self) -> Iterator[Finding]:
        yield from self._teams()
        yield from self._additional()
        clauses = self.rules.clauses
        if clauses.resident and not self.rules.confederation and not self._anyone_declared:
            text = Line("of nobody it is declared whether he is a citizen of his country or a resident")
            yield self._found(clauses.citizen, "", text, Kind.OPEN)
        for player in self.tournament.players:
            yield from self._registration(player)
            yield from self._right_to_play(player)
            yield from self._needs(player)
        yield from self._reports()
        yield from self._categories()
        yield from self._divisions()

    def _found(self, clause: str, about: str, text: Line, kind: Kind = Kind.AGAINST) -> Finding:
        return Finding(f"{self.tournament.rulebook} {clause}", about, text, kind)

    # Teams

    def _teams(self) -> Iterator[Finding]:
        if self.rules.team is None:
            return
        members: dict[str, list[Player]] = {}
        for player in self.tournament.players:
            if player.team and not player.additional:
                members.setdefault(player.team, []).append(player)
        federations = _names(self.tournament.extra, "federations")
        admitted = _names(self.tournament.extra, "admitted_nations") or ()
        for team, entered in members.items():
            contact = self.rules.contact is not None and team in self.tournament.contact_nations
            size = self.rules.contact if contact and self.rules.contact is not None else self.rules.team
            yield from self._team(team, entered, size, _CONTACT if contact else _TEAM)
            if federations is not None and not contact and team not in federations:
                leave = Kind.ALLOWED if team in admitted else Kind.AGAINST
                text = Line("is neither a federation nor a nation with a contact person")
                yield self._found(self.rules.clauses.teams, team, text, leave)

    def _team(self, team: str, entered: list[Player], size: TeamSize, called: Line) -> Iterator[Finding]:
        clauses = self.rules.clauses
        regular = [player for player in entered if not player.extra_young]
        young = [player for player in entered if player.extra_young]
        if len(regular) > size.most:
            text = line(
                "{count} players, where a {called} may have {most}",
                count=len(regular),
                called=called,
                most=size.most,
            )
            yield self._found(clauses.teams, team, text)
        if len(young) > size.extra_young:
            text = line(
                "{count} additional young players, where a {called} may have {most}",
                count=len(young),
                called=called,
                most=size.extra_young,
            )
            yield self._found(clauses.young or clauses.teams, team, text)
        for player in young:
            yield from self._age(player)
        if size.most_of_one_gender is None:
            return
        genders = Counter(player.gender for player in regular)
        for gender, name in _GENDERS.items():
            if genders[gender] > size.most_of_one_gender:
                text = line(
                    "{count} {gender}, where {most} may be of one gender",
                    count=genders[gender],
                    gender=name,
                    most=size.most_of_one_gender,
                )
                yield self._found(clauses.teams, team, text)
        most = max((genders[gender] for gender in _GENDERS), default=0)
        if genders[""] and most <= size.most_of_one_gender < most + genders[""]:
            text = line(
                "the gender of {count} of {all} players is not declared",
                count=genders[""],
                all=len(regular),
            )
            yield self._found(clauses.teams, team, text, Kind.OPEN)

    def _age(self, player: Player) -> Iterator[Finding]:
        clause, most = self.rules.clauses.young, FORMAT_RULES[self.tournament.rulebook].young_age
        born = _day(player.born)
        if born is None or self.first_day is None:
            missing = Line("his day of birth") if born is None else Line("the day of the event")
            text = line(
                "entered as the additional young player, but {missing} is not declared", missing=missing
            )
            yield self._found(clause, player.id, text, Kind.OPEN)
        elif (age := self.first_day.year - born.year) > most:
            text = line(
                "is {age} on 31 December {year}, where a young player is at most {most}",
                age=age,
                year=self.first_day.year,
                most=most,
            )
            yield self._found(clause, player.id, text)

    def _additional(self) -> Iterator[Finding]:
        clause = self.rules.clauses.additional
        added = [player for player in self.tournament.players if player.additional]
        if not clause or not added:
            return
        for player in added[1:]:
            yield self._found(
                clause, player.id, line("a second additional player, besides {other}", other=added[0].id)
            )
        if self._starters() % 2:
            text = Line("entered to avoid a bye, but with him the number of players is odd")
            yield self._found(clause, added[0].id, text)
        host = _said(self.tournament.extra, "host")
        for player in added:
            if host and player.country not in (host, WOF):
                text = line(
                    "is of {country}, where the host {host} (or the WOF) may enter him",
                    country=player.country or _NO_COUNTRY,
                    host=host,
                )
                yield self._found(clause, player.id, text)

    def _starters(self) -> int:
        gone = {w.player for w in self.tournament.withdrawals if w.after_round == 0}
        return sum(p.from_round == 1 and p.id not in gone for p in self.tournament.players)

    # Players

    @property
    def _anyone_declared(self) -> bool:
        return any(_said(player.extra, "represents") for player in self.tournament.players)

    def _registration(self, player: Player) -> Iterator[Finding]:
        clause, because = self.rules.clauses.late, _said(player.extra, "admitted_because")
        kind = Kind.ALLOWED if because else Kind.AGAINST
        if self.rules.closes_with_first_round and player.from_round > 1:
            text = line("enters in round {round}; no changes after play has begun", round=player.from_round)
            if because:
                text = line("{finding}, admitted because: {because}", finding=text, because=because)
            yield self._found(clause, player.id, text, kind)
        last_day = None if self.first_day is None else self.rules.closes_on(self.first_day)
        registered = _day(player.extra.get("registered"))
        if last_day is not None and registered is not None and registered > last_day:
            days = {"registered": str(registered), "last_day": str(last_day)}
            text = line("registered on {registered}, after {last_day}, without permission", **days)
            if because:
                text = line("registered on {registered}, after {last_day}", **days)
                text = line("{finding}, admitted because: {because}", finding=text, because=because)
            yield self._found(clause, player.id, text, kind)

    def _right_to_play(self, player: Player) -> Iterator[Finding]:
        clauses, said = self.rules.clauses, _said(player.extra, "represents")
        if self.rules.credentials and player.extra.get("credentials") == "requested":
            yield self._found(
                clauses.players, player.id, Line("credentials asked for, not yet shown"), Kind.OPEN
            )
        if self.rules.confederation:
            yield from self._of_the_confederation(player, said)
        elif clauses.resident and not (player.additional and player.country == WOF):
            if not said and self._anyone_declared:
                text = line(
                    "not declared whether a citizen of {country} or a resident",
                    country=player.country or _HIS_COUNTRY,
                )
                yield self._found(clauses.citizen, player.id, text, Kind.OPEN)
            elif said and said not in (CITIZEN, RESIDENT):
                text = line(
                    "neither a citizen nor a resident for six of the last twelve months, but {said}",
                    said=shown(said),
                )
                yield self._found(clauses.resident, player.id, text)

    def _of_the_confederation(self, player: Player, said: str) -> Iterator[Finding]:
        countries = _names(self.tournament.extra, "confederation")
        clause = self.rules.clauses.citizen
        if countries is None or player.country in countries or FLAG_PLAYER in (said, player.country.lower()):
            return
        if player.country == WOF or said == RESIDENT:
            return
        text = line(
            "{country} is not of the confederation, and six months of residence in the last twelve are not declared",
            country=player.country or _NO_COUNTRY,
        )
        yield self._found(clause, player.id, text)

    def _needs(self, player: Player) -> Iterator[Finding]:
        rules, extra = self.rules, player.extra
        minutes, clause = extra.get("extra_minutes", 0), self.rules.clauses.extra_minutes
        if clause and minutes not in (0, None, rules.minutes_for_needs):
            given = Line("nothing") if rules.minutes_for_needs is None else rules.minutes_for_needs
            text = line(
                "{minutes} extra minutes, where the text gives {given}", minutes=shown(minutes), given=given
            )
            yield self._found(clause, player.id, text)
        elif clause and minutes and not _said(extra, "needs"):
            text = line("{minutes} extra minutes, but no special needs are declared", minutes=shown(minutes))
            yield self._found(clause, player.id, text, Kind.OPEN)
        if rules.clauses.hands and extra.get("hands_commit") is False:
            text = Line("hands are not to commit him, where the text knows no exception")
            yield self._found(rules.clauses.hands, player.id, text)

    # What the federations and the director send

    def _reports(self) -> Iterator[Finding]:
        clause, extra = self.rules.clauses.results, self.tournament.extra
        if self.rules.federations_report:
            reporting = _names(extra, "federations_reporting")
            teams = {p.team for p in self.tournament.players if p.team and p.team != WOF}
            silent = sorted(teams - set(self.tournament.contact_nations) - set(reporting or ()))
            if reporting is None and silent:
                text = line(
                    "not declared which of {count} federations have sent their results to the rating list",
                    count=len(silent),
                )
                yield self._found(clause, "", text, Kind.OPEN)
            for team in silent if reporting is not None else ():
                yield self._found(clause, team, Line("has not sent its results to the rating list in time"))
        if self.rules.director_reports and self._complete() and _day(extra.get("results_sent")) is None:
            text = Line("the results are complete and not yet declared sent to the rating committee")
            yield self._found(clause, "", text, Kind.OPEN)

    def _complete(self) -> bool:
        rounds = self.tournament.rounds
        scored = all(game.score is not None for round_ in rounds for game in round_.games)
        return scored and 0 < self.tournament.rounds_planned <= len(rounds)

    # Categories and divisions

    def _categories(self) -> Iterator[Finding]:
        clauses, rules = self.rules.clauses, self.rules
        if not clauses.categories:
            return
        members: dict[str, list[Player]] = {}
        for player in self.tournament.players:
            for name in category_names(self.tournament, player):
                members.setdefault(name, []).append(player)
        allowed = allowed_categories(self.tournament)
        for name, entered in sorted(members.items()):
            if len(entered) < rules.smallest_category and name.lower() != YOUTH:
                others = [other for other in sorted(members) if other != name]
                text = line(
                    "{count} players, where a category has at least {least}",
                    count=len(entered),
                    least=rules.smallest_category,
                )
                if others:
                    text = line(
                        "{finding}; it can be merged with {others}", finding=text, others=tuple(others)
                    )
                kind = Kind.ALLOWED if name in allowed else Kind.AGAINST
                yield self._found(clauses.categories, name, text, kind)
            if name.lower() not in rules.categories:
                known = ", ".join(rules.categories)
                text = line("a category of its own, besides {known}: the direction decides", known=known)
                yield self._found(clauses.category_names, name, text, Kind.OPEN)
            if name.lower() == "female":
                for player in entered:
                    if player.gender == "m":
                        yield self._found(
                            clauses.category_names, player.id, line("a man in the category {name}", name=name)
                        )

    def _divisions(self) -> Iterator[Finding]:
        clause, least = self.rules.clauses.divisions, self.rules.smallest_category
        if not clause:
            return
        sizes = Counter(player.division for player in self.tournament.players if player.division)
        for name in sorted(sizes):
            if sizes[name] < least:
                text = line(
                    "{count} players, where a division has at least {least}", count=sizes[name], least=least
                )
                yield self._found(clause, name, text)


def _said(extra: Mapping[str, object], name: str) -> str:
    value = extra.get(name)
    return value.strip() if isinstance(value, str) else ""


def _names(extra: Mapping[str, object], name: str) -> tuple[str, ...] | None:
    """A declared list of names; None where the file has none."""
    value = extra.get(name)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else None


def _day(value: object) -> datetime.date | None:
    if not isinstance(value, str):
        return None
    try:
        return datetime.date.fromisoformat(value)
    except ValueError:
        return None
