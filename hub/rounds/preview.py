"""The effects of a change of a tournament: which games and which places would differ. Pure."""

from __future__ import annotations

import msgspec

from flagfall.othello.message import Message
from hub.model.games import Game
from hub.model.tournament import Tournament
from hub.ranking.finals import finals_of
from hub.ranking.standings import Standing, standings
from hub.text import FormatError


class GameChanged(msgspec.Struct, frozen=True):
    """A game of a round (from 1), or of the finals (None)."""

    round: int | None
    before: Game
    after: Game


class PlaceChanged(msgspec.Struct, frozen=True):
    """A player's line of the standings, if place, points or tie-breaks differ."""

    before: Standing
    after: Standing


class Effects(msgspec.Struct, frozen=True):
    """The effects of a change."""

    games: tuple[GameChanged, ...]
    places: tuple[PlaceChanged, ...]
    finals: bool = False  # the due games of playoffs and finals or the champions differ
    fault: Message | None = None  # the reason why finals cannot be computed


def effects_of(before: Tournament, after: Tournament) -> Effects:
    """Return the differences; the places in their new order."""
    games = [
        GameChanged(number, old, new)
        for number, (round_before, round_after) in enumerate(
            zip(before.rounds, after.rounds, strict=True), start=1
        )
        for old, new in zip(round_before.games, round_after.games, strict=True)
        if old != new
    ]
    finals = [
        GameChanged(None, old, new)
        for old, new in zip(before.finals, after.finals, strict=True)
        if old != new
    ]
    was = {line.player: line for line in standings(before)}
    by_difference = after.by_difference
    places = [
        PlaceChanged(was[line.player], line)
        for line in standings(after)
        if _shown(was[line.player], by_difference) != _shown(line, by_difference)
    ]
    try:
        moved, fault = _finals_summary(before) != _finals_summary(after), None
    except FormatError as error:
        moved, fault = False, error.message
    return Effects((*games, *finals), tuple(places), moved, fault)


def _shown(line: Standing, by_difference: bool) -> tuple[object, ...]:
    return line.place, line.half_points, line.difference if by_difference else line.bq


def _finals_summary(tournament: Tournament) -> tuple[object, ...]:
    finals = finals_of(tournament)
    return [(match.key, match.players) for match in finals.due], finals.champions, finals.decided
