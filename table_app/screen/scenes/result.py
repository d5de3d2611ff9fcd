"""The end of a game: the counted board, the score and its reason, and both signatures."""

from __future__ import annotations

from othello.side import Both, Side
from table_app.screen.kit.player_face import Delivery, Face, FaceResult, PlayerFace
from table_app.screen.kit.scene import Fill, Item, Rect, Scene, Shape, Tap, Words, turned
from table_app.screen.kit.widgets import ButtonChoice, Look, button, diagram, disc
from table_app.screen.scenes.clock import halves


def result_scene(face: Face, screen: Rect, look: Look, signing: Both[int | None]) -> Scene:
    """The counted board in the middle, each player's discs and signature at the player's side."""
    if face.players is None or face.result is None:
        return ()
    px, result, width, height = look.px, face.result, screen.w, screen.h
    upright = height > width
    items: list[Item] = []
    if look.face_to_face:
        for side, place in halves(screen, face, look).items():
            half = _result_half(face, face.players.of(side), place, look, signing)
            items += turned(half, place) if place.y == 0 else half
        return tuple(items)
    head = Rect(px(72), px(14), width - px(96), px(84))
    items += _verdict(face, result, head, look)
    board = min(width, height) - px(162) if not upright else px(300)
    middle = Rect((width - board) // 2, head.bottom + px(4), board, board)
    if result.position is not None:
        items += diagram(middle, result.position, look, labels=False)
    else:
        items += _no_board(result, middle, look)
    for side in Side:
        on_left = side is face.left_to_right[0]
        column = Rect(px(14), head.bottom + px(4), middle.x - px(28), board)
        if not on_left:
            column = Rect(middle.right + px(14), column.y, width - middle.right - px(28), board)
        if upright:
            x = px(14) if on_left else width // 2 + px(7)
            column = Rect(x, middle.bottom + px(10), width // 2 - px(21), px(300))
        items += _column(face.players.of(side), result, column, look, signing)
    beside = px(20) if upright else px(220)  # the signatures stand there
    below = Rect(beside, height - px(88 if upright else 50), width - 2 * beside, px(30 if upright else 34))
    items += _delivery(face, below, look, "centre")
    return tuple(items)


def _no_board(result: FaceResult, rect: Rect, look: Look) -> list[Item]:
    """The final position is unknown: the discs as they were counted, if they were."""
    px = look.px
    items: list[Item] = look.card(rect)
    if result.discs is None:
        return [
            *items,
            look.text(
                rect.inset(px(16)),
                look.words("The board was not read"),
                colour="muted",
                align="centre",
                lines=3,
            ),
        ]
    for row, count, black in zip(
        rect.inset(px(30)).rows(2, px(20)), result.discs, (True, False), strict=True
    ):
        icon = Rect(row.x, row.y + (row.h - px(84)) // 2, px(84), px(84))
        items += [
            disc(icon, black),
            Words(row, str(count), px(110), colour="ink", face="figures", align="right"),
        ]
    return items


def _headline(face: Face, result: FaceResult, look: Look) -> str:
    if result.winner is None:
        return look.words("Draw")
    name = look.called(face.players.of(result.winner)) if face.players is not None else ""
    return look.words("{name} wins", name=name)


def _reason(face: Face, result: FaceResult, look: Look) -> str:
    text = look.words.named(f"reason_{result.reason.value}")
    if result.score[0] == result.score[1] and result.winner is not None:
        text = f"{text} · {look.words('draw-win')}"
    return text


def _verdict(face: Face, result: FaceResult, rect: Rect, look: Look) -> list[Item]:
    px = look.px
    figures = px(84) if rect.w > px(500) else px(56)
    score = Rect(rect.right - figures * 11 // 4, rect.y, figures * 11 // 4, rect.h)
    first, second = result.score if not face.swapped else result.score[::-1]
    left = rect._replace(w=rect.w - score.w - px(10))
    above, below = left._replace(y=rect.y + px(4), h=px(46)), left._replace(y=rect.y + px(50), h=px(30))
    return [
        look.strong(above, _headline(face, result, look), "title", lines=2),
        look.text(below, _reason(face, result, look), colour="muted"),
        Words(score, f"{first}–{second}", figures, colour="ink", face="figures", align="right"),
    ]


def _column(
    player: PlayerFace, result: FaceResult, rect: Rect, look: Look, signing: Both[int | None]
) -> list[Item]:
    """One player's name, discs counted, clock and signature."""
    px = look.px
    icon = Rect(rect.x + (rect.w - px(52)) // 2, rect.y + px(2), px(52), px(52))
    items: list[Item] = [
        disc(icon, player.black_discs),
        look.strong(Rect(rect.x, icon.bottom + px(4), rect.w, px(34)), look.called(player), align="centre"),
    ]
    if result.position is not None and result.discs is not None:
        count = result.discs[0] if player.side is Side.BLACK else result.discs[1]
        items.append(
            Words(
                Rect(rect.x, icon.bottom + px(44), rect.w, px(56)),
                str(count),
                px(70),
                colour="ink",
                face="figures",
                align="centre",
            )
        )
        items.append(
            look.text(
                Rect(rect.x, icon.bottom + px(104), rect.w, px(26)),
                look.words("discs"),
                "small",
                "muted",
                align="centre",
            )
        )
    time = Rect(rect.x, icon.bottom + px(134), rect.w, px(26))
    items.append(
        look.text(time, look.words("{time} left", time=player.time), "small", "muted", align="centre")
    )
    items += _signature(player, result, Rect(rect.x, rect.bottom - px(76), rect.w, px(70)), look, signing)
    return items


def _signature(
    player: PlayerFace, result: FaceResult, rect: Rect, look: Look, signing: Both[int | None]
) -> list[Item]:
    px = look.px
    if player.signed:
        # A tick before the text: told by shape too.
        x, y = rect.x + px(24), rect.y + rect.h // 2
        tick = (
            (x, y),
            (x + px(7), y + px(8)),
            (x + px(22), y - px(10)),
            (x + px(25), y - px(7)),
            (x + px(7), y + px(14)),
            (x - px(3), y + px(3)),
        )
        text = Rect(rect.x + px(62), rect.y, rect.w - px(74), rect.h)
        return [
            Fill(rect, "running", px(12)),
            Shape(tick, "running_ink"),
            look.strong(text, look.words("Signed"), "button", "running_ink"),
        ]
    if "sign" not in player.buttons:
        return []
    tap, armed = Tap("sign", player.side), signing.of(player.side) is not None
    score = f"{result.score[0]}–{result.score[1]}"
    label = look.words("Touch again: {score}", score=score) if armed else look.words("Sign")
    return button(rect, ButtonChoice(tap, label, armed, strong=True), look)


def _result_half(
    face: Face, player: PlayerFace, place: Rect, look: Look, signing: Both[int | None]
) -> list[Item]:
    """Each of two players who sit opposite reads the whole result and signs at his own side."""
    if face.result is None:
        return []
    px, inner, result = look.px, place.inset(look.px(28), look.px(20)), face.result
    card = place.inset(px(10))
    if place.w < place.h * 1.3:
        return [*look.card(card), *_narrow_half(face, player, inner, look, signing)]
    board = inner.h if result.position is not None else 0
    text = Rect(inner.x + board + px(20), inner.y, inner.w - board - px(20) - px(210), inner.h)
    items: list[Item] = look.card(card)
    if result.position is not None:
        items += diagram(Rect(inner.x, inner.y, board, board), result.position, look, labels=False)
    items.append(look.strong(Rect(text.x, text.y, text.w, px(44)), _headline(face, result, look), "title"))
    items.append(
        look.text(
            Rect(text.x, text.y + px(46), text.w, px(28)), _reason(face, result, look), "small", "muted"
        )
    )
    score = f"{result.score[0]}–{result.score[1]}"
    items.append(Words(Rect(text.x, text.y + px(82), text.w, px(70)), score, px(84), "ink", "figures"))
    items += _delivery(face, Rect(text.x, inner.bottom - px(30), text.w, px(30)), look, "left")
    right = Rect(inner.right - px(190), inner.y, px(190), inner.h)
    items.append(disc(Rect(right.x, right.y, px(40), px(40)), player.black_discs))
    items.append(
        look.strong(Rect(right.x + px(50), right.y, right.w - px(50), px(40)), look.called(player), lines=2)
    )
    items += _signature(player, result, Rect(right.x, right.bottom - px(84), right.w, px(84)), look, signing)
    return items


def _narrow_half(
    face: Face, player: PlayerFace, inner: Rect, look: Look, signing: Both[int | None]
) -> list[Item]:
    """The same where the halves lie above each other on a display that stands upright."""
    assert face.result is not None
    px, result, items = look.px, face.result, list[Item]()
    board = Rect(inner.x, inner.y + px(50), px(200), px(200)) if result.position is not None else None
    if result.position is not None and board is not None:
        items += diagram(board, result.position, look, labels=False)
    x = inner.x if board is None else board.right + px(16)
    text = Rect(x, inner.y + px(50), inner.right - x, px(200))
    items.append(disc(Rect(inner.x, inner.y, px(40), px(40)), player.black_discs))
    name = Rect(inner.x + px(50), inner.y, inner.w - px(50), px(40))
    reason = _reason(face, result, look)
    items += [
        look.strong(name, look.called(player)),
        look.strong(text._replace(h=px(68)), _headline(face, result, look), "title", lines=2),
        look.text(text._replace(y=text.y + px(72), h=px(44)), reason, "small", "muted", lines=2),
    ]
    score = f"{result.score[0]}–{result.score[1]}"
    items.append(Words(text._replace(y=text.y + px(124), h=px(70)), score, px(84), "ink", "figures"))
    below = Rect(inner.x, text.bottom + px(4), inner.w, px(30))
    items += _delivery(face, below, look, "left")
    sign = Rect(inner.x, below.bottom + px(4), inner.w, inner.bottom - below.bottom - px(4))
    return items + _signature(player, result, sign, look, signing)


def _delivery(face: Face, rect: Rect, look: Look, align: str) -> list[Item]:
    words = look.words
    both = face.players is not None and face.players.black.signed and face.players.white.signed
    text, colour = (
        words("Closed by the director without signatures" if face.closed else "Both players sign the result"),
        "ink",
    )
    if face.delivery is Delivery.RECEIVED:
        text = (
            words("Received. Thank you for the game.")
            if both
            else words(
                "Closed by the director without signatures"
                if face.closed
                else "Received – signatures are still missing"
            )
        )
        colour = "running"
    elif face.delivery is Delivery.REFUSED:
        text, colour = words("Not accepted – please call the director"), "alert"
    elif face.delivery is Delivery.SENT:
        text = words("Sent – waiting for the tournament's receipt") if both else text
    elif both and not face.of_tournament:
        text = words("Both players have signed")
    elif both:
        text = words(
            "Signed – sending the result" if face.linked else "Signed – kept until the tournament is reached"
        )
    return [look.strong(rect, text, colour=colour, align=align)]
