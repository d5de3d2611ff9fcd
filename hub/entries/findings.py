"""The check of entries against the rulebook; each finding has its clause, and a person decides on it.

Facts that no program can know are declared, in the tournament file or on the page of facts; a check whose facts nobody
has declared is silent. A player: `represents` ("citizen", "resident" for six of the last twelve months, "wof-flag"),
`registered` (a day), `admitted_because` (the director's reason for an entry after the closing), `credentials`
("requested" or "shown"), `needs`, `extra_minutes`, `hands_commit`. The tournament: `host`, `federations`,
`admitted_nations`, `federations_reporting` (federations that sent their results in time), `confederation` (its
countries), `results_sent` (a day), `merged_categories` {from: into}, `allowed_categories`.
"""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from flagfall.base.errors import shown
from flagfall.base.message import Message
from hub.entries.days import declared_day
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.ranking.categories import YOUTH, allowed_categories, category_names
from hub.rulebook import EntryRules, TeamSize, rules_of

WOF = "WOF"


class FindingKind(StrEnum):
    """The kind of a finding."""

    AGAINST = "against"  # a rule is broken
    OPEN = "open"  # a fact is not declared
    ALLOWED = "allowed"  # against a rule, but permitted


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding about the entries; `text` is its line in English."""

    # Such as `woc-2019 I.2.1`.
    clause: str
    # A player's id, a team or a category, "" for the whole tournament.
    about: str
    line: Message
    kind: FindingKind = FindingKind.AGAINST

    @property
    def text(self) -> str:
        return str(self.line)


@dataclass(frozen=True)
class Entries:
    """A tournament's entries under check."""

    tournament: Tournament

    @property
    def rules(self) -> EntryRules:
        return rules_of(self.tournament).entry

    @property
    def first_day(self) -> datetime.date | None:
        return declared_day(self.tournament.date)

    def finding(
        self, clause: str, about: str, text: Message, kind: FindingKind = FindingKind.AGAINST
    ) -> Finding:
        return Finding(f"{self.tournament.rulebook} {clause}", about, text, kind)


_GENDERS = {"f": Message("women"), "m": Message("men"), "x": Message("of gender x")}
_TEAM, _CONTACT = Message("team"), Message("nation with a contact person")


class Groups(Entries):
    def teams(self) -> Iterator[Finding]:
        if self.rules.team is None:
            return
        members: dict[str, list[Player]] = {}
        for player in self.tournament.players:
            if player.team and not player.additional:
                members.setdefault(player.team, []).append(player)
        federations = self.tournament.federations
        admitted = self.tournament.admitted_nations or ()
        for team, entered in members.items():
            contact = self.rules.contact is not None and team in self.tournament.contact_nations
            size = self.rules.contact if contact and self.rules.contact is not None else self.rules.team
            yield from self._team(team, entered, size, _CONTACT if contact else _TEAM)
            if federations is not None and not contact and team not in federations:
                leave = FindingKind.ALLOWED if team in admitted else FindingKind.AGAINST
                text = Message("is neither a federation nor a nation with a contact person")
                yield self.finding(self.rules.clauses.teams, team, text, leave)

    def _team(self, team: str, entered: list[Player], size: TeamSize, called: Message) -> Iterator[Finding]:
        clauses = self.rules.clauses
        regular = [player for player in entered if not player.extra_young]
        young = [player for player in entered if player.extra_young]
        if len(regular) > size.most:
            text = Message.plural(
                "{count} player, where a {called} may have {most}",
                "{count} players, where a {called} may have {most}",
                len(regular),
                called=called,
                most=size.most,
            )
            yield self.finding(clauses.teams, team, text)
        if len(young) > size.extra_young:
            text = Message.plural(
                "{count} additional young player, where a {called} may have {most}",
                "{count} additional young players, where a {called} may have {most}",
                len(young),
                called=called,
                most=size.extra_young,
            )
            yield self.finding(clauses.young or clauses.teams, team, text)
        for player in young:
            yield from self._age(player)
        if size.most_of_one_gender is not None:
            yield from self._genders(team, regular, size.most_of_one_gender)

    def _genders(self, team: str, regular: list[Player], most_of_one: int) -> Iterator[Finding]:
        clause = self.rules.clauses.teams
        genders = Counter(player.gender for player in regular)
        for gender, name in _GENDERS.items():
            if genders[gender] > most_of_one:
                text = Message.of(
                    "{count} {gender}, where {most} may be of one gender",
                    count=genders[gender],
                    gender=name,
                    most=most_of_one,
                )
                yield self.finding(clause, team, text)
        most = max((genders[gender] for gender in _GENDERS), default=0)
        if (
            any(genders[gender] for gender in _GENDERS)
            and genders[""]
            and most <= most_of_one < most + genders[""]
        ):
            text = Message.plural(
                "the gender of {count} player of {all} is not declared",
                "the gender of {count} players of {all} is not declared",
                genders[""],
                all=len(regular),
            )
            yield self.finding(clause, team, text, FindingKind.OPEN)

    def _age(self, player: Player) -> Iterator[Finding]:
        clause, most = self.rules.clauses.young, rules_of(self.tournament).young_age
        born = declared_day(player.born)
        if born is None or self.first_day is None:
            missing = Message("their day of birth") if born is None else Message("the day of the event")
            text = Message.of(
                "entered as the additional young player, but {missing} is not declared", missing=missing
            )
            yield self.finding(clause, player.id, text, FindingKind.OPEN)
        elif (age := self.first_day.year - born.year) > most:
            text = Message.of(
                "is {age} on 31 December {year}, where a young player is at most {most}",
                age=age,
                year=self.first_day.year,
                most=most,
            )
            yield self.finding(clause, player.id, text)

    def additional(self) -> Iterator[Finding]:
        clause = self.rules.clauses.additional
        added = [player for player in self.tournament.players if player.additional]
        if not clause or not added:
            return
        for player in added[1:]:
            yield self.finding(
                clause,
                player.id,
                Message.of("a second additional player, besides {other}", other=added[0].id),
            )
        if sum(player.from_round == 1 for player in self.tournament.starters) % 2:
            text = Message("entered to avoid a bye, but with them the number of players is odd")
            yield self.finding(clause, added[0].id, text)
        host = self.tournament.host.strip()
        for player in added:
            if host and player.country not in (host, WOF):
                text = Message.of(
                    "is of {country}, where the host {host} (or the WOF) may enter them",
                    country=player.country or _NO_COUNTRY,
                    host=host,
                )
                yield self.finding(clause, player.id, text)

    def categories(self) -> Iterator[Finding]:
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
                text = Message.plural(
                    "{count} player, where a category has at least {least}",
                    "{count} players, where a category has at least {least}",
                    len(entered),
                    least=rules.smallest_category,
                )
                if others:
                    text = Message.of(
                        "{finding}; it can be merged with {others}", finding=text, others=tuple(others)
                    )
                kind = FindingKind.ALLOWED if name in allowed else FindingKind.AGAINST
                yield self.finding(clauses.categories, name, text, kind)
            if name.lower() not in rules.categories:
                known = ", ".join(rules.categories)
                text = Message.of("a category of its own, besides {known}: the director decides", known=known)
                yield self.finding(clauses.category_names, name, text, FindingKind.OPEN)
            if name.lower() == "female":
                for player in entered:
                    if player.gender == "m":
                        yield self.finding(
                            clauses.category_names,
                            player.id,
                            Message.of("a man in the category {name}", name=name),
                        )

    def divisions(self) -> Iterator[Finding]:
        clause, least = self.rules.clauses.divisions, self.rules.smallest_category
        if not clause:
            return
        sizes = Counter(player.division for player in self.tournament.players if player.division)
        for name in sorted(sizes):
            if sizes[name] < least:
                text = Message.plural(
                    "{count} player, where a division has at least {least}",
                    "{count} players, where a division has at least {least}",
                    sizes[name],
                    least=least,
                )
                yield self.finding(clause, name, text)


_NO_COUNTRY, _HIS_COUNTRY = Message("no country"), Message("their country")

CITIZEN, RESIDENT, FLAG_PLAYER = "citizen", "resident", "wof-flag"


def findings(tournament: Tournament) -> tuple[Finding, ...]:
    """Return all findings of the rulebook about the entries: teams first, then players, then categories."""
    groups, players = Groups(tournament), _Players(tournament)
    return (*groups.teams(), *groups.additional(), *players.all(), *groups.categories(), *groups.divisions())


def late_entry_fault(
    tournament: Tournament, player: Mapping[str, object], rounds_paired: int
) -> Message | None:
    """Return the reason why the text no longer admits this player, or None if it does. `player` is the object of the
    tournament file."""
    rules = rules_of(tournament).entry
    because = player.get("admitted_because")
    if (
        not rules.closes_with_first_round
        or rounds_paired == 0
        or (isinstance(because, str) and because.strip())
    ):
        return None
    return Message.of(
        "expected the director's reason, as {rulebook}, {clause}, closes entries with the first round",
        field="admitted_because",
        rulebook=tournament.rulebook,
        clause=rules.clauses.late,
    )


class _Players(Entries):
    def all(self) -> Iterator[Finding]:
        """Yield findings about each player, and about the reports of federations and the director."""
        for player in self.tournament.players:
            yield from self._registration(player)
            yield from self._right_to_play(player)
            yield from self._needs(player)
        yield from self._reports()

    @property
    def _anyone_declared(self) -> bool:
        return any(player.represents.strip() for player in self.tournament.players)

    def _registration(self, player: Player) -> Iterator[Finding]:
        clause, because = self.rules.clauses.late, player.admitted_because.strip()
        kind = FindingKind.ALLOWED if because else FindingKind.AGAINST
        if self.rules.closes_with_first_round and player.from_round > 1:
            text = Message.of(
                "enters in round {round}; no changes after play has begun", round=player.from_round
            )
            if because:
                text = Message.of("{finding}, admitted because: {because}", finding=text, because=because)
            yield self.finding(clause, player.id, text, kind)
        last_day = None if self.first_day is None else self.rules.closes_on(self.first_day)
        registered = declared_day(player.registered)
        if last_day is not None and registered is not None and registered > last_day:
            days = {"registered": str(registered), "last_day": str(last_day)}
            text = Message.of("registered on {registered}, after {last_day}, without permission", **days)
            if because:
                text = Message.of("registered on {registered}, after {last_day}", **days)
                text = Message.of("{finding}, admitted because: {because}", finding=text, because=because)
            yield self.finding(clause, player.id, text, kind)

    def _right_to_play(self, player: Player) -> Iterator[Finding]:
        clauses, declared = self.rules.clauses, player.represents.strip()
        if self.rules.credentials and player.credentials == "requested":
            yield self.finding(
                clauses.players, player.id, Message("credentials asked for, not yet shown"), FindingKind.OPEN
            )
        if self.rules.confederation:
            yield from self._of_the_confederation(player, declared)
        elif clauses.resident and not (player.additional and player.country == WOF):
            if not declared and self._anyone_declared:
                text = Message.of(
                    "not declared whether a citizen of {country} or a resident",
                    country=player.country or _HIS_COUNTRY,
                )
                yield self.finding(clauses.citizen, player.id, text, FindingKind.OPEN)
            elif declared and declared not in (CITIZEN, RESIDENT):
                text = Message.of(
                    "neither a citizen nor a resident for six of the last twelve months, but {said}",
                    said=shown(declared),
                )
                yield self.finding(clauses.resident, player.id, text)

    def _of_the_confederation(self, player: Player, declared: str) -> Iterator[Finding]:
        countries = self.tournament.confederation
        clause = self.rules.clauses.citizen
        if (
            countries is None
            or player.country in countries
            or FLAG_PLAYER in (declared, player.country.lower())
        ):
            return
        if player.country == WOF or declared == RESIDENT:
            return
        text = Message.of(
            "{country} is not of the confederation, and six months of residence in the last twelve are not declared",
            country=player.country or _NO_COUNTRY,
        )
        yield self.finding(clause, player.id, text)

    def _needs(self, player: Player) -> Iterator[Finding]:
        rules, clause = self.rules, self.rules.clauses.extra_minutes
        minutes = player.misfits.get("extra_minutes", player.extra_minutes)
        if clause and minutes not in (0, None, rules.minutes_for_needs):
            allowed = Message("nothing") if rules.minutes_for_needs is None else rules.minutes_for_needs
            text = Message.of(
                "extra minutes: {minutes}, where the rulebook gives {given}",
                minutes=shown(minutes),
                given=allowed,
            )
            yield self.finding(clause, player.id, text)
        elif clause and minutes and not player.needs.strip():
            text = Message.of(
                "extra minutes: {minutes}, but no special needs are declared", minutes=shown(minutes)
            )
            yield self.finding(clause, player.id, text, FindingKind.OPEN)
        if rules.clauses.hands and player.hands_commit is False:
            text = Message("their hands do not commit them, but the rulebook has no such exception")
            yield self.finding(rules.clauses.hands, player.id, text)

    # Reports of the federations and the director

    def _reports(self) -> Iterator[Finding]:
        clause = self.rules.clauses.results
        if self.rules.federations_report:
            reporting = self.tournament.federations_reporting
            teams = {p.team for p in self.tournament.players if p.team and p.team != WOF}
            silent = sorted(teams - set(self.tournament.contact_nations) - set(reporting or ()))
            for team in silent if reporting is not None else ():
                yield self.finding(
                    clause, team, Message("has not sent its results to the rating list in time")
                )
        if (
            self.rules.director_reports
            and self._declares
            and self._complete()
            and declared_day(self.tournament.results_sent) is None
        ):
            text = Message("the results are complete and not yet declared sent to the rating committee")
            yield self.finding(clause, "", text, FindingKind.OPEN)

    @property
    def _declares(self) -> bool:
        """Return True if the event has declared any fact of its entries."""
        of_event = self.tournament
        return self._anyone_declared or any(
            (of_event.host, of_event.federations, of_event.federations_reporting, of_event.confederation)
        )

    def _complete(self) -> bool:
        rounds = self.tournament.rounds
        scored = all(game.score is not None for round_ in rounds for game in round_.games)
        return scored and 0 < self.tournament.rounds_planned <= len(rounds)


def report(tournament: Tournament, as_json: bool) -> tuple[str, bool]:
    """Return all findings as lines or as JSON, and whether no rule is broken."""
    entry_findings = findings(tournament)
    fit = all(finding.kind is not FindingKind.AGAINST for finding in entry_findings)
    if as_json:
        objects = [finding_to_json(finding) for finding in entry_findings]
        return json.dumps({"findings": objects}, ensure_ascii=False), fit
    return "\n".join(map(_line, entry_findings)) or "nothing to say of these entries", fit


def finding_to_json(finding: Finding) -> dict[str, str]:
    return {"clause": finding.clause, "about": finding.about, "kind": str(finding.kind), "text": finding.text}


def _line(finding: Finding) -> str:
    about = f"{finding.about}: " if finding.about else ""
    return f"{finding.kind:<7}  {finding.clause:<16}  {about}{finding.text}"
