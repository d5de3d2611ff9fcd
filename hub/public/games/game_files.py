"""The game files in the tables' results and their contents, read on demand and cached for a while."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

import msgspec

from flagfall.base.errors import Invalid
from flagfall.ledger.store import LedgerError
from flagfall.link.messages import Result
from flagfall.link.packed_file import LARGEST_GAME_BYTES, PackedFile, unpack
from flagfall.othello.game import IncidentType
from hub.child_process import Aside, AsideFailed
from hub.model.games import Game
from hub.public.games.replay import Story, story_of_transcript
from hub.tables.live_board import LiveBoard

_MOST_KEPT, _MOST_CLOCKS = 200, 10_000
# Time limit of the child process: a replay takes some 10 ms, one of a game with 10,000 inputs seconds.
MAKING_S = 10.0
_MOST_LINES, _TOGETHER = 2_000, 20


class Clocks(msgspec.Struct, frozen=True):
    """Both clocks at the end of a game and the flags that had fallen, black's first."""

    left_ms: tuple[int, int]
    flags: tuple[bool, bool]


class Records:
    """The cache of replays and final clocks. `sent(tournament, game)` gives a result as its table sent it. Long work
    runs in `aside`.
    """

    def __init__(self, sent: Callable[[str, Game], Awaitable[str]], aside: Aside) -> None:
        self._sent = sent
        self.aside = aside
        self._clocks: OrderedDict[tuple[str, str, int], Clocks | None] = OrderedDict()
        self._stories: OrderedDict[tuple[str, str, int], Story] = OrderedDict()

    async def game_file(self, tournament: str, game: Game) -> str | None:
        """Return the whole game file of a finished game, or None if no table has sent one. Raises AsideFailed."""
        message = await self._message(tournament, game)
        return await self.aside.run(MAKING_S, text_of, message) if message else None

    async def _message(self, tournament: str, game: Game) -> str:
        """Return the result as its table sent it, "" if there is none."""
        try:
            return await self._sent(tournament, game) if game.score is not None else ""
        except LedgerError:
            return ""

    async def story(self, tournament: str, game: Game, board: LiveBoard | None, transcript: str) -> Story:
        """Return the public replay: all of a finished game, the present `board` for one in play."""
        if game.score is None:
            if board is None:
                return Story()
            return story_of_transcript(board.transcript, board.position)
        if game.reported is None:
            return story_of_transcript(transcript)
        key = tournament, game.id, game.reported.revision
        story = self._stories.get(key)
        if story is None:
            message, reported = await self._message(tournament, game), game.reported.transcript
            try:
                story = await self.aside.run(MAKING_S, _story_of, message, reported)
            except AsideFailed:
                story = story_of_transcript(reported)
            self._stories[key] = story
            while len(self._stories) > _MOST_KEPT:
                self._stories.popitem(last=False)
        return story

    async def clocks(self, tournament: str, games: Iterable[Game]) -> Mapping[str, Clocks]:
        """Return the final clocks by finished game, for those whose table has sent them."""
        asked = [
            (game, (tournament, game.id, game.reported.revision))
            for game in games
            if game.reported is not None and game.score is not None
        ]
        new = [request for request in asked if request[1] not in self._clocks]
        for few in (new[at : at + _TOGETHER] for at in range(0, len(new), _TOGETHER)):
            messages = [await self._message(tournament, game) for game, _ in few]
            try:
                clocks = await self.aside.run(MAKING_S, _clocks_of, messages)
            except AsideFailed:
                break  # the others are read at the next request
            self._clocks |= zip((key for _, key in few), clocks, strict=True)
        known = {game.id: self._clocks.get(key) for game, key in asked}
        while len(self._clocks) > _MOST_CLOCKS:
            self._clocks.popitem(last=False)
        return {game: clocks for game, clocks in known.items() if clocks is not None}


def text_of(message: str) -> str | None:
    """Return the game file in a result, or None if there is none or it cannot be read."""
    try:
        result = msgspec.json.decode(message, type=Result)
        return unpack(PackedFile(result.file, result.sha256), LARGEST_GAME_BYTES).decode()
    except (Invalid, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _story_of(message: str, transcript: str) -> Story:
    """Return a replay. Runs in the child process. A game too long to be judged again still has its transcript."""
    from hub.public.games.judged_replay import story_of

    text = text_of(message)
    return story_of(None if text is None or text.count("\n") > _MOST_LINES else text, transcript)


def _clocks_of(messages: Sequence[str]) -> list[Clocks | None]:
    """Return the final clocks in each result, None where it has none. Runs in the child process."""
    clocks: list[Clocks | None] = []
    for message in messages:
        story = _story_of(message, "")
        fallen = {incident.by for incident in story.happened if incident.type == IncidentType.FLAG}
        flags = ("black" in fallen, "white" in fallen)
        clocks.append(None if story.left_ms is None else Clocks(story.left_ms, flags))
    return clocks
