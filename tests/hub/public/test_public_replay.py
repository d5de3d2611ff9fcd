"""The replay of a game: the same moves and boards as the referee's, and every nanosecond of the clocks in its move."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.played_game import played_game

from flagfall.othello.board import START, format_position, format_transcript
from flagfall.othello.game import Header
from flagfall.othello.gamefile import format_game, parse_game
from flagfall.othello.referee import judge, new_game
from flagfall.othello.report import outcome
from flagfall.othello.rulebook import rulebook
from hub.public.games.judged_replay import story_of, story_of_game_file
from hub.public.games.replay import ReplayIncident, Story, story_of_transcript
from hub.public.games.time_chart import plot_of
from simulator.recorded import DEMO_GAMES, read_games, replayed

STORIES = sorted((Path(__file__).parents[2] / "stories").glob("*.jsonl"))
HEADER = Header(rulebook("woc-2019"), 30)


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_every_dispute_is_told_with_the_moves_and_the_board_it_came_to(path: Path) -> None:
    text = path.read_text("utf-8")
    header, inputs = parse_game(text)
    game = new_game(header)
    for game_input in inputs:
        game = judge(game, game_input)
    report, story = outcome(game), story_of_game_file(text)
    assert "".join(step.square for step in story.steps) == report["transcript"] and not story.broken
    if story.steps and (game.over or game.shown == game.before):  # otherwise more lies there than was counted
        assert story.position(len(story.steps)) == report["position"]
    assert story.left_ms == tuple(report["clocks_ns"][side] // 1_000_000 for side in ("black", "white"))
    assert len(story.happened) <= len(report["incidents"])
    assert {incident.type for incident in story.happened} & {"refused", "press_out_of_turn"} == set()


@given(st.integers(0, 60), st.integers(0, 1000), st.none() | st.integers(5, 50))
def test_times_and_boards_of_a_game_at_a_table(number: int, seed: int, misflip: int | None) -> None:
    recorded = read_games(DEMO_GAMES)[number]
    inputs, played = played_game(HEADER, recorded.squares, seed, misflip)
    story = story_of_game_file(format_game(HEADER, inputs))
    assert [step.position for step in story.steps] == [
        step.position for step in story_of_transcript(format_transcript(recorded.squares)).steps
    ], "a misflip put right leaves no trace on the boards"
    assert all(step.spent_ms is not None and step.spent_ms >= 0 for step in story.steps)
    assert ("misflip" in {incident.type for incident in story.happened}) == (misflip is not None)
    if (played.falls.black, played.falls.white) == (0, 0):
        for side, left_ms in zip(("black", "white"), story.left_ms or (), strict=True):
            spent_ms = sum(step.spent_ms or 0 for step in story.steps if step.by == side)
            passes_and_rounding_ms = 30_000
            assert 0 <= 30 * 60_000 - left_ms - spent_ms <= passes_and_rounding_ms


def test_a_transcript_alone_tells_boards_and_passes() -> None:
    games = read_games(DEMO_GAMES)
    for recorded in games[:80]:
        expected, story = replayed(recorded.squares), story_of_transcript(format_transcript(recorded.squares))
        assert story.position(60 if len(story.steps) > 60 else len(story.steps)) == format_position(
            expected.position
        )
        assert sum(step.after_pass for step in story.steps) == expected.passes
    assert story_of_transcript("").position(5) == format_position(START)


def test_what_cannot_be_replayed_is_told_as_far_as_it_can() -> None:
    assert [step.square for step in story_of_transcript("f5a1").steps] == ["f5"]
    assert story_of_transcript("f5a1").broken and story_of_transcript("zz").broken
    assert story_of("{}", "f5d6").steps == story_of_transcript("f5d6").steps
    assert story_of_transcript("f5", last_position="-" * 64).position(1) == "-" * 64


@given(st.text(max_size=200))
def test_no_transcript_and_no_file_can_break_it(text: str) -> None:
    assert isinstance(story_of_transcript(text), Story) and isinstance(story_of(text, text), Story)


def test_the_plot_holds_every_move_within_its_frame() -> None:
    inputs, _ = played_game(HEADER, read_games(DEMO_GAMES)[0].squares, 3, 20)
    story = story_of_game_file(format_game(HEADER, inputs))
    plot = plot_of(story.steps, story.happened)
    assert plot is not None and len(plot.bars) == len(story.steps)
    for bar in plot.bars:
        assert plot.left - 0.1 <= bar.x and bar.x + bar.width <= plot.width
        assert bar.y >= 0 and bar.y + bar.height <= plot.height
        assert (bar.y < plot.middle) == (bar.by == "black")
    longest = max(plot.bars, key=lambda bar: bar.spent_ms)
    assert longest.height == max(bar.height for bar in plot.bars)
    assert plot_of(story_of_transcript("f5d6").steps, ()) is None
    marks = plot_of(story.steps, (ReplayIncident(0, "flag", "black", (), None),))
    assert marks is not None and plot.left <= marks.marks[0].x <= plot.width


def test_moves_that_one_press_has_counted_are_told_one_by_one_also_over_a_pass() -> None:
    lines = """
{"type":"game","format":"flagfall-game/1","rulebook":"woc-2019","minutes":30}
{"at_ns":0,"type":"start"}
{"at_ns":0,"type":"press","by":"white"}
{"at_ns":5000000000,"type":"position","squares":"---------------------------OX------XXX--------------------------"}
{"at_ns":6000000000,"type":"position","squares":"---------------------------OX------OXX-----O--------------------"}
{"at_ns":7000000000,"type":"position","squares":"---------------------------OX-----XXXX-----O--------------------"}
{"at_ns":8000000000,"type":"press","by":"black"}
"""
    story = story_of_game_file(lines.strip())
    assert [(step.square, step.by) for step in story.steps] == [
        ("f5", "black"),
        ("d6", "white"),
        ("c5", "black"),
    ]
    boards = [json.loads(line)["squares"] for line in lines.strip().splitlines()[3:6]]
    assert [step.position for step in story.steps] == boards
    # After Black's c1 White has no move, and Black goes on to c8.
    passed = """
{"type":"game","format":"flagfall-game/1","rulebook":"woc-2019","minutes":30}
{"at_ns":0,"type":"start"}
{"at_ns":0,"type":"press","by":"white"}
{"at_ns":0,"type":"ruling","rule":"set_position","squares":"XO------------------------------------------------------XO------","to_move":"black"}
{"at_ns":1000000000,"type":"position","squares":"XXX-----------------------------------------------------XO------"}
{"at_ns":2000000000,"type":"position","squares":"XXX-----------------------------------------------------XXX-----"}
{"at_ns":3000000000,"type":"press","by":"black"}
"""
    steps = story_of_game_file(passed.strip()).steps
    assert [(step.square, step.by, step.after_pass) for step in steps] == [
        ("c1", "black", False),
        ("c8", "black", True),
    ]
