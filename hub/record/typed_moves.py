"""The moves of a game as somebody types, pastes or taps them, when no table wrote them down."""

from __future__ import annotations

import re
from functools import lru_cache

from flagfall.base.convert import plain_figures
from flagfall.base.value import replace
from flagfall.othello.board import (
    START,
    Position,
    format_transcript,
    parse_square,
    parse_transcript,
    square_name,
    stages,
)
from flagfall.othello.reason import Reason
from flagfall.othello.rulebook import Rulebook
from hub.model.games import Game, Score, TappedMoves
from hub.model.players import visible
from hub.record.seen_boards import counted
from hub.text import Refused

LONGEST = 2_000
_PASS = re.compile(r"(?:pass|passe|pa|ps|--|パス)(?![a-z0-9])", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:\d{1,2}\s*[.):]|[\s,;.\-–…|/])+")
_SQUARE = re.compile(r"[a-h][1-8]", re.IGNORECASE)


def read_moves(typed: str, opening: str = "") -> str:
    """Return moves as `f5d6c3` from text with numbers, commas, passes and lines between them. Raise Refused naming the
    first text that is no move.

    The moves of an opening that was set up may be left out, as on a sheet that begins with move 9; they stand in the
    transcript.
    """
    if len(typed) > LONGEST:
        raise Refused("expected at most {most} characters", field="transcript", most=LONGEST)
    typed = plain_figures(visible(typed))
    position, black = START, True
    squares: list[int] = []
    if opening and not "".join(_SQUARE.findall(typed)).lower().startswith(opening) and _SQUARE.search(typed):
        squares = list(parse_transcript(opening))
        position = stages(squares)[-1].position
    position_in_text = 0
    while position_in_text < len(typed):
        if skipped := _PASS.match(typed, position_in_text) or _BETWEEN.match(typed, position_in_text):
            position_in_text = skipped.end()
            continue
        number = len(squares) + 1
        square_at = _SQUARE.match(typed, position_in_text)
        if square_at is None:
            raise Refused(
                "move {number}: expected a square a1 to h8, got {said!r}",
                field="transcript",
                number=number,
                said=typed[position_in_text : position_in_text + 12],
            )
        square = parse_square(square_at[0].lower())
        if not position.legal(black):
            black = not black
        if not position.legal(black) >> square & 1:
            raise Refused(
                "move {number}: {square} is not legal",
                field="transcript",
                number=number,
                square=square_name(square),
            )
        position, black = position.played(black, square), not black
        squares.append(square)
        position_in_text = square_at.end()
    return format_transcript(squares)


def with_moves(game: Game, transcript: str) -> Game:
    """Return the game with an operator's moves. Raise Refused if the table has given the moves, or these end otherwise
    than the result."""
    _expect_none_of_table(game)
    moves = read_moves(transcript)
    discs = discs_at_the_end(moves)
    if discs is not None and game.score is not None and game.reason == "board" and discs != game.score:
        raise Refused(
            "expected the moves of {black}-{white}, got a game that ends {a}-{b}",
            field="transcript",
            black=game.score[0],
            white=game.score[1],
            a=discs[0],
            b=discs[1],
        )
    return replace(game, typed_moves=moves, typed_by="", tapped=None)


def with_players_moves(game: Game, player: str, transcript: str, law: Rulebook) -> Game:
    """Return the game with the moves that one of its players has tapped. Those that end otherwise than the result lie
    beside it until the other player has kept the same: then both have seen it. Raise Refused if the table has given the
    moves."""
    _expect_none_of_table(game)
    moves, tapped = read_moves(transcript), game.tapped
    if scores_that_differ(game, moves, law) is not None:
        if tapped is None or tapped.moves != moves or tapped.player in ("", player):
            return replace(game, tapped=TappedMoves(moves, player))
        player = tapped.player
    return replace(game, typed_moves=moves, typed_by=player, tapped=None)


def are_unfinished(game: Game) -> bool:
    """Return whether moves are missing at the end of a game that was played to its end: the board is not over."""
    return game.reason == Reason.BOARD and not _position_after(game.typed_moves).over()


def scores_that_differ(game: Game, moves: str, law: Rulebook) -> tuple[Score, Score] | None:
    """Return how the moves end, and the result or the score that a player has reported, Black's discs first; None if
    they agree, or nothing is to be compared."""
    score, reason = game.score, game.reason
    if score is None and game.claim is not None and not game.conflict and not game.asks_black:
        score, reason = game.claim.score, game.claim.reason
    position = _position_after(moves)
    if score is None or reason != Reason.BOARD or game.discs == "unknown" or not position.over():
        return None
    end = counted(position, law)
    return None if end == score else (end, score)


def _expect_none_of_table(game: Game) -> None:
    if game.table_moves:
        raise Refused(
            "expected a game without a transcript: the table has recorded this one", field="transcript"
        )


def discs_at_the_end(moves: str) -> tuple[int, int] | None:
    """Return the score of a full board, black first, or None if squares are empty: rulebooks count them apart."""
    position = _position_after(moves)
    return None if position.empty else (position.black.bit_count(), position.white.bit_count())


@lru_cache(maxsize=4096)
def _position_after(moves: str) -> Position:
    return stages(parse_transcript(moves))[-1].position
