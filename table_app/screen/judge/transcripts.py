"""The transcripts in the judge's panel: the table's own, and those of the players, compared with the board."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flagfall.othello.board import Position, TranscriptStage, format_transcript, gives, square_name, stages
from flagfall.othello.game import Game, State
from flagfall.othello.side import Both, Side
from table_app.screen.kit.scene import Item, Meaning, Rect
from table_app.screen.kit.widgets import ButtonChoice, Look, Marks, button, buttons, diagram, erase_key


class Transcripts(Meaning, frozen=True):
    """The way to the transcripts, and back."""


class TranscriptOf(Meaning, frozen=True):
    """The transcript to be shown: a player's, or the table's own."""

    owner: Side | None


class TranscriptStep(Meaning, frozen=True):
    """Some moves on, or back."""

    moves: int


class Written(Meaning, frozen=True):
    """The next move of a player's transcript."""

    square: int


class WrittenErased(Meaning, frozen=True):
    """The key that takes the last move of it back."""


@dataclass(frozen=True, slots=True)
class TranscriptView:
    """The transcript in the judge's panel: the table's own, stepped through to the position, or one of the players',
    typed in when they disagree (woc-2019 IV.2, IV.5.3)."""

    owner: Side | None = None  # the player whose transcript is shown, None for the table's own
    step: int = 0  # how many of its moves are shown
    typed: Both[tuple[int, ...]] = Both((), ())

    def moves(self, game: Game) -> tuple[int, ...]:
        return game.moves if self.owner is None else self.typed.of(self.owner)

    def stage(self, game: Game) -> TranscriptStage:
        """Return the transcript that is shown now."""
        line = stages(self.moves(game))
        return line[min(self.step, len(line) - 1)]

    def impossible(self, game: Game) -> int | None:
        """Return the number of the first impossible move, None if all are possible."""
        moves = self.moves(game)
        line = stages(moves)
        return len(line) if len(line) <= len(moves) else None

    def to_move(self, game: Game) -> Side:
        """Return the player who would be to move in the position shown."""
        black = self.stage(game).black_to_move
        if black is None:
            return game.to_move
        return Side.BLACK if game.plays_black(Side.BLACK) == black else Side.WHITE


def open_transcript(game: Game) -> TranscriptView:
    """Return the table's own transcript at its end."""
    return TranscriptView(step=len(game.moves))


def show_transcript_of(script: TranscriptView, game: Game, owner: Side | None) -> TranscriptView:
    shown = replace(script, owner=owner)
    if owner is not None and not shown.typed.of(owner):  # nobody writes the opening down again
        shown = replace(shown, typed=shown.typed.with_(owner, game.header.opening))
    return replace(shown, step=len(shown.moves(game)))


def step_transcript(script: TranscriptView, game: Game, by: int) -> TranscriptView:
    last = len(stages(script.moves(game))) - 1
    return replace(script, step=max(0, min(last, script.step + by)))


def write_move(script: TranscriptView, square: int | None) -> TranscriptView:
    """Add a move to a player's transcript; None takes the last one back."""
    if script.owner is None:
        return script
    before = script.typed.of(script.owner)
    after = before[:-1] if square is None else (*before, square)[:60]
    return replace(script, typed=script.typed.with_(script.owner, after), step=len(after))


def script_touched(script: TranscriptView, tap: Meaning, game: Game) -> TranscriptView:
    """Return the transcripts after a touch."""
    match tap:
        case TranscriptOf(owner):
            return show_transcript_of(script, game, owner)
        case TranscriptStep(moves):
            return step_transcript(script, game, moves)
        case Written(square):
            return write_move(script, square)
        case WrittenErased():
            return write_move(script, None)
    return script


def decides(script: TranscriptView, position: Position) -> Side | None:
    """Return the player whose transcript alone gives the position (woc-2019 IV.2)."""
    right = [side for side in Side if script.typed.of(side) and gives(script.typed.of(side), position)]
    return right[0] if len(right) == 1 else None


def transcript_remark(script: TranscriptView, game: Game) -> str:
    """Return the record's remark on a position set from a transcript."""
    owner = "the table" if script.owner is None else str(script.owner)
    return f"transcript of {owner}: {format_transcript(script.moves(game)[: script.step])}"


def script_board(game: Game, script: TranscriptView, rect: Rect, look: Look) -> list[Item]:
    """Return the position after the transcript, its last move ringed; a touch adds a move to a player's transcript."""
    moves = script.moves(game)
    stage = script.stage(game)
    ring = 1 << moves[stage.count - 1] if stage.count else 0
    if script.owner is None:
        return diagram(rect, stage.position, look, Marks(ring))
    return diagram(rect, stage.position, look, Marks(ring), tap=Written)


def script_page(
    game: Game,
    script: TranscriptView,
    edited: Position | None,
    *,
    set_it: ButtonChoice,
    rect: Rect,
    look: Look,
) -> list[Item]:
    """Return the page that compares the transcripts; `edited` is the position typed in before, `set_it` the button that
    sets the position."""
    px, words = look.px, look.words
    owners = [
        ButtonChoice(TranscriptOf(side), label, strong=script.owner is side)
        for side, label in (
            (None, words("Table's")),
            *((side, words("{who}'s", who=look.player(side))) for side in Side),
        )
    ]
    items = buttons(rect.top(px(44)).columns(3, px(6)), owners, look)
    stage, moves = script.stage(game), script.moves(game)
    last = square_name(moves[stage.count - 1]) if stage.count else ""
    text = words("Move {count} of {total}: {square}", count=stage.count, total=len(moves), square=last)
    impossible = script.impossible(game)
    if impossible is not None:
        name = square_name(moves[impossible - 1])
        text = words("Move {count} ({square}) is not possible", count=impossible, square=name)
    colour = "ink" if impossible is None else "alert"
    items.append(look.strong(rect.below(px(50)).top(px(30)), text, colour=colour))
    places = rect.below(px(84)).top(px(46)).columns(4 if script.owner is None else 5, px(6))
    steps = (("«", -60), ("‹", -1), ("›", 1), ("»", 60))
    items += buttons(places, (ButtonChoice(TranscriptStep(by), label) for label, by in steps), look)
    if script.owner is not None:
        items += erase_key(places[4], look, tap=WrittenErased())
    known = edited if edited is not None else game.shown if game.reads_board else None
    compared = _comparison(script, game, known, look)
    items.append(look.strong(rect.below(px(134)).top(px(50)), compared, "small", lines=2))
    low = rect.below(px(188))
    if game.state in (State.RUNNING, State.STOPPED, State.CORRECTING):
        items += button(low.top(px(50)), set_it, look)
    back = ButtonChoice(Transcripts(), words("Back"))
    return items + button(low.below(px(50) + px(8)).top(px(46)), back, look)


def _comparison(script: TranscriptView, game: Game, known: Position | None, look: Look) -> str:
    """Return the line that tells whether the position shown is on the board, and whose transcript decides."""
    words = look.words
    if known is None:
        return words("Compare it with the board")
    if all(script.typed):
        side = decides(script, known)
        if side is not None:
            return words("Only {who}'s transcript gives this position: it decides", who=look.player(side))
        both = all(gives(script.typed.of(side), known) for side in Side)
        return words(
            "Both transcripts give this position" if both else "Neither transcript gives this position"
        )
    wrong = script.stage(game).position.differences(known).bit_count()
    if wrong:
        return words("{count} squares differ from the board", count=wrong)
    return words("The same as on the board")
