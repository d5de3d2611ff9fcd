"""The game files that tables sent with their results, and what they tell: read when somebody asks, and kept a while."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import msgspec

from hub.child_process import Aside, AsideFailed
from hub.public.games.replay import Story, story_of, story_of_transcript
from hub.record.events import ResultReceived, happening
from hub.record.state import GameRecord
from ledger.entry import Entry
from ledger.store import LedgerError
from link.messages import ClockShown, Result
from link.packed_file import BadFile, PackedFile, unpack
from othello.game import IncidentType

_MOST_KEPT, _MOST_CLOCKS = 200, 10_000
MAKING_S = 10.0
"""For what is made in the child: the story of a game takes some 10 ms."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """What both clocks showed at the end of a game, and whose flag had fallen; black's first."""

    left_ms: tuple[int, int]
    flags: tuple[bool, bool]


class Records:
    """`entry(tournament, id)` gives an entry of the ledger. What takes long is made in `aside`."""

    def __init__(self, entry: Callable[[str, str], Awaitable[Entry | None]], aside: Aside) -> None:
        self._entry = entry
        self.aside = aside
        self._clocks: OrderedDict[tuple[str, str, int], Clocks | None] = OrderedDict()
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
            try:
                found = await self.aside.run(MAKING_S, story_of, text, game.reported.transcript)
            except AsideFailed:
                found = story_of_transcript(game.reported.transcript)
            self._stories[key] = found
            while len(self._stories) > _MOST_KEPT:
                self._stories.popitem(last=False)
        return found

    async def clocks(self, tournament: str, game: GameRecord, transcript: str) -> Clocks | None:
        """At the end of a game; None where its table has not told."""
        if game.reported is None:
            return None
        key = tournament, game.game, game.reported.revision
        if key not in self._clocks:
            story = await self.story(tournament, game, None, transcript)
            fallen = {one.by for one in story.happened if one.type == IncidentType.FLAG}
            flags = ("black" in fallen, "white" in fallen)
            self._clocks[key] = None if story.left_ms is None else Clocks(story.left_ms, flags)
            while len(self._clocks) > _MOST_CLOCKS:
                self._clocks.popitem(last=False)
        return self._clocks[key]
