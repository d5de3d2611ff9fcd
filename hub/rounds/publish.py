"""The publication of a round, and of the next games of playoffs and finals: the ids of the games, whether tables can
play them, and the director's options."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from flagfall.base.errors import Invalid
from flagfall.ledger.entry import Entry
from hub.fields import ShortText, TableNumber
from hub.model.games import Conditions, OfTwo
from hub.pairing.round import PairedGame
from hub.ranking.finals import finals_of
from hub.ranking.matches import ColourOption, Match, MatchKey, options_of
from hub.record.corrections import ALL_DISCS
from hub.record.events import FinalsPublished, GameAdded, PairingPublished, PublishedFinal, PublishedGame
from hub.record.fold_games import expect_rounds_scored, published_game
from hub.record.header import header_of
from hub.record.state import TournamentState
from hub.record.unanswered import expect_undisputed
from hub.rounds.openings import next_of_finals
from hub.rounds.paired import Paired
from hub.text import Refused


def expect_all_scored(state: TournamentState) -> None:
    """Raise Refused while a game of the rounds has no score, or a disputed one."""
    expect_rounds_scored(state)
    expect_undisputed(state)


def publication(
    state: TournamentState, entries: Sequence[Entry], paired: Paired, conditions: Conditions, seq: int
) -> PairingPublished:
    """Return the entry that publishes the round. Refused if a table could not play a game with these conditions.

    A hub restored from a backup gives a lost round the same ids again if it is paired as before; a withdrawn pairing
    never shares its ids with the next one.
    """
    published = sum(entry.type == PairingPublished.TYPE for entry in entries)

    openings = state.tournament.openings or ()
    if not conditions.opening and paired.round <= len(openings):
        conditions = msgspec.structs.replace(conditions, opening=openings[paired.round - 1])

    def name(game: PairedGame) -> str:
        suffix = suffix_of(entries[0].hash, published, paired.round, game.table, *game.players)
        return f"{paired.round}-{game.table}-{suffix}"

    games = tuple(
        PublishedGame(game=name(game), table=game.table, black=game.black, white=game.white)
        for game in paired.games
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


def added_game(
    state: TournamentState, entries: Sequence[Entry], players: tuple[str, str], table: int, seq: int
) -> GameAdded:
    """Return the entry that adds a game to the round at the tables, under that round's conditions."""
    of_round = [game for game in state.present_games if game.final is None]
    conditions = next((game.conditions for game in of_round if game.conditions is not None), Conditions())
    known = sum(entry.type == GameAdded.TYPE for entry in entries)
    suffix = suffix_of(entries[0].hash, "added", known, state.round, table, *players)
    name = f"{state.round}-{table}-{suffix}"
    game = PublishedGame(game=name, table=table, black=players[0], white=players[1])
    for player in players:
        state.expect_player(player)
    _check_headers(state, state.round, (game,), conditions)
    return GameAdded(round=state.round, game=game, conditions=conditions, seq=seq)


def _check_headers(
    state: TournamentState, round_: int, games: Sequence[PublishedGame], conditions: Conditions
) -> None:
    for game in games:
        try:
            header_of(state, published_game(game, round_, conditions))
        except (Invalid, KeyError) as fault:
            raise Refused("table {table}: {why}", table=game.table, why=str(fault)) from None


def suffix_of(head: str, *parts: int | str) -> str:
    """Return six hexadecimal digits for each round of each tournament, which anyone can recompute."""
    return hashlib.sha256("/".join((head, *map(str, parts))).encode()).hexdigest()[:6]


class FinalChoice(OfTwo, msgspec.Struct, frozen=True):
    """One game as the director wants it; `draw_win` is the id of the player who wins a draw. `at_table`: the chooser
    chooses at the table; colours and draw-win are then ignored here."""

    title: ShortText
    stage: ShortText
    black: ShortText
    white: ShortText
    table: TableNumber
    draw_win: ShortText | None = None
    at_table: bool = False


def finals_publication(
    state: TournamentState, entries: Sequence[Entry], choices: Sequence[FinalChoice], seq: int
) -> FinalsPublished:
    """Return the entry that publishes these games. Refused where one is not due, is not among its chooser's options, or
    has a player who is at another table."""
    due = _due(state)
    published = sum(entry.type == FinalsPublished.TYPE for entry in entries)

    def name(choice: FinalChoice) -> str:
        parts = (choice.title, choice.stage, choice.table, choice.black, choice.white)
        return f"f{published + 1}-{choice.table}-{suffix_of(entries[0].hash, published, *parts)}"

    games = []
    seated = {player: game.table for game in state.open_games for player in game.players}
    for choice in choices:
        match = due.get((choice.title, choice.stage, frozenset(choice.players)))
        if match is None or match.playing:
            raise Refused(
                "expected a game that is due, got {title} {stage} {black}-{white}",
                field="game",
                title=choice.title,
                stage=choice.stage,
                black=choice.black,
                white=choice.white,
            )
        for player in match.players:
            if player in seated:
                raise Refused(
                    "table {table}: {player} plays at table {other} at the same time",
                    table=choice.table,
                    player=player,
                    other=seated[player],
                )
            seated[player] = choice.table
        if choice.at_table:
            games.append(_asked_at_table(match, choice, name(choice)))
            continue
        chosen = (choice.black, choice.white, choice.draw_win)
        way = next((way for way in options_of(match) if (way.black, way.white, way.draw_win) == chosen), None)
        if way is None:
            raise Refused(
                "{title} {stage}: expected colours and draw-win as {may}",
                title=choice.title,
                stage=choice.stage,
                may=match.rules.may,
            )
        games.append(_published(match, name(choice), choice.table, way))
    return FinalsPublished(games=tuple(games), opening=next_of_finals(state.tournament), seq=seq)


def walkover(state: TournamentState, key: MatchKey, game: str) -> tuple[PublishedFinal, tuple[int, int]]:
    """Return the game that settles a match with a withdrawn player, and its score; it is put at a table that nobody
    has. Refused if no such match is due, or one of its games is published already."""
    match = _due(state).get(key)
    if match is None or not match.withdrawn:
        raise Refused("expected a match that is due, with a player who has withdrawn", field="match")
    if match.playing:
        raise Refused("expected the result of its game at the table, which is published", field="match")
    way = options_of(match)[0]
    lost = [player in match.withdrawn for player in way.players]
    score = (0, 0) if all(lost) else (0, ALL_DISCS) if lost[0] else (ALL_DISCS, 0)
    table = 1 + max((*state.seats, *(other.table for other in state.games.values())), default=0)
    return _published(match, game, table, way), score


def _asked_at_table(match: Match, choice: FinalChoice, game: str) -> PublishedFinal:
    """Return the game with its chooser as Black until the choice."""
    chooser = match.chooses()
    if chooser is None:
        raise Refused(
            "{title} {stage}: colours are reversed, nobody chooses", title=choice.title, stage=choice.stage
        )
    way = ColourOption(chooser, match.other(chooser), None, "")
    asked = _published(match, game, choice.table, way)
    return msgspec.structs.replace(asked, chooses=chooser, may=match.rules.may)


def _published(match: Match, game: str, table: int, way: ColourOption) -> PublishedFinal:
    return PublishedFinal(
        game=game,
        table=table,
        black=way.black,
        white=way.white,
        title=match.title,
        stage=match.stage,
        minutes=match.rules.minutes,
        draw_win=way.draw_win,
    )


def _due(state: TournamentState) -> dict[MatchKey, Match]:
    return {match.key: match for match in finals_of(state.tournament).due}
