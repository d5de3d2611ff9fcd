"""`flagfall-hub witness run | key | logs`: a witness, which sees that the records of other hubs are only continued."""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from flagfall.base.command_line import DONE, THE_ANSWER_IS_NO, CommandError, Parser, ended_by
from flagfall.base.errors import Failed, Invalid
from flagfall.link.signed_note import read_key
from hub.config import default_state_dir
from hub.log import take_over_logging
from hub.witness.key import witness_key
from hub.witness.logs import WitnessLogs

_LISTEN = "127.0.0.1:7380"
_FOLDER = "witness"


@ended_by(Failed, Invalid, sqlite3.Error)
def witness_command(arguments: Sequence[str]) -> int:
    """Run one of the actions."""
    parser = Parser(prog="flagfall-hub witness", allow_abbrev=False)
    actions = parser.add_subparsers(dest="action", required=True, metavar="run|key|logs")
    run = actions.add_parser("run", help="serve until a signal", allow_abbrev=False)
    run.add_argument("--listen", metavar="HOST:PORT", default=_LISTEN, help=f"({_LISTEN})")
    key = actions.add_parser("key", help="print the public key, with which others check", allow_abbrev=False)
    logs = actions.add_parser(
        "logs", help="list the records, or say whose records it knows", allow_abbrev=False
    )
    logs.add_argument("change", nargs="?", choices=("add", "remove"))
    logs.add_argument("vkey", nargs="?", metavar="VKEY", help="as flagfall-hub key prints it")
    logs.add_argument("--origin", help="with add: the record's name, if it is not that of the key")
    for action in (run, key, logs):
        action.add_argument(
            "--state-dir", type=Path, metavar="DIR", help="its key and records (witness in the user's state)"
        )
        action.add_argument("--name", help="of a new witness, such as witness.example.org")
    chosen = parser.parse_args(arguments)
    folder = chosen.state_dir or default_state_dir(os.environ) / _FOLDER
    if chosen.action == "key":
        print(witness_key(folder, chosen.name).verifier)
        return DONE
    if chosen.action == "logs":
        with closing(WitnessLogs(folder)) as known:
            return _logs(known, chosen)
    return _run(folder, chosen)


def _run(folder: Path, chosen: argparse.Namespace) -> int:
    host, _, digits = chosen.listen.rpartition(":")
    if not (host and digits.isascii() and digits.isdecimal() and int(digits) <= 65_535):
        raise CommandError(f"--listen: expected HOST:PORT, got {chosen.listen[:80]!r}")
    from hub.witness.server import serve  # the web server, which the other actions do without

    take_over_logging()
    key = witness_key(folder, chosen.name)
    with closing(WitnessLogs(folder)) as known:
        asyncio.run(serve(known, key, host.strip("[]"), int(digits)))
    return DONE


def _logs(known: WitnessLogs, chosen: argparse.Namespace) -> int:
    if (chosen.change is None) != (chosen.vkey is None):
        raise CommandError("VKEY: expected the key of a record or a hub, as flagfall-hub key prints it")
    if chosen.origin is not None and chosen.change != "add":
        raise CommandError("--origin: only for logs add")
    if chosen.change == "add":
        known.trust(read_key(chosen.vkey), chosen.origin)
        return DONE
    if chosen.change == "remove":
        return DONE if known.distrust(read_key(chosen.vkey)) else THE_ANSWER_IS_NO
    for trusted in known.trusted:
        print(f"trusts {trusted.key} for {trusted.origin}")
    for head in known.heads:
        print(f"{head.origin}: {head.size} entries, root {head.root.hex()}")
    return DONE
