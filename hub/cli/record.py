"""`flagfall-hub verify`, `backup` and `restore`, the commands that protect a hub's record.

The hub is found as for `run`, with the same options. The chain shows a change of any entry, but neither entries cut
from its end nor a chain made anew. The heads that tables got with their receipts show these (each must still be a hash
of the chain, at the result's entry or after it), and so do the heads that the hub signed (`hub.record.heads`).
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from flagfall.base.command_line import DONE, THE_ANSWER_IS_NO, CommandError, Parser, ended_by
from flagfall.base.errors import Failed, Invalid
from flagfall.base.foreign_file import read_foreign
from flagfall.ledger.merkle import root
from flagfall.ledger.opening import open_ledger
from flagfall.ledger.store import Ledger, LedgerError
from hub.api.addresses import LIVE
from hub.cli.backup import accept, backup, newest_backup, restore
from hub.cli.proof import Asked, kept_text, policy_asked, verify_proof
from hub.cli.running_hub import ask
from hub.config import Config, add_options, config_of
from hub.desk.backup_seal import kept_seal
from hub.proof.hub_key import HubKey, hub_key, tree_of
from hub.proof.kept_head import read_kept
from hub.proof.signers import Signers
from hub.record.codec import result_entry_id
from hub.record.heads import Head, SignedHeads, broken_chain, missing
from hub.record.switch import finish_switch

_MOST_OPENER_BYTES = 4096


def verify_command(arguments: Sequence[str]) -> int:
    parser = Parser(prog="flagfall-hub verify", allow_abbrev=False)
    parser.add_argument("--tables", metavar="DIR", type=Path, help="copies of tables' state directories")
    parser.add_argument("--head", metavar="HASH", type=_head, help="whether the record contains this head")
    parser.add_argument(
        "--checkpoint",
        metavar="KEPT",
        help="whether the record contains this signed head: a file, a text, or the link of a QR code",
    )
    parser.add_argument("--proof", metavar="FILE", type=Path, help="a proof of a result, which needs no hub")
    parser.add_argument(
        "--key", metavar="VKEY", help="with --proof: the hub's, as flagfall-hub key prints it"
    )
    parser.add_argument(
        "--path",
        metavar="FILE|ADDRESS",
        help="with --proof and --checkpoint: the hashes between both heads, in a file or at the hub's address",
    )
    parser.add_argument(
        "--witness",
        metavar="VKEY",
        action="append",
        help="with --proof: that this witness has seen a head with the result; may be repeated",
    )
    parser.add_argument(
        "--at-least", metavar="N", type=int, help="with --witness: so many of them (default: all)"
    )
    parser.add_argument(
        "--policy",
        metavar="FILE",
        type=Path,
        help="with --proof: the witnesses that a federation names (tlog-policy)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    given = {name for name, value in vars(chosen).items() if value is not None and value is not False}
    if chosen.proof is not None:
        _expect_only(given, _OF_PROOF, "a proof")
        return _verify_proof(chosen)
    _expect_only(given, {name for name in vars(chosen) if name not in _WITH_PROOF}, "a hub's own record")
    return _with_hub(chosen, _verify)


# The options of `verify` for a proof, and those of them that are for nothing else.
_WITH_PROOF = frozenset(("proof", "key", "path", "witness", "at_least", "policy"))
_OF_PROOF = _WITH_PROOF | {"checkpoint", "json"}


def _expect_only(given: Iterable[str], fit: Collection[str], subject: str) -> None:
    """Refuse options that say nothing about this subject: none may be thought to count that does not."""
    other = sorted(name for name in given if name not in fit)
    if other:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in other)
        raise CommandError(f"{options}: not for a check of {subject}")


@ended_by(Invalid)
def _verify_proof(chosen: argparse.Namespace) -> int:
    if chosen.key is None:
        raise CommandError("--key: expected the hub's key, as flagfall-hub key prints it")
    if chosen.path is not None and chosen.checkpoint is None:
        raise CommandError("--checkpoint: expected the head that you kept, to which --path leads")
    if chosen.policy is not None and chosen.witness is not None:
        raise CommandError("--policy, --witness: expected one of them, a policy names its witnesses")
    if chosen.at_least is not None and chosen.witness is None:
        raise CommandError("--witness: expected the witnesses of whom --at-least counts")
    policy = policy_asked(chosen.policy, chosen.witness or (), chosen.at_least)
    return verify_proof(chosen.proof, Asked(chosen.key, chosen.checkpoint, chosen.path, policy), chosen.json)


def backup_command(arguments: Sequence[str]) -> int:
    parser = Parser(prog="flagfall-hub backup", allow_abbrev=False)
    parser.add_argument("target", metavar="DIR|FILE", type=Path)
    parser.add_argument(
        "--sealed", action="store_true", help="to the phrase or key that the console's page Sticks was given"
    )
    return _done(parser, arguments, _backup)


def restore_command(arguments: Sequence[str]) -> int:
    parser = Parser(prog="flagfall-hub restore", allow_abbrev=False)
    parser.add_argument(
        "file",
        metavar="FILE|DIR",
        type=Path,
        nargs="?",
        help="of a folder the backup that contains all others",
    )
    parser.add_argument(
        "--phrase", metavar="FILE", type=Path, help="what opens a sealed backup: its phrase or private key"
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--aside", action="store_true", help="first put the files of the present hub aside")
    way.add_argument("--as-it-is", action="store_true", help="no backup: go on with the record as it lies")
    return _done(parser, arguments, _restore)


def _done(parser: Parser, arguments: Sequence[str], work: Callable[[Config, argparse.Namespace], int]) -> int:
    add_options(parser)
    return _with_hub(parser.parse_args(arguments), work)


@ended_by(Failed, Invalid, LedgerError)
def _with_hub(chosen: argparse.Namespace, work: Callable[[Config, argparse.Namespace], int]) -> int:
    config = config_of(vars(chosen), os.environ)
    finish_switch(config.state_dir, config.ledger)
    return work(config, chosen)


def _label() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y%m%d-%H%M%S")


def _head(text: str) -> str:
    head = "".join(text.split()).lower()
    if not 8 <= len(head) <= 64 or not set(head) <= set("0123456789abcdef"):
        raise argparse.ArgumentTypeError(f"expected 8 to 64 hexadecimal digits, got {text[:80]!r}")
    return head


def _backup(config: Config, chosen: argparse.Namespace) -> int:
    seal = kept_seal(config.state_dir) if chosen.sealed else None
    if chosen.sealed and seal is None:
        raise CommandError("give a phrase for backups first: console, Events, Sticks")
    file, heads = backup(config, chosen.target, _label(), seal)
    print(file)
    for tournament, head in heads.items():
        print(f"{tournament}: {head.entries} entries, head {head.head}")
    return DONE


def _restore(config: Config, chosen: argparse.Namespace) -> int:
    if (chosen.file is None) != chosen.as_it_is:
        raise CommandError("restore: expected FILE or DIR, or --as-it-is without one")
    if chosen.as_it_is:
        done, outcome = accept(config), "taken as it is"
    else:
        file: Path = chosen.file
        opener = _opener(chosen.phrase) if chosen.phrase is not None else None
        if file.is_dir():
            newest = newest_backup(file, opener)
            for line in newest.left_out:
                print(f"left out: {line}")
            file = newest.file
        done = restore(config, file, f"aside-{_label()}" if chosen.aside else None, opener)
        outcome = f"restored from {file.name}"
    for gap in done.gaps:
        print(f"gap on record: {gap}")
    print(f"{config.state_dir}: {outcome}, {done.entries} entries; start it with flagfall-hub run")
    return DONE


def _opener(file: Path) -> str:
    try:
        return read_foreign(file, _MOST_OPENER_BYTES)[:_MOST_OPENER_BYTES].decode("utf-8-sig")
    except OSError as fault:
        raise CommandError(f"{file}: cannot be read: {fault.strerror or fault}") from None
    except ValueError:
        raise CommandError(f"{file}: expected a phrase or private key in UTF-8") from None


def _verify(config: Config, chosen: argparse.Namespace) -> int:
    tables: Path | None = chosen.tables
    if not (isinstance(config.ledger, str) or config.ledger.exists()):
        raise CommandError(f"{config.ledger}: expected a ledger, there is none")
    if tables is not None and not tables.is_dir():
        raise CommandError(f"--tables: expected a folder, got {tables}")
    ledger = open_ledger(config.ledger, read_only=True)
    try:
        receipts = [*_receipts_of_live_tables(config), *(receipts_in(tables) if tables is not None else ())]
        verified = verify(ledger, receipts, SignedHeads(config.state_dir).remembered, chosen.head or "")
        if chosen.checkpoint is not None:
            faults = _checkpoint_faults(ledger, chosen.checkpoint, hub_key(config.state_dir))
            verified = replace(verified, faults=(*verified.faults, *faults))
    except sqlite3.Error as bad:
        raise CommandError(
            f"{tables}: expected tables' state directories: {' '.join(str(bad).split())}"
        ) from None
    finally:
        ledger.close()
    if chosen.json:
        print(json.dumps(verified.as_object(), ensure_ascii=False, separators=(",", ":")))
    else:
        for tournament, entries in verified.entries.items():
            print(f"{tournament}: {entries} entries, the chain is whole, head {verified.heads[tournament]}")
        print(f"{verified.receipts} receipts of tables looked at")
        if chosen.checkpoint is not None and not verified.faults:
            print(f"checkpoint {chosen.checkpoint.partition(chr(10))[0]}: the record begins with it")
        if chosen.head and not verified.faults:
            print(f"head {chosen.head}: in the record")
        for fault in verified.faults:
            print(f"NOT  {fault}")
    return THE_ANSWER_IS_NO if verified.faults else DONE


def _checkpoint_faults(ledger: Ledger, kept: str, key: HubKey) -> tuple[str, ...]:
    """Return why the record does not begin with the signed head `kept`, nothing if it does."""
    text = kept_text(kept)
    file = "the head in the text" if text is kept else kept
    try:
        head = read_kept(text, key.verifier).head
    except Invalid as fault:
        return (f"{file}: {fault}",)
    event = head.origin.removeprefix(f"{key.verifier.name}/")
    hashes = tree_of(ledger, event).hashes
    if len(hashes) < head.size or root(hashes[: head.size]) != head.root:
        return (
            f"{file}: the record of {event} does not begin with these {head.size} entries: it was rewritten",
        )
    return ()


def _receipts_of_live_tables(config: Config) -> Iterator[GivenReceipt]:
    """Yield the heads that connected tables remember, if the hub runs."""
    with ended_by(CommandError, where=f"the hub that runs at {config.state_dir}"):
        live = ask(config, *LIVE)
    for device, status in (live or {}).get("devices", {}).items():
        for result, head in (status.get("receipts") or {}).items():
            if head:
                yield GivenReceipt(f"table {device}", str(result), str(head))
        for record in status.get("records") or ():
            yield GivenReceipt(f"table {device}", "", str(record["head"]))


@dataclass(frozen=True, slots=True)
class GivenReceipt:
    """A receipt that a table keeps."""

    where: str  # the table
    result: str  # the result's id, "": the receipt is about the whole record
    head: str


@dataclass(frozen=True, slots=True)
class Verified:
    """The outcome of a verification."""

    entries: dict[str, int]
    heads: dict[str, str]
    receipts: int
    faults: tuple[str, ...]  # one line each; none: the record is whole

    def as_object(self) -> dict[str, Any]:
        return {
            "whole": not self.faults,
            "tournaments": self.entries,
            "heads": self.heads,
            "receipts": self.receipts,
            "faults": list(self.faults),
        }


def verify(
    ledger: Ledger,
    receipts: Iterable[GivenReceipt],
    remembered: Mapping[str, Head] = MappingProxyType({}),
    asked: str = "",
) -> Verified:
    """Check every tournament's chain, every receipt, every head that the hub remembers, and the head `asked` for: its
    first hexadecimal digits, as shown or printed. LedgerError only if the store cannot be reached at all."""
    entries: dict[str, int] = {}
    heads: dict[str, str] = {}
    faults: list[str] = []
    chains: dict[str, dict[str, int]] = {}
    broken_chains: set[str] = set()
    results: dict[str, list[tuple[str, int]]] = {}
    for tournament in ledger.tournaments():
        broken = ledger.verify(tournament)
        if broken is not None:
            faults.append(broken_chain(tournament, broken))
            broken_chains.add(tournament)
            continue
        chain = chains[tournament] = {}
        signers = Signers()
        for position, entry in enumerate(ledger.read(tournament), 1):
            if why := signers.fault(position, entry):
                faults.append(f"{tournament}: entry {position} ({entry.id}): {why}")
            chain[entry.hash] = position
            results.setdefault(entry.id, []).append((tournament, position))
            heads[tournament] = entry.hash
        entries[tournament] = len(chain)
    hashes = {entry: (name, position) for name, chain in chains.items() for entry, position in chain.items()}
    count = 0
    for receipt in receipts:
        count += 1
        why = _wrong(receipt, hashes.get(receipt.head), results.get(result_entry_id(receipt.result), []))
        if why:
            faults.append(f"{receipt.where}: receipt for {receipt.result or 'the record'}: {why}")
    readable = {name: head for name, head in remembered.items() if name not in broken_chains}
    faults += [f"{gap}, which the hub signed" for gap in missing(readable, chains)]
    if asked and not any(head.startswith(asked) for head in hashes):
        faults.append(f"head {asked}: the ledger never had it")
    return Verified(entries, heads, count, tuple(faults))


def _wrong(receipt: GivenReceipt, head: tuple[str, int] | None, places: list[tuple[str, int]]) -> str | None:
    if not receipt.result:
        return None if head is not None else f"the ledger never had the head {receipt.head[:12]}"
    if not places:
        return "the ledger does not have this result"
    if head is None:
        return f"the ledger never had the head {receipt.head[:12]}"
    if not any(tournament == head[0] and position <= head[1] for tournament, position in places):
        return f"the head {receipt.head[:12]} stands before the result"
    return None


def receipts_in(folder: Path) -> Iterator[GivenReceipt]:
    """Yield the receipts in the outboxes below a folder with tables' state directories (or copies of them), and the
    longest record that each table remembers (without a result). OSError or sqlite3.Error if one cannot be read."""
    for path in sorted(folder.rglob("outbox.sqlite")):
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5.0)
        try:
            for result, head in connection.execute("SELECT id, head FROM kept ORDER BY number"):
                yield GivenReceipt(str(path.parent), str(result), str(head))
            if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'told'").fetchone():
                for (head,) in connection.execute("SELECT head FROM told"):
                    yield GivenReceipt(str(path.parent), "", str(head))
        finally:
            connection.close()
