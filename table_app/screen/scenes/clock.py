"""The clock during play, for two players and the audience.

The running clock is told by place (its half), by shape (the whole half is filled and has a pointer; the other half is a
card with an outline) and only then by colour.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from msgspec import Struct

from flagfall.othello.game import SECOND_NS
from flagfall.othello.side import Side
from table_app.screen.dialog import ACCEPT_HOLD_NS, RESIGN_HOLD_NS
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.player_face import Face, PlayerFace
from table_app.screen.kit.scene import Fill, Item, Meaning, Rect, Scene, Words
from table_app.screen.kit.widgets import (
    ButtonChoice,
    Look,
    button,
    buttons,
    disc,
    flag_mark,
    pause_mark,
    pointer,
)
from table_app.texts import TEXTS


class ResignationView(Struct, frozen=True):
    """The state of a resignation or a dropped game."""

    loser: Side | None = None  # has resigned, which takes effect in `left_ns`
    left_ns: int = 0
    asked: Side | None = None  # whose finger is or was on the button
    dropping: Side | None = None  # wants to end the game without a result
    armed: Meaning | None = None  # was touched for the first of two times, or is being held


def halves(screen: Rect, face: Face, look: Look) -> dict[Side, Rect]:
    """Return the places of the players: side by side, Black left; or opposite each other, Black below."""
    if look.halved(screen):
        second, first = screen.rows(2)
    else:
        first, second = screen.columns(2)
    return dict(zip(face.left_to_right, (first, second), strict=True))


def clock_scene(face: Face, screen: Rect, look: Look, resign: ResignationView) -> Scene:
    """Return both halves. `resign`: a resignation that is being held, or can still be taken back."""
    items: list[Item] = []
    for side, place in halves(screen, face, look).items():
        player = face.players.of(side)
        lay_out = _wide if place.w > place.h * 1.3 else _upright
        half = [*_ground(player, place, look), *lay_out(face, player, place, look, resign)]
        items += look.facing(place, half)
    if not look.halved(screen):
        if resign.loser is not None:
            items += _resigned(face, resign, screen, look)
        elif face.headline:
            items += _banner(face, screen, look)
    return tuple(items)


def _ground(player: PlayerFace, place: Rect, look: Look) -> list[Item]:
    return [Fill(place, "running")] if player.running else look.card(place.inset(look.px(10)))


def _upright(face: Face, player: PlayerFace, place: Rect, look: Look, resign: ResignationView) -> list[Item]:
    """Name above, figures in the middle, below them the prompt (unless the banner has it) and the player's buttons.
    Halves that lie above each other are lower and have no banner: each has its own line."""
    px, inner = look.px, place.inset(look.px(24), look.px(22))
    low = place.w > place.h
    asks = not face.headline and resign.loser is None
    # Higher where the figures begin earlier: the lines around them must not touch a word such as "Negras".
    items = _name(face, player, inner.below(-px(4 if low else 0)).top(px(44)), look)
    wider = inner.inset(-px(6), 0)
    lower = px(-4) if low else px(12) if player.buttons else px(32)
    figures = wider.below(px(56) + lower).top(px(140))
    items += _figures(player, figures, look)
    marks = Rect(inner.x, figures.bottom + px(16), inner.w, px(36))
    if low and resign.loser is not None:
        return items + _take_back_half(face, player, resign, marks, look)
    items += _marks(face, player, marks, look, resign, align="centre")
    middle = inner.x + inner.w // 2
    arrow: Rect | None = None
    if low:
        line = inner.foot(px(102)).top(px(32))
        beside_arrow = px(76) if player.running and player.buttons else 0
        items += _headline_or_ask(face, player, line.inset(beside_arrow, 0), look, "centre")
        arrow = Rect(middle - px(62), inner.bottom - px(66), px(124), px(64))
        if player.buttons:
            arrow = line.end(px(72)).below(px(4)).top(px(32))
    elif not player.buttons:
        arrow = Rect(middle - px(62), inner.bottom - px(74), px(124), px(72))
    elif asks:
        arrow = Rect(middle - px(50), inner.bottom - px(162), px(100), px(56))
    if player.running and arrow is not None:
        items.append(pointer(arrow, "running_ink"))
    if asks and not low:
        items += _ask(player, inner.foot(px(100 if player.buttons else 118)).top(px(32)), look, "centre")
    return items + _buttons(face, player, wider.foot(px(52)).top(px(54)), look, resign)


def _wide(face: Face, player: PlayerFace, place: Rect, look: Look, resign: ResignationView) -> list[Item]:
    """Name, texts and buttons left, figures right."""
    px, inner = look.px, place.inset(look.px(26), look.px(24))
    left = inner.left(round(inner.w * 0.46))
    right = inner.beside(left.w + px(12))
    items = _name(face, player, left.top(px(44)), look)
    line = left.below(px(54)).top(px(32))
    if resign.loser is not None:
        items += _take_back_half(face, player, resign, line, look)
    else:
        items += _headline_or_ask(face, player, line, look, "left")
    if resign.loser is None:
        marks = left.below(px(92)).top(px(34))
        items += _marks(face, player, marks, look, resign, align="left")
    if player.running:
        middle = right.x + right.w // 2
        items += [pointer(Rect(middle - px(40), right.bottom - px(26), px(80), px(40)), "running_ink")]
    items += _figures(player, right.below(-px(4)).top(right.h - px(30)), look)
    foot = Rect(left.x - px(6), left.bottom - px(54), left.w + px(6), px(56))
    return items + _buttons(face, player, foot, look, resign)


def _ink(player: PlayerFace, muted: bool = False) -> str:
    if player.running:
        return "running_muted" if muted else "running_ink"
    return "muted" if muted else "ink"


def _name(face: Face, player: PlayerFace, rect: Rect, look: Look) -> list[Item]:
    """Return the player's disc and name, and beside them the button that claims a flag where it is not in the row."""
    px, flag = look.px, list[Item]()
    if Button.FLAG in player.buttons and Button.FLAG not in face.row:
        choice = ButtonChoice(Tap(Button.FLAG, player.side), look.words(TEXTS["button_flag"]))
        flag = button(rect.end(px(86)), choice, _small(look))
        rect = rect.left(rect.w - px(94))
    icon = rect.left(px(40)).middle(px(40), px(40))
    text = rect.beside(icon.w + px(12))
    top = text.below(-px(6)).top(px(34)) if player.name else text
    colour = look.colour_name(player.black_discs) if player.name else ""
    return [
        disc(icon, player.black_discs, player.running),
        look.strong(top, look.called(player), "name", _ink(player)),
        look.text(text.below(px(25)).top(px(22)), colour, "small", _ink(player, True)),
        *flag,
    ]


def _small(look: Look) -> Look:
    """Return the look of small buttons."""
    sizes = look.theme.sizes
    return replace(look, theme=replace(look.theme, sizes={**sizes, "button": sizes["small"]}))


def _figures(player: PlayerFace, rect: Rect, look: Look) -> list[Item]:
    items: list[Item] = []
    if player.on_extension or player.period_s:
        # Extra time, and the count-down, stand between two bars: a different shape, visible from a distance.
        bar = max(3, look.px(6))
        around = rect.inset(0, -bar)
        items += [Fill(around.top(bar), _ink(player)), Fill(around.foot(bar), _ink(player))]
    ink = _ink(player)
    if player.low:
        # A frame, filled where the clock runs: told by shape as well as colour.
        frame = rect.inset(0, look.px(4))
        border = 0 if player.running else max(2, look.px(4))
        items.append(Fill(frame, "alert", look.px(14), border))
        ink = "alert_ink" if player.running else "ink"
    return [*items, Words(rect, player.time, look.size("digits"), ink, "figures", align="centre")]


def _marks(
    face: Face, player: PlayerFace, rect: Rect, look: Look, resign: ResignationView, *, align: str
) -> list[Item]:
    """Return the lasting flag, extra time and readiness of a player. Before them come the effect of a held
    touch, the button that continues after a stop, and for a while the reason for which a press had no effect."""
    words, px = look.words, look.px
    alert = "running_ink" if player.running else "alert"
    if resign.asked is player.side and Button.RESIGN in player.buttons:
        text = words("Hold: {loser} resigns, {winner} wins", **_loser_and_winner(face, player.side, look))
        return [look.strong(rect.top(px(48)), text, colour=alert, align=align, lines=2)]
    wide = [name for name in _WIDE if name in player.buttons]
    if wide:
        # Not in the row, where other buttons were.
        places = rect.below(-px(6)).top(px(46)).columns(len(wide), px(8))
        return buttons(
            places, (_wide_choice(face, name, player.side, look, resign.armed) for name in wide), look
        )
    if player.notice:
        return [look.strong(rect, words(TEXTS[player.notice]), colour=alert, align=align)]
    if player.flags:
        label = words("Flag fell first" if player.fell_first else "Flag fell")
        if player.flags > 1:
            label = words("Second flag")
        text = f"{label} · {words('extra time')}" if player.on_extension else label
        return [
            *flag_mark(rect.x, rect.y + px(2), px(30), alert),
            look.strong(rect.beside(px(30)).left(px(16)), str(player.flags), colour=alert),
            look.strong(rect.beside(px(52)), text, colour=alert),
        ]
    text = words(TEXTS[player.lost_by]) if player.lost_by else ""
    if player.period_s:
        text = words("Count-down: {seconds} s for each move", seconds=f"{player.period_s:g}")
    elif player.given_s:
        text = words("{time} added", time=f"{player.given_s // 60}:{player.given_s % 60:02}")
    elif player.ready:
        text = words("Ready to go on")
    return [look.strong(rect, text, colour=_ink(player), align=align)] if text else []


# Buttons that are no part of the row.
_WIDE = (Button.READY, Button.ACCEPT, Button.STOP_ALONE, Button.TWO_DISCS, Button.SELF_PLAY)


def _wide_choice(face: Face, name: Button, side: Side, look: Look, armed: Meaning | None) -> ButtonChoice:
    """Return a button in the place of the marks; what ends the game is held, or touched twice."""
    tap, score = Tap(name, side), "–".join(map(str, face.default_score))
    label = look.words(TEXTS[f"button_{name}"], score=score)
    if name in (Button.READY, Button.ACCEPT):
        hold_ns = ACCEPT_HOLD_NS if name is Button.ACCEPT else 0
        return ButtonChoice(tap, label, armed == tap, strong=True, hold_ns=hold_ns)
    if armed == tap:
        return ButtonChoice(tap, look.words("Touch again: {what}", what=label), armed=True)
    return ButtonChoice(tap, label, strong=True)


def _ask(player: PlayerFace, rect: Rect, look: Look, align: str) -> list[Item]:
    if not player.ask:
        return []
    return [look.strong(rect, look.words(TEXTS[player.ask]), colour=_ink(player), align=align)]


def _headline_or_ask(face: Face, player: PlayerFace, rect: Rect, look: Look, align: str) -> list[Item]:
    """Return the headline for both players, or the request to this one, on a half that no banner crosses."""
    if not face.headline:
        return _ask(player, rect, look, align)
    colour = "running_ink" if player.running else "alert" if _urgent(face) else "ink"
    return [look.strong(rect, _headline(face, (player,), look), colour=colour, align=align)]


def _buttons(face: Face, player: PlayerFace, rect: Rect, look: Look, resign: ResignationView) -> list[Item]:
    """Return the player's row of buttons; each has its place for the whole game, and all disappear while a resignation
    can be taken back."""
    items: list[Item] = []
    if not player.buttons or resign.loser is not None:
        return items
    small = _small(look)
    for place, name in zip(rect.columns(len(face.row), look.px(6)), face.row, strict=True):
        if name in player.buttons:
            tap, label = Tap(name, player.side), look.words(TEXTS[f"button_{name}"])
            choice = ButtonChoice(tap, label, armed=name is Button.STOP and resign.armed == tap)
            if name is Button.SCORE and player.stated is not None:
                choice = ButtonChoice(tap, "–".join(map(str, player.stated)), strong=True)
            if name is Button.DROP and resign.dropping is not None:
                asked_by_player = resign.dropping is player.side
                choice = ButtonChoice(
                    tap,
                    label if asked_by_player else look.words("Agree: drop it"),
                    asked_by_player,
                    strong=not asked_by_player,
                )
            if name is Button.RESIGN:
                choice = ButtonChoice(tap, label, resign.asked is player.side, hold_ns=RESIGN_HOLD_NS)
            items += button(place, choice, small)
        elif name is Button.DIRECTOR and face.director_called:
            called = look.words("Director called")
            items.append(look.text(place, called, "small", _ink(player), align="centre", lines=2))
    return items


def _loser_and_winner(face: Face, loser: Side, look: Look) -> dict[str, str]:
    players = face.players
    return {"loser": look.called(players.of(loser)), "winner": look.called(players.of(loser.other))}


def _resignation_text(face: Face, resign: ResignationView, look: Look) -> str:
    if resign.loser is None:
        return ""
    text = look.words("{loser} resigns, {winner} wins", **_loser_and_winner(face, resign.loser, look))
    return f"{text} · {-(-resign.left_ns // SECOND_NS)}"


def _resigned(face: Face, resign: ResignationView, screen: Rect, look: Look) -> list[Item]:
    """Return, across both halves, the result that is about to count, and for both players a button that takes the
    resignation back."""
    px = look.px
    rect = Rect(screen.w // 2 - px(270), screen.h - px(192), px(540), px(104))
    rect = rect if rect.w <= screen.w else Rect(px(8), rect.y, screen.w - px(16), rect.h)
    above, below = rect.inset(px(16), px(6)).rows(2, px(4))
    return [
        Fill(rect.inset(-px(4)), "paper", px(22)),
        Fill(rect, "alert", px(18)),
        look.strong(above, _resignation_text(face, resign, look), colour="alert_ink", align="centre"),
        *buttons(below.columns(2, px(12)), (_take_back(side, look) for side in face.left_to_right), look),
    ]


def _take_back(side: Side, look: Look) -> ButtonChoice:
    return ButtonChoice(Tap(Button.RESIGN_UNDO, side), look.words("Undo resignation"))


def _take_back_half(
    face: Face, player: PlayerFace, resign: ResignationView, line: Rect, look: Look
) -> list[Item]:
    """Return the buttons that take a resignation back, on the half of one of two players who sit opposite
    each other."""
    place = line.below(line.h + look.px(8)).top(look.px(40))
    colour = "running_ink" if player.running else "alert"
    return [
        look.strong(line, _resignation_text(face, resign, look), colour=colour),
        *button(place, _take_back(player.side, look), look),
    ]


def _urgent(face: Face) -> bool:
    return face.headline in ("flag_awaits_director", "power_was_lost", "not_started")


def _headline(face: Face, players: Iterable[PlayerFace], look: Look) -> str:
    """Return the headline, with what it asks of whoever of these players is to act."""
    alone = "" if face.plays_alone is None else look.called(face.players.of(face.plays_alone))
    parts = [look.words(TEXTS[face.headline], seconds=face.uncertain_s, name=alone)]
    if face.director_called:
        parts.append(look.words("Director called"))
    for player in players:
        if player.running and player.ask:
            parts.append(look.words(TEXTS[player.ask]))
    return " · ".join(parts)


def _banner(face: Face, screen: Rect, look: Look) -> list[Item]:
    """Return the headline for both players, across both halves, between figures and buttons."""
    px = look.px
    text = _headline(face, face.players, look)
    rect = Rect(screen.w // 2 - px(270), screen.h - px(156), px(540), px(50))
    colour = "alert" if _urgent(face) else "solid"
    items: list[Item] = [Fill(rect.inset(-px(4)), "paper", px(29)), Fill(rect, colour, px(25))]
    place = rect.inset(px(26), 0)
    if face.headline in ("clocks_stopped", "power_was_lost"):
        items += pause_mark(Rect(place.x, rect.y + px(15), px(18), px(20)), f"{colour}_ink")
        place = place.beside(px(32))
    return [*items, look.strong(place, text, colour=f"{colour}_ink", align="centre")]
