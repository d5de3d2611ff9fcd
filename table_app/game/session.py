"""One game at this table from its assignment to the hub's receipt: the referee's value and what the table adds to it.

No files, no network: `judge` takes one input and keeps its consequences, `restored` does so with a whole journal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from flagfall.link.messages import Receipt
from flagfall.othello.game import Game, Header, State
from flagfall.othello.game import Outcome as GameOutcome
from flagfall.othello.gamefile import header_object
from flagfall.othello.inputs import Input, Note, Power, Press, Shown, Tick, Touch
from flagfall.othello.judging.corrected import can_be_mended
from flagfall.othello.judging.flags import advance
from flagfall.othello.judging.turns import turned
from flagfall.othello.message import Message
from flagfall.othello.referee import judge, new_game
from table_app.record.journal import Damage, Journal

# Longer than the interval of heartbeats: a power cut loses at most this much play.
UNCERTAIN_NS = 1_000_000_000

# The note by which the director closes a finished game that is not signed.
CLOSED_UNSIGNED = "closed_unsigned"


@dataclass(frozen=True, slots=True)
class SessionOutcome:
    """A finished game as reported to the hub, from which a result is made. `closed`: final without signatures."""

    game_id: str
    revision: int
    inputs: tuple[Input, ...]
    game: Game
    closed: bool = False

    @property
    def id(self) -> str:
        return f"{self.game_id}.{self.revision}"


@dataclass(slots=True)
class GameSession:
    """A game at this table, with its inputs, outcomes and answers."""

    game_id: str
    tournament: str
    game: Game
    inputs: list[Input] = field(default_factory=list)
    # counts new outcomes: at the finish, at each signature, after a ruling, or closed without signatures
    revision: int = 0
    outcome: SessionOutcome | None = None
    answers: dict[str, Message | str] = field(default_factory=dict)
    receipts: dict[str, Receipt] = field(default_factory=dict)
    sent: set[str] = field(default_factory=set)  # ids of outcomes that the network has taken
    uncertain_ns: int = 0
    state_since_ns: int = 0
    closed_as: GameOutcome | None = None  # the outcome that the director closed without signatures

    @classmethod
    def new(cls, game_id: str, tournament: str, header: Header) -> GameSession:
        return cls(game_id, tournament, new_game(header))

    @classmethod
    def restored(cls, journal: Journal) -> GameSession:
        """Return the game as the journal leaves it."""
        play = cls.new(journal.game_id, journal.tournament, journal.header)
        for entry in journal.entries:
            play.judge(entry.input, entry.ruling_id)
        play.receipts = {receipt.id: receipt for receipt in journal.receipts}
        play.sent = set(play.receipts)
        if journal.damage is not None:
            # Revisions that the hub has already had must not be used for other outcomes.
            revisions = (receipt.id.rpartition(".")[2] for receipt in journal.receipts)
            play.revision = max(
                [play.revision, *(int(revision) for revision in revisions if revision.isdecimal())]
            )
        return play

    @property
    def has_begun(self) -> bool:
        """Something has happened in it that a new header must not wipe out."""
        return self.game.armed or self.game.state is not State.WAITING

    @property
    def timed(self) -> bool:
        """A clock runs."""
        return self.game.clock.running is not None

    def power_back(self, last_ns: int, damage: Damage | None = None, alive_ns: int = 0) -> Iterator[Input]:
        """Yield the inputs that a restart adds: none before the game has begun or after its end.

        After damage they note it, and give the last position that is known. `alive_ns`: until when the table ran, also
        while nothing could be recorded.
        """
        if not self.has_begun or self.game.over:
            return
        lost_ns = damage.lost_ns if damage is not None else 0
        if self.timed:
            lost_ns = max(lost_ns, alive_ns - last_ns) + UNCERTAIN_NS
        yield Power(last_ns, lost_ns)
        if damage is not None:
            yield Tick(last_ns, Note("journal_damaged", detail=damage.why))
            if damage.shown is not None and self.game.reads_board:
                yield Shown(last_ns, damage.shown)

    def wants(self, input: Input) -> bool:
        """Return True if the input matters now; setting up or clearing the board must not fill the journal."""
        if isinstance(input, Shown) and self.game.over:
            return can_be_mended(self.game, input.position)
        return self.timed or not isinstance(input, Touch)

    def judge(self, input: Input, ruling_id: str = "") -> None:
        """Give one more input to the referee. Make a new outcome if the result changed."""
        before, reported = self.game, self._reported()
        self.game = judge(before, input)
        self.inputs.append(input)
        if self.game.state is not before.state:
            self.state_since_ns = self.game.at_ns
        if ruling_id:
            self.answers[ruling_id] = answer(before, self.game)
        if isinstance(input, Power):
            self.uncertain_ns = input.uncertain_ns
        elif self.game.state is not State.STOPPED:
            self.uncertain_ns = 0
        if isinstance(input, Tick) and input.note is not None and input.note.what == CLOSED_UNSIGNED:
            self.closed_as = self.game.outcome
        if self.game.over and reported != self._reported():
            self.revision += 1
            inputs = tuple(self.inputs)
            self.outcome = SessionOutcome(self.game_id, self.revision, inputs, self.game, self.closed)
        elif not self.game.over:
            self.outcome = None

    @property
    def closed(self) -> bool:
        """The director has closed the game as it stands, without both signatures."""
        return self.game.state is State.FINISHED and self.closed_as == self.game.outcome

    def _reported(self) -> object:
        """Return the value whose change makes a new revision."""
        return (self.game.state, self.game.outcome, self.closed) if self.game.over else None

    @property
    def unsent(self) -> SessionOutcome | None:
        """The outcome that the hub has not yet confirmed or refused."""
        if self.outcome is None or self.outcome.id in self.receipts:
            return None
        return self.outcome

    @property
    def settled(self) -> bool:
        """The game is signed, or closed without signatures, and the hub has accepted the result."""
        final = self.game.state is State.SIGNED or self.closed
        return final and self.receipt is not None and self.receipt.accepted

    @property
    def receipt(self) -> Receipt | None:
        """The hub's receipt for the present outcome."""
        return self.receipts.get(self.outcome.id) if self.outcome else None

    def header_line(self) -> dict[str, Any]:
        """Return the first line of its journal."""
        return header_object(self.game.header) | {"game": self.game_id, "tournament": self.tournament}


def answer(before: Game, after: Game) -> Message | str:
    """Return the answer to a ruling: "applied", or why the referee refused it."""
    for incident in after.incidents[len(before.incidents) :]:
        if incident.why is not None and incident.rule is not None:
            return incident.why
    return "applied"


def with_presses(game: Game, presses: tuple[Press, ...]) -> Game:
    """Return the game as shown while the verdict on these presses is pending: only its clock has turned.

    Time passes and clocks turn by the law's own two functions; no move is looked for.
    """
    clocks = game
    for press in presses:
        at_ns = max(press.at_ns, clocks.at_ns)
        clocks = turned(advance(clocks, at_ns), press.by)
    return replace(game, clock=clocks.clock, state=game.state if clocks.over else clocks.state)
