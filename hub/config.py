"""The hub's configuration: command line, then environment (`FLAGFALL_...`), then hub.toml, then the defaults here."""

from __future__ import annotations

import argparse
import os
import secrets
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from flagfall.base.command_line import Parser
from flagfall.base.errors import Invalid
from flagfall.base.private_file import is_exposed, write_private
from flagfall.base.settings import Setting, keys_of, read_settings
from flagfall.ledger.opening import ADDRESSES
from flagfall.link.signed_note import COSIGNS, MOST_WITNESSES, read_key

SYSTEM_FILE = Path("/etc/flagfall/hub.toml")
EMBEDDED: Literal["embedded"] = "embedded"
EXTERNAL: Literal["external"] = "external"
VENUE_PORT = 8883
# The console's port where nginx serves it with a venue's certificate.
NGINX_TLS_PORT = 8443
# Files in the state directory that commands read too.
DEVICES, ACCOUNTS, PORTS, SCRIBES = "devices.json", "accounts.json", "addresses.json", "scribes.json"
Text = Annotated[str, Meta(min_length=1)]
Port = Annotated[int, Meta(ge=0, le=65_535)]
_PORT = "a port 0 to 65535"
# Letters: a QR code of such an address and an event's is legible on a slip.
_LONGEST_ADDRESS = 100
_COMMAND = "a command as one would type it"


def _ledger(value: str) -> Path | str:
    return value if value.startswith(ADDRESSES) else Path(value)


def _address(value: str) -> str:
    """Return an address without its last slash. ValueError unless it is one of HTTP without query and user."""
    address = urlsplit(value)
    plain = not (address.query or address.fragment or "@" in address.netloc or set(value) & set(" <>\"'\\"))
    if address.scheme not in ("http", "https") or not address.hostname or not plain:
        raise ValueError(value)
    _ = address.port  # ValueError for what is no port
    if len(value) > _LONGEST_ADDRESS or not value.isascii():
        raise ValueError(value)
    return value.rstrip("/")


def _words(value: str) -> tuple[str, ...]:
    return tuple(shlex.split(value))


class WitnessAddress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A witness of the record: its address, and its public key as `flagfall-hub witness key` prints it."""

    url: str
    key: str


def _witnesses(value: tuple[WitnessAddress, ...] | str) -> tuple[WitnessAddress, ...]:
    """Return witnesses with good addresses and keys, each once. ValueError for others."""
    if isinstance(value, str):
        words = value.split()
        value = tuple(WitnessAddress(url, key) for url, key in zip(words[::2], words[1::2], strict=True))
    keys = {read_key(witness.key, COSIGNS).public for witness in value}
    if len(keys) != len(value) or len(keys) > MOST_WITNESSES:
        raise ValueError
    return tuple(WitnessAddress(_address(witness.url), witness.key) for witness in value)


@dataclass(frozen=True, slots=True)
class Config:
    """The configuration of a hub.

    With `broker` embedded, mosquitto as a child of the hub listens at `broker_host`:`broker_port`; with external, the
    hub connects there. With a venue the broker is the venue's, on this machine unless `broker_host` names another. Port
    0 is any free one; `addresses.json` in `state_dir` has the actual ports. `broker_identity` is a file of
    `flagfall.link.identity`, `tls` a folder of `flagfall.link.tls`, `ledger` an address of `flagfall.ledger.opening`.
    {folder} in `outside_command` is replaced, as in `rsync -a {folder}/ web:/srv/www/`.
    """

    state_dir: Annotated[
        Path, Setting("folder of the record, devices and accounts; the user's own unless root")
    ]
    ledger: Annotated[
        Path | str,
        Setting(
            "the record: a file, or redis://, rediss://, redis-cluster://, unix:// (state_dir/ledger.sqlite)",
            check=_ledger,
            written=Text,
        ),
    ]
    api_token: Annotated[
        Path, Setting("file with the token of the API, made at the first start (state_dir/api-token)")
    ]
    broker: Annotated[
        Literal["embedded", "external"],
        Setting("embedded: mosquitto as the hub's child; external: one that runs already (embedded)"),
    ] = EMBEDDED
    broker_host: Annotated[Text, Setting("where the broker listens, or is (127.0.0.1)")] = "127.0.0.1"
    broker_port: Annotated[Port, Setting("its port; 0: any free one (1883, with a venue 8883)", _PORT)] = 1883
    broker_identity: Annotated[Path | None, Setting("file with which the hub enters an external broker")] = (
        None
    )
    venue: Annotated[
        Path | None, Setting("folder made by flagfall-hub venue init: its broker and certificates")
    ] = None
    tls: Annotated[Path | None, Setting("folder with the hub's own certificate for an external broker")] = (
        None
    )
    web_host: Annotated[
        Text, Setting("where the pages are served; 0.0.0.0 for the whole hall (127.0.0.1)")
    ] = "127.0.0.1"
    web_port: Annotated[Port, Setting("their port; 0: any free one (8000)", _PORT)] = 8000
    web_tls_port: Annotated[
        Port | None, Setting("the console over HTTPS at this port alone, with the venue's certificate", _PORT)
    ] = None
    web_socket: Annotated[
        Path | None, Setting("unix socket for nginx (systemd/flagfall-nginx.conf), which serves both ports")
    ] = None
    public_address: Annotated[
        str | None,
        Setting(
            "where phones find the pages, as on QR codes (this machine's name at a venue, its address with 0.0.0.0)",
            "an address such as http://othello.example.org",
            _address,
        ),
    ] = None
    witnesses: Annotated[
        tuple[WitnessAddress, ...],
        Setting(
            "who sees the record's heads: [{url, key}], on the command line URL and VKEY of each",
            'the url and key of each witness, as in [{url = "https://w.example.org", key = "w+…+…"}]',
            _witnesses,
            tuple[WitnessAddress, ...] | str,
        ),
    ] = ()
    witness_policy: Annotated[
        Path | None,
        Setting("file with more of them, as a federation publishes it (tlog-policy, with addresses)"),
    ] = None
    outside_folder: Annotated[Path | None, Setting("folder that gets the public pages as files")] = None
    outside_command: Annotated[
        tuple[str, ...],
        Setting("command that pushes {folder} on, run after each change", _COMMAND, _words, Text),
    ] = ()

    @property
    def embedded(self) -> bool:
        """Return whether the broker is the hub's own child."""
        return self.broker == EMBEDDED


KEYS = keys_of(Config)

# The options that locate the hub; each takes a value.
OPTIONS = frozenset(("--config", *(key.option for key in KEYS.values())))


def read_config(
    arguments: Sequence[str], environment: Mapping[str, str], system_file: Path = SYSTEM_FILE
) -> Config:
    """Return the configuration of `flagfall-hub run ARGUMENTS`. CommandError for unknown arguments, Invalid for
    values."""
    parser = Parser(prog="flagfall-hub run", description="the hub: broker, ledger, page")
    add_options(parser)
    return config_of(vars(parser.parse_args(arguments)), environment, system_file)


OF_RUN = "Where the hub is: the options of flagfall-hub run."


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `flagfall-hub run`, which every command on a hub takes; `config_of` reads them."""
    options = parser.add_argument_group("where the hub is, as for flagfall-hub run")
    options.add_argument("--config", metavar="FILE", help=f"instead of {SYSTEM_FILE}")
    for name, key in KEYS.items():
        options.add_argument(key.option, metavar=name.rpartition("_")[2].upper(), help=key.says)


def config_of(
    options: Mapping[str, Any], environment: Mapping[str, str], system_file: Path = SYSTEM_FILE
) -> Config:
    """Return the configuration for parsed options. Invalid for anything unexpected."""
    named = Path(options["config"]) if options["config"] else None
    file = named or (system_file if system_file.exists() else None)
    values = read_settings(KEYS, options, environment, file)
    state_dir = values.setdefault("state_dir", default_state_dir(environment))
    defaults = {"ledger": state_dir / "ledger.sqlite", "api_token": state_dir / "api-token"}
    venue = values.get("venue")
    if venue is not None:
        defaults |= {
            "broker": EXTERNAL,
            "broker_port": VENUE_PORT,
            "broker_identity": venue / "hub" / "identity",
            "tls": venue / "hub" / "tls",
        }
    if "web_socket" in values and venue is not None:
        defaults["web_tls_port"] = NGINX_TLS_PORT
    config = Config(**(defaults | values))
    if config.web_tls_port is not None and config.venue is None:
        raise Invalid("web_tls_port", "a venue, whose certificate is served with", "none")
    if config.outside_command and config.outside_folder is None:
        raise Invalid("outside_folder", "a folder for outside_command to push", "nothing")
    if config.broker == EXTERNAL and config.broker_identity is None:
        raise Invalid("broker_identity", "a file to enter the external broker with", "nothing")
    return config


def default_state_dir(environment: Mapping[str, str]) -> Path:
    """Return the folder of a hub without settings: the system's for root, else the user's own."""
    if os.geteuid() == 0:
        return Path("/var/lib/flagfall")
    home = environment.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "flagfall"


def api_token(file: Path) -> str:
    """Return the token in this file, or a new one. Invalid if it cannot be written, or if others can read it."""
    try:
        if not file.exists():
            write_private(file, f"{secrets.token_urlsafe(32)}\n".encode())
    except OSError as fault:
        raise Invalid("", f"a file to write the token to: {fault.strerror}", source=str(file)) from None
    return _read(file)


def _read(file: Path) -> str:
    try:
        if is_exposed(file):
            raise Invalid("", "mode 0600 (chmod 600)", source=f"{file}: others can read this token")
        token = file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise Invalid("", "a readable token", source=str(file)) from None
    if len(token) < 16:
        raise Invalid("", "a token of 16 characters at least", source=str(file))
    return token
