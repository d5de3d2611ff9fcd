"""The check of an arriving result. It is pure, so that order and repetition do not matter.

Topic, message and pairing must name the same device; signature and the file's digest must be right. Every right
revision is stored once. `hub.record.fold_games` alone decides which of several results counts, and whether the
operator's score contradicts it.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from flagfall.link.messages import Result
from flagfall.link.packed_file import PackedFile, unpack_start
from flagfall.link.signature import verify
from flagfall.link.topics import Kind, Topic
from flagfall.othello.errors import Invalid
from flagfall.othello.side import Both
from hub.model.games import Game

# Bytes of a game file that are unpacked in the loop that gives receipts: it takes 1 ms. The longest honest game has
# 60 kB.
_UNPACKED_HERE_BYTES = 256 << 10


def result_fault(
    topic: Topic,
    payload: bytes,
    result: Result,
    game: Game,
    *,
    key: bytes | None,
    signatures: Mapping[int, str],
) -> str | None:
    """Return why `result` is put aside, as one line for the operator and the table; None if it is right, for the first
    time or again.

    `result` was decoded from `payload` by `flagfall.link.messages.decode`. `game` is the game that it names in the
    topic's tournament. `key` is that of the topic's device, None if the device is not enrolled or was revoked.
    `signatures` holds the signature of each revision of the game so far.
    """
    if why := _wrong_sender(topic, payload, result, key) or _wrong_game(topic, result, game):
        return why
    stored = signatures.get(result.revision)
    if stored is None:
        return _wrong_file(result, game)  # of 20 kB it may take 60 ms: not for one that was right before
    return f"result {result.id} is stored with other content" if stored != result.signature else None


def _wrong_sender(topic: Topic, payload: bytes, result: Result, key: bytes | None) -> str | None:
    if topic.kind is not Kind.RESULT:
        return f"topic: expected a result, got a {topic.kind}"
    if key is None:
        return f"device {topic.device} is not enrolled"
    if not verify(Kind.RESULT, payload, key):
        return f"signature: not that of device {topic.device}"
    if result.device != topic.device:
        return f"device: expected {topic.device} as in the topic, got {result.device}"
    return None


def _wrong_game(topic: Topic, result: Result, game: Game) -> str | None:
    if game.device != topic.device:
        return f"device: game {game.id} is played at {game.device}, got {topic.device}"
    if result.id != f"{result.game}.{result.revision}":
        return f"id: expected {result.game}.{result.revision}, got {result.id}"
    return None


def _wrong_file(result: Result, game: Game) -> str | None:
    try:
        # The hub's referee unpacks the rest of a larger one in its child process, and checks the digest there.
        content, _ = unpack_start(PackedFile(result.file, result.sha256), _UNPACKED_HERE_BYTES)
    except Invalid as bad:
        return str(bad)
    if (players := _players(content)) != game.players:
        return f"file: expected a game of {game.black} against {game.white}, got {players}"
    return None


def _players(game_file: bytes) -> tuple[str, str] | None:
    """Return the ids in the header of a game file, or None if it has none."""
    try:
        players = _HEADER.decode(game_file.partition(b"\n")[0])
        return players.black.id, players.white.id
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


class _Player(msgspec.Struct):
    id: str


_HEADER = msgspec.json.Decoder(Both[_Player])
