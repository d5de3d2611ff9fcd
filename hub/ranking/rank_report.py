"""`flagfall-hub rank`: the standings as the contract's JSON, or as a table for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from hub.model.tournament import Tournament
from hub.ranking import standings as ranked
from hub.ranking.team_matches import team_standings


def rank(tournament: Tournament, as_json: bool) -> str:
    """Return one JSON object, or lines of a table."""
    if as_json:
        return json.dumps(msgspec.to_builtins(standings_value(tournament)), ensure_ascii=False)
    return "\n".join([*_team_table(tournament), *_table(tournament, ranked.standings(tournament))])


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the standings."""

    place: int
    player: str
    points: float
    bq: float
    discs: int
    by_lot: bool
    difference: Annotated[int, Meta(description="where the tournament breaks ties by it")] | UnsetType = UNSET


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
    lines = [standing_value(row, tournament.by_difference) for row in ranked.standings(tournament)]
    return Standings(lines, teams or UNSET)


def standing_value(line: ranked.Standing, by_difference: bool = False) -> Standing:
    return Standing(
        place=line.place,
        player=line.player,
        points=line.points,
        bq=line.bq.numerator if line.bq.denominator == 1 else float(line.bq),
        discs=line.discs,
        by_lot=line.by_lot,
        difference=line.difference if by_difference else UNSET,
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
    by_difference = tournament.by_difference
    rows = [("place", "points", "diff" if by_difference else "BQ", "discs", "id", "country", "name")]
    for line in lines:
        player = tournament.player(line.player)
        place = f"{line.place}*" if line.by_lot else f"{line.place} "
        rows.append(
            (
                place,
                str(line.points),
                f"{line.difference:+}" if by_difference else exact(line.bq),
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
