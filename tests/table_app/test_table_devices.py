"""Lamps, systemd's watchdog, and the watch over the clock itself."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from othello.game import Header
from othello.referee import new_game
from othello.rulebook import rulebook
from othello.side import Both, Side
from table_app.lamps import PinLamps
from table_app.slew import WINDOW_NS, SlewWatch
from table_app.view import TableView
from table_app.watchdog import Watchdog

GAME = new_game(Header(rulebook("woc-2019"), 30))


def test_the_lamp_of_the_running_side_is_lit() -> None:
    factory = MockFactory()
    lamps = PinLamps(factory, Both(5, 6))
    black, white = factory.pin("GPIO5"), factory.pin("GPIO6")
    states = []
    for running, swapped in ((None, False), (Side.BLACK, False), (Side.WHITE, False), (Side.WHITE, True)):
        game = replace(GAME, clock=GAME.clock.run(running, 0))
        lamps.show(TableView(game=game, swapped=swapped))
        states.append((black.state, white.state))
    lamps.show(TableView())
    states.append((black.state, white.state))
    factory.reset()
    assert states == [(0, 0), (1, 0), (0, 1), (1, 0), (0, 0)]


def test_systemd_hears_of_each_quarter_of_its_patience_and_not_more(tmp_path: Path) -> None:
    path = str(tmp_path / "n")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(path)
        listener.setblocking(False)
        watchdog = Watchdog({"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "60000000"})
        watchdog.ready()
        for _ in range(50):
            watchdog.turned()
        watchdog.stopping()
        assert [listener.recv(99) for _ in range(3)] == [b"READY=1", b"WATCHDOG=1", b"STOPPING=1"]
        with pytest.raises(BlockingIOError):
            listener.recv(99)
        other = Watchdog({"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "1", "WATCHDOG_PID": str(os.getpid() + 1)})
        other.turned()
        with pytest.raises(BlockingIOError):
            listener.recv(99)
    Watchdog({}).ready()
    Watchdog({"NOTIFY_SOCKET": str(tmp_path / "nobody")}).ready()


def test_a_slew_is_told_while_it_lasts() -> None:
    readings = iter([(0, 0), (WINDOW_NS // 2, WINDOW_NS // 2)])
    watch = SlewWatch(lambda: next(readings))
    assert not watch.look()
    clocks = [(0, 0)]
    watch = SlewWatch(lambda: clocks[0])
    clocks[0] = (WINDOW_NS + 500_000, WINDOW_NS)
    assert not watch.look() and watch.trouble == ""
    clocks[0] = (clocks[0][0] + WINDOW_NS + 20_000_000, 2 * WINDOW_NS)
    assert watch.look() and watch.trouble == "clock slewed by +2000 ppm"
    clocks[0] = (clocks[0][0] + WINDOW_NS, 3 * WINDOW_NS)
    assert watch.look() and watch.trouble == ""


def test_without_a_raw_clock_nothing_is_said() -> None:
    watch = SlewWatch(lambda: None)
    assert not watch.look() and watch.trouble == ""
