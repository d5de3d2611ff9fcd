"""A round on its way to the tables: what the pairing made, the ids of its games, and whether tables can play them."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from hub.dispatch import header_of
from hub.events import Conditions, PairingPublished, PublishedGame
from hub.line import Line
from hub.state import GameRecord, Refused, State
from hub.tournament import Tournament
from ledger.entry import Entry
from othello.gamefile import GameFileError


@dataclass(frozen=True, slots=True)
class Paired:
    """A round as the pairing made it: games are (table, black, white).

    `reasons`: why each of its games, then each of its byes. `by_hand`: the director changed it, `best` is what the
    best would cost.
    """

    round: int
    games: tuple[tuple[int, str, str], ...]
    byes: tuple[str, ...]
    cost: dict[str, int] | None
    warnings: tuple[Line, ...]
    reasons: tuple[Line, ...] = ()
    by_hand: bool = False
    best: dict[str, int] | None = None


Pair = Callable[[Tournament], Awaitable[Paired]]
"""Makes the next round; Refused with one line where there is none."""


def all_scored(state: State) -> None:
    """Refused while a game of the rounds has no score, or two."""
    for game in state.games.values():
        if game.score is None and game.final is None:
            raise Refused("{where}: the game is still being played", where=game.where)
        if game.conflict:
            raise Refused("{where}: two scores are in conflict", where=game.where)


def publication(
    state: State, entries: Sequence[Entry], paired: Paired, conditions: Conditions, seq: int
) -> PairingPublished:
    """The entry that publishes the round. Refused where a table could not play its game so.

    A hub restored from a backup gives a round that it has lost the same ids again, as long as it pairs it as before; a
    pairing that was taken back never shares its ids with the next one.
    """
    published = sum(entry.type == PairingPublished.TYPE for entry in entries)

    def name(table: int, black: str, white: str) -> str:
        suffix = suffix_of(entries[0].hash, published, paired.round, table, black, white)
        return f"{paired.round}-{table}-{suffix}"

    games = tuple(
        PublishedGame(game=name(table, black, white), table=table, black=black, white=white)
        for table, black, white in paired.games
    )
    _check_headers(state, paired.round, games, conditions)
    return PairingPublished(
        round=paired.round,
        games=games,
        byes=paired.byes,
        conditions=conditions,
        seq=seq,
        cost=paired.cost,
        warnings=paired.warnings,
        by_hand=paired.by_hand,
        best=paired.best,
    )


def _check_headers(state: State, round_: int, games: Sequence[PublishedGame], conditions: Conditions) -> None:
    for game in games:
        record = GameRecord(game.game, round_, game.table, game.black, game.white, conditions)
        try:
            header_of(state, record)
        except (GameFileError, KeyError) as fault:
            raise Refused("table {table}: {why}", table=game.table, why=str(fault)) from None


def suffix_of(head: str, *parts: int | str) -> str:
    """Six digits of its own for each round of each tournament, which anyone can recompute."""
    return hashlib.sha256("/".join((head, *map(str, parts))).encode()).hexdigest()[:6]
