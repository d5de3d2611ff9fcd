"""The check of entries against the rulebook; each finding has its clause, and a person decides on it.

Facts that no program can know are declared in the tournament file. A player: `represents` ("citizen", "resident" for
six of the last twelve months, "wof-flag"), `registered` (a day), `admitted_because` (the director's reason for an entry
after the closing), `credentials` ("requested" or "shown"), `needs`, `extra_minutes`, `hands_commit`. The tournament:
`host`, `federations`, `admitted_nations`, `federations_reporting` (federations that sent their results in time),
`confederation` (its countries), `results_sent` (a day), `merged_categories` {from: into}, `allowed_categories`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from flagfall.othello.errors import shown
from flagfall.othello.message import Message
from hub.entries.finding import WOF, Entries, Finding, FindingKind, declared_day
from hub.entries.groups import Groups
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.rulebook import FORMAT_RULES

_NO_COUNTRY, _HIS_COUNTRY = Message("no country"), Message("his country")

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
    rules = FORMAT_RULES[tournament.rulebook].entry
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
        clauses = self.rules.clauses
        if clauses.resident and not self.rules.confederation and not self._anyone_declared:
            text = Message("no player is declared a citizen of his country or a resident")
            yield self.finding(clauses.citizen, "", text, FindingKind.OPEN)
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
                "extra minutes: {minutes}, where the text gives {given}",
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
            text = Message("his hands do not commit him, but the text has no such exception")
            yield self.finding(rules.clauses.hands, player.id, text)

    # Reports of the federations and the director

    def _reports(self) -> Iterator[Finding]:
        clause = self.rules.clauses.results
        if self.rules.federations_report:
            reporting = self.tournament.federations_reporting
            teams = {p.team for p in self.tournament.players if p.team and p.team != WOF}
            silent = sorted(teams - set(self.tournament.contact_nations) - set(reporting or ()))
            if reporting is None and silent:
                text = Message.plural(
                    "not declared whether {count} federation has sent its results to the rating list",
                    "not declared which of {count} federations have sent their results to the rating list",
                    len(silent),
                )
                yield self.finding(clause, "", text, FindingKind.OPEN)
            for team in silent if reporting is not None else ():
                yield self.finding(
                    clause, team, Message("has not sent its results to the rating list in time")
                )
        if (
            self.rules.director_reports
            and self._complete()
            and declared_day(self.tournament.results_sent) is None
        ):
            text = Message("the results are complete and not yet declared sent to the rating committee")
            yield self.finding(clause, "", text, FindingKind.OPEN)

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
