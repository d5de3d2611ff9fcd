"""GGF, the generic game format of the GGS server, as Othello programs read it: one game a line.

    (;GM[Othello]PC[Spring Open]DT[2026.11.05]PB[...]PW[...]TI[30:00//02:00]TY[8]RE[+16.000]BO[8 ... *]B[F5//3.20]...;)

`RE` is black's discs less white's, with `:r` for a game resigned and `:t` for one that a flag ended. Passes are
moves (`PA`). A move's last part is the time its player took, in seconds; it is left out where nobody measured it.
Games that a file leaves out are named in the comment (`CO`) of its first game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from flagfall.base.errors import Invalid
from flagfall.othello.board import START, format_position, parse_transcript, square_name, stages
from flagfall.othello.game import MINUTE_NS, SECOND_NS, Header, is_error_on_the_board
from flagfall.othello.game import Game as Played
from flagfall.othello.gamefile import parse_game
from flagfall.othello.inputs import Press
from flagfall.othello.referee import judge, new_game
from flagfall.othello.report import outcome
from flagfall.othello.side import Side
from hub.formats.reading import Written
from hub.formats.transcripts import ERROR_LINE, ScoredGame, replay_fault, scored_games
from hub.model.games import Game
from hub.model.tournament import Tournament
from hub.text import FormatError

_PASS = "PA"
_FLAGS = {"resigned": ":r", "second_flag": ":t"}


@dataclass(frozen=True, slots=True)
class Times:
    """The time of each turn, in nanoseconds."""

    # By number of the move, from 0.
    moves: Mapping[int, int] = field(default_factory=dict)
    # By the number of moves before the pass.
    passes: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GgfGame:
    """One game, from one line."""

    black: str
    white: str
    squares: tuple[int, ...]
    score: tuple[int, int] | None
    reason: str = "board"
    place: str = ""
    date: str = ""
    # Black's and White's, as GGS writes them (`30:00//02:00`).
    clocks: tuple[str, str] | None = None
    ratings: tuple[float | None, float | None] = (None, None)
    times: Times = Times()
    # For the reader of the file.
    comment: str = ""


def ggf_line(game: GgfGame) -> str:
    """Return the game's line. Raise ValueError naming the move that is not legal."""
    parts = ["(;GM[Othello]"]
    if game.place:
        parts.append(f"PC[{_text(game.place)}]")
    if game.date:
        parts.append(f"DT[{game.date.replace('-', '.')}]")
    parts.append(f"PB[{_text(game.black)}]PW[{_text(game.white)}]")
    for tag, rating in zip(("RB", "RW"), game.ratings, strict=True):
        if rating is not None:
            parts.append(f"{tag}[{rating:.2f}]")
    if game.clocks is not None:
        black, white = game.clocks
        parts.append(f"TI[{black}]" if black == white else f"TB[{black}]TW[{white}]")
    if game.comment:
        parts.append(f"CO[{_text(game.comment)}]")
    parts.append("TY[8]")
    if game.score is not None:
        parts.append(f"RE[{game.score[0] - game.score[1]:+.3f}{_FLAGS.get(game.reason, '')}]")
    cells = format_position(START).replace("X", "*")
    rows = " ".join(cells[at : at + 8] for at in range(0, 64, 8))
    parts.append(f"BO[8 {rows} *]")
    parts += _moves(game)
    return "".join(parts) + ";)"


def _moves(game: GgfGame) -> Iterator[str]:
    line, follows = stages(game.squares), True
    for before, square in zip(line, game.squares, strict=False):
        black = bool(before.black_to_move)
        if before is line[-1]:
            raise ValueError(f"move {before.count + 1}: expected a legal move, got {square_name(square)}")
        if black != follows:
            yield _move(follows, _PASS, game.times.passes.get(before.count))
        yield _move(black, square_name(square).upper(), game.times.moves.get(before.count))
        follows = not black


def _move(black: bool, square: str, took_ns: int | None) -> str:
    took = "" if took_ns is None else f"//{took_ns / SECOND_NS:.2f}"
    return f"{'B' if black else 'W'}[{square}{took}]"


def _text(text: str) -> str:
    """Return the text of a property, which must not contain a closing bracket."""
    plain = text.replace("[", "(").replace("]", ")")
    return " ".join("".join(sign if sign.isprintable() else " " for sign in plain).split())


def ggf_of_tournament(tournament: Tournament) -> Written:
    """Return all scored games with a transcript. Raise FormatError if there is none at all."""
    written: list[ScoredGame] = []
    reasons: list[str] = []
    for scored in scored_games(tournament):
        if not scored.transcript:
            reasons.append(f"{scored.where}: without a transcript")
        elif (fault := replay_fault(scored.game)) is not None:
            reasons.append(f"{scored.where}: {fault[1]}")
        else:
            written.append(scored)
    left_out = [f"{reason}: left out" for reason in reasons]
    if not written:
        raise FormatError("rounds", "games with a transcript", left_out[0] if left_out else "none")
    comment = f"left out of this file: {'; '.join(reasons)}" if reasons else ""
    lines = [
        ggf_of(tournament, scored.game, scored.transcript, comment if scored is written[0] else "")
        for scored in written
    ]
    return Written({".ggf": ("\n".join(lines) + "\n").encode()}, tuple(left_out))


def ggf_of(tournament: Tournament, game: Game, transcript: str, comment: str = "") -> str:
    """Return the line of one game of the tournament. Raise ValueError naming the move that is not legal."""
    black, white = tournament.player(game.black), tournament.player(game.white)
    return ggf_line(
        GgfGame(
            tournament.name_of(game.black),
            tournament.name_of(game.white),
            parse_transcript(transcript),
            score=game.score,
            reason=game.reason,
            place=tournament.name,
            date=tournament.date or "",
            ratings=(black.rating, white.rating),
            comment=comment,
        )
    )


def ggf_of_game_file(text: str) -> Written:
    """Return the game of a `flagfall-game/1` file, with the time of each move.

    A comment says if the moves do not show the boards. Raise FormatError naming line and field.
    """
    try:
        header, inputs = parse_game(text)
    except Invalid as fault:
        raise FormatError(fault.field, fault.expected, fault.got, fault.source, fault.unknown) from None
    game = new_game(header)
    turns = _Turns()
    for event in inputs:
        after = judge(game, event)
        turns.see(game, after, event.by if isinstance(event, Press) else None)
        game = after
    ended = game.outcome
    has_error = any(map(is_error_on_the_board, outcome(game)["incidents"]))
    value = GgfGame(
        header.black.name or header.black.id or "black",
        header.white.name or header.white.id or "white",
        game.moves,
        None if ended is None else ended.score,
        "" if ended is None else str(ended.reason),
        clocks=(_clock(header, Side.BLACK), _clock(header, Side.WHITE)),
        times=Times(turns.moves, turns.passes),
        comment=ERROR_LINE if has_error else "",
    )
    try:
        return Written({".ggf": (ggf_line(value) + "\n").encode()}, (ERROR_LINE,) if has_error else ())
    except ValueError as fault:
        raise FormatError("transcript", "a game that can be replayed", str(fault)) from None


class _Turns:
    """The time of each turn: the charge to a player's clock until the press that ended it."""

    def __init__(self) -> None:
        self.moves: dict[int, int] = {}
        self.passes: dict[int, int] = {}
        self._charged_before = {Side.BLACK: 0, Side.WHITE: 0}

    def see(self, before: Played, after: Played, pressed: Side | None) -> None:
        moves_before, moves_after = len(before.moves), len(after.moves)
        for number in [number for number in self.moves if number >= moves_after]:
            del self.moves[number]  # taken back: only the move that stands is written
        if pressed is None or before.clock.running is not pressed or after.clock.running is pressed:
            return
        charged = after.clock.at(after.at_ns).charged_ns.of(pressed)
        took_ns = charged - self._charged_before[pressed]
        if moves_after == moves_before + 1:
            self.moves[moves_before] = took_ns
        elif moves_after == moves_before and before.owed == after.owed:
            self.passes[moves_before] = took_ns
        self._charged_before[pressed] = charged


def _clock(header: Header, side: Side) -> str:
    """Return the initial time, and the two minutes after a fallen flag, in the notation of GGS."""
    at_start_ns = round((header.minutes + header.extra_minutes.of(side)) * MINUTE_NS)
    minutes, seconds = divmod(at_start_ns // SECOND_NS, 60)
    return f"{minutes:02}:{seconds:02}//02:00"
