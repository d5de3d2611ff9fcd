"""The builder's view of a board whose firmware runs before the model."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from helpers.waiting import PATIENCE_S, until

from flagfall.link.board.messages import RawStream
from flagfall.othello.board import START
from simulator.board_model import BoardModel, Disc
from simulator.firmware_body import FirmwareBody
from simulator.virtual_board import VirtualBoard
from table_app.board.driver import SerialBoard
from table_app.board.monitor import BoardLive
from table_app.events import BoardShown


def test_a_real_firmware_fills_the_page(tmp_path: Path) -> None:
    # The builder's whole way: port, raw stream, a weak disc on e4.
    model = BoardModel(seed=2)
    body = FirmwareBody("00000000000000b0", START, model=model)
    model.put(28, Disc(black=True, strength=0.65))
    board = VirtualBoard(tmp_path / "board", body=body)
    live = BoardLive()
    port = SerialBoard(str(board.path), on_raw=live.raw)
    came = threading.Event()

    def put(event: object) -> None:
        live.event(event)  # type: ignore[arg-type]
        if isinstance(event, BoardShown):
            came.set()

    port.start(put, time.monotonic_ns)
    assert came.wait(PATIENCE_S)
    port.say(RawStream(True))
    until(lambda: "least margin" in live.page(), live.page)
    port.close()
    board.close()
    row = live.page().splitlines()[9]
    assert row.strip().startswith("4")
    assert row.count("O") == 1
    assert row.count("X") == 1
