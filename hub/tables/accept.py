"""The decision on an arriving result: pure, so that order and repetition do not matter.

Topic, message and pairing must name the same device; signature and the file's digest must be right. Otherwise the
message is put aside with the reason. Every right revision is stored once. Which of several results counts, and whether
the operator's score contradicts it, is decided elsewhere, in one place (`hub.record.fold_results`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from hub.record.state import KnownGame
from link.messages import PerColour, Result
from link.packed_file import BadFile, PackedFile, unpack
from link.signature import verify
from link.topics import Kind, Topic


@dataclass(frozen=True, slots=True)
class Store:
    """A new, valid revision; `hub.record.fold_results` decides whether it counts."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """Already stored: only the receipt is sent again."""


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Put aside; `why` is one line for the operator and for the table."""

    why: str


Verdict: TypeAlias = Store | Repeat | Quarantine


def decide(
    topic: Topic, payload: bytes, result: Result, known: KnownGame | None, key: bytes | None
) -> Verdict:
    """The verdict on `result`, decoded from `payload` by `link.messages.decode`. `known` is the game that the result
    names, None if there is none; `key` that of the topic's device, None if it is not enrolled or was revoked."""
    why = _wrong_sender(topic, payload, result, known, key) or _wrong_content(result, known)
    if why or known is None:
        return Quarantine(why or "unknown game")
    stored = known.revisions.get(result.revision)
    if stored is not None:
        if stored.signature == result.signature:
            return Repeat()
        return Quarantine(f"result {result.id} is stored with other content")
    return Store()


def _wrong_sender(
    topic: Topic, payload: bytes, result: Result, known: KnownGame | None, key: bytes | None
) -> str | None:
    if topic.kind is not Kind.RESULT:
        return f"topic: expected a result, got a {topic.kind}"
    if key is None:
        return f"device {topic.device} is not enrolled"
    if not verify(Kind.RESULT, payload, key):
        return f"signature: not that of device {topic.device}"
    if result.device != topic.device:
        return f"device: expected {topic.device} as in the topic, got {result.device}"
    if known is None or known.game != result.game:
        return f"game: {result.game} is not known here"
    if topic.tournament != known.tournament:
        return f"tournament: game {known.game} belongs to {known.tournament}, got {topic.tournament or '-'}"
    if known.device != topic.device:
        return f"device: game {known.game} is played at {known.device}, got {topic.device}"
    return None


def _wrong_content(result: Result, known: KnownGame | None) -> str | None:
    if result.id != f"{result.game}.{result.revision}":
        return f"id: expected {result.game}.{result.revision}, got {result.id}"
    try:
        content = unpack(PackedFile(result.file, result.sha256))
    except BadFile as bad:
        return str(bad)
    if known is not None and (players := _players(content)) != (known.black, known.white):
        return f"file: expected a game of {known.black} against {known.white}, got {players}"
    return None


def _players(game_file: bytes) -> tuple[str, str] | None:
    """The ids in the header of a game file."""
    try:
        players = _HEADER.decode(game_file.partition(b"\n")[0])
        return players.black.id, players.white.id
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


class _Player(msgspec.Struct):
    id: str


_HEADER = msgspec.json.Decoder(PerColour[_Player])
