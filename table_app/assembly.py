"""The parts of one table, connected to what is given to them. Nothing runs yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flagfall.link.identity import ALONE, Identity
from flagfall.link.keys import fingerprint
from flagfall.othello.game import Game, Header
from flagfall.othello.side import Side
from table_app.board.port import BoardPort
from table_app.board.setup import BoardSetup, Orientations
from table_app.events import Answered, Inbox
from table_app.game.table_game import TableGame
from table_app.health.watch import HealthWatch
from table_app.hub_link.sender import Publisher, Sender
from table_app.judge_pin import FILE_NAME as JUDGE_PIN
from table_app.log import Log
from table_app.loop.appliance import Appliance, Telling
from table_app.loop.assignment import AssignmentKeeper
from table_app.record.journal import JournalWriter
from table_app.record.state_dir import StateDirectory
from table_app.settings import Settings
from table_app.table_view import Shows, TableView
from table_app.timebase import Timebase
from table_app.update.fetch import NoUpdates


@dataclass(frozen=True, slots=True)
class Adapters:
    """The parts and settings from which a table is put together."""

    inbox: Inbox
    instants: Timebase
    identity: Identity
    state: StateDirectory
    recorder: JournalWriter
    sender: Sender
    board: BoardPort
    log: Log
    shows: tuple[Shows, ...] = ()
    orientations: Orientations = field(default_factory=lambda: Orientations({}))
    updates: NoUpdates = field(default_factory=NoUpdates)
    # receives the device's state in one line at each turn, at least once a second
    turned: Callable[[str], None] = lambda line: None
    # called when a player asks to hear the clocks
    spoken: Callable[[Side, Game | None, int], None] = lambda side, game, now_ns: None
    # keeps the settings chosen on the screen
    keep_settings: Callable[[Settings], None] = lambda settings: None
    version: str = ""
    # The random token of this start, by which the hub knows two devices with one identity.
    start: str = ""
    board_expected: bool = False  # the configuration names a board
    swapped: bool = False  # Black usually sits at White's button
    local_header: Header | None = None  # the header of games that no hub assigns; None at a hub's table


def put_together(adapters: Adapters) -> Appliance:
    state, recorder, sender, inbox = adapters.state, adapters.recorder, adapters.sender, adapters.inbox
    health = HealthWatch(adapters.log)
    board_setup = BoardSetup(adapters.board, adapters.orientations, adapters.board_expected)
    table_game = TableGame(
        state=state,
        recorder=recorder,
        board=adapters.board,
        answered=lambda ruling_id, answer: inbox.put(Answered(ruling_id, answer)),
    )
    assignment = AssignmentKeeper(
        state=state,
        recorder=recorder,
        sender=sender,
        table_game=table_game,
        board_setup=board_setup,
        log=adapters.log,
        damaged=health.damaged,
        swapped=adapters.swapped,
        local_header=adapters.local_header,
        device=adapters.identity.device,
        start=adapters.start,
    )
    telling = Telling(
        table_game,
        assignment,
        board_setup,
        health=health,
        updates=adapters.updates,
        publisher=Publisher(adapters.identity, sender, recorder),
        shows=adapters.shows,
        version=adapters.version,
        view=TableView(swapped=adapters.swapped),
        table_key="" if adapters.identity.device == ALONE else fingerprint(adapters.identity.public),
    )
    return Appliance(
        inbox,
        adapters.instants,
        adapters.identity,
        adapters.log,
        health,
        board_setup=board_setup,
        table_game=table_game,
        assignment=assignment,
        telling=telling,
        turned=adapters.turned,
        spoken=adapters.spoken,
        keep_settings=adapters.keep_settings,
        keep_pin=lambda pin: recorder.replace(state.path / JUDGE_PIN, pin.encode() + b"\n"),
    )
