"""Games in the fold: published, scored, corrected, and those that a file brought along.

The highest of a table's revisions counts, and visibly replaces the one before. The same score from the table confirms a
score that the operator has typed in; a different one is a conflict, and the first stands until the operator decides.
Each function returns the next state, or the next value of its game, or raises Refused if the entry makes no sense.
"""

from __future__ import annotations

from collections.abc import Set

from flagfall.base.message import Message
from flagfall.base.value import replace
from flagfall.othello.colour_choice import May
from flagfall.othello.reason import Reason
from hub.form.tournament import check_consistency
from hub.model.games import BoardSeen, Claim, Conditions, FinalPlace, Game, Reported, Round, stage_at_table
from hub.model.tournament import Tournament
from hub.ranking.finals import finals_of
from hub.ranking.leagues import leagues_of
from hub.ranking.systems import LEAGUES
from hub.record.assignments import assigned_anew, with_assignments
from hub.record.corrections import FinalResultChanged, apply_change, correct_result, count_score
from hub.record.events import (
    ColoursChosen,
    ConflictResolved,
    CorrectionMade,
    FinalsPublished,
    GameAdded,
    PairingPublished,
    PublishedGame,
    ResultClaimed,
    ResultEntered,
    ResultJudged,
    ResultReceived,
)
from hub.record.exchange import with_black
from hub.record.state import TournamentState
from hub.rulebook import rules_of
from hub.text import Refused


def expect_rounds_scored(state: TournamentState) -> None:
    """Raise Refused while a game of the rounds has no score."""
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
        state.expect_player(player)
    for name, items in (
        ("players", players),
        ("tables", [game.table for game in published.games]),
        ("games", [game.game for game in published.games]),
    ):
        if len(set(items)) != len(items):
            raise Refused("expected each player once in a round", field=name)
    games = []
    draws = rules_of(state.tournament).law.hidden_disc != "no"
    for paired in published.games:
        if paired.table in at_tables:
            raise Refused(
                "table {table}: a game of the finals is still being played there", table=paired.table
            )
        if paired.game in state.games:
            raise Refused("expected an id of its own, got {game!r} again", field="game", game=paired.game)
        game = published_game(paired, published.round, published.conditions)
        games.append(replace(game, draws_colours=draws))
    round_ = Round(tuple(games), published.byes)
    # Pins are for one round; a tournament file that kept them would pin the next one too.
    tournament = replace(state.tournament, rounds=(*state.tournament.rounds, round_), pins=())
    if tournament.system == LEAGUES:  # from its first round on the draw stands, whoever comes or leaves
        tournament = replace(tournament, leagues=leagues_of(state.tournament))
    return _at_tables(replace(state, pairing_warnings=published.warnings), tournament, published)


def published_game(
    paired: PublishedGame, round_: int, conditions: Conditions, final: FinalPlace | None = None
) -> Game:
    """Return a published game that nobody has played yet."""
    game = Game(*paired.players, table=paired.table, final=final)
    return replace(game, id=paired.game, round=round_, conditions=conditions)


def game_added(state: TournamentState, added: GameAdded) -> TournamentState:
    """Return the state with one more game at the tables. Its players lose their bye or absence in this round."""
    present = [game for game in state.present_games if game.final is None]
    if added.round != state.round or not present:
        raise Refused(
            "expected the round at the tables, {round}, got {round2}",
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
        state.expect_player(player)
    tournament = state.tournament
    round_ = tournament.rounds[-1]
    entered = tuple(
        replace(player, from_round=min(player.from_round, added.round)) if player.id in players else player
        for player in tournament.players
    )
    absences = tuple(
        absence
        for absence in tournament.absences
        if (absence.player, absence.round) not in {(p, added.round) for p in players}
    )
    paired = replace(
        round_,
        games=(
            *round_.games,
            replace(
                published_game(new, added.round, added.conditions),
                added=True,
                draws_colours=rules_of(tournament).law.hidden_disc != "no",
            ),
        ),
        byes=tuple(player for player in round_.byes if player not in players),
    )
    tournament = replace(tournament, players=entered, absences=absences)
    tournament = tournament.with_round(added.round, paired)
    check_consistency(tournament, rules_of(tournament))
    after = replace(state, tournament=tournament, present=(*state.present, new.game))
    return with_assignments(after, added.seq)


def correction_made(state: TournamentState, correction: CorrectionMade) -> TournamentState:
    """Return the state after a correction. Tables that have not played yet are told."""
    if not correction.why.strip():
        raise Refused("expected the reason of a correction, got nothing", field="why")
    tournament = apply_change(state.tournament, correction.change, turns=correction.turns)
    new = replace(state, tournament=tournament)
    if isinstance(correction.change, FinalResultChanged):
        return new.with_game(tournament.finals[correction.change.game - 1], rescored=True)
    number = correction.change.round
    before, after = state.tournament.rounds[number - 1].games, tournament.rounds[number - 1].games
    moved = False
    exchanged = {
        game.id
        for old, game in zip(before, after, strict=True)
        if correction.turns and old.players != game.players
    }
    new = _without_rulings(new, exchanged) if exchanged else new
    for old, game in zip(before, after, strict=True):
        if game.score is not None and (game.score, game.reason) != (old.score, old.reason):
            new = new.with_game(game, rescored=True)
        moved |= (old.players, old.table) != (game.players, game.table)
    return assigned_anew(with_assignments(new, correction.seq), correction.seq) if moved else new


def _without_rulings(state: TournamentState, games: Set[str]) -> TournamentState:
    """Return the state in which rulings that wait for an answer from these games' tables do so no longer: they were
    about players who sat otherwise. A start stays."""
    rulings = tuple(
        ruling if ruling.rule == "start" else replace(ruling, void=ruling.void | games & set(ruling.games))
        for ruling in state.rulings
    )
    return replace(state, rulings=rulings)


def on_record(tournament: Tournament) -> Tournament:
    """Return the tournament of a file, each of its games with its id, round and table.

    The table of a game without one is its place in the round; finals are at tables 1, 2, ... in their order.
    """
    rounds = tuple(
        replace(round_, games=tuple(_of_file(game, number, nth) for nth, game in enumerate(round_.games, 1)))
        for number, round_ in enumerate(tournament.rounds, 1)
    )
    finals = tuple(_of_file(game, len(rounds), nth) for nth, game in enumerate(tournament.finals, 1))
    return replace(tournament, rounds=rounds, finals=finals)


def _of_file(game: Game, round_: int, nth: int) -> Game:
    """Return the game that is number `nth` of its round, or of the finals, with its id and table."""
    table = game.table or nth
    game_id = f"{round_}-{table}-file{nth}" if game.final is None else f"final-{nth}-file"
    return replace(
        game, id=game_id, round=round_, table=table, table_is_its_place=not game.table, entered=game.score
    )


def finals_published(state: TournamentState, published: FinalsPublished, at: str) -> TournamentState:
    """Return the state with the next games of the finals at the tables; `at` is the label of the entry.

    Raise Refused if a game is not due, or its table not free.
    """
    if not published.games:
        raise Refused("expected at least one, got none", field="games")
    at_tables = {game.table for game in state.open_games}
    tournament = state.tournament
    draws = rules_of(tournament).law.hidden_disc != "no"
    for paired in published.games:
        if paired.game in tournament.games:
            raise Refused("expected an id of its own, got {game!r} again", field="game", game=paired.game)
        if paired.table in at_tables:
            raise Refused("table {table}: expected a free one, got that of another game", table=paired.table)
        place = FinalPlace(paired.title, paired.stage, chooses=paired.chooses, may=paired.may, asked_at=at)
        conditions = Conditions(
            stage=stage_at_table(paired.stage),
            minutes=paired.minutes,
            increment_s=published.increment_s,
            delay_s=published.delay_s,
            byoyomi_s=published.byoyomi_s,
            judged=published.judged,
            sensors=published.sensors,
            broadcast=published.broadcast,
            opening=published.opening,
        )
        at_tables.add(paired.table)
        game = replace(
            published_game(paired, state.round, conditions, place),
            draw_win=paired.draw_win,
            draws_colours=draws,
        )
        tournament = replace(tournament, finals=(*tournament.finals, game))
    check_consistency(tournament, rules_of(tournament))
    finals_of(tournament)
    return _at_tables(replace(state, pairing_warnings=()), tournament, published)


def _at_tables(
    state: TournamentState, tournament: Tournament, published: PairingPublished | FinalsPublished
) -> TournamentState:
    """Return the state with the published games at the tables, beside those that are still being played."""
    present = (*(game.id for game in state.open_games), *(game.game for game in published.games))
    new = replace(state, tournament=tournament, present=present)
    return with_assignments(new, published.seq)


def colours_chosen(state: TournamentState, chosen: ColoursChosen) -> TournamentState:
    """Return the state with the colours that the players have chosen.

    Raise Refused if nobody was to make this choice, or the game is under way.
    """
    if chosen.game in state.former_games:
        return state  # its publishing was taken back
    game = state.games.get(chosen.game)
    if game is None or game.final is None or game.final.chooses is None or game.final.may is None:
        raise Refused(
            "expected a game whose colours are chosen at the table, got {game!r}",
            field="game",
            game=chosen.game,
        )
    if game.score is not None:
        raise Refused("{where}: the game has been played", where=game.where)
    final, players = game.final, game.players
    wins_draw = {
        May.COLOUR: (None,),
        May.COLOUR_OR_DRAW_WIN: players,
        May.COLOUR_AND_DRAW_WIN: (final.chooses,),
    }[game.final.may]
    if chosen.black not in players or chosen.draw_win not in wins_draw:
        raise Refused("{where}: expected colours and draw-win as {may}", where=game.where, may=str(final.may))
    white = players[1] if chosen.black == players[0] else players[0]
    assigned = {
        device: replace(seat, seq=chosen.seq) if seat.game == chosen.game else seat
        for device, seat in state.assigned.items()
    }
    place = replace(final, chosen=True)
    new = state.with_game(
        replace(game, black=chosen.black, white=white, draw_win=chosen.draw_win, final=place)
    )
    return replace(new, assigned=assigned, seq=max(state.seq, chosen.seq))


def apply_report(old: Game, result: ResultReceived, at: str) -> Game:
    """Return the game after a table's result. A lower revision that comes late is only kept.

    `at` is the label of the result's entry.
    """
    if result.revision in old.revisions:
        raise Refused(
            "the result {game}.{revision} was received already",
            field="revision",
            game=result.game,
            revision=result.revision,
        )
    kept = {**old.revisions, result.revision: result.signature}
    if old.reported is not None and old.reported.revision > result.revision:
        return replace(old, revisions=kept)
    old = _with_drawn_colours(old, result)
    latest = Reported(
        result.device,
        result.revision,
        result.score,
        reason=result.reason,
        winner=result.winner,
        transcript=result.transcript,
        signed=result.signed,
        differences=tuple(map(Message, result.differences)),
        at=at,
        players=old.players,
        closed=result.closed,
        no_show=result.no_show,
    )
    new = replace(old, revisions=kept, reported=latest, error_stands=result.error_stands)
    if old.entered is not None and old.entered != result.score:
        # A decision stands against the same claim made again (a signature is a new revision), not a new one.
        again = old.reported is not None and old.reported.score == result.score
        return replace(new, conflict=not (old.decided and again))
    return count_score(_with_draw_win(new, result), result.score, result.reason)


def _with_drawn_colours(game: Game, result: ResultReceived) -> Game:
    """Return the game with the colours that its players have drawn at the table. Each keeps the discs that somebody has
    typed for them by name."""
    if not (game.draws_colours or game.exchanged) or result.black not in game.players:
        return game
    if result.black == game.black:
        return replace(game, drawn=True) if game.drawn is False else game
    if game.drawn is not None or (game.claim is not None and game.claim.black):
        return with_black(game, result.black)
    # What ledgers up to 0.3.0 have typed before the draw names nobody: their later entries build on its staying so.
    return replace(game, black=game.white, white=game.black, exchanged=not game.exchanged)


def _with_draw_win(game: Game, result: ResultReceived) -> Game:
    """Return the game with the winner of its draw: a hidden disc at its table may have given somebody the draw-win."""
    black, white = result.score
    if black != white or result.winner is None or result.reason == Reason.BOTH_FLAGS:
        return game
    return replace(game, draw_win=game.black if result.winner == "black" else game.white)


def apply_judgement(old: Game, judgement: ResultJudged) -> Game:
    """Return the game after the hub's referee has found differences. In a replaced revision they change nothing."""
    if judgement.revision not in old.revisions:
        raise Refused(
            "expected a result that was received, got {game}.{revision}",
            field="revision",
            game=judgement.game,
            revision=judgement.revision,
        )
    if old.reported is None or old.reported.revision != judgement.revision:
        return old
    return replace(old, reported=replace(old.reported, differences=judgement.differences))


def apply_claim(old: Game, claimed: ResultClaimed) -> Game:
    """Return the game after a player has reported its score. The first report alone does not count: one player's word
    is no result yet. The same score from the other player confirms it, if such a report counts in this event, another
    one is a conflict."""
    if claimed.player not in old.players:
        raise Refused("expected a game of this player, got {game!r}", field="game", game=claimed.game)
    if old.device is not None:
        raise Refused("{where}: the table's device sends the result", where=old.where)
    if old.score is not None or old.conflict:
        raise Refused("{where}: there is a result already", where=old.where)
    side, claim = old.players.index(claimed.player), old.claim
    number = 1 if claim is None else claim.number + 1
    mine, black = (side == 0, side == 1), claimed.black or ""
    score = old.in_seats(claimed.score, black)
    if claim is None or not claim.by[1 - side]:
        at_tablet = (mine[0] and claimed.at_tablet, mine[1] and claimed.at_tablet)
        fresh = Claim(
            score,
            mine,
            number,
            black=black,
            at_tablet=at_tablet,
            reason=claimed.reason,
            board=_board_of(claimed),
        )
        return replace(old, claim=fresh)
    earlier = claim.at_tablet[1 - side]
    at_tablet = (claimed.at_tablet, earlier) if side == 0 else (earlier, claimed.at_tablet)
    claim = replace(claim, number=number, at_tablet=at_tablet)
    if (claim.score, claim.black) != (score, black):
        differs = replace(
            claim, by=mine[::-1], other=score, other_black=black, other_board=_board_of(claimed)
        )
        return replace(old, claim=differs, conflict=True)
    # Who only confirms a score, typed or seen, says nothing of how the game ended.
    reason = claim.reason if claim.reason != Reason.BOARD else claimed.reason
    agreed = replace(claim, by=(True, True), reason=reason, board=claim.board or _board_of(claimed))
    new = replace(old, claim=agreed)
    if not claimed.counts:
        return new
    return with_black(count_score(new, score, reason), black or None)


def _board_of(said: ResultClaimed | ResultEntered) -> BoardSeen | None:
    return BoardSeen(said.position, said.from_a1) if said.position else None


def apply_typed_score(old: Game, typed: ResultEntered) -> Game:
    """Return the game after the operator has typed a score in."""
    old = replace(_with_typed_draw_win(old, typed.draw_win), entered_board=_board_of(typed))
    claim, black = old.claim, _known_player(old, typed.black)
    if old.reported is None and claim is not None:
        score = old.in_seats(typed.score, black)
        same = claim.score == score and (not black or claim.black in ("", black))
        if claim.other is not None or not same:
            return replace(old, entered=score, entered_black=black or "", conflict=True, decided=False)
        new = replace(old, entered=score, score=score, reason=typed.reason, conflict=False)
        return with_black(new, black)
    if old.reported is None:
        old = with_black(old, black)
        return replace(old, entered=typed.score, score=typed.score, reason=typed.reason)
    score = old.in_seats(typed.score, black)  # the table knows the colours
    if old.reported.score != score:
        return replace(old, entered=score, conflict=True, decided=False)
    return replace(old, entered=score, score=score, reason=old.reported.reason, conflict=False)


def apply_decision(old: Game, decision: ConflictResolved) -> Game:
    """Return the game after the operator has decided a conflict, or replaced a decision by another one."""
    if not (old.conflict or old.decided):
        raise Refused("expected a game with two scores, got {game!r}", field="game", game=decision.game)
    old, black = _with_typed_draw_win(old, decision.draw_win), _known_player(old, decision.black)
    new = correct_result(old, old.in_seats(decision.score, black), decision.reason)
    return new if old.reported is not None else with_black(new, black)


def _known_player(game: Game, black: str | None) -> str | None:
    if black and black not in game.players:
        raise Refused("expected one of the two players, got {player!r}", field="black", player=black[:80])
    return black


def _with_typed_draw_win(game: Game, draw_win: str | None) -> Game:
    """Return the game with the winner of its draw as an operator has typed it."""
    if draw_win is None:
        return game
    if draw_win and draw_win not in game.players:
        raise Refused(
            "expected one of the two players, got {player!r}", field="draw_win", player=draw_win[:80]
        )
    return replace(game, draw_win=draw_win or None)


def game_scored(state: TournamentState, game: Game) -> TournamentState:
    """Return the state after the table or the operator has reported on a game: its score, and its moves or that nobody
    has moved.
    """
    before, reported, no_show = state.games[game.id], game.reported, game.no_show
    moves = game.known_moves or ("" if before.known_moves else game.transcript)
    if game.final is None and not game.known_moves and reported is not None and reported.no_show is not None:
        no_show = reported.no_show
    new = replace(game, transcript=moves, no_show=no_show)
    return state.with_game(new, rescored=game.score != before.score)
