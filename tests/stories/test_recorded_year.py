"""A year of recorded tournament games, judged move by move as if they were played at our tables."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from flagfall.othello import inputs as i
from flagfall.othello.board import parse_transcript
from flagfall.othello.game import Game, Header, State
from flagfall.othello.gamefile import format_game, parse_game
from flagfall.othello.reason import Reason
from flagfall.othello.referee import judge, new_game, replay
from flagfall.othello.rulebook import rulebook
from flagfall.othello.side import Side

DATA = Path(__file__).parents[1] / "data"
SECOND_NS = 10**9


def games(name: str) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield (Black's recorded score, squares) of each game of a fixture."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#"):
                *_, score, transcript = line.split()
                yield int(score), parse_transcript(transcript)


def played(squares: tuple[int, ...], book: str = "woc-2019") -> tuple[Game, list[i.Input], int]:
    """Return the game judged, its inputs and its passes.

    Each move is the board's new position and a press, each pass that is owed a press alone.
    """
    header = Header(rulebook(book), 30)
    lines: list[i.Input] = [i.Start(0), i.Press(0, Side.WHITE)]
    game = new_game(header)
    for game_input in lines:
        game = judge(game, game_input)
    passes = 0
    for square in squares:
        if not game.legal(game.to_move) >> square & 1:
            lines.append(i.Press(game.at_ns + SECOND_NS, game.to_move))
            game = judge(game, lines[-1])
            passes += 1
        at_ns = game.at_ns + 5 * SECOND_NS
        position = game.before.played(game.plays_black(game.to_move), square)
        for game_input in (i.Shown(at_ns - 10**8, position), i.Press(at_ns, game.to_move)):
            lines.append(game_input)
            game = judge(game, game_input)
    return game, lines, passes


@pytest.mark.clause("woc-2019 IV.8", "woc-2019 IV.4", "usoa 3.7")
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, 12))])
def test_every_finished_game_of_2019_scores_as_recorded_and_every_pass_is_pressed(part: int) -> None:
    finished = passes = 0
    for index, (black, squares) in enumerate(games("wthor-2019.txt.gz")):
        if index % 12 != part:
            continue
        game, _, passed = played(squares)
        passes += passed
        assert [e.type for e in game.incidents if e.state is not None] == []
        assert len(game.moves) == len(squares)
        if game.before.over():
            finished += 1
            assert game.state is State.FINISHED
            assert game.outcome is not None and game.outcome.reason is Reason.BOARD
            assert game.outcome.score == (black, 64 - black)
        else:
            assert game.state is State.RUNNING, "broken off: recorded as it was scored by hand"
    assert finished > 130 and passes > 30


@pytest.mark.clause("usoa 3.7", "woc-2019 IV.4")
def test_a_game_with_fifteen_passes_runs_one_player_out_of_discs() -> None:
    ((black, squares),) = games("fifteen-passes.txt.gz")
    game, lines, passes = played(squares)
    assert passes == 15
    assert game.outcome is not None and game.outcome.score == (black, 64 - black)
    reported = [e for e in game.incidents if e.type.value == "out_of_discs"]
    assert reported and {e.by for e in reported} == {Side.BLACK}
    assert replay(*parse_game(format_game(game.header, lines))) == game
