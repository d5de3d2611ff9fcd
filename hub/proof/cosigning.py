"""The sending of heads to witnesses: when a round ends, when a result of a final is signed, and every ten minutes while
something changes. Heads wait while a witness is away, and nothing else waits for them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flagfall.base.errors import FlagfallError, Invalid, one_line
from flagfall.ledger.merkle import Tree, consistency_path
from flagfall.link.add_checkpoint import AddCheckpoint, size_in
from flagfall.link.cosignature import cosigners_of
from flagfall.link.signed_note import read_signatures, split_note
from hub.proof.cosigned import CosignedHeads
from hub.proof.hub_key import HubKey
from hub.proof.witness_client import Answer, Away, Witness
from hub.record.state import TournamentState
from hub.record.store import TournamentStore

EVERY_S = 600.0
# A head that a witness could not get is sent again after so long.
AGAIN_S = 60.0
# Changes that come so soon after another one are looked at together.
_LOOK_S = 2.0
# A witness may tell once or twice that it has cosigned another head meanwhile.
_TRIES = 3
_NS = 1_000_000_000


class NotCosigned(FlagfallError):
    """The reason in one line why a witness has not cosigned a head."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The number of entries of the last head that a witness has cosigned, and why it has not cosigned the present one
    ("" for no reason but time)."""

    witness: str
    entries: int
    why: str


@dataclass(frozen=True, slots=True)
class _Attempt:
    """The last time when a head of an event was sent: the head's size, and what had happened until then."""

    at_ns: int
    size: int
    milestone: tuple[int, int]
    reached_all: bool


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The line of a witness, "" if it has not cosigned; `away`: the network or the witness was not there."""

    witness: str
    line: str = ""
    away: bool = False


@dataclass(eq=False)
class Cosigning:
    """The heads of all events of `store`, and the `witnesses` that get them."""

    store: TournamentStore
    key: HubKey
    heads: CosignedHeads
    witnesses: Sequence[Witness]
    now_ns: Callable[[], int]
    log: Callable[[str, str], None]

    def __post_init__(self) -> None:
        self._attempts: dict[str, _Attempt] = {}
        self._milestones: dict[str, tuple[TournamentState, tuple[int, int]]] = {}
        self._changed = asyncio.Event()
        # Why a witness has not seen the last head of an event, by witness and event.
        self.troubles: dict[tuple[str, str], str] = {}

    def seen(self, event: str) -> tuple[Seen, ...]:
        """Return what each witness has seen of an event's record."""
        names = (witness.name for witness in self.witnesses)
        return tuple(
            Seen(name, self.heads.seen_by(event, name), self.troubles.get((name, event), ""))
            for name in names
        )

    def changed(self) -> None:
        """Note that something may have changed. Called in the loop."""
        self._changed.set()

    async def run(self) -> None:
        """Send heads until cancelled. Whatever fails is tried again."""
        while self.witnesses:
            self._changed.clear()
            for event in self.due():
                try:
                    await self.send(event)
                except Exception as fault:  # an error of this program must not end the hub
                    self.log(
                        "error", f"witnesses: event={event} {type(fault).__name__}: {one_line(str(fault))}"
                    )
            await asyncio.sleep(_LOOK_S)
            try:
                async with asyncio.timeout(AGAIN_S / 4):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def due(self) -> list[str]:
        """Return the events whose head is to be sent now."""
        now_ns = self.now_ns()
        return [event for event in self.store.states if self._is_due(event, now_ns)]

    def _is_due(self, event: str, now_ns: int) -> bool:
        tree, last = self.store.tree(event), self._attempts.get(event)
        size = len(tree.hashes)
        if last is None:
            return any(not self.heads.has_seen(event, witness.name, tree) for witness in self.witnesses)
        if not last.reached_all and now_ns - last.at_ns >= AGAIN_S * _NS:
            return True
        if size == last.size:
            return False
        return self._milestone(event) != last.milestone or now_ns - last.at_ns >= EVERY_S * _NS

    def _milestone(self, event: str) -> tuple[int, int]:
        """Return how many rounds are complete, and how many finals are signed."""
        state = self.store.states[event]
        known = self._milestones.get(event)
        if known is None or known[0] is not state:
            known = self._milestones[event] = (state, _milestone_of(state))
        return known[1]

    async def send(self, event: str) -> None:
        """Send the present head of an event to every witness that has not seen it, and keep what they answer."""
        tree, milestone = self.store.tree(event), self._milestone(event)
        size = len(tree.hashes)
        note = self.key.checkpoint(event, tree)
        missing = [of for of in self.witnesses if not self.heads.has_seen(event, of.name, tree)]
        outcomes = await asyncio.gather(
            *(self._cosigned(witness, event, note, tree, size) for witness in missing)
        )
        # What a witness refuses does not change by itself; the network does.
        reached_all = not any(outcome.away for outcome in outcomes)
        self._attempts[event] = _Attempt(self.now_ns(), size, milestone, reached_all)
        lines = [(outcome.witness, outcome.line) for outcome in outcomes if outcome.line]
        if lines:
            self.heads.add(event, note, lines)
            try:
                await asyncio.to_thread(self.heads.write)
            except OSError as fault:
                self.log("warning", f"cosigned heads not written: {fault.strerror or fault}")
            self.log("info", f"cosigned event={event} entries={size} by={len(lines)}")

    async def _cosigned(self, witness: Witness, event: str, note: str, tree: Tree, size: int) -> _Outcome:
        try:
            line = await self._ask(witness, event, note, tree, size)
        except (Away, NotCosigned) as why:
            if self.troubles.get((witness.name, event)) != str(why):
                self.troubles[witness.name, event] = str(why)
                self.log("warning", f"witness {witness.name}: event={event} entries={size}: {why}")
            return _Outcome(witness.name, away=isinstance(why, Away))
        self.troubles.pop((witness.name, event), None)
        return _Outcome(witness.name, line)

    async def _ask(self, witness: Witness, event: str, note: str, tree: Tree, size: int) -> str:
        """Return the line with which the witness cosigns the head. Away or NotCosigned if it does not."""
        old = min(self.heads.seen_by(event, witness.name), size)
        for _ in range(_TRIES):
            path = consistency_path(tree, old, size) if old else ()
            answer = await witness.ask(AddCheckpoint(old, path, note))
            if answer.status != 409:
                return _line_of(answer, witness, note)
            try:
                seen = size_in(answer.text.removesuffix("\n"))
            except Invalid:
                seen = old
            if seen > size:
                raise NotCosigned(
                    f"it has seen {seen} entries of this record, which has {size}: the record was cut, or restored from"
                    " an older backup"
                )
            if seen == old:
                break
            old = seen
        raise NotCosigned("it says that it has cosigned another head, and not which one")


def _line_of(answer: Answer, witness: Witness, note: str) -> str:
    """Return the witness's cosignature in its answer. Away or NotCosigned for any other answer."""
    words = one_line(" ".join(answer.text[:200].split()))
    match answer.status:
        case 200:
            text = split_note(note)[0]
            try:
                signatures = tuple(read_signatures(answer.text))
                if cosigners_of(text, signatures, (witness.key,)):
                    (content, *_) = (line.content for line in signatures if line.is_of(witness.key))
                    return witness.key.line(content)
            except Invalid:
                pass
            raise NotCosigned("its answer is not its cosignature of this head (is its key the right one?)")
        case 404:
            raise NotCosigned(f"it does not know this record (flagfall-hub witness logs add): {words}")
        case 403:
            raise NotCosigned(f"it does not trust this hub's key for the record: {words}")
        case 400 | 409 | 422:
            raise NotCosigned(f"it has seen another record than this one, which was rewritten: {words}")
    raise Away(f"it answers {answer.status}: {words}")


def _milestone_of(state: TournamentState) -> tuple[int, int]:
    rounds = (state.games_of(number) for number in range(1, state.round + 1))
    complete = sum(all(game.score is not None for game in games) for games in rounds)
    signed = sum(game.final is not None and game.reported is not None for game in state.games.values())
    return complete, signed
