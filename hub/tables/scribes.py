"""The moves that scribes tap while games are played: kept in a file until the record has them.

A move is acknowledged once the file holds it, so that a killed hub loses none. The record is no place for them: a line
that is taken back and tapped again sixty times a game would stay in it, and in its proofs, for good. It gets one entry
with all moves when the game has its result, as when somebody types them.

Each time the whole line comes, with the line that it replaces: of two telephones with one link neither overwrites what
it has not seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec

from flagfall.base.message import Message
from flagfall.base.private_file import read_json, write_private
from flagfall.ledger.store import LedgerError
from flagfall.othello.board import parse_transcript, stages
from hub.model.games import Game
from hub.record.events import TranscriptEntered
from hub.record.state import TournamentState
from hub.record.store import RecordedEntry, TournamentStore, Write
from hub.record.typed_moves import scores_that_differ, with_moves
from hub.rulebook import rules_of
from hub.tables.live import Live
from hub.text import AlreadyDone, Refused, Stale

MOST_MOVES = 60
# Of the file: ten thousand games with their scribes. More was not written here, and would be read for minutes.
MOST_BYTES = 4 << 20
# Of a move in a line.
_LETTERS = 2
# A line goes into the record once its game has a result and it has rested for so long: the last moves may still come
# from a telephone without a network.
SETTLED_S = 20
_LOOK_S = 5.0
# The author of the entry.
SCRIBE = "scribe"


class ScribeLine(msgspec.Struct, frozen=True):
    """The moves of a game as its scribe has tapped them."""

    moves: str
    # The moves that the record has got from here; "" for none yet.
    recorded: str = ""


Log = Callable[[str, str], None]
_Lines = dict[str, dict[str, ScribeLine]]


class Scribes:
    """The lines of all games with a scribe, in the file `path`. `live` shows them."""

    def __init__(
        self, path: Path, store: TournamentStore, live: Live, now_ns: Callable[[], int], log: Log
    ) -> None:
        self._path = path
        self._store = store
        self._live = live
        self._now_ns = now_ns
        self._log = log
        self._writing = asyncio.Lock()
        kept = read_json(
            path, _Lines, MOST_BYTES, lambda fault: log("warning", f"scribes' moves lost {fault}")
        )
        self._lines = {event: self._readable(event, lines) for event, lines in kept.items()}
        # By event and game: the monotonic instant of the last change.
        self._changed_ns: dict[tuple[str, str], int] = {}
        for event, lines in self._lines.items():
            self._live.lines |= {(event, game): line.moves for game, line in lines.items()}

    def _readable(self, event: str, lines: dict[str, ScribeLine]) -> dict[str, ScribeLine]:
        """Return the lines of an event that are moves of its games; of one that cannot be read now, of any game."""
        state = self._store.states.get(event)
        known = lines if event in self._store.unreadable else {} if state is None else state.games
        return {game: line for game, line in lines.items() if game in known and _is_line(line.moves)}

    def of(self, event: str, game: Game) -> str:
        """Return the moves of a game as its scribe has tapped them, with those of its opening."""
        line = self._lines.get(event, {}).get(game.id)
        return opening_of(game) if line is None else line.moves

    def contradiction(self, event: str, game: Game) -> Message | None:
        """Return why the record does not take the moves of a game with a result, None if it does or there are none."""
        line = self._lines.get(event, {}).get(game.id)
        if line is None or game.score is None or not _is_new(game, line):
            return None
        law = rules_of(self._store.states[event].tournament).law
        differ = scores_that_differ(game, line.moves, law)
        if differ is None:
            return None
        moves, score = (f"{black}–{white}" for black, white in differ)
        return Message.of("These moves end {moves}, the result is {score}.", moves=moves, score=score)

    async def put(self, event: str, game: str, moves: str, before: str) -> None:
        """Keep a line of legal moves in place of the one `before`, durably. Stale if another one stands there by now.
        Raise OSError if the disk fails."""
        async with self._writing:
            played = self._store.states[event].games.get(game)
            if played is None:
                raise Refused(
                    "This game has changed in the meantime. Look at it as it is now, then try again."
                )
            present = self.of(event, played)
            if moves == present:
                return  # sent again: the answer was lost
            goes_on = moves.startswith(present) and present.startswith(before)
            if (
                before != present and not goes_on
            ):  # what another telephone took back does not come again unseen
                raise Stale("Somebody else has tapped other moves with this link.", field="moves")
            recorded = self._lines.get(event, {}).get(game, ScribeLine("")).recorded
            await self._keep(event, game, ScribeLine(moves, recorded))
            self._changed_ns[event, game] = self._now_ns()
        self._live.changed()

    async def run(self) -> None:
        """Record the lines of games that have their results until cancelled."""
        while True:
            try:
                await self.record_due()
            except OSError as fault:  # the lines stay as they are, and the next look tries again
                self._log("warning", f"scribes' moves wait why={fault.strerror or fault!r}")
            await asyncio.sleep(_LOOK_S)

    async def record_due(self) -> None:
        """Record each line whose game has a result and that has rested, and drop those that nobody needs any more."""
        for event, lines in [*self._lines.items()]:
            for game in [*lines]:
                state = self._store.states.get(event)
                if state is not None and self._is_due(state, game):
                    await self._record(state, game)
                elif state is not None and self._is_unnoted(state, game):
                    await self._note_recorded(event, game, state.games[game].typed_moves)
                await self._drop_if_done(event, game)

    def _is_due(self, state: TournamentState, name: str) -> bool:
        game, line = state.games.get(name), self._lines[state.id][name]
        if game is None or game.score is None or game.conflict or not game.has_scribe:
            return False
        if not _is_new(game, line) or self.contradiction(state.id, game) is not None:
            return False
        rested_ns = self._now_ns() - self._changed_ns.get((state.id, name), 0)
        at_the_end = stages(parse_transcript(line.moves))[-1].black_to_move is None
        return at_the_end or rested_ns >= SETTLED_S * 1_000_000_000 or name not in state.present

    def _is_unnoted(self, state: TournamentState, name: str) -> bool:
        """Return whether the record has a line that the file does not know to be there: the hub was killed, or the disk
        was full, between the two. Without the note its removal from the record would not last."""
        game, line = state.games.get(name), self._lines[state.id][name]
        if game is None or game.score is None or game.typed_by:
            return False
        return game.typed_moves == line.moves != line.recorded

    async def _record(self, state: TournamentState, name: str) -> None:
        """Record a line as the moves of its game. One that contradicts the result waits: pages say so."""
        line = self._lines[state.id][name]

        async def decide(present: TournamentState) -> tuple[TranscriptEntered, ...]:
            if self._lines[state.id][name] != line or not self._is_due(present, name):
                raise AlreadyDone("expected a change, got none", field="game")
            with_moves(present.games[name], line.moves)
            return (TranscriptEntered(game=name, transcript=line.moves),)

        number = self._store.entries_of(state.id)
        write = Write(f"scribe.{name}.{number}", decide, SCRIBE)
        try:
            (outcome,) = await self._store.record(state.id, [write])
        except LedgerError:
            return  # a full disk: the next look tries again
        if isinstance(outcome, RecordedEntry):
            await self._note_recorded(state.id, name, line.moves)

    async def _note_recorded(self, event: str, name: str, moves: str) -> None:
        async with self._writing:
            await self._keep(event, name, ScribeLine(self._lines[event][name].moves, recorded=moves))
        self._live.changed()

    async def _drop_if_done(self, event: str, name: str) -> None:
        """Drop a line once its game is at the tables no more, and nothing of it waits for the record. One that
        contradicts the result waits until the event is closed: the result may be corrected."""
        state = self._store.states.get(event)
        if event in self._store.unreadable or (state is not None and name in state.present):
            return
        game = state.games.get(name) if state is not None else None
        line = self._lines[event][name]
        waits = game is not None and game.has_scribe and _is_new(game, line)
        if waits and state is not None and not state.closed:
            return
        async with self._writing:
            await self._keep(event, name, None)

    async def _keep(self, event: str, game: str, line: ScribeLine | None) -> None:
        """Write the file with this line, None to drop it, then show it."""
        of_event = {name: other for name, other in self._lines.get(event, {}).items() if name != game}
        if line is not None:
            of_event[game] = line
        lines = {**self._lines, event: of_event}
        lines = {name: of_name for name, of_name in lines.items() if of_name}
        await asyncio.to_thread(write_private, self._path, msgspec.json.encode(lines))
        self._lines = lines
        if line is None:
            self._live.lines.pop((event, game), None)
            self._changed_ns.pop((event, game), None)
        else:
            self._live.lines[event, game] = line.moves


def opening_of(game: Game) -> str:
    """Return the moves that were set up before the game."""
    return game.conditions.opening if game.conditions is not None else ""


def _is_line(moves: str) -> bool:
    if len(moves) > MOST_MOVES * _LETTERS or moves != moves.lower().strip() or not moves.isascii():
        return False
    try:
        squares = parse_transcript(moves)
    except ValueError:
        return False
    return len(stages(squares)) == len(squares) + 1


def _is_new(game: Game, line: ScribeLine) -> bool:
    """Return whether a line has something for the record, which has no moves of this game from elsewhere: from its
    table, or typed by somebody. Nobody has played where somebody never came, whatever was tapped to try the board."""
    if game.is_no_show:
        return False
    others = bool(game.table_moves) or game.typed_moves not in ("", line.recorded)
    return not others and line.moves not in (line.recorded, opening_of(game))
