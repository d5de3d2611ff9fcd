"""The publication of a round: the pairing's result, the ids of its games, and whether tables can play them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from hub.record.events import Conditions, PairingPublished, PublishedGame
from hub.record.header import header_of
from hub.record.state import GameRecord, TournamentState
from hub.rounds.paired import Paired
from hub.text import Refused
from ledger.entry import Entry
from othello.gamefile import GameFileError


def expect_all_scored(state: TournamentState) -> None:
    """Refused while a game of the rounds has no score, or a disputed one."""
    for game in state.games.values():
        if game.score is None and game.final is None:
            raise Refused("{where}: the game is still being played", where=game.where)
    expect_undisputed(state)


def expect_undisputed(state: TournamentState) -> None:
    """Refused while a game has two scores of which neither has been chosen."""
    for game in state.games.values():
        if game.conflict:
            raise Refused(
                "{where}: two scores are in conflict; decide under Round which one stands", where=game.where
            )


def publication(
    state: TournamentState, entries: Sequence[Entry], paired: Paired, conditions: Conditions, seq: int
) -> PairingPublished:
    """The entry that publishes the round. Refused if a table could not play a game with these conditions.

    A hub restored from a backup gives a lost round the same ids again if it is paired as before; a withdrawn pairing
    never shares its ids with the next one.
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


def _check_headers(
    state: TournamentState, round_: int, games: Sequence[PublishedGame], conditions: Conditions
) -> None:
    for game in games:
        record = GameRecord(
            game.game, round_, game.table, black=game.black, white=game.white, conditions=conditions
        )
        try:
            header_of(state, record)
        except (GameFileError, KeyError) as fault:
            raise Refused("table {table}: {why}", table=game.table, why=str(fault)) from None


def suffix_of(head: str, *parts: int | str) -> str:
    """Six digits for each round of each tournament, which anyone can recompute."""
    return hashlib.sha256("/".join((head, *map(str, parts))).encode()).hexdigest()[:6]
