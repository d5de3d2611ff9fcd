"""Scores that are typed in, decisions between two scores, and moves of a game whose table gave none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from flagfall.base.convert import NOTHING
from flagfall.base.message import Message
from flagfall.othello.reason import Reason
from hub.commands.corrections import Undo, undo_entry
from hub.commands.desk import (
    AsksDrawWin,
    Event,
    Fields,
    expect_black,
    expect_no_other_score,
    expect_open_conflict,
    game_of,
    replaced_score_key,
    typed_score,
)
from hub.fields import Raw, Score, ShortText, Whole
from hub.model.games import BoardSeen, Game
from hub.ranking.scores import has_draw_wins, may_be_won
from hub.record.codec import happening
from hub.record.corrections import check_score
from hub.record.events import ConflictResolved, ResultEntered, TranscriptEntered
from hub.record.exchange import with_black
from hub.record.state import TournamentState
from hub.record.typed_moves import read_moves
from hub.role import Role
from hub.rulebook import rules_of
from hub.text import Refused, Stale, UnknownGame


class AsTyped(Fields, frozen=True, kw_only=True):
    """The order of a typed score: as a slip has it, or black first."""

    # The discs of the player who stands first in the pairing come first.
    in_order: bool = False
    # The player whom the page showed first, "" if it does not say.
    first: str = ""
    # The player who had Black: the "first" or the "second" of the pairing; "" if nobody has said.
    had_black: Literal["first", "second", ""] = ""

    def in_colours(self, game: Game, score: Score) -> tuple[Score, str | None]:
        """Return the score with Black's discs first, and who had Black, None if nobody has said. Without it the score
        is in the order of the game's players."""
        first, second = game.assigned_players
        if self.first and self.first != first:
            raise Stale(
                Message.of(
                    "table {table} has another game by now ({black} against {white})",
                    table=game.table,
                    black=game.black,
                    white=game.white,
                )
            )
        black = {"first": first, "second": second}.get(self.had_black)
        if not self.in_order:
            return score, black
        return (score if (black or game.black) == first else score[::-1]), black


class OfGame(Fields, frozen=True, kw_only=True):
    """One of `game` and `table` names the game."""

    score: Score
    game: ShortText | None = None
    table: Annotated[Whole | None, Meta(description="a table of the present round, instead of game")] = None
    reason: Reason = Reason.BOARD
    draw_win: Annotated[
        Literal["black", "white", "nobody"] | None,
        Meta(description="black, white or nobody: who wins the draw"),
    ] = None
    black: Annotated[
        ShortText | None,
        Meta(
            description="the id of the player who had Black, where the colours were drawn at the table: the score is"
            " theirs first"
        ),
    ] = None

    def as_said(self, game: Game) -> tuple[Score, str | None]:
        """Return the score with Black's discs first, and who had Black, None if nobody says so."""
        return self.score, self.black

    def played(self, state: TournamentState, game: Game) -> tuple[Score, str | None]:
        """Return the score and who had Black as they are recorded. Refused if the rulebook cannot give the score, or
        nobody says who had Black in a game whose colours were drawn at the table."""
        check_score(state.tournament, self.score, self.reason)
        score, black = self.as_said(game)
        return score, expect_black(game, black, score, self.reason, asks=True)

    def draw_winner(self, state: TournamentState, game: Game, black: str | None) -> str | None:
        """Return the id of the player who wins this draw, "" for nobody, None if the record knows or nobody can.

        Raise AsksDrawWin if the rulebook gives the right to a player (jof J1) and nothing says to whom.
        """
        law = rules_of(state.tournament).law
        if not may_be_won(self.score, self.reason) or not has_draw_wins(law):
            return None
        game = with_black(game, black)
        match self.draw_win:
            case "black":
                return game.black
            case "white":
                return game.white
        may_stand = law.hidden_disc == "either" and game.final is None
        if self.draw_win == "nobody" and may_stand:
            return ""
        reported = game.reported is not None and game.reported.score == self.score
        if (reported and may_stand) or game.draw_win is not None:
            return None
        raise AsksDrawWin(game, self.score, may_stand)

    def game_in(self, state: TournamentState) -> Game:
        """Return the game by its id, or by its present table."""
        if self.game is not None:
            return game_of(state, self.game)
        if self.table is None:
            raise Refused("expected a whole number from 0, got nothing", field="table")
        for game in state.present_games:
            if game.table == self.table:
                return game
        raise UnknownGame(
            "expected a table of round {round}, got {table}",
            field="table",
            round=state.round,
            table=self.table,
        )


class TypedResult(OfGame, frozen=True, kw_only=True):
    id: ShortText | None = None
    instead: Annotated[Score | None, Meta(description="the recorded score that this one replaces")] = None

    @property
    def board(self) -> BoardSeen | None:
        """The board that was photographed for this score."""
        return None

    def replaces(self, game: Game) -> bool:
        """Return whether this names the score that a person has recorded."""
        return self.instead is not None and tuple(self.instead) == typed_score(game)


class Decision(OfGame, frozen=True, kw_only=True):
    why: ShortText | None = None
    instead: Annotated[Score | None, Meta(description="the decided score that this one replaces")] = None

    def replaces(self, game: Game) -> bool:
        """Return whether this names the score that has been decided."""
        return self.instead is not None and tuple(self.instead) == typed_score(game)


class ResultOfForm(TypedResult, frozen=True, kw_only=True):
    """A result of the round's page."""

    at: int
    question: str = ""  # the question of the page, as in `Asks.instead`
    seats: str = ""  # who sat there as the page showed it (`Game.seats`), "" from a page that shows no tables
    typed: AsTyped = AsTyped()
    photographed: BoardSeen | None = None

    @property
    def board(self) -> BoardSeen | None:
        return self.photographed

    def as_said(self, game: Game) -> tuple[Score, str | None]:
        return self.typed.in_colours(game, self.score)

    def game_in(self, state: TournamentState) -> Game:
        """Return the present game of the table. Refused if there is none. Stale if it is another one than was shown, or
        of other players or colours."""
        game = game_at(state, self.at)
        others = self.seats not in ("", " ".join(game.seats))
        if self.game is not None and (game.id != self.game or others):
            raise Stale(
                Message.of(
                    "table {table} has another game by now ({black} against {white})",
                    table=game.table,
                    black=game.black,
                    white=game.white,
                )
            )
        return game

    def replaces(self, game: Game) -> bool:
        """Return whether the question was about the recorded score."""
        return self.question == replaced_score_key(game)


class DecisionOfForm(Decision, frozen=True, kw_only=True):
    """A decision of the round's page."""

    question: str = ""  # as in `ResultOfForm`
    typed: AsTyped = AsTyped()

    def as_said(self, game: Game) -> tuple[Score, str | None]:
        return self.typed.in_colours(game, self.score)

    def replaces(self, game: Game) -> bool:
        """Return whether the question was about the decided score."""
        return self.question == replaced_score_key(game)


class TypedMoves(Fields, frozen=True, kw_only=True):
    game: ShortText
    transcript: Raw = ""


async def enter_result(event: Event, typed: TypedResult) -> TournamentState:
    """Record a typed score: it counts if there is none, confirms the table's, or conflicts with it. Asks before it
    replaces another score that a person has recorded."""

    def entered(state: TournamentState) -> ResultEntered:
        game = typed.game_in(state)
        score, black = typed.played(state, game)
        won = typed.draw_winner(state, game, black)
        board = typed.board or BoardSeen("")
        return ResultEntered(
            game=game.id,
            score=score,
            reason=typed.reason,
            draw_win=won,
            black=black,
            position=board.squares,
            from_a1=board.from_a1,
        )

    def decide(state: TournamentState) -> ResultEntered:
        happening = entered(state)
        expect_no_other_score(typed.game_in(state), happening, typed.replaces)
        return happening

    return await event.record(decide, typed.id, same=lambda known: known == entered(event.state))


async def decide_result(event: Event, decision: Decision) -> TournamentState:
    """Record the score that stands in a conflict between table and operator. Asks before it replaces another
    decision."""

    def decide(state: TournamentState) -> ConflictResolved:
        game, reason = decision.game_in(state), decision.reason
        score, black = decision.played(state, game)
        expect_open_conflict(game, game.in_seats(score, black), reason, decision.replaces)
        won = decision.draw_winner(state, game, black)
        return ConflictResolved(
            game=game.id, score=score, reason=reason, why=decision.why or "", draw_win=won, black=black
        )

    return await event.record(decide)


async def take_back_result(event: Event, undo: Undo) -> TournamentState:
    """Take back a result that this operator has typed; the director may take back any."""
    entry = await event.hub.store.entry(event.id, undo.entry or "")
    if entry is None or not isinstance(happening(entry), ResultEntered):
        raise Refused("expected the key of a stored result", field="key")
    if entry.who != event.who and event.role < Role.DIRECTOR:
        raise Refused("expected the key of a result that you entered", field="key")
    return await undo_entry(event, undo)


async def enter_moves(event: Event, typed: TypedMoves) -> TournamentState:
    """Record the moves of a game whose table gave none."""

    def decide(state: TournamentState) -> TranscriptEntered:
        game = state.games[typed.game]
        opening = game.conditions.opening if game.conditions is not None else ""
        return TranscriptEntered(game=game.id, transcript=read_moves(typed.transcript, opening))

    return await event.record(decide)


def game_at(state: TournamentState, table: int) -> Game:
    """Return the present game of a table. Refused if there is none."""
    for game in state.present_games:
        if game.table == table:
            return game
    tables = _in_ranges([game.table for game in state.present_games]) or NOTHING
    raise Refused(
        "expected a table with a game ({tables}), got {table}", field="table", tables=tables, table=table
    )


def _in_ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as text, each run of them as its ends: "1-4, 7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("–".join(map(str, run)) for run in runs)
