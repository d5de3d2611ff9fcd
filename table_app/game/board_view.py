"""The table's knowledge of its board between events, and the inputs about it that the game still needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flagfall.link.board.messages import BoardKind
from flagfall.othello.board import START, Position
from flagfall.othello.game import Game, State
from flagfall.othello.inputs import BoardState, Input, Press, Shown, Touch
from table_app.events import BoardPresence, BoardShown, BoardTouched

# How late the board may date a change: the time of one scan, and the uncertainty of its clock.
#
# All its events are therefore dated so much earlier: nobody is accused because of a press right after the
# last flip, and no opponent because of a disc right after a press.
SCAN_LATE_NS = 12_000_000


@dataclass(slots=True)
class BoardWatch:
    """The state of the board as its driver last reported it."""

    present: bool | None = None  # None before the driver's first report; no input is made before that
    position: Position | None = None
    kind: int = BoardKind.SENSORS
    # How late this board may name a change.
    late_ns: int = SCAN_LATE_NS
    _came_ns: int = 0
    _told_ns: int = -1
    _news_ns: int = -1
    _game_knows_ok: bool = True
    _game_knows: Position | None = START

    def came_or_went(self, event: BoardPresence) -> list[Input]:
        self.present = event.ok
        # The position from before says nothing about the present one.
        self.position = None
        if not event.ok:
            # Of what happened since its last word it tells no more.
            return self._news(min(event.at_ns, max(self._told_ns, self._news_ns) + 1))
        self.kind, self.late_ns = event.kind, max(SCAN_LATE_NS, event.late_ns)
        self._came_ns = event.at_ns
        return self._news(event.at_ns)

    def take_position(self, event: BoardShown, waiting: Iterable[Input] = ()) -> list[Input]:
        """Return the inputs of a changed position. `waiting` holds recent inputs that are not judged yet."""
        since_ns = event.unknown_since_ns
        # What it told before the gap comes first, also where that is dated the same.
        lost = [] if since_ns is None else self.lose(max(self._happened_ns(since_ns), self._news_ns + 1))
        hidden_ns, until_ns = event.hidden_since_ns, event.at_ns - self.late_ns
        if hidden_ns is not None and any(
            isinstance(input, Press) and hidden_ns < input.at_ns < until_ns for input in waiting
        ):
            # A press while the board was hidden is not judged by the board. What was seen last is dated exactly, not
            # late.
            lost += self.lose(hidden_ns)
        self.position = event.position
        at_ns = self._happened_ns(event.at_ns)
        uncertain_ns = event.at_ns + event.early_ns - at_ns
        return lost + self._news(at_ns, uncertain_ns if uncertain_ns > SCAN_LATE_NS else 0)

    def touched(self, event: BoardTouched) -> list[Input]:
        return [Touch(self._happened_ns(event.at_ns), event.square, event.contact)]

    def _happened_ns(self, told_ns: int) -> int:
        return max(told_ns - self.late_ns, self._came_ns)

    def lose(self, at_ns: int) -> list[Input]:
        """Return the loss of the board at this instant: the game counts it as lost until it reports again."""
        if not self._game_knows_ok:
            return []
        self._game_knows_ok, self._game_knows = False, None
        return [BoardState(at_ns, False)]

    def take_settled(self, settled_to_ns: int) -> list[Input]:
        """Return the inputs after a report up to this instant; the board is present again for a game to which
        it was lost."""
        self._told_ns = settled_to_ns
        return [] if self._game_knows_ok else self._news(settled_to_ns)

    def inform(self, game: Game, at_ns: int) -> list[Input]:
        """Return the inputs from which this game learns the board's present state."""
        self._game_knows_ok, self._game_knows = game.board_ok, game.shown
        return self._news(at_ns)

    def _news(self, at_ns: int, uncertain_ns: int = 0) -> list[Input]:
        news: list[Input] = []
        if self.present is not None and self.present != self._game_knows_ok:
            self._game_knows_ok = self.present
            news.append(BoardState(at_ns, self.present))
        if self.present and self.position is not None and self.position != self._game_knows:
            self._game_knows = self.position
            news.append(Shown(at_ns, self.position, uncertain_ns))
        if news:
            self._news_ns = at_ns
        return news

    def wrong_start_squares(self, game: Game | None) -> int:
        """Return the squares that do not show the start position, while the game waits for its start."""
        if (
            game is None
            or game.state is not State.WAITING
            or not game.header.sensors
            or self.position is None
        ):
            return 0
        return game.start.differences(self.position) | self.position.unknown
