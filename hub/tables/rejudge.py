"""Judges a table's result again from its game file.

The hub's own referee checks the result: any difference is shown to the operator.
"""

from __future__ import annotations

from typing import Any

import msgspec

from link.messages import BadMessage, Result, decode
from link.packed_file import PackedFile, unpack_game
from link.topics import Kind, Topic
from othello.errors import Invalid
from othello.game import Header
from othello.gamefile import header_object, parse_game, parse_header
from othello.message import Message
from othello.referee import judge, new_game
from othello.report import outcome

_LONGEST = 200
"""A text of a game file may have any length."""
_TIMES = ("minutes", "increment_s", "delay_s")
_ASSIGNED = ("rulebook", "stage", *_TIMES, "draw_win", "extra_minutes", "hands_commit")
_MOST_LINES = 20


def differences_of(message: str, assigned: dict[str, Any]) -> list[dict[str, Any]]:
    """`differences` of a result as it came and of a header's JSON object, in plain values: what a child answers."""
    try:
        result = decode(Topic(None, "table", Kind.RESULT), message.encode())
        assert isinstance(result, Result)
        found = differences(result, parse_header(assigned))
    except (BadMessage, Invalid) as fault:
        found = (Message.of("result: {why}", why=str(fault)),)
    return [msgspec.to_builtins(one) for one in found[:_MOST_LINES]]


def differences(result: Result, assigned: Header) -> tuple[Message, ...]:
    """The differences between the game file and the result or the assignment, one line each."""
    try:
        header, found = _judged_again(result)
    except (Invalid, UnicodeDecodeError) as fault:
        return (Message.of("game file: {why}", why=str(fault)[:_LONGEST]),)
    except Exception as fault:  # neither reader nor referee raises; if one did, the hub must go on
        why = f"{type(fault).__name__}: {fault}"
        return (Message.of("game file: cannot be judged: {why}", why=why[:_LONGEST]),)
    said: dict[str, object] = {
        "score": {"black": result.score.black, "white": result.score.white},
        "winner": result.winner,
        "reason": result.reason,
        "transcript": result.transcript,
    }
    if result.no_show is not None:
        said["no_show"] = result.no_show
    lines = [
        Message.of(
            "{what}: the table says {claimed}, its game file gives {found}",
            what=name,
            claimed=_plain(claimed),
            found=_plain(found.get(name)),
        )
        for name, claimed in said.items()
        if found.get(name) != claimed
    ]
    expected, got = header_object(assigned), header_object(header)
    lines += [
        Message.of(
            "{what}: {assigned} was assigned, the game file has {found}",
            what=name,
            assigned=_plain(expected.get(name, 0)),
            found=_plain(got.get(name, 0)),
        )
        for name in _ASSIGNED
        if expected.get(name) != got.get(name)
    ]
    return tuple(lines)


def _judged_again(result: Result) -> tuple[Header, dict[str, Any]]:
    """The game file's header, and the game's outcome as our own referee has it."""
    header, inputs = parse_game(unpack_game(PackedFile(result.file, result.sha256)))
    game = new_game(header)
    for one in inputs:
        game = judge(game, one)
    return header, outcome(game)


def _plain(value: object) -> str | Message:
    if isinstance(value, dict) and set(value) == {"black", "white"}:
        return f"{value['black']}-{value['white']}"
    return Message("none") if value is None else str(value)[:_LONGEST]
