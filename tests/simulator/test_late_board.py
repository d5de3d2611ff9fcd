"""Hands, board, cable, reader and table in the test's own time, each of them late: nobody is accused for that.

The board's body, its frames, the dialogue with it, the sequencer and the referee are the real ones; every delay is
drawn from a seed.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from random import Random
from typing import Any, cast

import pytest
from helpers.many_values import tried
from hypothesis import strategies as st

from flagfall.link.board.messages import TOUCH_DISC
from flagfall.othello.board import START, squares_of
from flagfall.othello.game import Game, IncidentType
from flagfall.othello.gamefile import parse_header
from flagfall.othello.inputs import Input, Press, Start
from flagfall.othello.side import Side
from simulator.plain_body import PlainBody
from simulator.recorded import DEMO_GAMES, read_games, replayed
from simulator.virtual_board import laid
from table_app.board.port import NoBoard
from table_app.board.session import BoardSession
from table_app.events import BoardFault, Event
from table_app.game.table_game import TableGame
from table_app.record.journal import JournalWriter
from table_app.record.state_dir import StateDirectory
from table_app.table_assignment import TableAssignment

MS = 1_000_000


@cache
def games() -> list[Any]:
    return [replayed(game.squares).plies for game in read_games(DEMO_GAMES)]


@dataclass(frozen=True)
class Late:
    """The lateness of each part, in milliseconds: one of these is drawn each time, and of that a part."""

    cable_ms: tuple[int, ...] = (3,)
    board_ms: tuple[int, ...] = (0,)
    loop_ms: tuple[int, ...] = (0,)
    # The share of the board's frames.
    lost: float = 0.0
    # The opponent waits for the verdict, else for the clock alone.
    sees_verdicts: bool = False


LATE = {
    "in time": Late(),
    "within the silence": Late(cable_ms=(3, 150)),
    "beyond the silence": Late(cable_ms=(3, 3, 3, 400)),
    "beyond all patience": Late(cable_ms=(3, 3, 3, 3, 3, 3, 1500)),
    "a board without a processor": Late(board_ms=(0, 0, 0, 300)),
    "a board long without a processor": Late(board_ms=(0, 0, 0, 0, 0, 1500)),
    "a table without a processor": Late(loop_ms=(0, 0, 100, 400)),
    "frames lost": Late(lost=0.03),
    "everything": Late((3, 3, 3, 300), (0, 0, 0, 300), (0, 0, 0, 400), 0.02),
    "everything, verdicts seen": Late((3, 3, 3, 300), (0, 0, 0, 300), (0, 0, 0, 400), 0.02, True),
}


class Nowhere:
    """State directory and recorder of a table that keeps nothing."""

    def journal_path(self, game_id: str) -> str:
        return game_id

    def journal(self, game_id: str) -> tuple[None, None]:
        return None, None

    def begin(self, *arguments: object) -> None: ...

    def append(self, *arguments: object) -> None: ...

    def after_durable(self, then: Callable[[], None]) -> None:
        then()


class Room:
    """One table in a time of its own, nanoseconds from the board's power on."""

    def __init__(
        self, seed: int, plies: tuple[int | None, ...], late: Late, rulebook: str, judged: bool
    ) -> None:
        self.chance, self.plies, self.late = Random(seed), plies, late
        self.now_ns = self.arrives_ns = 0
        self.over = False
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._number = 0
        self._wanted: dict[str, int] = {}
        self._to_board = b""
        self._inbox: list[Event | Input] = []
        self.body = PlainBody("00000000000000b0", START)
        self.questions_ns: deque[int] = deque()
        self.dialogue = BoardSession(0, questions_ns=self.questions_ns)
        nowhere = Nowhere()
        self.table = TableGame(
            state=cast(StateDirectory, nowhere),
            recorder=cast(JournalWriter, nowhere),
            board=NoBoard(),
            answered=lambda ruling_id, answer: None,
        )
        header = {
            "type": "game",
            "format": "flagfall-game/1",
            "rulebook": rulebook,
            "minutes": 30,
            "judged": judged,
        }
        self.table.take_on(
            TableAssignment(seq=1, tournament="t", game_id="g", seat=1, header=parse_header(header)), 0
        )

    @property
    def game(self) -> Game:
        assert self.table.play is not None
        return self.table.play.game

    def play(self) -> Game:
        hands = self._hands()

        def step() -> None:
            pause_ns = next(hands, None)
            if pause_ns is None:
                self.over = True
            else:
                self._at(self.now_ns + max(1, pause_ns), step)

        self._to_board = self.dialogue.to_send(0)
        self._at(0, step)
        self._wake("board", 0)
        while not self.over:
            self.now_ns, _, act = heapq.heappop(self._due)
            act()
        return self.game

    def _at(self, at_ns: int, act: Callable[[], None]) -> None:
        self._number += 1
        heapq.heappush(self._due, (at_ns, self._number, act))

    def _some(self, choices_ms: tuple[int, ...]) -> int:
        return int(self.chance.choice(choices_ms) * MS * self.chance.random())

    def _wake(self, part: str, at_ns: int) -> None:
        """Run the board's or the table's thread at this instant, or when it gets a processor."""
        acts = {"board": (self._board, self.late.board_ms), "table": (self._turn, self.late.loop_ms)}
        act, late_ms = acts[part]
        at_ns = max(self.now_ns, at_ns) + self._some(late_ms)
        if part in self._wanted and self._wanted[part] <= at_ns:
            return
        self._wanted[part] = at_ns

        def run() -> None:
            if self._wanted.get(part) == at_ns:
                del self._wanted[part]
                act()

        self._at(at_ns, run)

    def _board(self) -> None:
        received, self._to_board = self._to_board, b""
        for frame in filter(None, self.body.work(self.now_ns, received).split(b"\0")):
            if self.chance.random() >= self.late.lost:
                self.arrives_ns = max(self.arrives_ns, self.now_ns + self._some(self.late.cable_ms)) + 10_000
                self._at(self.arrives_ns, partial(self._read, frame + b"\0"))
        self._wake("board", self.body.wake_ns)

    def _read(self, data: bytes) -> None:
        if not self.dialogue.present and self.dialogue.given_up(self.now_ns):
            # As the driver does: the cable is opened anew.
            self.dialogue = BoardSession(self.now_ns, questions_ns=self.questions_ns)
        self._inbox += self.dialogue.received(data, self.now_ns)
        self._wake("table", self.now_ns)
        self._to_board += self.dialogue.to_send(self.now_ns)
        if self._to_board:
            self._wake("board", self.now_ns)

    def _turn(self) -> None:
        taken, self._inbox = self._inbox, []
        for event in taken:
            if isinstance(event, Press):
                self.table.press(event, self.now_ns)
            elif isinstance(event, Start):
                self.table.add(event, self.now_ns)
            elif not isinstance(event, BoardFault):
                self.table.from_board(cast(Any, event), self.now_ns)
        self.table.advance(self.now_ns)
        next_ns = self.table.next_ns(self.now_ns)
        if next_ns is not None:
            self._wake("table", max(self.now_ns + MS, next_ns))

    def _say(self, event: Input) -> None:
        self._inbox.append(event)
        self._wake("table", self.now_ns)

    def _hands(self) -> Iterator[int]:
        """Yield pauses. A disc takes some milliseconds, the way to the button at most sixty, that of the opponent's
        hand to the board at least thirty.
        """
        while self.table.watch.position is None:
            yield 10 * MS
        self._say(Start(self.now_ns))
        while not self.game.armed:
            yield 10 * MS
        self._say(Press(self.now_ns, Side.WHITE))
        position, black = START, True
        for square in self.plies:
            side = Side.BLACK if black else Side.WHITE
            while not self._sees(side):
                yield 10 * MS
            yield self.chance.randrange(30 * MS, 60 * MS)
            if square is not None:
                self.body.touch(square, TOUCH_DISC, self.now_ns)
                self._lay(square, black)
                flips = list(squares_of(position.flips(black, square)))
                self.chance.shuffle(flips)
                for flipped in flips:
                    yield self.chance.randrange(2 * MS, 12 * MS)
                    self._lay(flipped, black)
                position = position.played(black, square)
            yield self.chance.randrange(60 * MS)
            self._say(Press(self.now_ns, side))
            black = not black
        for _ in range(100):
            if not self.game.over:
                yield 100 * MS

    def _sees(self, side: Side) -> bool:
        seen = self.game if self.late.sees_verdicts else self.table.shown
        assert seen is not None
        return seen.over or seen.clock.running is side

    def _lay(self, square: int, black: bool) -> None:
        self.body.change(laid(self.body.lying, square, black), self.now_ns)
        self._wake("board", self.body.wake_ns)


def play_late(late: str, seed: int, rulebook: str, judged: bool, number: int) -> None:
    plies = games()[number]
    room = Room(seed, plies, LATE[late], rulebook, judged)
    game = room.play()
    assert [incident for incident in game.incidents if incident.state is not None] == []
    assert not any(incident.type is IncidentType.MOVED_ON_OPPONENTS_TIME for incident in game.incidents)
    assert room.body.lying == _end(plies)
    if LATE[late].lost == 0:
        assert game.over and game.shown == room.body.lying
        assert game.moves == tuple(ply for ply in plies if ply is not None)


# Each under one rulebook with a judge and one without; the night has the other two pairs, and new chances.
@pytest.mark.parametrize(
    "seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 7))]
)
@pytest.mark.parametrize("late", sorted(LATE))
def test_however_late_the_words_of_a_board_nobody_is_accused(late: str, seed: int) -> None:
    play_late(late, seed, "woc-2019" if seed % 2 else "usoa", bool(seed & 2), seed)


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("late", sorted(LATE))
def test_no_chance_makes_a_late_board_accuse_anybody(late: str) -> None:
    numbers, rulebooks = st.integers(0, len(games()) - 1), st.sampled_from(["woc-2019", "usoa"])
    values = st.tuples(st.integers(0, 2**32), rulebooks, st.booleans(), numbers)
    tried(200, values, lambda drawn: play_late(late, *drawn), new=True)


def test_the_first_seconds_of_a_slow_cable_accuse_nobody() -> None:
    # An answer came that made the board's time known to 18 ms instead of 82 between a touch and its disc.
    play_late("beyond the silence", 15401, "woc-2019", False, 0)


def test_a_position_told_with_the_gap_behind_it_is_not_taken_for_the_board_after_the_gap() -> None:
    # White's last flip came in a lost frame; the frame after it dated the gap like the position told before.
    play_late("everything", 820568063, "usoa", True, 11)


def test_a_lost_answer_to_the_first_question_holds_nobody_up() -> None:
    play_late("frames lost", 2201577329, "woc-2019", False, 195)


def test_a_disc_whose_instant_is_not_known_well_is_not_held_to_have_come_before_the_press() -> None:
    # The board's time was known to 80 ms: White's disc, 58 ms after Black's press, was dated before it.
    play_late("everything", 2760708517, "woc-2019", True, 131)


def test_an_answer_to_a_question_asked_before_the_port_was_opened_anew_dates_nothing() -> None:
    # It was taken for that of the first question after: all that the board told was dated up to 1.5 s too late, and
    # Black's press was judged by the board before their move.
    play_late("beyond all patience", 11567, "woc-2019", False, 32)


def test_positions_dated_alike_keep_their_order() -> None:
    # The board's time became better known: three positions of White's move were dated the same, and the last two were
    # swapped before their press.
    play_late("everything", 2146576119, "usoa", True, 398)


def _end(plies: tuple[int | None, ...]) -> Any:
    position = START
    for number, square in enumerate(plies):
        position = position if square is None else position.played(number % 2 == 0, square)
    return position


@pytest.mark.parametrize("late", sorted(LATE))
def test_each_way_of_being_late_plays_a_game_with_a_pass(late: str) -> None:
    plies = next(game for game in games() if None in game)
    game = Room(1, plies, LATE[late], "woc-2019", True).play()
    assert [incident for incident in game.incidents if incident.state is not None] == []
