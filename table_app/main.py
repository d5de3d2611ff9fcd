"""`flagfall-table`: the only place that knows which parts this device is made of, and puts them together."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from queue import SimpleQueue
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from link import identity as identities
from link.client import Arrival, LinkClient
from link.identity import Identity, IdentityError
from link.tls import TlsError, client_context
from link.topics import device_filter
from othello.gamefile import GameFileError
from othello.side import Both
from table_app import replay
from table_app.appliance import Appliance
from table_app.board_bench import watch
from table_app.board_none import NoBoard
from table_app.board_places import FILE_NAME as BOARD_PLACES
from table_app.board_places import BoardPlaces, read_places
from table_app.board_port import BoardPort
from table_app.board_serial import SerialBoard
from table_app.buttons import ButtonsPort, NoButtons, PinButtons
from table_app.command_line import LIVE, config_of, parser
from table_app.config import Config, ConfigError, local_header
from table_app.connectors import connected, device_of
from table_app.courier import Courier, LinkPort, NoLink
from table_app.desk import Coach, Desk
from table_app.enrol import EnrolError, enrol, state_dir_of
from table_app.events import Event, LinkMessage, LinkState
from table_app.inbox import Close, DiskTrouble, Inbox, ScreenTrouble
from table_app.instants import Instants
from table_app.lamps import PinLamps
from table_app.log import Log
from table_app.practice import PINS, Hands
from table_app.recorder import Recorder, SyncedDisk
from table_app.screen_port import NoScreen, ScreenError, ScreenPort
from table_app.screens import FACE_SIZE, PRACTICE_SIZE, SIMULATED_SIZE, setup_of, words_of
from table_app.seen import seen, touch_of_screen
from table_app.simulate import SimulatedBoard
from table_app.speech import CommandSpeech, NoSpeech, PinAsks, SpeechPort
from table_app.spoken import spoken
from table_app.state_dir import StateDirectory, StateError
from table_app.time_server import TimeServerError, ask
from table_app.virtual_pins import VirtualPins
from table_app.watchdog import Watchdog

_VIRTUAL_PINS = Both(17, 27)


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
                return _doctor(options)
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


def _doctor(options: argparse.Namespace) -> int:
    from table_app import clock_rate, doctor

    if options.board == LIVE:
        return _show_board(options)
    config = config_of(options)
    state = StateDirectory(config.state_dir)
    state.open()
    try:
        if options.clock is not None:
            if not 0 < options.clock <= 1000:
                raise ConfigError(f"--clock: expected hours above 0, at most 1000, got {options.clock:g}")
            host = options.clock_host
            rate = clock_rate.measure(options.clock, None if host is None else partial(ask, host))
            SyncedDisk().replace(config.state_dir / clock_rate.FILE_NAME, clock_rate.rate_bytes(rate))
        identity = _identity(config, state) if _identity_path(config, state).exists() else None
        checks = [
            doctor.buttons(
                config.buttons,
                _gpio_factory,
                Both(config.black_pin, config.white_pin),
                doctor.PRESS_WITHIN_S if options.press else 0.0,
            ),
            doctor.board(config.board, _board(config, BoardPlaces({}))),
            doctor.screen(config.screen, config.connector),
            doctor.clock(config.state_dir),
            doctor.storage(config.state_dir),
            doctor.link(config, identity),
            doctor.power(),
            doctor.voice(config.speech),
        ]
    except (clock_rate.RateError, TimeServerError) as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        state.close()
    print(doctor.as_json(checks) if options.json else doctor.as_text(checks))
    return 0 if all(check.ok for check in checks) else 1


def _show_board(options: argparse.Namespace) -> int:
    """The 64 squares live; needs neither buttons nor a record."""
    options.board, options.buttons = None, "keys"
    config = config_of(options)
    if config.board == "none":
        raise ConfigError('board: expected a port or "auto", got "none"')
    there = watch(lambda live: SerialBoard(config.board, on_raw=live.raw), sys.stdout, sys.stdin)
    return 0 if there else 1


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
        return _run_with(config, state, drawn)


def screen_and_board(
    config: Config,
    drawn: str,
    board: BoardPort,
    put: Callable[[Event | ScreenTrouble], None],
    now_ns: Callable[[], int],
) -> tuple[ScreenPort, BoardPort]:
    """The screen a configuration asks for, and the board: `board`, or one drawn on the screen ("simulate", or
    "practice", where lessons lead through a game). ConfigError names the key that does not fit."""
    setup = setup_of(config, PINS if drawn == "practice" else None)
    simulated = SimulatedBoard() if drawn else None
    coach = Coach(Hands(simulated, put)) if simulated is not None and drawn == "practice" else None
    desk = Desk(setup, put, now_ns, simulated, coach)
    size = PRACTICE_SIZE if coach is not None else SIMULATED_SIZE if drawn else FACE_SIZE
    theme = setup.look.theme
    # pygame greets on standard output unless told before it is imported; it is imported only where there is a screen.
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    if config.screen == "kms":
        _choose_display(config.connector)
    screen: ScreenPort
    if config.screen == "pictures":
        from table_app.picture_screen import PictureScreen

        screen = PictureScreen(desk, theme, config.pictures_dir or config.state_dir / "pictures", size)
    else:
        from table_app.screen import Screen

        screen = Screen(desk, theme, config.screen, size, trouble=lambda why: put(ScreenTrouble(why)))
    return screen, simulated if simulated is not None else board


def _choose_display(connector: str) -> None:
    """Tells SDL which graphics device to open, unless the environment does."""
    device = device_of(connector)
    if device is not None:
        os.environ.setdefault("SDL_KMSDRM_DEVICE_INDEX", str(device))
    elif connector:
        there = ", ".join(name for _, name in connected()) or "none"
        raise ConfigError(f"connector: expected one with a display (there are: {there}), got {connector!r}")


def _run_with(config: Config, state: StateDirectory, drawn: str) -> int:
    log = Log()
    identity = _identity(config, state)
    inbox: Inbox = SimpleQueue()
    instants = Instants.going_on_from(state.last_instant_ns())
    recorder = Recorder(SyncedDisk(), lambda why: inbox.put(DiskTrouble(why)))
    courier = Courier(
        identity=identity,
        outbox=state.outbox_path,
        link=_link(config, identity, inbox),
        told=inbox.put,
        random=Random(),
    )
    places = BoardPlaces(
        {"simulated": False, **read_places(state.path / BOARD_PLACES)},
        lambda content: recorder.replace(state.path / BOARD_PLACES, content),
    )
    board: BoardPort = _board(config, places)
    screen: ScreenPort = NoScreen()
    if config.screen != "none":
        screen, board = screen_and_board(config, drawn, board, inbox.put, instants.now_ns)
    speech: SpeechPort = CommandSpeech(config.speech) if config.speech else NoSpeech()
    words = words_of(config)
    factory: Any = _factory(config)
    pins = Both(
        _VIRTUAL_PINS.black if config.black_pin is None else config.black_pin,
        _VIRTUAL_PINS.white if config.white_pin is None else config.white_pin,
    )
    buttons: ButtonsPort = NoButtons() if factory is None else PinButtons(factory, pins)
    lamps = None
    if factory is not None and config.black_lamp is not None and config.white_lamp is not None:
        lamps = PinLamps(factory, Both(config.black_lamp, config.white_lamp))
    asks = None
    if factory is not None and config.speech_pin is not None:
        asks = PinAsks(factory, config.speech_pin)
    watchdog = Watchdog(os.environ)
    appliance = Appliance(
        inbox=inbox,
        instants=instants,
        identity=identity,
        state=state,
        recorder=recorder,
        courier=courier,
        board=board,
        shows=[screen] if lamps is None else [screen, lamps],
        log=log,
        version=_version(),
        board_places=places,
        swapped=config.sides_swapped,
        local_header=None if config.broker_host else local_header(config),
        turned=watchdog.turned,
        spoken=lambda side, game, now_ns: speech.say(spoken(game, side, now_ns, words)),
    )

    def touched(request: Any) -> str:
        try:
            inbox.put(touch_of_screen(request, instants.now_ns()))
        except GameFileError as error:
            return str(error)
        return ""

    hands = None
    if config.buttons == "virtual":
        hands = VirtualPins(
            state.path, factory, pins, state=lambda: seen(appliance.view, instants.now_ns()), screen=touched
        )

    failed: list[BaseException] = []

    def loop() -> None:
        try:
            appliance.run()
        except BaseException as error:
            failed.append(error)
        finally:
            screen.close()

    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda *_: screen.close())
    recorder.start()
    courier.start()
    appliance.restore(state.kept())
    for side in buttons.start(inbox.put, instants.of_monotonic_ns):
        log.warning("button down at the start", side=side)
        appliance.held_from_the_start(side)
    if asks is not None:
        asks.start(inbox.put, instants.now_ns)
    board.start(inbox.put, instants.now_ns)
    if hands is not None:
        hands.start()
    thread = threading.Thread(target=loop, name="appliance")
    thread.start()
    watchdog.ready()
    log.info("running", device=identity.device, state=state.path, hub=config.broker_host or "-")
    try:
        screen.run()
    finally:
        watchdog.stopping()
        inbox.put(Close())
        thread.join()
        if lamps is not None:
            lamps.close()
        if asks is not None:
            asks.close()
        speech.close()
        if hands is not None:
            hands.close()
        board.close()
        buttons.close()
        recorder.close()
        courier.close()
    if failed:
        raise failed[0]
    log.info("stopped")
    return 0


def _identity_path(config: Config, state: StateDirectory) -> Path:
    return config.identity or state.identity_path


def _identity(config: Config, state: StateDirectory) -> Identity:
    """The device's own; one without a hub makes itself one."""
    path = _identity_path(config, state)
    if not config.broker_host and not path.exists():
        identities.save(identities.create("table"), path)
    return identities.load(path)


def _link(config: Config, identity: Identity, inbox: Inbox) -> LinkPort:
    if not config.broker_host:
        return NoLink()

    def arrived(arrival: Arrival) -> None:
        inbox.put(LinkMessage(arrival.topic, arrival.payload, arrival.retained))

    return LinkClient(
        config.broker_host,
        config.broker_port,
        identity.device,
        identity.token,
        (device_filter(identity.device),),
        arrived,
        lambda is_up: inbox.put(LinkState(is_up)),
        Random(),
        tls=client_context(config.tls) if config.tls is not None else None,
    )


def _board(config: Config, places: BoardPlaces) -> BoardPort:
    return NoBoard() if config.board == "none" else SerialBoard(config.board, lies_turned=places.turned)


def _factory(config: Config) -> Any:
    if config.buttons == "gpio":
        return _gpio_factory()
    if config.buttons == "virtual":
        from gpiozero.pins.mock import MockFactory

        return MockFactory()
    return None


def _gpio_factory() -> Any:
    """The board's real pins; ConfigError where there are none."""
    try:
        from gpiozero.pins.lgpio import LGPIOFactory

        return LGPIOFactory()
    except Exception as error:  # lgpio and gpiozero raise kinds of their own
        why = " ".join(str(error).split()) or type(error).__name__
        raise ConfigError(f'buttons: expected GPIO pins (or "keys", "virtual"), got none: {why}') from None


def _version() -> str:
    try:
        return version("flagfall")
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    sys.exit(main())
