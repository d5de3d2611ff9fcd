"""Each adapter as the configuration names it; `table_app.service` chooses which of them the table gets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from flagfall.base.errors import Failed, Invalid
from flagfall.base.message import Message
from flagfall.base.trouble import trouble
from flagfall.link import identity as identities
from flagfall.link.card import RUN, TABLE
from flagfall.link.client.client import LinkClient
from flagfall.link.identity import Identity
from flagfall.othello.side import Both
from table_app.board.driver import SerialBoard
from table_app.board.port import BoardPort, NoBoard
from table_app.board.setup import Orientations
from table_app.config import Config
from table_app.events import Inbox, LinkState
from table_app.hub_link.sender import NoLink, new_link
from table_app.log import Log
from table_app.pins.buttons import PinButtons
from table_app.pins.keeper import PinKeeper, PinParts
from table_app.pins.lamps import PinLamps
from table_app.pins.speech import CommandSpeech, SpeechButton
from table_app.record.journal import JournalWriter
from table_app.record.state_dir import StateDirectory
from table_app.timebase import Timebase
from table_app.update.fetch import NoUpdates, Programs, UpdateFetcher
from table_app.update.versions import InstalledVersions

_VIRTUAL_PINS = Both(17, 27)


def identity_path(config: Config, state: StateDirectory) -> Path:
    return config.identity or state.identity_path


def identity(config: Config, state: StateDirectory) -> Identity:
    """Return the device's identity; a table without a hub makes one for itself."""
    path = identity_path(config, state)
    if not config.broker_host and not path.exists():
        identities.save(identities.create(identities.ALONE), path)
    return identities.load(path)


def card_troubles(run: Path = RUN) -> tuple[Message, ...]:
    """Return the fault that the card has found in itself, if this program was started from a card."""
    try:
        why = (run / TABLE).read_text("utf-8").strip()
    except OSError:  # it runs from no card
        return ()
    return (trouble("card", why=why),) if why else ()


def link(config: Config, device: Identity, inbox: Inbox) -> LinkClient | NoLink:
    if not config.broker_host:
        return NoLink()

    def on_state(is_up: bool) -> None:
        inbox.put(LinkState(is_up, client.where))

    def on_stranger(where: str) -> None:
        inbox.put(LinkState(False, foreign_at=where))

    client = new_link(config, device, inbox.put, on_state, on_stranger)
    return client


def board(config: Config, orientations: Orientations) -> BoardPort:
    return NoBoard() if config.board == "none" else SerialBoard(config.board, orientation=orientations.turned)


def virtual_pins(config: Config) -> Any:
    """Return the mock pins of `--buttons virtual`, which another process drives; None for other kinds of buttons."""
    if config.buttons != "virtual":
        return None
    from table_app.pins.mock import MockFactory

    return MockFactory()


def gpio_factory(config: Config, failed: Callable[[str], None] = lambda why: None) -> Any:
    """Return the device's real pins. Failed if they cannot be reached; `failed` is called with the reason if
    they are lost later."""
    from table_app.pins.kernel import ChipFactory

    return ChipFactory(config.gpio_chip, failed)


def button_pins(config: Config) -> Both[int]:
    return Both(
        _VIRTUAL_PINS.black if config.black_pin is None else config.black_pin,
        _VIRTUAL_PINS.white if config.white_pin is None else config.white_pin,
    )


def pin_parts(config: Config, factory: Any) -> PinParts:
    """Return the buttons, lamps and speech button on these pins, as configured. The pins are closed if one of them
    cannot be had."""
    black, white, speech_button = config.black_lamp, config.white_lamp, config.speech_pin
    try:
        return PinParts(
            factory,
            PinButtons(factory, button_pins(config)),
            None if black is None or white is None else PinLamps(factory, Both(black, white)),
            None if speech_button is None else SpeechButton(factory, speech_button),
        )
    except Exception:
        factory.close()
        raise


def pins(config: Config, virtual: Any, inbox: Inbox, instants: Timebase) -> PinKeeper | None:
    """Return the keeper of everything on pins (`virtual` ones or the device's own); None where keys are the buttons."""
    if config.buttons == "keys":
        return None

    def opened(failed: Callable[[str], None]) -> PinParts:
        return pin_parts(config, gpio_factory(config, failed) if virtual is None else virtual)

    return PinKeeper(opened, inbox, instants)


def speech(config: Config) -> CommandSpeech | None:
    return CommandSpeech(config.speech) if config.speech else None


def updates(
    config: Config, state: StateDirectory, version: str, *, recorder: JournalWriter, inbox: Inbox, log: Log
) -> NoUpdates:
    """Return the updates. Only a table that `table_app.starter` started can change its version."""
    versions = InstalledVersions(state.path)

    def keep(content: bytes, then: Callable[[], None]) -> None:
        recorder.replace(versions.choice_path, content)
        recorder.after_durable(then)

    if not versions.folder.is_dir():
        return NoUpdates("updates are by hand here: it was not started by table_app.starter")
    programs = Programs(versions.running(Path(__file__)), version)
    try:
        return UpdateFetcher(
            versions, programs, config.broker_host, keep=keep, put=inbox.put, log=log, random=Random()
        )
    except (Invalid, Failed) as fault:
        log.error("no updates", why=fault)
        return NoUpdates(str(fault))
