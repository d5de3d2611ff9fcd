"""The next round as the pairing makes it, in a child process (`hub.child_process`): the hub's loop never waits for it
and never loads numpy."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from flagfall.base.message import Message
from hub.child_process import Aside, AsideFailed
from hub.model.tournament import Tournament
from hub.pairing.round import PairedGame
from hub.ranking.teams import boards_of, boards_of_matches, team_tournament
from hub.text import Refused

# A longer child is killed; far above the time for 2,000 players.
LONGEST_S = 120.0
_ASIDE = Aside()


@dataclass(frozen=True, slots=True)
class Paired:
    """A round as the pairing made it."""

    round: int
    games: tuple[PairedGame, ...]
    byes: tuple[str, ...]
    cost: dict[str, int] | None
    warnings: tuple[Message, ...]
    reasons: tuple[Message, ...] = ()  # for each of its games, then each of its byes
    by_hand: bool = False  # the director has changed it
    best: dict[str, int] | None = None  # the cost of the best pairing of a round that was changed by hand


# Makes the next round; Refused with one line if there is none.
Pair = Callable[[Tournament], Awaitable[Paired]]


async def pair_in_child(tournament: Tournament, longest_s: float = LONGEST_S) -> Paired:
    """Return the next round, with its reasons. Refused with one line if it cannot be paired, or if the child fails."""
    teams = boards_of(tournament)
    try:
        paired = await _ASIDE.run(
            longest_s, paired_round, team_tournament(tournament) if teams else tournament
        )
    except AsideFailed as fault:
        raise Refused("{why}", field="pairing", why=fault.message) from None
    return on_boards(tournament, paired) if teams else paired


def paired_round(tournament: Tournament) -> Paired:
    """Pair the next round in the child process. Refused if there is no next round."""
    from hub.pairing.explain import explain
    from hub.pairing.next_round import next_round

    pairing = next_round(tournament)
    cost = None if pairing.cost is None else pairing.cost.as_dict()
    reasons = explain(tournament, pairing)
    return Paired(
        pairing.round, pairing.games, pairing.byes, cost, warnings=pairing.warnings, reasons=reasons
    )


def on_boards(tournament: Tournament, paired: Paired) -> Paired:
    """Return a pairing of teams (`hub.ranking.teams.team_tournament`) with each match laid out on its boards."""
    met = [game.players for game in paired.games]
    boards, byes = boards_of_matches(tournament, paired.round, met, paired.byes)
    games = tuple(PairedGame(board.table, *board.players) for board in boards)
    whys = [
        Message.of(
            "{team} against {opponent}, board {board}", team=at.teams[0], opponent=at.teams[1], board=at.board
        )
        for at in boards
    ]
    whys += [Message("nobody sits against this player") for _ in byes]
    return replace(paired, games=games, byes=byes, cost=None, best=None, reasons=tuple(whys))
