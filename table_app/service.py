"""The appliance assembled from the parts of this device, and run."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from random import Random

from msgspec.structs import replace

from link.command_line import CommandError
from link.identity import IdentityError
from link.tls import TlsError
from othello.game import Game
from othello.side import Side
from table_app import assembly
from table_app.board.orientation import FILE_NAME as ORIENTATIONS
from table_app.board.orientation import Orientations, read_orientations
from table_app.config import Config, local_header
from table_app.events import Close, Inbox, Part, PartTrouble
from table_app.health.watchdog import Watchdog
from table_app.hub_link.sender import Sender
from table_app.log import Log
from table_app.loop.appliance import Appliance
from table_app.loop.view import ScreenError, Shows
from table_app.pins.speech import clocks_in_words
from table_app.pins.virtual import VirtualPins, visible
from table_app.record.state_dir import StateDirectory
from table_app.record.writer import JournalWriter, SyncedDisk
from table_app.screen.kit.catalogue import load_words
from table_app.screen.process import DrawnBoard, ScreenProcess
from table_app.settings import FILE_NAME as SETTINGS
from table_app.settings import Settings, settings_of
from table_app.timebase import Timebase

AWAIT_DISPLAY_S = 20.0
"""systemd, which waits for the first picture, would wait for a minute."""


def serve(
    stack: ExitStack,
    config: Config,
    state: StateDirectory,
    *,
    inbox: Inbox,
    instants: Timebase,
    screen: ScreenProcess | None,
    board_drawn: bool,
) -> None:
    """Assembles the other parts and runs the appliance until it is told to stop.

    What is put on the stack first is closed last. `board_drawn`: on the screen, as with `--simulate`. CommandError: the
    device's identity or certificates cannot be read.
    """
    try:
        identity = assembly.identity(config, state)
        link = assembly.link(config, identity, inbox)
    except (IdentityError, TlsError) as fault:
        raise CommandError(str(fault)) from None
    log, version = Log(), _version()
    shows: list[Shows] = [] if screen is None else [screen]
    words = load_words(settings_of(config).language)
    recorder = JournalWriter(
        SyncedDisk(), lambda why: inbox.put(PartTrouble(Part.DISK, why)), spare=state.spare, alive=state.alive
    )
    sender = Sender(identity=identity, outbox=state.outbox_path, link=link, told=inbox.put, random=Random())
    orientations = Orientations(
        read_orientations(state.path / ORIENTATIONS),
        lambda content: recorder.replace(state.path / ORIENTATIONS, content),
    )
    board = DrawnBoard(screen) if screen is not None and board_drawn else assembly.board(config, orientations)
    virtual = assembly.virtual_pins(config)
    pins = assembly.pins(config, virtual, inbox, instants)
    if pins is not None:
        shows.append(pins)
    speech = assembly.speech(config)
    if speech is not None:
        stack.callback(speech.close)
    watchdog = Watchdog(os.environ)

    def say(side: Side, game: Game | None, now_ns: int) -> None:
        if speech is not None:
            speech.say(clocks_in_words(game, side, now_ns, words))

    def set_anew(settings: Settings) -> None:
        nonlocal words
        words = load_words(settings.language)
        recorder.replace(state.path / SETTINGS, settings.content())

    appliance = Appliance(
        inbox=inbox,
        instants=instants,
        identity=identity,
        state=state,
        recorder=recorder,
        sender=sender,
        board=board,
        shows=shows,
        log=log,
        version=version,
        orientations=orientations,
        board_expected=config.board not in ("auto", "none"),
        swapped=config.sides_swapped,
        local_header=None if config.broker_host else local_header(config),
        turned=watchdog.turned,
        spoken=say,
        updates=assembly.updates(config, state, version, recorder=recorder, inbox=inbox, log=log),
        keep_settings=set_anew,
    )
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda *_: inbox.put(Close()))
    sender.start()
    stack.callback(sender.close)
    # What the recorder still writes must still be sent.
    recorder.start()
    stack.callback(recorder.close)
    kept = state.kept()
    appliance.restore(replace(kept, damage=(*kept.damage, *assembly.card_troubles())))
    if screen is not None:
        screen.show(appliance.view)
        _await(screen, config, log)
    if pins is not None:
        pins.start()
        stack.callback(pins.close)
    board.start(inbox.put, instants.now_ns)
    stack.callback(board.close)
    if config.buttons == "virtual":
        hands = VirtualPins(
            state.path,
            virtual,
            assembly.button_pins(config),
            state=lambda: visible(appliance.view, instants.now_ns()),
            put=inbox.put,
            now_ns=instants.now_ns,
        )
        hands.start()
        stack.callback(hands.close)
    watchdog.ready()
    stack.callback(watchdog.stopping)
    log.info("running", device=identity.device, state=state.path, hub=config.broker_host or "-")
    appliance.run()
    log.info("stopped")


def _await(screen: ScreenProcess, config: Config, log: Log) -> None:
    """Waits for the first picture. If no window can be opened the program ends; a display without a desktop may be
    switched on later, so the clock goes on without it."""
    try:
        screen.await_opened(AWAIT_DISPLAY_S if config.screen == "kms" else None)
    except ScreenError as fault:
        if config.screen != "kms":
            raise
        log.warning("started without a picture", why=fault)


def _version() -> str:
    # Here, so that the first picture need not wait for this import.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("flagfall")
    except PackageNotFoundError:
        return ""
