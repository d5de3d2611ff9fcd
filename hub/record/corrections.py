"""Changes that a director may make to rounds already paired, before or after play, and their effects: which games and
places would differ. Pure, on the tournament.

A change names its game by the round (from 1) and one of its players, so that it stays valid whatever was changed
before. Later rounds keep their pairings; standings follow, because they are computed from the rounds. Undoing a
correction is folding the ledger without its entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from flagfall.base.message import Message
from flagfall.base.value import replace
from hub.form.tournament import check_consistency
from hub.model.games import Game, Round
from hub.model.tournament import Tournament
from hub.ranking.finals import finals_of
from hub.ranking.scores import DOUBLE_FORFEIT, score_fault
from hub.ranking.standings import Standing, standings
from hub.record.exchange import with_black, with_colours_exchanged, with_seats
from hub.rulebook import by_difference, rules_of
from hub.text import FormatError, Refused

ALL_DISCS = 64
DRAW = (32, 32)


class Change(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """A change of the game of `player` in round `round`."""

    round: int
    player: str


class ResultChanged(Change, frozen=True, kw_only=True, tag="result"):
    """Another score, black first, as colours are now; also the first score of a game."""

    score: tuple[int, int]
    reason: str = "board"
    draw_win: str | None = None  # the id of the player who wins a draw
    # The id of the player who had Black, where the colours were open until now; the score is then theirs first. "" if
    # no colours were drawn, None as they are.
    black: str | None = None


class ColoursExchanged(Change, frozen=True, kw_only=True, tag="colours"):
    """The two sat the other way round. Each keeps their discs."""


class TablesExchanged(Change, frozen=True, kw_only=True, tag="tables"):
    """A change of tables: the game and that of `other` were played at each other's."""

    other: str


class PlayersExchanged(Change, frozen=True, kw_only=True, tag="players"):
    """`other` sat on the seat of `player`, and the other way round; scores stay with the seats.

    Either may have the bye, and `other` may have no place in that round at all.
    """

    other: str


class ScorePenalty(Change, frozen=True, kw_only=True, tag="penalty"):
    """An offence of `player`: this many discs go to the opponent (`woc-2019` V.2.b)."""

    discs: int


class GameAwarded(Change, frozen=True, kw_only=True, tag="award"):
    """The game is awarded to `player` (`woc-2019` V.2.c): 64-0, or the discs of `player` and the opponent."""

    score: tuple[int, int] = (ALL_DISCS, 0)
    black: str | None = None  # as of a changed result


class GameDrawn(Change, frozen=True, kw_only=True, tag="draw"):
    """The game is declared a draw (`woc-2019` V.2.c)."""

    black: str | None = None  # as of a changed result


class DoubleForfeit(Change, frozen=True, kw_only=True, tag="double-forfeit"):
    """Neither player has come: no point and no disc for either."""

    black: str | None = None  # as of a changed result


class FinalResultChanged(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="final"):
    """Another result of game number `game` (from 1) of playoffs and finals, in the order played."""

    game: int
    score: tuple[int, int]
    reason: str = "board"
    draw_win: str | None = None
    black: str | None = None  # as of a changed result


_OfOneGame: TypeAlias = (
    ResultChanged | ColoursExchanged | ScorePenalty | GameAwarded | GameDrawn | DoubleForfeit
)
AnyChange: TypeAlias = _OfOneGame | TablesExchanged | PlayersExchanged | FinalResultChanged


def apply_change(tournament: Tournament, change: AnyChange, *, turns: bool = True) -> Tournament:
    """Return the tournament after one change. Raise Refused saying what was expected.

    `turns` is that of the entry (`CorrectionMade`): whether an exchange takes along what was said of a game.
    """
    if isinstance(change, FinalResultChanged):
        new = _change_final(tournament, change)
    elif isinstance(change, PlayersExchanged):
        new = _exchange_players(tournament, change, turns)
    elif isinstance(change, TablesExchanged):
        new = _exchange_tables(tournament, change)
    else:
        index, game = game_of(tournament, change.round, change.player)
        new = _with_games(tournament, change.round, {index: _change_game(tournament, game, change, turns)})
    check_consistency(new, rules_of(new))
    try:
        finals_of(new)
    except FormatError as fault:
        raise Refused(
            "some of their games would not have been due ({why}). Take them back under Log, then correct",
            field="finals",
            why=fault.message,
        ) from None
    return new


def check_score(tournament: Tournament, score: tuple[int, int], reason: str) -> None:
    """Raise Refused if the rulebook cannot give this score."""
    fault = score_fault(rules_of(tournament), score, reason)
    if fault is not None:
        raise Refused(
            "expected {fault}, got {score}-{score2}",
            field="score",
            fault=fault,
            score=score[0],
            score2=score[1],
        )


def game_of(tournament: Tournament, round_: int, player: str) -> tuple[int, Game]:
    """Return a player's game of a round, with its index there. Raise Refused if the player has none."""
    for index, game in enumerate(_round(tournament, round_).games):
        if player in game.players:
            return index, game
    raise Refused(
        "expected a player with a game in round {round}, got {player!r}",
        field="player",
        round=round_,
        player=player[:80],
    )


def correct_result(game: Game, score: tuple[int, int], reason: str) -> Game:
    """Return the game after the director has corrected its result; a correction counts like a decided conflict."""
    return replace(count_score(game, score, reason), entered=score, decided=True)


def count_score(game: Game, score: tuple[int, int], reason: str) -> Game:
    """Return the game with this score in place of the score that counted."""
    replaced = game.replaced if game.score in (None, score) else (*game.replaced, game.score)
    return replace(game, score=score, reason=reason, conflict=False, replaced=replaced)


def _with_games(tournament: Tournament, number: int, new: Mapping[int, Game]) -> Tournament:
    """Return the tournament with other games in round `number`, by their index there."""
    round_ = _round(tournament, number)
    games = tuple(new.get(index, game) for index, game in enumerate(round_.games))
    return tournament.with_round(number, replace(round_, games=games))


def _round(tournament: Tournament, number: int) -> Round:
    if not 1 <= number <= len(tournament.rounds):
        raise Refused(
            "expected 1 to {rounds}, got {number}",
            field="round",
            rounds=len(tournament.rounds),
            number=number,
        )
    return tournament.rounds[number - 1]


def _change_game(tournament: Tournament, game: Game, change: _OfOneGame, turns: bool) -> Game:
    match change:
        case ResultChanged():
            score = game.in_seats(change.score, change.black)
            corrected = _correct_score(tournament, game, score, change.reason)
            return with_black(replace(corrected, draw_win=change.draw_win), change.black)
        case ColoursExchanged():
            return _exchange_colours(game) if turns else _exchange_colours_alone(game)
        case ScorePenalty():
            return _penalise(tournament, game, change)
        case GameAwarded():
            winner_discs, loser_discs = change.score
            if winner_discs <= loser_discs:
                raise Refused(
                    "expected more discs for the winner, got {own}-{other}",
                    field="score",
                    own=winner_discs,
                    other=loser_discs,
                )
            score = (
                (winner_discs, loser_discs) if change.player == game.black else (loser_discs, winner_discs)
            )
            return with_black(_correct_score(tournament, game, score, "awarded"), change.black)
        case GameDrawn():
            return with_black(_correct_score(tournament, game, DRAW, "ruled"), change.black)
        case DoubleForfeit():
            return with_black(_correct_score(tournament, game, DOUBLE_FORFEIT, "forfeit"), change.black)


def _exchange_colours(game: Game) -> Game:
    """Return the game the other way round. Its score counts by the director's word; an open conflict stays open."""
    exchanged = with_colours_exchanged(game)
    if game.conflict or game.score is None or exchanged.score is None or exchanged.score == game.score:
        return exchanged
    corrected = correct_result(exchanged, exchanged.score, game.reason)
    return replace(corrected, replaced=(*exchanged.replaced, game.score))


def _exchange_colours_alone(game: Game) -> Game:
    """Return the game as ledgers up to 0.3.0 have it: what was said of it stays as it was."""
    exchanged = replace(game, black=game.white, white=game.black)
    if game.score is None or game.score == game.score[::-1]:
        return exchanged
    return correct_result(exchanged, game.score[::-1], game.reason)


def _correct_score(tournament: Tournament, game: Game, score: tuple[int, int], reason: str) -> Game:
    """Return the game with this score as a correction, or unchanged if it has this score already."""
    check_score(tournament, score, reason)
    return game if (game.score, game.reason) == (score, reason) else correct_result(game, score, reason)


def _penalise(tournament: Tournament, game: Game, change: ScorePenalty) -> Game:
    if game.score is None:
        raise Refused("expected a game with a result, got one that is still being played", field="game")
    black, white = game.score
    player_discs = black if change.player == game.black else white
    if not 1 <= change.discs <= player_discs:
        raise Refused(
            "expected 1 to {own}, those that the player has, got {discs}",
            field="discs",
            own=player_discs,
            discs=change.discs,
        )
    taken = -change.discs if change.player == game.black else change.discs
    return _correct_score(tournament, game, (black + taken, white - taken), "ruled")


def _exchange_tables(tournament: Tournament, change: TablesExchanged) -> Tournament:
    index, game = game_of(tournament, change.round, change.player)
    other_index, other = game_of(tournament, change.round, change.other)
    if index == other_index:
        raise Refused(
            "expected a player of another game, got {other!r}", field="other", other=change.other[:80]
        )
    table, other_table = game.table or index + 1, other.table or other_index + 1
    new = {
        index: replace(game, table=other_table, table_is_its_place=False),
        other_index: replace(other, table=table, table_is_its_place=False),
    }
    return _with_games(tournament, change.round, new)


def _exchange_players(tournament: Tournament, change: PlayersExchanged, turns: bool) -> Tournament:
    round_ = _round(tournament, change.round)
    pair = {change.player, change.other}
    if len(pair) == 1:
        raise Refused("expected another player, got {other!r}", field="other", other=change.other[:80])
    if change.other not in {player.id for player in tournament.players}:
        raise Refused("expected the id of a player, got {other!r}", field="other", other=change.other[:80])
    if change.player not in round_.players:
        raise Refused(
            "expected a player with a game or bye in round {round}, got {player!r}",
            field="player",
            round=change.round,
            player=change.player[:80],
        )
    if any({*game.players} == pair for game in round_.games):
        raise Refused(
            "expected a player of another game. To exchange colours, choose “Exchange the colours”",
            field="other",
        )
    seat = {change.player: change.other, change.other: change.player}
    games = tuple(
        with_seats(game, seat)
        if turns
        else replace(game, black=seat.get(game.black, game.black), white=seat.get(game.white, game.white))
        for game in round_.games
    )
    byes = tuple(seat.get(player, player) for player in round_.byes)
    return tournament.with_round(change.round, replace(round_, games=games, byes=byes))


def _change_final(tournament: Tournament, change: FinalResultChanged) -> Tournament:
    if not 1 <= change.game <= len(tournament.finals):
        raise Refused(
            "expected 1 to {finals}, got {game}",
            field="game",
            finals=len(tournament.finals),
            game=change.game,
        )
    check_score(tournament, change.score, change.reason)
    index, old = change.game - 1, tournament.finals[change.game - 1]
    assert old.final is not None
    new = correct_result(old, old.in_seats(change.score, change.black), change.reason)
    new = with_black(replace(new, draw_win=change.draw_win), change.black)
    return replace(tournament, finals=(*tournament.finals[:index], new, *tournament.finals[index + 1 :]))


class GameChanged(msgspec.Struct, frozen=True):
    """A game of a round (from 1), or of the finals (None)."""

    round: int | None
    before: Game
    after: Game


class PlaceChanged(msgspec.Struct, frozen=True):
    """A player's line of the standings, if place, points or tie-breaks differ."""

    before: Standing
    after: Standing


class Effects(msgspec.Struct, frozen=True):
    """The effects of a change."""

    games: tuple[GameChanged, ...]
    places: tuple[PlaceChanged, ...]
    finals: bool = False  # the due games of playoffs and finals or the champions differ
    fault: Message | None = None  # the reason why finals cannot be computed


def effects_of(before: Tournament, after: Tournament) -> Effects:
    """Return the differences; the places in their new order."""
    games = [
        GameChanged(number, old, new)
        for number, (round_before, round_after) in enumerate(
            zip(before.rounds, after.rounds, strict=True), start=1
        )
        for old, new in zip(round_before.games, round_after.games, strict=True)
        if old != new
    ]
    finals = [
        GameChanged(None, old, new)
        for old, new in zip(before.finals, after.finals, strict=True)
        if old != new
    ]
    was = {line.player: line for line in standings(before)}
    difference = by_difference(after)
    places = [
        PlaceChanged(was[line.player], line)
        for line in standings(after)
        if _shown(was[line.player], difference) != _shown(line, difference)
    ]
    try:
        moved, fault = _finals_summary(before) != _finals_summary(after), None
    except FormatError as error:
        moved, fault = False, error.message
    return Effects((*games, *finals), tuple(places), moved, fault)


def _shown(line: Standing, difference: bool) -> tuple[object, ...]:
    return line.place, line.half_points, line.difference if difference else line.bq


def _finals_summary(tournament: Tournament) -> tuple[object, ...]:
    finals = finals_of(tournament)
    return [(match.key, match.players) for match in finals.due], finals.champions, finals.decided
