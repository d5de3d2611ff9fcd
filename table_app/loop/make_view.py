"""Makes what is told of the table from the parts that know it: the view for the screen, the status for the hub."""

from __future__ import annotations

from collections.abc import Iterator

from link.messages import Health, Status
from link.trouble import Trouble
from othello.game import State
from othello.refusals import Refusal
from table_app.board.setup import BoardSetup
from table_app.game.session import GameSession
from table_app.game.table_game import TableGame
from table_app.hub_link.publisher import colours
from table_app.loop.assignment import AssignmentKeeper
from table_app.loop.view import Phase, TableView


def status_of(
    assignment: AssignmentKeeper,
    board_setup: BoardSetup,
    *,
    version: str,
    fit: bool,
    storage: Trouble | None,
    troubles: tuple[Trouble, ...],
    update: Trouble | None,
) -> Status:
    """`troubles`: those of buttons, clock and screen."""
    assigned, board = assignment.assigned, board_setup.trouble
    parts = {"board": (board,), "clock": troubles, "storage": (storage,), "version": (update,)}
    return Status(
        online=True,
        version=version,
        health=Health(
            board=str(board or "ok"),
            clock=", ".join(map(str, troubles)) or "ok",
            storage=str(storage or "ok"),
            board_kind=board_setup.kind,
        ),
        fit=fit,
        answers={
            ruling: f"refused: {said}" if isinstance(said, Refusal) else said
            for ruling, said in assignment.answers.items()
        },
        refusals={
            ruling: said.as_object()
            for ruling, said in assignment.answers.items()
            if isinstance(said, Refusal)
        },
        game=assigned.game_id or None,
        seat=assigned.seat,
        choice=colours(assigned),
        update=str(update or ""),
        troubles={
            name: [*map(Trouble.as_object, _single(found))] for name, found in parts.items() if any(found)
        },
    )


def _single(troubles: tuple[Trouble | None, ...]) -> Iterator[Trouble]:
    """Each of them; of one that is made of several, those."""
    for one in filter(None, troubles):
        several = [value for _, value in one.places if isinstance(value, tuple)]
        yield from several[0] if several else (one,)


def viewed(
    table_game: TableGame,
    assignment: AssignmentKeeper,
    board_setup: BoardSetup,
    *,
    connected: bool,
    storage_ok: bool,
    messages: tuple[Trouble, ...],
    no_buttons: Trouble | None,
) -> TableView:
    play, watch, assigned = table_game.play, table_game.watch, assignment.assigned
    receipt = play.receipt if play is not None else None
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
        link_connected=connected,
        refused_by_hub=receipt.why if receipt is not None and not receipt.accepted else "",
        storage_ok=storage_ok,
        call_wanted=assignment.call.wanted,
        messages=messages,
        no_buttons=no_buttons,
        swapped=assignment.swapped,
        uncertain_ns=play.uncertain_ns if play else 0,
        pressed_too_early=table_game.pressed_too_early,
        closed_unsigned=play is not None and play.closed,
        choice=assigned.choice,
        choice_until_ns=assignment.choice_until_ns if assigned.choice is not None else None,
        names=assignment.local.names,
        choosing=assigned.header if assigned.choice is not None else None,
    )


def phase_of(play: GameSession | None) -> Phase:
    """The phase of the table with this game."""
    if play is None:
        return Phase.IDLE
    if not play.game.over:
        return Phase.ASSIGNED if play.game.state is State.WAITING else Phase.PLAYING
    if play.receipt is not None:
        return Phase.RECEIVED if play.receipt.accepted else Phase.SENT
    return Phase.SENT if play.outcome is not None and play.outcome.id in play.sent else Phase.FINISHED
