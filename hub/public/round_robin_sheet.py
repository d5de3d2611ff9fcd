"""All rounds of a round robin on one sheet, and the cross table that is filled in by hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from hub.model.games import Game
from hub.model.players import Player, alphabetical
from hub.model.tournament import Tournament
from hub.pairing.next_round import planned_round_robin
from hub.pairing.state import stage_of
from hub.ranking.systems import BY_SYSTEM

# The number of players whose cross table fits a sheet.
MOST_PLAYERS = 40


class GameOnSheet(msgspec.Struct, frozen=True):
    """A game of one round."""

    black: str
    white: str
    # None: not known before the round is paired.
    table: int | None = None
    score: tuple[int, int] | None = None
    colours_open: bool = False


class RoundOnSheet(msgspec.Struct, frozen=True):
    """A round with its games by table."""

    number: int
    games: tuple[GameOnSheet, ...]
    byes: tuple[str, ...]
    # The round is not paired yet.
    planned: bool = False


class Meeting(msgspec.Struct, frozen=True):
    """A cell of the cross table: one game of a player against an opponent."""

    # "black", "white", or "open_colour" before the colours are drawn.
    colour: str
    # The player's discs, None until the game has a score.
    discs: int | None = None
    won: bool = False


class RoundRobinSheet(msgspec.Struct, frozen=True):
    """The sheet: rounds, and players with their meetings."""

    rounds: tuple[RoundOnSheet, ...]
    # By name: a player's number is their row.
    players: tuple[Player, ...]
    # (player, opponent) -> their games in the order of the rounds.
    meetings: dict[tuple[str, str], tuple[Meeting, ...]]
    # The number of games that two players have against each other.
    cycles: int
    too_many: bool = False


def has_round_robin(tournament: Tournament) -> bool:
    return BY_SYSTEM[tournament.system].cycles > 0


def round_robin_sheet(tournament: Tournament, with_planned: bool) -> RoundRobinSheet | None:
    """Return the sheet, `with_planned` also the rounds that are not paired yet. None if the event has no round
    robin."""
    if not has_round_robin(tournament):
        return None
    cycles = BY_SYSTEM[tournament.system].cycles
    players = tuple(alphabetical(tournament.starters))
    if len(players) > MOST_PLAYERS:
        return RoundRobinSheet((), players, {}, cycles, too_many=True)
    rounds = tuple(_rounds(tournament, with_planned))
    meetings: defaultdict[tuple[str, str], list[Meeting]] = defaultdict(list)
    for round_ in rounds:
        for game in round_.games:
            black, white = game.score or (None, None)
            colours = ("open_colour",) * 2 if game.colours_open else ("black", "white")
            ahead = (black or 0) - (white or 0)
            meetings[game.black, game.white].append(Meeting(colours[0], black, ahead > 0))
            meetings[game.white, game.black].append(Meeting(colours[1], white, ahead < 0))
    return RoundRobinSheet(rounds, players, {pair: tuple(games) for pair, games in meetings.items()}, cycles)


def _rounds(tournament: Tournament, with_planned: bool) -> Iterator[RoundOnSheet]:
    for number, round_ in enumerate(tournament.rounds, start=1):
        if stage_of(tournament, number).kind == "round robin":
            games = sorted(map(_on_sheet, round_.games), key=lambda game: game.table or 0)
            yield RoundOnSheet(number, tuple(games), round_.byes)
    for pairing in planned_round_robin(tournament) if with_planned else ():
        games = [GameOnSheet(game.black, game.white) for game in pairing.games]
        yield RoundOnSheet(pairing.round, tuple(games), pairing.byes, planned=True)


def _on_sheet(game: Game) -> GameOnSheet:
    return GameOnSheet(game.black, game.white, game.table, game.score, game.colours_open)
