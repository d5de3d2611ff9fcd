"""The publication of a round: the pairing's result, the ids of its games, and whether tables can play them."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from hub.pairing.round import PairingError
from hub.ranking.team_matches import boards_of, boards_of_matches, line_up, team_tournament
from hub.record.events import Conditions, PairingPublished, PublishedGame
from hub.record.state import GameRecord, Refused, TournamentState
from hub.rounds.pairing_worker import draft_round
from hub.tables.outbound import header_of
from hub.text import Text, line
from hub.tournament import Tournament
from ledger.entry import Entry
from othello.gamefile import GameFileError


@dataclass(frozen=True, slots=True)
class Paired:
    """A round as the pairing made it: games are (table, black, white). `reasons`: for each of its games, then each of
    its byes. `by_hand`: the director changed it, `best` is the cost of the best one."""

    round: int
    games: tuple[tuple[int, str, str], ...]
    byes: tuple[str, ...]
    cost: dict[str, int] | None
    warnings: tuple[Text, ...]
    reasons: tuple[Text, ...] = ()
    by_hand: bool = False
    best: dict[str, int] | None = None


Pair = Callable[[Tournament], Awaitable[Paired]]
"""Makes the next round; Refused with one line if there is none."""


def all_scored(state: TournamentState) -> None:
    """Refused while a game of the rounds has no score, or a disputed one."""
    for game in state.games.values():
        if game.score is None and game.final is None:
            raise Refused("{where}: the game is still being played", where=game.where)
        if game.conflict:
            raise Refused("{where}: two scores are in conflict", where=game.where)


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


async def pair_in_child(tournament: Tournament) -> Paired:
    """The next round, with its reasons. Refused with one line if it cannot be paired."""
    if boards_of(tournament):
        return on_boards(tournament, await pair_in_child(team_tournament(tournament)))
    try:
        draft = await draft_round(tournament)
    except PairingError as fault:
        raise Refused(fault.line) from None
    pairing = draft.pairing
    cost = None if pairing.cost is None else pairing.cost.as_dict()
    games = tuple((game.table, game.black, game.white) for game in pairing.games)
    return Paired(
        pairing.round, games, pairing.byes, cost=cost, warnings=pairing.warnings, reasons=draft.reasons
    )


def on_boards(tournament: Tournament, paired: Paired) -> Paired:
    """`paired` is of teams (`hub.ranking.team_matches.team_tournament`): each match is laid out on its boards. If a
    team has no player for a board, the opponent there has a bye, which is a won board."""
    games: list[tuple[int, str, str]] = []
    byes: list[str] = []
    whys: list[Text] = []
    met = [(one, other) for _, one, other in sorted(paired.games)]
    for at in boards_of_matches(tournament, paired.round, met):
        if at.black is None or at.white is None:
            byes += [player for player in (at.black, at.white) if player]
            continue
        games.append((at.table, at.black, at.white))
        one, other = at.teams
        whys.append(
            line("{team} against {opponent}, board {board}", team=one, opponent=other, board=at.board)
        )
    for team in paired.byes:
        byes += line_up(tournament, team, paired.round)
    whys += [Text("nobody sits against this player") for _ in byes]
    return replace(paired, games=tuple(games), byes=tuple(byes), cost=None, best=None, reasons=tuple(whys))
