"""The lines of a game file after the first: inputs from and to their JSON objects (docs/contracts.md, "Game file")."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from othello import inputs as i
from othello.board import Position
from othello.errors import Invalid, shown
from othello.fields import LAST_NS, Fields, Object
from othello.notation import format_position, parse_position, square_name
from othello.side import Side

_KINDS = {name: kind for kind, name in i.TYPE_NAMES.items()}


def parse_input(line: Object) -> i.Input:
    """One input from its JSON object; Invalid names the field."""
    fields = Fields(line)
    name = fields.text("type")
    if name not in _KINDS:
        raise Invalid("type", f"one of {', '.join(_KINDS)}", shown(name))
    at_ns = fields.at_ns()
    match name:
        case "start":
            return i.Start(at_ns)
        case "touch":
            return i.Touch(at_ns, fields.square("square"), fields.choice("with", i.Contact))
        case "position":
            return i.Shown(at_ns, _position(fields), _uncertain_ns(fields))
        case "signal":
            error = fields.one_of("error", *i.ErrorKind, "flag") if "error" in fields else None
            square = fields.square("square") if "square" in fields else None
            return i.Signal(at_ns, fields.side("by"), error, square)
        case "default_choice":
            return i.DefaultChoice(at_ns, fields.side("by"), fields.choice("choice", i.DefaultOption))
        case "tick":
            what = fields.remark("note")
            note = i.Note(what, fields.remark("who"), fields.remark("detail")) if what else None
            return i.Tick(at_ns, note)
        case "agree":
            return i.Agree(at_ns, fields.side("by"), *_discs(fields))
        case "board":
            return i.BoardState(at_ns, fields.one_of("state", "ok", "lost") == "ok")
        case "power":
            if "state" in fields:
                fields.one_of("state", "back")
            return i.Power(at_ns, _uncertain_ns(fields))
        case "ruling":
            return _ruling(fields, at_ns)
    by_player: Callable[[int, Side], i.Input] = _KINDS[name]
    return by_player(at_ns, fields.side("by"))


def _position(fields: Fields) -> Position:
    try:
        return parse_position(fields.text("squares"))
    except ValueError as error:
        if isinstance(error, Invalid):
            raise
        raise Invalid("squares", str(error).removeprefix("expected ")) from None


def _uncertain_ns(fields: Fields) -> int:
    return fields.whole("uncertain_ns", 0, LAST_NS) if "uncertain_ns" in fields else 0


def _discs(fields: Fields) -> tuple[int, int]:
    return fields.whole("black", 0, 64), fields.whole("white", 0, 64)


def _ruling(fields: Fields, at_ns: int) -> i.Ruling:
    rule = fields.choice("rule", i.Rule)
    undoes = fields.choice("undoes", i.Rule) if "undoes" in fields else None
    reason, who = fields.remark("reason"), fields.remark("who")
    ruling = partial(i.Ruling, at_ns, rule, reason=reason, who=who, undoes=undoes)
    match rule:
        case i.Rule.CORRECT_ERROR:
            return ruling(
                player=fields.side("player") if "player" in fields else None,
                error=fields.choice("error", i.ErrorKind) if "error" in fields else None,
                square=fields.square("square") if "square" in fields else None,
            )
        case i.Rule.ADJUST_TIME:
            # Taking too much is the law's to refuse.
            seconds = fields.number("seconds", -LAST_NS / 10**9, 86400)
            return ruling(player=fields.side("player"), seconds=seconds)
        case i.Rule.START_CLOCK | i.Rule.ANNUL_FLAG | i.Rule.RESIGN | i.Rule.FORFEIT | i.Rule.BEYOND_REPAIR:
            return ruling(player=fields.side("player"))
        case i.Rule.AWARD:
            score = _discs(fields.sub("score")) if "score" in fields else None
            return ruling(player=fields.side("winner"), score=score)
        case i.Rule.SET_SCORE:
            return ruling(score=_discs(fields))
        case i.Rule.ENTER_SCORE:
            flag_before = fields.side("flag_before") if "flag_before" in fields else None
            return ruling(score=_discs(fields), flag_before=flag_before)
        case i.Rule.SET_POSITION:
            return ruling(position=_position(fields), to_move=fields.side("to_move"))
        case i.Rule.ENTER_MOVE if fields.flag("pass", False):
            return ruling(passes=True)
        case i.Rule.ENTER_MOVE:
            return ruling(square=fields.square("square"))
        case i.Rule.DISCS_MOVED:
            return ruling(player=fields.side("to"), count=fields.whole("count", 1, 64))
    return ruling()


def input_object(one: i.Input) -> dict[str, Any]:
    """One input as the JSON object of its line."""
    line: dict[str, Any] = {"at_ns": one.at_ns, "type": i.TYPE_NAMES[type(one)]}
    if isinstance(one, i.ByPlayer):
        line["by"] = str(one.by)
    match one:
        case i.Touch():
            line |= {"square": square_name(one.square), "with": str(one.contact)}
        case i.Shown():
            line["squares"] = format_position(one.position)
            if one.uncertain_ns:
                line["uncertain_ns"] = one.uncertain_ns
        case i.Signal():
            if one.error is not None:
                line["error"] = str(one.error)
            if one.square is not None:
                line["square"] = square_name(one.square)
        case i.DefaultChoice():
            line["choice"] = str(one.choice)
        case i.Agree():
            line |= {"black": one.black, "white": one.white}
        case i.BoardState():
            line["state"] = "ok" if one.ok else "lost"
        case i.Power():
            line |= {"state": "back", "uncertain_ns": one.uncertain_ns}
        case i.Tick() if one.note is not None:
            remarks = {"note": one.note.what, "who": one.note.who, "detail": one.note.detail}
            line |= {key: text for key, text in remarks.items() if text}
        case i.Ruling():
            line |= {"rule": str(one.rule), **ruling_fields(one)}
    return line


def ruling_fields(ruling: i.Ruling) -> dict[str, Any]:
    """The fields of a ruling besides `at_ns` and `rule`, as the contract names them; those without a value left out."""
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
