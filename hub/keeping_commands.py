"""`flagfall-hub verify`, `backup` and `restore`: what keeps a hub's record safe, from the command line.

Where the hub is comes from the same places as for `run`, whose options they take as well.
"""

from __future__ import annotations

import datetime
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from hub.at_hand import HubRefused, ask
from hub.backup import BackupError, backup, restore
from hub.command_line import DONE, THE_ANSWER_IS_NO, CommandError, Parser
from hub.config import Config, ConfigError, read_config
from hub.verify import GivenReceipt, receipts_in, verify
from ledger.opening import open_ledger
from ledger.store import LedgerError


def keep(command: str, arguments: Sequence[str]) -> int:
    """Runs one of the three; the exit status. CommandError, one line, for whatever is not as expected."""
    parser = Parser(
        prog=f"flagfall-hub {command}",
        epilog="Options of flagfall-hub run are taken too.",
        allow_abbrev=False,
    )
    if command == "verify":
        parser.add_argument("--tables", metavar="DIR", type=Path, help="copies of tables' state directories")
        parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    elif command == "backup":
        parser.add_argument("target", metavar="DIR|FILE", type=Path)
    else:
        parser.add_argument("file", metavar="FILE", type=Path)
    chosen, rest = parser.parse_known_args(arguments)
    try:
        config = read_config(rest, os.environ)
        match command:
            case "verify":
                return _verify(config, chosen.tables, chosen.json)
            case "backup":
                label = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d-%H%M%S")
                print(backup(config, chosen.target, label))
            case _:
                entries = restore(config, chosen.file)
                print(f"{config.state_dir}: restored, {entries} entries; start it with flagfall-hub run")
    except (ConfigError, BackupError, LedgerError) as fault:
        raise CommandError(str(fault)) from None
    return DONE


def _verify(config: Config, tables: Path | None, as_json: bool) -> int:
    if not (isinstance(config.ledger, str) or config.ledger.exists()):
        raise CommandError(f"{config.ledger}: expected a ledger, there is none")
    if tables is not None and not tables.is_dir():
        raise CommandError(f"--tables: expected a folder, got {tables}")
    ledger = open_ledger(config.ledger, read_only=True)
    try:
        told = [*_told_by_tables(config), *(receipts_in(tables) if tables is not None else ())]
        found = verify(ledger, told)
    except sqlite3.Error as bad:
        raise CommandError(
            f"{tables}: expected tables' state directories: {' '.join(str(bad).split())}"
        ) from None
    finally:
        ledger.close()
    if as_json:
        print(json.dumps(found.as_object(), ensure_ascii=False, separators=(",", ":")))
    else:
        for tournament, entries in found.entries.items():
            print(f"{tournament}: {entries} entries, the chain is whole")
        print(f"{found.receipts} receipts of tables looked at")
        for fault in found.faults:
            print(f"NOT  {fault}")
    return THE_ANSWER_IS_NO if found.faults else DONE


def _told_by_tables(config: Config) -> Iterator[GivenReceipt]:
    """Of the tables that are connected, if the hub runs."""
    try:
        live = ask(config, "GET", "live")
    except HubRefused as fault:
        raise CommandError(f"the hub that runs at {config.state_dir}: {fault}") from None
    for device, told in (live or {}).get("devices", {}).items():
        for result, head in (told.get("receipts") or {}).items():
            if head:
                yield GivenReceipt(f"table {device}", str(result), str(head))
