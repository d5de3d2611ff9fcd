"""Changes of rounds already paired, and the taking back of entries."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from flagfall.ledger.entry import Entry
from flagfall.othello.reason import Reason
from hub.commands.desk import Event, Fields, expect_black
from hub.fields import ShortText
from hub.record.builds_on import OtherSeats, expect_same_seats
from hub.record.codec import UNDOABLE, happening
from hub.record.corrections import (
    AnyChange,
    ColoursExchanged,
    DoubleForfeit,
    FinalResultChanged,
    GameAwarded,
    GameDrawn,
    ResultChanged,
    game_of,
)
from hub.record.events import CorrectionMade, EntryUndone, TranscriptEntered
from hub.record.fold import states, undone
from hub.record.happening import Happening
from hub.record.state import TournamentState
from hub.tables.scribes import SCRIBE
from hub.text import Refused

_GIVES_RESULT = ResultChanged | GameAwarded | GameDrawn | DoubleForfeit


class Correction(Fields, frozen=True, kw_only=True):
    change: AnyChange
    why: ShortText
    id: ShortText | None = None


class Undo(Fields, frozen=True, kw_only=True):
    entry: ShortText | None = None


async def correct_game(event: Event, correction: Correction) -> TournamentState:
    """Change a paired round, with a reason; later rounds keep their pairings."""
    reason = getattr(correction.change, "reason", Reason.BOARD)
    if reason not in tuple(Reason):
        raise Refused(
            "expected one of {choices}, got {said}",
            field="reason",
            choices=", ".join(Reason),
            said=reason[:40],
        )
    made = CorrectionMade(change=correction.change, why=correction.why, seq=0, turns=True)

    def decide(state: TournamentState) -> Happening:
        change = with_colours(state, made.change)
        return msgspec.structs.replace(made, change=change, seq=event.next_seq(state))

    def same(known: Happening) -> bool:
        if not isinstance(known, CorrectionMade):
            return False
        return _unsaid(known.change) == _unsaid(made.change) and known.why == made.why

    return await event.record(decide, correction.id, same)


def with_colours(state: TournamentState, change: AnyChange) -> AnyChange:
    """Return the change with who had Black as it is recorded. Raise Refused if it gives a result to a game whose
    colours are open and does not say it, or would exchange colours that nobody has drawn."""
    if isinstance(change, FinalResultChanged):
        finals = state.tournament.finals
        game = finals[change.game - 1] if 1 <= change.game <= len(finals) else None
    elif isinstance(change, _GIVES_RESULT | ColoursExchanged):
        _, game = game_of(state.tournament, change.round, change.player)
    else:
        return change
    if isinstance(change, ColoursExchanged):
        if game is not None and game.colours_open:
            raise Refused("{where}: the colours are open, so there is nothing to exchange", where=game.where)
        return change
    if game is None:
        return change
    if isinstance(change, ResultChanged | FinalResultChanged):
        black = expect_black(game, change.black, change.score, change.reason, asks=True)
    else:  # it may be decided before the players sit down
        black = expect_black(game, change.black, (0, 0), "", asks=False)
    return msgspec.structs.replace(change, black=black)


def _unsaid(change: AnyChange) -> AnyChange:
    """Return the change without "no colours were drawn", which is filled in."""
    return msgspec.structs.replace(change, black=None) if getattr(change, "black", None) == "" else change


async def undo_entry(event: Event, undo: Undo) -> TournamentState:
    """Take back one entry, by default the last one that can be and is no player's or scribe's."""

    async def choose(state: TournamentState) -> str:
        entries = await event.entries()
        gone = undone(entries)
        can = [entry for entry in entries if entry.type in UNDOABLE and entry.id not in gone]
        if undo.entry is None:
            chosen = next((entry.id for entry in reversed(can) if not _is_of_others(entry)), "")
        else:
            chosen = next((entry.id for entry in can if entry.id == undo.entry), "")
        if not chosen:
            got = "none" if undo.entry is None else repr(undo.entry[:80])
            raise Refused("expected an entry that can be taken back, got {got}", field="entry", got=got)
        return chosen

    return await take_back(event, choose)


def _is_of_others(entry: Entry) -> bool:
    """Return whether a player or a scribe has given an entry that can be taken back: moves that they tapped. It may
    come at any moment between what an operator does and takes back."""
    if entry.type != TranscriptEntered.TYPE:
        return False
    return entry.who == SCRIBE or bool(getattr(happening(entry), "player", ""))


async def take_back(event: Event, choose: Callable[[TournamentState], Awaitable[str]]) -> TournamentState:
    """Take back the entry that is chosen under the writing lock. Refused if later ones build on it."""
    chosen = ""

    async def decide(state: TournamentState) -> EntryUndone:
        nonlocal chosen
        chosen = await choose(state)
        await asyncio.to_thread(expect_same_seats, await event.entries(), chosen)
        return EntryUndone(entry=chosen, seq=event.next_seq(state))

    try:
        return await event.record(decide)
    except Refused as fault:
        if not chosen:
            raise
        raise await asyncio.to_thread(_why_not, await event.entries(), chosen, fault) from None


def _why_not(chain: Sequence[Entry], chosen: str, fault: Refused) -> Refused:
    """Return the refusal to take back an entry, in the numbers of the log: which later entry builds on it, or the
    fault if none does."""
    gone = undone(chain, chosen)
    numbers = {entry.id: number for number, entry in enumerate(chain, start=1)}
    left = iter([entry.id for entry in chain if entry.id not in gone])
    later = next(left)
    if isinstance(fault, OtherSeats):  # it says what to do instead
        return _refusal_of(numbers[chosen], fault)
    try:
        for _ in states(chain, gone):
            later = next(left, "")
    except Refused:
        return Refused(
            "number {number} of the log cannot be taken back, because number {later} builds on it",
            field="entry",
            number=numbers[chosen],
            later=numbers[later],
        )
    return _refusal_of(numbers[chosen], fault)


def _refusal_of(number: int, fault: Refused) -> Refused:
    return Refused(
        "number {number} of the log cannot be taken back: {fault}",
        field="entry",
        number=number,
        fault=fault.message,
    )
