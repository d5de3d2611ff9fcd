"""The configuration of this device: command line, then environment, then one TOML file, then the defaults here."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from flagfall.base.errors import Invalid
from flagfall.base.pin import EXPECTED as PIN_EXPECTED
from flagfall.base.pin import is_pin
from flagfall.base.settings import LARGEST_BYTES as LARGEST_BYTES
from flagfall.base.settings import Setting, keys_of, read_settings, where
from flagfall.base.words import languages
from flagfall.link.board.eye_view import EYE_PORT
from flagfall.othello.gamefile import parse_header
from flagfall.othello.rulebook import BUILT_IN

DEFAULT_FILE = Path("/etc/flagfall/table.toml")
# What is proposed where no rulebook is configured; a club's on a laptop beside a real board.
RULEBOOK, CLUBS_RULEBOOK = "woc-2019", "club"


def _may_be_port(value: str) -> bool:
    """Return True for a device, or a path that does not exist yet, since a board may be plugged in later."""
    place = Path(value)
    try:
        return value in ("auto", "none") or not place.exists() or place.is_char_device()
    except OSError:  # a name that is too long or a closed folder: this program cannot use it
        return False


_HOST = where(lambda host: host.split() in ([], [host]))
_COMMAND = where(lambda command: shlex.split(command) or not command)
_PORT = where(_may_be_port)
_QUARTERS = where(lambda degrees: degrees in (0, 90, 180, 270))


def _minutes(value: float) -> float:
    if not 0 < value <= 600:
        raise ValueError
    return int(value) if value.is_integer() else value


Gpio = Annotated[int, Meta(ge=0, le=27)]
Seconds = Annotated[int, Meta(ge=1, le=3600)]
_GPIO = "a GPIO number from 0 to 27"
NO_PINS = "without a device: --simulate, --laptop"
_SECONDS = "seconds from 1 to 3600"
_DIGITS = f"{PIN_EXPECTED} in quotes"
_BOOL = "true or false"


@dataclass(frozen=True, slots=True)
class Config:
    """PINs have 4 to 8 digits, "" for none. `rulebook`, `minutes` and `judged` are those of games that no hub
    assigns."""

    state_dir: Annotated[Path, Setting("where the record is kept", "a directory")]
    identity: Annotated[Path | None, Setting("name, key and token of this device", "a file")] = None
    broker_host: Annotated[
        str, Setting("the venue's broker", "a host name, or nothing for no hub", _HOST)
    ] = ""
    broker_name: Annotated[
        str, Setting("the hub's name in its network, if broker_host does not answer", "a host name", _HOST)
    ] = ""
    broker_port: Annotated[
        Annotated[int, Meta(ge=1, le=65535)], Setting("its port", "a port from 1 to 65535")
    ] = 1883
    tls: Annotated[Path | None, Setting("this device's certificate for the venue's broker", "a folder")] = (
        None
    )
    buttons: Annotated[Literal["gpio", "virtual", "keys"], Setting("what the buttons are")] = "gpio"
    black_pin: Annotated[Gpio | None, Setting("GPIO number of Black's button", _GPIO)] = None
    white_pin: Annotated[Gpio | None, Setting("GPIO number of White's button", _GPIO)] = None
    black_lamp: Annotated[Gpio | None, Setting("GPIO number of the lamp in Black's button", _GPIO)] = None
    white_lamp: Annotated[Gpio | None, Setting("GPIO number of the lamp in White's button", _GPIO)] = None
    gpio_chip: Annotated[
        str,
        Setting(
            "which chip has the pins, if not a Raspberry Pi's", 'a label as pinctrl-bcm2711, a path, or ""'
        ),
    ] = ""
    board: Annotated[
        Annotated[str, Meta(min_length=1)],
        Setting("the sensor board's port", 'a serial port, "auto" or "none"', _PORT),
    ] = "auto"
    eye: Annotated[
        str,
        Setting(
            "the camera above the board, for flagfall-eye.service", 'a device as /dev/video0, "pi", or ""'
        ),
    ] = ""
    screen: Annotated[Literal["window", "kms", "none", "pictures"], Setting("where to draw")] = "kms"
    connector: Annotated[
        str, Setting('where the display of screen = "kms" hangs', 'a connector as HDMI-A-1, or ""')
    ] = ""
    screen_open_s: Annotated[
        Seconds, Setting("how long a slow machine may take to its first picture", _SECONDS)
    ] = 30
    screen_hung_s: Annotated[
        Seconds, Setting("after how long drawing that hangs is begun anew", _SECONDS)
    ] = 10
    pictures_dir: Annotated[Path | None, Setting('where screen = "pictures" puts them', "a directory")] = None
    theme: Annotated[str, Setting("colours and sizes", "a theme")] = "light"
    language: Annotated[str, Setting("words on the screen", f"one of {', '.join(languages())}")] = "en"
    face_to_face: Annotated[bool, Setting("one half of the screen is turned", _BOOL)] = False
    rotation: Annotated[
        int, Setting("degrees clockwise by which the picture is turned", "0, 90, 180 or 270", _QUARTERS)
    ] = 0
    sides_swapped: Annotated[bool, Setting("Black sits at White's button", _BOOL)] = False
    judge_pin: Annotated[str, Setting("opens the judge's panel", _DIGITS, where(is_pin), secret=True)] = ""
    director_pin: Annotated[
        str, Setting("opens what only the director may do", _DIGITS, where(is_pin), secret=True)
    ] = ""
    speech: Annotated[
        str, Setting("as espeak-ng --stdin", 'a command that speaks its input, or ""', _COMMAND)
    ] = ""
    speech_pin: Annotated[
        Gpio | None, Setting("GPIO number of a button that asks for the time spoken", _GPIO)
    ] = None
    rulebook: Annotated[str, Setting("of games that no hub assigns", f"one of {', '.join(BUILT_IN)}")] = (
        RULEBOOK
    )
    minutes: Annotated[
        float | None, Setting("each, in such games", "minutes above 0, at most 600", _minutes)
    ] = None
    judged: Annotated[bool, Setting("whether a judge sits at such games", _BOOL)] = False


KEYS = keys_of(Config)
DEFAULTS = {field.name: None if field.default is MISSING else field.default for field in fields(Config)}
# Keys that are not allowed on a command line, which every user of the machine can read.
SECRET = tuple(name for name, key in KEYS.items() if key.setting.secret)


def load(
    options: Mapping[str, str | None],
    environment: Mapping[str, str],
    file: Path | None,
    pins: bool = True,
    rulebook: str = RULEBOOK,
) -> Config:
    """Return the configuration from the options (key -> text), the environment and `file` (None: the usual
    place, where the file is optional). With `pins` False, buttons on GPIO may lack their pin numbers.
    `rulebook` is used if none is configured."""
    place = file or config_file_of(options.get("state_dir"))
    settings = read_settings(KEYS, options, environment, place if file or place.exists() else None)
    return _checked(Config(**({"state_dir": user_state_dir()} | {"rulebook": rulebook} | settings)), pins)


def config_file_of(state_dir: str | None) -> Path:
    """Return the usual file, or the file in the state folder on the command line, which `enrol` writes."""
    in_state_dir = None if state_dir is None else Path(state_dir) / DEFAULT_FILE.name
    return in_state_dir if in_state_dir is not None and in_state_dir.exists() else DEFAULT_FILE


def user_state_dir() -> Path:
    """Return the default state folder: /var/lib/flagfall for root, else the user's own folder (contracts, "Places")."""
    if os.geteuid() == 0:
        return Path("/var/lib/flagfall")
    return Path(os.environ.get("XDG_STATE_HOME", str(Path.home() / ".local" / "state"))) / "flagfall"


def _checked(config: Config, pins: bool) -> Config:
    for name, pin in (("black_pin", config.black_pin), ("white_pin", config.white_pin)):
        if pins and config.buttons == "gpio" and pin is None:
            raise Invalid(name, f"{_GPIO} ({NO_PINS})", "nothing")
    if (config.black_lamp is None) != (config.white_lamp is None):
        raise Invalid("white_lamp", "both lamps or none", "one")
    if config.director_pin and config.director_pin == config.judge_pin:
        raise Invalid("director_pin", "other digits than judge_pin", "the same")
    taken: dict[int, str] = {}
    for name in ("black_pin", "white_pin", "black_lamp", "white_lamp", "speech_pin"):
        pin = getattr(config, name)
        if pin is not None and taken.setdefault(pin, name) != name:
            raise Invalid(name, f"another pin than {taken[pin]}", str(pin))
    if config.screen == "pictures" and config.pictures_dir is None:
        raise Invalid("pictures_dir", 'a directory with screen = "pictures"', "nothing")
    if config.eye and config.board == "auto":
        config = replace(config, board=EYE_PORT)
    local_header(config)
    return config


def simulated(config: Config) -> Config:
    """Return the configuration of a table on a screen, with a record of its own. A simulated table of a hub
    also keeps its own identity and outbox."""
    return config if config.broker_host else replace(config, state_dir=config.state_dir / "simulate")


def local_header(config: Config) -> Any:
    """Return the header of games that no hub assigns."""
    line: dict[str, Any] = {
        "type": "game",
        "format": "flagfall-game/1",
        "rulebook": config.rulebook,
        "judged": config.judged,
        "sensors": config.board != "none",
    }
    if config.minutes is not None:
        line["minutes"] = config.minutes
    return parse_header(line)
