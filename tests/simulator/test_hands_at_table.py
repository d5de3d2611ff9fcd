"""Hands, virtual board, cable, sequencer and referee together: real games, and everything hands do wrong."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import pytest

from othello.board import START
from othello.game import Game, Header
from othello.gamefile import parse_header, parse_input
from othello.inputs import BoardState, Input, Shown, Start, Touch
from othello.notation import format_transcript
from othello.referee import judge, new_game
from othello.report import outcome
from othello.side import Side
from simulator.hands import Hands, Manner, Played
from simulator.mistakes import FOUND_AS, Mistake, drawn, possible
from simulator.recorded import DEMO_GAMES, RecordedGame, read_games, replayed
from simulator.table_socket import Seen, SeenError, seen
from simulator.virtual_board import VirtualBoard
from table_app.board_serial import SerialBoard
from table_app.buttons import Presses
from table_app.events import (
    BoardPresence,
    BoardShown,
    BoardStream,
    BoardTouched,
    ButtonEdge,
    Event,
)
from table_app.sequencer import Sequencer

FAST = Manner(think_s=0.0001, disc_s=0.002, reach_s=0.005, bounce_s=0.004, patience_s=20.0)


class DeskTable:
    """The way from the edges to the referee without disk, hub or screen: `AtTable` for hands."""

    def __init__(self, header: Header, board: VirtualBoard) -> None:
        self.game: Game = new_game(header)
        self.inputs: list[Input] = []
        self._inbox: SimpleQueue[Event | Input] = SimpleQueue()
        self._sequencer: Sequencer[str] = Sequencer()
        self._presses = Presses()
        self._closing = threading.Event()
        self._began_ns = time.monotonic_ns()
        self.port = SerialBoard(str(board.path))
        self.port.start(self._inbox.put, self.now_ns)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._wait(lambda: any(isinstance(made, Shown) for made in self.inputs))
        self._inbox.put(Start(self.now_ns()))
        self._wait(lambda: self.game.armed)

    def now_ns(self) -> int:
        return time.monotonic_ns() - self._began_ns

    def _wait(self, until: Any) -> None:
        deadline_s = time.monotonic() + 20
        while not until():
            assert time.monotonic() < deadline_s
            time.sleep(0.005)

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        self.port.close()

    def button(self, side: Side, *, down: bool) -> None:
        self._inbox.put(ButtonEdge(self.now_ns(), side, down))

    def see(self) -> Seen:
        game = self.game
        found = outcome(game)
        errors = tuple(
            SeenError(incident["type"], incident["by"] and Side(incident["by"]), incident["state"])
            for incident in found["incidents"]
            if incident["state"] is not None
        )
        return Seen(found["state"], game.clock.running, len(game.moves), errors)

    def tap(self, request: Mapping[str, Any]) -> str:
        self._inbox.put(parse_input({"at_ns": self.now_ns(), **request}))
        return ""

    def _run(self) -> None:
        while not self._closing.is_set():
            with suppress(Empty):
                self._take(self._inbox.get(timeout=0.005))
            for held in self._sequencer.take(self.now_ns()):
                self.inputs.append(held.input)
                self.game = judge(self.game, held.input)

    def _take(self, event: Event | Input) -> None:
        now_ns = self.now_ns()
        match event:
            case ButtonEdge():
                press = self._presses.edge(event)
                if press is not None:
                    self._sequencer.add(press, "", now_ns)
            case BoardPresence(at_ns, ok):
                self._sequencer.add(BoardState(at_ns, ok), "", now_ns)
                if ok:
                    self._sequencer.board_came(now_ns)
                else:
                    self._sequencer.board_went()
            case BoardShown(at_ns, position):
                self._sequencer.add(Shown(at_ns, position), "", now_ns)
            case BoardTouched(at_ns, square, contact):
                self._sequencer.add(Touch(at_ns, square, contact), "", now_ns)
            case BoardStream(settled_to_ns):
                self._sequencer.board_settled(settled_to_ns, now_ns)
            case Start():
                self._sequencer.add(event, "", now_ns)
            case _ if hasattr(event, "at_ns") and type(event).__module__ == "othello.inputs":
                self._sequencer.add(event, "", now_ns)
            case _:
                pass


@pytest.fixture
def board(tmp_path: Path) -> Iterator[VirtualBoard]:
    board = VirtualBoard(tmp_path / "board")
    yield board
    board.close()


GAMES = read_games(DEMO_GAMES)


def game_with_a_pass() -> RecordedGame:
    return next(game for game in GAMES if replayed(game.squares).passes)


def play(
    board: VirtualBoard,
    plies: Sequence[int | None],
    plan: Mapping[int, Mistake] | None = None,
    judged: bool = True,
    rulebook: str = "woc-2019",
) -> tuple[DeskTable, Played]:
    header = parse_header(
        {"type": "game", "format": "flagfall-game/1", "rulebook": rulebook, "minutes": 30, "judged": judged}
    )
    table = DeskTable(header, board)
    try:
        hands = Hands(
            board,
            table,
            plies,
            plan=plan,
            judged=judged,
            seed=3,
            manner=FAST,
            speed=1000,
        )
        played = hands.play()
        table._wait(lambda: len(table.game.moves) == sum(ply is not None for ply in plies))
    finally:
        table.close()
    return table, played


def test_a_real_game_with_a_pass_comes_out_move_for_move(board: VirtualBoard) -> None:
    game = game_with_a_pass()
    table, played = play(board, replayed(game.squares).plies)
    found = outcome(table.game)
    assert found["transcript"] == format_transcript(game.squares)
    assert (found["score"]["black"], found["score"]["white"]) == game.score
    assert found["reason"] == "board"
    assert played.accused == []
    assert {incident["type"] for incident in found["incidents"]} <= {"out_of_discs"}


@pytest.mark.parametrize("mistake", list(Mistake))
@pytest.mark.parametrize("judged", [True, False])
def test_every_mistake_is_put_right_and_the_game_goes_on_as_recorded(
    board: VirtualBoard, mistake: Mistake, judged: bool
) -> None:
    """Each mistake once by either player in a game's first moves; who is not judged signals for himself."""
    game = GAMES[0]
    plies = replayed(game.squares).plies[:10]
    plan: dict[int, Mistake] = {}
    position, black = START, True
    for ply, square in enumerate(plies):
        if ply in (4, 7) and possible(mistake, position, black, square):
            plan[ply] = mistake
        assert square is not None
        position, black = position.played(black, square), not black
    assert len(plan) == 2
    moves = [square for square in plies if square is not None]
    table, played = play(board, plies, plan, judged)
    assert list(table.game.moves) == moves
    table._wait(lambda: table.game.shown == position)
    assert played.made == list(plan.items())
    assert played.accused == []
    assert played.missed == []
    if mistake in FOUND_AS and (judged or mistake is not Mistake.TOUCH_ELSEWHERE):
        assert played.found == played.made


def test_a_drawn_plan_is_the_same_for_the_same_seed() -> None:
    plies = replayed(GAMES[0].squares).plies
    plan = drawn(plies, seed=4, share=0.3)
    assert plan == drawn(plies, seed=4, share=0.3)
    assert plan != drawn(plies, seed=5, share=0.3)
    assert 8 < len(plan) < 30


def test_hands_leave_the_table_when_told(board: VirtualBoard) -> None:
    header = parse_header(
        {"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019", "minutes": 30}
    )
    table = DeskTable(header, board)
    hands = Hands(board, table, (37,), manner=Manner(think_s=1e9))
    ended = threading.Event()

    def work() -> None:
        with pytest.raises(InterruptedError):
            hands.play()
        ended.set()

    threading.Thread(target=work, daemon=True).start()
    hands.stop()
    assert ended.wait(20)
    table.close()


@pytest.mark.parametrize(
    "line", ["", "[]", "error: no", '{"running":"green"}', '{"errors":[{}]}', '{"errors":3}']
)
def test_an_answer_that_is_none_counts_as_no_table(line: str) -> None:
    with pytest.raises(ConnectionError):
        seen(line)


def test_what_is_seen() -> None:
    line = {
        "state": "running",
        "running": "white",
        "moves": 3,
        "errors": [{"type": "misflip", "by": "black", "state": "open", "squares": ["d4"], "at_ns": 1}],
    }
    assert seen(json.dumps(line)) == Seen(
        "running", Side.WHITE, 3, (SeenError("misflip", Side.BLACK, "open"),)
    )
    assert seen("{}") == Seen(None, None)
