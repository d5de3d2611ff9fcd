"""A round of team matches: teams are paired like players, and each match is laid out on its boards."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from hub.ranking.team_matches import boards_of, line_up
from hub.text import Text, line
from hub.tournament import Tournament

if TYPE_CHECKING:
    from hub.rounds.publish import Paired


def on_boards(tournament: Tournament, paired: Paired) -> Paired:
    """`paired` is of teams (`hub.ranking.team_matches.team_tournament`); colours alternate from board to board. If a
    team has no player for a board, the opponent there has a bye, which is a won board."""
    number, boards = paired.round, boards_of(tournament)
    games: list[tuple[int, str, str]] = []
    byes: list[str] = []
    whys: list[Text] = []
    for nth, (_, one, other) in enumerate(sorted(paired.games)):
        ups = line_up(tournament, one, number), line_up(tournament, other, number)
        for board, (own, against) in enumerate(zip_longest(*ups)):
            if own is None or against is None:
                byes.append(own or against)
                continue
            black, white = (own, against) if board % 2 == 0 else (against, own)
            games.append((nth * boards + board + 1, black, white))
            whys.append(
                line("{team} against {opponent}, board {board}", team=one, opponent=other, board=board + 1)
            )
    for team in paired.byes:
        byes += line_up(tournament, team, number)
    return replace(
        paired, games=tuple(games), byes=tuple(byes), cost=None, best=None, reasons=(*whys, *_free(byes))
    )


def _free(byes: list[str]) -> tuple[Text, ...]:
    return tuple(Text("nobody sits against this player") for _ in byes)
