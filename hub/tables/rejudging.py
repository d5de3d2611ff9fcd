"""The queue of results that are judged again, one after the other, once they have been recorded and acknowledged.

A table waits for its receipt, not for the hub's referee, and only a difference becomes an entry. So the ledger does not
say that a clean result was judged: after a start every current result is judged again, which takes some milliseconds
each. A result that a later revision has replaced meanwhile is skipped.

A game that takes longer than others delays none: it is recorded as in question at once, and judged in a second queue
with more time. If even that fails it stays in question until the director rules.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from flagfall.base.errors import Invalid
from flagfall.base.message import N_, Message
from flagfall.base.value import replace
from flagfall.ledger.store import LedgerError
from flagfall.link.messages import BadMessage, Result, decode
from flagfall.link.packed_file import PackedFile, unpack_game
from flagfall.link.topics import Kind, Topic
from flagfall.othello.game import Header
from flagfall.othello.gamefile import header_object, parse_game, parse_header
from hub.child_process import Aside, AsideFailed, within_processor_s
from hub.model.games import Game
from hub.record.events import ResultJudged
from hub.record.header import header_of
from hub.record.store import RecordedEntry, TournamentStore, Write
from hub.tables.live import Live

WHO = "hub"
# Of the processor's time. A game is judged within milliseconds.
SOON_S = 5.0
LATE_S = 60.0
# A child with the lowest priority may wait so many times as long for its turns on a busy machine, and at its start.
_BUSY = 12
_BREATH_S = 0.05
UNJUDGED = N_("not judged by the hub: {why}")
# Longest text taken from a game file, which may have any length.
_LONGEST = 200
_TIMES = ("minutes", "increment_s", "delay_s", "byoyomi_s")
_ASSIGNED = ("rulebook", "stage", *_TIMES, "draw_win", "extra_minutes", "hands_commit")
_MOST_LINES = 20


class RefereeAside:
    """The referee in a child process."""

    def __init__(self) -> None:
        self._aside = Aside(at_once=2)

    async def differences(self, message: str, assigned: Header, longest_s: float) -> tuple[Message, ...]:
        """Return the differences of a result as it arrived, one line each. AsideFailed without an answer within
        `longest_s` of the processor's time."""
        work = differences_of, message, header_object(assigned)
        answer = await self._aside.run(_BUSY * longest_s, within_processor_s, longest_s, *work)
        if answer is None:
            raise AsideFailed("expected an answer within {longest_s} s, got none", longest_s=f"{longest_s:g}")
        return msgspec.convert(answer, tuple[Message, ...])


@dataclass(slots=True)
class _Lane:
    """A queue of games to be judged."""

    # The limit of the processor's time for each game.
    longest_s: float
    waiting: dict[tuple[str, str], None] = field(default_factory=dict)
    more: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, tournament: str, game: str) -> None:
        self.waiting[tournament, game] = None
        self.more.set()


@dataclass(eq=False)
class Rejudging:
    """The queues of games whose latest result is to be judged. A game is queued once."""

    store: TournamentStore
    live: Live
    referee: RefereeAside
    log: Callable[[str, str], None]

    def __post_init__(self) -> None:
        self._soon, self._late = _Lane(SOON_S), _Lane(LATE_S)

    def add(self, tournament: str, game: str) -> None:
        """Queue a game after a result of it was recorded."""
        self._soon.add(tournament, game)

    def add_all(self) -> None:
        """Queue all games, the present ones first: after a start it is unknown which results were judged."""
        for state in self.store.states.values():
            if state.closed:
                continue
            latest_first = sorted(state.games.values(), key=lambda record: (-record.round, record.table))
            for record in latest_first:
                if record.reported is None or record.decided:
                    continue
                if not record.reported.differences:
                    self.add(state.id, record.id)
                elif _is_unjudged(record):
                    self._late.add(state.id, record.id)

    async def run(self) -> None:
        """Judge the queued games until cancelled."""
        await asyncio.gather(self._run_lane(self._soon), self._run_lane(self._late))

    async def _run_lane(self, lane: _Lane) -> None:
        while True:
            await lane.more.wait()
            await self._judge_waiting(lane)

    async def _judge_waiting(self, lane: _Lane) -> None:
        lane.more.clear()
        while lane.waiting:
            tournament, game = next(iter(lane.waiting))
            del lane.waiting[tournament, game]
            try:
                await self._judge_game(tournament, game, lane)
            except Exception as fault:
                # Whatever one table has sent: the hub goes on, and the operator is told.
                why = str(fault) if isinstance(fault, LedgerError) else f"{type(fault).__name__}: {fault}"
                self.live.drop("not judged again", f"game {game}: {why}")
                self.log("error", f"not judged again game={game} why={why!r}")
            if lane.more.is_set():  # results are coming in: their receipts come first
                lane.more.clear()
                await asyncio.sleep(_BREATH_S)

    async def _judge_game(self, tournament: str, game: str, lane: _Lane) -> None:
        state = self.store.states.get(tournament)
        record = state.games.get(game) if state is not None else None
        if state is None or record is None or record.reported is None:
            return
        revision = record.reported.revision
        message = await self.store.message(tournament, record)
        if not message:
            return
        entry_id = f"judged.{game}.{revision}"
        unanswered = False
        # As the table had it: the director may have exchanged colours or players since.
        black, white = record.reported.players
        try:
            assigned = header_of(state, replace(record, black=black, white=white))
            differences = await self.referee.differences(message, assigned, lane.longest_s)
        except Invalid as fault:
            differences = (Message.of("header: {why}", why=str(fault)),)
        except AsideFailed as fault:
            differences = (Message.of(UNJUDGED, why=fault.message),)
            self.log("error", f"not judged again game={game} why={str(fault)!r}")
            unanswered = True
        else:
            if differences == record.reported.differences:
                return
        if _is_unjudged(record):
            if differences and differences[0].text == UNJUDGED:
                return  # as it is on record
            entry_id += ".late"
        for difference in differences:
            self.log("warning", f"result differs id={game}.{revision} what={str(difference)!r}")
        write = Write(entry_id, ResultJudged(game=game, revision=revision, differences=differences), WHO)
        (outcome,) = await self.store.record(tournament, [write])
        if not isinstance(outcome, RecordedEntry):
            self.log("warning", f"not recorded id={entry_id} why={str(outcome)!r}")
        self.live.changed()
        if unanswered and lane is self._soon:
            self._late.add(
                tournament, game
            )  # now that it is recorded as in question, which the late answer ends


def _is_unjudged(record: Game) -> bool:
    reported = record.reported
    return reported is not None and any(difference.text == UNJUDGED for difference in reported.differences)


def differences_of(message: str, assigned: dict[str, Any]) -> list[dict[str, Any]]:
    """Return `differences` of a result as it arrived and of a header's JSON object, in plain values for a child
    process.
    """
    try:
        result = decode(Topic(None, "table", Kind.RESULT), message.encode())
        assert isinstance(result, Result)
        lines = differences(result, parse_header(assigned))
    except (BadMessage, Invalid) as fault:
        lines = (Message.of("result: {why}", why=str(fault)),)
    return [msgspec.to_builtins(line) for line in lines[:_MOST_LINES]]


def differences(result: Result, assigned: Header) -> tuple[Message, ...]:
    """Return the differences between the game file and the result or the assignment, one line each."""
    try:
        header, judged = _judged_again(result)
    except (Invalid, UnicodeDecodeError) as fault:
        return (Message.of("game file: {why}", why=str(fault)[:_LONGEST]),)
    except Exception as fault:  # neither reader nor referee raises; if one did, the hub must go on
        why = f"{type(fault).__name__}: {fault}"
        return (Message.of("game file: cannot be judged: {why}", why=why[:_LONGEST]),)
    claims: dict[str, object] = {
        "score": {"black": result.score.black, "white": result.score.white},
        "winner": result.winner,
        "reason": result.reason,
        "transcript": result.transcript,
    }
    if result.no_show is not None:
        claims["no_show"] = result.no_show
    lines = [
        Message.of(
            "{what}: the table says {claimed}, its game file gives {found}",
            what=name,
            claimed=_plain(claimed),
            found=_plain(judged.get(name)),
        )
        for name, claimed in claims.items()
        if judged.get(name) != claimed
    ]
    expected, got = header_object(assigned), header_object(header)
    lines += [
        Message.of(
            "{what}: {assigned} was assigned, the game file has {found}",
            what=name,
            assigned=_plain(expected.get(name, 0)),
            found=_plain(got.get(name, 0)),
        )
        for name in _ASSIGNED
        if expected.get(name) != got.get(name)
    ]
    return tuple(lines)


def _judged_again(result: Result) -> tuple[Header, dict[str, Any]]:
    """Return the game file's header, and the game's outcome by our own referee."""
    # Runs in the child process: the hub itself never loads the referee.
    from flagfall.othello.referee import judge, new_game
    from flagfall.othello.report import outcome

    header, inputs = parse_game(unpack_game(PackedFile(result.file, result.sha256)))
    game = new_game(header)
    for game_input in inputs:
        game = judge(game, game_input)
    return header, outcome(game)


def _plain(value: object) -> str | Message:
    if isinstance(value, dict) and set(value) == {"black", "white"}:
        return f"{value['black']}-{value['white']}"
    return Message("none") if value is None else str(value)[:_LONGEST]
