"""Entries of players from their own pages. Each act is tried on the event as it is under the writing lock."""

from __future__ import annotations

from flagfall.othello.reason import Reason
from hub.commands.desk import Desk, Event
from hub.desk.accounts import Role
from hub.desk.player_links import PlayerOfLink
from hub.limits import Buckets
from hub.model.players import printable
from hub.record.corrections import check_score
from hub.record.events import ResultClaimed, ResultObjected
from hub.record.state import TournamentState
from hub.running import Hub
from hub.text import Refused

# Acts of one player at once, and the pause for each one more: a telephone does not fill the record.
FREE_ACTS = 10
PAUSE_S = 20


class Acts:
    """The acts of players at a running hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._players = Buckets(FREE_ACTS, 1 / PAUSE_S, hub.now_ns)

    async def object_to_result(self, holder: PlayerOfLink, game: str, words: str) -> None:
        """Record that a player finds the result of their present game wrong."""

        def decide(state: TournamentState) -> ResultObjected:
            if not may_object(state, holder.player, game):
                raise Refused("expected your last game, before the next pairing is published", field="game")
            return ResultObjected(game=game, player=holder.player, words=printable(words))

        await self._event(holder).record(decide)

    async def report_score(self, holder: PlayerOfLink, game: str, discs: tuple[int, int], seen: int) -> None:
        """Record a player's report of the score of their game: their discs, then the opponent's. `seen` is the number
        of the report that their page has shown, 0 for none."""

        def decide(state: TournamentState) -> ResultClaimed:
            if not may_report(state, holder.player, game):
                raise Refused("expected a game of yours without a result", field="game")
            entry = state.games[game]
            if seen != (0 if entry.claim is None else entry.claim.number):
                raise Refused("Your opponent has reported a score in the meantime. Look at it first.")
            score = discs if entry.black == holder.player else discs[::-1]
            check_score(state.tournament, score, Reason.BOARD)
            return ResultClaimed(game=game, player=holder.player, score=score)

        await self._event(holder).record(decide)

    def _event(self, holder: PlayerOfLink) -> Event:
        """Return the player as an author of entries. Refused if they have recorded too much of late."""
        if not self._players.of(f"{holder.event} {holder.player}").take(1, self._hub.now_ns()):
            raise Refused("expected fewer tries: wait {seconds} seconds", seconds=PAUSE_S)
        return Desk(self._hub, f"player {holder.player}", Role.VIEWER).event(holder.event)


def may_object(state: TournamentState, player: str, game: str) -> bool:
    """Return whether the player may object to the result of this game: it is at the tables until the next pairing."""
    if state.closed or game not in state.present:
        return False
    entry = state.games[game]
    return player in entry.players and entry.score is not None


def may_report(state: TournamentState, player: str, game: str) -> bool:
    """Return whether the player may report the score of this game: the director lets players do so, it has begun, no
    device plays it, and nobody has given its result."""
    if not state.players_results or state.closed or state.away or game not in state.present:
        return False
    entry = state.games[game]
    waits = entry.final is not None and entry.final.awaits_choice
    open_ = entry.score is None and not entry.conflict and entry.device is None and not waits
    return open_ and player in entry.players and state.is_started(game)
