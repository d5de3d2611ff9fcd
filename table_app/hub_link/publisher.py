"""Decides what the hub is told of this table and when: status, clocks, moves, the call for the director, results.

Nothing leaves before the journal entry that causes it is durable. Status and call have no such entry; everything else
waits for the recorder.
"""

from __future__ import annotations

from functools import partial

from link.messages import AnyMessage, Call, Status
from othello.game import Game
from table_app.game.session import GameSession
from table_app.hub_link import outgoing
from table_app.hub_link.sender import Sender
from table_app.record.writer import JournalWriter

CLOCK_NS = 1_000_000_000


class Publisher:
    """Remembers what was sent, and sends what has changed."""

    def __init__(self, sender: Sender, recorder: JournalWriter) -> None:
        self._sender = sender
        self._recorder = recorder
        self._status: tuple[str, Status] | None = None
        self._call: tuple[str, Call] | None = None
        self._clock: Game | None = None
        self._clock_ns = 0
        self._moves: tuple[str, tuple[int, ...]] = ("", ())
        self._outcome = ""

    def say_again(self) -> None:
        """After a new connection everything is sent again."""
        self._status = self._call = self._clock = None

    def tell(
        self, play: GameSession | None, tournament: str, status: Status, call: Call, now_ns: int
    ) -> None:
        """Sends what has changed."""
        if self._status != (tournament, status):
            self._status = (tournament, status)
            self._sender.say(tournament, status)
        if self._call != (tournament, call) and (call.wanted or self._call is not None):
            self._sender.say(tournament, call)
        self._call = (tournament, call)
        if play is None:
            return
        self._tell_clock(play, now_ns)
        if play.header.broadcast and self._moves != (play.game_id, play.game.moves):
            self._moves = (play.game_id, play.game.moves)
            self._when_durable(play, outgoing.move(play.game_id, play.game))
        if (outcome := play.unsent) is not None and self._outcome != outcome.id:
            self._outcome = outcome.id
            self._recorder.after_durable(partial(self._sender.deliver, outcome))

    def next_ns(self, play: GameSession | None) -> int | None:
        """When the clocks must be sent again without a change."""
        return self._clock_ns + CLOCK_NS if play is not None and play.timed else None

    def _tell_clock(self, play: GameSession, now_ns: int) -> None:
        before, game = self._clock, play.game
        if before is not None and game.header is before.header:
            pressed = game.clock != before.clock or game.state is not before.state
            overdue = now_ns - self._clock_ns >= CLOCK_NS and (play.timed or game is not before)
            if not pressed and not overdue:
                return
        self._clock, self._clock_ns = game, now_ns
        self._when_durable(play, outgoing.clock(play.game_id, game, now_ns))

    def _when_durable(self, play: GameSession, message: AnyMessage) -> None:
        self._recorder.after_durable(partial(self._sender.say, play.tournament, message))


def in_one_line(status: Status, connected: bool) -> str:
    """The status for whoever looks after the device, whether or not the hub is reached."""
    fit, hub = "fit" if status.fit else "not fit", "connected" if connected else "not connected"
    health = status.health
    told = (
        f"{fit} for play; board: {health.board}; clock: {health.clock}; storage: {health.storage}; hub: {hub}"
    )
    return "".join(sign if sign.isprintable() else " " for sign in told)
