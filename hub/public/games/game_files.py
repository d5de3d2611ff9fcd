"""The game files that tables sent with their results, and what they tell: read when somebody asks, and kept a while."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

import msgspec

from hub.public.games.replay import Story, story_of, story_of_transcript
from hub.record.events import ResultReceived, happening
from hub.record.state import GameRecord
from ledger.entry import Entry
from ledger.store import LedgerError
from link.messages import ClockShown, Result
from link.packed_file import BadFile, PackedFile, unpack

_MOST_KEPT = 200


class Records:
    """`entry(tournament, id)` gives an entry of the ledger."""

    def __init__(self, entry: Callable[[str, str], Awaitable[Entry | None]]) -> None:
        self._entry = entry
        self._stories: OrderedDict[tuple[str, str, int], Story] = OrderedDict()

    async def game_file(self, tournament: str, game: GameRecord) -> str | None:
        """The table's whole record of a game that is over; None where no table has sent one."""
        if game.reported is None or game.score is None:
            return None
        try:
            entry = await self._entry(tournament, f"result.{game.game}.{game.reported.revision}")
            if entry is None:
                return None
            said = happening(entry)
            if not isinstance(said, ResultReceived):
                return None
            result = msgspec.json.decode(said.message, type=Result)
            return unpack(PackedFile(result.file, result.sha256)).decode()
        except (LedgerError, BadFile, msgspec.MsgspecError, UnicodeDecodeError):
            return None

    async def story(
        self, tournament: str, game: GameRecord, clock: ClockShown | None, transcript: str
    ) -> Story:
        """What may be stepped through: of a game that is over all there is, of one being played what `clock` says."""
        if game.score is None:
            if clock is None:
                return Story()
            return story_of_transcript(clock.transcript, clock.position)
        if game.reported is None:
            return story_of_transcript(transcript)
        key = tournament, game.game, game.reported.revision
        found = self._stories.get(key)
        if found is None:
            text = await self.game_file(tournament, game)
            found = await asyncio.to_thread(story_of, text, game.reported.transcript)
            self._stories[key] = found
            while len(self._stories) > _MOST_KEPT:
                self._stories.popitem(last=False)
        return found
