"""The lines of a game file after the first: inputs from and to their JSON objects (docs/contracts.md, "Game file")."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from othello import inputs as i
from othello.board import Position
from othello.fields import LAST_NS, Fields, GameFileError, Object, short
from othello.notation import format_position, parse_position, square_name


def parse_input(line: Object) -> i.Input:
    """One input from its JSON object."""
    fields = Fields(line)
    kind = fields.text("type")
    parse = _PARSERS.get(kind)
    if parse is None:
        raise GameFileError(f"type: expected one of {', '.join(_PARSERS)}, got {short(kind)}")
    return parse(fields)


def _touch(fields: Fields) -> i.Input:
    return i.Touch(fields.at_ns(), fields.square("square"), fields.choice("with", i.Contact))


def _shown(fields: Fields) -> i.Input:
    return i.Shown(fields.at_ns(), _position(fields), _uncertain_ns(fields))


def _position(fields: Fields) -> Position:
    try:
        return parse_position(fields.text("squares"))
    except ValueError as error:
        if isinstance(error, GameFileError):
            raise
        raise GameFileError(f"squares: {error}") from None


def _signal(fields: Fields) -> i.Input:
    error = fields.text("error") if "error" in fields else None
    allowed = [str(kind) for kind in i.ErrorKind] + ["flag"]
    if error is not None and error not in allowed:
        raise GameFileError(f"error: expected one of {', '.join(allowed)}, got {short(error)}")
    square = fields.square("square") if "square" in fields else None
    return i.Signal(fields.at_ns(), fields.side("by"), error, square)


def _agree(fields: Fields) -> i.Input:
    return i.Agree(
        fields.at_ns(), fields.side("by"), fields.whole("black", 0, 64), fields.whole("white", 0, 64)
    )


def _board(fields: Fields) -> i.Input:
    state = fields.text("state")
    if state not in ("ok", "lost"):
        raise GameFileError(f"state: expected ok or lost, got {short(state)}")
    return i.BoardState(fields.at_ns(), state == "ok")


def _power(fields: Fields) -> i.Input:
    if fields.text("state", "back") != "back":
        raise GameFileError(f"state: expected back, got {short(fields.text('state'))}")
    return i.Power(fields.at_ns(), _uncertain_ns(fields))


def _uncertain_ns(fields: Fields) -> int:
    return fields.whole("uncertain_ns", 0, LAST_NS) if "uncertain_ns" in fields else 0


def _tick(fields: Fields) -> i.Input:
    what = fields.remark("note")
    note = i.Note(what, fields.remark("who"), fields.remark("detail")) if what else None
    return i.Tick(fields.at_ns(), note)


def _ruling(fields: Fields) -> i.Input:
    undoes = fields.choice("undoes", i.Rule) if "undoes" in fields else None
    return replace(_ruled(fields), reason=fields.remark("reason"), who=fields.remark("who"), undoes=undoes)


def _ruled(fields: Fields) -> i.Ruling:
    at_ns, rule = fields.at_ns(), fields.choice("rule", i.Rule)
    match rule:
        case i.Rule.CORRECT_ERROR:
            return i.Ruling(
                at_ns,
                rule,
                player=fields.side("player") if "player" in fields else None,
                error=fields.choice("error", i.ErrorKind) if "error" in fields else None,
                square=fields.square("square") if "square" in fields else None,
            )
        case i.Rule.ADJUST_TIME:
            return i.Ruling(
                at_ns, rule, player=fields.side("player"), seconds=fields.number("seconds", -86400, 86400)
            )
        case i.Rule.START_CLOCK | i.Rule.ANNUL_FLAG | i.Rule.RESIGN | i.Rule.FORFEIT | i.Rule.BEYOND_REPAIR:
            return i.Ruling(at_ns, rule, player=fields.side("player"))
        case i.Rule.AWARD:
            score = _score(fields.sub("score")) if "score" in fields else None
            return i.Ruling(at_ns, rule, player=fields.side("winner"), score=score)
        case i.Rule.SET_SCORE | i.Rule.ENTER_SCORE:
            return i.Ruling(at_ns, rule, score=_score(fields))
        case i.Rule.SET_POSITION:
            return i.Ruling(at_ns, rule, position=_position(fields), to_move=fields.side("to_move"))
        case i.Rule.ENTER_MOVE:
            if fields.flag("pass", False):
                return i.Ruling(at_ns, rule, passes=True)
            return i.Ruling(at_ns, rule, square=fields.square("square"))
        case i.Rule.DISCS_MOVED:
            return i.Ruling(at_ns, rule, player=fields.side("to"), count=fields.whole("count", 1, 64))
        case _:
            return i.Ruling(at_ns, rule)


def _score(fields: Fields) -> tuple[int, int]:
    return fields.whole("black", 0, 64), fields.whole("white", 0, 64)


_PARSERS: dict[str, Callable[[Fields], i.Input]] = {
    "start": lambda f: i.Start(f.at_ns()),
    "press": lambda f: i.Press(f.at_ns(), f.side("by")),
    "touch": _touch,
    "position": _shown,
    "signal": _signal,
    "stop": lambda f: i.Stop(f.at_ns(), f.side("by")),
    "tick": _tick,
    "ready": lambda f: i.Ready(f.at_ns(), f.side("by")),
    "resign": lambda f: i.Resign(f.at_ns(), f.side("by")),
    "unresign": lambda f: i.Unresign(f.at_ns(), f.side("by")),
    "agree": _agree,
    "sign": lambda f: i.Sign(f.at_ns(), f.side("by")),
    "board": _board,
    "power": _power,
    "ruling": _ruling,
}


def input_object(one: i.Input) -> dict[str, Any]:
    """One input as the JSON object of its line."""
    line: dict[str, Any] = {"at_ns": one.at_ns, "type": i.TYPE_NAMES[type(one)]}
    match one:
        case i.Press() | i.Stop() | i.Ready() | i.Resign() | i.Unresign() | i.Sign():
            line["by"] = str(one.by)
        case i.Touch():
            line |= {"square": square_name(one.square), "with": str(one.contact)}
        case i.Shown():
            line["squares"] = format_position(one.position)
            if one.uncertain_ns:
                line["uncertain_ns"] = one.uncertain_ns
        case i.Signal():
            line["by"] = str(one.by)
            if one.error is not None:
                line["error"] = str(one.error)
            if one.square is not None:
                line["square"] = square_name(one.square)
        case i.Agree():
            line |= {"by": str(one.by), "black": one.black, "white": one.white}
        case i.BoardState():
            line["state"] = "ok" if one.ok else "lost"
        case i.Power():
            line |= {"state": "back", "uncertain_ns": one.uncertain_ns}
        case i.Tick() if one.note is not None:
            remarks = {"note": one.note.what, "who": one.note.who, "detail": one.note.detail}
            line |= {key: text for key, text in remarks.items() if text}
        case i.Ruling():
            line["rule"] = str(one.rule)
            line |= ruling_fields(one)
        case _:
            pass
    return line


def ruling_fields(ruling: i.Ruling) -> dict[str, Any]:
    """The fields of a ruling besides `at_ns` and `rule`, as the contract names them."""
    fields: dict[str, Any] = {}
    if ruling.player is not None:
        name = {i.Rule.AWARD: "winner", i.Rule.DISCS_MOVED: "to"}.get(ruling.rule, "player")
        fields[name] = str(ruling.player)
    if ruling.error is not None:
        fields["error"] = str(ruling.error)
    if ruling.square is not None:
        fields["square"] = square_name(ruling.square)
    if ruling.seconds is not None:
        fields["seconds"] = ruling.seconds
    if ruling.score is not None:
        score = {"black": ruling.score[0], "white": ruling.score[1]}
        fields |= {"score": score} if ruling.rule is i.Rule.AWARD else score
    if ruling.position is not None:
        fields["squares"] = format_position(ruling.position)
    if ruling.to_move is not None:
        fields["to_move"] = str(ruling.to_move)
    if ruling.passes:
        fields["pass"] = True
    if ruling.count is not None:
        fields["count"] = ruling.count
    if ruling.reason:
        fields["reason"] = ruling.reason
    if ruling.who:
        fields["who"] = ruling.who
    if ruling.undoes is not None:
        fields["undoes"] = str(ruling.undoes)
    return fields
