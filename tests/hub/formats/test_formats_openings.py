"""A game that began after an opening of set moves (XOT), in every file and view: all its moves stand there."""

from __future__ import annotations

import datetime
import re
from random import Random

import pytest

from flagfall.othello.board import format_transcript, parse_transcript, square_name, squares_of
from flagfall.othello.game import SECOND_NS, Game, Header
from flagfall.othello.gamefile import format_game, parse_header
from flagfall.othello.inputs import Input, Press, Shown, Start
from flagfall.othello.referee import judge, new_game
from flagfall.othello.side import Side
from hub.form.tournament import tournament_from_json
from hub.formats.elo.reader import elo_reading
from hub.formats.elo.writer import write_elo
from hub.formats.ggf import ggf_of_game_file, ggf_of_tournament
from hub.formats.tournament_file import read_tournament, write_tournament
from hub.formats.transcripts import write_transcripts
from hub.formats.wthor import WthorGame, tournament_from_wthor, write_wtb, wthor_of
from hub.model.games import Conditions, Reported
from hub.model.games import Game as EventGame
from hub.model.tournament import Tournament
from hub.public.games.judged_replay import story_of_game_file
from hub.public.games.replay import story_of_transcript
from hub.public.prints import sheet_of
from hub.record.typed_moves import read_moves, with_moves
from hub.text import FormatError, Refused

OPENING = "f5d6c4d3c2b3b4b5"


def played(seed: int) -> tuple[Game, str]:
    """Return a game played at a table from the opening to its end, 3 seconds a move, and its file."""
    header: Header = parse_header(
        {
            "type": "game",
            "format": "flagfall-game/1",
            "rulebook": "woc-2019",
            "minutes": 20,
            "opening": OPENING,
        }
        | {"black": {"id": "1", "name": "Ann"}, "white": {"id": "2", "name": "Bo"}}
    )
    chance, game, lines = Random(seed), new_game(header), list[Input]()
    at_ns = 0

    def do(entry: Input) -> None:
        nonlocal game
        lines.append(entry)
        game = judge(game, entry)

    do(Start(0))
    do(Press(at_ns, Side.WHITE))
    while not game.over:
        at_ns += 3 * SECOND_NS
        black = game.plays_black(game.to_move)
        legal = list(squares_of(game.before.legal(black)))
        if legal:
            do(Shown(at_ns, game.before.played(black, chance.choice(legal))))
        do(Press(at_ns, game.to_move))
    return game, format_game(header, lines)


GAME, FILE = played(7)
MOVES = format_transcript(GAME.moves)
SCORE = GAME.outcome.score if GAME.outcome is not None else (0, 0)


def event(**more: object) -> Tournament:
    return tournament_from_json(
        {
            "format": "flagfall-tournament/1",
            "rulebook": "woc-2019",
            "name": "Random openings",
            "date": "2026-11-05",
            "openings": [OPENING],
            "rounds_planned": 1,
            "players": [{"id": "1", "name": "ANN A"}, {"id": "2", "name": "BO B"}],
            "rounds": [
                {
                    "games": [
                        {"black": "1", "white": "2", "score": list(SCORE), "table": 1, "transcript": MOVES}
                    ]
                }
            ],
            **more,
        }
    )


def test_the_game_has_all_its_moves() -> None:
    assert MOVES.startswith(OPENING) and len(GAME.moves) > 50 and not GAME.incidents


def test_a_tournament_file_gives_them_again() -> None:
    again = read_tournament(write_tournament(event()))
    assert again.rounds[0].games[0].transcript == MOVES and again.openings == (OPENING,)


def test_an_archive_gives_them_again() -> None:
    written = wthor_of(event())
    assert written.left_out == ()
    again = tournament_from_wthor(written.files[".wtb"], 1)
    assert [game.transcript for game in again.rounds[0].games] == [MOVES]
    assert again.rounds[0].games[0].score == SCORE


def test_a_game_of_an_archive_without_its_opening_is_named() -> None:
    raw = WthorGame(1, 1, 2, SCORE[0], parse_transcript("f5d6c3"))
    data = bytearray(write_wtb([raw], 2026, datetime.date(2026, 11, 5)))
    data[-60:] = bytes(square % 8 + 1 + 10 * (square // 8 + 1) for square in GAME.moves[8:]).ljust(60, b"\0")
    with pytest.raises(
        FormatError, match=r"game 1: move .*: expected a legal move .* of an opening included"
    ):
        tournament_from_wthor(bytes(data), 1)


def test_ggf_has_them_and_times_begin_with_move_nine() -> None:
    text = ggf_of_tournament(event()).files[".ggf"].decode()
    at_table = ggf_of_game_file(FILE).files[".ggf"].decode()
    for line in (text, at_table):
        moves = re.findall(r"[BW]\[([A-H][1-8])[/\]]", line)
        assert "".join(moves).lower() == MOVES
    assert "B[F5]W[D6]B[C4]W[D3]B[C2]W[B3]B[B4]W[B5]" in at_table
    ninth = MOVES[16:18].upper()
    assert f"B[{ninth}//3.00]" in at_table


def test_transcripts_have_them() -> None:
    assert write_transcripts(event(), 1, 1).decode().strip() == MOVES


def test_the_printed_sheet_numbers_them_from_one() -> None:
    numbers = {square_name(at): square.number for at, square in enumerate(sheet_of(MOVES)) if square.number}
    assert [numbers[MOVES[at : at + 2]] for at in range(0, len(MOVES), 2)] == list(
        range(1, len(GAME.moves) + 1)
    )


def test_the_replay_steps_through_them_and_clocks_begin_with_move_nine() -> None:
    judged, read = story_of_game_file(FILE), story_of_transcript(MOVES)
    for story in (judged, read):
        assert "".join(step.square for step in story.steps) == MOVES and not story.broken
    assert [step.spent_ms for step in judged.steps[:8]] == [None] * 8
    assert judged.steps[8].spent_ms == 3_000
    assert [step.position for step in judged.steps] == [step.position for step in read.steps]


def test_a_rating_list_has_the_result() -> None:
    again = elo_reading(write_elo(event()), "woc-2019").tournament
    assert [game.score for game in again.rounds[0].games] == [SCORE]


# A table without a board: nobody has written a move down.


def reported(transcript: str, **fields: object) -> EventGame:
    report = Reported("t1", 1, SCORE, "board", None, transcript, (True, True), (), "1", ("a", "b"))
    conditions = Conditions(opening=OPENING)
    return EventGame("1", "2", SCORE, id="1-1-1", conditions=conditions, reported=report, **fields)  # type: ignore[arg-type]


def test_the_opening_alone_is_no_record_of_moves() -> None:
    game = reported(OPENING)
    assert (game.table_moves, game.known_moves) == ("", "")
    assert reported(MOVES).known_moves == MOVES


@pytest.mark.parametrize("typed", [MOVES, MOVES[16:], f"9. {MOVES[16:18]} {MOVES[18:]}"])
def test_moves_are_typed_with_the_opening_or_from_move_nine(typed: str) -> None:
    assert read_moves(typed, OPENING) == MOVES
    assert with_moves(reported(OPENING), read_moves(typed, OPENING)).known_moves == MOVES


def test_a_move_that_is_none_has_its_number_in_the_game() -> None:
    with pytest.raises(Refused, match="move 9: a1 is not legal"):
        read_moves("a1", OPENING)
    assert read_moves("", OPENING) == ""
    with pytest.raises(Refused, match="the table has recorded this one"):
        with_moves(reported(MOVES), MOVES)
