"""Teams, categories and divisions checked against the rulebook: their sizes and members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from flagfall.othello.message import Message
from hub.entries.finding import WOF, Entries, Finding, FindingKind, declared_day
from hub.model.players import Player
from hub.ranking.categories import YOUTH, allowed_categories, category_names
from hub.rulebook import FORMAT_RULES, TeamSize

_GENDERS = {"f": Message("women"), "m": Message("men"), "x": Message("of gender x")}
_TEAM, _CONTACT = Message("team"), Message("nation with a contact person")
_NO_COUNTRY = Message("no country")


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
        if genders[""] and most <= most_of_one < most + genders[""]:
            text = Message.plural(
                "the gender of {count} player of {all} is not declared",
                "the gender of {count} players of {all} is not declared",
                genders[""],
                all=len(regular),
            )
            yield self.finding(clause, team, text, FindingKind.OPEN)

    def _age(self, player: Player) -> Iterator[Finding]:
        clause, most = self.rules.clauses.young, FORMAT_RULES[self.tournament.rulebook].young_age
        born = declared_day(player.born)
        if born is None or self.first_day is None:
            missing = Message("his day of birth") if born is None else Message("the day of the event")
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
            text = Message("entered to avoid a bye, but with him the number of players is odd")
            yield self.finding(clause, added[0].id, text)
        host = self.tournament.host.strip()
        for player in added:
            if host and player.country not in (host, WOF):
                text = Message.of(
                    "is of {country}, where the host {host} (or the WOF) may enter him",
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
