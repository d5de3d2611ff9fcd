"""The draw of the colours by a hidden disc, step by step: who hides, the call, the disc, the choice (jof J1)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flagfall.othello.inputs import Called, Chosen, ColourDraw
from flagfall.othello.side import Side
from table_app.screen.dialog import Canvas, Dialog, Finger, Sheet, Step, ask_twice, to_referee, with_sheet
from table_app.screen.kit.player_face import Face, colours_open
from table_app.screen.kit.scene import FilledCircle, Item, Meaning, Rect, Scene
from table_app.screen.kit.widgets import ButtonChoice, Look, button, buttons, disc
from table_app.screen.scenes.sheet_parts import place_name, sheet_frame
from table_app.table_view import TableView
from table_app.texts import TEXTS


class Hides(Meaning, frozen=True):
    """A player hides a disc."""

    side: Side


class Calls(Meaning, frozen=True):
    """The other player calls."""

    call: Called


class Shows(Meaning, frozen=True):
    """The hand is lifted, and a colour is on top."""

    colour: Side


class Drawn(Meaning, frozen=True):
    """The colours are drawn."""


class Takes(Meaning, frozen=True):
    """The player who chooses takes this."""

    right: Chosen


@dataclass(frozen=True, slots=True)
class HiddenDisc(Sheet):
    """The draw of the colours so far. Sides are those of the header, which are not yet colours."""

    hider: Side | None = None
    called: Called | None = None
    shown: Side | None = None  # the colour on top
    draw_win_taken: bool = False  # the picker wins a draw, and the other player names a colour

    @property
    def chooser(self) -> Side | None:
        """The player who chooses next: the picker, and after a draw-win the other."""
        picker = self.picker
        return picker.other if picker is not None and self.draw_win_taken else picker

    @property
    def picker(self) -> Side | None:
        """The player who takes one of two rights, None where the call decides the colour."""
        if self.hider is None or self.called in (None, Called.TOP, Called.BOTTOM):
            return None
        return self.hider.other if self.called.value == self.shown else self.hider

    @property
    def colour_called(self) -> Side | None:
        """The colour of the face that was called."""
        if self.shown is None or self.called not in (Called.TOP, Called.BOTTOM):
            return None
        return self.shown if self.called is Called.TOP else self.shown.other

    def fits(self, view: TableView, another: bool) -> bool:
        return not another and view.game is not None and colours_open(view.game)

    def scene(self, canvas: Canvas) -> Scene:
        """Return the next question of the draw. Both players read it: it lies between them."""
        face, look = canvas.face, canvas.look
        if face.header is None:
            return ()
        title, hint = _question(face, self, look)
        items, body = sheet_frame(face, canvas.screen, look, title)
        items.append(look.text(body.top(look.px(34)), hint, colour="muted"))
        return tuple(items + _answers(face, self, canvas.dialog.armed, body.below(look.px(44)), look))

    def touched(self, dialog: Dialog, finger: Finger) -> Step:
        """Take the next step; the last one tells the referee."""
        tap, at_ns = finger.tap, finger.at_ns
        match tap:
            case Hides(side):
                return with_sheet(dialog, HiddenDisc(side)), ()
            case Calls(call) if self.hider is not None:
                return with_sheet(dialog, HiddenDisc(self.hider, call)), ()
            case Shows(colour) if self.called is not None:
                return with_sheet(dialog, HiddenDisc(self.hider, self.called, colour)), ()
        if self.hider is None or self.called is None or self.shown is None:
            return dialog, ()
        draw = ColourDraw(at_ns, self.hider, self.called, self.shown)
        if tap == Drawn() and self.picker is None:
            return with_sheet(dialog, None), to_referee(draw)
        if isinstance(tap, Takes) and self.picker is not None:
            return _right_taken(dialog, self, draw, tap)
        return dialog, ()


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
    called_right = words("Guessed right" if picker is sheet.hider.other else "Guessed wrong")
    return words("{name} chooses", name=_person(face, picker, look)), called_right


def _answers(face: Face, sheet: HiddenDisc, armed: Meaning | None, body: Rect, look: Look) -> list[Item]:
    words, px = look.words, look.px
    body = body.top(min(body.h, px(250)))
    if sheet.hider is None:
        choices = [ButtonChoice(Hides(side), _person(face, side, look)) for side in face.left_to_right]
        return buttons(body.top(px(120)).columns(2, px(16)), choices, look)
    if sheet.called is None:
        return _calls(face, body, look)
    if sheet.shown is None:
        places = body.top(px(150)).columns(2, px(16))
        return [item for side, place in zip(Side, places, strict=True) for item in _disc(place, side, look)]
    if sheet.picker is None:
        choice = ButtonChoice(Drawn(), words("OK"), strong=True)
        return button(body.top(px(90)), choice, look)
    rights = [right for right in Chosen if not (sheet.draw_win_taken and right is Chosen.DRAW_WIN)]
    places = body.rows(3, px(12))
    return [
        item
        for right, place in zip(rights, places, strict=False)
        for item in _right(place, right, armed, look)
    ]


def _right(place: Rect, right: Chosen, armed: Meaning | None, look: Look) -> list[Item]:
    """Return the button of a right; a colour shows its disc, so that the button's own ground is not taken for one."""
    tap, label = Takes(right), look.words(TEXTS[f"takes_{right}"])
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
        choices = (ButtonChoice(Calls(call), look.words(TEXTS[f"called_{call}"])) for call in forms[form])
        items += buttons(place.below(px(34)).columns(2, px(16)), choices, look)
    return items


def _disc(place: Rect, side: Side, look: Look) -> list[Item]:
    choice = ButtonChoice(Shows(side), look.colour_name(side is Side.BLACK))
    return _with_disc(place, choice, side is Side.BLACK, look)


def _with_disc(place: Rect, choice: ButtonChoice, black: bool, look: Look) -> list[Item]:
    """Return a button with a disc of this colour before its name."""
    size = min(place.h - look.px(16), place.w // 5)
    icon: FilledCircle = disc(place.beside(look.px(24)).left(size).middle(size, size), black)
    return [*button(place, choice, look), icon]


def _right_taken(dialog: Dialog, sheet: HiddenDisc, draw: ColourDraw, tap: Takes) -> Step:
    """Return the dialog after a touch on a right; the colour, which is the last one taken, tells the referee."""
    right = tap.right
    if right is Chosen.DRAW_WIN:
        if dialog.armed == tap:
            return with_sheet(dialog, replace(sheet, draw_win_taken=True)), ()
        return replace(dialog, armed=tap), ()
    taken = (
        replace(draw, chose=Chosen.DRAW_WIN, plays=Side(right))
        if sheet.draw_win_taken
        else replace(draw, chose=right)
    )
    stepped, events = ask_twice(dialog, tap, *to_referee(taken))
    return (with_sheet(stepped, None) if events else stepped), events
