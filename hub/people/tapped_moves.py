"""Moves that players tap on their own pages once their game is over: which games, by whom, and what is recorded.

No player has the board while a game of theirs is played. What was kept is on record at once, so either player goes on
with it later. Who keeps moves after the other has kept some is told so first, unless theirs only go on.
"""

from __future__ import annotations

import msgspec

from hub.desk.forms import shown_key
from hub.model.games import Game, Score, TappedMoves, players_results
from hub.model.players import printable
from hub.record.events import TranscriptEntered
from hub.record.state import TournamentState
from hub.record.typed_moves import are_unfinished, read_moves, scores_that_differ
from hub.rulebook import rules_of
from hub.text import AlreadyDone, Refused


class MovesToTap(msgspec.Struct, frozen=True, kw_only=True):
    """The moves of a game as the page of one of its players shows them."""

    game: Game
    # What stands in the field: the moves on record, or those that a player has kept beside it.
    moves: str
    # The id of the player who kept them, "" if nobody has.
    by: str
    # The moves that were set up before the start.
    opening: str
    # The key of what the page shows.
    shown: str
    # How the moves end and the result, with the player's own discs first, where they differ.
    differs: tuple[Score, Score] | None
    # They lie beside the record until the other player has kept the same.
    waits: bool


class TappedForm(msgspec.Struct, frozen=True, kw_only=True):
    """The moves of a game as a player's form has them."""

    game: str
    moves: str
    # The key of the moves as the page has shown them.
    shown: str


def is_over_for(game: Game, player: str) -> bool:
    """Return whether a player's game is over: it has a result, or the opponent has reported one. Their own report alone
    opens no board for them."""
    if game.score is not None:
        return True
    return any(other != player for other in players_results(game)) and not game.asks_black


def may_tap(state: TournamentState, player: str, game: str) -> bool:
    """Return whether a player may keep the moves of this game: it is theirs and over, and neither its table nor an
    operator, a scribe or a file has given them to the end."""
    entry = state.games.get(game)
    if entry is None or player not in entry.players or state.closed or entry.is_no_show:
        return False
    others = bool(entry.table_moves) or (
        bool(entry.transcript and not entry.typed_by) and not are_unfinished(entry)
    )
    return is_over_for(entry, player) and not others


def plays_now(state: TournamentState, player: str) -> bool:
    """Return whether a game of the player has begun and is not over."""
    mine = (game for game in state.present_games if player in game.players)
    return any(state.is_started(game.id) and not is_over_for(game, player) for game in mine)


def moves_to_tap(state: TournamentState, player: str, game: str) -> MovesToTap | None:
    """Return the moves of a game for its player's page, None while the player may have no board."""
    if not may_tap(state, player, game) or plays_now(state, player):
        return None
    entry = state.games[game]
    tapped = entry.tapped
    moves, by = (entry.typed_moves, entry.typed_by) if tapped is None else (tapped.moves, tapped.player)
    differs = scores_that_differ(entry, moves, rules_of(state.tournament).law)
    if differs is not None and entry.white == player:
        differs = differs[0][::-1], differs[1][::-1]
    return MovesToTap(
        game=entry,
        moves=moves,
        by=by,
        opening=_opening(entry),
        shown=_shown(entry),
        differs=differs,
        waits=tapped is not None,
    )


def decide_moves(state: TournamentState, player: str, form: TappedForm) -> TranscriptEntered:
    """Return the entry of moves that a player keeps. Refused if they are not theirs to keep, or the page had not shown
    what stands now; AlreadyDone if the record has them."""
    game = state.games.get(form.game)
    if game is None or player not in game.players or not is_over_for(game, player):
        raise Refused("You can tap the moves when your game is over.", field="moves")
    moves = _read(form.moves, _opening(game))
    sees_all = form.shown == _shown(game)
    law = rules_of(state.tournament).law
    mine = game.tapped == TappedMoves(moves, player) and scores_that_differ(game, moves, law) is not None
    known = game.typed_moves == moves or (not sees_all and game.typed_moves.startswith(moves))
    if mine or (game.tapped is None and known):
        raise AlreadyDone("That was noted already.", field="moves")
    goes_on = game.tapped is None and moves.startswith(game.typed_moves)
    if not may_tap(state, player, form.game) or not (sees_all or goes_on):
        raise Refused("This game has changed in the meantime. Look at it as it is now, then try again.")
    return TranscriptEntered(game=game.id, transcript=moves, player=player)


def _read(text: str, opening: str) -> str:
    """Return the moves of a text. Refused in a player's words if a move cannot be read, or there is none."""
    moves = read_tapped(text, opening)
    if moves == opening:
        raise Refused("Move {number} cannot be played: {said}.", number=len(moves) // 2 + 1, said="–")
    return moves


def read_tapped(text: str, opening: str) -> str:
    """Return the moves of a text, those of the opening first. Refused in a player's words if one cannot be read."""
    try:
        return read_moves(text, opening) or opening
    except Refused as fault:
        values = fault.message.values
        square = printable(str(values.get("square", values.get("said", "…"))))
        number = int(str(values.get("number", 1)))
        raise Refused("Move {number} cannot be played: {said}.", number=number, said=square) from None


def _opening(game: Game) -> str:
    return game.conditions.opening if game.conditions is not None else ""


def _shown(game: Game) -> str:
    """Return the key of what a page shows of the moves: who played, those on record and beside it, and the result."""
    claimed = None if game.claim is None else game.claim.score
    return shown_key((*game.players, game.typed_moves, game.tapped, game.score, claimed))
