"""The page of the clocks and the flags."""

from __future__ import annotations

from msgspec.structs import replace

from flagfall.othello.game import Game, State
from flagfall.othello.inputs import Rule
from flagfall.othello.judging.flags.confirmed import director_confirms
from table_app.screen.judge.actions import Desk, Done
from table_app.screen.judge.page import GamePage, PlayerIs, player_choices, rule_choice
from table_app.screen.kit.scene import Item, Meaning, Rect
from table_app.screen.kit.widgets import ButtonChoice, Look, button_rows, buttons


class MoreSeconds(Meaning, frozen=True):
    """More time for the player, or less."""

    seconds: int


class ClockPage(GamePage):
    """The page of the clocks and the flags."""

    def scene(self, desk: Desk, game: Game, rect: Rect, look: Look) -> list[Item]:
        dialog, chosen = desk.dialog, desk.chosen
        px = look.px
        items = player_choices(chosen, rect.top(px(48)), look)
        steps = (
            ButtonChoice(MoreSeconds(seconds), label, enabled=dialog.director)
            for label, seconds in (("–1:00", -60), ("–0:10", -10), ("+0:10", 10), ("+1:00", 60))
        )
        items += buttons(rect.below(px(58)).top(px(48)).columns(4, px(8)), steps, look)
        amount = f"{abs(chosen.seconds) // 60}:{abs(chosen.seconds) % 60:02}"
        who = look.player(chosen.player)
        if chosen.seconds < 0:
            label = look.words("Take {time} from {who}", time=amount, who=who)
        else:
            label = look.words("Add {time} to {who}", time=amount, who=who)
        change = rule_choice(Rule.ADJUST_TIME, dialog, look, strong=True, label=label)
        choices = [replace(change, enabled=change.enabled and chosen.seconds != 0)]
        if game.state is State.WAITING and game.armed:
            label = look.words("Start the clock of {who}", who=who)
            choices.append(rule_choice(Rule.START_CLOCK, dialog, look, label=label))
        if director_confirms(game.rules):
            choices.append(rule_choice(Rule.CONFIRM_DEFAULT, dialog, look))
        if game.falls.of(chosen.player):
            label = look.words("Annul {who}'s flag", who=who)
            choices.append(rule_choice(Rule.ANNUL_FLAG, dialog, look, label=label))
        return items + button_rows(rect.below(px(116)), choices, look, 1, 54)

    def touched(self, desk: Desk, tap: Meaning, game: Game) -> Done:
        chosen = desk.chosen
        match tap:
            case PlayerIs(side):
                return desk.choosing(player=side, to_move=side), ()
            case MoreSeconds(seconds):
                return desk.choosing(seconds=chosen.seconds + seconds), ()
        return desk, ()
