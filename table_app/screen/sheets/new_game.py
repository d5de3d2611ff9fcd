"""The sheet that chooses the next game of a table without a hub."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from flagfall.othello.game import Game
from flagfall.othello.rulebook import AT_TABLES, rulebook
from table_app.events import GameChosen
from table_app.local_game import LONGEST_NAME, MINUTES, LocalSetup, between_games, setup_of
from table_app.screen.dialog import Canvas, Dialog, Finger, Sheet, Step, with_sheet
from table_app.screen.kit.scene import Enter, Erase, Fill, Hit, Item, Key, Meaning, Rect, Scene, Words
from table_app.screen.kit.widgets import (
    ButtonChoice,
    Look,
    button,
    button_rows,
    buttons,
    capital_at_word,
    cross,
    disc,
    keyboard,
    text_after,
)
from table_app.screen.scenes.sheet_parts import beside, keypad, place_name
from table_app.table_view import TableView

MINUTES_OFFERED = (3, 5, 15, 20, 30)
SECONDS_OFFERED = (0, 2, 3, 5, 10)
# Of a count-down; 0: none.
COUNT_DOWNS_OFFERED = (0, 10, 20, 30, 60)
NAMES_OFFERED = 12


class Rules(Meaning, frozen=True):
    """Another rulebook."""

    name: str


class Minutes(Meaning, frozen=True):
    """So many minutes for each player; None: they are typed."""

    minutes: int | None


class PerMove(Meaning, frozen=True):
    """So many seconds added for each move."""

    seconds: int


class CountDown(Meaning, frozen=True):
    """So many seconds for each move after the minutes."""

    seconds: int


class Judged(Meaning, frozen=True):
    """A judge at the table, or none."""

    judged: bool


class ColoursExchanged(Meaning, frozen=True):
    """The colours are exchanged."""


class SeatsExchanged(Meaning, frozen=True):
    """The seats are exchanged."""


class AskName(Meaning, frozen=True):
    """The name of the player at this place is asked for."""

    place: str


class NameIs(Meaning, frozen=True):
    """The name is this one."""

    name: str = ""


class TypeName(Meaning, frozen=True):
    """Another name is typed."""


class NameKey(Meaning, frozen=True):
    """A key of the keyboard on the screen."""

    sign: str


class NameLetter(Meaning, frozen=True):
    """A letter of a real keyboard."""

    sign: str


class NameDone(Meaning, frozen=True):
    """The name is complete."""


class Play(Meaning, frozen=True):
    """The game is chosen."""


class Choosing(StrEnum):
    """The question of the sheet."""

    ALL = "all"
    NAME = "name"
    TYPED_NAME = "typed_name"
    MINUTES = "minutes"


@dataclass(frozen=True, slots=True)
class NewGame(Sheet):
    """The sheet that chooses the next game of a table without a hub."""

    setup: LocalSetup
    choosing: Choosing = Choosing.ALL
    place: str = ""  # the player whose name is asked for, "left" or "right"
    typed: str = ""  # the typed part of a name or of minutes

    @property
    def minutes_typed(self) -> int | None:
        """Return the typed minutes, None while they are no valid time."""
        minutes = int(self.typed) if self.typed else 0
        return minutes if minutes in MINUTES else None

    @property
    def types_text(self) -> bool:
        return self.choosing in (Choosing.NAME, Choosing.TYPED_NAME)

    def fits(self, view: TableView, another: bool) -> bool:
        return between_games(view.game)

    def scene(self, canvas: Canvas) -> Scene:
        screen, look = canvas.screen, canvas.look
        px, words = look.px, look.words
        title = {Choosing.ALL: words("New game"), Choosing.MINUTES: words("Minutes for each player")}.get(
            self.choosing
        ) or words("Who sits here ({place})?", place=place_name(self.place, look))
        head = screen.inset(px(16), 0).below(px(8)).top(px(48))
        body = Rect(head.x, head.bottom + px(8), head.w, screen.h - head.bottom - px(20))
        items: list[Item] = [
            look.strong(head.left(head.w - px(70)), title, "name"),
            *cross(head.end(px(60)), look),
        ]
        match self.choosing:
            case Choosing.ALL:
                items += _game_choices(self, body, look)
            case Choosing.NAME:
                items += _name_choices(self, canvas.view.names, body, look)
            case Choosing.TYPED_NAME:
                items += keyboard(self.typed, NameKey, NameDone(), body, look)
            case Choosing.MINUTES:
                items += _minutes_pad(self, body, look)
        return tuple(items)

    def closed(self, dialog: Dialog, finger: Finger) -> Step:
        return with_sheet(dialog, None if self.choosing is Choosing.ALL else NewGame(self.setup)), ()

    def touched(self, dialog: Dialog, finger: Finger) -> Step:
        if finger.tap == Play():
            return with_sheet(dialog, None), (GameChosen(finger.at_ns, self.setup),)
        return with_sheet(dialog, self._changed(finger.tap, finger.view.names)), ()

    def _changed(self, tap: Meaning, names: tuple[str, ...]) -> NewGame:
        """Return the sheet after a touch. Without `names` to propose, the keyboard opens."""
        setup = self.setup
        match tap:
            case Rules(name):
                setup = setup.by_rulebook(name)
            case Minutes(int(minutes)):
                setup = replace(setup, minutes=minutes)
            case Minutes():
                return NewGame(setup, Choosing.MINUTES)
            case PerMove(seconds):
                setup = replace(setup, increment_s=seconds)
            case CountDown(seconds):
                setup = replace(setup, byoyomi_s=seconds)
            case Judged(judged):
                setup = replace(setup, judged=judged)
            case ColoursExchanged():
                setup = replace(setup, black_left=not setup.black_left)
            case SeatsExchanged():
                setup = setup.seats_changed()
            case AskName(place):
                return NewGame(setup, Choosing.NAME if names else Choosing.TYPED_NAME, place)
            case _:
                return self._after_key(tap)
        return NewGame(setup)

    def _after_key(self, tap: Meaning) -> NewGame:
        """Return the sheet after a key for a typed name or time."""
        match tap:
            case NameIs(name):
                return NewGame(self.setup.named(self.place, name))
            case TypeName():
                return replace(self, choosing=Choosing.TYPED_NAME, typed="")
            case NameKey(sign) | NameLetter(sign):
                # A keyboard has its own capitals: "van der Berg" stays as it is typed there.
                plain = self.typed and isinstance(tap, NameLetter)
                key = sign if plain else capital_at_word(self.typed, sign)
                text = text_after(self.typed, key, LONGEST_NAME)
                return replace(self, choosing=Choosing.TYPED_NAME, typed=text)
            case NameDone():
                return NewGame(self.setup.named(self.place, self.typed.strip()))
            case Key(sign):
                return replace(self, typed=(self.typed + sign)[-3:])
            case Erase():
                return replace(self, typed=self.typed[:-1])
            case Enter() if self.minutes_typed is not None:
                return NewGame(replace(self.setup, minutes=self.minutes_typed))
        return self


def proposed_game(game: Game | None, swapped: bool) -> NewGame | None:
    """Return a set-up like the last game's; None if there was none."""
    return None if game is None else NewGame(setup_of(game.header, swapped))


def _game_choices(sheet: NewGame, body: Rect, look: Look) -> list[Item]:
    px, words, setup = look.px, look.words, sheet.setup
    gap = px(8)

    texts = [
        ButtonChoice(Rules(name), words.text(rulebook(name).title), strong=setup.rulebook == name)
        for name in AT_TABLES
    ]
    columns = 4 if body.w > body.h else 2
    items = button_rows(body, texts, look, columns, 48)
    rest = body.below(-(-len(texts) // columns) * (px(48) + gap))
    times = [
        ButtonChoice(
            Minutes(minutes), words("{minutes} min", minutes=minutes), strong=setup.minutes == minutes
        )
        for minutes in MINUTES_OFFERED
    ]
    usual = setup.minutes in MINUTES_OFFERED
    other = words("Other") if usual else words("{minutes} min", minutes=f"{setup.minutes:g}")
    times.append(ButtonChoice(Minutes(None), other, strong=not usual))
    items += button_rows(rest, times, look, 6, 48)
    rest = rest.below(px(48) + gap)
    rules = rulebook(setup.rulebook)
    if rules.per_move != "nothing":
        increments = [
            ButtonChoice(
                PerMove(seconds),
                words("+{seconds} s a move", seconds=seconds),
                strong=setup.increment_s == seconds,
            )
            for seconds in SECONDS_OFFERED
        ]
        items += button_rows(rest, increments, look, 5, 44)
    if rules.byoyomi:
        rest = rest.below(px(44) + gap) if rules.per_move != "nothing" else rest
        count_downs = [
            ButtonChoice(
                CountDown(seconds),
                words("then {seconds} s a move", seconds=seconds) if seconds else words("No count-down"),
                strong=setup.byoyomi_s == seconds,
            )
            for seconds in COUNT_DOWNS_OFFERED
        ]
        items += button_rows(rest, count_downs, look, 5, 44)
    rest, low = rest.below(px(44) + gap), body.foot(px(58))
    items += _seats(sheet, rest.top(low.y - px(12) - rest.y), look)
    without = ButtonChoice(Judged(False), words("Without a judge"), strong=not setup.judged)
    judged = ButtonChoice(Judged(True), words("With a judge"), strong=setup.judged)
    *places, play = low.columns(3, gap)
    items += buttons(places, (without, judged), look)
    edge = Fill(play.inset(-px(3)), "running", px(11), px(3))
    return [*items, edge, *button(play, ButtonChoice(Play(), words("Play"), strong=True), look)]


def _seats(sheet: NewGame, rect: Rect, look: Look) -> list[Item]:
    """Return both players at their places, and between them, or below where it is narrow, the buttons that exchange
    colours or chairs."""
    px, words, setup = look.px, look.words, sheet.setup
    rect = rect.top(min(rect.h, px(104)))
    if rect.w > px(560):
        middle = rect.middle(px(170), rect.h)
        wide = middle.x - px(10) - rect.x
        between = middle.rows(2, px(6))
    else:
        wide = (rect.w - px(10)) // 2
        between = rect.below(rect.h + px(8)).top(px(48)).columns(2, px(10))
    items: list[Item] = []
    for place, card in (("left", rect.left(wide)), ("right", rect.end(wide))):
        name = setup.left if place == "left" else setup.right
        icon = card.beside(px(10)).left(px(40)).middle(px(40), px(40))
        text = card.beside(px(58)).left(card.right - icon.right - px(14))
        tap = AskName(place)
        pale = tap in look.fresh
        colour = "ink" if name and not pale else "muted"
        items += [
            *look.card(card, 10, "line" if pale else "ink"),
            disc(icon, setup.black_left == (place == "left")),
            look.strong(
                text.inset(0, px(8)).top(card.h - px(40)), name or words("Name ..."), colour=colour, lines=2
            ),
            look.text(text.foot(px(32)).top(px(26)), place_name(place, look), "small", "muted"),
            Hit(card, tap),
        ]
    exchanges = (
        ButtonChoice(ColoursExchanged(), words("Exchange colours")),
        ButtonChoice(SeatsExchanged(), words("Exchange seats")),
    )
    return items + buttons(between, exchanges, look)


def _name_choices(sheet: NewGame, names: tuple[str, ...], body: Rect, look: Look) -> list[Item]:
    px, words = look.px, look.words
    choices = [ButtonChoice(NameIs(name), name) for name in names[:NAMES_OFFERED]]
    items = button_rows(body, choices, look, 3 if body.w > body.h else 2, 56)
    others = (
        ButtonChoice(NameIs(), words("No name")),
        ButtonChoice(TypeName(), words("Another name ..."), strong=True),
    )
    return items + buttons(body.foot(px(58)).columns(2, px(8)), others, look)


def _minutes_pad(sheet: NewGame, body: Rect, look: Look) -> list[Item]:
    px = look.px
    left, pad = beside(body, look)
    field = left.left(min(left.w, px(300))).top(px(110))
    return [
        *look.card(field, 10, "ink"),
        Words(field.inset(px(16), 0), sheet.typed or "–", px(80), face="figures", align="right"),
        *keypad(pad, look, done=sheet.minutes_typed is not None),
    ]
