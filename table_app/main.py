"""`flagfall-table`: its commands, and the appliance put together out of the parts that this device is made of."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from queue import SimpleQueue
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from link.identity import IdentityError
from link.tls import TlsError
from othello.gamefile import GameFileError
from table_app import assembly, replay
from table_app.appliance import Appliance
from table_app.board_places import FILE_NAME as BOARD_PLACES
from table_app.board_places import BoardPlaces, read_places
from table_app.buttons import PinButtons
from table_app.command_line import config_of, parser
from table_app.config import Config, ConfigError, local_header
from table_app.courier import Courier
from table_app.enrol import EnrolError, enrol, state_dir_of
from table_app.inbox import Close, DiskTrouble, Inbox
from table_app.instants import Instants
from table_app.log import Log
from table_app.recorder import Recorder, SyncedDisk
from table_app.screen_port import ScreenError, Shows
from table_app.screen_process import DrawnBoard
from table_app.seen import seen, touch_of_screen
from table_app.spoken import spoken
from table_app.state_dir import StateDirectory, StateError
from table_app.virtual_pins import VirtualPins
from table_app.watchdog import Watchdog
from table_app.words import words_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; 0 done, 1 the answer is no, 2 bad arguments or bad input (one line on standard
    error).
    """
    options = parser().parse_args(arguments)
    try:
        match options.command:
            case "replay":
                return _replay(options)
            case "doctor":
                from table_app.checkup import checked

                return checked(options)
            case "enrol":
                return _enrol(options)
            case _:
                return _run(options)
    except (
        ConfigError,
        StateError,
        IdentityError,
        TlsError,
        EnrolError,
        ScreenError,
        replay.ReplayError,
    ) as error:
        print(error, file=sys.stderr)
        return 2


def _enrol(options: argparse.Namespace) -> int:
    state_dir = state_dir_of(options.state_dir, os.environ, options.config)
    print(enrol(options.code, options.hub, state_dir, options.config, options.again))
    return 0


def _replay(options: argparse.Namespace) -> int:
    game = replay.replayed(options.file)
    print(replay.as_json(game) if options.json else replay.as_text(game))
    return 0


def _run(options: argparse.Namespace) -> int:
    config = config_of(options)
    with ExitStack() as stack:
        drawn = "practice" if options.practice else "simulate" if options.simulate else ""
        if drawn == "practice":
            # Nothing of a practice game is kept.
            folder = stack.enter_context(TemporaryDirectory(prefix="flagfall-practice-"))
            config = replace(config, state_dir=Path(folder), judged=True, broker_host="", face_to_face=False)
        elif drawn:
            config = replace(config, state_dir=config.state_dir / drawn)
        state = StateDirectory(config.state_dir)
        state.open()
        stack.callback(state.close)
        _play(config, state, drawn, stack)
    return 0


def _play(config: Config, state: StateDirectory, drawn: str, stack: ExitStack) -> None:
    """The appliance, from its parts to its end. What is put on the stack first is closed last."""
    log = Log()
    inbox: Inbox = SimpleQueue()
    instants = Instants.going_on_from(state.last_instant_ns())
    shows: list[Shows] = []
    words = words_of(config)
    screen = assembly.screen(config, drawn, instants.zero_ns, inbox)
    if screen is not None:
        # First of all: another program begins.
        screen.start()
        stack.callback(screen.close)
        shows.append(screen)
    identity = assembly.identity(config, state)
    recorder = Recorder(SyncedDisk(), lambda why: inbox.put(DiskTrouble(why)))
    courier = Courier(
        identity=identity,
        outbox=state.outbox_path,
        link=assembly.link(config, identity, inbox),
        told=inbox.put,
        random=Random(),
    )
    places = BoardPlaces(
        read_places(state.path / BOARD_PLACES),
        lambda content: recorder.replace(state.path / BOARD_PLACES, content),
    )
    board = DrawnBoard(screen) if screen is not None and drawn else assembly.board(config, places)
    factory, pins = assembly.pin_factory(config), assembly.button_pins(config)
    lamps, asks = assembly.lamps(config, factory), assembly.asks(config, factory)
    if lamps is not None:
        stack.callback(lamps.close)
        shows.append(lamps)
    speech = assembly.speech(config)
    stack.callback(speech.close)
    watchdog = Watchdog(os.environ)
    appliance = Appliance(
        inbox=inbox,
        instants=instants,
        identity=identity,
        state=state,
        recorder=recorder,
        courier=courier,
        board=board,
        shows=shows,
        log=log,
        version=_version(),
        board_places=places,
        swapped=config.sides_swapped,
        local_header=None if config.broker_host else local_header(config),
        turned=watchdog.turned,
        spoken=lambda side, game, now_ns: speech.say(spoken(game, side, now_ns, words)),
        updates=assembly.updates(config, state, _version(), recorder, inbox, log),
    )
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda *_: inbox.put(Close()))
    courier.start()
    stack.callback(courier.close)
    # What it has still to write is still to be sent.
    recorder.start()
    stack.callback(recorder.close)
    appliance.restore(state.kept())
    if screen is not None:
        screen.show(appliance.view)
        screen.await_opened()
    if factory is not None:
        buttons = PinButtons(factory, pins)
        stack.callback(buttons.close)
        for side in buttons.start(inbox.put, instants.of_monotonic_ns):
            log.warning("button down at the start", side=side)
            appliance.held_from_the_start(side)
    if asks is not None:
        asks.start(inbox.put, instants.now_ns)
        stack.callback(asks.close)
    board.start(inbox.put, instants.now_ns)
    stack.callback(board.close)
    if config.buttons == "virtual":

        def touched(request: Mapping[str, Any]) -> str:
            try:
                inbox.put(touch_of_screen(request, instants.now_ns()))
            except GameFileError as error:
                return str(error)
            return ""

        hands = VirtualPins(
            state.path, factory, pins, state=lambda: seen(appliance.view, instants.now_ns()), screen=touched
        )
        hands.start()
        stack.callback(hands.close)
    watchdog.ready()
    stack.callback(watchdog.stopping)
    log.info("running", device=identity.device, state=state.path, hub=config.broker_host or "-")
    appliance.run()
    log.info("stopped")


def _version() -> str:
    try:
        return version("flagfall")
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    sys.exit(main())
