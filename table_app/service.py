"""The service: it makes the adapters of this device, has the table put together (`table_app.assembly`), and runs it."""

from __future__ import annotations

import os
import secrets
import signal
from contextlib import ExitStack
from dataclasses import replace
from random import Random
from typing import Any

from msgspec import structs

from flagfall.base.command_line import ended_by
from flagfall.base.errors import Failed, Invalid
from flagfall.othello.game import Game
from flagfall.othello.side import Side
from table_app import adapters
from table_app.assembly import Adapters, put_together
from table_app.board.setup import ORIENTATIONS, Orientations, read_orientations
from table_app.config import Config, local_header
from table_app.events import Close, Inbox, Part, PartTrouble
from table_app.health.watchdog import Watchdog
from table_app.hub_link.sender import Sender
from table_app.log import Log
from table_app.pins.speech import CommandSpeech, clocks_in_words
from table_app.pins.virtual import VirtualPins, visible
from table_app.record.journal import JournalWriter, SyncedDisk
from table_app.record.state_dir import StateDirectory
from table_app.screen.kit.catalogue import load_words
from table_app.screen.process import DrawnBoard, ScreenProcess
from table_app.settings import FILE_NAME as SETTINGS
from table_app.settings import Settings, settings_of
from table_app.timebase import Timebase

# systemd, which waits for the first picture, would wait for a minute.
AWAIT_DISPLAY_S = 20.0


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
    """Make the adapters, have the table put together, and run it until it is told to stop.

    What is put on the stack first is closed last. `board_drawn`: on the screen, as with `--simulate`. CommandError: the
    device's identity or certificates cannot be read.
    """
    watchdog, virtual = Watchdog(os.environ), adapters.virtual_pins(config)
    pins = adapters.pins(config, virtual, inbox, instants)
    shows = tuple(part for part in (screen, pins) if part is not None)
    speech = adapters.speech(config)
    if speech is not None:
        stack.callback(speech.close)
    parts = _adapters(config, state, speech, inbox=inbox, instants=instants)
    parts = replace(parts, shows=shows, turned=watchdog.report_turn)
    if screen is not None and board_drawn:
        parts = replace(parts, board=DrawnBoard(screen))
    appliance = put_together(parts)

    def begun(part: Any, *with_: Any) -> None:
        part.start(*with_)
        stack.callback(part.close)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: inbox.put(Close()))
    # What the recorder still writes must still be sent.
    begun(parts.sender)
    begun(parts.recorder)
    kept = state.kept()
    appliance.restore(structs.replace(kept, damage=(*kept.damage, *adapters.card_troubles())))
    if screen is not None:
        screen.show(appliance.view)
        _await(screen, config, parts.log)
    if pins is not None:
        begun(pins)
    begun(parts.board, inbox.put, instants.now_ns)
    if virtual is not None:
        begun(
            VirtualPins(
                state.path,
                virtual,
                adapters.button_pins(config),
                state=lambda: visible(appliance.view, instants.now_ns()),
                put=inbox.put,
                now_ns=instants.now_ns,
            )
        )
    watchdog.ready()
    stack.callback(watchdog.stopping)
    parts.log.info("running", device=parts.identity.device, state=state.path, hub=config.broker_host or "-")
    appliance.run()
    parts.log.info("stopped")


def _adapters(
    config: Config, state: StateDirectory, speech: CommandSpeech | None, *, inbox: Inbox, instants: Timebase
) -> Adapters:
    """Return the adapters that the configuration names, without those that show the table."""
    with ended_by(Invalid, Failed):
        identity = adapters.identity(config, state)
        link = adapters.link(config, identity, inbox)
    log, version, start = Log(), _version(), secrets.token_hex(8)
    recorder = JournalWriter(
        SyncedDisk(), lambda why: inbox.put(PartTrouble(Part.DISK, why)), spare=state.spare, alive=state.alive
    )
    orientations = Orientations(
        read_orientations(state.path / ORIENTATIONS),
        lambda content: recorder.replace(state.path / ORIENTATIONS, content),
    )
    words = load_words(settings_of(config).language)

    def say(side: Side, game: Game | None, now_ns: int) -> None:
        if speech is not None:
            speech.say(clocks_in_words(game, side, now_ns, words))

    def set_anew(settings: Settings) -> None:
        nonlocal words
        words = load_words(settings.language)
        recorder.replace(state.path / SETTINGS, settings.content())

    return Adapters(
        inbox=inbox,
        instants=instants,
        identity=identity,
        state=state,
        recorder=recorder,
        sender=Sender(
            identity=identity,
            outbox=state.outbox_path,
            link=link,
            put=inbox.put,
            random=Random(),
            start=start,
        ),
        board=adapters.board(config, orientations),
        log=log,
        orientations=orientations,
        updates=adapters.updates(config, state, version, recorder=recorder, inbox=inbox, log=log),
        spoken=say,
        keep_settings=set_anew,
        version=version,
        start=start,
        board_expected=config.board not in ("auto", "none"),
        swapped=config.sides_swapped,
        local_header=None if config.broker_host else local_header(config),
    )


def _await(screen: ScreenProcess, config: Config, log: Log) -> None:
    """Wait for the first picture. If no window can be opened the program ends; a display without a desktop may be
    switched on later, so the clock goes on without it."""
    try:
        screen.await_opened(AWAIT_DISPLAY_S if config.screen == "kms" else None)
    except Failed as fault:
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
