"""Tests of the hub's texts: each is in every catalogue with the same places, and is shown with players' names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from catalogues import ROOT, SAYING, places, wanted
from helpers.hub_files import tournament_file
from msgspec import Meta

from flagfall.base.errors import FlagfallError
from flagfall.base.message import Message, Value
from flagfall.base.words import all_words, words_in
from flagfall.othello.game import State
from flagfall.othello.reason import Reason
from flagfall.othello.refusals import REFUSALS, refusal
from flagfall.othello.side import Side
from hub.commands.results import _in_ranges
from hub.console.from_tables import refusal_text, who_text
from hub.console.rendering import Translator, fault_field
from hub.desk.forms import Form
from hub.role import Role
from hub.text import FormatError, Refused

WORDS = all_words()
LINES = {name: 0 for name in SAYING if name[0].isupper() and name != "N_"} | {"FormatError": 1}
"""The calls that say a line, and which argument it is."""


def lines_in(path: Path) -> Iterator[tuple[str, ast.expr]]:
    """Yield the name of each call that shows a line, and the line."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            at = LINES.get(name)
            if at is not None and len(node.args) > at:
                yield name, node.args[at]


def sources() -> list[Path]:
    return [path for path in ROOT.glob("hub/**/*.py") if wanted(str(path.relative_to(ROOT)))]


def test_what_changes_in_a_line_stands_in_its_places() -> None:
    """A line put together as a text could not be looked up."""
    joined = [
        (path.name, ast.unparse(line))
        for path in sources()
        for name, line in lines_in(path)
        if isinstance(line, ast.JoinedStr)
        and name != "FormatError"
        and path.name not in ("errors.py", "store.py")
    ]
    assert joined == []


def speech(language: str, **names: str) -> Translator:
    return Translator(WORDS[language], lambda player: names.get(player, player))


def test_people_are_called_by_their_names() -> None:
    points = Message("1 point")
    why = Message.of(
        "{high} ({high_points}) floats down to {low} ({low_points}): {why}",
        high="6",
        high_points=points,
        low="2",
        low_points=Message.of("{count} points", count="2½"),
        why=Message.of("nobody else has {points}", points=points),
    )
    both = Message.of("{reasons}", reasons=(why, Message("colours by lot")))
    names = {"6": "Ada", "2": "Bo {x}"}
    assert str(both) == "6 (1 point) floats down to 2 (2½ points): nobody else has 1 point; colours by lot"
    assert speech("en", **names)(both).startswith("Ada (1 point) floats down to Bo {x} (2½ points)")
    assert speech("fr", **names)(both).startswith("Ada (1 point) flotte vers Bo {x} (2½ points)")
    assert "Ada" in speech("ja", **names)(both)


SAMPLES: dict[str, Value] = {
    "player": Side.WHITE,
    "state": State.RUNNING,
    "reason": Reason.SECOND_FLAG,
    "rulebook": "club-2026",
    "left": "0:12.5",
    "square": "c4",
    "count": 3,
    "black": 40,
    "white": 20,
}


@pytest.mark.parametrize("key", REFUSALS)
def test_every_refusal_of_a_table_is_a_text(key: str) -> None:
    reason = refusal(key, **{name: SAMPLES[name] for name in places(REFUSALS[key])})
    line = refusal_text(msgspec.json.decode(msgspec.json.encode(reason.as_object())), "not this")
    names = {"40": "a player", "white": "a player"}
    text = speech("en", **names)(line).replace("on time", "second_flag").replace("White", "white")
    assert text == str(reason)


@pytest.mark.parametrize(
    ("language", "reason", "text"),
    [
        ("fr", refusal("has_signed", player=Side.BLACK), "Noir a déjà signé"),
        ("fr", refusal("all_of_time_left", left="0:12.5"), "au plus le temps restant\u00a0: 0:12,5"),
        ("ja", refusal("not_in_state", state=State.RUNNING), "対局が進行中の間はできません"),
    ],
)
def test_a_refusal_is_said_in_the_readers_language(language: str, reason: Message, text: str) -> None:
    assert speech(language, black="Ada")(refusal_text(reason.as_object(), str(reason))) == text


@pytest.mark.parametrize(
    "refusal",
    [
        *(None, "has_signed", [], {}, {"key": []}, {"key": "has_signed"}, {"key": "of_0_3_0", "places": {}}),
        *(
            {"key": "has_signed", "places": places_}
            for places_ in ({}, {"player": 1}, {"player": ""}, {"player": {}})
        ),
        {"key": "has_signed", "places": {"player": "black", "more": "x"}},
        *({"key": "has_signed", "places": {"player": player}} for player in ("x" * 81, "a\nb")),
    ],
)
def test_what_a_table_says_of_a_refusal_is_not_trusted(refusal: object) -> None:
    """The English sentence beside it stays."""
    assert refusal_text(refusal, "black has signed {already}") == "black has signed {already}"


def test_who_calls_is_said_in_the_readers_language() -> None:
    assert [speech("fr")(who_text(who)) for who in ("black", "judge", "my pen")] == [
        "Noir",
        "arbitre",
        "my pen",
    ]


def test_a_rulebook_is_called_by_its_name() -> None:
    refused = Refused(
        "expected a rulebook with categories, got {rulebook}", field="rulebook", rulebook="woc-2019"
    )
    assert speech("en")(refused.message).endswith("got World Championship (2019)")


def test_a_field_is_called_as_the_page_calls_it() -> None:
    refused = Refused("expected something, got nothing", field="why")
    assert str(refused) == "why: expected something, got nothing" and fault_field(refused.message) == "why"
    assert speech("en")(refused.message) == "Reason: expected something, got nothing"
    assert speech("fr")(refused.message) == "Motif\u00a0: il manque une valeur"
    assert speech("ja")(refused.message) == "理由：入力してください"
    born = FormatError("players[3].born", "a date YYYY-MM-DD", '"x"')
    assert fault_field(born.message) == "born"
    assert speech("fr")(born.message) == 'Naissance\u00a0: attendu une date AAAA-MM-JJ, reçu "x"'
    late = Message.of(
        "registered on {registered}, after {last_day}", registered="2026-11-05", last_day="2026-10-05"
    )
    assert speech("ja")(late) == "2026年10月5日を過ぎた2026年11月5日に登録"
    assert speech("fr")(Message("what nobody has translated: {")) == "what nobody has translated: {"


class Entered(msgspec.Struct):
    discs: Annotated[int, Meta(ge=0, le=64)]
    why: Annotated[str, Meta(max_length=3)] = ""


def test_a_field_of_a_form_is_asked_for_in_the_readers_language() -> None:
    with pytest.raises(Refused) as much:
        Form({"discs": ["65"]}).read(Entered)
    assert fault_field(much.value.message) == "discs"
    assert speech("en")(much.value.message).endswith(": expected a whole number from 0 to 64, got 65")
    assert speech("fr")(much.value.message).endswith(": attendu un nombre entier de 0 à 64, reçu 65")
    assert speech("ja")(much.value.message).endswith("：0〜64の整数が必要です（入力：65）")
    with pytest.raises(Refused) as none:
        Form({"discs": [" "]}).read(Entered)
    assert speech("fr")(none.value.message).endswith(": attendu un nombre entier de 0 à 64, reçu rien")
    with pytest.raises(Refused) as unseen:
        Form({"discs": ["3"], "why": ["a\x07"]}).read(Entered)
    assert str(unseen.value) == "why: expected letters, digits and signs only"
    assert Form({"discs": ["3"], "why": ["a\u200bb"]}).read(Entered) == Entered(3, "ab")


def test_a_line_with_braces_in_its_values_is_said_as_it_is() -> None:
    assert str(FlagfallError("name: {x}")) == "name: {x}"
    assert str(FlagfallError("got {got!r}", got="{0}")) == "got '{0}'"


@pytest.mark.parametrize("text", ["{b}", "{a.__class__}", "{", "{a} {0}"])
def test_a_place_that_nothing_fills_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Message.of(text, a=1)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"text": text, "values": {"a": 1}}, Message)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "Score\u00a0: attendu 64 pions ensemble sous Championnat du monde (2019)"),
        ("ja", "石数：世界選手権 (2019)では合計64個の石数"),
    ],
)
async def test_a_refused_form_speaks_the_readers_language(served: Any, language: str, text: str) -> None:
    async with served:
        await served.create("open", tournament_file(2))
        await served.run("publish-round")
        client, csrf = await served.entered(Role.DIRECTOR)
        form = {"csrf": csrf, "table": "1", "black": "40", "white": "20"}
        answer = await client.post("/desk/t/open/result", data=form, headers={"Accept-Language": language})
        assert answer.status_code == 400 and text in answer.text


def test_a_line_takes_the_plural_form_of_the_readers_language() -> None:
    single, more = (
        Message.plural("{count} point", "{count} points", 1),
        Message.plural("{count} point", "{count} points", 2),
    )
    assert (str(single), str(more)) == ("1 point", "2 points")
    french = Translator(words_in("fr"), str)
    none = Message.plural("{count} more place", "{count} more places", 0)
    assert (french(single), french(more), french(none)) == ("1 point", "2 points", "0 more places")
    assert french(Message.plural("{count} point", "{count} points", 0)) == "0 point"
    assert msgspec.json.decode(msgspec.json.encode(more), type=Message) == more
    assert msgspec.to_builtins(Message.of("{count} points", count="2½")).keys() == {"text", "values"}


def test_tables_are_named_in_runs() -> None:
    assert _in_ranges([]) == ""
    assert _in_ranges([3]) == "3"
    assert _in_ranges([1, 2, 3, 5, 7, 8]) == "1–3, 5, 7–8"
