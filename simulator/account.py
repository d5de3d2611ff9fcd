"""The demo's report of a room, as lines of text: games, standings, and the referee's findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from othello.game import Incident, IncidentType
from simulator.room import Finished

_IN_WORDS = {
    IncidentType.MISFLIP: "misflip",
    IncidentType.ILLEGAL_MOVE: "illegal move",
    IncidentType.WRONG_COLOUR: "disc of the wrong colour",
    IncidentType.ILLEGAL_PASS: "illegal pass",
    IncidentType.TOUCHED_ELSEWHERE: "other square touched first",
    IncidentType.MOVED_ON_OPPONENTS_TIME: "move on the opponent's time",
    IncidentType.FLAG: "flag",
    IncidentType.UNREADABLE: "unreadable board",
    IncidentType.DISTURBED: "disturbed board",
    IncidentType.WRONG_START: "wrong start",
    IncidentType.PRESS_OUT_OF_TURN: "press out of turn",
    IncidentType.BOARD_LOST: "board lost",
    IncidentType.POWER_LOST: "power lost",
}
"""Rulings and refusals are answers, not findings; running out of discs is nobody's error."""


def findings(incidents: Iterable[Incident]) -> list[str]:
    """Each kind of incident once, with its outcome and count: `misflip, corrected (2)`."""
    counts = Counter(
        _IN_WORDS[one.type] + (f", {one.state}" if one.state is not None else "")
        for one in incidents
        if one.type in _IN_WORDS
    )
    return [what if times == 1 else f"{what} ({times})" for what, times in sorted(counts.items())]


def game_line(finished: Finished) -> str:
    """One finished game: table, players, score, and the referee's findings."""
    game = finished.game
    black, white = game.score or (0, 0)
    found = "; ".join(findings(finished.incidents))
    return f"  table {game.table:<3} {game.black} {black:>2} - {white:<2} {game.white}" + (
        f"   {found}" if found else ""
    )


def standings_lines(standings: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The standings as a table: place, player, points, Brightwell quotient, discs."""
    yield "  place  player  points      BQ  discs"
    for line in standings:
        lot = "  by lot" if line["by_lot"] else ""
        yield (
            f"  {line['place']:>5}  {line['player']:<6}  {line['points']:>6g}"
            f"  {line['bq']:>6g}  {line['discs']:>5}{lot}"
        )
