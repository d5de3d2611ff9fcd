"""The cross table: a row for each player, best first, with one cell per round."""

from __future__ import annotations

import msgspec

from hub.model.tournament import Tournament
from hub.ranking.standings import Standing, standings

BYE = "bye"
UNPLAYED = "unplayed"
HALF = "half"
OPEN_COLOUR = "open"


class Cell(msgspec.Struct, frozen=True):
    """One round of one player."""

    # "game", "bye", "half" (half a point) or "unplayed".
    kind: str
    # The opponent's id.
    opponent: str | None = None
    # The opponent's place in the table.
    opponent_place: int | None = None
    # "black", "white", or "open" before the colours are drawn or chosen at the table.
    colour: str | None = None
    # (the player's, the opponent's), None while the game is being played.
    discs: tuple[int, int] | None = None


class CrossTableRow(msgspec.Struct, frozen=True):
    standing: Standing
    cells: tuple[Cell, ...]


def cross_table(tournament: Tournament) -> tuple[CrossTableRow, ...]:
    """Return a row for each player, best first, with one cell per round."""
    lines = standings(tournament)
    place = {line.player: line.place for line in lines}
    cells: dict[str, list[Cell]] = {player: [] for player in place}
    halves = {(absence.player, absence.round) for absence in tournament.absences if absence.half_point}
    for number, round_ in enumerate(tournament.rounds, start=1):
        seen = dict.fromkeys(round_.byes, Cell(BYE))
        seen |= {player: Cell(HALF) for player in cells if (player, number) in halves}
        for game in round_.games:
            turned = None if game.score is None else (game.score[1], game.score[0])
            black, white = (OPEN_COLOUR, OPEN_COLOUR) if game.colours_open else ("black", "white")
            seen[game.black] = Cell("game", game.white, place[game.white], black, game.score)
            seen[game.white] = Cell("game", game.black, place[game.black], white, turned)
        for player, row in cells.items():
            row.append(seen.get(player, Cell(UNPLAYED)))
    return tuple(CrossTableRow(line, tuple(cells[line.player])) for line in lines)
