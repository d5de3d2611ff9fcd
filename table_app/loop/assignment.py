"""The assignment of this table: its game, its players' seats and its calls, by the hub's orders or as local games."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from flagfall.base.errors import Invalid
from flagfall.base.message import Message
from flagfall.base.trouble import trouble
from flagfall.link.messages import (
    RECORD_ALONE,
    Assignment,
    Call,
    Receipt,
    RecordHead,
    RulingMessage,
    Sessions,
    session_code,
)
from flagfall.othello.game import SECOND_NS, Header, State
from flagfall.othello.gamefile import header_object
from flagfall.othello.inputs import Note, Start
from flagfall.othello.refusals import refusal
from table_app.board.setup import BoardSetup
from table_app.game.table_game import TableGame
from table_app.health.watch import as_remark
from table_app.hub_link.incoming import Order, assigned, ruling_input
from table_app.hub_link.sender import Sender
from table_app.local_game import (
    LOCAL_FILE,
    LocalKept,
    LocalSetup,
    between_games,
    read_local,
    setup_of,
    sides_may_swap,
    with_names,
)
from table_app.log import Log
from table_app.record.journal import JournalWriter
from table_app.record.state_dir import KeptTable, StateDirectory
from table_app.table_assignment import TableAssignment


class AssignmentKeeper:
    """Only the loop calls it. `answers`: ruling id -> a refusal, or what `Status.answers` says. `choice_until_ns`: by
    when the colours should be chosen (`woc-2019` IV.9); later it is only reported that the time is over.
    `local`: what is kept of games without a hub."""

    def __init__(
        self,
        *,
        state: StateDirectory,
        recorder: JournalWriter,
        sender: Sender,
        table_game: TableGame,
        board_setup: BoardSetup,
        log: Log,
        damaged: Callable[[Message], None],
        swapped: bool,
        local_header: Header | None,
        device: str = "",
        start: str = "",
    ) -> None:
        """Begin with the assignment that was kept.

        `swapped`: Black usually sits at White's button. `local_header` is the header of games that no hub
        assigns, None at a hub's table. `damaged` is called with each part of the record that cannot be read;
        `start` is the token of this start.
        """
        self._device, self.start = device, start
        self.twin: Message | None = None
        self.disputed = False
        self._sessions_seq = -1
        self._state = state
        self._recorder = recorder
        self._sender = sender
        self._table_game = table_game
        self._board_setup = board_setup
        self._log = log
        self._damaged = damaged
        self._local_header = local_header
        self._local_path = state.path / LOCAL_FILE
        self.local = LocalKept() if local_header is None else read_local(self._local_path)
        self._usually_swapped = self.swapped = swapped
        self.assigned = TableAssignment(-1)
        self.choice_until_ns: int | None = None
        self._choice_of = ""
        self.call = Call(wanted=False)
        # The head of a record that the hub told last.
        self.record: RecordHead | None = None
        self.answers: dict[str, Message | str] = {}

    def restore(self, kept: KeptTable, now_ns: int) -> None:
        """Resume at the end of the record."""
        for why in kept.damage:
            self._damaged(why)
        if kept.swapped is not None:
            self.swapped = kept.swapped
        if kept.assigned is not None:
            self.assigned = kept.assigned
            if kept.assigned.hub_host:
                self._sender.add_host(kept.assigned.hub_host)
            self._take_on(kept.assigned, now_ns)
        if self._local_header is not None:
            self._restore_local(self._local_header, now_ns)

    def _restore_local(self, usual: Header, now_ns: int) -> None:
        """Resume a game that has begun, and a game set up on the screen unless the configuration has changed since."""
        configured = header_object(usual)
        if configured != self.local.usual:
            self._keep_local(LocalKept(self.local.names, configured))
        elif self._table_game.play is not None and not self.assigned.tournament:
            self._local_header = setup_of(self._table_game.play.game.header, self.swapped).header(usual)
            return
        play = self._table_game.play
        if play is None or (play.game.state is State.WAITING and not play.timed):
            self.begin_local_game(now_ns)

    def _keep_local(self, kept: LocalKept) -> None:
        self.local = kept
        self._recorder.replace(self._local_path, kept.content())

    # -- orders of the hub

    def take_order(self, order: Order, now_ns: int) -> None:
        """Carry out an order of the hub. BadMessage names the field that is wrong."""
        match order:
            case Assignment():
                if order.sessions is not None:
                    self._heed_sessions(order.sessions)
                self._assign(assigned(order), now_ns)
            case Receipt() if order.again:
                self._log.warning("the hub asks again", id=order.id, why=order.why)
                self._sender.again(order.id)
            case Receipt():
                if order.record is not None:
                    self._sender.record_grew(order.record)
                    self.record = order.record
                if order.id != RECORD_ALONE:
                    self._receipt(order)
            case RulingMessage():
                self._rule(order, now_ns)

    def leave_foreign_hub(self) -> None:
        """Look for the hub elsewhere, because another one answers here."""
        self._sender.leave_host()

    def _heed_sessions(self, sessions: Sessions) -> None:
        """Follow the hub's word on two devices with one identity: nobody signs here, and one of the two leaves."""
        if sessions.seq <= self._sessions_seq or not self.start:
            return
        self._sessions_seq = sessions.seq
        device, code = self._device, session_code(self.start)
        self.disputed = self.start in sessions.disputed
        self.twin = trouble("two_devices", device=device, code=code) if self.disputed else None
        if self.start in sessions.aside:
            self.twin = trouble("set_aside", device=device, code=code)
            self._sender.leave()
        self._log.warning("sessions of this identity", start=code, why=self.twin or "alone again")

    @property
    def record_shown(self) -> RecordHead | None:
        """The head of this tournament's record; None until the hub has told one with a root since this start."""
        known = self.record
        return known if known and known.root and known.tournament == self.assigned.tournament else None

    @property
    def may_sign(self) -> bool:
        """Return True unless two devices have this identity: then nobody may sign."""
        return self.twin is None

    def _assign(self, new: TableAssignment, now_ns: int) -> None:
        if new.seq >= self.assigned.seq and new.hub_host:
            self._sender.add_host(new.hub_host)
        if new.seq == self.assigned.seq and new.game_id == self.assigned.game_id:
            updated = replace(
                self.assigned, scored=new.scored, hub_host=new.hub_host, page=new.page, hides=new.hides
            )
            if updated != self.assigned:
                self.assigned = updated
                self._keep()
            return
        if new.seq <= self.assigned.seq:
            return
        self.assigned = new = self.assigned.again(new)
        self._log.info("assigned", seq=new.seq, game=new.game_id or "-", seat=new.seat)
        play = self._table_game.play
        if play is not None and new.header is not None and new.game_id == play.game_id:
            if play.has_begun or new.header == play.game.header:
                self._keep()
                return
        else:
            self.swapped = self._usually_swapped
            self.call = Call(wanted=False)
        self._keep()
        self._take_on(new, now_ns)

    def _take_on(self, new: TableAssignment, now_ns: int) -> None:
        if new.choice is None or new.game_id != self._choice_of:
            self.choice_until_ns = _choice_until(new, now_ns)
            self._choice_of = new.game_id if new.choice is not None else ""
        # The game begins only after its colours are chosen.
        header = new.header if new.choice is None else None
        new = replace(new, header=None if header is None else self._board_setup.with_orientation(header))
        damage = self._table_game.take_on(new, now_ns)
        if damage is not None:
            self._damaged(damage)
        play = self._table_game.play
        self.answers = dict(play.answers) if play is not None else {}
        if play is not None and play.uncertain_ns:
            self._log.warning("game resumed", game=play.game_id, uncertain_ns=play.uncertain_ns)

    def _keep(self) -> None:
        content = self._state.assignment_bytes(self.assigned, self.swapped)
        self._recorder.replace(self._state.assignment_path, content)

    def _receipt(self, receipt: Receipt) -> None:
        self._sender.receipt(receipt.id, receipt.head if receipt.accepted else "")
        if not receipt.accepted:
            self._log.error("result not accepted by the hub", id=receipt.id, why=receipt.why)
        self._table_game.receipt(receipt)

    def _rule(self, ruling: RulingMessage, now_ns: int) -> None:
        """Give the ruling to the referee, once; the answer is sent with the status."""
        play = self._table_game.play
        if ruling.id in self.answers or self._table_game.knows_ruling(ruling.id):
            return
        if self.assigned.choice is not None and ruling.game == self.assigned.game_id:
            return  # the hub repeats it until it is answered
        if play is None or ruling.game != play.game_id:
            self.answers[ruling.id] = refusal("not_at_table")
            return
        if ruling.at_ns is not None and now_ns - ruling.at_ns > ruling.expires_s * 1_000_000_000:
            self.answers[ruling.id] = "expired"
            return
        try:
            self._table_game.add(ruling_input(ruling, now_ns), now_ns, ruling.id)
        except Invalid as error:
            self.answers[ruling.id] = f"refused: {error}"[:1000]

    # -- requests of the people at the table

    def begin_local_game(self, now_ns: int, setup: LocalSetup | None = None) -> None:
        """Begin the next local game, with the last set-up unless a new one is given; without a director White's press
        starts it. Does nothing while a game is being played."""
        play = self._table_game.play
        if self._local_header is None or (
            play is not None and not play.game.over and not between_games(play.game)
        ):
            return
        if setup is not None:
            self._local_header = setup.header(self._local_header)
            self._usually_swapped = not setup.black_left
        self._next_local_game(self._local_header, now_ns)

    def drop_local_game(self, who: str, at_ns: int, now_ns: int) -> None:
        """End a stopped game of a table without a hub without a result, and propose the same game again.

        The record stays, with the player who dropped the game.
        """
        play = self._table_game.play
        if self._local_header is not None and play is not None and play.game.state is State.STOPPED:
            self._table_game.note(Note("dropped", who), at_ns, now_ns)
            self._table_game.judge_all(now_ns)
            self._next_local_game(self._local_header, now_ns)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names to propose: those of the game at the table and of all earlier games that were begun."""
        header = self._local_header
        return () if header is None else with_names(self.local.names, setup_of(header, self.swapped))

    def _next_local_game(self, header: Header, now_ns: int) -> None:
        play = self._table_game.play
        if play is not None and play.game.state is not State.WAITING:
            # A mistyped name that was corrected before the first press is not proposed again.
            played = setup_of(play.game.header, self.swapped)
            self._keep_local(replace(self.local, names=with_names(self.local.names, played)))
        self._assign(next_local_game(self.assigned, header), now_ns)
        self._table_game.add(Start(now_ns), now_ns)

    def choose(self, word: str, at_ns: int) -> None:
        """Apply the choice of the player who chooses colour or draw-win; the last choice begins the game."""
        before = self.assigned
        if before.choice is None:
            return
        self.assigned = before.after_choice(word)
        self._keep()
        if self.assigned.choice is None:
            self._take_on(self.assigned, at_ns)
            self._table_game.note(self.assigned.note(before), at_ns, at_ns)

    def swap_sides(self, at_ns: int, now_ns: int) -> None:
        """Exchange the players' places, only while no clock runs; between two games for those that come, too."""
        play = self._table_game.play
        game = None if play is None else play.game
        if sides_may_swap(game):
            self.swapped = not self.swapped
            if game is None or game.state is State.SIGNED:
                self._usually_swapped = self.swapped
            self._table_game.note(Note("sides_swapped"), at_ns, now_ns)
            self._keep()

    def colours_exchanged(self) -> None:
        """Let the players keep their seats after a draw that has exchanged their colours."""
        self.swapped = not self.swapped
        self._keep()

    def call_director(self, why: str, at_ns: int, now_ns: int) -> None:
        play = self._table_game.play
        self._table_game.note(Note("director_called", detail=as_remark(why)), at_ns, now_ns)
        game_id = play.game_id if play else None
        self.call = Call(wanted=True, why=why[:1000], game=game_id)

    def answer_call(self, by: str, at_ns: int, now_ns: int) -> None:
        self._table_game.note(Note("call_answered", detail=as_remark(by)), at_ns, now_ns)
        self.call = Call(wanted=False)


def _choice_until(new: TableAssignment, now_ns: int) -> int | None:
    """Return the instant by which the players should have chosen; None if nobody chooses or the rulebook sets
    no time."""
    if new.choice is None or new.header is None:
        return None
    choice_s = new.header.rulebook.event.choice_s
    return now_ns + choice_s * SECOND_NS if choice_s else None


_LOCAL = re.compile(r"local-(\d+)")


def next_local_game(before: TableAssignment, header: Header) -> TableAssignment:
    """Return the next local game."""
    last = _LOCAL.fullmatch(before.game_id)
    number = int(last.group(1)) + 1 if last else max(before.seq, 0) + 1
    return TableAssignment(max(before.seq, 0) + 1, "", f"local-{number}", before.seat, header)
