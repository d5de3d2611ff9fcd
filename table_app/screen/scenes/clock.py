"""The clock during play, for two players and the audience.

The running clock is told by place (its half), by shape (the whole half is filled and has a pointer; the other half is a
card with an outline) and only then by colour.
"""

from __future__ import annotations

from dataclasses import replace

from msgspec import Struct

from othello.game import SECOND_NS
from othello.side import Side
from table_app.screen.kit.player_face import Face, PlayerFace
from table_app.screen.kit.scene import Fill, FilledCircle, Item, Rect, Scene, Tap, Words, turned
from table_app.screen.kit.widgets import ButtonChoice, Look, button, disc, flag_mark, pause_mark, pointer
from table_app.screen.state.dialog import RESIGN_HOLD_NS


class ResignationView(Struct, frozen=True):
    """`loser` has resigned, which takes effect in `left_ns`; `asked`: whose finger is or was on the button."""

    loser: Side | None = None
    left_ns: int = 0
    asked: Side | None = None


_PLAYER_BUTTONS = {
    "error": "button_error", "stop": "button_stop", "director": "button_director", "resign": "button_resign",
    "score": "button_score", "flag": "button_flag",
}  # fmt: skip


def halves(screen: Rect, face: Face, look: Look) -> dict[Side, Rect]:
    """The places of the players: side by side, Black left; or opposite each other, Black below."""
    if look.face_to_face or screen.h > screen.w:
        second, first = screen.rows(2)
    else:
        first, second = screen.columns(2)
    return dict(zip(face.left_to_right, (first, second), strict=True))


def clock_scene(face: Face, screen: Rect, look: Look, going: ResignationView) -> Scene:
    """Both halves. `going`: a resignation that is being held, or can still be taken back."""
    if face.players is None:
        return ()
    items: list[Item] = []
    for side, place in halves(screen, face, look).items():
        player = face.players.of(side)
        lay_out = _wide if place.w > place.h * 1.3 else _upright
        half = [*_ground(player, place, look), *lay_out(face, player, place, look, going)]
        items += turned(half, place) if look.face_to_face and place.y == 0 else half
    if not look.face_to_face and screen.w >= screen.h:
        if going.loser is not None:
            items += _resigned(face, going, screen, look)
        elif face.headline:
            items += _banner(face, screen, look)
    return tuple(items)


def _ground(player: PlayerFace, place: Rect, look: Look) -> list[Item]:
    if player.running:
        return [Fill(place, "running")]
    card = place.inset(look.px(10))
    return look.card(card)


def _upright(face: Face, player: PlayerFace, place: Rect, look: Look, going: ResignationView) -> list[Item]:
    """Name above, figures in the middle, below them the prompt (unless the banner has it) and the player's buttons.
    Halves that lie above each other are lower and have no banner: each has its own line."""
    px, inner = look.px, place.inset(look.px(24), look.px(22))
    low = place.w > place.h
    asks = not face.headline and going.loser is None
    items = _name(player, Rect(inner.x, inner.y, inner.w, px(44)), look)
    lower = px(-4) if low else px(12) if player.buttons else px(32)
    figures = Rect(inner.x - px(6), inner.y + px(56) + lower, inner.w + px(12), px(140))
    items += _figures(player, figures, look)
    marks = Rect(inner.x, figures.bottom + px(16), inner.w, px(36))
    if low and going.loser is not None:
        return items + _undo(face, player, going, marks, look)
    items += _marks(face, player, marks, look=look, going=going, align="centre")
    if low:
        line = Rect(inner.x, inner.bottom - px(102), inner.w, px(32))
        items += _line(face, player, line, look, "centre")
        if player.running:
            at = Rect(inner.right - px(72), line.y + px(4), px(72), px(32))
            middle = inner.x + inner.w // 2
            at = at if player.buttons else Rect(middle - px(62), inner.bottom - px(66), px(124), px(64))
            items.append(pointer(at, True, "running_ink"))
    elif player.running and not player.buttons:
        middle = inner.x + inner.w // 2
        items.append(
            pointer(Rect(middle - px(62), inner.bottom - px(74), px(124), px(72)), True, "running_ink")
        )
    elif player.running and asks:
        middle = inner.x + inner.w // 2
        items.append(
            pointer(Rect(middle - px(50), inner.bottom - px(162), px(100), px(56)), True, "running_ink")
        )
    if asks and not low:
        ask = inner.bottom - px(100 if player.buttons else 118)
        items += _ask(player, Rect(inner.x, ask, inner.w, px(32)), look, "centre")
    foot = Rect(inner.x - px(6), inner.bottom - px(52), inner.w + px(12), px(54))
    items += _buttons(face, player, foot, look, going)
    return items


def _wide(face: Face, player: PlayerFace, place: Rect, look: Look, going: ResignationView) -> list[Item]:
    """Name, texts and buttons left, figures right."""
    px, inner = look.px, place.inset(look.px(26), look.px(24))
    left = Rect(inner.x, inner.y, round(inner.w * 0.46), inner.h)
    right = Rect(left.right + px(12), inner.y, inner.right - left.right - px(12), inner.h)
    items = _name(player, Rect(left.x, left.y, left.w, px(44)), look)
    line = Rect(left.x, left.y + px(54), left.w, px(32))
    if going.loser is not None:
        items += _undo(face, player, going, line, look)
    else:
        items += _line(face, player, line, look, "left")
    if going.loser is None:
        items += _marks(
            face, player, Rect(left.x, left.y + px(92), left.w, px(34)), look=look, going=going, align="left"
        )
    if player.running:
        items.append(
            pointer(
                Rect(right.x + right.w // 2 - px(40), right.bottom - px(26), px(80), px(40)),
                True,
                "running_ink",
            )
        )
    items += _figures(player, Rect(right.x, right.y - px(4), right.w, right.h - px(30)), look)
    items += _buttons(
        face, player, Rect(left.x - px(6), left.bottom - px(54), left.w + px(6), px(56)), look, going
    )
    return items


def _ink(player: PlayerFace, muted: bool = False) -> str:
    if player.running:
        return "running_muted" if muted else "running_ink"
    return "muted" if muted else "ink"


def _name(player: PlayerFace, rect: Rect, look: Look) -> list[Item]:
    icon = Rect(rect.x, rect.y + (rect.h - look.px(40)) // 2, look.px(40), look.px(40))
    text = Rect(icon.right + look.px(12), rect.y, rect.w - icon.w - look.px(12), rect.h)
    mark: FilledCircle = disc(icon, player.black_discs, player.running)
    top = Rect(text.x, text.y - look.px(6), text.w, look.px(34)) if player.name else text
    below = Rect(text.x, text.y + look.px(25), text.w, look.px(22))
    colour = look.colour_name(player.black_discs)
    return [
        mark,
        look.strong(top, look.called(player), "name", _ink(player)),
        look.text(below, colour if player.name else "", "small", _ink(player, True)),
    ]


def _figures(player: PlayerFace, rect: Rect, look: Look) -> list[Item]:
    items: list[Item] = []
    size = look.size("digits")
    if player.on_extension:
        # Extra time stands between two bars: a different shape, visible from a distance.
        bar = max(3, look.px(6))
        items.append(Fill(Rect(rect.x, rect.y - bar, rect.w, bar), _ink(player)))
        items.append(Fill(Rect(rect.x, rect.bottom, rect.w, bar), _ink(player)))
    ink = _ink(player)
    if player.low:
        # A frame, filled where the clock runs: told by shape as well as colour.
        frame = rect.inset(0, look.px(4))
        border = 0 if player.running else max(2, look.px(4))
        items.append(Fill(frame, "alert", look.px(14), border))
        ink = "alert_ink" if player.running else "ink"
    items.append(Words(rect, player.time, size, colour=ink, face="figures", align="centre"))
    return items


def _marks(
    face: Face, player: PlayerFace, rect: Rect, look: Look, going: ResignationView, align: str
) -> list[Item]:
    """The lasting flag, extra time, readiness; before them the effect of a held touch, the button that continues after
    a stop, and for a while why a press had no effect."""
    words, items = look.words, list[Item]()
    x = rect.x
    if going.asked is player.side and "resign" in player.buttons:
        colour = "running_ink" if player.running else "alert"
        text = words("Hold: {loser} resigns, {winner} wins", **_loser_and_winner(face, player.side, look))
        return [look.strong(rect._replace(h=look.px(48)), text, colour=colour, align=align, lines=2)]
    if "ready" in player.buttons:
        # Not in the row, where the button that stops was.
        place = Rect(rect.x, rect.y - look.px(6), rect.w, look.px(46))
        choice = ButtonChoice(Tap("ready", player.side), words.named("button_ready"), strong=True)
        return button(place, choice, look)
    if player.told:
        colour = "running_ink" if player.running else "alert"
        return [look.strong(rect, words.named(player.told), colour=colour, align=align)]
    if player.flags:
        label = words("Flag fell first" if player.fell_first else "Flag fell")
        colour = "running_ink" if player.running else "alert"
        items += flag_mark(x, rect.y + look.px(2), look.px(30), colour)
        count = "1" if player.fell_first else "2"
        items.append(look.strong(Rect(x + look.px(30), rect.y, look.px(16), rect.h), count, colour=colour))
        text = f"{label} · {words('extra time')}" if player.on_extension else label
        left = Rect(x + look.px(52), rect.y, rect.w - look.px(52), rect.h)
        items.append(look.strong(left, text, colour=colour))
        return items
    if player.given_s:
        text = words("{time} added", time=f"{player.given_s // 60}:{player.given_s % 60:02}")
        items.append(look.strong(rect, text, colour=_ink(player), align=align))
    elif player.ready:
        items.append(look.strong(rect, words("Ready to go on"), colour=_ink(player), align=align))
    elif player.stated is not None:
        text = words("States {black}–{white}", black=player.stated[0], white=player.stated[1])
        items.append(look.strong(rect, text, colour=_ink(player), align=align))
    return items


def _ask(player: PlayerFace, rect: Rect, look: Look, align: str) -> list[Item]:
    if not player.ask:
        return []
    return [look.strong(rect, look.words.named(player.ask), colour=_ink(player), align=align)]


def _line(face: Face, player: PlayerFace, rect: Rect, look: Look, align: str) -> list[Item]:
    """On a half that no banner crosses: what both players are told, or what this one is asked."""
    if not face.headline:
        return _ask(player, rect, look, align)
    colour = "running_ink" if player.running else "alert" if _urgent(face) else "ink"
    return [look.strong(rect, _headline(face, look), colour=colour, align=align)]


def _buttons(face: Face, player: PlayerFace, rect: Rect, look: Look, going: ResignationView) -> list[Item]:
    """The player's row of buttons; each has its place for the whole game, and all disappear while a resignation can be
    taken back."""
    items: list[Item] = []
    if not player.buttons or going.loser is not None:
        return items
    small = replace(
        look, theme=replace(look.theme, sizes={**look.theme.sizes, "button": look.theme.sizes["small"]})
    )
    for place, name in zip(rect.columns(len(face.row), look.px(6)), face.row, strict=True):
        if name in player.buttons:
            held = name == "resign"
            tap, label = Tap(name, player.side), look.words.named(_PLAYER_BUTTONS[name])
            choice = ButtonChoice(
                tap, label, held and going.asked is player.side, hold_ns=RESIGN_HOLD_NS if held else 0
            )
            items += button(place, choice, small)
    return items


def _loser_and_winner(face: Face, loser: Side, look: Look) -> dict[str, str]:
    if face.players is None:
        return {"loser": "", "winner": ""}
    named = {side: look.called(face.players.of(side)) for side in Side}
    return {"loser": named[loser], "winner": named[loser.other]}


def _going_text(face: Face, going: ResignationView, look: Look) -> str:
    if going.loser is None:
        return ""
    text = look.words("{loser} resigns, {winner} wins", **_loser_and_winner(face, going.loser, look))
    return f"{text} · {-(-going.left_ns // SECOND_NS)}"


def _resigned(face: Face, going: ResignationView, screen: Rect, look: Look) -> list[Item]:
    """Across both halves: the result that is about to count, and for both players a button that takes the resignation
    back."""
    px = look.px
    rect = Rect(screen.w // 2 - px(270), screen.h - px(192), px(540), px(104))
    rect = rect if rect.w <= screen.w else Rect(px(8), rect.y, screen.w - px(16), rect.h)
    items: list[Item] = [Fill(rect.inset(-px(4)), "paper", px(22)), Fill(rect, "alert", px(18))]
    above, below = rect.inset(px(16), px(6)).rows(2, px(4))
    items.append(look.strong(above, _going_text(face, going, look), colour="alert_ink", align="centre"))
    for place, side in zip(below.columns(2, px(12)), face.left_to_right, strict=True):
        items += button(place, ButtonChoice(Tap("resign_undo", side), look.words("Take it back")), look)
    return items


def _undo(face: Face, player: PlayerFace, going: ResignationView, line: Rect, look: Look) -> list[Item]:
    """The same on the half of one of two players who sit opposite each other."""
    px = look.px
    place = Rect(line.x, line.bottom + px(8), line.w, px(40))
    colour = "running_ink" if player.running else "alert"
    choice = ButtonChoice(Tap("resign_undo", player.side), look.words("Take it back"))
    return [
        look.strong(line, _going_text(face, going, look), colour=colour),
        *button(place, choice, look),
    ]


def _urgent(face: Face) -> bool:
    return face.headline in ("flag_awaits_director", "power_was_lost", "not_started")


def _headline(face: Face, look: Look) -> str:
    parts = [look.words.named(face.headline, seconds=face.uncertain_s)]
    if face.director_called:
        parts.append(look.words("Director called"))
    for player in (face.players.black, face.players.white) if face.players else ():
        if player.running and player.ask:
            parts.append(look.words.named(player.ask))
    return " · ".join(parts)


def _banner(face: Face, screen: Rect, look: Look) -> list[Item]:
    """What both players are told, across both halves, between figures and buttons."""
    px = look.px
    text = _headline(face, look)
    rect = Rect(screen.w // 2 - px(270), screen.h - px(156), px(540), px(50))
    colour = "alert" if _urgent(face) else "solid"
    items: list[Item] = [Fill(rect.inset(-px(4)), "paper", px(29)), Fill(rect, colour, px(25))]
    x = rect.x + px(26)
    if face.headline in ("clocks_stopped", "power_was_lost"):
        items += pause_mark(Rect(x, rect.y + px(15), px(18), px(20)), f"{colour}_ink")
        x += px(32)
    items.append(
        look.strong(
            Rect(x, rect.y, rect.right - px(26) - x, rect.h), text, colour=f"{colour}_ink", align="centre"
        )
    )
    return items
