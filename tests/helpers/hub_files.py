"""The beginnings of the hub's tests: a tournament file, and a table's result with a real game file in it."""

from __future__ import annotations

from typing import Any

from flagfall.link.identity import Identity
from flagfall.link.messages import ClockShown, Result
from flagfall.link.packed_file import pack
from flagfall.link.signature import sign
from flagfall.othello.game import State
from flagfall.othello.gamefile import format_game, parse_header
from flagfall.othello.inputs import BoardState, ColourDraw, Input, Press, Rule, Sign, Start
from flagfall.othello.inputs import Ruling as Ruled
from flagfall.othello.referee import judge, new_game
from flagfall.othello.report import outcome
from flagfall.othello.side import Both, Side


def tournament_file(players: int, /, **more: Any) -> dict[str, Any]:
    return {
        "format": "flagfall-tournament/1",
        "name": "Spring Open",
        "rulebook": "woc-2019",
        "system": "swiss",
        "rounds_planned": 3,
        "seed": 7,
        "players": [
            {"id": f"p{n}", "name": f"Player {n}", "country": ("AAA", "BBB", "CCC")[n % 3]}
            for n in range(1, players + 1)
        ],
        "rounds": [],
        **more,
    }


def clock_of(game: str, running: Any = "black", **more: Any) -> ClockShown:
    """Return the clock of a running game whose players have 12:34 and 15:00 left."""
    shown = {
        "game": game,
        "state": State.RUNNING,
        "running": running,
        "clocks_ns": Both(754_000_000_000, 900_000_000_000),
        "flags": Both(0, 0),
        "to_move": "black",
        "moves": 0,
        "position": "-" * 64,
        "transcript": "",
    }
    return ClockShown(**{**shown, **more})


def result_of(
    header: dict[str, Any],
    game: str,
    identity: Identity,
    score: tuple[int, int],
    revision: int = 1,
    *,
    signed: bool = False,
    claimed: tuple[int, int] | None = None,
    tournament: str = "open",
    key: bytes | None = None,
    draw: ColourDraw | None = None,
) -> Result:
    """Return the result of a game whose board failed, entered by its judge. `claimed` is a score that its game file
    contradicts; `draw` the draw of the colours before it.
    """
    value = parse_header(header)
    inputs: list[Input] = [
        *([draw] if draw is not None else []),
        Start(1_000),
        BoardState(1_500, ok=False),
        Press(2_000, Side.WHITE),
        Ruled(3_000, Rule.ENTER_SCORE, score=score),
        *([Sign(4_000, Side.BLACK), Sign(5_000, Side.WHITE)] if signed else []),
    ]
    played = new_game(value)
    for game_input in inputs:
        played = judge(played, game_input)
    report = outcome(played)
    packed = pack(format_game(value, inputs).encode())
    black, white = claimed or (report["score"]["black"], report["score"]["white"])
    result = Result(
        id=f"{game}.{revision}",
        game=game,
        revision=revision,
        device=identity.device,
        hub=identity.hub.hex(),
        tournament=tournament,
        players=Both(played.header.black.id, played.header.white.id),
        score=Both(black, white),
        winner=report["winner"],
        reason=report["reason"],
        transcript=report["transcript"],
        clocks_ns=Both(report["clocks_ns"]["black"], report["clocks_ns"]["white"]),
        flags=Both(0, 0),
        incidents=report["incidents"],
        signatures=Both(signed, signed),
        file=packed.file,
        sha256=packed.sha256,
    )
    return sign(result, key or identity.key)
