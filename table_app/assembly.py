"""The parts of one table, connected to what is given to them. Nothing runs yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from link.identity import Identity
from othello.game import Game, Header
from othello.side import Side
from table_app.board.orientation import Orientations
from table_app.board.port import BoardPort
from table_app.board.setup import BoardSetup
from table_app.events import Answered, Inbox
from table_app.game.table_game import TableGame
from table_app.health.watch import HealthWatch
from table_app.hub_link.publisher import Publisher
from table_app.hub_link.sender import Sender
from table_app.judge_pin import FILE_NAME as JUDGE_PIN
from table_app.log import Log
from table_app.loop.appliance import Appliance
from table_app.loop.assignment import AssignmentKeeper
from table_app.loop.telling import Telling
from table_app.record.state_dir import StateDirectory
from table_app.record.writer import JournalWriter
from table_app.settings import Settings
from table_app.table_view import Shows, TableView
from table_app.timebase import Timebase
from table_app.update.fetch import NoUpdates


@dataclass(frozen=True, slots=True)
class Adapters:
    """What a table reaches the world by. `turned` receives the device's state in one line at each turn, at least once a
    second; `spoken` is called when a player asks to hear the clocks, `keep_settings` keeps those chosen on the
    screen.

    And what its configuration says: `board_expected`: it names a board; `swapped`: Black usually sits at White's
    button; `local_header`: that of games that no hub assigns, None at a hub's table.
    """

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
    turned: Callable[[str], None] = lambda told: None
    spoken: Callable[[Side, Game | None, int], None] = lambda side, game, now_ns: None
    keep_settings: Callable[[Settings], None] = lambda settings: None
    version: str = ""
    start: str = ""
    """The random token of this start, by which the hub knows two devices with one identity."""
    board_expected: bool = False
    swapped: bool = False
    local_header: Header | None = None


def put_together(given: Adapters) -> Appliance:
    state, recorder, sender, inbox = given.state, given.recorder, given.sender, given.inbox
    health = HealthWatch(given.log)
    board_setup = BoardSetup(given.board, given.orientations, given.board_expected)
    table_game = TableGame(
        state=state,
        recorder=recorder,
        board=given.board,
        answered=lambda ruling_id, answer: inbox.put(Answered(ruling_id, answer)),
    )
    assignment = AssignmentKeeper(
        state=state,
        recorder=recorder,
        sender=sender,
        table_game=table_game,
        board_setup=board_setup,
        log=given.log,
        damaged=health.damaged,
        swapped=given.swapped,
        local_header=given.local_header,
        device=given.identity.device,
        start=given.start,
    )
    telling = Telling(
        table_game,
        assignment,
        board_setup,
        health=health,
        updates=given.updates,
        publisher=Publisher(given.identity, sender, recorder),
        shows=given.shows,
        version=given.version,
        view=TableView(swapped=given.swapped),
    )
    return Appliance(
        inbox,
        given.instants,
        given.identity,
        given.log,
        health,
        board_setup=board_setup,
        table_game=table_game,
        assignment=assignment,
        telling=telling,
        turned=given.turned,
        spoken=given.spoken,
        keep_settings=given.keep_settings,
        keep_pin=lambda pin: recorder.replace(state.path / JUDGE_PIN, pin.encode() + b"\n"),
    )
