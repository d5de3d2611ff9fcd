"""The draw of the colours by a hidden disc, step by step: who hides, the call, the disc, the choice (jof J1)."""

from __future__ import annotations

from flagfall.othello.inputs import Called, Chosen
from flagfall.othello.side import Side
from table_app.screen.dialog import HiddenDisc
from table_app.screen.kit.player_face import Face
from table_app.screen.kit.scene import FilledCircle, Item, Rect, Scene, Tap
from table_app.screen.kit.widgets import ButtonChoice, Look, button, buttons, disc
from table_app.screen.scenes.sheets import place_name, sheet_frame
from table_app.texts import TEXTS


def colour_draw_scene(face: Face, sheet: HiddenDisc, armed: Tap | None, screen: Rect, look: Look) -> Scene:
    """Return the next question of the draw. Both players read it: it lies between them."""
    if face.header is None:
        return ()
    title, hint = _question(face, sheet, look)
    items, body = sheet_frame(face, screen, look, title)
    items.append(look.text(body.top(look.px(34)), hint, colour="muted"))
    return tuple(items + _answers(face, sheet, armed, body.below(look.px(44)), look))


def _person(face: Face, side: Side, look: Look) -> str:
    """Return the player's name, or where they sit: they have no colour yet."""
    player = face.players.of(side)
    if player.name:
        return look.called(player)
    return place_name("left" if side is face.left_to_right[0] else "right", look)


def _question(face: Face, sheet: HiddenDisc, look: Look) -> tuple[str, str]:
    words = look.words
    if sheet.hider is None:
        rule = words("The higher grade; if they are equal, the older player")
        proposed = "" if face.hides is None else _person(face, face.hides, look)
        return words("Who hides a disc under a hand?"), ": ".join(filter(None, (rule, proposed)))
    caller = _person(face, sheet.hider.other, look)
    if sheet.called is None:
        return words("{name} calls", name=caller), words(
            "{name} hides a disc", name=_person(face, sheet.hider, look)
        )
    if sheet.shown is None:
        called = words(TEXTS[f"called_{sheet.called}"])
        return words("Lift the hand: which colour is on top?"), f"{caller}: {called}"
    picker = sheet.picker
    if picker is None:
        plays = words(
            "{name} plays {colour}", name=caller, colour=look.colour_name(sheet.colour_called is Side.BLACK)
        )
        return plays, ""
    if sheet.draw_win_taken:
        title = words("{name} chooses a colour", name=_person(face, picker.other, look))
        return title, words("{name} wins a draw", name=_person(face, picker, look))
    called_right = words("Called right" if picker is sheet.hider.other else "Called wrong")
    return words("{name} chooses", name=_person(face, picker, look)), called_right


def _answers(face: Face, sheet: HiddenDisc, armed: Tap | None, body: Rect, look: Look) -> list[Item]:
    words, px = look.words, look.px
    body = body.top(min(body.h, px(250)))
    if sheet.hider is None:
        choices = [ButtonChoice(Tap("hides", side), _person(face, side, look)) for side in face.left_to_right]
        return buttons(body.top(px(120)).columns(2, px(16)), choices, look)
    if sheet.called is None:
        return _calls(face, body, look)
    if sheet.shown is None:
        places = body.top(px(150)).columns(2, px(16))
        return [item for side, place in zip(Side, places, strict=True) for item in _disc(place, side, look)]
    if sheet.picker is None:
        choice = ButtonChoice(Tap("drawn"), words("OK"), strong=True)
        return button(body.top(px(90)), choice, look)
    rights = [right for right in Chosen if not (sheet.draw_win_taken and right is Chosen.DRAW_WIN)]
    places = body.rows(3, px(12))
    return [
        item
        for right, place in zip(rights, places, strict=False)
        for item in _right(place, right, armed, look)
    ]


def _right(place: Rect, right: Chosen, armed: Tap | None, look: Look) -> list[Item]:
    """Return the button of a right; a colour shows its disc, so that the button's own ground is not taken for one."""
    tap, label = Tap("takes", value=right.value), look.words(TEXTS[f"takes_{right}"])
    if armed == tap:
        choice = ButtonChoice(tap, look.words("Touch again: {what}", what=label), armed=True)
        return button(place, choice, look)
    if right is Chosen.DRAW_WIN:
        return button(place, ButtonChoice(tap, label), look)
    return _with_disc(place, ButtonChoice(tap, label), right is Chosen.BLACK, look)


def _calls(face: Face, body: Rect, look: Look) -> list[Item]:
    """Return the calls of the forms that the rulebook has: for the win of a draw, or where draws stand."""
    px, items = look.px, list[Item]()
    has = "no" if face.header is None else face.header.rulebook.hidden_disc
    forms = {"draw_win": (Called.BLACK, Called.WHITE), "draws": (Called.TOP, Called.BOTTOM)}
    offered = [form for form in forms if has in ("either", form)]
    for place, form in zip(body.rows(2, px(14)), offered, strict=False):
        items.append(look.strong(place.top(px(30)), look.words(TEXTS[f"form_{form}"]), "small"))
        choices = (
            ButtonChoice(Tap("called", value=call.value), look.words(TEXTS[f"called_{call}"]))
            for call in forms[form]
        )
        items += buttons(place.below(px(34)).columns(2, px(16)), choices, look)
    return items


def _disc(place: Rect, side: Side, look: Look) -> list[Item]:
    choice = ButtonChoice(Tap("face", side), look.colour_name(side is Side.BLACK))
    return _with_disc(place, choice, side is Side.BLACK, look)


def _with_disc(place: Rect, choice: ButtonChoice, black: bool, look: Look) -> list[Item]:
    """Return a button with a disc of this colour before its name."""
    size = min(place.h - look.px(16), place.w // 5)
    icon: FilledCircle = disc(place.beside(look.px(24)).left(size).middle(size, size), black)
    return [*button(place, choice, look), icon]
