"""A table without disk, hub or screen: from the board's cable and the buttons' edges to the referee.

For tests and measurements of boards and hands; the real one is `table_app.loop.appliance`.
"""

from __future__ import annotations

from flagfall.othello.game import Game, Header
from flagfall.othello.inputs import Input, Press
from flagfall.othello.referee import judge, new_game
from simulator.table_socket import SeenError, TableSeen
from table_app.events import (
    BoardFault,
    BoardPresence,
    BoardShown,
    BoardStream,
    BoardTouched,
    ButtonEdge,
    Event,
    ScreenInput,
    player_at,
)
from table_app.game.board_view import BoardWatch
from table_app.game.sequencer import UNSETTLED_NS, Sequencer
from table_app.pins.buttons import Presses


class SimulatedDesk:
    """A sequencer and a referee over stamped events.

    `now_ns` is always an argument, so a measurement may run in its own time.
    """

    def __init__(self, header: Header) -> None:
        self.game: Game = new_game(header)
        self.inputs: list[Input] = []
        self.faults: list[BoardFault] = []
        self.board = BoardWatch()
        self._sequencer = Sequencer()
        self._presses = Presses()

    def take(self, event: Event, now_ns: int) -> None:
        """Take one event out of the inbox."""
        match event:
            case ButtonEdge():
                press = self._presses.edge(event)
                if press is not None:
                    self._sequencer.add(Press(press.at_ns, player_at(press.place, False)), now_ns)
            case BoardPresence():
                if event.ok:
                    self._sequencer.board_came(now_ns)
                else:
                    self._sequencer.board_went()
                self._sequencer.patience_ns = max(UNSETTLED_NS, event.patience_ns)
                self._add(self.board.came_or_went(event), now_ns)
            case BoardShown():
                self._add(self.board.take_position(event, self._sequencer.waiting), now_ns)
            case BoardTouched():
                self._add(self.board.touched(event), now_ns)
            case BoardStream(settled_to_ns):
                self._sequencer.board_settled(settled_to_ns - self.board.late_ns, now_ns)
                self._add(self.board.take_settled(settled_to_ns - self.board.late_ns), now_ns)
            case ScreenInput(input):
                self._add([input], now_ns)
            case BoardFault():
                self.faults.append(event)
            case _:
                raise TypeError(f"expected an event of board, buttons or screen, got {event}")

    def _add(self, inputs: list[Input], now_ns: int) -> None:
        for input in inputs:
            self._sequencer.add(input, now_ns)

    def turn(self, now_ns: int) -> None:
        """Judge everything whose turn has come."""
        for held in self._sequencer.take(now_ns):
            late = held.unseen and isinstance(held.input, Press) and self.game.clock.running is not None
            for event in (*(self.board.lose(held.input.at_ns) if late else ()), held.input):
                self.inputs.append(event)
                self.game = judge(self.game, event)

    def see(self) -> TableSeen:
        game = self.game
        errors = tuple(SeenError(error.type, error.by, error.state) for error in game.unsettled)
        return TableSeen(game.state, game.clock.running, errors)
