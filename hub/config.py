"""How a hub is set up: command line, then environment (`FLAGFALL_...`), then hub.toml, then the defaults here."""

from __future__ import annotations

import argparse
import os
import secrets
import shlex
import stat
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger.opening import ADDRESSES

SYSTEM_FILE = Path("/etc/flagfall/hub.toml")
EMBEDDED = "embedded"
EXTERNAL = "external"
_BROKERS = (EMBEDDED, EXTERNAL)
_LARGEST_BYTES = 1 << 20
_MOST_PORT = 65_535
VENUE_PORT = 8883


class ConfigError(ValueError):
    """One line: where, which key, what was expected."""


@dataclass(frozen=True, slots=True)
class Config:
    """`broker` embedded: mosquitto, a child of the hub's, listens at `broker_host`:`broker_port`; external: the hub
    connects there.

    Ports of 0 are any free ones; `addresses.json` in `state_dir` tells which. `broker_identity` is the file
    (`link.identity`) with which the hub enters an external broker. `api_token` is a file, `ledger` a file or the
    address of a Redis server (`ledger.opening`). `venue` is a folder made by `flagfall-hub venue init`: with it the
    broker is the venue's, on this machine unless `broker_host` says otherwise. `tls` is a folder (`link.tls`).
    With `web_tls_port` the console is served there over HTTPS, with the venue's certificate, and only there.
    `outside_folder` gets the public pages as files for the world outside; `outside_command` is run after each change
    of it, its {folder} replaced, as `rsync -a {folder}/ web:/srv/www/`.
    """

    state_dir: Path
    ledger: Path | str
    api_token: Path
    broker: str = EMBEDDED
    broker_host: str = "127.0.0.1"
    broker_port: int = 1883
    broker_identity: Path | None = None
    venue: Path | None = None
    tls: Path | None = None
    web_host: str = "127.0.0.1"
    web_port: int = 8000
    web_tls_port: int | None = None
    outside_folder: Path | None = None
    outside_command: tuple[str, ...] = ()

    @property
    def embedded(self) -> bool:
        """Whether the broker is the hub's own child."""
        return self.broker == EMBEDDED


_KEYS: Mapping[str, str] = {
    "state_dir": "folder of the record, devices and accounts; the user's own unless root",
    "ledger": "the record: a file, or redis://, rediss://, redis-cluster://, unix:// (state_dir/ledger.sqlite)",
    "api_token": "file with the token of the API, made at the first start (state_dir/api-token)",
    "broker": "embedded: mosquitto as the hub's child; external: one that runs already (embedded)",
    "broker_host": "where the broker listens, or is (127.0.0.1)",
    "broker_port": "its port; 0: any free one (1883, with a venue 8883)",
    "broker_identity": "file with which the hub enters an external broker",
    "venue": "folder made by flagfall-hub venue init: its broker and certificates",
    "tls": "folder with the hub's own certificate for an external broker",
    "web_host": "where the pages are served; 0.0.0.0 for the whole hall (127.0.0.1)",
    "web_port": "their port; 0: any free one (8000)",
    "web_tls_port": "the console over HTTPS at this port alone, with the venue's certificate",
    "outside_folder": "folder that gets the public pages as files",
    "outside_command": "command that pushes {folder} on, run after each change",
}
"""What each key of `Config` is for, with its default."""
_PATHS = ("state_dir", "ledger", "api_token", "broker_identity", "venue", "tls", "outside_folder")
_PORTS = ("broker_port", "web_port", "web_tls_port")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise ConfigError(message)


def read_config(
    arguments: Sequence[str], environment: Mapping[str, str], system_file: Path = SYSTEM_FILE
) -> Config:
    """The configuration of `flagfall-hub run ARGUMENTS`. ConfigError for whatever is not as expected."""
    parser = _Parser(prog="flagfall-hub run", description="the hub: broker, ledger, page")
    add_options(parser)
    return config_of(vars(parser.parse_args(arguments)), environment, system_file)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `flagfall-hub run`, which every command that works on a hub takes: `config_of` reads them."""
    options = parser.add_argument_group("where the hub is, as for flagfall-hub run")
    options.add_argument("--config", metavar="FILE", help=f"instead of {SYSTEM_FILE}")
    for key, says in _KEYS.items():
        options.add_argument(f"--{key.replace('_', '-')}", metavar=key.rpartition("_")[2].upper(), help=says)


def config_of(
    given: Mapping[str, Any], environment: Mapping[str, str], system_file: Path = SYSTEM_FILE
) -> Config:
    """The configuration for parsed options. ConfigError for whatever is not as expected."""
    found: dict[str, tuple[str, object]] = {}
    file = Path(given["config"]) if given["config"] else system_file
    if given["config"] or file.exists():
        found |= {key: (f"{file}: {key}", value) for key, value in _table(file).items()}
    for key in _KEYS:
        name = f"FLAGFALL_{key.upper()}"
        if name in environment:
            found[key] = (name, environment[name])
        if given[key] is not None:
            found[key] = (f"--{key.replace('_', '-')}", given[key])
    return _config({key: _checked(key, where, value) for key, (where, value) in found.items()}, environment)


def _table(file: Path) -> dict[str, object]:
    try:
        with file.open("rb") as opened:
            data = opened.read(_LARGEST_BYTES + 1)
        if len(data) > _LARGEST_BYTES:
            raise ConfigError(f"{file}: expected at most {_LARGEST_BYTES} bytes")
        table: dict[str, object] = tomllib.loads(data.decode("utf-8"))
    except OSError as fault:
        raise ConfigError(f"{file}: expected a readable file: {fault.strerror}") from None
    except ConfigError:
        raise
    except (
        ValueError,
        RecursionError,
    ) as fault:  # a number of five thousand digits is a ValueError of its own
        raise ConfigError(f"{file}: expected TOML: {' '.join(str(fault).split())}") from None
    for key in table:
        if key not in _KEYS:
            raise ConfigError(f"{file}: {key}: unknown key, expected one of {', '.join(_KEYS)}")
    return table


def _checked(key: str, where: str, value: object) -> object:
    if key in _PORTS:
        if isinstance(value, str) and value.isdecimal():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_PORT:
            raise ConfigError(f"{where}: expected a port 0 to {_MOST_PORT}, got {value!r:.60}")
        return value
    if not isinstance(value, str) or not value or not value.isprintable():
        raise ConfigError(f"{where}: expected a text, got {value!r:.60}")
    if key == "broker" and value not in _BROKERS:
        raise ConfigError(f"{where}: expected one of {', '.join(_BROKERS)}, got {value!r:.60}")
    if key == "ledger" and value.startswith(ADDRESSES):
        return value
    if key == "outside_command":
        return _words(where, value)
    return Path(value) if key in _PATHS else value


def _words(where: str, value: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(value))
    except ValueError as fault:
        raise ConfigError(f"{where}: expected a command as one would type it: {fault}") from None


def _config(values: dict[str, object], environment: Mapping[str, str]) -> Config:
    state_dir = values.pop("state_dir", None) or _default_state_dir(environment)
    assert isinstance(state_dir, Path)
    values.setdefault("ledger", state_dir / "ledger.sqlite")
    values.setdefault("api_token", state_dir / "api-token")
    venue = values.get("venue")
    if isinstance(venue, Path):
        values = {
            "broker": EXTERNAL,
            "broker_port": VENUE_PORT,
            "broker_identity": venue / "hub" / "identity",
            "tls": venue / "hub" / "tls",
        } | values
    config = Config(state_dir=state_dir, **values)  # type: ignore[arg-type]
    if config.web_tls_port is not None and config.venue is None:
        raise ConfigError("web_tls_port: expected a venue, whose certificate is served with, got none")
    if config.outside_command and config.outside_folder is None:
        raise ConfigError("outside_folder: expected a folder for outside_command to push, got nothing")
    if config.broker == EXTERNAL and config.broker_identity is None:
        raise ConfigError("broker_identity: expected a file to enter the external broker with, got nothing")
    return config


def _default_state_dir(environment: Mapping[str, str]) -> Path:
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/flagfall")
    home = environment.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "flagfall"


def api_token(file: Path) -> str:
    """The token in this file, or a new one. ConfigError where it cannot be written, or others can read it."""
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read(file)
    except OSError as fault:
        raise ConfigError(f"{file}: expected a file to write the token to: {fault.strerror}") from None
    token = secrets.token_urlsafe(32)
    with os.fdopen(descriptor, "w", encoding="ascii") as written:
        written.write(f"{token}\n")
        written.flush()
        os.fsync(written.fileno())
    return token


def _read(file: Path) -> str:
    try:
        if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
            raise ConfigError(f"{file}: others can read this token, expected mode 0600 (chmod 600)")
        token = file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise ConfigError(f"{file}: expected a readable token") from None
    if len(token) < 16:
        raise ConfigError(f"{file}: expected a token of 16 characters at least")
    return token
