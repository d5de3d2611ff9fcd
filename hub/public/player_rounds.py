"""One player's rounds in a tournament: opponents, results, and the present table."""

from __future__ import annotations

from dataclasses import dataclass

from hub.model.games import Game
from hub.overview import final_of
from hub.record.state import TournamentState

GAME = "game"
BYE = "bye"


@dataclass(frozen=True)
class Meeting:
    """A game or a bye from the side of one player."""

    player: str
    round: int
    # None for a bye.
    game: Game | None = None

    @property
    def kind(self) -> str:
        """GAME or BYE."""
        return BYE if self.game is None else GAME

    @property
    def colour(self) -> str:
        """The player's colour, "open_colour" before it is drawn or chosen at the table, "" in a bye."""
        if self.game is None:
            return ""
        if self.game.colours_open:
            return "open_colour"
        return "black" if self.side == 0 else "white"

    @property
    def side(self) -> int:
        """The player's place among the two of the game, 0 or 1."""
        return 0 if self.game is None or self.game.black == self.player else 1

    @property
    def opponent(self) -> str:
        """The opponent's id, "" in a bye."""
        if self.game is None:
            return ""
        return self.game.players[1 - self.side]

    @property
    def score(self) -> tuple[int, int] | None:
        """The player's discs and the opponent's, None while the game is being played."""
        if self.game is None or self.game.score is None:
            return None
        return self.game.score if self.side == 0 else self.game.score[::-1]

    @property
    def final(self) -> tuple[str, str] | None:
        """Title and stage of a game of the finals."""
        return None if self.game is None else final_of(self.game)

    @property
    def draw_win(self) -> bool | None:
        """Return whether the player wins a draw, None if nobody does."""
        draw_win = None if self.game is None else self.game.draw_win
        return None if draw_win is None else draw_win == self.player


def meetings_of(state: TournamentState, player: str) -> tuple[Meeting, ...]:
    """Return the player's rounds in their order, then their finals."""
    meetings = [
        Meeting(player, number)
        for number, round_ in enumerate(state.tournament.rounds, 1)
        if player in round_.byes
    ]
    games = [game for game in state.games.values() if player in game.players]
    meetings += [Meeting(player, game.round, game) for game in games if game.final is None]
    meetings.sort(key=lambda meeting: meeting.round)
    return (*meetings, *(Meeting(player, game.round, game) for game in games if game.final is not None))


def present_meeting(state: TournamentState, player: str) -> Meeting | None:
    """Return the player's present game or bye, or None if the player has neither."""
    games = [game for game in state.present_games if player in game.players]
    open_games = [game for game in games if game.score is None]
    if open_games or games:
        game = (open_games or games)[-1]
        return Meeting(player, game.round, game)
    rounds = state.tournament.rounds
    return Meeting(player, len(rounds)) if rounds and player in rounds[-1].byes else None
