"""Entries of players from their own pages. Each act is tried on the event as it is under the writing lock."""

from __future__ import annotations

from typing import Literal, cast

import msgspec

from flagfall.ledger.store import LedgerError
from flagfall.othello.reason import Reason
from hub.commands.desk import Decide, Desk
from hub.desk.forms import Form, shown_key
from hub.desk.player_links import PlayerOfLink
from hub.limits import Buckets
from hub.model.games import BoardSeen, Game, Score
from hub.model.players import Player, printable
from hub.people.tapped_moves import TappedForm, decide_moves
from hub.ranking.scores import has_draw_wins, may_be_won
from hub.record.acts.arrivals import PlayerArrived
from hub.record.corrections import check_score
from hub.record.events import REPORTED_ENDS, ResultClaimed, ResultObjected
from hub.record.objections import objections_of
from hub.record.seen_boards import BLACK_SAT, board_seen, counted, expect_end, read_squares
from hub.record.state import TournamentState
from hub.role import Role
from hub.rulebook import rules_of
from hub.running import Hub
from hub.text import AlreadyDone, Refused

# Acts of one player at once, and the pause for each one more: a telephone does not fill the record.
FREE_ACTS = 10
PAUSE_S = 20
# Acts at the tablet: a hall of 300 players at once, then five a second.
TABLET_ACTS, TABLET_PER_S = 400, 5.0
# An arrival can be undone at the tablet for so long.
UNDO_S = 60


class TooManyTries(Refused):
    """A refusal for now: the same is taken later."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The score of a game as one of its players reports it."""

    game: str
    # The player's discs, then the opponent's; None: what the board counts.
    discs: tuple[int, int] | None
    # The key of the game as the page has shown it (`shown_game`).
    shown: str
    # The player's colour, where it was drawn at the table; "" if the page did not ask.
    had: Literal["black", "white", ""] = ""
    # How the game ended: one of `REPORTED_ENDS`.
    reason: str = "board"
    # The board as it was photographed and mended, from the picture's top left, "" without one; and where Black sat in
    # that picture, "" if nobody has said.
    board: str = ""
    black_sat: str = ""


def report_of(form: Form) -> Report:
    """Return the report of a score, or the confirmation of the opponent's, as a form has it."""
    had = form.choice("had", ("black", "white")) if form.typed("had") else ""
    board = form.typed("board")
    reason = form.choice("ended", REPORTED_ENDS) if form.typed("ended") else "board"
    return Report(
        game=form.typed("game"),
        discs=None if board and reason == Reason.BOARD else form.score("mine", "theirs"),
        shown=form.typed("shown"),
        had=cast(Literal["black", "white", ""], had),
        reason=reason,
        board=board,
        black_sat=form.choice("black_sat", tuple(BLACK_SAT)) if form.typed("black_sat") else "",
    )


class Acts:
    """The acts of players at a running hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._players = Buckets(FREE_ACTS, 1 / PAUSE_S, hub.now_ns)
        self._tablets = Buckets(TABLET_ACTS, TABLET_PER_S, hub.now_ns)
        # The instant of each arrival at the tablet, by event and player.
        self._arrived_ns: dict[tuple[str, str], int] = {}

    async def arrive(self, event: str, player: str) -> None:
        """Record at the tablet that a player is here."""

        def decide(state: TournamentState) -> PlayerArrived:
            if not state.arrival.open:
                raise Refused(
                    "There is no list of arrivals now. Tell the director that you are here.", field="arrival"
                )
            if player in state.arrival.here:
                raise AlreadyDone("That was noted already.", field="player")
            if player not in {expected.id for expected in expected_players(state)}:
                raise Refused("This player is not on the list. Ask the director.", field="player")
            return PlayerArrived(player=player)

        before = self._hub.store.states[event].arrival.here
        await self._record_at_tablet(event, decide)
        if player not in before:
            self._arrived_ns[event, player] = self._hub.now_ns()

    def undo_left_s(self, event: str, player: str) -> int:
        """Return for how many seconds this arrival can still be undone at the tablet."""
        since_ns = self._arrived_ns.get((event, player))
        if since_ns is None or player not in self._hub.store.states[event].arrival.here:
            return 0
        return max(0, UNDO_S - (self._hub.now_ns() - since_ns) // 1_000_000_000)

    async def undo_arrival(self, event: str, player: str) -> None:
        """Record at the tablet that a player is not here after all, within a minute."""
        if player not in self._hub.store.states[event].arrival.here:
            return  # undone already, and the answer was lost
        if not self.undo_left_s(event, player):
            raise Refused(
                "Only what was noted in the last minute can be taken back here. Ask the director.",
                field="player",
            )
        await self._record_at_tablet(event, lambda _: PlayerArrived(player=player, here=False))
        self._arrived_ns.pop((event, player), None)

    async def object_to_result(self, holder: PlayerOfLink, game: str, words: str, shown: str) -> None:
        """Record that a player finds the result of their present game wrong. `shown` is the key of the game as their
        page showed it (`shown_game`)."""

        def decide(state: TournamentState) -> ResultObjected:
            said = ResultObjected(game=game, player=holder.player, words=printable(words))
            earlier = objections_of(state, said.player, game)
            if any(objection.words == said.words and not objection.outcome for objection in earlier):
                raise AlreadyDone("That was sent already.", field="words")
            _expect_shown(state, game, shown)
            if not may_object(state, holder.player, game):
                raise Refused(
                    "This is possible for your last game, until the next pairing is published. Ask the director.",
                    field="game",
                )
            return said

        await self._record_of(holder, decide)

    async def report_score(self, holder: PlayerOfLink, report: Report) -> None:
        """Record a player's report of the score of their game."""
        await self._record_of(holder, lambda state: _decide_report(state, holder.player, report))

    async def keep_moves(self, holder: PlayerOfLink, form: TappedForm) -> None:
        """Record the moves that a player has tapped of a game of theirs."""
        await self._record_of(holder, lambda state: decide_moves(state, holder.player, form))

    async def report_at_tablet(self, event: str, player: str, report: Report) -> None:
        """Record what somebody at the tablet reports as this player."""
        await self._record_at_tablet(
            event, lambda state: _decide_report(state, player, report, at_tablet=True)
        )

    async def _record_at_tablet(self, event: str, decide: Decide) -> None:
        """Record an act at the tablet. One that is refused, or was done already, does not count: a whole hall types
        there."""
        budget, before = self._tablets.of(event), self._hub.store.states[event]
        if not budget.take(1, self._hub.now_ns()):
            raise TooManyTries("Too many tries. Wait {seconds} seconds.", seconds=1)
        try:
            after = await Desk(self._hub, "tablet", Role.VIEWER).event(event).record(decide)
        except (Refused, LedgerError):
            budget.spend(-1, self._hub.now_ns())
            raise
        if after is before:
            budget.spend(-1, self._hub.now_ns())

    async def _record_of(self, holder: PlayerOfLink, decide: Decide) -> None:
        """Record an act of a player. Refused if they have tried too much of late."""
        budget = self._players.of(f"{holder.event} {holder.player}")
        if not budget.take(1, self._hub.now_ns()):
            raise TooManyTries("Too many tries. Wait {seconds} seconds.", seconds=PAUSE_S)
        await Desk(self._hub, f"player {holder.player}", Role.VIEWER).event(holder.event).record(decide)


def _decide_report(
    state: TournamentState, player: str, report: Report, *, at_tablet: bool = False
) -> ResultClaimed:
    """Return the entry of a report. Refused if it makes no sense, AlreadyDone if the player has said just this."""
    game = state.games.get(report.game)
    board = None
    if report.board and game is not None and player in game.players:
        report, board = _with_board(state, game, player, report)
    if game is not None and player in game.players and _has_said(game, player, report, board, at_tablet):
        raise AlreadyDone("That was reported already.", field="score")
    _expect_shown(state, report.game, report.shown)
    if game is None or not may_report(state, player, report.game):
        raise Refused("You can report a game of yours that has no result yet.", field="game")
    assert report.discs is not None
    check_score(state.tournament, report.discs, report.reason)
    if may_be_won(report.discs, report.reason) and has_draw_wins(rules_of(state.tournament).law):
        raise Refused("Somebody wins this draw: tell the director who.", field="score")
    if game.asks_black and not report.had:
        raise Refused("Say who had Black: the colours were drawn at the table.", field="had")
    score, black = _in_colours(game, player, report)
    other = game.players.index(player) == 0
    of_tablet = at_tablet or (game.claim is not None and game.claim.at_tablet[other])
    counts = state.confirm == "tablet" or (state.confirm == "phones" and not of_tablet)
    return ResultClaimed(
        game=report.game,
        player=player,
        score=score,
        black=black,
        at_tablet=at_tablet,
        counts=counts,
        reason=report.reason,
        position="" if board is None else board.squares,
        from_a1=board is not None and board.from_a1,
    )


def _with_board(state: TournamentState, game: Game, player: str, report: Report) -> tuple[Report, BoardSeen]:
    """Return the report with the discs that its board counts for the player, and that board. Refused if the hub's
    director wants no photographs, or the board ends no game."""
    if not state.photographs:
        raise Refused("The director has turned photographs off: type the score.", field="board")
    position = read_squares(report.board)
    if position.unknown or report.reason == Reason.BOARD:
        position = expect_end(report.board)
    if report.reason == Reason.BOARD:
        score = counted(position, rules_of(state.tournament).law)
        is_black = report.had == "black" if game.asks_black else game.black == player
        report = msgspec.structs.replace(report, discs=score if is_black else score[::-1])
    return report, board_seen(report.board, report.black_sat)


def _in_colours(game: Game, player: str, report: Report) -> tuple[Score, str | None]:
    """Return the reported score with Black's discs first, and who had Black; None where the colours were known."""
    assert report.discs is not None
    black = None
    if game.asks_black and report.had:
        black = player if report.had == "black" else next(other for other in game.players if other != player)
    return report.discs if (black or game.black) == player else report.discs[::-1], black


def _has_said(game: Game, player: str, report: Report, board: BoardSeen | None, at_tablet: bool) -> bool:
    """Return whether the player's report of this score is on record already, in the same way: sent again, it changes
    nothing, and takes the other player's confirmation from nobody. A telephone that lost the answer sends it again."""
    side, claim = game.players.index(player), game.claim
    if claim is None or claim.at_tablet[side] != at_tablet:
        return False
    score, black = _in_colours(game, player, report)
    said = (claim.score, claim.black) if claim.by[side] else (claim.other, claim.other_black)
    on_record = claim.board if claim.by[side] else claim.other_board
    if board not in (None, on_record) or (claim.by[side] and report.reason not in ("board", claim.reason)):
        return False
    return said == (game.in_seats(score, black), black or "")


def shown_game(game: Game) -> str:
    """Return what a form of a player's page says of the game that the page shows: who sits where, and every score that
    was said of it. A form is refused if any of it has changed since."""
    claim = game.claim
    said: tuple[object, ...] | None = None
    if claim is not None:
        said = claim.score, claim.by, claim.other, claim.black, claim.other_black
        if claim.board is not None or claim.reason != Reason.BOARD:
            said += claim.board, claim.reason
    # The first half says whether anything but the players' reports has changed.
    return shown_key((*game.players, game.score, game.reason)) + shown_key(said)


def _expect_shown(state: TournamentState, game: str, shown: str) -> None:
    """Raise Refused if the game is another one by now than the player's page showed."""
    present = shown_game(state.games[game]) if game in state.games else ""
    if present == shown:
        return
    if present and present[: len(present) // 2] == shown[: len(present) // 2]:
        raise Refused("Your opponent has reported a score in the meantime. Look at it first.")
    raise Refused("This game has changed in the meantime. Look at it as it is now, then try again.")


def may_object(state: TournamentState, player: str, game: str) -> bool:
    """Return whether the player may object to the result of this game: it is at the tables until the next pairing."""
    if state.closed or game not in state.present:
        return False
    entry = state.games[game]
    return player in entry.players and entry.score is not None


def may_report(state: TournamentState, player: str, game: str) -> bool:
    """Return whether the player may report the score of this game: the director lets players do so, it has begun, no
    device plays it, and nobody has given its result."""
    if not state.players_results or state.closed or state.away or game not in state.present:
        return False
    entry = state.games[game]
    waits = entry.final is not None and entry.final.awaits_choice
    open_ = entry.score is None and not entry.conflict and entry.device is None and not waits
    return open_ and player in entry.players and state.is_started(game)


def expected_players(state: TournamentState) -> tuple[Player, ...]:
    """Return everybody on the list of arrivals: also who was noted absent in its round, and may come after all."""
    return tuple(
        player
        for player in state.tournament.players
        if player.from_round <= state.arrival.round and player.id not in state.tournament.withdrawn
    )
