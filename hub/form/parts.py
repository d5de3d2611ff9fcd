"""Parts of a tournament in their decoded form: players, rounds, games, and the other lists of a tournament.

Every reader raises FormatError naming the field below `path`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Literal, TypeVar

from msgspec import Meta

from flagfall.othello.errors import shown
from flagfall.othello.reason import Reason
from hub.form.fields import Count, JsonFields, LineText, Number, Rating, Score, identity
from hub.model.games import DIVISION, OPEN, WOMEN, YOUNG, FinalPlace, Game, Pin, Round
from hub.model.players import Player
from hub.model.tournament import Absence, Withdrawal
from hub.text import FormatError

STAGES = ("playoff", "semi-final", "third-place", "final")
_Item = TypeVar("_Item")
_AfterRound = Annotated[Count, Meta(description="a round, 0 before the first")]


def read_each(
    reader: Callable[[object, str], _Item], parent: JsonFields, name: str, needed: bool = False
) -> tuple[_Item, ...]:
    path = parent.at(name)
    return tuple(reader(item, f"{path}[{i}]") for i, item in enumerate(parent.items(name, needed)))


def texts_of(parent: JsonFields, name: str) -> tuple[str, ...]:
    return read_each(identity, parent, name)


def player_from_json(value: object, path: str) -> Player:
    """Return a player. Raise FormatError naming the field below `path`, as the readers of games do."""
    item = JsonFields(value, path)
    country = item.read("country", LineText, "")
    return Player(
        id=item.identity("id"),
        name=item.read("name", LineText, ""),
        country=country,
        team=item.read("team", LineText, country),
        gender=item.read("gender", Literal["f", "m", "x", ""], ""),
        born=item.day("born"),
        rating=item.read("rating", Rating, None),
        past_semifinalist=item.read("past_semifinalist", bool, False),
        additional=item.read("additional", bool, False),
        extra_young=item.read("extra_young", bool, False),
        from_round=item.read("from_round", Number, 1),
        division=item.read("division", LineText, ""),
        categories=texts_of(item, "categories"),
        represents=item.declared("represents", str, ""),
        registered=item.declared("registered", str, ""),
        admitted_because=item.declared("admitted_because", str, ""),
        credentials=item.declared("credentials", str, ""),
        needs=item.declared("needs", str, ""),
        extra_minutes=item.declared("extra_minutes", int | float),
        hands_commit=item.declared("hands_commit", bool),
        new=item.declared("new", bool, False),
        misfits=item.misfits("extra_minutes", "hands_commit"),
        extra=item.rest(),
    )


def withdrawal_from_json(value: object, path: str) -> Withdrawal:
    item = JsonFields(value, path)
    return Withdrawal(
        player=item.identity("player"),
        after_round=item.read("after_round", _AfterRound),
        expelled=item.read("expelled", bool, False),
        why=item.read("why", LineText, ""),
        after_finals=item.read("after_finals", Count, 0),
    )


def absence_from_json(value: object, path: str) -> Absence:
    item = JsonFields(value, path)
    return Absence(item.identity("player"), item.read("round", Number))


def half_bye_from_json(value: object, path: str) -> Absence:
    return replace(absence_from_json(value, path), half_point=True)


def ban_from_json(value: object, path: str) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2:
        raise FormatError(path, "two player ids", shown(value))
    return identity(value[0], f"{path}[0]"), identity(value[1], f"{path}[1]")


def pin_from_json(value: object, path: str) -> Pin:
    item = JsonFields(value, path)
    return Pin(item.identity("black"), item.identity("white"), item.read("table", Number, None))


def round_from_json(value: object, path: str) -> Round:
    item = JsonFields(value, path)
    return Round(read_each(game_from_json, item, "games"), texts_of(item, "byes"), item.rest())


def game_from_json(value: object, path: str) -> Game:
    item = JsonFields(value, path)
    return Game(
        black=item.identity("black"),
        white=item.identity("white"),
        score=item.read("score", Score, None),
        reason=item.read("reason", Reason, Reason.BOARD),
        table=item.read("table", Number, 0),
        transcript=item.declared("transcript", str, ""),
        error_stands=item.declared("error_stands", bool, False),
        no_show=item.declared("no_show", bool),
        discs=item.declared("discs", Literal["unknown"], ""),
        extra=item.rest(),
    )


def final_game_from_json(value: object, path: str) -> Game:
    item = JsonFields(value, path)
    title = item.take("title")
    if not isinstance(title, str) or not (
        title in (OPEN, WOMEN, YOUNG) or (title.startswith(DIVISION) and title != DIVISION)
    ):
        raise FormatError(item.at("title"), "open, women, young or division:<name>", shown(title))
    draw_win = item.take("draw_win")
    stage = item.choice("stage", STAGES)
    return Game(
        black=item.identity("black"),
        white=item.identity("white"),
        score=item.read("score", Score, None),
        final=FinalPlace(title, stage, None if draw_win is None else identity(draw_win, item.at("draw_win"))),
        reason=item.read("reason", Reason, Reason.BOARD),
        transcript=item.declared("transcript", str, ""),
        error_stands=item.declared("error_stands", bool, False),
        extra=item.rest(),
    )
