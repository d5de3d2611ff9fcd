"""Rounds, playoffs and finals in the fold: published and corrected; the games at the tables are kept in step.

Each function gives the next state; Refused where the entry makes no sense.
"""

from __future__ import annotations

from collections.abc import Mapping

from hub.form.consistency import check_consistency
from hub.model.games import FinalGame, Game, Round
from hub.model.tournament import Tournament
from hub.ranking.finals_played import finals_of
from hub.record.corrections import FinalResultChanged, changed
from hub.record.events import (
    ColoursChosen,
    Conditions,
    CorrectionMade,
    FinalsPublished,
    GameAdded,
    PairingPublished,
)
from hub.record.fold_event import assigned_anew, with_assignments
from hub.record.fold_players import expect_player
from hub.record.fold_results import corrected
from hub.record.state import FinalPlace, GameRecord, TournamentState
from hub.rulebook import FORMAT_RULES
from hub.text import Refused
from othello.colour_choice import May
from othello.value import replace


def expect_rounds_scored(state: TournamentState) -> None:
    """Refused while a game of the rounds has no score."""
    for game in state.games.values():
        if game.score is None and game.final is None:
            raise Refused("{where}: the game is still being played", where=game.where)


def pairing_published(state: TournamentState, published: PairingPublished) -> TournamentState:
    if published.round != state.round + 1:
        raise Refused(
            "expected {round}, got {round2}", field="round", round=state.round + 1, round2=published.round
        )
    expect_rounds_scored(state)
    at_tables = {game.table for game in state.open_games}
    players = [player for game in published.games for player in game.players]
    players += published.byes
    for player in players:
        expect_player(state, player)
    for name, items in (
        ("players", players),
        ("tables", [game.table for game in published.games]),
        ("games", [game.game for game in published.games]),
    ):
        if len(set(items)) != len(items):
            raise Refused("expected each once in a round", field=name)
    games = dict(state.games)
    for paired in published.games:
        if paired.table in at_tables:
            raise Refused(
                "table {table}: a game of the finals is still being played there", table=paired.table
            )
        if paired.game in games:
            raise Refused("expected an id of its own, got {game!r} again", field="game", game=paired.game)
        games[paired.game] = GameRecord.of(paired, published.round, published.conditions)
    round_ = Round(tuple(Game(*game.players, table=game.table) for game in published.games), published.byes)
    # Pins are for one round; a tournament file that kept them would pin the next one too.
    tournament = replace(state.tournament, rounds=(*state.tournament.rounds, round_), pins=())
    return _at_tables(replace(state, pairing_warnings=published.warnings), tournament, games, published)


def game_added(state: TournamentState, added: GameAdded) -> TournamentState:
    """The state with one more game at the tables; its players have no bye and no absence in this round any more."""
    present = [game for game in state.present_games if game.final is None]
    if added.round != state.round or not present:
        raise Refused(
            "expected the one at the tables, {round}, got {round2}",
            field="round",
            round=state.round,
            round2=added.round,
        )
    new, players = added.game, added.game.players
    if new.black == new.white:
        raise Refused("expected another player than black, got the same", field="white")
    if new.game in state.games:
        raise Refused("expected an id of its own, got {game!r} again", field="game", game=new.game)
    if new.table in {game.table for game in state.present_games}:
        raise Refused("table {table}: expected a free one, got that of another game", table=new.table)
    for player in players:
        expect_player(state, player)
    tournament = state.tournament
    round_ = tournament.rounds[-1]
    entered = tuple(
        replace(player, from_round=min(player.from_round, added.round)) if player.id in players else player
        for player in tournament.players
    )
    absences = tuple(
        one
        for one in tournament.absences
        if (one.player, one.round) not in {(p, added.round) for p in players}
    )
    paired = replace(
        round_,
        games=(*round_.games, Game(*players, table=new.table)),
        byes=tuple(player for player in round_.byes if player not in players),
    )
    tournament = replace(tournament, players=entered, absences=absences)
    tournament = tournament.with_round(added.round, paired)
    check_consistency(tournament, FORMAT_RULES[tournament.rulebook])
    record = replace(GameRecord.of(new, added.round, added.conditions), added=True)
    games = {**state.games, new.game: record}
    after = replace(state, tournament=tournament, games=games, present=(*state.present, new.game))
    return with_assignments(after, added.seq)


def correction_made(state: TournamentState, made: CorrectionMade) -> TournamentState:
    """The tournament's new value; the records of that round follow, and tables not yet played at are told."""
    if not made.why.strip():
        raise Refused("expected the reason of a correction, got nothing", field="why")
    tournament = changed(state.tournament, made.change)
    new = replace(state, tournament=tournament)
    if isinstance(made.change, FinalResultChanged):
        return final_corrected(new, made.change.game - 1)
    number = made.change.round
    before, after = state.tournament.rounds[number - 1].games, tournament.rounds[number - 1].games
    moved = False
    records = {game.players: game for game in state.games_of(number)}
    for old, game in zip(before, after, strict=True):
        if old == game:
            continue
        record = records[old.players]
        seated = replace(record, black=game.black, white=game.white, table=game.table or record.table)
        rescored = (game.score, game.reason) != (old.score, old.reason)
        if game.score is not None and rescored:
            seated = corrected(seated, game.score, game.reason)
        new = new.with_record(seated, rescored and game.score is not None)
        moved |= (old.players, old.table) != (game.players, game.table)
    return assigned_anew(with_assignments(new, made.seq), made.seq) if moved else new


def file_finals(tournament: Tournament) -> dict[str, GameRecord]:
    """Records of the finals that a tournament's file brought along, at tables 1, 2, ... in their order."""
    games = {}
    for number, game in enumerate(tournament.finals):
        place = FinalPlace(number, game.title, game.stage, game.draw_win)
        game_id = f"final-{number + 1}-file"
        games[game_id] = GameRecord.of_file(game_id, len(tournament.rounds), number + 1, game, place)
    return games


def finals_published(state: TournamentState, published: FinalsPublished, at: str) -> TournamentState:
    """The finals that are played next; `at` is the label of the entry. Refused where one is not due, or its table not
    free."""
    if not published.games:
        raise Refused("expected one at least, got none", field="games")
    at_tables = {game.table for game in state.open_games}
    games = dict(state.games)
    tournament = state.tournament
    for paired in published.games:
        if paired.game in games:
            raise Refused("expected an id of its own, got {game!r} again", field="game", game=paired.game)
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
            increment_s=published.increment_s,
            delay_s=published.delay_s,
            judged=published.judged,
            sensors=published.sensors,
            broadcast=published.broadcast,
        )
        games[paired.game] = GameRecord.of(paired, state.round, conditions, place)
        at_tables.add(paired.table)
        game = FinalGame(paired.title, paired.stage, *paired.players, draw_win=paired.draw_win)
        tournament = replace(tournament, finals=(*tournament.finals, game))
    check_consistency(tournament, FORMAT_RULES[tournament.rulebook])
    finals_of(tournament)
    return _at_tables(replace(state, pairing_warnings=()), tournament, games, published)


def _at_tables(
    state: TournamentState,
    tournament: Tournament,
    games: Mapping[str, GameRecord],
    published: PairingPublished | FinalsPublished,
) -> TournamentState:
    """The published games stand at the tables, beside those that are still being played."""
    present = (*(game.game for game in state.open_games), *(game.game for game in published.games))
    new = replace(state, tournament=tournament, games=games, present=present)
    return with_assignments(new, published.seq)


def colours_chosen(state: TournamentState, chosen: ColoursChosen) -> TournamentState:
    """The colours that the players have chosen. Refused where nobody was to choose so, or the game is under way."""
    if chosen.game in state.former_games:
        return state  # its publishing was taken back
    record = state.games.get(chosen.game)
    if record is None or record.final is None or record.final.chooses is None or record.final.may is None:
        raise Refused(
            "expected one whose colours are chosen at the table, got {game!r}", field="game", game=chosen.game
        )
    if record.score is not None:
        raise Refused("{where}: the game has been played", where=record.where)
    final, players = record.final, record.players
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
    final_place = replace(final, draw_win=chosen.draw_win, chosen=True)
    new = replace(record, black=chosen.black, white=white, final=final_place)
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
        games={**state.games, chosen.game: new},
        assigned=assigned,
        seq=max(state.seq, chosen.seq),
    )


def final_corrected(state: TournamentState, number: int) -> TournamentState:
    """The record of finals game `number` (from 0) after the director has corrected it in the tournament."""
    game = state.tournament.finals[number]
    for record in state.games.values():
        if record.final is not None and record.final.number == number and game.score is not None:
            new = corrected(record, game.score, game.reason)
            new = replace(new, final=replace(record.final, draw_win=game.draw_win))
            return state.with_record(new, rescored=True)
    return state
