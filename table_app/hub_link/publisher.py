"""Decides what the hub is told of this table and when: status, clocks, moves, the call for the director, results.

Nothing leaves before the journal entry that causes it is durable. Status and call have no such entry; everything else
waits for the recorder.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from link.messages import AnyMessage, Call, ColourChosen, Health, Status
from othello.game import Game
from table_app.game.session import GameSession
from table_app.hub_link import outgoing
from table_app.hub_link.sender import Sender
from table_app.record.writer import JournalWriter

CLOCK_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Facts:
    """The contents of the status message."""

    tournament: str
    seat: int
    health: Health
    fit: bool
    answers: tuple[tuple[str, str], ...]
    game: str | None
    choice: ColourChosen | None
    update: str

    def line(self, connected: bool) -> str:
        """The same in one line for whoever looks after the device, whether or not the hub is reached."""
        fit, hub = "fit" if self.fit else "not fit", "connected" if connected else "not connected"
        health = self.health
        told = f"{fit} for play; board: {health.board}; clock: {health.clock}; storage: {health.storage}; hub: {hub}"
        return "".join(sign if sign.isprintable() else " " for sign in told)


class Publisher:
    """Remembers what was sent, and sends what has changed."""

    def __init__(self, sender: Sender, recorder: JournalWriter, version: str) -> None:
        self._sender = sender
        self._recorder = recorder
        self._version = version
        self._status: tuple[str, Status] | None = None
        self._call: tuple[str, Call] | None = None
        self._clock: Game | None = None
        self._clock_ns = 0
        self._moves: tuple[str, tuple[int, ...]] = ("", ())
        self._outcome = ""

    def say_again(self) -> None:
        """After a new connection everything is sent again."""
        self._status = self._call = self._clock = None

    def tell(self, play: GameSession | None, facts: Facts, call: Call, now_ns: int) -> None:
        """Sends what has changed."""
        self._tell_status(facts)
        if self._call != (facts.tournament, call) and (call.wanted or self._call is not None):
            self._sender.say(facts.tournament, call)
        self._call = (facts.tournament, call)
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

    def _tell_status(self, facts: Facts) -> None:
        status = Status(
            online=True,
            version=self._version,
            health=facts.health,
            fit=facts.fit,
            answers=dict(facts.answers),
            game=facts.game,
            seat=facts.seat,
            choice=facts.choice,
            update=facts.update,
        )
        if self._status != (facts.tournament, status):
            self._status = (facts.tournament, status)
            self._sender.say(facts.tournament, status)

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
