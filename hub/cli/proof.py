"""`flagfall-hub key`, `checkpoint` and `proof`: what others need to check this hub's results, and what they keep of its
record; and the check itself, which needs no hub.

The hub is found as for `run`, with the same options; it may run meanwhile.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path

from flagfall.base.command_line import DONE, THE_ANSWER_IS_NO, CommandError, Parser, ended_by
from flagfall.base.errors import Failed, Invalid, one_line, why_unreached
from flagfall.ledger.entry import leaf
from flagfall.ledger.merkle import Tree, leaf_hash
from flagfall.ledger.opening import open_ledger
from flagfall.ledger.store import Ledger, LedgerError
from flagfall.link.signed_note import read_key
from hub.config import Config, add_options, config_of
from hub.proof.cosigned import FILE_NAME as COSIGNED
from hub.proof.cosigned import CosignedHeads
from hub.proof.hub_key import hub_key, tree_of
from hub.proof.kept_head import LARGEST_BYTES as SMALL_BYTES
from hub.proof.kept_head import PathMissing, consistency_address, read_kept, read_path
from hub.proof.policy import LARGEST_BYTES as POLICY_BYTES
from hub.proof.policy import Policy, policy_of, read_policy
from hub.proof.result_proof import LARGEST_BYTES, check_proof, make_proof
from hub.record.fold import fold
from hub.text import Refused

# Time for which a hub is waited for.
_ANSWER_S = 20


@ended_by(Failed, Invalid)
def key_command(arguments: Sequence[str]) -> int:
    """Print the hub's public key in the format of signed notes."""
    parser = Parser(prog="flagfall-hub key", allow_abbrev=False)
    parser.add_argument(
        "event", metavar="EVENT", nargs="?", help="the same key under the name of this event's record"
    )
    add_options(parser)
    chosen = parser.parse_args(arguments)
    key = hub_key(config_of(vars(chosen), os.environ).state_dir)
    print(key.verifier if chosen.event is None else key.verifier_of(chosen.event))
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


@ended_by(Failed, Invalid, Refused, LedgerError)
def proof_command(arguments: Sequence[str]) -> int:
    """Write the proof of a game's result."""
    parser = Parser(prog="flagfall-hub proof", allow_abbrev=False)
    parser.add_argument("event", metavar="EVENT", help="the event's id, as in its addresses")
    parser.add_argument("game", metavar="GAME", help="the game's id, as in the address of its page")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="gets the proof")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    config = config_of(vars(chosen), os.environ)
    with closing(ledger_of(config)) as ledger:
        entries = list(ledger.read(chosen.event))
    if not entries:
        raise CommandError(f"EVENT: expected one of this hub's, got {chosen.event!r}")
    tree = Tree()
    for entry in entries:
        tree.add(leaf_hash(leaf(entry)))
    placed = {entry.id: (position, entry) for position, entry in enumerate(entries, 1)}
    cosigned = CosignedHeads(config.state_dir / COSIGNED)
    key = hub_key(config.state_dir)
    proof = make_proof(fold(entries), chosen.game, placed, tree, key=key, cosigned=cosigned)
    try:
        chosen.output.write_bytes(proof)
    except OSError as failure:
        raise CommandError(f"{chosen.output}: cannot be written: {failure.strerror}") from None
    print(f"{chosen.output}: {len(proof)} bytes")
    return DONE


@dataclass(frozen=True, slots=True)
class Asked:
    """The trust that a check of a proof rests on: the hub's key, and perhaps a head that was kept, with the path
    between it and the proof's, and a policy of witnesses."""

    key: str
    # A file, a text or a link.
    checkpoint: str | None = None
    # A file or the hub's address.
    path: str | None = None
    policy: Policy | None = None


def verify_proof(file: Path, asked: Asked, as_json: bool) -> int:
    """Check a proof file; print what it proves or what does not hold."""
    verifier, path = read_key(asked.key), asked.path
    content = _content(file, LARGEST_BYTES + 1)
    given = kept_text(asked.checkpoint) if asked.checkpoint is not None else None
    hashes = _text(path, _content(Path(path))) if path is not None and not _is_address(path) else None
    try:
        proven = check_proof(content, verifier, policy=asked.policy)
        if given is not None:
            kept = read_kept(given, verifier)
            if path is not None and hashes is None and kept.head.size != proven.entries:
                sizes = sorted((kept.head.size, proven.entries))
                hashes = _fetched(path, consistency_address(proven.tournament, sizes[0], sizes[1]))
            kept = replace(kept, path=read_path(hashes) if hashes is not None else None)
            proven = check_proof(content, verifier, kept, asked.policy)
    except PathMissing as missing:
        raise CommandError(str(missing)) from None
    except Invalid as fault:
        print(
            _json({"holds": False, "why": str(fault)}) if as_json else f"NOT  {file}: {one_line(str(fault))}"
        )
        return THE_ANSWER_IS_NO
    print(_json(proven.as_object) if as_json else "\n".join(map(one_line, proven.lines)))
    return DONE


def policy_asked(file: Path | None, witnesses: Sequence[str], at_least: int | None) -> Policy | None:
    """Return the policy of a file, or of keys; None if neither is given. Invalid if it is none."""
    if file is not None:
        return read_policy(_content(file, POLICY_BYTES + 1))
    return policy_of(witnesses, at_least) if witnesses else None


def kept_text(given: str) -> str:
    """Return the text of a head that was kept, as `--checkpoint` has it: in a file, itself, or in a link."""
    if "\n" in given or "://" in given:
        return given
    return _text(given, _content(Path(given)))


def _is_address(path: str) -> bool:
    return path.startswith(("http://", "https://"))


def _content(file: Path, most: int = SMALL_BYTES + 1) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(most)
    except (OSError, ValueError) as failure:  # ValueError for a name that no file can have
        raise CommandError(f"{file}: cannot be read: {getattr(failure, 'strerror', failure)}") from None


def _text(name: str, content: bytes) -> str:
    try:
        if len(content) > SMALL_BYTES:
            raise ValueError
        return content.decode()
    except ValueError:
        raise CommandError(f"{name}: expected a text of {SMALL_BYTES // 1000} kB at most, in UTF-8") from None


def _fetched(hub: str, address: str) -> str:
    """Return the path that the hub has at its address. Invalid with its words if it has none."""
    place = hub.rstrip("/") + address
    try:
        with urllib.request.urlopen(place, timeout=_ANSWER_S) as answer:
            return _text(place, answer.read(SMALL_BYTES + 1))
    except urllib.error.HTTPError as refused:
        with refused:
            words = refused.read(200).decode("utf-8", "replace").partition("\n")[0]
        if refused.code == HTTPStatus.BAD_REQUEST:
            raise Invalid("path", "the hub's, which has none between these heads", words) from None
        raise CommandError(f"{place}: expected the path, got the answer {refused.code}") from None
    except (OSError, ValueError, HTTPException) as fault:
        raise CommandError(f"{place}: cannot be fetched: {why_unreached(fault)}") from None


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def ledger_of(config: Config) -> Ledger:
    """Return the hub's ledger, opened for reading."""
    if not (isinstance(config.ledger, str) or config.ledger.exists()):
        raise CommandError(f"{config.ledger}: expected a ledger, there is none")
    return open_ledger(config.ledger, read_only=True)
