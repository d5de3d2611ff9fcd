"""A proof of one result, `flagfall-proof/1`: whoever has it and the hub's public key can check it without a hub.

It holds the entry of the result, which the table signed, the entry that enrolled the table with its public key, the
paths from both to the root of the record's tree, and that root signed by the hub; and the game file if it is public.
It is canonical JSON and a newline, so that no byte of it can be changed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import msgspec

from flagfall.ledger.entry import Entry, canonical, leaf
from flagfall.ledger.merkle import Tree, inclusion_path, is_included, leaf_hash
from flagfall.link.packed_file import PackedFile, unpack_game
from flagfall.link.signature import verify_text
from flagfall.link.signed_note import Checkpoint, VerifierKey, open_note, read_checkpoint
from flagfall.link.topics import Kind
from flagfall.othello.errors import Invalid
from flagfall.othello.foreign_text import check_depth, parse_json
from flagfall.othello.message import N_
from flagfall.othello.side import Both
from hub.proof.hub_key import HubKey
from hub.record.codec import file_entry_id, happening, result_entry_id
from hub.record.events import DeviceEnrolled, GameFileReceived, ResultReceived
from hub.record.state import TournamentState
from hub.text import Refused

FORMAT: Literal["flagfall-proof/1"] = "flagfall-proof/1"
LARGEST_BYTES = 8 << 20
_NO_RESULT = N_("no table has sent a result of this game")
_DECIDED = N_("the director has decided this game otherwise than its table says")
_BEFORE = N_("signed with a key of version 0.2.0, which the hub knew too: nobody else can check it")
# Position in the record, from 1, and entry; by the entry's id.
Placed = Mapping[str, tuple[int, Entry]]


class ProvenEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry (base64 of its leaf), its place in the tree from 0, and the hashes that lead to the root (base64)."""

    entry: str
    index: int
    path: tuple[str, ...]


class Proof(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a proof file. `file` is the text of the game file."""

    format: Literal["flagfall-proof/1"]
    game: str
    result: ProvenEntry
    enrolment: ProvenEntry
    checkpoint: str
    file: str | None = None


@dataclass(frozen=True, slots=True)
class ProvenResult:
    """The facts that a proof proves. Positions count from 1; `names` are empty without the game file."""

    tournament: str
    game: str
    black: str
    white: str
    names: tuple[str, str]
    score: tuple[int, int]
    winner: str | None
    reason: str
    transcript: str
    # Whether the players have signed at the table.
    signed: tuple[bool, bool]
    device: str
    device_key: str
    enrolled_at: int
    recorded_at: int
    entries: int
    origin: str
    root: str

    @property
    def lines(self) -> tuple[str, str, str]:
        """The result, its signature and its place in the record."""
        black, white = (
            f"{name} ({player})" if name else player
            for name, player in zip(self.names, (self.black, self.white), strict=True)
        )
        who = {(True, True): "both players", (False, False): "neither player"}.get(self.signed)
        who = who or ("Black alone" if self.signed[0] else "White alone")
        return (
            f"{self.tournament}, game {self.game}: {black} {self.score[0]}-{self.score[1]} {white}"
            f" ({self.reason}), confirmed by {who}",
            f"signed by table {self.device}, whose key {self.device_key[:16]} is entry {self.enrolled_at}",
            f"entry {self.recorded_at} of {self.entries} in the record {self.origin}, root {self.root}",
        )

    @property
    def as_object(self) -> dict[str, Any]:
        return {"holds": True, **asdict(self)}


def entries_needed(state: TournamentState, game_id: str) -> tuple[str, ...]:
    """Return the ids of the entries that a proof of this game's result may need, the result's first. Refused with the
    reason if there is nothing to prove."""
    game = state.games.get(game_id)
    if game is None:
        raise Refused("expected a game of this event, got {game!r}", field="game", game=game_id[:80])
    if game.reported is None:
        raise Refused(_NO_RESULT, field="game")
    if game.score is None or tuple(game.score) != tuple(game.reported.score):
        raise Refused(_DECIDED, field="game")
    result = f"{game.id}.{game.reported.revision}"
    return result_entry_id(result), file_entry_id(result), *state.enrolments.get(game.reported.device, ())


def is_provable(state: TournamentState, game_id: str) -> bool:
    """Return True if the record has a result of this game, and a key of its table."""
    try:
        return len(entries_needed(state, game_id)) > 2
    except Refused:
        return False


def make_proof(state: TournamentState, game_id: str, placed: Placed, tree: Tree, key: HubKey) -> bytes:
    """Return the proof of a game's result. `placed` has the entries that `entries_needed` names. Refused with the
    reason if there is none."""
    result_id, file_id, *enrolments = entries_needed(state, game_id)
    position, result = placed[result_id]
    if result.version == 1:
        raise Refused(_BEFORE, field="game")
    earlier = [placed[name] for name in enrolments if placed[name][0] < position]
    if not earlier:
        raise Refused(_BEFORE, field="game")
    proof = Proof(
        format=FORMAT,
        game=game_id,
        result=_proven(position, result, tree),
        enrolment=_proven(*max(earlier, key=lambda place: place[0]), tree),
        checkpoint=key.checkpoint(state.id, tree),
        file=_public_file(state, game_id, placed.get(file_id)),
    )
    fields = {name: value for name, value in msgspec.to_builtins(proof).items() if value is not None}
    return canonical(fields) + b"\n"


def _proven(position: int, entry: Entry, tree: Tree) -> ProvenEntry:
    path = inclusion_path(tree, position - 1)
    return ProvenEntry(_base64(leaf(entry)), position - 1, tuple(map(_base64, path)))


def _public_file(state: TournamentState, game_id: str, placed: tuple[int, Entry] | None) -> str | None:
    """Return the text of the game file where the event publishes it; not if a player's name in it was changed since, or
    taken out."""
    game = state.games[game_id]
    kept = happening(placed[1]) if placed is not None and game.broadcast else None
    if not isinstance(kept, GameFileReceived):
        return None
    try:
        text = unpack_game(PackedFile(kept.file, kept.sha256))
        names = _names(text)
    except ValueError:  # Invalid and UnicodeDecodeError too
        return None
    present = tuple(state.tournament.player(player).name for player in game.players)
    return text if names == present else None


class _Player(msgspec.Struct):
    name: str = ""


def _names(game_file: str) -> tuple[str, str]:
    """Return the players' names in a game file's header; ValueError if it has none."""
    players = msgspec.json.decode(game_file.partition("\n")[0], type=Both[_Player])
    return players.black.name, players.white.name


def check_proof(content: bytes, key: VerifierKey) -> ProvenResult:
    """Return what a proof file proves to somebody who trusts the hub's `key`. Invalid says what does not hold."""
    proof = _read(content)
    head = read_checkpoint(open_note(proof.checkpoint, key))
    result, enrolment = _entry("result", proof.result, head), _entry("enrolment", proof.enrolment, head)
    tournament = str(result["tournament"])
    if head.origin != f"{key.name}/{tournament}" or enrolment["tournament"] != tournament:
        raise Invalid(
            "checkpoint", f"one of the event {tournament[:80]} of {key.name}", repr(head.origin[:120])
        )
    received, enrolled = _happening(result, ResultReceived, 2), _happening(enrolment, DeviceEnrolled, 1)
    if not proof.enrolment.index < proof.result.index:
        raise Invalid("enrolment", "an entry before the result's")
    if enrolled.device != received.device:
        raise Invalid("enrolment", f"that of {received.device[:80]}", enrolled.device[:80])
    text, public = received.message.encode(), _hex("enrolment", enrolled.public_key)
    if not verify_text(Kind.RESULT, text, received.signature, public):
        raise Invalid(
            "result", f"the signature of table {received.device[:80]}, this one is not of this text"
        )
    message = _message(text)
    expected = {
        "game": (message.game, proof.game),
        "device": (message.device, received.device),
        "tournament": (message.tournament, tournament),
        "hub": (message.hub, key.public.hex()),
        "score": (tuple(message.score), received.score),
    }
    for name, (signed, shown) in expected.items():
        if signed != shown:
            raise Invalid(
                "result", f"{name}: what the table signed, {str(signed)[:80]!r}", f"{str(shown)[:80]!r}"
            )
    names = "", ""
    if proof.file is not None:
        if hashlib.sha256(proof.file.encode()).hexdigest() != message.sha256:
            raise Invalid("file", "the game file whose digest the table signed")
        names = _names(proof.file)
    return ProvenResult(
        tournament=tournament,
        game=message.game,
        black=message.players.black,
        white=message.players.white,
        names=names,
        score=(message.score.black, message.score.white),
        winner=message.winner,
        reason=message.reason,
        transcript=message.transcript,
        signed=(message.signatures.black, message.signatures.white),
        device=message.device,
        device_key=public.hex(),
        enrolled_at=proof.enrolment.index + 1,
        recorded_at=proof.result.index + 1,
        entries=head.size,
        origin=head.origin,
        root=_base64(head.root),
    )


class _Signed(msgspec.Struct):
    """The used part of a result's message."""

    v: Literal[2]
    game: str
    device: str
    tournament: str
    hub: str
    players: Both[str]
    score: Both[int]
    winner: str | None
    reason: str
    transcript: str
    signatures: Both[bool]
    sha256: str


def _read(content: bytes) -> Proof:
    expected = f"a proof file of the format {FORMAT}"
    if len(content) > LARGEST_BYTES:
        raise Invalid("", f"{expected}, {LARGEST_BYTES >> 20} MB at most")
    try:
        check_depth(content)
        proof = msgspec.json.decode(content, type=Proof)
        as_written = canonical(json.loads(content)) + b"\n"
    except (ValueError, RecursionError) as bad:  # msgspec's errors are ValueErrors too
        raise Invalid("", f"{expected}: {bad}") from None
    if as_written != content:
        raise Invalid("", f"{expected}, with each byte as it was written")
    return proof


def _entry(field: str, proven: ProvenEntry, head: Checkpoint) -> dict[str, Any]:
    """Return the fields of an entry that the tree contains."""
    content = _bytes(field, proven.entry)
    path = [_bytes(field, node) for node in proven.path]
    if not is_included(leaf_hash(content), proven.index, head.size, path, head.root):
        raise Invalid(field, "an entry in the record whose head the hub signed")
    return _fields(field, content)


def _fields(field: str, content: bytes) -> dict[str, Any]:
    try:
        fields = parse_json(content.decode())
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise Invalid(field, "a JSON object")
    return fields


def _happening(fields: Mapping[str, Any], kind: type[Any], version: int) -> Any:
    if fields.get("type") != kind.TYPE or fields.get("version") != version:
        raise Invalid(
            kind.TYPE, f"an entry of this type and version {version}", repr(fields.get("type"))[:80]
        )
    try:
        return msgspec.json.decode(fields["body"], type=kind)
    except (msgspec.MsgspecError, TypeError, KeyError, RecursionError):
        raise Invalid(kind.TYPE, "the content of an entry of this type") from None


def _message(text: bytes) -> _Signed:
    try:
        return msgspec.json.decode(text, type=_Signed)
    except (msgspec.MsgspecError, RecursionError):
        raise Invalid("result", "a table's message") from None


def _hex(field: str, text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise Invalid(field, "a public key in hexadecimal digits") from None


def _bytes(field: str, text: str) -> bytes:
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        content = b""
    if not content or _base64(content) != text:
        raise Invalid(field, "base64")
    return content


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
