"""Tells people and hub of the table, from the parts that know it: the view for the screen, the status for the hub."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from flagfall.link.messages import Health, Status
from flagfall.link.trouble import trouble
from flagfall.othello.game import State
from flagfall.othello.message import Message
from table_app.board.setup import BoardSetup
from table_app.events import Part
from table_app.game.session import GameSession
from table_app.game.table_game import TableGame
from table_app.health.watch import HealthWatch
from table_app.hub_link.publisher import Publisher, colours, in_one_line
from table_app.loop.assignment import AssignmentKeeper
from table_app.table_view import Phase, Shows, TableView
from table_app.update.fetch import NoUpdates


@dataclass(slots=True)
class Telling:
    """Only the loop calls it. `told` is the device's state in one line; `connected`: the hub's broker is reached.
    `foreign_at`: the address at which another hub is, `hub_at`: where the hub should be."""

    table_game: TableGame
    assignment: AssignmentKeeper
    board_setup: BoardSetup
    health: HealthWatch
    updates: NoUpdates
    publisher: Publisher
    shows: Sequence[Shows]
    version: str
    view: TableView
    connected: bool = False
    status_line: str = ""
    foreign_at: str = ""
    hub_at: str = ""

    @property
    def fit(self) -> bool:
        """Return True if this table can be played at."""
        board, why = self.board_setup.trouble is None or not self.table_game.has_board, self.health.why
        return board and not (self.health.storage or why.get(Part.BUTTONS) or why.get(Part.SCREEN))

    def publish(self, buttons: tuple[Message, ...], now_ns: int) -> None:
        """Send and show the changes. `buttons` are the troubles of the buttons."""
        troubles = buttons + self.health.others
        status = self._status(troubles)
        self.status_line = in_one_line(status, self.connected)
        tournament, call = self.assignment.assigned.tournament, self.assignment.call
        self.publisher.publish(self.table_game.play, tournament, status, call, now_ns)
        view = self._viewed(troubles)
        if view != self.view:
            self.view = view
            for screen in self.shows:
                screen.show(view)

    def _status(self, troubles: tuple[Message, ...]) -> Status:
        """Return the status with the `troubles` of buttons, clock and screen."""
        assigned, answers = self.assignment.assigned, self.assignment.answers
        board = self.board_setup.trouble or self.table_game.unread
        storage, update = self.health.storage, self.updates.state
        parts = {"board": (board,), "clock": troubles, "storage": (storage,), "version": (update,)}
        return Status(
            online=True,
            version=self.version,
            health=Health(
                board=str(board or "ok"),
                clock=", ".join(map(str, troubles)) or "ok",
                storage=str(storage or "ok"),
                board_kind=self.board_setup.kind,
            ),
            fit=self.fit,
            answers={
                ruling: f"refused: {reply}" if isinstance(reply, Message) else reply
                for ruling, reply in answers.items()
            },
            refusals={
                ruling: reply.as_object() for ruling, reply in answers.items() if isinstance(reply, Message)
            },
            game=assigned.game_id or None,
            seat=assigned.seat,
            choice=colours(assigned),
            update=str(update or ""),
            start=self.assignment.start,
            disputed=self.assignment.disputed,
            troubles={
                name: [*map(Message.as_object, _single_troubles(part))]
                for name, part in parts.items()
                if any(part)
            },
        )

    def _viewed(self, troubles: tuple[Message, ...]) -> TableView:
        table_game, assignment, board_setup = self.table_game, self.assignment, self.board_setup
        play, watch, assigned = table_game.play, table_game.watch, assignment.assigned
        receipt = play.receipt if play is not None else None
        storage = self.health.storage
        return TableView(
            phase=Phase.ASSIGNED if assigned.choice is not None else phase_of(play),
            game=table_game.shown,
            game_id=play.game_id if play else "",
            tournament=assigned.tournament,
            seat=assigned.seat,
            board_present=bool(watch.present),
            # The director of a tournament says whether its games have boards.
            board_missing=not watch.present and (assigned.tournament != "" or board_setup.missing),
            board_asks=board_setup.asks,
            board_uncalibrated=board_setup.uncalibrated,
            board_blind=board_setup.blind,
            board_kind=board_setup.kind,
            board_setup=board_setup.view,
            wrong_start_squares=watch.wrong_start_squares(play.game if play else None),
            link_connected=self.connected,
            foreign_hub_at=self.foreign_at,
            refused_by_hub=receipt.why if receipt is not None and not receipt.accepted else "",
            storage_ok=not storage,
            call_wanted=assignment.call.wanted,
            messages=(
                *self.health.damage,
                *troubles,
                *filter(None, (storage, board_setup.blind, board_setup.flooded, table_game.unread)),
                *((trouble("foreign_hub", at=self.foreign_at),) if self.foreign_at else ()),
            ),
            no_buttons=self.health.why.get(Part.BUTTONS),
            twin=assignment.twin,
            swapped=assignment.swapped,
            uncertain_ns=play.uncertain_ns if play else 0,
            pressed_too_early=table_game.pressed_too_early,
            closed_unsigned=play is not None and play.closed,
            scored=assigned.scored and play is not None and play.game_id == assigned.game_id,
            choice=assigned.choice,
            choice_until_ns=assignment.choice_until_ns if assigned.choice is not None else None,
            names=assignment.names,
            choosing=assigned.header if assigned.choice is not None else None,
        )


def _single_troubles(troubles: Iterable[Message | None]) -> Iterator[Message]:
    """Yield each trouble; of one that is made of several, those."""
    for message in filter(None, troubles):
        several = [value for value in message.values.values() if isinstance(value, tuple)]
        yield from (part for part in several[0] if isinstance(part, Message)) if several else (message,)


def phase_of(play: GameSession | None) -> Phase:
    """Return the phase of the table with this game."""
    if play is None:
        return Phase.IDLE
    if not play.game.over:
        return Phase.ASSIGNED if play.game.state is State.WAITING else Phase.PLAYING
    if play.receipt is not None:
        return Phase.RECEIVED if play.receipt.accepted else Phase.SENT
    return Phase.SENT if play.outcome is not None and play.outcome.id in play.sent else Phase.FINISHED
