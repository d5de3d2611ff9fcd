"""`flagfall-hub key` and `checkpoint`: what others need to check this hub's results, and what they keep of its record.

The hub is found as for `run`, with the same options; it may run meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing

from flagfall.ledger.entry import leaf
from flagfall.ledger.merkle import Tree, leaf_hash
from flagfall.ledger.opening import open_ledger
from flagfall.ledger.store import Ledger, LedgerError
from flagfall.link.command_line import DONE, CommandError, Parser, ended_by
from flagfall.othello.errors import Failed, Invalid
from hub.config import Config, add_options, config_of
from hub.proof.hub_key import hub_key


@ended_by(Failed, Invalid)
def key_command(arguments: Sequence[str]) -> int:
    """Print the hub's public key in the format of signed notes."""
    parser = Parser(prog="flagfall-hub key", allow_abbrev=False)
    add_options(parser)
    print(hub_key(config_of(vars(parser.parse_args(arguments)), os.environ).state_dir).verifier)
    return DONE


@ended_by(Failed, Invalid, LedgerError)
def checkpoint_command(arguments: Sequence[str]) -> int:
    """Print the signed head of an event's record."""
    parser = Parser(prog="flagfall-hub checkpoint", allow_abbrev=False)
    parser.add_argument("event", metavar="EVENT", help="the event's id, as in its addresses")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    config = config_of(vars(chosen), os.environ)
    with closing(ledger_of(config)) as ledger:
        tree = tree_of(ledger, chosen.event)
    if not tree.hashes:
        raise CommandError(f"EVENT: expected one of this hub's, got {chosen.event!r}")
    print(hub_key(config.state_dir).checkpoint(chosen.event, tree), end="")
    return DONE


def ledger_of(config: Config) -> Ledger:
    """Return the hub's ledger, opened for reading."""
    if not (isinstance(config.ledger, str) or config.ledger.exists()):
        raise CommandError(f"{config.ledger}: expected a ledger, there is none")
    return open_ledger(config.ledger, read_only=True)


def tree_of(ledger: Ledger, event: str) -> Tree:
    """Return the Merkle tree over an event's entries, which has no leaves where there is no such event."""
    tree = Tree()
    for entry in ledger.read(event):
        tree.add(leaf_hash(leaf(entry)))
    return tree
