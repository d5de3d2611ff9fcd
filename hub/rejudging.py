"""Results judged again after they have been recorded and acknowledged, one after the other.

A table waits for its receipt, not for the hub's referee: that one comes afterwards, and only what it finds otherwise
becomes an entry. So nothing in the ledger says that a clean result was judged: after a start every current result is
judged again, which costs some milliseconds each and finds the same. A result that a later revision has replaced
meanwhile is of no interest any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from hub.book import Book, Granted, Wish
from hub.dispatch import header_of
from hub.events import ResultJudged, ResultReceived, happening
from hub.line import Line, line
from hub.live import Live
from hub.rejudge_child import RejudgeFailed
from ledger.store import LedgerError
from ledger.versions import UnreadableEntry
from othello.game import Header
from othello.gamefile import GameFileError

WHO = "hub"
_IDLE_S = 10.0


class Referee(Protocol):
    """What judges a game file; `hub.rejudge_child` does it in a process of its own."""

    async def differences(self, message: str, assigned: Header) -> tuple[Line, ...]:
        """Of a result as it came, one line each. RejudgeFailed where there is no answer."""
        ...

    async def end(self) -> None:
        """There is nothing to judge for now."""
        ...


class Rejudging:
    """Games whose latest result waits to be judged, in their order; no more than there are games."""

    def __init__(self, book: Book, live: Live, referee: Referee, log: Callable[[str, str], None]) -> None:
        self._book = book
        self._live = live
        self._referee = referee
        self._log = log
        self._waiting: dict[tuple[str, str], None] = {}
        self._more = asyncio.Event()

    def add(self, tournament: str, game: str) -> None:
        """A result of this game was recorded."""
        self._waiting[tournament, game] = None
        self._more.set()

    def add_all(self) -> None:
        """After a start: nobody knows which ones were judged. The games at the tables come first."""
        for state in self._book.states.values():
            if state.closed:
                continue
            latest_first = sorted(state.games.values(), key=lambda record: (-record.round, record.table))
            for record in latest_first:
                if record.reported is not None and not record.reported.differences and not record.decided:
                    self.add(state.id, record.game)

    async def run(self) -> None:
        """Judges whatever waits, until cancelled."""
        try:
            while True:
                try:
                    async with asyncio.timeout(
                        _IDLE_S
                    ):  # wait_for would lose a cancellation that comes with more
                        await self._more.wait()
                except TimeoutError:
                    await self._referee.end()
                    await self._more.wait()
                await self.judge_waiting()
        finally:
            await self._referee.end()

    async def judge_waiting(self) -> None:
        """Judges all that waits now."""
        self._more.clear()
        while self._waiting:
            tournament, game = next(iter(self._waiting))
            del self._waiting[tournament, game]
            try:
                await self._judge(tournament, game)
            except (RejudgeFailed, LedgerError) as fault:
                self._live.drop("not judged again", f"game {game}: {fault}")
                self._log("error", f"not judged again game={game} why={str(fault)!r}")

    async def _judge(self, tournament: str, game: str) -> None:
        state = self._book.states.get(tournament)
        record = state.games.get(game) if state is not None else None
        if state is None or record is None or record.reported is None:
            return
        revision = record.reported.revision
        entry = await self._book.entry(tournament, f"result.{game}.{revision}")
        try:
            received = happening(entry) if entry is not None else None
        except UnreadableEntry:
            return
        if not isinstance(received, ResultReceived):
            return
        try:
            found = await self._referee.differences(received.message, header_of(state, record))
        except GameFileError as fault:
            found = (line("header: {why}", why=str(fault)),)
        if not found:
            return
        for one in found:
            self._log("warning", f"result differs id={game}.{revision} what={str(one)!r}")
        wish = Wish(
            f"judged.{game}.{revision}",
            ResultJudged(game=game, revision=revision, differences=found),
            WHO,
        )
        (outcome,) = await self._book.record(tournament, [wish])
        if not isinstance(outcome, Granted):
            self._log("warning", f"not recorded id=judged.{game}.{revision} why={str(outcome)!r}")
        self._live.changed()
