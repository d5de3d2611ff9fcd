"""Entries of players from their own pages. Each act is tried on the event as it is under the writing lock."""

from __future__ import annotations

from flagfall.othello.reason import Reason
from hub.commands.desk import AlreadyDone, Desk, Event
from hub.desk.accounts import Role
from hub.desk.player_links import PlayerOfLink
from hub.limits import Buckets
from hub.model.players import Player, printable
from hub.ranking.scores import has_draw_wins, may_be_won
from hub.record.corrections import check_score
from hub.record.events import PlayerArrived, ResultClaimed, ResultObjected
from hub.record.fold_players import objections_of
from hub.record.state import TournamentState
from hub.rulebook import rules_of
from hub.running import Hub
from hub.text import Refused

# Acts of one player at once, and the pause for each one more: a telephone does not fill the record.
FREE_ACTS = 10
PAUSE_S = 20
# Acts at the tablet: a hall of 300 players at once, then five a second.
TABLET_ACTS, TABLET_PER_S = 400, 5.0
# An arrival can be undone at the tablet for so long.
UNDO_S = 60


class TooManyTries(Refused):
    """A refusal for now: the same is taken later."""


class Acts:
    """The acts of players at a running hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._players = Buckets(FREE_ACTS, 1 / PAUSE_S, hub.now_ns)
        self._tablets = Buckets(TABLET_ACTS, TABLET_PER_S, hub.now_ns)
        # The instant of each arrival at the tablet, by event and player.
        self._arrived_ns: dict[tuple[str, str], int] = {}

    async def arrive(self, event: str, player: str) -> None:
        """Record at the tablet that a player is here."""

        def decide(state: TournamentState) -> PlayerArrived:
            if not state.arrival.open:
                raise Refused("expected an open list of arrivals, got none", field="arrival")
            if player in state.arrival.here:
                raise AlreadyDone("expected a change, got none", field="player")
            if player not in {expected.id for expected in expected_players(state)}:
                raise Refused("expected a player of this list", field="player")
            return PlayerArrived(player=player)

        before = self._hub.store.states[event].arrival.here
        await self._tablet(event).record(decide)
        if player not in before:
            self._arrived_ns[event, player] = self._hub.now_ns()

    def undo_left_s(self, event: str, player: str) -> int:
        """Return for how many seconds this arrival can still be undone at the tablet."""
        since_ns = self._arrived_ns.get((event, player))
        if since_ns is None or player not in self._hub.store.states[event].arrival.here:
            return 0
        return max(0, UNDO_S - (self._hub.now_ns() - since_ns) // 1_000_000_000)

    async def undo_arrival(self, event: str, player: str) -> None:
        """Record at the tablet that a player is not here after all, within a minute."""
        if player not in self._hub.store.states[event].arrival.here:
            return  # undone already, and the answer was lost
        if not self.undo_left_s(event, player):
            raise Refused("expected an arrival of the last minute. Ask the director.", field="player")
        await self._tablet(event).record(lambda _: PlayerArrived(player=player, here=False))
        self._arrived_ns.pop((event, player), None)

    async def object_to_result(self, holder: PlayerOfLink, game: str, words: str) -> None:
        """Record that a player finds the result of their present game wrong."""

        def decide(state: TournamentState) -> ResultObjected:
            if not may_object(state, holder.player, game):
                raise Refused("expected your last game, before the next pairing is published", field="game")
            said = ResultObjected(game=game, player=holder.player, words=printable(words))
            earlier = objections_of(state, said.player, game)
            if any(objection.words == said.words and not objection.outcome for objection in earlier):
                raise AlreadyDone("expected a change, got none", field="words")
            return said

        await self._event(holder).record(decide)

    async def report_score(self, holder: PlayerOfLink, game: str, discs: tuple[int, int], seen: int) -> None:
        """Record a player's report of the score of their game: their discs, then the opponent's. `seen` is the number
        of the report that their page has shown, 0 for none."""
        await _report(self._event(holder), holder.player, game, discs, seen)

    async def report_at_tablet(
        self, event: str, player: str, game: str, discs: tuple[int, int], seen: int
    ) -> None:
        """Record what somebody at the tablet reports as this player, as in `report_score`."""
        await _report(self._tablet(event), player, game, discs, seen)

    def _tablet(self, event: str) -> Event:
        """Return the tablet as an author of entries."""
        if not self._tablets.of(event).take(1, self._hub.now_ns()):
            raise TooManyTries("expected fewer tries: wait {seconds} seconds", seconds=1)
        return Desk(self._hub, "tablet", Role.VIEWER).event(event)

    def _event(self, holder: PlayerOfLink) -> Event:
        """Return the player as an author of entries. Refused if they have recorded too much of late."""
        if not self._players.of(f"{holder.event} {holder.player}").take(1, self._hub.now_ns()):
            raise TooManyTries("expected fewer tries: wait {seconds} seconds", seconds=PAUSE_S)
        return Desk(self._hub, f"player {holder.player}", Role.VIEWER).event(holder.event)


async def _report(author: Event, player: str, game: str, discs: tuple[int, int], seen: int) -> None:
    def decide(state: TournamentState) -> ResultClaimed:
        if has_said(state, player, game, discs):
            raise AlreadyDone("expected a change, got none", field="score")
        if not may_report(state, player, game):
            raise Refused("expected a game of yours without a result", field="game")
        entry = state.games[game]
        if seen != (0 if entry.claim is None else entry.claim.number):
            raise Refused("Your opponent has reported a score in the meantime. Look at it first.")
        score = discs if entry.black == player else discs[::-1]
        check_score(state.tournament, score, Reason.BOARD)
        if may_be_won(score, Reason.BOARD) and has_draw_wins(rules_of(state.tournament).law):
            raise Refused("Somebody wins this draw: tell the director who.", field="score")
        return ResultClaimed(game=game, player=player, score=score)

    await author.record(decide)


def has_said(state: TournamentState, player: str, game: str, discs: tuple[int, int]) -> bool:
    """Return whether the player's report of this score is on record already: sent again, it changes nothing, and takes
    the other player's confirmation from nobody. A telephone that lost the answer sends it again."""
    entry = state.games.get(game)
    if entry is None or entry.claim is None or player not in entry.players:
        return False
    claim, side = entry.claim, entry.players.index(player)
    said = claim.score if claim.by[side] else claim.other
    return said == (discs if side == 0 else discs[::-1])


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


def expected_players(state: TournamentState) -> tuple[Player, ...]:
    """Return everybody on the list of arrivals: also who was noted absent in its round, and may come after all."""
    return tuple(
        player
        for player in state.tournament.players
        if player.from_round <= state.arrival.round and player.id not in state.tournament.withdrawn
    )
