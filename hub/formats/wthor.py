"""WTHOR, the French federation's archive: `.wtb` games, `.JOU` players, `.TRN` tournaments (little-endian).

A game's moves are turned so that it starts f5; passes are not stored; its score gives the empty squares to the
winner. Numbers of players and tournaments are their places in the two name files, from 0. A tournament's games with
transcripts become an archive, and an archive becomes a tournament with its players by number.
"""

from __future__ import annotations

import datetime
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from flagfall.base.message import Message
from flagfall.othello.board import format_transcript, parse_transcript, stages
from hub.form.tournament import MOST_ROUNDS
from hub.formats.free_rounds import FreeRounds
from hub.formats.reading import Written
from hub.formats.transcripts import replay_fault, scored_games
from hub.model.games import Game, Round
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.ranking.systems import SWISS
from hub.text import FormatError

PLAYER_NAME_BYTES = 20
TOURNAMENT_NAME_BYTES = 26
_HEADER = struct.Struct("<4B I 2H 4B")
_GAME = struct.Struct("<3H 2B 60s")
_F5 = 8 * 4 + 5
_CENTRE = frozenset((27, 28, 35, 36))
# Moves of a game that was played from an opening of eight.
_MOST_AFTER_OPENING = 52


@dataclass(frozen=True, slots=True)
class WthorGame:
    """A game of the archive."""

    tournament: int
    black: int
    white: int
    black_score: int
    # Squares 0 (a1) to 63 (h8) in the order played, without passes.
    moves: tuple[int, ...]


def is_wtb(head: bytes) -> bool:
    """Return True if the header is plausible for an archive of games: it has a century and a day."""
    if len(head) < _HEADER.size or not (19 <= head[0] <= 21 and head[1] < 100):
        return False
    return 1 <= head[2] <= 12 and 1 <= head[3] <= 31 and head[12] in (0, 8) and b"\0" in head[4:16]


def read_wtb(data: bytes) -> tuple[int, tuple[WthorGame, ...]]:
    """Return the year and the games. Raise FormatError naming the byte, or the game and its fault."""
    count, _, year = _header(data, _HEADER.size, _GAME.size, "games")
    if data[12] not in (0, 8):
        raise FormatError("byte 12", "board size 8 (or 0)", str(data[12]))
    games = []
    for number in range(count):
        raw = _GAME.unpack_from(data, _HEADER.size + number * _GAME.size)
        tournament, black, white, score, _, moves = raw
        where = f"game {number + 1}"
        if score > 64:
            raise FormatError(f"{where}: black's score", "at most 64 discs", str(score))
        games.append(WthorGame(tournament, black, white, score, _moves(moves, where)))
    return year, tuple(games)


def read_names(data: bytes, width: int) -> tuple[str, ...]:
    """Return the names of a `.JOU` (20 bytes each) or `.TRN` (26). Raise FormatError if the length is wrong."""
    _, count, _ = _header(data, _HEADER.size, width, "names")
    names = (data[_HEADER.size + i * width : _HEADER.size + (i + 1) * width] for i in range(count))
    return tuple(name.split(b"\0")[0].decode("latin-1").strip() for name in names)


def write_wtb(games: Sequence[WthorGame], year: int, day: datetime.date) -> bytes:
    """Return the bytes of a `.wtb`, each game turned to start f5. Raise ValueError if a game has no moves or too
    many."""
    parts = [_date_bytes(day) + struct.pack("<I2H4B", len(games), 0, year, 8, 0, 24, 0)]
    for game in games:
        moves = bytes(square % 8 + 1 + 10 * (square // 8 + 1) for square in turn_to_f5(game.moves))
        if len(moves) > 60:
            raise ValueError(f"expected at most 60 moves, got {len(moves)}")
        header = (game.tournament, game.black, game.white, game.black_score, game.black_score)
        parts.append(_GAME.pack(*header, moves.ljust(60, b"\0")))
    return b"".join(parts)


def write_names(names: Sequence[str], width: int, day: datetime.date) -> bytes:
    """Return the bytes of a `.JOU` or `.TRN`. Characters outside Latin-1 become ?, long names are cut."""
    if len(names) > 0xFFFF:
        raise ValueError(f"expected at most 65535 names, got {len(names)}")
    packed = (name.encode("latin-1", "replace")[: width - 1].ljust(width, b"\0") for name in names)
    return _date_bytes(day) + struct.pack("<I2H4B", 0, len(names), 0, 0, 0, 0, 0) + b"".join(packed)


def turn_to_f5(moves: Sequence[int]) -> tuple[int, ...]:
    """Return the same game with the board turned so that it starts f5. Raise ValueError if its first move is no first
    move."""
    rotated = tuple(63 - square for square in moves)
    for turned in (tuple(moves), _transpose(moves), rotated, _transpose(rotated)):
        if turned[:1] == (_F5,):
            return turned
    raise ValueError("expected a first move f5, e6, c4 or d3")


def _transpose(moves: Sequence[int]) -> tuple[int, ...]:
    return tuple(square % 8 * 8 + square // 8 for square in moves)


def _date_bytes(day: datetime.date) -> bytes:
    return bytes((day.year // 100, day.year % 100, day.month, day.day))


def _header(data: bytes, header: int, record: int, records: str) -> tuple[int, int, int]:
    """Return (games, names, year). The number of records must match the length of the file."""
    if len(data) < header:
        raise FormatError("byte 0", f"a header of {header} bytes", f"{len(data)} bytes")
    _, _, _, _, games, names, year, *_ = _HEADER.unpack_from(data)
    count = games if records == "games" else names
    expected = header + count * record
    if len(data) != expected:
        raise FormatError("byte 4", f"{count} {records} in {expected} bytes", f"{len(data)} bytes")
    return games, names, year


def _moves(packed: bytes, where: str) -> tuple[int, ...]:
    stored = packed.rstrip(b"\0")
    squares: list[int] = []
    seen = set(_CENTRE)
    for number, byte in enumerate(stored, start=1):
        row, column = divmod(byte, 10)
        square = 8 * (row - 1) + column - 1
        if not (1 <= row <= 8 and 1 <= column <= 8) or square in seen:
            raise FormatError(f"{where}: move {number}", "an empty square as column + 10 x row", str(byte))
        seen.add(square)
        squares.append(square)
    return tuple(squares)


def tournament_from_wthor(
    data: bytes,
    chosen: int | None,
    player_names: Sequence[str] = (),
    tournament_names: Sequence[str] = (),
    rulebook: str = "woc-2019",
) -> Tournament:
    """Return the games of tournament number `chosen`. WTHOR has no rounds: a game goes into the first free one.

    Raise FormatError naming the game whose moves are illegal, or the tournaments of the archive.
    """
    year, games = read_wtb(data)
    numbered_games = [
        (number, game) for number, game in enumerate(games, start=1) if game.tournament == chosen
    ]
    if chosen is None or not numbered_games:
        known = sorted({game.tournament for game in games})
        numbers = ", ".join(map(str, known[:12])) + (", ..." if len(known) > 12 else "")
        raise FormatError("--tournament", f"one of {numbers}", "nothing" if chosen is None else str(chosen))
    players: dict[int, Player] = {}
    rounds: FreeRounds[Game] = FreeRounds()
    for number, game in numbered_games:
        if game.black == game.white:
            raise FormatError(f"game {number}", "two different players", str(game.black))
        _check_legal(game.moves, f"game {number}")
        for player in (game.black, game.white):
            name = player_names[player] if player < len(player_names) else ""
            players.setdefault(player, Player(str(player), name))
        score, transcript = (game.black_score, 64 - game.black_score), format_transcript(game.moves)
        if not rounds.take(Game(str(game.black), str(game.white), score, transcript=transcript)):
            raise FormatError(f"game {number}", f"at most {MOST_ROUNDS} games of a player", "more")
    return Tournament(
        rulebook=rulebook,
        players=tuple(players.values()),
        rounds=tuple(Round(tuple(games)) for games in rounds.games),
        name=tournament_names[chosen] if chosen < len(tournament_names) else "",
        date=f"{year:04}-01-01" if 1 <= year <= 9999 else None,
        system=SWISS,
        rounds_planned=len(rounds.games),
    )


def wthor_of(tournament: Tournament) -> Written:
    """Return the three files of one tournament, made on its first day. Raise FormatError if no game has a transcript
    that can be replayed."""
    names = ["???", *(player.name.replace(",", "") or player.id for player in tournament.players)]
    numbers = {player.id: i for i, player in enumerate(tournament.players, start=1)}
    if len(names) > 0xFFFF:
        raise FormatError("players", "at most 65534 players", str(len(names) - 1))
    games: list[WthorGame] = []
    left_out: list[str] = []
    without = 0
    for scored in scored_games(tournament):
        game = scored.game
        if not scored.transcript or game.score is None:
            without += 1
            continue
        if (fault := replay_fault(game)) is not None:
            left_out.append(f"{scored.where}: {fault[1]}: left out")
            continue
        moves = turn_to_f5(parse_transcript(scored.transcript))
        games.append(WthorGame(1, numbers[game.black], numbers[game.white], game.score[0], moves))
    if not games:
        raise FormatError("rounds", "games with a transcript", left_out[0] if left_out else "none")
    if without:
        line = Message.plural(
            "{count} game without a transcript left out",
            "{count} games without a transcript left out",
            without,
        )
        left_out.append(str(line))
    day = datetime.date.fromisoformat(tournament.date or "2000-01-01")
    files = {
        ".wtb": write_wtb(games, day.year, day),
        ".JOU": write_names(names, PLAYER_NAME_BYTES, day),
        ".TRN": write_names(["???", tournament.name or "?"], TOURNAMENT_NAME_BYTES, day),
    }
    return Written(files, tuple(left_out))


def _check_legal(moves: Sequence[int], where: str) -> None:
    number = len(stages(moves))
    if number <= len(moves):
        got = format_transcript((moves[number - 1],))
        expected = "a legal move"
        if len(moves) <= _MOST_AFTER_OPENING:
            # Archives have games with random openings (XOT) without the moves that were set up.
            expected = "a legal move from the start position, the moves of an opening included"
        raise FormatError(f"{where}: move {number}", expected, got)
