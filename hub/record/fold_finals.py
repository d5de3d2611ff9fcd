"""Playoffs and finals in the fold: their games are records like those of the rounds, kept in step with `finals`."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from hub.formats.consistency import check_consistency
from hub.ranking.finals_played import finals_of
from hub.record.events import ColoursChosen, Conditions, FinalsPublished
from hub.record.fold_results import corrected
from hub.record.fold_seats import with_assignments
from hub.record.state import FinalPlace, GameRecord, TournamentState
from hub.rulebook import FORMAT_RULES
from hub.text import Refused
from hub.tournament import FinalGame, Tournament
from othello.colour_choice import May


def file_finals(tournament: Tournament) -> dict[str, GameRecord]:
    """Records of the finals that a tournament's file brought along, at tables 1, 2, ... in their order."""
    found = {}
    for number, game in enumerate(tournament.finals):
        game_id = f"final-{number + 1}-file"
        found[game_id] = GameRecord(
            game_id,
            len(tournament.rounds),
            number + 1,
            game.black,
            game.white,
            score=game.score,
            reason=game.reason,
            entered=game.score,
            final=FinalPlace(number, game.title, game.stage, game.draw_win),
        )
    return found


def finals_published(state: TournamentState, published: FinalsPublished, at: str) -> TournamentState:
    """The finals that are played next; `at` is the label of the entry. Refused where one is not due, or its table not
    free."""
    if not published.games:
        raise Refused("games: expected one at least, got none")
    at_tables = {game.table: game for game in state.present_games if game.score is None}
    games = dict(state.games)
    tournament = state.tournament
    for paired in published.games:
        if paired.game in games:
            raise Refused("game: expected an id of its own, got {game!r} again", game=paired.game)
        if paired.table in at_tables:
            raise Refused("table {table}: expected a free one, got that of another game", table=paired.table)
        place = FinalPlace(
            len(tournament.finals),
            paired.title,
            paired.stage,
            draw_win=paired.draw_win,
            chooses=paired.chooses,
            may=paired.may,
            asked_at=at,
        )
        conditions = Conditions(
            stage=paired.stage,
            minutes=paired.minutes,
            judged=published.judged,
            sensors=published.sensors,
            broadcast=published.broadcast,
        )
        record = GameRecord(
            paired.game,
            state.round,
            paired.table,
            black=paired.black,
            white=paired.white,
            conditions=conditions,
            final=place,
        )
        games[paired.game] = at_tables[paired.table] = record
        game = FinalGame(paired.title, paired.stage, paired.black, paired.white, draw_win=paired.draw_win)
        tournament = replace(tournament, finals=(*tournament.finals, game))
    check_consistency(tournament, FORMAT_RULES[tournament.rulebook])
    finals_of(tournament)
    present = tuple(game.game for game in state.present_games if game.score is None)
    new = replace(
        state,
        tournament=tournament,
        games=MappingProxyType(games),
        present=(*present, *(game.game for game in published.games)),
        pairing_warnings=(),
    )
    return with_assignments(new, published.seq)


def colours_chosen(state: TournamentState, chosen: ColoursChosen) -> TournamentState:
    """The colours that the players have chosen. Refused where nobody was to choose so, or the game is under way."""
    if chosen.game in state.former_games:
        return state  # its publishing was taken back
    record = state.games.get(chosen.game)
    if record is None or record.final is None or record.final.chooses is None or record.final.may is None:
        raise Refused(
            "game: expected one whose colours are chosen at the table, got {game!r}", game=chosen.game
        )
    if record.score is not None:
        raise Refused("{where}: the game has been played", where=record.where)
    final, players = record.final, (record.black, record.white)
    wins_draw = {
        May.COLOUR: (None,),
        May.COLOUR_OR_DRAW_WIN: players,
        May.COLOUR_AND_DRAW_WIN: (final.chooses,),
    }[record.final.may]
    if chosen.black not in players or chosen.draw_win not in wins_draw:
        raise Refused(
            "{where}: expected colours and draw-win as {may}", where=record.where, may=str(final.may)
        )
    white = players[1] if chosen.black == players[0] else players[0]
    new = replace(
        record,
        black=chosen.black,
        white=white,
        final=replace(final, draw_win=chosen.draw_win, chosen=True),
    )
    number = final.number
    played = replace(
        state.tournament.finals[number], black=chosen.black, white=white, draw_win=chosen.draw_win
    )
    assigned = {
        device: replace(one, seq=chosen.seq) if one.game == chosen.game else one
        for device, one in state.assigned.items()
    }
    return replace(
        state,
        tournament=state.tournament.with_final(number, played),
        games=MappingProxyType({**state.games, chosen.game: new}),
        assigned=MappingProxyType(assigned),
        seq=max(state.seq, chosen.seq),
    )


def final_corrected(state: TournamentState, number: int) -> TournamentState:
    """The record of finals game `number` (from 0) after the director has corrected it in the tournament."""
    game = state.tournament.finals[number]
    for record in state.games.values():
        if record.final is not None and record.final.number == number and game.score is not None:
            new = corrected(record, game.score, game.reason)
            new = replace(new, final=replace(record.final, draw_win=game.draw_win))
            games = MappingProxyType({**state.games, record.game: new})
            scored = (*(one for one in state.scored if one != record.game), record.game)
            return replace(state, games=games, scored=scored)
    return state
