"""The game file `flagfall-game/1`: a header line, then one input a line (contracts, "Game file").

Reading is strict about what a field means and indifferent to fields it does not know. Every error is one line that
names the line, the field and what was expected.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Any

from msgspec import Meta

from flagfall.base.convert import one_of
from flagfall.base.errors import Invalid, shown
from flagfall.base.fields import LAST_NS, AtNs, Fields, Object, name_twice, number_type
from flagfall.base.foreign_text import parse_json
from flagfall.base.message import N_
from flagfall.othello import inputs as i
from flagfall.othello.board import (
    Position,
    format_position,
    format_transcript,
    parse_opening,
    parse_position,
    parse_square,
    square_name,
)
from flagfall.othello.game import Header, Player
from flagfall.othello.rulebook import Rulebook, Stage, parse_rulebook, rulebook
from flagfall.othello.side import Both, Side

FORMAT = "flagfall-game/1"


def parse_game(text: str) -> tuple[Header, tuple[i.Input, ...]]:
    """Header and inputs of a game file; `at_ns` never falls. Invalid names line and field."""
    header: Header | None = None
    inputs: list[i.Input] = []
    last_ns = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            line_object = _object(line)
            if header is None:
                header = parse_header(line_object)
                continue
            entry = parse_input(line_object)
            if entry.at_ns < last_ns:
                raise Invalid("at_ns", f"at least {last_ns}, that of the line before", str(entry.at_ns))
        except Invalid as fault:
            raise fault.of(f"line {number}") from None
        last_ns = entry.at_ns
        inputs.append(entry)
    if header is None:
        raise Invalid("", f'a header {{"type":"game","format":"{FORMAT}",...}}', "nothing", "line 1")
    return header, tuple(inputs)


_OPENING = "legal moves after which Black is to move, as f5d6c4d3e3f4e6f3"
_MINUTES = number_type(0.001, 6000)
_EXTRA_MINUTES = number_type(0, i.MOST_EXTRA_MINUTES)
_PER_MOVE_S = number_type(0, 600)


def format_game(header: Header, lines: Iterable[i.Input]) -> str:
    """Return the game file of a header and its inputs, a newline after each line."""
    objects = [header_object(header), *map(input_object, lines)]
    return "".join(json.dumps(o, ensure_ascii=False, separators=(",", ":")) + "\n" for o in objects)


def _object(line: str) -> Object:
    try:
        value = parse_json(line, _each_once)
        if "\\ud" in line.lower():  # half of a surrogate pair could not be written down again
            json.dumps(value, ensure_ascii=False).encode()
    except ValueError as error:
        # Python's reader counts lines too, and to it each of them is the first.
        why = str(error).replace("line 1 column", "column")
        raise Invalid("", f"a JSON object: {why}") from None
    if not isinstance(value, dict):
        raise Invalid("", "a JSON object", shown(value))
    return value


def _each_once(pairs: list[tuple[str, object]]) -> Object:
    if (twice := name_twice(pairs)) is not None:
        raise ValueError(f"{shown(twice)} stands in it twice")
    return dict(pairs)


def parse_header(line: Object) -> Header:
    """Return the header of a JSON object; fields that are left out have the contract's defaults."""
    fields = Fields(line)
    if line.get("type") != "game":
        raise Invalid("type", '"game" in the first line', shown(line.get("type")))
    if line.get("format") != FORMAT:
        raise Invalid("format", f'"{FORMAT}"', shown(line.get("format")))
    rules = _rules(fields)
    stage = fields.read_if("stage", Stage) or Stage.QUALIFYING
    if "minutes" in fields:
        minutes = fields.read("minutes", _MINUTES)
    elif stage in rules.minutes:
        minutes = rules.minutes[stage]
    else:
        raise Invalid("minutes", f"minutes, {rules.id} sets none for the stage {stage}", "nothing")
    extra = fields.sub("extra_minutes")
    hands = fields.sub("hands_commit")
    return Header(
        rulebook=rules,
        minutes=minutes,
        stage=stage,
        judged=fields.read("judged", bool, True),
        sensors=fields.read("sensors", bool, True),
        black=_player(fields.sub("black")),
        white=_player(fields.sub("white")),
        draw_win=fields.read_if("draw_win", Side),
        extra_minutes=Both(*(extra.read(side, _EXTRA_MINUTES, 0) for side in Side)),
        hands_commit=Both(*(hands.read(side, bool, True) for side in Side)),
        board_turned=fields.read("board_turned", bool, False),
        broadcast=fields.read("broadcast", bool, False),
        increment_s=_per_move_s(fields, rules, "increment"),
        delay_s=_per_move_s(fields, rules, "delay"),
        byoyomi_s=_byoyomi_s(fields, rules),
        opening=_opening(fields),
    )


def _per_move_s(fields: Fields, rules: Rulebook, kind: str) -> float:
    """Seconds that each move gives, as an increment or as a delay."""
    name = f"{kind}_s"
    seconds: float = fields.read(name, _PER_MOVE_S, 0)
    if seconds and rules.per_move not in (kind, "either"):
        raise Invalid(name, f"0, {rules.id} has no {kind}", shown(seconds))
    return seconds


def _byoyomi_s(fields: Fields, rules: Rulebook) -> float:
    """Seconds for each move after the time is up."""
    seconds: float = fields.read("byoyomi_s", _PER_MOVE_S, 0)
    if seconds and not rules.byoyomi:
        raise Invalid("byoyomi_s", f"0, {rules.id} has no count-down", shown(seconds))
    return seconds


def _opening(fields: Fields) -> tuple[int, ...]:
    """Return the moves before the clocks start."""
    text = fields.read_if("opening", str) or ""
    try:
        return parse_opening(text) if text else ()
    except ValueError:
        raise fields.wrong("opening", _OPENING) from None


def _rules(fields: Fields) -> Rulebook:
    """Return the rulebook by its name; a director's own comes with the game, whole, as `rulebook_text`."""
    name = fields.read("rulebook", str)
    if "rulebook_text" not in fields:
        try:
            return rulebook(name)
        except Invalid as fault:
            raise fault.of("rulebook") from None
    try:
        custom = parse_rulebook(fields.read("rulebook_text", str))
    except Invalid as fault:
        raise fault.of("rulebook_text") from None
    if custom.id != name:
        raise Invalid("rulebook", f"{shown(custom.id)}, the id of rulebook_text", shown(name))
    return custom


def _player(fields: Fields) -> Player:
    return Player(fields.read("id", str, ""), fields.read("name", str, ""))


def header_object(header: Header) -> dict[str, Any]:
    """Return the header as the first line's JSON object, with every field except those that few games have."""
    rare: dict[str, Any] = {"rulebook_text": header.rulebook.text} if header.rulebook.text else {}
    rare |= {name: s for name in ("increment_s", "delay_s", "byoyomi_s") if (s := getattr(header, name))}
    if header.opening:
        rare["opening"] = format_transcript(header.opening)
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
    } | rare


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
            shown_side, chose = fields.read("shown", Side), fields.read_if("chose", i.Chosen)
            plays = fields.read_if("plays", Side)
            return i.ColourDraw(at_ns, hider, called, shown_side, chose, plays=plays)
        case "touch":
            return i.Touch(at_ns, _square(fields), fields.read("with", i.Contact))
        case "position":
            return i.Shown(at_ns, _position(fields), _uncertain_ns(fields))
        case "signal":
            error = fields.one_of("error", *i.ErrorKind, "flag") if "error" in fields else None
            square = _square(fields) if "square" in fields else None
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


def _square(fields: Fields) -> int:
    try:
        return parse_square(fields.read("square", str))
    except ValueError:
        raise fields.wrong("square", N_("a square a1..h8")) from None


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
                square=_square(fields) if "square" in fields else None,
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
            return ruling(square=_square(fields))
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
            if entry.plays is not None:
                line["plays"] = str(entry.plays)
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
