"""The messages of this device to the hub (MQTT messages, version 1): what they say, and when they are sent.

Nothing leaves before the journal entry that causes it is durable. Status and call have no such entry; everything else
waits for the recorder.
"""

from __future__ import annotations

from functools import partial

from flagfall.link.identity import Identity
from flagfall.link.messages import AnyMessage, Call, ClockShown, ColourChosen, Move, Result, Status
from flagfall.link.packed_file import pack
from flagfall.link.signature import sign
from flagfall.othello.game import Game
from flagfall.othello.gamefile import format_game
from flagfall.othello.judging.ending import no_show
from flagfall.othello.notation import format_position, format_transcript
from flagfall.othello.report import incident_object
from flagfall.othello.side import Both
from table_app.game.session import GameSession, SessionOutcome
from table_app.hub_link.sender import Sender
from table_app.record.writer import JournalWriter
from table_app.table_assignment import TableAssignment

CLOCK_NS = 1_000_000_000


class Publisher:
    """Remembers what was sent, and sends what has changed."""

    def __init__(self, identity: Identity, sender: Sender, recorder: JournalWriter) -> None:
        self._identity = identity
        self._sender = sender
        self._recorder = recorder
        self._status: tuple[str, Status] | None = None
        self._call: tuple[str, Call] | None = None
        self._clock: Game | None = None
        self._clock_ns = 0
        self._moves: tuple[str, tuple[int, ...]] = ("", ())
        self._outcome = ""

    def connected(self) -> None:
        """Send everything again after a new connection."""
        self._status = self._call = self._clock = None
        self._sender.connected()

    def publish(
        self, play: GameSession | None, tournament: str, status: Status, call: Call, now_ns: int
    ) -> None:
        """Send what has changed."""
        if self._status != (tournament, status):
            self._status = (tournament, status)
            self._sender.say(tournament, status)
        if self._call != (tournament, call) and (call.wanted or self._call is not None):
            self._sender.say(tournament, call)
        self._call = (tournament, call)
        if play is None:
            return
        news: list[AnyMessage] = []
        if self._clock_is_due(play, now_ns):
            self._clock, self._clock_ns = play.game, now_ns
            news.append(clock(play.game_id, play.game, now_ns))
        if play.game.header.broadcast and self._moves != (play.game_id, play.game.moves):
            self._moves = (play.game_id, play.game.moves)
            news.append(Move(game=play.game_id, transcript=format_transcript(play.game.moves)))
        for message in news:
            self._recorder.after_durable(partial(self._sender.say, play.tournament, message))
        if (outcome := play.unsent) is not None and self._outcome != outcome.id:
            self._outcome = outcome.id
            made = partial(result, outcome, self._identity)
            self._recorder.after_durable(partial(self._sender.deliver, play.tournament, outcome.id, made))

    def next_ns(self, play: GameSession | None) -> int | None:
        """Return the time at which the clocks must be sent again without a change."""
        return self._clock_ns + CLOCK_NS if play is not None and play.timed else None

    def _clock_is_due(self, play: GameSession, now_ns: int) -> bool:
        before, game = self._clock, play.game
        if before is None or game.header is not before.header:
            return True
        if game.clock != before.clock or game.state is not before.state:
            return True
        return now_ns - self._clock_ns >= CLOCK_NS and (play.timed or game is not before)


def clock(game_id: str, game: Game, now_ns: int) -> ClockShown:
    """Return the live state at `now_ns`."""
    return ClockShown(
        game=game_id,
        state=game.state,
        running=None if game.clock.running is None else game.clock.running.value,
        clocks_ns=game.clock.both_left_ns(now_ns),
        flags=game.flags,
        to_move=None if game.over else game.to_move.value,
        moves=len(game.moves),
        position=format_position(game.shown),
        transcript=format_transcript(game.moves),
        at_ns=now_ns,
    )


def result(outcome: SessionOutcome, identity: Identity) -> Result:
    """Return the signed result with the whole game file."""
    game, ended = outcome.game, outcome.game.outcome
    assert ended is not None  # an unfinished game has no SessionOutcome
    packed = pack(format_game(game.header, outcome.inputs).encode())
    return sign(
        Result(
            id=outcome.id,
            game=outcome.game_id,
            revision=outcome.revision,
            device=identity.device,
            score=Both(*ended.score),
            winner=None if ended.winner is None else ended.winner.value,
            reason=ended.reason,
            transcript=format_transcript(game.moves),
            clocks_ns=game.clock.both_left_ns(game.at_ns),
            flags=game.flags,
            incidents=[incident_object(incident) for incident in game.incidents],
            signatures=game.signed,
            closed=outcome.closed,
            no_show=no_show(game),
            file=packed.file,
            sha256=packed.sha256,
        ),
        identity.key,
    )


def colours(assigned: TableAssignment) -> ColourChosen | None:
    """Return the choices made at this table for the assigned game, until the hub's assignment contains them."""
    header = assigned.header
    if header is None or not assigned.chosen:
        return None
    wins = None if header.draw_win is None else header.player(header.draw_win).id
    return ColourChosen(assigned.game_id, header.black.id, wins)


def in_one_line(status: Status, connected: bool) -> str:
    """Return the status in one line for the person who looks after the device, whether or not the hub is reached."""
    fit, hub = "fit" if status.fit else "not fit", "connected" if connected else "not connected"
    health = status.health
    line = (
        f"{fit} for play; board: {health.board}; clock: {health.clock}; storage: {health.storage}; hub: {hub}"
    )
    return "".join(sign if sign.isprintable() else " " for sign in line)
