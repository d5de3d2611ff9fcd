"""A whole real game from discs with magnets through the firmware and a pty to the referee, move for move."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from helpers.desk_table import DeskTable, every_verdict_waits
from helpers.waiting import PATIENCE_S

from flagfall.othello.board import START, format_transcript
from flagfall.othello.gamefile import parse_header
from flagfall.othello.report import outcome
from simulator.firmware_body import Firmware, FirmwareBody, InMicroPython, InThisProcess
from simulator.hands import Hands, Manner
from simulator.mistakes import Mistake
from simulator.recorded import DEMO_GAMES, read_games, replayed
from simulator.virtual_board import VirtualBoard
from table_app.board.driver import SerialBoard

IDENTITY = "e661385283774f2b"
# Twice as fast as a hand: an answer begins 60 ms after the press, on discs turned 20 ms apart.
QUICK = Manner(think_s=0.001, disc_s=0.02, reach_s=0.06, bounce_s=0.0, patience_s=PATIENCE_S)


@pytest.mark.parametrize("where", [pytest.param("cpython", marks=pytest.mark.long), "micropython"])
def test_a_game_comes_out_move_for_move(where: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    # Presses come right after the last disc, hands straighten, discs lie off the middle, zeros are spread.
    package = request.getfixturevalue("micropython") if where == "micropython" else None

    def starts(identity: bytes, stored: str | None, now_us: int) -> Firmware:
        if package is None:
            return InThisProcess(identity, stored, now_us)
        return InMicroPython(package, identity, stored)

    game = next(game for game in read_games(DEMO_GAMES) if len(game.squares) == 60)
    plies = replayed(game.squares).plies
    body = FirmwareBody(IDENTITY, START, starts=starts, count_from_us=2**32 - 3_000_000, drift_ppm=30)
    board = VirtualBoard(tmp_path / "board", body=body)
    header = parse_header(
        {"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019", "minutes": 30}
    )
    plan = {ply: Mistake.PRESS_AT_ONCE if ply % 2 else Mistake.STRAIGHTEN for ply in range(2, len(plies), 3)}
    with every_verdict_waits():
        table = DeskTable(header, SerialBoard(str(board.path)))
        try:
            played = Hands(board, table, plies, plan=plan, seed=1, speed=1000, manner=QUICK).play()
            table.wait(lambda: table.game.over)
        finally:
            table.close()
            board.close()
            body.power_off()
    result = outcome(table.game)
    assert result["transcript"] == format_transcript(game.squares)
    assert (result["score"]["black"], result["score"]["white"]) == game.score
    assert played.accused == []
    happened = Counter(incident["type"] for incident in result["incidents"])
    assert happened["press_out_of_turn"] <= played.presses_again, (
        "a hand whose clock did not turn for two seconds"
    )
    # A starved table loses frames, which it says and goes on from: nobody is accused of it.
    assert happened.keys() <= {"out_of_discs", "press_out_of_turn", "board_lost"}, result["incidents"]
