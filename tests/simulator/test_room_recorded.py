"""The recorded games: read rightly, and every one ends with the recorded score."""

import gzip
from pathlib import Path

import pytest

from flagfall.othello.board import START, Position
from simulator.recorded import DEMO_GAMES, RecordedGame, read_games, replayed

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="module")
def year() -> tuple[RecordedGame, ...]:
    return read_games(DATA / "wthor-2019.txt.gz")


def test_every_finished_game_of_a_year_ends_with_the_recorded_score(year: tuple[RecordedGame, ...]) -> None:
    finished = 0
    for game in year:
        ended = replayed(game.squares)
        if ended.position.over():
            finished += 1
            assert ended.score == game.score, game
    assert len(year) == 1983
    assert finished == 1983


def test_a_year_holds_passes_and_games_with_empty_squares(year: tuple[RecordedGame, ...]) -> None:
    ends = [replayed(game.squares) for game in year]
    assert sum(1 for end in ends if end.position.empty) == 130
    assert max(end.passes for end in ends) == 11


def test_the_game_with_fifteen_passes() -> None:
    (game,) = read_games(DATA / "fifteen-passes.txt.gz")
    ended = replayed(game.squares)
    assert ended.passes == 15
    assert ended.position.over()
    assert ended.score == game.score == (64, 0)


def test_the_demo_has_games_for_sixteen_tables_and_thirteen_rounds() -> None:
    games = read_games(DEMO_GAMES)
    assert len(games) >= 16 * 13
    assert all(replayed(game.squares).position.over() for game in games)


def test_replaying_starts_from_the_start_and_refuses_an_illegal_move() -> None:
    assert replayed(()).position == START == Position(START.black, START.white)
    with pytest.raises(ValueError, match="move 2: expected a legal move, got a1"):
        replayed((37, 0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2 3 40 f5\n1 2 x 40 f5\n", "line 2: expected four numbers and a transcript"),
        ("1 2 3 65 f5\n", "line 1: expected a score 0..64, got 65"),
        ("1 2 3 40 f5z9\n", "line 1: move 2: expected a square"),
    ],
)
def test_a_broken_file_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "games.txt.gz"
    path.write_bytes(gzip.compress(text.encode()))
    with pytest.raises(ValueError, match=message) as error:
        read_games(path)
    assert str(path) in str(error.value)


def test_a_file_that_is_not_gzip_is_named(tmp_path: Path) -> None:
    path = tmp_path / "games.txt.gz"
    path.write_bytes(b"no gzip at all")
    with pytest.raises(ValueError, match="expected a gzip file"):
        read_games(path)
