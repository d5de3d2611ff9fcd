"""The check of a table's result against its topic, its game and its own parts."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from flagfall.base.errors import Invalid
from flagfall.link.messages import Result
from flagfall.link.packed_file import PackedFile, unpack_start
from flagfall.link.signature import verify
from flagfall.link.topics import Kind, Topic
from flagfall.othello.side import Both
from hub.model.games import Game

# A game with as many inputs as the hub judges packs into 150 kB.
LARGEST_RESULT_BYTES = 256 << 10
# Bytes of a game file that are unpacked in the loop that gives receipts: it takes 1 ms. The longest honest game has
# 60 kB. The digest of a larger one is checked in a child process (`hub.tables.large_files`), before the receipt too.
_UNPACKED_HERE_BYTES = 256 << 10


class Unsigned(str):
    """Why a result is put aside, where the table has not signed what is wrong: its topic, its length or its game file.

    Whoever has overheard a password at a plain broker can send a table's own result so. Its table gets no answer, which
    would end the sending of the right one.
    """

    __slots__ = ()


class NotNow(str):
    """Why a result is not taken while its game stands as it does: since its table began it, the director has exchanged
    colours, players or tables, or another device has taken the seat.

    Its table gets no answer and sends it again, so that it is taken once the game stands as before. Only what waits for
    nothing is refused, because a refused result is sent no more.
    """

    __slots__ = ()


def result_fault(
    topic: Topic,
    payload: bytes,
    result: Result,
    game: Game,
    *,
    key: bytes | None,
    hub: bytes,
    signatures: Mapping[int, str],
) -> str | None:
    """Return why `result` is put aside, as one line for the operator and the table, `Unsigned` if the table did not
    sign it so, `NotNow` if it may be right later; None if it is right, for the first time or again. Of a large game
    file only the start is looked at (`is_file_left`).

    `result` was decoded from `payload` by `flagfall.link.messages.decode`. `game` is the game that it names in the
    topic's tournament. `key` is that of the topic's device, None if the device is not enrolled or was revoked;
    `hub` is the hub's. `signatures` holds the signature of each revision of the game so far.
    """
    if why := _wrong_sender(topic, payload, result, key):
        return why
    stored = signatures.get(result.revision)
    # One that is on record is right, whatever was exchanged since.
    is_stored = stored is not None and stored == result.signature and result.game == game.id
    if why := _wrong_game(topic, result, game, hub) if not is_stored else None:
        return why
    if len(payload) > LARGEST_RESULT_BYTES:  # blanks are not signed
        return Unsigned(f"result: expected {LARGEST_RESULT_BYTES} bytes at most, got {len(payload)}")
    if stored is None:
        return _wrong_file(result, game)  # of 20 kB it may take 60 ms: not for one that was right before
    return None if is_stored else f"result {result.id} is stored with other content"


def _wrong_sender(topic: Topic, payload: bytes, result: Result, key: bytes | None) -> str | None:
    if topic.kind is not Kind.RESULT:
        return f"topic: expected a result, got a {topic.kind}"
    if key is None:
        return f"device {topic.device} is not enrolled"
    if not verify(Kind.RESULT, payload, key):
        return Unsigned(f"signature: not that of device {topic.device}")
    if result.device != topic.device:
        return f"device: expected {topic.device} as in the topic, got {result.device}"
    return None


def _wrong_game(topic: Topic, result: Result, game: Game, hub: bytes) -> str | None:
    if result.tournament != topic.tournament:
        expected = f"expected {topic.tournament} as in the topic"
        return Unsigned(f"tournament: {expected}, got {result.tournament}")
    if result.id != f"{result.game}.{result.revision}":
        return f"id: expected {result.game}.{result.revision}, got {result.id}"
    if result.hub != hub.hex():
        return "hub: expected this hub's key"
    if game.device != topic.device:
        why = f"device: game {game.id} is played at {game.device}, got {topic.device}"
        return NotNow(why) if topic.device in game.left_devices else why
    if not _are_of(tuple(result.players), game):
        return NotNow(f"players: expected {game.black} and {game.white}, got {' and '.join(result.players)}")
    return None


def _wrong_file(result: Result, game: Game) -> str | None:
    try:
        content, is_whole = unpack_start(PackedFile(result.file, result.sha256), _UNPACKED_HERE_BYTES)
    except Invalid as bad:
        return Unsigned(bad)
    if not _are_of(players := _players(content), game):
        why = f"file: expected a game of {game.black} against {game.white}, got {players}"
        return why if is_whole else Unsigned(why)  # what is not whole may be another file
    return None


def is_file_left(result: Result) -> bool:
    """Return True if the game file is so large that `result_fault` has not checked its digest."""
    try:
        return not unpack_start(PackedFile(result.file, result.sha256), _UNPACKED_HERE_BYTES)[1]
    except Invalid:
        return False


def _are_of(players: tuple[str, ...] | None, game: Game) -> bool:
    """Return True if these are the players of the game, Black first; either way round where they draw the colours."""
    either_way = game.draws_colours or game.exchanged
    return players == game.players or (either_way and players == game.players[::-1])


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
