"""Parts of a tournament in their decoded form: players, rounds, games, and the other lists, read field by field.

Each field of decoded JSON is read as the type that it has; FormatError names the path of the field.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from flagfall.base.convert import convert, one_of
from flagfall.base.errors import Invalid, shown
from flagfall.base.fields import number_type
from flagfall.base.message import N_
from flagfall.othello.colour_choice import written_grade
from flagfall.othello.reason import Reason
from flagfall.othello.rulebook import Stage
from hub.model.games import DIVISION, OPEN, WOMEN, YOUNG, EventStage, FinalPlace, Game, Pin, Round
from hub.model.players import Player
from hub.model.tournament import Absence, Withdrawal
from hub.text import FormatError

_Kind = TypeVar("_Kind")
_LARGEST_INT = 1_000_000_000
_NEEDED: Any = object()

LineText = Annotated[str, Meta(max_length=500)]
_ID = N_("an id (text of 1 to 64 printable characters)")
_Id = Annotated[str, Meta(min_length=1, max_length=64, description=_ID)]
Count = Annotated[int, Meta(ge=0, le=_LARGEST_INT)]
# A round or a table, counted from 1.
Number = Annotated[int, Meta(ge=1, le=_LARGEST_INT)]
Rating: Any = Annotated[number_type(-_LARGEST_INT, _LARGEST_INT), Meta(description="a number")]
_Day = Annotated[datetime.date, Meta(description="a date YYYY-MM-DD")]
_Disc = Annotated[int, Meta(ge=0, le=64)]
# Discs; null while the game is being played.
Score = Annotated[tuple[_Disc, _Disc], Meta(description="[black, white] or null")]


class JsonFields:
    """One JSON object at `path`. Fields that were read are remembered: `rest()` returns those that the format does not
    know.

    An optional field that is null counts as absent. Every reader raises FormatError with the field's path.
    """

    def __init__(self, value: object, path: str) -> None:
        if not isinstance(value, dict):
            raise FormatError(path, "an object", shown(value))
        self.path = path
        self._value: dict[str, object] = value
        self._taken: set[str] = set()

    def at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def rest(self) -> Mapping[str, object]:
        return {name: value for name, value in self._value.items() if name not in self._taken}

    def take(self, name: str) -> object:
        self._taken.add(name)
        return self._value.get(name)

    def declared(self, name: str, kind: Any, default: Any = None) -> Any:
        """Return a value of this type, or the default. A value of another type stays as it is among the unknown ones.

        The default itself stays there too, so that the file says the same when it is written again.
        """
        if name not in self._value:
            return default
        try:
            value = msgspec.convert(self._value[name], kind)
        except msgspec.ValidationError:
            return default
        if value != default:
            self._taken.add(name)
        return value

    def misfits(self, *names: str) -> Mapping[str, object]:
        """Take those of these fields whose value is not of the type that `declared` asked for."""
        here = [name for name in names if name not in self._taken and self._value.get(name) is not None]
        return {name: self.take(name) for name in here}

    def read(self, name: str, kind: Any, default: Any = _NEEDED) -> Any:
        """Return the field's value, or the default if there is no such field."""
        value = self.take(name)
        if value is None and default is not _NEEDED:
            return default
        return read_value(value, kind, self.at(name))

    def identity(self, name: str) -> str:
        return identity(self.take(name), self.at(name))

    def choice(self, name: str, choices: Collection[str], default: str | None = None) -> str:
        value = self.take(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or value not in choices:
            raise FormatError(self.at(name), one_of(choices), shown(value))
        return value

    def day(self, name: str) -> str | None:
        day: datetime.date | None = self.read(name, _Day, None)
        return None if day is None else day.isoformat()

    def items(self, name: str, needed: bool = False) -> list[object]:
        items: list[object] = self.read(name, list[Any], _NEEDED if needed else [])
        return items


def read_value(value: object, kind: type[_Kind], path: str) -> _Kind:
    """Return the value as this type."""
    try:
        return convert(value, kind, path=path)
    except Invalid as fault:
        raise FormatError(fault.field, fault.expected, fault.got) from None


def identity(value: object, path: str) -> str:
    """Return an id."""
    text = read_value(value, _Id, path)
    if not text.strip() or not text.isprintable():
        raise FormatError(path, _ID, shown(value))
    return text


KNOCKOUT_STAGES = tuple(stage.value for stage in EventStage if stage is not EventStage.QUALIFYING)
STAGES = tuple(stage for stage in KNOCKOUT_STAGES if stage in tuple(Stage))
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
        grade=_grade(item),
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


def _grade(item: JsonFields) -> str:
    text: str = item.read("grade", LineText, "")
    grade = written_grade(text) if text else ""
    if grade is None:
        raise FormatError(item.at("grade"), 'a grade as "3dan" or "2kyu"', shown(text))
    return grade


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


def round_from_json(value: object, path: str, walkover: Score | None = None) -> Round:
    """Return a round; `walkover` is the rulebook's score (present, absent)."""
    item = JsonFields(value, path)
    return Round(
        read_each(partial(game_from_json, walkover=walkover), item, "games"),
        texts_of(item, "byes"),
        item.rest(),
    )


def game_from_json(value: object, path: str, walkover: Score | None = None) -> Game:
    item = JsonFields(value, path)
    reason = item.read("reason", Reason, Reason.BOARD)
    return Game(
        black=item.identity("black"),
        white=item.identity("white"),
        score=_score(item, reason, walkover),
        reason=reason,
        table=item.read("table", Number, 0),
        transcript=item.declared("transcript", str, ""),
        error_stands=item.declared("error_stands", bool, False),
        no_show=item.declared("no_show", bool),
        discs=item.declared("discs", Literal["unknown"], ""),
        draw_win=_draw_win(item),
        **_open_colours(item),
        extra=item.rest(),
    )


def _open_colours(item: JsonFields) -> dict[str, Any]:
    """Return the fields of a game whose colours are drawn or chosen at the table and not known yet."""
    open_ = item.declared("colours", Literal["open"], "") == "open"
    drawn = False if open_ and item.take("score") is not None else None
    return {"draws_colours": open_, "drawn": drawn}


def _draw_win(item: JsonFields) -> str | None:
    draw_win = item.take("draw_win")
    return None if draw_win is None else identity(draw_win, item.at("draw_win"))


def _score(item: JsonFields, reason: Reason, walkover: Score | None) -> Score | None:
    """Return the score of a game: of a walkover the rulebook's, by the player who is `present`."""
    score: Score | None = item.read("score", Score, None)
    present = item.read("present", Literal["black", "white", ""], "")
    if not present:
        return score
    if reason != Reason.WALKOVER or walkover is None:
        raise FormatError(
            item.at("present"), "nothing, but for a walkover under a rulebook that has them", present
        )
    expected = walkover if present == "black" else (walkover[1], walkover[0])
    if score not in (None, expected):
        raise FormatError(item.at("score"), f"{expected[0]}-{expected[1]}", "{}-{}".format(*score))
    return expected


def final_game_from_json(
    value: object, path: str, walkover: Score | None = None, stages: Collection[str] = STAGES
) -> Game:
    item = JsonFields(value, path)
    title = item.take("title")
    if not isinstance(title, str) or not (
        title in (OPEN, WOMEN, YOUNG) or (title.startswith(DIVISION) and title != DIVISION)
    ):
        raise FormatError(item.at("title"), "open, women, young or division:<name>", shown(title))
    stage = item.choice("stage", stages)
    reason = item.read("reason", Reason, Reason.BOARD)
    return Game(
        black=item.identity("black"),
        white=item.identity("white"),
        score=_score(item, reason, walkover),
        final=FinalPlace(title, stage),
        draw_win=_draw_win(item),
        reason=reason,
        transcript=item.declared("transcript", str, ""),
        error_stands=item.declared("error_stands", bool, False),
        **_open_colours(item),
        extra=item.rest(),
    )
