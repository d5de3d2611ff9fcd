"""The rounds in the fold: published and corrected; the games at the tables are kept in step.

Each function gives the next state; Refused where the entry makes no sense.
"""

from __future__ import annotations

from types import MappingProxyType

from hub.record.corrections import FinalResultChanged, changed
from hub.record.events import CorrectionMade, PairingPublished
from hub.record.fold_finals import final_corrected
from hub.record.fold_players import expect_player
from hub.record.fold_results import corrected
from hub.record.fold_seats import assigned_anew, with_assignments
from hub.record.state import GameRecord, TournamentState
from hub.text import Refused
from hub.tournament import Game, Round
from othello.value import replace


def pairing_published(state: TournamentState, published: PairingPublished) -> TournamentState:
    if published.round != state.round + 1:
        raise Refused("round: expected {round}, got {round2}", round=state.round + 1, round2=published.round)
    unscored = [game for game in state.games.values() if game.score is None and game.final is None]
    if unscored:
        game = unscored[0]
        raise Refused("{where}: the game is still being played", where=game.where)
    at_tables = {game.table for game in state.present_games if game.score is None}
    players = [player for game in published.games for player in (game.black, game.white)]
    players += published.byes
    for player in players:
        expect_player(state, player)
    for name, items in (
        ("players", players),
        ("tables", [game.table for game in published.games]),
        ("games", [game.game for game in published.games]),
    ):
        if len(set(items)) != len(items):
            raise Refused("{name}: expected each once in a round", name=name)
    games = dict(state.games)
    for paired in published.games:
        if paired.table in at_tables:
            raise Refused(
                "table {table}: a game of the finals is still being played there", table=paired.table
            )
        if paired.game in games:
            raise Refused("game: expected an id of its own, got {game!r} again", game=paired.game)
        games[paired.game] = GameRecord(
            paired.game,
            published.round,
            paired.table,
            black=paired.black,
            white=paired.white,
            conditions=published.conditions,
        )
    round_ = Round(
        tuple(Game(game.black, game.white, table=game.table) for game in published.games), published.byes
    )
    # Pins are for one round; a tournament file that kept them would pin the next one too.
    tournament = replace(state.tournament, rounds=(*state.tournament.rounds, round_), pins=())
    paired_state = replace(
        state,
        tournament=tournament,
        games=MappingProxyType(games),
        pairing_warnings=published.warnings,
        present=(
            *(game.game for game in state.present_games if game.score is None),
            *(game.game for game in published.games),
        ),
    )
    return with_assignments(paired_state, published.seq)


def correction_made(state: TournamentState, made: CorrectionMade) -> TournamentState:
    """The tournament's new value; the records of that round follow, and tables not yet played at are told."""
    if not made.why.strip():
        raise Refused("why: expected the reason of a correction, got nothing")
    tournament = changed(state.tournament, made.change)
    new = replace(state, tournament=tournament)
    if isinstance(made.change, FinalResultChanged):
        return final_corrected(new, made.change.game - 1)
    number = made.change.round
    before, after = state.tournament.rounds[number - 1].games, tournament.rounds[number - 1].games
    games, scored, moved = dict(state.games), list(state.scored), False
    records = {(game.black, game.white): game for game in state.games_of(number)}
    for old, game in zip(before, after, strict=True):
        if old == game:
            continue
        record = records[old.black, old.white]
        seated = replace(record, black=game.black, white=game.white, table=game.table or record.table)
        if game.score is not None and (game.score, game.reason) != (old.score, old.reason):
            seated = corrected(seated, game.score, game.reason)
            scored = [one for one in scored if one != record.game] + [record.game]
        games[record.game] = seated
        moved |= (old.black, old.white, old.table) != (game.black, game.white, game.table)
    new = replace(new, games=MappingProxyType(games), scored=tuple(scored))
    return assigned_anew(with_assignments(new, made.seq), made.seq) if moved else new
