"""A table's result judged again from the game file it carries.

The hub's own referee has the last look: what it finds otherwise is shown to the operator, never passed over.
"""

from __future__ import annotations

from hub.line import Line, line
from link.messages import Result
from link.packed_file import BadFile, PackedFile, unpack
from othello.game import Header
from othello.gamefile import GameFileError, header_object, parse_game
from othello.referee import judge, new_game
from othello.report import outcome

_LONGEST = 200
"""What a game file says may be of any length."""


def differences(result: Result, assigned: Header) -> tuple[Line, ...]:
    """What the game file says otherwise than the result, or than the assignment, one line each."""
    try:
        text = unpack(PackedFile(result.file, result.sha256)).decode()
        header, inputs = parse_game(text)
    except (BadFile, UnicodeDecodeError, GameFileError) as fault:
        return (line("game file: {why}", why=str(fault)[:_LONGEST]),)
    try:
        game = new_game(header)
        for one in inputs:
            game = judge(game, one)
        found = outcome(game)
    except Exception as fault:  # the referee never raises; should it, the result must still be recorded
        why = f"{type(fault).__name__}: {fault}"
        return (line("game file: cannot be judged: {why}", why=why[:_LONGEST]),)
    said = {
        "score": {"black": result.score.black, "white": result.score.white},
        "winner": result.winner,
        "reason": result.reason,
        "transcript": result.transcript,
    }
    lines = [
        line(
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
        line(
            "{what}: {assigned} was assigned, the game file has {found}",
            what=name,
            assigned=_plain(expected[name]),
            found=_plain(got.get(name)),
        )
        for name in ("rulebook", "stage", "minutes", "draw_win", "extra_minutes", "hands_commit")
        if expected.get(name) != got.get(name)
    ]
    return tuple(lines)


def _plain(value: object) -> str | Line:
    if isinstance(value, dict) and set(value) == {"black", "white"}:
        return f"{value['black']}-{value['white']}"
    return Line("none") if value is None else str(value)[:_LONGEST]
