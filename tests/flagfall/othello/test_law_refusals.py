"""Reasons for refusing an input: each has a name, an English text, and a place in the code that gives it."""

from __future__ import annotations

import ast
import csv
import re
from pathlib import Path
from string import Formatter

import pytest

import flagfall.othello
import table_app.loop
from flagfall.base.message import Message
from flagfall.othello import refusals
from flagfall.othello.game import Header
from flagfall.othello.inputs import Press, Resign, Sign, Start, Stop
from flagfall.othello.referee import judge, new_game
from flagfall.othello.refusals import CITED, REFUSALS, refusal, with_clause
from flagfall.othello.report import outcome
from flagfall.othello.rulebook import BUILT_IN, rulebook
from flagfall.othello.side import Side


def reasons_in_code() -> dict[str, set[str]]:
    """Return the names of places by reason, as the code gives them."""
    places_by_reason: dict[str, set[str]] = {}
    rooms = (Path(room.__path__[0]) for room in (flagfall.othello, table_app.loop))
    for path in {path for room in rooms for path in room.rglob("*.py")} - {Path(str(refusals.__file__))}:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("RefusedError", "refusal"):
                first = node.args[0]
                places = {word.arg or "" for word in node.keywords}
                keys = [first.value] if isinstance(first, ast.Constant) else _either(path, first)
                for key in keys:
                    places_by_reason.setdefault(str(key), places)
                    assert places_by_reason[str(key)] == places, key
    return places_by_reason


def _either(path: Path, name: ast.expr) -> list[object]:
    """Both values of `name = "one" if ... else "other"`."""
    assert isinstance(name, ast.Name)
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.IfExp):
            (target,) = node.targets
            both = (node.value.body, node.value.orelse)
            if isinstance(target, ast.Name) and target.id == name.id:
                return [value.value for value in both if isinstance(value, ast.Constant)]
    raise AssertionError(f"{path.name}: {name.id}")


def test_every_reason_is_given_somewhere_and_has_its_text_and_places() -> None:
    reasons = reasons_in_code()
    assert set(reasons) == set(REFUSALS)
    for key, text in REFUSALS.items():
        assert {name for _, name, _, _ in Formatter().parse(text) if name is not None} == reasons[key], key


def test_the_record_has_the_english_text_and_the_game_the_reason() -> None:
    game = judge(new_game(Header(rulebook("woc-2019"), 30)), Sign(1, Side.BLACK))
    (incident,) = game.incidents
    assert incident.why == refusal("not_in_state", state=game.state)
    refused = outcome(game)["incidents"][0]
    assert refused["why"] == "not while the game is waiting"
    assert refused["refusal"] == {"key": "not_in_state", "places": {"state": "waiting"}}
    for entry in (Resign(2, Side.WHITE), Sign(3, Side.BLACK), Sign(4, Side.BLACK)):
        game = judge(game, entry)
    assert str(game.incidents[-1].why) == "black has signed already"


def rows() -> set[tuple[str, str]]:
    """Return (text, clause) of every clause."""
    with (Path(__file__).parents[3] / "docs" / "clauses.csv").open(encoding="utf-8", newline="") as file:
        return {(row["rulebook"], row["clause"]) for row in csv.DictReader(file)}


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_refusal_cites_a_clause_of_its_own_text_or_none(name: str) -> None:
    rules, clauses = rulebook(name), rows()
    for key, text in REFUSALS.items():
        assert not re.search(r"\((?:[IVX]+|[A-Z]?\d)", text), f"{key}: a clause of one text under every text"
        places = {place: "x" for _, place, _, _ in Formatter().parse(text) if place is not None}
        why = with_clause(refusal(key, **places), rules)
        if why.clause:
            assert {(rules.family, clause) for clause in str(why.clause).split(", ")} <= clauses, key
            assert str(why) == f"{refusal(key, **places)} ({why.clause})"


def test_what_a_rulebook_cites_for_a_refusal_is_used() -> None:
    assert set(CITED) <= set(REFUSALS)
    cited = {key for name in BUILT_IN for key in rulebook(name).cites}
    assert set(CITED.values()) <= cited


@pytest.mark.parametrize(
    ("name", "clause"), [("woc-2019", "IV.2"), ("cc-2024", "IV.2"), ("usoa", "5.10"), ("bof", "IV.2")]
)
def test_a_judged_table_cites_its_own_text_when_a_player_stops_the_clocks(name: str, clause: str) -> None:
    game = new_game(Header(rulebook(name), 30))
    for entry in (Start(1), Press(2, Side.WHITE), Stop(3, Side.BLACK)):
        game = judge(game, entry)
    refused = outcome(game)["incidents"][-1]
    assert refused["why"] == f"at a judged table the judge stops the clocks ({clause})"
    assert refused["refusal"] == {"key": "judge_stops", "places": {}, "clause": clause}
    again = Message.read(REFUSALS, refused["refusal"])
    assert again is not None and again.clause == clause
