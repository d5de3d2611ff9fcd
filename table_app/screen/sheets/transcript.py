"""The transcript of a signed game, to take home."""

from __future__ import annotations

from dataclasses import dataclass

from flagfall.othello.board import format_transcript, square_name
from flagfall.othello.game import State
from table_app.screen.dialog import Canvas, Sheet
from table_app.screen.kit.player_face import Face
from table_app.screen.kit.qr_code import qr_code
from table_app.screen.kit.scene import Item, Rect, Scene
from table_app.screen.kit.widgets import Look, cross, disc
from table_app.table_view import TableView


@dataclass(frozen=True, slots=True)
class Transcript(Sheet):
    """The transcript of a signed game."""

    def fits(self, view: TableView, another: bool) -> bool:
        return view.game is not None and view.game.state is State.SIGNED

    def scene(self, canvas: Canvas) -> Scene:
        return transcript_scene(canvas.face, canvas.screen, canvas.look)


def transcript_text(face: Face, look: Look) -> str:
    """Return two lines: Black, the score, White; then the moves as in `f5d6c3`, passes left out. "" without moves to
    tell."""
    if face.result is None or not face.result.moves:
        return ""
    # For another device: its program isolates names itself.
    black, white = (player.name or look.colour_name(player.black_discs) for player in face.players)
    score = "-".join(map(str, face.result.score))
    return f"{black} {score} {white}\n{format_transcript(face.result.moves)}"


def transcript_scene(face: Face, screen: Rect, look: Look) -> Scene:
    """Return the transcript, () while there is nothing to show: before both players have signed, or when the moves
    are not known."""
    text = transcript_text(face, look)
    if face.result is None or not text:
        return ()
    px, body = look.px, screen.inset(look.px(12))
    if screen.h > screen.w:
        head, rest = body.top(px(60)), body.below(px(68))
        place, beside = rest.top(rest.w), rest.below(rest.w + px(8))
    else:
        place, right = body.left(body.h), body.beside(body.h + px(16))
        head, beside = right.top(px(60)), right.below(px(68))
    items: list[Item] = [
        *qr_code(text, place),
        look.strong(head.left(head.w - px(70)), look.words("Transcript"), "name"),
        *cross(head.end(px(60)), look),
        *_written_score(face, beside.top(px(56)), look),
    ]
    across = 6 if screen.w >= screen.h else 10
    for row, first in zip(beside.below(px(66)).rows(60 // across), range(0, 60, across), strict=True):
        moves = face.result.moves[first : first + across]
        cells = zip(row.columns(across), moves, strict=False)
        items += [look.text(cell, square_name(square), "small") for cell, square in cells]
    return tuple(items)


def _written_score(face: Face, rect: Rect, look: Look) -> list[Item]:
    """Return a line for each player: disc, name, discs."""
    items: list[Item] = []
    if face.result is None:
        return items
    for line, player, count in zip(rect.rows(2), face.players, face.result.score, strict=True):
        icon, text = line.left(look.px(26)).middle(look.px(20), look.px(20)), line.beside(look.px(34))
        items += [
            disc(icon, player.black_discs),
            look.strong(text.left(text.w - look.px(44)), look.called(player), "small"),
            look.strong(text.end(look.px(40)), str(count), "small", align="right"),
        ]
    return items
