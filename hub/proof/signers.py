"""The check of every result in a record, and of its game file, against the keys that its devices had when it was
recorded."""

from __future__ import annotations

import msgspec

from flagfall.base.errors import Invalid
from flagfall.ledger.entry import Entry
from flagfall.link.keys import is_public_key
from flagfall.link.packed_file import PackedFile, check_digest
from flagfall.link.signature import verify_text
from flagfall.link.topics import Kind
from hub.record.acts.devices import DeviceEnrolled, DeviceRevoked
from hub.record.codec import happening
from hub.record.events import GameFileReceived, ResultReceived

_TYPES = {event.TYPE for event in (DeviceEnrolled, DeviceRevoked, ResultReceived, GameFileReceived)}


class _Signed(msgspec.Struct):
    device: str
    tournament: str
    game: str
    score: dict[str, int]
    sha256: str


def _bytes(digits: str) -> bytes:
    try:
        return bytes.fromhex(digits)
    except ValueError:
        return b""


class Signers:
    """The devices that may sign, after each entry of a chain in turn."""

    def __init__(self) -> None:
        self._keys: dict[str, bytes] = {}
        # Device -> the position of its first enrolment, and of its last revocation.
        self._enrolled: dict[str, int] = {}
        self._revoked: dict[str, int] = {}
        # Game and revision -> the digest of its game file, which the table has signed.
        self._files: dict[tuple[str, int], str] = {}

    def fault(self, position: int, entry: Entry) -> str | None:
        """Return why the result in this entry, if it is one, was not signed by the device that it names; or why the key
        in it is none."""
        if entry.type not in _TYPES:
            return None
        match happening(entry):
            case DeviceEnrolled(device=device, public_key=key):
                if not is_public_key(public := _bytes(key)):
                    return f"no public key of {device}"
                self._keys[device] = public
                self._enrolled.setdefault(device, position)
            case DeviceRevoked(device=device):
                self._keys.pop(device, None)
                self._revoked[device] = position
            case ResultReceived() as result:
                return self._result_fault(result, entry)
            case GameFileReceived() as file:
                return self._file_fault(file)
        return None

    def _file_fault(self, file: GameFileReceived) -> str | None:
        signed = self._files.get((file.game, file.revision))
        if signed is None:  # of 0.2.0, or of a result that is a fault itself
            return None
        try:
            check_digest(PackedFile(file.file, signed))
        except Invalid:
            return "not the game file whose digest the table signed"
        return None

    def _result_fault(self, result: ResultReceived, entry: Entry) -> str | None:
        key, device = self._keys.get(result.device), result.device
        if entry.version == 1:  # of 0.2.0, whose signatures the hub alone could check
            enrolled = self._enrolled.get(device)
            return f"not signed, though {device} has a key since entry {enrolled}" if enrolled else None
        if key is None:
            revoked = self._revoked.get(device)
            return f"{device} was revoked in entry {revoked}" if revoked else f"{device} was never enrolled"
        if not verify_text(Kind.RESULT, result.message.encode(), result.signature, key):
            return f"not signed by {device}"
        try:
            signed = msgspec.json.decode(result.message, type=_Signed)
        except (msgspec.MsgspecError, RecursionError):
            return f"signed by {device}, but no result"
        shown = (device, entry.tournament, result.game, {"black": result.score[0], "white": result.score[1]})
        if (signed.device, signed.tournament, signed.game, signed.score) != shown:
            return f"not what {device} signed"
        self._files[result.game, result.revision] = signed.sha256
        return None
