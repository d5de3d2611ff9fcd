"""How this device is set up: command line, then environment, then one TOML file, then the defaults here.

Every key is checked; an error is one line that names where it stood, the key, and what was expected.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from link.pin import EXPECTED as PIN_EXPECTED
from link.pin import is_pin
from othello.gamefile import GameFileError, parse_header
from table_app.record.state_dir import user_state_dir

DEFAULT_FILE = Path("/etc/flagfall/table.toml")
LARGEST_BYTES = 1 << 20
_PREFIX = "FLAGFALL_"


class ConfigError(ValueError):
    """One line: where, which key, what was expected there."""


@dataclass(frozen=True, slots=True)
class Config:
    """`pins` are GPIO numbers (black, white); `identity` None: the file in the state directory. PINs are 4 to
    8 digits, "" for none. `rulebook`, `minutes` and `judged` are those of games that no hub assigns."""

    state_dir: Path
    identity: Path | None
    broker_host: str
    broker_port: int
    tls: Path | None
    buttons: str
    black_pin: int | None
    white_pin: int | None
    black_lamp: int | None
    white_lamp: int | None
    gpio_chip: str
    board: str
    screen: str
    connector: str
    screen_open_s: int
    screen_hung_s: int
    pictures_dir: Path | None
    theme: str
    language: str
    face_to_face: bool
    sides_swapped: bool
    judge_pin: str
    director_pin: str
    rulebook: str
    minutes: float | None
    judged: bool
    speech: str
    speech_pin: int | None


@dataclass(frozen=True, slots=True)
class Key:
    """How the value of one key is read: `read` raises ValueError where it is not what `expected` says."""

    default: Any
    expected: str
    read: Callable[[Any], Any]
    says: str


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise ValueError
    return value


def _host(value: Any) -> str:
    if len(_text(value).split()) > 1 or value != value.strip():
        raise ValueError
    return str(value)


def _port(value: Any) -> str:
    """A board may be plugged in later, but what lies at its place must be able to be one."""
    if not _text(value):
        raise ValueError
    place = Path(value)
    try:
        other = value not in ("auto", "none") and place.exists() and not place.is_char_device()
    except OSError:  # a name that is too long, a folder that is closed: nothing is there for this program
        other = True
    if other:
        raise ValueError
    return str(value)


def _command(value: Any) -> str:
    shlex.split(_text(value))
    return str(value)


def _path(value: Any) -> Path:
    if not _text(value):
        raise ValueError
    try:
        return Path(value).expanduser()
    except RuntimeError:  # "~" of somebody who has no home
        raise ValueError from None


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        number = int(value) if isinstance(value, str) else value
        if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
            raise ValueError
        return number

    return read


def _minutes(value: Any) -> float:
    number = float(value) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number <= 600:
        raise ValueError
    return number


def _flag(value: Any) -> bool:
    if isinstance(value, str):
        return {"true": True, "false": False}[value]
    if not isinstance(value, bool):
        raise ValueError
    return value


def _choice(*choices: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in choices:
            raise ValueError
        return str(value)

    return read


def _pin(value: Any) -> str:
    if not is_pin(value):
        raise ValueError
    return str(value)


SECRET = ("judge_pin", "director_pin")
"""Keys that no command line takes: whoever lists the processes reads it."""
_GPIO = "a GPIO number from 0 to 27"
_SECONDS = "seconds from 1 to 3600"
_DIGITS = f"{PIN_EXPECTED} in quotes"
_BUTTONS = ("gpio", "virtual", "keys")
_SCREENS = ("window", "kms", "none", "pictures")

KEYS: Mapping[str, Key] = {
    "state_dir": Key(None, "a directory", _path, "where the record is kept"),
    "identity": Key(None, "a file", _path, "name, key and token of this device"),
    "broker_host": Key("", "a host name, or nothing for no hub", _host, "the venue's broker"),
    "broker_port": Key(1883, "a port from 1 to 65535", _whole(1, 65535), "its port"),
    "tls": Key(None, "a folder", _path, "this device's certificate for the venue's broker"),
    "buttons": Key("gpio", f"one of {', '.join(_BUTTONS)}", _choice(*_BUTTONS), "what the buttons are"),
    "black_pin": Key(None, _GPIO, _whole(0, 27), "GPIO number of Black's button"),
    "white_pin": Key(None, _GPIO, _whole(0, 27), "GPIO number of White's button"),
    "black_lamp": Key(None, _GPIO, _whole(0, 27), "GPIO number of the lamp in Black's button"),
    "white_lamp": Key(None, _GPIO, _whole(0, 27), "GPIO number of the lamp in White's button"),
    "gpio_chip": Key(
        "",
        'a label as pinctrl-bcm2711, a path, or ""',
        _text,
        "which chip has the pins, if not a Raspberry Pi's",
    ),
    "board": Key("auto", 'a serial port, "auto" or "none"', _port, "the sensor board's port"),
    "screen": Key("kms", f"one of {', '.join(_SCREENS)}", _choice(*_SCREENS), "where to draw"),
    "connector": Key(
        "", 'a connector as HDMI-A-1, or ""', _text, 'where the display of screen = "kms" hangs'
    ),
    "screen_open_s": Key(
        30, _SECONDS, _whole(1, 3600), "how long a slow machine may take to its first picture"
    ),
    "screen_hung_s": Key(10, _SECONDS, _whole(1, 3600), "after how long drawing that hangs is begun anew"),
    "pictures_dir": Key(None, "a directory", _path, 'where screen = "pictures" puts them'),
    "theme": Key("light", "a theme", _text, "colours and sizes"),
    "language": Key("en", "a language", _text, "words on the screen"),
    "face_to_face": Key(False, "true or false", _flag, "one half of the screen is turned"),
    "sides_swapped": Key(False, "true or false", _flag, "Black sits at White's button"),
    "judge_pin": Key("", _DIGITS, _pin, "opens the judge's panel"),
    "director_pin": Key("", _DIGITS, _pin, "opens what only the director may do"),
    "speech": Key("", 'a command that speaks its input, or ""', _command, "as espeak-ng --stdin"),
    "speech_pin": Key(None, _GPIO, _whole(0, 27), "GPIO number of a button that asks for the time spoken"),
    "rulebook": Key("woc-2019", "a rulebook", _text, "of games that no hub assigns"),
    "minutes": Key(None, "minutes above 0, at most 600", _minutes, "each, in such games"),
    "judged": Key(False, "true or false", _flag, "whether a judge sits at such games"),
}


def load(options: Mapping[str, str | None], environment: Mapping[str, str], file: Path | None) -> Config:
    """The configuration from the options given (key -> text), the environment and `file` (None: the usual
    place).
    """
    found: dict[str, Any] = {key: one.default for key, one in KEYS.items()}
    found |= _from_file(file)
    for key, one in KEYS.items():
        variable = _PREFIX + key.upper()
        if variable in environment:
            found[key] = _read(one, environment[variable], variable)
    for key, text in options.items():
        if text is not None:
            found[key] = _read(KEYS[key], text, "--" + key.replace("_", "-"))
    if found["state_dir"] is None:
        found["state_dir"] = user_state_dir()
    return _checked(Config(**found))


def _from_file(file: Path | None) -> dict[str, Any]:
    path = file or DEFAULT_FILE
    try:
        if path.is_file() and path.stat().st_size > LARGEST_BYTES:
            raise ConfigError(f"{path}: expected at most {LARGEST_BYTES} bytes")
        table = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        if file is None:
            return {}
        raise ConfigError(f"{path}: no such file") from None
    except OSError as failure:
        raise ConfigError(f"{path}: cannot be read: {failure.strerror}") from None
    except ConfigError:
        raise
    except (ValueError, RecursionError) as error:
        # Not only tomllib's own: no UTF-8, a number of five thousand digits, tables nested too deep.
        raise ConfigError(f"{path}: expected TOML: {' '.join(str(error).split())}") from None
    found = {}
    for key, value in table.items():
        if key not in KEYS:
            raise ConfigError(f"{path}: {key}: unknown key, expected one of {', '.join(KEYS)}")
        found[key] = _read(KEYS[key], value, f"{path}: {key}")
    return found


def _read(key: Key, value: Any, where: str) -> Any:
    try:
        return key.read(value)
    except (ValueError, TypeError, KeyError):
        # A wrong PIN is not repeated: it may be nearly right.
        got = "" if key.expected == _DIGITS else f", got {str(value)[:60]!r}"
        raise ConfigError(f"{where}: expected {key.expected}{got}") from None


def _checked(config: Config) -> Config:
    for name, pin in (("black_pin", config.black_pin), ("white_pin", config.white_pin)):
        if config.buttons == "gpio" and pin is None:
            raise ConfigError(f'{name}: expected {_GPIO} (or buttons = "keys"), got nothing')
    if (config.black_lamp is None) != (config.white_lamp is None):
        raise ConfigError("white_lamp: expected both lamps or none, got one")
    if config.director_pin and config.director_pin == config.judge_pin:
        raise ConfigError("director_pin: expected other digits than judge_pin, got the same")
    taken: dict[int, str] = {}
    for name in ("black_pin", "white_pin", "black_lamp", "white_lamp", "speech_pin"):
        pin = getattr(config, name)
        if pin is not None and taken.setdefault(pin, name) != name:
            raise ConfigError(f"{name}: expected another pin than {taken[pin]}, got {pin}")
    if config.screen == "pictures" and config.pictures_dir is None:
        raise ConfigError('pictures_dir: expected a directory with screen = "pictures", got nothing')
    try:
        local_header(config)
    except GameFileError as error:
        raise ConfigError(str(error)) from None
    return config


def local_header(config: Config) -> Any:
    """The header of games that no hub assigns."""
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
