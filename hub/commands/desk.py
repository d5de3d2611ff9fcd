"""Values that every command gets: the operator, the event, and the way to the event's record.

A command asks its questions under the writing lock: two commands at one moment never both pass. What its page has asked
before is asked again there: of two operators at one moment one is recorded, and the other gets the question.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from flagfall.base.message import Message
from flagfall.ledger.entry import Entry
from flagfall.ledger.store import LedgerError
from flagfall.othello.reason import Reason
from hub.form.event_size import check_number
from hub.model.games import Game
from hub.ranking.scores import DOUBLE_FORFEIT
from hub.record import events
from hub.record.acts.act import Act
from hub.record.happening import Happening
from hub.record.state import TournamentState
from hub.record.store import RecordedEntry, Write
from hub.role import Role
from hub.running import Hub
from hub.text import AlreadyDone, Refused, UnknownGame

# Ends of games whose players may never have met, so that nobody drew colours.
NEVER_MET = (Reason.WALKOVER, Reason.FORFEIT)
# A function that raises Refused where the tournament is no longer as the operator saw it.
Ask = Callable[[TournamentState], None]
# A function that returns whether the operator has agreed to replace the recorded score.
Replaces = Callable[[Game], bool]


class Asks(Refused):
    """A question to the operator. When the command is given again with `instead`, the named score is replaced by
    `score`."""

    def __init__(self, question: Message, instead: str, score: tuple[int, int]) -> None:
        super().__init__(question)
        self.instead = instead
        self.score = score


class AsksDrawWin(Refused):
    """A question to the operator: the player who wins the draw, "black" or "white", or "nobody" if the draw may stand.

    The command is given again with the answer as `draw_win`.
    """

    def __init__(self, game: Game, score: tuple[int, int], may_stand: bool) -> None:
        question = Message.of(
            "table {table}: {score} has a winner under this rulebook. Who wins the draw?",
            table=game.table,
            score=_score_text(score),
        )
        super().__init__(msgspec.structs.replace(question, field="draw_win"))
        self.winners = {"black": game.black, "white": game.white} | ({"nobody": ""} if may_stand else {})


class AsksBlack(Refused):
    """A question to the operator: which of `players` (their ids) had Black in a game whose colours were drawn at the
    table.

    The command is given again with the answer as `black`.
    """

    def __init__(self, game: Game) -> None:
        question = Message.of(
            "table {table}: the colours were drawn at the table. Who had Black?", table=game.table
        )
        super().__init__(msgspec.structs.replace(question, field="black"))
        self.players = game.assigned_players


def expect_black(
    game: Game, black: str | None, score: tuple[int, int], reason: str, asks: bool
) -> str | None:
    """Return who had Black as it is recorded: a player's id, "" if no colours were drawn, None where nobody is asked.

    Raise AsksBlack if nobody has said it (`asks`: and it is needed), Refused for somebody else than its players, or
    another colour than the pairing gave.
    """
    if black:
        if black not in game.players:
            raise Refused("expected one of the two players, got {player!r}", field="black", player=black[:80])
        if not game.asks_black and black != game.black:
            raise Refused("{where}: {black} has Black", field="black", where=game.where, black=game.black)
        return black if game.asks_black else None
    if not game.colours_open:
        return None
    if score == DOUBLE_FORFEIT or reason in NEVER_MET:
        return ""
    if asks:
        raise AsksBlack(game)
    return ""


def nothing_asked(state: TournamentState) -> None:
    """Ask nothing."""


class Fields(msgspec.Struct, frozen=True, kw_only=True):
    """Unknown fields are ignored."""


class Nothing(Fields, frozen=True):
    """A request without fields."""


# One entry, or several that are recorded together or not at all.
Decided: TypeAlias = Happening | Sequence[Happening]
# Makes what is recorded from the event as it is under the writing lock. Refused, or AlreadyDone if nothing
# is left.
Decide: TypeAlias = Callable[[TournamentState], Decided | Awaitable[Decided]]


@dataclass(frozen=True)
class Desk:
    """An operator at the running hub."""

    hub: Hub
    who: str
    role: Role
    once: str | None = None  # the id of what the request records, None without one
    session: str = ""  # the login that asks

    def event(self, tournament: str, ask: Ask = nothing_asked) -> Event:
        """Return the same operator at one event; errors as in `state_of`."""
        state_of(self.hub, tournament)
        return Event(self.hub, self.who, self.role, self.once, session=self.session, id=tournament, ask=ask)


@dataclass(frozen=True)
class Event(Desk):
    """An operator at an event."""

    id: str = ""
    ask: Ask = nothing_asked  # asked under the writing lock, before the command's own questions

    @property
    def state(self) -> TournamentState:
        """The event as it is now; errors as in `state_of`."""
        return state_of(self.hub, self.id)

    def game(self, game: str) -> Game:
        """Return the game as it is now, UnknownGame without one."""
        return game_of(self.state, game)

    def checked_state(self) -> TournamentState:
        """Return the event as it is now, after the request's own question. For a command that records nothing."""
        state = self.state
        self.ask(state)
        return state

    async def entries(self) -> list[Entry]:
        """Return the whole chain of the event."""
        return await self.hub.store.entries(self.id)

    def next_seq(self, state: TournamentState) -> int:
        """Return the number of the next message to tables."""
        return self.hub.devices.reserve_seq(above=state.seq)

    async def record(
        self, decide: Decide, id: str | None = None, same: Callable[[Happening], bool] = lambda _: True
    ) -> TournamentState:
        """Record what is decided, and return the event after it. Refused if it makes no sense.

        An `id` of the caller is recorded once: `same` says whether what is recorded under it is asked for again.
        """

        async def decided(state: TournamentState) -> Sequence[Happening]:
            self.ask(state)
            made = decide(state)
            if inspect.isawaitable(made):
                made = await made
            happenings = (made,) if isinstance(made, Happening) else tuple(made)
            for happening in happenings:
                check_growth(state, happening)
            return [
                self._ready(happening, state) if isinstance(happening, Act) else happening
                for happening in happenings
            ]

        write = Write(id or self.hub.fresh_id(), decided, self.who, same)
        (outcome,) = await self.hub.store.record(self.id, [write])
        if isinstance(outcome, AlreadyDone):
            return self.state
        if not isinstance(outcome, RecordedEntry):
            raise outcome
        self.hub.outbound.send_assignments()
        self.hub.live.changed()
        return self.state

    def _ready(self, act: Act, state: TournamentState) -> Act:
        """Return the act with what the hub fills in: `seq` is the number of the next message to tables."""
        ready = act.ready(state)
        if "seq" in ready.__struct_fields__:
            return msgspec.structs.replace(ready, seq=self.next_seq(state))
        return ready


def state_of(hub: Hub, tournament: str) -> TournamentState:
    """Return an event of this hub. UnknownGame if there is none, LedgerError if this program cannot read it."""
    if tournament in hub.store.unreadable:
        raise LedgerError(hub.store.unreadable[tournament])
    state = hub.store.states.get(tournament)
    if state is None:
        raise UnknownGame(
            "expected an event of this hub, got {tournament!r}",
            field="tournament",
            tournament=tournament[:80],
        )
    return state


def game_of(state: TournamentState, game: str) -> Game:
    """Return the game of the event, UnknownGame without one."""
    record = state.games.get(game)
    if record is None:
        raise UnknownGame("expected a game of this event, got {game!r}", field="game", game=game[:80])
    return record


def check_growth(state: TournamentState, happening: Happening) -> None:
    """Raise FormatError for a round or finals after which the event would have more of them than a hub takes.

    A record that has more already stays readable.
    """
    match happening:
        case events.PairingPublished():
            check_number("rounds", len(state.tournament.rounds) + 1)
        case events.FinalsPublished(games=games):
            check_number("finals", len(state.tournament.finals) + len(games))


def typed_score(game: Game) -> tuple[int, int] | None:
    """Return the score that a person has recorded, None without one. A score that only the table reported is never
    replaced."""
    return game.score if game.decided else game.entered


def replaced_score_key(game: Game) -> str:
    """Return what `Asks.instead` says of the game's recorded score."""
    return f"{game.id} {_score_text(typed_score(game) or (0, 0))} {game.reason}"


def _black_of(game: Game) -> str:
    """Return who had Black by the score that a person has recorded, "" if that did not say it."""
    return game.entered_black if game.conflict else game.black if game.drawn else ""


def expect_no_other_score(game: Game, typed: events.ResultEntered, replaces: Replaces) -> None:
    """Raise Asks where a person has recorded another score, unless that one is to be replaced."""
    before, score = typed_score(game), game.in_seats(typed.score, typed.black)
    same = before == score and (game.reported is not None or game.reason == typed.reason)
    same = same and typed.draw_win in (None, game.draw_win or "")
    same = same and (not typed.black or typed.black == _black_of(game))
    if before is not None and not same and not replaces(game):
        raise Asks(
            Message.of(
                "table {table} has the result {before} already ({black} against {white}). Replace it by {score}?",
                table=game.table,
                before=_score_text(before),
                black=game.black,
                white=game.white,
                score=_score_text(score),
            ),
            replaced_score_key(game),
            score,
        )


def expect_open_conflict(game: Game, score: tuple[int, int], reason: str, replaces: Replaces) -> None:
    """Raise Asks where somebody has decided for another score, AlreadyDone where for the same. The score is in the
    order of the game's players."""
    if game.conflict or not game.decided:
        return
    if (game.score, game.reason) == (score, reason):
        raise AlreadyDone("expected a game with two scores, got {game!r}", field="game", game=game.id)
    if not replaces(game):
        raise Asks(
            Message.of(
                "{where}: the director has decided {before} ({black} against {white}). Replace it by {score}?",
                where=game.where,
                before=_score_text(typed_score(game) or (0, 0)),
                black=game.black,
                white=game.white,
                score=_score_text(score),
            ),
            replaced_score_key(game),
            score,
        )


def same_claims(game: Game) -> str:
    """Return who sits there and what table and operator claim of the game, for a field of the form that decides between
    them."""
    reported, claim = game.reported, game.claim
    claims = (reported.revision, *reported.score) if reported is not None else ()
    if reported is None and claim is not None:
        claims = (claim.number, *claim.score, *(claim.other or ()), claim.black)
    return " ".join(map(str, (*game.players, *claims, "-", *(typed_score(game) or ()))))


def _score_text(score: tuple[int, int]) -> str:
    return f"{score[0]}–{score[1]}"
