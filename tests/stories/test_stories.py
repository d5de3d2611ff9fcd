"""The disputes that players really have, replayed under every rulebook: files as committed, answers as written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from othello.gamefile import parse_game
from othello.referee import replay
from othello.report import outcome

HERE = Path(__file__).parent
STORIES = sorted(path.stem for path in HERE.glob("*.jsonl"))
CASES = [
    (name, book)
    for name in STORIES
    for book in json.loads((HERE / f"{name}.answers.json").read_text("utf-8"))
]
_TOLD = ("moved_on_opponents_time", "unreadable", "out_of_discs")


def told(name: str, book: str) -> dict[str, Any]:
    header, *lines = (HERE / f"{name}.jsonl").read_text("utf-8").splitlines()
    text = "\n".join([json.dumps(json.loads(header) | {"rulebook": book}), *lines])
    report = outcome(replay(*parse_game(text)))

    def short(incident: dict[str, Any]) -> list[Any]:
        return [incident[key] for key in ("type", "by", "squares", "state")]

    report["errors"] = [short(e) for e in report["incidents"] if e["state"] is not None]
    report["told"] = [short(e) for e in report["incidents"] if e["type"] in _TOLD]
    return report


def test_there_are_stories() -> None:
    assert len(STORIES) >= 27


@pytest.mark.parametrize(("name", "book"), CASES)
def test_story(name: str, book: str) -> None:
    answer = json.loads((HERE / f"{name}.answers.json").read_text("utf-8"))[book]
    report = told(name, book)
    assert {key: report[key] for key in answer} == answer
