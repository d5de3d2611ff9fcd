"""What the hub does with a result that arrives: a pure decision, so that order and number never matter.

Topic, message and pairing must name the same device; its signature and the file's digest must be right. Else
it is put aside with the reason. Of what is right every revision is stored once, and the highest one counts.
A score typed in by the operator is never overwritten: it is confirmed or contradicted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

from link.messages import PerColour, Result
from link.packed_file import BadFile, PackedFile, unpack
from link.signature import verify
from link.topics import Kind, Topic
from othello.value import replace

Score: TypeAlias = tuple[int, int]
"""Discs, black first."""


@dataclass(frozen=True, slots=True)
class StoredRevision:
    """A revision that the ledger holds. `signature` stands for its whole content."""

    score: Score
    signature: str


@dataclass(frozen=True)
class KnownGame:
    """What the hub knows of a game: where and between whom (player ids) it is played, and what came of it."""

    tournament: str
    game: str
    device: str
    black: str
    white: str
    revisions: Mapping[int, StoredRevision] = field(default_factory=dict)
    typed: Score | None = None

    @property
    def counting(self) -> StoredRevision | None:
        """The revision that counts: the highest."""
        return self.revisions[max(self.revisions)] if self.revisions else None

    def with_result(self, result: Result) -> KnownGame:
        """After `result` has been stored."""
        stored = StoredRevision(score_of(result), result.signature)
        return replace(self, revisions={**self.revisions, result.revision: stored})


@dataclass(frozen=True, slots=True)
class Accept:
    """The first result of the game: store it, it counts."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """Stored already: send the receipt again."""


@dataclass(frozen=True, slots=True)
class Overtaken:
    """A lower revision that comes after a higher one: store it for the record, it does not count."""


@dataclass(frozen=True, slots=True)
class Replace:
    """A higher revision: store it, it counts, and the change from `previous` is shown."""

    previous: Score


@dataclass(frozen=True, slots=True)
class Confirm:
    """Store it: it bears out the score that the operator typed in."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Store it and ask the operator, who typed in another score; that one stands until he decides."""

    typed: Score


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Keep it apart; `why` is one line for the operator and for the table."""

    why: str


Verdict: TypeAlias = Accept | Repeat | Overtaken | Replace | Confirm | Conflict | Quarantine


def score_of(result: Result) -> Score:
    return result.score.black, result.score.white


def decide(
    topic: Topic, payload: bytes, result: Result, known: KnownGame | None, key: bytes | None
) -> Verdict:
    """The verdict on `result`, which `link.messages.decode` made of `payload`.

    `known` is the game that the result names, None if there is none; `key` that of the topic's device, None
    if it is not enrolled or was revoked.
    """
    why = _wrong_sender(topic, payload, result, known, key) or _wrong_content(result, known)
    if why or known is None:
        return Quarantine(why or "unknown game")
    stored = known.revisions.get(result.revision)
    if stored is not None:
        if stored.signature == result.signature:
            return Repeat()
        return Quarantine(f"result {result.id} is stored with other content")
    counting = known.counting
    if counting is not None and max(known.revisions) > result.revision:
        return Overtaken()
    if known.typed is not None:
        return Confirm() if known.typed == score_of(result) else Conflict(known.typed)
    return Replace(counting.score) if counting is not None else Accept()


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
