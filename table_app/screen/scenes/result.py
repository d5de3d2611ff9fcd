"""The end of a game: the counted board, the score, both signatures, and the transcript to take home."""

from __future__ import annotations

from flagfall.othello.reason import Reason
from flagfall.othello.side import Both, Side
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.player_face import Face, FaceResult, PlayerFace
from table_app.screen.kit.scene import Fill, Item, Rect, Scene, Shape, Words
from table_app.screen.kit.widgets import ButtonChoice, Look, Marks, button, diagram, disc
from table_app.screen.scenes.before_play import record_head, table_key
from table_app.screen.scenes.clock import halves
from table_app.table_view import Phase
from table_app.texts import TEXTS


def result_scene(face: Face, screen: Rect, look: Look, signing: Both[int | None]) -> Scene:
    """Return the counted board in the middle, each player's discs and signature at the player's side."""
    if face.result is None:
        return ()
    px, result, width, height = look.px, face.result, screen.w, screen.h
    upright, items = height > width, list[Item]()
    if look.face_to_face:
        for side, place in halves(screen, face, look).items():
            half = _result_half(face, face.players.of(side), place, look, signing)
            items += look.facing(place, half)
        return tuple(items)
    head = Rect(px(72), px(14), width - px(96), px(84))
    items += _verdict(face, result, head, look)
    board, above = (px(276), px(28)) if upright else (min(width, height) - px(162), px(4))
    middle = Rect((width - board) // 2, head.bottom + above, board, board)
    if result.position is not None:
        items += diagram(middle, result.position, look, Marks(moves=result.moves), labels=False)
    elif result.discs is not None or (face.header is not None and face.header.sensors):
        items += _no_board(result, middle, look)
    for side in Side:
        on_left = side is face.left_to_right[0]
        if upright:
            x = px(14) if on_left else width // 2 + px(7)
            column = Rect(x, middle.bottom + px(10), width // 2 - px(21), px(300))
        else:
            room = middle._replace(x=0, w=width)
            column = (room.left(middle.x) if on_left else room.beside(middle.right)).inset(px(14), 0)
        items += _column(face, face.players.of(side), result, column, look=look, signing=signing)
    beside = px(20) if upright else px(220)  # the signatures stand there
    below = screen.inset(beside, 0).foot(px(88 if upright else 50)).top(px(30 if upright else 34))
    return (*items, *_delivery(face, below, look, "centre"))


def _no_board(result: FaceResult, rect: Rect, look: Look) -> list[Item]:
    """Return the discs as they were counted, if they were, for an unknown final position."""
    px = look.px
    items: list[Item] = look.card(rect)
    if result.discs is None:
        text = look.words("The board was not read")
        return [*items, look.text(rect.inset(px(16)), text, colour="muted", align="centre", lines=3)]
    rows = rect.inset(px(30)).rows(2, px(20))
    for row, count, black in zip(rows, result.discs, (True, False), strict=True):
        items.append(disc(row.left(px(84)).middle(px(84), px(84)), black))
        items.append(Words(row, str(count), px(110), face="figures", align="right"))
    return items


def _headline(face: Face, result: FaceResult, look: Look) -> str:
    if result.winner is None:
        return look.words("Both players lose" if result.reason is Reason.BOTH_FLAGS else "Draw")
    return look.words("{name} wins", name=look.called(face.players.of(result.winner)))


def _score(face: Face, result: FaceResult, look: Look) -> str:
    """Return the discs, Black's first; where both read the same picture the discs of the player who sits left."""
    first, second = result.score[::-1] if face.swapped and not look.face_to_face else result.score
    return f"{first}–{second}"


def _reason(face: Face, result: FaceResult, look: Look) -> str:
    text = look.words(TEXTS[f"reason_{result.reason.value}"])
    if result.score[0] == result.score[1] and result.winner is not None:
        text = f"{text} · {look.words('draw-win')}"
    return text


def _recorded(result: FaceResult, side: Side, look: Look) -> str:
    """Return the difference that this player records, where it is not the opposite of the other's (jof J16, J18)."""
    if result.uneven is None:
        return ""
    return look.words("difference {number}", number=f"{result.uneven.of(side):+}".replace("-", "–"))


def _evidence(face: Face, look: Look) -> str:
    """Return the key with which the table signs this result, and the head of the record once it contains it."""
    head = record_head(face, look) if face.phase is Phase.RECEIVED else ""
    return " · ".join(filter(None, (table_key(face, look), head)))


def _verdict(face: Face, result: FaceResult, rect: Rect, look: Look) -> list[Item]:
    px = look.px
    figures = px(84) if rect.w > px(500) else px(56)
    score = rect.end(figures * 11 // 4)
    left = rect.left(rect.w - score.w - px(10))
    narrow = rect.w <= px(500)
    text, lines = left.below(px(4 if narrow else 0)), 2 if narrow else 1
    return [
        look.strong(text.top(px(46 if narrow else 40)), _headline(face, result, look), "title", lines=2),
        look.text(
            text.below(px(46 if narrow else 38)).top(px(26)), _reason(face, result, look), colour="muted"
        ),
        look.text(
            text.below(px(70 if narrow else 62)).top(px(22 * lines)),
            _evidence(face, look),
            "small",
            "muted",
            lines=lines,
        ),
        Words(score, _score(face, result, look), figures, face="figures", align="right"),
    ]


def _column(
    face: Face, player: PlayerFace, result: FaceResult, rect: Rect, *, look: Look, signing: Both[int | None]
) -> list[Item]:
    """Return one player's name, discs counted, clock and signature."""
    px = look.px
    words = look.words
    icon = rect.below(px(2)).top(px(52)).middle(px(52), px(52))
    text = rect.below(px(2) + px(52))
    items: list[Item] = [
        disc(icon, player.black_discs),
        look.strong(text.below(px(2)).top(px(44)), look.called(player), align="centre", lines=2),
    ]
    if result.position is not None and result.discs is not None:
        count = str(result.discs[0] if player.side is Side.BLACK else result.discs[1])
        items += [Words(text.below(px(44)).top(px(56)), count, px(70), face="figures", align="centre")]
    flag = Button.FLAG in player.buttons
    if not flag and result.position is not None and result.discs is not None:
        caption = text.below(px(104)).top(px(26))
        items.append(look.text(caption, words("discs"), "small", "muted", align="centre"))
    left = _recorded(result, player.side, look) or words("{time} left", time=player.time)
    return [
        *items,
        look.text(text.below(px(104 if flag else 134)).top(px(26)), left, "small", "muted", align="centre"),
        *_flag_button(player, text.below(px(134)).top(px(36)).inset(px(16), 0), look),
        *_signature(player, _score(face, result, look), rect.foot(px(76)).top(px(70)), look, signing),
    ]


def _flag_button(player: PlayerFace, rect: Rect, look: Look) -> list[Item]:
    """Return the button that speaks of a flag, for as long as one can still be claimed (jof J15)."""
    if Button.FLAG not in player.buttons:
        return []
    return button(rect, ButtonChoice(Tap(Button.FLAG, player.side), look.words(TEXTS["button_flag"])), look)


def _signature(
    player: PlayerFace, score: str, rect: Rect, look: Look, signing: Both[int | None]
) -> list[Item]:
    px = look.px
    if player.signed:
        # A tick before the text: told by shape too.
        x, y = rect.x + px(24), rect.y + rect.h // 2
        corners = ((0, 0), (7, 8), (22, -10), (25, -7), (7, 14), (-3, 3))
        tick = tuple((x + px(across), y + px(down)) for across, down in corners)
        text = rect.beside(px(62)).left(rect.w - px(74))
        return [
            Fill(rect, "running", px(12)),
            Shape(tick, "running_ink"),
            look.strong(text, look.words("Signed"), "button", "running_ink"),
        ]
    if Button.SIGN not in player.buttons:
        return []
    tap, armed = Tap(Button.SIGN, player.side), signing.of(player.side) is not None
    label = look.words("Touch again: {what}", what=score) if armed else look.words("Sign")
    return button(rect, ButtonChoice(tap, label, armed, strong=True), look)


def _result_half(
    face: Face, player: PlayerFace, place: Rect, look: Look, signing: Both[int | None]
) -> list[Item]:
    """Return the whole result for one of two players who sit opposite; each signs at their own side."""
    if face.result is None:
        return []
    px, inner, result = look.px, place.inset(look.px(28), look.px(20)), face.result
    narrow = place.w < place.h * 1.3  # the halves of a display that stands upright
    if narrow:
        lines, name, text = 2, inner.top(px(40)), inner.below(px(50)).top(px(200))
        board, beside = text.left(px(200)), px(200) + px(16) if result.position is not None else 0
        text, below = text.beside(beside), inner.below(px(50) + px(200) + px(4))
        reason, score = text.below(px(72)).top(px(44)), text.below(px(124))
        delivery, signature = below.top(px(30)), below.below(px(30) + px(4))
        flag, name = name.end(px(110)), name.left(name.w - px(120))
    else:
        high = inner.h if result.position is not None else 0
        right, board, text = inner.end(px(190)), inner.left(high), inner.beside(high + px(20))
        lines, name, text = 1, right.top(px(40)), text.left(text.w - px(210))
        reason, score = text.below(px(44)).top(px(38)), text.below(px(82))
        delivery, signature = text.foot(px(30)), right.foot(px(84))
        flag = right.below(px(54)).top(px(48))
    headline = text.top(px(68 if narrow else 44))
    remarks = _reason(face, result, look), _recorded(result, player.side, look), _evidence(face, look)
    items: list[Item] = look.card(place.inset(px(10)))
    if result.position is not None:
        items += diagram(board, result.position, look, Marks(moves=result.moves), labels=False)
    return [
        *items,
        disc(name.left(px(40)), player.black_discs),
        look.strong(name.beside(px(50)), look.called(player), lines=3 - lines),
        look.strong(headline, _headline(face, result, look), "title", lines=lines),
        look.text(reason, " · ".join(filter(None, remarks)), "small", "muted", lines=2),
        Words(score.top(px(70)), _score(face, result, look), px(84), face="figures"),
        *_flag_button(player, flag, look),
        *_delivery(face, delivery, look, "left"),
        *_signature(player, _score(face, result, look), signature, look, signing),
    ]


def _delivery(face: Face, rect: Rect, look: Look, align: str) -> list[Item]:
    words = look.words
    both = all(player.signed for player in face.players)
    received = face.phase is Phase.RECEIVED
    colour = "alert" if face.refused else "running" if received else "ink"
    if face.refused:
        text = words("Result refused – call the director")
    elif received and both:
        text = words("Received. Thank you for the game.")
    elif not both and face.closed:
        text = words("Closed by the director without signatures")
    elif not both:
        text = words(
            "Received – signatures are still missing" if received else "Both players sign the result"
        )
    elif face.phase is Phase.SENT:
        text = words("Sent – waiting for confirmation")
    elif not face.of_tournament:
        text = words("Both players have signed")
    else:
        text = words("Signed – sending the result" if face.linked else "Signed – will be sent when connected")
    return [look.strong(rect, text, colour=colour, align=align)]
