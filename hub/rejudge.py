"""A table's result judged again from the game file it carries.

The hub's own referee has the last look: what it finds otherwise is shown to the operator, never passed over.
"""

from __future__ import annotations

from link.messages import Result
from link.packed_file import BadFile, PackedFile, unpack
from othello.game import Header
from othello.gamefile import GameFileError, header_object, parse_game
from othello.referee import judge, new_game
from othello.report import outcome


def differences(result: Result, assigned: Header) -> tuple[str, ...]:
    """What the game file says otherwise than the result, or than the assignment, one line each."""
    try:
        text = unpack(PackedFile(result.file, result.sha256)).decode()
        header, inputs = parse_game(text)
    except (BadFile, UnicodeDecodeError, GameFileError) as fault:
        return (f"game file: {fault}",)
    try:
        game = new_game(header)
        for one in inputs:
            game = judge(game, one)
        found = outcome(game)
    except Exception as fault:  # the referee never raises; should it, the result must still be recorded
        return (f"game file: cannot be judged: {type(fault).__name__}: {fault}",)
    said = {
        "score": {"black": result.score.black, "white": result.score.white},
        "winner": result.winner,
        "reason": result.reason,
        "transcript": result.transcript,
    }
    lines = [
        f"{name}: the table says {_plain(claimed)}, its game file gives {_plain(found.get(name))}"
        for name, claimed in said.items()
        if found.get(name) != claimed
    ]
    expected, got = header_object(assigned), header_object(header)
    lines += [
        f"{name}: {_plain(expected[name])} was assigned, the game file has {_plain(got.get(name))}"
        for name in ("rulebook", "stage", "minutes", "draw_win", "extra_minutes", "hands_commit")
        if expected.get(name) != got.get(name)
    ]
    return tuple(lines)


def _plain(value: object) -> str:
    if isinstance(value, dict) and set(value) == {"black", "white"}:
        return f"{value['black']}-{value['white']}"
    return "none" if value is None else str(value)
