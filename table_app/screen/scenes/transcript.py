"""A signed game to take home: its names, score and moves as a QR code, and the moves to read beside it."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby

from flagfall.othello.notation import format_transcript, square_name
from table_app.screen.kit.player_face import Face
from table_app.screen.kit.scene import Fill, Item, Rect, Scene
from table_app.screen.kit.widgets import Look, cross, disc


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
        *_code(text, place),
        look.strong(head.left(head.w - px(70)), look.words("Transcript"), "name"),
        *cross(head.end(px(60)), look),
        *_score(face, beside.top(px(56)), look),
    ]
    across = 6 if screen.w >= screen.h else 10
    for row, first in zip(beside.below(px(66)).rows(60 // across), range(0, 60, across), strict=True):
        moves = face.result.moves[first : first + across]
        cells = zip(row.columns(across), moves, strict=False)
        items += [look.text(cell, square_name(square), "small") for cell, square in cells]
    return tuple(items)


def _score(face: Face, rect: Rect, look: Look) -> list[Item]:
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


@lru_cache(4)
def _modules(text: str) -> tuple[bytes, ...]:
    """Return rows of modules, 1 for a dark one, with the margin of four light ones that readers need (ISO/IEC
    18004)."""
    import segno  # loaded only by those who want a code

    code = segno.make_qr(text, error="m", encoding="utf-8")
    return tuple(map(bytes, code.matrix_iter(border=4)))


def _code(text: str, place: Rect) -> list[Item]:
    """Dark on light whatever the theme, in whole pixels."""
    modules = _modules(text)
    count = len(modules)
    size = min(place.w, place.h) // count
    ground = place.middle(size * count, size * count)
    items: list[Item] = [Fill(ground, "disc_white")]
    for y, row in enumerate(modules):
        line, x = ground.below(y * size).top(size), 0
        for dark, run in groupby(row):
            length = len(list(run))
            if dark:
                items.append(Fill(line.beside(x * size).left(length * size), "disc_black"))
            x += length
    return items
