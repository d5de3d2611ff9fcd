"""The act of a scribe's link: somebody beside the board may tap the moves of one game."""

from __future__ import annotations

from typing import Annotated

import msgspec

from flagfall.base.value import replace
from flagfall.ledger.entry import Entry
from hub.fields import ShortText
from hub.model.games import Game, ScribeLink
from hub.record.acts.act import Act
from hub.record.doors import AtDoor, Form, Hubs
from hub.record.state import TournamentState
from hub.role import Role
from hub.text import AlreadyDone, Refused, UnknownGame


class ScribeSet(Act, frozen=True, kw_only=True):
    """A scribe gets a link to tap the moves of one game, gets another one, or has it no more.

    The address of this number counts alone, or none (`active` false).
    """

    TYPE = "scribe_set"
    CAN_BE_UNDONE = False
    ROLE = Role.ASSISTANT
    FORMS = (
        Form(path="game/{game}/scribe", page="game", sets={"active": True}),
        Form(path="game/{game}/unscribe", page="game", sets={"active": False}, sure=True),
    )
    # It names table and round: a table of the finals has the round before them, too.
    game: Annotated[str, AtDoor(ShortText)]
    number: Hubs[int] = 0
    active: bool = True

    def ready(self, state: TournamentState) -> ScribeSet:
        game = state.games.get(self.game)
        if game is None:
            raise UnknownGame("expected a game of this event, got {game!r}", field="game", game=self.game)
        if not self.active and not game.has_scribe:
            raise AlreadyDone("expected a change, got none", field="game")
        if self.active and not may_be_written(state, game):
            raise Refused("{where}: the game has been played", where=game.where)
        number = 1 if game.scribe is None else game.scribe.number + 1
        return msgspec.structs.replace(self, number=number)

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        if self.game in state.former_games:
            return state  # its publishing was taken back
        game = state.games.get(self.game)
        if game is None:
            raise Refused("expected a game of this event, got {game!r}", field="game", game=self.game[:80])
        least = 1 if game.scribe is None else game.scribe.number
        if self.number < least:
            raise Refused(
                "expected a number from {least}, got {number}",
                field="number",
                least=least,
                number=self.number,
            )
        return state.with_game(replace(game, scribe=ScribeLink(self.number, self.active)))


def may_be_written(state: TournamentState, game: Game) -> bool:
    """Return whether a scribe may get a link for this game: it stands at the tables, without a result."""
    return game.id in state.present and game.score is None and not state.closed and not state.away
