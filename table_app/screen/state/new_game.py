"""The sheet that chooses the next game of a table without a hub: a frozen value, and its change by touches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from flagfall.othello.game import Game
from table_app.events import Event, GameChosen
from table_app.local_game import LONGEST_NAME, MINUTES, LocalSetup, setup_of
from table_app.screen.kit.keyboard import capital_at_word, text_after
from table_app.screen.kit.scene import Tap

MINUTES_OFFERED = (3, 5, 15, 20, 30)
SECONDS_OFFERED = (0, 2, 3, 5, 10)


class Choosing(StrEnum):
    """The question of the sheet."""

    ALL = "all"
    NAME = "name"
    TYPED_NAME = "typed_name"
    MINUTES = "minutes"


@dataclass(frozen=True, slots=True)
class NewGame:
    """The sheet that chooses the next game."""

    setup: LocalSetup
    choosing: Choosing = Choosing.ALL
    place: str = ""  # the player whose name is asked for, "left" or "right"
    typed: str = ""  # the typed part of a name or of minutes

    @property
    def minutes_typed(self) -> int | None:
        """Return the typed minutes, None while they are no valid time."""
        minutes = int(self.typed) if self.typed else 0
        return minutes if minutes in MINUTES else None


def proposed_game(game: Game | None, swapped: bool) -> NewGame | None:
    """Return a set-up like the last game's; None if there was none."""
    return None if game is None else NewGame(setup_of(game.header, swapped))


def new_game_touched(
    sheet: NewGame, tap: Tap, names: tuple[str, ...], at_ns: int
) -> tuple[NewGame | None, tuple[Event, ...]]:
    """Return the sheet after a touch, None once it is closed, and the chosen game. Without `names` to
    propose, the keyboard opens."""
    setup = sheet.setup
    match tap.action:
        case "close":
            return (None if sheet.choosing is Choosing.ALL else NewGame(setup)), ()
        case "play":
            return None, (GameChosen(at_ns, setup),)
        case "rulebook":
            setup = setup.by_rulebook(tap.value)
        case "minutes" if tap.value:
            setup = replace(setup, minutes=int(tap.value))
        case "minutes":
            return NewGame(setup, Choosing.MINUTES), ()
        case "per_move":
            setup = replace(setup, increment_s=int(tap.value))
        case "judged":
            setup = replace(setup, judged=tap.value == "yes")
        case "colours":
            setup = replace(setup, black_left=not setup.black_left)
        case "seats":
            setup = setup.seats_changed()
        case "name":
            return NewGame(setup, Choosing.NAME if names else Choosing.TYPED_NAME, tap.value), ()
        case _:
            return _typing_touched(sheet, tap), ()
    return NewGame(setup), ()


def _typing_touched(sheet: NewGame, tap: Tap) -> NewGame:
    """Return the sheet after a key for a typed name or time."""
    match tap.action:
        case "name_is":
            return NewGame(sheet.setup.named(sheet.place, tap.value))
        case "name_type":
            return replace(sheet, choosing=Choosing.TYPED_NAME, typed="")
        case "name_key" | "name_letter":
            # A keyboard has its own capitals: "van der Berg" stays as it is typed there.
            plain = sheet.typed and tap.action == "name_letter"
            key = tap.value if plain else capital_at_word(sheet.typed, tap.value)
            text = text_after(sheet.typed, key, LONGEST_NAME)
            return replace(sheet, choosing=Choosing.TYPED_NAME, typed=text)
        case "name_done":
            return NewGame(sheet.setup.named(sheet.place, sheet.typed.strip()))
        case "key":
            return replace(sheet, typed=(sheet.typed + tap.value)[-3:])
        case "erase":
            return replace(sheet, typed=sheet.typed[:-1])
        case "enter" if sheet.minutes_typed is not None:
            return NewGame(replace(sheet.setup, minutes=sheet.minutes_typed))
    return sheet
