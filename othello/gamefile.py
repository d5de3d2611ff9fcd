"""The game file `flagfall-game/1`: a header line, then one input a line (contracts, "Game file").

Reading is strict about what a field means and indifferent to fields it does not know. Every error is one line that
names the line, the field and what was expected.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from othello import inputs as i
from othello.game import Header, Player
from othello.notation import format_position, parse_position, parse_square, square_name
from othello.rulebook import Rulebook, RulebookError, Stage, parse_rulebook, rulebook
from othello.side import Both, Side

FORMAT = "flagfall-game/1"
_LAST_NS = 2**63 - 1
LONGEST_REMARK = 200
"""Characters of a reason or of a note."""

Object = Mapping[str, Any]
_E = TypeVar("_E", bound=str)


class GameFileError(ValueError):
    """One line: where, and what was expected there."""


def parse_game(
    text: str, rulebooks: Callable[[str], Rulebook] = rulebook
) -> tuple[Header, tuple[i.Input, ...]]:
    """Header and inputs of a game file; `at_ns` never falls. GameFileError names line and field."""
    header: Header | None = None
    found: list[i.Input] = []
    last_ns = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            line_object = _object(line)
            if header is None:
                header = parse_header(line_object, rulebooks)
                continue
            one = parse_input(line_object)
            if one.at_ns < last_ns:
                raise GameFileError(
                    f"at_ns: expected at least {last_ns}, that of the line before, got {one.at_ns}"
                )
        except GameFileError as error:
            raise GameFileError(f"line {number}: {error}") from None
        last_ns = one.at_ns
        found.append(one)
    if header is None:
        raise GameFileError(
            f'line 1: expected a header {{"type":"game","format":"{FORMAT}",...}}, got nothing'
        )
    return header, tuple(found)


def format_game(header: Header, lines: Iterable[i.Input]) -> str:
    """The game file of a header and its inputs, a newline after each line."""
    objects = [header_object(header), *map(input_object, lines)]
    return "".join(json.dumps(o, ensure_ascii=False, separators=(",", ":")) + "\n" for o in objects)


def _object(line: str) -> Object:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise GameFileError(f"expected a JSON object: {error or type(error).__name__}") from None
    if not isinstance(value, dict):
        raise GameFileError(f"expected a JSON object, got {_short(value)}")
    return value


def _short(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."


class _Fields:
    """Takes typed fields out of one object; `path` stands before their names in errors."""

    def __init__(self, fields: Object, path: str = "") -> None:
        self._fields = fields
        self._path = path

    def __contains__(self, key: str) -> bool:
        return self._fields.get(key) is not None

    def _wrong(self, key: str, expected: str) -> GameFileError:
        got = _short(self._fields[key]) if key in self._fields else "nothing"
        return GameFileError(f"{self._path}{key}: expected {expected}, got {got}")

    def text(self, key: str, default: str | None = None) -> str:
        value = self._fields.get(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, "text")
        return value

    def remark(self, key: str) -> str:
        """A line for people to read, "" if there is none."""
        value = self._fields.get(key)
        if value is None:
            return ""
        if not isinstance(value, str) or len(value) > LONGEST_REMARK or not value.isprintable():
            raise self._wrong(key, f"one line of at most {LONGEST_REMARK} characters")
        return value

    def choice(self, key: str, kind: type[_E]) -> _E:
        value = self._fields.get(key)
        choices = [str(member) for member in kind]  # type: ignore[attr-defined]
        if value not in choices or not isinstance(value, str):
            raise self._wrong(key, "one of " + ", ".join(choices))
        return kind(value)

    def side(self, key: str) -> Side:
        return self.choice(key, Side)

    def flag(self, key: str, default: bool | None = None) -> bool:
        value = self._fields.get(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def whole(self, key: str, low: int, high: int) -> int:
        value = self._fields.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self._wrong(key, f"a whole number from {low} to {high}")
        return value

    def number(self, key: str, low: float, high: float, default: float | None = None) -> float:
        value = self._fields.get(key, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise self._wrong(key, f"a number from {low:g} to {high:g}")
        if not low <= value <= high:
            raise self._wrong(key, f"a number from {low:g} to {high:g}")
        return value

    def square(self, key: str) -> int:
        try:
            return parse_square(self.text(key))
        except ValueError:
            raise self._wrong(key, "a square a1..h8") from None

    def sub(self, key: str) -> _Fields:
        value = self._fields.get(key, {})
        if not isinstance(value, dict):
            raise self._wrong(key, "an object")
        return _Fields(value, f"{self._path}{key}.")

    def at_ns(self) -> int:
        return self.whole("at_ns", 0, _LAST_NS)


def parse_header(line: Object, rulebooks: Callable[[str], Rulebook] = rulebook) -> Header:
    """The header from its JSON object; what is left out has the contract's defaults."""
    fields = _Fields(line)
    if line.get("type") != "game":
        raise GameFileError(f'type: expected "game" in the first line, got {_short(line.get("type"))}')
    if line.get("format") != FORMAT:
        raise GameFileError(f'format: expected "{FORMAT}", got {_short(line.get("format"))}')
    rules = _rules(fields, rulebooks)
    stage = fields.choice("stage", Stage) if "stage" in fields else Stage.QUALIFYING
    if "minutes" in fields:
        minutes = fields.number("minutes", 0.001, 6000)
    elif stage in rules.minutes:
        minutes = rules.minutes[stage]
    else:
        raise GameFileError(
            f"minutes: expected minutes, {rules.id} sets none for the stage {stage}, got nothing"
        )
    extra = fields.sub("extra_minutes")
    hands = fields.sub("hands_commit")
    return Header(
        rulebook=rules,
        minutes=minutes,
        stage=stage,
        judged=fields.flag("judged", True),
        sensors=fields.flag("sensors", True),
        black=_player(fields.sub("black")),
        white=_player(fields.sub("white")),
        draw_win=fields.side("draw_win") if "draw_win" in fields else None,
        extra_minutes=Both(extra.number("black", 0, 600, 0), extra.number("white", 0, 600, 0)),
        hands_commit=Both(hands.flag("black", True), hands.flag("white", True)),
        board_turned=fields.flag("board_turned", False),
        broadcast=fields.flag("broadcast", False),
    )


def _rules(fields: _Fields, rulebooks: Callable[[str], Rulebook]) -> Rulebook:
    """The rulebook by its name; a director's own comes with the game, whole, as `rulebook_text`."""
    name = fields.text("rulebook")
    if "rulebook_text" not in fields:
        try:
            return rulebooks(name)
        except RulebookError as error:
            raise GameFileError(f"rulebook: {error}") from None
    try:
        own = parse_rulebook(fields.text("rulebook_text"))
    except RulebookError as error:
        raise GameFileError(f"rulebook_text: {error}") from None
    if own.id != name:
        raise GameFileError(
            f"rulebook: expected {_short(own.id)}, the id of rulebook_text, got {_short(name)}"
        )
    return own


def _player(fields: _Fields) -> Player:
    return Player(fields.text("id", ""), fields.text("name", ""))


def header_object(header: Header) -> dict[str, Any]:
    """The header as the first line's JSON object, every field written out."""
    own = {"rulebook_text": header.rulebook.text} if header.rulebook.text else {}
    return {
        "type": "game",
        "format": FORMAT,
        "rulebook": header.rulebook.id,
        "stage": str(header.stage),
        "minutes": header.minutes,
        "judged": header.judged,
        "sensors": header.sensors,
        "black": {"id": header.black.id, "name": header.black.name},
        "white": {"id": header.white.id, "name": header.white.name},
        "draw_win": None if header.draw_win is None else str(header.draw_win),
        "extra_minutes": {"black": header.extra_minutes.black, "white": header.extra_minutes.white},
        "hands_commit": {"black": header.hands_commit.black, "white": header.hands_commit.white},
        "board_turned": header.board_turned,
        "broadcast": header.broadcast,
    } | own


def parse_input(line: Object) -> i.Input:
    """One input from its JSON object."""
    fields = _Fields(line)
    kind = fields.text("type")
    parse = _PARSERS.get(kind)
    if parse is None:
        raise GameFileError(f"type: expected one of {', '.join(_PARSERS)}, got {_short(kind)}")
    return parse(fields)


def _touch(fields: _Fields) -> i.Input:
    return i.Touch(fields.at_ns(), fields.square("square"), fields.choice("with", i.Contact))


def _shown(fields: _Fields) -> i.Input:
    return i.Shown(fields.at_ns(), _position(fields))


def _position(fields: _Fields) -> Any:
    try:
        return parse_position(fields.text("squares"))
    except ValueError as error:
        if isinstance(error, GameFileError):
            raise
        raise GameFileError(f"squares: {error}") from None


def _signal(fields: _Fields) -> i.Input:
    error = fields.text("error") if "error" in fields else None
    allowed = [str(kind) for kind in i.ErrorKind] + ["flag"]
    if error is not None and error not in allowed:
        raise GameFileError(f"error: expected one of {', '.join(allowed)}, got {_short(error)}")
    square = fields.square("square") if "square" in fields else None
    return i.Signal(fields.at_ns(), fields.side("by"), error, square)


def _agree(fields: _Fields) -> i.Input:
    return i.Agree(
        fields.at_ns(), fields.side("by"), fields.whole("black", 0, 64), fields.whole("white", 0, 64)
    )


def _board(fields: _Fields) -> i.Input:
    state = fields.text("state")
    if state not in ("ok", "lost"):
        raise GameFileError(f"state: expected ok or lost, got {_short(state)}")
    return i.BoardState(fields.at_ns(), state == "ok")


def _power(fields: _Fields) -> i.Input:
    if fields.text("state", "back") != "back":
        raise GameFileError(f"state: expected back, got {_short(fields.text('state'))}")
    uncertain_ns = fields.whole("uncertain_ns", 0, _LAST_NS) if "uncertain_ns" in fields else 0
    return i.Power(fields.at_ns(), uncertain_ns)


def _tick(fields: _Fields) -> i.Input:
    what = fields.remark("note")
    note = i.Note(what, fields.remark("who"), fields.remark("detail")) if what else None
    return i.Tick(fields.at_ns(), note)


def _ruling(fields: _Fields) -> i.Input:
    return replace(_ruled(fields), reason=fields.remark("reason"), who=fields.remark("who"))


def _ruled(fields: _Fields) -> i.Ruling:
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
        case i.Rule.START_CLOCK | i.Rule.RESIGN | i.Rule.FORFEIT | i.Rule.BEYOND_REPAIR:
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


def _score(fields: _Fields) -> tuple[int, int]:
    return fields.whole("black", 0, 64), fields.whole("white", 0, 64)


_PARSERS: dict[str, Callable[[_Fields], i.Input]] = {
    "start": lambda f: i.Start(f.at_ns()),
    "press": lambda f: i.Press(f.at_ns(), f.side("by")),
    "touch": _touch,
    "position": _shown,
    "signal": _signal,
    "stop": lambda f: i.Stop(f.at_ns(), f.side("by")),
    "tick": _tick,
    "ready": lambda f: i.Ready(f.at_ns(), f.side("by")),
    "resign": lambda f: i.Resign(f.at_ns(), f.side("by")),
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
        case i.Press() | i.Stop() | i.Ready() | i.Resign() | i.Sign():
            line["by"] = str(one.by)
        case i.Touch():
            line |= {"square": square_name(one.square), "with": str(one.contact)}
        case i.Shown():
            line["squares"] = format_position(one.position)
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
    return fields
