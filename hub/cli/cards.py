"""`flagfall-hub cards FOLDER --tables N`: a settings file for each card, with the code by which its table enrols."""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from flagfall.base.command_line import DONE, CommandError, Parser, ended_by
from flagfall.base.errors import Failed, Invalid
from flagfall.base.private_file import write_private
from flagfall.link.card import (
    ACCESS_POINT,
    CABLE,
    FILE_NAME,
    HUB,
    HUB_HOST,
    TABLE,
    WIFI,
    CardSettings,
    read_card,
    write_card,
)
from flagfall.link.enrolment import new_code
from hub.cli.venue import add_table_options, password_in, pins_of, prepare, tables_of
from hub.config import DEVICES, Config, add_options, config_of
from hub.desk.setup_code import LENGTH
from hub.tables.devices import Devices
from hub.text import Refused

_SECTOR = 512
_TABLE_AT = 446
_PIECE = 1 << 22


@ended_by(Invalid, Refused, Failed)
def cards_command(arguments: Sequence[str]) -> int:
    """Write the files. CommandError, one line, for anything unexpected."""
    parser = Parser(prog="flagfall-hub cards", allow_abbrev=False)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="gets table-01/flagfall.toml and so on")
    parser.add_argument(
        "--host", default=HUB_HOST, help=f"the name by which tables find the hub ({HUB_HOST})"
    )
    add_table_options(parser)
    parser.add_argument("--country", default="", metavar="CC", help="whose radio rules hold, as FR")
    parser.add_argument(
        "--hub-card", action="store_true", help="a card for the hub too, which knows these tables"
    )
    parser.add_argument(
        "--access-point", action="store_true", help="the hub's card makes the wireless network"
    )
    parser.add_argument(
        "--image", metavar="FILE", type=Path, help="puts each into a copy of this image (.img, .img.gz)"
    )
    add_options(parser)
    chosen = parser.parse_args(arguments)
    try:
        made = _cards(config_of(vars(chosen), os.environ), chosen)
        for card in made.values():
            read_card(write_card(card))  # the reader's word is the last one
        _write(chosen.folder, made, chosen.image)
    except OSError as failure:
        raise CommandError(f"{failure.filename or chosen.folder}: {failure.strerror}") from None
    print(f"{chosen.folder}: {len(made)} cards: {', '.join(made)}")
    if chosen.image is None:
        print(f"Copy each {FILE_NAME} to the first partition of its card (it shows up as FLAGFALL-SD).")
    if chosen.hub_card:
        print(f"The hub's page: http://{HUB_HOST}:8000/desk/setup, code {made[HUB].setup_code}")
    print("Judges' PINs stand beside the tables in the console's room, for the director.")
    print(
        "Each table makes its key at its first start, and enrols with the code in its file, which then is used up."
    )
    print("Until then whoever has the file can be that table: keep it like a key.")
    return DONE


def _cards(config: Config, chosen: argparse.Namespace) -> dict[str, CardSettings]:
    tables = tables_of(chosen)
    if chosen.access_point and not (chosen.hub_card and chosen.network):
        raise CommandError("--access-point: expected --hub-card and --network too")
    pins = pins_of(chosen)
    shared = CardSettings(
        TABLE,
        network=WIFI if chosen.network else CABLE,
        wifi_name=chosen.network or "",
        wifi_password=password_in(chosen.network_password) if chosen.network else "",
        wifi_country=chosen.country,
        hub=chosen.host,
    )
    made: dict[str, CardSettings] = {}
    with tempfile.TemporaryDirectory(prefix="flagfall-cards-") as scratch:
        devices = Devices(Path(scratch) / DEVICES) if chosen.hub_card else None
        for number, device in tables:
            if devices is not None:
                code = devices.prepare(device, number, judge_pin=pins[0], director_pin=pins[1])
            else:
                code = prepare(config, device, number, chosen.again, pins)
            made[device] = replace(shared, seat=number, code=code)
        if devices is not None:
            made[HUB] = CardSettings(
                HUB,
                network=ACCESS_POINT if chosen.access_point else shared.network,
                wifi_name=shared.wifi_name,
                wifi_password=shared.wifi_password,
                wifi_country=shared.wifi_country,
                setup_code=new_code(LENGTH),
                devices=(Path(scratch) / DEVICES).read_text("utf-8") + "\n",
            )
    return made


def _write(folder: Path, made: dict[str, CardSettings], image: Path | None) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name, card in made.items():
        if image is not None:
            into_copy(image, folder / f"{name}.img", write_card(card))
            continue
        (folder / name).mkdir(exist_ok=True, mode=0o700)
        write_private(folder / name / FILE_NAME, write_card(card))


def into_copy(image: Path, copy: Path, content: bytes) -> None:
    """Copy `image` and put the file into its first partition, without mounting it."""
    image.stat()
    if shutil.which("mcopy") is None:
        raise CommandError("--image: expected the program mcopy (apt install mtools)")
    descriptor = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with (
        gzip.open(image) if image.suffix == ".gz" else image.open("rb") as source,
        os.fdopen(descriptor, "wb") as target,
    ):
        try:
            while piece := source.read(_PIECE):
                # Holes in the file stay holes, so that ten cards take the room of one.
                if piece.count(0) == len(piece):
                    target.seek(len(piece), os.SEEK_CUR)
                else:
                    target.write(piece)
            target.truncate(target.tell())
        except (gzip.BadGzipFile, zlib.error, EOFError):
            raise CommandError(f"{image}: expected an image made by make image") from None
    start = first_partition(copy)
    with tempfile.NamedTemporaryFile(prefix="flagfall-card-") as file:
        file.write(content)
        file.flush()
        done = subprocess.run(
            ["mcopy", "-o", "-i", f"{copy}@@{start}", file.name, f"::{FILE_NAME}"],
            capture_output=True,
            text=True,
        )
    if done.returncode:
        raise CommandError(f"{copy}: the file could not be put there: {' '.join(done.stderr.split())}")


def first_partition(image: Path) -> int:
    """Return the byte at which the first partition begins; CommandError without a partition table (MBR)."""
    with image.open("rb") as file:
        head = file.read(_SECTOR)
    entry = head[_TABLE_AT : _TABLE_AT + 16]
    start = int.from_bytes(entry[8:12], "little")
    if len(head) < _SECTOR or head[510:512] != b"\x55\xaa" or not start:
        raise CommandError(f"{image}: expected an image made by make image")
    return start * _SECTOR
