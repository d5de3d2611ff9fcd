"""Results as tables send them: a whole recorded game with every touch and press, or a clock game's score."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from benchmarks.table.law_speed import year_of_inputs
from flagfall.link.identity import Identity
from flagfall.link.messages import Result, encode
from flagfall.link.packed_file import pack
from flagfall.link.signature import sign
from flagfall.othello import inputs as i
from flagfall.othello.gamefile import format_game, parse_header
from flagfall.othello.referee import judge, new_game
from flagfall.othello.report import outcome
from flagfall.othello.side import Both, Side

KINDS = ("a clock game, its score entered", "a whole game of sixty moves")


@cache
def inputs_of(kind: str) -> tuple[i.Input, ...]:
    if kind == KINDS[1]:
        record = next(
            game for game in year_of_inputs(50) if sum(isinstance(event, i.Shown) for event in game) == 60
        )
        end_ns = record[-1].at_ns
    else:
        record = [
            i.Start(1_000),
            i.BoardState(1_500, ok=False),
            i.Press(2_000, Side.WHITE),
            i.Ruling(3_000, i.Rule.ENTER_SCORE, score=(40, 24)),
        ]
        end_ns = 3_000
    return (*record, i.Sign(end_ns + 1, Side.BLACK), i.Sign(end_ns + 2, Side.WHITE))


class TableResults:
    """The results of one table's game: any number of revisions, each signed."""

    def __init__(
        self, identity: Identity, game: str, header: Mapping[str, Any], kind: str, *, tournament: str
    ) -> None:
        self._identity = identity
        self._tournament = tournament
        self._game = game
        value = parse_header(dict(header))
        self._players = Both(value.black.id, value.white.id)
        played = new_game(value)
        for event in inputs_of(kind):
            played = judge(played, event)
        self._outcome = outcome(played)
        assert self._outcome["score"] is not None, "the recorded game has an end"
        self._file = pack(format_game(value, inputs_of(kind)).encode())

    def payload(self, revision: int) -> tuple[str, bytes]:
        """Return (id, message)."""
        values = self._outcome
        result = Result(
            id=f"{self._game}.{revision}",
            game=self._game,
            revision=revision,
            device=self._identity.device,
            hub=self._identity.hub.hex(),
            tournament=self._tournament,
            players=self._players,
            score=Both(values["score"]["black"], values["score"]["white"]),
            winner=values["winner"],
            reason=values["reason"],
            transcript=values["transcript"],
            clocks_ns=Both(values["clocks_ns"]["black"], values["clocks_ns"]["white"]),
            flags=Both(values["flags"]["black"], values["flags"]["white"]),
            incidents=values["incidents"],
            signatures=Both(True, True),
            file=self._file.file,
            sha256=self._file.sha256,
        )
        return result.id, encode(sign(result, self._identity.key))
