"""A proof of one result, `flagfall-proof/1`: whoever has it and the hub's public key can check it without a hub.

It holds the entry of the result, which the table signed, the entry that enrolled the table with its public key, the
paths from both to the root of the record's tree, and that root signed by the hub; and the game file if it is public.
It is canonical JSON and a newline, so that no byte of it can be changed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from flagfall.base.errors import Invalid
from flagfall.base.message import N_
from flagfall.ledger.entry import Entry, canonical, leaf
from flagfall.ledger.merkle import HASH_BYTES, Tree, inclusion_path, is_included, leaf_hash
from flagfall.link.cosignature import cosigners
from flagfall.link.keys import fingerprint
from flagfall.link.packed_file import PackedFile, unpack_game
from flagfall.link.signature import verify_text
from flagfall.link.signed_note import Checkpoint, VerifierKey, open_note, read_checkpoint
from flagfall.link.topics import Kind
from flagfall.othello.side import Both
from hub.proof.cosigned import CosignedHeads
from hub.proof.hub_key import HubKey
from hub.proof.kept_head import Kept, compare_heads
from hub.proof.policy import Policy
from hub.proof.proof_parts import (
    Leaf,
    NamedPlayer,
    Proof,
    ProvenEntry,
    RecordedEnrolment,
    RecordedResult,
    SignedResult,
    read_part,
    read_value,
)
from hub.record.acts.devices import DeviceEnrolled, EnrolledBy
from hub.record.codec import file_entry_id, happening, result_entry_id
from hub.record.events import GameFileReceived, ResultReceived
from hub.record.state import TournamentState
from hub.text import Refused

FORMAT: Literal["flagfall-proof/1"] = "flagfall-proof/1"
LARGEST_BYTES = 8 << 20
_NO_RESULT = N_("no table has sent a result of this game")
_DECIDED = N_("the director has decided this game otherwise than its table says")
_BEFORE = N_("signed with a key of version 0.2.0, which the hub knew too: nobody else can check it")
# Who gave a table's key to the hub, which nobody else can know.
_ENROLLED: Mapping[EnrolledBy | None, str] = {
    "device": "; the hub says that the table itself has shown it",
    "api": "; the hub says that it was entered by the API",
    None: "",
}
# Position in the record, from 1, and entry; by the entry's id.
Placed = Mapping[str, tuple[int, Entry]]
_Body = TypeVar("_Body")


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
    # Who gave the table's key to the hub, as the hub says; None in older records.
    enrolled_by: EnrolledBy | None = None
    # Of a head that was kept: its number of entries, and whether the result was already among them. None without one.
    kept_size: int | None = None
    in_kept: bool | None = None
    # The names of the witnesses asked for that have seen the head; None if none were asked for.
    seen_by: tuple[str, ...] | None = None
    # The names of those that have seen the head that was kept.
    kept_seen_by: tuple[str, ...] = ()

    @property
    def table_key(self) -> str:
        """The fingerprint of the table's key."""
        return fingerprint(bytes.fromhex(self.device_key))

    @property
    def lines(self) -> tuple[str, ...]:
        """The result, its signature, its place in the record, and what that rests on."""
        black, white = (
            f"{name} ({player})" if name else player
            for name, player in zip(self.names, (self.black, self.white), strict=True)
        )
        who = {(True, True): "both players", (False, False): "neither player"}.get(self.signed)
        who = who or ("Black alone" if self.signed[0] else "White alone")
        return (
            f"{self.tournament}, game {self.game}: {black} {self.score[0]}-{self.score[1]} {white}"
            f" ({self.reason}), confirmed by {who}",
            f"signed by table {self.device}, whose key {self.table_key} is entry {self.enrolled_at}"
            f"{self._enrolment}: compare it with that on slips or the list of tables from the first round",
            f"entry {self.recorded_at} of {self.entries} in the record {self.origin}, root {self.root}",
            *self._grounds,
        )

    @property
    def key_before(self) -> bool:
        """True if the table's key was in the head that was kept, and the result was not yet."""
        return self.in_kept is False and self.enrolled_at <= (self.kept_size or 0)

    @property
    def _enrolment(self) -> str:
        """Knowledge of how the table's key came to the hub, in words."""
        known = "; it was already in what you kept, before the result" if self.key_before else ""
        if known and self.kept_seen_by:
            known += f", and these witnesses have seen that too: {', '.join(self.kept_seen_by)}"
        return known + _ENROLLED[self.enrolled_by]

    @property
    def _grounds(self) -> tuple[str, ...]:
        """Grounds of the result: witnesses, a head that was kept, or the hub's word alone."""
        if not self.seen_by:
            return (self._ground,)
        count = "1 witness has" if len(self.seen_by) == 1 else f"{len(self.seen_by)} witnesses have"
        seen = f"{count} seen a head that contains it: {', '.join(self.seen_by)}"
        return (seen,) if self.in_kept is None else (seen, self._ground)

    @property
    def _ground(self) -> str:
        """The ground of the result without witnesses: the hub's word, or a head that was kept."""
        if self.in_kept is None:
            return "the hub says so: whoever has its files can make another record (--checkpoint compares a kept head)"
        kept = "1 entry that you kept" if self.kept_size == 1 else f"{self.kept_size} entries that you kept"
        if self.in_kept:
            return f"its record still contains the {kept}, and the result was already in it"
        says = "" if self.seen_by else ": for the result the hub says so"
        return f"its record contains the {kept}, but the result came later{says}"

    @property
    def as_object(self) -> dict[str, Any]:
        return {
            "holds": True,
            **asdict(self),
            "table_key": self.table_key,
            "key_before": self.key_before,
            "witnesses": len(self.seen_by or ()),
        }


def entries_needed(state: TournamentState, game_id: str) -> tuple[str, ...]:
    """Return the ids of the entries that a proof of this game's result may need, the result's first. Refused with the
    reason if there is nothing to prove."""
    game = state.games.get(game_id)
    if game is None:
        raise Refused("expected a game of this event, got {game!r}", field="game", game=game_id[:80])
    if game.reported is None:
        raise Refused(_NO_RESULT, field="game")
    if game.score is None or (*game.players, *game.score) != (*game.reported.players, *game.reported.score):
        raise Refused(_DECIDED, field="game")
    result = f"{game.id}.{game.reported.revision}"
    return result_entry_id(result), file_entry_id(result), *state.enrolments.get(game.reported.device, ())


def is_provable(state: TournamentState, game_id: str) -> bool:
    """Return True if the record has a result of this game, and a key of its table."""
    try:
        return len(entries_needed(state, game_id)) > 2
    except Refused:
        return False


def make_proof(
    state: TournamentState, game_id: str, placed: Placed, tree: Tree, *, key: HubKey, cosigned: CosignedHeads
) -> bytes:
    """Return the proof of a game's result: against the head that witnesses have seen where it holds the result, else
    against the present one. `placed` has the entries that `entries_needed` names. Refused with the reason if there is
    none."""
    result_id, file_id, *enrolments = entries_needed(state, game_id)
    position, result = placed[result_id]
    if result.version == 1:
        raise Refused(_BEFORE, field="game")
    earlier = [placed[name] for name in enrolments if placed[name][0] < position]
    if not earlier:
        raise Refused(_BEFORE, field="game")
    seen = cosigned.best(state.id, position, tree)
    size = len(tree.hashes) if seen is None else seen.size
    proof = Proof(
        format=FORMAT,
        game=game_id,
        result=_proven(position, result, tree, size),
        enrolment=_proven(*max(earlier, key=lambda place: place[0]), tree, size),
        checkpoint=key.checkpoint(state.id, tree, short=True) if seen is None else seen.short_note,
        file=_public_file(state, game_id, placed.get(file_id)),
    )
    return canonical(msgspec.to_builtins(proof)) + b"\n"


def _proven(position: int, entry: Entry, tree: Tree, size: int) -> ProvenEntry:
    path = inclusion_path(tree, position - 1, size)
    return ProvenEntry(_base64(leaf(entry)), position - 1, tuple(map(_base64, path)))


def _public_file(state: TournamentState, game_id: str, placed: tuple[int, Entry] | None) -> str | UnsetType:
    """Return the text of the game file where the event publishes it; not if a player's name in it was changed since, or
    taken out."""
    game = state.games[game_id]
    kept = happening(placed[1]) if placed is not None and game.broadcast else None
    if not isinstance(kept, GameFileReceived):
        return UNSET
    try:
        text = unpack_game(PackedFile(kept.file, kept.sha256))
        names = _names(text)
    except ValueError:  # Invalid and UnicodeDecodeError too
        return UNSET
    present = tuple(state.tournament.player(player).name for player in game.players)
    return text if names == present else UNSET


def _names(game_file: str) -> tuple[str, str]:
    """Return the players' names in a game file's header, "" for one without; Invalid if it is no header."""
    players = read_part("file", game_file.partition("\n")[0], Both[NamedPlayer])
    return players.black.name, players.white.name


def check_proof(
    content: bytes, key: VerifierKey, kept: Kept | None = None, policy: Policy | None = None
) -> ProvenResult:
    """Return what a proof file proves to somebody who trusts the hub's `key`, has perhaps `kept` a head of its record,
    and trusts perhaps the witnesses of a `policy`. Invalid says what does not hold; PathMissing if the heads cannot be
    compared without their path."""
    proof = _read(content)
    head = read_checkpoint(open_note(proof.checkpoint, key))
    result, enrolment = _entry("result", proof.result, head), _entry("enrolment", proof.enrolment, head)
    tournament = result.tournament
    if head.origin != f"{key.name}/{tournament}" or enrolment.tournament != tournament:
        raise Invalid(
            "checkpoint", f"one of the event {tournament[:80]} of {key.name}", repr(head.origin[:120])
        )
    received = _body(result, ResultReceived.TYPE, 2, RecordedResult)
    enrolled = _body(enrolment, DeviceEnrolled.TYPE, 1, RecordedEnrolment)
    if not proof.enrolment.index < proof.result.index:
        raise Invalid("enrolment", "an entry before the result's")
    if enrolled.device != received.device:
        raise Invalid("enrolment", f"that of {received.device[:80]}", enrolled.device[:80])
    text, public = received.message.encode(), bytes.fromhex(enrolled.public_key)
    if not verify_text(Kind.RESULT, text, received.signature, public):
        raise Invalid(
            "result", f"the signature of table {received.device[:80]}, this one is not of this text"
        )
    message = read_part("result", received.message, SignedResult)
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
    if not isinstance(proof.file, UnsetType):
        if hashlib.sha256(proof.file.encode()).hexdigest() != message.sha256:
            raise Invalid("file", "the game file whose digest the table signed")
        names = _names(proof.file)
    seen_by = None if policy is None else _witnesses(proof.checkpoint, head, key, policy)
    if kept is not None:
        compare_heads(head, kept)
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
        enrolled_by=enrolled.by,
        kept_size=kept.head.size if kept is not None else None,
        in_kept=proof.result.index < kept.head.size if kept is not None else None,
        seen_by=seen_by,
        kept_seen_by=_seen_by(kept.note, policy) if kept is not None and policy is not None else (),
    )


def _seen_by(note: str, policy: Policy) -> tuple[str, ...]:
    """Return the names of the policy's witnesses that have seen a head."""
    return tuple(witness.name for witness in cosigners(note, policy.keys))


def _witnesses(note: str, head: Checkpoint, key: VerifierKey, policy: Policy) -> tuple[str, ...]:
    """Return the names of the policy's witnesses that have seen the head. Invalid if they are not enough."""
    policy.expect_key(head, key)
    seen_by = cosigners(note, policy.keys)
    names = tuple(witness.name for witness in seen_by)
    if not policy.holds(seen_by):
        raise Invalid(
            "checkpoint",
            "a head that the witnesses you named have seen, as many as you asked for",
            f"{len(names)} of them: {', '.join(names)}" if names else "none of them",
        )
    return names


def _read(content: bytes) -> Proof:
    expected = f"a proof file of the format {FORMAT}"
    if len(content) > LARGEST_BYTES:
        raise Invalid("", f"{expected}, {LARGEST_BYTES >> 20} MB at most")
    try:
        value = read_value(content.decode())
        proof = msgspec.convert(value, Proof)
        as_written = canonical(value) + b"\n"
    except ValueError as bad:  # msgspec's and json's errors are ValueErrors
        raise Invalid("", f"{expected}: {bad}") from None
    if as_written != content:
        raise Invalid("", f"{expected}, with each byte as it was written")
    return proof


def _entry(field: str, proven: ProvenEntry, head: Checkpoint) -> Leaf:
    """Return the entry, which the tree contains."""
    content = _bytes(field, proven.entry)
    path = [_bytes(field, node) for node in proven.path]
    if any(len(node) != HASH_BYTES for node in path):
        raise Invalid(field, f"hashes of {HASH_BYTES} bytes")
    if not is_included(leaf_hash(content), proven.index, head.size, path, head.root):
        raise Invalid(field, "an entry in the record whose head the hub signed")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise Invalid(field, "an entry in UTF-8") from None
    return read_part(field, text, Leaf)


def _body(entry: Leaf, kind: str, version: int, body: type[_Body]) -> _Body:
    if entry.type != kind or entry.version != version:
        raise Invalid(kind, f"an entry of this type and version {version}", repr(entry.type)[:80])
    return read_part(kind, entry.body, body)


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
