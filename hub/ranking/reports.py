"""The reports of `flagfall-hub rank` and `flagfall-hub finals`: the contract's JSON, or text for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from flagfall.othello.colour_choice import May
from hub.model.games import DIVISION, OPEN, EventStage
from hub.model.tournament import Tournament
from hub.ranking import finals as played
from hub.ranking import matches
from hub.ranking import standings as ranked
from hub.ranking.finals import finals_of
from hub.ranking.grand_prix import season as season_of
from hub.ranking.season_people import People
from hub.ranking.standings import points
from hub.ranking.teams import team_standings
from hub.rulebook import by_difference
from hub.text import FormatError


def rank(tournament: Tournament, as_json: bool) -> str:
    """Return one JSON object, or lines of a table."""
    if as_json:
        return json.dumps(msgspec.to_builtins(standings_value(tournament)), ensure_ascii=False)
    lines = _team_table(tournament)
    for number, league in enumerate(ranked.league_tables(tournament), start=1):
        lines += [f"league {number}", *_table(tournament, league), ""]
    return "\n".join([*lines, *_table(tournament, ranked.standings(tournament))])


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the standings."""

    place: int
    player: str
    points: float
    bq: float
    discs: int
    by_lot: bool
    difference: Annotated[int, Meta(description="of discs: one's own less the opponents'")]


class TeamStanding(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the standings of teams that meet."""

    place: int
    team: str
    match_points: int
    # A won game is one.
    board_points: float
    discs: int
    played: int


class Standings(msgspec.Struct, frozen=True):
    """The object of `rank --json`."""

    standings: list[Standing]
    teams: Annotated[list[TeamStanding], Meta(description="where teams meet")] | UnsetType = UNSET


def standings_value(tournament: Tournament) -> Standings:
    teams = [
        TeamStanding(
            place=line.place,
            team=line.team,
            match_points=line.match_points,
            board_points=ranked.points(line.half_points),
            discs=line.discs,
            played=line.played,
        )
        for line in team_standings(tournament)
    ]
    lines = [standing_value(row) for row in ranked.standings(tournament)]
    return Standings(lines, teams or UNSET)


def standing_value(line: ranked.Standing) -> Standing:
    return Standing(
        place=line.place,
        player=line.player,
        points=line.points,
        bq=line.bq.numerator if line.bq.denominator == 1 else float(line.bq),
        discs=line.discs,
        by_lot=line.by_lot,
        difference=line.difference,
    )


def exact(value: Fraction) -> str:
    """Return a quotient with nothing rounded away: 578, 578.5, or 578 2/7."""
    whole, part = divmod(value, 1)
    if part == 0:
        return str(whole)
    if 1000 % part.denominator == 0:
        return f"{float(value):.3f}".rstrip("0")
    return f"{whole} {part}"


def _team_table(tournament: Tournament) -> list[str]:
    """Return the table of teams with an empty line at its end, or [] if no teams meet."""
    lines = [
        f"{line.place:5}  {line.match_points:12}  {ranked.points(line.half_points):12}  {line.discs:5}  {line.team}"
        for line in team_standings(tournament)
    ]
    return ["place  match points  board points  discs  team", *lines, ""] if lines else []


def _table(tournament: Tournament, lines: Sequence[ranked.Standing]) -> list[str]:
    difference_shown = by_difference(tournament)
    rows = [("place", "points", "diff" if difference_shown else "BQ", "discs", "id", "country", "name")]
    for line in lines:
        player = tournament.player(line.player)
        place = f"{line.place}*" if line.by_lot else f"{line.place} "
        rows.append(
            (
                place,
                str(line.points),
                f"{line.difference:+}" if difference_shown else exact(line.bq),
                str(line.discs),
                player.id,
                player.country,
                player.name,
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    text = [
        "  ".join(
            [cell.rjust(width) for cell, width in zip(row[:4], widths[:4], strict=True)]
            + [cell.ljust(width) for cell, width in zip(row[4:6], widths[4:], strict=True)]
            + [row[6]]
        ).rstrip()
        for row in rows
    ]
    if any(line.by_lot for line in lines):
        text.append("* settled by lot")
    return text


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A player's place, or a team's with its points."""

    place: int
    player: str | UnsetType = UNSET
    team: str | UnsetType = UNSET
    points: float | UnsetType = UNSET
    # Of the open list, where the rulebook has a Grand Prix and the rounds are complete.
    grand_prix: int | UnsetType = UNSET


class Gap(msgspec.Struct, frozen=True):
    """The withdrawn players of a match, and the settlement that the text allows."""

    withdrawn: tuple[str, ...]
    allows: str


class Match(msgspec.Struct, frozen=True, kw_only=True):
    title: Annotated[str, Meta(description="open, women, young or division:NAME")]
    stage: EventStage
    players: tuple[str, str]


class Decided(Match, frozen=True, kw_only=True):
    winner: str | None


class Due(Match, frozen=True, kw_only=True):
    """A match of which a game is due."""

    games: int
    wins: dict[str, float]
    minutes: float | None
    chooses: str | None
    may: May
    gap: Gap | UnsetType = UNSET
    # For the operator alone.
    options: tuple[matches.ColourOption, ...] | UnsetType = UNSET


class Finals(msgspec.Struct, frozen=True, kw_only=True):
    """The object of `finals --json`."""

    provisional: tuple[str, ...]
    lists: dict[str, list[Place]]
    due: list[Due]
    matches: list[Decided]
    champions: Mapping[str, str | None]
    warnings: list[str]
    divisions: dict[str, list[Place]] | UnsetType = UNSET


def finals(tournament: Tournament, as_json: bool) -> str:
    """Return one JSON object, or a page of text."""
    state = finals_of(tournament)
    if as_json:
        return json.dumps(msgspec.to_builtins(finals_value(state)), ensure_ascii=False)
    return "\n".join(_page(state))


def finals_value(state: played.Finals, for_operator: bool = False) -> Finals:
    """Return the contract's object.

    With `for_operator` each match has the options of its chooser, none while a game of it is being played.
    """
    lists = {
        title: [
            Place(
                place=entry.place,
                player=entry.player,
                grand_prix=state.grand_prix.get(entry.player, UNSET) if title == OPEN else UNSET,
            )
            for entry in places
        ]
        for title, places in state.lists.items()
    }
    divisions = {
        title.removeprefix(DIVISION): lists.pop(title) for title in state.lists if title.startswith(DIVISION)
    }
    if state.teams is not None:
        lists["teams"] = [Place(place=t.place, team=t.team, points=t.points) for t in state.teams]
    return Finals(
        provisional=tuple(state.qualifying.provisional),
        lists=lists,
        due=[_due_object(state, match, for_operator) for match in state.due],
        matches=[
            Decided(title=m.title, stage=EventStage(m.stage), players=m.players, winner=m.winner())
            for m in state.decided
        ],
        champions=state.champions,
        warnings=[str(warning) for warning in state.warnings],
        divisions=divisions or UNSET,
    )


def _due_object(state: played.Finals, match: matches.Match, for_operator: bool) -> Due:
    chooses, gap = match.chooses(), state.gap(match)
    wins = zip(match.players, match.half_points(), strict=True)
    return Due(
        title=match.title,
        stage=EventStage(match.stage),
        players=match.players,
        games=match.rules.games,
        wins={player: points(half_points) for player, half_points in wins},
        minutes=match.rules.minutes,
        chooses=chooses,
        may=May.COLOUR if chooses is None else match.rules.may,
        gap=UNSET if gap is None else Gap(match.withdrawn, str(gap)),
        options=UNSET if not for_operator else () if match.playing else matches.options_of(match),
    )


def _page(state: played.Finals) -> list[str]:
    players = state.qualifying.tournament.by_id

    def named(player: str) -> str:
        name = players[player].name
        return f"{player} {name}" if name else player

    lines: list[str] = []
    for title, places in state.lists.items():
        lines += ["", f"{title}:"] + [f"{place.place:5}  {named(place.player)}" for place in places]
    if state.grand_prix:
        lines += ["", "Grand Prix:"]
        lines += [f"{won:5}  {named(player)}" for player, won in state.grand_prix.items()]
    if state.teams is not None:
        lines += ["", "teams:"] + [f"{t.place:5}  {t.team}  {t.points}" for t in state.teams]
    if state.decided:
        lines += ["", "decided:"]
        lines += [f"  {m.title} {m.stage}: {named(m.winner() or '')}" for m in state.decided]
    if state.due:
        lines += ["", "due:"]
        for match in state.due:
            lines.append(f"  {_due_line(match, named(match.players[0]), named(match.players[1]))}")
            gap = state.gap(match)
            if gap is not None:
                lines.append(f"    {gap}")
    held = {title: holder for title, holder in state.champions.items() if holder is not None}
    if held:
        lines += ["", "champions:"]
        lines += [f"  {t}: {h if t == 'teams' else named(h)}" for t, h in held.items()]
    return [*lines[1:], *(f"warning: {warning}" for warning in state.warnings)]


def _due_line(match: matches.Match, better: str, other: str) -> str:
    games = "1 game" if match.rules.games == 1 else f"best of {match.rules.games}"
    score = " : ".join(str(points(half_points)) for half_points in match.half_points())
    chooses = match.chooses()
    choice = (
        "colours drawn at the table"
        if match.rules.colours == "drawn"
        else "colours reversed"
        if chooses is None
        else f"{chooses} chooses {match.rules.may.replace('-', ' ')}"
    )
    playing = ", being played" if match.playing else ""
    return (
        f"{match.title} {match.stage}: {better} - {other}, {games}, {match.rules.minutes} min, "
        f"{score}, {choice}{playing}"
    )


def grand_prix_of(tournament: Tournament) -> Mapping[str, int]:
    """Return the Grand Prix points of an event. Raise FormatError if it gives none, or not yet."""
    won = finals_of(tournament).grand_prix
    if not won:
        raise FormatError(
            "rounds", "complete rounds under a rulebook with Grand Prix points", tournament.rulebook
        )
    return won


def season(people: People, as_json: bool) -> str:
    """Return the standings of a season: of each person why several entries are theirs."""
    lines, by_key = season_of(people.points()), {person.key: person for person in people.persons}
    if as_json:
        objects = [
            asdict(line)
            | {
                "player": by_key[line.player].number,
                "name": by_key[line.player].name,
                "entries": people.where(by_key[line.player]),
                "joined_by": by_key[line.player].joined_by,
            }
            for line in lines
        ]
        asked = [str(question) for question in people.questions]
        return msgspec.json.encode({"season": objects, "asked": asked}).decode()
    text = []
    for line in lines:
        person = by_key[line.player]
        named = " ".join(filter(None, (person.number, person.name))) or person.key.partition(":")[2]
        of_events = " + ".join(map(str, line.of_events))
        remark = "  play-off" if line.plays_off else ""
        if person.joined_by in ("name", "answer"):
            by = "name" if person.joined_by == "name" else "--same"
            remark += f"  [one person by {by}: {', '.join(people.where(person))}]"
        text.append(f"{line.place:5}  {line.points:5}  {named}  ({of_events}){remark}")
    return "\n".join(text)
