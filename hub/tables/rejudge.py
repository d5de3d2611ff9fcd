"""The second judgement of a table's result, from its game file.

The hub's own referee checks the result. Any difference is shown to the operator.
"""

from __future__ import annotations

from typing import Any

import msgspec

from flagfall.link.messages import BadMessage, Result, decode
from flagfall.link.packed_file import PackedFile, unpack_game
from flagfall.link.topics import Kind, Topic
from flagfall.othello.errors import Invalid
from flagfall.othello.game import Header
from flagfall.othello.gamefile import header_object, parse_game, parse_header
from flagfall.othello.message import Message
from flagfall.othello.referee import judge, new_game
from flagfall.othello.report import outcome

# Longest text taken from a game file, which may have any length.
_LONGEST = 200
_TIMES = ("minutes", "increment_s", "delay_s")
_ASSIGNED = ("rulebook", "stage", *_TIMES, "draw_win", "extra_minutes", "hands_commit")
_MOST_LINES = 20


def differences_of(message: str, assigned: dict[str, Any]) -> list[dict[str, Any]]:
    """Return `differences` of a result as it arrived and of a header's JSON object, in plain values for a child
    process.
    """
    try:
        result = decode(Topic(None, "table", Kind.RESULT), message.encode())
        assert isinstance(result, Result)
        lines = differences(result, parse_header(assigned))
    except (BadMessage, Invalid) as fault:
        lines = (Message.of("result: {why}", why=str(fault)),)
    return [msgspec.to_builtins(line) for line in lines[:_MOST_LINES]]


def differences(result: Result, assigned: Header) -> tuple[Message, ...]:
    """Return the differences between the game file and the result or the assignment, one line each."""
    try:
        header, judged = _judged_again(result)
    except (Invalid, UnicodeDecodeError) as fault:
        return (Message.of("game file: {why}", why=str(fault)[:_LONGEST]),)
    except Exception as fault:  # neither reader nor referee raises; if one did, the hub must go on
        why = f"{type(fault).__name__}: {fault}"
        return (Message.of("game file: cannot be judged: {why}", why=why[:_LONGEST]),)
    claims: dict[str, object] = {
        "score": {"black": result.score.black, "white": result.score.white},
        "winner": result.winner,
        "reason": result.reason,
        "transcript": result.transcript,
    }
    if result.no_show is not None:
        claims["no_show"] = result.no_show
    lines = [
        Message.of(
            "{what}: the table says {claimed}, its game file gives {found}",
            what=name,
            claimed=_plain(claimed),
            found=_plain(judged.get(name)),
        )
        for name, claimed in claims.items()
        if judged.get(name) != claimed
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
    """Return the game file's header, and the game's outcome by our own referee."""
    header, inputs = parse_game(unpack_game(PackedFile(result.file, result.sha256)))
    game = new_game(header)
    for game_input in inputs:
        game = judge(game, game_input)
    return header, outcome(game)


def _plain(value: object) -> str | Message:
    if isinstance(value, dict) and set(value) == {"black", "white"}:
        return f"{value['black']}-{value['white']}"
    return Message("none") if value is None else str(value)[:_LONGEST]
