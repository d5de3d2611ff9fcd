"""The lines of a game file after the first: inputs from and to their JSON objects (docs/contracts.md, "Game file")."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from msgspec import Meta

from flagfall.othello import inputs as i
from flagfall.othello.board import Position, format_position, parse_position, square_name
from flagfall.othello.convert import one_of
from flagfall.othello.errors import Invalid, shown
from flagfall.othello.fields import LAST_NS, AtNs, Fields, Object, number_type
from flagfall.othello.side import Side

_KINDS = {name: kind for kind, name in i.TYPE_NAMES.items()}
_SECONDS = number_type(-LAST_NS / 10**9, 86400)
_Discs = Annotated[int, Meta(ge=0, le=64)]
_SomeDiscs = Annotated[int, Meta(ge=1, le=64)]


def parse_input(line: Object) -> i.Input:
    """Return the input of a JSON object; Invalid names the field."""
    fields = Fields(line)
    name = fields.read("type", str)
    if name not in _KINDS:
        raise Invalid("type", one_of(_KINDS), shown(name))
    at_ns = fields.read("at_ns", AtNs)
    match name:
        case "start":
            return i.Start(at_ns)
        case "colour_draw":
            hider, called = fields.read("hider", Side), fields.read("called", i.Called)
            return i.ColourDraw(
                at_ns, hider, called, fields.read("shown", Side), fields.read_if("chose", i.Chosen)
            )
        case "touch":
            return i.Touch(at_ns, fields.square("square"), fields.read("with", i.Contact))
        case "position":
            return i.Shown(at_ns, _position(fields), _uncertain_ns(fields))
        case "signal":
            error = fields.one_of("error", *i.ErrorKind, "flag") if "error" in fields else None
            square = fields.square("square") if "square" in fields else None
            return i.Signal(at_ns, fields.read("by", Side), error, square)
        case "default_choice":
            choice = fields.read("choice", i.DefaultOption)
            return i.DefaultChoice(at_ns, fields.read("by", Side), choice)
        case "tick":
            text = fields.remark("note")
            note = i.Note(text, fields.remark("who"), fields.remark("detail")) if text else None
            return i.Tick(at_ns, note)
        case "agree":
            return i.Agree(at_ns, fields.read("by", Side), *_discs(fields))
        case "board":
            return i.BoardState(at_ns, fields.one_of("state", "ok", "lost") == "ok")
        case "power":
            if "state" in fields:
                fields.one_of("state", "back")
            return i.Power(at_ns, _uncertain_ns(fields))
        case "ruling":
            return _ruling(fields, at_ns)
    by_player: Callable[[int, Side], i.Input] = _KINDS[name]
    return by_player(at_ns, fields.read("by", Side))


def _position(fields: Fields) -> Position:
    try:
        return parse_position(fields.read("squares", str))
    except ValueError as error:
        if isinstance(error, Invalid):
            raise
        raise Invalid("squares", str(error).removeprefix("expected ")) from None


def _uncertain_ns(fields: Fields) -> int:
    return fields.read_if("uncertain_ns", AtNs) or 0


def _discs(fields: Fields) -> tuple[int, int]:
    return fields.read("black", _Discs), fields.read("white", _Discs)


def _ruling(fields: Fields, at_ns: int) -> i.Ruling:
    rule = fields.read("rule", i.Rule)
    undoes = fields.read_if("undoes", i.Rule)
    reason, who = fields.remark("reason"), fields.remark("who")
    ruling = partial(i.Ruling, at_ns, rule, reason=reason, who=who, undoes=undoes)
    match rule:
        case i.Rule.CORRECT_ERROR:
            return ruling(
                player=fields.read_if("player", Side),
                error=fields.read_if("error", i.ErrorKind),
                square=fields.square("square") if "square" in fields else None,
            )
        case i.Rule.ADJUST_TIME:
            # Taking too much is the law's to refuse.
            seconds = fields.read("seconds", _SECONDS)
            return ruling(player=fields.read("player", Side), seconds=seconds)
        case i.Rule.START_CLOCK | i.Rule.ANNUL_FLAG | i.Rule.RESIGN | i.Rule.FORFEIT | i.Rule.BEYOND_REPAIR:
            return ruling(player=fields.read("player", Side))
        case i.Rule.AWARD:
            score = _discs(fields.sub("score")) if "score" in fields else None
            return ruling(player=fields.read("winner", Side), score=score)
        case i.Rule.SET_SCORE:
            return ruling(score=_discs(fields))
        case i.Rule.ENTER_SCORE:
            flag_before = fields.read_if("flag_before", Side)
            return ruling(score=_discs(fields), flag_before=flag_before)
        case i.Rule.SET_POSITION:
            return ruling(position=_position(fields), to_move=fields.read("to_move", Side))
        case i.Rule.ENTER_MOVE if fields.read("pass", bool, False):
            return ruling(passes=True)
        case i.Rule.ENTER_MOVE:
            return ruling(square=fields.square("square"))
        case i.Rule.DISCS_MOVED:
            return ruling(player=fields.read("to", Side), count=fields.read("count", _SomeDiscs))
    return ruling()


def input_object(entry: i.Input) -> dict[str, Any]:
    """Return the input as the JSON object of its line."""
    line: dict[str, Any] = {"at_ns": entry.at_ns, "type": i.TYPE_NAMES[type(entry)]}
    if isinstance(entry, i.ByPlayer):
        line["by"] = str(entry.by)
    match entry:
        case i.ColourDraw():
            line |= {"hider": str(entry.hider), "called": str(entry.called), "shown": str(entry.shown)}
            if entry.chose is not None:
                line["chose"] = str(entry.chose)
        case i.Touch():
            line |= {"square": square_name(entry.square), "with": str(entry.contact)}
        case i.Shown():
            line["squares"] = format_position(entry.position)
            if entry.uncertain_ns:
                line["uncertain_ns"] = entry.uncertain_ns
        case i.Signal():
            if entry.error is not None:
                line["error"] = str(entry.error)
            if entry.square is not None:
                line["square"] = square_name(entry.square)
        case i.DefaultChoice():
            line["choice"] = str(entry.choice)
        case i.Agree():
            line |= {"black": entry.black, "white": entry.white}
        case i.BoardState():
            line["state"] = "ok" if entry.ok else "lost"
        case i.Power():
            line |= {"state": "back", "uncertain_ns": entry.uncertain_ns}
        case i.Tick() if entry.note is not None:
            remarks = {"note": entry.note.text, "who": entry.note.who, "detail": entry.note.detail}
            line |= {key: text for key, text in remarks.items() if text}
        case i.Ruling():
            line |= {"rule": str(entry.rule), **ruling_fields(entry)}
    return line


def ruling_fields(ruling: i.Ruling) -> dict[str, Any]:
    """Return the fields of a ruling except `at_ns` and `rule`, as the contract names them, without those that have no
    value."""
    player = {i.Rule.AWARD: "winner", i.Rule.DISCS_MOVED: "to"}.get(ruling.rule, "player")
    black, white = ruling.score or (None, None)
    in_score = ruling.rule is i.Rule.AWARD and ruling.score is not None
    fields = {
        player: ruling.player,
        "error": ruling.error,
        "square": None if ruling.square is None else square_name(ruling.square),
        "seconds": ruling.seconds,
        **({"score": {"black": black, "white": white}} if in_score else {"black": black, "white": white}),
        "squares": None if ruling.position is None else format_position(ruling.position),
        "to_move": ruling.to_move,
        "pass": ruling.passes or None,
        "flag_before": ruling.flag_before,
        "count": ruling.count,
        "reason": ruling.reason or None,
        "who": ruling.who or None,
        "undoes": ruling.undoes,
    }
    return {name: str(it) if isinstance(it, str) else it for name, it in fields.items() if it is not None}
