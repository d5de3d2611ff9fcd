"""The effects of an exchange of colours or players on all that is remembered about a game.

Everything that was said of a game was said of two players and their colours. With the colours it turns: each player
keeps the discs that were said of them. With a player it goes: nobody has said or signed what somebody else did who sat
there. Scores and moves stay with the seats, because the director says that others played this very game. A board that
was photographed shows black and white discs, whoever had them: it turns with nothing, and goes with the report.

A new field of `Game` that holds a score, a side or somebody's word belongs here.
"""

from __future__ import annotations

from collections.abc import Mapping

from flagfall.base.value import replace
from hub.model.games import Claim, Game, Reported

_OTHER_SIDE = {"black": "white", "white": "black"}


def with_colours_exchanged(game: Game) -> Game:
    """Return the game of the same two players the other way round. Each keeps their discs, report and signature."""
    return replace(
        game,
        black=game.white,
        white=game.black,
        score=_turned(game.score),
        entered=_turned(game.entered),
        replaced=tuple(score[::-1] for score in game.replaced),
        claim=None if game.claim is None else _turned_claim(game.claim),
        reported=None if game.reported is None else _turned_report(game.reported),
    )


def with_other_colours_drawn(game: Game) -> Game:
    """Return the game whose players have drawn the other colours than those of the assignment, or than is on record."""
    return replace(with_colours_exchanged(game), exchanged=not game.exchanged)


def with_black(game: Game, black: str | None) -> Game:
    """Return the game after a result has said who had Black: a player's id, "" if no colours were drawn, None if it
    says nothing of them."""
    if black is None:
        return game
    drawn = with_other_colours_drawn(game) if black == game.white else game
    return replace(drawn, drawn=bool(black))


def with_seats(game: Game, seat: Mapping[str, str]) -> Game:
    """Return the game with others in the seats of its players; `seat` maps who leaves to who comes.

    Reports go, also that of a player who stays: it was about a game against somebody else. A score that counted by them
    stays with the seats as the director's decision. An open conflict with a typed score stays open.
    """
    black, white = seat.get(game.black, game.black), seat.get(game.white, game.white)
    if (black, white) == game.players:
        return game
    draw_win = None if game.draw_win is None else seat.get(game.draw_win, game.draw_win)
    entered_black = seat.get(game.entered_black, game.entered_black)
    tapped = game.tapped
    if tapped is not None and tapped.player not in (black, white):
        tapped = replace(tapped, player="")
    new = replace(
        game, black=black, white=white, draw_win=draw_win, entered_black=entered_black, tapped=tapped
    )
    if game.reported is not None:
        stays = black == game.black, white == game.white
        signed = (game.reported.signed[0] and stays[0], game.reported.signed[1] and stays[1])
        return replace(new, claim=None, reported=replace(game.reported, signed=signed))
    if game.claim is None:
        return new
    new = replace(new, claim=None, conflict=game.conflict and game.entered is not None)
    if game.score is not None and game.entered is None:
        new = replace(new, entered=game.score, decided=True)
    return new


def _turned(score: tuple[int, int] | None) -> tuple[int, int] | None:
    return None if score is None else score[::-1]


def _turned_claim(claim: Claim) -> Claim:
    return replace(
        claim,
        score=claim.score[::-1],
        by=claim.by[::-1],
        other=_turned(claim.other),
        at_tablet=claim.at_tablet[::-1],
    )


def _turned_report(reported: Reported) -> Reported:
    """Return the table's result in the game's colours; `players` stay as the table has signed them."""
    return replace(
        reported,
        score=reported.score[::-1],
        winner=_OTHER_SIDE.get(reported.winner or "", reported.winner),
        signed=reported.signed[::-1],
    )
