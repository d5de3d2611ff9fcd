"""Hands, virtual board, cable, sequencer and referee together: real games, and everything hands do wrong."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.desk_table import DeskTable, every_verdict_waits
from helpers.waiting import PATIENCE_S

from flagfall.othello.board import START, format_transcript
from flagfall.othello.gamefile import parse_header
from flagfall.othello.report import outcome
from flagfall.othello.side import Side
from simulator.hands import Hands, Manner, Played
from simulator.mistakes import FOUND_AS, Mistake, draw_mistakes, possible
from simulator.recorded import DEMO_GAMES, RecordedGame, read_games, replayed
from simulator.table_socket import SeenError, TableSeen, parse_view
from simulator.virtual_board import VirtualBoard
from table_app.board.driver import SerialBoard
from table_app.pins.buttons import LOCK_OUT_NS

FAST = Manner(think_s=0.0001, disc_s=0.002, reach_s=0.005, bounce_s=0.0, patience_s=PATIENCE_S)
GAMES = read_games(DEMO_GAMES)


@pytest.fixture(autouse=True)
def patient() -> Iterator[None]:
    with every_verdict_waits():
        yield


@pytest.fixture
def board(tmp_path: Path) -> Iterator[VirtualBoard]:
    board = VirtualBoard(tmp_path / "board")
    yield board
    board.close()


def at_table(board: VirtualBoard, judged: bool = True, kind: type[DeskTable] = DeskTable) -> DeskTable:
    header = {
        "type": "game",
        "format": "flagfall-game/1",
        "rulebook": "woc-2019",
        "minutes": 30,
        "judged": judged,
    }
    return kind(parse_header(header), SerialBoard(str(board.path)))


def play(
    board: VirtualBoard,
    plies: Sequence[int | None],
    plan: Mapping[int, Mistake] | None = None,
    judged: bool = True,
    manner: Manner = FAST,
) -> tuple[DeskTable, Played]:
    table = at_table(board, judged)
    try:
        hands = Hands(board, table, plies, plan=plan, judged=judged, seed=3, manner=manner, speed=1000)
        played = hands.play()
        table.wait(lambda: len(table.game.moves) == sum(ply is not None for ply in plies))
        table.wait(lambda: table.game.shown == board.position)
    finally:
        table.close()
    return table, played


def game_with_a_pass() -> RecordedGame:
    return next(game for game in GAMES if replayed(game.squares).passes)


def test_a_real_game_with_a_pass_comes_out_move_for_move(board: VirtualBoard) -> None:
    game = game_with_a_pass()
    table, played = play(board, replayed(game.squares).plies)
    result = outcome(table.game)
    assert result["transcript"] == format_transcript(game.squares)
    assert (result["score"]["black"], result["score"]["white"]) == game.score
    assert result["reason"] == "board"
    assert played.accused == []
    happened = Counter(incident["type"] for incident in result["incidents"])
    assert happened["press_out_of_turn"] <= played.presses_again, (
        "a hand whose clock did not turn for two seconds"
    )
    assert happened.keys() <= {"out_of_discs", "press_out_of_turn"}


def test_a_last_press_that_the_table_did_not_hear_is_made_again(board: VirtualBoard) -> None:
    unheard = []

    class OffAtTheEnd(DeskTable):
        def button(self, side: Side, *, down: bool) -> None:
            if len(unheard) < 2 and board.position.over():
                unheard.append(side)
                raise ConnectionError("the table is off")
            super().button(side, down=down)

    table = at_table(board, kind=OffAtTheEnd)
    plies = replayed(game_with_a_pass().squares).plies
    try:
        played = Hands(board, table, plies, seed=3, manner=FAST, speed=1000).play()
        assert table.game.over
        assert len(unheard) == 2 <= played.presses_again
    finally:
        table.close()


@pytest.mark.parametrize("mistake", list(Mistake))
@pytest.mark.parametrize("judged", [True, False])
def test_every_mistake_is_put_right_and_the_game_goes_on_as_recorded(
    board: VirtualBoard, mistake: Mistake, judged: bool
) -> None:
    # Each mistake once by either player in a game's first moves; who is not judged signals for themself.
    plies = replayed(GAMES[0].squares).plies[:10]
    plan: dict[int, Mistake] = {}
    position, black = START, True
    for ply, square in enumerate(plies):
        if ply in (4, 7) and possible(mistake, position, black, square):
            plan[ply] = mistake
        assert square is not None
        position, black = position.played(black, square), not black
    assert len(plan) == 2
    # A button is heard again only when it was still for a while.
    out_of_turn = mistake is Mistake.PRESS_OUT_OF_TURN
    manner = replace(FAST, reach_s=1.25 * LOCK_OUT_NS / 1e9) if out_of_turn else FAST
    table, played = play(board, plies, plan, judged, manner)
    assert table.game.moves == plies
    assert table.game.shown == position
    assert played.made == list(plan.items())
    assert played.accused == []
    assert played.missed == []
    if mistake in FOUND_AS and (judged or mistake is not Mistake.TOUCH_ELSEWHERE):
        assert played.noticed == played.made
    happened = Counter(incident["type"] for incident in outcome(table.game)["incidents"])
    pressed = len(plan) if out_of_turn else 0
    assert pressed <= happened["press_out_of_turn"] <= pressed + played.presses_again


def test_a_drawn_plan_is_the_same_for_the_same_seed() -> None:
    plies = replayed(GAMES[0].squares).plies
    plan = draw_mistakes(plies, seed=4, share=0.3)
    assert plan == draw_mistakes(plies, seed=4, share=0.3)
    assert plan != draw_mistakes(plies, seed=5, share=0.3)
    assert 8 < len(plan) < 30


def test_hands_leave_the_table_when_told(board: VirtualBoard) -> None:
    table = at_table(board)
    hands = Hands(board, table, (37,), manner=Manner(think_s=1e9))
    ended = threading.Event()

    def work() -> None:
        with pytest.raises(InterruptedError):
            hands.play()
        ended.set()

    threading.Thread(target=work, daemon=True).start()
    hands.stop()
    assert ended.wait(PATIENCE_S)
    table.close()


@pytest.mark.parametrize(
    "line", ["", "[]", "error: no", '{"running":"green"}', '{"errors":[{}]}', '{"errors":3}']
)
def test_an_answer_that_is_none_counts_as_no_table(line: str) -> None:
    with pytest.raises(ConnectionError):
        parse_view(line)


def test_what_is_seen() -> None:
    error = {"type": "misflip", "by": "black", "state": "open", "squares": ["d4"], "at_ns": 1}
    line = {"state": "running", "running": "white", "moves": 3, "errors": [error]}
    errors = (SeenError("misflip", Side.BLACK, "open"),)
    assert parse_view(json.dumps(line)) == TableSeen("running", Side.WHITE, errors)
    assert parse_view("{}") == TableSeen(None, None)
