"""The standings of a file of Flip the Disc, held against those of its rounds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from flagfall.base.errors import shown
from hub.form.parts import JsonFields
from hub.formats.flip_the_disc.parts import DISCS, MOST_PLAYERS, needed_id
from hub.formats.reading import Notes
from hub.model.tournament import Tournament
from hub.ranking.standings import points, standings
from hub.text import FormatError


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the site's standings."""

    path: str
    player: str
    half_points: Fraction | None
    bq: Fraction | None


def published_lines(top: JsonFields, ids: Mapping[int, str]) -> tuple[_Line, ...]:
    lines: list[_Line] = []
    for index, value in enumerate(top.items("standings")[:MOST_PLAYERS]):
        item = JsonFields(value, f"standings[{index}]")
        number = needed_id(item, "player_id")
        if number not in ids:
            raise FormatError(item.at("player_id"), "the id of a player", str(number))
        score, bq = _figure(item, "score"), _figure(item, "mbq")
        lines.append(_Line(item.path, ids[number], None if score is None else 2 * score, bq))
    return tuple(lines)


def _figure(item: JsonFields, name: str) -> Fraction | None:
    value = item.take(name)
    text = value.strip() if isinstance(value, str) else value
    if text is None or text == "":
        return None
    if isinstance(text, str) and re.fullmatch(r"-?\d{1,6}(\.\d{1,6})?", text, re.ASCII):
        return Fraction(text)
    if isinstance(text, bool) or not isinstance(text, int | float) or abs(text) > 1_000_000:
        raise FormatError(item.at(name), "a number", shown(value))
    return Fraction(repr(text))


def as_ranked_there(tournament: Tournament, coefficient: int | None, lines: Sequence[_Line]) -> Tournament:
    """Return the tournament with the constant of its BQ: the file's, else 64 divided by the rounds.

    In an event under way these are the rounds played or those planned, as more of the site's figures have it.
    """
    if coefficient is not None:
        return replace(tournament, bq_constant=Fraction(coefficient))
    by_plan = replace(tournament, bq_constant=Fraction(DISCS, tournament.rounds_planned))
    if len(tournament.rounds) == tournament.rounds_planned:
        return tournament
    return max((tournament, by_plan), key=lambda chosen: _explained(chosen, lines))


def _explained(tournament: Tournament, lines: Sequence[_Line]) -> int:
    ours = {line.player: line for line in standings(tournament)}
    return sum(line.bq is not None and _is_rounded(ours[line.player].bq, line.bq) for line in lines)


def _is_rounded(exact: Fraction, figure: Fraction) -> bool:
    return abs(exact - figure) <= Fraction(1, 2)


def compare(tournament: Tournament, lines: Sequence[_Line], notes: Notes) -> None:
    """Add a note for each line of the site's standings that the rounds do not give."""
    if not tournament.rounds:
        return
    by_player = {line.player: line for line in standings(tournament)}
    for line in lines:
        here, name = by_player[line.player], tournament.name_of(line.player)
        notes.place = line.path
        if line.half_points is not None and line.half_points != here.half_points:
            there = points(int(line.half_points)) if line.half_points.denominator == 1 else "?"
            notes.changed(
                0,
                "{name}: {there} points at Flip the Disc, {here} by these rounds",
                name=name,
                there=f"{there}",
                here=f"{here.points}",
            )
        elif line.bq is not None and not _is_rounded(here.bq, line.bq):
            notes.changed(
                0,
                "{name}: a BQ of {there} at Flip the Disc, {here} by these rounds",
                name=name,
                there=f"{float(line.bq):g}",
                here=f"{round(here.bq)}",
            )
    if tournament.tie_break:
        return  # the figures beside their order are not those that broke ties
    for line, next_line in pairwise(lines):
        here, behind = by_player[line.player], by_player[next_line.player]
        if here.half_points == behind.half_points and here.bq < behind.bq:
            notes.place = line.path
            notes.changed(
                0,
                "{name} stands before {other} at Flip the Disc, and behind by BQ here",
                name=tournament.name_of(here.player),
                other=tournament.name_of(behind.player),
            )
