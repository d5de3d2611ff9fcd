"""`flagfall-hub venue init | stick | revoke`: a venue's own broker and certificate authority, and its tables'
sticks."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from flagfall.base.command_line import DONE, CommandError, Parser, ended_by
from flagfall.base.errors import Failed, Invalid
from flagfall.base.pin import given_openly, pin_of
from flagfall.base.private_file import write_private
from flagfall.ledger.opening import open_ledger
from flagfall.ledger.store import LedgerError
from flagfall.link.enrolment import Stick
from hub.cli.running_hub import run
from hub.config import DEVICES, OF_RUN, Config, read_config
from hub.tables.devices import Devices
from hub.text import Refused
from hub.venue import folder as venue

STICK_FOLDER = "flagfall"
STICK_ENDING = ".enrolment"
_MOST_TABLES = 500


@ended_by(Invalid, Refused, LedgerError, Failed)
def venue_command(arguments: Sequence[str]) -> int:
    """Run one of the three actions. CommandError, one line, for anything unexpected."""
    parser = Parser(prog="flagfall-hub venue", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="init|stick|revoke")
    init = commands.add_parser(
        "init", help="authority, broker, store and the hub's certificate, in a new folder"
    )
    init.add_argument("folder", metavar="DIR", type=Path)
    init.add_argument("--port", type=int, default=venue.PORT, help=f"of the broker ({venue.PORT})")
    init.add_argument("--address", default="", help="of the broker, if not all of this machine's")
    stick = commands.add_parser(
        "stick", help="writes to a USB stick the codes with which tables enrol themselves", epilog=OF_RUN
    )
    stick.add_argument("folder", metavar="STICK", type=Path)
    stick.add_argument("--host", required=True, help="the name by which tables find the hub")
    stick.add_argument("--port", type=int, default=None, help="of the hub's pages, if not the configured one")
    add_table_options(stick)
    revoke = commands.add_parser("revoke", help="shuts out a lost device", epilog=OF_RUN)
    revoke.add_argument("device", metavar="DEVICE")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "".join(command.format_usage() for command in (init, stick, revoke))
    chosen, rest = parser.parse_known_args(arguments)
    if chosen.command == "init":
        if rest:
            raise CommandError(f"unrecognized arguments: {' '.join(rest)}")
        _init(chosen)
        return DONE
    config = read_config(rest, os.environ)
    if chosen.command == "stick":
        _stick(config, chosen)
    else:
        _revoke(config, chosen)
    return DONE


def _init(chosen: argparse.Namespace) -> None:
    if not 1 <= chosen.port <= 65_535:
        raise CommandError(f"--port: expected a port from 1 to 65535, got {chosen.port}")
    folder = chosen.folder.absolute()
    venue.make(folder, venue.VenueAddresses(chosen.port, chosen.address))
    port = "" if chosen.port == venue.PORT else f", broker_port = {chosen.port}"
    print(f"{folder}: made. In hub.toml: venue = {str(folder)!r}{port}")
    print(
        f"The authority's key lies in {folder / 'ca'}: whoever has it can make tables. flagfall-hub backup takes it."
    )


def _stick(config: Config, chosen: argparse.Namespace) -> None:
    tables, pins, password = tables_of(chosen), pins_of(chosen), ""
    if config.venue is not None and not config.venue.is_dir():
        raise CommandError(
            f"{config.venue}: expected a venue's folder (flagfall-hub venue init), there is none"
        )
    if chosen.network is not None:
        password = password_in(chosen.network_password)
    hub = f"http://{chosen.host}:{config.web_port if chosen.port is None else chosen.port}"
    folder = chosen.folder / STICK_FOLDER
    try:
        if not chosen.folder.is_dir():
            raise CommandError(f"{chosen.folder}: expected a folder (the mounted stick)")
        folder.mkdir(exist_ok=True, mode=0o700)
        for number, device in tables:
            code = prepare(config, device, number, chosen.again, pins)
            file = Stick(
                device=device, code=code, hub=hub, network=chosen.network or "", network_password=password
            )
            write_private(
                folder / f"{device}{STICK_ENDING}", msgspec.json.format(msgspec.json.encode(file), indent=1)
            )
    except OSError as failure:
        raise CommandError(f"{failure.filename or folder}: cannot be written: {failure.strerror}") from None
    print(
        f"{folder}: codes of {chosen.tables} tables. Each enrols itself while the hub runs: flagfall-table enrol STICK"
    )
    print("Until then whoever has the stick can be these tables: keep it like a key.")
    print("Judges' PINs stand beside the tables in the console's room, for the director.")


def add_table_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the enrolled tables and their settings. PINs come in files, because every user of the machine
    can read a command line."""
    parser.add_argument("--tables", type=int, required=True, metavar="N", help="how many")
    parser.add_argument("--first", type=int, default=1, metavar="N", help="number of the first table (1)")
    parser.add_argument("--again", action="store_true", help="new codes for those that are enrolled already")
    parser.add_argument("--network", metavar="NAME", help="wireless network of the venue, instead of cables")
    parser.add_argument("--network-password", metavar="FILE", type=Path, help="file with its password")
    for who, without in (
        ("judge", "each table gets one of its own"),
        ("director", "the hub's, the same at all"),
    ):
        parser.add_argument(f"--{who}-pin", help=argparse.SUPPRESS)
        parser.add_argument(
            f"--{who}-pin-file", metavar="FILE", help=f"file with the PIN, - to be asked ({without})"
        )


def tables_of(chosen: argparse.Namespace) -> Iterator[tuple[int, str]]:
    """Yield (number, device) for each table that is to be enrolled."""
    if not 1 <= chosen.tables <= _MOST_TABLES or chosen.first < 1:
        raise CommandError(f"--tables: expected 1 to {_MOST_TABLES}, got {chosen.tables}")
    return ((n, f"table-{n:02}") for n in range(chosen.first, chosen.first + chosen.tables))


def pins_of(chosen: argparse.Namespace) -> tuple[str, str]:
    """Return the judge's PIN and the director's, "" for one that the hub makes; CommandError for an invalid one."""
    pins = []
    try:
        for role in ("judge", "director"):
            if getattr(chosen, f"{role}_pin") is not None:
                raise given_openly(f"--{role}-pin")
            place = getattr(chosen, f"{role}_pin_file")
            pins.append("" if place is None else pin_of(place, f"--{role}-pin-file"))
    except Invalid as fault:
        raise CommandError(str(fault)) from None
    judge, director = pins
    if director and director == judge:
        raise CommandError("--director-pin-file: expected other digits than the judge's")
    return judge, director


def password_in(file: Path | None) -> str:
    """Return the network's password in `file`; CommandError if there is none."""
    if file is None:
        raise CommandError(
            "--network-password: expected a file with the password of the network, got nothing"
        )
    try:
        password = file.read_text("utf-8").strip("\r\n")
    except (OSError, UnicodeDecodeError):
        raise CommandError(f"--network-password: expected a readable file, got {file}") from None
    if not 8 <= len(password) <= 63 or not password.isprintable():
        raise CommandError(f"{file}: expected a password of 8 to 63 characters")
    return password


def prepare(config: Config, device: str, seat: int, again: bool, pins: tuple[str, str]) -> str:
    """Return the code with which a table enrols itself: from the running hub (only it may write its devices then), else
    from its devices. `pins` as of `pins_of`."""
    judge, director = pins
    given_pins = {name: pin for name, pin in (("judge_pin", judge), ("director_pin", director)) if pin}
    answer = run(config, "prepare-device", {"device": device, "seat": seat, "again": again} | given_pins)
    if answer is not None:
        return str(answer["code"])
    config.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    devices = Devices(config.state_dir / DEVICES)
    if not devices.all:
        # So that a hub that has not run yet can be backed up too.
        open_ledger(config.ledger).close()
    return devices.prepare(device, seat, again=again, judge_pin=judge, director_pin=director)


def _revoke(config: Config, chosen: argparse.Namespace) -> None:
    if run(config, "revoke-device", device=chosen.device) is None:
        Devices(config.state_dir / DEVICES).revoke(chosen.device)
        if config.venue is not None:
            venue.revoke(config.venue, chosen.device)
    print(f"{chosen.device}: revoked, nothing it says is heard any more")
    if config.venue is not None:
        print("The broker starts again by itself (flagfall-revoked.path), and it does not get in either.")
