"""The disputes that players really have, replayed under every rulebook: files as committed, answers as written."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flagfall.othello.gamefile import parse_game
from flagfall.othello.referee import replay
from flagfall.othello.report import outcome

HERE = Path(__file__).parent
STORIES = sorted(path.stem for path in HERE.glob("*.jsonl"))
CASES = [
    (name, book)
    for name in STORIES
    for book in json.loads((HERE / f"{name}.answers.json").read_text("utf-8"))
]
_REPORTED = ("moved_on_opponents_time", "unreadable", "out_of_discs")


def half_turn(square: str) -> str:
    """Return the name of a square when the board is looked at from the other side."""
    return chr(ord("a") + ord("h") - ord(square[0])) + str(9 - int(square[1]))


def turned(line: str) -> str:
    """Return an input of the same game on a board turned by half a turn. The start is the same."""
    game_input = json.loads(line)
    if "square" in game_input:
        game_input["square"] = half_turn(game_input["square"])
    if "squares" in game_input:
        game_input["squares"] = game_input["squares"][::-1]
    return json.dumps(game_input)


def report_of(name: str, book: str, change: Callable[[str], str] = str) -> dict[str, Any]:
    header, *lines = (HERE / f"{name}.jsonl").read_text("utf-8").splitlines()
    lines = [change(line) for line in lines]
    text = "\n".join([json.dumps(json.loads(header) | {"rulebook": book}), *lines])
    report = outcome(replay(*parse_game(text)))

    def short(incident: dict[str, Any]) -> list[Any]:
        return [incident[key] for key in ("type", "by", "squares", "state")]

    report["errors"] = [short(e) for e in report["incidents"] if e["state"] is not None]
    report["told"] = [short(e) for e in report["incidents"] if e["type"] in _REPORTED]
    return report


def test_there_are_stories() -> None:
    assert len(STORIES) >= 27


def test_telling_them_again_writes_the_files_as_they_are_committed(tmp_path: Path) -> None:
    runpy.run_path(str(HERE / "tell.py"))["main"](tmp_path)
    told = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    kept = {name for story in STORIES for name in (f"{story}.jsonl", f"{story}.answers.json")}
    assert told == {name: (HERE / name).read_text("utf-8") for name in kept}


@pytest.mark.parametrize(("name", "book"), CASES)
def test_story(name: str, book: str) -> None:
    answer = json.loads((HERE / f"{name}.answers.json").read_text("utf-8"))[book]
    report = report_of(name, book)
    assert {key: report[key] for key in answer} == answer


@pytest.mark.parametrize(("name", "book"), CASES)
def test_a_story_ends_the_same_on_a_board_turned_by_half_a_turn(name: str, book: str) -> None:
    report, turned_report = report_of(name, book), report_of(name, book, turned)
    kept = ("state", "score", "board_score", "winner", "reason", "flags", "clocks_ns", "moves", "to_move")
    assert {key: turned_report[key] for key in kept} == {key: report[key] for key in kept}
    assert turned_report["position"] == report["position"][::-1]
    for key in ("errors", "told"):
        as_seen = [[*e[:2], sorted(map(half_turn, e[2])), e[3]] for e in report[key]]
        assert [[*e[:2], sorted(e[2]), e[3]] for e in turned_report[key]] == as_seen
